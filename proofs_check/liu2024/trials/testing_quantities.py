"""Sections 3.2.1 and 3.2.2: what the tests give, and the decompositions (3) and (4)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, Relation, Term, ref, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.shuffle import first_fault
from exactdp.truth import Truth
from proofs_check.liu2024.confounding import (
    as_copies,
    equation_3,
    equation_3_over_letters,
    failure_set,
    other_confounding,
    other_regions,
    rejection_region,
    victim_confounding,
)
from proofs_check.liu2024.trials.figure_3 import TRIALS as FIGURE
from proofs_check.liu2024.trials.rows import (
    binary,
    entry,
    few_rows,
    matrix_term,
    other_term,
    pairs,
    private_rows,
    ratio_of,
    rows_of,
    small,
    victim_term,
)

__all__ = ["TRIALS"]

ROWS = ref("R")


def _matrix(r: Randomizer) -> list[tuple[str, Term]]:
    return [("R", matrix_term(r.rows))]


def _has_ratio(r: Randomizer) -> Relation:
    """The randomizer is ε-locally private, for no smaller ε."""
    return relation("=", Term(["ldp_ratio", ROWS.json]), ratio_of(r))


def _different(effort: Effort) -> Iterator[Instance]:
    for at in pairs(effort):
        rows: Any = at["rows"]
        if rows[0] != rows[1]:
            yield at


def _triples(effort: Effort) -> Iterator[Instance]:
    for at in small(3, largest=7):
        rows: Any = at["rows"]
        if rows[0] != rows[1]:
            yield at


# --- the test between the victim's rows ----------------------------------------------------


def _most_powerful(*, alone: bool = False) -> Statement:
    """No test of the level of S has more power, and none a smaller sum of errors.

    False variant: none has a smaller type I error.
    """

    def holds(at: Instance) -> Outcome:
        r = rows_of(at)
        zero, one = r.rows
        region = rejection_region(zero, one)
        for chosen in product((False, True), repeat=len(zero)):
            test = {z for z, rejects in enumerate(chosen) if rejects}
            level, power = (
                [sum((row[z] for z in part), Exact(0)) for part in (region, test)]
                for row in (zero, one)
            )
            worse = level[1] < level[0] if alone else power[1] - level[1] > power[0] - level[0]
            if worse:
                return Outcome(Truth.FALSE, f"S = {set(region)}, the test {test} is better")
        return Outcome(Truth.TRUE, f"S = {set(region)}")

    def proof() -> Proved | None:
        return Proved(
            "all pairs of rows, all randomized tests",
            "for a test φ, Σ_z (1_S − φ)(R(x_1^1) − R(x_1^0)) >= 0 term by term: so power minus "
            "level is largest for S (on each test it is linear in φ: tests of 0 and 1 were "
            "tried), and at most its level no test has more power",
        )

    return Statement(
        instances=_different,
        holds=holds,
        strategy=None if alone else lambda: private_rows(2),
        proof=None if alone else proof,
        false_variant=None if alone else _most_powerful(alone=True),
    )


def _lower_bound() -> Statement:
    """Pr[R(x_1^0) ∈ S] is at most the p of (1)."""

    def holds(at: Instance) -> Outcome:
        r = rows_of(at)
        found, p = victim_confounding(*r.rows).from_zero, 1 / (ratio_of(r) + 1)
        return Outcome(
            Truth.of(found <= p),
            f"Pr[R(x_1^0) ∈ S] = {found}, p = {p}",
            lambda: Certificate(
                define=_matrix(r),
                hypotheses=[_has_ratio(r)],
                conclusion=[
                    relation(">", victim_term(ROWS, r.messages), 1 / (term(ratio_of(r)) + 1))
                ],
            ),
        )

    return Statement(instances=_different, holds=holds)


def _fails_on_t() -> Statement:
    """Where z ∈ T_δ, privacy fails: some row is more than e^ε times another there."""

    def instances(effort: Effort) -> Iterator[Instance]:
        deltas = [Fraction(1, 4), Fraction(1, 10)]
        for at, delta in product(pairs(effort), deltas):
            yield Instance.of(rows=at["rows"], delta=delta)
        for delta in deltas:
            likely = 1 - delta / 4
            other = 1 - delta / 5
            rows = ((likely, 1 - likely), (other, 1 - other))
            yield Instance.of(rows=rows, delta=delta)

    def holds(at: Instance) -> Outcome:
        r, v = rows_of(at), at.mapping()
        delta: Any = v["delta"]
        x = Exact(2)  # e^ε of a pure randomizer, which is (ε, δ)-private for every δ
        if ratio_of(r) > x:
            return Outcome(Truth.TRUE, "the randomizer has another ε")
        failing = failure_set(r.rows[0], delta=Exact(delta))
        if not failing:
            return Outcome(Truth.TRUE, "T is empty")
        z = min(failing)
        return Outcome(
            Truth.FALSE,
            f"T_δ of row 0 holds message {z}, but the randomizer is (ln 2, 0)-private",
            lambda: Certificate(
                define=_matrix(r),
                hypotheses=[relation("<=", Term(["ldp_ratio", ROWS.json]), x)],
                conclusion=[relation(">", entry(ROWS, 0, z), 1 - delta / 2)],
            ),
        )

    return Statement(instances=instances, holds=holds)


def _p_1() -> Statement:
    """Pr[R(x_1^0) ∈ S] = Pr[R(x_1^1) ∈ S̄], and both are at most p; δ_1 = 0."""

    def holds(at: Instance) -> Outcome:
        r = rows_of(at)
        found, p = victim_confounding(*r.rows), 1 / (ratio_of(r) + 1)
        fine = found.from_zero == found.from_one and found.from_zero <= p
        return Outcome(
            Truth.of(fine),
            f"Pr[R(x_1^0) ∈ S] = {found.from_zero}, Pr[R(x_1^1) ∈ S̄] = {found.from_one}, p = {p}",
            lambda: _p_1_certificate(r),
        )

    return Statement(instances=_different, holds=holds)


def _p_1_certificate(r: Randomizer) -> Certificate:
    region = rejection_region(*r.rows)
    zero = victim_term(ROWS, r.messages)
    one = term(1) - sum((entry(ROWS, 1, z) for z in sorted(region)), term(0))
    members = [
        relation("<" if z in region else ">=", entry(ROWS, 0, z), entry(ROWS, 1, z))
        for z in range(r.messages)
    ]
    found = victim_confounding(*r.rows)
    unequal = relation("!=", zero, one)
    above = relation(">", zero, 1 / (term(ratio_of(r)) + 1))
    return Certificate(
        define=_matrix(r),
        hypotheses=[_has_ratio(r), *members],
        conclusion=[unequal if found.from_zero != found.from_one else above],
    )


def _equation_3(*, over_letters: bool = False) -> Statement:
    """(3) with p_1 where the two probabilities of Section 3.2.1 agree, so that p_1 is clear."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in small(2, largest=9):
            r = rows_of(at)
            found = victim_confounding(*r.rows)
            if r.rows[0] != r.rows[1] and found.from_zero == found.from_one:
                yield at

    def holds(at: Instance) -> Outcome:
        r = rows_of(at)
        p = victim_confounding(*r.rows).from_zero
        lines = (equation_3_over_letters if over_letters else equation_3)(*r.rows, p=p)
        fault = first_fault(lines)
        return Outcome(
            Truth.of(fault is None),
            f"p_1 = {p}: {fault or 'holds'}",
            lambda: _equation_3_certificate(r, over_letters=over_letters),
        )

    return Statement(instances=instances, holds=holds)


