"""Code that several tests need stands once, and tests ask only questions of users."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from tests.architecture.trees import tree

TESTS = Path(__file__).resolve().parents[1]

PRIVATE_USES = 92
"""Uses of private names of exactdp in tests, at most. The number only falls."""

OUTWARD = {"_exit", "_repr_html_", "_repr_latex_"}
"""Names with an underscore that others document: of ``os``, and of notebooks."""

PRIVATE = re.compile(r"(\w+\.)*_[A-Za-z]\w*")


def body_of(function):
    """What a function does, as text, without its name and docstring; None for a test."""
    if function.name.startswith("test_"):
        return None
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(getattr(body[0].value, "value", None), str):
        body = body[1:]
    lines = [ast.unparse(node) for node in body]
    return "\n".join([ast.unparse(function.args), *lines]) if lines else None


def written_twice(modules):
    """Names of functions with equal bodies in several files, each with its files."""
    found = defaultdict(set)
    for place, module in modules.items():
        for node in module.body:
            if isinstance(node, ast.FunctionDef) and (body := body_of(node)) is not None:
                found[body].add((node.name, place))
    return [sorted(uses) for uses in found.values() if len({place for _, place in uses}) > 1]


def private_uses(module):
    """Lines where names with an underscore are imported, patched, or asked of another object."""
    found = []
    for node in ast.walk(module):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                names = []
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                names = [name]
            case ast.ImportFrom(names=aliases):
                names = [alias.name for alias in aliases]
            case _:
                continue
        found += [node.lineno for name in names if PRIVATE.fullmatch(name) and name not in OUTWARD]
    return found


def modules():
    """The syntax trees of all files of tests, each by its place."""
    return {str(path.relative_to(TESTS)): tree(path) for path in sorted(TESTS.rglob("*.py"))}


def test_no_two_files_write_the_same_function():
    assert written_twice(modules()) == []


def test_private_names_are_used_ever_less():
    found = {place: uses for place, one in modules().items() if (uses := private_uses(one))}
    assert sum(map(len, found.values())) <= PRIVATE_USES, found


def test_a_function_that_is_written_again_is_found():
    one = 'def f(x):\n    "Says."\n    return x + 1\ndef test_a(): pass\n'
    other = "def g(x):\n    return x + 1\ndef f(y):\n    return y\ndef test_a(): pass\n"
    files = {"a": ast.parse(one), "b": ast.parse(other)}
    assert written_twice(files) == [[("f", "a"), ("g", "b")]]


def test_a_private_name_is_found():
    text = (
        "from a import _b, c\nx._y\nself._z\nset(x, '_w')\nset('a.b._c', '_ d', c.d)\nos._exit(1)\n"
    )
    assert private_uses(ast.parse(text)) == [1, 2, 4, 5]
