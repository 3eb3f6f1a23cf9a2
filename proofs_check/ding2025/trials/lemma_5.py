"""Section 4.4.1: Lemma 5, the displays of its proof, and the relaxed condition (20).

With C the cumulative distribution of f(D_{-i}), an integer, and s = p or q:

    F_{X|S}(x) = (1 − s) C(x) + s C(x − 1),

so that all displays are identities in p, q and neighboring values of C. A display is a
function of :class:`~proofs_check.ding2025.bernoulli_user.Parts` and x', written once for
terms and for symbols.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.claim import Statement
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    below,
    equal,
    for_all,
)
from exactdp.claims.kinds import objects
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, term
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025.bernoulli_user import (
    BASES,
    INTEGER,
    LESS,
    Parts,
    alphabet,
    drawn_users,
    in_order,
    near,
    parts,
    places,
    users,
)
from proofs_check.ding2025.law import Law, Rest, bernoulli, laws_on, sum_of
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.quantities import added, of_bernoulli, worst_beside, worst_ratio
from proofs_check.ding2025.systems import GROWTHS, drawn_pairs, everywhere, pairs
from proofs_check.ding2025.trials.lemma_1 import INTEGERS
from proofs_check.ding2025.trials.section_2 import averaged, relaxed
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def one_over_epsilon(
    p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction, more: Fraction = Fraction(0)
) -> Relation:
    """Noise of scale 1/ε attains ε on (s_P, s_Q), P and Q Bernoulli, for any other users.

    e^{1/θ} is e^ε, or ``more`` times e^ε − 1 above it.
    """
    growth = exp_epsilon + more * (exp_epsilon - 1) if more else exp_epsilon
    laws = of_bernoulli(p), of_bernoulli(q)
    return at_most(worst_beside(*laws, added(others), growth), exp_epsilon)


TRIALS["ding2025/lemma-5"] = for_all(
    users(rests=INTEGER, exp_epsilon=BASES[:2]).drawn(drawn_users(binary=False)),
    one_over_epsilon,
    wrong=partial(one_over_epsilon, more=Fraction(1, 10)),
    proof=theorem("ding2025_lemma_5"),
)

Equations = list[tuple[Any, Any]]
Display = Callable[[Parts, int], Equations]
"""The equations of a display at x'."""


def chain(first: Any, *more: Any) -> Equations:
    """Return the equations of first = ... = ...."""
    return [(first, side) for side in more]


def last_exchanged(shown: Display, t: Parts, x: int) -> Equations:
    """Compare the first side of a display with the last with p and q exchanged."""
    return chain(shown(t, x)[0][0], shown(replace(t, p=t.q, q=t.p), x)[-1][1])


def at_place(display: Display, **at: Any) -> list[Relation]:
    """A display holds at one integer x', by the law of f(D_{-i}) around it."""
    return [equal(a, b) for a, b in display(near(**at), 0)]


def difference_19(t: Parts, x: int) -> Equations:
    """F_P(x) − F_Q(x)."""
    left = t.f("p", x) - t.f("q", x)
    return chain(left, t.g(x) * ((1 - t.p) - (1 - t.q)), t.g(x) * (t.q - t.p))


def equation_19(p: Fraction, q: Fraction, others: Rest, *, shown: Display = difference_19) -> Said:
    """Reading (b): (19) at every x of the alphabet of X."""
    found = replace(parts(p, q, others), p=term(p), q=term(q))
    claimed, sign = [], below if p > q else above if p < q else equal
    for x in map(int, alphabet(others)):
        equations = shown(found, x)
        claimed += [*(equal(a, b) for a, b in equations), sign(equations[0][0], 0)]
    return Said(claimed, lambda: in_order(p, q))


def signs_of_19(p: Any, q: Any, shown: Display = difference_19, **at: Any) -> list[Relation]:
    """Return (19) at an x with Pr(f(D_{-i}) = x) > 0: for p < q, these exchanged, and both p."""
    claimed = []
    for first, second, sign in ((p, q, above), (q, p, below), (p, p, equal)):
        equations = shown(near(first, second, **at), 0)
        claimed += [*(equal(a, b) for a, b in equations), sign(equations[0][0], 0)]
    return claimed


TRIALS["ding2025/equation-19"] = {
    "a": for_all(
        places(LESS, positive=(0,), is_strict=True),
        signs_of_19,
        wrong=partial(signs_of_19, shown=partial(last_exchanged, difference_19)),
        proof=in_numbers(),
    ),
    "b": for_all(users(rests=INTEGER), equation_19, falls=Falls.MISPRINT),
}


def said(
    display: Display, p: Fraction, q: Fraction, others: Rest, divisors: Sequence[int] = ()
) -> Said:
    """A display holds at every integer x' where it is defined.

    There the masses of f(D_{-i}) at x' + s, s in ``divisors``, are positive.
    """
    found, total = parts(p, q, others), sum_of(others)
    places = (x for x in found.places if all(total[x + s] for s in divisors))
    claimed = [equal(a, b) for x in places for a, b in display(found, x)]
    return Said(claimed, lambda: in_order(p, q))


def shift_minus_one(t: Parts, x: int) -> Equations:
    """F_P(x) − F_Q(x−1)."""
    return chain(t.f("p", x) - t.f("q", x - 1), (1 - t.p) * t.g(x) + t.q * t.g(x - 1))


