"""A trial stands beside its formula, in the paper's order, and is not longer than it need be."""

import ast
import tomllib
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from tests.architecture.trees import tree

FOLDER = Path(__file__).resolve().parents[2] / "proofs_check"
PAPERS = [path.parent for path in sorted(FOLDER.glob("*20[0-9][0-9]/catalog.toml"))]
FILES = [
    path for paper in PAPERS for path in (*paper.glob("trials.py"), *paper.glob("trials/*.py"))
]

MEDIAN_DISTANCE = 15
"""Lines from a claim's id to its formula. As one dict at the end of each file it was 72."""

LINES_A_READING = 39.95
"""Lines of Python in the nine papers' folders, over the catalogs' readings.

Was 40.4, 38.8, then 36.95; what a claim's variables may be, and what its quantities are in Coq,
take three lines each.
"""
def f(): ...
def g(): ...
def h(): ...
TRIALS = {
    "p/2": for_all(CASES, g),
    "p/1": for_all(CASES, f),
    "p/3": for_all(CASES, h, wrong=h),
}
"""


def test_distance_and_order_are_measured():
    order = ["p/1", "p/2", "p/3"]
    assert distances(ast.parse(BESIDE)) == {"'p/1'": 1, "'p/2'": 1}
    assert distances(ast.parse(APART)) == {"'p/2'": 3, "'p/1'": 5, "'p/3'": 4}
    shared = ast.parse("def f(): ...\nTRIALS['p/1'] = f\nTRIALS['p/2'] = f")
    assert distances(shared) == {}
    assert strays(ast.parse(BESIDE), order) == []
    assert strays(ast.parse(APART), order) == ["p/1"]
