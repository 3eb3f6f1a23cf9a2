"""The one place of size limits: what an exact answer may cost before it is refused.

An exact answer exists for everything finite; some would take hours or more memory than a
machine has. Each room estimates the size of an answer before it is built, and refuses one
above the limit here. The limits are sensible on a laptop: about a minute, about a gigabyte.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from exactdp.errors import TooLargeError
from exactdp.numbers.validated import validated

# Numbers.

MAX_DEGREE = 2_000_000
"""The degree of a polynomial in e^rate: FLINT stores it densely."""

MAX_BITS_OF_A_NUMBER = 20_000_000
"""The bits of one exact number: longer ones take many seconds."""

MAX_DIGITS_OF_A_NUMBER = 6_000_000
"""The digits of one decimal: what so many bits are."""

MAX_COUNT = 10**100
"""The copies, steps, users or the like of one question: doubles that propose reach to 10^308."""

MAX_EXPONENT = 1 << 62
"""The binary exponent of a number that has decimals: an exponent too is to be printed."""

MAX_BITS_OF_A_MOMENT = 200_000_000
"""The bits of an exact moment: of higher orders there are enclosures, to any width."""

MAX_BITS_OF_AN_ENCLOSURE = 50_000
"""The relative accuracy of an enclosure in bits: narrower ones need hours."""

# Exact laws.

MAX_HISTOGRAMS = 3_000_000
"""The outcomes of an exact law."""

MAX_COUNTS = 1_000_000
"""The counts that the histograms of a multinomial law hold in all."""

MAX_BITS_OF_WEIGHTS = 1_500_000_000
"""The bits that the weights of an exact law fill: 190 MB, and some four times that while made."""

MAX_BITS_OF_A_PRODUCT = 30_000_000_000
"""The bits that a product of polynomials fills while it is built, all copies counted."""

MAX_BITS_OF_A_PAIR_OF_COUNTS = 2_000_000_000
"""The bits that the masses of a pair of counts fill."""

MAX_PRODUCTS = 1_000_000
"""The products of short weights when laws without a lattice are composed: 600 bytes each."""

MAX_STEPS_OF_A_LATTICE = 10_000
"""The steps between the losses of one pair on a lattice; longer ones are mostly holes."""

MAX_ENTRIES = 1_000_000
"""The entries of the matrix of a randomizer, or of a matrix mechanism."""

MAX_INPUTS = 1_000_000
"""The inputs of a randomizer that is known without its matrix."""

MAX_BITS_OF_A_MATRIX = 300_000_000
"""The bits of a matrix of integers that is multiplied: a thousand squared, of 300 bits each."""

MAX_PARTICIPATIONS = 10_000_000
"""Steps times participations of one contributor, in a search for the worst of them."""

MAX_PARTICIPATIONS_IN_TREES = 24
"""The participations up to which the worst of all patterns is found in any trees of nodes."""

MAX_PATTERNS = 2_000_000
"""The steps that all patterns of participation have, where the worst of them is sought."""

MAX_MASSES = 300_000
"""The masses of discrete noise, at and above 0, that are summed."""

MAX_OUTCOMES_OF_NOISE = 1_000
"""The outcomes of discrete noise that become a pair: their masses are long polynomials."""

MAX_TERMS_OF_NOISE = 20_000
"""The terms that the masses of noise in powers of e have as a pair; others are closed forms."""

MAX_TERMS_OF_BOUNDED_NOISE = 1_000_000
"""The terms that all pairs of inputs have, where results are kept in a range."""

MAX_BITS_OF_NOISE = 20_000_000
"""The bits that the rational masses of noise fill as a pair; longer ones are computed in balls."""

MAX_CANDIDATES = {"gumbel": 1_000, "exponential": 100, "laplace": 30}
"""The scores of which the largest with noise is selected, with an exact law, by the noise."""

MAX_DEGREE_OF_SCORES = 100_000
"""How far scores are apart in all, in steps: the degree of the polynomials of such a law."""

MAX_BITS_OF_A_WINDOW = 1 << 16
"""The bits to which the masses of a window of counts are rounded."""

# Copies and users, where an answer is a sum along a window of about their square root.

MAX_COPIES = 10**10
"""Copies of randomized response."""

MAX_USERS = 10**13
"""Users, or summands of a mean over a lattice."""

MAX_BALL_STEPS = 30_000_000
"""The totals of a window that is summed in balls."""

MAX_FLOAT_STEPS = 400_000_000
"""The totals of a window that is summed in doubles with a proven error."""

# Sums of losses.

MAX_BYTES_OF_A_LATTICE = 900_000_000
"""The bytes that the law of a sum on a lattice takes while it is multiplied out."""

MAX_PLACES_OF_A_RATIO = 1 << 16
"""The places at which δ of one step of an allocation is looked up: some ten seconds."""

# Sets that are searched case by case.

MAX_VIEWS = 200_000
"""Neighboring datasets."""

MAX_SHIFTS = 10_000
"""The integer vectors that are looked at within given norms."""

MAX_INPUT_PAIRS = 10_000
"""Ordered pairs of inputs."""

# Random data.

MAX_PRODUCTS_ON_A_LINE = 1_000_000
"""Products of masses in a sum of independent laws on the line."""

MAX_PAIRS_OF_POINTS = 40_000
"""Pairs of points of two laws that are listed."""

MAX_COMPETING_PAIRS = 150
"""Pairs of points among which a linear program decides."""

# Problem files.

MAX_CHARACTERS = 50_000_000
"""The characters of a file."""

MAX_QUESTIONS = 100_000
"""The questions of a file."""

MAX_DIGITS = 100_000
"""The digits of a printed decimal."""

# For all that was not foreseen: limits of the process in which a calculation runs.

MAX_SECONDS = 60
"""The time that a call of ``solve`` takes, unless told otherwise."""

MAX_SECONDS_OF_A_PROBLEM = 600
"""The time that one of many problems takes, unless told otherwise."""

MAX_SECONDS_OF_A_TRIAL = 3_600
"""The time that the trial of one claim takes, unless told otherwise."""

MAX_MEMORY = 1_500_000_000
"""The bytes that a calculation may fill beyond those at its start; what is admitted takes 1 GB."""


@validated
def refuse_above(limit: int, size: int, what: str, *, advice: str) -> None:
    """Raise unless a size is at most a limit.

    Args:
        limit: One of the limits of this module.
        size: The size, estimated before anything is built.
        what: Whose size it is, with the size in words: "n=40 users have 1,000 histograms".
        advice: The way out, as sentences.

    Raises:
        TooLargeError: With all of these.

    Example:
        >>> refuse_above(MAX_ENTRIES, 10, "the matrix has 10 entries", advice="Lower k.")
        >>> size = 2**20
        >>> what = f"the matrix has {count_text(size)} entries"
        >>> refuse_above(MAX_ENTRIES, size, what, advice="Lower k.")
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: the matrix has 1,048,576 entries; the limit is 1,000,000. \
Lower k.
    """
    limit //= _SHARE.get()
    if size > limit:
        raise TooLargeError(f"{what}; the limit is {count_text(limit)}. {advice}")


_SHARE: ContextVar[int] = ContextVar("_SHARE", default=1)
"""All sizes are limited to one of so many parts of their limits."""


@contextmanager
def smaller_limits(parts: int) -> Iterator[None]:
    """Lower the limits in a block to a part of themselves: where many instances are tried.

    Example:
        >>> with smaller_limits(10):
        ...     refuse_above(MAX_ENTRIES, 10**6, "there are 1,000,000 entries", advice="Lower k.")
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: there are 1,000,000 entries; the limit is 100,000. Lower k.
    """
    token = _SHARE.set(_SHARE.get() * parts)
    try:
        yield
    finally:
        _SHARE.reset(token)


@validated
def count_text(count: int) -> str:
    """Return a nonnegative int for a message: in full, or its size if it is long.

    Example:
        >>> count_text(3_000_000), count_text(10**15), count_text(2**20_000)
        ('3,000,000', 'about 2^49', 'about 2^20000')
    """
    # Python refuses to print integers of many digits.
    return f"{count:,}" if count < 10**15 else f"about 2^{count.bit_length() - 1}"
