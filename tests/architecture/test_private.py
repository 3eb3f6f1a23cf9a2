"""No private module of another package is imported."""

import ast

import pytest

from tests.architecture.test_sources import name_of, sources
from tests.architecture.trees import tree

DOCUMENTED = "hypothesis.internal.conjecture.providers"
"""Where hypothesis has who chooses register itself: no public module of it has the names.

One file imports it, once."""


def private(module):
    """Names of imported modules of other packages that are private in a part."""
    found = []
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                imported = [name.name for name in names]
            case ast.ImportFrom(module=str(name), level=0, names=names):
                imported = [f"{name}.{one.name}" for one in names]
            case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(name))]):
                imported = [name]
            case _:
                continue
        found += [
            name
            for name in imported
            if name.partition(".")[0] not in ("exactdp", "proofs_check", "__future__")
            and any(x == "internal" or x.startswith("_") for x in name.split("."))
        ]
    return found


def test_no_private_module_of_another_package_is_imported():
    names = {path: private(tree(path)) for path in sources("exactdp", "proofs_check")}
    found = {name_of(path): imported for path, imported in names.items() if imported}
    assert found == {"exactdp/audit/draws.py": [DOCUMENTED]}


@pytest.mark.parametrize(
    "text",
    [
        "import numpy._core",
        "import a.internal.b as c",
        "from a import _b",
        "from a._b import c",
        "def f():\n    from a.internal import b",
        'import_module("a._b")',
    ],
)
def test_private_ones_are_seen(text):
    assert private(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    ["import numpy.core", "from a.b import c", "from exactdp.a._b import c", "import a as _b"],
)
def test_others_are_not(text):
    assert private(ast.parse(text)) == []
