"""The rule ``claim`` against drawn claims: none that is accepted is false at a point of its domain.

The claims are evaluated here, from the file and with Fractions: neither the rule's functions nor
its print are used. FORMAT.md's own example is checked, too.
"""

import json
import operator
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import proofs_check.kernel
from proofs_check.kernel import Accepted, Incomplete, Rejected, check, results
from proofs_check.kernel.rules import LAST, NOTE
from tests.kernel.proof_steps import (
    ANY_B,
    PROBABILITY,
    REST,
    SHOWN,
    UP,
    A,
    B,
    claim,
    finite_pair,
    proved,
)

FORMAT = Path(proofs_check.kernel.__file__).parent / "FORMAT.md"
Json = Any
At = dict[str, Fraction]


# --- what a claim says at a point ------------------------------------------------------------


class NoLawError(Exception):
    """A row that should be a law is none: where the claim speaks it has no meaning."""


OF_TWO: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "max": max,
    "min": min,
}
RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def rows(pair: Json, at: At) -> list[list[Fraction]]:
    found = [[number(x, at) for x in pair[side]] for side in "pq"]
    if any(min(row) < 0 or sum(row) != 1 for row in found):
        raise NoLawError
    return found


def number(term: Json, at: At) -> Fraction:
    """Return the value of a term; dividing by 0 raises ZeroDivisionError."""
    if isinstance(term, str):
        top, _, bottom = term.partition("/")
        return Fraction(int(top, 16), int(bottom or "1", 16))
    if isinstance(term, dict):
        return at[term["ref"]]
    head, *rest = term
    if head == "when":
        # The other part is computed, too: what divides by 0 there is left out by the statement.
        both = [number(x, at) for x in rest[1:]]
        return both[0] if holds(rest[0], at) else both[1]
    if head in ("hockey_stick", "total_variation"):
        p, q = rows(rest[0], at)
        factor = number(rest[1], at) if head == "hockey_stick" else Fraction(1)
        gaps = (x - factor * y for x, y in zip(p, q, strict=True))
        return sum((max(gap, Fraction(0)) for gap in gaps), Fraction(0))
    x, *more = [number(part, at) for part in rest]
    if more:
        return reduce(OF_TWO[head], more, x)
    return {"neg": -x, "abs": abs(x), "positive_part": max(x, Fraction(0))}.get(head, x)


def holds(relation: Json, at: At) -> bool:
    sign, left, right = relation
    return RELATIONS[sign](number(left, at), number(right, at))


def points(step: Json, dice: random.Random, count: int) -> Iterator[At]:
    """Yield points of the domain where its ends, conditions and terms are defined."""
    for _ in range(count):
        at: At = {}
        try:
            for name, *ends in step["variables"]:
                lo, hi = (None if end is None else number(end[1], at) for end in ends)
                far = Fraction(dice.choice((0, 0, 1, 2, 3, 7, 60)), dice.choice((1, 2, 5)))
                if lo is not None and hi is not None:
                    at[name] = lo + (hi - lo) * Fraction(dice.choice((0, 0, 1, 3, 4, 7, 8, 8)), 8)
                elif lo is not None or hi is not None:
                    at[name] = lo + far if lo is not None else (hi or Fraction(0)) - far
                else:
                    at[name] = dice.choice((far, -far))
            bounds = [
                [end[0], {"ref": name}, end[1]]
                for name, *ends in step["variables"]
                for end in ends
                if end is not None
            ]
            if all(holds(x, at) for x in (*bounds, *step["given"])):
                for relation in step["relations"]:
                    holds(relation, at)
                yield at
        except ZeroDivisionError:
            continue


# --- drawn claims ----------------------------------------------------------------------------


def hexadecimal(x: Fraction) -> str:
    return f"{x.numerator:#x}/{x.denominator:#x}"


