"""The rules of proofs: each checks a step, and returns its result in words.

A rule decides a statement about all real values of its variables, or about all instances of a
listed finite domain. What a writer found (multipliers, a tree of cuts and slopes) is data that
is checked here; nothing is searched. FORMAT.md states the rules.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from fractions import Fraction
from functools import cmp_to_key, partial, reduce
from itertools import product
from typing import Any

from . import text
from .identity import exponent_of
from .results import RefusedError, require, steps
from .signs import Box, Rational, above, below, denominators, equal, one_sign, read
from .terms import Evaluator
from .text import Json
from .values import ONE, ZERO, Interval, Value, enclose, size


@contextmanager
def scope(k: Evaluator, names: Sequence[str]) -> Iterator[None]:
    """Make variables known while terms are read and computed."""
    k.spend(9 * len(names))
    taken = [x for x, count in Counter(names).items() if count > 1 or x in k.names]
    require(not taken, f"the name {taken[:1]} is already in use")
    k.names.update(dict.fromkeys(names, ("term", ZERO)))
    try:
        yield
    finally:
        for x in names:
            k.names.pop(x, None)


def _variables(value: Json) -> list[str]:
    return [text.name(x) for x in text.items(value, "variables")]


def for_all(names: Sequence[str], what: str, *terms: Json) -> str:
    """Return "for all ...", and where the terms are meant, if they divide."""
    defined = ", wherever no denominator is 0" if any(True for _ in denominators(*terms)) else ""
    return f"for all {text.shortened(', '.join(names))}{what}{defined}"


def identity(k: Evaluator, variables: Json, equations: Json) -> str:
    """Both sides are the same rational function."""
    names, shown = _variables(variables), []
    with scope(k, names):
        function = partial(read, k, Rational(k, names))
        for i, pair in enumerate(text.items(equations, "equal")):
            sides = text.items(pair, "an equation", count=2)
            left, right = map(function, sides)
            one, other = map(text.shown, sides)
            require(one != other, f"equation {i}: a term is compared with itself")
            require(equal(k, left, right), f"equation {i}: the two sides differ")
            shown.append(f"{text.shortened(one)} = {text.shortened(other)}")
    return f"{for_all(names, '', *equations)}: {' and '.join(shown)}"


def follows(k: Evaluator, variables: Json, conclusion: Json, parts: Json) -> str:
    """The conclusion is the sum of multipliers >= 0 times hypotheses."""
    names, given, unseen = _variables(variables), list[Json](), list[Json]()
    with scope(k, names):
        functions = Rational(k, names)
        function, terms = partial(read, k, functions), []
        wanted = function(conclusion)
        for i, pair in enumerate(text.items(parts, "sum")):
            multiplier, slack = text.items(pair, "a product", count=2)
            weight, one = function(multiplier), function(slack)
            require(one_sign(weight), f"multiplier {i}: coefficients of both signs")
            terms.append(functions.multiplied(weight, one))
            power = isinstance(slack, list) and slack[0] == "pow"
            square = power and (exponent_of(slack[2]) or 1) % 2 == 0
            hypothesis = not square and not one_sign(one)
            (given if hypothesis else unseen).append(slack)
            unseen.append(multiplier)
            if hypothesis:
                require(not equal(k, wanted, one), "the conclusion is one of the hypotheses")
                require(not below(one), f"slack {i}: a hypothesis that is below 0 everywhere")
        total = reduce(functions.plus, terms)
        require(equal(k, wanted, total), "the sum of the products is not the conclusion")
        # What is not printed must not divide by what can be 0: where it does, this is printed.
        apart = [x for x in denominators(*unseen) if not above(functions.of(x))]
    head = for_all(names, " >= 0", conclusion, *given)
    head += f", where {_joined(dict.fromkeys(map(text.shown, apart)), '!=')}" if apart else ""
    then = f"if {_joined(map(text.shown, given))} then " if given else ""
    return f"{head}: {then}{_joined([text.shown(conclusion)])}"


def _joined(terms: Iterable[str], sign: str = ">=") -> str:
    return " and ".join(f"{text.shortened(x)} {sign} 0" for x in terms)


def box_of(k: Evaluator, value: Json) -> dict[str, tuple[Fraction, Fraction | None]]:
    """Return the least and the largest value of each variable, from a list of ranges."""
    box: dict[str, tuple[Fraction, Fraction | None]] = {}
    for entry in text.items(value, "variables"):
        name, least, largest = text.items(entry, "a variable with its range", count=3)
        good = isinstance(least, str) and isinstance(largest, str | None)
        require(good and text.name(name) not in box, "a range is [NAME, NUMBER, NUMBER or null]")
        k.spend(text.number_steps(least) + text.number_steps(largest or "0x0"))
        lo, hi = text.number(least), None if largest is None else text.number(largest)
        require(hi is None or lo <= hi, f"{name}: the range is empty")
        box[name] = (lo, hi)
    return box


def nonnegative(k: Evaluator, variables: Json, terms: Json) -> str:
    """Terms are at least 0 on a box, each by a tree of reasons."""
    box, shown = box_of(k, variables), []
    with scope(k, list(box)):
        for i, pair in enumerate(text.items(terms, "terms")):
            term, how = text.items(pair, "a term with its reason", count=2)
            k.term(term)
            try:
                shown_on(k, term, box, how)
            except RefusedError as error:
                raise RefusedError(f"term {i}: {error}") from error
            shown.append(text.shown(term))
    named = [(x, *(end and text.shown(end) for end in ends)) for x, *ends in variables]
    ranges = [f"{lo} <= {x}" + (f" <= {hi}" if hi else "") for x, lo, hi in named]
    return f"{for_all(ranges, '', *(term for term, _ in terms))}: {_joined(shown)}"


def shown_on(k: Evaluator, term: Json, box: Box, how: Json) -> None:
    """Refuse a term that its reason does not show to be at least 0 on a box."""
    k.spend(100 + len(box))
    if how == "coefficients":
        good = one_sign(Rational(k, list(box), box).of(term))
        require(good, "coefficients of both signs")
        return
    if how == "value":
        answer = k.compared(">=", _value(k, term, box), ZERO)
        require(answer, lambda: f"not certainly at least 0 on {_where(box)}")
        return
    head, x, *rest = text.items(how, "a reason")
    require(x in box and head in ("split", "rises", "falls"), "a reason is unknown")
    lo, hi = box[x]
    if head == "split":
        at, below, above = text.items(rest, "split", count=3)
        require(isinstance(at, str), "split: the place is a number")
        k.spend(text.number_steps(at))
        cut = text.number(at)
        require(lo <= cut and (hi is None or cut <= hi), "split: the place is outside")
        shown_on(k, term, {**box, x: (lo, cut)}, below)
        shown_on(k, term, {**box, x: (cut, hi)}, above)
        return
    slope, end = text.items(rest, head, count=2)
    growth = _derivative(k, term, x)
    _differentiable(k, term, box)
    shown_on(k, growth if head == "rises" else ["neg", growth], box, slope)
    last = lo if head == "rises" else hi
    if last is None:
        raise RefusedError(f"falls: {x} has no largest value")
    shown_on(k, term, {**box, x: (last, last)}, end)


def _where(box: Box) -> str:
    ends = [(x, text.shown_value(lo), text.shown_value(hi or ZERO)) for x, (lo, hi) in box.items()]
    return ", ".join(f"{x} from {lo} to {hi}" for x, lo, hi in ends)[:200]


def _value(k: Evaluator, term: Json, box: Box) -> Any:
    """Return a value that contains all values of a term on a box."""
    for x, (lo, hi) in box.items():
        if hi is None:
            raise RefusedError(f"value: {x} has no largest value")
        k.spend(20 + steps(8 * k.bits) + steps(3 * size(lo, hi)))
        wide = enclose(lo, k.bits) + (hi - lo) * Interval(0, 1, 0, k.bits)
        k.names[x] = ("term", lo if lo == hi else wide)
    return k.term(term)()


def _differentiable(k: Evaluator, term: Json, box: Box) -> None:
    """Refuse a term that is not certainly defined, with a derivative, on a whole box."""
    k.spend(20)
    if not isinstance(term, list):
        return
    head, *rest = term
    parts = rest[:1] if head == "pow" else rest
    for part in parts:
        _differentiable(k, part, box)
    if head in ("div", "log", "sqrt") or (head == "pow" and (exponent_of(rest[1]) or 0) < 0):
        # What is divided by may have any sign, but not change it, as it is continuous.
        inner = rest[1] if head == "div" else rest[0]
        if None in (hi for _, hi in box.values()):
            top, bottom = Rational(k, list(box), box).of(inner)
            good = all(hi is None for _, hi in box.values()) and one_sign((top, bottom))
            require(good and () in top and () in bottom, "not certainly above 0 on the box")
        else:
            sign = "!=" if head in ("div", "pow") else ">"
            require(k.compared(sign, _value(k, inner, box), ZERO), "not certainly defined")


def _derivative(k: Evaluator, term: Json, x: str) -> Json:
    """Return the derivative of a term in one variable."""
    k.spend(50)
    if not isinstance(term, list):
        return "0x1" if term == {"ref": x} else "0x0"
    head, *rest = term
    if head == "pow":
        n = exponent_of(rest[1])
        require(n is not None, "pow: only a whole number as exponent has a derivative here")
        inner = _derivative(k, rest[0], x)
        return ["mul", hex(n), ["pow", rest[0], hex(n - 1)], inner] if n else "0x0"
    d = [_derivative(k, part, x) for part in rest]
    k.spend(len(rest) ** 2)  # of n factors: n products of n
    if head in ("add", "sub", "neg"):
        return [head, *d]
    if head == "mul":
        return ["add", *(["mul", *rest[:i], d[i], *rest[i + 1 :]] for i in range(len(d)))]
    if head == "div":
        top = ["sub", ["mul", d[0], rest[1]], ["mul", rest[0], d[1]]]
        return ["div", top, ["mul", rest[1], rest[1]]]
    require(head in ("exp", "log", "sqrt", "pi"), f"{head} has no derivative here")
    if head == "exp":
        return ["mul", term, d[0]]
    if head == "pi":
        return "0x0"
    return ["div", d[0], rest[0] if head == "log" else ["mul", "0x2", term]]


def orders(k: Evaluator, variables: Json, given: Json, terms: Json) -> str:
    """Terms that are linear on each order of reals and 0 are at least 0.

    The reals in an order are a sum, with factors >= 0, of 0/1 vectors (the largest ones, as
    far as they are above 0) and of 0/-1 vectors (the least ones), all in the same order.
    """
    names = _variables(variables)
    known = frozenset(names)
    require(isinstance(given, list), "given must be a list")
    with scope(k, names):
        wanted = text.items(terms, "terms")
        for term in wanted:
            if not _is_linear(term, known):
                raise RefusedError(f"{text.shown(term)[:99]} is not linear on each order")
        for relation in given:
            head, *sides = text.items(relation, "a relation", count=3)
            plain = head in ("<=", "=", ">=") and all(_is_point(side, known) for side in sides)
            require(plain, "given: only <=, = and >= between variables and 0")
        met, slacks = [k.relation(x) for x in given], [k.term(x) for x in wanted]
        for sign in (ONE, -ONE):
            k.spend((6 + len(names)) << len(names))
            for vector in product((ZERO, sign), repeat=len(names)):
                k.names.update({x: ("term", c) for x, c in zip(names, vector, strict=True)})
                if all(relation()[0] for relation in met):
                    bad = [i for i, slack in enumerate(slacks) if slack() < 0]
                    if bad:
                        at = ", ".join(map(str, vector))
                        raise RefusedError(f"term {bad[:1]} is below 0 at ({at})")
    told = " and ".join(text.shown(x)[1:-1] for x in given)
    then = f"if {told} then " if told else ""
    return f"{for_all(names, ' in R')}: {then}{_joined(map(text.shown, wanted))}"


def _is_point(part: Json, names: Set[str]) -> bool:
    """Return whether a part is a variable or 0."""
    return part == "0x0" or (isinstance(part, dict) and str(part.get("ref")) in names)


def _is_linear(part: Json, names: Set[str]) -> bool:
    """Return whether a term is linear on each order of its variables and 0."""
    if not isinstance(part, list) or not part:
        return _is_point(part, names)
    head, *rest = part
    if head in ("max", "min"):
        return all(_is_point(x, names) for x in rest)
    if head in ("abs", "positive_part"):
        inner = rest[0] if rest else None
        sides = inner[1:] if isinstance(inner, list) and inner[:1] == ["sub"] else [inner]
        return all(_is_point(x, names) for x in sides)
    if head == "mul" and len(rest) == 2:
        return isinstance(rest[0], str) and _is_linear(rest[1], names)
    return head in ("add", "sub", "neg") and all(_is_linear(x, names) for x in rest)


def every(k: Evaluator, variables: Json, relations: Json) -> str:
    """Relations hold at each instance of a finite domain."""
    require(isinstance(variables, list), "variables must be a list")
    wanted = text.items(relations, "relations")
    if not variables:
        return " and ".join(map(k.confirm, wanted))
    named = [text.items(entry, "a variable with its values", count=2) for entry in variables]
    names = [text.name(name) for name, _ in named]
    written = [text.items(entry, "values") for _, entry in named]
    lists = [[k.term(x)() for x in entry] for entry in written]
    for x, some in zip(names, lists, strict=True):
        # In any order of them neighbors are compared: so no two values are one instance.
        sorted(some, key=cmp_to_key(partial(_order, k, x)))
    with scope(k, names):
        checks, count = [k.relation(x) for x in wanted], 0
        for instance in product(*lists):
            k.spend(20 * len(names))
            k.names.update({x: ("term", c) for x, c in zip(names, instance, strict=True)})
            count += 1
            for i, check in enumerate(checks):
                if not check()[0]:
                    at = ", ".join(f"{x} = {text.shown_value(k.names[x][1])}" for x in names)
                    raise RefusedError(f"relation {i} is false at {at}")
    sets = (text.shortened(", ".join(map(text.shown, entry))) for entry in written)
    where = " and ".join(f"{x} in {{{some}}}" for x, some in zip(names, sets, strict=True))
    shown = " and ".join(text.shortened(text.shown(x)[1:-1]) for x in wanted)
    return f"at each of {count} instances, {where}: {shown}"


def _order(k: Evaluator, name: str, x: Value, y: Value) -> int:
    """Return -1 if x < y and 1 if x > y; refuse two values that are perhaps one."""
    less = k.compared("<", x, y)
    different = less or k.compared(">", x, y)
    require(different, lambda: f"{name}: {text.shown_value(x)} is perhaps listed twice")
    return -1 if less else 1
