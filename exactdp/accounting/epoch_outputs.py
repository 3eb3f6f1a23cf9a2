"""What the outputs of an epoch tell at least: finite laws of one number made of them.

In one of n noisy steps, each as likely, and in none with probability 1 − q, the output is N(a, σ²)
under P and N(b, σ²) under Q; all other outputs are N(0, σ²). No number made of the outputs, cut
into cells, has a larger δ than they have (data processing), also over several epochs. With
B = N(0, σ²) and A = N(a, σ²), or N(b, σ²) for Q, two such numbers have short laws:

- the largest output, where noise is small: Pr[max <= c] = B(c)^(n − 1) ((1 − q)B(c) + qA(c));
- a sum of whole scores of all outputs, where noise is large: its generating polynomial is
  B(z)^(n − 1) ((1 − q)B(z) + qA(z)), with those of one score. The score of x is about
  W_a(x) − W_b(x), W_c(x) = e^((cx − c²/2)/σ²), up to a cap: the mean of W_a − γW_b over the n
  outputs decides between P and γQ, and γ is near 1 in each of many epochs.

Which cells and scores are taken, doubles decide: all are right, some tell more.

References: L. Chua, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi, A. Sinha and C. Zhang, How
Private are DP-SGD Implementations?, ICML 2024, whose lower bound is the largest output of one
epoch; the same and others, Scalable DP-SGD: Shuffling vs. Poisson Subsampling, NeurIPS 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import exp, isfinite, log, sqrt
from statistics import NormalDist
from typing import Literal

from flint import arb, arb_poly

from exactdp.accounting.composing import compose
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.nearby import WithinVariation, rounded_pair
from exactdp.numbers import Exact, Number, Real, precision, working_bits
from exactdp.numbers.balls import normal_cdf_of

__all__ = ["EpochOutputs", "Told", "told_by"]

Told = Literal["largest", "scores"]
"""The number that is made of an epoch's outputs: the largest, or a sum of scores."""

_CELLS = 64
"""Cells that a number is cut into: with twice as many ε grows by less than a hundredth."""

_FAR, _RARE = 9.0, 1e-12
"""Deviations from a mean, and a probability, beyond which outputs are not told apart."""

_POINTS = 512
"""Cells of an output whose scores are told apart."""

_DEGREE, _FEWEST, _MOST = 40_000, 32, 300
"""About the largest sum of scores, and the least and largest cap of one of them.

A polynomial of this degree is raised to a power in about a second."""

_DEVIATIONS = 48.0
"""The cap of a score in its deviations under B: with less, or far more, ε is smaller."""

_MOST_STEPS, _LARGEST = 1_500, 8.0
"""Steps up to which there are scores, and a²/σ² up to which the largest output tells less."""

_LEAST_BITS = 256
"""Bits in which the least mass of a cell, far out, is told from 0."""

_SPARE = 64
"""Bits of balls beyond those of the masses that are wanted."""


