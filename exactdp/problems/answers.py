"""Answers: numbers as they leave the library, and their JSON.

An answer has four forms of one number: exact, as a rational string (or null);
a correctly rounded decimal; decimal bounds below and above; the nearest doubles
below and above. Infinity is the string "infinity" as decimal, lower and upper; a
double that would be infinite is null, since JSON has no infinity.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    Rounding,
    decimal,
    enclosure,
    exact_text,
    float_above,
    float_below,
    rational,
)
from exactdp.shuffle import Bounds

__all__ = ["Answer", "Answers", "answer_of", "answers_json"]

MAX_EXPRESSION = 2_000
INFINITY = "infinity"


class Answer(Struct, frozen=True, kw_only=True):
    """The answer to one question.

    Attributes:
        ask: What was asked, as in the file.
        at: The value at which it was asked, as the file writes it; null if none.
        exact: The answer as a rational; null if it is not known to be rational.
        expression: The exact answer in powers of e, or as a logarithm; only for an
            answer with no ``exact``, and only up to 2,000 characters.
        decimal: Correctly rounded to the digits asked for, ties to even. Where the answer
            is an enclosure of a set width: to as many digits as that determines (null if
            none); where it is a calibrated parameter: rounded to the safe side.
        lower: A decimal that is at most the answer.
        upper: A decimal that is at least the answer; equal to lower if that is exact.
        float_below: The largest double that is at most the answer; null for infinity.
        float_above: The smallest double that is at least it; null for infinity.
        lower_by: What lower is the value of, where lower and upper are bounds of different
            origin, which may lie further apart than the width asked for.
        upper_by: What upper is the value of, likewise.
        bound: Where messages were merged on request: whether the answer is a "lower"
            or an "upper" bound on the same question about the whole view.
        note: What the answer does not show of a mechanism, where something is open.
    """

    ask: str
    at: dict[str, Any] | str | int | None
    exact: str | None
    expression: str | UnsetType = UNSET
    decimal: str | None
    lower: str
    upper: str
    float_below: float | None
    float_above: float | None
    lower_by: str | UnsetType = UNSET
    upper_by: str | UnsetType = UNSET
    bound: Literal["lower", "upper"] | UnsetType = UNSET
    note: str | UnsetType = UNSET


class Answers(Struct, frozen=True, kw_only=True):
    """The answers to all questions of a problem file, in the file's order."""

    format: Literal["exactdp-answers/1"] = "exactdp-answers/1"
    answers: list[Answer]


def answer_of(
    value: Number | Epsilon | Enclosure,
    *,
    digits: int,
    relative_width: RationalLike,
    formula: str | None = None,
    safe: Rounding | None = None,
    **question: Any,
) -> Answer:
    """Return a number as an answer.

    Args:
        value: The number, an epsilon (in nats), or an enclosure of a number, of which a
            point is an exact answer.
        digits: The significant digits of the decimal; of an enclosure, the most.
        relative_width: How far apart lower and upper may be, relative to the value.
        formula: What to show of a computable real.
        safe: For a calibrated parameter, the direction in which other values still satisfy
            the target: the decimal is rounded that way, from the safe end.
        question: The answer's ``ask``, ``at``, ``bound`` and ``note``.

    Example:
        >>> asked = {"digits": 4, "relative_width": "1e-2", "ask": "epsilon", "at": "0"}
        >>> answer = answer_of(Exact("1/12"), **asked)
        >>> answer.exact, answer.decimal, answer.lower, answer.upper
        ('1/12', '0.08333', '0.083333', '0.083334')
        >>> answer = answer_of(Epsilon.log(3), **asked)
        >>> answer.exact, answer.expression, answer.decimal
        (None, 'log(3)', '1.099')
        >>> answer_of(Epsilon.infinity(), **asked).upper
        'infinity'
        >>> from fractions import Fraction
        >>> around = Enclosure(Fraction("0.123449"), Fraction("0.123451"))
        >>> asked = {"digits": 17, "relative_width": "1e-4", "ask": "sigma", "at": None}
        >>> answer_of(around, **asked).decimal
        '0.12345'
        >>> answer_of(around, safe=Rounding.UP, **asked).decimal
        '0.1234510'
    """
    # Two digits more than the width distinguishes: rounding outward costs little of it.
    needed = len(str((1 / rational(relative_width)).ceil())) + 2
    if isinstance(value, Bounds):
        question |= {"lower_by": value.lower_by, "upper_by": value.upper_by}
    if isinstance(value, Enclosure) and value.lower == value.upper and safe is None:
        value = Exact(value.lower)
    if isinstance(value, Epsilon):
        if value.is_infinite:
            question |= dict.fromkeys(("decimal", "lower", "upper"), INFINITY)
            return Answer(exact=None, float_below=None, float_above=None, **question)
        formula, value = f"log({value.exp.expression()})", value.nats
    elif isinstance(value, Exact):
        formula = _expression(value)
    ends: tuple[Number, Number]
    around: tuple[Number, Number]
    if isinstance(value, Enclosure):
        low, high = Exact(value.lower), Exact(value.upper)
        ends, around, places = (low, high), (low, high), needed
        exact = exact_text(low) if low == high else None
        shown = _shown(low, high, digits=min(digits, needed), safe=safe)
    else:
        ends, around, places = (value, value), (value, value), max(digits, needed)
        exact, shown = exact_text(value), decimal(value, digits=digits)
        if isinstance(value, Real):
            # A computable real may sit on a decimal, where rounding it cannot be decided;
            # the ends of an enclosure are rational, so rounding those outward can.
            ball = enclosure(value, relative_bits=math.ceil(places * math.log2(10)) + 8)
            ends = (Exact(ball.lower), Exact(ball.upper))
    is_shown = exact is None and formula is not None and len(formula) <= MAX_EXPRESSION
    return Answer(
        exact=exact,
        expression=formula if is_shown and formula is not None else UNSET,
        decimal=shown,
        lower=decimal(ends[0], digits=places, rounding=Rounding.DOWN),
        upper=decimal(ends[1], digits=places, rounding=Rounding.UP),
        float_below=_finite(float_below(around[0])),
        float_above=_finite(float_above(around[1])),
        **question,
    )


def _expression(value: Exact) -> str | None:
    # An answer of high degree has a text far longer than what would be shown.
    is_long = value.numerator.degree() + value.denominator.degree() > 1_000
    return None if is_long else value.expression()


def _shown(lower: Exact, upper: Exact, *, digits: int, safe: Rounding | None) -> str | None:
    """Return the safe end; else the longest decimal to which all numbers between round, if any."""
    if safe is not None:
        return decimal(upper if safe is Rounding.UP else lower, digits=digits, rounding=safe)
    for count in range(digits, 0, -1):
        text = decimal(lower, digits=count)
        if text == decimal(upper, digits=count):
            return text
    return None


def answers_json(answers: Answers) -> str:
    """Return the answers as JSON text, indented.

    Example:
        >>> print(answers_json(Answers(answers=[])))
        {
          "format": "exactdp-answers/1",
          "answers": []
        }
    """
    return msgspec.json.format(msgspec.json.encode(answers), indent=2).decode()


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
