"""The checks on arguments that the families of mechanisms share."""

from __future__ import annotations

from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Epsilon, Exact, count_text

__all__ = ["MAX_ENTRIES", "alphabet_size", "exp_of_epsilon", "refuse_large", "whole_number"]

MAX_ENTRIES = 1_000_000
"""Matrices with more entries are refused: they would need minutes and gigabytes."""


def exp_of_epsilon(epsilon: Epsilon) -> Exact:
    """Return e^epsilon of the privacy parameter of a mechanism.

    Raises:
        DomainError: If epsilon is not an Epsilon, is infinite or is negative.

    Example:
        >>> exp_of_epsilon(Epsilon.log(3))
        Exact('3')
        >>> exp_of_epsilon(0.5)
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: epsilon=0.5 is of type float, not an Epsilon. \
Pass Epsilon.rational("0.5"), or Epsilon.from_float_exactly(0.5) if you mean that double.
    """
    if not isinstance(epsilon, Epsilon):
        advice = 'Pass Epsilon.rational("1/2") (in nats) or Epsilon.log(3) (e^epsilon = 3).'
        if isinstance(epsilon, float):
            advice = (
                f'Pass Epsilon.rational("{epsilon!r}"), '
                f"or Epsilon.from_float_exactly({epsilon!r}) if you mean that double."
            )
        raise DomainError(
            f"epsilon={epsilon!r} is of type {type(epsilon).__name__}, not an Epsilon. {advice}"
        )
    if epsilon.is_infinite:
        raise DomainError(
            "epsilon is infinite. Pass a finite Epsilon, or give the matrix itself "
            "to Randomizer.from_matrix."
        )
    if epsilon.exp < 1:
        raise DomainError(f"epsilon={epsilon!r} is negative. Pass an Epsilon of at least 0.")
    return epsilon.exp


def whole_number(value: int, *, name: str, at_least: int) -> int:
    """Return ``value`` if it is an int of at least ``at_least``.

    Raises:
        DomainError: If it is of another type (a bool is) or is smaller.

    Example:
        >>> whole_number(4, name="k", at_least=2)
        4
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise DomainError(f"{name}={value!r} is of type {type(value).__name__}. Pass an int.")
    if value < at_least:
        raise DomainError(f"{name}={value} must be at least {at_least}.")
    return value


def alphabet_size(k: int) -> int:
    """Return k, the inputs of a mechanism with at least k messages; k is at least 2.

    Raises:
        DomainError: If k is not an int or is below 2.
        TooLargeError: If even a k by k matrix would have too many entries. So
            k is at most 1,000 afterwards, and binomials in k are harmless.
    """
    whole_number(k, name="k", at_least=2)
    refuse_large(k, k, advice="Lower k.")
    return k


def refuse_large(rows: int, columns: int, *, advice: str) -> None:
    """Raise unless a matrix of so many rows, and at least so many columns, is small enough.

    Raises:
        TooLargeError: With the number of entries, and the advice.

    Example:
        >>> refuse_large(20, 2**20, advice="Lower k to at most 15.")
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: the matrix has 20 rows and at least 1,048,576 columns, \
so at least 20,971,520 entries; the limit is 1,000,000. Lower k to at most 15.
    """
    if rows * columns <= MAX_ENTRIES:
        return
    raise TooLargeError(
        f"the matrix has {count_text(rows)} rows and at least {count_text(columns)} columns, "
        f"so at least {count_text(rows * columns)} entries; the limit is {MAX_ENTRIES:,}. {advice}"
    )
