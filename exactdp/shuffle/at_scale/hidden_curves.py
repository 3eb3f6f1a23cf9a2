"""The profile of a victim hidden among many, as a curve: δ at hundreds of γ at once.

For γ >= 1 it is as in ``exactdp.shuffle.at_scale.hiding``, and below
H_γ(P ‖ Q) = 1 − γ + γ·H_{1/γ}(Q ‖ P). From these points come finite pairs around the profile
(``exactdp.divergences.dots``), which are composed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol, cast

from exactdp.divergences import Largest, Pair, PrivacyProfile, Worst
from exactdp.divergences.dots import pairs_through
from exactdp.divergences.proposals.knots import Placing, placed_ratios
from exactdp.divergences.values import enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Exact, Number, short
from exactdp.numbers.effort import remembered
from exactdp.numbers.limits import effort_of_today

__all__ = [
    "Curve",
    "delta_of_curve",
    "end_of_curves",
    "largest_curve",
    "mirrored",
    "pairs_around_curves",
    "pairs_of_ends",
]

_STEP_SHARE = Fraction(1, 5)
"""The smoothing, in the distance of two points of a polygon: it adds a quarter to its gap."""

_LEAST_SMOOTH, _MOST_SMOOTH = Fraction(1, 1000), Fraction(1, 20)
"""The smoothing, over the spread of a sum, at least and at most."""

_RUNGS = 40
"""Places at which the end of a curve is sought at a time."""

_LARGEST_END = Fraction(600)
"""The largest ε at which a curve ends, so that γ is a double."""

_LEAST_DEVIATION = Fraction(1, 10**12)
"""The least deviation of a loss that plans suppose."""

_FIRST_SHARE = 6
"""The root of a width over the first smoothing for one δ."""


class Curve(Protocol):
    """A profile that tells δ at many γ at once."""

    def deltas_at(
        self, gammas: Sequence[Fraction] | Sequence[Exact], smooth: Fraction
    ) -> list[Enclosure]:
        """Return δ at each of some γ >= 1, to a smoothing over the spread of a sum."""

    def loss_deviation(self) -> float:
        """Return about the deviation of the loss, for plans."""

    def infinity_mass(self) -> Number:
        """Return the mass of P where Q has none."""

    def reversed(self) -> Any:
        """Return the curve of (Q, P)."""


def largest_curve(curves: Sequence[Curve], **facts: Any) -> Worst:
    """Return the largest of several curves, composed as one.

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> from exactdp.shuffle.at_scale.score_sums import ScoreSum
        >>> t, q = Exact("3/4"), Exact("1/4")
        >>> coins = [ScoreSum((t, q), (q, t), ((row, 99),)) for row in ((t, q), (q, t))]
        >>> low, high = largest_curve(coins).pairs_near(40, Fraction(1, 10**6))
        >>> at = Epsilon.rational("1/10")
        >>> low.delta(at) <= max(coin.delta(at).upper for coin in coins)
        True
    """
    # What is a profile here is a curve, too.
    return Largest(cast(tuple[PrivacyProfile, ...], tuple(curves)), near=_pairs_near, **facts)


def _pairs_near(
    curves: Sequence[Curve], size: int, rest: Fraction, knots: Placing | None
) -> tuple[Pair, Pair]:
    turned = [curve.reversed() for curve in curves]
    return pairs_around_curves(curves, turned, size=size, rest=rest, knots=knots)


def pairs_around_curves(
    forward: Sequence[Curve],
    backward: Sequence[Curve],
    *,
    size: int,
    rest: Fraction,
    knots: Placing | None = None,
) -> tuple[Pair, Pair]:
    """Return finite pairs below and above the largest of some curves, γ by γ.

    Args:
        forward: The curves of (P, Q).
        backward: The curves of (Q, P), in the same order.
        size: Number of equally spaced outcomes that would be about as good.
        rest: What δ is about beyond the last point, above the mass at infinity.
        knots: Where the outcomes lie densely; None if they are equally spaced.

    Raises:
        UndecidedError: If a curve is too extreme for doubles.
    """
    bottom, top = (end_of_curves(tuple(curves), rest) for curves in (backward, forward))
    fine = placed_ratios(knots, bottom, top, size=2 * size)
    fine = fine[1:] if len(fine) % 2 else fine  # every other one is a pair's
    deviation = max(map(_deviation, forward))
    smooth = _STEP_SHARE * (bottom + top) / (size * deviation)
    smooth = min(max(smooth, _LEAST_SMOOTH), _MOST_SMOOTH)
    above = [x for x in fine if x >= 1]
    below = [1 / x for x in fine if x < 1]
    values = [
        mirrored(x, one) for x, one in zip(fine, _largest(backward, below, smooth), strict=False)
    ]
    values += _largest(forward, above, smooth)
    # Twice the bits of a step: what is rounded matters less than what is between two points.
    unit = 1 << (8 + 2 * size.bit_length() + rest.denominator.bit_length())
    infinite = _infinite(forward, 0), _infinite(backward, 0)
    return pairs_through(fine, values, infinite, unit=unit, has_middles=True)


def pairs_of_ends(
    ends: Sequence[Callable[[Fraction], Sequence[Enclosure]]],
    is_far: Sequence[Callable[[Fraction], bool]],
    *,
    size: int,
    rest: Fraction,
    knots: Placing | None,
) -> tuple[Pair, Pair]:
    """Return finite pairs below and above a profile that lies between two others.

    Args:
        ends: Return both of their δ at γ >= 1, of (P, Q) and of (Q, P).
        is_far: Return whether δ is little more than a rest there: farther out ratios are many.
        size: Number of equally spaced outcomes that would be about as good.
        rest: The mass that is left out.
        knots: Where the outcomes lie densely; None if they are equally spaced.
    """
    top, bottom = map(_end_of, is_far)
    # Where they are placed, more: the first ones, which were near enough far out, promise more.
    ratios = placed_ratios(knots, bottom, top, size=size * 3 // 2 if knots else size)
    forward, backward = ends
    found = [
        forward(x) if x >= 1 else [mirrored(x, one) for one in backward(1 / x)] for x in ratios
    ]
    # Twice the bits of a step: what is rounded matters less than what is between two points.
    unit = 1 << (8 + 2 * size.bit_length() + rest.denominator.bit_length())
    nothing = Fraction(0), Fraction(0)  # noise has mass everywhere
    low, high = (
        pairs_through(ratios, [both[i] for both in found], nothing, unit=unit)[i] for i in (0, 1)
    )
    return low, high


def _end_of(is_far: Callable[[Fraction], bool]) -> Fraction:
    """Return an ε that is far, and not much more than the least one."""

    def holds(nats: Fraction) -> bool:
        return is_far(Fraction(math.exp(nats)))

    last = Fraction(1, 64)
    while not holds(last):
        last *= Fraction(3, 2)
    return next(last * k / 24 for k in range(17, 25) if k == 24 or holds(last * k / 24))


def mirrored(ratio: Fraction, inner: Enclosure) -> Enclosure:
    """Return H_γ(P ‖ Q) = 1 − γ + γ·H_{1/γ}(Q ‖ P) from the last divergence."""
    return Enclosure(1 - ratio + ratio * inner.lower, 1 - ratio + ratio * inner.upper)


def delta_of_curve(curve: Curve, gamma: Exact, width: Fraction) -> Enclosure:
    """Return an enclosure of H_gamma, gamma >= 1, of a relative width.

    Raises:
        UndecidedError: If the width is not reached in doubles.
    """
    smooth = Fraction(math.sqrt(width)) / _FIRST_SHARE
    for _ in range(effort_of_today().tries):
        found = curve.deltas_at([gamma], smooth)[0]
        if found.is_narrow(width):
            return found
        smooth /= 3
    raise UndecidedError(
        f"relative_width={short(width)} is not reached. Ask for a wider enclosure."
    )


def _largest(
    curves: Sequence[Curve], gammas: Sequence[Fraction], smooth: Fraction
) -> list[Enclosure]:
    """Return the largest δ of curves, at each of some γ >= 1."""
    found = [curve.deltas_at(gammas, smooth) for curve in curves]
    return [
        Enclosure(max(one.lower for one in column), max(one.upper for one in column))
        for column in zip(*found, strict=True)
    ]


def _deviation(curve: Curve) -> Fraction:
    return max(Fraction(curve.loss_deviation()), _LEAST_DEVIATION)


@remembered(maxsize=64)
def end_of_curves(curves: tuple[Curve, ...], rest: Fraction) -> Fraction:
    """Return an ε from which on δ is little more than the mass at infinity."""
    most = _infinite(curves, 1) + 2 * rest
    place = max(map(_deviation, curves)) / 2
    while place < _LARGEST_END:
        places = [place * Fraction(17, 16) ** k for k in range(_RUNGS)]
        gammas = [Fraction(math.exp(min(x, _LARGEST_END))) for x in places]
        # δ falls: the first place where it is little, at a rough smoothing.
        deltas = zip(places, _largest(curves, gammas, Fraction(1, 20)), strict=True)
        found = next((x for x, delta in deltas if delta.upper <= most), None)
        if found is not None:
            return found
        place = places[-1]
    return _LARGEST_END


def _infinite(curves: Sequence[Curve], end: int) -> Fraction:
    """Return an end of the largest mass at infinity."""
    found = [enclosed(curve.infinity_mass(), "1e-9") for curve in curves]
    return max((one.lower, one.upper)[end] for one in found)
