r"""Few losses with many values: the law of one half of them against that of the other, in doubles.

With the points a of one half and b of the other, of losses x, masses p and q = p·e^(−x),

    D(c) = Σ max(0, p_a p_b − e^c q_a q_b) = Σ_a p_a·T_p(c − x_a) − e^c Σ_a q_a·T_q(c − x_a),

T(t) the mass of the b of losses above t: sums over the sorted b. No lattice is needed.

*Errors*, with u = 2^−53, n losses and m points in both halves together. A point's p and q are
products of doubles, T and the outer sum have positive terms: each sum errs by at most (m + 16n)u
of itself, and by what numbers too small for doubles lose. Losses are compared up to
η = 8nu(|c| + Σ max|x|) and the radii of their balls. A pair on the wrong side has
|x_a + x_b − c| <= η, so |p_a p_b − e^c q_a q_b| <= 2ηp_a p_b. No set of pairs gives more than
D(c), so these lower it, by at most 2η·Pr[S >= c − η].
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure
from exactdp.numbers.balls import double_above
from exactdp.numbers.later import np
from exactdp.sums.lines.factors import FiniteVariable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["mean_of_halves"]

_MOST = 1 << 20
"""Points of a half at most: memory and time grow with them."""

_SMALLEST = 1e-280
"""The least mass of a point: above it masses are normal doubles, whose relative errors hold."""

_FINEST = Fraction(1, 10**13)
"""The relative width below which doubles are not tried: rounding alone takes 1e-14 or more."""

_BITS = 64
"""Bits to which each given mass must be known, so that its double errs by 2u or less."""

_UNIT = 2.0**-53
"""u of the header, the unit roundoff of doubles: the bounds ``rounding`` and η rest on it."""


@dataclass(frozen=True, slots=True)
class _Half:
    """The points of a sum: their losses, and their masses under both laws."""

    loss: NDArray[np.float64]
    upper: NDArray[np.float64]
    lower: NDArray[np.float64]

    def plus(self, other: _Half) -> _Half:
        return _Half(
            np.add.outer(self.loss, other.loss).ravel(),
            np.multiply.outer(self.upper, other.upper).ravel(),
            np.multiply.outer(self.lower, other.lower).ravel(),
        )


def mean_of_halves(variables: Sequence[FiniteVariable], c: arb, width: Fraction) -> Enclosure:
    """Return an enclosure of E max(0, 1 − e^(c − S)), of a relative width.

    Args:
        variables: The losses of S, at a working precision of 128 bits or more.
        c: At that precision.
        width: (upper − lower)/lower.

    Raises:
        TooLargeError: If a half has too many points.
        UndecidedError: If doubles do not reach the width.
    """
    if width < _FINEST:
        raise UndecidedError("doubles do not reach the width. Ask for a wider enclosure.")
    copies = [one for one in variables for _ in range(min(one.times, _MOST.bit_length()))]
    first, second = _balanced(one.size for one in copies)
    if sum(one.times for one in variables) > len(copies) or max(first, second) > _MOST:
        raise TooLargeError("the halves of the sum have too many points. Ask for a wider answer.")
    halves: list[_Half] = []
    for one in copies:
        made = _points(one)
        if len(halves) < 2:
            halves.append(made)
        else:
            small = min((0, 1), key=lambda i: halves[i].loss.size)
            halves[small] = halves[small].plus(made)
    if len(halves) < 2:
        halves.append(_Half(np.zeros(1), np.ones(1), np.ones(1)))
    left, right = halves
    if min(float(y.min()) for h in halves for y in (h.upper, h.lower)) < _SMALLEST:
        raise UndecidedError("a mass is too small for doubles. Take other masses.")

    threshold, growth = float(c.mid()), double_above(c.exp())
    reach = sum(max(abs(float(x.mid())) for x in one.values) for one in copies)
    radii = double_above(c.rad())
    radii += sum(max(double_above(x.rad()) for x in one.values) for one in copies)
    unsure = 8 * len(copies) * _UNIT * (abs(threshold) + reach) + 2 * radii
    order = np.argsort(right.loss)
    losses = right.loss[order]

    def above(slack: float, tops: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.append(np.cumsum(tops[order][::-1])[::-1], 0.0)
        at = np.searchsorted(losses, threshold - left.loss - slack, side="right")
        result: NDArray[np.float64] = found[at]
        return result

    upper = float(np.sum(left.upper * above(0.0, right.upper)))
    lower = float(np.sum(left.lower * above(0.0, right.lower))) * growth
    wrong = 2 * unsure * float(np.sum(left.upper * above(3 * unsure, right.upper)))
    points = left.loss.size + right.loss.size
    tiny = points * (1 + growth) * 1e-300
    rounding = (points + 16 * len(copies)) * _UNIT * (upper + lower) + tiny
    if not np.isfinite([lower, growth]).all():
        raise UndecidedError("a number is too large for doubles. Take smaller ones.")
    middle = Fraction(upper) - Fraction(lower)
    low, high = middle - 2 * Fraction(rounding), middle + 2 * Fraction(rounding + wrong)
    if low <= 0 or high - low > width * low:
        raise UndecidedError("the width is not reached in doubles. Ask for a wider enclosure.")
    return Enclosure(low, high)


def _balanced(sizes: Iterable[int]) -> tuple[int, int]:
    small, large = 1, 1
    for size in sizes:
        small, large = sorted((small * size, large))
    return small, large


def _points(one: FiniteVariable) -> _Half:
    lower = [mass * (-x).exp() for x, mass in zip(one.values, one.masses, strict=True)]
    if any(y.rel_accuracy_bits() < _BITS for y in (*one.masses, *lower)):
        raise UndecidedError("a mass is not known to a double. Take other masses.")
    losses, uppers, lowers = (
        np.array([float(y.mid()) for y in balls]) for balls in (one.values, one.masses, lower)
    )
    return _Half(losses, uppers, lowers)
