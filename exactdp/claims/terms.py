"""The language of statements: terms that the engine evaluates and the kernel evaluates again.

A :class:`Term` is an unevaluated expression over laws, views and numbers. A statement is
written once, as terms: :func:`value` computes them with the engine (exactly, or as reals
that refine), ``json`` writes them for the kernel (proofs_check/kernel/FORMAT.md), which
computes them with code of its own. So what was tried and what is certified cannot differ.

Definitions: :class:`Term`, :func:`term`, :func:`named`, :func:`value`, the operations
(:func:`function`, :func:`sum_over`, :func:`when`, :func:`positive_part`, ...) and the laws
(:func:`finite_pair`, :func:`shuffle_pair`, :func:`hockey_stick`, :func:`mass`, ...).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from math import comb
from typing import Any

from flint import arb

from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.divergences.profile import larger_number
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import (
    Exact,
    ExactLike,
    Number,
    Real,
    exp,
    is_below,
    log,
    normal_cdf,
    pi,
    sqrt,
    working_bits,
)
from exactdp.shuffle import ShuffleView, Users, Victim, shuffle_view
from exactdp.truth import Truth

__all__ = [
    "Scalar",
    "Term",
    "TermLike",
    "definitions",
    "event",
    "exact_value",
    "finite_pair",
    "function",
    "hockey_stick",
    "ldp_ratio",
    "mass",
    "matrix",
    "named",
    "positive_part",
    "shuffle_pair",
    "sum_over",
    "term",
    "total",
    "total_variation_of",
    "truth_of",
    "value",
    "when",
]

_TIE_BITS = 1 << 12
"""Computable reals that agree to so many bits are not told apart."""


class Term:
    """An expression: an operation applied to parts.

    It has the operators of a number, so that a formula written once for numbers also
    writes itself down.

    Attributes:
        head: The operation of the format; or "number", "named", "variable", a kind of pair.
        parts: What it is applied to.

    Example:
        >>> x = named("x", term("1/3"))
        >>> (term(3) / 4 + x).json, value(term(3) / 4 + x)
        (['add', ['div', '0x3', '0x4'], {'ref': 'x'}], Exact('13/12'))
    """

    __slots__ = ("head", "parts")

    def __init__(self, head: str, *parts: Any) -> None:
        self.head = head
        self.parts = parts

    @property
    def json(self) -> Any:
        """The term in the certificate format."""
        return _json(self)

    def __add__(self, other: TermLike) -> Term:
        return Term("add", self, term(other))

    def __radd__(self, other: TermLike) -> Term:
        return Term("add", term(other), self)

    def __sub__(self, other: TermLike) -> Term:
        return Term("sub", self, term(other))

    def __rsub__(self, other: TermLike) -> Term:
        return Term("sub", term(other), self)

    def __mul__(self, other: TermLike) -> Term:
        return Term("mul", self, term(other))

    def __rmul__(self, other: TermLike) -> Term:
        return Term("mul", term(other), self)

    def __truediv__(self, other: TermLike) -> Term:
        return Term("div", self, term(other))

    def __rtruediv__(self, other: TermLike) -> Term:
        return Term("div", term(other), self)

    def __pow__(self, exponent: int | Term) -> Term:
        return Term("pow", self, term(exponent))

    def __neg__(self) -> Term:
        return Term("neg", self)

    def __repr__(self) -> str:
        return f"Term({self.json!r})"


TermLike = Term | ExactLike | str
"""A term, or a number that is one."""

Scalar = Exact | Term
"""What a formula of a paper is evaluated in: exact numbers, or terms."""

Outcome = int | Sequence[int]


def term(number: TermLike) -> Term:
    """Return a number as a term: a hexadecimal rational, or a quotient of powers of e.

    Example:
        >>> term(Fraction(-3, 4)).json, term(Exact.exp("1/2")).json
        ('-0x3/0x4', ['exp', '0x1/0x2'])
    """
    return number if isinstance(number, Term) else Term("number", Exact(number))


def named(name: str, definition: Term) -> Term:
    """Return a term under a name: a certificate defines it once and refers to it."""
    return Term("named", name, definition)


def function(name: str, *arguments: TermLike) -> Term:
    """Return an operation of the format applied to arguments, such as exp or normal_cdf."""
    return Term(name, *map(term, arguments))


def total(terms: Sequence[Any]) -> Term:
    """Return the sum of terms; 0 of none."""
    return Term("add", *map(term, terms)) if terms else term(0)


def sum_over(name: str, first: TermLike, last: TermLike, body: Callable[[Term], TermLike]) -> Term:
    """Return the sum of body(i) over the integers i from first to last.

    Example:
        >>> value(sum_over("i", 1, 4, lambda i: i * i))
        Exact('30')
    """
    return Term("sum", name, term(first), term(last), term(body(Term("variable", name))))


def when(sign: str, left: TermLike, right: TermLike, then: TermLike, otherwise: TermLike) -> Term:
    """Return one of two terms, as a relation holds or not."""
    return Term("when", sign, *map(term, (left, right, then, otherwise)))


def positive_part(x: Any) -> Any:
    """Return max(0, x), for a number or a term."""
    if isinstance(x, Term):
        return Term("positive_part", x)
    return x if x > 0 else x * 0


# --- laws ---------------------------------------------------------------------------------


def matrix(rows: Sequence[Sequence[Any]]) -> Term:
    """Return a matrix of masses, one row an input; give it a name to write it once."""
    return Term("matrix", tuple(tuple(map(term, row)) for row in rows))


Rows = Sequence[Sequence[Any]] | Term


def finite_pair(p: Sequence[Any], q: Sequence[Any]) -> Term:
    """Return the pair of two finite laws on the outcomes 0, 1, ...."""
    return Term("finite_pair", tuple(map(term, p)), tuple(map(term, q)))


def shuffle_pair(
    rows: Any,
    *,
    inputs: tuple[int, int],
    others: Sequence[tuple[int, int] | tuple[str, int, int]],
    victim: str = "R",
    merge: Sequence[Sequence[int]] | None = None,
) -> Term:
    """Return the view of a shuffled protocol, with the victim's first input against the second.

    Args:
        rows: The matrix of the randomizer that all users have (see :func:`matrix`), or a
            mapping of matrices by name.
        inputs: The victim's two inputs.
        others: (input, count), or (randomizer, input, count).
        victim: The victim's randomizer, where there are several.
        merge: Classes of messages that the view does not tell apart.
    """
    named_rows = dict(rows) if isinstance(rows, Mapping) else {"R": rows}
    groups = tuple(g if len(g) == 3 else ("R", *g) for g in others)
    return Term(
        "shuffle",
        tuple((k, v if isinstance(v, Term) else matrix(v)) for k, v in named_rows.items()),
        (victim, tuple(inputs)),
        tuple(g for g in groups if g[2]),
        None if merge is None else tuple(map(tuple, merge)),
    )


def hockey_stick(pair: Term, exp_epsilon: TermLike) -> Term:
    """Return D_{e^ε}(P ‖ Q) of a pair; the factor e^ε, as the format has it."""
    return Term("hockey_stick", pair, term(exp_epsilon))


def total_variation_of(pair: Term) -> Term:
    """Return the total variation of a pair."""
    return Term("total_variation", pair)


def mass(pair: Term, side: str, outcome: Outcome) -> Term:
    """Return the mass of an outcome under P (side "p") or Q (side "q")."""
    return Term("mass", pair, side, outcome)


def event(pair: Term, side: str, outcomes: Sequence[Outcome]) -> Term:
    """Return the probability of a set of outcomes."""
    return Term("event", pair, side, tuple(outcomes))


def ldp_ratio(rows: Rows) -> Term:
    """Return the largest ratio of two entries of one column, at least 1."""
    return Term("ldp_ratio", rows if isinstance(rows, Term) else matrix(rows))


# --- for the kernel -------------------------------------------------------------------------


def definitions(terms: Sequence[Term]) -> list[tuple[str, Any]]:
    """Return the named terms in these, inner ones first: (name, JSON).

    Raises:
        DomainError: If two different terms have one name.
    """
    found: dict[str, Any] = {}

    def visit(part: Any) -> None:
        if isinstance(part, Term):
            for inner in part.parts:
                visit(inner)
            if part.head == "named":
                name, written = part.parts[0], part.parts[1].json
                if found.setdefault(name, written) != written:
                    raise DomainError(f"two terms are named {name!r}. Give each a name of its own.")
        elif isinstance(part, tuple):
            for inner in part:
                visit(inner)

    for one in terms:
        visit(one)
    return list(found.items())


def _json(t: Term) -> Any:
    match t.head:
        case "number":
            return _written(t.parts[0])
        case "named" | "variable":
            return {"ref": t.parts[0]}
        case "matrix":
            return [[m.json for m in row] for row in t.parts[0]]
        case "finite_pair":
            p, q = ([m.json for m in law] for law in t.parts)
            return {"kind": "finite_pair", "p": p, "q": q}
        case "shuffle":
            return _shuffle_json(t)
        case "mass" | "event":
            pair, side, outcomes = t.parts
            many = [_outcome(y) for y in outcomes] if t.head == "event" else _outcome(outcomes)
            return [t.head, pair.json, side, many]
        case "sum":
            name, *parts = t.parts
            return ["sum", name, *(part.json for part in parts)]
        case "when":
            sign, left, right, then, otherwise = t.parts
            return ["when", [sign, left.json, right.json], then.json, otherwise.json]
        case _:
            return [t.head, *(part.json for part in t.parts)]


def _shuffle_json(t: Term) -> dict[str, Any]:
    rows, (victim, inputs), others, merge = t.parts
    written: dict[str, Any] = {
        "kind": "shuffle",
        "randomizers": {name: m.json for name, m in rows},
        "victim": {"randomizer": victim, "inputs": list(inputs)},
        "others": [{"randomizer": r, "input": x, "count": c} for r, x, c in others],
    }
    if merge is not None:
        written["merge"] = [list(part) for part in merge]
    return written


def _outcome(outcome: Outcome) -> int | list[int]:
    return outcome if isinstance(outcome, int) else list(outcome)


def _written(number: Exact) -> Any:
    exponent = number.monomial_exponent()
    if number.is_rational:
        fraction = number.as_fraction()
        top, bottom = hex(fraction.numerator), hex(fraction.denominator)
        return top if fraction.denominator == 1 else f"{top}/{bottom}"
    if exponent is not None:
        return function("exp", Exact(exponent)).json
    base = function("exp", Exact(number.rate))
    top_terms, bottom_terms = (
        total([int(c) * base**i for i, c in enumerate(p.coeffs()) if c != 0])
        for p in (number.numerator, number.denominator)
    )
    return (top_terms / bottom_terms).json


# --- for the engine -------------------------------------------------------------------------


def value(t: TermLike) -> Number:
    """Return the value of a term: exact where the exact field holds it, else a real.

    Raises:
        UndecidedError: If a case distinction inside cannot be decided.
    """
    return _Evaluation().number(term(t))


def exact_value(t: TermLike) -> Exact:
    """Return the value of a term whose value the exact field holds.

    Raises:
        DomainError: If it does not.
    """
    found = value(t)
    if not isinstance(found, Exact):
        raise DomainError(f"{t!r} is no number of the exact field.")
    return found


class _Evaluation:
    """One evaluation: names and variables are computed once."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    def number(self, t: Term) -> Number:
        match t.head:
            case "number":
                exact: Exact = t.parts[0]
                return exact
            case "variable":
                bound: Number = self.known[t.parts[0]]
                return bound
            case "named":
                found: Number = self.defined(t, self.number)
                return found
            case "add":
                return reduce(lambda x, y: x + y, map(self.number, t.parts))
            case "mul":
                return reduce(_product, map(self.number, t.parts))
            case "sum":
                return self.sum(t)
            case "when":
                sign, left, right, then, otherwise = t.parts
                truth = truth_of(sign, self.number(left), self.number(right))
                if truth is Truth.UNKNOWN:
                    raise UndecidedError(f"the case {sign} of {t!r} cannot be decided.")
                return self.number(then if truth is Truth.TRUE else otherwise)
            case "hockey_stick":
                return _hockey_stick(self.pair(t.parts[0]), self.number(t.parts[1]))
            case "total_variation":
                return _hockey_stick(self.pair(t.parts[0]), Exact(1))
            case "mass":
                pair, side, outcome = t.parts
                return _event(_whole_law(self.pair(pair)), side, [outcome])
            case "event":
                pair, side, outcomes = t.parts
                return _event(_whole_law(self.pair(pair)), side, outcomes)
            case "ldp_ratio":
                return _ldp_ratio(self.rows(t.parts[0]))
            case "entry":
                rows, i, j = t.parts
                return self.rows(rows)[int(_whole(self.number(i)))][int(_whole(self.number(j)))]
            case "pow":
                base, power = self.number(t.parts[0]), self.number(t.parts[1])
                return base ** int(_whole(power))
        return _OPERATIONS[t.head](*map(self.number, t.parts))

    def sum(self, t: Term) -> Number:
        name, first, last, body = t.parts
        low, high = (int(_whole(self.number(end))) for end in (first, last))
        result: Number = Exact(0)
        for i in range(low, high + 1):
            self.known[name] = Exact(i)
            result = result + self.number(body)
        self.known.pop(name, None)
        return result

    def defined(self, t: Term, compute: Callable[[Term], Any]) -> Any:
        name, definition = t.parts
        if name not in self.known:
            self.known[name] = compute(definition)
        return self.known[name]

    def rows(self, t: Term) -> tuple[tuple[Exact, ...], ...]:
        if t.head == "named":
            found: tuple[tuple[Exact, ...], ...] = self.defined(t, self.rows)
            return found
        return tuple(tuple(map(self.exact, row)) for row in t.parts[0])

    def exact(self, t: Term) -> Exact:
        found = self.number(t)
        if not isinstance(found, Exact):
            raise DomainError(f"the mass {t!r} is no number of the exact field.")
        return found

    def pair(self, t: Term) -> _Laws:
        if t.head == "named":
            found: _Laws = self.defined(t, self.pair)
            return found
        if t.head == "finite_pair":
            return _finite_pair(*(tuple(map(self.exact, law)) for law in t.parts))
        rows, victim, others, merge = t.parts
        return _View(tuple((name, self.rows(m)) for name, m in rows), victim, others, merge)


