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


def claim(relation: Any, reason: Any, *ranges: Any, given: Any = ()) -> Any:
    """Return a step by ``claim``; a range is a name and its ends."""
    return {
        "rule": "claim",
        "variables": [list(entry) for entry in ranges],
        "given": list(given),
        "relations": [relation],
        "reasons": [reason],
    }


def finite_pair(p: Any, q: Any) -> Any:
    return {"kind": "finite_pair", "p": p, "q": q}


UP, PROBABILITY = ("a", [">=", "0x0"], None), ("a", [">=", "0x0"], ["<=", "0x1"])
BELOW = ("b", [">=", "0x0"], ["<=", ["sub", "0x1", A]])
OVER_B = ("b", [">", "0x0"], None)
ANY_B = ("b", None, None)
REST = ["sub", "0x1", A]
COIN = finite_pair([A, REST], [REST, A])
THREE = finite_pair([A, B, C], [B, A, C])
SUM_IS_1 = ["=", ["add", A, B, C], "0x1"]
POSITIVE_A = ["positive_part", ["sub", A, B]]


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
    "claim": (
        claim(
            [">", ["add", "0x1", A, A], ["sub", "0x1", A]],
            "coefficients",
            ("a", [">", "0x0"], None),
        ),
        "for all a > 0: (1 + a + a) > (1 - a)",
    ),
    "claim with ends that are terms": (
        claim(["<=", ["add", A, B], "0x1"], "coefficients", PROBABILITY, BELOW),
        "for all 0 <= a <= 1, 0 <= b <= (1 - a): (a + b) <= 1",
    ),
    "claim with open ends": (
        claim(
            [">", ["mul", ["sub", A, "0x1"], ["sub", A, B]], "0x0"],
            "coefficients",
            ("a", [">", "0x1"], ["<=", "0x2"]),
            ("b", None, ["<", A]),
        ),
        "for all 1 < a <= 2, b < a: ((a - 1) * (a - b)) > 0",
    ),
    "claim that is strict at a largest value": (
        claim([">", ["add", ["mul", A, A], REST], "0x0"], "coefficients", PROBABILITY),
        "for all 0 <= a <= 1: ((a * a) + (1 - a)) > 0",
    ),
    "claim that divides": (
        claim(
            ["<=", ["div", ["max", "0x0", ["sub", B, A]], ["add", A, "0x1"]], "0x1/0x2"],
            "coefficients",
            ("a", [">=", "0x1"], None),
            ("b", [">=", "0x0"], ["<=", ["sub", A, "0x1"]]),
        ),
        "for all a >= 1, 0 <= b <= (a - 1), wherever no denominator is 0: "
        "(max(0, (b - a)) / (a + 1)) <= 1/2",
    ),
    "claim that is an equation": (
        claim(["=", ["mul", A, ["div", B, A]], B], "coefficients", UP, ANY_B),
        "for all a >= 0, b in R, wherever no denominator is 0: (a * (b / a)) = b",
    ),
    "claim by a sum": (
        claim(
            [">", ["mul", A, A], ["mul", B, B]],
            ["sum", [[["add", A, B], 0]]],
            UP,
            OVER_B,
            given=[[">", A, B]],
        ),
        "for all a >= 0, b > 0: if a > b then (a * a) > (b * b)",
    ),
    "claim by a sum with an equation": (
        claim(
            ["=", ["add", ["mul", A, A], ["mul", A, B]], A],
            ["sum", [[["neg", ["neg", A]], 0]]],
            UP,
            ANY_B,
            given=[["=", ["add", A, B], "0x1"]],
        ),
        "for all a >= 0, b in R: if (a + b) = 1 then ((a * a) + (a * b)) = a",
    ),
    "claim by cases": (
        claim(
            ["=", ["add", POSITIVE_A, ["min", A, B]], A],
            ["cases", ["sub", A, B], "coefficients", "coefficients"],
            UP,
            ANY_B,
        ),
        "for all a >= 0, b in R: (positive_part((a - b)) + min(a, b)) = a",
    ),
    "claim by three cases": (
        claim(
            ["<=", ["mul", ["when", ["<", A, B], A, B], ["abs", ["sub", A, B]]], "0x0"],
            [
                "cases",
                ["sub", A, B],
                ["sum", [[["neg", B], 0]]],
                ["sum", [[["neg", B], 0]]],
                ["sum", [[["neg", A], 0]]],
            ],
            ("a", None, ["<=", "0x0"]),
            ("b", None, ["<=", "0x0"]),
        ),
        "for all a <= 0, b <= 0: (when((a < b), a, b) * abs((a - b))) <= 0",
    ),
    "claim by a slope": (
        claim(
            ["<=", ["add", "0x1", A], ["exp", A]],
            ["rises", "a", "value", "value"],
            PROBABILITY,
        ),
        "for all 0 <= a <= 1: (1 + a) <= exp(a)",
    ),
    "claim about a hockey stick": (
        claim(
            ["<=", ["hockey_stick", COIN, "0x2"], REST],
            [
                "cases",
                ["sub", A, ["mul", "0x2", REST]],
                ["sum", [["0x0", 0]]],
                "coefficients",
            ],
            ("a", [">=", "0x1/0x2"], ["<=", "0x3/0x4"]),
        ),
        "for all 1/2 <= a <= 3/4: "
        "hockey_stick({kind: finite_pair, p: [a, (1 - a)], q: [(1 - a), a]}, 2) <= (1 - a)",
    ),
    "claim about a pair that sums to 1 by an equation": (
        claim(
            ["=", ["total_variation", THREE], ["abs", ["sub", A, B]]],
            ["cases", ["sub", A, B], "coefficients", "coefficients"],
            UP,
            ("b", [">=", "0x0"], None),
            ("c", [">=", "0x0"], None),
            given=[SUM_IS_1],
        ),
        "for all a >= 0, b >= 0, c >= 0: if (a + b + c) = 1 then "
        "total_variation({kind: finite_pair, p: [a, b, c], q: [b, a, c]}) = abs((a - b))",
    ),
    "claim about masses": (
        claim(
            [
                "=",
                ["add", ["event", COIN, "p", [0, 1]], ["mass", COIN, "q", 0]],
                ["add", ["row_sum", [[A, REST]], 0], ["entry", [[A, REST]], 0, 1]],
            ],
            "coefficients",
            PROBABILITY,
        ),
        "for all 0 <= a <= 1: (event({kind: finite_pair, p: [a, (1 - a)], q: [(1 - a), a]}, "
        "p, [0, 1]) + mass({kind: finite_pair, p: [a, (1 - a)], q: [(1 - a), a]}, q, 0)) = "
        "(row_sum([[a, (1 - a)]], 0) + entry([[a, (1 - a)]], 0, 1))",
    ),
}
