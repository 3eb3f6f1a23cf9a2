"""What the families of randomizers have in common: k inputs, a limit of size, two masses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers import Epsilon
from exactdp.numbers.arguments import privacy_epsilon, whole_number
from exactdp.numbers.limits import MAX_ENTRIES, count_text, refuse_above

__all__ = ["alphabet_size", "refuse_large_matrix", "two_masses"]

Y = TypeVar("Y", bound=Hashable)


def two_masses(
    k: int,
    messages: Sequence[Y],
    epsilon: Epsilon,
    is_likelier: Callable[[int, Y], bool],
    *,
    name: str,
) -> Randomizer:
    """Return the randomizer of k inputs with mass e^ε / Z where a message is likelier, else 1 / Z.

    Every input has equally many likelier messages, so that with one Z all rows sum to 1.
    """
    exp_epsilon = privacy_epsilon(epsilon).exp
    likelier = sum(is_likelier(0, y) for y in messages)
    low = 1 / (likelier * exp_epsilon + (len(messages) - likelier))
    high = exp_epsilon * low
    return Randomizer(
        tuple(tuple(high if is_likelier(x, y) else low for y in messages) for x in range(k)),
        name=name,
        labels=tuple(messages),
    )


def alphabet_size(k: int) -> int:
    """Return k, the inputs of a mechanism with at least k messages; k is at least 2.

    Raises:
        DomainError: If k is not an int or is below 2.
        TooLargeError: If even a k by k matrix would have too many entries. So
            k is at most 1,000 afterwards, and binomials in k are harmless.
    """
    k = whole_number(k, name="k", at_least=2)
    refuse_large_matrix(k, k, advice="Lower k.")
    return k


def refuse_large_matrix(rows: int, columns: int, *, advice: str) -> None:
    """Raise unless a matrix of so many rows, and at least so many columns, is small enough.

    Raises:
        TooLargeError: With the number of entries, and the advice.

    Example:
        >>> refuse_large_matrix(20, 2**20, advice="Lower k to at most 15.")
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: the matrix has 20 rows and at least 1,048,576 columns, \
so at least 20,971,520 entries; the limit is 1,000,000. Lower k to at most 15.
    """
    refuse_above(
        MAX_ENTRIES,
        rows * columns,
        f"the matrix has {count_text(rows)} rows and at least {count_text(columns)} columns, "
        f"so at least {count_text(rows * columns)} entries",
        advice=advice,
    )
