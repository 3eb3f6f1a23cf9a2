"""Laws of a privacy loss: masses at points, a density, and mass at infinity.

A :class:`LossLaw` belongs to an ordered pair (P, Q). Its loss ln(P/Q), under P, may have
masses on a lattice or elsewhere (``loose``), a part without atoms
(:class:`~exactdp.sums.laws.density.LossDensity`), and a mass at plus infinity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from operator import add

from flint import arb

from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, exp, log, precision, working_bits
from exactdp.numbers.commensurable import geometric_scale
from exactdp.numbers.reals import larger_number
from exactdp.sums.laws.density import LossDensity
from exactdp.sums.laws.mixed_laws import MixedDensity

__all__ = ["AtomLattice", "ClosedForm", "LossLaw", "exact_masses"]


ClosedForm = Callable[[int, Number, Fraction], Enclosure]
"""δ of a number of copies of one loss, at an ε in nats, to a relative width."""


@dataclass(frozen=True, slots=True)
class AtomLattice:
    """Masses of P at the losses origin + i·unit.

    Attributes:
        origin: The loss of index 0.
        unit: Positive; None if there is only index 0.
        base: e^unit where it is exact; lattices with a common base are joined.
        masses: The (i, mass) at a precision, and a bound of the P-mass that was left
            out, about 2^-bits or 0; from the number of bits.
        is_truncated: Whether there are infinitely many, so that some are left out.
        moment: Σ mass·e^(λ loss) for real λ, none left out; where it is known by a formula.
        variance: The v of masses that are proportional to e^(−i²/(2v)) at all integers i; None for
            others.
    """

    origin: Number
    unit: Number | None
    base: Exact | None
    masses: Callable[[int], tuple[list[tuple[int, arb]], arb]] = field(repr=False)
    is_truncated: bool = False
    moment: Callable[[arb], arb] | None = field(default=None, repr=False)
    variance: Fraction | None = None

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
        loose: The (e^loss, mass) of losses on no lattice, ascending; beside a lattice there are
            none.
        density: The part without atoms.
        infinity_mass: P(Q = 0).
        minus_infinity_mass: Q(P = 0).
        ratio_ends: e^loss of the least and the largest finite loss, each where it is exact; of
            atoms alone both.
        is_symmetric: Whether (Q, P) is known to have the same law.
        copies: δ of n copies, at ε nats, to a relative width, by a closed form, if there is one for
            the loss of this density.
    """

    lattice: AtomLattice | None = None
    loose: tuple[tuple[Number, Number], ...] | None = None
    density: LossDensity | None = None
    infinity_mass: Number = Exact(0)  # noqa: RUF009 - an immutable number
    minus_infinity_mass: Number = Exact(0)  # noqa: RUF009
    ratio_ends: tuple[Exact | None, Exact | None] | None = None
    is_symmetric: bool = False
    copies: ClosedForm | None = field(default=None, compare=False, repr=False)

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

    @classmethod
    def mixed(cls, parts: Sequence[tuple[Number, LossLaw]]) -> LossLaw:
        """Return the law where one of several pairs is drawn, and it is seen which.

        Args:
            parts: (weight, law); the weights are positive and sum to 1.

        Raises:
            DomainError: If a law has infinitely many atoms.

        Example:
            Half the time a coin with losses ±ln 3, else a leak: half of the mass is at infinity.

            >>> coin = LossLaw.of_atoms([(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))])
            >>> leak = LossLaw(infinity_mass=Exact(1), minus_infinity_mass=Exact(1))
            >>> law = LossLaw.mixed([(Exact("1/2"), coin), (Exact("1/2"), leak)])
            >>> law.infinity_mass, [str(mass) for _, mass in law.loose]
            (Exact('1/2'), ['1/8', '3/8'])
        """
        masses: dict[Number, Number] = {}
        for weight, law in parts:
            for ratio, mass in law._atoms():
                masses[ratio] = masses.get(ratio, Exact(0)) + weight * mass
        atoms = sorted(masses.items(), key=lambda one: float(one[0].ball(64).mid()))
        smooth = [law.density.scaled(weight) for weight, law in parts if law.density is not None]
        lattice = None
        if len(atoms) == 1:
            rule = exact_masses([0], [atoms[0][1]])
            lattice, atoms = AtomLattice(_nats(atoms[0][0]), None, None, rule), []
        return cls(
            lattice=lattice,
            loose=tuple(atoms) or None,
            density=MixedDensity(tuple(smooth)) if smooth else None,
            infinity_mass=_total((weight, law.infinity_mass) for weight, law in parts),
            minus_infinity_mass=_total((weight, law.minus_infinity_mass) for weight, law in parts),
            is_symmetric=all(law.is_symmetric for _, law in parts),
        )

    @property
    def has_no_finite_loss(self) -> bool:
        """True if P and Q have nothing in common."""
        return self.lattice is None and self.loose is None and self.density is None

    @property
    def falls_like_normal(self) -> bool:
        """True if a part of the transform falls like e^(−dω²)."""
        return self.density is not None and self.density.falls_like_normal

    def points(self, bits: int) -> list[tuple[arb, arb]]:
        """Return the (loss, mass) of all atoms, as balls."""
        with precision(bits):
            if self.loose is not None:
                return [(_loss_of(r), _ball_of(m)) for r, m in self.loose]
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
        top: Number | None = None
        if self.loose is not None:
            top = _nats(self.loose[-1][0])
        elif self.lattice is not None:
            if self.lattice.is_truncated:
                return None
            index = max(i for i, _ in self.lattice.masses(64)[0])
            unit = self.lattice.unit
            top = self.lattice.origin if unit is None else self.lattice.origin + index * unit
        if self.density is None:
            return top
        end = self.density.ends()[1]
        return end if end is None or top is None else larger_number(top, end)

    def subsampled(self, rate: Exact) -> LossLaw:
        """Return the law of ln(P'/Q) under P' = (1 − q)·Q + q·P, q = ``rate`` between 0 and 1.

        Formula:
            A loss ℓ becomes ln(1 − q + q e^ℓ), and a mass m of P there q·m + (1 − q)·e^(−ℓ)·m.
            What P lacks has the loss ln(1 − q), what Q lacks an infinite one.

        Raises:
            DomainError: If there are infinitely many atoms.

        Example:
            Losses ±ln 3, seen half the time: e^(−ln 3) becomes 2/3, and 3 becomes 2.

            >>> coin = [(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))]
            >>> LossLaw.of_atoms(coin).subsampled(Exact("1/2")).ratio_ends
            (Exact('2/3'), Exact('2'))
        """
        atoms = [(1 - rate + rate * r, (rate + (1 - rate) / r) * m) for r, m in self._atoms()]
        if self.minus_infinity_mass != Exact(0):
            atoms.insert(0, (1 - rate, (1 - rate) * self.minus_infinity_mass))
        infinite = rate * self.infinity_mass
        exact = [(r, m) for r, m in atoms if isinstance(r, Exact) and isinstance(m, Exact)]
        if self.density is None and len(exact) == len(atoms):
            return LossLaw.of_atoms(exact, infinity_mass=infinite)
        density = self.density.subsampled(rate) if self.density else None
        return LossLaw(loose=tuple(atoms) or None, density=density, infinity_mass=infinite)

    def _atoms(self) -> list[tuple[Number, Number]]:
        """Return the (e^loss, mass) of all atoms, ascending."""
        if self.loose is not None:
            return list(self.loose)
        if self.lattice is None:
            return []
        rule, base = self.lattice.masses, self.lattice.base
        if not isinstance(rule, _ExactMasses):
            raise DomainError("the atoms are not finitely many. Subsample the mechanism instead.")
        least = rule.indices[0]
        first = self.ratio_ends[0] if self.ratio_ends else None
        if first is not None and (base is not None or self.lattice.unit is None):
            step = Exact(1) if base is None else base
            ratios: list[Number] = [first * step ** (i - least) for i in rule.indices]
        else:
            origin, unit = self.lattice.origin, self.lattice.unit
            losses = [origin if not i or unit is None else origin + i * unit for i in rule.indices]
            # e^0 is exact, so that masses there are told to be at one loss.
            ratios = [Exact(1) if loss == Exact(0) else exp(loss) for loss in losses]
        return list(zip(ratios, rule.values, strict=True))

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
            density=self.density.reversed() if self.density else None,
            infinity_mass=self.minus_infinity_mass,
            minus_infinity_mass=self.infinity_mass,
            ratio_ends=self.ratio_ends
            and (_turned(self.ratio_ends[1]), _turned(self.ratio_ends[0])),
        )


