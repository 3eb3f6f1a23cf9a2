"""Sums of few finite variables, point by point; and positive parts of sums of many.

E f(S − c), f as in ``lines``, is a sum in balls over the histograms of values where these are
few, at any width; else it comes from the transform (``smoothed``). With two values v and w, of
masses p and 1 − p, E max(0, S) = n·Σ_s max(0, (1 − p)·w·G(s) + p·v·G(s − 1)), G the binomial law
of n − 1 trials (``trials``), since s·Bin(n, p)(s) = n·p·G(s − 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod

from flint import arb, fmpz

from exactdp.distributions.polynomials import histogram_count
from exactdp.errors import DomainError, UndecidedError
from exactdp.inversion.factors import FiniteVariable
from exactdp.inversion.smoothed import SmoothedSum
from exactdp.inversion.trials import sum_of_positive_parts
from exactdp.numbers import Enclosure, Number, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.limits import MAX_USERS, count_text, refuse_above

__all__ = ["are_few", "mean_of_few", "mean_positive_sum"]

_FEW_HISTOGRAMS, _MANY_HISTOGRAMS = 3_000, 300_000
_NARROW = Fraction(1, 10**7)
_PRECISIONS = 8
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

    if are_few([(len(values), n)], relative_width):
        return mean_of_few(parts, lambda _: arb(0), rate=0, relative_width=relative_width)
    with precision(_BITS):
        one = parts(_BITS)[0]
        square = sum((m * v**2 for v, m in zip(one.values, one.masses, strict=True)), arb(0))
        usual = float((1 / (n * square).sqrt()).mid())
        return SmoothedSum([one], 0).mean_above(arb(0), relative_width, start=usual)


def are_few(sizes: Sequence[tuple[int, int]], relative_width: Fraction) -> bool:
    """Return whether sums of some (values, copies) are better counted one by one."""
    most = _MANY_HISTOGRAMS if relative_width < _NARROW else _FEW_HISTOGRAMS
    return prod(histogram_count(times, size) for size, times in sizes) <= most


def mean_of_few(
    parts: Callable[[int], Sequence[FiniteVariable]],
    threshold: Callable[[int], arb],
    *,
    rate: int,
    relative_width: Fraction,
) -> Enclosure:
    """Return an enclosure of E f(S − c), point by point.

    Args:
        parts: The variables at a number of bits.
        threshold: c at a number of bits.
        rate: 0 for max(0, S − c), 1 for max(0, 1 − e^(c − S)).
        relative_width: (upper − lower) <= relative_width·lower.

    Raises:
        UndecidedError: If the mean cannot be told from 0.
    """
    copies = sum(part.times for part in parts(64))
    bits = 64 + relative_width.denominator.bit_length() + 8 * copies.bit_length()
    for _ in range(_PRECISIONS):
        with precision(bits):
            c, total = threshold(bits), arb(0)
            for x, mass in _points(parts(bits)):
                above = (x - c).nonnegative_part()
                total += mass * (-(-above).expm1() if rate else above)
            lower, upper = endpoints(total)
        if lower > 0 and upper - lower <= relative_width * lower:
            return Enclosure(lower, upper)
        bits *= 2
    raise UndecidedError("the mean cannot be told from zero. Ask at a smaller epsilon.")


def _points(parts: Sequence[FiniteVariable]) -> list[tuple[arb, arb]]:
    """Return the sums with their masses, one for each way to count the values."""
    points = [(arb(0), arb(1))]
    for part in parts:
        counted = _counted(part)
        points = [(x + z, a * b) for x, a in points for z, b in counted]
    return points


def _counted(part: FiniteVariable) -> list[tuple[arb, arb]]:
    """Return the multinomial law of a sum of copies."""
    partial = [(arb(0), arb(1), part.times)]
    *first, last = zip(part.values, part.masses, strict=True)
    for x, mass in first:
        powers = [mass**count for count in range(part.times + 1)]
        partial = [
            (z + count * x, a * fmpz.bin_uiui(left, count) * powers[count], left - count)
            for z, a, left in partial
            for count in range(left + 1)
        ]
    x, mass = last
    return [(z + left * x, a * mass**left) for z, a, left in partial]
