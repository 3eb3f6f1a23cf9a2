"""Every claim of every paper: what is kept of it is whole; its trial finds that again.

The trials of all claims are the work of ``exactdp audit``. Here run those of every twentieth
claim of each paper, and with ``--deep`` all.
"""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from exactdp.audit import (
    audit_claim,
    certificate_name,
    inventory_changes,
    inventory_of,
    kept_evidence,
    read_inventory,
)
from exactdp.claims import (
    Absent,
    Open,
    Quantifier,
    Quantity,
    Sides,
    Standing,
    Undecided,
    Unspecified,
    papers,
)
from exactdp.claims.certificate import one_line
from exactdp.cli.kernel import ends_of
from exactdp.report import KeptCertificate
from proofs_check.kernel import Accepted, check
from tests.evidence import kept_files

PAPERS = papers()
CLAIMS = {key: paper.claims() for key, paper in PAPERS.items()}
KEPT = {key: read_inventory(paper) for key, paper in PAPERS.items()}
EVIDENCE = {key: kept_evidence(Path(paper.folder)) for key, paper in PAPERS.items()}
OTHERS = {"search.json", "searches.json"}
"""What libraries keep of the search for others, and papers of campaigns about what survived."""
STANDING = {verdict.label for verdict in Standing.__args__}
SLOW = {
    "erlingsson2019/theorem-7/n>=1000",
    "liu2024/definition-2",
    "biswas2023/abstract/gap-vanishes",
}
"""Claims of the sample whose trial takes seconds: with ``--deep``, and in ``exactdp audit``."""
LONG = {
    "libraries/cpsgd/theorem-1",
    "libraries/ietf-binomial-dp/draft-formula",
    "libraries/jax-privacy/fixed-batches",
    "libraries/random-allocation/lower-bound",
}
"""Claims whose certificate takes the kernel seconds: with ``--deep``, and in ``.ci/run``."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "claim" in metafunc.fixturenames:
        is_all = metafunc.config.getoption("--deep") or "trial" not in metafunc.function.__name__
        chosen = [
            (PAPERS[key], claim)
            for key, found in CLAIMS.items()
            for claim in (found if is_all else found[::40])
            if is_all or claim.id not in SLOW
        ]
        metafunc.parametrize("paper, claim", chosen, ids=[claim.id for _, claim in chosen])


def test_what_is_kept_is_whole_and_its_certificates_are_accepted(paper, claim, request):
    kept = KEPT[paper.key][claim.id]
    labels = {key: reading["verdict"] for key, reading in kept["readings"].items()}
    assert set(labels) == set(claim.readings)
    assert kept["verdict"] == (labels[min(labels)] if len(set(labels.values())) == 1 else "depends")
    for key, statement in claim.readings.items():
        if isinstance(statement, Open):
            assert labels[key] == (Unspecified if statement.missing else Undecided).label
        if labels[key] in STANDING and statement.false_variant is None:
            # An example is shown, not the absence of failures.
            assert statement.quantifier is Quantifier.SOME
        if labels[key] == "refuted":
            # An instance may show less than what the statement says: rounding alone.
            assert kept["readings"][key]["falls"] in (statement.falls.value, "rounding")
            file = EVIDENCE[paper.key][f"certificates/{certificate_name(claim.id, key)}"]
            if claim.id in LONG and not request.config.getoption("--deep"):
                continue
            answer = check(file.content)
            assert isinstance(answer, Accepted)
            named = [f"claim {claim.id!r}"] + [f"reading {key!r}"] * bool(key)
            assert answer.labels == tuple(named)
            if "sides" in kept["readings"][key]:
                compare_sides(kept["readings"][key], answer)


def compare_sides(kept, answer):
    """The engine's two numbers, which are kept, are among the kernel's."""
    parts = {x: kept["sides"][x] for x in ("left", "sign", "right", "claimed")}
    parts |= {x: Quantity(**parts[x]) for x in ("left", "right")}
    values = tuple((sign, ends_of(x), ends_of(y)) for sign, x, y in answer.values)
    certificate = KeptCertificate("", b"", accepted=True, values=values)
    assert certificate.shows(Sides(**parts))
    other = Quantity(None, f"{parts['left'].decimal.partition('e')[0]}1e7")
    assert not certificate.shows(Sides(**{**parts, "left": other}))


def test_kept_steps_are_those_of_the_catalog_and_cite_what_is_there(paper, claim):
    for key, statement in claim.readings.items():
        kept = KEPT[paper.key][claim.id]["readings"][key]
        if kept["verdict"] in ("proved", "argued"):
            proof = statement.proof
            assert kept["steps"] == ([] if proof is None else list(map(asdict, proof.records())))
            assert kept["steps"] or kept["found"]
            assert kept["rests"] in ("kernel", "coq", "engine", "words")
            cited = [step["cites"] for step in kept["steps"] if step["rests"] == "claim"]
            assert all(one in KEPT[one.partition("/")[0]] for one in cited)


def test_the_trial_reproduces_what_is_kept_and_refutes_the_false_variant(paper, claim):
    """One test a claim: its trial is costly, and decides all of this."""
    result = audit_claim(claim)
    if result.label == Absent.label:
        pytest.skip(next(iter(result.readings.values())).reason)
    changes = inventory_changes(KEPT[paper.key], [result], complete=False)
    # The last bits of a library's answers follow the processor: other evidence for the same.
    others = [change for change in changes if claim.about and change.endswith("on other evidence")]
    assert changes == others
    if claim.about is None:  # of libraries that were not tried again some things are not known
        now = inventory_of([result])[claim.id]["readings"]
        kept = KEPT[paper.key][claim.id]["readings"]
        assert {key: set(facts) for key, facts in now.items()} == {
            key: set(facts) for key, facts in kept.items()
        }
    for key, verdict in result.readings.items():
        if isinstance(verdict, Standing) and verdict.untested is not None:
            assert claim.readings[key].quantifier is Quantifier.SOME
    kept = EVIDENCE[paper.key]
    for name, content in result.certificates().items():
        assert others or kept[f"certificates/{name}"].content == one_line(content)


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
def test_inventory_and_certificates_hold_nothing_else(paper):
    ids = [claim.id for claim in CLAIMS[paper.key]]
    assert len(set(ids)) == len(ids)
    assert set(read_inventory(paper)) == set(ids)
    expected = {
        certificate_name(c.id, key)
        for c in CLAIMS[paper.key]
        for key, reading in KEPT[paper.key][c.id]["readings"].items()
        if reading["verdict"] == "refuted"
    }
    assert {file.name for file in kept_files("certificates", paper.key)} == expected


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
def test_evidence_and_inventory_are_four_files(paper):
    files = {path.name for x in ("*.json", "*.jsonl") for path in Path(paper.folder).rglob(x)}
    assert files <= {"doubles.json", "doubles.jsonl", "evidence.jsonl", "inventory.json"} | OTHERS
    for path in Path(paper.folder).glob("*.jsonl"):
        lines = path.read_bytes().splitlines(keepends=True)
        assert lines == [one_line(line) for line in lines]


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
def test_repairs_name_claims_that_stand(paper):
    for claim in CLAIMS[paper.key]:
        if claim.repair is not None:
            mended = KEPT[paper.key][claim.repair]["readings"].values()
            labels = {reading["verdict"] for reading in mended}
            assert {"proved", "argued", "survived"} & labels, claim.id


def test_nearly_every_refutation_keeps_its_two_sides():
    """The others' certificates have masses that only the kernel computes."""
    refuted = [
        facts
        for inventory in KEPT.values()
        for entry in inventory.values()
        for facts in entry["readings"].values()
        if facts["verdict"] == "refuted"
    ]
    assert len(refuted) > 250
    assert sum("sides" not in facts for facts in refuted) <= 2


def test_errors_are_named_with_a_sentence_and_each_stands_behind_a_refutation():
    sentences = {name: says for paper in PAPERS.values() for name, says in paper.causes.items()}
    used = set()
    for key, paper in PAPERS.items():
        for claim in CLAIMS[key]:
            for reading, cause in claim.causes.items():
                facts = KEPT[paper.key][claim.id]["readings"][reading]
                assert cause in sentences, (claim.id, cause)
                if facts["verdict"] == "refuted":
                    assert facts["cause"] == cause, claim.id
                    used.add(cause)
    assert used == set(sentences) and len(used) > 15


def test_a_certificate_is_small_text():
    for paper in PAPERS.values():
        for file in kept_files("certificates", paper.key):
            assert json.loads(file.content)["claim"].startswith(paper.key)
            assert len(file.content) < 1_000_000
