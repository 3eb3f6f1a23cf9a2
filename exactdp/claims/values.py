"""The values of terms, by the engine: exact where the exact field holds them, else reals.

Definitions: :func:`value`, :func:`evaluator`, :func:`exact_value`, :func:`truth_of`, and ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb
from operator import add
from typing import Any, TypeVar

from flint import arb, fmpz

from exactdp.claims.printing import shown
from exactdp.claims.terms import Outcome, Term, TermLike, term
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    Real,
    cos,
    exp,
    fmpq_of,
    is_below,
    log,
    normal_cdf,
    pi,
    sqrt,
    working_bits,
)
from exactdp.numbers.balls import ball_of_interval
from exactdp.numbers.effort import remembered, spend
from exactdp.numbers.reals import larger_number
from exactdp.shuffle import ShuffleView, Users, Victim, shuffle_view
from exactdp.truth import Truth

__all__ = ["evaluator", "exact_value", "likelihood_ratios", "truth_of", "value"]

Value = TypeVar("Value")

TIE_BITS = 1 << 12
"""Reals that agree to so many bits are not told apart."""


def value(t: TermLike) -> Number:
    """Return the value of a term: exact where the exact field holds it, else a real.

    Raises:
        UndecidedError: If a case distinction inside cannot be decided.

    Example:
        >>> value(term(3) / 4 + "1/3")
        Exact('13/12')
    """
    return _value(term(t))


@remembered(maxsize=64)
def _value(t: Term) -> Number:
    """Return the value of one term object, kept for claims that compare one number with several."""
    return Evaluation().number(t)


def evaluator() -> Callable[[TermLike], Number]:
    """Return :func:`value` for several terms; each named part is computed once."""
    evaluation = Evaluation()
    return lambda t: evaluation.number(term(t))


def exact_value(t: TermLike) -> Exact:
    """Return the value of a term whose value the exact field holds.

    Raises:
        DomainError: If it does not.
    """
    found = value(t)
    if not isinstance(found, Exact):
        raise DomainError(f"{shown(term(t))} is not a number of the exact field. Use value(...).")
    return found


def likelihood_ratios(pair: Term) -> list[Exact]:
    """Return the positive finite P(y)/Q(y), ascending: where γ -> D_γ(P ‖ Q) bends.

    Example:
        >>> from exactdp.claims.laws import finite_pair
        >>> likelihood_ratios(finite_pair(["1/2", "1/4", "1/4"], ["1/4", "3/4", 0]))
        [Exact('1/3'), Exact('2')]
    """
    laws = Evaluation()._pair(pair)
    masses = (laws if isinstance(laws, Pair) else _view(laws).pair).masses()
    return sorted({p / q for p, q in masses if p != 0 and q != 0})


class Evaluation:
    """One evaluation: names, and parts of a sum free of its index, are computed once."""

    def __init__(self) -> None:
        self.variables: dict[str, Number] = {}
        self.known: dict[str, tuple[Term, Any]] = {}
        self.laws: dict[int, tuple[_Laws, _Law]] = {}
        self.constant: dict[int, tuple[Term, Number]] = {}
        self.sums = self.reads = 0

    def number(self, t: Term) -> Number:
        """Return the value of a term."""
        if t.head == "number":
            return t.parts[0]  # type: ignore[no-any-return]
        if t.head == "variable":
            self.reads += 1
            if t.parts[0] not in self.variables:
                raise DomainError(
                    f"the variable {t.parts[0]!r} is read outside of its sum, or in a named "
                    "term: a name is defined once, for all values of the index."
                )
            return self.variables[t.parts[0]]
        if not self.sums:
            return self._computed(t)
        if id(t) not in self.constant:
            before, found = self.reads, self._computed(t)
            if self.reads != before:
                return found
            self.constant[id(t)] = (t, found)
        return self.constant[id(t)][1]

    def _computed(self, t: Term) -> Number:
        operation = _OPERATIONS.get(t.head)
        if operation is not None:
            return operation(*map(self.number, t.parts))
        match t.head:
            case "enclosed":
                return _between(t.parts[0].lower, t.parts[0].upper)
            case "named":
                return self._defined(t, self.number)
            case "sum":
                return self._sum(t)
            case "when":
                sign, left, right, then, otherwise = t.parts
                truth = truth_of(sign, self.number(left), self.number(right))
                if truth.is_open:
                    raise UndecidedError(f"the case {sign} of {shown(t)} cannot be decided.")
                return self.number(then if truth.is_certain else otherwise)
            case "hockey_stick":
                return _hockey_stick(self._pair(t.parts[0]), self.number(t.parts[1]))
            case "total_variation":
                return _hockey_stick(self._pair(t.parts[0]), Exact(1))
            case "mass" | "event":
                pair, side, outcomes = t.parts
                many = outcomes if t.head == "event" else [outcomes]
                return self._law(self._pair(pair)).event(side, many)
            case "ldp_ratio":
                return _ldp_ratio(self._rows(t.parts[0]))
            case "entry":
                rows, i, j = t.parts
                return self._rows(rows)[_whole(self.number(i))][_whole(self.number(j))]
            case "pow":
                base, power = self.number(t.parts[0]), self.number(t.parts[1])
                return base ** _whole(power)
        raise DomainError(f"{t.head!r} is not an operation of the format.")

    def _sum(self, t: Term) -> Number:
        name, first, last, body = t.parts
        low, high = (_whole(self.number(end)) for end in (first, last))
        parts: list[Number] = []
        self.sums += 1
        for i in range(low, high + 1):
            self.variables[name] = Exact(i)
            parts.append(self.number(body))
            spend(100)  # about what a term of long fractions takes
        self.sums -= 1
        self.variables.pop(name, None)
        while len(parts) > 1:  # in pairs: a sum of a thousand reals is not a thousand calls deep
            parts = [_sum(*parts[i : i + 2]) for i in range(0, len(parts), 2)]
        return parts[0] if parts else Exact(0)

    def _defined(self, t: Term, compute: Callable[[Term], Value]) -> Value:
        name, definition = t.parts
        known = self.known.get(name)
        if known is None or known[0] is not definition:
            outside, self.variables = self.variables, {}
            known = (definition, compute(definition))
            self.variables = outside
            self.known[name] = known
        found: Value = known[1]
        return found

    def _law(self, laws: _Laws) -> _Law:
        # Looked up once; kept, so that its id is its own.
        if id(laws) not in self.laws:
            self.laws[id(laws)] = (
                laws,
                _Law(laws if isinstance(laws, Pair) else _histograms(laws)),
            )
        return self.laws[id(laws)][1]

    def _rows(self, t: Term) -> tuple[tuple[Exact, ...], ...]:
        if t.head == "named":
            return self._defined(t, self._rows)
        return tuple(tuple(map(self.exact, row)) for row in t.parts[0])

    def exact(self, t: Term) -> Exact:
        """Return the value of a mass, which the exact field holds."""
        found = self.number(t)
        if not isinstance(found, Exact):
            raise DomainError(f"the mass {shown(t)} is not a number of the exact field.")
        return found

    def _pair(self, t: Term) -> _Laws:
        if t.head == "named":
            return self._defined(t, self._pair)
        if t.head == "finite_pair":
            return _finite_pair(*(tuple(map(self.exact, law)) for law in t.parts))
        rows, victim, others, merge = t.parts
        return _View(tuple((name, self._rows(m)) for name, m in rows), victim, others, merge)


@remembered(maxsize=4096)
def _finite_pair(p: tuple[Exact, ...], q: tuple[Exact, ...]) -> Pair:
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


@remembered(maxsize=512)
def _view(protocol: _View) -> ShuffleView:
    built = {name: Randomizer.from_matrix(m) for name, m in protocol.rows}
    users = [Users(built[name], x, c) for name, x, c in protocol.others]
    who, inputs = protocol.victim
    classes = None if protocol.merge is None else [list(part) for part in protocol.merge]
    return shuffle_view(Victim(built[who], inputs), users, merge=classes)


@remembered(maxsize=512)
def _histograms(protocol: _View) -> Pair:
    """Return the view with one count a message (or class): also where that tells no more."""
    matrices = dict(protocol.rows)
    who, inputs = protocol.victim
    classes = protocol.merge or [(y,) for y in range(len(matrices[who][0]))]
    rows = [matrices[who][x] for x in inputs] + [matrices[r][x] for r, x, _ in protocol.others]
    merged = [[sum((row[y] for y in part), Exact(0)) for part in classes] for row in rows]
    counts = [c for _, _, c in protocol.others]
    return ShuffleView(merged, counts, classes=classes, is_lower_bound=False).pair


class _Law:
    """The masses of a pair by outcome."""

    def __init__(self, pair: Pair) -> None:
        self.places = {label: i for i, label in enumerate(pair.outcomes or range(len(pair)))}
        self.weights: dict[str, Any] = {"p": pair.p, "q": pair.q}
        self.totals = {"p": Exact(pair.p_total), "q": Exact(pair.q_total)}
        self.found: dict[tuple[str, tuple[Any, ...]], Exact] = {}

    def event(self, side: str, outcomes: Sequence[Outcome]) -> Exact:
        wanted = (side, tuple(outcomes))
        if wanted not in self.found:
            weights = self.weights[side]
            chosen = [weights[self.places[y]] for y in outcomes if y in self.places]
            self.found[wanted] = Exact(sum(chosen)) / self.totals[side]
        return self.found[wanted]


def _hockey_stick(laws: _Laws, gamma: Number) -> Number:
    if gamma == Exact(0):
        return Exact(1)
    if isinstance(gamma, Exact):
        return (laws if isinstance(laws, Pair) else _view(laws)).delta(Epsilon(gamma))
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
    if isinstance(x, Exact) and isinstance(y, Exact):
        return x * y
    if x == Exact(0) or y == Exact(0):
        return Exact(0)
    return x * y


def _whole(number: Number) -> int:
    if not isinstance(number, Exact) or not number.is_rational or number.as_fmpq().q != 1:
        raise DomainError(f"{number} is not a whole number.")
    return int(number.as_fmpq().p)


def _binomial(n: Number, k: Number) -> Exact:
    a, b = _whole(n), _whole(k)
    if not 0 <= b <= a:
        return Exact(0)
    return Exact(fmpz.bin_uiui(a, b) if a < 2**63 else comb(a, b))


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


def _between(low: Fraction, high: Fraction) -> Number:
    return Real(lambda: ball_of_interval(fmpq_of(low), fmpq_of(high)), "an enclosure")


def _largest(*numbers: Number) -> Number:
    return reduce(larger_number, numbers)


def _sum(*numbers: Number) -> Number:
    return reduce(add, numbers)


_OPERATIONS: Mapping[str, Callable[..., Number]] = {
    "add": _sum,
    "mul": lambda *x: reduce(_product, x),
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
    "cos": lambda x: Exact(1) if x == Exact(0) else cos(x),
    "sqrt": _sqrt,
    "pi": lambda: pi,
    "normal_cdf": lambda x: Exact("1/2") if x == Exact(0) else normal_cdf(x),
}


def truth_of(sign: str, left: Number, right: Number) -> Truth:
    """Return whether a relation holds between two numbers; one of < <= = != >= >.

    Example:
        >>> truth_of("<=", Exact(1), Exact("1/2"))
        <Truth.FALSE: 'false'>
    """
    match sign:
        case "<":
            return is_below(left, right, max_bits=TIE_BITS)
        case ">":
            return is_below(right, left, max_bits=TIE_BITS)
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
            return Truth.FALSE if any(x.is_certain for x in apart) else Truth.UNKNOWN
    raise DomainError(f"sign={sign!r} is none of < <= = != >= >.")
