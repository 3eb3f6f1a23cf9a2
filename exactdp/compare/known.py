"""The truth beside a number, as far as it is known: an enclosure, or why there is none.

Where the smallest ε is not found in time, a claimed ε can be decided without it: it is an upper
bound exactly if δ there is at most the δ that was asked for.

Definitions: :class:`Known`, :func:`known_of`, :func:`decided_at`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.compare.tasks import Task
from exactdp.divergences.questions import Question
from exactdp.divergences.values import enclosed
from exactdp.errors import ExactDPError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.side import Side
from exactdp.testing.deciding import compared, within_budget

__all__ = ["INFINITE", "MAX_SECONDS", "Known", "asked_of", "decided_at", "known_of", "said"]

INFINITE = "infinite"
"""What stands for a truth that is not a number: no ε, however large, has the δ."""

MAX_SECONDS = 10.0
"""The seconds that a truth, or a judgment, may take; then it counts as undecided."""

_WIDTHS = tuple(Fraction(1, 10**k) for k in (3, 6, 12))
"""The relative widths to which a truth is sought, one after another, while time is left."""

_MAX_BITS = 4096
"""The precision up to which a claimed number is told from a computable truth."""


@dataclass(frozen=True, slots=True)
class Known:
    """A truth as far as it is known, and how a claim was told from it.

    Attributes:
        enclosure: An enclosure of the truth; None where it is infinite, or was not found.
        missing: "infinite", or why there is no enclosure; "" where there is one.
        there: δ at a claimed ε, by which that was decided; None where it was decided by ε.

    Example:
        >>> print(Known(Enclosure(Fraction(1, 4), Fraction(1, 2))))
        [0.250, 0.500]
        >>> print(Known(missing="budget: 10 s"))
        not found (budget: 10 s)
    """

    enclosure: Enclosure | None = None
    missing: str = ""
    there: Enclosure | None = None

    @property
    def is_infinite(self) -> bool:
        """True if it is certain that no ε has the δ."""
        return self.missing == INFINITE

    @property
    def text(self) -> str:
        """The truth with six digits, rounded outward."""
        return str(self) if self.enclosure is None else f"{self.enclosure:.6g}"

    def __str__(self) -> str:
        if self.enclosure is not None:
            return str(self.enclosure)
        return INFINITE if self.is_infinite else f"not found ({self.missing or 'not asked'})"


def asked_of(task: Task, value: float) -> Question | str:
    """Return the question that a task asks, or why its law cannot be asked."""
    try:
        return task.question(value)
    except ExactDPError as error:
        return said(error)


def known_of(asked: Question | str, widths: Sequence[Fraction] = _WIDTHS) -> Known:
    """Return the narrowest enclosure that the time allows, or why there is none."""
    if isinstance(asked, str):
        return Known(missing=asked)
    found, reason = None, ""
    try:
        with within_budget(MAX_SECONDS):
            for width in widths:
                found = _answer(asked, width)
                if found is None:
                    return Known(missing=INFINITE)
    except ExactDPError as error:
        reason = said(error)
    return Known(found, "" if found is not None else reason)


def _answer(asked: Question, width: Fraction) -> Enclosure | None:
    """Return an enclosure of the answer; None where it is infinite, as for most noise at δ = 0."""
    if not isinstance(asked.at, Exact) or asked.at > 0:
        return asked.answer(width)
    top = asked.profile.max_divergence()
    if isinstance(top, Epsilon) and top.is_infinite:
        return None
    return enclosed(top.nats if isinstance(top, Epsilon) else top, width)


def decided_at(side: Side, claim: Exact, known: Known, asked: Question) -> tuple[bool, Known]:
    """Return whether a claim is on the wrong side, and the truth as far as it is known then.

    Raises:
        UndecidedError: If that is not known at the end of the budget, or asks for too much.
    """
    value, is_upper = claim.as_fraction(), side is Side.UPPER
    if known.is_infinite:
        return is_upper, known
    about = known.enclosure
    if about is not None and not about.lower <= value <= about.upper:
        return (value < about.lower) is is_upper, known
    try:
        is_told_at = value > 0 or (value == 0 and is_upper)
        if isinstance(asked.at, Exact) and about is None and is_told_at:
            there = Question(asked.profile, Epsilon.rational(value))
            is_wrong, found, _ = compared(side, asked.at, there, _MAX_BITS, MAX_SECONDS)
            return is_wrong, Known(None, known.missing, found)
        is_wrong, found, _ = compared(side, claim, asked, _MAX_BITS, MAX_SECONDS)
        return is_wrong, known if found is None or about is not None else Known(found)
    except UndecidedError:
        raise
    except ExactDPError as error:
        raise UndecidedError(said(error)) from None


def said(error: ExactDPError) -> str:
    """Return why there is no answer, without the advice: another question is the file's to ask.

    Example:
        >>> said(UndecidedError("budget: 10 s")), said(UndecidedError("Too much. Ask for less."))
        ('budget: 10 s', 'Too much')
    """
    return str(error).partition(". ")[0].removesuffix(".")
