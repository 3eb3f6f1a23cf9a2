"""The one place of size limits: the largest cost of an answer that is not refused.

An exact answer exists for everything finite; some would take hours or more memory than a
machine has. Each package estimates the size of an answer before it is built, and refuses one
above the limit here. The limits are sensible on a laptop: about a minute, about a gigabyte.

All limits are functions of one :class:`Effort`: of limits of the same thing each is a part or a
multiple. Another effort is taken in a block (:func:`effort`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import astuple, dataclass, replace

from exactdp.errors import TooLargeError
from exactdp.numbers.validated import validated


@validated
@dataclass(frozen=True, slots=True)
class Effort:
    """The size that a calculation may reach before it is refused.

    A larger effort answers to narrower widths, and refuses less; whatever is answered is true at
    any. All sizes are whole numbers above 0.

    Attributes:
        points: The points of one line, lattice or window of a sum.
        cells: The entries of a law, a matrix or a list that is held in memory.
        bits: The bits of one exact number.
        memory: The bits of one exact law, and the bytes that a calculation may fill.
        accuracy: The relative accuracy of an enclosure in bits.
        digits: The digits of a printed decimal.
        tries: The sums that are tried, each with more bits, before one is called undecided.
        copies: The users, or copies, of a sum along a window of about their square root.
        characters: The characters of a file.
        seconds: The processor time of a call of ``solve``; other calls take multiples of it.

    Example:
        >>> Effort(points=1 << 24).points // Effort().points
        2
    """

    points: int = 1 << 23
    cells: int = 1_000_000
    bits: int = 20_000_000
    memory: int = 1_500_000_000
    accuracy: int = 50_000
    digits: int = 100_000
    tries: int = 6
    copies: int = 10**13
    characters: int = 50_000_000
    seconds: int = 60


_USUAL = Effort()

_TODAY: ContextVar[Effort] = ContextVar("_TODAY", default=_USUAL)
"""The effort of the innermost block."""


def effort_of_today() -> Effort:
    """Return the effort of the block that is run: kept answers belong to one effort."""
    return _TODAY.get()


@contextmanager
def effort(**sizes: int) -> Iterator[Effort]:
    """Take another effort in a block.

    Args:
        sizes: Fields of :class:`Effort`; the others stay as they are.

    Raises:
        TypeError: If there is no such field.

    Example:
        >>> from exactdp.numbers.limits import MAX_ENTRIES
        >>> with effort(cells=1000):
        ...     refuse_above(MAX_ENTRIES, 10**4, "the matrix has 10,000 entries", advice="Lower k.")
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: the matrix has 10,000 entries; the limit is 1,000. Lower k.
    """
    token = _TODAY.set(replace(_TODAY.get(), **sizes))
    try:
        yield _TODAY.get()
    finally:
        _TODAY.reset(token)


class Limit(int):
    """A limit: its size at the usual effort, and the field of an effort with which it grows.

    Args:
        size: The size.
        field: The name of the field.
    """

    field: str

    def __new__(cls, size: int, field: str) -> Limit:
        """Return the limit."""
        found = super().__new__(cls, size)
        found.field = field
        return found

    def __reduce__(self) -> tuple[type[Limit], tuple[int, str]]:
        """Return how it is made again: a limit goes to a worker on another machine."""
        return Limit, (int(self), self.field)

    @property
    def now(self) -> int:
        """The limit at the effort of today."""
        today, usual = (getattr(one, self.field) for one in (_TODAY.get(), _USUAL))
        return int(self * today // usual)


_LIMITS = {
    # --- Numbers
    # The degree of a polynomial in e^rate: FLINT stores it densely.
    "MAX_DEGREE": Limit(2_000_000, "bits"),
    # The bits of one exact number: longer ones take many seconds.
    "MAX_BITS_OF_A_NUMBER": Limit(20_000_000, "bits"),
    # The digits of one decimal: what so many bits are.
    "MAX_DIGITS_OF_A_NUMBER": Limit(6_000_000, "bits"),
    # The copies, steps, users or the like of one question: doubles that propose reach to
    # 10^308.
    "MAX_COUNT": Limit(10**100, "copies"),
    # The binary exponent of a number that has decimals: an exponent too is to be printed.
    "MAX_EXPONENT": Limit(1 << 62, "accuracy"),
    # The bits of an exact power: longer ones stay computable reals.
    "MAX_BITS_OF_A_POWER": Limit(1_000_000, "bits"),
    # The bits of an exact moment: of higher orders there are enclosures, to any width.
    "MAX_BITS_OF_A_MOMENT": Limit(200_000_000, "bits"),
    # The relative accuracy of an enclosure in bits: narrower ones need hours.
    "MAX_BITS_OF_AN_ENCLOSURE": Limit(50_000, "accuracy"),
    # --- Exact laws
    # The outcomes of an exact law.
    "MAX_HISTOGRAMS": Limit(3_000_000, "cells"),
    # The counts that the histograms of a multinomial law hold in all.
    "MAX_COUNTS": Limit(1_000_000, "cells"),
    # The bits that the weights of an exact law fill: 190 MB, and some four times that while
    # made.
    "MAX_BITS_OF_WEIGHTS": Limit(1_500_000_000, "memory"),
    # The bits that a product of polynomials fills while it is built, all copies counted.
    "MAX_BITS_OF_A_PRODUCT": Limit(30_000_000_000, "memory"),
    # The products of short weights when laws without a lattice are composed: 600 bytes each.
    "MAX_PRODUCTS": Limit(1_000_000, "cells"),
    # The steps between the losses of one pair on a lattice; longer ones are mostly holes.
    "MAX_STEPS_OF_A_LATTICE": Limit(10_000, "cells"),
    # The entries of the matrix of a randomizer, or of a matrix mechanism.
    "MAX_ENTRIES": Limit(1_000_000, "cells"),
    # The inputs of a randomizer that is known without its matrix.
    "MAX_INPUTS": Limit(1_000_000, "cells"),
    # The bits of a matrix of integers that is multiplied: a thousand squared, of 300 bits
    # each.
    "MAX_BITS_OF_A_MATRIX": Limit(300_000_000, "memory"),
    # Steps times participations of one contributor, in a search for the worst of them.
    "MAX_PARTICIPATIONS": Limit(10_000_000, "cells"),
    # The participations up to which the worst of all patterns is found in any trees of nodes.
    "MAX_PARTICIPATIONS_IN_TREES": Limit(24, "cells"),
    # The steps that all patterns of participation have, where the worst of them is sought.
    "MAX_PATTERNS": Limit(2_000_000, "cells"),
    # The masses of discrete noise, at and above 0, that are summed.
    "MAX_MASSES": Limit(300_000, "cells"),
    # The outcomes of discrete noise that become a pair: their masses are long polynomials.
    "MAX_OUTCOMES_OF_NOISE": Limit(1_000, "cells"),
    # The terms that the masses of noise in powers of e have as a pair; others are closed
    # forms.
    "MAX_TERMS_OF_NOISE": Limit(20_000, "cells"),
    # The terms that all pairs of inputs have, where results are kept in a range.
    "MAX_TERMS_OF_BOUNDED_NOISE": Limit(1_000_000, "cells"),
    # The bits that the rational masses of noise fill as a pair; longer ones are computed in
    # balls.
    "MAX_BITS_OF_NOISE": Limit(20_000_000, "bits"),
    # How far scores are apart in all, in steps: the degree of the polynomials of such a law.
    "MAX_DEGREE_OF_SCORES": Limit(100_000, "cells"),
    # The bits to which the masses of a window of counts are rounded.
    "MAX_BITS_OF_A_WINDOW": Limit(1 << 16, "accuracy"),
    # --- Copies and users, where an answer is a sum along a window of about their square root
    # Copies of randomized response.
    "MAX_COPIES": Limit(10**10, "copies"),
    # Users, or summands of a mean over a lattice.
    "MAX_USERS": Limit(10**13, "copies"),
    # The totals of a window that is summed in balls.
    "MAX_BALL_STEPS": Limit(30_000_000, "points"),
    # The totals of a window that is summed in doubles with a proven error.
    "MAX_FLOAT_STEPS": Limit(400_000_000, "points"),
    # --- Sums of losses
    # The bytes that the law of a sum on a lattice takes while it is multiplied out.
    "MAX_BYTES_OF_A_LATTICE": Limit(900_000_000, "memory"),
    # The places of the largest sum of scores of an allocation; with more, products take minutes.
    "MAX_SCORES": Limit(1 << 19, "points"),
    # The places at which δ of one step of an allocation is looked up: some ten seconds.
    "MAX_PLACES_OF_A_RATIO": Limit(1 << 16, "points"),
    # --- Sets that are searched case by case
    # Neighboring datasets.
    "MAX_VIEWS": Limit(200_000, "cells"),
    # Cases of other searches, and histograms that are summed one by one.
    "MAX_CASES": Limit(200_000, "cells"),
    # Answers that are compared with one noisy threshold: as many factors has an integral.
    "MAX_ANSWERS": Limit(60, "cells"),
    # The integer vectors that are looked at within given norms.
    "MAX_SHIFTS": Limit(10_000, "cells"),
    # Ordered pairs of inputs.
    "MAX_INPUT_PAIRS": Limit(10_000, "cells"),
    # --- Random data
    # Products of masses in a sum of independent laws on the line.
    "MAX_PRODUCTS_ON_A_LINE": Limit(1_000_000, "cells"),
    # Pairs of points of two laws that are listed.
    "MAX_PAIRS_OF_POINTS": Limit(40_000, "cells"),
    # Pairs of points among which a linear program decides.
    "MAX_COMPETING_PAIRS": Limit(150, "cells"),
    # --- Problem files
    # The characters of a file.
    "MAX_CHARACTERS": Limit(50_000_000, "characters"),
    # The questions of a file.
    "MAX_QUESTIONS": Limit(100_000, "characters"),
    # The digits of a printed decimal.
    "MAX_DIGITS": Limit(100_000, "digits"),
    # --- For all that was not foreseen: limits of the process in which a calculation runs
    # The time that a call of ``solve`` takes, unless told otherwise.
    "MAX_SECONDS": Limit(60, "seconds"),
    # The time that one of many problems takes, unless told otherwise.
    "MAX_SECONDS_OF_A_PROBLEM": Limit(600, "seconds"),
    # The time that the trial of one claim takes, unless told otherwise.
    "MAX_SECONDS_OF_A_TRIAL": Limit(3_600, "seconds"),
    # The bytes that a calculation may fill beyond those at its start; what is admitted takes
    # 1 GB.
    "MAX_MEMORY": Limit(1_500_000_000, "memory"),
}


def __getattr__(name: str) -> Limit:
    if name not in _LIMITS:
        raise AttributeError(f"module 'exactdp.numbers.limits' has no attribute {name!r}")
    return _LIMITS[name]


MAX_CANDIDATES = {"gumbel": 1_000, "exponential": 100, "laplace": 30}
"""The scores of which the largest with noise is selected, with an exact law, by the noise."""


@validated
def refuse_above(limit: int, size: int, what: str, *, advice: str) -> None:
    """Raise unless a size is at most a limit.

    Args:
        limit: A limit of this module, which is taken as it is at the effort of today, or a number.
        size: The size, estimated before anything is built.
        what: Whose size it is, with the size in words: "n=40 users have 1,000 histograms".
        advice: The way out, as sentences.

    Raises:
        TooLargeError: With all of these.

    Example:
        >>> from exactdp.numbers.limits import MAX_ENTRIES
        >>> refuse_above(MAX_ENTRIES, 10, "the matrix has 10 entries", advice="Lower k.")
        >>> size = 2**20
        >>> what = f"the matrix has {count_text(size)} entries"
        >>> refuse_above(MAX_ENTRIES, size, what, advice="Lower k.")
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: the matrix has 1,048,576 entries; the limit is 1,000,000. \
Lower k.
    """
    limit = limit.now if isinstance(limit, Limit) else limit
    if size > limit:
        raise TooLargeError(f"{what}; the limit is {count_text(limit)}. {advice}")


@contextmanager
def smaller_limits(parts: int) -> Iterator[None]:
    """Lower all sizes in a block to a part of themselves: where many instances are tried.

    Example:
        >>> from exactdp.numbers.limits import MAX_ENTRIES
        >>> with smaller_limits(10):
        ...     refuse_above(MAX_ENTRIES, 10**6, "there are 1,000,000 entries", advice="Lower k.")
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: there are 1,000,000 entries; the limit is 100,000. Lower k.
    """
    whole = effort_of_today()
    token = _TODAY.set(Effort(*(max(1, size // parts) for size in astuple(whole))))
    try:
        yield
    finally:
        _TODAY.reset(token)


@validated
def count_text(count: int) -> str:
    """Return a nonnegative int for a message: in full, or its size if it is long.

    Example:
        >>> count_text(3_000_000), count_text(10**15), count_text(2**20_000)
        ('3,000,000', 'about 2^49', 'about 2^20000')
    """
    # Python refuses to print integers of many digits.
    return f"{count:,}" if count < 10**15 else f"about 2^{count.bit_length() - 1}"
