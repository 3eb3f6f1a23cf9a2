"""The value of every term: one small function for each operation of the grammar.

Each operation pays the budget before it runs, and every exact result is limited in size.
Nothing is searched or retried: an undecided comparison is refused.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import comb, factorial, isqrt
from typing import TypeAlias

from . import functions
from .parse import OPERATORS, Node, Part
from .results import (
    MAX_BINOMIAL,
    MAX_BITS,
    MAX_FACTORIAL,
    MAX_INTEGER_BITS,
    MAX_POWER,
    MAX_RANGE,
    Budget,
    FalseRelationError,
    MalformedError,
    TooLargeError,
    UndecidedError,
    UndefinedError,
)
from .text import shown_value
from .values import Interval, Value, absolute, add, div, holds, maximum, minimum, mul, neg, power
from .views import (
    ExactPair,
    Group,
    Matrix,
    Pair,
    checked_masses,
    event,
    finite_pair,
    hockey_stick,
    intervals_of,
    merged,
    shuffle_view,
    total_variation,
)

Thing: TypeAlias = Value | Matrix | Pair
Arithmetic: TypeAlias = Callable[[Value, Value, int], Value]
ZERO, UNITY = Fraction(0), Fraction(1)

INTERVAL_SUMS = "assuming that masses known only as intervals sum to exactly 1"
MERGED_VIEW = (
    "some view is merged: a post-processing, so its divergences are at most those of the whole view"
)


def _size(x: object) -> int:
    if isinstance(x, Fraction):
        return x.numerator.bit_length() + x.denominator.bit_length()
    return 0


def _limited(x: Value) -> Value:
    if _size(x) > MAX_BITS:
        raise TooLargeError(f"an exact number of {_size(x)} bits; the limit is {MAX_BITS}")
    return x


def _combined(budget: Budget, operation: Arithmetic, values: Iterable[Value]) -> Value:
    result: Value | None = None
    for x in values:
        # Reducing a fraction takes quadratic time.
        budget.spend(8 + budget.bits // 100 + ((_size(result) + _size(x)) // 700) ** 2)
        result = x if result is None else _limited(operation(result, x, budget.bits))
    if result is None:
        return UNITY if operation is mul else ZERO
    return result


def _several(operation: Arithmetic) -> Callable[..., Value]:
    return lambda budget, *values: _combined(budget, operation, values)


def _pow(budget: Budget, x: Value, n: int) -> Value:
    if abs(n) > MAX_POWER or (_size(x) > 2 and _size(x) * abs(n) > MAX_BITS):
        raise TooLargeError(f"pow: the exponent {n if abs(n) < 10**9 else 'given'} is too large")
    budget.spend(50 + budget.bits // 2 + (_size(x) * abs(n) // 700) ** 2)
    return power(x, n, budget.bits)


def _binomial(budget: Budget, a: int, b: int) -> Value:
    if not 0 <= b <= a:
        return ZERO
    if a > MAX_BINOMIAL:
        raise TooLargeError(f"binomial: the limit is {MAX_BINOMIAL}")
    budget.spend(1 + min(b, a - b) * (a.bit_length() + min(b, a - b) // 20_000))
    return Fraction(comb(a, b))


def _factorial(budget: Budget, a: int) -> Value:
    if not 0 <= a <= MAX_FACTORIAL:
        raise TooLargeError(f"factorial: the argument must be from 0 to {MAX_FACTORIAL}")
    budget.spend(1 + a)
    return Fraction(factorial(a))


def _special(function: Callable[[Value, int], Value], weight: int) -> Callable[..., Value]:
    def apply(budget: Budget, x: Value) -> Value:
        budget.spend(weight * (200 + budget.bits * isqrt(budget.bits) // 20))
        return function(x, budget.bits)

    return apply


def _pi(budget: Budget) -> Value:
    budget.spend(100 + budget.bits**2 // 3000)
    return functions.pi(budget.bits)


def _normal_cdf(budget: Budget, x: Value) -> Value:
    budget.spend(2000 + budget.bits**2 // 15)
    return functions.normal_cdf(x, budget.bits)


def _event(budget: Budget, pair: Pair, side: str, outcomes: list[int | list[int]]) -> Value:
    return event(pair, side, [pair.space.outcome(x) for x in outcomes], budget)


def _mass(budget: Budget, pair: Pair, side: str, outcome: int | list[int]) -> Value:
    return _event(budget, pair, side, [outcome])


def _renyi_power(budget: Budget, pair: Pair, alpha: int) -> Value:
    """Return the sum of P**alpha * Q**(1 - alpha) over the outcomes with P > 0."""
    if not 2 <= alpha <= MAX_POWER:
        raise UndefinedError(f"renyi_power: the order must be an integer from 2 to {MAX_POWER}")
    exact = isinstance(pair, ExactPair)
    if isinstance(pair, ExactPair):
        d, bits = pair.denominator, budget.bits
        if d.bit_length() * alpha > MAX_BITS:
            raise TooLargeError("renyi_power: the order is too large for these masses")
        p: Mapping[int, Value] = {k: Fraction(m, d) for k, m in pair.p.items() if m}
        q: Mapping[int, Value] = {k: Fraction(m, d) for k, m in pair.q.items() if m}
    else:
        p, q = intervals_of(pair, budget.bits)
        bits = budget.bits
    for key in p:
        if key not in q:
            raise UndefinedError("renyi_power: an outcome has P > 0 and Q = 0")
    budget.spend(len(p) * (20 + alpha.bit_length() * 10 * (not exact)))
    parts = (mul(power(x, alpha, bits), power(q[k], 1 - alpha, bits), bits) for k, x in p.items())
    return _combined(budget, add, parts)


def _ldp_ratio(budget: Budget, matrix: Matrix) -> Value:
    """Return the largest matrix[i][y] / matrix[j][y]; a column of exact zeros is skipped."""
    result: Value = UNITY
    for y, column in enumerate(zip(*matrix, strict=True)):
        if all(x == 0 for x in column):
            continue
        if any(x == 0 for x in column):
            raise UndefinedError(f"ldp_ratio: column {y} has both a zero and a positive entry")
        top, bottom = _combined(budget, maximum, column), _combined(budget, minimum, column)
        ratio = _combined(budget, div, (top, bottom))
        result = _combined(budget, maximum, (result, ratio))
    return result


def _row(matrix: Matrix, i: int) -> tuple[Value, ...]:
    if not 0 <= i < len(matrix):
        raise MalformedError(f"{i} is not a row of a matrix of {len(matrix)} rows")
    return matrix[i]


def _entry(budget: Budget, matrix: Matrix, i: int, j: int) -> Value:
    row = _row(matrix, i)
    if not 0 <= j < len(row):
        raise MalformedError(f"{j} is not a column of a matrix of {len(row)} columns")
    return row[j]


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "add": _several(add),
    "mul": _several(mul),
    "max": _several(maximum),
    "min": _several(minimum),
    "sub": lambda budget, x, y: _combined(budget, add, (x, neg(y))),
    "div": lambda budget, x, y: _combined(budget, div, (x, y)),
    "neg": lambda budget, x: neg(x),
    "abs": lambda budget, x: absolute(x, budget.bits),
    "positive_part": lambda budget, x: maximum(x, ZERO, budget.bits),
    "pow": _pow,
    "binomial": _binomial,
    "factorial": _factorial,
    "exp": _special(functions.exp, 1),
    "log": _special(functions.log, 4),
    "sqrt": _special(functions.sqrt, 1),
    "pi": _pi,
    "cos": _special(functions.cos, 1),
    "normal_cdf": _normal_cdf,
    "hockey_stick": lambda budget, pair, factor: hockey_stick(pair, factor, budget),
    "total_variation": lambda budget, pair: total_variation(pair, budget),
    "mass": _mass,
    "event": _event,
    "renyi_power": _renyi_power,
    "ldp_ratio": _ldp_ratio,
    "entry": _entry,
    "row_sum": lambda budget, matrix, i: _combined(budget, add, _row(matrix, i)),
}


class Evaluator:
    """Computes terms, matrices and pairs, given the definitions so far."""

    def __init__(self, budget: Budget) -> None:
        """Start with no definitions."""
        self.budget = budget
        self.terms: dict[str, Value] = {}
        self.matrices: dict[str, Matrix] = {}
        self.pairs: dict[str, Pair] = {}
        self.notes: dict[str, None] = {}

    def define(self, kind: str, name: str, node: Node) -> None:
        """Compute a definition once and keep it."""
        if kind == "term":
            self.terms[name] = self.term(node)
        elif kind == "matrix":
            self.matrices[name] = self.matrix(node)
        else:
            self.pairs[name] = self.pair(node)

    def term(self, node: Part) -> Value:
        """Return the value of a term."""
        if not isinstance(node, Node):
            raise MalformedError("a term was expected")
        kind, parts = node.kind, node.parts
        self.budget.spend(2)
        if kind == "number" and isinstance(parts[0], Fraction):
            return _limited(parts[0])
        if kind == "ref":
            return self.terms[str(parts[0])]
        if kind in ("sum", "product"):
            return self._bound(kind, parts)
        if kind == "when":
            decided, left, right = self.decided(parts[0])
            if decided is None:
                raise UndecidedError(f"when: {_both(left, right)}: which case holds is undecided")
            return self.term(parts[1] if decided else parts[2])
        kinds = OPERATORS[kind]
        if kinds == ("terms",):
            kinds = ("term",) * len(parts)
        arguments = [self._argument(k, x) for k, x in zip(kinds, parts, strict=True)]
        return _limited(FUNCTIONS[kind](self.budget, *arguments))

    def _argument(self, kind: str, part: Part) -> object:
        if kind == "term":
            return self.term(part)
        if kind == "integer":
            return self.integer(part)
        if kind == "pair":
            return self.pair(part)
        if kind == "matrix":
            return self.matrix(part)
        if kind == "outcome":
            return self._outcome(part)
        if kind == "outcomes" and isinstance(part, tuple):
            return [self._outcome(x) for x in part]
        return part

    def _outcome(self, part: Part) -> int | list[int]:
        return [self.integer(x) for x in part] if isinstance(part, tuple) else self.integer(part)

    def _bound(self, kind: str, parts: tuple[Part, ...]) -> Value:
        variable, lo, hi = str(parts[0]), self.integer(parts[1]), self.integer(parts[2])
        if hi - lo >= MAX_RANGE:
            raise TooLargeError(f"{kind}: more than {MAX_RANGE} terms")

        def values() -> Iterable[Value]:
            for r in range(lo, hi + 1):
                self.terms[variable] = Fraction(r)
                yield self.term(parts[3])

        result = _combined(self.budget, mul if kind == "product" else add, values())
        self.terms.pop(variable, None)
        return result

    def integer(self, part: Part) -> int:
        """Return the exact integer that an index or exponent stands for."""
        if isinstance(part, int):
            return part
        x = self.term(part)
        if not isinstance(x, Fraction) or x.denominator != 1:
            raise MalformedError(f"{shown_value(x)} must be an exact integer")
        if x.numerator.bit_length() > MAX_INTEGER_BITS:
            raise TooLargeError(f"an index or exponent of more than {MAX_INTEGER_BITS} bits")
        return x.numerator

    def decided(self, part: Part) -> tuple[bool | None, Value, Value]:
        """Return whether a relation certainly holds, with both sides."""
        if not isinstance(part, Node):
            raise MalformedError("a relation was expected")
        left, right = self.term(part.parts[0]), self.term(part.parts[1])
        return holds(part.kind, left, right), left, right

    def confirm(self, relation: Node) -> tuple[Value, Value]:
        """Return both sides of a relation that certainly holds; refuse any other."""
        decided, left, right = self.decided(relation)
        if decided is None:
            exactness = relation.kind == "="
            advice = (
                "not decided: an interval is never known to be equal"
                if exactness
                else "undecided: the enclosures overlap; more precision_bits may help"
            )
            raise UndecidedError(
                f"{_both(left, right)}, at precision_bits={self.budget.bits}: {advice}"
            )
        if not decided:
            raise FalseRelationError(
                f"left = {shown_value(left)}, but the relation needs left {relation.kind} "
                f"{shown_value(right)}"
            )
        return left, right

    def _checked(self, masses: tuple[Value, ...], what: str) -> tuple[Value, ...]:
        checked_masses(masses, what, self.budget)
        self._note_sums(masses)
        return masses

    def _note_sums(self, masses: tuple[Value, ...]) -> None:
        if any(isinstance(x, Interval) for x in masses):
            self.notes[INTERVAL_SUMS] = None

    def _row(self, part: Part) -> tuple[Value, ...]:
        return tuple(self.term(x) for x in _parts(part))

    def matrix(self, part: Part) -> Matrix:
        """Return a matrix whose rows have been checked to be laws."""
        if isinstance(part, Node) and part.kind == "ref":
            return self.matrices[str(part.parts[0])]
        rows = part.parts if isinstance(part, Node) else ()
        return tuple(
            self._checked(self._row(row), f"matrix, row {i}") for i, row in enumerate(rows)
        )

    def pair(self, part: Part) -> Pair:
        """Return a pair of laws."""
        if not isinstance(part, Node):
            raise MalformedError("a pair was expected")
        if part.kind == "ref":
            return self.pairs[str(part.parts[0])]
        if part.kind == "shuffle":
            return self._shuffle(part.parts)
        p, q = (self._row(side) for side in part.parts)
        self._note_sums(p + q)
        return finite_pair(p, q, self.budget)

    def _shuffle(self, parts: tuple[Part, ...]) -> Pair:
        named, victim, others, merge = (_parts(part) for part in parts)
        matrices = {str(r): self.matrix(m) for r, m in (_parts(x) for x in named)}
        widths = {len(row) for matrix in matrices.values() for row in matrix}
        if len(widths) != 1:
            raise MalformedError("shuffle: all randomizers must have the same messages")
        (width,) = widths
        blocks = [[self.integer(column) for column in _parts(block)] for block in merge]
        columns = sorted(column for block in blocks for column in block)
        if merge and columns != list(range(width)):
            raise MalformedError(
                f"merge: every message from 0 to {width - 1} must be in exactly one class"
            )
        if merge:
            self.notes[MERGED_VIEW] = None
        blocks = blocks or [[column] for column in range(width)]

        def row(randomizer: Part, number: Part) -> tuple[Value, ...]:
            if str(randomizer) not in matrices:
                raise MalformedError(f"shuffle: there is no randomizer {randomizer}")
            return merged(
                _row(matrices[str(randomizer)], self.integer(number)), blocks, self.budget.bits
            )

        groups = []
        for randomizer, number, count in (_parts(x) for x in others):
            copies = self.integer(count)
            if copies < 0:
                raise MalformedError(f"others: the count {copies} is negative")
            groups.append(Group(row(randomizer, number), copies))
        first, second = row(victim[0], victim[1]), row(victim[0], victim[2])
        return shuffle_view((first, second), groups, self.budget)


def _parts(part: Part) -> tuple[Part, ...]:
    return part if isinstance(part, tuple) else (part,)


def _both(left: Value, right: Value) -> str:
    return f"left = {shown_value(left)} and right = {shown_value(right)}"
