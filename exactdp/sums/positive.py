"""Means of positive parts of sums of copies.

They are summed over counts where these are few, or the width is narrow (``counted``); else they
come from the transform (``smoothed``). With two values v and w, of masses p and 1 − p,

    E max(0, S) = n·Σ_s max(0, (1 − p)·w·G(s) + p·v·G(s − 1)),

G the binomial law of n − 1 trials (``trials``), since s·Bin(n, p)(s) = n·p·G(s − 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from flint import arb

from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Enclosure, Number, precision
from exactdp.numbers.balls import floor_of
from exactdp.numbers.limits import MAX_USERS, count_text, refuse_above
from exactdp.sums.counting.counted import CountedSum
from exactdp.sums.counting.trials import sum_of_positive_parts
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.lines.smoothed import SmoothedSum

__all__ = ["mean_positive_sum"]

_DOUBLES = Fraction(1, 10**10)
"""Doubles reach no relative width below."""
_BITS = 192


def mean_positive_sum(
    values: Sequence[Number], masses: Sequence[Number], n: int, *, relative_width: Fraction
) -> Enclosure:
    """Return an enclosure of E[max(0, X_1 + ... + X_n)].

    Args:
        values: The values of one X, not all at most 0.
        masses: Their probabilities, positive, in the same order.
        n: The number of independent copies, at least 1.
        relative_width: (upper − lower) <= relative_width·lower.

    Raises:
        DomainError: If no value is certainly positive.
        TooLargeError: If n is above 10^13, or the transform would take too many points.
        UndecidedError: If the width is not reached.

    Example:
        Two fair steps of ±1: the sum is 2 with probability 1/4.

        >>> from exactdp.numbers import Exact
        >>> half = Exact("1/2")
        >>> found = mean_positive_sum([Exact(1), Exact(-1)], [half, half], 2,
        ...     relative_width=Fraction(1, 10**9))
        >>> found.contains(half), found.width < Fraction(1, 10**9)
        (True, True)
    """
    if not any(value.ball(256) > 0 for value in values):
        raise DomainError("no value is certainly positive. Then the mean of max(0, sum) is 0.")
    refuse_above(MAX_USERS, n, f"n={count_text(n)}", advice="Lower n.")
    if len(values) == 2:
        c = [m * v for v, m in zip(values, masses, strict=True)]
        found = sum_of_positive_parts([(masses[1], n - 1)], c, relative_width=relative_width)
        return Enclosure(n * found.lower, n * found.upper)

    def parts(bits: int) -> list[FiniteVariable]:
        return [FiniteVariable([v.ball(bits) for v in values], [m.ball(bits) for m in masses], n)]

    with precision(_BITS):  # so that the values are near 1
        size = max(abs(value.ball(_BITS)).upper() for value in values)
        shift = int(floor_of(size.log() / arb.const_log2()))

    def scaled(bits: int) -> list[FiniteVariable]:
        return [replace(x, values=[v * arb(2) ** -shift for v in x.values]) for x in parts(bits)]

    try:
        found = CountedSum(scaled, lambda _: arb(0), 0, relative_width).mean()
        return Enclosure(*(end * Fraction(2) ** shift for end in (found.lower, found.upper)))
    except TooLargeError:
        if relative_width < _DOUBLES:
            raise
    with precision(_BITS):
        one = parts(_BITS)[0]
        square = sum((m * v**2 for v, m in zip(one.values, one.masses, strict=True)), arb(0))
        usual = float((1 / (n * square).sqrt()).mid())
        return SmoothedSum([one], 0).mean_above(arb(0), relative_width, start=usual)
