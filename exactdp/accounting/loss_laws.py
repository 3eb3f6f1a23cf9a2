"""Laws of the privacy loss of one mechanism: masses at points, and certified tails.

A :class:`LossLaw` belongs to an ordered pair (P, Q). Its loss ln(P/Q), under P, may have
masses on a lattice, masses elsewhere (``loose``), a part without atoms that is known
through its tails under P and Q (:class:`LossTails`), and a mass at plus infinity.

Definitions: :class:`AtomLattice`, :class:`LossLaw`, :class:`LossTails`,
:class:`PoissonSubsampled`, :func:`loss_law`, :func:`poisson_subsampled`.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling,
2018 (the mixture); Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential
Privacy via Characteristic Function, 2022 (dominating pairs compose).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from flint import arb

from exactdp.accounting.commensurable import geometric_scale
from exactdp.accounting.loss_tails import (
    GaussianTails,
    LaplaceTails,
    ReversedTails,
    SubsampledTails,
)
from exactdp.accounting.subsampling import Subsampling
from exactdp.divergences import Pair, PrivacyLossDistribution
from exactdp.divergences.validation import probability
from exactdp.errors import DomainError
from exactdp.mechanisms.discrete_gaussian import DiscreteGaussianMechanism
from exactdp.mechanisms.discrete_laplace import DiscreteLaplaceMechanism
from exactdp.mechanisms.gaussian import GaussianMechanism
from exactdp.mechanisms.laplace import LaplaceMechanism
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    exp,
    log,
    precision,
)

__all__ = [
    "AtomLattice",
    "LossLaw",
    "LossTails",
    "PoissonSubsampled",
    "loss_law",
    "poisson_subsampled",
]


class LossTails(Protocol):
    """The part of a loss law without atoms, by its tails, as balls at the current precision."""

    def total(self) -> tuple[arb, arb]:
        """Return (P, Q) of this part."""
        ...

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L > t], Q[L > t]), accurate relative to themselves."""
        ...

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return (P[L < t], Q[L < t]), accurate relative to themselves."""
        ...

    def ends(self) -> tuple[Number | None, Number | None]:
        """Return the least and the largest loss of this part, None for an infinite end."""
        ...

    def spread(self, bits: int, count: int) -> list[float]:
        """Return about ``count`` losses, ascending, outside which about 2^-bits of P and Q lies.

        Nothing that is certified rests on it.
        """
        ...


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
    """

    origin: Number
    unit: Number | None
    base: Exact | None
    masses: Callable[[int], tuple[list[tuple[int, arb]], arb]]
    is_truncated: bool = False

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

        return AtomLattice(-self.origin, self.unit, self.base, masses, self.is_truncated)


