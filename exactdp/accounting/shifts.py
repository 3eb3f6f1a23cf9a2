"""A query of several integers, each with noise of its own: the worst of all its changes.

The profile of a shift grows with each |v_i|, as that of one integer does and as composition
keeps the order of profiles. So over the integer vectors v with ‖v‖_1 <= Δ_1, ‖v‖_2² <= Δ_2² and
‖v‖_∞ <= Δ_∞ the worst is a largest one: no |v_i| can grow alone. Their order does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from math import isqrt

from exactdp.accounting.composition.compose_parts import compose
from exactdp.divergences import Largest, PrivacyProfile
from exactdp.errors import DomainError
from exactdp.numbers import refuse_above
from exactdp.numbers.arguments import of_class, whole_number
from exactdp.numbers.limits import MAX_SHIFTS
from exactdp.numbers.validated import validated

__all__ = ["largest_shifts", "worst_shift"]


@validated
def worst_shift(
    of_shift: Callable[[int], PrivacyProfile],
    *,
    dimensions: int,
    l1: int | None = None,
    l2_squared: int | None = None,
    linf: int | None = None,
) -> PrivacyProfile:
    """Return the profile of d integers with independent noise, the worst over all their changes.

    Exactly that, not a bound: over the vectors of integers within these norms.

    Args:
        of_shift: The profile of one integer that changes by s >= 1; the reverse of it is that of
            −s. Its δ grows in s, as of :class:`~exactdp.mechanisms.IntegerNoise`.
        dimensions: d, at least 1.
        l1: The largest Σ|v_i|, in units of the noise; at least one of the three is needed.
        l2_squared: The largest Σ v_i².
        linf: The largest |v_i|.

    Raises:
        DomainError: If no norm is given, or an argument is not an int of at least 1.
        TooLargeError: If there are too many largest changes to try.

    Example:
        Fair coins: one integer that moves by 2 is worse than two that move by 1.

        >>> from exactdp.mechanisms import binomial_mechanism
        >>> from exactdp.numbers import Epsilon
        >>> def coins(s):
        ...     return binomial_mechanism(trials=4, sensitivity=s)
        >>> worst = worst_shift(coins, dimensions=2, l1=2)
        >>> worst.delta(Epsilon.rational(0)) == coins(2).delta(Epsilon.rational(0))
        True
    """
    vectors = list(largest_shifts(dimensions, l1=l1, l2_squared=l2_squared, linf=linf))
    profiles = []
    for vector in vectors:
        sides = []
        for size, count in Counter(vector).items():
            advice = "Pass a function that returns a mechanism."
            one = of_class(of_shift(size), PrivacyProfile, name=f"of_shift({size})", advice=advice)
            back = one.reversed()
            split = range(1) if back is one else range(count + 1)
            sides.append([[(one, count - k), (back, k)] for k in split])
        profiles += [
            compose([part for side in choice for part in side]) for choice in product(*sides)
        ]
    return profiles[0] if len(profiles) == 1 else Largest(tuple(profiles))


def largest_shifts(
    dimensions: int,
    *,
    l1: int | None = None,
    l2_squared: int | None = None,
    linf: int | None = None,
) -> Iterator[tuple[int, ...]]:
    """Yield the vectors of positive integers, falling, of which none can grow in a component.

    Example:
        >>> list(largest_shifts(3, l1=4, linf=3))
        [(3, 1), (2, 2), (2, 1, 1)]
        >>> list(largest_shifts(2, l2_squared=5))
        [(2, 1)]
    """
    d = whole_number(dimensions, name="dimensions", at_least=1)
    bounds = {"l1": l1, "l2_squared": l2_squared, "linf": linf}
    given = {
        name: whole_number(x, name=name, at_least=1) for name, x in bounds.items() if x is not None
    }
    if not given:
        raise DomainError("no norm of the change is given. Pass l1, l2_squared or linf.")
    most = given.get("linf", given.get("l1", given.get("l2_squared", 1)))
    sums = given.get("l1", d * most)
    squares = given.get("l2_squared", d * most**2)
    found = 0

    def rest(
        at_most: int, places: int, sum_left: int, squares_left: int
    ) -> Iterator[tuple[int, ...]]:
        nonlocal found
        yield ()
        if not places:
            return
        for first in range(min(at_most, sum_left, isqrt(squares_left)), 0, -1):
            found += 1
            refuse_above(
                MAX_SHIFTS,
                found,
                "the changes within these norms are many",
                advice="Give smaller norms: take coarser steps, or bound linf.",
            )
            for tail in rest(first, places - 1, sum_left - first, squares_left - first**2):
                yield (first, *tail)

    for vector in rest(most, d, sums, squares):
        sum_left = sums - sum(vector)
        squares_left = squares - sum(x**2 for x in vector)
        steps = set(vector) | ({0} if len(vector) < d else set())
        can_grow = any(x < most and sum_left >= 1 and squares_left >= 2 * x + 1 for x in steps)
        if not can_grow:
            yield vector
