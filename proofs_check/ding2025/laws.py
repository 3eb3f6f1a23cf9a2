"""Small laws on the line for the trials: all of them on a grid, and their worst ratio.

Definitions: :class:`Shown`, :func:`bernoulli`, :func:`consecutive_laws`, :func:`laws_on`,
:func:`point`, :func:`shifted`, :func:`text`, :func:`worst_ratio`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from exactdp.distributions import FinitePmf
from exactdp.numbers import Epsilon, Exact
from exactdp.pufferfish import LaplaceMixturePair, LaplaceScale, line_law

__all__ = [
    "Law",
    "RationalText",
    "Shown",
    "WorstRatio",
    "bernoulli",
    "consecutive_laws",
    "law_strategy",
    "laws_on",
    "point",
    "shifted",
    "text",
    "worst_ratio",
]

Law = FinitePmf[Fraction]
RationalText = Fraction | int | str
"""A rational, perhaps as text such as "1/2"."""

WorstRatio = tuple[Fraction, str, Fraction]
"""(ratio, side, y): "p" if f_p/f_q is largest at y, "q" if f_q/f_p is."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A law in an instance, which prints as its masses.

    Example:
        >>> str(Shown(bernoulli("1/4")))
        '{0: 3/4, 1: 1/4}'
    """

    law: Law

    def __str__(self) -> str:
        return text(self.law)


def point(x: RationalText) -> Law:
    """Return the law of a constant."""
    return line_law({x: 1})


def bernoulli(p: RationalText) -> Law:
    """Return the law on {0, 1} with mass p at 1.

    Example:
        >>> bernoulli("1/4")[Fraction(1)]
        Exact('1/4')
    """
    one = Fraction(p)
    return line_law({0: 1 - one, 1: one})


def shifted(law: Law, by: RationalText) -> Law:
    """Return the law of X + by."""
    return line_law({x + Fraction(by): mass for x, mass in law.masses.items()})


def laws_on(points: Sequence[RationalText], denominator: int) -> Iterator[Law]:
    """Yield all laws on these points whose masses are multiples of 1/denominator.

    First those with much mass at the first points.

    Example:
        >>> [str(law[Fraction(1)]) for law in laws_on((0, 1), 2)]
        ['0', '1/2', '1']
    """
    for weights in _weights(len(points), denominator):
        yield line_law(
            {x: Fraction(w, denominator) for x, w in zip(points, weights, strict=True) if w}
        )


@lru_cache(maxsize=64)
def _weights(n: int, total: int) -> tuple[tuple[int, ...], ...]:
    return tuple(w for w in product(range(total, -1, -1), repeat=n) if sum(w) == total)


def consecutive_laws(n: int, denominator: int) -> Iterator[tuple[Law, Law]]:
    """Yield all pairs of laws on 0, ..., n − 1 with this denominator."""
    laws = list(laws_on(range(n), denominator))
    yield from product(laws, repeat=2)


def law_strategy(points: Sequence[RationalText], *, largest: int = 6) -> Any:
    """Return a hypothesis strategy for laws on these points; shrinks to the first point."""
    from hypothesis import strategies as st

    weights = st.lists(st.integers(0, largest), min_size=len(points), max_size=len(points))

    def build(values: list[int]) -> Law:
        total = sum(values)
        if total == 0:
            return point(points[0])
        masses = zip(points, values, strict=True)
        return line_law({x: Fraction(w, total) for x, w in masses if w})

    return weights.map(build)


def worst_ratio(p: Law, q: Law, *, growth: Fraction, unit: Fraction = Fraction(1)) -> WorstRatio:
    """Return the largest ratio of the two output densities, in both directions.

    Args:
        p: The law of the query answer under the first secret.
        q: The law under the second.
        growth: e^{unit/θ}, a rational above 1.
        unit: A rational of which all distances are multiples.

    Returns:
        (ratio, side, y): the worst ratio is that of side over the other side, at y.

    Source:
        Ding et al. 2025, (1): ε-pufferfish privacy is that the ratio is at most e^ε.

    Example:
        >>> worst_ratio(point(0), point(2), growth=Fraction(3))
        (Fraction(9, 1), 'p', Fraction(0, 1))
    """
    pair = LaplaceMixturePair(p, q, LaplaceScale(Fraction(unit), Epsilon.log(growth)))
    forward, backward = pair.largest_ratio(), pair.reversed().largest_ratio()
    first, second = _fraction(forward.ratio), _fraction(backward.ratio)
    if first >= second:
        return first, "p", forward.points[0]
    return second, "q", backward.points[0]


def text(laws: Iterable[Law] | Law) -> str:
    """Return a law (or several) in short: masses by point.

    Example:
        >>> text(bernoulli("1/4"))
        '{0: 3/4, 1: 1/4}'
    """
    if isinstance(laws, FinitePmf):
        return "{" + ", ".join(f"{x}: {m}" for x, m in sorted(laws.masses.items()) if m) + "}"
    return ", ".join(text(law) for law in laws)


def _fraction(value: Any) -> Fraction:
    assert isinstance(value, Exact)  # growth and masses are rational
    return value.as_fraction()
