"""Theorem 2 as it is meant, where all users answer by binary randomized response."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.kinds import objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function
from exactdp.testing import fractions
from exactdp.testing.later import st
from proofs_check.lemmas.theorems import theorem
from proofs_check.liu2024.theorems import Profile, breakpoints, equation_5, responding

TRIALS: Trials = {}

Others = Sequence[tuple[Fraction, int]]
"""e^ε and the input of each other user."""


def _users(first: Any, others: Others) -> Profile:
    """Return user 1, the victim, and all others."""
    return responding((first, *(x for x, _ in others)), [v for _, v in others])


@quantity("Rmax (victim_apart {0} 0 {1} {2}) (victim_apart {0} 1 {1} {2})", name="delta")
def true_delta(exp_epsilon1: Any, others: Others, exp_epsilon: Any) -> Term:
    """Return the least δ for these inputs of the others, over both directions."""
    return _users(exp_epsilon1, others).delta(exp_epsilon)


@quantity("(largest_five {0} {1} {2})", name="delta_s")
def largest_five(exp_epsilon1: Any, others: Others, exp_epsilon: Any) -> Term:
    """Return (5) at its best t, as a divergence of the counts of both letters."""
    return _users(exp_epsilon1, others).bound(exp_epsilon)


@quantity("(five {0} {1} {2} {3})", name="delta_t")
def five(exp_epsilon1: Any, others: Others, exp_epsilon: Any, t: Any) -> Term:
    """Return (5) at t, with sums from i = 0."""
    w, shares = _users(exp_epsilon1, others).probabilities()
    return equation_5(shares, t, w=w, exp_epsilon=exp_epsilon, first=0)


def responses(exp_epsilon1: Any, others: Any, exp_epsilon: Any, t: Any) -> list[Relation]:
    """The true δ is at most (5) at its best t, and no other t gives more."""
    largest = largest_five(exp_epsilon1, others, exp_epsilon)
    return [
        at_most(true_delta(exp_epsilon1, others, exp_epsilon), largest),
        at_most(five(exp_epsilon1, others, exp_epsilon, t), largest),
    ]


def responses_without(exp_epsilon1: Any, others: Others, exp_epsilon: Any, **_: Any) -> Relation:
    """False: the true δ is at most the largest value of (5) with sums from i = 1."""
    profile = _users(exp_epsilon1, others)
    w, shares = profile.probabilities()
    steps = breakpoints(1 + len(others))
    values = [equation_5(shares, t, w=w, exp_epsilon=exp_epsilon) for t in steps]
    return at_most(profile.delta(exp_epsilon), function("max", *values))


def _tied() -> list[tuple[Fraction, Others]]:
    """Return users who answer alike: also with ties, and larger ε_i."""
    ratios = [(2, 1), (3, 2), (5, 2), (5, 3), (3, 2, 2), (5, 3, 2), (5, 2, 2), (3, 3), (2, 3)]
    return [
        (Fraction(first), tuple((Fraction(x), v) for x, v in zip(rest, inputs, strict=True)))
        for first, *rest in [*ratios, (3, 3, 5)]
        for inputs in product((0, 1), repeat=len(rest))
    ]


TRIALS["liu2024/repair/theorem-2-randomized-response"] = for_all(
    cases(
        exp_epsilon1__others=_tied(),
        exp_epsilon=(Fraction(5, 4), Fraction(2), Fraction(3)),
        t=lambda others: breakpoints(1 + len(others))[:2],
    ).within(
        exp_epsilon1=reals(1),
        others=objects(
            "e^ε >= 1 and the input of each other user",
            lambda: st.lists(
                st.tuples(fractions(1, 6, max_denominator=3), st.integers(0, 1)), max_size=3
            ).map(tuple),
            condition=lambda others: all(x >= 1 and v in (0, 1) for x, v in others),
            coq=("list (R * nat)", "Forall is_user {0}", ""),
        ),
        exp_epsilon=reals(1),
        t=reals(0),
    ),
    responses,
    wrong=responses_without,
    proof=theorem("liu2024_responses"),
)
