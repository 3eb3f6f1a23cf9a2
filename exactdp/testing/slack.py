"""The slack of one-sided assertions: how close a claimed bound came to the truth.

PYTEST_DONT_REWRITE: nothing here is a test.

The slack of an upper bound is claimed / true, that of a lower bound true / claimed:
at least 1 for a bound that holds, 1 for one that is attained, below 1 for one that
fails. It is defined where both numbers are positive. An assertion records it if
somebody listens, which is what :func:`recording` is for. This module loads nothing
but the standard library, so that the pytest plugin may import it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Slack", "SlackRecorder", "listener", "recording"]


@dataclass(frozen=True, slots=True)
class Slack:
    """A slack, as a rational that is at most the true slack, and where it was seen."""

    ratio: Fraction
    at: str


class SlackRecorder:
    """Keeps the smallest slack that it was told.

    Attributes:
        smallest: The smallest slack; None before the first.
    """

    def __init__(self) -> None:
        self.smallest: Slack | None = None

    def record(self, ratio: Fraction, at: Callable[[], str]) -> None:
        """Keep this slack if it is the smallest; ``at`` is only called if so.

        Example:
            >>> recorder = SlackRecorder()
            >>> recorder.record(Fraction(3, 2), lambda: "n=2")
            >>> recorder.record(Fraction(2), lambda: "n=3")
            >>> recorder.smallest
            Slack(ratio=Fraction(3, 2), at='n=2')
        """
        if self.smallest is None or ratio < self.smallest.ratio:
            self.smallest = Slack(ratio, at())


_LISTENER: ContextVar[SlackRecorder | None] = ContextVar("exactdp_slack", default=None)


@contextmanager
def recording() -> Iterator[SlackRecorder]:
    """Run a block whose assertions record their slack in the recorder that is given.

    Example:
        >>> from exactdp.testing import assert_never_below_truth
        >>> with recording() as recorder:
        ...     assert_never_below_truth(0.5, Fraction(1, 3), at="n=1")
        >>> recorder.smallest
        Slack(ratio=Fraction(3, 2), at="'n=1'")
    """
    recorder = SlackRecorder()
    token = _LISTENER.set(recorder)
    try:
        yield recorder
    finally:
        _LISTENER.reset(token)


def listener() -> SlackRecorder | None:
    """Return the recorder of the innermost :func:`recording`; None outside of one."""
    return _LISTENER.get()