class Draw:
    """A claim that is drawn, with reasons for it, some of which may be good."""

    def __init__(self, seed: int) -> None:
        self.dice, self.weights = random.Random(seed), list[Json]()
        self.step = self.drawn()

    def constant(self, *choices: int) -> str:
        some = self.dice.choice(choices or (0, 1, 1, 2, 3))
        return hexadecimal(Fraction(some, self.dice.choice((1, 1, 2, 3))))

    def term(self, names: list[str], depth: int) -> Json:
        dice = self.dice
        if depth == 0 or dice.random() < 0.2:
            return {"ref": dice.choice(names)} if names and dice.random() < 0.7 else self.constant()
        one, other = self.term(names, depth - 1), self.term(names, depth - 1)
        head = dice.choice(["add"] * 4 + ["mul"] * 3 + ["sub"] * 2 + ["div", "max", "min", "pos"])
        if head == "pos":
            return dice.choice(
                [
                    ["positive_part", ["sub", one, other]],
                    ["abs", ["sub", one, other]],
                    ["when", [dice.choice(("<", "<=", "=")), one, other], one, other],
                ]
            )
        if head == "div":
            other = ["add", other, dice.choice(("0x1", "0x0"))]
        return [head, one, other]

    def end(self, names: list[str], signs: str) -> Json:
        if self.dice.random() < 0.3:
            return None
        sign = self.dice.choice((signs, signs + "="))
        if self.dice.random() < 0.6:
            return [sign, self.constant(*((0, 0, 1) if signs == ">" else (1, 2, 3)))]
        return [sign, self.term(names, 1)]

    def drawn(self) -> Json:
        dice, names, variables = self.dice, list[str](), list[Json]()
        for name in "abc"[: dice.randint(1, 3)]:
            variables.append([name, self.end(names, ">"), self.end(names, "<")])
            names.append(name)
        given = [
            [dice.choice((">=", ">", "<", "<=", "=")), self.term(names, 1), self.term(names, 1)]
            for _ in range(dice.choice((0, 0, 1, 2)))
        ]
        left, right = self.sides(names, given)
        sign = dice.choice((">=", ">=", ">", "="))
        if sign != "=" and dice.random() < 0.5:
            sign, left, right = sign.replace(">", "<"), right, left
        return {
            "rule": "claim",
            "variables": variables,
            "given": given,
            "relations": [[sign, left, right]],
        }

    def sides(self, names: list[str], given: list[Json]) -> tuple[Json, Json]:
        """Return two terms: of a finite pair, a sum that perhaps is shown, or any two."""
        dice, how = self.dice, self.dice.random()
        x, y = {"ref": dice.choice(names)}, {"ref": dice.choice(names)}
        if how < 0.2:
            pair = finite_pair([x, ["sub", "0x1", x]], [y, ["sub", "0x1", y]])
            stick = ["hockey_stick", pair, self.constant(1, 1, 2)]
            return dice.choice([(self.constant(1), stick), (stick, ["sub", x, y]), (stick, "0x0")])
        if how < 0.7:
            parts = [["mul", self.term(names, 1), self.term(names, 1)], self.constant()]
            for sign, left, right in given:
                gap = ["sub", left, right] if sign[0] == ">" else ["sub", right, left]
                self.weights.append(self.weight(names))
                parts.append(["mul", self.weights[-1], gap])
            wrong = [dice.choice(("0x0", "0x0", "-0x1/0x4"))]
            more = dice.choice([[], parts[:1], parts[:2]])
            return ["add", *parts, *wrong, y], ["add", y, *more]
        return self.term(names, 2), self.term(names, 2)

    def weight(self, names: list[str]) -> Json:
        x = {"ref": self.dice.choice(names)}
        return self.dice.choice(["0x1", "0x2", x, ["add", x, "0x1"], ["div", "0x1", x]])

    def reasons(self) -> Iterator[Json]:
        """Yield reasons: coefficients, what is given, the signs of all parts in order."""
        yield "coefficients"
        if self.weights:
            yield ["sum", [[weight, i] for i, weight in enumerate(self.weights)]]
        yield from ("value", ["rises", "a", "coefficients", "coefficients"])
        count, names = len(self.step["given"]), [name for name, *_ in self.step["variables"]]
        signs = list(dict.fromkeys(map(json.dumps, splits(self.step["relations"]))))[:3]
        for _ in range(4):
            weights = [[self.weight(names), i] for i in range(count + len(signs))]
            some = [x for x in weights if x[1] >= count or self.dice.random() < 0.8]
            leaf = ["sum", some] if some and self.dice.random() < 0.8 else "coefficients"
            three = self.dice.random() < 0.3
            for part in reversed(signs):
                leaf = ["cases", json.loads(part), *[leaf] * (2 + three)]
            yield leaf


def splits(part: Json) -> Iterator[Json]:
    """Yield the terms whose signs say what the parts are that are no rational functions."""
    if isinstance(part, dict) and "p" in part:
        yield from (["sub", p, q] for p, q in zip(part["p"], part["q"], strict=True))
    if isinstance(part, list):
        for inner in part:
            yield from splits(inner)
        if part[0] in ("positive_part", "abs"):
            yield part[1]
        elif part[0] in ("max", "min"):
            yield ["sub", *part[1:]]
        elif part[0] == "when":
            yield ["sub", *part[1][1:]]


