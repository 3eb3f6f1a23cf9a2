r"""Sums of independent losses on one lattice: the law itself, as a polynomial of balls.

With the tilted, normalized masses as coefficients, the law of the sum is a product of powers of
polynomials. Coefficients at both ends are dropped while they do not matter; what is ``lost`` is
what the others lack to 1. So, with w_j the coefficients and κ of ``saddle``,

    Σ over x_j > 0 of w_j e^(−λx_j) f(x_j), x_j = o + jh − c, f as in ``saddle``,

times M(λ)e^(−λc) is at most D(c), and below it by at most κ(λ)(lost + M_all(λ)/M(λ) − 1) of that
unit, where M_all has what was left out of a variable. Rounding is in the balls; any width is in
reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt

from flint import arb, arb_poly

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, precision, short, working_bits
from exactdp.numbers.balls import endpoints, floor_of
from exactdp.numbers.commensurable import common_base, floor_of_logarithm
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.numbers.limits import (
    MAX_BYTES_OF_A_LATTICE,
    MAX_STEPS_OF_A_LATTICE,
    count_text,
    effort_of_today,
    refuse_above,
)
from exactdp.sums.doubles import PLAN_BITS
from exactdp.sums.laws.loss_law import AtomLattice
from exactdp.sums.lines.saddle import log_kappa_ball, minimum

__all__ = ["LatticeRow", "LatticeSum", "PolynomialLaw"]

_BYTES_OF_A_CELL = 600
"""The memory of a coefficient while laws are multiplied, beside four bytes for each bit.

