r"""Complex doubles near 1 with bounds of their errors.

Let u = 2^−53. Numbers are kept as what they lack to 1: e^(i(y + z)) − 1 = b + o + bo for b
and o from balls, and (1 + a)(1 + b) − 1 = a + b + ab. Such a step errs by at most
5u(|a| + |b| + |ab|), and 8u of them are taken: a complex product errs by at most 3u of itself,
with and without fused operations, and an addition by u. What a has lost is multiplied by |1 + b|.
So the n-th power of a characteristic function errs by some u times the square root of n, not n.

The moduli in such bounds are numpy's, whose square roots and hypotenuses are taken to err by at
most 4 units in the last place, 8u of themselves: from 5u to 8u there is room for that, as there is
in each bound elsewhere that has a modulus (32u, 2^−40 or 1% of itself). Tests try it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, log, log1p, log2
from typing import TYPE_CHECKING, Any, TypeAlias

from flint import acb, arb

from exactdp.errors import UndecidedError
from exactdp.numbers import short
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BALL_BITS",
    "NOTHING",
    "PLAN_BITS",
    "SAFE",
    "SMALLEST",
    "STEP",
    "TINY",
    "UNIT",
    "Doubles",
    "Near",
    "about_log",
    "about_log_mean",
    "double",
    "exponentials",
    "moments_above",
    "width_in_doubles",
]

PLAN_BITS, BALL_BITS = 64, 192
"""Bits of balls from which proposals are made, and of balls that are looked at more closely.

With fewer an enclosure is wider, not wrong: phases of up to 2^90 are known to the 2^−100 that
:func:`double` asks for."""

NOTHING = -1e9
"""The logarithm that stands for that of 0, in plans."""

UNIT = 2.0**-53
"""u of all error bounds: the unit roundoff of doubles. Every bound in doubles rests on it."""

STEP = 8 * UNIT
"""What one step of :class:`Near` is taken to err by, over the moduli of its terms: 8u."""

TINY = 2.0**-96
"""What a step is taken to err by beside that: more than underflow and the radii of balls lose."""

SAFE = 1 + 2.0**-30
"""Bounds that are added up in doubles are taken as much larger, as their own sums are rounded.

