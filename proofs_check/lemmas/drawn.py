"""Hypothesis strategies that only papers need.

Definitions: :func:`adaptive_randomizers`, :data:`ADAPTIVE`, :func:`is_private`,
:func:`private_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exactdp.claims.kinds import Objects, objects
from exactdp.mechanisms import Randomizer
from exactdp.testing import local_randomizers, neighboring_datasets
from exactdp.testing.later import st
from proofs_check.lemmas.adaptive import AdaptiveRandomizers, History
from proofs_check.lemmas.quantities import SAME
from proofs_check.lemmas.sequences import written_protocol

__all__ = ["ADAPTIVE", "adaptive_randomizers", "is_private", "private_rows"]


@st.composite
def adaptive_randomizers(
    draw: st.DrawFn,
    *,
    steps: int,
    rows: int,
    columns: int,
    max_ratio: Fraction,
    resolution: int = 3,
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
def _with_data(draw: st.DrawFn, n: int, exp_epsilon0: Fraction) -> tuple[Any, Any, Any]:
    data, neighbor = draw(neighboring_datasets(inputs=3, min_users=n, max_users=n))
    drawn = adaptive_randomizers(steps=n, rows=3, columns=2, max_ratio=exp_epsilon0)
    return draw(drawn), data, neighbor


ADAPTIVE = objects(
    "adaptive e^ε0-DP randomizers of n users, with neighboring data (a number: the worst ones on "
    "so many inputs)",
    _with_data,
    coq=(
        "protocol X A",
        "users {0} = n /\\ Forall (private_after same (ln exp_epsilon0)) (steps {0})",
        f"{SAME} {{X : Type}}",
    ),
    written=lambda randomizers: written_protocol(randomizers),
)
"""Beside n and exp_epsilon0, which stand before it in a domain."""


def is_private(rows: Sequence[Sequence[Any]], exp_epsilon0: Any) -> bool:
    """Return whether every message's masses have ratios of at most e^ε0."""
    return all(max(c) <= exp_epsilon0 * min(c) for c in zip(*rows, strict=True))


def private_rows(*, rows: int, columns: int) -> Objects:
    """Return the rows of e^ε0-DP randomizers, as a kind; so many of so many are drawn.

    The variable is called rows and stands behind exp_epsilon0.
    """

    def drawn(exp_epsilon0: Fraction) -> Any:
        return local_randomizers(rows=rows, columns=columns, max_ratio=exp_epsilon0)

    return objects("the rows of an e^ε0-DP randomizer", drawn, condition=is_private)
