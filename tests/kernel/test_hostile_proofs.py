"""Hostile proofs: work that is not charged, prints that hide, numbers that are long."""

import hashlib
import time
from collections.abc import Callable
from typing import Any

import pytest

from proofs_check.kernel import Accepted, Rejected, check, results
from tests.kernel.proof_steps import every, follows, identity, nonnegative, proved

X, X0 = {"ref": "x"}, "0x0"
XS = [f"x{i}" for i in range(60_000)]


def ref(name: str) -> Any:
    return {"ref": name}


def nested(term: Any, depth: int) -> Any:
    for _ in range(depth):
        term = ["neg", term]
    return term


def many(rule: str, count: int, **parts: Any) -> Any:
    return {"rule": rule, "variables": XS[:count], **parts}


def box(term: Any, reason: Any, count: int, copies: int) -> Any:
    sides = [[x, "0x0", "0x1"] for x in XS[:count]]
    return {"rule": "nonnegative", "variables": sides, "terms": [[term, reason]] * copies}


T = {"ref": "t"}
LARGEST = [["sub", ["max", *map(ref, XS[:22])], ref("x0")]]
SPLIT: Any = "value"
for _ in range(90):
    SPLIT = ["split", "x0", "0x1", SPLIT, "value"]
LONG = "0x" + "f" * 20_000
SUM = ["add", *["0x1"] * 20_000]
BELOW_ALL = [["<=", "0x0", ref(x)] for x in XS[:30_000]]
# A step, the seconds that it is allowed, and a part of the reason, "" if it is accepted.
HOSTILE: dict[str, tuple[Any, int, str]] = {
    "deep sums": (identity([nested(SUM, 100), X], over="x"), 12, "the two sides differ"),
    "many variables": (
        many("identity", 40_000, equal=[[["sub", ref("x0"), ref("x0")], X0]]),
        12,
        "",
    ),
    "a variable twice": (
        many("identity", 60_000, equal=[]) | {"variables": [*XS, "x7"]},
        12,
        "the name ['x7'] is already in use",
    ),
    "orders": (many("orders", 30_000, given=[], terms=[*map(ref, XS[:30_000])]), 12, "allow more"),
    "orders in a case": (
        many("orders", 30_000, given=BELOW_ALL, terms=[ref("x0")]),
        12,
        "allow more",
    ),
    "orders of 22 variables": (many("orders", 22, given=[], terms=LARGEST), 240, "allow more"),
    "slope of a long product": (
        nonnegative(["mul", *["0x1"] * 20_000], ["rises", "t", "value", "value"], "0x0", "0x1"),
        12,
        "allow more",
    ),
    "a wide box": (box(ref("x0"), "value", 4000, 200), 4, "allow more"),
    "a wide box of coefficients": (box(ref("x0"), "coefficients", 4000, 1000), 4, "allow more"),
    "a wide box that is cut": (box(ref("x0"), SPLIT, 4000, 20), 4, "allow more"),
    "long ends": (
        nonnegative(T, "value", "0x0", LONG) | {"terms": [[T, "value"]] * 3000},
        4,
        "allow more",
    ),
    "long instances": (every(["<", X0, T], t=[f"{LONG}{i:x}" for i in range(9)]), 4, ""),
}


def taken(work: Callable[[], Any]) -> tuple[float, Any]:
    """The processor time of some work, in that of a loop that takes about a tenth of a second."""
    start = time.process_time()
    sum(i * i for i in range(10**6))
    middle = time.process_time()
    result = work()
    return (time.process_time() - middle) / (middle - start), result


@pytest.mark.parametrize("name", HOSTILE)
def test_work_in_proofs_ends_with_its_budget(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for certificates: of a quarter of the steps of a budget."""
    monkeypatch.setattr(results, "STEPS", results.STEPS // 4)
    step, seconds, reason = HOSTILE[name]
    data = proved(step)
    loops, result = taken(lambda: check(data, seconds=seconds))
    assert loops < 25  # work that is not charged takes thousands
    if reason:
        assert isinstance(result, Rejected) and reason in result.reason, result
    else:
        assert isinstance(result, Accepted), result


def test_definitions_are_not_copied_for_each_leaf() -> None:
    step = box(ref("x0"), "coefficients", 1, 12_000)
    spent = []
    for count in (0, 20_000):  # beside the same without any: copies would take minutes
        data = proved(step, define=[[f"d{i}", "0x1"] for i in range(count)])
        start = time.process_time()
        assert isinstance(check(data), Accepted)
        spent.append(time.process_time() - start)
    assert spent[1] < 3 * spent[0]


def test_a_long_end_is_not_written_in_decimal() -> None:
    """The reason names the box, whose end has more digits than Python writes."""
    end = "0x" + "f" * 5000
    assert isinstance(check(proved(nonnegative({"ref": "t"}, "value", "0x0", end))), Accepted)
    result = check(proved(nonnegative({"ref": "t"}, "value", "-0x1", end)))
    assert isinstance(result, Rejected)
    assert "not certainly at least 0 on t from -1 to ~3.98027684034e+6020" in result.reason


# --- prints ---------------------------------------------------------------------------------


def whole(step: Any, **more: Any) -> tuple[str, bytes]:
    data = proved(step, **more)
    result = check(data)
    assert isinstance(result, Accepted), result
    return result.statement, data


def test_a_statement_is_printed_whole() -> None:
    terms = [["sub", ["pow", ["add", X, f"{i:#x}"], 2], "0x0"] for i in range(60)]
    step = {
        "rule": "nonnegative",
        "variables": [["x", "0x0", None]],
        "terms": [[term, "coefficients"] for term in terms],
    }
    statement, _ = whole(step)
    assert statement.count(" >= 0") == 60 and "[..." not in statement and "sha256" not in statement


@pytest.mark.parametrize(
    ("step", "hidden"),
    [
        (
            nonnegative(["add", *[{"ref": "t"}] * 2000], "coefficients"),
            " [... 3999 characters ...] ",
        ),
        (
            nonnegative(["add", {"ref": "t"}, f"{3**50:#x}"], "coefficients"),
            "(t + (~7.17897987692e+23[...])) >= 0",
        ),
        (nonnegative({"ref": "t"}, "value", "0x0", f"{3**50:#x}"), " <= ~7.17897987692e+23[...]: "),
        (every(["<", "0x0", {"ref": "a"}], a=[f"0x1/{3**50:#x}"]), "{~1.39295556910e-24[...]}"),
    ],
)
def test_what_is_left_out_is_counted_and_pinned(step: Any, hidden: str) -> None:
    statement, data = whole(step)
    assert hidden in statement
    said = f"; in full ([...]) it is in the file with the sha256 {hashlib.sha256(data).hexdigest()}"
    assert statement.endswith(said)


def test_conditions_that_are_not_printed_are_counted_once() -> None:
    """Two multipliers divide by x y: the condition is one, and its print has no long number."""
    y, product = ref("y"), ["mul", X, ref("y")]
    slack = ["mul", product, ["sub", X, y]]
    half = ["div", "0x1/0x2", product]
    statement, _ = whole(follows(["sub", X, y], [half, slack], [half, slack], over="x y"))
    assert statement.startswith(
        "(follows) for all x, y >= 0, where (x * y) != 0: if ((x * y) * (x - y)) >= 0 and "
    )
