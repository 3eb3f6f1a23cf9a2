"""Terms in balls: over many denominators powers of e have no common one, and exact sums are long.

A sum is one ball at each precision that is asked, rather than a computable real for each of its
parts: whole numbers and ratios in it stay exact, which cases and indices need.

Definitions: :class:`InBalls`, :func:`used_in`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from operator import add, sub
from typing import Any

from flint import arb, fmpq, fmpz

from exactdp.claims.terms import Term, parts_of_term
from exactdp.claims.values import TIE_BITS, Evaluation
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Exact, Number, Real, precision, working_bits
from exactdp.numbers.balls import normal_cdf_of, precisions
from exactdp.numbers.effort import spend

__all__ = ["InBalls", "used_in"]

_REAL = {"cos", "enclosed", "exp", "log", "normal_cdf", "pi", "sqrt"}
"""Operations whose values are seldom ratios."""


def used_in(part: Term) -> tuple[str, ...]:
    """Return the operation of a part; a number that is a power of e has one of its own.

    Example:
        >>> from exactdp.claims.terms import term
        >>> used_in(term(2)), used_in(term(Exact.exp(1)))
        (('number',), ('number', 'exp'))
    """
    is_power = part.head == "number" and not part.parts[0].is_rational
    return (part.head, "exp") if is_power else (part.head,)


class InBalls(Evaluation):
    """The values of terms as ratios and computable reals.

    Example:
        >>> from exactdp.claims.terms import sum_over, term
        >>> x = term(Exact.exp(1))
        >>> print(InBalls().number(sum_over("i", 0, 2, lambda i: x**i)))  # 1 + e + e^2
        11.107337927389695
    """

    def number(self, t: Term) -> Number:
        """Return the value of a term: exact if it is a ratio."""
        found = super().number(t)
        if not isinstance(found, Exact) or found.is_rational:
            return found
        return Real(lambda: found.ball(working_bits()), str(t.head))

    def exact(self, t: Term) -> Exact:
        """Return the value of a mass, which the exact field holds."""
        return Evaluation().exact(t)

    def _sum(self, t: Term) -> Number:
        is_real = any(_REAL.intersection(used_in(part)) for part in parts_of_term(t))
        return _sum_in_balls(t) if is_real and not self.sums else super()._sum(t)


def _sum_in_balls(t: Term) -> Real:
    """Return the value of a sum, no part of which is read outside of it.

    Raises:
        UndecidedError: If balls do not tell its cases apart.
    """

    @lru_cache(maxsize=8)
    def ball(bits: int) -> arb:
        with precision(bits):
            try:
                return arb(_Balls().number(t))
            except UndecidedError:  # at this precision
                return arb.nan()

    if not any(ball(bits).is_finite() for bits in precisions(max_bits=TIE_BITS)):
        raise UndecidedError("a case in a sum cannot be decided. Let its sides be further apart.")
    return Real(lambda: ball(working_bits()), "a sum")


class _Balls(Evaluation):
    """The values of terms at FLINT's working precision: an fmpq if it is a ratio, else a ball."""

    def number(self, t: Term) -> Any:
        return _small(t.parts[0]) if t.head == "number" else super().number(t)

    def _computed(self, t: Term) -> Any:
        operation = _OPERATIONS.get(t.head)
        if operation is not None:
            return operation(*map(self.number, t.parts))
        if t.head == "pow":
            return _power(*map(self.number, t.parts))
        if t.head == "when":
            sign, left, right, then, otherwise = t.parts
            is_so = _is_so(sign, self.number(left), self.number(right))
            return self.number(then if is_so else otherwise)
        if t.head in ("named", "sum"):
            return super()._computed(t)
        exactly = InBalls()  # a law has exact masses
        whole: Mapping[str, Any] = self.variables
        exactly.variables = {name: Exact(value) for name, value in whole.items()}
        self.reads += len(exactly.variables)
        return _small(exactly.number(t))

    def _sum(self, t: Term) -> Any:
        name, first, last, body = t.parts
        low, high = (_whole(self.number(end)) for end in (first, last))
        total: Any = fmpq(0)
        self.sums += 1
        for i in range(low, high + 1):
            self.variables[name] = fmpq(i)  # type: ignore[assignment]
            total += self.number(body)
            spend(1)
        self.sums -= 1
        self.variables.pop(name, None)
        return total


def _small(number: Number) -> Any:
    ratio = number.ratio if isinstance(number, Exact) else None
    return number.ball(working_bits()) if ratio is None else ratio


def _product(x: Any, y: Any) -> Any:
    return x * y if x != 0 and y != 0 else fmpq(0)


def _quotient(x: Any, y: Any) -> Any:
    if y == 0:
        raise DomainError("division by zero")
    return x / y


def _power(x: Any, exponent: Any) -> Any:
    power = _whole(exponent)
    return x**power if power >= 0 else _quotient(1, x**-power)


def _largest(x: Any, y: Any) -> Any:
    return max(x, y) if isinstance(x, fmpq) and isinstance(y, fmpq) else arb(x).max(arb(y))


def _smallest(x: Any, y: Any) -> Any:
    return -_largest(-x, -y)


def _binomial(n: Any, k: Any) -> fmpq:
    a, b = _whole(n), _whole(k)
    return fmpq(fmpz.bin_uiui(a, b)) if 0 <= b <= a else fmpq(0)


def _whole(x: Any) -> int:
    if not isinstance(x, fmpq) or x.q != 1:
        raise DomainError(f"{x} is not a whole number.")
    return int(x.p)


def _is_so(sign: str, x: Any, y: Any) -> bool:
    """Return whether a relation holds, if balls tell."""
    match sign:
        case "<" | ">":
            low, high = (x, y) if sign == "<" else (y, x)
            if low < high:
                return True
            if low >= high:
                return False
        case "<=" | ">=":
            return not _is_so("<" if sign == ">=" else ">", x, y)
        case "!=":
            return not _is_so("=", x, y)
        case "=":
            if isinstance(x, fmpq) and isinstance(y, fmpq):
                return bool(x == y)
            if x < y or x > y:
                return False
    raise UndecidedError(f"{x} {sign} {y} is not decided. Raise the precision.")


def _on_ball(function: Callable[[arb], arb]) -> Callable[[Any], arb]:
    return lambda x: function(arb(x))


_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "add": lambda *x: reduce(add, x),
    "mul": lambda *x: reduce(_product, x),
    "sub": sub,
    "div": _quotient,
    "neg": lambda x: -x,
    "abs": lambda x: _largest(x, -x),
    "positive_part": lambda x: _largest(fmpq(0), x),
    "max": lambda *x: reduce(_largest, x),
    "min": lambda *x: reduce(_smallest, x),
    "binomial": _binomial,
    "exp": _on_ball(arb.exp),
    "log": _on_ball(arb.log),
    "cos": _on_ball(arb.cos),
    "sqrt": _on_ball(arb.sqrt),
    "pi": arb.pi,
    "normal_cdf": _on_ball(normal_cdf_of),
}
