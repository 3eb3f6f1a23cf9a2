"""Section 3: the complement of a user, and the law of the query answer given a secret.

Truth here is a sum over all patterns of presence and all reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from exactdp.certificates import Certificate, Term, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import Others, Secret, sum_of_independent
from exactdp.truth import Truth
from proofs_check.ding2025.instances import System, drawn_systems
from proofs_check.ding2025.laws import Law, bernoulli, point
from proofs_check.ding2025.terms import LinePair

__all__ = ["TRIALS"]

Report = Fraction | None
"""What a user reports; None if absent."""

Event = Callable[[tuple[Report, ...]], bool]

Masses = dict[Fraction, Fraction]


def _probability(system: System, event: Event) -> Masses:
    """Return Pr(X = x and the event) for each x where it is positive."""
    choices = [
        [(None, 1 - Fraction(zeta)), *((x, zeta * m.as_fraction()) for x, m in law.masses.items())]
        for law, zeta in zip(system.laws, system.presence, strict=True)
    ]
    masses: Masses = {}
    for drawn in product(*choices):
        weight = prod((w for _, w in drawn), start=Fraction(1))
        reports = tuple(x for x, _ in drawn)
        if weight and event(reports):
            total = sum((x for x in reports if x is not None), Fraction(0))
            masses[total] = masses.get(total, Fraction(0)) + weight
    return masses


def _given(system: System, event: Event) -> Masses:
    """Return Pr(X = x | the event)."""
    joint = _probability(system, event)
    whole = sum(joint.values())
    return {x: m / whole for x, m in joint.items()}


def _rest(system: System) -> Masses:
    """Return Pr(f(D_{-1}) = x), the sum of all D_j, j ≠ 1."""
    law = sum_of_independent(system.laws[1:])
    return {x: m.as_fraction() for x, m in law.masses.items()}


def _weight(system: System) -> Fraction:
    """Return Π_{j ≠ 1} ζ_j."""
    return prod((Fraction(z) for z in system.presence[1:]), start=Fraction(1))


def _systems(effort: Effort) -> Iterator[Instance]:
    """Two users; the first is there at random, the second always or at random."""
    laws = [point(0), point(1), bernoulli("1/2"), bernoulli("1/3")]
    for zeta in (Fraction(1), Fraction(1, 2), Fraction(0)):
        for first, second in product(laws, repeat=2):
            yield Instance.of(V=System((first, second), (Fraction(1, 2), zeta)))


def _strategy() -> Any:
    from hypothesis import strategies as st

    @st.composite
    def instances(draw: Any) -> Instance:
        drawn = drawn_systems(draw, points=(-1, 0, 2))
        # Both kinds of secrets of user 1 must be possible.
        return Instance.of(V=System(drawn.laws, (Fraction(2, 5), *drawn.presence[1:])))

    return instances()


def _system(at: Instance) -> System:
    system = at["V"]
    assert isinstance(system, System)
    return system


# --- the complement -----------------------------------------------------------------------


def _complement() -> Statement:
    """The tuple D_{-1} is the number f(D) − D_1; a single entry counts as a number."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3, 4):
            yield Instance.of(D=(1,) * n)

    def holds(at: Instance) -> Outcome:
        data = at["D"]
        assert isinstance(data, tuple)
        rest, number = data[1:], sum(data) - data[0]

        def certificate() -> Certificate:
            total = term(0)
            for entry in data:
                total = total + entry
            return Certificate(
                conclusion=[relation("!=", total - data[0], entry) for entry in rest]
            )

        return Outcome(
            Truth.of(rest == (number,)),
            f"D_-1 = {rest} has {len(rest)} entries, f(D) - D_1 is the number {number}",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _sum_of_complement(*, index: int = 0) -> Statement:
    """The repair: f(D_{-1}) = f(D) − D_1 (the false variant subtracts D_2)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3):
            for data in product((0, 1, -2), repeat=n):
                yield Instance.of(D=data)

    def holds(at: Instance) -> Outcome:
        data = at["D"]
        assert isinstance(data, tuple)
        return Outcome(Truth.of(sum(data[1:]) == sum(data) - data[index]), f"{data}")

    def proof() -> Proved | None:
        return Proved("all finite V and all reports", "a finite sum, less one of its terms")

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if index == 0 else None,
        false_variant=_sum_of_complement(index=1) if index == 0 else None,
    )


# --- laws as terms ------------------------------------------------------------------------

TermLaw = dict[Fraction, Term]


def _contribution(pair: LinePair, zeta: Term) -> TermLaw:
    """Return the law of what a user adds: 0 if absent."""
    return {
        x: zeta * pair.mass("p", x) + (1 - zeta if x == 0 else 0)
        for x in sorted({*pair.points, Fraction(0)})
    }


def _added(first: TermLaw, second: TermLaw) -> TermLaw:
    """Return the law of the sum of independent draws."""
    total: TermLaw = {}
    for (x, a), (z, b) in product(first.items(), second.items()):
        total[x + z] = total[x + z] + a * b if x + z in total else a * b
    return total


def _differing(truth: Masses, printed: Masses) -> Fraction | None:
    points = sorted({*truth, *printed})
    return next((x for x in points if truth.get(x, 0) != printed.get(x, 0)), None)


# --- the law with a missing user ----------------------------------------------------------


def _only_first_absent(reports: tuple[Report, ...]) -> bool:
    return reports[0] is None and None not in reports[1:]


def _missing_user(*, event: Event, is_claim: bool) -> Statement:
    """Pr(f(D_{-1}) = x)(1 − ζ_1) Π ζ_j is the probability of X = x and the event."""

    def holds(at: Instance) -> Outcome:
        system = _system(at)
        factor = (1 - Fraction(system.presence[0])) * _weight(system)
        printed = {x: m * factor for x, m in _rest(system).items()}
        truth = _probability(system, event)
        x = _differing(truth, printed)
        if x is None:
            return Outcome(Truth.TRUE)

        def certificate() -> Certificate:
            zeta = [term(Fraction(z)) for z in system.presence]
            own, other = (
                LinePair.of(law, law, name=f"D_{j}") for j, law in enumerate(system.laws, start=1)
            )
            answer = _added(_contribution(own, zeta[0]), _contribution(other, zeta[1]))
            formula = other.mass("p", x) * (1 - zeta[0]) * zeta[1]
            return Certificate(
                define=(*own.define, *other.define),
                hypotheses=[
                    relation(sign, z, b) for z in zeta for sign, b in ((">=", 0), ("<=", 1))
                ],
                # Neither Pr(X = x), nor the same given that only user 1 is missing.
                conclusion=[
                    relation("!=", answer[x], formula),
                    relation("!=", other.mass("p", x), formula),
                ],
            )

        return Outcome(
            Truth.FALSE,
            f"Pr(X={x}) = {truth.get(x, 0)}, the formula gives {printed.get(x, 0)}",
            certificate,
        )

    def instances(effort: Effort) -> Iterator[Instance]:
        return _systems(effort)

    def proof() -> Proved | None:
        return Proved(
            "all systems: the probability of X = x, user i absent and all others present",
            "presence and reports are independent, so it is (1 - zeta_i) prod zeta_j times the "
            "probability that the reports of the others sum to x",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if is_claim else _strategy,
        proof=None if is_claim else proof,
        false_variant=None if is_claim else _missing_user(event=lambda r: True, is_claim=True),
    )


# --- (7), (8), (9) ------------------------------------------------------------------------

Given = Callable[[System], tuple[Event, Secret]]


def _reports(system: System) -> tuple[Event, Secret]:
    """s_a for the largest report a of user 1."""
    a = max(x for x, m in system.laws[0].masses.items() if m)
    return (lambda reports: reports[0] == a), Secret.value(a)


def _is_absent(system: System) -> tuple[Event, Secret]:
    return (lambda reports: reports[0] is None), Secret.absent()


def _follows(system: System) -> tuple[Event, Secret]:
    return (lambda reports: reports[0] is not None), Secret.follows(system.laws[0])


def _printed(system: System, own: Law) -> Masses:
    """(7), (8) or (9): Σ_t Pr(own = t) Pr(f(D_{-1}) = x − t) Π ζ_j."""
    masses: Masses = {}
    for (t, a), (z, b) in product(own.masses.items(), _rest(system).items()):
        masses[t + z] = masses.get(t + z, Fraction(0)) + a.as_fraction() * b * _weight(system)
    return masses


def _law_given_secret(given: Given) -> Statement:
    """A printed law is the law of X given the secret."""

    def holds(at: Instance) -> Outcome:
        system = _system(at)
        event, secret = given(system)
        truth, printed = _given(system, event), _printed(system, secret.own)
        x = _differing(truth, printed)
        if x is None:
            return Outcome(Truth.TRUE)

        def certificate() -> Certificate:
            zeta = term(Fraction(system.presence[1]))
            own = LinePair.of(secret.own, secret.own, name="own")
            other = LinePair.of(system.laws[1], system.laws[1], name="D_2")
            own_law = {t: own.mass("p", t) for t in own.points}
            right = _added(own_law, _contribution(other, zeta))[x]
            printed_law = {z: other.mass("p", z) * zeta for z in other.points}
            wrong = _added(own_law, printed_law).get(x, term(0))
            return Certificate(
                define=(*own.define, *other.define),
                hypotheses=[relation(">=", zeta, 0), relation("<=", zeta, 1)],
                conclusion=[relation("!=", right, wrong)],
            )

        return Outcome(
            Truth.FALSE,
            f"Pr(X={x} | s) = {truth.get(x, 0)}, printed {printed.get(x, 0)}; the printed masses "
            f"sum to {sum(printed.values())}",
            certificate,
        )

    return Statement(instances=_systems, holds=holds)


def _laws_given_secrets(*, others: Others = Others.PRESENT_AT_RANDOM) -> Statement:
    """The repair: others contribute 0 when absent (the false variant: all others present)."""

    def holds(at: Instance) -> Outcome:
        system = System(_system(at).laws, _system(at).presence, others)
        if not system.is_defined:
            return Outcome(Truth.TRUE)
        for given in (_reports, _is_absent, _follows):
            event, secret = given(system)
            law = system.model.law_given(0, secret)
            found = {x: m.as_fraction() for x, m in law.masses.items() if m}
            x = _differing(_given(system, event), found)
            if x is not None:
                return Outcome(Truth.FALSE, f"{secret.name}: at {x}")
        return Outcome(Truth.TRUE)

    def proof() -> Proved | None:
        return Proved(
            "all systems of independent users",
            "the secret is about user i alone, and the others are independent of user i: given "
            "it, X is what it makes user i add plus the sum of B_j D_j, Pr(B_j = 1) = zeta_j",
        )

    random = others is Others.PRESENT_AT_RANDOM
    return Statement(
        instances=_systems,
        holds=holds,
        strategy=_strategy if random else None,
        proof=proof if random else None,
        false_variant=_laws_given_secrets(others=Others.ALL_PRESENT) if random else None,
    )


TRIALS: dict[str, Mapping[str, Statement | Open]] = {
    "ding2025/section-3/complement": {"": _complement()},
    "ding2025/section-3/missing-user-law": {
        "": _missing_user(event=lambda reports: True, is_claim=True)
    },
    "ding2025/equation-7": {"": _law_given_secret(_reports)},
    "ding2025/equation-8": {"": _law_given_secret(_is_absent)},
    "ding2025/equation-9": {"": _law_given_secret(_follows)},
    "ding2025/repair/complement": {"": _sum_of_complement()},
    "ding2025/repair/missing-user-law": {
        "": _missing_user(event=_only_first_absent, is_claim=False)
    },
    "ding2025/repair/conditional-laws": {"": _laws_given_secrets()},
}