As masses have exponents far apart, FLINT multiplies in blocks. What is too large by this estimate
is refused."""


@dataclass(frozen=True, slots=True)
class LatticeRow:
    """A variable on a lattice, with its copies.

    Attributes:
        origin: The loss of index 0.
        masses: The masses by index, not tilted.
        times: The number of copies, at least 1.
    """

    origin: arb
    masses: Mapping[int, arb]
    times: int

    def tilted(self, step: arb, rate: arb) -> dict[int, arb]:
        """Return mass·e^(λ loss)."""
        up = (rate * step).exp()
        start = (rate * self.origin).exp()
        return {i: mass * start * up**i for i, mass in self.masses.items()}


@dataclass(frozen=True, slots=True)
class PolynomialLaw:
    """The tilted law of a sum, at the working precision.

    Attributes:
        law: The tilted masses by index; they add up to at most 1.
        start: The loss of the first coefficient.
        step: The distance h of two losses.
        rate: The tilt λ.
        log_moment: ln M(λ).
    """

    law: arb_poly
    start: arb
    step: arb
    rate: arb
    log_moment: arb

    @classmethod
    def of(cls, rows: Sequence[LatticeRow], step: arb, tilt: float, *, bits: int) -> PolynomialLaw:
        """Return the law of the sum of all rows.

        Args:
            rows: The variables, on one lattice.
            step: The distance h of two losses.
            tilt: λ.
            bits: Coefficients below about 2^−bits are dropped at the ends.

        Raises:
            TooLargeError: If it has too many cells.
        """
        rate, law, start, log_moment = arb(tilt), arb_poly([1]), arb(0), arb(0)
        for row in rows:
            tilted = row.tilted(step, rate)
            total, first = sum(tilted.values(), arb(0)), min(tilted)
            _refuse_large(max(tilted) - first + 1)
            masses = [arb(0)] * (max(tilted) - first + 1)
            for i, mass in tilted.items():
                masses[i - first] = mass / total
            power, low = _power(arb_poly(masses), row.times, 2.0**-bits)
            law = _product(law, power)
            start += row.times * (row.origin + first * step) + low * step
            log_moment += row.times * total.log()
        return cls(law, start, step, rate, log_moment)

    def mean_above(self, c: arb, rate: int = 1) -> tuple[arb, arb]:
        """Return D(c) for an f of rate r without the dropped atoms, and a bound on their part."""
        unit = (self.log_moment - self.rate * c).exp()
        found, position = [], (c - self.start) / self.step
        low, high = (int(floor_of(end)) + 1 for end in (position.lower(), position.upper()))
        if high - low > 1:
            raise UndecidedError(
                "the threshold is not known to a step of the lattice. Ask at another epsilon."
            )
        for index in (low, high):
            skipped = min(max(index, 0), self.law.length())
            x, rest = self.start + skipped * self.step - c, self.law.right_shift(skipped)
            z = (-self.rate * self.step).exp()
            if rate:
                total = rest(z) - (-x).exp() * rest(z * (-self.step).exp())
            else:
                total = x * rest(z) + self.step * z * rest.derivative()(z)
            found.append((-self.rate * x).exp() * total)
        kappa = log_kappa_ball(self.rate, rate).exp()
        lost = (1 - self.law(arb(1))).nonnegative_part()
        # A point that may be the threshold counts or not: either way about the same.
        return found[0].union(found[1]) * unit, kappa * lost * unit


@dataclass(frozen=True, slots=True, eq=False)
class LatticeSum:
    """A sum of independent losses on one lattice.

    Attributes:
        parts: The lattices, the steps of each over the common one, and the numbers of copies.
        unit: The common step h; None if all lattices have index 0 only.
        rate: The r of f: 1 for privacy losses, 0 for positive parts.
    """

    parts: Sequence[tuple[AtomLattice, int, int]]
    unit: Number | None
    rate: int = 1

    @classmethod
    def of(cls, lattices: Sequence[tuple[AtomLattice, int]]) -> LatticeSum | None:
        """Return the sum of lattices with their copies; None if they share no step.

        Example:
            >>> from exactdp.sums.laws.loss_law import LossLaw
            >>> coins = [
            ...     LossLaw.of_atoms([(1 / r, 1 / (r + 1)), (r, r / (r + 1))])
            ...     for r in (Exact(3), Exact(9))
            ... ]
            >>> [steps for _, steps, _ in LatticeSum.of([(c.lattice, 1) for c in coins]).parts]
            [1, 2]
        """
        shared: Exact | None = None
        unit: Number | None = None
        for lattice, _ in lattices:
            if lattice.unit is None:
                continue
            if unit is None:
                unit, shared = lattice.unit, lattice.base
                continue
            if shared is None or lattice.base is None:
                return None
            shared = common_base(shared, lattice.base)
            if shared is None:
                return None
            unit = Epsilon(shared).nats
        parts = []
        for lattice, times in lattices:
            steps = 1
            if shared is not None and lattice.base is not None:
                steps = floor_of_logarithm(lattice.base, shared)
            if steps > MAX_STEPS_OF_A_LATTICE:
                return None
            parts.append((lattice, steps, times))
        return cls(parts, unit)

    def mean_excess(self, nats: Number, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of D(c), c = ``nats``, of a relative width.

        Raises:
            TooLargeError: If the law has too many cells.
            UndecidedError: If the width is not reached.
        """
        with precision(PLAN_BITS):
            c, rows, h = nats.ball(PLAN_BITS), self._rows(PLAN_BITS), self._step(PLAN_BITS)

            def height(tilt: float) -> float:
                total = arb(0)
                for row, more in zip(rows, self._log_missing(rows, h, arb(tilt)), strict=True):
                    total += row.times * sum(row.tilted(h, arb(tilt)).values(), arb(0)).log() + more
                return float((total - tilt * c).mid()) - log(tilt) - log(self.rate + tilt)

            tilt = minimum(height)[0]
        copies = sum(times for *_, times in self.parts)
        log_width = log(relative_width.numerator) - log(relative_width.denominator)
        small = 64 + int(-log_width / log(2)) + 2 * copies.bit_length()
        # Heavy tails make long laws: positive parts are asked to no great width.
        dropped = small if self.rate else small - 44
        for attempt in range(effort_of_today().tries):
            # Far out, what is left out of a lattice may matter: more bits leave out less.
            bits, far = small * (attempt + 1), small << (2 * attempt)
            with precision(bits):
                rows, h = self._rows(far), self._step(bits)
                found = PolynomialLaw.of(rows, h, tilt, bits=dropped)
                c = nats.ball(bits)
                value, lost = found.mean_above(c, self.rate)
                missing = sum(self._log_missing(rows, h, arb(tilt)), arb(0)).expm1()
                unit = (found.log_moment - arb(tilt) * c).exp()
                kappa = log_kappa_ball(arb(tilt), self.rate).exp()
                more = lost + missing.nonnegative_part() * unit * kappa
                ends = Enclosure(max(endpoints(value)[0], Fraction(0)), endpoints(value + more)[1])
            if ends.lower > 0 and ends.is_narrow(relative_width):
                return ends
        raise UndecidedError(
            f"relative_width={short(relative_width)} is not reached. Ask for a wider enclosure."
        )

    def _step(self, bits: int) -> arb:
        """Return h; 1 where no lattice has a step."""
        return self.unit.ball(bits) if self.unit is not None else arb(1)

    def _rows(self, bits: int) -> list[LatticeRow]:
        """Return the lattices as rows on the common one, with all masses above about 2^−bits."""
        return [
            LatticeRow(
                lattice.origin.ball(bits),
                {steps * i: mass for i, mass in lattice.masses(bits)[0]},
                times,
            )
            for lattice, steps, times in self.parts
        ]

    def _log_missing(self, rows: Sequence[LatticeRow], h: arb, rate: arb) -> list[arb]:
        """Return, for each lattice, n ln(M/M'), where M' lacks the omitted atoms."""
        found = []
        for (lattice, _, times), row in zip(self.parts, rows, strict=True):
            more = arb(0)
            if lattice.is_truncated and lattice.moment is not None:
                kept = sum(row.tilted(h, rate).values(), arb(0))
                more = times * (lattice.moment(rate) / kept).log()
            found.append(more)
        return found


