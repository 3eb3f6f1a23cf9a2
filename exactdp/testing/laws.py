"""Laws that every accountant obeys, checked at doubles without the truth.

PYTEST_DONT_REWRITE: the messages are made here.

A truth obeys these, and so does a bound that is computed in one way for all arguments; a bound
that is the least of several, or a search that stops early, may not. NaN obeys nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Real
from typing import TypeVar

from exactdp.numbers import RationalLike
from exactdp.numbers.arguments import of_class
from exactdp.numbers.text import fraction_of, rational

__all__ = ["assert_lawful_composition", "assert_lawful_delta", "assert_lawful_epsilon"]

P = TypeVar("P")
Values = Callable[[float], float]


def assert_lawful_delta(
    delta_of: Values, epsilons: Sequence[float], *, tolerance: RationalLike = 0
) -> None:
    """Assert that δ(ε) is a probability and never rises, but for a relative tolerance.

    Raises:
        AssertionError: If not; with both points.

    Example:
        >>> assert_lawful_delta(lambda epsilon: 0.5 / (1 + epsilon), [0.0, 1.0, 2.0])
        >>> assert_lawful_delta(lambda epsilon: epsilon / 4, [0.0, 1.0])
        Traceback (most recent call last):
        ...
        AssertionError: delta rises from 0.0 at 0.0 to 0.25 at 1.0
    """
    __tracebackhide__ = True
    _falls(delta_of, epsilons, "delta", 1.0, tolerance)


def assert_lawful_epsilon(
    epsilon_of: Values, deltas: Sequence[float], *, tolerance: RationalLike = 0
) -> None:
    """Assert that ε(δ) is at least 0 and never rises; infinity is allowed.

    Raises:
        AssertionError: If not; with both points.

    Example:
        >>> assert_lawful_epsilon(lambda delta: -math.log(delta), [1e-9, 1e-6, 0.5])
    """
    __tracebackhide__ = True
    _falls(epsilon_of, deltas, "epsilon", math.inf, tolerance)


def assert_lawful_composition(
    value_of: Callable[[Sequence[P]], float],
    parts: Sequence[P],
    *,
    tolerance: RationalLike = "1e-9",
) -> None:
    """Assert that the parts may come in any order, and that one more never costs less.

    Formula:
        f(parts) = f(reversed parts) and f(parts without the last) <= f(parts), but for a
        relative tolerance: to drop a part is post-processing.

    Raises:
        AssertionError: If not; with both values.

    Example:
        >>> assert_lawful_composition(sum, [1.0, 2.0])
        >>> assert_lawful_composition(lambda parts: parts[0], [1.0, 2.0])
        Traceback (most recent call last):
        ...
        AssertionError: 1.0 for [1.0, 2.0] is 2.0 in reverse order
    """
    __tracebackhide__ = True
    given, found = list(parts), value_of(list(parts))
    back = value_of(given[::-1])
    if not (_is_at_most(found, back, tolerance) and _is_at_most(back, found, tolerance)):
        raise AssertionError(f"{found!r} for {given!r} is {back!r} in reverse order")
    if len(given) > 1:
        fewer = value_of(given[:-1])
        if not _is_at_most(fewer, found, tolerance):
            raise AssertionError(f"{found!r} for {given!r} is below {fewer!r} without the last")


def _falls(
    value_of: Values, points: Sequence[float], name: str, most: float, tolerance: RationalLike
) -> None:
    __tracebackhide__ = True
    last: tuple[float, float] | None = None
    for point in sorted(points):
        value = value_of(point)
        of_class(value, Real, name=name, advice="Pass a function that returns numbers.")
        if not 0 <= value <= most:
            raise AssertionError(f"{name} is {value!r} at {point!r}, not from 0 to {most:g}")
        if last is not None and not _is_at_most(value, last[1], tolerance):
            raise AssertionError(
                f"{name} rises from {last[1]!r} at {last[0]!r} to {value!r} at {point!r}"
            )
        last = point, value


def _is_at_most(small: float, large: float, tolerance: RationalLike) -> bool:
    """Return whether small <= large·(1 + tolerance), decided exactly; NaN is at most nothing."""
    for value in (small, large):
        of_class(value, Real, name="a value", advice="Pass a function that returns numbers.")
    if not (math.isfinite(small) and math.isfinite(large)):
        return small <= large
    factor = 1 + fraction_of(rational(tolerance, name="tolerance"))
    return Fraction(small) <= Fraction(large) * factor
