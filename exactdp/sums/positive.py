"""The mean of the positive part of a sum of copies; ``table`` has the ways to it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Exact, Number, precision
from exactdp.numbers.balls import floor_of
from exactdp.numbers.limits import MAX_USERS, count_text, refuse_above
from exactdp.sums.choose import Routed, answered
from exactdp.sums.counting.letters import LetterSum, seen_sign
from exactdp.sums.counting.trials import sum_of_positive_parts
from exactdp.sums.doubles import BALL_BITS
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.table import ROUTES, Mean

__all__ = ["mean_of_copies", "mean_positive_sum"]


def mean_positive_sum(
    values: Sequence[Number], masses: Sequence[Exact], n: int, *, relative_width: Fraction
) -> Routed:
    """Return an enclosure of E[max(0, X_1 + ... + X_n)].

    Args:
        values: The values of one X, not all at most 0.
        masses: Their probabilities, positive, in the same order.
        n: The number of independent copies, at least 1.
        relative_width: (upper − lower) <= relative_width·lower.

    Raises:
        DomainError: If no value is certainly positive.
        TooLargeError: If n is above 10^13, or no route is short enough.
        UndecidedError: If the width is not reached.

    Example:
        Two fair steps of ±1: the sum is 2 with probability 1/4.

        >>> half = Exact("1/2")
        >>> found = mean_positive_sum([Exact(1), Exact(-1)], [half, half], 2,
        ...     relative_width=Fraction(1, 10**9))
        >>> found.contains(half), found.width < Fraction(1, 10**9), found.route
        (True, True, 'a closed form')
    """
    if not any(seen_sign(value) == 1 for value in values):
        raise DomainError("no value is certainly positive. Then the mean of max(0, sum) is 0.")
    refuse_above(MAX_USERS, n, f"n={count_text(n)}", advice="Lower n.")
    return answered(ROUTES, mean_of_copies(*_merged(values, masses), n), relative_width)


def mean_of_copies(values: Sequence[Number], masses: Sequence[Exact], n: int) -> Mean:
    """Return E max(0, X_1 + ... + X_n) as a question, of values that are told near 1."""
    count = len(values)
    with precision(BALL_BITS):
        balls = [x.ball(BALL_BITS) for x in values]
        shift = int(floor_of(max(abs(x).upper() for x in balls).log() / arb.const_log2()))
        square = sum((m.ball(BALL_BITS) * x**2 for m, x in zip(masses, balls, strict=True)), arb(0))
        start = float((arb(2) ** shift / (n * square).sqrt()).mid())

    def finite(bits: int) -> list[FiniteVariable]:
        with precision(bits):
            near = [x.ball(bits) * arb(2) ** -shift for x in values]
        return [FiniteVariable(near, [m.ball(bits) for m in masses], n)]

    def by_trials(width: Fraction) -> Enclosure:
        c = [m * v for v, m in zip(values, masses, strict=True)]
        found = sum_of_positive_parts([(masses[1], n - 1)], c, relative_width=width)
        return Enclosure(n * found.lower, n * found.upper)

    return Mean(
        0,
        Exact(0),
        finite,
        is_listed=count > 2,
        has_transform=count > 1,
        formula=by_trials if count == 2 else None,
        letters=LetterSum.of(values, masses, n) if count == 3 else None,
        shift=shift,
        start=start,
    )


def _merged(
    values: Sequence[Number], masses: Sequence[Exact]
) -> tuple[Sequence[Number], Sequence[Exact]]:
    """Return values and masses, equal values together where that is seen."""
    if not all(isinstance(value, Exact) for value in values):
        return values, masses
    law: dict[Number, Exact] = {}
    for value, mass in zip(values, masses, strict=True):
        law[value] = law.get(value, Exact(0)) + mass
    return list(law), list(law.values())
