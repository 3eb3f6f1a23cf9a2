"""Deployments that accountants are asked about, in plain doubles, and the truth for these doubles.

A float function gets the double 0.49, which is not 49/100. Its truth is computed
for that double, so no double is too awkward.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from exactdp import mechanisms
from exactdp.accounting import compose, composed_randomized_response, poisson_subsampled
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.description import described_in, description_of
from exactdp.divergences.questions import Question, question
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.renamed import RENAMED, renamed
from exactdp.numbers.validated import validated

__all__ = ["KINDS", "Deployment", "Mechanism", "MechanismKind"]


@dataclass(frozen=True, slots=True)
class MechanismKind:
    """A kind of mechanism with one parameter: a row that tests, tasks and problem files share.

    Attributes:
        meaning: What the parameter is, in words; noise is for sensitivity 1.
        problem: The kind of the problem file about it.
        parameter: The name of the parameter there, and as an argument of ``mechanism``.
        mechanism: Returns the profile of one copy; with more than two answers, for ``k``.
        is_sampled: Whether records may be sampled before it.
        goes_into: What it may be a part of, as its description says.
    """

    meaning: str
    problem: str
    parameter: str
    mechanism: Callable[..., PrivacyProfile]
    is_sampled: bool = False
    goes_into: frozenset[str] = frozenset()

    def loss(self, parameter: float) -> float:
        """Return about how much a copy loses, in nats: 1/parameter of noise."""
        return parameter if self.parameter == "epsilon" else 1 / parameter


def _randomized_response(*, epsilon: Fraction, k: int = 2) -> PrivacyProfile:
    if k == 2:
        return composed_randomized_response(Epsilon.rational(epsilon), 1)
    truth = Exact.exp(epsilon) / (Exact.exp(epsilon) + k - 1)
    lie = (1 - truth) / (k - 1)
    rest = (k - 2) * lie  # no other answer tells these two inputs apart
    return Pair.from_masses([truth, lie, rest], [lie, truth, rest])


def _drawn() -> Iterator[tuple[str, MechanismKind]]:
    """Yield the noise that is drawn, by its name; first that which accountants know on samples."""
    found = [(description_of(one), one) for one in described_in(mechanisms)]
    for about, one in sorted(found, key=lambda pair: not pair[0].is_drawn_sampled):
        if about.drawn:
            meanings = {parameter.name: parameter.meaning for parameter in about.parameters}
            facts = about.drawn, one, about.is_drawn_sampled, about.goes_into
            yield about.kind, MechanismKind(meanings[about.drawn], about.kind, *facts)


KINDS = {
    **dict(_drawn()),
    "randomized_response": MechanismKind(
        "ε0 of one of k answers, true with probability e^ε0/(e^ε0 + k − 1)",
        "guarantee",
        "epsilon",
        _randomized_response,
    ),
}
"""The kinds of mechanisms, by name."""

_SAMPLED = tuple(name for name, kind in KINDS.items() if kind.is_sampled)


@renamed
@validated
@dataclass(frozen=True)
class Mechanism:
    """A mechanism as plain doubles, with a number of copies.

    Attributes:
        kind: One of :data:`KINDS`.
        parameter: Its parameter, a double above 0; of noise for sensitivity 1.
        sampling_probability: The chance that a Poisson sample has a record; below 1 for Gaussian
            and Laplace noise only.
        times: How often it is used, at least 1.
        k: The number of answers of randomized response, at least 2.

    Example:
        >>> Mechanism("laplace", 0.5).profile.max_divergence()
        Epsilon.rational('2')
    """

    kind: str
    parameter: float
    sampling_probability: float = 1.0
    times: int = 1
    k: int = 2

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DomainError(f"kind={self.kind!r} is not known. Pass one of {', '.join(KINDS)}.")
        if not (0 < self.parameter < math.inf):
            raise DomainError(f"parameter={self.parameter!r} is not a finite double > 0. Pass one.")
        q = self.sampling_probability
        if not 0 < q <= 1 or (q < 1 and self.kind not in _SAMPLED):
            raise DomainError(
                f"sampling_probability={q!r} is not in (0, 1], or not 1 for {self.kind}. Pass "
                f"1.0, or sample one of {', '.join(_SAMPLED)}."
            )
        if self.k < 2 or (self.k > 2 and self.kind != "randomized_response"):
            raise DomainError(
                f"k={self.k!r} is below 2, or not 2 for {self.kind}. Pass 2, or "
                "kind='randomized_response'."
            )

    @cached_property
    def profile(self) -> PrivacyProfile:
        """One copy, for removing the record where it is sampled."""
        kind, answers = KINDS[self.kind], {"k": self.k} if self.k > 2 else {}
        one = kind.mechanism(**{kind.parameter: Fraction(self.parameter)}, **answers)
        q = Fraction(self.sampling_probability)
        return one if q == 1 else poisson_subsampled(one, sampling_probability=q)

    @property
    def is_sampled(self) -> bool:
        """True if it sees a sample of the records."""
        return self.sampling_probability < 1

    @property
    def is_one_release(self) -> bool:
        """True if it is used once, on all records."""
        return self.times == 1 and not self.is_sampled

    @property
    def rate(self) -> float:
        """The sampling probability, by its name in earlier versions; it warns."""
        next(one for one in RENAMED if one.owner == "Mechanism").warn(stacklevel=3)
        return self.sampling_probability


@validated
@dataclass(frozen=True)
class Deployment:
    """Mechanisms used together, and an ε, a δ and an order to ask about: plain doubles.

    Neighbors add or remove a record; the truths are the larger of both directions.

    Attributes:
        mechanisms: The mechanisms, each with its number of copies.
        epsilon: ε in nats, at least 0: where to ask for δ.
        delta: δ, above 0 and below 1: for which to ask for the smallest ε.
        order: The order of a Rényi divergence, above 1.
        alpha: The level of the tests of an attack, above 0 and below 1.

    Example:
        >>> case = Deployment((Mechanism("laplace", 1.0),), epsilon=0.5, delta=1e-5)
        >>> case.profile.delta(Epsilon.rational("1/2"))
        <Exact: 0.22119921692859513 (exactly (e^(1/4) - 1)/(e^(1/4)))>
        >>> case.profile_with(0.5).max_divergence()
        Epsilon.rational('2')
    """

    mechanisms: tuple[Mechanism, ...]
    epsilon: float
    delta: float
    order: float = 2.0
    alpha: float = 0.05

    @property
    def mechanism(self) -> Mechanism:
        """The first mechanism, where there is one."""
        return self.mechanisms[0]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the mechanisms."""
        return tuple(one.kind for one in self.mechanisms)

    @property
    def arguments(self) -> list[dict[str, Any]]:
        """The mechanisms as a function of one's own gets them."""
        return [asdict(one) | {"rate": one.sampling_probability} for one in self.mechanisms]

    @cached_property
    def profile(self) -> PrivacyProfile:
        """All of them together."""
        return compose([(one.profile, one.times) for one in self.mechanisms]).both_directions()

    @property
    def truth(self) -> Question:
        """The true δ at ``epsilon``."""
        return question(self.profile, epsilon=self.epsilon)

    @property
    def true_epsilon(self) -> Question:
        """The smallest ε >= 0 for ``delta``."""
        return question(self.profile, delta=self.delta)

    @property
    def true_renyi(self) -> Question:
        """The Rényi divergence of order ``order``, in nats."""
        return question(self.profile, order=self.order)

    @property
    def true_beta(self) -> Question:
        """The least type II error of an attack at the level ``alpha``."""
        return question(self.profile, alpha=self.alpha)

    def profile_with(self, parameter: float) -> PrivacyProfile:
        """Return the profile with another parameter of the first mechanism: a calibrated one."""
        first = replace(self.mechanism, parameter=parameter)
        return replace(self, mechanisms=(first, *self.mechanisms[1:])).profile
