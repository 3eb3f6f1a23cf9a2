"""Hostile proofs: work that is not charged, prints that hide, numbers that are long."""

import hashlib
import time
from typing import Any

import pytest

from proofs_check.kernel import Accepted, Rejected, check, results
from tests.kernel.proof_steps import every, follows, identity, nonnegative, proved

X = {"ref": "x"}
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


LARGEST = [["sub", ["max", *map(ref, XS[:22])], ref("x0")]]
SPLIT: Any = "value"
for _ in range(90):
    SPLIT = ["split", "x0", "0x1", SPLIT, "value"]
DEFINED = {"define": [[f"d{i}", "0x1"] for i in range(30_000)]}
LONG = "0x" + "f" * 100_000
# Each ends within a few seconds of work, accepted or not: none is refused for another reason.
HOSTILE: dict[str, tuple[Any, dict[str, Any], str]] = {
    "deep sums": (
        identity([nested(["add", *["0x1"] * 20_000], 100), X], over="x"),
        {},
        "allow more",
    ),
    "many variables": (
        many("identity", 40_000, equal=[[["sub", ref("x0"), "0x0"], ref("x0")]]),
        {},
        "",
    ),
    "a variable twice among many": (
        many("identity", 60_000, equal=[]) | {"variables": [*XS, "x7"]},
        {},
        "the name ['x7'] is already in use",
    ),
    "orders of many variables": (
        many("orders", 60_000, given=[], terms=[ref(x) for x in XS]),
        {},
        "allow more",
    ),
    "orders of 22 variables": (many("orders", 22, given=[], terms=LARGEST), {}, "allow more"),
    "orders of relations": (
        many("orders", 60_000, given=[["<=", "0x0", ref(x)] for x in XS], terms=[ref("x0")]),
        {},
        "allow more",
    ),
    "slope of a long product": (
        nonnegative(["mul", *["0x1"] * 20_000], ["rises", "t", "value", "value"], "0x0", "0x1"),
        {},
        "allow more",
    ),
    "a wide box": (box(ref("x0"), "value", 5000, 3000), {}, "allow more"),
    "a wide box of coefficients": (box(ref("x0"), "coefficients", 5000, 3000), {}, "allow more"),
    "a wide box that is cut": (box(ref("x0"), SPLIT, 5000, 100), {}, "allow more"),
    "definitions in each leaf": (box(ref("x0"), "coefficients", 1, 20_000), DEFINED, "allow more"),
    "long ends, many times": (
        nonnegative({"ref": "t"}, "value", "0x0", LONG)
        | {"terms": [[{"ref": "t"}, "value"]] * 3000},
        {},
        "allow more",
    ),
    "long instances": (
        every(["<", "0x0", {"ref": "a"}], a=[f"0x1/{LONG}{i:x}" for i in range(30)]),
        {},
        "allow more",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_work_in_proofs_ends_with_its_budget(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for certificates: a second of budget is a quarter of one here, and less than one takes."""
    monkeypatch.setattr(results, "STEPS", results.STEPS // 4)
    step, more, reason = HOSTILE[name]
    data = proved(step, **more)
    start = time.process_time()
    result = check(data, seconds=10 if len(data) > 250_000 else 1)
    assert time.process_time() - start < (4 if len(data) > 250_000 else 1)
    if reason:
        assert isinstance(result, Rejected) and reason in result.reason
    else:
        assert isinstance(result, Accepted), result


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
