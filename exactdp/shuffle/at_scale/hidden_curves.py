"""The profile of a victim hidden among many, as a curve: δ at hundreds of γ at once.

As in ``exactdp.shuffle.at_scale.hiding``, for γ >= 1

    H_γ = Σ_{y: m_y = 0} max(0, p_y − γ·q_y) + E max(0, Z_1 + ... + Z_n)/n,

and H_γ(P ‖ Q) = 1 − γ + γ·H_{1/γ}(Q ‖ P) below. The sums of all γ are added up together
(``exactdp.sums.positive_means``), to no narrower a width than polygons through the points need.
From these points come finite pairs around the profile (``exactdp.divergences.dots``), which are
composed.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import cast

from flint import arb

from exactdp.divergences import Largest, Pair, PrivacyProfile
from exactdp.divergences.dots import pairs_through
from exactdp.divergences.proposals.knots import Placing, placed_ratios
from exactdp.divergences.values import enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Exact, precision, short
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import first_answer, remembered
from exactdp.numbers.validated import validated
from exactdp.sums import positive_means

__all__ = [
    "Curve",
    "HiddenCurve",
    "LargestCurve",
    "delta_of_curve",
    "end_of_curves",
    "pairs_around_curves",
]

_BITS = 128
"""Bits of balls; twice as many where values are so large that these do not tell a phase."""

_ROUGH = Fraction(1, 20)
"""The smoothing, over the spread of a sum, at which the end of a curve is sought."""

_STEP_SHARE = Fraction(1, 5)
"""The smoothing, in the distance of two points of a polygon: it adds a quarter to its gap."""

_LEAST_SMOOTH, _MOST_SMOOTH = Fraction(1, 1000), Fraction(1, 20)
"""The smoothing, over the spread of a sum, at least and at most."""

_RUNGS = 40
"""Places at which the end of a curve is sought at a time, of half a deviation of the loss each."""

_SKIPPED = 5
"""Places, of so many of which one is looked at first."""

_LARGEST_END = Fraction(600)
"""The largest ε at which a curve ends, so that γ is a double."""

_LADDERS = 12
"""Times that a ladder is set up on the last one, each with steps twice as long."""

_LEAST_DEVIATION = Fraction(1, 10**12)
"""The least deviation of a loss that plans suppose."""

_FIRST_SHARE, _ATTEMPTS = 6, 3
"""The root of a width over the first smoothing for one δ, and how often less is tried."""

Message = tuple[Exact, Exact, Exact]
"""(p_y, q_y, m_y) of a message."""


class Curve(PrivacyProfile):
    """A profile of which δ is known at many γ at once."""

    __slots__ = ()

    @abstractmethod
    def reversed(self) -> Curve:
        """Return the curve of (Q, P)."""

    @abstractmethod
    def deltas_at(
        self, gammas: Sequence[Fraction] | Sequence[Exact], smooth: Fraction
    ) -> list[Enclosure]:
        """Return δ at each of some γ >= 1, to a smoothing over the spread of a sum."""

    @abstractmethod
    def loss_deviation(self) -> float:
        """Return about the deviation of the loss, for plans."""

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, as of so many outputs; above δ ends at rest."""
        return pairs_around_curves((self,), (self.reversed(),), size=size, rest=rest, knots=knots)


class HiddenCurve(Curve):
    """The curve of a victim among n users, message by message."""

    __slots__ = ()

    n: int

    @abstractmethod
    def messages(self) -> Sequence[Message]:
        """Return (p_y, q_y, m_y) of all messages; the m_y add up to 1 at most."""

    def deltas_at(
        self, gammas: Sequence[Fraction] | Sequence[Exact], smooth: Fraction
    ) -> list[Enclosure]:
        """Return δ at each of some γ >= 1, to a smoothing over the spread of a sum."""
        if not gammas:
            return []
        # Of some values that are large more bits are taken.
        ask = partial(self._deltas, gammas, smooth)
        return first_answer(partial(ask, _BITS), partial(ask, 2 * _BITS))

    def _deltas(
        self, gammas: Sequence[Fraction] | Sequence[Exact], smooth: Fraction, bits: int
    ) -> list[Enclosure]:
        with precision(bits):
            shared, alone = _balls_of(self, bits)
            ratios = [Exact(x).ball(bits) for x in gammas]
            values = [[p - x * q for p, q, _ in shared] for x in ratios]
            masses = [m for *_, m in shared]
            means = positive_means(values, masses, self.n, smooth=smooth, bits=bits)
            found = []
            for x, mean in zip(ratios, means, strict=True):
                low, high = endpoints(sum(((p - x * q).max(arb(0)) for p, q in alone), arb(0)))
                low, high = low + mean.lower / self.n, high + mean.upper / self.n
                found.append(Enclosure(max(Fraction(0), low), high))
        return found

    def loss_deviation(self) -> float:
        """Return the root of Σ (p − q)²/m, over n: about the deviation of the loss."""
        with precision(_BITS):
            shared, _ = _balls_of(self, _BITS)
            square = sum(((p - q) * (p - q) * m for p, q, m in shared), arb(0)) / self.n
            return math.sqrt(endpoints(square)[1])