COUNT, CHUNKS = 400, 2


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_accepted_claim_is_false_at_a_point_of_its_domain(request: Any, chunk: int) -> None:
    count = COUNT * (20 if request.config.getoption("--deep") else 1)
    found: Counter[str] = Counter()
    for seed in range(chunk, count, CHUNKS):
        draw = Draw(seed)
        accepted = [
            how
            for how in draw.reasons()
            if isinstance(check(proved(draw.step | {"reasons": [how]}), seconds=1), Accepted)
        ]
        domain, false = 0, []
        try:
            for at in points(draw.step, draw.dice, 60):
                domain += 1
                false += [at] if not holds(draw.step["relations"][0], at) else []
        except NoLawError:
            false.append({})
        assert not (accepted and false), (seed, draw.step, accepted[0], false[0])
        sign = draw.step["relations"][0][0]
        found["accepted"] += bool(accepted)
        found["accepted, strict"] += bool(accepted) and sign in "<>"
        found["accepted, equal"] += bool(accepted) and sign == "="
        found["accepted by a sum"] += bool(accepted) and accepted[0][0] == "sum"
        found["accepted by cases"] += bool(accepted) and accepted[0][0] == "cases"
        found["accepted, with points"] += bool(accepted) and domain > 0
        found["refused, false"] += bool(false)
        found["refused, true where tried"] += not accepted and not false
    assert found["accepted, with points"] > 25 and found["refused, false"] > 40, found
    assert found["accepted, strict"] > 5 and found["refused, true where tried"] > 20, found
    assert found["accepted by a sum"] > 1 and found["accepted by cases"] > 0, found
    assert found["accepted, equal"] > 0, found


def test_the_judge_of_claims_by_hand() -> None:
    """A half and a quarter: 3/4 - 2/4 = 1/4 is left of the coin, and 1/4 - 2 * 3/4 < 0."""
    a = {"ref": "a"}
    coin = finite_pair([a, ["sub", "0x1", a]], [["sub", "0x1", a], a])
    at = {"a": Fraction(3, 4)}
    assert number(["hockey_stick", coin, "0x2"], at) == Fraction(1, 4)
    assert number(["total_variation", coin], at) == Fraction(1, 2)
    assert number(["when", ["<", a, "0x1"], ["neg", a], "0x0"], at) == Fraction(-3, 4)
    step = {"variables": [["a", [">", "0x0"], ["<=", "0x1"]]], "given": [], "relations": []}
    values = {at["a"] for at in points(step, random.Random(1), 99)}
    assert max(values) == 1 and 0 < min(values) <= Fraction(1, 8)
    with pytest.raises(NoLawError):
        number(["total_variation", coin], {"a": Fraction(2)})


# --- what is said of the whole, and what is not read -------------------------------------------


def test_a_proof_by_claims_alone_has_its_statement_in_its_last_line() -> None:
    one, other = SHOWN["claim"][0], SHOWN["claim by cases"][0]
    for steps, note, hidden in (
        ([one], LAST, NOTE),
        ([one, other], LAST, NOTE),
        ([SHOWN["identity"][0], one], NOTE, LAST),
        ([one, SHOWN["identity"][0], one], NOTE, LAST),
    ):
        result = check(proved(*steps))
        assert isinstance(result, Accepted), result
        assert note in result.statement and hidden not in result.statement
    holed = json.loads(proved(one))
    holed["conclusion"].append(["hole", "later"])
    assert isinstance(check(json.dumps(holed).encode()), Incomplete)


def test_the_examples_of_the_format_are_accepted() -> None:
    blocks = re.findall(r"```json\n(.*?)```", FORMAT.read_text(encoding="utf-8"), re.DOTALL)
    results = [check(block.encode()) for block in blocks]
    assert len(results) == 2 and all(isinstance(x, Accepted) for x in results), results
    assert "(claim) for all 1/2 <= a <= 1: total_variation(" in results[0].statement


