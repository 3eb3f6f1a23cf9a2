"""Hypothesis strategies for what only papers need.

Definitions: :func:`adaptive_randomizers`, :func:`drawn_sequences`, :func:`private_rows`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from exactdp.mechanisms import Randomizer
from exactdp.testing import fractions, local_randomizers, neighboring_datasets
from proofs_check.lemmas.adaptive import AdaptiveRandomizers, History

__all__ = ["adaptive_randomizers", "drawn_sequences", "private_rows"]


@st.composite
def adaptive_randomizers(
    draw: DrawFn, *, steps: int, rows: int, columns: int, max_ratio: Fraction, resolution: int = 3
) -> AdaptiveRandomizers:
    """Adaptive sequences of ε-LDP randomizers, e^ε = max_ratio, as complete tables.

    The randomizer of every history is drawn on its own, as in ``local_randomizers``
    with ``rows`` inputs and ``columns`` messages; outputs without mass are included,
    and so are the histories that hold them. Shrinks to steps that ignore input and
    history and always send the last message.

    Example:
        >>> from hypothesis import find
        >>> found = find(
        ...     adaptive_randomizers(
        ...         steps=2, rows=2, columns=2, max_ratio=Fraction(3), resolution=1
        ...     ),
        ...     lambda randomizers: randomizers.at((0,)) != randomizers.at((1,)),
        ... )
        >>> len(found), found.ldp_epsilon().exp <= 3
        (2, True)
    """
    histories: list[History] = [()]
    for history in histories:
        if len(history) < steps - 1:
            histories += [(*history, y) for y in range(columns)]
    matrices = local_randomizers(
        rows=rows, columns=columns, max_ratio=max_ratio, resolution=resolution
    )
    return AdaptiveRandomizers.from_table(
        {history: Randomizer.from_matrix(draw(matrices)) for history in histories}
    )


@st.composite
def drawn_sequences(draw: DrawFn, least: Fraction = Fraction(1)) -> dict[str, Any]:
    """Adaptive randomizers with neighboring data, e^ε0 >= least, and an e^ε up to it."""
    n, x = draw(st.integers(2, 4)), draw(fractions(least, 6, max_denominator=4))
    data, neighbor = draw(neighboring_datasets(inputs=3, min_users=n, max_users=n))
    return {
        "n": n,
        "exp_epsilon0": x,
        "exp_epsilon": draw(fractions(1, x, max_denominator=4)),
        "steps": draw(adaptive_randomizers(steps=n, rows=3, columns=2, max_ratio=x)),
        "data": data,
        "neighbor": neighbor,
    }


@st.composite
def private_rows(
    draw: DrawFn, *, rows: int, columns: int, least: Fraction = Fraction(1)
) -> dict[str, Any]:
    """The rows of a private randomizer, with its e^ε0 >= least."""
    x = draw(fractions(least, 6, max_denominator=4))
    matrix = draw(local_randomizers(rows=rows, columns=columns, max_ratio=x))
    return {"exp_epsilon0": x, "rows": matrix}