@validated
@dataclass(frozen=True, slots=True)
class LargestCurve(Largest):
    """The largest of several curves, composed as one.

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> from exactdp.shuffle.at_scale.score_sums import ScoreSum
        >>> t, q = Exact("3/4"), Exact("1/4")
        >>> coins = [ScoreSum((t, q), (q, t), ((row, 99),)) for row in ((t, q), (q, t))]
        >>> low, high = LargestCurve(tuple(coins)).pairs_near(40, Fraction(1, 10**6))
        >>> at = Epsilon.rational("1/10")
        >>> low.delta(at) <= max(coin.delta(at).upper for coin in coins)
        True
    """

    profiles: tuple[PrivacyProfile, ...]

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, as of so many outputs; above δ ends at rest."""
        curves, turned = (
            cast("Sequence[Curve]", profiles)
            for profiles in (self.profiles, [profile.reversed() for profile in self.profiles])
        )
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
        Enclosure(1 - x + x * one.lower, 1 - x + x * one.upper)
        for x, one in zip(fine, _largest(backward, below, smooth), strict=False)
    ]
    values += _largest(forward, above, smooth)
    # Twice the bits of a step: what is rounded matters less than what is between two points.
    unit = 1 << (8 + 2 * size.bit_length() + rest.denominator.bit_length())
    infinite = _infinite(forward, 0), _infinite(backward, 0)
    return pairs_through(fine, values, infinite, unit=unit, has_middles=True)


def delta_of_curve(curve: Curve, gamma: Exact, width: Fraction) -> Enclosure:
    """Return an enclosure of H_gamma, gamma >= 1, of a relative width.

    Raises:
        UndecidedError: If the width is not reached in doubles.
    """
    smooth = Fraction(math.sqrt(width)) / _FIRST_SHARE
    for _ in range(_ATTEMPTS):
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


@remembered(maxsize=32)
def _balls_of(
    curve: HiddenCurve, bits: int
) -> tuple[list[tuple[arb, arb, arb]], list[tuple[arb, arb]]]:
    """Return (p_y/m_y, q_y/m_y, m_y) of messages that others send, and (p_y, q_y) of the rest."""
    rows = [tuple(x.ball(bits) for x in row) for row in _merged(curve.messages())]
    shared = [(p / m, q / m, m) for p, q, m in rows if m != 0]
    return shared, [(p, q) for p, q, m in rows if m == 0]


def _merged(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield messages of which none tells the same as another of those with m_y > 0."""
    law: dict[tuple[Exact, Exact], Exact] = {}
    for p, q, m in messages:
        if m == 0:
            yield p, q, m
        else:
            ratios = p / m, q / m
            law[ratios] = law.get(ratios, Exact(0)) + m
    yield from ((p * m, q * m, m) for (p, q), m in law.items())


def _deviation(curve: Curve) -> Fraction:
    return max(Fraction(curve.loss_deviation()), _LEAST_DEVIATION)


@remembered(maxsize=64)
def end_of_curves(curves: tuple[Curve, ...], rest: Fraction) -> Fraction:
    """Return an ε from which on δ is little more than the mass at infinity."""
    step = max(map(_deviation, curves)) / 2
    most = _infinite(curves, 1) + 2 * rest
    start = Fraction(0)
    for _ in range(_LADDERS):
        places = [start + step * k for k in range(1, _RUNGS + 1)]
        # δ falls: every fifth place tells between which of them it does.
        last = _first_below(curves, places[_SKIPPED - 1 :: _SKIPPED], most)
        if last is not None:
            near = places[_SKIPPED * last : _SKIPPED * (last + 1)]
            found = _first_below(curves, near[:-1], most)
            return near[_SKIPPED - 1 if found is None else found]
        start, step = places[-1], 2 * step
    return Fraction(start)


def _first_below(curves: Sequence[Curve], places: Sequence[Fraction], most: Fraction) -> int | None:
    """Return the first of some ε at which δ is at most so much, or that are too large."""
    gammas = [Fraction(math.exp(min(place, _LARGEST_END))) for place in places]
    deltas = _largest(curves, gammas, _ROUGH)
    for i, (place, delta) in enumerate(zip(places, deltas, strict=True)):
        if delta.upper <= most or place >= _LARGEST_END:
            return i
    return None


def _infinite(curves: Sequence[Curve], end: int) -> Fraction:
    """Return an end of the largest mass at infinity."""
    found = [enclosed(curve.infinity_mass(), "1e-9") for curve in curves]
    return max((one.lower, one.upper)[end] for one in found)
