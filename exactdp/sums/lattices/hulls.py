r"""A convex polygon below a privacy curve, from its tangents at the knots.

``polygons`` has the proof: lowered by e_j at the knots γ_j, with e_j/l_j + e_(j+1)/m_j >= 1 in each
cell, the polygon lies below δ; so does its lower convex hull, whose slopes are masses.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

__all__ = ["lower_hull", "lowered"]


def lowered(
    deltas: Sequence[arb],
    lows: Sequence[arb],
    highs: Sequence[arb],
    needs: Sequence[tuple[arb, arb]],
) -> list[arb]:
    """Return e at the knots; from the first knot on at which the polygon is 0, e is δ.

    Args:
        deltas: δ at the knots; 0 at the last.
        lows: The l of each cell.
        highs: The m of each cell.
        needs: What each cell needs e to be at its first and at its second knot, at least.
    """
    left, right = [one for one, _ in needs], [one for _, one in needs]
    found = [left[0]] + [a.max(b) for a, b in zip(right, left[1:], strict=False)]
    last = next((j for j in range(1, len(lows)) if not deltas[j] >= found[j]), len(lows))
    while last > 0:
        # At the last knot e is all of δ: the one before needs no more than is left.
        need = lows[last - 1]
        if highs[last - 1] > 0:
            need = need * (1 - deltas[last] / highs[last - 1]).nonnegative_part()
        found[last - 1] = need if last == 1 else need.max(right[last - 2])
        if deltas[last - 1] >= found[last - 1]:
            break
        last -= 1
    return found[:last] + list(deltas[last:])


def lower_hull(
    gammas: Sequence[arb], mass: arb, deltas: Sequence[arb], down: Sequence[arb]
) -> tuple[dict[int, arb], arb]:
    """Return the masses at the knots, by index, and a bound of all that is negative in them.

    Args:
        gammas: The knots γ_j = e^(x_j).
        mass: P[L > x_0], which is the polygon's value at γ = 0.
        deltas: δ at the knots.
        down: e at the knots, from :func:`lowered`.
    """
    last = next(j for j in range(len(deltas)) if down[j] is deltas[j])
    # From the point at γ = 0 on.
    xs = [arb(0), *gammas[: last + 1]]
    vs = [mass, *(d - e for d, e in zip(deltas[:last], down, strict=False)), arb(0)]
    kept: list[int] = []
    slopes: list[arb] = []
    for j in range(len(xs)):
        while kept:
            slope = (vs[kept[-1]] - vs[j]) / (xs[j] - xs[kept[-1]])
            if slopes and slope > slopes[-1]:  # not convex: the point before is above the hull
                kept.pop()
                slopes.pop()
                continue
            slopes.append(slope)
            break
        kept.append(j)
    slopes.append(arb(0))
    masses: dict[int, arb] = {}
    negative = arb(0)
    for i, j in enumerate(kept):
        if j == 0:
            continue
        mass = xs[j] * (slopes[i - 1] - slopes[i])
        if not mass >= 0:  # it is negative, or its ball leaves that open
            negative += (-mass).nonnegative_part()
            mass = mass.nonnegative_part()
        masses[j - 1] = mass
    return masses, arb(negative.upper())
