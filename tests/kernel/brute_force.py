"""Decide small certificates by other means: mpmath, and enumeration of every message.

Nothing here shares code with the kernel. Values are Fractions where possible, else mpmath
numbers of 100 digits. No relation is called true between two numbers, not both exact, whose
relative distance is below 10**-60.
"""

import itertools
import json
import math
from collections import Counter
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import mpmath

CONTEXT = mpmath.mp.clone()
CONTEXT.dps = 100
CLOSE = CONTEXT.mpf(10) ** -60
SIGNS = dict(zip(("<", "<=", "=", "!=", ">=", ">"), (lt, le, eq, ne, ge, gt), strict=True))
LAWS: dict[str, tuple[dict[Any, Any], dict[Any, Any]]] = {}


def real(x: Any) -> Any:
    if isinstance(x, Fraction | int):
        return CONTEXT.mpf(Fraction(x).numerator) / Fraction(x).denominator
    return x


def related(relation: str, x: Any, y: Any) -> bool:
    exact = isinstance(x, Fraction | int) and isinstance(y, Fraction | int)
    gap = x - y if exact else real(x) - real(y)
    if not exact and abs(gap) <= CLOSE * max(abs(real(x)), abs(real(y))):
        return False
    return bool(SIGNS[relation](gap, 0))


def arithmetic(operation: str, x: Any, y: Any) -> Any:
    if not (isinstance(x, Fraction | int) and isinstance(y, Fraction | int)):
        x, y = real(x), real(y)
    return x + y if operation == "add" else x * y


class WrongError(Exception):
    """The certificate has no meaning."""


