"""The largest δ that bounds of Rényi divergences leave: that of a pair with two outcomes.

Let an event S attain δ(γ) = P(S) − γQ(S). Whether an outcome lies in S is a post-processing, which
raises no Rényi divergence (data processing). So whatever the bounds are, and of how many orders,
the largest δ of all pairs that meet them is that of two laws on two outcomes:

    δ(γ) = max of p − γq over the pairs (p, 1 − p), (q, 1 − q) that meet them.

These (p, q) are a convex set K, as e^(λD_(1 + λ)) is jointly convex, and so φ(p) = p − γ·min{q :
(p, q) in K} is concave. A pair that certainly meets all bounds is a lower end. For the upper end,
few bounds suffice: with φ1 = φ(p1) >= φ(p0), φ(p2) of these, p0 < p1 < p2, no φ exceeds

    φ1 + max((φ1 − φ2)(p1 − p0)/(p2 − p1), (φ1 − φ0)(p2 − p1)/(p1 − p0)),

what the lines through two of the points reach at the third. Doubles propose the bounds and the
points; balls decide.

References: S. Asoodeh, J. Liao, F. P. Calmon, O. Kosut and L. Sankar, Three Variants of
Differential Privacy: Lossless Conversion and Applications, 2021 (one order, one direction: the
same maximum); T. van Erven and P. Harremoës, Rényi Divergence and Kullback-Leibler Divergence,
2014, Theorems 9 and 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.divergences.proposals.worst_pair import WorstPair, WorstPoints
from exactdp.divergences.renyi_rows import Certain, RenyiRows
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
        [0.02248116232, 0.02248116385]
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
        lower = None
        with precision(points.bits):
            nats = self.epsilon.nats.ball(points.bits)
            middle = arb(points.near).exp().mid()
            places = [(middle * (1 + arb(points.apart) * i)).mid() for i in (0, -1, 1)]
            found: list[tuple[arb, arb]] = []
            for place in places:
                p, rest = (1 - place, place) if points.is_large else (place, 1 - place)
                ends = self._bracket(p, rest, points.fine)
                if ends is None:
                    break
                found.append((_gain(p, ends[0], nats), _gain(p, ends[1], nats)))
                lower = lower or self._attained(p, rest, ends[0], points.slack, nats)
                if lower is None:
                    return None
            return None if lower is None else _between_lines(places, found, lower)

    def _bracket(self, p: arb, rest: arb, tolerance: float) -> tuple[arb, arb] | None:
        """Return losses u that certainly meet and certainly break the condition, close together."""
        u = self.search.loss_at(p / rest)
        low, high = arb(u), arb(u)
        for k in range(_ATTEMPTS * 3):
            step = arb(tolerance) / 4 * 8**k
            if high == u and not self._breaks(p, rest, (arb(u) + step).mid()):
                continue
            high = high if high != u else (arb(u) + step).mid()
            low = (arb(u) - step).mid()
            if low <= 0 or self._meets(p, rest, low):
                low = low if low > 0 else arb(0)
                break
        else:
            return None
        while high - low > tolerance:
            middle = ((low + high) / 2).mid()
            if self._meets(p, rest, middle):
                low = middle
            elif self._breaks(p, rest, middle):
                high = middle
            else:
                return None
        return low, high

    def _meets(self, p: arb, rest: arb, u: arb) -> bool:
        point = Certain(p, rest, u)
        return all(row.excess(point) <= 0 for row in self.search.used)

    def _breaks(self, p: arb, rest: arb, u: arb) -> bool:
        point = Certain(p, rest, u)
        return any(row.excess(point) > 0 for row in self.search.used)

    def _attained(self, p: arb, rest: arb, u: arb, tolerance: float, nats: arb) -> arb | None:
        """Return the δ of a pair that certainly meets all rows."""
        starts = u, u.min(arb(self.search.kept))
        tried = (start - step * arb(tolerance) for start in starts for step in (0, 1, 4, 16))
        for less in sorted((x.mid() for x in tried), key=float, reverse=True):
            if less > 0 and self.rows.hold(Certain(p, rest, less)):
                return _gain(p, less, nats)
        return None


def _gain(p: arb, u: arb, nats: arb) -> arb:
    """Return p − e^ε q."""
    return -p * (nats - u).expm1()


def _between_lines(
    places: Sequence[arb], found: Sequence[tuple[arb, arb]], lower: arb
) -> Enclosure:
    """Return the ends: above, what a concave function reaches at most by three of its values.

    That is 1 where the first of them is not seen to be the largest.
    """
    least, most = max(endpoints(lower)[0], Fraction(0)), Fraction(1)
    if len(found) == len(places):
        (low1, high1), (low0, high0), (low2, high2) = found
        first, last = places[0] - places[1], places[2] - places[0]
        more = ((high1 - low2) * first / last).max((high1 - low0) * last / first)
        if low1 >= high0 and low1 >= high2:
            most = min(endpoints(high1 + more)[1], most)
    return Enclosure(least, most)