@lru_cache(maxsize=4096)
def _finite_pair(p: tuple[Exact, ...], q: tuple[Exact, ...]) -> Pair:
    # Outcomes keep their numbers, so that an event can name those without mass.
    both = (FinitePmf(dict(enumerate(law)), name=side) for law, side in ((p, "p"), (q, "q")))
    return Pair.from_pmfs(*both)


@dataclass(frozen=True)
class _View:
    """A protocol: matrices by name, the victim, groups of others, classes of messages."""

    rows: tuple[tuple[str, tuple[tuple[Exact, ...], ...]], ...]
    victim: tuple[str, tuple[int, int]]
    others: tuple[tuple[str, int, int], ...]
    merge: tuple[tuple[int, ...], ...] | None


_Laws = Pair | _View


@lru_cache(maxsize=512)
def _view(protocol: _View) -> ShuffleView:
    built = {name: Randomizer.from_matrix(m) for name, m in protocol.rows}
    users = [Users(built[name], x, c) for name, x, c in protocol.others]
    who, inputs = protocol.victim
    classes = None if protocol.merge is None else [list(part) for part in protocol.merge]
    return shuffle_view(Victim(built[who], inputs), users, merge=classes)


def _whole_law(laws: _Laws) -> Pair:
    return laws if isinstance(laws, Pair) else _histograms(laws)


