"""Laws of a privacy loss: masses at points, a density, and mass at infinity.

A :class:`LossLaw` belongs to an ordered pair (P, Q). Its loss ln(P/Q), under P, may have
masses on a lattice, masses elsewhere (``loose``), a part without atoms that is known
through its tails under P and Q (:class:`~exactdp.sums.laws.tails.LossTails`), and a mass at plus
infinity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flint import arb

from exactdp.numbers import Epsilon, Exact, Number, precision, working_bits
from exactdp.numbers.commensurable import geometric_scale
from exactdp.sums.laws.tails import LossTails, ReversedTails

__all__ = ["AtomLattice", "LossLaw", "exact_masses"]


@dataclass(frozen=True, slots=True)
class AtomLattice:
    """Masses of P at the losses origin + i·unit.

    Attributes:
        origin: The loss of index 0.
        unit: Positive; None if there is only index 0.
        base: e^unit where it is exact; lattices with a common base are joined.
        masses: For a number of bits, the (i, mass) at that precision and a bound of
            the P-mass that was left out, about 2^-bits or 0.
        is_truncated: Whether there are infinitely many, so that some are left out.
        moment: Σ mass·e^(λ loss) for real λ, none left out; where it is known by a formula.
    """

    origin: Number
    unit: Number | None
    base: Exact | None
    masses: Callable[[int], tuple[list[tuple[int, arb]], arb]]
    is_truncated: bool = False
    moment: Callable[[arb], arb] | None = None

    def reversed(self) -> AtomLattice:
        """Return the masses of Q at minus the losses: Q = e^(−loss)·P."""

        def masses(bits: int) -> tuple[list[tuple[int, arb]], arb]:
            origin = self.origin.ball(bits + 32)
            unit = self.unit.ball(bits + 32) if self.unit is not None else arb(0)
            found, _ = self.masses(bits + 32)
            with precision(bits + 32):
                moved = [(-i, mass * (-(origin + i * unit)).exp()) for i, mass in found]
                if not self.is_truncated:
                    return moved, arb(0)
                # Q lies on the same lattice: what was left out is what its masses lack.
                return moved, 1 - sum((mass for _, mass in moved), arb(0))

        of = self.moment
        moment = None if of is None else lambda tilt: of(-1 - tilt)
        return AtomLattice(-self.origin, self.unit, self.base, masses, self.is_truncated, moment)


@dataclass(frozen=True, slots=True)
class LossLaw:
    """The law of ln(P/Q) under P.

    Attributes:
        lattice: Masses on a lattice.
        loose: The (e^loss, mass) of losses on no lattice, ascending (then there is
            nothing else but the infinite masses).
        density: The part without atoms.
        infinity_mass: P(Q = 0).
        minus_infinity_mass: Q(P = 0).
        ratio_ends: e^loss of the least and the largest finite loss, where they are exact.
        is_symmetric: Whether (Q, P) is known to have the same law.
    """

    lattice: AtomLattice | None = None
    loose: tuple[tuple[Exact, Exact], ...] | None = None
    density: LossTails | None = None
    infinity_mass: Number = Exact(0)  # noqa: RUF009 - an immutable number
    minus_infinity_mass: Number = Exact(0)  # noqa: RUF009
    ratio_ends: tuple[Exact, Exact] | None = None
    is_symmetric: bool = False

    @classmethod
    def of_atoms(
        cls,
        atoms: Sequence[tuple[Exact, Exact]],
        *,
        infinity_mass: Number = Exact(0),  # noqa: B008 - an immutable number
        minus_infinity_mass: Number = Exact(0),  # noqa: B008
    ) -> LossLaw:
        """Return the law of finitely many losses: (e^loss, mass of P), ascending.

        Example:
            >>> coin = [(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))]
            >>> lattice = LossLaw.of_atoms(coin).lattice
            >>> lattice.base, [i for i, _ in lattice.masses(64)[0]]
            (Exact('9'), [0, 1])
        """
        infinities = infinity_mass, minus_infinity_mass
        if not atoms:
            return cls(None, None, None, *infinities)
        ratios, masses = [r for r, _ in atoms], [m for _, m in atoms]
        ends = ratios[0], ratios[-1]
        found = geometric_scale(ratios) if len(ratios) > 1 else None
        if len(ratios) > 1 and found is None:
            return cls(None, tuple(atoms), None, *infinities, ends)
        base = found[0].base if found else None
        indices = found[1] if found else [0]
        unit = Epsilon(base).nats if base is not None else None
        lattice = AtomLattice(Epsilon(ratios[0]).nats, unit, base, exact_masses(indices, masses))
        return cls(lattice, None, None, *infinities, ends)

    @property
    def has_no_finite_loss(self) -> bool:
        """Whether P and Q have nothing in common."""
        return self.lattice is None and self.loose is None and self.density is None

    @property
    def is_on_its_lattice(self) -> bool:
        """Whether all finite losses lie on the lattice, so that none need be moved."""
        return self.density is None and self.loose is None

    def points(self, bits: int) -> list[tuple[arb, arb]]:
        """Return the (loss, mass) of all atoms, as balls."""
        with precision(bits):
            if self.loose is not None:
                return [(Epsilon(r).nats.ball(bits), m.ball(bits)) for r, m in self.loose]
            if self.lattice is None:
                return []
            origin, unit = self.lattice.origin.ball(bits), arb(0)
            if self.lattice.unit is not None:
                unit = self.lattice.unit.ball(bits)
            return [(origin + i * unit, mass) for i, mass in self.lattice.masses(bits)[0]]

    def total_variation(self) -> arb:
        """Return δ(0) = P(L = ∞) + E max(0, 1 − e^(−L)), at the working precision.

        Example:
            >>> coin = [(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))]
            >>> LossLaw.of_atoms(coin).total_variation().contains(arb(1) / 2)
            True
        """
        bits = working_bits()
        found = self.infinity_mass.ball(bits)
        for loss, mass in self.points(bits):
            found += mass * (-(-loss).expm1()).nonnegative_part()
        if self.lattice is not None:
            found += self.lattice.masses(bits)[1]  # what was left out
        if self.density is not None:
            p, q = self.density.above(arb(0))
            found += p - q
        return found

    def highest(self) -> Number | None:
        """Return the largest finite loss; None if the losses are unbounded, or there are none."""
        if self.loose is not None:
            return Epsilon(self.loose[-1][0]).nats
        if self.lattice is not None:
            if self.lattice.is_truncated:
                return None
            if self.density is not None and self.density.ends()[1] is None:
                return None
            # A bounded density lies between the atoms.
            index = max(i for i, _ in self.lattice.masses(64)[0])
            unit = self.lattice.unit
            return self.lattice.origin if unit is None else self.lattice.origin + index * unit
        return self.density.ends()[1] if self.density is not None else None

    def reversed(self) -> LossLaw:
        """Return the law of ln(Q/P) under Q: the other direction."""
        if self.is_symmetric:
            return self
        return replace(
            self,
            lattice=self.lattice.reversed() if self.lattice else None,
            loose=tuple((1 / r, mass / r) for r, mass in reversed(self.loose))
            if self.loose
            else None,
            density=ReversedTails(self.density) if self.density else None,
            infinity_mass=self.minus_infinity_mass,
            minus_infinity_mass=self.infinity_mass,
            ratio_ends=(1 / self.ratio_ends[1], 1 / self.ratio_ends[0])
            if self.ratio_ends
            else None,
        )


def exact_masses(
    indices: Sequence[int], masses: Sequence[Number]
) -> Callable[[int], tuple[list[tuple[int, arb]], arb]]:
    """Return the rule of an :class:`AtomLattice` for given masses, of which none is left out."""

    def rule(bits: int) -> tuple[list[tuple[int, arb]], arb]:
        return [(i, m.ball(bits)) for i, m in zip(indices, masses, strict=True)], arb(0)

    return rule
