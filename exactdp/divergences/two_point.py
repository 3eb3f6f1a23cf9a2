"""The largest δ that bounds of Rényi divergences leave: that of a pair with two outcomes.

Let an event S attain δ(γ) = P(S) − γQ(S). Whether an outcome lies in S is a post-processing, which
raises no Rényi divergence (data processing). So whatever the bounds are, and of how many orders,
the largest δ of all pairs that meet them is that of two laws on two outcomes:

    δ(γ) = max of p − γq over the pairs (p, 1 − p), (q, 1 − q) that meet them.

A pair that certainly meets all bounds is a lower end. For the upper end two tangents suffice: a
moment F = e^(λD_(1 + λ)), or D_1, is jointly convex, so where it is at most a number M, whatever z
= (p, q) is,

    g·z <= M − F + g·z0,  with F and its gradient g at any z0,

and with weights μ >= 0 of two such g that sum to (1, −γ), δ is at most the same sum of the right
sides. On both sides of the best z they are as near as its square to the truth. Doubles propose the
bounds and the points; balls decide.

References: S. Asoodeh, J. Liao, F. P. Calmon, O. Kosut and L. Sankar, Three Variants of
Differential Privacy: Lossless Conversion and Applications, 2021 (one order, one direction: the
same maximum); T. van Erven and P. Harremoës, Rényi Divergence and Kullback-Leibler Divergence,
2014, Theorems 9 and 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.divergences.proposals.worst_pair import WorstPair, WorstPoints
from exactdp.divergences.renyi_rows import Certain, RenyiRow, RenyiRows
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, precision
from exactdp.numbers.balls import endpoints

__all__ = ["two_point_delta"]

_LEAST_RHO = Fraction(1, 10**40)
"""The least ρ whose worst pairs are sought: the two outcomes of smaller ones are hardly told."""

_ATTEMPTS = 8
"""Distances of the three points that are tried, each a quarter of the one before."""


def two_point_delta(rows: RenyiRows, epsilon: Epsilon, width: Fraction) -> Enclosure:
    """Return an enclosure of the largest δ(ε) of all pairs that meet bounds, ε >= 0.

    Args:
        rows: The bounds.
        epsilon: ε in nats, finite.
        width: The relative width.

    Raises:
        UndecidedError: If the width is not reached, as one below 1e-12 may not be.

    Example:
        All pairs with D_2 <= 1 both ways, at ε = 3: with p = 0.0461 and q = 0.00118.

        >>> from exactdp.divergences.renyi_rows import RenyiRow
        >>> order_two = (RenyiRow(Fraction(1), Fraction(1), side) for side in (False, True))
        >>> rows = RenyiRows(tuple(order_two))
        >>> print(two_point_delta(rows, Epsilon.rational(3), Fraction(1, 10**6)))
        [0.02248116201, 0.02248116371]
    """
    if rows.rho is not None and rows.rho < _LEAST_RHO:
        raise UndecidedError(
            f"rho={Exact(rows.rho):.3g} is too small for doubles to find the worst pair. "
            "Ask for no relative_width."
        )
    try:
        search = WorstPair(rows, epsilon, width)
        certificate = _Certificate(rows, search, epsilon)
        told = Enclosure(Fraction(0), Fraction(1))
        for attempt in range(_ATTEMPTS):
            found = certificate.around(search.points(attempt)) or told
            if found.is_narrow(width):
                return found
            told = min(told, found, key=lambda one: one.width)
    except (ArithmeticError, ValueError) as error:  # of doubles
        raise UndecidedError(
            "these Rényi divergences, or epsilon, are too extreme for doubles to find the worst "
            "pair. Take less extreme ones."
        ) from error
    raise UndecidedError(
        f"delta of these Rényi divergences is told to be in {told}, and not more closely. "
        "Ask for a larger relative_width."
    )


@dataclass(frozen=True, slots=True)
class _Certificate:
    """Bounds of the largest δ in balls: from below by all rows, from above by some of them."""

    rows: RenyiRows
    search: WorstPair
    epsilon: Epsilon

    def around(self, points: WorstPoints | None) -> Enclosure | None:
        """Return an enclosure by three points around p; None if they do not show one."""
        if points is None:
            return None
        with precision(points.bits):
            nats = self.epsilon.nats.ball(points.bits)
            middle = arb(points.near).exp().mid()
            sides = [(middle * (1 + arb(points.apart) * i)).mid() for i in (0, -1, 1)]
            odds = [(1 - x, x) if points.is_large else (x, 1 - x) for x in sides]
            lower = self._attained(*odds[0], points.slack, nats)
            if lower is None:
                return None
            least, most = max(endpoints(lower)[0], Fraction(0)), Fraction(1)
            left, right = (self._tangent(*one) for one in odds[1:])
            upper = _by_tangents(left, right, nats.exp())
            if upper is not None:
                most = min(endpoints(upper)[1], most)
            return Enclosure(least, most)

    def _end(self, p: arb, rest: arb) -> tuple[RenyiRow, Certain]:
        """Return the row that says the most at odds p/(1 − p), and about where it is an equality.

        A step of Newton's from there has twice the digits of doubles.
        """
        u, row = self.search.binding(p / rest)
        point = Certain(p, rest, arb(u))
        step = row.excess(point) / (row.gradient(point)[1] * point.q)
        return row, Certain(p, rest, (point.u + step).mid())

    def _tangent(self, p: arb, rest: arb) -> tuple[arb, arb, arb]:
        """Return g and a bound of g·z."""
        row, point = self._end(p, rest)
        first, second = row.gradient(point)
        return first, second, first * p + second * point.q - row.excess(point)

    def _attained(self, p: arb, rest: arb, tolerance: float, nats: arb) -> arb | None:
        """Return the δ of a pair that certainly meets all rows."""
        u = self._end(p, rest)[1].u
        starts = u, u.min(arb(self.search.kept))
        tried = (start - step * arb(tolerance) for start in starts for step in (0, 1, 4, 16))
        for less in sorted((x.mid() for x in tried), key=float, reverse=True):
            if less > 0 and self.rows.hold(Certain(p, rest, less)):
                return -p * (nats - less).expm1()  # p − e^ε q
        return None


def _by_tangents(left: tuple[arb, arb, arb], right: tuple[arb, arb, arb], gamma: arb) -> arb | None:
    """Return the largest p − γq that both allow; None where that is not seen."""
    (a, b, most), (c, d, other) = left, right
    scale = a * d - b * c
    weights = (d + gamma * c) / scale, -(b + gamma * a) / scale
    if not (weights[0] >= 0 and weights[1] >= 0):
        return None
    return weights[0] * most + weights[1] * other