@dataclass(frozen=True, slots=True)
class LossLaw:
    """The law of ln(P/Q) under P.

    Attributes:
        lattice: Masses on a lattice.
        loose: A canonical pair whose finite losses are on no lattice (then there is
            nothing else but the infinite masses).
        density: The part without atoms.
        infinity_mass: P(Q = 0).
        minus_infinity_mass: Q(P = 0).
        ratio_ends: e^loss of the least and the largest finite loss, where they are exact.
    """

    lattice: AtomLattice | None = None
    loose: Pair | None = None
    density: LossTails | None = None
    infinity_mass: Number = Exact(0)  # noqa: RUF009 - an immutable number
    minus_infinity_mass: Number = Exact(0)  # noqa: RUF009
    ratio_ends: tuple[Exact, Exact] | None = None

    @classmethod
    def from_pair(cls, pair: Pair) -> LossLaw:
        """Return the loss law of a finite pair, exactly.

        Example:
            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> lattice = LossLaw.from_pair(coin).lattice
            >>> lattice.base, [i for i, _ in lattice.masses(64)[0]]
            (Exact('9'), [0, 1])
        """
        distribution = PrivacyLossDistribution.from_pair(pair)
        infinities = distribution.infinity_mass, distribution.minus_infinity_mass
        atoms = distribution.atoms
        if not atoms:
            return cls(None, None, None, *infinities)
        ratios, masses = [r for r, _ in atoms], [m for _, m in atoms]
        found = geometric_scale(ratios) if len(ratios) > 1 else None
        if len(ratios) > 1 and found is None:
            return cls(None, distribution.pair, None, *infinities, (ratios[0], ratios[-1]))
        base = found[0].base if found else None
        indices = found[1] if found else [0]
        unit = Epsilon(base).nats if base is not None else None
        lattice = AtomLattice(Epsilon(ratios[0]).nats, unit, base, _exact_masses(indices, masses))
        return cls(lattice, None, None, *infinities, (ratios[0], ratios[-1]))

    @property
    def has_no_finite_loss(self) -> bool:
        """Whether P and Q have nothing in common."""
        return self.lattice is None and self.loose is None and self.density is None

    def highest(self) -> Number | None:
        """Return the largest finite loss; None if the losses are unbounded, or there are none."""
        if self.loose is not None:
            return Epsilon(PrivacyLossDistribution.from_pair(self.loose).atoms[-1][0]).nats
        if self.lattice is not None:
            if self.lattice.is_truncated:
                return None
            # A density, if any, lies between the atoms.
            index = max(i for i, _ in self.lattice.masses(64)[0])
            unit = self.lattice.unit
            return self.lattice.origin if unit is None else self.lattice.origin + index * unit
        return self.density.ends()[1] if self.density is not None else None

    def reversed(self) -> LossLaw:
        """Return the law of ln(Q/P) under Q: the other direction."""
        return replace(
            self,
            lattice=self.lattice.reversed() if self.lattice else None,
            loose=self.loose.reversed() if self.loose else None,
            density=ReversedTails(self.density) if self.density else None,
            infinity_mass=self.minus_infinity_mass,
            minus_infinity_mass=self.infinity_mass,
            ratio_ends=(1 / self.ratio_ends[1], 1 / self.ratio_ends[0])
            if self.ratio_ends
            else None,
        )


@dataclass(frozen=True, slots=True)
class PoissonSubsampled:
    """A mechanism that sees each record with probability ``rate``, independently.

    Attributes:
        mechanism: Calibrated to adding or removing one record.
        rate: q, strictly between 0 and 1.
    """

    mechanism: GaussianMechanism | LaplaceMechanism
    rate: Exact

    @property
    def mixture_against_base(self) -> LossLaw:
        """The direction of removing the record: P = (1 − q)·Q0 + q·P0 against Q0.

        The loss is ln(1 − q + q e^ℓ), which rises with the loss ℓ of the mechanism.
        """
        law = loss_law(self.mechanism)
        assert law.density is not None
        tails = SubsampledTails(law.density, self.rate)
        if law.lattice is None:
            return LossLaw(density=tails)
        ends = [log(1 - self.rate + self.rate * exp(sign * self._top)) for sign in (-1, 1)]
        # P0 has mass 1/2 at the upper end and e^(−ε0)/2 at the lower, Q0 the reverse.
        little = exp(-self._top) / 2
        half = Exact("1/2")
        masses = [
            (1 - self.rate) * half + self.rate * little,
            (1 - self.rate) * little + self.rate * half,
        ]
        lattice = AtomLattice(ends[0], ends[1] - ends[0], None, _exact_masses([0, 1], masses))
        return LossLaw(lattice=lattice, density=tails)

    @property
    def base_against_mixture(self) -> LossLaw:
        """The direction of adding the record: Q0 against the mixture."""
        return self.mixture_against_base.reversed()

    @property
    def _top(self) -> Number:
        assert isinstance(self.mechanism, LaplaceMechanism)
        return self.mechanism.epsilon0