@lru_cache(maxsize=512)
def _histograms(protocol: _View) -> Pair:
    """The view with one count a message (or class): also where that tells no more."""
    matrices = dict(protocol.rows)
    who, inputs = protocol.victim
    classes = protocol.merge or [(y,) for y in range(len(matrices[who][0]))]
    rows = [matrices[who][x] for x in inputs] + [matrices[r][x] for r, x, _ in protocol.others]
    merged = [[sum((row[y] for y in part), Exact(0)) for part in classes] for row in rows]
    counts = [c for _, _, c in protocol.others]
    return ShuffleView(merged, counts, classes=classes, is_lower_bound=False).pair


def _event(pair: Pair, side: str, outcomes: Sequence[Outcome]) -> Exact:
    places = {label: i for i, label in enumerate(pair.outcomes or range(len(pair)))}
    weights: Any = pair.p if side == "p" else pair.q
    whole = pair.p_total if side == "p" else pair.q_total
    wanted = (y if isinstance(y, int) else tuple(y) for y in outcomes)
    chosen = [weights[places[y]] for y in wanted if y in places]
    return sum((Exact(w) for w in chosen), Exact(0)) / Exact(whole)


def _hockey_stick(laws: _Laws, gamma: Number) -> Number:
    if gamma == Exact(0):
        return Exact(1)
    if isinstance(gamma, Exact):
        if isinstance(laws, Pair):
            return hockey_stick_divergence(laws, exp_epsilon=gamma)
        return _view(laws).hockey_stick_divergence(exp_epsilon=gamma)
    masses = (laws if isinstance(laws, Pair) else _view(laws).pair).masses()

    def ball() -> arb:
        bits = working_bits()
        factor = gamma.ball(bits)
        parts = (a.ball(bits) - factor * b.ball(bits) for a, b in masses)
        return sum((part.max(arb(0)) for part in parts), arb(0))

    return Real(ball, "a hockey-stick divergence")


