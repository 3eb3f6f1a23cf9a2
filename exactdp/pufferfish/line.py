"""Finite laws on the rational line, and sums of independent ones.

A law on the line is a ``FinitePmf`` whose outcomes are integers or Fractions; the
alphabet may have gaps of any rational length.

References: F. Santambrogio, Optimal Transport for Applied Mathematicians, 2015, Section 2.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import gcd, lcm
from typing import Any

from flint import fmpq, fmpz, fmpz_poly

from exactdp.distributions import FinitePmf, scale_rows
from exactdp.numbers import Exact, RationalLike, fraction_of, rational, short
from exactdp.numbers.arguments import exact
from exactdp.numbers.limits import MAX_PRODUCTS_ON_A_LINE, count_text, refuse_above
from exactdp.numbers.validated import validated

__all__ = [
    "atoms",
    "lattice_step",
    "line_law",
    "sum_of_independent",
    "wasserstein_infinity",
]


@validated
def line_law(
    masses: Mapping[RationalLike, Exact | RationalLike], *, normalize: bool = False
) -> FinitePmf[Fraction]:
    """Return the law with these masses at these points, divided by their sum if wanted.

    Raises:
        DomainError: If a point is not rational, a mass is negative, or the
            sum is not exactly 1.

    Example:
        >>> line_law({"1/2": "1/3", 2: "2/3"})[Fraction(1, 2)]
        Exact('1/3')
    """
    values: dict[Fraction, Exact] = {}
    for point, mass in masses.items():
        x = fraction_of(rational(point, name="point"))
        values[x] = values.get(x, Exact(0)) + exact(mass, name=f"masses[{short(x)}]")
    return FinitePmf(values, normalize=normalize)


def atoms(law: FinitePmf[Any]) -> dict[Fraction, Exact]:
    """Return the points of positive mass, ascending, with their masses.

    Raises:
        DomainError: If an outcome is not a rational number.

    Example:
        >>> atoms(FinitePmf({3: "1/4", 0: "3/4", 1: 0}))
        {Fraction(0, 1): Exact('3/4'), Fraction(3, 1): Exact('1/4')}
    """
    masses = (
        (fraction_of(rational(point, name="outcome")), mass)
        for point, mass in law.masses.items()
        if mass
    )
    return dict(sorted(masses))


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


@validated
def sum_of_independent(laws: Iterable[FinitePmf[Any]]) -> FinitePmf[Fraction]:
    """Return the law of the sum of independent draws, one from each law.

    Formula:
        P(x) = Σ over (x_1, ..., x_n) with x_1 + ... + x_n = x of Π_j P_j(x_j); the
        sum of no draws is 0. Points of mass 0 are left out.

    Returns:
        The exact law. Rational masses on a common lattice cost one product tree of
        integer polynomials.

    Raises:
        DomainError: If an outcome is not a rational number.
        TooLargeError: If the sum needs more than a million products of masses.

    Example:
        >>> coin = FinitePmf({0: "1/2", 1: "1/2"})
        >>> sum_of_independent([coin, coin])[1]
        Exact('1/2')
    """
    parts = [atoms(law) for law in laws]
    if not parts:
        return FinitePmf.point(Fraction(0))
    starts = [min(part) for part in parts]
    step = lattice_step(x - start for part, start in zip(parts, starts, strict=True) for x in part)
    if step == 0:
        return FinitePmf.point(sum(starts, start=Fraction(0)))
    length = sum(int((max(part) - start) / step) for part, start in zip(parts, starts, strict=True))
    if length < MAX_PRODUCTS_ON_A_LINE and all(
        m.is_rational for part in parts for m in part.values()
    ):
        return _sum_on_lattice(parts, step)
    total: dict[Fraction, Exact] = {Fraction(0): Exact(1)}
    for part in parts:
        size = len(total) * len(part)
        refuse_above(
            MAX_PRODUCTS_ON_A_LINE,
            size,
            f"the sum needs {count_text(size)} products of masses at one step",
            advice="Take fewer laws, or points on one lattice.",
        )
        following: dict[Fraction, Exact] = {}
        for x, mass in total.items():
            for point, factor in part.items():
                following[x + point] = following.get(x + point, Exact(0)) + mass * factor
        total = following
    return FinitePmf(dict(sorted(total.items())))


@validated
def wasserstein_infinity(p: FinitePmf[Any], q: FinitePmf[Any]) -> Fraction:
    """Return the ∞-Wasserstein distance, the least over couplings of the largest |x − x'|.

    The coupling that moves quantiles to quantiles attains it. O(n + m) operations.

    Raises:
        DomainError: If an outcome is not a rational number.

    Source:
        Song et al. 2017, Definition 3.1; Santambrogio 2015, Theorem 2.9.

    Example:
        >>> wasserstein_infinity(FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf.point(3))
        Fraction(3, 1)
    """
    sources, targets = (
        list(zip(law, accumulate(law.values()), strict=True)) for law in (atoms(p), atoms(q))
    )
    i = j = 0
    largest = Fraction(0)
    while i < len(sources):  # both distribution functions end at 1
        (x, below), (z, under) = sources[i], targets[j]
        largest = max(largest, abs(x - z))
        i, j = i + (below <= under), j + (under <= below)
    return largest


def _sum_on_lattice(
    parts: Sequence[Mapping[Fraction, Exact]], step: Fraction
) -> FinitePmf[Fraction]:
    """Return the law of a sum of variables on one lattice, as a product of polynomials."""
    start = sum((min(part) for part in parts), Fraction(0))
    forms = scale_rows([list(part.values()) for part in parts])
    factors: list[fmpz_poly] = []
    for part, weights in zip(parts, forms.weights, strict=True):
        first = min(part)
        coefficients = [fmpz(0)] * (int((max(part) - first) / step) + 1)
        for x, weight in zip(part, weights, strict=True):
            coefficients[int((x - first) / step)] = weight[0]
        factors.append(fmpz_poly(coefficients))
    # Neighbors in pairs: equal sizes, where FLINT's multiplication is fast.
    while len(factors) > 1:
        paired = [a * b for a, b in zip(factors[::2], factors[1::2], strict=False)]
        factors = paired + factors[2 * len(paired) :]
    total = forms.total([1] * len(parts))[0]
    return FinitePmf(
        {
            start + j * step: Exact(fmpq(weight, total))
            for j, weight in enumerate(factors[0].coeffs())
            if weight
        }
    )
