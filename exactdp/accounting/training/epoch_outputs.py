"""Lower bounds for the outputs of an epoch: finite laws of one number made of them.

In one of n noisy steps, each as likely, and in none with probability 1 − q, the output is N(a, σ²)
under P and N(b, σ²) under Q; all other outputs are N(0, σ²). No number made of the outputs, cut
into cells, has a larger δ than they have (data processing), also over several epochs. With
B = N(0, σ²) and A = N(a, σ²), or N(b, σ²) for Q, two such numbers have short laws:

- the largest output, where noise is small: Pr[max <= c] = B(c)^(n − 1) ((1 − q)B(c) + qA(c));
- a sum of whole scores of all outputs, where noise is large: its generating polynomial is
  B(z)^(n − 1) ((1 − q)B(z) + qA(z)), with those of one score. The score of x is about
  W_a(x) − W_b(x), W_c(x) = e^((cx − c²/2)/σ²), up to a cap: the mean of W_a − γW_b over the n
  outputs decides between P and γQ, and γ is near 1 in each of many epochs.

Which cells and scores are taken, doubles decide (``proposals``): all are right, some tell more.

References: L. Chua, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi, A. Sinha and C. Zhang, How
Private are DP-SGD Implementations?, ICML 2024, whose lower bound is the largest output of one
epoch; the same and others, Scalable DP-SGD: Shuffling vs. Poisson Subsampling, NeurIPS 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Literal

from flint import arb, arb_poly

from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.training.proposals import (
    are_worth_scores,
    cells_of_largest,
    cells_of_losses,
    scored_cells,
)
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.nearby import NearLaws, nearby_together, rounded_pair
from exactdp.divergences.nearby_profile import NearbyProfile
from exactdp.numbers import Exact, Number, Real, precision, working_bits
from exactdp.numbers.balls import normal_cdf_of

__all__ = ["EpochOutputs", "Told", "told_by"]

Told = Literal["largest", "scores"]
"""The number that is made of an epoch's outputs: the largest, or a sum of scores."""

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
        return told == "largest" or are_worth_scores(self.sigma, self.steps, self.shifts)

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

    def _largest(self) -> tuple[list[arb], list[arb]]:
        chance, mu = (x.ball(working_bits()) for x in (self.chance, 1 / self.sigma))
        points = cells_of_largest(self.sigma, self.steps, self.shifts)
        found = []
        for shift in self.shifts:
            below = [arb(0)]
            for y in points:
                x = arb(y.numerator) / y.denominator
                rest, moved = normal_cdf_of(x), normal_cdf_of(x - shift * mu)
                below.append(rest ** (self.steps - 1) * ((1 - chance) * rest + chance * moved))
            found.append([high - low for low, high in pairwise([*below, arb(1)])])
        return found[0], found[1]

    def _scores(self) -> tuple[list[arb], list[arb]]:
        levels, points = scored_cells(self.sigma, self.steps, self.shifts)
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


def _merged(p: Sequence[arb], q: Sequence[arb]) -> tuple[list[arb], list[arb]]:
    """Return laws in which values with about the same ratio are one."""
    cells: dict[int, tuple[arb, arb]] = {}
    for cell, a, b in zip(cells_of_losses(p, q), p, q, strict=True):
        before = cells.get(cell, (arb(0), arb(0)))
        cells[cell] = before[0] + a, before[1] + b
    return [a for a, _ in cells.values()], [b for _, b in cells.values()]


def told_by(epochs: Sequence[tuple[EpochOutputs, int]], told: Told) -> PrivacyProfile:
    """Return the profile of a number that is made of each epoch's outputs, P against Q.

    Args:
        epochs: Outputs with the number of epochs that have such, at least 1.
        told: The number.

    Example:
        >>> from fractions import Fraction
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
        return NearbyProfile(self._near, top, Exact(0), other.profile)

    def _laws(self, outputs: EpochOutputs) -> tuple[list[arb], list[arb]]:
        p, q = outputs.laws(self.told)
        return (q, p) if self.is_reversed else (p, q)

    def _near(self, bits: int) -> NearLaws[PrivacyProfile]:
        """Return laws with short masses, near all epochs together."""
        parts = []
        for outputs, times in self.epochs:
            more = bits + times.bit_length()
            with precision(more + _SPARE + outputs.steps.bit_length()):
                near = rounded_pair(*self._laws(outputs), bits=more)
            parts.append((near, times))
        return nearby_together(parts, compose)

    def _top(self) -> arb:
        total = arb(0)
        for outputs, times in self.epochs:
            with precision(working_bits() + _LEAST_BITS + outputs.steps.bit_length()):
                losses = [(a / b).log() for a, b in zip(*self._laws(outputs), strict=True)]
                total += times * reduce(arb.max, losses)
        return total
