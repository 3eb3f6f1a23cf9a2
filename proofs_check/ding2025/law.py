"""Finite laws on the rational line, in fractions: of users' reports, and of sums of reports.

Definitions: :class:`Law`, :class:`Rest`, :func:`bernoulli`, :func:`drawn_law`, :func:`law`,
:func:`laws_on`, :func:`point`, :func:`sum_of`, :func:`whole`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from exactdp.errors import UndecidedError
from exactdp.testing import probability_vectors

RationalText = Fraction | int | str
"""A rational, perhaps as text such as "1/2"."""


def fractions(texts: str) -> list[Fraction]:
    """Return the rationals of a text."""
    return list(map(Fraction, texts.split()))


def whole(x: Fraction | int) -> int:
    """Return a distance of points as the integer that it is: powers of e^{1/θ} are exact there.

    Raises:
        UndecidedError: If it is not an integer: the claim is about it, but it is not computed.

    Example:
        >>> whole(Fraction(6, 2))
        3
    """
    if Fraction(x).denominator != 1:
        raise UndecidedError(f"{x} is not an integer. Give points whose distances are integers.")
    return int(x)


@dataclass(frozen=True, slots=True)
class Law:
    """A law on finitely many rationals.

    Attributes:
        masses: (point, mass), ascending, without zeros; the masses sum to 1.

    Example:
        >>> coin = law({0: "1/2", 1: "1/2"})
        >>> str(coin + coin), coin[1], coin[7]
        ('{0: 1/4, 1: 1/2, 2: 1/4}', Fraction(1, 2), Fraction(0, 1))
        >>> coin.up_to(0)
        Fraction(1, 2)
    """

    masses: tuple[tuple[Fraction, Fraction], ...]

    def __str__(self) -> str:
        return "{" + ", ".join(f"{x}: {m}" for x, m in self.masses) + "}"

    def __getitem__(self, x: Fraction | int) -> Fraction:
        return dict(self.masses).get(Fraction(x), Fraction(0))

    def __add__(self, other: Law) -> Law:
        """Return the law of the sum of two independent draws."""
        total: dict[Fraction, Fraction] = {}
        for (x, m), (z, w) in product(self.masses, other.masses):
            total[x + z] = total.get(x + z, Fraction(0)) + m * w
        return law(total)

    def up_to(self, x: Fraction | int) -> Fraction:
        """Return F(x), the mass of (-∞, x]."""
        return sum((m for z, m in self.masses if z <= x), Fraction(0))

    @property
    def points(self) -> tuple[Fraction, ...]:
        """The points of positive mass, ascending."""
        return tuple(x for x, _ in self.masses)

    @property
    def largest_size(self) -> int:
        """The largest |x| of positive mass, of a law on integers."""
        return int(max(map(abs, self.points)))


def law(masses: Mapping[Any, RationalText]) -> Law:
    """Return the law with these masses at these points; points without mass are left out."""
    found = sorted((Fraction(x), Fraction(m)) for x, m in masses.items())
    return Law(tuple((x, m) for x, m in found if m))


def point(x: RationalText) -> Law:
    """Return the law of a constant."""
    return law({x: 1})


def bernoulli(p: RationalText) -> Law:
    """Return the law on {0, 1} with mass p at 1."""
    return law({0: 1 - Fraction(p), 1: p})


def sum_of(laws: Iterable[Law]) -> Law:
    """Return the law of the sum of independent draws, one from each law; 0 of none."""
    return sum(laws, start=point(0))


class Rest(tuple[Law, ...]):
    """The laws of several users, or records, such as those other than i."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(map(str, self)) or "none"


def laws_on(points: Sequence[RationalText], denominator: int) -> Iterator[Law]:
    """Yield all laws on these points whose masses are multiples of 1/denominator.

    First those with much mass at the first points.

    Example:
        >>> [str(p) for p in laws_on((0, 1), 2)]
        ['{0: 1}', '{0: 1/2, 1: 1/2}', '{1: 1}']
    """
    for weights in _weights(len(points), denominator):
        yield law({x: Fraction(w, denominator) for x, w in zip(points, weights, strict=True)})


@lru_cache(maxsize=64)
def _weights(n: int, total: int) -> tuple[tuple[int, ...], ...]:
    return tuple(w for w in product(range(total, -1, -1), repeat=n) if sum(w) == total)


def drawn_law(points: Sequence[RationalText], *, largest: int = 6) -> Any:
    """Return a hypothesis strategy for laws on these points; shrinks to the first point."""
    backwards = tuple(points)[::-1]  # vectors shrink to the last
    vectors = probability_vectors(size=len(backwards), max_weight=largest)
    return vectors.map(lambda masses: law(dict(zip(backwards, masses, strict=True))))