def _ldp_ratio(rows: tuple[tuple[Exact, ...], ...]) -> Exact:
    columns = [column for column in zip(*rows, strict=True) if any(m != 0 for m in column)]
    ratios: list[Exact] = [max(column) / min(column) for column in columns]
    return max([Exact(1), *ratios])


def _product(x: Number, y: Number) -> Number:
    if x == Exact(0) or y == Exact(0):
        return Exact(0)
    return x * y


def _whole(number: Number) -> Fraction:
    if not isinstance(number, Exact) or not number.is_rational:
        raise DomainError(f"{number} is no whole number.")
    return number.as_fraction()


def _binomial(n: Number, k: Number) -> Exact:
    a, b = int(_whole(n)), int(_whole(k))
    return Exact(comb(a, b)) if 0 <= b <= a else Exact(0)


def _exp(x: Number) -> Number:
    if isinstance(x, Exact) and x.is_rational:
        return Exact.exp(x.as_fraction())
    return exp(x)


def _log(x: Number) -> Number:
    exponent = x.monomial_exponent() if isinstance(x, Exact) else None
    return Exact(exponent) if exponent is not None else log(x)


def _sqrt(x: Number) -> Number:
    if isinstance(x, Exact) and x.is_rational:
        square = x.as_fmpq()
        if square >= 0 and square.p.sqrtrem()[1] == 0 and square.q.sqrtrem()[1] == 0:
            return Exact(Fraction(int(square.p.isqrt()), int(square.q.isqrt())))
    return sqrt(x)


