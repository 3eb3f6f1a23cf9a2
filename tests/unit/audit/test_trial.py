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


def over(limit, holds, **more):
    return Statement(instances=numbers(limit), holds=holds, **more)


def equals(n):
    return lambda at: Outcome(Truth.of(at["n"] == n), f"is it {n}?")


def unknown_at_2(at):
    return Outcome(Truth.UNKNOWN if at["n"] == 2 else Truth.TRUE, "too close")


def slack(at):
    return Outcome(Truth.TRUE, slack=Fraction(12 - at["n"], 4))


MAGIC = {"proof": lambda: Proved("all n", "why")}
SOME = {"quantifier": Quantifier.SOME}
VERDICTS = {
    "the first failure refutes": (over(10, below(4)), Refuted("n=4", "n = 4", None, 5)),
    "no failure is survived, not proved": (over(10, below(99)), Survived(10)),
    "a complete enumeration proves": (
        over(3, below(99), complete="n < 3"),
        Proved("n < 3", "all 3 instances computed", 3),
    ),
    "a failure beats a proof": (over(10, below(4), **MAGIC), Refuted("n=4", "n = 4", None, 5)),
    "a proof counts the instances": (over(5, below(9), **MAGIC), Proved("all n", "why", 5)),
    "a failed proof leaves survived": (over(5, below(9), proof=lambda: None), Survived(5)),
    "an undecided instance is no success": (
        over(5, unknown_at_2, complete="n < 5"),
        Undecided("1 of 5 instances could not be decided, first n=2: too close", 5),
    ),
    "an example proves": (
        over(10, equals(7), **SOME),
        Proved("an example: n=7", "is it 7?", 8),
    ),
    "no example is undecided": (
        over(3, equals(7), **SOME),
        Undecided("no example among 3 candidates; is it 7?", 3),
    ),
    "no example among all refutes": (
        over(3, equals(7), complete="all n < 3", **SOME),
        Refuted("none of 3: all n < 3", "is it 7?", None, 3),
    ),
    "slack is the smallest ratio": (over(5, slack), Survived(5, "2.000", "n=4")),
    "open questions keep their reason": (Open("data not public"), Undecided("data not public")),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts(name):
    statement, verdict = VERDICTS[name]
    assert decide(statement) == verdict


def test_search_finds_and_shrinks_beyond_the_enumeration():
    strategy = st.integers(0, 10**6).map(lambda n: Instance.of(n=n))
    verdict = decide(over(3, below(1000), strategy=lambda: strategy))
    assert (verdict.label, verdict.witness) == ("refuted", "n=1000")


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