def _power(law: arb_poly, times: int, least: float) -> tuple[arb_poly, int]:
    """Return a power without its light ends, and the number that was dropped below."""
    found, low = law, 0
    for bit in bin(times)[3:]:
        found, low = _product(found, found), 2 * low
        if bit == "1":
            found = _product(found, law)
        found, dropped = _trimmed(found, least)
        low += dropped
    return found, low


def _product(left: arb_poly, right: arb_poly) -> arb_poly:
    """Return the product of two laws, if memory allows it."""
    spend((left.length() + right.length()) * (1 + working_bits() // 128))
    _refuse_large(left.length() + right.length() - 1)
    return left * right


def _refuse_large(cells: int) -> None:
    """Refuse a law of so many cells at the working precision; FLINT takes the memory to make it."""
    bits = working_bits()
    refuse_above(
        MAX_BYTES_OF_A_LATTICE,
        cells * (_BYTES_OF_A_CELL + 4 * bits),
        f"the law of a sum has {cells:,} cells of {bits:,} bits, about "
        f"{count_text(cells * (_BYTES_OF_A_CELL + 4 * bits))} bytes while it is made",
        advice="Ask for a wider enclosure, or take fewer copies.",
    )


def _trimmed(law: arb_poly, least: float) -> tuple[arb_poly, int]:
    """Return a law without its light ends, and how many coefficients were dropped below."""
    weights = np.array([float(mass.mid()) for mass in law.coeffs()])
    kept = np.flatnonzero(weights > least / sqrt(len(weights)))
    if not len(kept):
        raise UndecidedError("the losses are too extreme for doubles. Take less extreme numbers.")
    return law.truncate(int(kept[-1]) + 1).right_shift(int(kept[0])), int(kept[0])
