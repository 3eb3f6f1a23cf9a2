"""The four answers of the checker, its error, and the limits on what it will compute."""

from dataclasses import dataclass
from typing import TypeAlias

MAX_FILE_BYTES = 8_000_000
MAX_NESTING = 200
MAX_LABEL = 300
MAX_BITS = 1_000_000  # numerator and denominator of an exact rational, together
MAX_VIEW_BITS = 3_000_000_000  # outcomes of one view times (800 + the bits of a mass and key)
MAX_WORK = 400_000_000  # steps of about a microsecond
MIN_PRECISION, DEFAULT_PRECISION, MAX_PRECISION = 16, 128, 65_536


@dataclass(frozen=True)
class Accepted:
    """Every hypothesis and every conclusion holds; ``statement`` is what was checked.

    ``labels`` repeats names found in the file. They are not checked: ``statement`` is
    printed from the parsed data and does not depend on them.
    """

    statement: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rejected:
    """Something is false, undecided, undefined or too large; ``reason`` says what and where."""

    reason: str


@dataclass(frozen=True)
class Incomplete:
    """Nothing is wrong, but the conclusions in ``holes`` are only announced, not proved."""

    holes: tuple[str, ...]


@dataclass(frozen=True)
class Unreadable:
    """The data is not a certificate of this format; ``reason`` says why."""

    reason: str


Result: TypeAlias = Accepted | Rejected | Incomplete | Unreadable


class RefusedError(Exception):
    """A part is not in the format, false, undecided, undefined or too large."""


def require(condition: object, reason: str) -> None:
    """Refuse what is not true, or not certain (None). An assert would vanish under -O."""
    if not condition:
        raise RefusedError(reason)
