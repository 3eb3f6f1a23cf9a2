"""Pairs of laws on alphabets with gaps (of integers, of reals) and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from exactdp.claims import Effort, Instance
from proofs_check.ding2025.laws import Shown, consecutive_laws, law_strategy, laws_on

__all__ = ["Points", "consecutive", "pair_strategy", "with_any_gaps", "with_integer_gaps"]


class Points(tuple[Fraction, ...]):
    """An alphabet, printed as a set."""

    __slots__ = ()

    def __str__(self) -> str:
        return "{" + ", ".join(str(x) for x in self) + "}"


def _alphabets(grid: list[Fraction]) -> Iterator[Points]:
    for size in range(1, 4):
        yield from (Points(sorted(chosen)) for chosen in combinations(grid, size))


def _pairs_on(alphabets: list[Points], denominators: range) -> Iterator[Instance]:
    for denominator, alphabet in product(denominators, alphabets):
        laws = list(laws_on(alphabet, denominator))
        for p, q in product(laws, repeat=2):
            yield Instance.of(X=alphabet, P=Shown(p), Q=Shown(q))


def _denominators(effort: Effort) -> range:
    return range(1, 4 if effort is Effort.DEFAULT else 6)


def with_integer_gaps(effort: Effort) -> Iterator[Instance]:
    """Yield pairs of laws on sets of up to three integers, gaps allowed."""
    alphabets = list(_alphabets([Fraction(x) for x in range(4)]))
    yield from _pairs_on(alphabets, _denominators(effort))


def with_any_gaps(effort: Effort) -> Iterator[Instance]:
    """Yield pairs of laws on sets of up to three reals."""
    alphabets = list(_alphabets([Fraction(v) for v in ("0", "1", "2", "1/2")]))
    yield from _pairs_on(alphabets, _denominators(effort))


def consecutive(effort: Effort) -> Iterator[Instance]:
    """Yield pairs of laws on 0, ..., n − 1."""
    sizes = {1: 1, 2: 5, 3: 4, 4: 2}
    if effort is Effort.DEEP:
        sizes = {1: 1, 2: 12, 3: 7, 4: 5, 5: 3}
    for n, largest in sizes.items():
        for denominator in range(1, largest + 1):
            for p, q in consecutive_laws(n, denominator):
                alphabet = Points(Fraction(x) for x in range(n))
                yield Instance.of(X=alphabet, P=Shown(p), Q=Shown(q))


def pair_strategy(*, gaps: Sequence[str] = ("1",)) -> Callable[[], Any]:
    """Return a strategy for pairs of laws on up to six points with these gaps between."""

    def build() -> Any:
        from hypothesis import strategies as st

        @st.composite
        def instances(draw: Any) -> Instance:
            points = [Fraction(0)]
            for _ in range(draw(st.integers(0, 5))):
                points.append(points[-1] + draw(st.sampled_from([Fraction(g) for g in gaps])))
            p, q = draw(law_strategy(points)), draw(law_strategy(points))
            return Instance.of(X=Points(points), P=Shown(p), Q=Shown(q))

        return instances()

    return build
