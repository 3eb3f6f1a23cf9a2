"""Finite laws on the rational line, and sums of independent ones.

A law on the line is a ``FinitePmf`` whose outcomes are integers or Fractions; the
alphabet may have gaps of any rational length.

Definitions: :func:`atoms`, :func:`lattice_step`, :func:`line_law`,
:func:`sum_of_independent`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from flint import fmpq, fmpz, fmpz_poly

from exactdp.distributions import FinitePmf
from exactdp.errors import TooLargeError
from exactdp.numbers import Exact, RationalLike, count_text, fraction_of, rational

__all__ = ["MAX_TERMS", "atoms", "lattice_step", "line_law", "sum_of_independent"]

MAX_TERMS = 1_000_000
"""Sums of independent laws that need more products of masses are refused: many seconds."""


def line_law(masses: Mapping[RationalLike, Exact | RationalLike]) -> FinitePmf[Fraction]:
    """Return the law with these masses at these points.

    Args:
        masses: A mass for each point: points are rationals, masses exact numbers.

    Raises:
        DomainError: If a point is no rational, a mass is negative or a float, or the
            sum is not exactly 1.

    Example:
        >>> line_law({"1/2": "1/3", 2: "2/3"})[Fraction(1, 2)]
        Exact('1/3')
    """
    values: dict[Fraction, Exact] = {}
    for point, mass in masses.items():
        x = fraction_of(rational(point, name="point"))
        value = mass if isinstance(mass, Exact) else Exact(rational(mass, name=f"masses[{x}]"))
        values[x] = values.get(x, Exact(0)) + value
    return FinitePmf(values)


def atoms(law: FinitePmf[Any]) -> tuple[list[Fraction], list[Exact]]:
    """Return the points of positive mass, ascending, and their masses.

    Raises:
        DomainError: If an outcome is no rational number.

    Example:
        >>> atoms(FinitePmf({3: "1/4", 0: "3/4", 1: 0}))
        ([Fraction(0, 1), Fraction(3, 1)], [Exact('3/4'), Exact('1/4')])
    """
    pairs = [
        (fraction_of(rational(point, name="outcome")), mass)
        for point, mass in law.masses.items()
        if mass
    ]
    pairs.sort(key=lambda pair: pair[0])
    return [x for x, _ in pairs], [mass for _, mass in pairs]


def lattice_step(points: Iterable[Fraction]) -> Fraction:
    """Return the largest h such that all differences are multiples of h (0 for one point).

    Example:
        >>> lattice_step([Fraction(1, 2), Fraction(2), Fraction(3)])
        Fraction(1, 2)
    """
    values = list(points)
    common = lcm(*(x.denominator for x in values))
    scaled = [x.numerator * (common // x.denominator) for x in values]
    return Fraction(gcd(*(x - scaled[0] for x in scaled)) if scaled else 0, common)


def sum_of_independent(laws: Iterable[FinitePmf[Any]]) -> FinitePmf[Fraction]:
    """Return the law of the sum of independent draws, one from each law.

    Formula:
        P(x) = Σ over (x_1, ..., x_n) with x_1 + ... + x_n = x of Π_j P_j(x_j); the
        sum of no draws is 0. Points of mass 0 are left out.

    Returns:
        The exact law. Rational masses on a common lattice cost one product tree of
        integer polynomials.

    Raises:
        DomainError: If an outcome is no rational number.
        TooLargeError: If the sum needs more than a million products of masses.

    Example:
        >>> coin = FinitePmf({0: "1/2", 1: "1/2"})
        >>> atoms(sum_of_independent([coin, coin]))[1]
        [Exact('1/4'), Exact('1/2'), Exact('1/4')]
    """
    parts = [atoms(law) for law in laws]
    if not parts:
        return FinitePmf.point(Fraction(0))
    step = lattice_step(x - points[0] for points, _ in parts for x in points)
    if step == 0:
        return FinitePmf.point(sum((points[0] for points, _ in parts), start=Fraction(0)))
    length = sum(int((points[-1] - points[0]) / step) for points, _ in parts) + 1
    if length <= MAX_TERMS and all(m.is_rational for _, masses in parts for m in masses):
        return _sum_on_lattice(parts, step)
    total: dict[Fraction, Exact] = {Fraction(0): Exact(1)}
    for points, masses in parts:
        if len(total) * len(points) > MAX_TERMS:
            raise TooLargeError(
                f"the sum needs {count_text(len(total) * len(points))} products of masses at one "
                f"step; the limit is {MAX_TERMS:,}. Take fewer laws, or points on one lattice."
            )
        following: dict[Fraction, Exact] = {}
        for x, mass in total.items():
            for point, factor in zip(points, masses, strict=True):
                following[x + point] = following.get(x + point, Exact(0)) + mass * factor
        total = following
    return FinitePmf(dict(sorted(total.items())))


def common_denominator(masses: Sequence[Exact]) -> fmpz:
    """Return the least common denominator of rational masses."""
    common = fmpz(1)
    for mass in masses:
        common = common.lcm(mass.as_fmpq().q)
    return common


def _sum_on_lattice(
    parts: list[tuple[list[Fraction], list[Exact]]], step: Fraction
) -> FinitePmf[Fraction]:
    start, total = Fraction(0), fmpz(1)
    factors: list[fmpz_poly] = []
    for points, masses in parts:
        common = common_denominator(masses)
        weights = [fmpz(0)] * (int((points[-1] - points[0]) / step) + 1)
        for x, mass in zip(points, masses, strict=True):
            value = mass.as_fmpq()
            weights[int((x - points[0]) / step)] = value.p * (common // value.q)
        factors.append(fmpz_poly(weights))
        start, total = start + points[0], total * common
    # Neighbors in pairs: equal sizes, where FLINT's multiplication is fast.
    while len(factors) > 1:
        paired = [a * b for a, b in zip(factors[::2], factors[1::2], strict=False)]
        factors = paired + factors[2 * len(paired) :]
    return FinitePmf(
        {
            start + j * step: Exact(fmpq(weight, total))
            for j, weight in enumerate(factors[0].coeffs())
            if weight
        }
    )
