"""The four answers of the checker, its error, and the limits of its computations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

MAX_FILE_BYTES = 8_000_000
MAX_NESTING, MAX_LABEL = 200, 300
MAX_BITS = 1_000_000  # numerator and denominator of an exact rational, together
SECONDS = 60  # the budget if none is given
STEPS, STEP_BYTES = 1_000_000, 16  # in a second: a step is a microsecond, or so many bytes
MIN_PRECISION, DEFAULT_PRECISION, MAX_PRECISION = 16, 128, 65_536


@dataclass(frozen=True)
class Accepted:
    """Every hypothesis and every conclusion holds; ``statement`` is the checked one.

    ``labels`` repeats names found in the file. They are not checked: ``statement`` is
    printed from the parsed data and does not depend on them. ``values`` are the relations that
    it prints with numbers, in the order of the file: the sign, then what both sides are, each a
    Fraction, or an Interval that contains it.
    """

    statement: str
    labels: tuple[str, ...] = ()
    values: tuple[tuple[str, Any, Any], ...] = ()


@dataclass(frozen=True)
class Rejected:
    """Something is false, undecided, undefined or too large; ``reason`` names it and its place."""

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
Spend: TypeAlias = Callable[[int], None]  # counts steps, before they are taken


class RefusedError(Exception):
    """A part is not in the format, false, undecided, undefined or too large."""


def require(condition: object, reason: str | Callable[[], str]) -> None:
    """Refuse a relation that is not true, or not certain (None). An assert would vanish under -O.

    A reason that prints a part of the file is a function: only a refusal pays for it.
    """
    if not condition:
        raise RefusedError(reason if isinstance(reason, str) else reason())


def steps(bits: int) -> int:
    """Return the steps of one operation on so many bits; reducing a fraction is quadratic."""
    return 6 + bits // 100 + (bits // 1400) ** 2


def division_steps(bits: int) -> int:
    """Return the steps of a division of intervals of that many bits."""
    return 10 + steps(10 * bits)