The bounds rest on it: it covers sums of as many as 2^22 numbers, none negative."""

_RADIUS = 2.0**-100
"""The largest radius of a ball that becomes a double; ``TINY`` covers it, so bounds rest on it."""

_LARGE = 500.0
"""The largest exponent of which a plan takes e^x − 1 at once: e^709 is the largest double."""

_LEAST = -0.5
"""The least E e^x − 1 of which a plan takes ln(1 + y); below, the logarithm of a sum is as good."""

SMALLEST = 1e-300
"""The least number whose logarithm a plan takes as that of a double; no smaller one is kept."""

_TERMS = 13
"""Terms of the series of e^y: the next one is below 1e-19, for |y| <= 1/4."""

_LEAST_SUM = 1e-280
"""More than what underflows in a sum of exponentials."""

_NARROWEST = Fraction(1, 10**100)
"""The narrowest relative width that is tried in doubles: its powers must be doubles too."""

Doubles: TypeAlias = "NDArray[Any]"


@dataclass(frozen=True, slots=True)
class Near:
    """Complex numbers 1 + lack.

    Attributes:
        lack: What the numbers lack to 1, in doubles.
        error: Bounds of the moduli of the errors of ``lack``.

    Example:
        >>> half = Near(np.array([-0.5 + 0j]), np.array([1e-9]))
        >>> half.power(2).lack.item(), 1e-9 < half.power(2).error.item() < 1.1e-9
        ((-0.75+0j), True)
    """

    lack: Doubles
    error: Doubles

    @classmethod
    def ones(cls, shape: tuple[int, ...]) -> Near:
        """Return exact ones."""
        return cls(np.zeros(shape, dtype=complex), np.full(shape, TINY))

    @classmethod
    def outer(cls, row: Doubles, column: Doubles) -> Near:
        """Return the products of numbers that come from balls, each given as its lack."""
        rows, columns = (cls(x, STEP / 4 * np.abs(x) + TINY) for x in (row, column))
        return cls(rows.lack[:, None], rows.error[:, None]).times(
            cls(columns.lack[None, :], columns.error[None, :])
        )

    def times(self, other: Near) -> Near:
        """Return the product."""
        a, b = self.lack, other.lack
        both = a * b
        error = self.error * np.abs(1 + b) + other.error * np.abs(1 + a) + self.error * other.error
        error += STEP * (np.abs(a) + np.abs(b) + np.abs(both))
        return Near(a + b + both, error * (1 + 4 * STEP) + TINY)

    def power(self, times: int) -> Near:
        """Return a power, with ``times`` at least 1."""
        found = self
        for bit in bin(times)[3:]:
            found = found.times(found)
            if bit == "1":
                found = found.times(self)
        return found


def about_log_mean(x: Doubles, log_masses: Doubles, *, lack: float = 0.0) -> float:
    """Return about ln E e^x, for plans: nothing rests on it.

    It is ln(1 + y) where y = E e^x − 1 is small, as many copies multiply its error. Where
    masses add up to 1 − lack, the rest counts as e^0.

    Example:
        >>> x, masses = np.log(np.array([1.0, 3.0])), np.array([0.5, 0.5])
        >>> round(about_log_mean(x, np.log(masses)), 6)  # ln 2
        0.693147
    """
    spend(10 + len(x) // 25)
    if x.max() < _LARGE:
        less = float((np.exp(log_masses) * np.expm1(x)).sum()) - lack
        if less > _LEAST:
            return log1p(less)
    highest = (x + log_masses).max()
    return float(highest + np.log(np.exp(x + log_masses - highest).sum()))


def about_log(value: arb) -> float:
    """Return about the logarithm of a number, for plans.

    Example:
        >>> about_log(arb(1)), about_log(arb(0))
        (0.0, -1000000000.0)
        >>> round(about_log(arb(10) ** -1000), 2)
        -2302.59
    """
    if not value > 0:
        return NOTHING
    near = float(value.mid())
    found = log(near) if SMALLEST < near < inf else float(value.log().mid())
    return found if found > -inf else NOTHING


def exponentials(x: Doubles) -> tuple[Doubles, float]:
    """Return e^x with its relative error, for numbers x with a relative error of 4u.

    Formula:
        With y = x/2^k and |y| <= 1/4 the series of e^y errs by 8u of itself, with what it leaves
        out; k squares make 2^k times as much of that, and of u, and what x errs by is added.
        Numbers below 1e-290 may become 0, and large ones infinite.

    Example:
        >>> found, error = exponentials(np.array([0.0, 1.0, -20.0]))
        >>> [f"{value:.6g}" for value in found], error < 1e-12
        (['1', '2.71828', '2.06115e-09'], True)
    """
    largest = float(np.abs(x).max())
    k = max(0, ceil(log2(largest)) + 2) if largest > 0 else 0
    y, found = x / 2.0**k, np.ones(x.shape)
    for divisor in range(_TERMS, 0, -1):
        found = 1 + y / divisor * found
    for _ in range(k):
        found = found * found
    return found, (10 * 2.0**k + 8 * largest) * UNIT


def moments_above(values: Doubles, masses: Doubles, thetas: Doubles) -> Doubles:
    """Return upper bounds of E e^(θX), where values and masses err by 2u; some may be infinite.

    Args:
        values: The values of X, a row for each law.
        masses: Their probabilities, the same for all laws.
        thetas: θ, law by law, in rows.

    Example:
        >>> found = moments_above(np.array([[1.0, 0.0]]), np.array([0.5, 0.5]), np.array([[0.0]]))
        >>> 1 < found.item() < 1 + 1e-13
        True
    """
    found, error = exponentials(thetas[:, :, None] * values)
    total = (masses * found).sum(axis=2) + _LEAST_SUM
    above: Doubles = total * (1 + 2 * error + 2 * (values.shape[1] + 16) * UNIT)
    return above


def width_in_doubles(width: Fraction) -> float:
    """Return a relative width as a double.

    Raises:
        UndecidedError: If it is below 1e-100, which no sum in doubles reaches.
    """
    if width < _NARROWEST:
        raise UndecidedError(
            f"relative_width={short(width)} is below what doubles reach. Ask for a wider one."
        )
    return float(width)


def double(value: acb) -> complex:
    """Return a ball's middle; it errs by 2^−52 of itself and 2^−100.

    Raises:
        UndecidedError: If the ball is wide.
    """
    if not value.rad() < _RADIUS:
        raise UndecidedError(
            "a phase of the transform is not known well enough. Take less extreme numbers."
        )
    return complex(value.mid())
