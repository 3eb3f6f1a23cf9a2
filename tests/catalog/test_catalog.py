"""Every claim of every paper: what is kept of it is whole; its trial finds that again.

The trials of all claims are the work of ``exactdp audit``. Here run those of every twentieth
claim of each paper, and with ``--deep`` all.
"""

import json
from pathlib import Path

import pytest

from exactdp.audit import audit_claim, certificate_name, read_inventory
from exactdp.audit.run import inventory_of
from exactdp.claims import Absent, Open, Quantifier, Standing, Undecided, papers
from proofs_check.kernel import Accepted, check

PAPERS = papers()
CLAIMS = {key: paper.claims() for key, paper in PAPERS.items()}
KEPT = {key: read_inventory(paper) for key, paper in PAPERS.items()}
STANDING = {verdict.label for verdict in Standing.__args__}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "claim" in metafunc.fixturenames:
        step = 20 if "trial" in metafunc.function.__name__ else 1
        step = 1 if metafunc.config.getoption("--deep") else step
        chosen = [(PAPERS[key], claim) for key, found in CLAIMS.items() for claim in found[::step]]
        metafunc.parametrize("paper, claim", chosen, ids=[claim.id for _, claim in chosen])


def test_what_is_kept_is_whole_and_its_certificates_are_accepted(paper, claim):
    kept = KEPT[paper.key][claim.id]
    labels = {key: reading["verdict"] for key, reading in kept["readings"].items()}
    assert set(labels) == set(claim.readings)
    assert kept["verdict"] == (labels[min(labels)] if len(set(labels.values())) == 1 else "depends")
    for key, statement in claim.readings.items():
        if isinstance(statement, Open):
            assert labels[key] == Undecided.label
        if labels[key] in STANDING and statement.false_variant is None:
            # An example is shown, not the absence of failures.
            assert statement.quantifier is Quantifier.SOME
        if labels[key] == "refuted":
            assert kept["readings"][key]["falls"] == statement.falls.value
            file = Path(paper.folder) / "certificates" / certificate_name(claim.id, key)
            answer = check(file.read_bytes())
            assert isinstance(answer, Accepted)
            named = [f"claim {claim.id!r}"] + [f"reading {key!r}"] * bool(key)
            assert answer.labels == tuple(named)


def test_the_trial_reproduces_what_is_kept_and_refutes_the_false_variant(paper, claim):
    """One test a claim: its trial is costly, and decides all of this."""
    result = audit_claim(claim)
    if result.label == Absent.label:
        pytest.skip(next(iter(result.readings.values())).reason)
    assert inventory_of([result])[claim.id] == KEPT[paper.key][claim.id]
    for key, verdict in result.readings.items():
        if isinstance(verdict, Standing) and verdict.untested is not None:
            assert claim.readings[key].quantifier is Quantifier.SOME
    folder = Path(paper.folder) / "certificates"
    for name, content in result.certificates().items():
        assert (folder / name).read_bytes() == content


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
    folder = Path(paper.folder) / "certificates"
    assert {path.name for path in folder.glob("*")} == expected


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
def test_repairs_name_claims_that_stand(paper):
    for claim in CLAIMS[paper.key]:
        if claim.repair is not None:
            mended = KEPT[paper.key][claim.repair]["readings"].values()
            labels = {reading["verdict"] for reading in mended}
            assert {"proved", "argued", "survived"} & labels, claim.id


def test_a_certificate_is_small_text():
    for paper in PAPERS.values():
        for path in (Path(paper.folder) / "certificates").glob("*"):
            assert json.loads(path.read_text())["claim"].startswith(paper.key)
            assert path.stat().st_size < 1_000_000
