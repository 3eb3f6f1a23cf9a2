"""Abstract, Section 1 and Section 3: the law of the answer given a secret, and what it depends on.

Truth in Section 3 is a sum over all patterns of presence and all reports.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

from hypothesis import strategies as st

from exactdp.claims.cases import cases
from exactdp.claims.domains import objects
from exactdp.claims.forms import Relation, Said, Trials, at_least, at_most, equal, for_all
from exactdp.claims.proofs import proof, words
from exactdp.claims.terms import Term, function, term, total
from exactdp.claims.verdicts import Falls
from proofs_check.ding2025 import bounds
from proofs_check.ding2025.law import Law, bernoulli, fractions, laws_on, point, sum_of
from proofs_check.ding2025.quantities import farthest, power, worst_beside, worst_ratio
from proofs_check.ding2025.systems import (
    GROWTHS,
    OTHER_LAWS,
    Others,
    System,
    drawn_pairs,
    drawn_systems,
    everywhere,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def own_pairs() -> Iterator[tuple[str, Law, Law]]:
    """Yield what two secrets of user i make the user add, for the four sets of pairs."""
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


def condition_21(V: System, others: Others = Others.ALL_PRESENT) -> list[Relation]:
    """(21), the one condition that others enter, is what it is if all are present."""

    def least_psi(rest: Law, p: Fraction, q: Fraction) -> Term:
        found = [(m, rest[x - 1]) for x, m in rest.masses if rest[x - 1]]
        return function("min", 10**6, *(bounds.psi(p=p, q=q, ratio=m / n) for m, n in found))

    laws = [System(V.laws, zetas, others).others_of(0) for zetas in (V.presence, ())]
    two = Fraction(1, 4), Fraction(1, 2)
    return [equal(*(least_psi(law, p, q) for law in laws)) for p, q in (two, two[::-1])]


TRIALS["ding2025/section-1/presence"] = for_all(
    everywhere(
        cases(
            V=[
                System((bernoulli("1/2"), law), (Fraction(1, 2), Fraction(zeta)))
                for law in (*OTHER_LAWS, point(1), bernoulli("2/3"))
                for zeta in ("1", "1/2", "3/4")
            ]
        ),
        V=objects(
            "users in the model of (7)-(9), f(D_-i) the sum of all others' reports",
            lambda: drawn_systems().map(
                lambda V: System(V.laws, tuple(max(z, Fraction(1, 5)) for z in V.presence))
            ),
        ),
    ),
    condition_21,
    wrong=partial(condition_21, others=Others.PRESENT_AT_RANDOM),
    proof=proof(
        words(
            "(10), (12)-(14), (16), (18) are written in user i's own a, b, P, Q; (21) in "
            "p, q and the law of f(D_-i), a sum of reports D_j ~ P_j"
        ),
        words(
            "zeta_j enters (7)-(9) only by the factor prod zeta_j, common to both secrets "
            "of a pair, which cancels in (1) unless it is 0"
        ),
    ),
)


def complement(D: tuple[int, ...]) -> list[Relation]:
    """The tuple D_{-1} is the number f(D) − D_1; a single entry counts as a number."""
    return [equal(total(D) - D[0], entry) for entry in D[1:]]


TRIALS["ding2025/section-3/complement"] = for_all(
    cases(D=[(1,) * n for n in (2, 3, 4)]), complement, falls=Falls.MISPRINT
)


def sum_of_complement(D: tuple[int, ...], index: int = 0) -> Relation:
    """f(D_{-1}) = f(D) − D_1."""
    return equal(total(D[1:]), total(D) - D[index])


TRIALS["ding2025/repair/complement"] = for_all(
    cases(_n=(2, 3), D=lambda _n: product((0, 1, -2), repeat=_n)).within(
        D=objects(
            "the reports of at least two users",
            lambda: st.lists(st.integers(-9, 9), min_size=2, max_size=6).map(tuple),
        )
    ),
    sum_of_complement,
    wrong=partial(sum_of_complement, index=1),
    proof=proof(words("a finite sum, less one of its terms")),
)

Report = Fraction | None
"""What a user reports; None if absent."""

Event = Callable[[tuple[Report, ...]], bool]
Masses = dict[Fraction, Term]


def joint(V: System, event: Event) -> Masses:
    """Return Pr(X = x and the event), over all patterns of presence and all reports."""
    choices = [
        [(None, 1 - term(zeta)), *((x, term(zeta) * m) for x, m in law.masses)]
        for law, zeta in zip(V.laws, V.presence, strict=True)
    ]
    parts: dict[Fraction, list[Term]] = {}
    for drawn in product(*choices):
        reports = tuple(x for x, _ in drawn)
        if event(reports):
            answer = sum((x for x in reports if x is not None), Fraction(0))
            parts.setdefault(answer, []).append(prod((w for _, w in drawn), start=term(1)))
    return {x: total(weights) for x, weights in parts.items()}


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


def drawn() -> Any:
    """Return a strategy for systems in which both kinds of secrets of user 1 are possible."""
    return {
        "V": drawn_systems(points=(-1, 0, 2)).map(
            lambda V: System(V.laws, (Fraction(2, 5), *V.presence[1:]))
        )
    }


def missing_user(event: Event, V: System) -> Said:
    """Pr(f(D_{-1}) = x)(1 − ζ_1) Π ζ_j is the probability of X = x and the event."""
    factor = prod((term(z) for z in V.presence[1:]), start=1 - term(V.presence[0]))
    printed = {x: m * factor for x, m in sum_of(V.laws[1:]).masses}
    return same(V, joint(V, event), printed)


TRIALS["ding2025/section-3/missing-user-law"] = for_all(
    SYSTEMS, partial(missing_user, ANY), falls=Falls.MISPRINT
)

ONLY_FIRST_ABSENT: Event = lambda drawn: drawn[0] is None and None not in drawn[1:]  # noqa: E731

TRIALS["ding2025/repair/missing-user-law"] = for_all(
    SYSTEMS.drawn(drawn),
    partial(missing_user, ONLY_FIRST_ABSENT),
    wrong=partial(missing_user, ANY),
    proof=proof(
        words(
            "presence and reports are independent, so it is (1 - zeta_i) prod zeta_j times "
            "the probability that the reports of the others sum to x"
        ),
    ),
)


def given(V: System, event: Event) -> Masses:
    """Return Pr(X = x | the event)."""
    masses = joint(V, event)
    whole = total(list(masses.values()))
    return {x: m / whole for x, m in masses.items()}


Secret = Callable[[System], tuple[Event, Law]]
"""What a secret of user 1 says of a report, and the law of what it makes the user add."""


def reports(a: Fraction | int) -> Event:
    """User 1 is present and reports a."""
    return lambda drawn: drawn[0] == a


def largest(V: System) -> tuple[Event, Law]:
    """s_a for the largest report a of user 1."""
    a = V.laws[0].points[-1]
    return reports(a), point(a)


def printed_law(secret: Secret, V: System) -> Said:
    """(7), (8) or (9), Σ_t Pr(own = t) Pr(f(D_{-1}) = x − t) Π ζ_j, is the law given a secret."""
    event, own = secret(V)
    weight = prod((term(z) for z in V.presence[1:]), start=term(1))
    printed = {x: m * weight for x, m in (own + sum_of(V.laws[1:])).masses}
    return same(V, given(V, event), printed)


TRIALS["ding2025/equation-7"] = for_all(SYSTEMS, partial(printed_law, largest), falls=Falls.STEP)

IS_ABSENT: Event = lambda drawn: drawn[0] is None  # noqa: E731
IS_PRESENT: Event = lambda drawn: drawn[0] is not None  # noqa: E731


def absent(V: System) -> tuple[Event, Law]:
    """s_⊥."""
    return IS_ABSENT, point(0)


def follows_own(V: System) -> tuple[Event, Law]:
    """s_P for P the law of user 1."""
    return IS_PRESENT, V.laws[0]


def mended_laws(V: System, others: Others = Others.PRESENT_AT_RANDOM) -> list[Relation]:
    """The law given each secret is that of the own addition plus Σ B_j D_j."""
    system = System(V.laws, V.presence, others)
    if not system.is_defined:
        return []
    claimed: list[Relation] = []
    for secret in (largest, absent, follows_own):
        event, own = secret(V)
        law = own + system.others_of(0)
        claimed += same(V, given(V, event), {x: term(m) for x, m in law.masses}).relations
    return claimed


TRIALS["ding2025/repair/conditional-laws"] = for_all(
    SYSTEMS.drawn(drawn),
    mended_laws,
    wrong=partial(mended_laws, others=Others.ALL_PRESENT),
    proof=proof(
        words(
            "the secret is about user i alone, and the others are independent of user i: "
            "given it, X is what it makes user i add plus the sum of B_j D_j, "
            "Pr(B_j = 1) = zeta_j"
        ),
    ),
)

TRIALS["ding2025/equation-8"] = for_all(SYSTEMS, partial(printed_law, absent), falls=Falls.STEP)

TRIALS["ding2025/equation-9"] = for_all(
    SYSTEMS, partial(printed_law, follows_own), falls=Falls.STEP
)
