"""Answers: numbers as they leave the library, and their JSON.

An answer has four forms of one number: exact, as a rational string (or null);
a correctly rounded decimal; decimal bounds below and above; doubles below and above.
All bounds are rounded outward.

Infinity, where no finite number is the answer (an epsilon that no finite one meets, the
maximal divergence of Gaussian noise), is the string "infinity" as decimal, lower and upper.
JSON has no infinite number: a double that would be infinite is null, also the one above a
finite answer beyond the largest double.

The decimal and the doubles of an enclosure depend on where its ends happen to lie, unless all
numbers between them have the same: then an answer is *settled*, a function of the truth alone,
whatever engine or machine found it (:func:`is_settled`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from flint import fmpq
from msgspec import UNSET, Struct, UnsetType

from exactdp.divergences.display import InNotebook, Table
from exactdp.divergences.values import Bounds
from exactdp.errors import BeyondRangeError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    Rounding,
    decimal,
    exact_text,
    float_above,
    float_below,
    rational,
)
from exactdp.numbers.digits import bracketed_decimal
from exactdp.numbers.rounding import ends, reached
from exactdp.problems.laws import SideNames
from exactdp.problems.schema import HOW_IT_IS_ASKED, Ask
from exactdp.problems.values import at_text

__all__ = [
    "OLD_ASKS",
    "Answer",
    "Answers",
    "AskName",
    "answer_of",
    "is_settled",
    "places_of",
]

MAX_EXPRESSION = 2_000  # the characters of an answer in powers of e, at most; longer ones go unsaid
_SHORT = 40  # the characters of an exact answer in a table; a longer one is left to the JSON
INFINITY = "infinity"

if TYPE_CHECKING:
    AskName: TypeAlias = str
else:
    AskName = Literal[tuple(x for x in Ask.__struct_fields__ if x not in HOW_IT_IS_ASKED)]
OLD_ASKS = {"rate": "sampling_probability", "sigma": "noise_multiplier"}
"""Names of asked parameters in files of earlier versions, where the law has no such parameter."""
Unit = Literal["probability", "nats", "units of the sensitivity", "copies", "coins"]

_UNITS: dict[str, Unit] = {
    **dict.fromkeys(
        (
            "delta",
            "hockey_stick",
            "total_variation",
            "trade_off",
            "sampling_probability",
            "rate",
            "kept",
        ),
        "probability",
    ),
    **dict.fromkeys(("epsilon", "renyi", "max_divergence", "epsilon0"), "nats"),
    "times": "copies",
    "trials": "coins",
}
"""The unit of each answer; scales of noise, which are left out, have that of the query."""


class Answer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer to one question.

    Attributes:
        ask: What was asked, as in the file.
        at: The value at which it was asked, as the file writes it; null if none.
        direction: "forward", D(P || Q), or "both", the worse of that and D(Q || P).
        unit: What the answer is counted in; epsilons and divergences are in nats.
        exact: The answer as a rational; null if it is not known to be rational.
        expression: The exact answer in powers of e, or as a logarithm; only for an
            answer with no ``exact``, and only up to 2,000 characters.
        decimal: Correctly rounded to the digits asked for, ties to even. Where the answer
            is an enclosure of a set width: to as many digits as that determines (null if
            none); where it is a calibrated parameter: rounded to the safe side.
        lower: A decimal that is at most the answer.
        upper: A decimal that is at least the answer; equal to lower if that is exact.
        tight: Whether the doubles are the nearest ones: adjacent, or equal. If false, they
            are the ends of an enclosure, lower and upper, rounded outward.
        float_below: A double that is at most the answer; null for infinity.
        float_above: A double that is at least it; null for infinity, and where the answer is
            beyond the largest double.
        lower_by: What lower is the value of, where lower and upper are bounds of different
            origin, which may lie further apart than the width asked for.
        upper_by: What upper is the value of, likewise.
        gap: (upper - lower)/lower of such bounds, as they stand here, rounded up to two digits.
        bound: Where messages were merged on request: whether the answer is a "lower"
            or an "upper" bound on the same question about the whole view.
        note: What the answer does not show, where something is open; else the route to it.
        published: Beside the ε of a worst case over all data, the published bounds.
    """

    ask: AskName
    at: dict[str, Any] | str | int | None
    direction: Literal["forward", "both"]
    unit: Unit
    exact: str | None
    expression: str | UnsetType = UNSET
    decimal: str | None
    lower: str
    upper: str
    tight: bool
    float_below: float | None
    float_above: float | None
    lower_by: str | UnsetType = UNSET
    upper_by: str | UnsetType = UNSET
    gap: str | UnsetType = UNSET
    bound: Literal["lower", "upper"] | UnsetType = UNSET
    note: str | UnsetType = UNSET
    published: list[PublishedBound] | UnsetType = UNSET

    def row(self, digits: int) -> list[str]:
        """Return a row of the table: question, place, number, exact form if short, bounds."""
        exact = self.expression if self.exact is None else self.exact
        return [
            self.ask,
            at_text(self.at),
            self._number(digits),
            exact if isinstance(exact, str) and len(exact) <= _SHORT else "",
            self.bound if isinstance(self.bound, str) else "",
        ]

    def _number(self, digits: int) -> str:
        ends, shown = bracketed_decimal(self.lower, self.upper), self.decimal or ""
        if isinstance(self.gap, str) and self.exact is None:
            return f"{ends}, gap {self.gap}"
        # The decimal is one that is asked for, exact, or a safe end; else it hides what is known.
        is_whole = self.tight or shown in (self.lower, self.upper)
        known = sum(map(str.isdigit, shown.partition("e")[0].lstrip("-0.")))
        return shown if shown and (is_whole or known >= digits) else ends


