"""Answers about a published bound at its arguments: formula, double, truth.

Definitions: :class:`BoundAnswer`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from exactdp.numbers import Enclosure, Exact, Real, Rounding, decimal, enclosure
from exactdp.shuffle import Bounds
from exactdp.side import Side
from exactdp.truth import Truth

__all__ = ["ANSWER_FORMAT", "BoundAnswer"]

ANSWER_FORMAT = "exactdp-bound/1"
"""The name of the document's format, with the version of its keys."""


class AskedBound(Protocol):
    """The bound that an answer is about: its formula, its double and its hypotheses."""

    @property
    def claim(self) -> str: ...
    @property
    def side(self) -> Side: ...
    @property
    def bounds(self) -> str: ...
    @property
    def verdict(self) -> str | None: ...
    @property
    def withdrawn(self) -> str | None: ...
    @property
    def instead(self) -> str | None: ...
    def hypotheses(self, at: Mapping[str, Any]) -> list[tuple[str, Truth]]: ...
    def stable_at(self, at: Mapping[str, Any]) -> float | None: ...


@dataclass(frozen=True)
class BoundAnswer:
    """A published bound at its arguments.

    Attributes:
        bound: The bound.
        arguments: Name -> the exact number that was asked at.
        formula: The formula's value; None where it has none (``fault`` says why).
        double: The formula in doubles as it is printed; None where doubles have no value.
        safe_double: A double on the bound's side of the formula, the nearest that is known.
        fault: Why the formula, or its double, has no value.
        truth: The bounded number between certified ends; None where none is finite above.
        below_truth: ``formula`` or ``double``, where that is certainly on the wrong side of the
            truth (below it; of a lower bound, above it); None where neither is seen to be.
        is_told: Whether the formula is known to be on its side.
    """

    bound: AskedBound
    arguments: Mapping[str, Fraction | int]
    formula: Exact | Real | None
    double: float | None
    safe_double: float | None
    fault: str | None
    truth: Bounds | None
    below_truth: str | None
    is_told: bool

    @cached_property
    def hypotheses(self) -> tuple[tuple[str, Truth], ...]:
        """The hypotheses of the theorem, each with whether it holds there."""
        return tuple(self.bound.hypotheses(self.arguments))

    @cached_property
    def stable_double(self) -> float | None:
        """A safe double by doubles alone, of the stable form if there is one; None without."""
        return self.bound.stable_at(self.arguments)

    @property
    def ratio(self) -> Enclosure | None:
        """The ratio of the formula's value to the truth, between certified ends."""
        if self.formula is None or self.truth is None or self.truth.lower <= 0:
            return None
        value = enclosure(self.formula)
        if value.lower <= 0:
            return None
        return Enclosure(value.lower / self.truth.upper, value.upper / self.truth.lower)

    @property
    def holds(self) -> Truth:
        """A Truth: all hypotheses hold."""
        truths = [truth for _, truth in self.hypotheses]
        if all(truth.is_certain for truth in truths):
            return Truth.TRUE
        return Truth.UNKNOWN if all(truth.is_possible for truth in truths) else Truth.FALSE

    def document(self) -> dict[str, Any]:
        """Return the answer as JSON has it (docs/reference/formats.md)."""
        verdict = self.bound.verdict
        said = {Truth.TRUE: True, Truth.FALSE: False, Truth.UNKNOWN: None}
        return {
            "format": ANSWER_FORMAT,
            "claim": self.bound.claim,
            "arguments": {name: plain_text(Fraction(x)) for name, x in self.arguments.items()},
            "verdict": verdict,
            "withdrawn": self.bound.withdrawn,
            "hypotheses": [{"text": text, "holds": said[truth]} for text, truth in self.hypotheses],
            "side": self.bound.side.value,
            "bounds": self.bound.bounds,
            "formula": None if self.formula is None else text_of(self.formula),
            "double": _in_json(self.double),
            "safe_double": _in_json(self.safe_double),
            "stable_double": _in_json(self.stable_double),
            "fault": self.fault,
            "truth": None if self.truth is None else _truth(self.truth),
            "ratio": None if self.ratio is None else _ends(self.ratio),
            "below_truth": self.below_truth,
            "told": self.is_told,
            "instead": self.bound.instead,
        }

    def __repr__(self) -> str:
        at = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"<{self.bound.claim} at {at}: {self.double}>"


def _in_json(double: float | None) -> float | str | None:
    """Return a double as JSON has it, which has no number for inf."""
    return double if double is None or math.isfinite(double) else str(double)


def plain_text(value: Fraction) -> str:
    """Return a rational as a decimal, if it is a short one, else as a quotient.

    Example:
        >>> plain_text(Fraction(10**6)), plain_text(Fraction(1, 10**9)), plain_text(Fraction(1, 3))
        ('1000000', '1e-9', '1/3')
    """
    with localcontext(Context(prec=40, traps=[Inexact])):
        try:
            found = (Decimal(value.numerator) / Decimal(value.denominator)).normalize()
        except Inexact:
            return str(value)
    _, _, places = found.as_tuple()
    return f"{found:f}" if -6 <= int(places) <= 13 else f"{found:e}".replace("e+", "e")


def text_of(number: Exact | Real, digits: int = 17) -> str:
    """Return a number in decimals."""
    return decimal(number, digits=digits)


def end_text(end: Fraction, *, up: bool, digits: int = 6) -> str:
    """Return an end in decimals, rounded outward."""
    return decimal(Exact(end), digits=digits, rounding=Rounding.UP if up else Rounding.DOWN)


def _ends(known: Enclosure) -> dict[str, str]:
    return {"lower": end_text(known.lower, up=False), "upper": end_text(known.upper, up=True)}


def _truth(known: Bounds) -> dict[str, str]:
    return {
        **_ends(known),
        "lower_by": known.lower_by,
        "upper_by": known.upper_by,
    }
