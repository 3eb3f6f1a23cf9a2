"""Integer noise of one's own, known by its tail: rounded noise, among others.

The integers nearest to a log-concave noise are log-concave: their masses are its density, smoothed
by a uniform law of length 1, at the integers. Rounding the noise or the noisy answer to an integer
query is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

from flint import arb

from exactdp.divergences.description import COUNT
from exactdp.errors import DomainError
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Epsilon, EpsilonLike, Exact, Number, precision, working_bits
from exactdp.numbers.arguments import of_class, privacy_epsilon
from exactdp.numbers.balls import GUARD_BITS
from exactdp.numbers.validated import validated

__all__ = ["TailNoise", "integer_noise", "rounded_noise"]

Tail = Callable[[int], arb]
"""Pr[noise > k], k >= 0, as a ball at the working precision, accurate relative to itself."""

_FARTHEST = 1 << 64
"""A value that noise may hardly exceed: else it is no noise that could be listed."""

_FIRST, _FIRST_BITS = 64, 128
"""Masses that are seen to be log-concave at once, and the bits that they take; others are later."""


@validated
@dataclass(frozen=True, slots=True, repr=False)
class TailNoise(IntegerNoise):
    """Integer noise that is log-concave and as likely as its negative, by its tail.

    Attributes:
        tail: T(k) = Pr[noise > k] for k >= 0, as a ball.
        steepest: The limit of ln(f(k)/f(k + 1)), the largest loss of Δ = 1; may be infinite.
        sensitivity: Δ, an int; replacing a record may double that of adding one.
        name: What it is, in words.
    """

    tail: Tail
    steepest: Epsilon
    sensitivity: int
    name: str = field(default="integer noise of a tail", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitivity", COUNT.check(self.sensitivity, name="sensitivity"))

    @property
    def spread(self) -> Fraction:
        """The square of a value that is exceeded one time of six, or of the next power of 2."""
        k = 1
        with precision(64):
            while not 6 * self.tail(k) < 1:
                k *= 2
                if k > _FARTHEST:
                    raise DomainError(
                        f"tail({k}) is not below 1/6. Give Pr[noise > k], which falls to 0."
                    )
        return Fraction(k * k)

    def masses(self, first: int, count: int) -> list[arb]:
        """Return f(k) = T(k − 1) − T(k), and f(0) = 1 − 2T(0)."""
        last = first + count - 1
        low = 0 if first <= 0 <= last else min(abs(first), abs(last))
        start, top = max(low - 1, 0), max(abs(first), abs(last)) + 1
        with precision(working_bits() + GUARD_BITS):
            tails = [self.tail(k) for k in range(max(start - 1, 0), top + 1)]
            found = [a - b for a, b in pairwise(tails)]
            if tails[-1] == 0:
                raise DomainError(
                    f"tail({top}) is 0, so the noise has an end, and an infinite loss. Give a pair "
                    "of its masses instead."
                )
            if start == 0:
                found = [1 - 2 * tails[0], *found]
            sides = [*found[1:2], *found] if start == 0 else found  # f(-1) is f(1)
            for a, b, c in zip(sides, sides[1:], sides[2:], strict=False):
                if b * b < a * c:
                    raise DomainError(
                        "the tail has masses that are not log-concave, so the worst event need "
                        "not be a half-line. Give a pair of their masses instead."
                    )
        return [found[abs(k) - start] for k in range(first, last + 1)]

    def _delta_at(self, gamma: Exact) -> Number:
        if not self.steepest.is_infinite:
            top = self.max_divergence().exp
            if gamma >= top:
                return Exact(0)
            if gamma * top <= 1:
                return 1 - gamma
        return IntegerNoise._delta_at(self, gamma)

    def below(self, m: int) -> arb:
        """Return F(m), by the tail."""
        return 1 - self.tail(m) if m >= 0 else self.tail(-m - 1)

    def max_divergence(self) -> Epsilon:
        """Return Δ times the steepest step."""
        return self.steepest if self.steepest.is_infinite else self.sensitivity * self.steepest

    def __repr__(self) -> str:
        return f"<{self.name}, sensitivity {self.sensitivity}>"


def integer_noise(
    tail: Tail, *, steepest: EpsilonLike | None = None, sensitivity: int = 1
) -> TailNoise:
    """Return integer noise of one's own, by its tail in balls; it goes wherever integer noise does.

    Args:
        tail: Pr[noise > k] for k >= 0, as a ``flint.arb`` at the working precision, accurate
            relative to itself. The noise is log-concave and as likely as its negative.
        steepest: The limit of ln(f(k)/f(k + 1)) for large k, in nats; none if that is infinite.
        sensitivity: Δ, an int of at least 1.

    Raises:
        DomainError: If masses are seen not to be log-concave, or to end, or an argument is out of
            its range.

    Example:
        Geometric noise with a = 1/2 has Pr[noise > k] = a^(k + 1)/(1 + a).

        >>> from exactdp.numbers import decimal
        >>> mine = integer_noise(lambda k: arb(2) ** -k / 3, steepest=Epsilon.log(2))
        >>> decimal(mine.delta(0), digits=6), mine.max_divergence()
        ('0.333333', Epsilon.log('2'))
    """
    top = Epsilon.infinity() if steepest is None else privacy_epsilon(steepest, name="steepest")
    found = TailNoise(tail, top, sensitivity)
    with precision(_FIRST_BITS):
        found.masses(0, _FIRST)
    assert found.spread  # a tail that does not fall is refused at once
    return found


def rounded_noise(noise: AdditiveNoise, *, sensitivity: int = 1) -> TailNoise:
    """Return noise that is rounded to the nearest integer, on an integer query.

    Args:
        noise: Gaussian, Laplace or log-concave noise, in units of the grid: noise of σ = 10 that is
            rounded to multiples of 4 is that of σ = 5/2. Its own sensitivity is left aside.
        sensitivity: Δ, an int of at least 1, in units of the grid.

    Raises:
        DomainError: If it is no such noise.

    Example:
        Rounded Laplace noise has the largest loss of Laplace noise. Rounded Gaussian noise tells
        less than Gaussian noise, unless the best threshold, here at 1.5, is between two integers.

        >>> from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
        >>> rounded_noise(laplace_mechanism(scale=2)).max_divergence()
        Epsilon.rational('1/2')
        >>> from exactdp.numbers import decimal
        >>> noise = gaussian_mechanism(sigma=1)
        >>> [decimal(one.delta("3/2"), digits=4) for one in (noise, rounded_noise(noise))]
        ['0.05670', '0.03898']
        >>> [decimal(one.delta(1), digits=4) for one in (noise, rounded_noise(noise))]
        ['0.1269', '0.1269']
    """
    advice = "Pass gaussian_mechanism, laplace_mechanism or log_concave_mechanism."
    one = of_class(noise, AdditiveNoise, name="noise", advice=advice)
    if one.is_on_integers or one.reversed() != one:
        raise DomainError(f"noise={noise!r} is not continuous and symmetric. {advice}")
    unit = replace(one, sensitivity=Exact(1))  # type: ignore[type-var] # families are dataclasses
    if unit.infinity_mass() != 0:
        raise DomainError(f"noise={noise!r} has ends, and an infinite loss. {advice}")
    top = unit.max_divergence()
    if isinstance(top, Exact) and top.is_rational:
        top = Epsilon.rational(top.as_fraction())
    if not isinstance(top, Epsilon):
        raise DomainError(
            f"the largest loss of {noise!r} must be rational in nats. Take a rational scale."
        )
    return TailNoise(partial(_beyond, unit), top, sensitivity, f"rounded {noise!r}")


def _beyond(noise: AdditiveNoise, k: int) -> arb:
    return noise.above(Exact(k) + Exact("1/2")).ball(working_bits())
