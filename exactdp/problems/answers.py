"""Answers: numbers as they leave the library, and their JSON.

An answer has four forms of one number: exact, as a rational string (or null);
a correctly rounded decimal; decimal bounds below and above; the nearest doubles
below and above. Infinity is the string "infinity" as decimal, lower and upper; a
double that would be infinite is null, since JSON has no infinity.

Definitions: :class:`Answer`, :class:`Answers`, :func:`answer_of`,
:func:`answer_of_epsilon`, :func:`answers_json`.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec
from flint import fmpq
from msgspec import UNSET, Struct, UnsetType

from exactdp.numbers import (
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

__all__ = ["Answer", "Answers", "answer_of", "answer_of_epsilon", "answers_json"]

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
        decimal: Correctly rounded to the digits asked for, ties to even.
        lower: A decimal that is at most the answer.
        upper: A decimal that is at least the answer; equal to lower if that is exact.
        float_below: The largest double that is at most the answer; null for infinity.
        float_above: The smallest double that is at least it; null for infinity.
        bound: Where messages were merged on request: whether the answer is a "lower"
            or an "upper" bound on the same question about the whole view.
    """

    ask: str
    at: dict[str, str | int] | str | int | None
    exact: str | None
    expression: str | UnsetType = UNSET
    decimal: str
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
