"""Steps of proofs: each is read, checked by its rule, and printed as what was shown.

A rule decides a statement about all real values of its variables, or about all instances of a
listed finite domain. What a writer found (multipliers, a tree of cuts and slopes) is data that
is checked here; nothing is searched. FORMAT.md states the rules.

Notation: a box gives each variable its least value and its largest, or None where there is no
largest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from typing import Any, TypeAlias

from . import results, text
from .identity import UNITY, Function, Functions, exponent_of
from .results import RefusedError, require
from .terms import Evaluator
from .text import Json
from .values import ONE, ZERO, Interval, enclose

FORMAT = "exactdp-proof/1"
ARITHMETIC = ("add", "sub", "mul", "div", "neg", "pow")
NOTE = "each step was checked by itself; whether they give the claim was not"

Box: TypeAlias = Mapping[str, tuple[Fraction, Fraction | None]]


def step(k: Evaluator, value: Json) -> str:
    """Check a step, and return in words what it shows."""
    head = value.get("rule") if isinstance(value, dict) else None
    require(head in tuple(RULES), f"{text.quoted(head)} is not a rule")
    rule, parts = RULES[str(head)]
    label = text.keys(value, f"a step by {head}", f"text rule {parts}")["text"]
    short = isinstance(label, str) and len(label) <= results.MAX_LABEL
    require(short, f"text must be a string of at most {results.MAX_LABEL} characters")
    k.notes[NOTE] = None
    return f"({head}) {rule(k, *(value[part] for part in parts.split()))}"


@contextmanager
def _scope(k: Evaluator, names: Sequence[str]) -> Iterator[None]:
    """Make variables known while terms are read and computed."""
    taken = [x for i, x in enumerate(names) if x in k.names or x in names[:i]]
    require(not taken, f"the name {taken[:1]} is already in use")
    k.names.update(dict.fromkeys(names, ("term", ZERO)))
    try:
        yield
    finally:
        for x in names:
            k.names.pop(x, None)


def _variables(value: Json) -> list[str]:
    return [text.name(x) for x in text.items(value, "variables")]


def _all(names: Sequence[str], what: str, *terms: Json) -> str:
    """Return "for all ...", and where the terms are meant, if they divide."""
    defined = ", wherever no denominator is 0" if any(map(_divides, terms)) else ""
    return f"for all {text.shortened(', '.join(names))}{what}{defined}"


def _divides(part: Json) -> bool:
    if not isinstance(part, list) or not part:
        return False
    inverse = part[0] == "pow" and (exponent_of(part[2]) or 0) < 0
    return part[0] == "div" or inverse or any(map(_divides, part))


class _Rational(Functions):
    """Reads terms as rational functions of variables, and refuses any other.

    In a box x is lo + t, or (lo + hi t)/(1 + t), for a variable t >= 0 of the same name: t runs
    over what x runs over, but for hi, where a function that is defined there is continuous.
    """

    def __init__(self, k: Evaluator, names: Sequence[str], box: Box | None = None) -> None:
        """Start with what stands for each variable."""
        super().__init__(k.written | {x: {"ref": x} for x in names}, k.spend)
        for x in names:
            self.known[x] = {((x, 1),): ONE}, UNITY
            if box is not None:
                lo, hi = box[x]
                top = {(): lo, ((x, 1),): ONE if hi is None else hi}
                bottom = UNITY if hi is None else UNITY | {((x, 1),): ONE}
                self.known[x] = {m: c for m, c in top.items() if c}, bottom

    def of(self, part: Json) -> Function:
        """Return a term as a function; nothing in it is divided by what is identically 0."""
        head = part[0] if isinstance(part, list) else "pow"
        whole = not isinstance(part, list) or head != "pow" or exponent_of(part[2]) is not None
        good = head in ARITHMETIC and whole
        require(good, f"{text.shown(part)[:99]} is not in + - * / and whole powers")
        function = super().of(part)
        require(function[1], "division by what is identically 0")
        return function


def _read(k: Evaluator, functions: Functions, term: Json) -> Function:
    k.term(term)
    return functions.of(term)


def _one_sign(function: Function) -> bool:
    """Return whether a function is at least 0 for variables >= 0, by its coefficients."""
    top, bottom = ([c > 0 for c in part.values()] for part in function)
    return not top or len({*top, *bottom}) == 1


def _equal(k: Evaluator, x: Function, y: Function) -> bool:
    times = Functions({}, k.spend).times
    return times(x[0], y[1]) == times(y[0], x[1])


def _identity(k: Evaluator, variables: Json, equal: Json) -> str:
    """Both sides are the same rational function."""
    names, shown = _variables(variables), []
    with _scope(k, names):
        read = partial(_read, k, _Rational(k, names))
        for i, pair in enumerate(text.items(equal, "equal")):
            sides = text.items(pair, "an equation", count=2)
            left, right = map(read, sides)
            one, other = map(text.shown, sides)
            require(one != other, f"equation {i}: a term is compared with itself")
            require(_equal(k, left, right), f"equation {i}: the two sides differ")
            shown.append(f"{text.shortened(one)} = {text.shortened(other)}")
    return f"{_all(names, '', *equal)}: {' and '.join(shown)}"


def _follows(k: Evaluator, variables: Json, conclusion: Json, parts: Json) -> str:
    """The conclusion is the sum of multipliers >= 0 times hypotheses."""
    names, given = _variables(variables), []
    with _scope(k, names):
        functions = _Rational(k, names)
        read = partial(_read, k, functions)
        terms = []
        for i, pair in enumerate(text.items(parts, "sum")):
            multiplier, slack = text.items(pair, "a product", count=2)
            weight, one = read(multiplier), read(slack)
            require(_one_sign(weight), f"multiplier {i}: coefficients of both signs")
            terms.append(functions.multiplied(weight, one))
            power = isinstance(slack, list) and slack[0] == "pow"
            square = power and (exponent_of(slack[2]) or 1) % 2 == 0
            if not square and not _one_sign(one):
                given.append(text.shown(slack))
        wanted = text.shown(conclusion)
        require(wanted not in given, "the conclusion is one of the hypotheses")
        total = reduce(functions.plus, terms)
        require(_equal(k, read(conclusion), total), "the sum of the products is not the conclusion")
    head = _all(names, " >= 0", conclusion, parts)
    if not given:
        return f"{head}: {text.shortened(wanted)} >= 0"
    met = " and ".join(f"{text.shortened(x)} >= 0" for x in given)
    return f"{head}: if {met} then {text.shortened(wanted)} >= 0"


def _box(k: Evaluator, value: Json) -> dict[str, tuple[Fraction, Fraction | None]]:
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


def _nonnegative(k: Evaluator, variables: Json, terms: Json) -> str:
    """Terms are at least 0 on a box, each by a tree of reasons."""
    box, shown = _box(k, variables), []
    with _scope(k, list(box)):
        for i, pair in enumerate(text.items(terms, "terms")):
            term, how = text.items(pair, "a term with its reason", count=2)
            k.term(term)
            try:
                _shown_on(k, term, box, how)
            except RefusedError as error:
                raise RefusedError(f"term {i}: {error}") from error
            shown.append(f"{text.shortened(text.shown(term))} >= 0")
    ranges = [
        f"{text.shown_value(lo)} <= {x}" + ("" if hi is None else f" <= {text.shown_value(hi)}")
        for x, (lo, hi) in box.items()
    ]
    return f"{_all(ranges, '', terms)}: {' and '.join(shown)}"


def _shown_on(k: Evaluator, term: Json, box: Box, how: Json) -> None:
    """Refuse a term that its reason does not show to be at least 0 on a box."""
    k.spend(100)
    if how == "coefficients":
        good = _one_sign(_Rational(k, list(box), box).of(term))
        require(good, "coefficients of both signs")
        return
    if how == "value":
        answer = k.compared(">=", _value(k, term, box), ZERO)
        require(answer, f"not certainly at least 0 on {_where(box)}")
        return
    head, x, *rest = text.items(how, "a reason")
    require(x in box and head in ("split", "rises", "falls"), "a reason is unknown")
    lo, hi = box[x]
    if head == "split":
        at, below, above = text.items(rest, "split", count=3)
        require(isinstance(at, str), "split: the place is a number")
        cut = text.number(at)
        require(lo <= cut and (hi is None or cut <= hi), "split: the place is outside")
        _shown_on(k, term, {**box, x: (lo, cut)}, below)
        _shown_on(k, term, {**box, x: (cut, hi)}, above)
        return
    slope, end = text.items(rest, head, count=2)
    growth = _derivative(k, term, x)
    _differentiable(k, term, box)
    _shown_on(k, growth if head == "rises" else ["neg", growth], box, slope)
    last = lo if head == "rises" else hi
    if last is None:
        raise RefusedError(f"falls: {x} has no largest value")
    _shown_on(k, term, {**box, x: (last, last)}, end)


def _where(box: Box) -> str:
    return ", ".join(f"{x} from {lo} to {hi}" for x, (lo, hi) in box.items())[:200]


def _value(k: Evaluator, term: Json, box: Box) -> Any:
    """Return a value that contains all values of a term on a box."""
    for x, (lo, hi) in box.items():
        if hi is None:
            raise RefusedError(f"value: {x} has no largest value")
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
            top, bottom = _Rational(k, list(box), box).of(inner)
            good = all(hi is None for _, hi in box.values()) and _one_sign((top, bottom))
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


def _orders(k: Evaluator, variables: Json, given: Json, terms: Json) -> str:
    """Terms that are linear on each order of reals and 0 are at least 0.

    The reals in an order are a sum, with factors >= 0, of 0/1 vectors (the largest ones, as
    far as they are above 0) and of 0/-1 vectors (the least ones), all in the same order.
    """
    names = _variables(variables)
    require(isinstance(given, list), "given must be a list")
    with _scope(k, names):
        wanted = text.items(terms, "terms")
        for term in wanted:
            require(_is_linear(term, names), f"{text.shown(term)[:99]} is not linear on each order")
        for relation in given:
            head, *sides = text.items(relation, "a relation", count=3)
            plain = head in ("<=", "=", ">=") and all(_is_point(side, names) for side in sides)
            require(plain, "given: only <=, = and >= between variables and 0")
        met, slacks = [k.relation(x) for x in given], [k.term(x) for x in wanted]
        for sign in (ONE, -ONE):
            k.spend(2 ** len(names))
            for vector in product((ZERO, sign), repeat=len(names)):
                k.names.update({x: ("term", c) for x, c in zip(names, vector, strict=True)})
                if all(relation()[0] for relation in met):
                    bad = [i for i, slack in enumerate(slacks) if slack() < 0]
                    at = ", ".join(map(str, vector))
                    require(not bad, f"term {bad[:1]} is below 0 at ({at})")
    told = " and ".join(text.shown(x)[1:-1] for x in given)
    shown = " and ".join(f"{text.shortened(text.shown(x))} >= 0" for x in wanted)
    return f"{_all(names, ' in R')}{': if ' + told + ' then' if told else ':'} {shown}"


def _is_point(part: Json, names: Sequence[str]) -> bool:
    """Return whether a part is a variable or 0."""
    return part == "0x0" or (isinstance(part, dict) and part.get("ref") in names)


def _is_linear(part: Json, names: Sequence[str]) -> bool:
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


def _every(k: Evaluator, variables: Json, relations: Json) -> str:
    """Relations hold at each instance of a finite domain."""
    require(isinstance(variables, list), "variables must be a list")
    wanted = text.items(relations, "relations")
    if not variables:
        return " and ".join(map(k.confirm, wanted))
    named = [text.items(entry, "a variable with its values", count=2) for entry in variables]
    names = [text.name(name) for name, _ in named]
    lists = [[k.term(x)() for x in text.items(entry, "values")] for _, entry in named]
    with _scope(k, names):
        checks, count = [k.relation(x) for x in wanted], 0
        for instance in product(*lists):
            k.spend(20 * len(names))
            k.names.update({x: ("term", c) for x, c in zip(names, instance, strict=True)})
            count += 1
            for i, check in enumerate(checks):
                if not check()[0]:
                    at = ", ".join(f"{x} = {text.shown_value(k.names[x][1])}" for x in names)
                    raise RefusedError(f"relation {i} is false at {at}")
    where = " and ".join(
        f"{x} in {{{text.shortened(', '.join(map(text.shown_value, some)))}}}"
        for x, some in zip(names, lists, strict=True)
    )
    shown = " and ".join(text.shortened(text.shown(x)[1:-1]) for x in wanted)
    return f"at each of {count} instances, {where}: {shown}"


# Each rule: its function, and the parts of a step that it takes.
RULES: Mapping[str, tuple[Callable[..., str], str]] = {
    "identity": (_identity, "variables equal"),
    "nonnegative": (_nonnegative, "variables terms"),
    "follows": (_follows, "variables conclusion sum"),
    "orders": (_orders, "variables given terms"),
    "every": (_every, "variables relations"),
}
