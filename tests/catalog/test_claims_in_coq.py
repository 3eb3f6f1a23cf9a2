"""Each theorem that is a claim states what the claim's own form is exported as, and is of one."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from exactdp.claims import Statement, at_most, papers, reals
from exactdp.coq.statements import coq_statement
from exactdp.coq.theorems import IsTheorem
from proofs_check.lemmas import theorems

COQ = Path(theorems.__file__).parents[1] / "coq"
NAME = re.compile(r"is the theorem (\w+) ")
READINGS = {
    (claim.id, key): statement
    for paper in papers().values()
    for claim in paper.claims()
    for key, statement in claim.readings.items()
    if isinstance(statement, Statement) and statement.proof is not None
}
IN_COQ = {
    at: statement
    for at, statement in READINGS.items()
    if isinstance(statement.proof.steps[-1].ground, IsTheorem)
}


@pytest.mark.parametrize("at", IN_COQ, ids=lambda at: " ".join(at).strip())
def test_a_claim_is_its_theorem_and_no_weaker_one(at, request):
    if [*IN_COQ].index(at) % 8 and not request.config.getoption("--coq"):
        pytest.skip("the others of these: with --coq and in .ci/run")
    statement = IN_COQ[at]
    assert statement.proof.is_of(statement) and statement.proof.steps[-1].stands()
    # Another claim, with a variable's domain of its own, is not that theorem.
    name = next(iter(statement.domain.kinds))
    kinds = {**statement.domain.kinds, "more": reals(above=7)}
    domain = replace(statement.domain, kinds=kinds)
    names = (*statement.variables, "more")
    says = lambda **at: at_most(at["more"], 8)  # noqa: E731
    other = replace(statement, domain=domain, variables=names, says=says)
    assert not statement.proof.is_of(other)
    shown = theorems.theorem(NAME.search(statement.proof.steps[-1].text)[1])(other)
    assert name and not shown.steps[-1].stands()


def test_the_files_of_claims_hold_nothing_else():
    stated = {
        name
        for path in COQ.glob("Claims*.v")
        for name in re.findall(r"^Theorem (\w+)", path.read_text(), re.M)
    }
    cited = {NAME.search(statement.proof.steps[-1].text)[1] for statement in IN_COQ.values()}
    assert stated == cited
    assert {path.name for path in COQ.glob("Claims*.v")} <= set(theorems.FILES)


def test_all_that_is_proved_about_laws_can_be_read():
    texts = [coq_statement(statement) for statement in IN_COQ.values()]
    assert len(texts) >= 8 and all(" : " in text for text in texts)
