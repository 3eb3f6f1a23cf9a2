"""A cell between two knots: the error of the chord of a privacy curve there, and of tangents.

The letters are those of ``polygons``.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from exactdp.sums.doubles import about_log

__all__ = ["Chord"]

Tails = tuple[arb, arb]


@dataclass(slots=True)
class Chord:
    """Losses between two knots.

    Attributes:
        place, width: The first knot and the width of the cell, in steps.
        mass: The mass a of P.
        up: The mass u that goes to the second knot.
        low, high: a − γ_j b and γ_(j+1) b − a.
        middle: Bounds of how far the tangent in the middle is below δ at both ends.
        x: The loss of the first knot, as a double.
        share: u/a, as a double.
        log_mass: ln a, as a double.
        logs: The logarithms of what ``Needs`` holds, as doubles.
    """

    place: int
    width: int
    mass: arb
    up: arb
    low: arb
    high: arb
    middle: tuple[arb, arb]
    x: float
    share: float
    log_mass: float
    logs: tuple[float, ...]

    @classmethod
    def of(
        cls,
        place: int,
        width: int,
        x: arb,
        growth: arb,
        ends: tuple[Tails, Tails],
        touched: Tails,
    ) -> Chord:
        """Return the cell by the masses of P and Q above its knots, and above a point within.

        Args:
            place: The first knot, in steps.
            width: The width, in steps.
            x: The loss of the first knot.
            growth: e^h − 1 for the width h.
            ends: What P and Q have above both knots.
            touched: What they have above the point where the tangent in the middle touches.
        """
        ((p, q), (p_next, q_next)), (p_mid, q_mid) = ends, touched
        a, b, gamma = p - p_next, q - q_next, x.exp()
        low, high = a - gamma * b, gamma * (1 + growth) * b - a
        left = arb((p - p_mid - gamma * (q - q_mid)).upper()).nonnegative_part()
        right = gamma * (1 + growth) * (q_mid - q_next) - (p_mid - p_next)
        right = arb(right.upper()).nonnegative_part()
        up = low * (1 + growth) / growth
        needs = arb(low.upper()), arb(high.upper()), left, right, p - gamma * q
        share = float((up / a).mid()) if a > 0 else 0.5
        return cls(
            place=place,
            width=width,
            mass=a,
            up=up,
            low=low.nonnegative_part(),
            high=high.nonnegative_part(),
            middle=(left, right),
            x=float(x.mid()),
            share=min(max(share, 0.0), 1.0),
            log_mass=about_log(a),
            logs=tuple(map(about_log, needs)),
        )
