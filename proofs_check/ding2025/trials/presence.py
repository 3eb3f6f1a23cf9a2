"""Section 1: the conditions of Section 4, and whether they depend on the users' presence.

Given that all others are present, as in (7)-(9), no ζ is in the law of what they add. Where they
are present at random it is: at x = 1, p = 1/4, q = 1/2, e^ε = 2 beside a fair bit, e^{1/θ} of (21)
is 5 if the other is present, and 11/3 if she is with probability 1/2.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.forms import Relation, Trials, equal, for_all
from exactdp.claims.kinds import integers, objects
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term
from exactdp.claims.verdicts import Falls
from proofs_check.ding2025.bernoulli_user import X_OF_21, growth_over
from proofs_check.ding2025.law import Rest, bernoulli, point
from proofs_check.ding2025.quantities import distance, largest_moment, largest_value
from proofs_check.ding2025.systems import (
    OTHER_LAWS,
    Others,
    System,
    everywhere,
    written_system,
)
from proofs_check.ding2025.trials.lemma_6_proof import request_of_20
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def told_apart(t: Any, V: System, user: int) -> Any:
    """Return a term whose names say how probably the others are present: W has its own."""
    if not isinstance(t, Term):
        return tuple(told_apart(x, V, user) for x in t) if isinstance(t, tuple) else t
    parts = tuple(told_apart(x, V, user) for x in t.parts)
    if t.head != "named":
        return Term(t.head, *parts)
    chances = (Fraction(zeta) for j, zeta in enumerate(V.presence) if j != user)
    name = "_".join((parts[0], *(f"{z.numerator}_{z.denominator}" for z in chances)))
    return Term("named", name, *parts[1:])


@quantity("growth_21 {4} {2} {3} (others_of {0} {1:nat}) {5}", name="growth_21")
def growth_21(
    V: System, user: int, p: Fraction, q: Fraction, exp_epsilon: Fraction, X: tuple[Fraction, ...]
) -> Any:
    """Return e^{1/θ} of (21), which others enter, for one user of a system."""
    others = Rest((V.others_of(user),))
    return told_apart(growth_over.compute(p, q, others, exp_epsilon, X), V, user)


@quantity(
    "all_columns {4} {5} (plus (bernoulli {2}) (others_of {0} {1:nat})) "
    "(plus (bernoulli {3}) (others_of {0} {1:nat}))",
    name="met_20",
)
def met_20(V: System, user: int, p: Fraction, q: Fraction, growth: Fraction, e: Fraction) -> Any:
    """Return 1 if (20) holds for one user of a system, else 0: the others enter it, too."""
    others = Rest((V.others_of(user),))
    return told_apart(request_of_20.compute(p, q, others, growth, e), V, user)


def conditions(
    V: Any,
    W: Any,
    secrets: Any,
    user: Any,
    p: Any,
    q: Any,
    exp_epsilon: Any,
    growth: Any,
    X: Any,
) -> list[Relation]:
    """The conditions ask the same of a system V as of W, with other presence.

    The distance of (10), the values and the moments of (12)-(14), (20) and (21). (16) and (18)
    are written in a user's own P and Q, and in ε alone: no ζ stands there to be read.
    """
    both = [(V, user, p, q), (W, user, p, q)]
    return [
        equal(distance(V, secrets), distance(W, secrets)),
        equal(largest_value(V), largest_value(W)),
        equal(largest_moment(V, growth), largest_moment(W, growth)),
        equal(*(growth_21(*at, exp_epsilon, X) for at in both)),
        equal(*(met_20(*at, growth, exp_epsilon) for at in both)),
    ]


SYSTEM = objects(
    "users in the model of (7)-(9), f(D_-i) the sum of all others' reports",
    condition=lambda V: V.others is Others.ALL_PRESENT,
    coq=("system", "is_system {0}", ""),
    written=written_system,
)
ANOTHER_SYSTEM = replace(
    SYSTEM,
    what="the same users with other probabilities of presence",
    condition=lambda V, W: W.laws == V.laws and W.others is V.others,
    coq=("system", "is_system {0} /\\ same_reports V {0}", ""),
    written=lambda W: written_system(W),
)


def some_presence(others: Others) -> Iterator[tuple[System, System]]:
    """Yield pairs of systems of two users, of whom the second is always, or perhaps, present."""
    for law in (*OTHER_LAWS, point(1), bernoulli("2/3")):
        for zeta in ("1", "1/2", "3/4"):
            laws = bernoulli("1/2"), law
            first = System(laws, (1, 1), Others.ALL_PRESENT)
            yield first, System(laws, (Fraction(1, 2), Fraction(zeta)), others)


def presence(others: Others) -> Cases:
    """Return pairs of systems, with the quantities of the conditions."""
    return cases(
        **{"V W": lambda: some_presence(others)},
        secrets=[((3, 1), (2, 0))],
        user=(0, 1),
        _order=[(Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 4))],
        p=lambda _order: _order[:1],
        q=lambda _order: _order[1:],
        exp_epsilon=[Fraction(2)],
        growth=[Fraction(3)],
        X=lambda V, user: [V.others_of(user).points],
    ).where(lambda V, user, X: any(V.others_of(user)[x - 1] for x in X))


TRIALS["ding2025/section-1/presence"] = {
    "a": for_all(
        everywhere(
            presence(Others.ALL_PRESENT),
            V=SYSTEM,
            W=ANOTHER_SYSTEM,
            secrets=objects("a_i and b_i of each user", coq=("nat -> R * R", "", "")),
            user=integers(0),
            X=X_OF_21,
        ),
        conditions,
        wrong=for_all(presence(Others.PRESENT_AT_RANDOM), conditions),
        proof=theorem("ding2025_other_presence"),
    ),
    "b": for_all(presence(Others.PRESENT_AT_RANDOM), conditions, falls=Falls.REMARK),
}
