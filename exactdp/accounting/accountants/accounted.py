"""Single events of dp-accounting: the profile of each, and how several together are one.

References: dp-accounting 0.6, ``dp_event.py``; the text of newer events is that of its repository,
b5b0286. R. McKenna and D. Sheldon, Permute-and-Flip, 2020; C. Canonne, G. Kamath and T. Steinke,
The Discrete Gaussian for Differential Privacy, NeurIPS 2020, Theorem 15.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from exactdp import mechanisms
from exactdp.accounting.accountants.doubles_out import Spent, at_least_0, exactly
from exactdp.accounting.accountants.renyi_curves import Budget, OnSample
from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.accounting.conversions.guarantees import guarantee
from exactdp.accounting.sampling.batches import sampled
from exactdp.accounting.sampling.random_sensitivity import gaussian_mixture
from exactdp.accounting.sampling.relations import NeighborRelation, Replaced
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.chernoff import Curve
from exactdp.divergences.description import described_in, description_of
from exactdp.errors import DomainError
from exactdp.mechanisms.bounded_range import BoundedRange
from exactdp.mechanisms.discrete_gaussian import discrete_gaussian_mechanism
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.mechanisms.laplace import laplace_mechanism
from exactdp.numbers import Epsilon, Exact, RationalLike, short
from exactdp.numbers.arguments import probability, whole_number

__all__ = [
    "ADD_OR_REMOVE",
    "EXPOSED",
    "NOISES",
    "NOTHING",
    "REPLACE",
    "REPLACED",
    "ZERO_OUT",
    "Accounted",
    "UnansweredError",
    "Used",
    "concentrated",
    "discrete_gaussian",
    "exponential",
    "mixture",
    "noise",
    "noisy",
    "on_sample",
    "permute_and_flip",
    "promised",
    "randomized_response",
    "tree",
]

ADD_OR_REMOVE, REPLACE, ZERO_OUT = "ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL"
_NEIGHBORS: Mapping[str, NeighborRelation] = {
    ADD_OR_REMOVE: "add_or_remove",
    REPLACE: "substitution",
    ZERO_OUT: "add_or_remove",  # a record that adds nothing to a sum is one that is not there
}
REPLACED: Mapping[str, Replaced] = {
    ADD_OR_REMOVE: "add_or_remove",
    REPLACE: "substitution",
    ZERO_OUT: "zero_out",
}

NOISES: Mapping[str, Callable[..., PrivacyProfile]] = {
    event.name: one
    for one in described_in(mechanisms)
    if (event := description_of(one).event) is not None
}
"""The noise that an event of the library says, by the event's name."""

_OFF = Fraction(1, 10**9)
"""What doubles that are probabilities of all cases may sum to beside 1, as in the library."""


class UnansweredError(DomainError):
    """An event has no answer here, of whichever parameters."""


@dataclass(frozen=True, slots=True)
class Accounted:
    """The profile of one event, or other knowledge of it.

    Attributes:
        profile: Its profile in the direction of removing; None if it tells nothing, or less.
        times: How often that is used.
        curve: Bounds of its Rényi divergences, where they are all that is known, or where the
            profile is an upper bound too.
        is_exposed: Whether it shows a record.
        note: What the profile is, if it is an upper bound.
    """

    profile: PrivacyProfile | None = None
    times: int = 1
    curve: Curve | None = None
    is_exposed: bool = False
    note: str | None = None


NOTHING, EXPOSED = Accounted(), Accounted(is_exposed=True)