def poisson_subsampled(
    mechanism: GaussianMechanism | LaplaceMechanism, *, rate: Exact | RationalLike
) -> PoissonSubsampled:
    """Return a mechanism on a Poisson sample.

    Args:
        mechanism: A Gaussian or Laplace mechanism. Its sensitivity is that of adding or
            removing a record.
        rate: q, strictly between 0 and 1.

    Raises:
        DomainError: If rate is not strictly between 0 and 1, or the mechanism is of
            another kind (for a finite pair use Subsampling).

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> poisson_subsampled(gaussian_mechanism(sigma=1), rate="1/100").rate
        Exact('1/100')
    """
    if not isinstance(mechanism, GaussianMechanism | LaplaceMechanism):
        raise DomainError(
            f"{mechanism!r} is no Gaussian or Laplace mechanism. "
            "For a finite pair use Subsampling.from_pair."
        )
    value = probability(rate, name="rate")
    if value == 0 or value == 1:
        raise DomainError(f"rate={value} must be above 0 and below 1.")
    return PoissonSubsampled(mechanism, value)


Part = (
    Pair
    | GaussianMechanism
    | LaplaceMechanism
    | DiscreteLaplaceMechanism
    | DiscreteGaussianMechanism
    | PoissonSubsampled
    | Subsampling
    | LossLaw
)
"""What can be composed."""


def loss_law(part: Part) -> LossLaw:
    """Return the law of the privacy loss of a mechanism or a pair.

    For mechanisms that are not symmetric this is the direction of removing the record
    (the mixture against its base for what is subsampled); ``reversed`` is the other.

    Raises:
        DomainError: If it is nothing that has a loss law here.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> loss_law(laplace_mechanism(scale=2)).lattice.base
        Exact('e^(1/2)')
    """
    match part:
        case LossLaw():
            return part
        case Pair():
            return LossLaw.from_pair(part)
        case Subsampling():
            return LossLaw.from_pair(part.mixture_against_base)
        case PoissonSubsampled():
            return part.mixture_against_base
        case GaussianMechanism():
            return LossLaw(density=GaussianTails(part.mu))
        case LaplaceMechanism():
            return _laplace(part)
        case DiscreteLaplaceMechanism():
            return LossLaw.from_pair(part.pair())
        case DiscreteGaussianMechanism():
            return _discrete_gaussian(part)
    raise DomainError(f"{part!r} of type {type(part).__name__} has no privacy loss law here.")


def _exact_masses(
    indices: Sequence[int], masses: Sequence[Number]
) -> Callable[[int], tuple[list[tuple[int, arb]], arb]]:
    def rule(bits: int) -> tuple[list[tuple[int, arb]], arb]:
        return [(i, m.ball(bits)) for i, m in zip(indices, masses, strict=True)], arb(0)

    return rule


def _laplace(mechanism: LaplaceMechanism) -> LossLaw:
    """Return mass 1/2 at ε0, e^(−ε0)/2 at −ε0, and a density between them."""
    top = mechanism.epsilon0
    is_exact = isinstance(top, Exact) and top.is_rational
    base = Exact.exp(top.as_fraction()) if isinstance(top, Exact) and is_exact else None
    masses: list[Number] = [exp(-top) / 2, Exact("1/2")]
    lattice = AtomLattice(Exact(0), top, base, _exact_masses([-1, 1], masses))
    ends = (1 / base, base) if base is not None else None
    return LossLaw(lattice=lattice, density=LaplaceTails(top), ratio_ends=ends)


def _discrete_gaussian(mechanism: DiscreteGaussianMechanism) -> LossLaw:
    """Return the losses Δ²/(2σ²) − k·Δ/σ², truncated where asked."""
    size, variance = mechanism.sensitivity, mechanism.sigma_squared
    step = Exact(size) / Exact(variance)

    def masses(bits: int) -> tuple[list[tuple[int, arb]], arb]:
        limit = mechanism.tail_start(bits)
        with precision(bits + 32):
            found = mechanism.masses(limit)
            pairs = [(-k, found[abs(k)]) for k in range(-limit, limit + 1)]
            return pairs, arb(2) ** -bits

    base = Exact.exp(step.as_fraction())
    lattice = AtomLattice(step * size / 2, step, base, masses, is_truncated=True)
    return LossLaw(lattice=lattice)
