"""The auditor: quantifiers, proofs, slack, search and shrinking."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from exactdp.audit import (
    ClaimVerdict,
    audit_claim,
    audit_claims,
    certificate_name,
    decide,
    found_text,
    inventory_changes,
    inventory_of,
    verdicts_document,
    write_inventory,
)
from exactdp.claims import (
    Argued,
    Beside,
    Certificate,
    Claim,
    Falls,
    Instance,
    Open,
    Outcome,
    Paper,
    Proved,
    Quantifier,
    Refuted,
    Source,
    Statement,
    StepRecord,
    Survived,
    Undecided,
    Unspecified,
    at_most,
    cases,
    checked,
    decided,
    for_all,
    lemma,
    proof,
    term,
)
from exactdp.claims.domains import Domain
from exactdp.claims.kinds import among, integers
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


def proved(answer):
    stated = {"says": lambda n: at_most(0, n), "variables": ("n",), "domain": ALL_N}
    return stated | {"proof": proof(checked("why", lambda: answer))}


ALL_N = Domain({"n": integers(0)})
BELOW_3, BELOW_5 = (Domain({"n": integers(0, most)}) for most in (2, 4))
WHY_NOT = "the step does not hold: why"

NO_VARIANT = "it has no false variant"
SOME = {"quantifier": Quantifier.SOME}
VERDICTS = {
    "the first failure refutes": (
        over(10, below(4)),
        Refuted("n=4", "n = 4", None, 5, at={"n": 4}),
    ),
    "no failure is survived, not proved": (
        over(10, below(99)),
        Survived(10, untested=NO_VARIANT),
    ),
    "a complete enumeration proves": (
        over(3, below(99), complete=True, domain=BELOW_3),
        Proved("all integer 0 ≤ n ≤ 2", (), 3, NO_VARIANT, found="all 3 instances computed"),
    ),
    "a failure beats a proof": (
        over(10, below(4), **proved(True)),
        Refuted("n=4", "n = 4", None, 5, at={"n": 4}),
    ),
    "a proof counts the instances": (
        over(5, below(9), **proved(True)),
        Argued("all integer n ≥ 0", (StepRecord("why", "engine"),), 5, NO_VARIANT),
    ),
    "a failed proof leaves survived": (
        over(5, below(9), **proved(False)),
        Survived(5, unproved=WHY_NOT, untested=NO_VARIANT),
    ),
    "an undecided step is not a proof": (
        over(5, below(9), **proved(Truth.UNKNOWN)),
        Survived(5, unproved=WHY_NOT, untested=NO_VARIANT),
    ),
    "a refuted false variant shows that the trial would notice": (
        over(5, below(9), false_variant=over(5, below(4))),
        Survived(5),
    ),
    "a false variant that stands takes the verdict with it": (
        over(5, below(9), **proved(True), false_variant=over(5, below(8))),
        Undecided(
            "all integer n ≥ 0: checked: why; but its false variant is survived, not refuted", 5
        ),
    ),
    "no instances are undecided, whatever is proved": (
        over(0, below(9), complete=True, **proved(True)),
        Undecided("no instances: it was tried nowhere"),
    ),
    "no candidates are undecided": (
        over(0, below(9), complete=True, domain=BELOW_3, **SOME),
        Undecided("no instances: it was tried nowhere"),
    ),
    "an undecided candidate may be the example": (
        over(3, lambda at: replace(unknown_at_2(at), truth=~unknown_at_2(at).truth), **SOME),
        Undecided("no example among 3 candidates; too close", 3),
    ),
    "of all candidates, too": (
        over(
            3,
            lambda at: replace(unknown_at_2(at), truth=~unknown_at_2(at).truth),
            complete=True,
            domain=BELOW_3,
            **SOME,
        ),
        Undecided("1 of 3 instances could not be decided, first n=2: too close", 3),
    ),
    "an undecided instance is not a success": (
        over(5, unknown_at_2, complete=True, domain=BELOW_5),
        Undecided("1 of 5 instances could not be decided, first n=2: too close", 5),
    ),
    "an example proves": (
        over(10, equals(7), **SOME),
        Proved("an example: n=7", (), 8, NO_VARIANT, found="is it 7?"),
    ),
    "no example is undecided": (
        over(3, equals(7), **SOME),
        Undecided("no example among 3 candidates; is it 7?", 3),
    ),
    "no example among all refutes": (
        over(3, equals(7), complete=True, domain=BELOW_3, **SOME),
        Refuted("none of 3: all integer 0 ≤ n ≤ 2", "is it 7?", None, 3),
    ),
    "slack is the smallest ratio": (
        over(5, slack),
        Survived(5, "2.000", "n=4", untested=NO_VARIANT),
    ),
    "open questions keep their reason": (Open("data not public"), Undecided("data not public")),
    "what lacks something says what": (Open("both", ("k",)), Unspecified("both", ("k",))),
    "it is tried until it has held and failed": (
        Open("by k", ("k", "n"), over(9, below(3))),
        Unspecified("by k", ("k", "n"), 4, "holds at n=0: n = 0; fails at n=3: n = 3"),
    ),
    "a verdict that is not seen to depend is undecided": (
        Open("by k", ("k",), over(3, below(9))),
        Undecided("by k; but of 3 instances: holds at n=0: n = 0", 3),
    ),
    "no more is one whose failure is open": (
        Open("by k", ("k",), over(2, lambda at: Outcome(Truth.UNKNOWN, "close"))),
        Undecided("by k; but of 2 instances: nothing is decided", 2),
    ),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts(name):
    statement, verdict = VERDICTS[name]
    assert decide(statement) == verdict


def test_what_was_found_says_what_is_missing():
    assert found_text(decide(over(10, below(4)))) == "at n=4: n = 4; no certificate shows it"
    assert found_text(decide(BAD)) == "at n=3: n = 3 (result falls)"
    text = "no failure on 2 instances, no proof"
    assert found_text(decide(GOOD)) == text
    assert found_text(decide(over(2, below(9)))) == f"{text}; untested: {NO_VARIANT}"


def test_what_the_print_leaves_out_is_said():
    found = decide(Open("by n", ("n", "k"), over(9, below(3))))
    told = "by n; holds at n=0: n = 0; fails at n=3: n = 3; the print does not say: n; k"
    assert found_text(found) == told
    with pytest.raises(DomainError, match="lacks something"):
        Open("by n", tried=over(9, below(3)))


def test_search_finds_and_shrinks_beyond_the_enumeration():
    strategy = st.integers(0, 10**6).map(lambda n: Instance.of(n=n))
    verdict = decide(over(3, below(1000), strategy=lambda: strategy))
    assert (verdict.label, verdict.witness) == ("refuted", "n=1000")


def make_claim(**readings):
    return Claim("p/c", "says", Source("p", "here"), readings)


GOOD = Statement(instances=numbers(2), holds=below(9), false_variant=over(2, below(1)))
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


def test_a_table_is_kept_whole_beside_the_exact_values():
    """The first wrong cell is the witness; the others are computed all the same."""

    def agrees(at):
        exact = at["n"] ** 2
        return decided(exact == int(at["cell"]), "", beside=[Beside(at["cell"], str(exact))])

    rows = [Instance.of(n=n, cell=cell) for n, cell in enumerate(("0", "2", "4"))]
    verdict = audit_claim(make_claim(a=replace(BAD, instances=lambda _: rows, holds=agrees)))
    (entry,) = verdicts_document([verdict])["claims"]
    assert (entry["verdict"], entry["witness"]) == ("refuted", "n=1, cell=2")
    beside = entry["evidence"]["a"]["beside"]
    assert [(b["printed"], b["sign"], b["exact"]) for b in beside] == [
        ("0", "=", "0"),
        ("2", "=", "1"),
        ("4", "=", "4"),
    ]
    assert beside[1]["at"] == "n=1"
    (without,) = verdicts_document([audit_claim(make_claim(a=BAD))])["claims"]
    assert "beside" not in without["evidence"]["a"]


def test_an_argument_is_no_proof():
    argued = replace(GOOD, **proved(True))
    (entry,) = verdicts_document([audit_claim(make_claim(a=argued))])["claims"]
    assert (entry["verdict"], entry["domain"]) == ("argued", "all integer n ≥ 0")


@pytest.mark.parametrize(
    ("most", "slack"), [("5000", "1"), ("10001/2", "1.000"), ("6000", "1.200")]
)
def test_a_slack_of_one_is_exact_whatever_the_bound_stands_on(most, slack):
    everywhere = cases(n=(1, 5000, 3)).all_of(n=among(1, 3, 5000))
    verdict = decide(for_all(everywhere, lambda n: at_most(n, most)))
    assert (verdict.label, verdict.slack, verdict.closest) == ("proved", slack, "n=5000")
    survived = decide(for_all(cases(n=(1, 5000, 3)), lambda n: at_most(n, most)))
    assert (survived.slack, survived.closest) == (slack, "n=5000")


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


# --- nothing but a Truth, and nothing that ends the run ---------------------------------------


@pytest.mark.parametrize("answer", [True, False, None, 1, "true", Fraction(1)])
def test_an_outcome_takes_nothing_but_a_truth(answer):
    with pytest.raises(DomainError, match="is not a Truth"):
        Outcome(answer)
    if type(answer) is not bool:
        with pytest.raises(TypeError, match="is not a bool"):
            Truth.of(answer)


@pytest.mark.parametrize("answer", [True, False, None, Truth.TRUE, at_most(1, 0), Survived(3)])
def test_what_a_trial_answers_is_an_outcome(answer):
    with pytest.raises(DomainError, match="Return an Outcome"):
        decide(over(3, lambda at: answer))


@pytest.mark.parametrize("answer", [None, 1, "yes", at_most(1, 0)])
def test_a_step_that_answers_anything_else_is_no_step(answer):
    with pytest.raises(DomainError, match="Return True, False or a Truth"):
        decide(over(3, below(9), **proved(answer)))


def test_a_proof_has_steps_and_rests_on_its_lemmas():
    with pytest.raises(DomainError, match="has no step"):
        proof()
    fallen = proof(checked("why", lambda: False))
    assert proof(lemma("p/c", fallen, "so")).verdict("") is None


def raises_at(n, error):
    def holds(at):
        if at["n"] == n:
            raise error
        return Outcome(Truth.TRUE)

    return holds


@pytest.mark.parametrize("error", [ZeroDivisionError("division by zero"), SystemExit(3)])
def test_a_trial_that_raises_is_a_recorded_error(error):
    claim = make_claim(a=GOOD, b=over(3, raises_at(2, error)))
    result = audit_claim(claim)
    assert result.label == "error" and result.readings["a"] == Survived(2)
    reason = result.readings["b"].reason
    assert reason.startswith(f"the trial raised {type(error).__name__}: {error}")
    assert "(test_trial.py, line " in reason
    assert isinstance(error, SystemExit) or "; at n=2 (" in reason
    (entry,) = verdicts_document([result])["claims"]
    assert (entry["verdict"], entry["reason"]) == ("error", reason)


def test_so_are_a_false_variant_an_enumeration_and_a_certificate_that_raise():
    broken = over(3, raises_at(0, ValueError("no")))
    reason = audit_claim(make_claim(a=replace(GOOD, false_variant=broken))).readings["a"].reason
    assert "ValueError: no; at n=0; in its false variant (" in reason
    assert audit_claim(make_claim(a=replace(GOOD, instances=None))).label == "error"
    unwritten = replace(BAD, holds=below(3, certificate=lambda: Certificate([("<", 1, 2)])))
    assert audit_claim(make_claim(a=unwritten)).label == "error"


def test_an_error_is_no_verdict_to_keep(tmp_path):
    paper = Paper("p", "x", lambda: (), str(tmp_path))
    result = audit_claim(make_claim(a=over(3, raises_at(2, ValueError("no")))))
    with pytest.raises(DomainError, match="the trial of p/c raised"):
        write_inventory(paper, [result])
    assert list(tmp_path.iterdir()) == []


def test_no_two_certificates_have_one_name_and_none_leaves_its_folder():
    one, other = make_claim(**{"a/../../b": GOOD}), make_claim(**{"a.......b": GOOD})
    assert certificate_name(one.id, "a/../../b") == "p.c.a.......b.json"
    paper = Paper("p", "x", lambda: (one, other))
    with pytest.raises(DomainError, match="2 claims have the certificate"):
        audit_claims([(paper, [one, other])])


@pytest.mark.parametrize("place", ["venv/lib/site-packages", "dist-packages", "target"])
def test_an_inventory_is_never_written_into_an_installation(tmp_path, place):
    folder = tmp_path / place / "p"
    folder.mkdir(parents=True)
    (tmp_path / "target" / "p-1.0.dist-info").mkdir(parents=True)
    with pytest.raises(DomainError, match="pip install -e"):
        write_inventory(Paper("p", "x", lambda: (), str(folder)), [audit_claim(make_claim(a=GOOD))])
    with pytest.raises(DomainError, match="no folder"):
        write_inventory(Paper("p", "x", lambda: ()), [])
    assert list(folder.iterdir()) == []


def test_a_claim_is_tried_by_statements():
    for reading in (True, lambda at: Outcome(Truth.TRUE), None):
        with pytest.raises(DomainError, match="Give a Statement"):
            make_claim(a=reading)
