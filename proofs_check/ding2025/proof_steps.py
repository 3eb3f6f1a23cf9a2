"""The inequalities that the proofs rest on, checked for all reals.

A difference of distances and minima of a few reals is linear on each order of them: with the
gaps d_1, d_2, ... >= 0 between neighbors it is Σ c_k d_k, and it is nonnegative there for all
gaps exactly if no c_k is negative. So a check of all orders is a proof.

Definitions: :func:`harmonic_mean_is_least`, :func:`least_is_superadditive`,
:func:`one_way_masses_are_least`, :func:`triangle_inequality`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import permutations

__all__ = [
    "harmonic_mean_is_least",
    "least_is_superadditive",
    "one_way_masses_are_least",
    "triangle_inequality",
]

Form = tuple[int, ...]
"""The coefficients of the least number and of the gaps, in order."""

Points = tuple[Form, ...]


def _orders(count: int) -> Iterable[Points]:
    """Yield the numbers as forms, for each of their orders."""
    for order in permutations(range(count)):
        yield tuple(tuple(int(k <= rank) for k in range(count)) for rank in order)


def _least(x: Form, y: Form) -> Form:
    return min(x, y)  # more gaps is larger: (1, 1, 0) is (1, 0, 0) and one gap


def _plus(*parts: Form) -> Form:
    return tuple(map(sum, zip(*parts, strict=True)))


def _minus(x: Form, y: Form) -> Form:
    return tuple(a - b for a, b in zip(x, y, strict=True))


def _distance(x: Form, y: Form) -> Form:
    return _minus(max(x, y), min(x, y))


def _nonnegative(
    count: int,
    difference: Callable[[Points], Form],
    *,
    given: Callable[[Points], bool] = lambda points: True,
) -> bool:
    """Return whether a difference that no common shift changes is >= 0 in every order."""
    forms = [difference(points) for points in _orders(count) if given(points)]
    return all(form[0] == 0 and min(form) >= 0 for form in forms)


def triangle_inequality() -> bool:
    """Check |y − b| − |y − a| <= |a − b| for all reals y, a, b.

    Example:
        >>> triangle_inequality()
        True
    """

    def gap(points: Points) -> Form:
        y, a, b = points
        return _minus(_plus(_distance(a, b), _distance(y, a)), _distance(y, b))

    return _nonnegative(3, gap)


def least_is_superadditive() -> bool:
    """Check min(a', b') − min(a, b') − min(a', b) + min(a, b) >= 0 for a <= a', b <= b'.

    So (6) gives no rectangle a negative mass.
    """

    def mass(points: Points) -> Form:
        a, higher_a, b, higher_b = points
        corners = _plus(_least(higher_a, higher_b), _least(a, b))
        return _minus(corners, _plus(_least(a, higher_b), _least(higher_a, b)))

    return _nonnegative(
        4, mass, given=lambda points: points[0] < points[1] and points[2] < points[3]
    )


def one_way_masses_are_least() -> bool:
    """Check (F − min(F, G)) + (G − min(F, G)) = |F − G| for all reals F, G.

    With F = F_p(z), G = F_q(z) the left side is the mass that (6) moves over z, to the right
    and to the left; every coupling moves F − G net, so at least |F − G|.
    """

    def difference(points: Points) -> Form:
        f, g = points
        moved = _plus(_minus(f, _least(f, g)), _minus(g, _least(f, g)))
        return _minus(moved, _distance(f, g))

    return _nonnegative(2, difference) and _nonnegative(
        2, lambda points: _minus((0, 0), difference(points))
    )


def harmonic_mean_is_least() -> bool:
    """Check u/v + v/u − 2 = (u − v)² / (uv), so that Σ m_i u_i · Σ m_i/u_i >= (Σ m_i)².

    The difference of both sides is the sum over i < j of m_i m_j times the left side.
    """
    import sympy

    u, v = sympy.symbols("u v", positive=True)
    m, n = sympy.symbols("m n", positive=True)
    pair = u / v + v / u - 2
    whole = (m * u + n * v) * (m / u + n / v) - (m + n) ** 2
    return bool(
        sympy.simplify(pair - (u - v) ** 2 / (u * v)) == 0
        and sympy.simplify(whole - m * n * pair) == 0
    )
