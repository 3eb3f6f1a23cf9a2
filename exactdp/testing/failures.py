"""The message of a failing one-sided assertion.

PYTEST_DONT_REWRITE: nothing here is a test.

Everything printed is exact or certified: decimals come from an enclosure, and if
its ends differ in the digits shown, both are shown.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Integral
from typing import Any

from flint import arb

from exactdp.divergences.questions import Question
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    Real,
    Rounding,
    decimal,
    enclosure,
    float_above,
    float_below,
    fmpq_of,
    rational_text,
    short,
)
from exactdp.numbers.balls import endpoints, precisions
from exactdp.numbers.later import np
from exactdp.side import Side
from exactdp.testing.rebuilding import instance_text, rebuild_line

__all__ = ["ROUNDING_ULPS", "Claimed", "Comparison", "Kind", "bracket", "claim_of"]

Claimed = float | int | Fraction | Exact
"""The types of a claimed bound."""

ROUNDING_ULPS = 4
"""A double that misses by at most so many units in the last place is a rounding fault."""

_CANCELLATION = Fraction(1, 2**48)
"""The absolute error up to which a wrong double is called a cancellation: some ulps of 1."""

_SHORT = 80
"""The characters of an exact number in a message, at most."""

_RELATIVE_BITS = 96
"""The relative width, in bits, to which a truth is enclosed: the nearest doubles follow from it."""

_ABSOLUTE_BITS = 1200
"""The absolute width, in bits, that is narrow enough: below the least double above 0, 2^−1074."""


class Kind(Enum):
    """The kind of a failure, by the claim's distance from the truth."""

    ROUNDING = f"a mere rounding fault: at most {ROUNDING_ULPS} ulps"
    CANCELLATION = (
        f"more than {ROUNDING_ULPS} ulps, but the gap is below 2^-48: cancellation between doubles "
        "near 1 could explain it, or the bound is wrong where it is tiny"
    )
    WRONG = f"more than rounding: over {ROUNDING_ULPS} ulps, and the gap is over 2^-48"
    WRONG_EXACTLY = "more than rounding: the claimed number is exact"
    NOT_FINITE = "more than rounding: the claimed double is not finite"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claimed bound beside the truth, at an instance, and the words about it.

    Attributes:
        side: On which side of the truth the claim has to be.
        claimed: The claim.
        truth: A number; or a question, of which ``known`` is what the answer lies in.
        known: An enclosure of the truth, on the wrong side of the claim where that fails.
        at: The instance.
        rebuild: A line of Python that builds it, if the reader gave one.
        worst: The line about the worst claim of the search, if there is one.
        tolerance: How much the claim may be off, over the truth.
        instead: What is said of a truth that has no enclosure.
        parameter: What a calibrator returned, if it is known.
    """

    side: Side
    claimed: Claimed
    truth: Number | Enclosure | Question
    known: Enclosure | None
    at: object
    rebuild: str | None
    worst: str | None = None
    tolerance: Fraction = Fraction(0)
    instead: str = "not found within the budget"
    parameter: float | None = None

    @property
    def value(self) -> Exact:
        """The claimed number, if it is one."""
        return self.claimed if isinstance(self.claimed, Exact) else Exact(Fraction(self.claimed))

    def kind(self, known: Enclosure | None) -> Kind:
        """Return how far off the claim is, as far as an enclosure shows."""
        if self.tolerance or known is None or not isinstance(self.claimed, float):
            return Kind.WRONG
        return self._distance(self.claimed, known)[0]

    def failure(self) -> tuple[Kind, str]:
        """Return the kind and the message of a claim that is on the wrong side, or no number."""
        side, claimed, known = self.side, self.claimed, self.known
        name = f"{self.truth.name} " if isinstance(self.truth, Question) else ""
        head = f"claimed {name}{_brief(claimed)} is {side.wrong} the truth: no {side.value} bound"
        if isinstance(claimed, float) and math.isnan(claimed):
            head = f"claimed {name}{claimed!r} is not a number: no {side.value} bound"
        numbers = [f"truth    {self._truth_text()}"]
        kind = Kind.NOT_FINITE
        if not isinstance(claimed, float) or math.isfinite(claimed):
            kind = Kind.WRONG_EXACTLY
            if known is not None:
                numbers += [f"gap      {self._gap(known)}", *self._ratio(known)]
            if self.tolerance:
                allowed = _trimmed(decimal(Exact(self.tolerance), digits=6))
                return Kind.WRONG, self._text(
                    head, *numbers, f"kind     more than the tolerance of {allowed}"
                )
            if known is not None and isinstance(claimed, float):
                kind, doubles = self._distance(claimed, known)
                numbers += doubles
            elif isinstance(claimed, float):
                kind = Kind.WRONG
        return kind, self._text(head, *numbers, f"kind     {kind.value}")

    def undecided(self, reason: str) -> str:
        """Return the message for a claim that could not be told from the truth."""
        return self._text(
            f"undecided: claimed {_brief(self.claimed)} and the truth cannot be told apart within "
            f"the {reason}, so it is not known to be {self.side.article} {self.side.value} bound",
            f"truth    {self._truth_text()}",
            "advice   They may be equal. Raise max_seconds or max_bits, or pass an exact truth.",
        )

    def _ratio(self, known: Enclosure) -> list[str]:
        """Return the line of claimed/true, where both are positive and the claim is right."""
        if self.value.sign() <= 0 or known.lower <= 0:
            return []
        share = self.value.ball(128).mid() / arb(fmpq_of((known.lower + known.upper) / 2)).mid()
        return [f"ratio    {float(share.mid()):.6g} = claimed / truth"]

    def _text(self, head: str, *lines: str) -> str:
        at = [] if self.at is None else [f"at       {instance_text(self.at)}"]
        rebuild = self.rebuild if self.rebuild is not None else rebuild_line(self.at)
        if rebuild is None and self.at is not None:
            rebuild = "the instance has no line of Python; pass rebuild=... to have a line here"
        end = [] if self.worst is None else [f"worst    {self.worst}"]
        end += [] if rebuild is None else [f"rebuild  {rebuild}"]
        given = [] if self.parameter is None else [f"of       the parameter {self.parameter!r}"]
        claimed = f"claimed  {_claimed_text(self.claimed)}"
        return "\n  ".join([head, *at, *given, claimed, *lines, *end])

    def _truth_text(self) -> str:
        return self.instead if self.known is None else _truth_text(self.truth, self.known)

    def _gap(self, known: Enclosure) -> str:
        claimed, truth = self.value, self.truth
        difference = "truth - claimed" if self.side is Side.UPPER else "claimed - truth"
        if isinstance(truth, Exact) and (truth.rate == 0 or claimed.rate in (0, truth.rate)):
            gap = abs(truth - claimed)
            exactly = _short_exact(gap)
            text = f"{_trimmed(decimal(gap, digits=13))} = {difference}"
            return text if exactly is None else f"{text}, exactly {exactly}"
        ends = sorted(abs(Exact(end) - claimed) for end in (known.lower, known.upper))
        low, high = (decimal(end, digits=13) for end in ends)
        if low != high:
            low = decimal(ends[0], digits=13, rounding=Rounding.DOWN)
            low += f" to {decimal(ends[1], digits=13, rounding=Rounding.UP)}"
        return f"{low} = {difference}"

    def _distance(self, claimed: float, known: Enclosure) -> tuple[Kind, list[str]]:
        """Return how far a double is from the nearest one on the right side, as kind and line."""
        # For a computable real the double is that of the enclosure's outer end: it is on
        # the right side, and the nearest unless the truth is within 2^-96 of a double.
        is_upper = self.side is Side.UPPER
        end = Exact(known.upper if is_upper else known.lower)
        outer = self.truth if isinstance(self.truth, Exact) else end
        right = float_above(outer) if is_upper else float_below(outer)
        near = Exact(known.lower if is_upper else known.upper)
        is_sharp = right == (float_above(near) if is_upper else float_below(near))
        ulps = abs(_ordinal(right) - _ordinal(claimed))
        gap = max(abs(known.lower - Fraction(claimed)), abs(known.upper - Fraction(claimed)))
        kind = Kind.CANCELLATION if gap <= _CANCELLATION else Kind.WRONG
        if ulps <= ROUNDING_ULPS:
            kind = Kind.ROUNDING
        if not (is_sharp or isinstance(self.truth, Exact | Real)):
            return kind, []
        return kind, [
            f"doubles  the {'smallest' if is_upper else 'largest'} that is not {self.side.wrong} "
            f"the truth is {right!r}; the claimed one is {ulps:,} ulp{'' if ulps == 1 else 's'} "
            f"{self.side.wrong} it"
        ]


def claim_of(claimed: Any, *, at: object = None) -> Claimed:
    """Return a claim as a float, an int, a Fraction or an Exact: as the number that it holds.

    Args:
        claimed: The claim.
        at: The instance, for the message.

    Raises:
        DomainError: If it is of another type.
    """
    match claimed:
        case float() | np.floating():
            if claimed == float(claimed) or math.isnan(claimed):  # a long double may hold more
                return float(claimed)
        case Epsilon() if not claimed.is_infinite and isinstance(claimed.nats, Exact):
            return claimed.nats
        case bool() | np.bool_():
            pass
        case Integral():
            return int(claimed)
        case Fraction() | Exact():
            return claimed
        case Decimal() if claimed.is_finite():
            return Fraction(claimed)
    raise DomainError(
        f"claimed={short(repr(claimed), most=100)} is of type {type(claimed).__name__}. Pass a "
        "float, an int, a Fraction, a Decimal or an Exact."
        + ("" if at is None else f" At {instance_text(at)}.")
    )


def bracket(number: Number, *, max_bits: int, away_from: Exact | None = None) -> Enclosure:
    """Return a narrow enclosure that does not hold ``away_from``.

    Narrow is a relative width of 2^-96, or for what may be zero a width of 2^-1200.

    Raises:
        UndecidedError: If there is none at max_bits, nor at 2400 bits.

    Example:
        >>> from exactdp.numbers import sqrt
        >>> bracket(sqrt(2), max_bits=256).contains(Fraction(14142, 10000))
        False
    """
    if isinstance(number, Exact):
        narrow = enclosure(number, relative_bits=_RELATIVE_BITS)
        if away_from is None or number.is_rational or not narrow.contains(away_from):
            return narrow
    # To print a number takes more bits than to decide it may have taken.
    limit = None if isinstance(number, Exact) else max(max_bits, 2 * _ABSOLUTE_BITS)
    for bits in precisions(max_bits=limit):
        ball = number.ball(bits)
        if not ball.is_finite():
            continue
        found = Enclosure(*endpoints(ball))
        is_narrow = (
            found.width * 2**_RELATIVE_BITS <= min(abs(found.lower), abs(found.upper))
            or found.width * 2**_ABSOLUTE_BITS <= 1
        )
        if is_narrow and (away_from is None or not found.contains(away_from)):
            return found
    raise UndecidedError(f"{number!r} has no narrow ball at {limit} bits. Raise max_bits.")


def _brief(claimed: Claimed) -> str:
    if isinstance(claimed, float):
        return repr(claimed)
    number = claimed if isinstance(claimed, Exact) else Exact(claimed)
    return _short_exact(number) or decimal(number)


def _claimed_text(claimed: Claimed) -> str:
    if not isinstance(claimed, float):
        return _brief(claimed)
    if not math.isfinite(claimed):
        return repr(claimed)
    exactly = rational_text(Fraction(claimed))
    return f"{claimed!r}, exactly {exactly if len(exactly) <= _SHORT else claimed.hex()}"


def _truth_text(truth: Number | Enclosure | Question, known: Enclosure) -> str:
    if isinstance(truth, Question | Enclosure):
        return _decimal(known, 6)
    if isinstance(truth, Real):
        value = _decimal(known, 17)
        return f"{value}, that is {truth.text}" if 0 < len(truth.text) <= _SHORT else value
    exactly = _short_exact(truth)
    value = _trimmed(decimal(truth, digits=17))
    return value if exactly is None or exactly == value else f"{value}, exactly {exactly}"


def _ordinal(value: float) -> int:
    """Return the place of a double among all doubles; both zeros are 0."""
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
    return int(bits) if bits >= 0 else -(int(bits) & (2**63 - 1))


def _decimal(known: Enclosure, digits: int) -> str:
    low, high = Exact(known.lower), Exact(known.upper)
    nearest = decimal(low, digits=digits)
    if nearest == decimal(high, digits=digits):
        return nearest
    return (
        f"between {decimal(low, digits=digits, rounding=Rounding.DOWN)} and "
        f"{decimal(high, digits=digits, rounding=Rounding.UP)}"
    )


def _trimmed(text: str) -> str:
    """Drop the zeros that end a decimal."""
    mantissa, mark, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + mark + exponent


def _short_exact(number: Exact) -> str | None:
    """Return an exact number as text if that is short."""
    parts = (number.numerator, number.denominator)
    if any(
        p.length() > 12 or any(int(abs(c)).bit_length() > 300 for c in p.coeffs()) for p in parts
    ):
        return None
    text = number.expression()
    return text if len(text) <= _SHORT else None
