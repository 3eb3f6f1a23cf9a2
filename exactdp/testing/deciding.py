"""On which side of a value the truth is: asked for as far as that takes.

PYTEST_DONT_REWRITE: nothing here is a test.
"""

from __future__ import annotations

import gc
import math
import signal
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from fractions import Fraction
from types import FrameType

from exactdp.divergences.questions import Question
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, Real, decided_below
from exactdp.side import Side
from exactdp.testing.failures import bracket

__all__ = ["HAIR", "Judgment", "compared", "plainly", "slack_of", "stopped_after"]

HAIR = Fraction(1, 10**12)
"""A number on the wrong side by less, relatively, is a double that was not rounded outward."""

_AGAIN = 0.01
"""Seconds until the alarm rings again, where an error would have been lost."""


class Judgment(Enum):
    """On which side of the truth a number is, for what it promises."""

    RIGHT = "right"
    ROUNDED = "wrong by a hair"
    WRONG = "WRONG"
    UNDECIDED = "undecided"
    FAILED = "failed"
    ABSENT = "not installed"

    @property
    def is_wrong(self) -> bool:
        """Whether the truth is on the wrong side, however little."""
        return self in (Judgment.WRONG, Judgment.ROUNDED)


def plainly(value: float, side: Side, *, is_parameter: bool) -> Judgment | None:
    """Return where a double stands for which that is plain without the truth; else None.

    Args:
        value: The double.
        side: On which side of the truth it should be.
        is_parameter: Whether it is to be a parameter, finite and above 0.

    Example:
        >>> plainly(math.inf, Side.UPPER, is_parameter=False)
        <Judgment.RIGHT: 'right'>
    """
    if math.isnan(value) or (is_parameter and not 0 < value < math.inf):
        return Judgment.FAILED
    if math.isinf(value):
        return Judgment.RIGHT if value == side.harmless_infinity else Judgment.WRONG
    return None


def compared(
    side: Side,
    value: Exact,
    truth: Number | Enclosure | Question,
    max_bits: int,
    max_seconds: float,
    seen: list[Enclosure] | None = None,
) -> tuple[bool, Enclosure | None, Fraction | None]:
    """Return whether the truth is strictly on the wrong side of a value.

    With what is known of it, and the slack that the search climbs on, where there is one.

    Args:
        side: On which side of the truth the value should be.
        value: The value.
        truth: The truth.
        max_bits: The precision at which the refinement of a Real gives up.
        max_seconds: The seconds after which a question is given up.
        seen: Gets the narrowest enclosure on the way, whatever becomes of it: of the truth, or for
            a question about ε of δ at the value.

    Raises:
        UndecidedError: If that is not known at the end of the budget.
    """
    if isinstance(truth, Exact | Real):
        a, b = (value, truth) if side is Side.UPPER else (truth, value)
        advice = f"budget: max_bits={max_bits}"
        return decided_below(a, b, max_bits=max_bits, advice=advice), None, None
    if isinstance(truth, Enclosure):
        return _outside(side, value, [truth])
    with stopped_after(max_seconds):
        if truth.name != "epsilon":
            if value.sign() < 0 or (value.sign() == 0 and truth.is_certainly_positive()):
                return side is Side.UPPER, None, None
            return _outside(side, value, _noted(truth.bounds(value), seen))
        if value.sign() < 0 or (side is Side.LOWER and value.sign() == 0):
            return side is Side.UPPER, None, None
        # ε is an upper bound of the smallest one exactly if δ(ε) is at most δ.
        assert isinstance(truth.at, Exact)
        there = Question(truth.profile, Epsilon.rational(value.as_fraction()))
        is_wrong, _, slack = _outside(side, truth.at, _noted(there.bounds(truth.at), seen))
        return is_wrong, None, slack


def _noted(bounds: Iterable[Enclosure], seen: list[Enclosure] | None) -> Iterator[Enclosure]:
    for one in bounds:
        if seen is not None:
            seen[:] = [one]
        yield one


def _outside(
    side: Side, value: Exact, bounds: Iterable[Enclosure]
) -> tuple[bool, Enclosure | None, Fraction | None]:
    known = None
    for known in bounds:
        is_wrong = _is_wrong(side, value, known)
        if is_wrong is not None:
            return is_wrong, known, slack_of(side, value, known)
    if known is None:  # infinite
        return side is Side.UPPER, None, None
    raise UndecidedError("budget: the narrowest enclosure that is asked for")


def _is_wrong(side: Side, value: Exact, known: Enclosure) -> bool | None:
    if side is Side.UPPER:
        return known.is_above(value)
    return Enclosure(-known.upper, -known.lower).is_above(-value)


def slack_of(side: Side, value: Exact, known: Enclosure) -> Fraction | None:
    """Return claimed/true of an upper bound, true/claimed of a lower one, or a little less."""
    claim = bracket(value, max_bits=256)
    if claim.lower <= 0 or known.lower < 0 or known.upper <= 0:
        return None
    if side is Side.LOWER and known.lower == 0:
        return None
    return claim.lower / known.upper if side is Side.UPPER else known.lower / claim.upper


class _OutOfTimeError(BaseException):
    """The alarm rang; no handler of the engine's own errors may catch it."""


def _is_deaf(frame: FrameType | None) -> bool:
    """Return whether an error raised there would be printed and lost, as by the collector.

    Or by what a weak reference calls when its object goes.
    """
    calls = {getattr(one, "__code__", None) for one in gc.callbacks}
    while frame is not None:
        code = frame.f_code
        if code in calls or code.co_name == "__del__" or code.co_filename == weakref.__file__:
            return True
        frame = frame.f_back
    return False


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Stop the block after so many seconds, where this thread may set the alarm.

    Elsewhere (other threads, other systems, a timeout of the test runner's own) nothing is
    stopped.

    Raises:
        UndecidedError: If the time was not enough.
    """
    is_free = (
        threading.current_thread() is threading.main_thread()
        and hasattr(signal, "setitimer")
        and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, None)
    )
    if not is_free:
        yield
        return

    def ring(_: int, frame: FrameType | None) -> None:
        if _is_deaf(frame):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        else:
            raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    except _OutOfTimeError:
        raise UndecidedError(f"budget: {seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
