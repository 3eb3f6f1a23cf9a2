"""A second evaluator of certificates, written from FORMAT.md, with python-flint.

It judges what the kernel answers and shares no code or method with it: values are ``fmpq`` or
balls of 1,500 bits (the certificate's precision is ignored), a view is built user by user as
counts, and definitions are unfolded by name. It is lenient where only the kernel must be
strict: limits, and whether a row sums to 1 identically (here: to 400 digits).
"""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from fractions import Fraction
from functools import reduce
from typing import Any

from flint import arb, ctx, fmpq

BITS = 1500
MOST_STEPS = 60_000
NUMBER = re.compile(r"-?0x[0-9a-fA-F]+(/0x[0-9a-fA-F]+)?")
NAME = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)
Number = Any  # fmpq or arb


class Judgment(Enum):
    """The judgment on a certificate's statement: true, false, undefined or unknown.

    Incomplete: what it states is true, and it has a hole.
    """

    TRUE = "true"
    INCOMPLETE = "incomplete"
    FALSE = "false"
    UNDEFINED = "undefined"
    OPEN = "open"


class UndefinedError(Exception):
    """The certificate has no meaning."""


class OpenError(Exception):
    """Too close, or too large, for this evaluator."""


def demand(condition: object) -> None:
    if not condition:
        raise UndefinedError


@contextmanager
def precision() -> Iterator[None]:
    before, ctx.prec = ctx.prec, BITS
    try:
        yield
    finally:
        ctx.prec = before


def judged(certificate: dict[str, Any], *, most_steps: int = MOST_STEPS) -> Judgment:
    """Return whether all that a certificate states is true; OPEN beyond so many steps."""
    with precision():
        try:
            world = World(most_steps)
            for name, value in certificate.get("define", []):
                demand(NAME.fullmatch(name) and name not in world.names)
                world.names[name] = world.object(value)
            relations = certificate.get("hypotheses", []) + certificate["conclusion"]
            holes = [x for x in certificate["conclusion"] if x[0] == "hole"]
            relations = [x for x in relations if x not in holes]
            answers = [world.relation(relation) for relation in relations]
        except OpenError:
            return Judgment.OPEN
        except (UndefinedError, ArithmeticError, LookupError, TypeError, ValueError):
            return Judgment.UNDEFINED
    if not all(answers):
        return Judgment.FALSE
    return Judgment.INCOMPLETE if holes else Judgment.TRUE


def value_of(define: list[Any], term: Any) -> tuple[bool, Fraction] | Judgment:
    """Return a term's exact value, or False and a fraction that is just below it."""
    try:
        with precision():
            world = World(MOST_STEPS)
            for name, value in define:
                world.names[name] = world.object(value)
            found = world.number(term)
            if isinstance(found, fmpq):
                return True, Fraction(int(found.p), int(found.q))
            below = (found * 2**20).floor().unique_fmpz()
            return Judgment.OPEN if below is None else (False, Fraction(int(below), 2**20))
    except OpenError:
        return Judgment.OPEN
    except (UndefinedError, ArithmeticError, LookupError, TypeError, ValueError):
        return Judgment.UNDEFINED


def ball(x: Number) -> arb:
    return x if isinstance(x, arb) else arb(x)


def sign(x: Number) -> int:
    """Return the sign of x, if it is certain."""
    if isinstance(x, fmpq):
        return (x > 0) - (x < 0)
    if x > 0 or x < 0:
        return 1 if x > 0 else -1
    raise OpenError


def plus(x: Number, y: Number) -> Number:
    return x + y if isinstance(x, fmpq) and isinstance(y, fmpq) else ball(x) + ball(y)


def times(x: Number, y: Number) -> Number:
    if (isinstance(x, fmpq) and x == 0) or (isinstance(y, fmpq) and y == 0):
        return fmpq(0)
    return x * y if isinstance(x, fmpq) and isinstance(y, fmpq) else ball(x) * ball(y)


def over(x: Number, y: Number) -> Number:
    demand(sign(y))
    return times(x, 1 / y)


def larger(x: Number, y: Number) -> Number:
    if isinstance(x, fmpq) and isinstance(y, fmpq):
        return max(x, y)
    if ball(x) >= ball(y):
        return x
    return y if ball(x) <= ball(y) else ball(x).max(ball(y))


def power(x: Number, n: int) -> Number:
    if n == 0:
        return fmpq(1)
    if isinstance(x, fmpq) and abs(n) * (x.p.bit_length() + x.q.bit_length()) > 3_000_000:
        raise OpenError
    return over(fmpq(1), x**-n) if n < 0 else x**n


def root(x: Number) -> Number:
    if isinstance(x, fmpq):
        demand(x >= 0)
        p, q = (math.isqrt(int(part)) for part in (x.p, x.q))
        if p * p == x.p and q * q == x.q:
            return fmpq(p, q)
    elif not x >= 0:
        demand(not x < 0)
        raise OpenError
    return ball(x).sqrt()


