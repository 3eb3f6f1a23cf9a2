"""A certificate's label is compared with what the catalog says at the witness."""

import json

import pytest

import exactdp
from exactdp.audit import Label, read_label
from exactdp.audit.labels import restated
from exactdp.claims import Effort, Instance, at_most, cases, for_all, papers, some
from tests.evidence import kept_files

KEPT = kept_files("certificates")


def is_deep(config):
    return config.getoption("--deep")


def test_kept_certificates_state_what_their_labels_say(request):
    chosen = KEPT if is_deep(request.config) else KEPT[::24]
    assert len(chosen) > 5
    for path in chosen:
        label = read_label(json.loads(path.read_text()))
        assert label.says and label.verdict == "refuted" and not label.mismatch, path.name


def document():
    return json.loads(next(p for p in KEPT if "table-II.n-100.ref-11.b" in p.name).read_text())


def ldp_proof():
    name = "biswas2023.definition-III.5.ldp.json"
    [file] = [one for one in kept_files("proofs", "biswas2023") if one.name == name]
    return json.loads(file.content)


@pytest.mark.parametrize("part", ["conclusion", "hypotheses", "define"])
def test_another_statement_under_the_label_does_not_match(part):
    forged = document()
    extra = ["x", "0x1"] if part == "define" else ["<", "0x0", "0x1"]
    forged[part] = [*forged.get(part, []), extra]
    assert "another statement" in read_label(forged).mismatch


def test_a_witness_of_a_longer_search_is_one_too(monkeypatch):
    """The catalog keeps q = 1/4, a search among finer fractions begins at q = 1/12."""
    name, reading = "ding2025/equation-19", "b"
    statement = next(c for c in papers()["ding2025"].claims() if c.id == name).readings[reading]
    longer = next(str(at) for at in statement.instances(Effort.DEEP) if "q=1/12" in str(at))
    found = json.loads(restated(statement, longer).to_bytes(claim=name, reading=reading))
    label = read_label(found)
    assert (label.mismatch, label.witness) == ("", longer)
    monkeypatch.setattr("exactdp.audit.labels._WORK", 0)
    assert "at the 0 instances that 0 operations" in read_label(found).mismatch


def test_another_precision_is_no_other_statement():
    assert not read_label({**document(), "precision_bits": 200}).mismatch


def test_a_label_of_a_claim_that_stands_does_not_match():
    forged = {**document(), "claim": "biswas2023/theorem-III.8", "reading": ""}
    paper = papers()["biswas2023"]
    standing = [c.id for c in paper.claims() if "" in c.readings]
    for name in standing:
        label = read_label({**forged, "claim": name})
        if label.verdict != "refuted":
            assert f"as {label.verdict}, which no certificate shows" in label.mismatch
            return
    raise AssertionError("every claim is refuted")


OTHER_LABELS = {
    "no paper": ("nobody/theorem", "", "no catalog that can be read here"),
    "no claim of the paper": ("biswas2023/nothing", "", "no catalog that can be read here"),
    "another alphabet": ("bisw\u0430s2023/theorem-IV.1", "a", "no catalog that can be read here"),
    "a space": ("biswas2023/theorem-IV.1 ", "a", "no catalog that can be read here"),
    "no such reading": ("biswas2023/theorem-IV.1", "z", "the reading 'z', and the claim here"),
    "no reading": ("biswas2023/theorem-IV.1", "", "no reading, and the claim here"),
    "a reading of one that has none": (
        "biswas2023/equation-11",
        "q",
        "here (exactdp 0.2.0) has none",
    ),
    "a reading of nothing": ("", "a", "the reading 'a' is of no claim"),
}


@pytest.mark.parametrize("form", ["exactdp-certificate/1", "exactdp-proof/1"])
@pytest.mark.parametrize("name", OTHER_LABELS)
def test_a_label_that_cannot_be_bound_does_not_match(name, form):
    claim, reading, why = OTHER_LABELS[name]
    label = read_label({**document(), "format": form, "claim": claim, "reading": reading})
    assert why.replace("0.2.0", exactdp.__version__) in label.mismatch and not label.says


def test_a_file_without_a_label_says_nothing():
    assert read_label({**document(), "claim": "", "reading": ""}) == Label()


def test_without_a_kept_verdict_a_label_is_bound_by_the_sentence(monkeypatch):
    """A paper of one's own keeps no inventory yet; another version of a catalog keeps another."""
    monkeypatch.setattr("exactdp.audit.labels.read_inventory", lambda paper: None)
    found = read_label(document())
    assert (found.verdict, found.mismatch) == ("without a kept verdict", "")
    forged = read_label({**document(), "conclusion": [["<", "0x0", "0x1"]]})
    assert "is another statement (it has no kept verdict) at the " in forged.mismatch
    steps = ldp_proof()
    assert read_label(steps).mismatch == ""
    assert "has other steps" in read_label({**steps, "domain": "all n"}).mismatch


def test_a_verdict_of_another_kind_does_not_match(monkeypatch):
    steps = ldp_proof()
    kept = {"biswas2023/definition-III.5/ldp": {"readings": {"": {"verdict": "survived"}}}}
    monkeypatch.setattr("exactdp.audit.labels.read_inventory", lambda paper: kept)
    assert (
        read_label(steps).mismatch
        == "the catalog keeps the claim as survived, which no proof shows"
    )


def test_a_statement_is_restated_at_its_witness_and_nowhere_else():
    squares = for_all(cases(n=range(1, 9)), lambda n: at_most(n * n, 40))
    made = restated(squares, "n=8")
    assert made is not None
    conclusion = json.loads(made.to_bytes(claim="squares"))["conclusion"]
    assert conclusion == [[">", "0x40", "0x28"]]
    assert restated(squares, "n=3") is None and restated(squares, "n=9") is None
    nowhere = some(cases(n=range(7, 9)), lambda n: at_most(n * n, 40))
    made = restated(nowhere, "none of 2: 7 and 8")
    assert made is not None and b'"0x31"' in made.to_bytes(claim="squares")
    assert [str(at) for at in squares.instances(Effort.DEFAULT)][:1] == [str(Instance.of(n=1))]
