"""Hypothesis strategies for what only papers need.

Definitions: :func:`adaptive_randomizers`.
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from exactdp.mechanisms import Randomizer
from exactdp.testing import local_randomizers
from proofs_check.lemmas.adaptive import AdaptiveRandomizers, History

__all__ = ["adaptive_randomizers"]


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
        ...     adaptive_randomizers(steps=2, rows=2, columns=2, max_ratio=Fraction(3)),
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