def logarithm(x: Number) -> Number:
    demand(sign(x) > 0)
    return fmpq(0) if isinstance(x, fmpq) and x == 1 else ball(x).log()


def cosine(x: Number) -> Number:
    return fmpq(1) if isinstance(x, fmpq) and x == 0 else ball(x).cos()


def exponential(x: Number) -> Number:
    return fmpq(1) if isinstance(x, fmpq) and x == 0 else ball(x).exp()


def normal(x: Number) -> Number:
    exact = isinstance(x, fmpq) and x == 0
    return fmpq(1, 2) if exact else (-ball(x) / arb(2).sqrt()).erfc() / 2


def smaller(x: Number, y: Number) -> Number:
    return -larger(-x, -y)


FOLDS: dict[str, Callable[[Number, Number], Number]] = {
    "add": plus,
    "mul": times,
    "max": larger,
    "min": smaller,
}
FUNCTIONS: dict[str, tuple[int, Callable[..., Number]]] = {
    "sub": (2, lambda x, y: plus(x, -y)),
    "div": (2, over),
    "neg": (1, lambda x: -x),
    "abs": (1, abs),
    "positive_part": (1, lambda x: larger(x, fmpq(0))),
    "exp": (1, exponential),
    "log": (1, logarithm),
    "cos": (1, cosine),
    "sqrt": (1, root),
    "normal_cdf": (1, normal),
    "pi": (0, arb.pi),
}
SIGNS: dict[str, Callable[[int], bool]] = {
    "<": lambda s: s < 0,
    "<=": lambda s: s <= 0,
    "=": lambda s: s == 0,
    "!=": lambda s: s != 0,
    ">=": lambda s: s >= 0,
    ">": lambda s: s > 0,
}
OF_LAWS = ("hockey_stick", "total_variation", "mass", "event", "ldp_ratio", "entry", "row_sum")


