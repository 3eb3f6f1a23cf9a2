"""What is said of a published bound at its arguments: formula, double, truth.

Definitions: :class:`Answer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.numbers import Enclosure, Exact, Real, decimal
from exactdp.shuffle import Bounds
from exactdp.truth import Truth

if TYPE_CHECKING:
    from exactdp.bounds.bound import PublishedBound

__all__ = ["ANSWER_FORMAT", "Answer"]

ANSWER_FORMAT = "exactdp-bound/1"
"""The name of the document's format, with the version of its keys."""


@dataclass(frozen=True)
class Answer:
    """A published bound at its arguments.

    Attributes:
        bound: The bound.
        arguments: Name -> the exact number that was asked at.
        hypotheses: What the theorem supposes, with whether it holds there.
        formula: The formula's value; None where it has none (``fault`` says why).
        double: The formula in doubles as it is printed; None where doubles have no value.
        safe_double: A double on the bound's side of the formula, the nearest that is known.
        fault: Why the formula, or its double, has no value.
        truth: The bounded number between certified ends; None where none is finite above.
        below_truth: ``formula`` or ``double``, where that is certainly on the wrong side of the
            truth (below it; of a lower bound, above it); None where neither is seen to be.
        stable_double: A safe double that doubles alone give, of the stable form if there is one;
            None where they give none.
        is_told: Whether the formula is known to be on its side.
    """

    bound: PublishedBound
    arguments: Mapping[str, Fraction | int]
    hypotheses: tuple[tuple[str, Truth], ...]
    formula: Exact | Real | None
    double: float | None
    safe_double: float | None
    fault: str | None
    truth: Bounds | None
    below_truth: str | None
    stable_double: float | None
    is_told: bool

    @property
    def ratio(self) -> Enclosure | None:
        """How many times the truth the formula's value is, between certified ends."""
        if self.formula is None or self.truth is None or self.truth.lower <= 0:
            return None
        value = self.bound.enclosed(self.formula)
        if value.lower <= 0:
            return None
        return Enclosure(value.lower / self.truth.upper, value.upper / self.truth.lower)

    @property
    def holds(self) -> Truth:
        """Whether all hypotheses hold."""
        truths = [truth for _, truth in self.hypotheses]
        if Truth.FALSE in truths:
            return Truth.FALSE
        return Truth.UNKNOWN if Truth.UNKNOWN in truths else Truth.TRUE

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
            "double": self.double,
            "safe_double": self.safe_double,
            "stable_double": self.stable_double,
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
    from exactdp.numbers import Rounding

    return decimal(Exact(end), digits=digits, rounding=Rounding.UP if up else Rounding.DOWN)


def _ends(known: Enclosure) -> dict[str, str]:
    return {"lower": end_text(known.lower, up=False), "upper": end_text(known.upper, up=True)}


def _truth(known: Bounds) -> dict[str, str]:
    return {
        **_ends(known),
        "lower_by": known.lower_by,
        "upper_by": known.upper_by,
    }
