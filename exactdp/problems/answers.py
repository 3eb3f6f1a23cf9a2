"""Answers: numbers as they leave the library, and their JSON.

An answer has four forms of one number: exact, as a rational string (or null);
a correctly rounded decimal; decimal bounds below and above; the nearest doubles
below and above. Infinity is the string "infinity" as decimal, lower and upper; a
double that would be infinite is null, since JSON has no infinity.

Definitions: :class:`Answer`, :class:`Answers`, :func:`answer_of`,
:func:`answer_of_epsilon`, :func:`answer_of_enclosure`, :func:`answers_json`.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec
from flint import fmpq
from msgspec import UNSET, Struct, UnsetType

from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    Rounding,
    decimal,
    enclosure,
    exact_text,
    float_above,
    float_below,
)

__all__ = [
    "Answer",
    "Answers",
    "answer_of",
    "answer_of_enclosure",
    "answer_of_epsilon",
    "answers_json",
]

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
        bound: Where messages were merged on request: whether the answer is a "lower"
            or an "upper" bound on the same question about the whole view.
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
    bound: Literal["lower", "upper"] | UnsetType = UNSET


class Answers(Struct, frozen=True, kw_only=True):
    """The answers to all questions of a problem file, in the file's order."""

    format: Literal["exactdp-answers/1"] = "exactdp-answers/1"
    answers: list[Answer]


def answer_of(
    value: Number,
    *,
    digits: int,
    relative_width: fmpq,
    expression: str | None = None,
    **question: Any,
) -> Answer:
    """Return a number as an answer.

    Args:
        value: The number.
        digits: The significant digits of the decimal.
        relative_width: How far apart lower and upper may be, relative to the value.
        expression: What to show if it is not rational.
        question: The answer's ``ask``, ``at`` and ``bound``.

    Example:
        >>> answer = answer_of(
        ...     Exact("1/12"), digits=4, relative_width=fmpq(1, 100), ask="total_variation", at=None
        ... )
        >>> answer.exact, answer.decimal, answer.lower, answer.upper
        ('1/12', '0.08333', '0.083333', '0.083334')
    """
    exact = exact_text(value)
    shown = UNSET if exact is not None or expression is None else expression
    if isinstance(shown, str) and len(shown) > MAX_EXPRESSION:
        shown = UNSET
    lower, upper = _bounds(value, digits=digits, relative_width=relative_width)
    return Answer(
        exact=exact,
        expression=shown,
        decimal=decimal(value, digits=digits),
        lower=lower,
        upper=upper,
        float_below=_finite(float_below(value)),
        float_above=_finite(float_above(value)),
        **question,
    )


def answer_of_epsilon(
    value: Epsilon, *, digits: int, relative_width: fmpq, **question: Any
) -> Answer:
    """Return an epsilon, in nats, as an answer.

    Example:
        >>> asked = {"digits": 4, "relative_width": fmpq(1, 9), "ask": "max_divergence", "at": None}
        >>> answer = answer_of_epsilon(Epsilon.log(3), **asked)
        >>> answer.exact, answer.expression, answer.decimal
        (None, 'log(3)', '1.099')
        >>> answer_of_epsilon(Epsilon.infinity(), **asked).upper
        'infinity'
    """
    if value.is_infinite:
        return Answer(
            exact=None,
            decimal=INFINITY,
            lower=INFINITY,
            upper=INFINITY,
            float_below=None,
            float_above=None,
            **question,
        )
    return answer_of(
        value.nats,
        digits=digits,
        relative_width=relative_width,
        expression=f"log({value.exp.expression()})",
        **question,
    )


def answer_of_enclosure(
    value: Enclosure,
    *,
    digits: int,
    relative_width: fmpq,
    safe: Rounding | None = None,
    **question: Any,
) -> Answer:
    """Return a number that is known by an enclosure as an answer.

    Args:
        value: Contains the number; a point is an exact answer.
        digits: The most significant digits of the decimal.
        relative_width: How far apart lower and upper may be, relative to the value.
        safe: For a calibrated parameter, the direction in which a larger or smaller
            value still satisfies the target: the decimal is rounded that way, from
            the safe end.
        question: The answer's ``ask``, ``at`` and ``bound``.

    Example:
        >>> from fractions import Fraction
        >>> around = Enclosure(Fraction("0.123449"), Fraction("0.123451"))
        >>> width = fmpq(1, 10000)
        >>> asked = {"digits": 17, "relative_width": width, "ask": "sigma", "at": None}
        >>> answer_of_enclosure(around, **asked).decimal
        '0.12345'
        >>> answer_of_enclosure(around, safe=Rounding.UP, **asked).decimal
        '0.1234510'
    """
    if value.lower == value.upper and safe is None:
        width = relative_width
        return answer_of(Exact(value.lower), digits=digits, relative_width=width, **question)
    # Two digits more than the width distinguishes: rounding outward costs little of it.
    shown = len(str((1 / relative_width).ceil())) + 2
    lower, upper = Exact(value.lower), Exact(value.upper)
    if safe is None:
        text = _common_decimal(lower, upper, digits=min(digits, shown))
    else:
        end = upper if safe is Rounding.UP else lower
        text = decimal(end, digits=min(digits, shown), rounding=safe)
    return Answer(
        exact=exact_text(lower) if value.lower == value.upper else None,
        decimal=text,
        lower=decimal(lower, digits=shown, rounding=Rounding.DOWN),
        upper=decimal(upper, digits=shown, rounding=Rounding.UP),
        float_below=_finite(float_below(lower)),
        float_above=_finite(float_above(upper)),
        **question,
    )


def _common_decimal(lower: Exact, upper: Exact, *, digits: int) -> str | None:
    """Return the longest decimal to which all numbers between two round; None if there is none."""
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


def _bounds(value: Number, *, digits: int, relative_width: fmpq) -> tuple[str, str]:
    # 10^(1 - d) is the largest relative step of a decimal with d digits; two steps and
    # an enclosure of a tenth of one are within relative_width for d as below.
    needed = len(str((1 / relative_width).ceil())) + 2
    shown = max(digits, needed)
    if isinstance(value, Exact):
        lower = upper = value
    else:
        # A computable real may sit on a decimal, where rounding it cannot be decided;
        # the ends of an enclosure are rational, so rounding those outward can.
        around = enclosure(value, relative_bits=math.ceil(shown * math.log2(10)) + 8)
        lower, upper = Exact(around.lower), Exact(around.upper)
    return (
        decimal(lower, digits=shown, rounding=Rounding.DOWN),
        decimal(upper, digits=shown, rounding=Rounding.UP),
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
