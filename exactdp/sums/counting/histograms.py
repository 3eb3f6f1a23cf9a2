"""Means of positive parts of sums of few copies: histogram by histogram, for many lists of values.

E max(0, X_1 + ... + X_n) = Σ_c n!/(c_1! ... c_k!) m_1^(c_1) ... m_k^(c_k) max(0, Σ_y c_y v_y), over
all counts c of n copies among k values v_y of the masses m_y.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb, factorial, prod

from flint import arb

from exactdp.numbers import Enclosure
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import spend

__all__ = ["FEW_HISTOGRAMS", "histograms", "means_by_histogram"]

FEW_HISTOGRAMS = 200
"""Histograms up to which they are all listed: transforms take as long from some hundreds on."""


def histograms(n: int, k: int) -> int:
    """Return in how many ways n copies have k values.

    Example:
        >>> histograms(2, 3)
        6
    """
    return comb(n + k - 1, k - 1)


def means_by_histogram(
    values: Sequence[Sequence[arb]], masses: Sequence[arb], n: int
) -> list[Enclosure]:
    """Return enclosures of E max(0, X_1 + ... + X_n), one for each list of values of X.

    Args:
        values: The values of one X, list by list, at the working precision.
        masses: Their probabilities, the same for all lists; they may add up to less than 1: the
            rest has the value 0.
        n: The number of independent copies.

    Example:
        >>> found = means_by_histogram([[arb(1), arb(-1)]], [arb(0.5), arb(0.5)], 2)
        >>> print(found[0])
        0.500000000000
    """
    rest = 1 - sum(masses, arb(0))
    chances = [*masses, rest.nonnegative_part()]
    listed = [
        (counts, factorial(n) // prod(map(factorial, counts)) * mass)
        for counts in _counts(n, len(chances))
        if (mass := prod((m**c for m, c in zip(chances, counts, strict=True) if c), start=arb(1)))
        != 0
    ]
    spend(len(values) * len(listed) * (1 + len(masses)))
    found = []
    for one in values:
        total = arb(0)
        for counts, mass in listed:
            value = sum((c * v for c, v in zip(counts, one, strict=False) if c), arb(0))
            total += mass * value.max(arb(0))
        low, high = endpoints(total)
        found.append(Enclosure(max(low, type(low)(0)), high))
    return found


def _counts(n: int, k: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways in which n copies have k values."""
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for others in _counts(n - first, k - 1):
            yield first, *others
