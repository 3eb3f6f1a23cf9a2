"""Means of positive parts of sums of few copies: histogram by histogram, for many lists of values.

E max(0, X_1 + ... + X_n) = Σ_c n!/(c_1! ... c_k!) m_1^(c_1) ... m_k^(c_k) max(0, Σ_y c_y v_y), over
all counts c of n copies among k values v_y of the masses m_y.

Rounding, with u = 2^−53: S = Σ_y c_y v_y in doubles is off by at most e, (k + 2)u Σ_y c_y |v_y|
and what the balls of v_y have as radii; max(0, S) by no more, and by nothing where S < −e. A mass
is off by 4u of itself, and a sum of H <= 2^22 terms, none negative, by what ``SAFE`` covers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb, factorial, prod

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure
from exactdp.numbers.balls import double_above
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.sums.doubles import SAFE, UNIT

__all__ = ["FEW_HISTOGRAMS", "histograms", "means_by_histogram"]

FEW_HISTOGRAMS = 3_000
"""Histograms up to which they are all listed: transforms take as long from some thousands on."""

_LEAST = 2.0**-1000
"""More than underflow loses in one of these sums."""

_CELLS = 1 << 21
"""Sums that are held at a time: 16 megabytes an array."""


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

    Raises:
        UndecidedError: If the values are too extreme for doubles.

    Example:
        >>> found = means_by_histogram([[arb(1), arb(-1)]], [arb(0.5), arb(0.5)], 2)
        >>> found[0].contains(Fraction(1, 2)), found[0].upper - found[0].lower < Fraction(1, 10**9)
        (True, True)
    """
    k = len(masses)
    chances = [*masses, (1 - sum(masses, arb(0))).nonnegative_part()]
    counts = [
        c for c in _counts(n, k + 1) if all(m != 0 for m, i in zip(chances, c, strict=True) if i)
    ]
    spend(len(counts) * (10 + len(values) * (k + 4) // 1000))
    weights = [
        factorial(n)
        // prod(map(factorial, c))
        * prod((m**i for m, i in zip(chances, c, strict=True) if i), start=arb(1))
        for c in counts
    ]
    mass = np.array([float(w.mid()) for w in weights])
    spread = np.array([double_above(w.rad()) for w in weights]) + 4 * UNIT * mass + _LEAST
    table = np.array(counts, dtype=float)[:, :k].T
    near = np.array([[float(v.mid()) for v in one] for one in values])
    radii = np.array([[double_above(v.rad()) for v in one] for one in values])
    found: list[Enclosure] = []
    step = max(1, _CELLS // len(counts))
    for first in range(0, len(values), step):
        v, r = near[first : first + step], radii[first : first + step]
        sums = v @ table
        off = ((k + 2) * UNIT * (np.abs(v) @ table) + r @ table) * SAFE + _LEAST
        low = (np.maximum(sums - off, 0) @ np.maximum(mass - spread, 0)) / SAFE
        high = (np.maximum(sums + off, 0) @ (mass + spread)) * SAFE + _LEAST
        if not np.isfinite(high).all():
            raise UndecidedError("the values are too extreme for doubles. Take others.")
        found += [
            Enclosure(Fraction(a), Fraction(b))
            for a, b in zip(low.tolist(), high.tolist(), strict=True)
        ]
    return found


def _counts(n: int, k: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways in which n copies have k values."""
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for others in _counts(n - first, k - 1):
            yield first, *others
