"""A mechanism is described once, and alike functions have one order of arguments."""

import ast
import inspect
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

import exactdp
from exactdp import accounting, cards, compare, divergences, mechanisms, shuffle, testing
from exactdp.divergences.description import described_in, description_of
from tests.architecture.trees import tree

PACKAGE = Path(exactdp.__file__).parent
ROOT = Path(__file__).parents[2]

FILES_FOR_A_MECHANISM = 4
"""The files of the library that change for a mechanism, with a name at its front door, at most."""

NEW_LINES = {
    "__init__.py": [
        ("        gaussian_mechanism,\n        laplace_mechanism,\n", "logistic_mechanism,"),
        ('    "laplace_mechanism",\n', '"logistic_mechanism",'),
        ('        "laplace_mechanism",\n', '"logistic_mechanism",'),
    ],
    "mechanisms/__init__.py": [
        (
            "mechanisms.log_concave import LogConcaveNoise, log_concave_mechanism\n",
            "from exactdp.mechanisms.logistic import logistic_mechanism",
        ),
        ('    "log_concave_mechanism",\n', '"logistic_mechanism",'),
        (
            '        "log_concave": "LogConcaveNoise log_concave_mechanism",\n',
            '"logistic": "logistic_mechanism",',
        ),
    ],
    "problems/schema.py": [
        (
            "    rho: list[Target] = field(default_factory=list)\n",
            "spread: list[Target] = field(default_factory=list)",
        ),
    ],
}
"""The lines that are added for logistic noise, each after another: it is new in its file alone."""

ASKED_OF_IT = """
import json, runpy, sys
import exactdp
from exactdp import decimal, logistic_mechanism, read_problem, solve
from exactdp.accounting.accountants.events import EVENTS, known_of
from exactdp.problems import problem_schema
from exactdp.testing.mechanisms import KINDS, Mechanism
from exactdp.testing.thresholds import KINDS as OF_COUNTS

class LogisticDpEvent:
    noise_multiplier = 2.0

def solved(**problem):
    return [one.decimal for one in solve(read_problem(json.dumps(problem)), digits=6).answers]

page = runpy.run_path(sys.argv[1])["of_mechanisms"]()
print(decimal(logistic_mechanism(spread=1).delta(0), digits=6))
print(*solved(kind="logistic", spread=1, ask={"delta": [0]}))
print(*solved(kind="logistic", ask={"spread": [{"epsilon": "1/2"}]}))
print("logistic" in problem_schema()["discriminator"]["mapping"])
print(decimal(Mechanism("logistic", 0.25).profile.max_divergence(), digits=2))
print("logistic" in OF_COUNTS, EVENTS["LogisticDpEvent"].says)
print(known_of(LogisticDpEvent(), "ADD_OR_REMOVE_ONE").profile.max_divergence())
print("| `spread` | s, of a tail 1/(1 + e^(x/s)) | above 0" in page)
"""
ANSWERED = ["0.244919", "0.244919", "2.00000", "True", "4.0", "True exact", "1/2", "True"]


def with_logistic_noise(folder):
    """Make a package that has logistic noise; return how many of its files are new or changed."""
    changed = {"mechanisms/logistic.py": Path(__file__).with_name("logistic.py").read_text()}
    for name, lines in NEW_LINES.items():
        text = (PACKAGE / name).read_text(encoding="utf-8")
        for before, added in lines:
            assert before in text, f"{name} has no line {before!r}"
            line = text[text.rindex("\n", 0, text.index(before) + len(before) - 1) + 1 :]
            indent = line[: len(line) - len(line.lstrip())]
            text = text.replace(before, f"{before}{indent}{added}\n", 1)
        changed[name] = text
    rooms = {Path(name).parent for name in changed}
    for room in sorted(rooms):
        (folder / room).mkdir()
        for one in (PACKAGE / room).iterdir():
            place = room / one.name
            if str(place) not in changed and place not in rooms:
                (folder / place).symlink_to(one)
    for name, text in changed.items():
        (folder / name).write_text(text, encoding="utf-8")
    return len(changed)


