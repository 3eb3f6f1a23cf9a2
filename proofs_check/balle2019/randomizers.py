"""The randomizers that the trials run over, their blankets, and the variable L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

from exactdp.claims.kinds import objects
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, term
from exactdp.numbers import Exact
from exactdp.testing import fractions, local_randomizers
from exactdp.testing.later import st
from proofs_check.lemmas.trials.divergences import laws

Rows = Sequence[Sequence[Any]]
Blanket = tuple[Exact, list[Exact]]
"""The mass of a blanket, and its law."""
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
    return fractions(1, 5, max_denominator=3).flatmap(_drawn_within)


def _drawn_within(exp_epsilon0: Fraction) -> st.SearchStrategy[Rows]:
    """Draw randomizers on three inputs; their ratios are at most 5, which is small to compute."""
    rows = local_randomizers(rows=3, columns=3, max_ratio=min(Fraction(exp_epsilon0), Fraction(5)))
    # Entries are zero only in whole columns, for which L has no value; drop those.
    return rows.map(lambda found: tuple(zip(*filter(any, zip(*found, strict=True)), strict=True)))


PRIVATE = objects(
    "the rows of a randomizer, ε_0-DP for some ε_0",
    _drawn,
    condition=has_ratios,
    coq=("X -> law nat", "private_rows {0}", "{X : Type}"),
)


def largest_ratio(rows: Rows) -> Fraction:
    """Return the least e^ε0 for which a private randomizer is ε_0-DP."""
    return Fraction(max(max(column) / min(column) for column in zip(*rows, strict=True)))


WITHIN = objects(
    "the rows of an ε_0-DP randomizer",
    _drawn_within,
    condition=lambda exp_epsilon0, rows: (
        has_ratios(rows) and Exact(largest_ratio(rows)) <= exp_epsilon0
    ),
    coq=("X -> law nat", "rows_within exp_epsilon0 {0}", "{X : Type}"),
)


def gammas(rows: Rows) -> list[Fraction]:
    """Return values of e^ε from 1 to below e^ε0, simplest first."""
    return [1 + (largest_ratio(rows) - 1) * Fraction(i, 4) for i in range(4)]


def blanket_of(rows: Rows) -> Blanket:
    """Return the mass of the blanket and its law: the least mass of each message, over inputs."""
    least = [min(map(Exact, column)) for column in zip(*rows, strict=True)]
    gamma = sum(least, Exact(0))
    return gamma, [mass / gamma for mass in least]


BLANKET = objects(
    "γ and ω, so that γω(y) is the least mass of the message y over all inputs",
    lambda rows: st.just(blanket_of(rows)),
    condition=lambda rows, blanket: blanket == blanket_of(rows),
    coq=("R * law nat", "is_blanket rows {0}", ""),
)


@quantity("(fst {0})", name="γ")
def gamma_of(blanket: Blanket) -> Term:
    """Return the mass of the blanket."""
    return term(blanket[0])


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
