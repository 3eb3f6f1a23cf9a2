"""The facts that verdicts.json and the inventory keep, and that an audit compares."""

import json
from copy import deepcopy
from dataclasses import asdict
from decimal import Decimal

import pytest

from exactdp.audit import (
    audit_claim,
    inventory_changes,
    inventory_of,
    read_inventory,
    renew_doubles,
    verdicts_document,
    write_inventory,
)
from exactdp.audit.records import _ratio
from exactdp.bounds import bounds_of
from exactdp.bounds.papers import papers_with_bounds
from exactdp.claims import (
    Claim,
    Falls,
    Open,
    Paper,
    Source,
    at_most,
    cases,
    checked,
    decided,
    finite_pair,
    for_all,
    hockey_stick,
    installed_paper,
    proof,
    words,
)
from exactdp.claims.doubles import bound_in_doubles, in_doubles
from exactdp.claims.kinds import integers
from exactdp.errors import ParseError
from exactdp.report.words import IN_DOUBLES

OVER = cases(n=(1, 2, 3))
DELTA = hockey_stick(finite_pair(["3/4", "1/4"], ["1/4", "3/4"]), 2)
"""1/4."""


def false(n):
    return at_most(n, 2)


ARGUMENT = proof(checked("1 < 2", lambda: 1 < 2), words("clear"))
DRAWN = OVER.within(n=integers(1, 3))
READINGS = {
    "refuted": for_all(OVER, lambda n: at_most(DELTA * n, "1/2"), falls=Falls.STEP),
    "survived": for_all(OVER, lambda n: at_most(n, 6), wrong=false),
    "argued": for_all(DRAWN, lambda n: at_most(n, 6), wrong=false, proof=ARGUMENT),
    "proved": for_all(OVER.all_of(n=integers(1, 3)), lambda n: at_most(n, 6), wrong=false),
    "undecided": Open("asymptotic"),
    "unspecified": Open("by n", ("n",), for_all(OVER, lambda n: at_most(n, 2))),
}
CLAIM = Claim("p/c", "says", Source("p", "here"), READINGS)
RESULT = audit_claim(CLAIM)
KEPT = inventory_of([RESULT])
EVIDENCE = verdicts_document([RESULT])["claims"][0]["evidence"]


INSTANCES = {"undecided": 0, "unspecified": 3}
INSTANCES |= {"argued": 9, "refuted": 3, "survived": 3, "proved": 3}


def test_each_verdict_keeps_what_can_be_shown_of_it():
    kept = {key: dict(facts) for key, facts in KEPT["p/c"]["readings"].items()}
    for key, facts in kept.items():
        assert facts.pop("verdict") == key and len(facts.pop("evidence")) == 16
        assert facts.pop("instances") == INSTANCES[key]
    assert kept == {
        "refuted": {
            "witness": "n=3",
            "at": {"n": 3},
            "sides": {
                "left": {"exact": "3/4", "decimal": "0.75"},
                "sign": ">",
                "right": {"exact": "1/2", "decimal": "0.5"},
                "claimed": "right",
                "times": "1.5",
                "apart": "0.25",
            },
            "by_how_much": {"kernel": "1.5", "lower": None, "upper": None},
            "falls": "step",
            "found": "3/4 > 1/2",
        },
        "survived": {"slack": "2.000", "closest": "n=3", "tried": "n 1 to 3"},
        "argued": {
            "domain": "all integer 1 ≤ n ≤ 3",
            "steps": [
                {"text": "1 < 2", "rests": "engine", "cites": None},
                {"text": "clear", "rests": "words", "cites": None},
            ],
            "rests": "words",
            "slack": "2.000",
            "closest": "n=3",
        },
        "proved": {
            "domain": "all integer 1 ≤ n ≤ 3",
            "steps": [],
            "rests": "kernel",
            "found": "all 3 instances computed",
            "slack": "2.000",
            "closest": "n=3",
        },
        "undecided": {"reason": "asymptotic"},
        "unspecified": {
            "reason": "by n",
            "missing": ["n"],
            "found": "holds at n=1: 1 <= 2; fails at n=3: 3 > 2",
        },
    }


