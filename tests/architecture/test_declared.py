"""All imports of a file that is collected come with ``exactdp[test]``, which README installs."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
OWN = {"exactdp", "proofs_check", "tests"}


def normal(name: str) -> str:
    """Return the name of a distribution as indices compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    """Return the distributions that the extra ``test`` names, and those that its extras name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found, left, seen = set(), ["test", ""], set()
    while left:
        extra = left.pop()
        if extra in seen:
            continue
        seen.add(extra)
        wanted = project["optional-dependencies"][extra] if extra else project["dependencies"]
        for line in wanted:
            name, extras = re.match(r"([\w.-]+)(?:\[([\w,]+)\])?", line).groups()  # type: ignore[union-attr]
            if name == "exactdp":
                left += extras.split(",")
            else:
                found.add(normal(name))
    return found


def imported(text: str) -> set[str]:
    """Return the first names of modules that are imported outside of functions."""
    found: set[str] = set()
    left: list[ast.AST] = [ast.parse(text)]
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            left += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).split(".")[0])
        left += ast.iter_child_nodes(node)
    return found


def test_imports_are_of_what_is_installed() -> None:
    known, where = declared(), packages_distributions()
    assert {"numpy", "python-flint", "hypothesis", "msgspec", "pytest"} <= known
    strange = []
    for path in sorted([*ROOT.glob("exactdp/**/*.py"), *ROOT.glob("tests/**/*.py")]):
        for name in imported(path.read_text()) - OWN - set(sys.stdlib_module_names):
            if not known & {normal(found) for found in where.get(name, [])}:
                strange.append(f"{path.relative_to(ROOT)} imports {name}")
    assert strange == []
