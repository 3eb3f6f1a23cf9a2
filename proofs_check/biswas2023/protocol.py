"""The protocol of the paper: k-ary randomized response, shuffled, and its certificates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from exactdp.certificates import (
    Certificate,
    Relation,
    Scalar,
    Term,
    hockey_stick,
    ldp_ratio,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import ShuffleView, Users, Victim, shuffle_view
from proofs_check.biswas2023.bounds import Counts

X = ref("x")
"""e^eps0, defined in every certificate."""


def rows(x: Scalar, k: int) -> list[list[Any]]:
    """Return the matrix of k-ary randomized response (Definition III.5)."""
    scale = x + (k - 1)
    return [[(x if i == j else x**0) / scale for j in range(k)] for i in range(k)]


@lru_cache(maxsize=512)
def randomizer(exp_epsilon0: Exact, k: int) -> Randomizer:
    """Return k-ary randomized response with e^eps0."""
    return randomized_response(k, Epsilon(exp_epsilon0))


def count_merge(k: int) -> list[list[int]]:
    """Return the partition that keeps only the count of x_0."""
    return [[0], list(range(1, k))]


def count_view(x: Exact, c: Counts, *, inputs: tuple[int, int] = (0, 1)) -> ShuffleView:
    """Return the view of the count of x_0 alone."""
    rr = randomizer(x, c.k)
    return shuffle_view(
        Victim(rr, inputs), [Users(rr, 0, c.n_x0), Users(rr, 1, c.b)], merge=count_merge(c.k)
    )


def histogram_view(
    x: Exact, k: int, others: Sequence[tuple[int, int]], *, inputs: tuple[int, int] = (0, 1)
) -> ShuffleView:
    """Return the whole histogram; ``others`` are (input, count)."""
    rr = randomizer(x, k)
    return shuffle_view(Victim(rr, inputs), [Users(rr, v, m) for v, m in others])


def count_masses(x: Exact, c: Counts) -> tuple[list[Exact], list[Exact]]:
    """Return P(M_x0(x_0) = s) and P(M_x0(x_1) = s) for s = 0..n, by definition."""
    pair = count_view(x, c).pair
    by_count: dict[int, tuple[Exact, Exact]] = {}
    for outcome, masses in zip(pair.outcomes or (), pair.masses(), strict=True):
        by_count[outcome[0]] = masses  # type: ignore[index]
    first, second = zip(*(by_count[s] for s in range(c.n + 1)), strict=True)
    return list(first), list(second)


def definitions(x: Exact) -> list[tuple[str, Term]]:
    """Return the definitions of a certificate: x = e^eps0."""
    return [("x", term(x))]


def hypotheses(x: Exact, k: int) -> list[Relation]:
    """Return what a certificate checks of the randomizer: its LDP ratio is e^eps0.

    Where e^eps0 is transcendental the kernel works with intervals, for which equality
    is never certain: the ratio is then bounded by e^eps0 (1 + 2^-40).
    """
    ratio = ldp_ratio(rows(X, k))
    if x.is_rational:
        return [relation("=", ratio, X)]
    return [relation("<", ratio, X * (1 + Fraction(1, 2**40)))]


def count_pair(c: Counts) -> Term:
    """Return the pair of the count of x_0, for the kernel."""
    return shuffle_pair(
        rows(X, c.k), inputs=(0, 1), others=[(0, c.n_x0), (1, c.b)], merge=count_merge(c.k)
    )


def histogram_pair(
    k: int, others: Sequence[tuple[int, int]], *, inputs: tuple[int, int] = (0, 1)
) -> Term:
    """Return the pair of the whole histogram, for the kernel."""
    return shuffle_pair(rows(X, k), inputs=inputs, others=others)


SIMPLE = [Fraction(v) for v in ("2", "3", "3/2", "4", "5/4", "5", "11/10")]
"""Values of e^eps, simplest first."""


def small_counts(*, n: int, k: int, first_k: int = 2) -> Iterator[Counts]:
    """Yield all (k, n, n_x0) up to the given n and k, smallest n first."""
    for users in range(1, n + 1):
        for values in range(first_k, k + 1):
            for n_x0 in range(users):
                yield Counts(values, users, n_x0)


def shuffle_rows_pair(
    x: Exact, k: int, others: Sequence[tuple[int, int]], *, inputs: tuple[int, int] = (0, 1)
) -> Term:
    """Return the pair of the whole histogram with the value of x written out.

    For certificates that compare protocols with different e^eps0 or k.
    """
    return shuffle_pair(rows(x, k), inputs=inputs, others=others)


def count_certificate(
    epsilon0: Fraction, c: Counts, epsilon: Fraction, bound: Fraction
) -> Certificate:
    """Return evidence that the tight delta exceeds a bound: the count of x_0 already does."""
    return Certificate(
        define=definitions(Exact.exp(epsilon0)),
        hypotheses=hypotheses(Exact.exp(epsilon0), c.k),
        conclusion=[relation(">", hockey_stick(count_pair(c), Exact.exp(epsilon)), bound)],
        precision_bits=256,
    )
