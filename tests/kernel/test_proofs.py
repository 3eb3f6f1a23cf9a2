"""The rules of proofs show what is true, refuse what is not shown, and print what was shown."""

import json
import random
from typing import Any

import pytest

from proofs_check.kernel import Accepted, Rejected, check
from tests.kernel.proof_judge import changed, false_at

A, B, C, T = ({"ref": name} for name in "abct")
ONE_MORE = ["add", "0x1", T]
LN = ["sub", T, ["log", ONE_MORE]]
TANGENT = ["sub", ["exp", T], ONE_MORE]
FALLS_THEN_RISES = [
    "split",
    "t",
    "0x0",
    ["falls", "t", "value", "value"],
    ["rises", "t", "value", "value"],
]
SQUARE = [["pow", ["sub", A, B], 2], ["add", ["mul", A, A], ["mul", "-0x2", A, B], ["mul", B, B]]]


def distance(x: Any, y: Any) -> Any:
    return ["abs", ["sub", x, y]]


def identity(*equal: Any, over: str = "a b") -> Any:
    return {"rule": "identity", "variables": over.split(), "equal": list(equal)}


def follows(conclusion: Any, *parts: Any, over: str = "a b c") -> Any:
    return {
        "rule": "follows",
        "variables": over.split(),
        "conclusion": conclusion,
        "sum": list(parts),
    }


def nonnegative(term: Any, reason: Any, lo: str = "0x0", hi: str | None = None) -> Any:
    return {"rule": "nonnegative", "variables": [["t", lo, hi]], "terms": [[term, reason]]}


def orders(term: Any, *given: Any, over: str = "a b c") -> Any:
    return {"rule": "orders", "variables": over.split(), "given": list(given), "terms": [term]}


def every(*relations: Any, **values: list[str]) -> Any:
    return {"rule": "every", "variables": [*values.items()], "relations": list(relations)}


def proved(*steps: Any, **more: Any) -> bytes:
    """Return the bytes of a proof."""
    outer = {"format": "exactdp-proof/1", "claim": "test", "domain": "all t"}
    return json.dumps(
        outer | {"conclusion": [{"text": "so", **step} for step in steps]} | more
    ).encode()


