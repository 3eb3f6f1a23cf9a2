"""The two sides that a refutation compares, as numbers, read off its certificate.

A refutation negates the claim, so its right side is what the print allows or asserts, and its
left side what is true; where only the right side is about a law, it is the other way round.

Definitions: :func:`sides_of`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import chain

from exactdp.claims.certificate import Certificate
from exactdp.claims.in_balls import InBalls, used_in
from exactdp.claims.terms import Term, parts_of_term
from exactdp.claims.values import Evaluation
from exactdp.claims.verdicts import Evidence, Quantity, Sides
from exactdp.errors import ExactDPError, UndecidedError
from exactdp.numbers import Exact, Number, Real, decimal, working_bits
from exactdp.numbers.effort import remembered

__all__ = ["numbers_of", "sides_of"]

_OF_LAWS = {"hockey_stick", "total_variation", "mass", "event", "ldp_ratio", "entry", "row_sum"}
_FUNCTIONS = {"exp", "log", "cos", "sqrt", "normal_cdf", "binomial", "sum"} | _OF_LAWS
_DIGITS = (12, 24)
"""The digits of a side; more, where so many do not tell the two apart."""

_LONGEST = 100
"""The characters of an exact side: a longer one is its decimal, and the certificate has it."""

_FEW, _LONG = 60, {"sum", "shuffle"}
"""Parts up to which an expression in powers of e is exact, and heads with which it never is.

Others are computed in balls: an exact sum of hundreds of powers takes minutes."""


def sides_of(certificate: Evidence | None) -> Sides | None:
    """Return the two numbers that the certificate of a refutation compares.

    None without one, or where the engine does not evaluate its terms: the kernel's statement
    then has them alone.

    The first of its relations that is more than arithmetic of constants decides, one between
    positive numbers before others.

    Example:
        >>> from exactdp.claims import finite_pair, hockey_stick, term
        >>> delta = hockey_stick(finite_pair(["3/4", "1/4"], ["1/4", "3/4"]), 2)
        >>> pair = sides_of(Certificate([(">", delta, term("1/8"))]))
        >>> pair.stated, pair.sign, pair.true
        (Quantity(exact='1/8', decimal='0.125'), '>', Quantity(exact='1/4', decimal='0.25'))
    """
    if not isinstance(certificate, Certificate):
        return None
    left_over: Sides | None = None
    for sign, *terms in certificate.conclusion:
        used = [set(_operations(side)) for side in terms]
        says = sign != "=" and bool(_FUNCTIONS & (used[0] | used[1]))
        if left_over is not None and not says:
            continue
        numbers = numbers_of(terms)
        if numbers is None:
            continue
        swapped = bool(used[1] & _OF_LAWS) and not used[0] & _OF_LAWS
        left, right = _quantities(*numbers, sign)
        found = Sides(left, sign, right, ("left" if swapped else "right") if says else None)
        if not found.are_numbers:
            continue
        if says and found.times is not None:
            return found
        if left_over is None or (says and left_over.claimed is None):
            left_over = found
    return left_over


def numbers_of(terms: Sequence[Term]) -> tuple[Number, Number] | None:
    """Return two terms as numbers; None if the engine has no value for one of them.

    What decided a relation is asked for once more by what shows it: the last two are remembered.
    """
    return _numbers(*map(_Same, terms))


@dataclass(frozen=True, slots=True)
class _Same:
    """A term that is equal to itself alone: to compare two takes as long as they are."""

    term: Term

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.term is other.term

    def __hash__(self) -> int:
        return id(self.term)


@remembered(maxsize=2)
def _numbers(*sides: _Same) -> tuple[Number, Number] | None:
    terms = [side.term for side in sides]
    parts = list(parts_of_term(tuple(terms)))
    many = len(parts) > _FEW or any(part.head in _LONG for part in parts)
    is_rational = not any("exp" in used_in(part) for part in parts)
    for kind in (Evaluation, InBalls) if is_rational or not many else (InBalls,):
        evaluation = kind()
        with suppress(ExactDPError):  # masses that only the kernel computes; too large; undecided
            left, right = map(evaluation.number, terms)
            return _once(left), _once(right)
    return None


def _once(number: Number) -> Number:
    """Return the number with its balls remembered: it is compared, and then printed."""
    if isinstance(number, Exact):
        return number
    ball = lru_cache(maxsize=8)(number.ball)
    return Real(lambda: ball(working_bits()), number.text)


def _quantities(left: Number, right: Number, sign: str) -> tuple[Quantity, Quantity]:
    for digits in _DIGITS:
        found = _quantity(left, digits), _quantity(right, digits)
        if sign == "=" or Decimal(found[0].decimal) != Decimal(found[1].decimal):
            break
    return found


def _quantity(number: Number, digits: int) -> Quantity:
    if not isinstance(number, Exact):
        try:
            return Quantity(None, decimal(number, digits=digits))
        except UndecidedError:  # a real that is a short decimal cannot be told from it
            return Quantity(None, str(number.ball(128).str(digits, radius=False)))
    text = number.expression() if _is_short(number) else ""
    exact = text if 0 < len(text) <= _LONGEST else None
    shown = decimal(number, digits=digits)
    if exact is not None and number.is_rational and Fraction(shown) == number.as_fraction():
        mantissa, e, exponent = shown.partition("e")
        shown = (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + e + exponent
    return Quantity(exact, shown)


def _is_short(number: Exact) -> bool:
    """Return whether it may be written out: a long polynomial or integer would take long."""
    terms = [*number.numerator.coeffs(), *number.denominator.coeffs()]
    return len(terms) <= _LONGEST and all(int(c).bit_length() <= 4 * _LONGEST for c in terms)


def _operations(whole: Term) -> Iterator[str]:
    """Yield the operations in a term, named parts included."""
    return chain.from_iterable(map(used_in, parts_of_term(whole)))