def test_definitions_are_constants_also_those_of_pairs() -> None:
    half = ["define", [["h", "0x1/0x2"], ["D", finite_pair(["0x1", "0x0"], [{"ref": "h"}] * 2)]]]
    stick = ["hockey_stick", {"ref": "D"}, A]
    step = claim(
        ["=", stick, ["sub", "0x1", ["mul", {"ref": "h"}, A]]],
        "coefficients",
        ("a", [">=", "0x0"], ["<=", "0x2"]),
    )
    result = check(proved(step, **dict([half])))
    assert isinstance(result, Accepted), result
    inner = [["E", finite_pair([A, REST], [REST, A])]]
    refused = check(proved(step, define=inner))
    assert isinstance(refused, Rejected) and "a is not defined here" in refused.reason


def test_the_sign_of_a_constant_in_a_case_is_not_kept_for_the_other() -> None:
    """h = max(0, g) is 0, as g = -1/2; in a case that cannot be, g >= 0, it is g."""
    g, h = {"ref": "g"}, {"ref": "h"}
    define = [["g", "-0x1/0x2"], ["h", ["positive_part", g]]]
    cases = ["cases", g, "coefficients", "coefficients"]
    true = claim([">=", h, ["mul", g, ["add", A, "0x1"]]], cases, UP)
    false = claim(["<=", h, g], cases, UP)
    assert isinstance(check(proved(true, define=define)), Accepted)
    assert isinstance(check(proved(false, define=define)), Rejected)


ODD: list[Json] = [None, 7, "0x1", "clearly", [], {}, [[]], ["sum"], ["cases", A], ["sum", {}]]


@pytest.mark.parametrize("part", ["variables", "given", "relations", "reasons"])
def test_what_is_no_claim_is_refused_with_a_reason(part: str) -> None:
    good = SHOWN["claim by a sum"][0]
    for odd in ODD:
        for value in (odd, [odd], [*good[part], odd], [[odd, A, B]], [["a", [odd, odd], odd]]):
            if (part, value) == ("given", []):
                continue  # nothing is given: then it is not shown, below
            result = check(proved(good | {part: value}))
            assert isinstance(result, Rejected), (value, result)
            assert "cannot be checked here" not in result.reason, (value, result)
    numbered = [["sum", [["0x1", odd]]] for odd in (True, "0x0", -1, 1, None, [0])]
    for reason in numbered:
        result = check(proved(good | {"reasons": [reason]}))
        assert isinstance(result, Rejected) and "no such hypothesis" in result.reason


XS = [f"x{i}" for i in range(9)]
FAR = [[f"x{i}", [">=", "0x0"], ["<=", "0x1"]] for i in range(26)]
DEEP: Json = "coefficients"
for _ in range(90):
    DEEP = ["cases", A, DEEP, "coefficients"]
NESTED: Json = A
for _ in range(60):
    NESTED = ["abs", NESTED]
WIDE = ["add", *[["mul", A, f"{i:#x}"] for i in range(9000)]]
LONG = [A, *["0x0"] * 9000]
HOSTILE: dict[str, Json] = {
    "all ends infinite": {
        **claim([">", ["add", *({"ref": x} for x, *_ in FAR)], "-0x1"], "coefficients", *FAR)
    },
    "signs of signs": claim([">=", NESTED, "-0x1"], "coefficients", ("a", [">=", "0x0"], None)),
    "many given": claim(
        ["<=", A, "0x0"], "coefficients", UP, given=[["<=", A, f"{i:#x}"] for i in range(1, 20_000)]
    ),
    "many cases": claim(["<=", WIDE, "0x0"], DEEP, UP),
    "many denominators": claim(
        ["<=", ["add", *[["div", A, ["add", A, f"{i:#x}"]] for i in range(1, 400)]], B],
        "coefficients",
        UP,
        ANY_B,
    ),
    "wide ranges": claim(
        ["<=", A, "-0x1"],
        "coefficients",
        UP,
        *(
            (x, None, ["<=", ["mul", WIDE, ["add", A, *({"ref": y} for y in XS[:i])]]])
            for i, x in enumerate(XS)
        ),
    ),
    "a power": claim([">=", ["pow", ["add", A, B, "0x1"], 999], "0x2"], "coefficients", UP, ANY_B),
    "a long pair": claim(
        [
            "<=",
            ["hockey_stick", finite_pair(LONG, LONG), WIDE],
            "0x2",
        ],
        "coefficients",
        PROBABILITY,
        given=[["=", A, "0x1"]],
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_work_in_claims_ends_with_its_budget(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "STEPS", results.STEPS // 4)
    data = proved(HOSTILE[name])
    start = time.process_time()
    result = check(data, seconds=4)
    assert time.process_time() - start < 1
    assert isinstance(result, Rejected), result
