"""Abstract, Section 1 and Section 3: the law of the answer given a secret, and its parameters.

Truth in Section 3 is a sum over all patterns of presence and all reports.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Said, Trials, at_least, at_most, equal, for_all
from exactdp.claims.kinds import objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, term, total
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025.answers import (
    IS_ABSENT,
    IS_PRESENT,
    USER,
    Event,
    Masses,
    absent_alone,
    chance_of,
    chance_of_others,
    given,
    given_absence,
    given_presence,
    given_value,
    joint,
    mass_of_absence,
    mass_of_others,
    mass_of_presence,
    mass_of_value,
    perhaps_absent,
    reports,
    without,
)
from proofs_check.ding2025.law import Law, bernoulli, fractions, laws_on, point, sum_of
from proofs_check.ding2025.quantities import (
    farthest,
    power,
    worst_beside,
    worst_ratio,
)
from proofs_check.ding2025.systems import (
    GROWTHS,
    KINDS,
    OTHER_LAWS,
    System,
    drawn_pairs,
    drawn_systems,
    everywhere,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def own_pairs() -> Iterator[tuple[str, Law, Law]]:
    """Yield the two laws that user i adds under two secrets, for the four sets of pairs."""
    yield "S_a,b", point(3), point(1)
    yield "S_a,absent", point(2), point(0)
    for one in (*laws_on((0, 1), 3), *laws_on((-1, 1), 2), *laws_on((0, 3), 2)):
        yield "S_P,absent", one, point(0)
    for first, second in product(list(laws_on((0, 1, 2), 2)), repeat=2):
        if first != second:
            yield "S_P,Q", first, second


OWN_AND_OTHERS = everywhere(
    cases(
        others=OTHER_LAWS[1:],
        growth=(Fraction(3), Fraction(3, 2)),
        **{"pairs P Q": lambda: own_pairs()},
    ).printed("pairs P Q others growth"),
    pairs=objects("one of the four sets of pairs of secrets"),
)


def alone_serves(P: Law, Q: Law, others: Law, growth: Fraction) -> Relation:
    """At one θ the ratio of (1) beside others is at most the one alone."""
    return at_most(worst_beside(P, Q, others, growth), worst_ratio(P, Q, growth))


def same_as_alone(P: Law, Q: Law, others: Law, growth: Fraction) -> Relation:
    """At one θ the ratio of (1) is the same alone and beside others.

    The smallest θ of a pair is the same for all others only if this holds at every θ.
    """
    said = alone_serves(P, Q, others, growth)
    return equal(said.right, said.left)


def own_plan_serves(P: Law, Q: Law, others: Law, growth: Fraction, less: int = 0) -> Relation:
    """Noise of scale W/ε attains ε beside others, W the largest distance of the own plan (6)."""
    most = farthest(P, Q) - less if less else farthest(P, Q)
    return at_most(worst_beside(P, Q, others, growth), power(growth, most))


TRIALS["ding2025/abstract/own-statistics"] = {
    "a": for_all(
        everywhere(
            cases(
                others=OTHER_LAWS[1:],
                growth=(Fraction(3), Fraction(3, 2)),
                **{"P Q": lambda: [(P, Q) for _, P, Q in own_pairs()]},
            )
        ).drawn(drawn_pairs(others=OTHER_LAWS[1:], growth=GROWTHS)),
        own_plan_serves,
        wrong=partial(own_plan_serves, less=1),
        proof=theorem("ding2025_own_statistics"),
    ),
    "b": for_all(OWN_AND_OTHERS, same_as_alone, falls=Falls.REMARK),
}


def complement(D: tuple[int, ...]) -> list[Relation]:
    """The tuple D_{-1} is the number f(D) − D_1; a single entry counts as a number."""
    return [equal(total(D) - D[0], entry) for entry in D[1:]]


TRIALS["ding2025/section-3/complement"] = for_all(
    cases(D=[(1,) * n for n in (2, 3, 4)]), complement, falls=Falls.MISPRINT
)


@quantity("total {0}")
def answer(D: tuple[int, ...]) -> Term:
    """Return f(D)."""
    return total(D)


@quantity("total (removed {1:nat} {0})")
def answer_without(D: tuple[int, ...], i: int) -> Term:
    """Return f(D_{−i})."""
    return total(without(D, i))


@quantity("nth {1:nat} {0} 0")
def report_of(D: tuple[int, ...], i: int) -> int:
    """D_i."""
    return D[i]


def sum_of_complement(D: tuple[int, ...], i: int, of: Any = report_of) -> Relation:
    """f(D_{−i}) = f(D) − D_i."""
    return equal(answer_without(D, i), answer(D) - of(D, i))


TRIALS["ding2025/repair/complement"] = for_all(
    cases(_n=(2, 3), D=lambda _n: product((0, 1, -2), repeat=_n), i=lambda _n: range(_n)).within(
        D=objects(
            "the reports of at least two users",
            lambda: st.lists(st.integers(-9, 9), min_size=2, max_size=6).map(tuple),
            condition=lambda D: len(D) >= 2,
            coq=("list R", "(2 <= length {0})%nat", ""),
        ),
        i=objects(
            "one of them",
            lambda D: st.integers(0, len(D) - 1),
            condition=lambda D, i: 0 <= i < len(D),
            coq=("nat", "({0} < length D)%nat", ""),
        ),
    ),
    sum_of_complement,
    wrong=partial(sum_of_complement, of=lambda D, i: D[i - 1]),
    proof=theorem("ding2025_repair_complement"),
)


def same(V: System, one: Masses, other: Masses) -> Said:
    """Two laws of X agree at every point; the presence probabilities are probabilities."""
    points = sorted({*one, *other})
    return Said(
        [equal(one.get(x, 0), other.get(x, 0)) for x in points],
        lambda: [r for z in V.presence for r in (at_least(z, 0), at_most(z, 1))],
    )


ANY: Event = lambda drawn: True  # noqa: E731

# Two users; the first is there at random, the second always or at random.
SYSTEMS = everywhere(
    cases(
        _zeta=fractions("1 1/2 0"),
        _laws=lambda: product([point(0), point(1), bernoulli("1/2"), bernoulli("1/3")], repeat=2),
        V=lambda _zeta, _laws: [System(_laws, (Fraction(1, 2), _zeta))],
    )
)


def missing_user(event: Event, V: System) -> Said:
    """Pr(f(D_{-1}) = x)(1 − ζ_1) Π ζ_j is the probability of X = x and the event."""
    factor = prod((term(z) for z in V.presence[1:]), start=1 - term(V.presence[0]))
    printed = {x: m * factor for x, m in sum_of(V.laws[1:]).masses}
    return same(V, joint(V, event), printed)


TRIALS["ding2025/section-3/missing-user-law"] = for_all(
    SYSTEMS, partial(missing_user, ANY), falls=Falls.MISPRINT
)


def answers(V: System, i: int) -> list[Fraction]:
    """Return all answers of a system, and one that is none."""
    found = sorted(joint(V, ANY))
    return [*found, found[-1] + 1]


@st.composite
def drawn_answers(draw: st.DrawFn, zeta: Fraction | None = None) -> dict[str, Any]:
    """Draw a system with users present by zeta, if given, one of them, a report, an answer."""
    V = draw(drawn_systems(points=(-1, 0, 2)))
    i = draw(st.integers(0, len(V.laws) - 1))
    if zeta is not None:
        V = System(V.laws, (*V.presence[:i], zeta, *V.presence[i + 1 :]))
    a = draw(st.sampled_from(V.laws[i].points))
    return {"V": V, "i": i, "a": a, "x": draw(st.sampled_from(answers(V, i)))}


def only_first_absent(V: System, i: int, x: Fraction, event: Any = absent_alone) -> Relation:
    """Pr(X = x, user i alone is absent) is Pr(f(D_{−i}) = x)(1 − ζ_i) Π ζ_j."""
    printed = mass_of_others(V, i, x) * (1 - chance_of(V, i)) * chance_of_others(V, i)
    return equal(event(V, i, x), printed)


TRIALS["ding2025/repair/missing-user-law"] = for_all(
    cases(**SYSTEMS.axes, i=lambda V: range(len(V.laws)), x=answers)
    .within(V=KINDS["V"], i=USER, x=reals())
    .drawn(lambda: drawn_answers().map(lambda at: {x: at[x] for x in ("V", "i", "x")})),
    only_first_absent,
    wrong=partial(only_first_absent, event=lambda V, i, x: joint(V, ANY).get(x, term(0))),
    proof=theorem("ding2025_repair_missing_user_law"),
)


Secret = Callable[[System], tuple[Event, Law]]
"""What a secret of user 1 says of a report, and the law of what it makes the user add."""


def largest(V: System) -> tuple[Event, Law]:
    """Return s_a for the largest report a of user 1."""
    a = V.laws[0].points[-1]
    return reports(a), point(a)


def printed_law(secret: Secret, V: System) -> Said:
    """(7), (8) or (9), Σ_t Pr(own = t) Pr(f(D_{-1}) = x − t) Π ζ_j, is the law given a secret."""
    event, own = secret(V)
    weight = prod((term(z) for z in V.presence[1:]), start=term(1))
    printed = {x: m * weight for x, m in (own + sum_of(V.laws[1:])).masses}
    return same(V, given(V, event), printed)


TRIALS["ding2025/equation-7"] = for_all(SYSTEMS, partial(printed_law, largest), falls=Falls.STEP)


def absent(V: System) -> tuple[Event, Law]:
    """Return s_⊥."""
    return IS_ABSENT, point(0)


def follows_own(V: System) -> tuple[Event, Law]:
    """Return s_P for P the law of user 1."""
    return IS_PRESENT, V.laws[0]


def mended_laws(
    V: System, i: int, a: Fraction, x: Fraction, of_present: Any = mass_of_presence
) -> list[Relation]:
    """The law given each secret is that of the own addition plus Σ B_j D_j."""
    return [
        equal(given_value(V, i, a, x), mass_of_value(V, i, a, x)),
        equal(given_absence(V, i, x), mass_of_absence(V, i, x)),
        equal(given_presence(V, i, x), of_present(V, i, x)),
    ]


def beside_all_others(V: System, i: int, x: Fraction) -> Fraction:
    """Return the mass at x of D_i + Σ D_j."""
    return (V.laws[i] + sum_of(without(V.laws, i)))[x]


PERHAPS = cases(
    **SYSTEMS.axes, i=lambda V: [i for i, zeta in enumerate(V.presence) if 0 < zeta < 1]
)
"""Systems with each user who may be present or absent."""

TRIALS["ding2025/repair/conditional-laws"] = for_all(
    cases(**PERHAPS.axes, a=lambda V, i: V.laws[i].points, x=answers)
    .within(
        V=KINDS["V"],
        i=perhaps_absent(),
        a=objects(
            "a report of that user",
            condition=lambda V, i, a: V.laws[i][a] > 0,
            coq=("R", "0 < mass Req_EM_T (report V i) {0}", ""),
        ),
        x=reals(),
    )
    .drawn(lambda: drawn_answers(Fraction(2, 5))),
    mended_laws,
    wrong=partial(mended_laws, of_present=beside_all_others),
    proof=theorem("ding2025_repair_conditional_laws"),
)

TRIALS["ding2025/equation-8"] = for_all(SYSTEMS, partial(printed_law, absent), falls=Falls.STEP)

TRIALS["ding2025/equation-9"] = for_all(
    SYSTEMS, partial(printed_law, follows_own), falls=Falls.STEP
)
