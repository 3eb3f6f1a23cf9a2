"""The randomizers that the trials run over, their blankets, and the variable L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

from hypothesis import strategies as st

from exactdp.claims.domains import objects
from exactdp.numbers import Exact
from exactdp.testing import fractions, local_randomizers
from proofs_check.lemmas.trials.divergences import laws

Rows = Sequence[Sequence[Any]]
Law = list[tuple[Exact, Exact]]
"""The values of L, each with its probability under the blanket."""


@lru_cache(maxsize=8)
def small_rows(inputs: int, messages: int, weight: int) -> tuple[Rows, ...]:
    """Return the randomizers with positive integer weights of sum ``weight`` in every row."""
    positive = [law for law in laws(messages, weight) if all(law)]
    return tuple(
        (first, *rest)
        for first in positive
        for rest in combinations_with_replacement(positive, inputs - 1)
        if any(row != first for row in rest)
    )


def has_ratios(rows: Rows) -> bool:
    """Return whether no message has mass 0 for some input: R is private for a finite ε_0."""
    return all(min(column) > 0 for column in zip(*rows, strict=True))


def _drawn() -> st.SearchStrategy[Rows]:
    """Draw private randomizers on three inputs."""
    rows = fractions(1, 5, max_denominator=3).flatmap(
        lambda ratio: local_randomizers(rows=3, columns=3, max_ratio=ratio)
    )
    # Entries are zero only in whole columns, for which L has no value; drop those.
    return rows.map(lambda found: tuple(zip(*filter(any, zip(*found, strict=True)), strict=True)))


PRIVATE = objects(
    "the rows of a randomizer, ε_0-DP for some ε_0",
    _drawn,
    condition=has_ratios,
    coq=("X -> law nat", "private_rows {0}", "{X : Type}"),
)


def gammas(rows: Rows) -> list[Fraction]:
    """Return values of e^ε from 1 to below e^ε0, simplest first."""
    x = Fraction(max(max(column) / min(column) for column in zip(*rows, strict=True)))
    return [1 + (x - 1) * Fraction(i, 4) for i in range(4)]


def blanket_of(rows: Rows) -> tuple[Exact, list[Exact]]:
    """Return the mass of the blanket and its law: the least mass of each message, over inputs."""
    least = [min(map(Exact, column)) for column in zip(*rows, strict=True)]
    gamma = sum(least, Exact(0))
    return gamma, [mass / gamma for mass in least]


def loss(rows: Rows, inputs: tuple[int, int], exp_epsilon: Exact | Fraction) -> Law:
    """Return the law of L for the victim's two inputs; messages off the blanket have none."""
    columns = zip(*(rows[x] for x in inputs), blanket_of(rows)[1], strict=True)
    return [((Exact(a) - exp_epsilon * Exact(b)) / w, w) for a, b, w in columns if w != 0]


def moments(law: Law) -> dict[str, Exact]:
    """Return E[L], max L, max L − min L and E[L²], under the names of the bounds' arguments."""
    values = [value for value, _ in law]
    mean, square = (sum((w * v**i for v, w in law), Exact(0)) for i in (1, 2))
    width = max(values) - min(values)
    return {"mean": mean, "maximum": max(values), "width": width, "second_moment": square}
