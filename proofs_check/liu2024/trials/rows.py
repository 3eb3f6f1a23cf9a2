"""Small randomizers to try, smallest first, and their probabilities written for the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from exactdp.certificates import Term, term
from exactdp.claims import Effort, Instance
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact, ExactLike
from exactdp.testing import local_randomizers

__all__ = [
    "Matrix",
    "binary",
    "entry",
    "few_rows",
    "matrix_term",
    "other_term",
    "pairs",
    "private_rows",
    "ratio_of",
    "rows_of",
    "small",
    "victim_term",
    "when",
]

Matrix = tuple[tuple[Fraction, ...], ...]


def binary(ratio: int | Fraction, x: int = 0, *, letters: int = 2) -> tuple[Fraction, ...]:
    """Return a row of binary randomized response with e^ε = ratio, other letters unused."""
    likely, rare = Fraction(ratio) / (ratio + 1), 1 / (Fraction(ratio) + 1)
    return ((likely, rare) if x == 0 else (rare, likely)) + (Fraction(0),) * (letters - 2)


def few_rows(rows: int, *, letters: Sequence[int], denominators: Iterable[int]) -> Iterator[Matrix]:
    """Yield all tuples of positive laws over one denominator, smallest first.

    Example:
        >>> len(list(few_rows(2, letters=[2], denominators=[2, 3])))
        5
    """
    for denominator in denominators:
        for size in letters:
            laws = [
                tuple(Fraction(w, denominator) for w in weights)
                for weights in product(range(1, denominator), repeat=size)
                if sum(weights) == denominator
            ]
            yield from product(laws, repeat=rows)


def private_rows(count: int) -> st.SearchStrategy[Instance]:
    """Return a strategy of private randomizers with ``count`` inputs."""
    return st.integers(2, 4).flatmap(
        lambda size: local_randomizers(rows=count, columns=size, max_ratio=Fraction(8)).map(
            lambda rows: Instance.of(rows=tuple(tuple(row) for row in rows))
        )
    )


def rows_of(at: Instance) -> Randomizer:
    """Return the randomizer of an instance."""
    return Randomizer.from_matrix(at.mapping()["rows"])  # type: ignore[arg-type]


def ratio_of(r: Randomizer) -> Exact:
    """Return e^ε for the least ε for which the randomizer is ε-locally private."""
    return r.ldp_epsilon().exp


def small(count: int, *, largest: int = 6) -> Iterator[Instance]:
    """Yield the instances of :func:`few_rows` on two letters, then on three."""
    for rows in few_rows(count, letters=[2], denominators=range(2, largest + 1)):
        yield Instance.of(rows=rows)
    for rows in few_rows(count, letters=[3], denominators=range(3, largest)):
        yield Instance.of(rows=rows)


def pairs(effort: Effort) -> Iterator[Instance]:
    """Yield two rows."""
    yield from small(2, largest=6 if effort is Effort.DEFAULT else 12)


# --- for the kernel ------------------------------------------------------------------------


def matrix_term(rows: Iterable[Iterable[ExactLike | Term]]) -> Term:
    """Return a matrix for a definition."""
    return Term([[term(m).json for m in row] for row in rows])


def entry(matrix: Term, x: int, z: int) -> Term:
    """Return one mass of a matrix."""
    return Term(["entry", matrix.json, x, z])


def when(sign: str, left: Term, right: Term, value: Term) -> Term:
    """Return value if the relation holds, else 0."""
    return Term(["when", [sign, left.json, right.json], value.json, term(0).json])


def victim_term(matrix: Term, letters: int, *, zero: int = 0, one: int = 1) -> Term:
    """Return Pr[R(x_1^0) ∈ S], S = {R(x_1^0) < R(x_1^1)}."""
    return _sum(
        when("<", entry(matrix, zero, z), entry(matrix, one, z), entry(matrix, zero, z))
        for z in range(letters)
    )


def other_term(matrix: Term, letters: int, *, near: int, far: int, other: int = 2) -> Term:
    """Return Pr[R(x_i) ∈ {R(x_i), R_far < R_near}]: p_i^0 or p_i^1 for δ_i = 0."""
    return _sum(
        when(
            "<",
            entry(matrix, other, z),
            entry(matrix, near, z),
            when("<", entry(matrix, far, z), entry(matrix, near, z), entry(matrix, other, z)),
        )
        for z in range(letters)
    )


def _sum(terms: Iterable[Term]) -> Term:
    return Term(["add", *(t.json for t in terms)])
