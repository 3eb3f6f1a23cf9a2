"""Composition by the best route: a list of profiles to the profile of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import cast

from exactdp.accounting.composition.adaptive_ranges import (
    MOST_CHOICES,
    MOST_TO_WIDTH,
    AdaptiveRanges,
)
from exactdp.accounting.composition.alternatives import between_alternatives, same_each_time
from exactdp.accounting.composition.certified_composition import (
    CertifiedComposition,
    compose_certified,
)
from exactdp.accounting.composition.composed_randomized_response import (
    as_randomized_response,
)
from exactdp.accounting.composition.exact_composition import compose_exactly, is_soon_composed
from exactdp.accounting.composition.near_laws import compose_near
from exactdp.accounting.composition.parts import composed_parts, parted
from exactdp.accounting.composition.renyi_sums import compose_guarantees
from exactdp.divergences import AddOrRemove, FiniteProfile, Largest, PrivacyProfile, Worst
from exactdp.divergences.profile import Named
from exactdp.mechanisms import BoundedRange, GaussianMechanism
from exactdp.mechanisms.loss_profile import LossProfile
from exactdp.numbers import Exact, Number, sqrt
from exactdp.numbers.effort import NO_ANSWER, answers, first_answer

__all__ = ["compose"]

_Parts = Sequence[tuple[PrivacyProfile, int]]

_MOST = 8
"""Pairs of a part that is the worst of them, at most, each of which is composed with the rest."""


def compose(parts: Iterable[tuple[PrivacyProfile, int]]) -> PrivacyProfile:
    """Return the profile of independent mechanisms or pairs used together.

    Meaning:
        One ordered pair: the worst case over neighbors takes both directions. Where a part is in
        both (:class:`AddOrRemove`), so is the composition: data choose the direction once, for all
        parts; what is given as one pair is the same in both. Where a part is the worst of several
        pairs in a direction, an analyst chooses among them anew in each step, knowing the steps
        before; of one such step beside parts that are pairs the pair is fixed beforehand, which
        the ``note`` says.

    Args:
        parts: (profile, times): profiles, each with its number of copies, at least 0.

    Returns:
        Copies of one binary randomized response as :class:`ComposedRandomizedResponse`, up
        to 10^10 of them. Other finite laws exactly, as a :class:`PrivacyLossDistribution`,
        where that is feasible. Gaussian mechanisms as one, which they are. What stands alone
        is itself. All else with certified enclosures: by the laws of the losses, or, where a part
        is known by its δ alone, between finite pairs (:class:`CertifiedComposition`). Exponential
        mechanisms of one range as :class:`AdaptiveRanges`. Where another part is the worst of
        several pairs, a ``Sandwich``: the same pair for all of its copies, and pairs
        that dominate all of them.

    Raises:
        DomainError: If parts are not a list of profiles and numbers.
        TooLargeError: If there are too many copies.

    Example:
        Two coins with loss ±ln 3, then a pair that fails outright half of the time:

        >>> from exactdp.divergences import Pair
        >>> from exactdp.numbers import Epsilon
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> compose([(coin, 2)]).delta(Epsilon.log(2))
        Exact('7/16')
        >>> failure = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> compose([(coin, 2), (failure, 1)]).infinity_mass()
        Exact('1/2')
    """
    listed = [(x, k) for x, k in composed_parts(parts) if k and not x.tells_nothing]
    alone = listed[0][0] if [times for _, times in listed] == [1] else None
    if alone is not None and (alone.is_directed or alone.reached != "pair"):
        return alone
    if not any(part.is_directed for part, _ in listed):
        return _in_one_direction(listed)
    removed, added = (
        _in_one_direction([(part.toward(side), times) for part, times in listed]) for side in (0, 1)
    )
    return AddOrRemove((removed, added))


def _in_one_direction(parts: _Parts) -> PrivacyProfile:
    given = _without_nests(parts)
    found = _composed(given)
    return found.made_of(given) if sum(times for _, times in given) > 1 else found


def _composed(parts: _Parts) -> PrivacyProfile:
    given = _with_choices(parts)
    if any(part.adds_divergences for part, _ in given):
        used = [(part.as_finite(), times) for part, times in given]
        # A part may fail in a way that no divergence tells: between curves, as any other one.
        return first_answer(
            partial(compose_guarantees, used, compose),
            partial(between_alternatives, used, _as_pairs),
            refusals=NO_ANSWER,
        )
    worst = [(part, times) for part, times in given if part.reached != "pair"]
    if worst and sum(times for _, times in given) > 1:
        pairs = _listed(worst[0][0]) if [times for _, times in worst] == [1] else ()
        if 0 < len(pairs) <= _MOST:  # of one mechanism the pair is what it is, fixed beforehand
            others = [one for one in parts if one[0] is not worst[0][0]]
            return Largest(tuple(compose([(pair, 1), *others]) for pair in pairs), is_fixed=True)
        return between_alternatives(given, _as_pairs)
    found = _as_pairs(given)
    if parts is given:
        return found
    tried = same_each_time(parts)
    return Worst((Named("", found),), tried=tried, parts=tuple(parts), is_taken_apart=True)


def _listed(part: PrivacyProfile) -> tuple[PrivacyProfile, ...]:
    """Return all pairs that a part is the worst of; none where more may be worse, or bounds are."""
    if not part.has_all_pairs:
        return ()
    found: list[PrivacyProfile] = []
    for one in part.worst_of():
        inner = (one,) if one.reached == "pair" else _listed(one)
        if not inner:
            return ()
        found += inner
    return tuple(found)


def _without_nests(given: _Parts) -> _Parts:
    """Return parts with the parts of those that are composed of guarantees by Rényi divergences.

    Of a sum of them the divergences are known; of what it implies they would be found once more.
    So is what an analyst reaches who chooses among mechanisms of one range.
    """
    found: list[tuple[PrivacyProfile, int]] = []
    for part, times in given:
        inner = part.composed_of()
        if not (part.is_taken_apart or any(one.adds_divergences for one, _ in inner)):
            inner = [(part, 1)]
        found += [(one, count * times) for one, count in inner]
    return found


def _with_choices(given: _Parts) -> _Parts:
    """Return parts with the exponential mechanisms of one range as one: their adaptive optimum.

    The analyst runs them last, knowing all else: they have the δ of one pair then.
    """
    choices, rest = parted(given, BoundedRange)
    total = sum(times for _, times in choices)
    most = MOST_TO_WIDTH if rest else MOST_CHOICES
    if len({part for part, _ in choices}) != 1 or total > most or (total == 1 and not rest):
        return given
    one = choices[0][0]
    if one.size > 300:  # nats, whose exponential times others may be no double
        return given
    last = LossProfile(one.loss_law()) if total == 1 else AdaptiveRanges(one.size, total)
    return [(last, 1), *rest]


def _as_pairs(given: _Parts) -> PrivacyProfile:
    """Return the composition of parts, each of which has the δ of one pair."""
    copies = [(*part.as_finite().copies(), times) for part, times in given]
    used = [(part, count * times) for part, count, times in copies]
    others = [one for one in used if one[0].has_laws_near or one[0].has_loss_laws]
    if len(others) < len(used) and sum(times for _, times in used) > 1:
        curves = [one for one in used if not (one[0].has_laws_near or one[0].has_loss_laws)]
        return CertifiedComposition((*curves, *([(_as_pairs(others), 1)] if others else [])))
    if any(part.has_laws_near for part, _ in used):
        if [times for _, times in used] == [1]:
            return used[0][0]
        return compose_near(used)
    if len(used) == 1:
        part, times = used[0]
        if part.has_losses:
            found = as_randomized_response(cast("FiniteProfile", part), times)
            if found is not None and not part.note:
                return found
        elif times == 1:
            return part
    finite = [(cast("FiniteProfile", part), k) for part, k in used]
    if all(part.has_losses for part, _ in used) and is_soon_composed(finite):
        for _, exact in answers(compose_exactly, [finite]):
            return exact  # else there are certified enclosures
    normal, rest = parted(used, GaussianMechanism)
    if len(used) == 1 and normal and normal[0][0].note:
        return normal[0][0].composed(normal[0][1])  # which leaves the same open
    if not normal or any(part.note for part, _ in normal):
        return compose_certified(used)
    one = _one_gaussian(normal)
    return compose_certified([(one, 1), *rest]) if rest else one


def _one_gaussian(parts: Sequence[tuple[GaussianMechanism, int]]) -> GaussianMechanism:
    """Return one mechanism with the loss of all: losses are normal, so μ² = (Δ/σ)² adds."""
    total: Number = Exact(0)
    for part, times in parts:
        total = total + times * (part.sensitivity / part.sigma) ** 2
    return GaussianMechanism(1 / sqrt(total), Exact(1))