def _equation_3_certificate(r: Randomizer, *, over_letters: bool) -> Certificate:
    """The line that fails: at a message, or a letter Q that would be negative there."""
    p = victim_confounding(*r.rows).from_zero
    places = product((0, 1), range(r.messages))
    letters = {(x, z): (1 - p) * r.rows[x][z] - p * r.rows[1 - x][z] for x, z in places}
    near, z = min(letters, key=lambda place: letters[place])
    q = ref("p_1")
    mixture = (1 - q) * entry(ROWS, near, z)
    if over_letters:
        conclusion = relation("<", mixture - q * entry(ROWS, 1 - near, z), 0)
    else:
        mixed = mixture + q * entry(ROWS, 1 - near, z)
        conclusion = relation("!=", mixed, entry(ROWS, near, z))
    return Certificate(
        define=[*_matrix(r), ("p_1", victim_term(ROWS, r.messages))],
        hypotheses=[_has_ratio(r), relation("<", q, Fraction(1, 2))],
        conclusion=[conclusion],
    )


# --- the other users -----------------------------------------------------------------------


def _covered() -> Statement:
    def holds(at: Instance) -> Outcome:
        r = rows_of(at)
        regions = other_regions(*r.rows)
        return Outcome(
            Truth.of(regions.is_covered),
            f"U = {set(regions.union)}, U_0 = {set(regions.zero)}, U_1 = {set(regions.one)}",
            lambda: _covered_certificate(r, min(regions.union - regions.zero - regions.one)),
        )

    return Statement(instances=_triples, holds=holds)


