"""House rules that no tool knows, read off the syntax trees of the sources."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.trees import tree

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 400

EXACT_ROOMS = (
    "accounting",
    "distributions",
    "divergences",
    "mechanisms",
    "pufferfish",
    "shuffle",
)
"""No float is made or written here: numbers are exact, or balls."""

PROPOSALS = "proposals"
"""Files whose names end so, or folders of this name: what doubles choose is checked elsewhere."""

REASONS = ("number_systems.py", "tracked.py", "deciding.py")
"""Where errors have half a sentence, to which a caller adds what it means and the way out."""

TOLD = (*EXACT_ROOMS, "sums", "numbers", "problems", "testing", "compare", "execution")
"""The rooms whose errors say a way out."""

READS_TEXT = {
    "exactdp/report/prose.py": "sets x_0 and e^{-x} of the catalog's sentences as HTML",
    "exactdp/audit/begun.py": "asks whether a kept witness names the variables of its statement",
    "exactdp/audit/history.py": "reads a row of the kept table of releases, HISTORY.md",
    "exactdp/cli/export.py": "makes the name of a Coq file of the name of a certificate",
}
"""The files that may search texts, of the rooms where a verdict is data."""

LOSSES = ROOT / "exactdp" / "mechanisms" / "losses"
"""Transforms choose their nodes in doubles here; balls bound what these miss, as in ``sums``."""

PRECISION_FILE = ROOT / "exactdp" / "numbers" / "balls.py"
"""The one file that may touch FLINT's global precision."""


def sources(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def name_of(path):
    return str(path.relative_to(ROOT))


def each(*folders):
    """Parametrize a test by the files of one folder after another.

    Scope "module": what is asked of one folder comes in a row, so that each file is parsed once.
    """
    found = {path.parent for path in sources(*folders)}
    files = {name_of(folder): sorted(folder.glob("*.py")) for folder in sorted(found)}
    return pytest.mark.parametrize("paths", files.values(), ids=files, scope="module")


def broken(rule, paths):
    """What a rule finds in the files where it finds something."""
    found = {name_of(path): rule(tree(path)) for path in paths}
    return {name: lines for name, lines in found.items() if lines}


EACH = each("exactdp", "proofs_check")
ROOMS = [ROOT / "exactdp", *sorted(p.parent for p in (ROOT / "exactdp").glob("*/__init__.py"))]


# --- the rules, as functions of a syntax tree ------------------------------------


def floats(module):
    """Line numbers of float literals and of calls of float."""
    return [
        node.lineno
        for node in ast.walk(module)
        if (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("float", "complex")
        )
    ]


def without_way_out(module):
    """Line numbers of errors of ours whose text is one sentence: what is wrong, but no way out."""
    ours = {"DomainError", "ParseError", "TooLargeError", "UndecidedError"}
    found = []
    for node in ast.walk(module):
        if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
            continue
        if getattr(node.exc.func, "id", None) not in ours or not node.exc.args:
            continue
        pieces = getattr(node.exc.args[0], "values", [node.exc.args[0]])
        texts = [getattr(piece, "value", None) for piece in pieces]
        if all(isinstance(text, str) for text in texts[-1:]) and not any(
            re.search(r"\. |^ [A-Z]", text) for text in texts if isinstance(text, str)
        ):
            found.append(node.lineno)
    return found


def touches_precision(module):
    """Line numbers where flint.ctx is named, or imported."""
    return [
        node.lineno
        for node in ast.walk(module)
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "ctx"
            and isinstance(node.value, ast.Name)
            and node.value.id == "flint"
        )
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "flint"
            and any(alias.name in ("ctx", "*") for alias in node.names)
        )
    ]


