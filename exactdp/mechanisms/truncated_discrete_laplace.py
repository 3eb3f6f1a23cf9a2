"""Discrete Laplace noise that ends: truncated at a radius, or made of truncated geometrics.

With a = e^(−1/b), on the integers from −R to R:

- ends ``together``: f(k) ∝ a^|k|, discrete Laplace noise drawn again until |k| <= R (the
  truncated double geometric of IPA's padding, which adds R so that nothing is negative);
- ends ``each``: the difference of two geometric variables, each drawn again until it is at
  most R (the noise of WFA's any-sketch), f(k) ∝ a^|k| − a^(2R + 2 − |k|).

Both are symmetric and log-concave. The Δ values at an end have no counterpart: their mass is
a part of δ at every ε.

References: Q. Geng, W. Ding, R. Guo and S. Kumar, Tight Analysis of Privacy and Utility Tradeoff
in Approximate Differential Privacy, AISTATS 2020; github.com/private-attribution/ipa,
ipa-core/src/protocol/ipa_prf/oprf_padding; github.com/world-federation-of-advertisers/any-sketch,
src/main/cc/math.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, get_args

from flint import arb

from exactdp.divergences import Pair
from exactdp.divergences.description import (
    COUNT,
    EPSILON,
    OF_INTEGERS,
    OF_QUERY,
    RATIONAL,
    WHOLE_SENSITIVITY,
    Parameter,
    checked,
    choice,
    described,
    never,
)
from exactdp.divergences.nearby import NearLaws, rounded_pair
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms.discrete_laplace import (
    RATE,
    DiscreteLaplaceMechanism,
    discrete_laplace_mechanism,
)
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.numbers import (
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    count_text,
    exp,
    precision,
    refuse_above,
    working_bits,
)
from exactdp.numbers.crossing import Slope
from exactdp.numbers.limits import MAX_TERMS_OF_NOISE
from exactdp.numbers.validated import validated

__all__ = [
    "Ends",
    "TruncatedDiscreteLaplaceMechanism",
    "truncated_discrete_laplace_mechanism",
]

Ends = Literal["together", "each"]


@validated
@dataclass(frozen=True, slots=True)
class TruncatedDiscreteLaplaceMechanism(IntegerNoise):
    """Discrete Laplace noise from −R to R, on an integer query of sensitivity Δ.

    Example:
        On −1, 0, 1 with masses 1/4, 1/2, 1/4: beyond ε = ln 2, only the end is left.

        >>> noise = truncated_discrete_laplace_mechanism(rate=Epsilon.log(2), radius=1)
        >>> [noise.delta(Epsilon.log(gamma)) for gamma in (1, "3/2", 2, 1000)]
        [Exact('1/2'), Exact('3/8'), Exact('1/4'), Exact('1/4')]
        >>> noise.epsilon("1/4"), noise.epsilon("1/5")
        (Epsilon.log('2'), Epsilon.infinity())

    Attributes:
        rate: 1/b as an Epsilon (nats a unit of change).
        radius: R, an int of at least 1.
        sensitivity: Δ, an int; replacing a record may double that of adding one.
        ends: How the noise ends.
    """

    rate: Epsilon
    radius: int
    sensitivity: int
    ends: Ends = "together"

    ranges = ("rate", EPSILON), ("radius", COUNT)

    def __post_init__(self) -> None:
        IntegerNoise.__post_init__(self)
        if self.rate.exp <= 1:
            raise DomainError(f"rate={self.rate!r} is not positive. Pass an Epsilon above 0.")

    @property
    def is_exact(self) -> bool:
        """True if the exact masses, sums of up to 2R powers of a, are short enough in all."""
        outcomes = self.sensitivity + (2 * self.radius if self.ends == "each" else 2)
        return outcomes * self.radius <= MAX_TERMS_OF_NOISE

    @property
    def support(self) -> tuple[int, int]:
        """The least and the largest value, −R and R."""
        return -self.radius, self.radius

    @property
    def spread(self) -> Fraction:
        """About the variance of discrete Laplace noise."""
        return 2 / enclosed(self.rate.nats, "1e-3").lower ** 2

    def masses(self, first: int, count: int) -> list[arb]:
        """Return f(first), ..."""
        powers, r = self._powers(), self.radius
        total = self._total(powers)
        found = [powers(abs(k)) for k in range(first, first + count)]
        if self.ends == "each":
            found = [a - powers(2 * r + 2 - abs(first + i)) for i, a in enumerate(found)]
        return [a / total for a in found]

    def below(self, m: int) -> arb:
        """Return a ball for F(m)."""
        powers = self._powers()
        return arb(0) if m < -self.radius else self._below(m, powers) / self._total(powers)

    def pair(self) -> Pair:
        """Return the exact pair; values with one likelihood ratio are one outcome.

        Example:
            >>> noise = truncated_discrete_laplace_mechanism(rate=Epsilon.log(2), radius=1)
            >>> [str(p) for p, _ in noise.pair().masses()]
            ['1/4', '1/2', '1/4', '0']
        """
        a = 1 / self.rate.exp
        p, q = self._merged(lambda j: a**j)
        return Pair.from_masses(p, q)

    def near(self, bits: int) -> NearLaws[Pair]:
        """Return :meth:`IntegerNoise.near`, of outcomes merged as in :meth:`pair`."""
        if self.ends == "each":
            return IntegerNoise.near(self, bits)
        with precision(bits + 32):
            return rounded_pair(*self._merged(self._powers()), bits=bits)

    def weights(self) -> tuple[list[Exact], Exact]:
        """Return the exact masses, from −R to R."""
        r, a = self.radius, 1 / self.rate.exp
        terms = 2 * r * r
        what = f"radius={count_text(r)}: the masses have {count_text(terms)} terms"
        refuse_above(MAX_TERMS_OF_NOISE, terms, what, advice="Ask for enclosures.")
        taken = 2 * r + 2 if self.ends == "each" else None
        masses = [a ** abs(k) - (a ** (taken - abs(k)) if taken else 0) for k in range(-r, r + 1)]
        total = sum(masses, Exact(0))
        return [mass / total for mass in masses], Exact(1)

    def _merged(self, power: Callable[[int], Any]) -> tuple[list[Any], list[Any]]:
        """Return P and Q between the cuts where the likelihood ratio changes."""
        size, r, total = self.sensitivity, self.radius, self._total(power)

        def sums(m: int) -> Any:
            return total * 0 if m < -r else self._below(m, power) / total

        first, last = min(r, size - r - 1), max(r, size - r - 1)
        inner = range(size - r, r) if self.ends == "each" else range(max(0, size - r), min(size, r))
        cuts = [-r - 1, *sorted({first, *inner, r, last, size + r})]
        laws = [[sums(m - shift) for m in cuts] for shift in (0, size)]
        p, q = ([b - a for a, b in pairwise(law)] for law in laws)
        return p, q

    def _powers(self) -> Callable[[int], arb]:
        nats = self.rate.nats.ball(working_bits())
        return lambda j: (-j * nats).exp()

    def _total(self, power: Callable[[int], Any]) -> Any:
        return self._below(0, power) + self._below(-1, power)

    def _below(self, m: int, power: Callable[[int], Any]) -> Any:
        """Return Σ of f(k) over k = −R, ..., m, up to a factor, from the powers of a."""
        r = self.radius
        if m > 0:
            return self._total(power) - (self._below(-m - 1, power) if m < r else 0)
        found = power(-m) - power(r + 1)
        if self.ends == "each":
            found = found - power(r + 2) + power(2 * r + 3 + m)
        return found / (1 - power(1))

    def _delta_at(self, gamma: Exact) -> Number:
        if self.is_exact or self.ends == "each":
            return IntegerNoise._delta_at(self, gamma)  # super() does not know a class of slots
        nats = self.rate.nats
        return self._closed(gamma, lambda j: exp(-j * nats))

    def _closed(self, gamma: Exact, power: Callable[[int], Number]) -> Number:
        # Ties along the sides, where all losses are alike, are told exactly.
        size, r = self.sensitivity, self.radius
        above = DiscreteLaplaceMechanism(self.rate, size).losses_above(gamma)
        m = r if above > size else min(r, max(size - r - 1, above - 1 if above else -r))
        total = self._total(power)
        p, q = (self._below(k, power) / total if k >= -r else 0 for k in (m, m - size))
        return (1 if m >= r else p) - gamma * q


@described(
    "truncated_discrete_laplace",
    """Integer noise from −radius to radius, with mass proportional to e^(−|x|/scale).

    With ``ends`` "each" it is the difference of two geometric variables of at most the radius
    each; the radius that is found then meets a target where one less does not. ``rate``, 1/scale
    as an epsilon, may stand instead of ``scale``.
    """,
    Parameter("scale", "b, of the noise before it is truncated", RATIONAL, OF_QUERY),
    RATE,
    Parameter(
        "radius", "R, where the noise ends", COUNT, OF_QUERY, Slope.FALLING, {"argument": int}
    ),
    WHOLE_SENSITIVITY,
    Parameter("ends", "how the noise is truncated", choice(*get_args(Ends))),
    one_of=("scale", "rate"),
    sides=OF_INTEGERS,
    is_of_integers=True,
    is_composed_open=never,
    goes_into=frozenset({"thresholds"}),
)
def truncated_discrete_laplace_mechanism(
    *,
    scale: Exact | RationalLike | None = None,
    rate: EpsilonLike | None = None,
    radius: int,
    sensitivity: int = 1,
    ends: Ends = "together",
) -> TruncatedDiscreteLaplaceMechanism:
    """Return discrete Laplace noise that ends at a radius.

    With ends ``together`` δ falls in R: from R to R + 1 the total grows, and
    F(m) − e^ε F(m − Δ) before division by it gains a^(R + 1)(1 − e^ε) <= 0, or an outcome of
    infinite loss becomes one of a finite loss. With ``each``, a radius that is calibrated meets the
    target where one less does not.

    Args:
        scale: b, positive and rational, as of Laplace noise.
        rate: 1/b instead, where b is not rational.
        radius: R, an int of at least 1.
        sensitivity: Δ, an int of at least 1.
        ends: ``together`` to draw |noise| <= R, ``each`` for the difference of two geometric
            variables of at most R.

    Raises:
        DomainError: If not one of scale and rate is given, or an argument is outside its range.
    """
    whole = discrete_laplace_mechanism(scale=scale, rate=rate, sensitivity=sensitivity)
    given = checked(truncated_discrete_laplace_mechanism, rate=whole.rate, radius=radius, ends=ends)
    return TruncatedDiscreteLaplaceMechanism(**given, sensitivity=whole.sensitivity)