def _covered_certificate(r: Randomizer, z: int) -> Certificate:
    """z is in U by the first relation, and in neither part by the second."""
    zero, one, other = (entry(ROWS, x, z) for x in range(3))
    return Certificate(
        define=_matrix(r),
        hypotheses=[_has_ratio(r)],
        conclusion=[relation("<", other, zero), relation("=", zero, one)],
    )


def _endpoints_of_any() -> Statement:
    """Rows 2, 3, 4: user i with x_i = x_1^0, between, and x_1^1; all masses below the victim's 3/4.

    So no set is empty, and no mass is tied.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for own in few_rows(3, letters=[2], denominators=range(2, 11)):
            if max(map(max, own)) < Fraction(3, 4):
                yield Instance.of(rows=(binary(3), binary(3, 1), *own))

    def holds(at: Instance) -> Outcome:
        r = rows_of(at)
        found = [min(other_confounding(r.rows[0], r.rows[1], row)) for row in r.rows[2:]]
        return Outcome(
            Truth.of(min(found) in (found[0], found[2])),
            f"p_i = {found[0]} at x_1^0, {found[1]} between, {found[2]} at x_1^1",
            lambda: _endpoints_certificate(r),
        )

    return Statement(instances=instances, holds=holds)


def _endpoints_certificate(r: Randomizer) -> Certificate:
    """p_i of the three inputs; user i and the victim have privacy parameters of their own."""
    own = Term(["ldp_ratio", matrix_term(r.rows[2:]).json])
    victim = Term(["ldp_ratio", matrix_term(r.rows[:2]).json])
    p = [(f"p_{x}", _least(r, x)) for x in (2, 3, 4)]
    return Certificate(
        define=[*_matrix(r), *p],
        hypotheses=[relation("<", own, victim)],
        conclusion=[relation("<", ref("p_3"), ref("p_2")), relation("<", ref("p_3"), ref("p_4"))],
    )


def _least(r: Randomizer, other: int) -> Term:
    ends = [
        other_term(ROWS, r.messages, near=near, far=1 - near, other=other).json for near in (0, 1)
    ]
    return Term(["min", *ends])


def _equation_4() -> Statement:
    """Any rows with p_i < 1/2: user i's randomizer is another one, and may ignore its input."""

    def holds(at: Instance) -> Outcome:
        r = rows_of(at)
        zero, one, other = r.rows
        p = min(other_confounding(zero, one, other))
        fault = first_fault([as_copies(zero, one, other, p=p)])
        left = [w - p * (u + v) for u, v, w in zip(zero, one, other, strict=True)]
        worst = min(range(len(left)), key=lambda z: left[z])
        return Outcome(
            Truth.of(fault is None),
            f"p_i = {p}: {fault or 'the leftover is a law'}",
            lambda: _equation_4_certificate(r, worst),
        )

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _triples(effort):
            if 2 * min(other_confounding(*rows_of(at).rows)) < 1:
                yield at

    return Statement(instances=instances, holds=holds)


def _equation_4_certificate(r: Randomizer, z: int) -> Certificate:
    p = ref("p_i")
    left = entry(ROWS, 2, z) - p * (entry(ROWS, 0, z) + entry(ROWS, 1, z))
    return Certificate(
        define=[*_matrix(r), ("p_i", _least(r, 2))],
        hypotheses=[_has_ratio(r)],
        conclusion=[relation("<", left, 0)],
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "liu2024/section-3.2.1/neyman-pearson": {"a": _most_powerful(), "b": _lower_bound()},
    "liu2024/section-3.2.1/T_delta": {"": _fails_on_t()},
    "liu2024/section-3.2.1/p_1": {"": _p_1()},
    "liu2024/equation-3": {"a": _equation_3(), "b": _equation_3(over_letters=True)},
    "liu2024/section-3.2.2/U-partition": {"": _covered()},
    "liu2024/section-3.2.2/endpoints": {
        "a": FIGURE["liu2024/section-3.2.2/endpoints"]["a"],
        "b": _endpoints_of_any(),
    },
    "liu2024/figure-3/b": FIGURE["liu2024/figure-3/b"],
    "liu2024/equation-4": {"": _equation_4()},
}