def _normal_cdf(x: Number) -> Number:
    return Exact("1/2") if x == Exact(0) else normal_cdf(x)


def _largest(*numbers: Number) -> Number:
    return reduce(larger_number, numbers)


_OPERATIONS: Mapping[str, Callable[..., Number]] = {
    "sub": lambda x, y: x - y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "abs": lambda x: _largest(x, -x),
    "positive_part": lambda x: _largest(Exact(0), x),
    "max": _largest,
    "min": lambda *x: -_largest(*(-y for y in x)),
    "binomial": _binomial,
    "exp": _exp,
    "log": _log,
    "sqrt": _sqrt,
    "pi": lambda: pi,
    "normal_cdf": _normal_cdf,
}


def truth_of(sign: str, left: Number, right: Number) -> Truth:
    """Return whether a relation holds between two numbers; one of < <= = != >= >.

    Example:
        >>> truth_of("<=", Exact(1), Exact("1/2"))
        <Truth.FALSE: 'false'>
    """
    match sign:
        case "<":
            return is_below(left, right, max_bits=_TIE_BITS)
        case ">":
            return is_below(right, left, max_bits=_TIE_BITS)
        case "<=":
            return ~truth_of(">", left, right)
        case ">=":
            return ~truth_of("<", left, right)
        case "!=":
            return ~truth_of("=", left, right)
        case "=":
            if isinstance(left, Exact) and isinstance(right, Exact):
                return Truth.of(left == right)
            apart = (truth_of("<", left, right), truth_of(">", left, right))
            return Truth.FALSE if Truth.TRUE in apart else Truth.UNKNOWN
    raise DomainError(f"sign={sign!r} is none of < <= = != >= >.")
