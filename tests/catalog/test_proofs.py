"""The kept proofs are the catalog's, the kernel accepts them, and a second route agrees."""

import json
from collections import Counter
from functools import reduce

import pytest

from exactdp.audit import certificate_name, read_inventory, read_label
from exactdp.audit.labels import proof_of
from exactdp.claims import Statement, papers
from exactdp.claims.certificate import one_line
from proofs_check.kernel import Accepted, check
from tests.evidence import kept_files
from tests.kernel.proof_mutations import compared

PAPERS = papers()
KEPT = {file: json.loads(file.content) for file in kept_files("proofs")}


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
def test_the_proofs_of_the_catalog_are_kept_and_nothing_else(paper):
    inventory, made = read_inventory(paper), {}
    for claim in paper.claims():
        for key, reading in claim.readings.items():
            verdict = inventory[claim.id]["readings"][key]["verdict"]
            if verdict in ("proved", "argued") and isinstance(reading, Statement):
                proof = proof_of(reading)
                if proof is not None:
                    content = proof.to_bytes(claim=claim.id, reading=key)
                    made[certificate_name(claim.id, key)] = one_line(content)
    assert {file.name: file.content for file in kept_files("proofs", paper.key)} == made


@pytest.fixture(scope="module")
def some(request):
    """All kept proofs with --deep, else every fourth: .ci/run has the kernel check each."""
    paths = list(KEPT) if request.config.getoption("--deep") else list(KEPT)[::4]
    return {path: KEPT[path] for path in paths}


def test_the_kernel_accepts_them_and_nothing_is_proved_by_the_engine_alone(some):
    for path in some:  # within the budget that `exactdp verify` has
        assert isinstance(check(path.read_bytes()), Accepted), path
    assert len(KEPT) >= 70
    for paper in PAPERS.values():
        for name, claim in read_inventory(paper).items():
            for key, facts in claim["readings"].items():
                alone = (facts["verdict"], facts.get("rests")) == ("proved", "engine")
                assert not alone, (name, key)


def sympified(term, names):
    """Return a rational term in sympy, by its operators."""
    import sympy

    if isinstance(term, int | str):
        top, _, bottom = str(term).partition("/")
        return sympy.Rational(int(top, 0), int(bottom or "1", 0))
    if isinstance(term, dict):
        return names.setdefault(term["ref"], sympy.Symbol(term["ref"], nonnegative=True))
    head, *parts = term
    values = [sympified(part, names) for part in parts]
    return {
        "add": sum(values),
        "mul": reduce(lambda x, y: x * y, values),
        "neg": -values[0],
        "sub": values[0] - values[-1],
        "div": values[0] / (values[-1] or 1),
        "pow": values[0] ** (values[-1] if head == "pow" else 1),
    }[head]


def test_sympy_finds_the_same_identities():
    import sympy

    for path, document in [*KEPT.items()][::4]:
        for step in document["conclusion"]:
            names = {}
            match step["rule"]:
                case "identity":
                    gaps = [sympified(["sub", *sides], names) for sides in step["equal"]]
                case "follows":
                    total = ["add", *(["mul", *pair] for pair in step["sum"])]
                    gaps = [sympified(["sub", step["conclusion"], total], names)]
                case _:
                    gaps = []
            assert all(sympy.ratsimp(gap) == 0 for gap in gaps), (path, step["text"])


def test_no_kept_step_is_false_anywhere_that_was_tried(some):
    found = Counter(
        compared(document, step, seconds=20)
        for document in some.values()
        for step in document["conclusion"]
    )
    whole, parts = "accepted, not false at the points tried", "accepted, in parts"
    assert set(found) <= {whole, parts}
    most = len(some) // 8
    assert found[parts] <= most and found[whole] > 2 * most, found  # tables are not printed whole


def test_a_proof_with_other_steps_does_not_match_its_label():
    path, document = next(
        (p, d) for p, d in KEPT.items() if p.name == "erlingsson2019.lemma-4.json"
    )
    assert read_label(document).mismatch == ""
    for other in (
        document | {"conclusion": document["conclusion"] * 2},
        document | {"domain": "everything"},
        document | {"claim": "erlingsson2019/lemma-3/triangle"},
    ):
        assert isinstance(check(json.dumps(other).encode()), Accepted), path
        assert read_label(other).mismatch
