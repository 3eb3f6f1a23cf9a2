"""Pages and docstrings name what exists: dotted names are imported, paths are looked up.

CHANGELOG.md is apart: it names what was there before.
"""

import importlib
import re
from functools import cache

import pytest

from exactdp.claims import catalog
from exactdp.compare import accountants
from tests.architecture.test_sources import ROOT, name_of, sources

PAGES = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "SECURITY.md"]
TEXTS = sorted([*PAGES, ROOT / "tests" / "README.md", *sources("exactdp", "proofs_check")])

DOTTED = re.compile(r"(?<![\w./-])(?:exactdp|proofs_check)(?:\.[A-Za-z_]\w*)+")
PATH = re.compile(r"`((?:exactdp|proofs_check|tests|docs|examples|unit|faults)/[\w./-]+)`")
CHANGED = re.compile(r"^\| `([\w/]+\.py|[\w/]+/)`: ", re.MULTILINE)
"""The file in a row of the table of changes in tests/README.md."""

GROUPS = {catalog.GROUP, accountants.GROUP}
"""Groups of entry points: names of no module."""


@cache
def exists(name):
    """Whether a dotted name is a module, or what attributes of one lead to."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = getattr(found, part, None)
        return found is not None
    return False


def strangers(text):
    """The dotted names of a text that are neither there nor groups of entry points."""
    names = sorted({match[0] for match in DOTTED.finditer(text)} - GROUPS)
    return [name for name in names if not exists(name)]


def lost_paths(text):
    """The paths of a text, from the root or from tests/, where nothing is."""
    paths = sorted({match[1] for match in PATH.finditer(text)})
    return [path for path in paths if not any((root / path).exists() for root in ROOTS)]


ROOTS = (ROOT, ROOT / "tests")


@pytest.mark.parametrize("folder", sorted({path.parent for path in TEXTS}), ids=name_of)
def test_a_name_is_one_that_is_there(folder):
    texts = [path for path in TEXTS if path.parent == folder]
    found = {name_of(path): strangers(path.read_text(encoding="utf-8")) for path in texts}
    assert {name: lost for name, lost in found.items() if lost} == {}


@pytest.mark.parametrize("path", [p for p in TEXTS if p.suffix == ".md"], ids=name_of)
def test_a_path_is_one_that_is_there(path):
    assert lost_paths(path.read_text(encoding="utf-8")) == []


def test_the_files_to_break_are_there():
    changed = CHANGED.findall((ROOT / "tests" / "README.md").read_text(encoding="utf-8"))
    files = [f"/{name_of(path)}" for path in sources("exactdp")]
    assert len(changed) > 15
    assert [name for name in changed if not any(f"/{name}" in path for path in files)] == []


@pytest.mark.parametrize(
    "name", ["exactdp.inversion", "exactdp.sums.SumLaw", "exactdp.Epsilon.lag"]
)
def test_a_name_of_nothing_is_seen(name):
    assert strangers(f"see `{name}`, :func:`~{name}`") == [name]
    assert lost_paths("`exactdp/inversion/grids.py` `exactdp/sums/`") == [
        "exactdp/inversion/grids.py"
    ]


def test_names_that_are_there_are_not_strange():
    assert (
        strangers("exactdp.Epsilon.log, exactdp.sums.lattices.power_sums.PowerSum, a.exactdp.b")
        == []
    )
