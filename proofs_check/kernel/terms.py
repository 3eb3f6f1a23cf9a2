"""Reading and computing terms: the operations of the grammar in FORMAT.md.

Reading a part checks its grammar and returns a function that computes its value when called.
So a part that is never computed has been read as strictly as any other. Work is counted by
``Evaluator.spend`` before it is done, and every value passes ``Evaluator.kept``, which limits
its size. Nothing is searched or retried: an undecided comparison is refused.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import comb
from typing import Any, TypeAlias

from . import functions, identity, results, text, values, views
from .results import RefusedError, division_steps, require, steps
from .text import Json
from .values import ONE, RELATIONS, ZERO, Interval, Value, size

Thunk: TypeAlias = Callable[[], Any]
Reader: TypeAlias = "Callable[[Evaluator, Json], Thunk]"


class Evaluator:
    """Reads and computes terms, matrices and pairs, given the definitions so far."""

    def __init__(self, bits: int, seconds: int) -> None:
        """Start with no names and nothing spent."""
        self.bits, self.seconds = bits, seconds
        self.names, self.written = dict[str, tuple[str, Any]](), dict[str, Json]()
        self.notes, self.values = dict[str, None](), list[tuple[str, Value, Value]]()
        self.left, self.binomials = seconds * results.STEPS, dict[int, tuple[int, int]]()

    def spend(self, steps: int) -> None:
        """Count steps, before they are taken."""
        self.left -= steps
        if self.left < 0:
            raise RefusedError(f"more than {self.seconds} seconds of work; allow more (--budget)")

    def kept(self, x: Value) -> Value:
        """Return x, after limiting its size."""
        if not isinstance(x, Interval) and size(x) > results.MAX_BITS:
            raise RefusedError(f"an exact number of more than {results.MAX_BITS} bits")
        return x

    def compared(self, relation: str, x: Value, y: Value) -> bool | None:
        """Return whether a relation certainly holds, after counting the work for it."""
        self.spend(steps(size(x, y)))
        return values.holds(relation, x, y)

    def divided(self, x: Value, y: Value) -> Value:
        """Return x / y, after counting the cost of a division above that of a product."""
        self.spend(division_steps(self.bits) if Interval in (type(x), type(y)) else 20)
        return self.kept(values.divide(x, y))

    def fold(self, operation: Callable[[Value, Value], Value], terms: Sequence[Value]) -> Value:
        """Return the terms combined one after another."""

        def combined(x: Value, y: Value) -> Value:
            self.spend(steps(size(x, y)))
            return self.kept(operation(x, y))

        return reduce(combined, terms)

    def define(self, name: str, value: Json) -> None:
        """Read and compute a definition (of a term, matrix or pair), once, and keep it."""
        require(name not in self.names, f"the name {name} is already defined")
        kind = "matrix" if type(value) is list and value and type(value[0]) is list else "term"
        if isinstance(value, dict):
            kind = self.names.get(str(value["ref"]), (kind,))[0] if "ref" in value else "pair"
        read = {"term": self.term, "matrix": self.matrix, "pair": self.pair}[kind]
        self.names[name], self.written[name] = (kind, read(value)()), value

    def _reference(self, value: Json, wanted: str) -> Thunk:
        target = text.name(text.keys(value, "a reference", "ref")["ref"])
        require(target in self.names, f"{target} is not defined here")
        kind = self.names[target][0]
        require(kind == wanted, f"{target} is a {kind}, not a {wanted}")
        return lambda: self.names[target][1]

    def term(self, value: Json) -> Thunk:
        """Read a term: a number, a reference or an operation."""
        self.spend(20)
        if isinstance(value, str):
            self.spend(text.number_steps(value))
            x = text.number(value)
            return lambda: x
        if isinstance(value, dict):
            return self._reference(value, "term")
        head, *arguments = text.items(value, "a term")
        require(head in tuple(OPERATIONS), lambda: f"unknown operation {text.quoted(head)}")
        function, wanted = OPERATIONS[head]
        readers = (TERM,) * max(1, len(arguments)) if wanted is SEVERAL else wanted
        require(len(arguments) == len(readers), f"{head}: takes {len(readers)} arguments")
        if readers is BINDER:
            return self._sum(arguments)
        parts = [read(self, x) for read, x in zip(readers, arguments, strict=True)]
        if head == "when":
            return lambda: (parts[1] if parts[0]()[0] else parts[2])()

        def value_of() -> Value:
            found = [part() for part in parts]
            self.spend(steps(0 if wanted is SEVERAL else size(*found)))
            return self.kept(function(self, *found))

        return value_of

    def _sum(self, arguments: list[Json]) -> Thunk:
        variable = text.name(arguments[0])
        require(variable not in self.names, f"sum: the name {variable} is already in use")
        first, last = self.integer(arguments[1]), self.integer(arguments[2])
        self.names[variable] = ("term", ZERO)
        body = self.term(arguments[3])
        del self.names[variable]

        def total() -> Value:
            lo, hi = first(), last()
            self.spend(20 * max(0, hi - lo))
            result: Value = ZERO
            for r in range(lo, hi + 1):
                self.names[variable] = ("term", Fraction(r))
                result = self.fold(operator.add, [result, body()])
            self.names.pop(variable, None)
            return result

        return total

    def integer(self, value: Json) -> Thunk:
        """Read an index, count or exponent: a JSON integer, or a term that is an integer."""
        if type(value) is int:
            return lambda: value
        part = self.term(value)

        def exact() -> int:
            x = part()
            n, d = x.as_integer_ratio() if isinstance(x, Fraction) else (0, 0)
            good = d == 1 and n.bit_length() <= 64
            require(good, lambda: f"{text.shown_value(x)} must be an exact integer of <= 64 bits")
            return int(n)

        return exact

    def side(self, value: Json) -> Thunk:
        """Read "p" or "q"."""
        require(value in ("p", "q"), lambda: f"{text.quoted(value)} must be 'p' or 'q'")
        return lambda: value

    def outcome(self, value: Json) -> Thunk:
        """Read an outcome: an index, or a list of counts (only operations begin with a name)."""
        if isinstance(value, list) and not (value and value[0] in tuple(OPERATIONS)):
            counts = [self.integer(count) for count in text.items(value, "an outcome")]

            def listed() -> list[int]:
                self.spend(len(counts))
                return [count() for count in counts]

            return listed
        return self.integer(value)

    def event(self, value: Json) -> Thunk:
        """Read a list of outcomes, perhaps empty."""
        require(isinstance(value, list), "an event is a list of outcomes")
        outcomes = [self.outcome(x) for x in value]
        return lambda: [outcome() for outcome in outcomes]

    def relation(self, value: Json) -> Thunk:
        """Read a relation; computed, it is whether it certainly holds, left and right."""
        self.spend(40)
        head, *sides = text.items(value, "a relation")
        require(head in RELATIONS and len(sides) == 2, f"not a relation: {text.quoted(head)}")
        left, right = self.term(sides[0]), self.term(sides[1])

        def decided() -> tuple[bool, Value, Value]:
            x, y = left(), right()
            answer = self.compared(str(head), x, y)
            if answer is None:
                about = f"left = {text.shown_value(x)}, right = {text.shown_value(y)}"
                raise RefusedError(f"undecided: {about}; more precision_bits may help (not for =)")
            return answer, x, y

        return decided

    def confirm(self, value: Json) -> str:
        """Return a relation that certainly holds, printed with both values; refuse a false one."""
        answer, left, right = self.relation(value)()
        x, y = text.shown_value(left), text.shown_value(right)
        require(answer, f"left = {x}, but the relation needs left {value[0]} {y}")
        self.values.append((value[0], left, right))
        return f"{text.shortened(text.shown(value)[1:-1])} [left = {x}, right = {y}]"

    def law(self, value: Json, what: str) -> Thunk:
        """Read a list of masses; computed, they are certainly nonnegative and sum to 1."""
        parts = [self.term(x) for x in text.items(value, what)]

        def masses() -> list[Value]:
            row = [part() for part in parts]
            bad = [i for i, x in enumerate(row) if not self.compared(">=", x, ZERO)]
            require(not bad, f"{what}: mass {bad[:1]} is not certainly nonnegative")
            total = self.fold(operator.add, row)
            good = self.compared("!=", total, ONE) is not True
            require(good, lambda: f"{what}: the masses sum to {text.shown_value(total)}, not 1")
            # An interval cannot be seen to be 1: the terms must sum to 1 as they are written.
            one = type(total) is Fraction or identity.sums_to_one(value, self.written, self.spend)
            require(one, f"{what}: the masses do not sum to 1 identically; write one as the rest")
            return row

        return masses

    def matrix(self, value: Json, what: str = "matrix") -> Thunk:
        """Read a matrix of laws: rows are inputs, columns are messages."""
        if isinstance(value, dict):
            return self._reference(value, "matrix")
        lists = text.items(value, "a matrix")
        rows = [self.law(row, f"{what}, row {i}") for i, row in enumerate(lists)]
        require(len(set(map(len, lists))) == 1, f"{what}: the rows must have equal lengths")
        return lambda: [row() for row in rows]

    def pair(self, value: Json) -> Thunk:
        """Read a pair of laws: a finite pair, a shuffled view or a reference."""
        kind = value.get("kind") if isinstance(value, dict) else None
        if isinstance(value, dict) and "ref" in value:
            return self._reference(value, "pair")
        if kind == "shuffle":
            return self._shuffle(value)
        require(kind == "finite_pair", f"{text.quoted(kind)} is not a kind of pair")
        parts = text.keys(value, "finite_pair", "kind p q")
        rows = self.matrix([parts["p"], parts["q"]], "finite_pair")
        return lambda: views.finite_pair(rows(), self.bits, self.spend)

    def _shuffle(self, value: Json) -> Thunk:
        parts = text.keys(value, "shuffle", "kind randomizers victim others", "merge")
        randomizers, others = parts["randomizers"], parts["others"]
        good = isinstance(randomizers, dict) and randomizers and isinstance(others, list)
        require(good, "shuffle: randomizers must be an object, not empty, and others a list")
        named = {text.name(key): self.matrix(x) for key, x in randomizers.items()}
        victim = text.keys(parts["victim"], "victim", "randomizer inputs")
        inputs = text.items(victim["inputs"], "victim, inputs", count=2)
        victims = [{"randomizer": victim["randomizer"], "input": x, "count": 1} for x in inputs]
        users = []
        for entry in victims + others:
            user = text.keys(entry, "others", "randomizer input count")
            who = text.name(user["randomizer"])
            require(who in named, f"shuffle: there is no randomizer {who}")
            users.append((who, self.integer(user["input"]), self.integer(user["count"])))
        merge = text.items(parts["merge"], "merge") if "merge" in parts else []
        blocks = [text.items(block, "a class of messages") for block in merge]
        if merge:
            self.notes["a view is merged: its divergences are at most those of the whole"] = None
        require(all(type(y) is int for x in blocks for y in x), "merge: a column is not an index")

        def view() -> views.Pair:
            matrices = {key: matrix() for key, matrix in named.items()}
            width, *more = {len(matrix[0]) for matrix in matrices.values()}
            classes = blocks or [[column] for column in range(width)]
            require(not more, "shuffle: all randomizers must have the same messages")
            columns = sorted(column for block in classes for column in block)
            good = columns == list(range(width))
            require(good, f"merge: messages 0 to {width - 1} must each be in exactly one class")
            rows = []
            self.spend(5 * width * (1 + len(users)))
            for randomizer, number, count in users:
                row, copies = _item(matrices[randomizer], number(), "row"), count()
                require(copies >= 0, f"others: the count {copies} is negative")
                merged = [self.fold(operator.add, [row[y] for y in block]) for block in classes]
                rows.append((merged, copies))
            return views.shuffle_view(rows, self.bits, self.spend, self.left)

        return view


def _item(line: Sequence[Any], i: int, what: str) -> Any:
    require(0 <= i < len(line), f"{i} is not a {what} of a matrix of {len(line)} {what}s")
    return line[i]


def _ldp_ratio(k: Evaluator, matrix: Sequence[Sequence[Value]]) -> Value:
    """Return the largest matrix[i][y] / matrix[j][y]; a column of exact zeros is skipped."""
    k.spend(20 * len(matrix[0]) * (1 + len(matrix)))
    columns = [column for column in zip(*matrix, strict=True) if any(x != 0 for x in column)]
    ratios = (k.divided(_maximum(k, *x), _minimum(k, *x)) for x in columns)
    return _maximum(k, ONE, *ratios)


def _maximum(k: Evaluator, *terms: Value) -> Value:
    return k.fold(lambda x, y: values.maximum(x, y, k.bits), terms)


def _minimum(k: Evaluator, *terms: Value) -> Value:
    return -_maximum(k, *(-x for x in terms))


def _pow(k: Evaluator, x: Value, n: int) -> Value:
    long = 0 if isinstance(x, Interval) or x in (ZERO, ONE, -ONE) else size(x) * abs(n)
    require(long <= results.MAX_BITS, f"pow: the exponent {n} is too large")
    squarings = 4 * n.bit_length() if isinstance(x, Interval) else 1
    k.spend(steps(long) + squarings * steps(4 * (k.bits + 2 * n.bit_length() + 4)))
    return k.divided(ONE, x**-n) if n < 0 else x**n if n else ONE


def _binomial(k: Evaluator, a: int, b: int) -> Value:
    if not 0 <= b <= a:
        return ZERO
    c = min(b, a - b)
    k.spend(c * a.bit_length() // 12 + c * c // 4000 + steps(min(a, c * a.bit_length())))
    n, found = k.binomials.pop(a, (0, 1))
    # In a sum each is near the one before, and (n + 1) C(a, n + 1) = (a - n) C(a, n).
    if abs(b - n) > 2:
        n, found = b, comb(a, b)
    while n < b:
        n, found = n + 1, found * (a - n) // (n + 1)
    while n > b:
        n, found = n - 1, found * n // (a - n + 1)
    if len(k.binomials) > 9:
        k.binomials.clear()  # few are kept
    k.binomials[a] = n, found
    return Fraction(found)


TERM, INDEX, PAIR, MATRIX = Evaluator.term, Evaluator.integer, Evaluator.pair, Evaluator.matrix
SIDE, OUTCOME, EVENT = Evaluator.side, Evaluator.outcome, Evaluator.event
BINDER, SEVERAL = (TERM, INDEX, INDEX, TERM), None
# Each operation: its function, and the readers of its arguments.
OPERATIONS: Mapping[str, tuple[Callable[..., Value], tuple[Reader, ...] | None]] = {
    "add": (lambda k, *x: k.fold(operator.add, x), SEVERAL),
    "mul": (lambda k, *x: k.fold(values.multiply, x), SEVERAL),
    "max": (_maximum, SEVERAL),
    "min": (_minimum, SEVERAL),
    "sub": (lambda k, x, y: x - y, (TERM, TERM)),
    "div": (Evaluator.divided, (TERM, TERM)),
    "neg": (lambda k, x: -x, (TERM,)),
    "abs": (lambda k, x: abs(x), (TERM,)),
    "positive_part": (lambda k, x: values.maximum(x, ZERO, k.bits), (TERM,)),
    "pow": (_pow, (TERM, INDEX)),
    "binomial": (_binomial, (INDEX, INDEX)),
    "sum": (operator.add, BINDER),
    "when": (max, (Evaluator.relation, TERM, TERM)),
    "exp": (lambda k, x: functions.exp(x, k.bits, k.spend), (TERM,)),
    "log": (lambda k, x: functions.log(x, k.bits, k.spend), (TERM,)),
    "cos": (lambda k, x: functions.cos(x, k.bits, k.spend), (TERM,)),
    "sqrt": (lambda k, x: functions.sqrt(x, k.bits, k.spend), (TERM,)),
    "pi": (lambda k: functions.pi(k.bits, k.spend), ()),
    "normal_cdf": (lambda k, x: functions.normal_cdf(x, k.bits, k.spend), (TERM,)),
    "hockey_stick": (lambda k, pair, x: pair.hockey_stick(x, k.spend), (PAIR, TERM)),
    "total_variation": (lambda k, pair: pair.total_variation(k.spend), (PAIR,)),
    "mass": (lambda k, v, side, x: v.probability(side, [x], k.spend), (PAIR, SIDE, OUTCOME)),
    "event": (lambda k, v, side, x: v.probability(side, x, k.spend), (PAIR, SIDE, EVENT)),
    "ldp_ratio": (_ldp_ratio, (MATRIX,)),
    "entry": (lambda k, m, i, j: _item(_item(m, i, "row"), j, "column"), (MATRIX, INDEX, INDEX)),
    "row_sum": (lambda k, m, i: k.fold(operator.add, _item(m, i, "row")), (MATRIX, INDEX)),
}
# The operations on laws, whose first argument is a pair or a matrix.
OF_LAWS = [x for x, (_, to) in OPERATIONS.items() if to and to[0] in (PAIR, MATRIX)]
