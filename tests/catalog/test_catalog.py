"""Every claim of every paper: its verdict is the kept one, its evidence is accepted."""

import json
from functools import cache
from pathlib import Path

import pytest

from exactdp.audit import audit_claim, decide, read_inventory
from exactdp.audit.run import certificate_name, inventory_of
from exactdp.claims import Claim, Quantifier, Refuted, Statement, papers
from proofs_check.kernel import Accepted, check

CLAIMS = [(paper, claim) for paper in papers().values() for claim in paper.claims()]
ALL = pytest.mark.parametrize("paper, claim", CLAIMS, ids=[c.id for _, c in CLAIMS])


@cache
def trial(claim_id: str):
    return audit_claim(next(c for _, c in CLAIMS if c.id == claim_id))


@ALL
def test_verdict_is_the_kept_one(paper, claim):
    kept = read_inventory(paper)[claim.id]
    assert inventory_of([trial(claim.id)])[claim.id] == kept


@ALL
def test_every_refutation_has_a_certificate_that_the_kernel_accepts(paper, claim):
    for key, verdict in trial(claim.id).readings.items():
        if isinstance(verdict, Refuted):
            assert verdict.certificate is not None
            content = verdict.certificate.to_bytes(claim=claim.id, reading=key)
            assert isinstance(check(content), Accepted)
            kept = Path(paper.folder) / "certificates" / certificate_name(claim.id, key)
            assert kept.read_bytes() == content


def statements(claim: Claim):
    for key, reading in claim.readings.items():
        label = trial(claim.id).readings[key].label
        if isinstance(reading, Statement) and label in ("proved", "survived"):
            yield key, reading


@ALL
def test_the_audit_would_notice_a_false_variant(paper, claim):
    for key, statement in statements(claim):
        if statement.quantifier is Quantifier.SOME:
            continue  # an example is shown, not the absence of failures
        assert statement.false_variant is not None, key
        assert decide(statement.false_variant).label == "refuted", key


@pytest.mark.parametrize("paper", papers().values(), ids=list(papers()))
def test_inventory_and_certificates_hold_nothing_else(paper):
    ids = [claim.id for claim in paper.claims()]
    assert len(set(ids)) == len(ids)
    assert set(read_inventory(paper)) == set(ids)
    expected = {
        certificate_name(c.id, key)
        for c in paper.claims()
        for key, verdict in trial(c.id).readings.items()
        if isinstance(verdict, Refuted)
    }
    folder = Path(paper.folder) / "certificates"
    assert {path.name for path in folder.glob("*")} == expected


@pytest.mark.parametrize("paper", papers().values(), ids=list(papers()))
def test_repairs_name_claims_that_stand(paper):
    for claim in paper.claims():
        if claim.repair is not None:
            labels = [v.label for v in trial(claim.repair).readings.values()]
            assert {"proved", "survived"} & set(labels), claim.id


def test_a_certificate_is_small_text():
    for paper in papers().values():
        for path in (Path(paper.folder) / "certificates").glob("*"):
            assert json.loads(path.read_text())["claim"].startswith(paper.key)
            assert path.stat().st_size < 1_000_000
