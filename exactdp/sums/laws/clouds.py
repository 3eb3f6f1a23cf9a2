"""Laplace transforms of densities, M(s) = ∫ e^(sℓ) dμ, and clouds of points that stand for μ.

With V the total variation of e^(λℓ) times a density (jumps at its ends included),
|M(λ + iω)| <= V/|ω| by parts; :meth:`Transform.variation` bounds V.

On a panel of half length r, Gauss's rule with n nodes is off by at most
(64/15) r B ϱ^(−2n)/(1 − ϱ^(−2)) if B bounds the integrand on the ellipse with half axes
r(ϱ ± 1/ϱ)/2 around it (Trefethen, Is Gauss Quadrature Better than Clenshaw–Curtis?, 2008,
Theorem 4.5).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isqrt, log
from typing import TYPE_CHECKING, Any

from flint import acb, acb_mat, arb

from exactdp.errors import TooLargeError
from exactdp.numbers import precision, working_bits
from exactdp.numbers.balls import double_above
from exactdp.numbers.effort import remembered, spend
from exactdp.numbers.later import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "MAX_NODES",
    "RHO",
    "UNIT",
    "Cloud",
    "Panel",
    "Quadrature",
    "Transform",
    "gauss_on",
    "points",
    "variation",
]

MAX_NODES = 40_000
"""Nodes of a cloud at most: a point of a line takes time in proportion to them."""

_CELLS = 32
"""Cells in a length on which a density changes, where its variation is bounded ball by ball.

The bound holds with any number: with more it is sharper and slower."""

_MAX_CELLS = 4_096
"""Cells of a bound of a variation at most, however long the interval is."""

_MORE_BITS = 40
"""Guard bits of the balls from which doubles are made."""

_DOUBLE_BITS = 60
"""Bits of accuracy of a cloud whose values are doubles, which hold 53: more costs nodes."""

_BLOCK = 128
"""Points of a line from one cloud: it has nodes for the last of them, so more take more nodes."""

_SIZES = 8
"""Rules of quadrature have multiples of so many nodes: to make one takes longer than to use it."""

RHO = arb(4)
"""ϱ of the header, of the ellipses around panels: n nodes err by 16^−n there."""

_WORK_OF_A_NODE = 15
"""Operations of a node: its loss and its mass, in balls."""

UNIT = arb(0, 1)
"""The ball [−1, 1]: times a bound, all that an error may be."""


class Transform(ABC):
    """The transform of a part of a loss law without atoms; balls are at the working precision."""

    __slots__ = ()

    @abstractmethod
    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the transform at start + i·m·step, m = 0, ..., count − 1."""

    @abstractmethod
    def variation(self, tilt: arb) -> arb:
        """Return V of the header, for λ = tilt."""

    def decay(self) -> arb:
        """Return a d with |transform at λ + iω| <= e^(−dω²) times that at λ."""
        return arb(0)

    def bulks(self) -> Sequence[Transform]:
        """Return parts of it whose transforms take few points even far out."""
        return ()

    def roughly(
        self, start: acb, step: arb, *, count: int, scale: arb
    ) -> tuple[NDArray[Any], float]:
        """Return the transform over ``scale`` there in doubles, and a bound of their errors."""
        values = [value / scale for value in self.along(start, step, count=count)]
        doubles = np.array([complex(value.mid()) for value in values])
        return doubles, max(double_above(value.rad()) for value in values) + 2.0**-50


