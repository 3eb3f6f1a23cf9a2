r"""Groups of k records: noise moved further, compositions of groups, and implied profiles.

A group of k takes a chain of neighbors S_0, ..., S_k. Of a composition each part sees a chain, of
which one link at most has the part's profile: so part i of S_0 and S_k is dominated by the worst of
its groups, whatever came before, and pairs that dominate compose. The product of the chains that
attain the parts' groups attains it: it is a composition of such parts. The group of the composed
profile is more, or the same: a chain with that profile need not be a product.

Where only D_a <= ρa is known of a link, the links of a group of k have D_a <= k²ρa. For let D_a
of two successive pairs be at most ra and sa. By Hölder, with λ = a − 1, t > 0 and p = 1 + t,

    D_a(P ‖ R) <= (λ + ta)(ra/λ + s/t) = ra + λs/t + ta²r/λ + as,

which is a(√r + √s)² at t = (λ/a)√(s/r): roots of ρ add up, as the shifts of Gaussian noise do.

References: J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022, Theorem 2.14; Y. Zhu,
J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via Characteristic Function,
2022 (pairs that dominate compose); M. Bun and T. Steinke, Concentrated Differential Privacy, 2016
(groups of k are k²ρ-zCDP).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.groups.group_curve import GroupCurve
from exactdp.accounting.groups.powers_of_tests import group_of_finite
from exactdp.divergences import AddOrRemove, FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.profile import Named
from exactdp.divergences.worst import NOTHING, Worst
from exactdp.numbers import count_text, refuse_above
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.effort import answers
from exactdp.numbers.validated import validated

__all__ = ["group_profile"]

_LARGEST = 1_000
"""The largest group: a curve of enclosures has thousands of pieces already."""


@validated
def group_profile(profile: PrivacyProfile, size: int) -> PrivacyProfile:
    """Return the profile for groups of k records, k steps of neighbors apart.

    Formula:
        1 − (1 − f)∘...∘(1 − f), k times, is the trade-off function for k records, f that for one.

    Meaning:
        All steps are in the direction of the profile. It is an upper bound for each mechanism
        with this profile, and one of them attains it. More is known, and less is enough,

        - of a composition: that of the groups of its parts, which a composition of such parts
          attains. The formula for the composed profile is for all mechanisms that have it, and at
          least that: ``GroupCurve(profile, k)``. Where ``compose`` takes a direction for all
          parts together (:func:`add_or_remove`), it is the formula for both directions.
        - of Laplace noise whose result is folded or drawn again: inputs k times as far apart.
        - of symmetric log-concave noise on a Poisson sample, of integers too: k records of which
          each is drawn by itself, J ~ Binomial(k, q) of them at a time (user-level DP-SGD).
        - of ρ-zCDP: k²ρ-zCDP, which says of any number of releases what their sum says; below,
          Gaussian noise that is ρ-zCDP, k times as far apart. (The formula for the curve of ρ-zCDP
          is another upper bound, of up to a few percent less.)

        Of one with an (ε, δ) alone take ``guarantee(epsilon, delta)``: that is at most
        :func:`group_privacy`.

    Args:
        profile: The profile for one record.
        size: k, from 0 to 1,000.

    Returns:
        Of noise, or the exponential mechanism, that of k times the sensitivity, which is what the
        formula says; of noise on Poisson samples the mixture of shifts; of finite pairs the exact
        pair, where it is not too long; of a composition one; of a ``Sandwich`` one; of all else a
        :class:`GroupCurve` of certified enclosures.

    Raises:
        DomainError: If size is no such number.
        TooLargeError: If it is too large.

    Source:
        Dong, Roth & Su 2022, Theorem 2.14.

    Example:
        Two records of (ln 3)-privacy: F(α) is 3α up to 1/4, then 1 − (1 − α)/3, and F(F(α)) has
        the slopes 9, 1 and 1/9. So δ(ln 3) is 3/4 − 3/12, where that of (ln 9)-privacy is 6/10.

        >>> from exactdp.numbers import Epsilon
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> group_profile(coin, 2).masses()[0]
        (Exact('1/12'), Exact('3/4'))
        >>> group_profile(coin, 2).delta(Epsilon.log(3))
        Exact('1/2')
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> noise = group_profile(gaussian_mechanism(sigma=2), 3)
        >>> noise.sigma, noise.sensitivity
        (Exact('2'), Exact('3'))
    """
    count = whole_number(size, name="size", at_least=0)
    refuse_above(_LARGEST, count, f"size={count_text(count)}", advice="Ask for a smaller group.")
    if count == 0:
        return Pair.from_masses([1], [1])
    return profile if count == 1 else _group(profile, count)


def _group(profile: PrivacyProfile, size: int) -> PrivacyProfile:
    """Return the group profile of a mechanism's profile."""
    if profile.composed_of():
        return compose([(_part(part, size), times) for part, times in profile.composed_of()])
    if profile.is_directed:
        return AddOrRemove((_group(profile.toward(0), size), _group(profile.toward(1), size)))
    if profile.adds_divergences and (above := profile.moved(size)) is not None:
        said, noise = profile.cases()[0].words, profile.cases()[0].profile.moved(size)
        assert noise is not None
        words = f"{said}, groups of {size}"
        return Worst((Named(words, noise),), (Named("all that keeps that of groups", above),))
    return _implied(profile, size)


def _part(profile: PrivacyProfile, size: int) -> PrivacyProfile:
    """Return the groups of a part: of a guarantee by ρ another one, as their divergences add."""
    moved = profile.moved(size)
    return _group(profile, size) if moved is None else moved


def _implied(profile: PrivacyProfile, size: int) -> PrivacyProfile:
    """Return the groups of the worst of all mechanisms with a profile."""
    moved = profile.moved(size)
    if moved is not None:
        return moved
    if profile.is_between:

        def grouped(x: Named) -> Named:
            return replace(x, words=f"{x.words}, groups", profile=_implied(x.profile, size))

        return profile.lifted(grouped)
    if profile.has_losses:
        for _, found in answers(partial(group_of_finite, cast("FiniteProfile", profile)), [size]):
            return found  # else there are certified enclosures
    curve = GroupCurve(profile, size)
    if profile.reached == "pair":
        return curve
    cases = profile.cases() or (NOTHING,)
    below = profile.cases_apart(size)
    if not below and profile.has_all_pairs:
        below = tuple(replace(x, profile=_implied(x.profile, size)) for x in cases)
    elif not below:  # who differs in one record differs in at most k
        below = tuple(replace(x, words=f"{x.words}, one record") for x in cases)
    return Worst(below, (Named(f"groups of {size} of the worst of all", curve),))