class World:
    """Evaluates terms; definitions are unfolded at every use."""

    def __init__(self, definitions: list[Any]) -> None:
        self.names = dict(definitions)

    def number(self, t: Any, bound: dict[str, int] | None = None) -> Any:
        bound = bound or {}
        if isinstance(t, int):
            return Fraction(t)
        if isinstance(t, str):
            top, _, bottom = t.partition("/")
            return Fraction(int(top, 16), int(bottom, 16) if bottom else 1)
        if isinstance(t, dict):
            name = t["ref"]
            return Fraction(bound[name]) if name in bound else self.number(self.names[name])
        head, *rest = t
        if head == "sum":
            lo, hi = int(self.number(rest[1], bound)), int(self.number(rest[2], bound))
            values = [self.number(rest[3], {**bound, rest[0]: r}) for r in range(lo, hi + 1)]
            return self.plain("add", values)
        if head == "when":
            relation, a, b = rest[0]
            chosen = related(relation, self.number(a, bound), self.number(b, bound))
            return self.number(rest[1] if chosen else rest[2], bound)
        if head in ("hockey_stick", "total_variation", "mass", "event"):
            return self.divergence(head, rest)
        if head in ("ldp_ratio", "entry", "row_sum"):
            return self.of_matrix(head, rest)
        return self.plain(head, [self.number(x, bound) for x in rest])

    def plain(self, head: str, x: list[Any]) -> Any:
        if head in ("add", "mul"):
            total: Any = Fraction(head == "mul")
            for y in x:
                total = arithmetic(head, total, y)
            return total
        if head == "sub":
            return arithmetic("add", x[0], -x[1])
        if head == "div":
            exact = all(isinstance(y, Fraction) for y in x)
            return x[0] / x[1] if exact else real(x[0]) / real(x[1])
        if head in ("binomial", "pow") and x[-1].denominator != 1:
            raise WrongError
        if head == "binomial":
            return Fraction(math.comb(int(x[0]), int(x[1])))
        if head == "pow":
            return x[0] ** int(x[1])
        if head == "sqrt" and isinstance(x[0], Fraction) and x[0] >= 0:
            root = Fraction(math.isqrt(x[0].numerator), math.isqrt(x[0].denominator))
            if root * root == x[0]:
                return root
        functions = {"exp": CONTEXT.exp, "log": CONTEXT.log}
        functions |= {"normal_cdf": CONTEXT.ncdf, "sqrt": CONTEXT.sqrt}
        if head == "pi":
            return +CONTEXT.pi
        if head in functions:
            value = functions[head](real(x[0]))
            if isinstance(value, mpmath.mpc) or not CONTEXT.isfinite(value):
                raise WrongError
            return value
        others = {"max": max, "min": min, "neg": lambda y: -y[0], "abs": lambda y: abs(y[0])}
        return max(x[0], Fraction(0)) if head == "positive_part" else others[head](x)  # type: ignore[operator]

    def matrix(self, m: Any) -> list[list[Any]]:
        if isinstance(m, dict):
            return self.matrix(self.names[m["ref"]])
        rows = [[self.number(x) for x in row] for row in m]
        for row in rows:
            self.law(row)
        return rows

    def law(self, row: list[Any]) -> None:
        total = self.plain("add", row)
        if min(real(x) for x in row) < 0 or abs(real(total) - 1) > CLOSE:
            raise WrongError

    def of_matrix(self, head: str, rest: list[Any]) -> Any:
        m = self.matrix(rest[0])
        if head == "ldp_ratio":
            ratios = [self.plain("div", [a, b]) for c in zip(*m, strict=True) for a in c for b in c]
            return max(ratios, key=real)
        index = [int(self.number(x)) for x in rest[1:]]
        if min(index) < 0:
            raise WrongError
        return m[index[0]][index[1]] if head == "entry" else self.plain("add", m[index[0]])

    def pair(self, t: Any) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """Return both laws, outcome by outcome; once for every certificate that has them."""
        key = json.dumps([list(self.names.items()), t])
        if key not in LAWS:
            LAWS[key] = self.laws(t)
        return LAWS[key]

    def laws(self, t: Any) -> tuple[dict[Any, Any], dict[Any, Any]]:
        if "ref" in t:
            return self.pair(self.names[t["ref"]])
        if t["kind"] == "finite_pair":
            sides = [[self.number(x) for x in t[side]] for side in ("p", "q")]
            for side in sides:
                self.law(side)
            if len(sides[0]) != len(sides[1]):
                raise WrongError
            return dict(enumerate(sides[0])), dict(enumerate(sides[1]))
        matrices = {name: self.matrix(m) for name, m in t["randomizers"].items()}

        def row(randomizer: str, i: int) -> list[Any]:
            if i < 0:
                raise WrongError
            return matrices[randomizer][i]

        others = [row(g["randomizer"], g["input"]) for g in t["others"] for _ in range(g["count"])]
        width = len(next(iter(matrices.values()))[0])
        classes = t.get("merge", [[y] for y in range(width)])
        if sorted(itertools.chain(*classes)) != list(range(width)):
            raise WrongError
        which = {y: c for c, block in enumerate(classes) for y in block}
        laws = []
        for i in t["victim"]["inputs"]:
            law: Counter[tuple[int, ...]] = Counter()
            sent: list[tuple[tuple[int, ...], Any]] = [((), Fraction(1))]
            for r in [row(t["victim"]["randomizer"], i), *others]:
                sent = [
                    ((*messages, y), arithmetic("mul", mass, r[y]))
                    for messages, mass in sent
                    for y in range(width)
                ]
            for messages, mass in sent:
                counts = Counter(which[y] for y in messages)
                key = tuple(counts[c] for c in range(len(classes)))
                law[key] = arithmetic("add", law[key], mass)
            laws.append(dict(law))
        return laws[0], laws[1]

    def divergence(self, head: str, rest: list[Any]) -> Any:
        p, q = self.pair(rest[0])
        if head in ("mass", "event"):
            outcomes = [rest[2]] if head == "mass" else rest[2]
            keys = [tuple(x) if isinstance(x, list) else x for x in outcomes]
            if len(set(keys)) < len(keys):
                raise WrongError
            return self.plain("add", [(p if rest[1] == "p" else q)[key] for key in keys])
        if head == "total_variation":
            return sum(abs(p[x] - q[x]) for x in p) / 2
        factor = self.number(rest[1])
        if real(factor) < 0:
            raise WrongError
        gaps = [arithmetic("add", p[x], -arithmetic("mul", factor, q[x])) for x in p]
        return self.plain("add", [x for x in gaps if x > 0])


def is_true(certificate: dict[str, Any]) -> bool:
    """Return whether everything the certificate states is certainly true."""
    world = World(certificate.get("define", []))
    try:
        for _, what in certificate.get("define", []):
            if isinstance(what, list) and isinstance(what[0], list):
                world.matrix(what)
        relations = certificate.get("hypotheses", []) + certificate["conclusion"]
        return all(related(r, world.number(a), world.number(b)) for r, a, b in relations)
    except (WrongError, ArithmeticError, KeyError, IndexError, ValueError):
        return False
