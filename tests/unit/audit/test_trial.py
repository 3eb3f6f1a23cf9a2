"""The auditor: quantifiers, proofs, slack, search and shrinking."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from exactdp.audit import ClaimVerdict, audit_claim, decide, inventory_changes, verdicts_document
from exactdp.audit.run import certificate_name, inventory_of
from exactdp.claims import (
    Argued,
    Certificate,
    Claim,
    Falls,
    Instance,
    Open,
    Outcome,
    Proved,
    Quantifier,
    Refuted,
    Source,
    Statement,
    Survived,
    Undecided,
    term,
)
from exactdp.errors import DomainError
from exactdp.truth import Truth


def numbers(limit):
    return lambda effort: (Instance.of(n=n) for n in range(limit))


def below(bound, **kwargs):
    return lambda at: Outcome(Truth.of(at["n"] < bound), f"n = {at['n']}", **kwargs)


def test_the_first_failure_refutes():
    verdict = decide(Statement(instances=numbers(10), holds=below(4)))
    assert verdict == Refuted("n=4", "n = 4", None, 5)


def test_no_failure_is_survived_not_proved():
    assert decide(Statement(instances=numbers(10), holds=below(99))) == Survived(10)


def test_a_complete_enumeration_proves():
    verdict = decide(Statement(instances=numbers(3), holds=below(99), complete="n < 3"))
    assert verdict == Proved("n < 3", "all 3 instances computed", 3)


def test_a_failure_beats_a_proof():
    wrong = Statement(instances=numbers(10), holds=below(4), proof=lambda: Proved("all", "magic"))
    assert decide(wrong).label == "refuted"


def test_a_proof_is_used_and_counts_the_instances():
    sound = Statement(instances=numbers(5), holds=below(9), proof=lambda: Proved("all n", "why"))
    assert decide(sound) == Proved("all n", "why", 5)


def test_a_failed_proof_leaves_survived():
    assert decide(Statement(instances=numbers(5), holds=below(9), proof=lambda: None)).label == (
        "survived"
    )


def test_an_undecided_instance_is_not_counted_as_success():
    def holds(at):
        return Outcome(Truth.UNKNOWN if at["n"] == 2 else Truth.TRUE, "too close")

    verdict = decide(Statement(instances=numbers(5), holds=holds, complete="n < 5"))
    assert isinstance(verdict, Undecided)
    assert "1 of 5" in verdict.reason and "n=2" in verdict.reason


def test_an_example_proves_an_existential_statement():
    some = Statement(
        instances=numbers(10),
        holds=lambda at: Outcome(Truth.of(at["n"] == 7), "seven"),
        quantifier=Quantifier.SOME,
    )
    assert decide(some) == Proved("an example: n=7", "seven", 8)


def test_no_example_is_undecided_unless_the_candidates_are_all():
    def statement(complete):
        return Statement(
            instances=numbers(3),
            holds=lambda at: Outcome(Truth.FALSE, "no"),
            quantifier=Quantifier.SOME,
            complete=complete,
        )

    assert decide(statement(None)).label == "undecided"
    assert decide(statement("all n < 3")).label == "refuted"


def test_slack_is_the_smallest_ratio():
    def holds(at):
        return Outcome(Truth.TRUE, slack=Fraction(10 - at["n"], 4))

    verdict = decide(Statement(instances=numbers(5), holds=holds))
    assert verdict == Survived(5, "1.5", "n=4") or verdict == Survived(5, "1.500", "n=4")


def test_search_finds_and_shrinks_beyond_the_enumeration():
    statement = Statement(
        instances=numbers(3),
        holds=below(1000),
        strategy=lambda: st.integers(0, 10**6).map(lambda n: Instance.of(n=n)),
    )
    verdict = decide(statement)
    assert (verdict.label, verdict.witness) == ("refuted", "n=1000")


def test_open_questions_keep_their_reason():
    assert decide(Open("data not public")) == Undecided("data not public")


def make_claim(**readings):
    return Claim("p/c", "says", Source("p", "here"), readings)


GOOD = Statement(instances=numbers(2), holds=below(9))
BAD = Statement(
    instances=numbers(9),
    holds=below(3, certificate=lambda: Certificate([(">=", term(3), term(3))])),
    falls=Falls.RESULT,
)


def test_readings_that_disagree_make_the_claim_depend():
    verdict = audit_claim(make_claim(a=GOOD, b=BAD))
    assert verdict.label == "depends"
    assert audit_claim(make_claim(a=BAD, b=BAD)).label == "refuted"
    (entry,) = verdicts_document([verdict])["claims"]
    assert entry["readings"] == {"a": "survived", "b": "refuted"}
    assert entry["witness"] == "n=3"
    assert entry["certificate"] == "certificates/p.c.b.json"
    assert entry["verdict"] == "depends"
    assert entry["falls"] == "result"
    assert entry["evidence"]["a"]["falls"] is None


def test_what_the_authors_withdrew_and_what_nobody_claims_is_said():
    claim = replace(
        make_claim(a=GOOD, b=BAD), withdrawn="an erratum", hypothetical=frozenset({"b"})
    )
    (entry,) = verdicts_document([audit_claim(claim)])["claims"]
    assert entry["withdrawn"] == "an erratum" and entry["hypothetical"] == ["b"]


def test_an_argument_is_no_proof():
    argued = replace(GOOD, proof=lambda: Argued("all n", "it is so"))
    (entry,) = verdicts_document([audit_claim(make_claim(a=argued))])["claims"]
    assert (entry["verdict"], entry["domain"]) == ("argued", "all n")


def test_readings_are_one_unnamed_or_several_named():
    with pytest.raises(DomainError, match="readings"):
        Claim("p/c", "says", Source("p", "here"), {})
    with pytest.raises(DomainError, match="readings"):
        Claim("p/c", "says", Source("p", "here"), {"": GOOD, "a": BAD})


def test_inventory_changes_name_what_changed():
    before = inventory_of([audit_claim(make_claim(a=GOOD, b=BAD))])
    same = [audit_claim(make_claim(a=GOOD, b=BAD))]
    assert inventory_changes(before, same, complete=True) == []
    other: list[ClaimVerdict] = [audit_claim(make_claim(a=BAD, b=BAD))]
    (line,) = inventory_changes(before, other, complete=True)
    assert line == (
        "p/c: was depends (a: survived, b: refuted), is refuted (a: refuted, b: refuted)"
    )
    assert inventory_changes({}, same, complete=True) == ["p/c: new, depends"]
    gone = inventory_changes({**before, "p/d": before["p/c"]}, same, complete=True)
    assert gone == ["p/d: gone from the catalog"]
    assert inventory_changes({**before, "p/d": before["p/c"]}, same, complete=False) == []


def test_certificate_names_are_file_names():
    assert certificate_name("a/b=1/c>2", "a") == "a.b-1.cgt2.a.json"