def test_verdicts_have_the_same_the_formula_and_nothing_else():
    for key, facts in EVIDENCE.items():
        kept = KEPT["p/c"]["readings"][key]
        common = {x: fact for x, fact in facts.items() if fact is not None}
        formula, file = common.pop("formula", None), common.pop("certificate", None)
        assert common == {x: y for x, y in kept.items() if x not in ("verdict", "evidence")}
        assert (formula is None) == (key in ("undecided", "unspecified"))
        assert file == {
            "refuted": "certificates/p.c.refuted.json",
            "proved": "proofs/p.c.proved.json",
        }.get(key)
    assert EVIDENCE["survived"]["formula"] == "for all n: n ≤ 6"
    keys = [set(facts) for facts in EVIDENCE.values()]
    assert all(one == keys[0] for one in keys)


def test_a_decision_has_no_formula():
    claim = Claim("p/c", "s", Source("p", "h"), {"": for_all(OVER, lambda n: decided(n < 9, ""))})
    (entry,) = verdicts_document([audit_claim(claim)])["claims"]
    assert entry["formula"] is None and entry["instances"] == 3


@pytest.mark.parametrize(
    ("key", "fact", "value", "is_noted"),
    [
        ("survived", "instances", 4, False),  # what a search saw may change with the search
        ("survived", "slack", "3.000", False),
        ("survived", "closest", "n=1", False),
        ("refuted", "falls", "result", True),
        ("refuted", "evidence", "0", True),
        ("refuted", "sides", {}, True),
        ("refuted", "sides", None, False),  # not known
        ("argued", "domain", "all", True),
        ("argued", "steps", [], True),
        ("argued", "steps", None, False),
        ("argued", "domain", None, True),  # this decides
    ],
)
def test_what_is_kept_is_compared_and_what_decides_must_be_there(key, fact, value, *, is_noted):
    before = deepcopy(KEPT)
    facts = before["p/c"]["readings"][key]
    facts.pop(fact) if value is None else facts.update({fact: value})
    note = "note: p/c is depends as before, on other evidence"
    assert inventory_changes(before, [RESULT], complete=True) == [note] * is_noted


@pytest.mark.parametrize("witness", ["n=2", "n=99"])  # it holds there; it is not listed
def test_a_kept_witness_that_is_none_is_a_change(witness):
    before = deepcopy(KEPT)
    before["p/c"]["readings"]["refuted"]["witness"] = witness
    (line,) = inventory_changes(before, [RESULT], complete=True)
    assert line == f"p/c: it does not fail at its kept witness, {witness}"


def written(folder, **changes):
    paper = Paper("p", "x", lambda: (CLAIM,), str(folder))
    path = write_inventory(paper, [RESULT])
    document = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(document))
    return paper, document


def test_an_inventory_is_read_as_it_was_written(tmp_path):
    paper, document = written(tmp_path)
    assert document["format"] == "exactdp-inventory/5"
    assert read_inventory(paper) == KEPT


