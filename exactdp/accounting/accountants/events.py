"""The events of dp-accounting, and the profile of each: one table, which imports nothing of it.

A rule takes an event and the relation of neighbors, by its name there, to what is
:class:`Accounted` of it; a DomainError says why nothing is. ``docs/howto/accountant.md`` has the
table for readers.

Reference: dp-accounting 0.6, ``dp_event.py``, ``privacy_accountant.py`` (NeighboringRelation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

from exactdp.accounting.accountants.accounted import (
    ADD_OR_REMOVE,
    EXPOSED,
    NOISES,
    NOTHING,
    REPLACE,
    REPLACED,
    ZERO_OUT,
    Accounted,
    UnansweredError,
    Used,
    concentrated,
    discrete_gaussian,
    exponential,
    mixture,
    noise,
    noisy,
    on_sample,
    permute_and_flip,
    promised,
    randomized_response,
    tree,
)
from exactdp.accounting.accountants.doubles_out import at_least_0, exactly
from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.sampling.batches import sampled
from exactdp.accounting.sampling.random_batches import cut_poisson_sampled, sampled_with_replacement
from exactdp.accounting.selection.best_curve import BestOfRuns
from exactdp.accounting.selection.runs import Runs
from exactdp.accounting.selection.tuning import tuning_bound
from exactdp.errors import DomainError
from exactdp.mechanisms.gaussian import GaussianMechanism, gaussian_mechanism
from exactdp.mechanisms.laplace import LaplaceMechanism
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.arguments import probability, whole_number
from exactdp.numbers.effort import NO_ANSWER, first_answer

__all__ = ["EVENTS", "EventRule", "kind_of", "known_of", "leaves"]

_WIDTH = Fraction(1, 10**3)
"""The relative width of a δ in a bound of the best of several runs."""


@dataclass(frozen=True, slots=True)
class EventRule:
    """The accounting of an event.

    Attributes:
        says: What the answer is, or why there is none.
        known: What is known, a function of the event and the relation; None if there is no
            answer, or the event is a composition.
        inner: The events of a composition with their numbers of times, a function of it.
        relations: The relations of neighbors for which there is an answer.
        is_sampled: Whether it may be used on a sample: it names no data set of its own, and a
            record that is not there is nothing special.
    """

    says: str
    known: Callable[[Any, str], Accounted] | None = None
    inner: Callable[[Any], Iterable[tuple[Any, int]]] | None = None
    relations: tuple[str, ...] = (ADD_OR_REMOVE, REPLACE, ZERO_OUT)
    is_sampled: bool = True


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


def known_of(event: Any, relation: str) -> Accounted:
    """Return the knowledge of an event that is no composition.

    Raises:
        UnansweredError: If there is no answer.
        DomainError: If a parameter is outside of its range.
    """
    kind = kind_of(event)
    rule = EVENTS.get(kind)
    if rule is None:
        raise UnansweredError(f"{kind} is not known.")
    if rule.known is None:
        raise UnansweredError(f"{kind} is not answered: {rule.says}.")
    if relation not in rule.relations:
        known = " or ".join(rule.relations)
        raise UnansweredError(f"{kind} is answered for {known}, not {relation}.")
    return rule.known(event, relation)


def _on_one_sample(event: Any, relation: str, sampler: str) -> Accounted:
    """Return mechanisms used together on one sample as one, calibrated as noise is.

    Where a record is replaced, several of different noise are calibrated to that already.
    """
    found: list[tuple[Accounted, int]] = []
    for one, times in leaves(event):
        kind = kind_of(one)
        if kind in NOISES:
            found.append((noise(one), times))
            continue
        rule = EVENTS.get(kind)
        if rule is not None and not rule.is_sampled:
            raise UnansweredError(f"{kind} is not answered on a {sampler}.")
        known = known_of(one, relation)
        if relation == REPLACE and (known.profile or known.curve):
            raise UnansweredError(
                f"a {sampler}, a record of which is replaced, is answered for noise alone."
            )
        found.append((known, times))
    return Used(found).as_one()


def _poisson(event: Any, relation: str) -> Accounted:
    rate, inner = Exact(1), event
    while kind_of(inner) == "PoissonSampledDpEvent":  # a sample of a sample
        share = exactly(inner.sampling_probability, name="sampling_probability")
        rate, inner = rate * probability(share, name="sampling_probability"), inner.event
    return on_sample(_on_one_sample(inner, relation, "Poisson sample"), rate, relation)


def _sizes(event: Any) -> tuple[int, int]:
    n = whole_number(event.source_dataset_size, name="source_dataset_size", at_least=1)
    return whole_number(event.sample_size, name="sample_size", at_least=0), n


def _without_replacement(event: Any, relation: str) -> Accounted:
    m, n = _sizes(event)
    if m > n:
        raise DomainError(f"sample_size={m} is above source_dataset_size={n}. Pass at most that.")
    one = _on_one_sample(event.event, REPLACE, "sample of fixed size")
    if m in (0, n) or one.profile is None:
        return on_sample(one, Exact(m // n), relation)
    noisy = one.profile
    if not noisy.is_noise:  # several of different noise, each for a record in the place of another
        noisy = compose([(part.moved(2) or part, k) for part, k in noisy.composed_of()])
    rate = Exact(Fraction(m, n))
    found = sampled(
        noisy, sampling_probability=rate, neighbors="substitution", batches="fixed_size"
    )
    if relation == REPLACE:
        return Accounted(found, note=found.note)
    return Accounted(found, note="batches of fixed size: an upper bound, that of any replacement")


def _with_replacement(event: Any, relation: str) -> Accounted:
    m, n = _sizes(event)
    one = _on_one_sample(event.event, REPLACE, "sample with replacement")
    if not m or one.profile is None:
        return on_sample(one, Exact(min(m, 1)), relation)
    if not isinstance(one.profile, GaussianMechanism | LaplaceMechanism):
        raise UnansweredError(
            "a sample with replacement is answered for Gaussian noise, or one Laplace noise."
        )
    found = sampled_with_replacement(one.profile, drawn=m, records=n)
    return Accounted(found, note="draws with replacement: an upper bound (of any replacement)")


def _truncated(event: Any, relation: str) -> Accounted:
    scale = at_least_0(event.noise_multiplier, "noise_multiplier")
    rate = exactly(event.sampling_probability, name="sampling_probability")
    found = cut_poisson_sampled(
        gaussian_mechanism(sigma=scale or 1),
        sampling_probability=Exact(rate),
        records=event.dataset_size,
        at_most=event.truncated_batch_size,
        neighbors=REPLACED[relation],
    )
    if not rate or not event.dataset_size or not event.truncated_batch_size:
        return NOTHING
    if not scale:
        return EXPOSED
    is_cut = event.truncated_batch_size < event.dataset_size
    note = "Poisson samples that are cut to a size: an upper bound" if is_cut else None
    return Accounted(found, note=note)


def _best_of_runs(event: Any, relation: str) -> Accounted:
    mean, shape = exactly(event.mean, name="mean"), None
    if event.shape != inf:
        shape = at_least_0(event.shape, "shape")
        if mean < 1:
            raise DomainError(f"mean={event.mean} is below 1. Pass the mean number of runs.")
    used = Used([(known_of(one, relation), times) for one, times in leaves(event.event)])
    whole = used.as_one()
    if whole in (NOTHING, EXPOSED) or (mean == 1 and shape is not None):  # one run
        return whole
    runs: Runs = Runs.poisson(mean=mean)
    if shape is not None:
        runs = Runs.negative_binomial(shape=shape, mean=mean)
    found, curve = None, None
    if whole.profile is not None:
        ask = partial(tuning_bound, whole.profile, runs)
        found = first_answer(ask, lambda: None, refusals=NO_ANSWER)
    bounds = used.bounds()
    if bounds.infinity_mass() == Exact(0) and mean >= 1:

        def delta(at: Epsilon, width: Fraction) -> Fraction:
            known = used.spent(max(width, _WIDTH)).bound_of_delta(at)
            return Fraction(1) if known is None else known

        curve = BestOfRuns(bounds, runs, delta)
    if found is None and curve is None:
        raise UnansweredError("no bound is known of the best of runs of which only bounds are.")
    note = "the best of several runs: an upper bound" if found is not None else None
    return Accounted(found, curve=curve, note=note)


_IN_OR_OUT = (ADD_OR_REMOVE, ZERO_OUT)

EVENTS: Mapping[str, EventRule] = {
    "NoOpDpEvent": EventRule(
        "nothing is released: ε = 0 and δ = 0", lambda _event, _relation: NOTHING
    ),
    "NonPrivateDpEvent": EventRule("ε = ∞ and δ = 1", lambda _event, _relation: EXPOSED),
    "UnsupportedDpEvent": EventRule("it says itself that nothing is known of it"),
    "ComposedDpEvent": EventRule(
        "its events together", inner=lambda event: [(one, 1) for one in event.events]
    ),
    "SelfComposedDpEvent": EventRule(
        "its event so many times",
        inner=lambda event: [(event.event, whole_number(event.count, name="count", at_least=1))],
    ),
    **{name: EventRule("exact", noisy) for name in NOISES},
    "RandomizedResponseDpEvent": EventRule(
        "exact, any number of buckets",
        randomized_response,
        relations=(REPLACE, ZERO_OUT),
        is_sampled=False,
    ),
    "PoissonSampledDpEvent": EventRule(
        "exact: of any events together, for one record more or less; of one noise, or Gaussian "
        "noises, if a record is replaced; a bound if only Rényi divergences are known",
        _poisson,
    ),
    "SampledWithoutReplacementDpEvent": EventRule(
        "exact for one step if a record is replaced by any other, else an upper bound: of Gaussian "
        "noise, several on one sample too; of one Laplace or integer noise",
        _without_replacement,
        relations=(REPLACE, ZERO_OUT),
        is_sampled=False,
    ),
    "SampledWithReplacementDpEvent": EventRule(
        "an upper bound: of the same noise",
        _with_replacement,
        relations=(REPLACE, ZERO_OUT),
        is_sampled=False,
    ),
    "TruncatedSubsampledGaussianDpEvent": EventRule(
        "an upper bound, near if few are cut", _truncated, is_sampled=False
    ),
    "SingleEpochTreeAggregationDpEvent": EventRule(
        "exact: Gaussian noise, once for each node above a record",
        tree,
        relations=(ZERO_OUT,),
        is_sampled=False,
    ),
    "MixtureOfGaussiansDpEvent": EventRule("exact for its pair", mixture, relations=_IN_OR_OUT),
    "ZCDpEvent": EventRule("a bound by Rényi divergences; exact if ρ = 0", concentrated),
    "RepeatAndSelectDpEvent": EventRule(
        "an upper bound for any scores: the least of published ones; exact for one run",
        _best_of_runs,
    ),
    "EpsilonDeltaDpEvent": EventRule("exact for the worst of all with this promise", promised),
    "ExponentialMechanismDpEvent": EventRule("exact for the worst of all scores", exponential),
    "PermuteAndFlipDpEvent": EventRule(
        "exact for the worst of all scores, an upper bound of several uses",
        permute_and_flip,
        relations=_IN_OR_OUT,
    ),
    "DiscreteGaussianDpEvent": EventRule(
        "exact for one coordinate, else a bound by Rényi divergences", discrete_gaussian
    ),
}
"""Each public class of events of dp_accounting, by its name there; the last four are not in 0.6."""