SHOWN: dict[str, tuple[Any, str]] = {
    "identity": (
        identity(SQUARE),
        "for all a, b: ((a - b) ^ 2) = ((a * a) + ((-2) * a * b) + (b * b))",
    ),
    "identity that divides": (
        identity([["div", A, ["div", A, B]], B]),
        "for all a, b, wherever no denominator is 0: (a / (a / b)) = b",
    ),
    "follows": (
        follows(["sub", C, A], ["0x1", ["sub", B, A]], ["0x1", ["sub", C, B]]),
        "for all a, b, c >= 0: if (b - a) >= 0 and (c - b) >= 0 then (c - a) >= 0",
    ),
    "what is no hypothesis": (
        follows(["sub", ["add", A, B], "0x0"], ["0x1", A], [B, "0x1"]),
        "for all a, b, c >= 0: ((a + b) - 0) >= 0",
    ),
    "sum of squares": (
        follows(SQUARE[1], ["0x1", ["pow", ["sub", A, B], 2]]),
        "for all a, b, c >= 0: ((a * a) + ((-2) * a * b) + (b * b)) >= 0",
    ),
    "coefficients": (
        nonnegative(["sub", ["pow", ONE_MORE, 2], ONE_MORE], "coefficients"),
        "for all 0 <= t: (((1 + t) ^ 2) - (1 + t)) >= 0",
    ),
    "coefficients on an interval": (
        nonnegative(["mul", T, ["sub", "0x1", T]], "coefficients", "0x0", "0x1"),
        "for all 0 <= t <= 1: (t * (1 - t)) >= 0",
    ),
    "rises for ever": (
        nonnegative(LN, ["rises", "t", "coefficients", "value"]),
        "for all 0 <= t: (t - log((1 + t))) >= 0",
    ),
    "a zero inside": (
        nonnegative(TANGENT, FALLS_THEN_RISES, "-0x2", "0x2"),
        "for all -2 <= t <= 2: (exp(t) - (1 + t)) >= 0",
    ),
    "orders": (
        orders(["sub", ["add", distance(A, B), distance(B, C)], distance(A, C)]),
        "for all a, b, c in R: ((abs((a - b)) + abs((b - c))) - abs((a - c))) >= 0",
    ),
    "orders in a case": (
        orders(["sub", B, ["max", A, "0x0"]], ["<=", A, B], [">=", B, "0x0"]),
        "for all a, b, c in R: if a <= b and b >= 0 then (b - max(a, 0)) >= 0",
    ),
    "every": (
        every(["<", A, ["pow", "0x2", A]], a=["0x0", "0x1", "0x5"]),
        "at each of 3 instances, a in {0, 1, 5}: a < (2 ^ a)",
    ),
    "no variables": (every(["<", "0x1", "0x2"]), "1 < 2 [left = 1, right = 2]"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_true_steps_are_accepted_and_printed(name: str) -> None:
    step, printed = SHOWN[name]
    result = check(proved(step))
    assert isinstance(result, Accepted), result
    assert f"({step['rule']}) {printed}; each step was checked by itself" in result.statement
    assert false_at({}, step) is None


POLE = ["div", "0x1", ["sub", "0x1", T]]
REFUSED: dict[str, tuple[Any, str]] = {
    "not equal": (identity([SQUARE[0], ["sub", A, B]]), "equation 0: the two sides differ"),
    "the second differs": (identity(SQUARE, [A, B]), "equation 1: the two sides differ"),
    "itself": (identity([["add", A, "0x2"], ["add", A, "0x02"]]), "compared with itself"),
    "over identically 0": (
        identity([["div", A, ["sub", B, B]], ["div", B, ["sub", A, A]]]),
        "division by what is identically 0",
    ),
    "0 hidden under a power": (
        identity([["pow", ["div", A, ["sub", B, B]], 0], "0x1"]),
        "division by what is identically 0",
    ),
    "exponential": (
        identity([["mul", ["exp", A], ["exp", B]], ["exp", ["add", A, B]]]),
        "exp(a) is not in + - * / and whole powers",
    ),
    "symbolic power": (identity([["pow", A, B], A]), "not in + - * / and whole powers"),
    "no variable": (identity([A, ["add", C, "0x0"]]), "c is not defined here"),
    "variable twice": (identity(SQUARE, over="a b a"), "'a'] is already in use"),
    "negative multiplier": (
        follows(["sub", A, B], ["-0x1", ["sub", B, A]]),
        "multiplier 0: coefficients of both signs",
    ),
    "multiplier of both signs": (
        follows(["mul", ["sub", A, B], C], [["sub", A, B], C]),
        "multiplier 0: coefficients of both signs",
    ),
    "hypothesis dropped": (
        follows(["sub", C, A], ["0x1", ["sub", B, A]]),
        "the sum of the products is not the conclusion",
    ),
    "circle": (follows(["sub", C, A], ["0x1", ["sub", C, A]]), "one of the hypotheses"),
    "an odd power may be negative": (
        follows(["pow", ["sub", A, B], 3], ["0x1", ["pow", ["sub", A, B], 3]]),
        "one of the hypotheses",
    ),
    "negative somewhere": (
        nonnegative(["sub", ["mul", T, T], T], "coefficients"),
        "coefficients of both signs",
    ),
    "negative beyond the interval": (
        nonnegative(["mul", T, ["sub", "0x1", T]], "coefficients", "0x0", "0x2"),
        "coefficients of both signs",
    ),
    "jumps below 0 at a pole": (
        nonnegative(POLE, ["rises", "t", "coefficients", "value"]),
        "not certainly above 0 on the box",
    ),
    "jumps inside an interval": (
        nonnegative(POLE, ["rises", "t", "coefficients", "value"], "0x0", "0x2"),
        "not certainly defined",
    ),
    "rises from below 0": (
        nonnegative(["sub", T, "0x1"], ["rises", "t", "coefficients", "value"]),
        "not certainly at least 0 on t from 0 to 0",
    ),
    "rises where it falls": (
        nonnegative(TANGENT, ["rises", "t", "value", "value"], "-0x2", "0x2"),
        "not certainly at least 0",
    ),
    "split outside": (
        nonnegative(TANGENT, ["split", "t", "0x3", "value", "value"], "-0x2", "0x2"),
        "split: the place is outside",
    ),
    "no largest value": (nonnegative(T, "value"), "value: t has no largest value"),
    "falls for ever": (
        nonnegative(["neg", T], ["falls", "t", "coefficients", "value"]),
        "falls: t has no largest value",
    ),
    "empty range": (nonnegative(T, "value", "0x1", "0x0"), "t: the range is empty"),
    "corner": (
        nonnegative(["abs", T], ["rises", "t", "coefficients", "value"]),
        "abs has no derivative here",
    ),
    "unknown reason": (nonnegative(T, "clearly"), "a reason must be a list"),
    "false in an order": (orders(["sub", ["max", A, B], C]), "is below 0 at"),
    "false below 0": (orders(["add", A, distance(B, C)]), "is below 0 at (-1, 0, 0)"),
    "a constant is not homogeneous": (
        orders(["sub", ["add", distance(A, B), "0x1"], A]),
        "is not linear on each order",
    ),
    "nested maximum": (
        orders(["abs", ["sub", ["max", A, B], C]]),
        "is not linear on each order",
    ),
    "a product is not linear": (orders(["mul", A, A]), "is not linear on each order"),
    "strict case": (orders(["sub", B, A], ["<", A, B]), "given: only <=, = and >="),
    "false at one instance": (
        every(["<", A, "0x5"], a=["0x0", "0x5"]),
        "relation 0 is false at a = 5",
    ),
    "unknown rule": ({"rule": "clearly"}, "'clearly' is not a rule"),
    "missing part": ({"rule": "identity", "variables": ["a"]}, "the key 'equal' is missing"),
    "too much": (
        every(["<", A, "0x5"], a=["0x1"] * 900, b=["0x1"] * 900, c=["0x1"] * 900),
        "more than 60 seconds of work",
    ),
    "large power": (
        identity([["pow", ["add", A, B, "0x1"], 999], ["pow", ["add", B, A, "0x1"], 999]]),
        "more than 60 seconds of work",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_for_its_one_defect(name: str) -> None:
    step, reason = REFUSED[name]
    seconds = 1 if "seconds" in reason else 60
    result = check(proved(step), seconds=seconds)
    assert isinstance(result, Rejected), result
    assert reason.replace("60", str(seconds)) in result.reason
    assert result.reason.startswith("conclusion 1: ")


def test_a_step_is_no_relation_and_a_relation_no_step() -> None:
    step, relation = SHOWN["identity"][0], ["<", "0x0", "0x1"]
    assert isinstance(check(proved(step, format="exactdp-certificate/1")), Rejected)
    assert isinstance(check(proved(conclusion=[relation])), Rejected)


def test_a_definition_is_a_constant_and_no_variable() -> None:
    half = {"define": [["a", "0x1/0x2"]]}
    result = check(proved(identity(SQUARE), **half))
    assert isinstance(result, Rejected) and "already in use" in result.reason
    assert isinstance(check(proved(identity(SQUARE, over="b"), **half)), Accepted)


def test_no_changed_step_is_accepted_if_it_is_false() -> None:
    generator, accepted, rejected = random.Random(1), 0, 0
    for _ in range(60):
        for name, (step, _) in SHOWN.items():
            mutant = changed(step, generator)
            if isinstance(check(proved(mutant)), Accepted):
                accepted += 1
                assert false_at({}, mutant) is None, (name, mutant)
            else:
                rejected += 1
    assert accepted > 60 and rejected > 300
