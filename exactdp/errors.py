"""The errors that the library raises, one class a kind.

Every message is one line: the argument, its value, the rule, the way out.
"""

from __future__ import annotations

__all__ = [
    "DomainError",
    "ExactDPError",
    "ParseError",
    "TooLargeError",
    "UndecidedError",
]


class ExactDPError(Exception):
    """The base of every error raised on purpose."""


class DomainError(ExactDPError, ValueError):
    """The question has no answer for this argument. Change the argument."""


class ParseError(ExactDPError, ValueError):
    """A file or string is not in the stated format. The message names the place."""


class TooLargeError(ExactDPError):
    """An exact answer exists but would need more memory or time than is sensible.

    The message says what would be needed and what to use instead.
    """


class UndecidedError(ExactDPError):
    """The precision budget was spent before the answer was certain. Raise the budget."""
