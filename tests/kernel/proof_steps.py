"""Steps of proofs in few words, and true ones by every rule with what is printed of them."""

import json
from typing import Any

A, B, C, T = ({"ref": name} for name in "abct")
ONE_MORE = ["add", "0x1", T]
ONE_C = ["add", "0x1", C]
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
    "a denominator that is not printed": (
        follows(["sub", A, "0x1"], [["div", "0x1", A], ["mul", A, ["sub", A, "0x1"]]], over="a"),
        "for all a >= 0, where a != 0: if (a * (a - 1)) >= 0 then (a - 1) >= 0",
    ),
    "a negative power that is not printed": (
        follows(["sub", A, B], [["pow", A, -2], ["mul", A, A, ["sub", A, B]]]),
        "for all a, b, c >= 0, where a != 0: if (a * a * (a - b)) >= 0 then (a - b) >= 0",
    ),
    "denominators of what is no hypothesis": (
        follows(
            ["div", ["pow", ["sub", A, B], 2], ["mul", C, C]],
            ["0x1", ["pow", ["div", ["sub", A, B], C], 2]],
        ),
        "for all a, b, c >= 0, wherever no denominator is 0, where c != 0: "
        "(((a - b) ^ 2) / (c * c)) >= 0",
    ),
    "a denominator above 0": (
        follows(["sub", A, B], [["div", "0x1", ONE_C], ["mul", ONE_C, ["sub", A, B]]]),
        "for all a, b, c >= 0: if ((1 + c) * (a - b)) >= 0 then (a - b) >= 0",
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