@pytest.mark.parametrize("version", [2, 3])
def test_one_of_the_formats_before_keeps_less(tmp_path, version):
    few = deepcopy(KEPT)
    for key, facts in few["p/c"]["readings"].items():
        known = ("verdict", "witness", "domain", "falls", "evidence")
        few["p/c"]["readings"][key] = {x: y for x, y in facts.items() if x in known}
    paper, _ = written(tmp_path, format=f"exactdp-inventory/{version}", claims=few)
    kept = read_inventory(paper)
    assert inventory_changes(kept, [RESULT], complete=True) == []
    few["p/c"]["readings"]["refuted"]["evidence"] = "0"
    assert len(inventory_changes(few, [RESULT], complete=True)) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "exactdp-inventory/9"}, "format 'exactdp-inventory/9' is not"),
        ({"claims": {"p/c": {}}}, "not an inventory"),
        ({"claims": 3}, "not an inventory"),
    ],
)
def test_another_file_says_how_to_make_it_anew(tmp_path, changes, said):
    paper, _ = written(tmp_path, **changes)
    with pytest.raises(ParseError, match=said) as error:
        read_inventory(paper)
    assert str(error.value).endswith("Make it anew with --update-inventory.")


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ("1", "1"),
        ("2", "2"),
        ("2.0000001", "2.000"),
        ("1.00003057517", "1.0000306"),
        ("1.00000000000136", "1.00000000000136"),
        ("141065.7", "1.411e+5"),
    ],
)
def test_a_ratio_near_1_shows_what_it_is_above_1(times, shown):
    assert _ratio(Decimal(times)) == shown


FALL = {"at": "x=1", "double": None, "formula": "2", "ulps": None, "below_truth": None}
DOUBLES = {
    "p/c": {"in_doubles": "rounding of 3 ulps", "falls": {"rounding": FALL | {"ulps": 3}}},
    "p/c#far": {"in_doubles": "overflow", "falls": {"overflow": FALL}},
    "p/cc": {"in_doubles": "holds", "falls": {}},
}


@pytest.fixture
def doubles(monkeypatch):
    """What p keeps of its bounds in doubles."""
    kept = deepcopy(DOUBLES)
    monkeypatch.setattr("exactdp.claims.doubles.doubles_file", {"p": kept}.__getitem__)
    return kept


def test_a_claims_bounds_in_doubles_are_copied_with_their_witnesses(doubles):
    expected = [
        {"bound": "p/c", "word": "rounding", **FALL, "ulps": 3},
        {"bound": "p/c#far", "word": "overflow", **FALL},
    ]
    assert inventory_of([RESULT])["p/c"]["in_doubles"] == expected
    assert verdicts_document([RESULT])["claims"][0]["in_doubles"] == expected
    assert list(map(str, in_doubles("p/c"))) == [
        "rounding of 3 ulps at x=1: an error where the formula is 2",
        "overflow at x=1: an error where the formula is 2",
    ]
    assert bound_in_doubles("p/c").word == "rounding" and bound_in_doubles("p/c#near") is None


def test_other_words_on_bounds_are_noted_and_renewed_without_a_trial(doubles, tmp_path):
    paper, document = written(tmp_path)
    assert "in_doubles" in document["claims"]["p/c"]
    doubles["p/c"]["falls"]["rounding"]["at"] = "x=2"
    kept = read_inventory(paper)
    note = "note: p/c keeps other words on its bounds in doubles"
    assert inventory_changes(kept, [RESULT], complete=True) == [note]
    renew_doubles(tmp_path)
    renewed = read_inventory(paper)
    assert inventory_changes(renewed, [RESULT], complete=True) == []
    assert list(renewed["p/c"]) == list(kept["p/c"])
    assert renewed["p/c"]["readings"] == kept["p/c"]["readings"]
    doubles.clear()
    renew_doubles(tmp_path)
    assert "in_doubles" not in read_inventory(paper)["p/c"]
    renew_doubles(tmp_path / "nowhere")  # a paper without an inventory keeps none


@pytest.mark.parametrize("key", papers_with_bounds())
def test_every_inventory_has_the_words_of_its_bounds(key):
    paper = installed_paper(key)
    entries = read_inventory(paper)
    found = {
        one["bound"]: (claim_id, one)
        for claim_id, entry in entries.items()
        for one in entry.get("in_doubles", ())
    }
    assert set(found) == {bound.claim for bound in bounds_of(key)}
    for name, (claim_id, one) in found.items():
        assert name.partition("#")[0] == claim_id and one["word"] in IN_DOUBLES
        assert one == asdict(bound_in_doubles(name))
        has_witness = one["word"] not in ("holds", "undecided")
        assert (one["at"] is not None) == (one["formula"] is not None) == has_witness
