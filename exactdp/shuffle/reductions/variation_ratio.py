"""The parameters of the variation-ratio reduction, from their definitions.

References: S. Wang et al., Privacy Amplification via Shuffling: Unified, Simplified, and
Tightened, 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.validated import validated

__all__ = ["RatioRow", "VariationRatio", "other_rows", "variation_ratio"]

RatioRow = tuple[Exact, ...]
"""The masses of the messages for one input."""


@validated
@dataclass(frozen=True, slots=True)
class VariationRatio:
    """The parameters of the variation-ratio reduction.

    Attributes:
        p: ln of the largest ratio of the victim's two rows, either way; may be infinite.
        beta: The total variation between the victim's two rows.
        q: ln of the largest ratio of a row of the victim to a row of an other; may be
            infinite.
    """

    p: Epsilon
    beta: Exact
    q: Epsilon


@validated
def variation_ratio(
    randomizer: Randomizer,
    *,
    inputs: tuple[int, int] = (0, 1),
    others: Sequence[RatioRow] | None = None,
) -> VariationRatio:
    """Return the exact p, β and q of a victim and other rows, from their definitions.

    Formula:
        ln p = max_y |ln R(x0)(y) − ln R(x1)(y)|, β = Σ_y max(0, R(x0)(y) − R(x1)(y)),
        q = max_y max(R(x0)(y), R(x1)(y)) / R'(y) over the other rows R'.

    Raises:
        DomainError: If an input is not a row number, or rows differ in length.

    Source:
        Wang et al. 2023, as restated in Wang et al. 2024, Section 3: the
        (p, β)-variation and q-ratio properties with the smallest parameters.

    Example:
        >>> from exactdp.mechanisms import randomized_response
        >>> variation_ratio(randomized_response(4, Epsilon.log(3)))
        VariationRatio(p=Epsilon.log('3'), beta=Exact('1/3'), q=Epsilon.log('3'))
    """
    zero, one = (randomizer.row(i) for i in inputs)
    pair = Randomizer((zero, one))
    beta = sum((max(Exact(0), u - v) for u, v in zip(zero, one, strict=True)), Exact(0))
    largest = Exact(1)
    for row in other_rows(randomizer, others):
        for u, v, w in zip(zero, one, row, strict=True):
            top = max(u, v)
            if w == 0 < top:
                return VariationRatio(pair.ldp_epsilon(), beta, Epsilon.infinity())
            if top > 0:
                largest = max(largest, top / w)
    return VariationRatio(pair.ldp_epsilon(), beta, Epsilon(largest))


def other_rows(randomizer: Randomizer, others: Sequence[RatioRow] | None) -> tuple[RatioRow, ...]:
    """Return the rows of the other users, checked; all rows of the randomizer if None."""
    if others is None:
        return randomizer.rows
    if not others:
        return ()
    rows = Randomizer(tuple(tuple(row) for row in others), name="others")
    if rows.messages != randomizer.messages:
        raise DomainError(
            f"others have {rows.messages} messages, the victim's randomizer has "
            f"{randomizer.messages}. Give all rows the same messages (with zero columns)."
        )
    return rows.rows
