"""Every claim of every paper: its verdict is the kept one, its evidence is accepted."""

import json
from pathlib import Path

import pytest

from exactdp.audit import audit_claim, certificate_name, read_inventory
from exactdp.audit.run import inventory_of
from exactdp.claims import Absent, Quantifier, Refuted, Standing, Statement, papers
from proofs_check.kernel import Accepted, check

CLAIMS = [(paper, claim) for paper in papers().values() for claim in paper.claims()]
ALL = pytest.mark.parametrize("paper, claim", CLAIMS, ids=[c.id for _, c in CLAIMS])


KEPT = {key: read_inventory(paper) for key, paper in papers().items()}


@ALL
def test_the_trial_reproduces_what_is_kept_and_refutes_the_false_variant(paper, claim):
    """One test a claim: its trial is costly, and decides all of this."""
    result = audit_claim(claim)
    if result.label == Absent.label:
        assert claim.id in KEPT[paper.key]
        pytest.skip(next(iter(result.readings.values())).reason)
    assert inventory_of([result])[claim.id] == KEPT[paper.key][claim.id]
    for key, verdict in result.readings.items():
        statement = claim.readings[key]
        if isinstance(verdict, Refuted):
            assert verdict.falls is not None, key
            assert verdict.certificate is not None, key
            content = verdict.certificate.to_bytes(claim=claim.id, reading=key)
            assert isinstance(check(content), Accepted)
            kept = Path(paper.folder) / "certificates" / certificate_name(claim.id, key)
            assert kept.read_bytes() == content
        if isinstance(verdict, Standing) and verdict.untested is not None:
            # An example is shown, not the absence of failures.
            assert isinstance(statement, Statement) and statement.quantifier is Quantifier.SOME


@pytest.mark.parametrize("paper", papers().values(), ids=list(papers()))
def test_inventory_and_certificates_hold_nothing_else(paper):
    ids = [claim.id for claim in paper.claims()]
    assert len(set(ids)) == len(ids)
    assert set(read_inventory(paper)) == set(ids)
    expected = {
        certificate_name(c.id, key)
        for c in paper.claims()
        for key, reading in KEPT[paper.key][c.id]["readings"].items()
        if reading["verdict"] == "refuted"
    }
    folder = Path(paper.folder) / "certificates"
    assert {path.name for path in folder.glob("*")} == expected


@pytest.mark.parametrize("paper", papers().values(), ids=list(papers()))
def test_repairs_name_claims_that_stand(paper):
    for claim in paper.claims():
        if claim.repair is not None:
            mended = KEPT[paper.key][claim.repair]["readings"].values()
            labels = {reading["verdict"] for reading in mended}
            assert {"proved", "argued", "survived"} & labels, claim.id


def test_a_certificate_is_small_text():
    for paper in papers().values():
        for path in (Path(paper.folder) / "certificates").glob("*"):
            assert json.loads(path.read_text())["claim"].startswith(paper.key)
            assert path.stat().st_size < 1_000_000
