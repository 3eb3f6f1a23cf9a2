"""Proofs beside a zero: a formula that is 0 on a face or at a corner of a box.

No box around a zero is settled by its ball, however small. Taylor's theorem settles it.

Along one direction, from a face where the formula is exactly 0: with s the distance from
the face, f = c_1 s + ... + c_(K-1) s^(K-1) + C s^K, the c_j those of the face, C from the
whole box. After the leading zeros a power of s is divided out.

At a corner, in all directions: f = sum_i g_i v_i + v^T (H/2) v with v >= 0 the distances from
the corner and H the second derivatives somewhere on the box. If every g_i >= 0 it is enough
that a matrix which is nowhere larger than g and H allow is positive semidefinite.

Definitions: :func:`holds_near_zero`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import arb

from exactdp.audit.enclosures import Box, Enclosures
from exactdp.numbers import fmpq_of
from exactdp.numbers.balls import ball_of_interval

__all__ = ["holds_near_zero"]

_ORDER = 4
"""The highest power of s that is looked at; zeros of higher multiplicity stay open."""

_MAX_DIRECTIONS = 6
"""A box of more directions has too many corners."""


def holds_near_zero(formula: Enclosures, box: Box) -> bool:
    """Return whether the formula is proved >= 0 on a box from its zeros on faces and corners.

    False means that nothing was proved.

    Example:
        >>> from exactdp.numbers import precision
        >>> f = Enclosures(lambda f, *, x: f.exp(x) - 1 - x)
        >>> with precision(64):
        ...     holds_near_zero(f, {"x": (Fraction(0), Fraction(1))})
        True
    """
    names = [name for name, (a, b) in box.items() if a < b]
    if any(_holds_from_face(formula, box, name, end) for name in names for end in (0, 1)):
        return True
    if not 2 <= len(names) <= _MAX_DIRECTIONS:
        return False
    corners = product((0, 1), repeat=len(names))
    return any(
        _holds_from_corner(formula, box, dict(zip(names, ends, strict=True))) for ends in corners
    )


def _holds_from_face(formula: Enclosures, box: Box, name: str, end: int) -> bool:
    here = box[name][end]
    face = {**box, name: (here, here)}
    inward = {name: _inward(end)}
    if all(a == b for a, b in face.values()):
        point = {other: a for other, (a, _) in face.items()}
        if formula.sign_at(point)[0] != 0:
            return False
        known = formula.coefficients_at(point, inward, order=_ORDER - 1)
        known[0] = arb(0)
    else:
        if not formula.on(face).contains(0):
            return False
        vanishing = formula.vanishing_on(face, inward, order=_ORDER - 1)
        if 0 not in vanishing:
            return False
        known = formula.coefficients_on(face, inward, order=_ORDER - 1)
        known = [arb(0) if j in vanishing else c for j, c in enumerate(known)]
    whole = formula.coefficients_on(box, inward, order=_ORDER)
    s = ball_of_interval(fmpq_of(Fraction(0)), fmpq_of(_width(box, name)))
    for order in range(1, _ORDER + 1):
        terms = [*known[:order], whole[order]]
        while len(terms) > 1 and terms[0] == 0:
            terms = terms[1:]
        value = terms[-1]
        for c in reversed(terms[:-1]):
            value = c + s * value
        if value >= 0:
            return True
    return False


def _holds_from_corner(formula: Enclosures, box: Box, ends: dict[str, int]) -> bool:
    corner = {name: interval[ends.get(name, 0)] for name, interval in box.items()}
    if formula.sign_at(corner)[0] != 0:
        return False
    # Distances in units of the box: v_i = width_i * t_i with t_i in [0, 1].
    steps = {name: _inward(end) * _width(box, name) for name, end in ends.items()}
    names = list(steps)
    slopes = [formula.coefficients_at(corner, {n: steps[n]}, order=1)[1] for n in names]
    if not all(slope >= 0 for slope in slopes):
        return False

    def second(*along: str) -> arb:
        return formula.coefficients_on(box, {n: steps[n] for n in along}, order=2)[2]

    pure = [second(name) for name in names]
    matrix = [[arb(0)] * len(names) for _ in names]
    for i, name in enumerate(names):
        # g t >= g t^2, because t is at most 1.
        matrix[i][i] = (pure[i] + slopes[i]).lower()
        for j in range(i):
            # The coefficient of t_i t_j; as t >= 0, a positive one may count as 0.
            mixed = (second(name, names[j]) - pure[i] - pure[j]).lower()
            matrix[i][j] = matrix[j][i] = arb(0) if mixed >= 0 else mixed / 2
    return _is_semidefinite(matrix)


def _is_semidefinite(matrix: list[list[arb]]) -> bool:
    """Return whether elimination without pivoting proves a symmetric matrix semidefinite."""
    size = len(matrix)
    for k in range(size):
        pivot = matrix[k][k]
        if pivot >= 0 and all(matrix[k][j] == 0 for j in range(k + 1, size)):
            continue
        if not pivot > 0:
            return False
        for i in range(k + 1, size):
            for j in range(k + 1, size):
                matrix[i][j] = matrix[i][j] - matrix[i][k] * matrix[k][j] / pivot
    return True


def _inward(end: int) -> Fraction:
    return Fraction(1 if end == 0 else -1)


def _width(box: Box, name: str) -> Fraction:
    return box[name][1] - box[name][0]
