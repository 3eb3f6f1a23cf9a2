"""An answer that may be open is never read as one of two: read off the syntax trees.

``x is Truth.FALSE`` with an else, ``is not Truth.TRUE``, a ``match`` without the open case: each
lets an open answer pass for one of the others, and no line says which. So members of Truth are
compared with in ``exactdp/truth.py`` alone. Everybody else asks ``is_certain`` or ``is_possible``,
calls what raises (``decided_below``), or matches all three.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEMBERS = {"TRUE", "FALSE", "UNKNOWN"}
HOME = ROOT / "exactdp" / "truth.py"
RAW = {
    "is_less": {f"exactdp/numbers/{name}.py" for name in ("balls", "exact", "order")},
}
"""What answers with None where it is open, and who may call it."""

SOURCES = sorted(
    path for room in ("exactdp", "proofs_check", "examples") for path in (ROOT / room).rglob("*.py")
)


def member(node):
    """The name of a member of Truth, or None."""
    is_one = isinstance(node, ast.Attribute) and ast.unparse(node.value).split(".")[-1] == "Truth"
    return node.attr if is_one and node.attr in MEMBERS else None


def members_in(node):
    return {name for part in ast.walk(node) if (name := member(part))}


def raises(body):
    return isinstance(body[-1], ast.Raise)


def is_any(pattern):
    """Whether a pattern takes whatever is left: _ or a name."""
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def compared(module):
    """Line numbers where a member of Truth is compared with, or sought, or the key of a few."""
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Compare):
            # In a tuple or a set too: ``truth in (Truth.TRUE, Truth.UNKNOWN)``.
            sides = [node.left, *node.comparators]
            parts = [e for s in sides for e in (getattr(s, "elts", None) or [s])]
            if any(member(part) for part in parts):
                found.append(node.lineno)
        elif isinstance(node, ast.Dict):
            keys = {member(key) for key in node.keys if key is not None} - {None}
            if keys and keys != MEMBERS:
                found.append(node.lineno)
    return found


def half_matched(module):
    """Line numbers of matches on some members of Truth that leave others to no raise."""
    found = []
    for node in ast.walk(module):
        if not isinstance(node, ast.Match):
            continue
        named = set().union(*(members_in(case.pattern) for case in node.cases))
        rest = [case for case in node.cases if is_any(case.pattern)]
        if named and named != MEMBERS and not (rest and raises(rest[-1].body)):
            found.append(node.lineno)
    return found


def hasty(module):
    """Line numbers where a comparison is read on the spot, which has a name of its own.

    ``is_below(a, b).is_certain`` is ``certainly_below(a, b)``.
    """
    return [
        node.lineno
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute)
        and node.attr in ("is_certain", "is_possible")
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).split(".")[-1] == "is_below"
    ]


def called(module):
    return {
        ast.unparse(node.func).split(".")[-1]: node.lineno
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
    }


RULES = (compared, half_matched, hasty)


@pytest.mark.parametrize(
    "folder", sorted({path.parent for path in SOURCES}), ids=lambda one: str(one.relative_to(ROOT))
)
def test_an_open_answer_has_a_side(folder):
    for path in sorted(folder.glob("*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        name = str(path.relative_to(ROOT))
        if path != HOME:
            assert compared(module) == [], name
        assert half_matched(module) == [], name
        if name != "exactdp/numbers/compare.py":
            assert hasty(module) == [], name
        for function, callers in RAW.items():
            assert function not in called(module) or name in callers, name


@pytest.mark.parametrize(
    ("rule", "bad"),
    [
        (compared, "if x is Truth.FALSE:\n    return 0"),
        (compared, "x is not Truth.TRUE"),
        (compared, "x == Truth.TRUE"),
        (compared, "Truth.UNKNOWN != x"),
        (compared, "x is truth.Truth.UNKNOWN"),
        (compared, "x not in (Truth.FALSE, Truth.UNKNOWN)"),
        (compared, "Truth.FALSE in truths"),
        (compared, "x in {Truth.TRUE}"),
        (compared, "{Truth.TRUE: 1, Truth.FALSE: 0}.get(x, 2)"),
        (compared, "y = 1 if is_below(a, b) is Truth.TRUE else 0"),
        (half_matched, "match x:\n case Truth.TRUE: y = 1\n case Truth.FALSE: y = 0"),
        (half_matched, "match x:\n case Truth.UNKNOWN: raise E\n case found: y = found"),
        (half_matched, "match x:\n case Truth.FALSE: y = 1\n case _: y = 0"),
        (half_matched, "match x, z:\n case Truth.FALSE, _: y = 1\n case _: y = 0"),
        (hasty, "if not is_below(a, b).is_possible: return 0"),
    ],
)
def test_the_rules_find_what_they_forbid(rule, bad):
    module = ast.parse(f"def f():\n{''.join(f'    {line}{chr(10)}' for line in bad.splitlines())}")
    assert rule(module) != []


@pytest.mark.parametrize(
    "good",
    [
        "Truth.TRUE if a < b else Truth.UNKNOWN",
        "x.is_certain or x.is_open",
        "match x:\n case Truth.TRUE: y = 1\n case Truth.FALSE: y = 0\n case Truth.UNKNOWN: y = 2",
        "match x:\n case Truth.TRUE: y = 1\n case _: raise E",
        "match x:\n case 1: y = 1\n case _: y = 2",
        "{Truth.TRUE: 1, Truth.FALSE: 0, Truth.UNKNOWN: 2}[x]",
        "certainly_below(a, b)",
    ],
)
def test_the_rules_allow_what_says_its_side(good):
    assert all(rule(ast.parse(good)) == [] for rule in RULES)


def test_the_home_of_truth_does_compare():
    assert compared(ast.parse(HOME.read_text(encoding="utf-8"))) != []
