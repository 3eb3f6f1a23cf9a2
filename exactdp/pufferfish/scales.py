"""The scale of Laplace noise, kept so that e^{-d/θ} is exact where it can be."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, Number, RationalLike, fmpq_of, working_bits
from exactdp.numbers.arguments import any_epsilon, exact, positive
from exactdp.numbers.limits import MAX_BITS_OF_A_POWER

__all__ = ["LaplaceScale"]


@dataclass(frozen=True, slots=True)
class LaplaceScale:
    """The scale θ = distance / epsilon of Laplace noise with density e^{-|z|/θ} / (2θ).

    Every scale that a bound on sensitivity sets has this form: θ = W/ε. A rational θ
    is θ nats^-1 at one nat, and e^{1/θ} = q is distance 1 at ε = ln q.

    Attributes:
        distance: A positive rational, in units of the data.
        epsilon: A positive finite Epsilon.

    Raises:
        DomainError: If distance or epsilon is not positive, or epsilon is infinite.

    Example:
        >>> LaplaceScale(Fraction(2), Epsilon.log(9)).decay(Fraction(1))
        Exact('1/3')
        >>> LaplaceScale.rational("5/2").decay(Fraction(1))
        <Exact: 0.67032004603563930 (exactly 1/(e^(2/5)))>
        >>> LaplaceScale(Fraction(2), Epsilon.log(3)).decay(Fraction(1)) is None
        True
    """

    distance: Fraction
    epsilon: Epsilon

    def __post_init__(self) -> None:
        value = exact(self.distance, name="distance").as_fraction()
        object.__setattr__(self, "distance", value)
        positive(value, name="distance")
        positive(any_epsilon(self.epsilon).nats, name="epsilon")

    @classmethod
    def rational(cls, theta: RationalLike) -> LaplaceScale:
        """Return a rational scale θ > 0.

        Raises:
            DomainError: If theta is not positive.

        Example:
            >>> LaplaceScale.rational("1/2").theta
            Exact('1/2')
        """
        positive(theta, name="theta")
        return cls(exact(theta, name="theta").as_fraction(), Epsilon.rational(1))

    @property
    def theta(self) -> Number:
        """The scale θ itself: exact where it is rational, else a computable real."""
        return Exact(self.distance) / self.epsilon.nats

    def decay(self, gap: Fraction) -> Exact | None:
        """Return e^{-gap/θ} for gap >= 0 if the exact field holds it, else None.

        With e^ε = b it is b^{-gap/distance}: in the field for every rational θ
        (powers of e), and for every rational b that has the root.
        """
        exponent = gap / self.distance
        base = self.epsilon.exp
        monomial = base.monomial_exponent()
        if monomial is not None:
            return Exact.exp(-monomial * exponent)
        power, root = exponent.numerator, exponent.denominator
        parts = base.numerator, base.denominator
        length = sum(int(part.length() * (part.height_bits() + 1)) for part in parts)
        # A root of this order of a number of so few bits would be 1.
        if power * length > MAX_BITS_OF_A_POWER.now or root > length:
            return None
        try:
            return (-(self.epsilon.divided(root) * power)).exp
        except DomainError:
            return None

    def decay_ball(self, gap: Fraction) -> arb:
        """Return a ball around e^{-gap/θ} at the working precision."""
        exponent = arb(fmpq_of(-gap / self.distance))
        return (exponent * self.epsilon.nats.ball(working_bits())).exp()