def _turned(ratio: Exact | None) -> Exact | None:
    return None if ratio is None else 1 / ratio


def exact_masses(
    indices: Sequence[int], masses: Sequence[Number]
) -> Callable[[int], tuple[list[tuple[int, arb]], arb]]:
    """Return the rule of an :class:`AtomLattice` for given masses, of which none is left out.

    Args:
        indices: The indices, ascending.
        masses: The mass of each index.
    """
    return _ExactMasses(tuple(indices), tuple(masses))


@dataclass(frozen=True, slots=True)
class _ExactMasses:
    indices: tuple[int, ...]
    values: tuple[Number, ...]

    def __call__(self, bits: int) -> tuple[list[tuple[int, arb]], arb]:
        pairs = zip(self.indices, self.values, strict=True)
        return [(i, mass.ball(bits)) for i, mass in pairs], arb(0)


def _total(parts: Iterable[tuple[Number, Number]]) -> Number:
    """Return the weighted sum of masses; that of no masses is 0."""
    return reduce(add, (weight * mass for weight, mass in parts if mass != Exact(0)), Exact(0))


def _loss_of(ratio: Number) -> arb:
    """Return a ball for ln of a number; of a rational one, of which there may be many, at once."""
    if not (isinstance(ratio, Exact) and ratio.is_rational):
        return _nats(ratio).ball(working_bits())
    value = ratio.as_fmpq()
    # Beside 1 a ball of the number would leave few digits of its logarithm.
    return arb(value - 1).log1p() if 1 < 2 * value < 4 else arb(value).log()


def _ball_of(mass: Number) -> arb:
    if isinstance(mass, Exact) and mass.is_rational:
        return arb(mass.as_fmpq())
    return mass.ball(working_bits())


def _nats(ratio: Number) -> Number:
    return Epsilon(ratio).nats if isinstance(ratio, Exact) else log(ratio)
