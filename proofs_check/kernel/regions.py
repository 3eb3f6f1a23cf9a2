"""Terms on a region: real numbers in ranges that meet hypotheses.

Each variable is replaced by a function of a variable t >= 0 that runs over its range, whose
ends are functions of the variables before it (signs.py); then signs of coefficients decide. A
part that is not rational (``max``, a divergence of a finite pair, ...) is read as a rational one
that equals it wherever the hypotheses hold; the signs that this needs must be shown.

At a largest value t is infinite. A rational term that is defined there is continuous there, and
all t that are infinite may tend to it as one number s. So what is at least 0 for all t is at
least 0 there, too, and an identity is one.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import TypeAlias

from . import text
from .identity import Function, exponent_of
from .results import RefusedError, require
from .signs import Rational, denominators, one_sign, opposite
from .terms import Evaluator
from .text import Json

# A hypothesis: a term is =, >= or > 0; and its function, if it is rational as it is written.
Fact: TypeAlias = tuple[str, Json, Function | None]
DENIED = {"<": ">=", "<=": ">", "!=": "="}
OF_ORDER = ("max", "min", "abs", "positive_part", "when")
OF_LAWS = ("hockey_stick", "total_variation", "mass", "event", "entry", "row_sum")
PIECES = (*OF_ORDER, *OF_LAWS)


@dataclass(frozen=True)
class Ranges:
    """The term that stands for each variable, and the ends of ranges.

    ``above`` are the variables with t > 0, ``closed`` those whose t can be infinite; ``box`` has
    the ends as they are written, and ``apart`` the denominators that are printed.
    """

    replaced: dict[str, Function] = field(default_factory=dict)
    above: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    box: list[Json] = field(default_factory=list)
    apart: set[str] = field(default_factory=set)


class Region(Rational):
    """Reads terms as the rational functions that they are on a region."""

    def __init__(self, k: Evaluator, ranges: Ranges, facts: Sequence[Fact]) -> None:
        """Start with the term for each variable; definitions are read anew."""
        super().__init__(k, [])
        k.spend(10 * len(ranges.replaced) + len(facts))
        self.known |= ranges.replaced
        self.k, self.ranges, self.facts = k, ranges, facts

    def add(self, name: str, least: Json, most: Json) -> str:
        """Add a variable with its range, and return it in words."""
        lo, hi = self._end(least, (">=", ">")), self._end(most, ("<=", "<"))
        is_open, is_closed = least and least[0] == ">", most and most[0] == "<="
        if lo and hi:
            gap = self.plus(lo, opposite(hi))
            empty = self.shows(">" if is_closed and not is_open else ">=", gap)
            require(not empty, f"{name}: the range is empty")
        self.known[name] = self.ranges.replaced[name] = self.between(name, lo, hi)
        if is_open if least else most and not is_closed:
            self.ranges.above.add(name)
        if lo and is_closed:
            self.ranges.closed.add(name)
        self.ranges.box.append([name, *(end and end[1] for end in (least, most))])
        after = f" {most[0]} {text.shown(most[1])}" if most else ""
        if not least:
            return name + (after or " in R")
        if not most:
            return f"{name} {least[0]} {text.shown(least[1])}"
        return f"{text.shown(least[1])} {'<' if is_open else '<='} {name}{after}"

    def _end(self, value: Json, signs: Sequence[str]) -> Function | None:
        if value is None:
            return None
        sign, term = text.items(value, "an end", count=2)
        require(sign in signs, lambda: f"{text.quoted(sign)} is not {' or '.join(signs)}")
        self.k.term(term)
        return self.of(term)

    def of(self, part: Json) -> Function:
        """Return a term as a function."""
        if not isinstance(part, list) or part[0] not in PIECES:
            return super().of(part)
        self.spend(50 * len(part))
        head, *rest = part
        return self.of((self._chosen if head in OF_ORDER else self._summed)(head, *rest))

    def _chosen(self, head: str, first: Json, *rest: Json) -> Json:
        """Return the argument that a maximum, an absolute value, ... is on the region."""
        if head == "when":
            return rest[0] if self._is_met(*first) else rest[1]
        if head in ("max", "min"):
            up = head == "max"
            return reduce(lambda x, y: x if self._is_up(["sub", x, y]) is up else y, rest, first)
        if self._is_up(first):
            return first
        return ["neg", first] if head == "abs" else "0x0"

    def _summed(self, head: str, laws: Json, *rest: Json) -> Json:
        """Return an operation on laws as a sum."""
        rows = self._laws(laws)
        if head == "hockey_stick":
            require(self.shows(">=", self.of(rest[0])), "the factor is not shown to be >= 0")
            gaps = (["sub", p, ["mul", rest[0], q]] for p, q in zip(*rows, strict=True))
            return ["add", *(["positive_part", gap] for gap in gaps)]
        if head == "total_variation":
            gaps = (["abs", ["sub", p, q]] for p, q in zip(*rows, strict=True))
            return ["mul", "0x1/0x2", ["add", *gaps]]
        row = rows["pq".index(rest[0])] if head in ("mass", "event") else _at(rows, rest[0])
        if head == "row_sum":
            return "0x1"
        places = [_at(range(len(row)), i) for i in (rest[1] if head == "event" else [rest[1]])]
        require(len({*places}) == len(places), "event: an outcome is repeated")
        return ["add", "0x0", *(row[i] for i in places)]

    def _laws(self, value: Json) -> Sequence[Sequence[Json]]:
        """Return the rows of a finite pair or a matrix; each must be shown to be a law."""
        while isinstance(value, dict) and "ref" in value:
            value = self.written[value["ref"]]
        if isinstance(value, dict):
            require(value["kind"] == "finite_pair", "only a finite_pair is read here")
            value = [value["p"], value["q"]]
        rows: Sequence[Sequence[Json]] = value
        for row in rows:
            for x in row:
                if not self.shows(">=", self.of(x)):
                    raise RefusedError(f"{text.shown(x)[:99]} is not shown to be >= 0")
            total = self.of(["sub", ["add", *row], "0x1"])
            require(self.shows("=", total), "the masses of a row are not shown to sum to 1")
        return rows

    def _is_up(self, term: Json) -> bool:
        """Return whether a term is shown to be >= 0; else it must be shown to be <= 0."""
        function = self.of(term)
        up = self.shows(">=", function)
        shown = up or self.shows(">=", opposite(function))
        require(shown, lambda: f"the sign of {text.shown(term)[:99]} is not shown; use cases")
        return up

    def _is_met(self, sign: str, left: Json, right: Json) -> bool:
        """Return whether a relation is shown to hold; else its negation must be shown."""
        if sign in DENIED:
            return not self._is_met(DENIED[sign], left, right)
        gap = self.of(["sub", left, right])
        less = opposite(gap)
        met = self.shows(sign, gap)
        denied = self.shows(">=" if sign == ">" else ">", less)
        denied = denied or (sign == "=" and self.shows(">", gap))
        relation = text.shown([sign, left, right])
        require(met or denied, lambda: f"whether {relation[:99]} is not shown; use cases")
        return met

    def shows(self, sign: str, function: Function) -> bool:
        """Return whether ``function sign 0`` by coefficients, or by a hypothesis."""
        if sign == "=":
            good = not function[0]
        else:
            good = self._is_above(function) if sign == ">" else one_sign(function)
        return good or any(self._gives(fact, sign, function) for fact in self.facts)

    def _gives(self, fact: Fact, sign: str, function: Function) -> bool:
        """Return whether a function is that of a hypothesis, but for a constant factor."""
        given, _, other = fact
        self.spend(20)
        if sign not in (given, ">=") or not other or not other[0] or not function[0]:
            return False
        x, y = self.times(function[0], other[1]), self.times(other[0], function[1])
        first = next(iter(x))
        self.spend(30 * len(y))
        factor = Fraction(x[first]) / y.get(first, -x[first])
        return (factor > 0 or given == "=") and x == {m: factor * c for m, c in y.items()}

    def _is_above(self, function: Function) -> bool:
        """Return whether a function is above 0 in the ranges, wherever it is defined.

        For each set of variables that may be infinite, all as large as s, the numerator must
        have a monomial of no less degree in s than the denominator, whose other variables are
        above 0. No coefficient has the other sign: so the numerator is at least c s^n, c > 0,
        and the denominator at most C s^n for s >= 1, and the limit is not 0.
        """
        top, bottom = function
        if not one_sign(function) or not top:
            return False
        ends = sorted(self.ranges.closed & {x for m in (*top, *bottom) for x, _ in m})
        self.spend(sum(20 + 9 * len(m) for m in (*top, *bottom)) << len(ends))
        for some in (x for n in range(len(ends) + 1) for x in combinations(ends, n)):
            most = max(sum(n for x, n in m if x in some) for m in bottom)
            positive = self.ranges.above.union(some)
            if not any(
                sum(n for x, n in m if x in some) >= most and all(x in positive for x, _ in m)
                for m in top
            ):
                return False
        return True

    def defined(self, term: Json) -> Function:
        """Return a term that is not printed: it must be defined wherever the printed ones are."""
        self.k.term(term)
        for part in denominators(term):
            written = json.dumps(part)
            self.spend(len(written) // 9)
            function = self.of(part)
            good = written in self.ranges.apart or self.shows(">", function)
            if not good and not self.shows(">", opposite(function)):
                raise RefusedError(f"{text.shown(part)[:99]} is perhaps 0")
        return self.of(term)


def _at(line: Sequence[Json], index: Json) -> Json:
    i = exponent_of(index) if isinstance(index, str | int) else None
    if i is None or not 0 <= i < len(line):
        raise RefusedError("an index is not a whole number that is written, or too large")
    return line[i]
