"""The events of dp-accounting, and the profile of each: one table, which imports nothing of it.

A rule takes an event and the relation of neighbors, by its name there, to what is
:class:`Accounted` of it; a DomainError says why nothing is. ``docs/howto/accountant.md`` has the
table for readers.

Reference: dp-accounting 0.6, ``dp_event.py``, ``privacy_accountant.py`` (NeighboringRelation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from exactdp import mechanisms
from exactdp.accounting.accountants.doubles_out import exactly
from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.sampling.batches import sampled
from exactdp.accounting.sampling.random_batches import cut_poisson_sampled, sampled_with_replacement
from exactdp.accounting.sampling.random_sensitivity import gaussian_mixture
from exactdp.accounting.sampling.relations import NeighborRelation, Replaced
from exactdp.accounting.selection.runs import Runs
from exactdp.accounting.selection.tuning import tuning_bound
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.description import described_in, description_of
from exactdp.errors import DomainError
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.numbers import Epsilon, Exact, short, sqrt
from exactdp.numbers.arguments import probability, whole_number

__all__ = ["EVENTS", "Accounted", "EventRule", "kind_of", "leaves"]

ADD_OR_REMOVE, REPLACE, ZERO_OUT = "ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL"
_NEIGHBORS: Mapping[str, NeighborRelation] = {
    ADD_OR_REMOVE: "add_or_remove",
    REPLACE: "substitution",
    ZERO_OUT: "add_or_remove",  # a record that adds nothing to a sum is one that is not there
}
_REPLACED: Mapping[str, Replaced] = {
    ADD_OR_REMOVE: "add_or_remove",
    REPLACE: "substitution",
    ZERO_OUT: "zero_out",
}

_NOISES: Mapping[str, Callable[..., PrivacyProfile]] = {
    event.name: one
    for one in described_in(mechanisms)
    if (event := description_of(one).event) is not None
}
"""The noise that an event of the library says, by the event's name."""

_OFF = Fraction(1, 10**9)
"""What doubles that are probabilities of all cases may sum to beside 1, as in the library."""


@dataclass(frozen=True, slots=True)
class Accounted:
    """The profile of one event, or the reason why it has none.

    Attributes:
        profile: Its profile in the direction of removing; None if it tells nothing, or less.
        times: How often that is used.
        xi: ξ of a (ξ, ρ)-zCDP budget of which nothing else is known.
        rho: Its ρ.
        is_exposed: Whether it shows a record.
        note: What the profile is, if it is an upper bound.
    """

    profile: PrivacyProfile | None = None
    times: int = 1
    xi: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    is_exposed: bool = False
    note: str | None = None


NOTHING, EXPOSED = Accounted(), Accounted(is_exposed=True)


@dataclass(frozen=True, slots=True)
class EventRule:
    """How an event is answered.

    Attributes:
        says: What the answer is, or why there is none.
        known: What is known, a function of the event and the relation; None if there is no
            answer, or the event is a composition.
        inner: The events of a composition with their numbers of times, a function of it.
        relations: The relations of neighbors for which there is an answer.
    """

    says: str
    known: Callable[[Any, str], Accounted] | None = None
    inner: Callable[[Any], Iterable[tuple[Any, int]]] | None = None
    relations: tuple[str, ...] = (ADD_OR_REMOVE, REPLACE, ZERO_OUT)


def _at_least_0(value: Any, name: str) -> Fraction:
    found = exactly(value, name=name)
    if found < 0:
        raise DomainError(f"{name}={value} is negative. Pass 0 or more.")
    return found


def _noise(event: Any) -> Accounted:
    """Return the noise of an event, calibrated to adding or removing a record."""
    build = _NOISES[kind_of(event)]
    about = description_of(build).event
    assert about is not None
    (scale, first), *others = about.fields.items()
    noise = _at_least_0(getattr(event, first), first)
    given = {name: whole_number(getattr(event, x), name=x, at_least=0) for name, x in others}
    if not all(given.values()):  # the query does not change
        return NOTHING
    return Accounted(build(**{scale: noise}, **given)) if noise else EXPOSED


def _noisy(event: Any, relation: str) -> Accounted:
    return _on_sample(_noise(event), Exact(1), relation)


def _on_sample(one: Accounted, rate: Exact, relation: str) -> Accounted:
    if rate == 0:
        return NOTHING
    if one.profile is None:
        return one
    return Accounted(
        sampled(one.profile, sampling_probability=rate, neighbors=_NEIGHBORS[relation])
    )


def kind_of(event: Any) -> str:
    """Return the name of an event's class in the table, or of its own."""
    names = [one.__name__ for one in type(event).__mro__]
    return next((name for name in names if name in EVENTS), names[0])


