"""A second judge of proof steps, and changed steps: it only looks for points where a step is false.

It shares nothing with the rules: a step is a statement about all points, so at random rational
points its conditions and claims become relations between numbers, which the second evaluator
decides. Finding nothing proves nothing; finding a point where an accepted step is false would
be the end of its rule.
"""

import copy
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from tests.kernel.second_checker import Judgment, judged

Json = Any
VALUES = [Fraction(n, d) for n in range(-6, 13) for d in (1, 2, 5)]


def written(x: Fraction) -> str:
    return f"{hex(x.numerator)}/{hex(x.denominator)}"


def points(step: Json, generator: random.Random, count: int) -> Iterator[list[list[Json]]]:
    """Yield values of the variables that the step speaks of, as definitions."""
    if step["rule"] == "every":
        names = [name for name, _ in step["variables"]]
        for instance in product(*(values for _, values in step["variables"])):
            yield [list(pair) for pair in zip(names, instance, strict=True)]
        return
    for _ in range(count):
        point = []
        for entry in step["variables"]:
            name, lo, hi = entry if isinstance(entry, list) else (entry, None, None)
            if step["rule"] == "follows":
                lo = "0x0"
            least, most = (None if x is None else read(x) for x in (lo, hi))
            if least is not None and most is not None:
                value = least + (most - least) * Fraction(generator.randrange(9), 8)
            else:
                value = generator.choice(VALUES)
                value = value if least is None else least + abs(value)
            point.append([name, written(value)])
        yield point


def read(text: str) -> Fraction:
    top, _, bottom = text.partition("/")
    return Fraction(int(top, 16), int(bottom or "1", 16))


def said(step: Json) -> tuple[list[Json], list[Json]]:
    """Return the conditions of a step, and what it claims where they hold."""
    match step["rule"]:
        case "identity":
            return [], [["=", *sides] for sides in step["equal"]]
        case "follows":
            met = [[">=", slack, "0x0"] for _, slack in step["sum"]]
            return met, [[">=", step["conclusion"], "0x0"]]
        case "nonnegative":
            return [], [[">=", term, "0x0"] for term, _ in step["terms"]]
        case "orders":
            return step["given"], [[">=", term, "0x0"] for term in step["terms"]]
        case _:
            return [], step["relations"]


def false_at(document: Json, step: Json, *, seed: int = 1, count: int = 12) -> Json:
    """Return a point where a step is certainly false; None if none was found."""
    conditions, claims = said(step)
    for point in points(step, random.Random(seed), count):
        here = {"define": [*document.get("define", []), *point]}
        if conditions and judged({**here, "conclusion": conditions}) is not Judgment.TRUE:
            continue
        for claim in claims:
            if judged({**here, "conclusion": [claim]}) is Judgment.FALSE:
                return point
    return None


def places(part: Json, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all parts of a step but its rule and its text."""
    yield at
    if isinstance(part, dict | list):
        for key in part if isinstance(part, dict) else range(len(part)):
            if key not in ("rule", "text"):
                yield from places(part[key], (*at, key))


def changed(step: Json, generator: random.Random) -> Json:
    """Return a step with one part changed: a number, two parts exchanged, one left out, a sign."""
    step = copy.deepcopy(step)
    *above, last = generator.choice([at for at in places(step) if at])
    holder = step
    for key in above:
        holder = holder[key]
    part = holder[last]
    if isinstance(part, str) and part.lstrip("-").startswith("0x"):
        x = read(part)
        new = [x + 1, x - 1, -x, x * 2, x + Fraction(1, 1000)]
        holder[last] = written(generator.choice(new))
    elif isinstance(part, str) and part in ("add", "sub", "mul", "div", "max", "min"):
        holder[last] = generator.choice(("add", "sub", "mul", "div", "max", "min"))
    elif isinstance(part, str) and part in ("rises", "falls", "value", "coefficients"):
        holder[last] = generator.choice(("rises", "falls", "value", "coefficients"))
    elif isinstance(part, int):
        holder[last] = part + generator.choice((-1, 1))
    elif isinstance(part, list) and len(part) > 1 and generator.random() < 0.5:
        one, other = generator.sample(range(len(part)), 2)
        part[one], part[other] = part[other], part[one]
    elif isinstance(part, list) and part and generator.random() < 0.5:
        part.pop(generator.randrange(len(part)))
    elif isinstance(part, dict | list) and isinstance(holder, list):
        holder[last] = generator.choice((["neg", part], "0x0", "0x1", ["add", part, "0x1/0x64"]))
    return step
