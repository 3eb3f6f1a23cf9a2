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

OF_BOUNDS = ("published.py", "needed.py", "truths.py", "algorithms.py", "at_once.py", "stable.py")
"""Files that published bounds alone need: what is computed beside them is not a trial."""

LINES_A_READING = 46.65
"""Lines of Python in the nine papers' folders, over the catalogs' readings, but for what the papers
publish as bounds, which is not a trial.

Was 40.4, 38.8, 36.95, 39.95, 40.9, 42.4, 43.21, 44.87, 46.31; what a claim's variables may be, and
what its quantities are in Coq with an instance, take three lines each, formulas that bounds need
another one, and where a joint in words became a theorem, its quantities replace the words; what was
said of rates, of all laws of the data and of all parameters of a table is computed; and refutations
show the law that they are about.
"""


def targets(node):
    """The targets of an assignment, or nothing."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def names(node):
    return {found.id for found in ast.walk(node) if isinstance(found, ast.Name)}


def definitions(module):
    """Name -> first line of what a module defines: functions, classes and constants."""
    found = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        found |= {name: node.lineno for target in targets(node) for name in names(target)}
    return {name: line for name, line in found.items() if name not in ("TRIALS", "__all__")}


def entries(module):
    """Id -> its line and what is to be decided: ``TRIALS[id] = ...``, or the keys of a dict."""
    found = {}
    for node in ast.walk(module):
        for target in targets(node):
            if isinstance(target, ast.Subscript) and ast.unparse(target.value) == "TRIALS":
                found[ast.unparse(target.slice)] = node.lineno, node.value
            elif ast.unparse(target) == "TRIALS" and isinstance(node.value, ast.Dict):
                keyed = zip(node.value.keys, node.value.values, strict=True)
                found |= {ast.unparse(key): (key.lineno, to) for key, to in keyed if key}
    return found


def distances(module):
    """Id -> lines from it to the nearest definition that its entry alone names: its formula."""
    lines, found = definitions(module), entries(module)
    named = {key: names(to) & set(lines) for key, (_, to) in found.items()}
    own = {
        key: [name for name in used if sum(name in others for others in named.values()) == 1]
        for key, used in named.items()
    }
    return {
        key: min(abs(found[key][0] - lines[name]) for name in used)
        for key, used in own.items()
        if used
    }


def strays(module, order):
    """Ids of a catalog that stand behind a later one of it."""
    found = [ast.literal_eval(key) for key in entries(module) if key[0] in "'\""]
    places = [order.index(key) for key in found if key in order]
    return [order[b] for a, b in pairwise(places) if b < a]


def claims(paper):
    """The entries of a paper's catalog, then those of its repairs."""
    files = (paper / name for name in ("catalog.toml", "repairs.toml"))
    return [claim for file in files for claim in tomllib.loads(file.read_text("utf-8"))["claims"]]


def test_an_id_stands_beside_its_formula():
    found = [line for path in FILES for line in distances(tree(path)).values()]
    assert len(found) > 250
    assert median(found) <= MEDIAN_DISTANCE


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_claims_stand_in_the_papers_order(path):
    paper = FOLDER / path.relative_to(FOLDER).parts[0]
    order = [claim["id"] for claim in claims(paper) if "/repair/" not in claim["id"]]
    assert strays(tree(path), order) == []


def test_a_reading_takes_few_lines():
    readings = sum(len(c.get("readings", "-")) for paper in PAPERS for c in claims(paper))
    files = [p for paper in PAPERS for p in paper.rglob("*.py") if p.name not in OF_BOUNDS]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    assert len(PAPERS) == 9
    assert lines / readings <= LINES_A_READING


def test_what_is_of_bounds_alone_is_asked_by_no_trial():
    stems = {name.removesuffix(".py") for name in OF_BOUNDS}
    for path in (p for paper in PAPERS for p in paper.rglob("*.py") if p.name not in OF_BOUNDS):
        imported = {
            part
            for node in ast.walk(tree(path))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("proofs_check")
            for part in (*node.module.split("."), *(alias.name for alias in node.names))
        }
        assert not imported & stems, path


BESIDE = """
def f(): ...
TRIALS["p/1"] = for_all(CASES, f)
def g(): ...
TRIALS["p/2"] = {"a": for_all(CASES, g), "b": for_all(CASES, h)}
"""
APART = """
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