def leaves(event: Any, times: int = 1) -> Iterator[tuple[Any, int]]:
    """Yield the events that a composition is made of, each with its number of times."""
    rule = EVENTS.get(kind_of(event))
    if rule is None or rule.inner is None:
        yield event, times
    else:
        for one, count in rule.inner(event):
            yield from leaves(one, times * count)


def _on_one_sample(event: Any, sampler: str) -> Accounted:
    """Return mechanisms used together on one sample as one noise.

    Gaussian noises of one vector are one of 1/z² = Σ 1/z_i²; of others one only is taken.
    """
    found = [(one, n) for one, n in leaves(event) if n and kind_of(one) != "NoOpDpEvent"]
    kinds = {kind_of(one) for one, _ in found}
    if not found:
        return NOTHING
    if not kinds <= {*_NOISES, "NonPrivateDpEvent"}:
        raise DomainError(
            f"a {sampler} is answered for Gaussian, Laplace and discrete Laplace noise. Compose "
            "other events, or parts of them, on samples of their own."
        )
    if "NonPrivateDpEvent" in kinds:
        return EXPOSED
    if len(found) == 1 and found[0][1] == 1:
        return _noise(found[0][0])
    if kinds != {"GaussianDpEvent"}:
        raise DomainError(
            f"several noises on one {sampler} are answered if all are Gaussian. Compose events on "
            "samples of their own."
        )
    scales = [(_at_least_0(one.noise_multiplier, "noise_multiplier"), n) for one, n in found]
    if not all(scale for scale, _ in scales):
        return EXPOSED
    total = sum((n / scale**2 for scale, n in scales), Fraction(0))
    return Accounted(gaussian_mechanism(sigma=sqrt(Exact(1 / total))))


def _poisson(event: Any, relation: str) -> Accounted:
    rate, inner = Exact(1), event
    while kind_of(inner) == "PoissonSampledDpEvent":  # a sample of a sample
        share = exactly(inner.sampling_probability, name="sampling_probability")
        rate, inner = rate * probability(share, name="sampling_probability"), inner.event
    return _on_sample(_on_one_sample(inner, "Poisson sample"), rate, relation)


def _sizes(event: Any) -> tuple[int, int]:
    n = whole_number(event.source_dataset_size, name="source_dataset_size", at_least=1)
    return whole_number(event.sample_size, name="sample_size", at_least=0), n


def _without_replacement(event: Any, relation: str) -> Accounted:
    m, n = _sizes(event)
    if m > n:
        raise DomainError(f"sample_size={m} is above source_dataset_size={n}. Pass at most that.")
    one, rate = _on_one_sample(event.event, "sample of fixed size"), Exact(Fraction(m, n))
    if m in (0, n) or one.profile is None:
        return _on_sample(one, rate, relation)
    found = sampled(
        one.profile, sampling_probability=rate, neighbors="substitution", batches="fixed_size"
    )
    if relation == REPLACE:
        return Accounted(found, note=found.note)
    return Accounted(found, note="batches of fixed size: an upper bound, that of any replacement")


def _with_replacement(event: Any, relation: str) -> Accounted:
    m, n = _sizes(event)
    one = _on_one_sample(event.event, "sample with replacement")
    if not m or one.profile is None:
        return _on_sample(one, Exact(min(m, 1)), relation)
    found = sampled_with_replacement(one.profile, drawn=m, records=n)  # type: ignore[arg-type] # checked
    return Accounted(found, note="draws with replacement: an upper bound (of any replacement)")


def _truncated(event: Any, relation: str) -> Accounted:
    scale = _at_least_0(event.noise_multiplier, "noise_multiplier")
    rate = exactly(event.sampling_probability, name="sampling_probability")
    found = cut_poisson_sampled(
        gaussian_mechanism(sigma=scale or 1),
        sampling_probability=Exact(rate),
        records=event.dataset_size,
        at_most=event.truncated_batch_size,
        neighbors=_REPLACED[relation],
    )
    if not rate or not event.dataset_size or not event.truncated_batch_size:
        return NOTHING
    if not scale:
        return EXPOSED
    is_cut = event.truncated_batch_size < event.dataset_size
    note = "Poisson samples that are cut to a size: an upper bound" if is_cut else None
    return Accounted(found, note=note)


def _randomized_response(event: Any, relation: str) -> Accounted:
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


def _tree(event: Any, _relation: str) -> Accounted:
    scale = _at_least_0(event.noise_multiplier, "noise_multiplier")
    given = event.step_counts
    steps: Sequence[Any] = given if isinstance(given, Sequence) else [given]
    counts = [whole_number(one, name="step_counts", at_least=0) for one in steps]
    depth = max(counts, default=0).bit_length()
    if not depth:
        return NOTHING
    return Accounted(gaussian_mechanism(sigma=scale), times=depth) if scale else EXPOSED


