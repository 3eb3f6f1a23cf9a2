r"""The sum of a score of each output, where a record takes part in k of t steps.

With W = P/Q of an output and e_k the sum of all products of k different ones, the likelihood ratio
of the outputs is L = e_k(W)/C(t, k). Let T be the sum of the scores ln(1 + r(W − 1)), 0 < r < 1, so
that

    e^T = Σ_j b_j e_j(W)/C(t, j),   b_j = C(t, j) r^j (1 − r)^(t − j).

Little is lost by looking at T alone: nothing for k = 1 and r near 0, or for k = t and r near 1.

*Below.* What T tells is at most what the outputs tell.

*Above.* With 2 max(0, x) = x + |x|, and by Cauchy and Schwarz, whatever T is,

    2 E_Q[max(0, L − γ); T] <= E_Q[L − γ; T] + (E_Q[1; T] E_Q[(L − γ)²; T])^(1/2).

E_Q[L; T] is the law of T under P: k outputs from P, the others from Q. Two choices of k steps have
j in common with probability h_j = C(k, j) C(t − k, k − j)/C(t, k), and then

    E_Q[L²; T] = Σ_j h_j (law of j scores under W²Q, 2(k − j) under P, and t − 2k + j under Q).

All are sums of independent scores. For (Q, P) the same holds of 1 − γL. As e_j/C(t, j) is at least
L^(j/k) for j <= k (Maclaurin), L is at most γ where e^T <= Σ_(j <= k) b_j γ^(j/k): such T add
nothing above.

Steps lie between finite pairs (``divergences.dots``), with scores on a lattice: L is linear in each
W. Where the pair above has an infinite ratio, P of it is added. Laws of sums are found from below,
in units of 2^−bits; what they lack, x of 1, y of L and z of L², is somewhere, and adds at most

    2^(−1)(y + (x Σ E_Q[(L − γ)²; T])^(1/2) + ((z + γ²x)(x + Σ E_Q[1; T]))^(1/2)).

References: A. Dong and A. Özgür, What is the Optimal Subsampling Scheme for DP-SGD?, 2026 (the
ratio of "balanced iteration subsampling", and Maclaurin's inequalities for it).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import ceil, comb, floor, fsum, log, log1p, sqrt
from typing import Self

from flint import fmpz, fmpz_poly

from exactdp.distributions.count_windows import Below, power_below, product_below, trimmed
from exactdp.divergences.dots import pairs_through
from exactdp.divergences.values import enclosed
from exactdp.errors import TooLargeError
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Epsilon, Exact, count_text, exp, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import remembered, spend
from exactdp.numbers.later import np
from exactdp.shuffle.noise_pairs import deviation, largest_ratio
from exactdp.sums.doubles import SAFE, Doubles

__all__ = ["ScoreLaw", "score_laws"]

_OFF = 2.0**-49
"""What a mass of a sum, or γ, times another may err by in doubles, as a part of itself: 16u."""

_COARSEST = 20
"""Scores are at most 1/20 apart: far out a step tells little more than that its ratio is large."""

_MOST_SCORES = 1 << 19
"""Places of the largest sum of k scores; with more, products take minutes."""

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

_Masses = Sequence[tuple[int, Fraction]]
"""Masses at places."""


_Step = Sequence[tuple[int, Fraction, Fraction]]
"""The outputs of a step: the place of their score, and at most their masses under P and Q."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreLaw:
    """The law of the sum of scores under Q, and its means of L and of L², from below.

    Attributes:
        rows: The masses under Q, and of L and L² under Q, by place; the last is left out below.
        missing: What the rows lack in all, at most.
        left_out: The mass of P that is not in L.
        first: The place of the first mass.
        step: The distance of places.
        chances: ln b_j for j = 0, ..., k, less what the least sum of scores is.
    """

    rows: Doubles
    missing: Sequence[float]
    left_out: float
    first: int
    step: float
    chances: Sequence[float]

    @classmethod
    def of(cls, step: _Step, scores: _Scores, t: int, k: int, *, bits: int, is_above: bool) -> Self:
        """Return the law of the sum, of k of t steps."""
        finite = sum((p for _, p, _ in step), Fraction(0))
        squares = sum((p * p / q for _, p, q in step), Fraction(0))
        none, once, twice = (
            _below([(i, mass / total) for i, mass in masses], bits)
            for masses, total in (
                ([(i, q) for i, _, q in step], Fraction(1)),
                ([(i, p) for i, p, _ in step], finite),
                ([(i, p * p / q) for i, p, q in step], squares),
            )
        )
        beside = min(t, 2 * k)  # steps that may be chosen in one of two choices
        others = power_below(none, t - beside, bits)

        def law(both: int, one: int) -> Below:
            """Return the law of so many scores under W²Q and P, and others of ``beside``."""
            powers = (twice, both), (once, one), (none, beside - both - one)
            return reduce(
                lambda x, y: product_below(x, y, bits),
                (power_below(each, times, bits) for each, times in powers if times),
            )

        parts = [[(law(0, 0), Fraction(1))], [(law(0, k), finite**k)]]
        if is_above:
            parts.append(
                [
                    (
                        law(j, 2 * (k - j)),
                        Fraction(comb(k, j) * comb(t - k, k - j), comb(t, k))
                        * squares**j
                        * finite ** (2 * (k - j)),
                    )
                    for j in range(max(0, 2 * k - t), k + 1)
                ]
            )
        sizes = [sum((weight for _, weight in part), Fraction(0)) for part in parts]
        laws = [
            product_below(_mixed([(x, w / size) for x, w in part], bits), others, bits)
            for part, size in zip(parts, sizes, strict=True)
        ]
        first = min(start for start, _ in laws)
        rows = np.zeros((len(laws), max(start + one.length() for start, one in laws) - first))
        missing = []
        for row, size, (start, one) in zip(rows, sizes, laws, strict=True):
            masses = one.coeffs()
            row[start - first : start - first + len(masses)] = [float(int(x)) for x in masses]
            row *= float(size / (1 << bits))
            lack = 1 - Fraction(int(sum(masses, fmpz(0))), 1 << bits)
            missing.append(float(lack * size) * SAFE)
        r, least = scores.rate, 1 + scores.rate * (scores.ratios[0] - 1)
        chances = [
            log(comb(t, j)) + j * log(r) + (t - j) * log(1 - r) - t * log(least)
            for j in range(k + 1)
        ]
        return cls(rows, missing, float(1 - finite**k), first, float(scores.step), chances)

    def lower(self, gamma: float, *, adds: bool) -> tuple[float, float]:
        """Return a lower bound of the H_γ of T, and an upper bound of it without roundings."""
        x, y = self.rows[:2] if adds else self.rows[1::-1]
        over = x * (1 - _OFF) - gamma * y * (1 + _OFF)
        lost = gamma * (self.missing[1] + self.left_out if adds else self.missing[0]) * SAFE
        found = float(over[over > 0].sum())
        return max(0.0, found / SAFE - lost), found * SAFE**2

    def upper(self, gamma: float, *, adds: bool) -> tuple[float, float]:
        """Return an upper bound of H_γ of all outputs, and its part that stands for the unknown."""
        start = 0 if adds else max(0, self._last_at_most(gamma) + 1 - self.first)
        none, some, square = (row[start:] for row in self.rows)
        x, y, z = self.missing
        more, less = 1 + _OFF, 1 - _OFF
        if adds:
            over = none * more - gamma * some * less
            squares = none * more - 2 * gamma * some * less + gamma * gamma * square * more
            y, z = 2 * x, gamma * gamma * z + x  # and what Q has beside the rows
        else:
            over = some * more - gamma * none * less
            squares = square * more - 2 * gamma * some * less + gamma * gamma * none * more
            z += gamma * gamma * x
        squares = np.maximum(squares, 0)
        most = np.maximum(np.sqrt(none * squares) * more + over, 0)
        rest = y + sqrt(x * float(squares.sum())) + sqrt(z * (x + float(none.sum())))
        lost = (rest / 2 + (0.0 if adds else self.left_out)) * SAFE
        return (float(most.sum()) / 2 + lost) * SAFE, lost

    def _last_at_most(self, gamma: float) -> int:
        """Return a place up to which L is at most γ for all outputs."""
        k = len(self.chances) - 1
        terms = [c + log(gamma) * j / k for j, c in enumerate(self.chances)]
        top = max(terms)
        return floor(
            (top + log(fsum(2.0 ** ((x - top) / log(2)) for x in terms))) / self.step - 1e-6
        )


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
        count = ceil(max(_FEWEST, length * cells / log1p(float(rate * deviation(noise)))))
        if count * chosen > _MOST_SCORES:
            raise TooLargeError(
                f"the scores of {count_text(chosen)} steps have {count_text(count * chosen)} "
                "places. Take more noise."
            )
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
        >>> 0 < low.lower(2.0, adds=False)[0] < high.upper(2.0, adds=False)[0] < 0.2
        True
    """
    scores = _Scores.of(noise, rate, chosen=chosen, cells=cells, rest=Fraction(1, 1 << bits))
    spend((_PRODUCTS + 5 * chosen) * scores.places[-1] * min(chosen, 4))
    # Masses of a sum are needed to a part of δ over γ, and the roots of those that lack.
    asked = {"t": steps, "k": chosen, "bits": 2 * bits + 24}
    below, above = _steps(noise, scores, 2 * bits + 24)
    return (
        ScoreLaw.of(below, scores, **asked, is_above=False),
        ScoreLaw.of(above, scores, **asked, is_above=True),
    )


def _steps(noise: AdditiveNoise, scores: _Scores, bits: int) -> tuple[_Step, _Step]:
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


def _below(masses: _Masses, bits: int) -> Below:
    """Return a law from below, of masses at places."""
    found = [fmpz(0)] * (1 + max(i for i, _ in masses))
    for i, mass in masses:
        found[i] += floor(mass * (1 << bits))
    return trimmed(0, found)


def _rising(last: int, usual: float, growth: int, most: int) -> Iterator[int]:
    """Yield places up to the last: more widely apart far out, as ratios are."""
    place = 1
    while place < last:
        yield place
        place += max(1, min(most, floor((place - usual) / growth)))
    yield max(place, 2)


def _mixed(parts: Sequence[tuple[Below, Fraction]], bits: int) -> Below:
    """Return a mixture of laws from below, from below."""
    first = min(start for (start, _), _ in parts)
    total = fmpz_poly()
    for (start, law), weight in parts:
        total += fmpz_poly([fmpz(0)] * (start - first) + law.coeffs()) * floor(weight * (1 << bits))
    return trimmed(first, [x >> bits for x in total.coeffs()])
