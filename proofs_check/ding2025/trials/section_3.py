"""Section 3: the complement of a user, and the law of the query answer given a secret.

Truth here is a sum over all patterns of presence and all reports.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import (
    Falls,
    Relation,
    Said,
    Term,
    at_least,
    at_most,
    cases,
    equal,
    for_all,
    proof,
    term,
    total,
    words,
)
from proofs_check.ding2025.law import Law, bernoulli, point, sum_of
from proofs_check.ding2025.systems import Others, System, drawn_systems

__all__ = ["IS_ABSENT", "TRIALS", "given", "reports"]

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


def given(V: System, event: Event) -> Masses:
    """Return Pr(X = x | the event)."""
    masses = joint(V, event)
    whole = total(list(masses.values()))
    return {x: m / whole for x, m in masses.items()}


def same(V: System, one: Masses, other: Masses) -> Said:
    """Two laws of X agree at every point; the presence probabilities are probabilities."""
    points = sorted({*one, *other})
    return Said(
        [equal(one.get(x, 0), other.get(x, 0)) for x in points],
        lambda: [r for z in V.presence for r in (at_least(z, 0), at_most(z, 1))],
    )


def reports(a: Fraction | int) -> Event:
    """User 1 is present and reports a."""
    return lambda drawn: drawn[0] == a


IS_ABSENT: Event = lambda drawn: drawn[0] is None  # noqa: E731
IS_PRESENT: Event = lambda drawn: drawn[0] is not None  # noqa: E731
ONLY_FIRST_ABSENT: Event = lambda drawn: drawn[0] is None and None not in drawn[1:]  # noqa: E731
ANY: Event = lambda drawn: True  # noqa: E731

Secret = Callable[[System], tuple[Event, Law]]
"""What a secret of user 1 says of a report, and the law of what it makes the user add."""


def largest(V: System) -> tuple[Event, Law]:
    """s_a for the largest report a of user 1."""
    a = V.laws[0].points[-1]
    return reports(a), point(a)


def absent(V: System) -> tuple[Event, Law]:
    """s_⊥."""
    return IS_ABSENT, point(0)


def follows_own(V: System) -> tuple[Event, Law]:
    """s_P for P the law of user 1."""
    return IS_PRESENT, V.laws[0]


# Two users; the first is there at random, the second always or at random.
SYSTEMS = cases(
    _zeta=(Fraction(1), Fraction(1, 2), Fraction(0)),
    _first=[point(0), point(1), bernoulli("1/2"), bernoulli("1/3")],
    _second=[point(0), point(1), bernoulli("1/2"), bernoulli("1/3")],
    V=lambda _zeta, _first, _second: [System((_first, _second), (Fraction(1, 2), _zeta))],
)


@st.composite
def drawn(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a system in which both kinds of secrets of user 1 are possible."""
    found = drawn_systems(draw, points=(-1, 0, 2))
    return {"V": System(found.laws, (Fraction(2, 5), *found.presence[1:]))}


# --- the complement -------------------------------------------------------------------------


def complement(D: tuple[int, ...]) -> list[Relation]:
    """The tuple D_{-1} is the number f(D) − D_1; a single entry counts as a number."""
    return [equal(total(D) - D[0], entry) for entry in D[1:]]


def sum_of_complement(D: tuple[int, ...], index: int = 0) -> Relation:
    """f(D_{-1}) = f(D) − D_1."""
    return equal(total(D[1:]), total(D) - D[index])


# --- the printed laws -----------------------------------------------------------------------


def missing_user(event: Event, V: System) -> Said:
    """Pr(f(D_{-1}) = x)(1 − ζ_1) Π ζ_j is the probability of X = x and the event."""
    factor = prod((term(z) for z in V.presence[1:]), start=1 - term(V.presence[0]))
    printed = {x: m * factor for x, m in sum_of(V.laws[1:]).masses}
    return same(V, joint(V, event), printed)


def printed_law(secret: Secret, V: System) -> Said:
    """(7), (8) or (9), Σ_t Pr(own = t) Pr(f(D_{-1}) = x − t) Π ζ_j, is the law given a secret."""
    event, own = secret(V)
    weight = prod((term(z) for z in V.presence[1:]), start=term(1))
    printed = {x: m * weight for x, m in (own + sum_of(V.laws[1:])).masses}
    return same(V, given(V, event), printed)


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


TRIALS = {
    "ding2025/section-3/complement": {
        "": for_all(cases(D=[(1,) * n for n in (2, 3, 4)]), complement, falls=Falls.MISPRINT)
    },
    "ding2025/section-3/missing-user-law": {
        "": for_all(SYSTEMS, partial(missing_user, ANY), falls=Falls.MISPRINT)
    },
    "ding2025/equation-7": {"": for_all(SYSTEMS, partial(printed_law, largest), falls=Falls.STEP)},
    "ding2025/equation-8": {"": for_all(SYSTEMS, partial(printed_law, absent), falls=Falls.STEP)},
    "ding2025/equation-9": {
        "": for_all(SYSTEMS, partial(printed_law, follows_own), falls=Falls.STEP)
    },
    "ding2025/repair/complement": {
        "": for_all(
            cases(_n=(2, 3), D=lambda _n: product((0, 1, -2), repeat=_n)),
            sum_of_complement,
            wrong=partial(sum_of_complement, index=1),
            proof=proof(
                "all finite V and all reports", words("a finite sum, less one of its terms")
            ),
        )
    },
    "ding2025/repair/missing-user-law": {
        "": for_all(
            SYSTEMS.drawn(drawn),
            partial(missing_user, ONLY_FIRST_ABSENT),
            wrong=partial(missing_user, ANY),
            proof=proof(
                "all systems: the probability of X = x, user i absent and all others present",
                words(
                    "presence and reports are independent, so it is (1 - zeta_i) prod zeta_j times "
                    "the probability that the reports of the others sum to x"
                ),
            ),
        )
    },
    "ding2025/repair/conditional-laws": {
        "": for_all(
            SYSTEMS.drawn(drawn),
            mended_laws,
            wrong=partial(mended_laws, others=Others.ALL_PRESENT),
            proof=proof(
                "all systems of independent users",
                words(
                    "the secret is about user i alone, and the others are independent of user i: "
                    "given it, X is what it makes user i add plus the sum of B_j D_j, "
                    "Pr(B_j = 1) = zeta_j"
                ),
            ),
        )
    },
}
