"""The errors that the library raises, one class a kind.

Every message is one line: the argument, its value, the rule, the way out.
"""

from __future__ import annotations

from pathlib import Path
from traceback import extract_tb

__all__ = [
    "TRIALS_NEED",
    "BeyondRangeError",
    "DomainError",
    "ExactDPError",
    "ParseError",
    "StoppedError",
    "TooLargeError",
    "UndecidedError",
    "number_of",
    "what_happened",
]

TRIALS_NEED = ("hypothesis", "sympy")
"""The extra ``trials``: without it no paper can be read, and the commands say so once."""


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


class StoppedError(ExactDPError):
    """A calculation in a process of its own broke its limit of time or memory, or crashed."""


class BeyondRangeError(TooLargeError):
    """A number is so large, or so small, that its digits or its exponent fill the memory."""


class UndecidedError(ExactDPError):
    """The precision budget was spent before the answer was certain. Raise the budget."""


def what_happened(error: BaseException) -> str:
    """Return one line for an error raised by foreign code: its message, its notes, its place.

    The place is the last line outside of this library and of Python's import machinery.

    Example:
        >>> try:
        ...     1 / 0
        ... except ZeroDivisionError as error:
        ...     error.add_note("at n=2")
        ...     what_happened(error).partition(" (")[0]
        'ZeroDivisionError: division by zero; at n=2'
    """
    parts = [f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())]
    text = " ".join("; ".join(parts).split())
    here = Path(__file__).parent
    for frame in reversed(extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if here not in path.parents and "importlib" not in frame.filename:
            return f"{text} ({path.name}, line {frame.lineno})"
    return text


def number_of(count: int, word: str) -> str:
    """Return a number of things, whose plural ends in s, for a message.

    Example:
        >>> number_of(1, "class"), number_of(2, "class"), number_of(3_000, "entry")
        ('1 class', '2 classes', '3,000 entries')
    """
    shown = f"{count:,}" if count < 10**15 else f"about 2^{count.bit_length() - 1}"
    plural = {"y": f"{word[:-1]}ies", "s": f"{word}es"}.get(word[-1], f"{word}s")
    return f"{shown} {word if count == 1 else plural}"
