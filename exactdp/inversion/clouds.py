"""Clouds of points that stand for a measure in a Laplace transform, and densities.

With V the total variation of e^(λℓ) times a density (jumps at its ends included),
|∫ e^((λ + iω)ℓ) dμ| <= V/|ω| by parts; :meth:`Density.variation` bounds V.

On a panel of half length r, Gauss's rule with n nodes is off by at most
(64/15) r B ϱ^(−2n)/(1 − ϱ^(−2)) if B bounds the integrand on the ellipse with half axes
r(ϱ ± 1/ϱ)/2 around it (Trefethen, Is Gauss Quadrature Better than Clenshaw–Curtis?, 2008,
Theorem 4.5).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any

import numpy as np
from flint import acb, arb
from numpy.typing import NDArray

from exactdp.errors import TooLargeError
from exactdp.numbers import precision, working_bits

__all__ = ["MAX_NODES", "Cloud", "Density", "Quadrature", "panels", "points", "variation"]

MAX_NODES = 40_000
_CELLS = 32
_MAX_CELLS = 4_096
_MORE_BITS = 40
_SIZES = 8
_UNIT = arb(0, 1)


class Density(ABC):
    """A part of a loss law without atoms; all balls are at the working precision."""

    @abstractmethod
    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the transform at start + i·m·step, m = 0, ..., count − 1."""

    @abstractmethod
    def variation(self, tilt: arb) -> arb:
        """Return V of the header, for λ = tilt."""

    def decay(self) -> arb:
        """Return a d with |transform at λ + iω| <= e^(−dω²) times that at λ."""
        return arb(0)

    def bulk(self) -> Density | None:
        """Return a part of it whose transform takes few points even far out, if there is one."""
        return None

    def roughly(
        self, start: acb, step: arb, *, count: int, scale: arb
    ) -> tuple[NDArray[Any], float]:
        """Return the transform over ``scale`` there in doubles, and a bound of their errors."""
        values = [value / scale for value in self.along(start, step, count=count)]
        doubles = np.array([complex(value.mid()) for value in values])
        return doubles, max(float(value.rad()) for value in values) + 2.0**-50