def imports_re(module):
    """Line numbers where the module re is imported."""
    return [
        node.lineno
        for node in ast.walk(module)
        if (isinstance(node, ast.Import) and any(x.name == "re" for x in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "re")
    ]


def is_overload(node):
    """Whether a function only lists a signature of the one that follows."""
    return any(ast.unparse(d).endswith("overload") for d in node.decorator_list)


def undocumented(module):
    """Names of the public functions, classes and methods without a docstring, and the module."""
    found = [] if ast.get_docstring(module) else ["the module"]

    def visit(owner, prefix):
        is_protocol = any("Protocol" in ast.unparse(b) for b in getattr(owner, "bases", ()))
        for node in owner.body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if node.name.startswith("_") or is_overload(node):
                continue
            # What a protocol asks for is described where it is done.
            is_asked_for = is_protocol and ast.unparse(node.body[-1]) == "..."
            if not is_asked_for and not ast.get_docstring(node):
                found.append(prefix + node.name)
            if isinstance(node, ast.ClassDef):
                visit(node, f"{prefix}{node.name}.")

    visit(module, "")
    return found


def exports(module):
    """What __all__ lists (None without one), and what the module imports or defines."""
    listed, present = None, []
    lazy = any(
        getattr(node, "name", None) == "__getattr__" or "_lazy_door(" in ast.unparse(node)
        for node in module.body
    )
    if lazy:  # names load on first use: what the module imports for itself does not count
        checked = [node for node in module.body if isinstance(node, ast.If)]
        blocks = [x.body for x in checked if ast.unparse(x.test) == "TYPE_CHECKING"]
        present = [alias.name for block in blocks for node in block for alias in node.names]
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and not lazy:
            present += [alias.asname or alias.name for alias in node.names]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and not lazy:
            present.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if [ast.unparse(t) for t in targets] == ["__all__"]:
                listed = ast.literal_eval(node.value)
    return listed, present


def lost_supers(module):
    """Line numbers of super() in classes with slots=True, which Python builds a second time."""
    return [
        node.lineno
        for owner in ast.walk(module)
        if isinstance(owner, ast.ClassDef)
        and any("slots=True" in ast.unparse(d) for d in owner.decorator_list)
        for node in ast.walk(owner)
        if isinstance(node, ast.Call) and ast.unparse(node) == "super()"
    ]


def export_order(name):
    """Constants, then classes, then functions, each by alphabet: the order of ruff."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name


def listed_in_vain(module):
    """The names in ``__all__`` that the file does not speak of."""
    namespace = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    listed, present = exports(module)
    return sorted(set(listed or ()) - {*present, *namespace})


# --- the rules, applied -----------------------------------------------------------


@EACH
def test_files_are_short(paths):
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


@EACH
def test_what_is_public_has_a_docstring(paths):
    written = [path for path in paths if path.name != "__init__.py" or path.stat().st_size]
    assert broken(undocumented, written) == {}


@each(*(f"exactdp/{room}" for room in EXACT_ROOMS))
def test_exact_rooms_have_no_floats(paths):
    exact = [
        path for path in paths if PROPOSALS not in (path.stem.split("_")[-1], path.parent.name)
    ]
    assert broken(floats, [path for path in exact if path.parent != LOSSES]) == {}


@each(*(f"exactdp/{room}" for room in TOLD))
def test_errors_say_a_way_out(paths):
    assert broken(without_way_out, [path for path in paths if path.name not in REASONS]) == {}


def test_no_regular_expression_reads_a_verdict():
    """A verdict is data, from the kernel to the page."""
    rooms = sources("exactdp/report", "exactdp/audit", "exactdp/cli")
    assert {name_of(path) for path in rooms if imports_re(tree(path))} == set(READS_TEXT)


def test_the_rooms_of_claims_share_no_class_of_one_name():
    """What a report shows of a claim has another name than the claim."""
    rooms = {
        room: {
            node.name
            for path in sources(f"exactdp/{room}")
            for node in tree(path).body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        }
        for room in ("claims", "audit", "report")
    }
    assert not rooms["report"] & (rooms["claims"] | rooms["audit"])
    assert not rooms["claims"] & rooms["audit"]


@EACH
def test_classes_with_slots_name_their_base(paths):
    assert broken(lost_supers, paths) == {}


@EACH
def test_only_one_file_sets_precision(paths):
    assert broken(touches_precision, [path for path in paths if path != PRECISION_FILE]) == {}


def test_that_file_does():
    assert touches_precision(tree(PRECISION_FILE)) != []


@pytest.mark.parametrize("room", ROOMS, ids=name_of)
def test_a_room_exports_exactly_what_it_imports(room):
    listed, present = exports(tree(room / "__init__.py"))
    assert listed is not None
    public = [name for name in present if not name.startswith("_") and name != "annotations"]
    assert sorted(listed) == sorted(public)
    assert listed == sorted(set(listed), key=export_order)


@EACH
def test_all_names_what_exists(paths):
    assert broken(listed_in_vain, paths) == {}


# --- the rules, alive -------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        (floats, "x = 0.5", "x = '0.5'"),
        (floats, "def f():\n    return 1e-3", "def f():\n    return 10**-3"),
        (floats, "y = float(x)", "isinstance(x, float)"),
        (touches_precision, "flint.ctx.prec = 3", "flint.arb(3)"),
        (touches_precision, "from flint import arb, ctx", "from flint import arb"),
        (imports_re, "import json, re", "import json"),
        (imports_re, "def f():\n    from re import match", "from rex import match"),
        (lost_supers, "@d(slots=True)\nclass A:\n def f(self): super().f()", "super().f()"),
        (without_way_out, "raise DomainError('x is 0.')", "raise DomainError('x is 0. Pass 1.')"),
        (without_way_out, "raise TooLargeError(f'{x} is 0.')", "raise DomainError(f'{x}. {y}')"),
        (undocumented, "'''A.'''\ndef f(): ...", "'''A.'''\ndef _f(): ..."),
        (undocumented, "'''A.'''\nclass A:\n '''A.'''\n def f(self): ...", "'''A.'''"),
        (undocumented, "x = 1", "'''A.'''\nx = 1"),
        (listed_in_vain, "__all__ = ['a']", "a = 1\n__all__ = ['a']"),
    ],
)
def test_the_rules_find_what_they_forbid(rule, bad, good):
    assert rule(ast.parse(bad)) != []
    assert rule(ast.parse(good)) == []