@dataclass(frozen=True, slots=True)
class Used:
    """Events that are used together, each with its number of times.

    Attributes:
        events: What is known of each.
    """

    events: Sequence[tuple[Accounted, int]]

    @property
    def is_exposed(self) -> bool:
        """True if one of the events may output a record itself."""
        return any(one.is_exposed for one, _ in self.events)

    @property
    def parts(self) -> tuple[tuple[PrivacyProfile, int], ...]:
        """The profiles, with their numbers of uses."""
        return tuple(
            (one.profile, one.times * n) for one, n in self.events if one.profile is not None
        )

    @property
    def curves(self) -> tuple[tuple[Curve, int], ...]:
        """The curves of events without a profile, with their numbers of uses."""
        return tuple(
            (one.curve, n)
            for one, n in self.events
            if one.curve is not None and one.profile is None
        )

    def by_curves(self) -> Used:
        """Return the same events, by their curves alone where they have one."""
        return Used(
            [
                (one if one.curve is None else Accounted(curve=one.curve, note=one.note), times)
                for one, times in self.events
            ]
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of all, each once."""
        return tuple(dict.fromkeys(one.note for one, _ in self.events if one.note))

    def bounds(self) -> MomentBounds:
        """Return the bounds of the Rényi divergences of all, in both directions."""
        return MomentBounds.both_ways(self.parts, self.curves)

    def spent(self, relative_width: RationalLike) -> Spent:
        """Return the accountant of all of them."""
        return Spent(self.parts, curves=self.curves, relative_width=relative_width)

    def as_one(self) -> Accounted:
        """Return all together as one mechanism.

        Example:
            >>> noise = Accounted(gaussian_mechanism(sigma=2))
            >>> Used([(noise, 4)]).as_one() == Accounted(gaussian_mechanism(sigma=1))
            True
        """
        if self.is_exposed:
            return EXPOSED
        note = "; ".join(self.notes) or None
        (first, times), *others = self.events or [(NOTHING, 1)]
        if first.profile is not None and (first.times, times, others) == (1, 1, []):
            return first
        if self.curves:
            return Accounted(curve=self.bounds(), note=note)
        if not self.parts:
            return NOTHING
        return Accounted(compose(self.parts), note=note)


def noise(event: Any) -> Accounted:
    """Return the noise of an event, calibrated to adding or removing a record."""
    build = NOISES[next(kind.__name__ for kind in type(event).__mro__ if kind.__name__ in NOISES)]
    about = description_of(build).event
    assert about is not None
    (scale, first), *others = about.fields.items()
    noise = at_least_0(getattr(event, first), first)
    given = {name: whole_number(getattr(event, x), name=x, at_least=0) for name, x in others}
    if not all(given.values()):  # the query does not change
        return NOTHING
    return Accounted(build(**{scale: noise}, **given)) if noise else EXPOSED


def noisy(event: Any, relation: str) -> Accounted:
    """Return noise as it is, or as a record in the place of another moves it."""
    return on_sample(noise(event), Exact(1), relation)


def on_sample(one: Accounted, rate: Exact, relation: str) -> Accounted:
    """Return a mechanism, calibrated to adding or removing a record, on a Poisson sample."""
    if rate == 0:
        return NOTHING
    if one.curve is not None and one.profile is None and rate != 1:
        if relation == REPLACE:
            raise UnansweredError(
                "of what only Rényi divergences are known, no sample is where a record is replaced."
            )
        return Accounted(curve=OnSample(one.curve, rate), note=one.note)
    if one.profile is None:
        return one
    neighbors = _NEIGHBORS[relation]
    try:
        found = sampled(one.profile, sampling_probability=rate, neighbors=neighbors)
    except DomainError as error:  # the parameters are known to be right
        raise UnansweredError(str(error)) from error
    return Accounted(found, note=one.note)


def randomized_response(event: Any, relation: str) -> Accounted:
    """Return randomized response of two inputs, or of one and the uniform law."""
    p = probability(exactly(event.noise_parameter, name="noise_parameter"), name="noise_parameter")
    k = whole_number(event.num_buckets, name="num_buckets", at_least=1)
    if k == 1 or p == 1:
        return NOTHING
    least = p / k
    first = [1 - p + least, least, (k - 2) * least]
    if relation == REPLACE:
        return Accounted(Pair.from_masses(first, [first[1], first[0], first[2]]))
    return Accounted(
        Pair.from_masses([first[0], (k - 1) * least], [Exact(1) / k, 1 - Exact(1) / k])
    )


def tree(event: Any, _relation: str) -> Accounted:
    """Return Gaussian noise, once for each node above a record."""
    scale = at_least_0(event.noise_multiplier, "noise_multiplier")
    given = event.step_counts
    steps: Sequence[Any] = given if isinstance(given, Sequence) else [given]
    counts = [whole_number(one, name="step_counts", at_least=0) for one in steps]
    depth = max(counts, default=0).bit_length()
    if not depth:
        return NOTHING
    return Accounted(gaussian_mechanism(sigma=scale), times=depth) if scale else EXPOSED


def mixture(event: Any, _relation: str) -> Accounted:
    """Return Gaussian noise on a sum that moves by a random size."""
    sigma = at_least_0(event.standard_deviation, "standard_deviation")
    sizes = [at_least_0(one, "sensitivity") for one in event.sensitivities]
    shares = [at_least_0(one, "sampling_prob") for one in event.sampling_probs]
    total = sum(shares, Fraction(0))
    if abs(total - 1) > _OFF:
        raise DomainError(f"sampling_probs sum to {short(total)}. Pass probabilities of all cases.")
    found = gaussian_mixture(
        sigma=sigma or 1,
        sensitivities=sizes,
        probabilities=[share / total for share in shares],
    )
    if not any(size and share for size, share in zip(sizes, shares, strict=True)):
        return NOTHING
    return Accounted(found) if sigma else EXPOSED


def concentrated(event: Any, _relation: str) -> Accounted:
    """Return a (ξ, ρ)-zCDP budget; of ρ = 0 the worst pair."""
    xi, rho = at_least_0(event.xi, "xi"), at_least_0(event.rho, "rho")
    if rho:
        return Accounted(curve=Budget(xi, rho))
    if not xi:
        return NOTHING
    # D_a <= ξ at all orders is ξ-privacy, whose worst case is randomized response.
    least = 1 / (1 + Epsilon.rational(xi).exp)
    return Accounted(Pair.from_masses([1 - least, least], [least, 1 - least]))


def promised(event: Any, _relation: str) -> Accounted:
    """Return the worst pair of an (ε, δ) promise."""
    epsilon = at_least_0(event.epsilon, "epsilon")
    delta = probability(exactly(event.delta, name="delta"), name="delta")
    if delta == 1:
        return EXPOSED
    if not epsilon and delta == 0:
        return NOTHING
    return Accounted(guarantee(Epsilon.rational(epsilon), delta))


def exponential(event: Any, _relation: str) -> Accounted:
    """Return the worst mechanism whose losses lie in an interval of length ε."""
    epsilon = at_least_0(event.epsilon, "epsilon")
    return Accounted(BoundedRange(epsilon)) if epsilon else NOTHING


def permute_and_flip(event: Any, _relation: str) -> Accounted:
    """Return Laplace noise of scale 1/ε, which permute-and-flip with one event is a test of.

    Proof:
        It tells i of the largest s_i + E_i, E_i exponential of rate 1, where a neighbor changes
        each s_i by at most ε/2. Let S be a set of indices, A and B the largest in S and outside.
        The density of A at x is the probability that exactly one in S is above x, so at most
        Pr[A > x]; likewise B. So D = A − B has a density at t of at most Pr[D > t] and Pr[D < t].
        From F(0) to F(ε) it rises no more than Laplace's does from the same value, which solves
        F' = min(F, 1 − F). Of two indices it does rise so.
    """
    epsilon = at_least_0(event.epsilon, "epsilon")
    if not epsilon:
        return NOTHING
    note = "permute-and-flip: exact for one use, an upper bound of several"
    return Accounted(laplace_mechanism(scale=1 / epsilon), note=note)


def discrete_gaussian(event: Any, relation: str) -> Accounted:
    """Return discrete Gaussian noise: of one coordinate exactly, else its ρ.

    A change of norm below √2 is one coordinate's. Of others Δ²/(2σ²)-zCDP is known.
    """
    sigma, size = at_least_0(event.sigma, "sigma"), at_least_0(event.sensitivity, "sensitivity")
    many = getattr(event, "dimension", None)
    if many is not None:
        whole_number(many, name="dimension", at_least=1)
    if size < 1:  # integers do not change by less
        return NOTHING
    if not sigma:
        return EXPOSED
    moved = 2 * size if relation == REPLACE else size
    if many == 1 or moved * moved < 2:
        one = discrete_gaussian_mechanism(sigma_squared=sigma**2, sensitivity=floor(size))
        return on_sample(Accounted(one), Exact(1), relation)
    return Accounted(curve=Budget(Fraction(0), moved**2 / (2 * sigma**2)))