def _mixture(event: Any, _relation: str) -> Accounted:
    sigma = _at_least_0(event.standard_deviation, "standard_deviation")
    sizes = [_at_least_0(one, "sensitivity") for one in event.sensitivities]
    shares = [_at_least_0(one, "sampling_prob") for one in event.sampling_probs]
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


def _concentrated(event: Any, _relation: str) -> Accounted:
    xi, rho = _at_least_0(event.xi, "xi"), _at_least_0(event.rho, "rho")
    if rho:
        return Accounted(xi=xi, rho=rho)
    if not xi:
        return NOTHING
    # D_a <= ξ at all orders is ξ-privacy, whose worst case is randomized response.
    least = 1 / (1 + Epsilon.rational(xi).exp)
    return Accounted(Pair.from_masses([1 - least, least], [least, 1 - least]))


def _best_of_runs(event: Any, relation: str) -> Accounted:
    parts = []
    for one, times in leaves(event.event):
        rule = EVENTS.get(kind_of(one))
        if rule is None or rule.known is None or relation not in rule.relations:
            raise DomainError(
                f"{kind_of(one)} is not answered for {relation}, so the best of several runs is "
                "not. Account for each run by itself."
            )
        found = rule.known(one, relation)
        if found.is_exposed:
            return EXPOSED
        if found.rho or found.xi:
            raise DomainError("of a zCDP budget no run is known. Give its noise instead.")
        if found.profile is not None:
            parts.append((found.profile, found.times * times))
    shape, mean = event.shape, exactly(event.mean, name="mean")
    runs = Runs.poisson(mean=mean) if shape == inf else _runs_of(shape, mean)
    if not parts:
        return NOTHING
    return Accounted(
        tuning_bound(compose(parts), runs), note="the best of several runs: an upper bound"
    )


def _runs_of(shape: Any, mean: Fraction) -> Runs:
    return Runs.negative_binomial(shape=exactly(shape, name="shape"), mean=mean)


_IN_OR_OUT = (ADD_OR_REMOVE, ZERO_OUT)

EVENTS: Mapping[str, EventRule] = {
    "NoOpDpEvent": EventRule("nothing is told", lambda _event, _relation: NOTHING),
    "NonPrivateDpEvent": EventRule("ε = ∞ and δ = 1", lambda _event, _relation: EXPOSED),
    "UnsupportedDpEvent": EventRule("it says itself that nothing is known of it"),
    "ComposedDpEvent": EventRule(
        "its events together", inner=lambda event: [(one, 1) for one in event.events]
    ),
    "SelfComposedDpEvent": EventRule(
        "its event so many times",
        inner=lambda event: [(event.event, whole_number(event.count, name="count", at_least=1))],
    ),
    "GaussianDpEvent": EventRule("exact", _noisy),
    "LaplaceDpEvent": EventRule("exact", _noisy),
    "DiscreteLaplaceDpEvent": EventRule("exact", _noisy),
    "RandomizedResponseDpEvent": EventRule(
        "exact, any number of buckets", _randomized_response, relations=(REPLACE, ZERO_OUT)
    ),
    "PoissonSampledDpEvent": EventRule(
        "exact: of Gaussian noise, several on one sample too; of one Laplace or discrete Laplace",
        _poisson,
    ),
    "SampledWithoutReplacementDpEvent": EventRule(
        "exact for one step if a record is replaced by any other, else an upper bound: of Gaussian "
        "noise, several on one sample too; of one Laplace or integer noise",
        _without_replacement,
        relations=(REPLACE, ZERO_OUT),
    ),
    "SampledWithReplacementDpEvent": EventRule(
        "an upper bound: of the same noise", _with_replacement, relations=(REPLACE, ZERO_OUT)
    ),
    "TruncatedSubsampledGaussianDpEvent": EventRule(
        "an upper bound, near if few are cut", _truncated
    ),
    "SingleEpochTreeAggregationDpEvent": EventRule(
        "exact: Gaussian noise, once for each node above a record", _tree, relations=(ZERO_OUT,)
    ),
    "MixtureOfGaussiansDpEvent": EventRule("exact for its pair", _mixture, relations=_IN_OR_OUT),
    "ZCDpEvent": EventRule("a bound by Rényi divergences; exact if ρ = 0", _concentrated),
    "RepeatAndSelectDpEvent": EventRule(
        "an upper bound for any scores: the least of published ones", _best_of_runs
    ),
}
"""Each public class of events of dp_accounting, by its name there."""
