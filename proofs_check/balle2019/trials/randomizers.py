"""The local randomizers that the trials run over, and what is computed of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product

from hypothesis import strategies as st

from exactdp.claims import Instance
from exactdp.distributions import binomial, multinomial
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.shuffle import BlanketDecomposition, Users, Victim, shuffle_view
from exactdp.testing import local_randomizers

__all__ = [
    "Losses",
    "any_randomizer",
    "expectation",
    "gammas",
    "losses",
    "small_randomizers",
    "worst_view",
]

Rows = tuple[tuple[Fraction, ...], ...]
Losses = list[tuple[Exact, Exact]]
"""The values of L, each with its probability under the blanket."""


@lru_cache(maxsize=8)
def small_randomizers(*, inputs: int, messages: int, weight: int) -> tuple[Rows, ...]:
    """Return the randomizers with positive integer weights of sum ``weight`` in every row."""
    laws = [
        tuple(Fraction(w, weight) for w in row)
        for row in product(range(1, weight), repeat=messages)
        if sum(row) == weight
    ]
    return tuple(
        (first, *rest)
        for first in laws
        for rest in combinations_with_replacement(laws, inputs - 1)
        if any(row != first for row in rest)
    )


def any_randomizer() -> st.SearchStrategy[Instance]:
    """Return instances (rows, n, exp_epsilon) with private randomizers on three inputs."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Instance:
        x = draw(st.fractions(1, 5, max_denominator=3))
        # Entries are zero only in whole columns, for which L has no value; drop those.
        rows = draw(local_randomizers(rows=3, columns=3, max_ratio=x))
        keep = [y for y in range(3) if rows[0][y] > 0]
        kept = tuple(tuple(row[y] for y in keep) for row in rows)
        return Instance.of(
            n=draw(st.integers(1, 3)),
            exp_epsilon=draw(st.fractions(1, 5, max_denominator=4)),
            rows=kept,
        )

    return drawn()


def gammas(randomizer: Randomizer) -> Iterator[Fraction]:
    """Yield values of e^epsilon from 1 to below e^eps0, simplest first."""
    x = randomizer.ldp_epsilon().exp.as_fraction()
    yield from (1 + (x - 1) * Fraction(i, 4) for i in range(4))


def losses(
    parts: BlanketDecomposition, inputs: tuple[int, int], exp_epsilon: Exact | Fraction
) -> Losses:
    """Return the law of L for the victim's two inputs; messages off the blanket have none."""
    one, two = (parts.mixtures[x].row for x in inputs)
    return [
        ((a - exp_epsilon * b) / w, w)
        for a, b, w in zip(one, two, parts.blanket.law, strict=True)
        if w != 0
    ]


def expectation(law: Losses, gamma: Exact, n: int) -> Exact:
    """Return (1/(gamma n)) E[(L_1 + ... + L_m)^+], m ~ Bin(n, gamma), exactly."""
    total = Exact(0)
    chance = binomial(n, gamma)
    for m in range(1, n + 1):
        for counts, mass in multinomial(m, [w for _, w in law]).masses.items():
            loss = sum((c * value for c, (value, _) in zip(counts, law, strict=True)), Exact(0))
            if loss > 0:
                total += chance[m] * mass * loss
    return total / (gamma * n)


def worst_view(
    randomizer: Randomizer,
    n: int,
    exp_epsilon: Fraction,
    pairs: Sequence[tuple[int, int]] | None = None,
) -> tuple[Exact, tuple[int, int], tuple[int, ...]]:
    """Return the largest divergence of whole views, with the victim's and the others' inputs."""
    found: tuple[Exact, tuple[int, int], tuple[int, ...]] = (Exact(-1), (0, 1), ())
    for pair in pairs or list(permutations(range(randomizer.inputs), 2)):
        for others in combinations_with_replacement(range(randomizer.inputs), n - 1):
            view = shuffle_view(Victim(randomizer, pair), [Users(randomizer, x) for x in others])
            value = view.hockey_stick_divergence(exp_epsilon=exp_epsilon)
            if value > found[0]:
                found = (value, pair, others)
    return found
