"""The language of statements: terms that the engine evaluates and the kernel evaluates again.

A :class:`Term` is an unevaluated expression over laws, views and numbers. A statement is
written once, as terms: ``exactdp.claims.values`` computes them with the engine (exactly, or
as reals that refine), ``json`` writes them for the kernel (proofs_check/kernel/FORMAT.md),
which computes them with code of its own. So what was tried and what is certified cannot
differ.

Definitions: :class:`Term`, :func:`term`, :func:`named`, :func:`formula`, the operations
(:func:`function`, :func:`sum_over`, :func:`when`, :func:`positive_part`, ...). Those on laws and
views are in :mod:`exactdp.claims.laws`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Exact, ExactLike
from exactdp.numbers.real_functions import Bound

__all__ = [
    "Scalar",
    "Term",
    "TermLike",
    "definitions",
    "formula",
    "function",
    "named",
    "parts_of_term",
    "positive_part",
    "sum_over",
    "term",
    "total",
    "when",
]


class Term:
    """An expression: an operation applied to parts.

    It has the operators of a number, so that a formula written once for numbers also
    writes itself down.

    Attributes:
        head: The operation of the format; or "number", "named", "variable", a kind of pair.
        parts: What it is applied to.

    Example:
        >>> x = named("x", term("1/3"))
        >>> (term(3) / 4 + x).json
        ['add', ['div', '0x3', '0x4'], {'ref': 'x'}]
    """

    __slots__ = ("head", "parts")
    head: str
    parts: tuple[Any, ...]

    def __init__(self, head: str, *parts: Any) -> None:
        object.__setattr__(self, "head", head)
        object.__setattr__(self, "parts", parts)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a term does not change. Make another one.")

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

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term) or "variable" in (self.head, other.head):
            raise TypeError("a term has no value to compare. Use value(...), or a relation.")
        return False

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError("a term is neither true nor false. Use value(...), or when(...).")

    def __neg__(self) -> Term:
        return Term("neg", self)

    def __abs__(self) -> Term:
        return Term("abs", self)

    def __repr__(self) -> str:
        return f"Term({self.json!r})"


TermLike = Term | ExactLike | Enclosure | str
"""A term, or a number that is one; what lies between two numbers has no certificate."""

Scalar = Exact | Term
"""What a formula of a paper is evaluated in: exact numbers, or terms."""

Outcome = int | Sequence[int]


def term(number: TermLike) -> Term:
    """Return a number as a term: a hexadecimal rational, or a quotient of powers of e.

    Example:
        >>> term("-3/4").json, term(Exact.exp("1/2")).json
        ('-0x3/0x4', ['exp', '0x1/0x2'])
    """
    if isinstance(number, Term):
        return number
    if isinstance(number, Enclosure):
        return Term("enclosed", number)
    return _whole(number) if type(number) is int else Term("number", Exact(number))


@lru_cache(maxsize=1024)
def _whole(number: int) -> Term:
    return Term("number", Exact(number))


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
        >>> sum_over("i", 1, 4, lambda i: i * i).json
        ['sum', 'i', '0x1', '0x4', ['mul', {'ref': 'i'}, {'ref': 'i'}]]
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


class TermFunctions:
    """The functions of a published formula over terms (see numbers/real_functions)."""

    @property
    def pi(self) -> Term:
        """The number π."""
        return Term("pi")

    def constant(self, value: Any) -> Term:
        """Return a number."""
        return term(value)

    def exp(self, x: TermLike) -> Term:
        """Return e^x."""
        return function("exp", x)

    def expm1(self, x: TermLike) -> Term:
        """Return e^x − 1."""
        return function("exp", x) - 1

    def log(self, x: TermLike) -> Term:
        """Return ln x."""
        return function("log", x)

    def log1p(self, x: TermLike) -> Term:
        """Return ln(1 + x)."""
        return function("log", 1 + term(x))

    def sqrt(self, x: TermLike) -> Term:
        """Return √x."""
        return function("sqrt", x)

    def erf(self, x: TermLike) -> Term:
        """Return 2Φ(x√2) − 1."""
        return 2 * self.normal_cdf(term(x) * self.sqrt(2)) - 1

    def erfc(self, x: TermLike) -> Term:
        """Return 2Φ(−x√2)."""
        return 2 * self.normal_cdf(-(term(x) * self.sqrt(2)))

    def normal_cdf(self, x: TermLike) -> Term:
        """Return Φ(x)."""
        return function("normal_cdf", x)

    def maximum(self, x: TermLike, y: TermLike) -> Term:
        """Return the larger of two."""
        return function("max", x, y)

    def minimum(self, x: TermLike, y: TermLike) -> Term:
        """Return the smaller of two."""
        return function("min", x, y)


def formula(bound: Bound, /, **arguments: TermLike) -> Term:
    """Return a published formula, written over a number system, as a term.

    Example:
        >>> formula(lambda f, *, x: f.exp(x) - 1, x="1/2").json
        ['sub', ['exp', '0x1/0x2'], '0x1']
    """
    value = bound(TermFunctions(), **{name: term(x) for name, x in arguments.items()})
    return term(value)


# --- for the kernel -------------------------------------------------------------------------


def definitions(terms: Sequence[Term]) -> list[tuple[str, Any]]:
    """Return the named terms in these, inner ones first: (name, JSON).

    Raises:
        DomainError: If two different terms have one name.
    """
    found = dict[str, Any]()
    for part in parts_of_term(tuple(terms)):
        if part.head == "named":
            name, written = part.parts[0], part.parts[1].json
            if found.setdefault(name, written) != written:
                raise DomainError(f"two terms are named {name!r}. Give each a name of its own.")
    return list(found.items())


def parts_of_term(whole: object) -> Iterator[Term]:
    """Yield the terms in a term, or in a tuple of terms: each once, inner ones first."""
    todo, seen = [(whole, False)], set[int]()
    while todo:
        part, is_read = todo.pop()
        if isinstance(part, tuple):
            todo += [(inner, False) for inner in reversed(part)]
        elif isinstance(part, Term) and is_read:
            yield part
        elif isinstance(part, Term) and id(part) not in seen:
            seen.add(id(part))  # a term may stand at many places
            todo += [(part, True), (part.parts, False)]


def _json(t: Term) -> Any:
    match t.head:
        case "number":
            return _written(t.parts[0])
        case "enclosed":
            raise DomainError(f"a number in {t.parts[0]} has no form in a certificate.")
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