def with_sign(shown: Display, sign: Callable[..., Relation], **at: Any) -> list[Relation]:
    """Return a display of the proof, and the sign of its left side."""
    left = shown(near(**at), 0)[0][0]
    return [*at_place(shown, **at), sign(left, 0)]


def of_proof(shown: Display, sign: Callable[..., Relation]) -> Statement:
    """Return a display of the proof of Lemma 5."""
    return for_all(
        places(),
        partial(with_sign, shown, sign),
        wrong=partial(at_place, partial(last_exchanged, shown)),
        proof=in_numbers(),
    )


TRIALS["ding2025/lemma-5/proof/shift-minus-one"] = of_proof(shift_minus_one, at_least)


def shift_plus_one(t: Parts, x: int) -> Equations:
    """F_P(x) − F_Q(x+1)."""
    return chain(t.f("p", x) - t.f("q", x + 1), -t.p * t.g(x) - (1 - t.q) * t.g(x + 1))


TRIALS["ding2025/lemma-5/proof/shift-plus-one"] = of_proof(shift_plus_one, at_most)


class Users(tuple[tuple[Fraction, Fraction], ...]):
    """(p_i, q_i) for each user."""

    __slots__ = ()

    def __str__(self) -> str:
        return "; ".join(f"({p}, {q})" for p, q in self)


PLACES = (Fraction(0), Fraction(1))
"""Where a report is."""


@quantity("(shift_of_x {0})", name="sup_of_25")
def sup_of_x(users: Users) -> Term:
    """Return sup Δ* of (25) over all users; the others of user i follow P_j."""
    found, places = [], [Fraction(x) for x in range(len(users) + 1)]
    for i, (p, q) in enumerate(users):
        own = LinePair.of(bernoulli(p), bernoulli(q), name=f"own_{i + 1}", points=PLACES)
        others = Rest(bernoulli(s) for j, (s, _) in enumerate(users) if j != i)
        found.append(INTEGERS(own.beside(*others, name=f"X_{i + 1}"), places))
    return function("max", *found)


@quantity("(shift_of_reports {0})", name="sup_of_17")
def sup_of_reports(users: Users) -> Term:
    """Return sup Δ* of (17) over all users."""
    found = []
    for i, (p, q) in enumerate(users):
        own = LinePair.of(bernoulli(p), bernoulli(q), name=f"own_{i + 1}", points=PLACES)
        found.append(INTEGERS(own, own.points))
    return function("max", *found)


def sup_is(claimed: int, users: Users) -> list[Relation]:
    """sup Δ* of (25) over all users, and of (17), is 1."""
    return [equal(sup_of_x(users), claimed), equal(sup_of_reports(users), claimed)]


def of_users(size: int) -> Callable[[], Iterator[Users]]:
    """Return a generator of one user with p, q on quarters, then of two on a grid of this size."""

    def found() -> Iterator[Users]:
        for count, steps in ((1, 4), (2, size)):
            chances = [Fraction(k, steps) for k in range(steps + 1)]
            for chosen in product(list(product(chances, chances)), repeat=count):
                yield Users(chosen)

    return found


def some_differ(users: Users) -> bool:
    """Return whether P_i and Q_i are distinct for some user."""
    return any(p != q for p, q in users)


USERS = cases(users=of_users(2)).deep(users=of_users(4))
ANY_USERS = objects(
    "the p_i and q_i of at least one user, not all equal",
    condition=some_differ,
    coq=("list (R * R)", "Forall chances {0} /\\ existsb differ_for {0} = true", ""),
)


def drawn_chances() -> Any:
    """Return a strategy for up to four users."""
    chance = st.integers(0, 30).map(lambda k: Fraction(k, 30))
    return {"users": st.lists(st.tuples(chance, chance), min_size=1, max_size=4).map(Users)}


TRIALS["ding2025/lemma-5/proof/sup-one"] = {
    "a": for_all(USERS, partial(sup_is, 1), falls=Falls.STEP),
    "b": for_all(
        USERS.where(some_differ).within(users=ANY_USERS).drawn(drawn_chances),
        partial(sup_is, 1),
        wrong=partial(sup_is, 2),
        proof=theorem("ding2025_sup_one"),
    ),
}


@quantity("relaxed {2} (plan_law {0} {1})")
def plan_by_20(P: Law, Q: Law, growth: Fraction) -> Term:
    """Return the least e^ε that satisfies (20) for the plan (6)."""
    pair = LinePair.of(P, Q, name="own")
    return relaxed(pair, pair.plan, growth)


def mean_of_plan(P: Law, Q: Law, growth: Fraction) -> Term:
    """Return the mean over x' too."""
    pair = LinePair.of(P, Q, name="own")
    return averaged(pair, pair.plan, growth)


def equation_20(P: Law, Q: Law, growth: Fraction, of: Any = plan_by_20) -> Relation:
    """(20) for the plan (6) of (s_i, s_j) gives both inequalities of (1).

    E is the least that (20) allows, so that the claim is tried where it is tightest.
    """
    return at_most(worst_ratio(P, Q, growth), of(P, Q, growth))


TRIALS["ding2025/equation-20"] = for_all(
    everywhere(
        cases(
            **{"P Q": lambda: [*pairs(), *product(list(laws_on((0, 1, 4), 2)), repeat=2)]},
            growth=GROWTHS[:1],
        )
    ).drawn(drawn_pairs(growth=GROWTHS)),
    equation_20,
    wrong=partial(equation_20, of=mean_of_plan),
    proof=theorem("ding2025_equation_20"),
)