@dataclass(frozen=True, slots=True)
class Cloud:
    """Masses at points, Σ mass·e^(iω loss), that stand for a measure.

    Attributes:
        losses: The points.
        masses: Already tilted.
        error: For |ω|, a bound of what the sum is off by.
    """

    losses: Sequence[arb]
    masses: Sequence[arb]
    error: Callable[[arb], arb]

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the transform at start + i·m·step, m = 0, ..., count − 1."""
        terms, turns = self._terms(start.imag), self._turns(step)
        values = []
        for m in range(count):
            error = _UNIT * self.error(abs(start.imag + m * step))
            values.append(sum(terms, acb(0)) + acb(error, error))
            if m + 1 < count:
                terms = [term * turn for term, turn in zip(terms, turns, strict=True)]
        return values

    def roughly(
        self, start: acb, step: arb, *, count: int, scale: arb
    ) -> tuple[NDArray[Any], float]:
        """Return the same over ``scale`` in doubles, and a bound of the errors.

        A term and a turn are off by 2^−51 of themselves and their radii, a complex product
        of doubles by 3·2^−53 of itself, so the m-th term by (m + 2)(2^−50 + the radius of a
        turn) of itself; a sum of n terms, in any order, by n·2^−52 of the sum of the moduli.
        What is below 2^−1000 may be lost.
        """
        exact_terms = [term / scale for term in self._terms(start.imag)]
        exact_turns = self._turns(step)
        terms = np.array([complex(term.mid()) for term in exact_terms])
        turns = np.array([complex(turn.mid()) for turn in exact_turns])
        values = np.empty(count, dtype=np.complex128)
        for m in range(count):
            values[m] = terms.sum()
            terms = terms * turns
        radius = max(float(turn.rad()) for turn in exact_turns)
        moduli = float((sum(self.masses, arb(0)) / scale).upper())
        rounding = moduli * ((count + 2) * (2.0**-50 + radius) + len(terms) * 2.0**-52)
        rounding += sum(float(term.rad()) for term in exact_terms) + len(terms) * 2.0**-1000
        last = self.error(abs(start.imag) + count * abs(step)) / scale
        return values, rounding + float(last.upper())

    def _terms(self, start: arb) -> list[acb]:
        pairs = zip(self.masses, self.losses, strict=True)
        return [mass * acb(0, start * loss).exp() for mass, loss in pairs]

    def _turns(self, step: arb) -> list[acb]:
        return [acb(0, step * loss).exp() for loss in self.losses]


class Quadrature(Density):
    """A density that a rule of quadrature turns into a cloud."""

    @abstractmethod
    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the points for all frequencies up to ω."""

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the transform there, from one cloud."""
        highest = abs(start.imag) + count * abs(step)
        cloud = self.cloud(start.real, highest, accuracy_bits=working_bits())
        return cloud.along(start, step, count=count)

    def roughly(
        self, start: acb, step: arb, *, count: int, scale: arb
    ) -> tuple[NDArray[Any], float]:
        """Return the transform over ``scale`` there, in doubles."""
        bits = working_bits()
        with precision(bits + _MORE_BITS):
            highest = abs(start.imag) + count * abs(step)
            cloud = self.cloud(start.real, highest, accuracy_bits=bits)
            return cloud.roughly(start, step, count=count, scale=scale)


def panels(
    point: Callable[[arb], tuple[arb, arb]],
    log_bound: Callable[[arb, arb, arb], arb],
    ends: tuple[arb, arb],
    *,
    slope: arb,
    phase: arb,
    omega: arb,
    bits: int,
) -> Cloud:
    """Return the cloud of Gauss's rule on panels.

    Args:
        point: For x, the loss and the tilted density.
        log_bound: For the ends of the real part, and θ, a bound of the logarithm of the tilted
            density's modulus around a panel.
        ends: Between which x lies.
        slope: θ over |Im x|.
        phase: |Im loss| is at most phase·θ.
        omega: The highest frequency.
        bits: About 2^−bits is what the sum may be off by.
    """
    low, high = ends
    length = high - low
    count = int(float((length * slope * (1 + omega * phase / 64)).upper())) + 1
    half, rho = length / (2 * count), arb(4)
    major, theta = half * (rho + 1 / rho) / 2, half * slope * (rho - 1 / rho) / 2
    log_growth = log_bound(low - major, high + major, theta)
    need = bits * log(2) + float((log_growth + omega * phase * theta).upper())
    # Rules of few sizes are kept: to make one takes longer than to use it.
    nodes = _SIZES * max(1, -int(-(need / (2 * log(4)) + 4) // _SIZES))
    if nodes * count > MAX_NODES:
        raise TooLargeError(f"a transform would take {nodes * count:,} nodes.")
    off = length / 2 * log_growth.exp() * 64 / 15 * rho ** (-2 * nodes) / (1 - rho**-2)
    losses, masses = [], []
    for panel in range(count):
        middle = low + (2 * panel + 1) * half
        for root, weight in _gauss(nodes, working_bits()):
            loss, density = point(middle + half * root)
            losses.append(loss)
            masses.append(weight * half * density)
    return Cloud(losses, masses, lambda omega: off * (omega * phase * theta).exp())


def variation(density: Callable[[arb], tuple[arb, arb]], low: arb, high: arb, *, unit: arb) -> arb:
    """Return the values at both ends and a bound of the variation between them.

    Args:
        density: For x, the density and the derivative of its logarithm.
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


@lru_cache(maxsize=256)
def _gauss(count: int, bits: int) -> list[tuple[arb, arb]]:
    """Return the nodes and weights of Gauss's rule on [−1, 1]."""
    with precision(bits):
        return [arb.legendre_p_root(count, k, weight=True) for k in range(count)]


def points(start: acb, step: arb, count: int) -> list[acb]:
    """Return start + i·m·step, m = 0, ..., count − 1."""
    return [start + acb(0, m * step) for m in range(count)]