class World:
    """The names so far, and the steps left."""

    def __init__(self, steps: int) -> None:
        self.names: dict[str, Any] = {}
        self.left = steps

    def step(self, count: int = 1) -> None:
        self.left -= count
        if self.left < 0:
            raise OpenError

    def object(self, value: Any) -> Any:
        """Return a number, a tuple of rows, or a pair of dictionaries."""
        if isinstance(value, dict) and "ref" in value:
            demand(value.keys() == {"ref"})
            return self.names[value["ref"]]
        if isinstance(value, dict):
            return self.pair(value)
        if isinstance(value, list) and isinstance(value[0], list):
            return self.matrix(value)
        return self.number(value)

    def number(self, value: Any) -> Number:
        self.step()
        if isinstance(value, str):
            demand(NUMBER.fullmatch(value))
            top, _, bottom = value.partition("/")
            return fmpq(int(top, 16), int(bottom or "0x1", 16))
        if isinstance(value, dict):
            found = self.object(value)
            demand(isinstance(found, fmpq | arb))
            return found
        head, *rest = value
        if head in FOLDS:
            return reduce(FOLDS[head], [self.number(x) for x in rest])
        if head in FUNCTIONS:
            count, function = FUNCTIONS[head]
            demand(len(rest) == count)
            return function(*[self.number(x) for x in rest])
        demand(head in ("pow", "binomial", "sum", "when", *OF_LAWS))
        return getattr(self, head)(*rest)

    def whole(self, value: Any) -> int:
        if type(value) is int:
            return value
        x = self.number(value)
        demand(isinstance(x, fmpq) and x.q == 1)
        return int(x.p)

    def pow(self, x: Any, n: Any) -> Number:
        return power(self.number(x), self.whole(n))

    def binomial(self, a: Any, b: Any) -> Number:
        n, k = self.whole(a), self.whole(b)
        if not 0 <= k <= n:
            return fmpq(0)
        self.step(min(k, n - k) // 10)
        return fmpq(math.comb(n, k))

    def sum(self, name: str, first: Any, last: Any, body: Any) -> Number:
        demand(NAME.fullmatch(name) and name not in self.names)
        lo, hi, total = self.whole(first), self.whole(last), fmpq(0)
        self.step(max(0, hi - lo))
        for i in range(lo, hi + 1):
            self.names[name] = fmpq(i)
            total = plus(total, self.number(body))
        self.names.pop(name, None)
        return total

    def when(self, relation: Any, then: Any, otherwise: Any) -> Number:
        return self.number(then if self.relation(relation) else otherwise)

    def relation(self, value: Any) -> bool:
        symbol, left, right = value
        demand(symbol in SIGNS)
        gap = plus(self.number(left), -self.number(right))
        return SIGNS[symbol](sign(gap))

    def matrix(self, value: Any) -> tuple[tuple[Number, ...], ...]:
        if isinstance(value, dict):
            found = self.object(value)
            demand(isinstance(found, tuple) and isinstance(found[0], tuple))
            return found
        rows = tuple(self.row(row) for row in value)
        demand(len(set(map(len, rows))) == 1)
        return rows

    def row(self, value: list[Any]) -> tuple[Number, ...]:
        row = tuple(self.number(x) for x in value)
        demand(row and not any(x < 0 for x in row))
        total = reduce(plus, row)
        # 400 digits beyond the point tell a law from what is none, or this evaluator does not.
        demand(total == 1 if isinstance(total, fmpq) else total.contains(1))
        if isinstance(total, arb) and total.rad() > arb(2) ** -1300:
            raise OpenError
        return row

    def pair(self, value: dict[str, Any]) -> Any:
        if "ref" in value:
            found = self.object(value)
            demand(isinstance(found, list))
            return found
        if value["kind"] == "finite_pair":
            demand(value.keys() == {"kind", "p", "q"})
            p, q = self.matrix([value["p"], value["q"]])
            return [dict(enumerate(p)), dict(enumerate(q))]
        demand(value["kind"] == "shuffle")
        demand(value.keys() - {"merge"} == {"kind", "randomizers", "victim", "others"})
        matrices = {name: self.matrix(m) for name, m in value["randomizers"].items()}
        (width,) = {len(m[0]) for m in matrices.values()}
        classes = value.get("merge", [[y] for y in range(width)])
        demand(sorted(y for block in classes for y in block) == list(range(width)))
        demand(all(classes))

        def sent(who: str, number: Any) -> list[Number]:
            i = self.whole(number)
            demand(i >= 0)
            row = matrices[who][i]
            return [reduce(plus, [row[y] for y in block]) for block in classes]

        law: dict[tuple[int, ...], Number] = {(0,) * len(classes): fmpq(1)}
        for group in value["others"]:
            demand(group.keys() == {"randomizer", "input", "count"})
            weights, count = sent(group["randomizer"], group["input"]), self.whole(group["count"])
            demand(count >= 0)
            self.step(count)
            for _ in range(count):
                law = self.joined(law, weights)
        victim = value["victim"]
        demand(victim.keys() == {"randomizer", "inputs"} and len(victim["inputs"]) == 2)
        return [self.joined(law, sent(victim["randomizer"], x)) for x in victim["inputs"]]

    def joined(self, law: dict[Any, Number], weights: list[Number]) -> dict[Any, Number]:
        """Return the counts when one more user sends a message."""
        self.step(len(law) * len(weights))
        more: dict[Any, Number] = {}
        for counts, mass in law.items():
            for y, weight in enumerate(weights):
                key = (*counts[:y], counts[y] + 1, *counts[y + 1 :])
                more[key] = plus(more.get(key, fmpq(0)), times(mass, weight))
        return more

    def hockey_stick(self, pair: Any, factor: Any) -> Number:
        p, q = self.pair(pair)
        e = self.number(factor)
        demand(not e < 0)
        return reduce(plus, [larger(plus(p[x], -times(e, q[x])), fmpq(0)) for x in p])

    def total_variation(self, pair: Any) -> Number:
        p, q = self.pair(pair)
        return reduce(plus, [abs(plus(p[x], -q[x])) for x in p]) / 2

    def mass(self, pair: Any, side: str, outcome: Any) -> Number:
        return self.event(pair, side, [outcome])

    def event(self, pair: Any, side: str, outcomes: list[Any]) -> Number:
        law = self.pair(pair)[("p", "q").index(side)]
        found = [self.outcome(x) for x in outcomes]
        demand(len(set(found)) == len(found))
        return reduce(plus, [law[x] for x in found], fmpq(0))

    def outcome(self, value: Any) -> Any:
        if isinstance(value, list) and not isinstance(value[0], str):
            return tuple(self.whole(count) for count in value)
        if isinstance(value, list) and NUMBER.fullmatch(value[0]):
            return tuple(self.whole(count) for count in value)
        return self.whole(value)

    def ldp_ratio(self, matrix: Any) -> Number:
        ratios = [fmpq(1)]
        for column in zip(*self.matrix(matrix), strict=True):
            if any(not isinstance(x, fmpq) or x != 0 for x in column):
                ratios.append(over(reduce(larger, column), reduce(smaller, column)))
        return reduce(larger, ratios)

    def entry(self, matrix: Any, i: Any, j: Any) -> Number:
        row, column = self.whole(i), self.whole(j)
        demand(min(row, column) >= 0)
        return self.matrix(matrix)[row][column]

    def row_sum(self, matrix: Any, i: Any) -> Number:
        row = self.whole(i)
        demand(row >= 0)
        return reduce(plus, self.matrix(matrix)[row])
