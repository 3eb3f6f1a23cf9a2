"""Laplace noise that ends: of density proportional to e^(−|x|/b), from −A to A.

The values at an end, where x and x − Δ are not both within A, have no counterpart: their mass is
a part of δ at every ε. It is all of δ from ε0 = Δ/b on.

References: Q. Geng, W. Ding, R. Guo and S. Kumar, Tight Analysis of Privacy and Utility Tradeoff
in Approximate Differential Privacy, AISTATS 2020.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from exactdp.divergences.description import (
    OF_QUERY,
    POSITIVE,
    SENSITIVITY,
    Parameter,
    checked,
    described,
    never,
)
from exactdp.divergences.families import noise_scale
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms.laplace import LaplaceMechanism
from exactdp.mechanisms.noise import MOST_POWERS, AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, decided_below, exp, log
from exactdp.numbers.arguments import NumberLike, open_probability, positive
from exactdp.numbers.balls import TOLD_BITS
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw, exact_masses

__all__ = ["TruncatedLaplaceMechanism", "truncated_laplace_mechanism"]


@validated
@dataclass(frozen=True, slots=True)
class TruncatedLaplaceMechanism(AdditiveNoise):
    """Laplace noise of scale b from −A to A, on a query of sensitivity Δ.

    Formula:
        With t = e^(−A/b), r = e^((ε − ε0)/2) and ε0 = Δ/b, for 0 <= ε < min(ε0, (2A − Δ)/b)
        δ(ε) = (1 − r + t(e^ε − 1)/2)/(1 − t); from there on what has no counterpart,
        t(e^ε0 − 1)/(2(1 − t)) for A >= Δ, 1 − (e^(−ε0)/t − t)/(2(1 − t)) for Δ/2 < A < Δ, else 1.

    Source:
        Geng, Ding, Guo & Kumar 2020, Definition 3, has A = b ln(1 + (e^ε0 − 1)/(2δ)), which makes
        it (ε0, δ)-private. Differs from the source: any A, and δ at every ε.

    Example:
        >>> one = truncated_laplace_mechanism(scale=1, radius=1)
        >>> one.delta(Epsilon.rational(1)), one.delta(Epsilon.rational(9))
        (Exact('1/2'), Exact('1/2'))

    Attributes:
        scale: b.
        radius: A.
        sensitivity: Δ; replacing a record may double that of adding one.
    """

    scale: Number
    radius: Number
    sensitivity: Number

    ranges = ("scale", POSITIVE), ("radius", POSITIVE)

    @property
    def loss_size(self) -> Number:
        """The size of losses: ε0, or about the largest finite loss."""
        return self.sensitivity / self.scale

    def max_divergence(self) -> Epsilon:
        """Return infinity: the noise ends."""
        return Epsilon.infinity()

    def infinity_mass(self) -> Number:
        """Return Pr[noise < Δ − A]."""
        return self._infinity_mass(self._power(Exact(0)))

    def _infinity_mass(self, power: Callable[[Number], Number]) -> Number:
        size, t = self.loss_size, power(-self.radius / self.scale)
        if _is_below(self.sensitivity, self.radius):
            return t * (power(size) - 1) / (2 * (1 - t))
        if _is_below(self.sensitivity, 2 * self.radius):
            return 1 - (power(-size) / t - t) / (2 * (1 - t))
        return Exact(1)

    def largest_finite_loss(self) -> Number:
        """Return ε0, or (2A − Δ)/b for A < Δ; not positive where there is none."""
        if _is_below(self.sensitivity, self.radius):
            return self.loss_size
        return (2 * self.radius - self.sensitivity) / self.scale

    def _loss_law(self) -> LossLaw:
        """Return the masses at ±ε0, a density between, and mass at both infinities.

        Raises:
            DomainError: If A is not above Δ: a density alone is not composed.
        """
        if not _is_below(self.sensitivity, self.radius):
            raise DomainError(
                f"radius={self.radius} is not above the sensitivity, {self.sensitivity}, which "
                "compositions need. Take a larger radius, or ask for this mechanism alone."
            )
        whole = LaplaceMechanism(self.scale, self.sensitivity).loss_law()
        infinite, least, top = self.infinity_mass(), exp(-self.loss_size), Exact("1/2")
        assert whole.lattice is not None and whole.density is not None
        masses = exact_masses([-1, 1], [least * (top - infinite), top - infinite])
        return LossLaw(
            lattice=replace(whole.lattice, masses=masses),
            density=whole.density.scaled(1 / (1 - exp(-self.radius / self.scale))),
            infinity_mass=infinite,
            minus_infinity_mass=infinite,
        )

    def above(self, x: Number) -> Number:
        """Return Pr[noise > x]: (e^(−x/b) − t)/(2(1 − t)) for 0 <= x <= A."""
        if _is_below(x, Exact(0)):
            return 1 - self.above(-x)
        if not _is_below(x, self.radius):
            return Exact(0)
        power = self._power(x / self.scale)
        t = power(-self.radius / self.scale)
        return (power(-x / self.scale) - t) / (2 * (1 - t))

    def exceeded(self, level: Exact) -> Number:
        """Return −b ln(t + 2·level·(1 − t)), and its mirror image above 1/2."""
        if 2 * level > 1:
            return -self.exceeded(1 - level)
        t = exp(-self.radius / self.scale)
        return -self.scale * log(t + 2 * level * (1 - t))

    def _delta_at(self, gamma: Exact) -> Number:
        return self._delta(gamma, self._power(Epsilon(gamma).nats))

    def _power(self, further: Number) -> Callable[[Number], Number]:
        """Return e^x, exactly where all powers are of a short polynomial."""
        exponents = []
        for x in (self.radius / self.scale, self.loss_size, further):
            if not isinstance(x, Exact) or not x.is_rational:
                return exp
            exponents.append(abs(x.as_fraction()))
        steps = sum(exponents) * lcm(*(2 * x.denominator for x in exponents))
        return _exactly if steps <= MOST_POWERS else exp

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        return enclosed(self._delta(gamma, exp), width)

    def _delta(self, gamma: Exact, power: Callable[[Number], Number]) -> Number:
        if gamma < 1:
            return 1 - gamma + gamma * self._delta(1 / gamma, power)
        nats = Epsilon(gamma).nats
        if not _is_below(nats, self.largest_finite_loss()):
            return self._infinity_mass(power)
        t, r = power(-self.radius / self.scale), power((nats - self.loss_size) / 2)
        return (1 - r + t * (gamma - 1) / 2) / (1 - t)


def _exactly(x: Number) -> Exact:
    assert isinstance(x, Exact)
    return Exact.exp(x.as_fraction())


def _is_below(x: Number, y: Number) -> bool:
    advice = f"{x} cannot be told from {y}. Take other numbers."
    return decided_below(x, y, max_bits=TOLD_BITS, advice=advice)


def _none_is_enough(
    epsilon: Epsilon, delta: Exact, *, scale: NumberLike, sensitivity: NumberLike
) -> None:
    """Raise where the noise is too little without an end: then no radius meets the target."""
    b, size = positive(scale, name="scale"), positive(sensitivity, name="sensitivity")
    target = open_probability(delta, name="delta")
    if not _is_below(LaplaceMechanism(b, size).delta(epsilon), target):
        raise DomainError(
            f"scale={b} is too little noise without an end, so no radius gives delta={target}. "
            "Take a larger scale, or ask for another epsilon or delta."
        )


@described(
    "truncated_laplace",
    "Laplace noise from −radius to radius.",
    Parameter("scale", "b, of the noise before it is truncated", POSITIVE, OF_QUERY),
    noise_scale("radius", "A, where the noise ends", known=_none_is_enough),
    SENSITIVITY,
    goes_into=frozenset({"thresholds"}),
    is_composed_open=never,
)
def truncated_laplace_mechanism(
    *, scale: NumberLike, radius: NumberLike, sensitivity: NumberLike = 1
) -> TruncatedLaplaceMechanism:
    """Return Laplace noise that ends at a radius.

    δ falls in A: with t it falls where it is P(S) − e^ε Q(S) of an event of finite losses, whose
    numerator is linear in t with a slope of at least that over −(1 − t); and so does what has no
    counterpart.

    Raises:
        DomainError: If b, A or Δ (all in one unit) is not positive.
    """
    given = checked(
        truncated_laplace_mechanism, scale=scale, radius=radius, sensitivity=sensitivity
    )
    return TruncatedLaplaceMechanism(**given)
