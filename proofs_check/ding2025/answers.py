"""The answer of a query given a secret about user i: Section 3, at an instance and in Coq.

Truth is a sum over all patterns of presence and all reports. The definitions in Coq are those of
``proofs_check/coq/ClaimsDing2025Users.v``.

Definitions: :func:`joint`, :func:`given`, :func:`reports`, :func:`without`, the events
:data:`IS_ABSENT` and :data:`IS_PRESENT`, and the quantities :func:`absent_alone`,
:func:`chance_of`, :func:`chance_of_others`, :func:`given_absence`, :func:`given_presence`,
:func:`given_value`, :func:`mass_of_absence`, :func:`mass_of_others`, :func:`mass_of_presence`,
:func:`mass_of_value`.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, TypeVar

from exactdp.claims.kinds import objects
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, term, total
from exactdp.testing.later import st
from proofs_check.ding2025.law import Law, point, sum_of
from proofs_check.ding2025.systems import Others, System

Report = Fraction | None
"""What a user reports; None if absent."""

Event = Callable[[tuple[Report, ...]], bool]
Masses = dict[Fraction, Term]
Entry = TypeVar("Entry")

IS_ABSENT: Event = lambda drawn: drawn[0] is None  # noqa: E731
IS_PRESENT: Event = lambda drawn: drawn[0] is not None  # noqa: E731


def without(entries: Sequence[Entry], i: int) -> tuple[Entry, ...]:
    """Return all entries but that of user i, from 0."""
    return tuple(entry for j, entry in enumerate(entries) if j != i)


def joint(V: System, event: Event) -> Masses:
    """Return Pr(X = x and the event), over all patterns of presence and all reports.

    Example:
        >>> from exactdp.claims import value
        >>> V = System((point(5),), (Fraction(1, 3),))
        >>> {int(x): str(value(m)) for x, m in joint(V, lambda drawn: True).items()}
        {0: '2/3', 5: '1/3'}
    """
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


def reports(a: Fraction | int) -> Event:
    """User 1 is present and reports a."""
    return lambda drawn: drawn[0] == a


def _of_user(i: int, event: Event) -> Event:
    """Return an event about user 1 as one about user i."""
    return lambda drawn: event((drawn[i],))


USER = objects(
    "a user",
    lambda V: st.integers(0, len(V.laws) - 1),
    condition=lambda V, i: 0 <= i < len(V.laws),
    coq=("nat", "({0} < length (users V))%nat", ""),
)
"""i of a system V."""


def perhaps_absent(*, reports_zero: bool = False) -> Any:
    """Return a user i of V who may be present and absent, and perhaps may report 0."""
    zero = " /\\ 0 < mass Req_EM_T (report V {0}) 0" if reports_zero else ""
    return objects(
        "a user who may be present or absent" + (", and may report 0" if reports_zero else ""),
        condition=lambda V, i: 0 < V.presence[i] < 1 and (not reports_zero or V.laws[i][0] > 0),
        coq=("nat", "({0} < length (users V))%nat /\\ (0 < presence V {0} < 1" + zero + ")", ""),
    )


@quantity("joint {0} (only_absent {1:nat}) {2}", name="Pr_absent_alone")
def absent_alone(V: System, i: int, x: Fraction) -> Term:
    """Return the probability that X = x, user i is absent and all others are present."""
    found = joint(V, lambda drawn: drawn[i] is None and None not in without(drawn, i))
    return found.get(x, term(0))


@quantity("presence {0} {1:nat}", name="zeta")
def chance_of(V: System, i: int) -> Fraction | int:
    """Return the probability ζ_i that user i is present."""
    return V.presence[i]


@quantity("all_others {0} {1:nat}", name="zetas")
def chance_of_others(V: System, i: int) -> Term:
    """Return Π ζ_j over j ≠ i."""
    return prod((term(zeta) for zeta in without(V.presence, i)), start=term(1))


@quantity("mass Req_EM_T (others_present {0} {1:nat}) {2}", name="Pr_others")
def mass_of_others(V: System, i: int, x: Fraction) -> Fraction:
    """Pr(f(D_{−i}) = x)."""
    return sum_of(without(V.laws, i))[x]


@quantity("given {0} {1:nat} (is_value {2}) {3}", name="Pr_given_value")
def given_value(V: System, i: int, a: Fraction, x: Fraction) -> Term:
    """Pr(X = x | user i is present and reports a)."""
    return given(V, _of_user(i, reports(a))).get(x, term(0))


@quantity("given {0} {1:nat} absent {2}", name="Pr_given_absence")
def given_absence(V: System, i: int, x: Fraction) -> Term:
    """Pr(X = x | user i is absent)."""
    return given(V, _of_user(i, IS_ABSENT)).get(x, term(0))


@quantity("given {0} {1:nat} present {2}", name="Pr_given_presence")
def given_presence(V: System, i: int, x: Fraction) -> Term:
    """Pr(X = x | user i is present, and reports by the own law)."""
    return given(V, _of_user(i, IS_PRESENT)).get(x, term(0))


def _beside_random_others(V: System, i: int, own: Law, x: Fraction) -> Fraction:
    """Return the mass at x of a law plus Σ B_j D_j, j ≠ i."""
    return (own + System(V.laws, V.presence, Others.PRESENT_AT_RANDOM).others_of(i))[x]


@quantity("mass Req_EM_T (plus (certain {2}) (others_at_random {0} {1:nat})) {3}", name="Pr_value")
def mass_of_value(V: System, i: int, a: Fraction, x: Fraction) -> Fraction:
    """Return the mass at x of a + Σ B_j D_j."""
    return _beside_random_others(V, i, point(a), x)


@quantity("mass Req_EM_T (plus (certain 0) (others_at_random {0} {1:nat})) {2}", name="Pr_absence")
def mass_of_absence(V: System, i: int, x: Fraction) -> Fraction:
    """Return the mass at x of Σ B_j D_j."""
    return _beside_random_others(V, i, point(0), x)


@quantity(
    "mass Req_EM_T (plus (report {0} {1:nat}) (others_at_random {0} {1:nat})) {2}",
    name="Pr_presence",
)
def mass_of_presence(V: System, i: int, x: Fraction) -> Fraction:
    """Return the mass at x of D_i + Σ B_j D_j."""
    return _beside_random_others(V, i, V.laws[i], x)
