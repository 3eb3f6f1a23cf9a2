"""A second judge of proof steps: it only looks for points where a step is false, as it is printed.

It shares nothing with the rules: an accepted step is a statement about all points, so at random
rational points, many of them on the border, its conditions and claims become relations between
numbers, which the second evaluator decides. Finding nothing proves nothing; finding a point where
an accepted step is false would be the end of its rule.
"""

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from itertools import islice, product
from operator import mul
from typing import Any

from tests.kernel.printed import Said, said
from tests.kernel.second_checker import Judgment, judged, value_of

Json = Any
Point = list[list[Json]]
VALUES = [Fraction(n, d) for n in range(-6, 13) for d in (1, 2, 5)]
MOST_INSTANCES = 200


def written(x: Fraction) -> str:
    return f"{hex(x.numerator)}/{hex(x.denominator)}"


def value(text: str) -> Fraction:
    top, _, bottom = text.partition("/")
    return Fraction(int(top, 16), int(bottom or "1", 16))


def end(define: list[Json], point: Point, term: Json) -> Fraction:
    """Return the value of an end of a range, 0 if it has none: then it is no point anyway."""
    if isinstance(term, str):
        return value(term)
    found = value_of([*define, *point], term)
    return found[1] if isinstance(found, tuple) else Fraction(0)


def drawn(lo: Fraction | None, hi: Fraction | None, dice: random.Random) -> Fraction:
    """Return a value in a range; often an end, or 0."""
    if lo is None and hi is None:
        return dice.choice((Fraction(0), dice.choice(VALUES), dice.choice(VALUES)))
    if lo is None or hi is None:
        far = abs(dice.choice(VALUES)) if dice.random() < 0.7 else Fraction(0)
        return (hi or Fraction(0)) - far if lo is None else lo + far
    return lo + (hi - lo) * Fraction(dice.choice((0, 8, *range(9))), 8)


def points(define: list[Json], step: Said, dice: random.Random, count: int) -> Iterator[Point]:
    """Yield values of the variables that a step speaks of, as definitions."""
    if not step.ranges:
        # Listed instances, at random if there are too many; or none: then one point, of nothing.
        names = [name for name, _ in step.values]
        lists = [values for _, values in step.values]
        size = reduce(mul, map(len, lists), 1)
        every = product(*lists)
        some = ([dice.choice(values) for values in lists] for _ in range(MOST_INSTANCES))
        for instance in every if size <= MOST_INSTANCES else some:
            yield [list(pair) for pair in zip(names, instance, strict=True)]
        return
    for i in range(count + 1):
        point: Point = []
        for name, lo, hi in step.ranges:
            ends = [None if x is None else end(define, point, x) for x in (lo, hi)]
            x = drawn(*ends, dice) if i else ends[0] if lo is not None else ends[1]
            point.append([name, written(x or Fraction(0))])
        yield point


def at(define: list[Json], point: Point, relation: Json) -> Judgment:
    return judged({"define": [*define, *point], "conclusion": [relation]})


def is_false(define: list[Json], point: Point, step: Said) -> bool:
    """Return whether a step is certainly false at a point, or means nothing where it should."""
    for apart in step.apart:
        if at(define, point, apart) is not Judgment.TRUE:
            return False
    for condition in step.conditions:
        judgment = at(define, point, condition)
        if judgment is Judgment.UNDEFINED:
            return not step.partial
        if judgment is not Judgment.TRUE:
            return False
    wrong = {Judgment.FALSE} if step.partial else {Judgment.FALSE, Judgment.UNDEFINED}
    return any(at(define, point, claim) in wrong for claim in step.claims)


def repeats(define: list[Json], step: Said) -> bool:
    """Return whether an instance is counted twice, or the count is another."""
    for _, values in step.values:
        for i, x in enumerate(values[:30]):
            if any(at(define, [], ["=", x, y]) is Judgment.TRUE for y in values[:i]):
                return True
    return reduce(mul, (len(values) for _, values in step.values), 1) != step.instances


def false_at(define: list[Json], statement: str, *, seed: int = 1, count: int = 12) -> Json:
    """Return a point where a printed step is certainly false; None if none was found.

    Nor is one if a part of the print is left out: then the print says so.
    """
    step = said(statement)
    return None if step is None else false_in(define, step, seed=seed, count=count)


def false_in(define: list[Json], step: Said, *, seed: int = 1, count: int = 12) -> Json:
    """Return a point where what a step says is certainly false; None if none was found."""
    if repeats(define, step):
        return "an instance is counted twice"
    found = points(define, step, random.Random(seed), count)
    return next((x for x in islice(found, 1000) if is_false(define, x, step)), None)
