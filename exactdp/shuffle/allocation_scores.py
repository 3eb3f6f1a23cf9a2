"""Scores of the outputs of noisy steps on a lattice: the steps of ``sums.counting.scored``.

Noise lies between finite pairs (``divergences.dots``) with ratios on the lattice: the likelihood
ratio is linear in that of each step. Where the pair above has an infinite ratio, P of it is added.
Noise of integers is taken as it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log, log1p

from exactdp.divergences.dots import pairs_through
from exactdp.divergences.values import enclosed
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Epsilon, Exact, count_text, exp, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import remembered, spend
from exactdp.numbers.limits import MAX_SCORES, refuse_above
from exactdp.shuffle.noise_pairs import deviation, largest_ratio
from exactdp.sums.counting.scored import ScoreLaw, Step

__all__ = ["score_laws"]

_COARSEST = 20
"""Scores are at most 1/20 apart: far out a step tells little more than that its ratio is large."""

_STEPS, _UNIT, _NARROW = 1 << 40, 1 << 64, Fraction(1, 1 << 80)
"""One over what the step of scores is rounded up to, and ratios down, which are known to a width.
"""

_BESIDE = range(4, 16, 2)
"""Halvings of the way to the largest ratio, where there is one: noise may have much mass there."""

_FEWEST = 1024
"""Places of one score, at least: few are cheap."""

_PRODUCTS = 20
"""About how many products a law takes beside those of k choices."""

_WIDE = 10**6
"""The variance from which on noise of integers is as good as a density."""


@dataclass(frozen=True, slots=True)
class _Scores:
    """Ratios whose scores are on a lattice from that of the least one on, or a bit below.

    Attributes:
        rate: r.
        step: The distance of places.
        places: Places that ratios have, ascending from 0.
        ratios: The ratios at these places; the first one is the least, or 0.
        corners: Ratios beside the largest one, where noise has one.
    """

    rate: Fraction
    step: Fraction
    places: Sequence[int]
    ratios: Sequence[Fraction]
    corners: Sequence[Fraction]

    @classmethod
    def of(
        cls, noise: AdditiveNoise, rate: Fraction, *, chosen: int, cells: int, rest: Fraction
    ) -> _Scores:
        """Return scores with so many places in the deviation of W, up to where δ is a rest."""
        far, least, corners, top = (
            Fraction(0),
            Fraction(0),
            list[Fraction](),
            noise.max_divergence(),
        )
        if isinstance(top, Epsilon) and top.is_infinite:
            far = largest_ratio(noise, rest)
        else:
            far = enclosed(exp(top.nats if isinstance(top, Epsilon) else top), _NARROW).upper
            least, corners = 1 / far, [far - (far - 1) / 2**i for i in _BESIDE]
        first = 1 + rate * (least - 1)
        length = log((1 + rate * (far - 1)) / first)
        count = ceil(max(_FEWEST, length * cells / log1p(rate * deviation(noise))))
        size = count * chosen
        what = f"the scores of {count_text(chosen)} steps have {count_text(size)} places"
        refuse_above(MAX_SCORES, size, what, advice="Take more noise.")
        step = Fraction(ceil(length / count * _STEPS) + 1, _STEPS)  # beyond the largest ratio
        usual = -log(first) / step  # the place of the ratio 1
        places = list(_rising(count, usual, 3 * cells, floor(1 / (_COARSEST * step))))
        grown = (enclosed(exp(Exact(i * step)), _NARROW).lower * first for i in places)
        short = (floor((x - 1 + rate) / rate * _UNIT) for x in grown)
        return cls(rate, step, [0, *places], [least, *(Fraction(x, _UNIT) for x in short)], corners)

    def place(self, ratio: Fraction) -> int:
        """Return the first of these places whose ratio is not less."""
        return self.places[bisect_left(self.ratios, ratio)]

    def known(self) -> list[Fraction]:
        """Return the positive ratios, with corners, and one between each two of them first."""
        kept = sorted({Fraction(0), *self.ratios, *self.corners})
        between = [(x + y) / 2 for x, y in pairwise(kept)]
        return [x for both in zip(between, kept[1:], strict=True) for x in both]


@remembered(maxsize=64)
def score_laws(
    noise: AdditiveNoise, *, steps: int, chosen: int, rate: Fraction, cells: int, bits: int
) -> tuple[ScoreLaw, ScoreLaw]:
    """Return the laws of sums of scores, of steps below and above noise.

    Args:
        noise: The noise of a step.
        steps: t.
        chosen: k, above 1 and below t.
        rate: The r of the scores, above 0 and below 1.
        cells: Places in the deviation of W.
        bits: The finite pairs end where δ is 2^−bits.

    Raises:
        TooLargeError: If there are too many places.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> asked = {"steps": 4, "chosen": 2, "rate": Fraction(1, 3), "cells": 8, "bits": 40}
        >>> low, high = score_laws(laplace_mechanism(scale=1), **asked)
        >>> low.lower(Fraction(2), adds=False).lower < high.upper(Fraction(2), adds=False)[0]
        True
    """
    scores = _Scores.of(noise, rate, chosen=chosen, cells=cells, rest=Fraction(1, 1 << bits))
    spend((_PRODUCTS + 5 * chosen) * scores.places[-1] * min(chosen, 4))
    # Masses of a sum are needed to a part of δ over γ, and the roots of those that lack.
    masses = 2 * bits + 24
    below, above = _steps(noise, scores, masses)
    lattice = rate, 1 + rate * (scores.ratios[0] - 1), scores.step
    return (
        ScoreLaw.of(below, lattice, steps, chosen, bits=masses, is_above=False),
        ScoreLaw.of(above, lattice, steps, chosen, bits=masses, is_above=True),
    )


def _steps(noise: AdditiveNoise, scores: _Scores, bits: int) -> tuple[Step, Step]:
    """Return the outputs of steps below and above noise; of noise of integers, its own."""
    if isinstance(noise, IntegerNoise) and noise.spread < _WIDE:
        with precision(bits + 32):
            ends = [[endpoints(x)[0] for x in row] for row in noise.rows((0, 1), bits)[0]]
        rows = [list(zip(*ends, strict=True))] * 2
    else:
        fine = scores.known()
        width, nothing = Fraction(1, 1 << bits), (Fraction(0), Fraction(0))
        deltas = [enclosed(noise.delta(Epsilon.log(x), relative_width=width), width) for x in fine]
        pairs = pairs_through(fine, deltas, nothing, unit=1 << bits, has_middles=True)
        rows = [[(p.as_fraction(), q.as_fraction()) for p, q in one.masses()] for one in pairs]
    last = scores.ratios[-1]
    low, high = ([(scores.place(p / q), p, q) for p, q in x if 0 < q >= p / last] for x in rows)
    return low, high


def _rising(last: int, usual: float, growth: int, most: int) -> Iterator[int]:
    """Yield places up to the last: more widely apart far out, as ratios are."""
    place = 1
    while place < last:
        yield place
        place += max(1, min(most, floor((place - usual) / growth)))
    yield max(place, 2)
