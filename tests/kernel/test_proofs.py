"""The rules of proofs show what is true, refuse what is not shown, and print what was shown."""

from collections import Counter
from typing import Any

import pytest

from proofs_check.kernel import Accepted, Rejected, check
from proofs_check.kernel.rules import LAST, NOTE
from tests.kernel.printed import said
from tests.kernel.proof_judge import false_at, is_false
from tests.kernel.proof_mutations import FALSE, KINDS, OF_CLAIMS, compared, mutants
from tests.kernel.proof_steps import (
    ANY_B,
    BELOW,
    COIN,
    ONE_C,
    PROBABILITY,
    REST,
    SHOWN,
    SQUARE,
    TANGENT,
    UP,
    A,
    B,
    C,
    T,
    claim,
    distance,
    every,
    finite_pair,
    follows,
    identity,
    nonnegative,
    orders,
    proved,
)


@pytest.mark.parametrize("name", SHOWN)
def test_true_steps_are_accepted_and_printed(name: str) -> None:
    step, printed = SHOWN[name]
    result = check(proved(step))
    assert isinstance(result, Accepted), result
    note = LAST if step["rule"] == "claim" else NOTE
    assert f"({step['rule']}) {printed}; {note}" in result.statement
    assert false_at([], result.statement) is None


POLE = ["div", "0x1", ["sub", "0x1", T]]
UP_B = ("b", [">=", "0x0"], None)
UNIT_B = ("b", [">=", "0x0"], ["<=", "0x1"])
PART = ["positive_part", ["sub", A, B]]
REFUSED: dict[str, tuple[Any, str]] = {
    "claim: false": (claim([">=", A, "0x1"], "coefficients", UP), "relation 0: >= is not shown"),
    "claim: false equation": (
        claim(["=", ["mul", A, A], A], "coefficients", UP),
        "relation 0: the two sides differ",
    ),
    "claim: 0 at the least value": (
        claim([">", A, "0x0"], "coefficients", UP),
        "relation 0: > is not shown",
    ),
    "claim: 0 at the largest value": (
        claim([">", REST, "0x0"], "coefficients", PROBABILITY),
        "relation 0: > is not shown",
    ),
    "claim: 0 where two values are largest": (
        claim([">", ["sub", "0x2", ["add", A, B]], "0x0"], "coefficients", PROBABILITY, UNIT_B),
        "relation 0: > is not shown",
    ),
    "claim: 0 at an end that is a term": (
        claim([">", REST, B], "coefficients", ("a", [">", "0x0"], ["<", "0x1"]), BELOW),
        "relation 0: > is not shown",
    ),
    "claim: itself": (claim(["<=", A, A], "coefficients", UP), "is compared with itself"),
    "claim: inequality of signs": (
        claim(["!=", ["add", A, "0x1"], "0x0"], "coefficients", UP),
        "a relation here is =, <, <=, > or >=",
    ),
    "claim: empty range": (
        claim(["<", A, "0x0"], "coefficients", ("a", [">=", "0x1"], ["<=", "0x0"])),
        "a: the range is empty",
    ),
    "claim: empty range of terms": (
        claim(["<", A, "0x0"], "coefficients", UP, ("b", [">", A], ["<=", A])),
        "b: the range is empty",
    ),
    "claim: a sign of the other end": (
        claim(["<=", A, "0x1"], "coefficients", ("a", ["<=", "0x1"], None)),
        "'<=' is not >= or >",
    ),
    "claim: an end of a later variable": (
        claim(["<=", A, "0x1"], "coefficients", ("a", [">=", B], None), ANY_B),
        "b is not defined here",
    ),
    "claim: a variable twice": (
        claim(["<=", "0x0", A], "coefficients", UP, UP),
        "the name ['a'] is already in use",
    ),
    "claim: over identically 0": (
        claim(["=", ["div", A, ["min", "0x0", A]], A], "coefficients", UP),
        "division by what is identically 0",
    ),
    "claim: the sign of a part": (
        claim(["<=", PART, A], "coefficients", UP, ANY_B),
        "the sign of (a - b) is not shown; use cases",
    ),
    "claim: a case that does not show it": (
        claim(["<=", PART, A], ["cases", ["sub", A, B], "coefficients", "coefficients"], UP, ANY_B),
        "relation 0: >= is not shown",
    ),
    "claim: the other case": (
        claim(
            ["<=", A, B], ["cases", ["sub", A, B], ["sum", [["0x1", 0]]], "coefficients"], UP, UP_B
        ),
        "relation 0: >= is not shown",
    ),
    "claim: a case is over": (
        claim(
            ["<=", ["max", A, B], ["add", A, B]],
            ["cases", ["sub", A, "0x1"], "coefficients", "coefficients"],
            UP,
            UP_B,
        ),
        "the sign of (a - b) is not shown; use cases",
    ),
    "claim: an undecided condition": (
        claim(
            ["<=", ["when", ["<", A, B], A, B], A],
            ["cases", ["sub", A, B], "coefficients", "coefficients"],
            UP,
            UP_B,
        ),
        "whether (a >= b) is not shown; use cases",
    ),
    "claim: a multiplier below 0": (
        claim(["<=", A, "0x1"], ["sum", [["-0x1", 0]]], UP, given=[[">=", A, "0x1"]]),
        "product 0: the multiplier is not shown to be >= 0",
    ),
    "claim: a multiplier that is not defined": (
        claim(
            [">=", B, "0x1"],
            ["sum", [[["div", "0x1", A], 0]]],
            UP,
            ANY_B,
            given=[[">=", ["mul", A, B], A]],
        ),
        "a is perhaps 0",
    ),
    "claim: a case that is not defined": (
        claim(
            ["<=", "0x0", ["mul", A, A]],
            ["cases", ["div", "0x1", A], "coefficients", "coefficients"],
            UP,
        ),
        "a is perhaps 0",
    ),
    "claim: a multiplier that is not defined at the largest value": (
        claim(
            [">=", B, "0x1"],
            ["sum", [[["div", "0x1", REST], 0]]],
            PROBABILITY,
            ANY_B,
            given=[[">=", ["mul", REST, B], REST]],
        ),
        "(1 - a) is perhaps 0",
    ),
    "claim: no such hypothesis": (
        claim([">=", A, "0x0"], ["sum", [["0x1", 0]]], UP),
        "product 0: there is no such hypothesis",
    ),
    "claim: an equation of an inequality": (
        claim(["=", A, "0x1"], ["sum", [["0x1", 0]]], UP, given=[[">=", A, "0x1"]]),
        "product 0: only = gives =",
    ),
    "claim: strict of what is not": (
        claim([">", A, "0x1"], ["sum", [["0x1", 0]]], UP, given=[[">=", A, "0x1"]]),
        "relation 0: > is not shown",
    ),
    "claim: strict times what is perhaps 0": (
        claim([">", ["mul", A, B], A], ["sum", [[A, 0]]], UP, UP_B, given=[[">", B, "0x1"]]),
        "relation 0: > is not shown",
    ),
    "claim: no law": (
        claim([">=", ["total_variation", finite_pair([A, A], [A, A])], "0x0"], "coefficients", UP),
        "the masses of a row are not shown to sum to 1",
    ),
    "claim: a mass below 0": (
        claim([">=", ["total_variation", COIN], "0x0"], "coefficients", UP),
        "(1 - a) is not shown to be >= 0",
    ),
    "claim: a factor below 0": (
        claim([">=", ["hockey_stick", COIN, B], "0x0"], "coefficients", PROBABILITY, ANY_B),
        "the factor is not shown to be >= 0",
    ),
    "claim: an outcome too many": (
        claim([">=", ["mass", COIN, "p", 2], "0x0"], "coefficients", PROBABILITY),
        "an index is not a whole number that is written, or too large",
    ),
    "claim: an outcome twice": (
        claim([">=", ["event", COIN, "p", [1, "0x1"]], "0x0"], "coefficients", PROBABILITY),
        "event: an outcome is repeated",
    ),
    "claim: a power of a variable": (
        claim([">=", ["pow", A, B], "0x0"], "coefficients", UP, UP_B),
        "is not in + - * / and whole powers",
    ),
    "claim: strict by a slope": (
        claim([">", ["exp", A], "0x0"], "value", PROBABILITY),
        "'value' does not show >",
    ),
    "claim: a slope on a range of terms": (
        claim(["<=", ["exp", ["neg", A]], "0x1"], "value", ("a", None, ["<=", "0x1"])),
        "a range is [NAME, NUMBER, NUMBER or null]",
    ),
    "claim: reasons too few": (
        claim([">=", A, "0x0"], "coefficients", UP) | {"reasons": ["value", "value"]},
        "there must be one reason for each relation",
    ),
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
    "circle in other words": (
        follows(["sub", C, A], ["0x1", ["add", ["sub", C, A], "0x0"]]),
        "one of the hypotheses",
    ),
    "a hypothesis that nothing meets": (
        follows("-0x5", ["0x5", "-0x1"]),
        "slack 0: a hypothesis that is below 0 everywhere",
    ),
    "another": (
        follows(["neg", A], [A, ["div", ["neg", ONE_C], ONE_C]]),
        "slack 0: a hypothesis that is below 0 everywhere",
    ),
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
    "an instance twice": (
        every(["<", A, "0x5"], a=["0x1", "0x2", "0x2/0x2"]),
        "a: 1 is perhaps listed twice",
    ),
    "an instance that is perhaps another": (
        every(["<", A, "0x5"], a=[["exp", "0x1"], ["mul", "0x1", ["exp", "0x1"]]]),
        "is perhaps listed twice",
    ),
    "unknown rule": ({"rule": "clearly"}, "'clearly' is not a rule"),
    "missing part": ({"rule": "identity", "variables": ["a"]}, "the key 'equal' is missing"),
    "too much": (
        every(["<", A, "0x5000"], **{x: [hex(i) for i in range(900)] for x in "abc"}),
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
    outer, counts, kinds = {"format": "exactdp-proof/1", "claim": ""}, Counter[str](), set()
    for number, (name, (step, _)) in enumerate(SHOWN.items()):
        for kind, mutant in mutants(number, {"text": "so", **step}, 80, 1):
            found = compared(outer, mutant)
            assert found != FALSE, (name, kind, mutant)
            kinds.add(kind)
            counts[found] += 1
    assert counts["rejected"] > 300 and counts.total() - counts["rejected"] > 200
    assert kinds == {kind.__name__ for kind in [*KINDS, *OF_CLAIMS]}


# --- the judge of prints ----------------------------------------------------------------------

READ_BACK = {
    "a condition that is not printed": "for all a >= 0: if (a * (a - 1)) >= 0 then (a - 1) >= 0",
    "an excuse for what divides": (
        "for all a >= 0, wherever no denominator is 0: if (a * (a - 1)) >= 0 then (a - 1) >= 0"
    ),
    "no meaning at 0": "for all a: (a / a) = 1",
    "an instance twice": "at each of 2 instances, a in {1, (2 / 2)}: 0 < a",
    "more instances than there are": "at each of 3 instances, a in {1, 2}: 0 < a",
    "the end of a range": "for all -1/2 <= a <= 1: (1 - (2 * a * a)) > 0",
    "no point": "1 < 0 [left = 1, right = a number in [~0, ~1]] and 0 < 1 [left = 0, right = 1]",
}


@pytest.mark.parametrize("name", READ_BACK)
def test_the_judge_finds_where_a_print_is_false(name: str) -> None:
    rule = "every" if name in ("an instance twice", "no point") or "are" in name else "follows"
    line = f"({rule}) {READ_BACK[name]}; each step was checked by itself; and so on"
    assert false_at([], line) is not None


def test_a_print_is_read_back_term_by_term() -> None:
    line = (
        "(follows) for all a, b >= 0, wherever no denominator is 0, where (a ^ 2) != 0 and b != 0: "
        "if (a - (-1/2)) >= 0 and (a / b) >= 0 then max(a, exp((b + 1 + a))) >= 0; "
        "each step was checked by itself; and so on"
    )
    step = said(line)
    assert step is not None and step.partial and not step.values
    assert step.ranges == [("a", "0x0", None), ("b", "0x0", None)]
    assert step.apart == [["!=", ["pow", A, "0x2/0x1"], "0x0/0x1"], ["!=", B, "0x0/0x1"]]
    assert step.conditions == [
        [">=", ["sub", A, "-0x1/0x2"], "0x0/0x1"],
        [">=", ["div", A, B], "0x0/0x1"],
    ]
    assert step.claims == [
        [">=", ["max", A, ["exp", ["add", B, "0x1/0x1", A]]], "0x0/0x1"],
    ]
    # Where b is 0 nothing is said; where a is -1 the condition does not hold.
    assert not is_false([], [["a", "0x1"], ["b", "0x0"]], step)
    assert not is_false([], [["a", "-0x1"], ["b", "0x1"]], step)
    assert said(line.replace("1/2", "~0.5[...]")) is None
