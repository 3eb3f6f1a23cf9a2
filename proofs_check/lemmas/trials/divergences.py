"""Laws of the hockey-stick divergence, for every pair of finite laws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.kinds import reals
from proofs_check.lemmas.quantities import (
    CHANNEL,
    LAW,
    PAIRS,
    WEIGHTS,
    after,
    divergence,
    divergence_of_messages,
    mean_divergence,
    mixed_pair_divergence,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

Law = tuple[Fraction, ...]

GAMMAS = [Fraction(x) for x in ("2", "3/2", "1", "1/2", "0")]


def laws(outcomes: int, denominator: int) -> list[Law]:
    """Return all laws on so many outcomes with this denominator.

    Example:
        >>> [tuple(map(str, law)) for law in laws(2, 2)]
        [('0', '1'), ('1/2', '1/2'), ('1', '0')]
    """
    return [
        tuple(Fraction(w, denominator) for w in weights)
        for weights in product(range(denominator + 1), repeat=outcomes)
        if sum(weights) == denominator
    ]


def backwards(says: Callable[..., Relation]) -> Callable[..., Relation]:
    """Return the statement with its two sides exchanged."""

    def wrong(**at: Any) -> Relation:
        right = says(**at)
        return Relation(right.sign, right.right, right.left)

    return wrong


_PAIRS = laws(3, 3)


def post_processing(mu: Law, mu_prime: Law, channel: Sequence[Law], gamma: Fraction) -> Relation:
    """Compare the pair after the channel with the pair itself."""
    seen = divergence_of_messages(after(mu, channel), after(mu_prime, channel), gamma)
    return at_most(seen, divergence(mu, mu_prime, gamma))


TRIALS["lemmas/post-processing"] = POST_PROCESSING = for_all(
    cases(
        mu=_PAIRS,
        mu_prime=_PAIRS[::3],
        channel=list(product(laws(2, 2), repeat=3))[::4],
        gamma=GAMMAS,
    ).within(
        mu=LAW,
        mu_prime=LAW,
        channel=CHANNEL,
        gamma=reals(0),
    ),
    post_processing,
    wrong=backwards(post_processing),
    proof=theorem("lemmas_post_processing"),
)


def joint_convexity(
    parts: Sequence[tuple[Law, Law]], weights: Law, gamma: Fraction, share: Fraction = Fraction(1)
) -> Relation:
    """Compare the mixtures with the mean of the parts."""
    each = mean_divergence(weights, parts, gamma)
    bound = each if share == 1 else share * each
    return at_most(mixed_pair_divergence(weights, parts, gamma), bound)


TRIALS["lemmas/joint-convexity"] = JOINT_CONVEXITY = for_all(
    cases(
        parts=list(product(product(laws(2, 2), repeat=2), repeat=2)),
        weights=laws(2, 3),
        gamma=GAMMAS,
    ).within(weights=WEIGHTS, parts=PAIRS, gamma=reals(0)),
    joint_convexity,
    wrong=partial(joint_convexity, share=Fraction(1, 2)),
    proof=theorem("lemmas_joint_convexity"),
)


def monotone(mu: Law, mu_prime: Law, gamma: Fraction, more: Fraction) -> Relation:
    """Compare the divergence at a larger γ with that at γ."""
    at = divergence(mu, mu_prime, gamma)
    return at_most(divergence(mu, mu_prime, gamma + more), at)


TRIALS["lemmas/monotone-in-epsilon"] = MONOTONE_IN_EPSILON = for_all(
    cases(
        mu=_PAIRS, mu_prime=_PAIRS, gamma=GAMMAS, more=[Fraction(i, 2) for i in (0, 1, 2)]
    ).within(mu=LAW, mu_prime=LAW, gamma=reals(0), more=reals(0)),
    monotone,
    wrong=backwards(monotone),
    proof=theorem("lemmas_monotone_in_epsilon"),
)
