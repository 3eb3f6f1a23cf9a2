"""What holds for the hockey-stick divergence of every pair of finite laws.

d(y) = P(y) − γ Q(y) = a − b with a, b its positive and negative part; D_γ is the sum of a.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import nonnegative
from exactdp.claims.cases import cases
from exactdp.claims.domains import Objects, objects, reals
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.proofs import proof
from exactdp.claims.terms import total
from exactdp.testing import probability_vectors

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


def mixed(weights: Sequence[Fraction], parts: Sequence[Law]) -> Law:
    """Return the mixture of laws."""
    return tuple(
        sum((w * m for w, m in zip(weights, column, strict=True)), Fraction(0))
        for column in zip(*parts, strict=True)
    )


def backwards(says: Callable[..., Relation]) -> Callable[..., Relation]:
    """Return the statement with its two sides exchanged."""

    def wrong(**at: Any) -> Relation:
        right = says(**at)
        return Relation(right.sign, right.right, right.left)

    return wrong


def is_law(masses: Sequence[Any]) -> bool:
    """Return whether no mass is negative, and their sum is 1."""
    return bool(min(masses) >= 0 and sum(masses) == 1)


def a_law(size: int) -> Objects:
    """Return the laws on finitely many outcomes, as a kind; those on so many are drawn."""
    return objects("a law on finitely many outcomes", lambda: probability_vectors(size=size))


LAW = a_law(3)

PARTS = objects(
    "pairs of laws, one for each weight",
    lambda: st.tuples(*[st.tuples(*[probability_vectors(size=3)] * 2)] * 3),
)

_PAIRS = laws(3, 3)

POST_PROCESSING = proof(
    nonnegative(
        "at each message y, summed over the inputs x with k = K(x, y): the sum of k a is at least "
        "0 and the sum of k (a - b); summed over y, as K's rows have sum 1, it is D_γ(P ‖ Q)",
        "k a b",
        lambda k, a, b: k * a,
        lambda k, a, b: k * a - k * (a - b),
    ),
)


def post_processing(mu: Law, mu_prime: Law, channel: Sequence[Law], gamma: Fraction) -> Relation:
    """The pair after the channel against the pair itself."""
    seen = finite_pair(mixed(mu, channel), mixed(mu_prime, channel))
    return at_most(hockey_stick(seen, gamma), hockey_stick(finite_pair(mu, mu_prime), gamma))


TRIALS["lemmas/post-processing"] = for_all(
    cases(
        mu=_PAIRS,
        mu_prime=_PAIRS[::3],
        channel=list(product(laws(2, 2), repeat=3))[::4],
        gamma=GAMMAS,
    ).within(
        mu=LAW,
        mu_prime=LAW,
        channel=objects(
            "a law of messages for each outcome",
            lambda: st.tuples(*[probability_vectors(size=2)] * 3),
            condition=lambda channel: all(map(is_law, channel)),
        ),
        gamma=reals(0),
    ),
    post_processing,
    wrong=backwards(post_processing),
    proof=POST_PROCESSING,
)

JOINT_CONVEXITY = proof(
    nonnegative(
        "at each outcome, summed over the parts with weight w: sum of w a is at least 0 and at "
        "least sum of w (a - b)",
        "w a b",
        lambda w, a, b: w * a,
        lambda w, a, b: w * a - w * (a - b),
    ),
)


def joint_convexity(
    parts: Sequence[tuple[Law, Law]], weights: Law, gamma: Fraction, share: Fraction = Fraction(1)
) -> Relation:
    """The mixtures against the mean of the parts."""
    p, q = (mixed(weights, [part[side] for part in parts]) for side in (0, 1))
    each = [
        w * hockey_stick(finite_pair(*part), gamma) for w, part in zip(weights, parts, strict=True)
    ]
    return at_most(hockey_stick(finite_pair(p, q), gamma), share * total(each))


TRIALS["lemmas/joint-convexity"] = for_all(
    cases(
        parts=list(product(product(laws(2, 2), repeat=2), repeat=2)),
        weights=laws(2, 3),
        gamma=GAMMAS,
    ).within(parts=PARTS, weights=LAW, gamma=reals(0)),
    joint_convexity,
    wrong=partial(joint_convexity, share=Fraction(1, 2)),
    proof=JOINT_CONVEXITY,
)

MONOTONE_IN_EPSILON = proof(
    nonnegative(
        "at each outcome P - γ Q - (P - (γ + t) Q) = t Q is at least 0, and max(0, .) keeps order",
        "p q g t",
        lambda p, q, g, t: (p - g * q) - (p - (g + t) * q),
    ),
)


def monotone(mu: Law, mu_prime: Law, gamma: Fraction, more: Fraction) -> Relation:
    """The divergence at a larger γ against that at γ."""
    pair = finite_pair(mu, mu_prime)
    return at_most(hockey_stick(pair, gamma + more), hockey_stick(pair, gamma))


TRIALS["lemmas/monotone-in-epsilon"] = for_all(
    cases(
        mu=_PAIRS, mu_prime=_PAIRS, gamma=GAMMAS, more=[Fraction(i, 2) for i in (0, 1, 2)]
    ).within(mu=LAW, mu_prime=LAW, gamma=reals(0), more=reals(0)),
    monotone,
    wrong=backwards(monotone),
    proof=MONOTONE_IN_EPSILON,
)
