"""Fixtures as tables: what a reader of CSV or Parquet finds is what the fixtures say."""

import csv
import io
import json
import sys
from math import inf

import pytest

from exactdp.errors import DomainError
from exactdp.problems.fixtures import fixture_of, read_problem_set
from exactdp.problems.tables import csv_table, parquet_table

ASK = {"hockey_stick": [{"log": "2"}], "max_divergence": True}
SWEEP = {"kind": "guarantee", "epsilon": [{"log": "3"}, {"log": "4"}], "ask": ASK}
SETS = [
    {"name": "first", "problem": SWEEP},
    {"name": 'a "name", with\nall', "problem": {"kind": "gaussian", "sigma": "1", "ask": ASK}},
]


def answered(problems):
    document = {"format": "exactdp-problems/1", "problems": problems}
    return [(entry, fixture_of(entry)) for entry in read_problem_set(json.dumps(document))]


def test_a_row_is_an_answer_and_a_sweep_has_columns():
    rows = list(csv.DictReader(io.StringIO(csv_table(answered(SETS)).decode(), newline="")))
    assert [row["epsilon"] for row in rows] == ["log(3)", "log(3)", "log(4)", "log(4)", "", ""]
    assert rows[2]["name"] == 'first, epsilon={"log": "4"}' and rows[-1]["name"] == SETS[1]["name"]
    # Randomized response: (3 - 2) / (3 + 1) and (4 - 2) / (4 + 1).
    assert [row["exact"] for row in rows[:4]] == ["1/4", "", "2/5", ""]
    assert float(rows[2]["float_below"]) <= 2 / 5 <= float(rows[2]["float_above"])
    assert (rows[-1]["ask"], rows[-1]["lower"], rows[-1]["float_above"]) == (
        "max_divergence",
        "infinity",
        "inf",
    )


def test_parquet_holds_the_same_with_types():
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    rows = answered(SETS)
    table = parquet.read_table(io.BytesIO(parquet_table(rows)))
    text = csv.DictReader(io.StringIO(csv_table(rows).decode(), newline=""))
    for wanted, found in zip(text, table.to_pylist(), strict=True):
        assert wanted == {key: "" if value is None else str(value) for key, value in found.items()}
    assert table["float_above"].to_pylist()[-1] == inf
    counts = {"kind": "clone_pair", "n": [10, 20], "epsilon0": {"log": "3"}}
    pairs = answered([{"name": "n", "problem": {**counts, "ask": {"epsilon": ["1e-3"]}}}])
    assert parquet.read_table(io.BytesIO(parquet_table(pairs)))["n"].to_pylist() == [10, 20]
    assert parquet_table(pairs) == parquet_table(pairs)


def test_without_pyarrow_one_line_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DomainError, match=r"Install exactdp\[cluster\], or ask for csv"):
        parquet_table([])