@dataclass(frozen=True, slots=True)
class EpochOutputs:
    """The outputs of an epoch, or of its first steps.

    Attributes:
        sigma: σ, positive.
        steps: n, at least 1.
        chance: q, above 0: the probability that one of the steps has the record.
        shifts: (a, b): how far the record moves the mean of its step under P, and under Q.
    """

    sigma: Number
    steps: int
    chance: Exact
    shifts: tuple[int, int]

    def has(self, told: Told) -> bool:
        """Return whether a number is made of these outputs."""
        if told == "largest":
            return True
        size = max(map(abs, self.shifts)) * self._mu
        return self.steps <= _MOST_STEPS and size * size <= _LARGEST

    def laws(self, told: Told) -> tuple[list[arb], list[arb]]:
        """Return the masses of all cells under P and Q, at the working precision.

        Example:
            One step of σ = 1 that is the record's, 0 or 1: the cells of the largest output tell
            nearly all, δ(0) = 2Φ(1/2) − 1 = 0.383.

            >>> one = EpochOutputs(Exact(1), 1, Exact(1), (1, 0))
            >>> p, q = one.laws("largest")
            >>> f"{sum(float(x) for x in (a - b for a, b in zip(p, q)) if x > 0):.2f}"
            '0.38'
        """
        return self._largest() if told == "largest" else self._scores()

    @property
    def _mu(self) -> float:
        """About 1/σ."""
        return float((1 / self.sigma).ball(64).mid())

    def _largest(self) -> tuple[list[arb], list[arb]]:
        chance, mu = (x.ball(working_bits()) for x in (self.chance, 1 / self.sigma))
        points = self._points()
        found = []
        for shift in self.shifts:
            below = [arb(0)]
            for y in points:
                x = arb(y.numerator) / y.denominator
                rest, moved = normal_cdf_of(x), normal_cdf_of(x - shift * mu)
                below.append(rest ** (self.steps - 1) * ((1 - chance) * rest + chance * moved))
            found.append([high - low for low, high in pairwise([*below, arb(1)])])
        return found[0], found[1]

    def _points(self) -> list[Fraction]:
        """Return where the largest output is cut, in deviations of the noise."""
        normal, each = NormalDist(), _CELLS // 2
        lowest = normal.inv_cdf(min(_RARE ** (1 / self.steps), 1 - 1e-15))
        highest = max(lowest + 1, -normal.inv_cdf(max(_RARE / self.steps, 1e-300)))
        ends = [(lowest, highest)]
        ends += [(s * self._mu - _FAR, s * self._mu + _FAR) for s in self.shifts if s > 0]
        places = {
            max(lowest, low + (high - low) * i / each) for low, high in ends for i in range(each)
        }
        return sorted({Fraction(round(y * 2**20), 2**20) for y in places})

    def _scores(self) -> tuple[list[arb], list[arb]]:
        levels, points = self._levels()
        chance, mu = (x.ball(working_bits()) for x in (self.chance, 1 / self.sigma))
        balls = [arb(y.numerator) / y.denominator for y in points]

        def law(shift: int) -> arb_poly:
            below = [arb(0), *(normal_cdf_of(y - shift * mu) for y in balls), arb(1)]
            masses = [arb(0)] * (max(levels) + 1)
            for level, (low, high) in zip(levels, pairwise(below), strict=True):
                masses[level] += high - low
            return arb_poly(masses)

        rest = law(0)
        others = rest ** (self.steps - 1)
        p, q = (list(others * ((1 - chance) * rest + chance * law(shift))) for shift in self.shifts)
        return _merged(p, q)

    def _levels(self) -> tuple[list[int], list[Fraction]]:
        """Return the scores of all cells of an output, and where it is cut, in deviations."""
        (a, b), mu = self.shifts, self._mu
        low, high = min(0, b) * mu - _FAR, max(0, a) * mu + _FAR
        points = [
            Fraction(round((low + (high - low) * i / _POINTS) * 2**20), 2**20)
            for i in range(_POINTS + 1)
        ]

        def weight(y: float, shift: int) -> float:
            return exp(min(shift * mu * y - (shift * mu) ** 2 / 2, 300.0))

        middles = [low, *((float(x) + float(y)) / 2 for x, y in pairwise(points)), high]
        worth = [weight(y, a) - weight(y, b) for y in middles]
        least = min(worth)
        deviation = sqrt(exp((a * mu) ** 2) - 2 * exp(a * b * mu**2) + exp((b * mu) ** 2))
        most = min(max(_DEGREE // self.steps, _FEWEST), _MOST)
        unit = min(_DEVIATIONS * deviation, max(worth) - least) / most
        return [min(most, round((x - least) / unit)) for x in worth], points


def _merged(p: Sequence[arb], q: Sequence[arb]) -> tuple[list[arb], list[arb]]:
    """Return laws in which values with about the same ratio are one."""
    doubles = [(float(a.mid()), float(b.mid())) for a, b in zip(p, q, strict=True)]
    losses = [log(a / b) if a > _RARE**2 and b > _RARE**2 else None for a, b in doubles]
    likely = [
        x for x, (a, b) in zip(losses, doubles, strict=True) if x is not None and a + b > _RARE
    ]
    low, high = min(likely), max(likely)
    unit = (high - low) / _CELLS or 1.0
    cells: dict[int, tuple[arb, arb]] = {}
    last = 0
    for x, a, b in zip(losses, p, q, strict=True):
        if x is not None and isfinite(x):
            last = min(_CELLS - 1, max(0, int((x - low) / unit)))
        before = cells.get(last, (arb(0), arb(0)))
        cells[last] = before[0] + a, before[1] + b
    return [a for a, _ in cells.values()], [b for _, b in cells.values()]


def told_by(epochs: Sequence[tuple[EpochOutputs, int]], told: Told) -> PrivacyProfile:
    """Return the profile of a number that is made of each epoch's outputs, P against Q.

    Args:
        epochs: Outputs with the number of epochs that have such, at least 1.
        told: The number.

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> one = EpochOutputs(Exact(1), 100, Exact(1), (2, 1))
        >>> found = told_by([(one, 1)], "largest").delta(Epsilon.rational("3/4"))
        >>> Fraction("0.026") < found.lower < found.upper < Fraction("0.028")
        True
    """
    return _Told(tuple(epochs), told).profile()


@dataclass(frozen=True, slots=True)
class _Told:
    """A number made of each epoch's outputs, in one direction."""

    epochs: tuple[tuple[EpochOutputs, int], ...]
    told: Told
    is_reversed: bool = False

    def profile(self) -> PrivacyProfile:
        other = _Told(self.epochs, self.told, not self.is_reversed)
        top = Real(self._top, f"the largest loss of {self.told}")
        return WithinVariation(self._near, top, Exact(0), other.profile, _unknown)

    def _laws(self, outputs: EpochOutputs) -> tuple[list[arb], list[arb]]:
        p, q = outputs.laws(self.told)
        return (q, p) if self.is_reversed else (p, q)

    def _near(self, bits: int) -> tuple[PrivacyProfile, Fraction]:
        """Return laws with short masses, and how far all epochs together are from them."""
        parts, distance = [], Fraction(0)
        for outputs, times in self.epochs:
            more = bits + times.bit_length()
            with precision(more + _SPARE + outputs.steps.bit_length()):
                pair, step = rounded_pair(*self._laws(outputs), bits=more)
            parts.append((pair, times))
            distance += step * times
        return compose(parts), distance

    def _top(self) -> arb:
        total = arb(0)
        for outputs, times in self.epochs:
            with precision(working_bits() + _LEAST_BITS + outputs.steps.bit_length()):
                losses = [(a / b).log() for a, b in zip(*self._laws(outputs), strict=True)]
                total += times * reduce(arb.max, losses)
        return total


def _unknown(order: Fraction) -> None:
    """Return that no Rényi divergence is known without δ."""
