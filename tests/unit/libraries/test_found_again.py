"""The table of what the search alone finds: of all that falls, by a command, and true."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from exactdp.audit.inventory import read_inventory
from exactdp.claims import Claim, Source, Statement
from exactdp.truth import Truth
from proofs_check.libraries import PAPER
from proofs_check.libraries.found_again import Row, kept_rows, rows_of_claim, table, word_of

ROWS = kept_rows()
CLAIMS = {claim.id: claim for claim in PAPER.claims()}
SAMPLE = ("diffprivlib/", "opendp/", "smartnoise-sql/threshold", "pipeline-dp/budget-pure")
"""Promises whose truths take milliseconds; all others with --deep."""


def refuted() -> list[tuple[str, str]]:
    kept = read_inventory(PAPER)
    assert kept is not None
    return [
        (claim.removeprefix("libraries/"), key)
        for claim in CLAIMS
        for key, facts in kept[claim]["readings"].items()
        if facts["verdict"] == "refuted"
    ]


def test_each_reading_that_falls_has_a_row() -> None:
    assert [(row.claim, row.reading) for row in ROWS] == refuted()


def test_the_page_is_of_these_rows() -> None:
    assert (Path(PAPER.folder) / "SEARCH.md").read_text() == table(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.claim}-{row.reading}")
def test_what_the_search_found_fails_the_promise(row: Row, request: pytest.FixtureRequest) -> None:
    """By the answer that the row has: the library need not be here."""
    if not row.at:
        assert row.word in ("not found", "absent")
        return
    if not row.claim.startswith(SAMPLE) and not request.config.getoption("--deep"):
        return
    statement = CLAIMS[f"libraries/{row.claim}"].readings[row.reading]
    assert isinstance(statement, Statement)
    if statement.read is None:
        return  # a formula: the row has no answer of a library
    at = statement.read(row.at)
    outcome = statement.holds(at)
    assert outcome.truth is Truth.FALSE
    assert statement.tells is not None
    kept = read_inventory(PAPER)
    assert kept is not None
    witness = kept[f"libraries/{row.claim}"]["readings"][row.reading]["witness"]
    first = statement.read(witness)
    weighed = [statement.tells(one, statement.holds(one)) for one in (first, at)]
    assert word_of(*weighed) == row.word


def test_a_lost_list_is_said() -> None:
    """A reading without a search is not found; a library that is not here is asked nothing."""
    statement = CLAIMS["libraries/ipa/readme-bernoulli-count"].readings["a"]
    assert isinstance(statement, Statement)
    alone, witnesses = replace(statement, strategy=None), {"": "epsilon=2, delta=1/1000000"}
    mine = Claim("libraries/mine/one", "s", Source("x", "y"), {"": alone})
    [row] = rows_of_claim(mine, witnesses)
    assert (row.word, row.found, row.kept) == ("not found", "", "1.0083")
    [row] = rows_of_claim(replace(mine, about="no-such-library==1.0"), witnesses)
    assert row.word == "absent"
    assert "no-such-library is not installed" in row.why
