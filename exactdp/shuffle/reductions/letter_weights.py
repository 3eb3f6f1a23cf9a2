"""The weight of the victim's letters in another user's row.

A row R contains the letters Q0 and Q1 with weight r if R >= r·(Q0 + Q1) at every message:
then it is a mixture r Q0 + r Q1 + (1 − 2r)·leftover. Smaller weights will do as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exactdp.errors import DomainError
from exactdp.numbers import Exact, RationalLike
from exactdp.numbers.arguments import exact
from exactdp.numbers.validated import validated

__all__ = ["clone_weight", "letter_weight"]


def clone_weight(ratio: Exact | RationalLike) -> Exact:
    """Return r = 1/(2q) for the clones' letters: R_1(x0) + R_1(x1) <= 2q·R_i.

    ``ratio`` is a q >= 1 with R_1(x0), R_1(x1) <= q·R_i.

    Example:
        >>> clone_weight(3)
        Exact('1/6')
    """
    value = exact(ratio, name="ratio")
    if value < 1:
        raise DomainError(f"ratio={value} must be at least 1. It is a ratio of two laws' masses.")
    return 1 / (2 * value)


@validated
def letter_weight(letters: Sequence[Sequence[Exact]], rows: Iterable[Sequence[Exact]]) -> Exact:
    """Return the largest r with row >= r·(Q0 + Q1) at every message, for all given rows.

    Formula:
        min over the rows (which the user's input may select) and messages of row/(Q0 + Q1).
        ``letters`` are Q0 and Q1, such as the laws of ``clone_decomposition(...).letters``.

    Raises:
        DomainError: If there is no row, lengths differ, or the letters are not two.

    Example:
        >>> half, q, t = Exact("1/2"), Exact("1/4"), Exact("3/4")
        >>> letter_weight([[Exact(1), Exact(0)], [Exact(0), Exact(1)]], [[half, half], [q, t]])
        Exact('1/4')
    """
    if len(letters) != 2:
        raise DomainError(f"letters holds {len(letters)} laws, not two. Pass those of Q0 and Q1.")
    sums = [Exact(u) + v for u, v in zip(letters[0], letters[1], strict=True)]
    found: list[Exact] = []
    for row in rows:
        if len(row) != len(sums):
            raise DomainError(
                f"a row has {len(row)} messages, the letters have {len(sums)}. Give all the same "
                "messages (with zero columns)."
            )
        found += [Exact(mass) / s for mass, s in zip(row, sums, strict=True) if s != 0]
    if not found:
        raise DomainError("no row is given. Pass the rows of the user's possible inputs.")
    return min(found)
