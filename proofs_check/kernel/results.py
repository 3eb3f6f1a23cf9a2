"""The four answers of the checker, its errors, and the limits on what it will compute.

An answer is a frozen value; an error is internal and always ends as an answer.
"""

from dataclasses import dataclass
from typing import TypeAlias

MAX_FILE_BYTES = 8_000_000
MAX_NESTING = 64
MAX_LABEL = 300
MAX_BITS = 1_000_000  # numerator and denominator of an exact rational, together
MAX_INTEGER_BITS = 64  # an index, count or exponent
MAX_POWER = 1_000_000
MAX_RANGE = 1_000_000  # terms of one sum or product
MAX_FACTORIAL = 50_000
MAX_BINOMIAL = 100_000
MAX_USERS = 20_000
MAX_CELLS = 2_000_000  # outcomes of one view
MAX_STORED_CELLS = 8_000_000  # masses computed by one certificate
MAX_VIEW_BITS = 2_000_000_000  # outcomes of one view times the bits of one mass
MAX_WORK = 400_000_000  # units of about a microsecond
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


class NotACertificateError(Exception):
    """The bytes are not JSON of the expected outer shape; the answer is Unreadable."""


class RefusedError(Exception):
    """The certificate is rejected; the subclasses say in which way."""


class MalformedError(RefusedError):
    """A term, matrix, pair or relation is not in the grammar."""


class UndefinedError(RefusedError):
    """A term has no value, for instance a division by zero."""


class UndecidedError(RefusedError):
    """The enclosures are too wide to tell; more precision_bits may help."""


class TooLargeError(RefusedError):
    """A limit of this file would be exceeded."""


class FalseRelationError(RefusedError):
    """A relation is certainly false."""


class Budget:
    """The working precision and the work left: every operation pays before it runs."""

    def __init__(self, precision_bits: int) -> None:
        """Start with nothing spent."""
        self.bits = precision_bits
        self.work = MAX_WORK
        self.cells = MAX_STORED_CELLS

    def spend(self, work: int) -> None:
        """Pay for work, in units of about a microsecond."""
        self.work -= work
        if self.work < 0:
            raise TooLargeError(f"the certificate needs more than {MAX_WORK} units of work")

    def store(self, cells: int) -> None:
        """Pay for masses that are kept in memory."""
        self.cells -= cells
        if self.cells < 0:
            raise TooLargeError(f"the views need more than {MAX_STORED_CELLS} masses in all")