class PublishedBound(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published bound for the same question, and its ratio to the truth.

    Attributes:
        name: Whose bound it is.
        standing: Whether it is an upper bound, as far as this project knows.
        epsilon: Its ε, rounded up.
        at_least: ε over the answer's upper end, rounded down: so many times too much.
        at_most: ε over the answer's lower end, rounded up; null if that is 0.
    """

    name: str
    standing: str
    epsilon: str
    at_least: str
    at_most: str | None


class Answers(Struct, InNotebook, frozen=True, kw_only=True):
    """The answers to all questions of a problem file, in the file's order."""

    format: Literal["exactdp-answers/1"] = "exactdp-answers/1"
    sides: SideNames
    answers: list[Answer]

    def table(self, digits: int = 17) -> Table:
        """Return the answers as a table; numbers known to fewer digits have a bracket."""
        columns = ["ask", "at", "decimal", "exact"]
        if any(isinstance(answer.bound, str) for answer in self.answers):
            columns.append("bound")
        return "answers", columns, [one.row(digits)[: len(columns)] for one in self.answers]


def places_of(relative_width: RationalLike) -> int:
    """Return the significant digits of which one step is at most a width, relatively.

    Example:
        >>> places_of("1e-3"), places_of("1/2")
        (4, 2)
    """
    return len(str((1 / rational(relative_width)).ceil() - 1)) + 1


def is_settled(
    value: Number | Epsilon | Enclosure, *, places: int, relative_width: RationalLike
) -> bool:
    """Return whether decimals of so many places show the truth alone, not where ends lie.

    Args:
        value: A number is; an enclosure is if both its ends round to one step.
        places: The significant digits.
        relative_width: How far the truth of each end of :class:`Bounds` is from it, at most.

    Example:
        >>> around = Enclosure(Fraction("0.12344"), Fraction("0.12346"))
        >>> [is_settled(around, places=n, relative_width="1e-3") for n in (4, 5)]
        [True, False]
    """
    if not isinstance(value, Enclosure):
        return True
    if not isinstance(value, Bounds):
        return value.lower == value.upper or _steps_alike(value.lower, value.upper, places)
    beyond = 1 + Fraction(str(rational(relative_width)))
    return _steps_alike(value.lower, value.lower * beyond, places) and _steps_alike(
        value.upper / beyond, value.upper, places
    )


def _steps_alike(low: Fraction, high: Fraction, places: int) -> bool:
    return all(
        decimal(Exact(low), digits=places, rounding=side)
        == decimal(Exact(high), digits=places, rounding=side)
        for side in (Rounding.DOWN, Rounding.UP)
    )


def answer_of(
    value: Number | Epsilon | Enclosure,
    *,
    ask: AskName,
    digits: int,
    places: int,
    formula: str | None = None,
    safe: Rounding | None = None,
    **question: Any,
) -> Answer:
    """Return a number as an answer.

    Args:
        value: The number, an epsilon (in nats), or an enclosure of a number, of which a
            point is an exact answer.
        ask: What was asked.
        digits: The significant digits of the decimal; of an enclosure, the most.
        places: The significant digits of lower and upper; of a number, the least.
        formula: What to show of a computable real.
        safe: The direction in which other values of a calibrated parameter still satisfy
            the target: the decimal is rounded that way, from the safe end.
        question: The answer's ``at``, ``direction``, ``bound`` and ``note``.

    Example:
        >>> asked = {"ask": "epsilon", "at": "0", "direction": "forward"}
        >>> answer = answer_of(Exact("1/12"), digits=4, places=5, **asked)
        >>> answer.exact, answer.decimal, answer.lower, answer.upper
        ('1/12', '0.08333', '0.083333', '0.083334')
        >>> answer = answer_of(Epsilon.log(3), digits=4, places=5, **asked)
        >>> answer.exact, answer.expression, answer.decimal, answer.tight, answer.unit
        (None, 'log(3)', '1.099', True, 'nats')
        >>> answer_of(Epsilon.infinity(), digits=4, places=5, **asked).upper
        'infinity'
        >>> around = Enclosure(Fraction("0.1234491"), Fraction("0.1234509"))
        >>> answer = answer_of(around, digits=17, places=6, **asked)
        >>> answer.lower, answer.upper, answer.decimal, answer.tight
        ('0.123449', '0.123451', '0.12345', False)
        >>> answer_of(around, digits=17, places=6, safe=Rounding.UP, **asked).decimal
        '0.123451'
    """
    question |= {"ask": ask, "unit": _UNITS.get(ask, "units of the sensitivity")}
    if isinstance(value, Bounds):
        question |= {"lower_by": value.lower_by, "upper_by": value.upper_by}
    if isinstance(value, Enclosure) and value.lower == value.upper and safe is None:
        value = Exact(value.lower)
    if isinstance(value, Epsilon):
        if value.is_infinite:
            question |= dict.fromkeys(("decimal", "lower", "upper"), INFINITY)
            return Answer(exact=None, tight=True, float_below=None, float_above=None, **question)
        formula, value = f"log({value.exp.expression()})", value.nats
    elif isinstance(value, Exact):
        formula = _expression(value)
    shown: str | None = None
    low: Number
    high: Number
    if isinstance(value, Exact | Real):
        try:
            shown = decimal(value, digits=digits)
        except (BeyondRangeError, UndecidedError):
            value = reached(value)  # not to be told from 0 or from a decimal, or too small
    if isinstance(value, Enclosure):
        low, high = Exact(value.lower), _at_most_1(Exact(value.upper), question)
        exact = exact_text(low) if low == high else None
    else:
        places = max(digits, places)
        exact = exact_text(value)
        if exact is None:
            # A computable real may sit on a decimal, and an exact number within 1e-999999 of
            # one, where rounding down takes long or for ever. So narrow an enclosure shows the
            # truth alone.
            low, high = ends(value, relative_bits=math.ceil(places * math.log2(10)) + 64)
            high = _at_most_1(high, question)
        else:
            low = high = value
    gap = "0"
    lower = decimal(low, digits=places, rounding=Rounding.DOWN)
    upper = decimal(high, digits=places, rounding=Rounding.UP)
    if isinstance(value, Enclosure):
        # What is shown of an enclosure follows from its decimals.
        least, most = _read_back(lower), _read_back(upper)
        shown = _shown(least, most, digits=min(digits, places), safe=safe)
        gap, low, high = _gap(least, most), least, most
    if "lower_by" in question:
        question["gap"] = gap
    below, above = float_below(low), float_above(high)
    is_short = formula is not None and len(formula) <= MAX_EXPRESSION and "..." not in formula
    return Answer(
        exact=exact,
        expression=formula if exact is None and formula is not None and is_short else UNSET,
        decimal=shown,
        lower=lower,
        upper=upper,
        tight=math.nextafter(below, math.inf) >= above,
        float_below=_finite(below),
        float_above=_finite(above),
        **question,
    )


def _gap(low: Exact, high: Exact) -> str:
    if low == high:
        return "0"
    return INFINITY if low == 0 else decimal((high - low) / low, digits=2, rounding=Rounding.UP)


def _at_most_1(end: Number, question: dict[str, Any]) -> Number:
    """Return the upper end of an answer, which is at most 1 if the answer is a probability."""
    is_beyond = isinstance(end, Exact) and question["unit"] == "probability" and end > 1
    return Exact(1) if is_beyond else end


def _read_back(text: str) -> Exact:
    # An exponent of millions, which a file may not give, is one that an answer may have.
    mantissa, _, exponent = text.partition("e")
    return Exact(rational(mantissa) * fmpq(10) ** int(exponent or 0))


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


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
