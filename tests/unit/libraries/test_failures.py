"""The strategies that are shipped find what falls of the libraries, in a hundred examples each."""

from __future__ import annotations

import json
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import Phase, given, seed, settings

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.execution import Session, interpreters
from exactdp.execution.environments import environments_in
from tests.unit.libraries.far_rows import FAR_ROWS
from tests.unit.libraries.more_rows import MORE_ROWS
from tests.unit.libraries.outside import OUTSIDE
from tests.unit.libraries.rows import ROWS as FIRST_ROWS

INVENTORY = Path(__file__).parents[3] / "proofs_check" / "libraries" / "inventory.json"
ROWS = [*FIRST_ROWS, *MORE_ROWS, *FAR_ROWS]
EXAMPLES, RUNS = 100, 3
"""Examples of a run, and runs until one finds it: where hypothesis looks moves with each constant
of the code around it."""
SECONDS = 60.0
"""For a call of a library; one that takes longer is none of the hundred."""


SETTINGS = settings(
    max_examples=EXAMPLES,
    derandomize=False,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.target],
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name.replace("/", "-"))
def test_a_property_test_finds_what_falls(row):
    python = interpreters().get(row.library)
    if python is None:
        pytest.skip(f"{row.library} is not among EXACTDP_PYTHONS")
    found = None
    with closing(Session(row.library, row.imports, python=python, limit=SECONDS)) as session:

        def on_trial(case):
            if row.skips(case):
                return
            reply = session.ask(row.call(case))
            if not reply.failure:
                with suppress(UndecidedError, TooLargeError):
                    row.check(case, *reply.values)

        for run in range(RUNS):
            try:
                SETTINGS(seed(run)(given(row.strategy())(on_trial)))()
            except AssertionError as caught:
                found = str(caught)
                break
    assert found is not None and ("the truth" in found or "rises" in found)


def test_each_promise_that_falls_has_a_row_or_a_reason():
    claims = json.loads(INVENTORY.read_text())["claims"]
    refuted = {
        name
        for name, one in claims.items()
        if "refuted" in (x["verdict"] for x in [one, *one.get("readings", {}).values()])
    }
    rows = {f"libraries/{name}" for row in ROWS for name in row.claims}
    outside = {f"libraries/{name}" for name in OUTSIDE}
    assert not rows & outside
    assert rows | outside == refuted


def test_what_has_no_row_is_no_package_that_is_installed_to_be_asked():
    claims = json.loads(INVENTORY.read_text())["claims"]
    packages = {one.name for one in environments_in(INVENTORY.parent)}
    about = {claims[f"libraries/{name}"].get("about", "").partition("==")[0] for name in OUTSIDE}
    assert len(packages) > 15 and not about & packages