def test_a_new_mechanism_takes_four_files(tmp_path):
    assert with_logistic_noise(tmp_path / "exactdp") <= FILES_FOR_A_MECHANISM
    done = subprocess.run(
        [sys.executable, "-B", "-c", ASKED_OF_IT, str(ROOT / "docs" / "tables.py")],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ANSWERED, done.stderr


ROOMS = mechanisms, accounting, shuffle
ALL = {one.__name__: (room, one) for room in ROOMS for one in described_in(room)}

OF_KINDS = ("accounting/accountants", "cards", "compare", "problems", "testing")
"""Where mechanisms are told apart by the names of their kinds."""

NAMED_MORE = {
    "clone_pair": 4,
    "discrete_gaussian_mechanism": 5,
    "discrete_laplace_mechanism": 6,
    "dp_sgd": 5,
    "from_zcdp": 7,
    "gaussian_mechanism": 25,
    "laplace_mechanism": 15,
    "randomized_response": 10,
}
"""Mechanisms that theorems, accountants of others and cards are about: their files, at most."""


def said_in(module):
    """The names in a file, and its texts with their words, without docstrings."""
    docs = {
        id(node.value)
        for owner in ast.walk(module)
        if isinstance(getattr(owner, "body", None), list)
        for node in owner.body
        if isinstance(node, ast.Expr)
    }
    names, words = set(), set()
    for node in ast.walk(module):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docs:
                words |= {text, *text.split()}
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                names.add(name)
    return names, words


SAID = {
    path.relative_to(PACKAGE): said_in(tree(path))
    for path in sorted(PACKAGE.rglob("*.py"))
    if "adapters" not in path.parts  # these say how other libraries are called
}


def files_that_name(room, one):
    """The files, without its own, that name a mechanism by its function, class or kind."""
    own = Path(*inspect.unwrap(one).__module__.split(".")[1:]).with_suffix(".py")
    kind = description_of(one).kind
    built = str(inspect.signature(one).return_annotation)
    called = {one.__name__} | ({built} & set(room.__all__) if "Mechanism" in built else set())
    found = []
    for path, (names, words) in SAID.items():
        is_of_kinds = path.as_posix().startswith(OF_KINDS)
        if path != own and (called & (names | words) or (is_of_kinds and kind in words)):
            found.append(path.as_posix())
    return found


@pytest.mark.parametrize("name", ALL)
def test_few_files_name_a_mechanism(name):
    found = files_that_name(*ALL[name])
    assert len(found) <= NAMED_MORE.get(name, FILES_FOR_A_MECHANISM - 1), found


def test_a_file_that_names_a_mechanism_is_seen():
    module = ast.parse('"""laplace"""\nx = "gaussian laplace_mechanism"\nskellam_mechanism(x)')
    names, words = said_in(module)
    assert "skellam_mechanism" in names and "laplace" not in words
    assert {"gaussian", "laplace_mechanism"} <= words


ORDER = [
    "matrix",
    "n",
    "k",
    "epsilon0",
    "trials",
    "success",
    "variance",
    "scale",
    "rate",
    "sigma",
    "noise_multiplier",
    "sigma_squared",
    "rho",
    "level",
    "epsilon",
    "delta",
    "order",
    "alpha",
    "upper",
    "radius",
    "sensitivity",
    "sampling_probability",
    "steps",
    "participations",
    "separation",
    "times",
    "size",
    "buckets",
    "neighbors",
    "batches",
    "relative_width",
]
"""The order of arguments: users, inputs; noise; promise; ends; query; batches; the rest."""

RECORDS = {
    "testing.Mechanism",
    "testing.ShuffledRandomizedResponse",
    "compare.ShuffledUsers",
}
"""Drawn cases, which stand in stored examples: of them the order of fields stays."""


def functions():
    """Public functions and classes, and the methods of these, by name."""
    rooms = (accounting, cards, compare, divergences, mechanisms, shuffle, testing)
    for room in rooms:
        short = room.__name__.removeprefix("exactdp.")
        for name in room.__all__:
            one = getattr(room, name)
            if callable(one):
                yield f"{short}.{name}", one
            for inner, method in vars(one).items() if isinstance(one, type) else ():
                if inspect.isfunction(method) and not inner.startswith("_"):
                    yield f"{short}.{name}.{inner}", method


def out_of_order(parameters):
    """Pairs of the field's names that stand in another order than ORDER."""
    known = [ORDER.index(name) for name in parameters if name in ORDER]
    return [(ORDER[a], ORDER[b]) for a, b in combinations(known, 2) if a > b]


def test_alike_functions_have_one_order_of_arguments():
    found, looked_at = {}, 0
    for name, one in functions():
        try:
            parameters = list(inspect.signature(one).parameters)
        except (TypeError, ValueError):  # of classes of C
            continue
        looked_at += len(set(parameters) & set(ORDER)) > 1
        if (wrong := out_of_order(parameters)) and name not in RECORDS:
            found[name] = wrong
    assert not found
    assert looked_at > 60
    assert out_of_order(["delta", "x", "epsilon"]) == [("delta", "epsilon")]


def test_names_that_functions_share_have_a_place_in_the_order():
    shared = {}
    for _, one in ALL.values():
        for parameter in description_of(one).parameters:
            shared[parameter.name] = shared.get(parameter.name, 0) + 1
    assert {name for name, count in shared.items() if count > 1} <= {*ORDER, "q", "p"}
