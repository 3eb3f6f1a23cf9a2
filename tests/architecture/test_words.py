"""Texts in the sources: constants that steer say how, and attributes are readable alone."""

import ast
import re
from itertools import pairwise

import pytest

from tests.architecture.test_sources import ROOT, sources
from tests.architecture.trees import tree

GLUED = re.compile(r"(Of|In|As|By|For|From|At most|Those|These|They|The same|That|Ascending)\b")
"""How a text begins that says nothing without the name before it."""


TEXT = re.compile(r"'[^']*'")
"""A text in unparsed source, which is no number whatever digits it has."""


def bare_constants(module, text):
    """Names of the module's constants with a number in them, but no docstring and no comment."""
    lines, found = text.splitlines(), []
    for node, after in zip(module.body, [*module.body[1:], None], strict=True):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        names = [one.id for one in getattr(target, "elts", [target]) if isinstance(one, ast.Name)]
        value = ast.unparse(node.value)
        is_constant = bool(names) and all(re.fullmatch("[A-Z0-9_]+", name) for name in names)
        if not is_constant or len(value) > 60 or not re.search("[0-9]", TEXT.sub("", value)):
            continue
        if re.search(r"'[^']* [^']*'", value):  # a range in words says what it is
            continue
        is_said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        is_said |= "#" in lines[node.lineno - 1]
        is_said |= lines[node.lineno - 2].lstrip().startswith("#")
        if not is_said:
            found.append(names[0])
    return found


def headless(module):
    """Names of constants, attributes and arguments whose text needs what stands before it."""
    found = []
    for node in ast.walk(module):
        body = getattr(node, "body", None)
        for one, after in pairwise(body if isinstance(body, list) else ()):
            text = after.value if isinstance(after, ast.Expr) else None
            is_text = isinstance(text, ast.Constant) and isinstance(text.value, str)
            if isinstance(one, ast.Assign | ast.AnnAssign) and is_text and GLUED.match(text.value):
                found.append(ast.unparse(one).split(" =")[0])
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        section = None
        for line in (ast.get_docstring(node) or "").splitlines():
            if re.fullmatch(r"[A-Z]\w+:", line):
                section = line
            entry = re.match(r" {4}([a-z_][\w, ]*): (.*)", line)
            if section in ("Attributes:", "Args:") and entry and GLUED.match(entry[2]):
                found.append(entry[1])
    return found


OURS = (
    *("hidden", "letter", "leftover", "sandwich", "named", "cloud", "counted"),
    *("smoothed", "kept", "told", "beside"),
)
"""Words of ours that many files use: each has a line in docs/architecture.md."""


@pytest.mark.parametrize("word", OURS)
def test_a_word_of_ours_has_one_line(word):
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| ([^|]+) \|", page.split("## Words of ours")[1], re.MULTILINE)
    assert [word in entry.split(", ") for entry in words].count(True) == 1


LEFT = ("hollow", "blunt", "guide", "halves", "hit", "level", "room", "story", "court", "looser")
"""Words that pages and public names do without; inside the engine some stand for steps."""


def test_no_public_name_has_a_word_that_left():
    rooms = {name: tree(path) for name, path in read_files() if name.count("/") == 1}
    listed = {
        f"{name.partition('/')[0]}.{one.value}"
        for name, module in rooms.items()
        if name.endswith("__init__.py")
        for node in module.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for one in ast.walk(node.value)
        if isinstance(one, ast.Constant)
    }
    assert len(listed) > 300
    parts = {name: re.findall("[a-z]+", re.sub("([A-Z])", r"_\1", name).lower()) for name in listed}
    assert [name for name, words in parts.items() if {*words} & {*LEFT}] == []


def read_files():
    """Yield the files of exactdp that are read here, each with its path in it."""
    for path in sources("exactdp"):
        name = path.relative_to(ROOT / "exactdp").as_posix()
        yield name, path


def test_a_constant_says_what_it_steers():
    found = [
        f"{name}: {constant}"
        for name, path in read_files()
        for constant in bare_constants(tree(path), path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_an_attribute_is_readable_alone():
    found = [f"{name}: {one}" for name, path in read_files() for one in headless(tree(path))]
    assert found == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("_A = 1\n_B = 2\n", ["_A", "_B"]),
        ("_A, _B = 1, 2\nx = 1", ["_A"]),
        ("_A: int = 1 << 3\n", ["_A"]),
        ('_A = 1\n"""Bits."""\n# Bits.\n_B = 2\n_C = 3  # bits\n', []),
        ("_A = f()\nb = 1\n", []),
        ("_A = 'form/1'\n_B = Range('from 1 on', f(1))\n_C = f('one', 1)", ["_C"]),
    ],
)
def test_a_constant_without_a_word_is_seen(text, names):
    assert bare_constants(ast.parse(text), text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a: Of the sum.", ["a"]),
        ("a, b: The same.", ["a, b"]),
        ("a: The law of the sum.\n        b: Offsets.", []),
    ],
)
def test_a_text_without_a_head_is_seen(text, names):
    constant = f'A = 1\n"""{text.split(": ", 1)[1]}"""'
    assert headless(ast.parse(constant)) == (["A"] if names else [])
    module = ast.parse(f'class A:\n    """A.\n\n    Attributes:\n        {text}\n    """')
    assert headless(module) == names
    assert headless(ast.parse(f'"""A.\n\nAttributes:\n    {text}\n"""')) == []