@dataclass(frozen=True, slots=True)
class Cloud:
    """Masses at points, Σ mass·e^(iω loss), that stand for a measure.

    Attributes:
        losses: The points.
        masses: The masses of the points, tilted.
        error: A bound of the error of the sum at all frequencies up to |ω|, from |ω|.
    """

    losses: Sequence[arb]
    masses: Sequence[arb]
    error: Callable[[arb], arb]

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the transform at start + i·m·step, m = 0, ..., count − 1.

        e^(i(ω + aB + b)x) = e^(i(ω + aB)x)·e^(ibx): a product of two matrices, as a ball that
        is turned again and again grows like e^angle.
        """
        spend(len(self.losses) * (6 * isqrt(count) + count // 4))
        length = isqrt(count - 1) + 1
        rows = -(-count // length)
        firsts = [term for a in range(rows) for term in self._terms(start.imag + a * length * step)]
        turns = [acb(0, b * step * loss).exp() for loss in self.losses for b in range(length)]
        size = len(self.losses)
        values = (acb_mat(rows, size, firsts) * acb_mat(size, length, turns)).entries()
        around = acb(*[UNIT * self.error(abs(start.imag) + count * abs(step))] * 2)
        return [value + around for value in values[:count]]

    def roughly(
        self, start: acb, step: arb, *, count: int, scale: arb
    ) -> tuple[NDArray[Any], float]:
        """Return the same over ``scale`` in doubles, and a bound of the errors.

        A term and a turn are off by 2^−51 of themselves and their radii, a complex product
        of doubles by 3·2^−53 of itself, so the m-th term of the a-th block, the product of
        a + m turns, by (a + m + 2)(2^−50 + the radius of a turn) of itself; a sum of sums of n
        terms, each in any order, by 2^−52 of the sum of the moduli for each addition that a term
        goes through. What is below 2^−1000 may be lost.
        """
        length, size = isqrt(count - 1) + 1, len(self.losses)
        spend(8 * count + size * (16 + count // 200))
        firsts = [term / scale for term in self._terms(start.imag)]
        turns, jumps = (
            [acb(0, k * step * loss).exp() for loss in self.losses] for k in (1, length)
        )
        columns = isqrt(size - 1) + 1
        row, turn, jump = np.zeros((3, columns * (-(-size // columns))), dtype=np.complex128)
        for doubles, balls in ((row, firsts), (turn, turns), (jump, jumps)):
            doubles[:size] = [complex(x.mid()) for x in balls]
        values = np.empty(count, dtype=np.complex128)
        for first in range(0, count, length):
            terms = row
            for m in range(first, min(first + length, count)):
                values[m] = terms.reshape(-1, columns).sum(axis=0).sum()
                terms = terms * turn
            row = row * jump
        radius = max(double_above(x.rad()) for x in [*turns, *jumps])
        moduli = double_above(sum(self.masses, arb(0)) / scale)
        rounding = moduli * ((2 * length + 2) * (2.0**-50 + radius) + columns * 2.0**-51)
        rounding += sum(double_above(term.rad()) for term in firsts) + size * 2.0**-1000
        last = self.error(abs(start.imag) + count * abs(step)) / scale
        return values, rounding + double_above(last)

    def reversed(self) -> Cloud:
        """Return the cloud with −losses."""
        return replace(self, losses=[-loss for loss in self.losses])

    def beside(self, other: Cloud) -> Cloud:
        """Return the sum of two clouds."""
        return Cloud(
            [*self.losses, *other.losses],
            [*self.masses, *other.masses],
            lambda omega: self.error(omega) + other.error(omega),
        )

    def _terms(self, omega: arb) -> list[acb]:
        spend(4 * len(self.losses))
        pairs = zip(self.masses, self.losses, strict=True)
        return [mass * acb(0, omega * loss).exp() for mass, loss in pairs]


class Quadrature(Transform):
    """The transform of a density that a rule of quadrature turns into a cloud."""

    __slots__ = ()

    @abstractmethod
    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the points for all frequencies up to ω."""

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the transform there, from one cloud for so many points."""
        found: list[acb] = []
        for first in range(0, count, _BLOCK):
            here, some = acb(start.real, start.imag + first * step), min(_BLOCK, count - first)
            highest = abs(here.imag) + some * abs(step)
            cloud = self.cloud(start.real, highest, accuracy_bits=working_bits())
            found += cloud.along(here, step, count=some)
        return found

    def roughly(
        self, start: acb, step: arb, *, count: int, scale: arb
    ) -> tuple[NDArray[Any], float]:
        """Return the transform over ``scale`` there, in doubles."""
        bits = min(working_bits(), _DOUBLE_BITS)
        with precision(bits + _MORE_BITS):
            highest = abs(start.imag) + count * abs(step)
            cloud = self.cloud(start.real, highest, accuracy_bits=bits)
            return cloud.roughly(start, step, count=count, scale=scale)


@dataclass(frozen=True, slots=True)
class Panel:
    """An interval of x for Gauss's rule.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        need: How many nats below its bound the error is to be.
        log_growth: A bound of the logarithm of the tilted density's modulus around it.
        turning: A bound of |Im loss| around it.
    """

    low: arb
    high: arb
    need: float
    log_growth: arb
    turning: arb


def gauss_on(found: Iterable[Panel], point: Callable[[arb], tuple[arb, arb]]) -> Cloud:
    """Return the cloud of Gauss's rule on panels.

    Args:
        found: The panels, with their bounds on ellipses of ϱ = :data:`RHO`.
        point: The loss and the tilted density, from x.

    Raises:
        TooLargeError: If it has too many nodes.
    """
    losses: list[arb] = []
    masses: list[arb] = []
    errors: list[tuple[arb, arb]] = []
    for one in found:
        half, middle = (one.high - one.low) / 2, (one.low + one.high) / 2
        nodes = _SIZES * max(1, -int(-(one.need / (2 * log(4)) + 4) // _SIZES))
        if nodes + len(losses) > MAX_NODES:
            raise TooLargeError(
                f"a transform would take more than {MAX_NODES:,} nodes. Take a smaller order "
                "or more noise."
            )
        off = half * one.log_growth.exp() * 64 / 15 * RHO ** (-2 * nodes) / (1 - RHO**-2)
        errors.append((off, one.turning))
        spend(nodes * _WORK_OF_A_NODE)
        for root, weight in _gauss(nodes, working_bits()):
            loss, density = point(middle + half * root)
            losses.append(loss)
            masses.append(weight * half * density)
    return Cloud(
        losses,
        masses,
        lambda omega: sum((off * (omega * turning).exp() for off, turning in errors), arb(0)),
    )


def variation(density: Callable[[arb], tuple[arb, arb]], low: arb, high: arb, *, unit: arb) -> arb:
    """Return the values at both ends and a bound of the variation between them.

    Args:
        density: The density and the derivative of its logarithm, from x.
        low: The lower end.
        high: The upper end.
        unit: A length on which the density changes.
    """
    count = min(_MAX_CELLS, max(_CELLS, int(_CELLS * float(((high - low) / unit).upper()))))
    step = (high - low) / count
    total = density(low)[0] + density(high)[0]
    for j in range(count):
        value, slope = density((low + j * step).union(low + (j + 1) * step))
        total += step * (value * abs(slope)).upper()
    return total


@remembered(maxsize=256)
def _gauss(count: int, bits: int) -> list[tuple[arb, arb]]:
    """Return the nodes and weights of Gauss's rule on [−1, 1]."""
    spend(count * (20 + bits // 8))
    with precision(bits):
        return [arb.legendre_p_root(count, k, weight=True) for k in range(count)]


def points(start: acb, step: arb, count: int) -> list[acb]:
    """Return start + i·m·step, m = 0, ..., count − 1."""
    return [start + acb(0, m * step) for m in range(count)]
