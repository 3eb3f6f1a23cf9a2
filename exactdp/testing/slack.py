"""The slack of one-sided assertions: how close a claimed bound came to the truth.

PYTEST_DONT_REWRITE: nothing here is a test.

The slack of an upper bound is claimed / true, that of a lower bound true / claimed:
at least 1 for a bound that holds, 1 for one that is attained, below 1 for one that
fails, or that holds within its tolerance only. It is defined where both numbers are
positive. An assertion records it if somebody listens, which is what :func:`recording`
is for. That of an ε takes longer than the verdict, so it is found once, at the end,
where δ was nearest. This module loads nothing but the standard library, so that the
pytest plugin may import it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from fractions import Fraction

__all__ = ["Slack", "SlackRecorder", "listener", "recording"]


@dataclass(frozen=True, slots=True)
class Slack:
    """A slack, as a rational that is at most the true slack, and where it was seen.

    Attributes:
        ratio: The slack.
        at: The instance.
        is_allowed: Whether the claim passed.
        words: What the slack is of, where it is not that of the claimed number itself.
    """

    ratio: Fraction
    at: str
    is_allowed: bool = True
    words: str = ""


class SlackRecorder:
    """Keeps the smallest slack that it was told.

    Attributes:
        smallest: The smallest slack of a number that was compared itself; None before the first.
    """

    def __init__(self) -> None:
        self.smallest: Slack | None = None
        self._epsilon: Slack | None = None
        self._found: Callable[[], Fraction | None] = lambda: None

    def record(self, ratio: Fraction, at: Callable[[], str], *, is_allowed: bool = True) -> None:
        """Keep this slack if it is the smallest; ``at`` is only called if so.

        Example:
            >>> recorder = SlackRecorder()
            >>> recorder.record(Fraction(3, 2), lambda: "n=2")
            >>> recorder.record(Fraction(2), lambda: "n=3")
            >>> recorder.smallest.ratio, recorder.smallest.at
            (Fraction(3, 2), 'n=2')
        """
        if self.smallest is None or ratio < self.smallest.ratio:
            self.smallest = Slack(ratio, at(), is_allowed)

    def record_epsilon(
        self,
        ratio: Fraction,
        at: Callable[[], str],
        found: Callable[[], Fraction | None],
        *,
        is_allowed: bool = True,
    ) -> None:
        """Keep the place of a claimed ε if δ was nearest there.

        Args:
            ratio: δ over the true δ at the claimed ε.
            at: The instance; called only if this is the smallest ratio.
            found: Returns the slack of ε, or None where it is out of reach; called at the end.
            is_allowed: Whether the claim passed.
        """
        if self._epsilon is None or ratio < self._epsilon.ratio:
            words = "delta over the true one at the claimed epsilon"
            self._epsilon, self._found = Slack(ratio, at(), is_allowed, words), found

    def told(self) -> Slack | None:
        """Return the smallest slack of all, that of ε too; None if there is none."""
        kept = [] if self.smallest is None else [self.smallest]
        if self._epsilon is not None:
            ratio = self._found()
            of_epsilon = self._epsilon
            if ratio is not None:
                of_epsilon = replace(of_epsilon, ratio=ratio, words="")
            kept.append(of_epsilon)
        return min(kept, key=lambda one: one.ratio, default=None)


_LISTENER: ContextVar[SlackRecorder | None] = ContextVar("exactdp_slack", default=None)


@contextmanager
def recording() -> Iterator[SlackRecorder]:
    """Run a block whose assertions record their slack in the recorder that is given.

    Example:
        >>> from exactdp.testing import assert_never_below_truth
        >>> with recording() as recorder:
        ...     assert_never_below_truth(0.5, Fraction(1, 3), at="n=1")
        >>> recorder.smallest.ratio, recorder.smallest.at
        (Fraction(3, 2), "'n=1'")
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
