r"""Bounds on |M(λ + iω)| for all large ω, by which a contour integral is cut off.

Let φ(ω) = M(λ + iω)/M(λ), the characteristic function of the tilted loss. Four facts make one
bound that never rises:

1. |φ(ω)| <= a + v/ω (atoms and the variation of the density, ``LossTransform.fall``).
2. |φ| changes by at most s = min(σ̄, σ̄²ω) a unit on [0, ω], with σ̄ above the tilted standard
   deviation: for X = L − EL the derivative of E e^(iωX) is iE Xe^(iωX) = iE X(e^(iωX) − 1). The
   variance is at most E(L − m)² for any m, and y² <= 2 cosh(y) − 2, so
   σ̄² = (M(λ+α)e^(−αm) + M(λ−α)e^(αm) − 2M(λ))/(α² M(λ)) will do.
3. 1 − |φ(2ω)|² <= 4(1 − |φ(ω)|²), as 1 − cos(2y) <= 4(1 − cos y): a bound ϱ beyond a
   point is one of sqrt(1 − (1 − ϱ²)/4^k) beyond the point divided by 2^k.
4. |φ| <= r + (1 − r)|φ'| for a part φ' of the loss that leaves the share r of the tilted mass.

Bounds are added up in doubles, and taken ``SAFE`` times as large (``doubles``).

|φ| is evaluated on arithmetic progressions, near 0 that of the loss and farther out that of a
part which is easy there, until the first fact is below what is needed. By the second, it is
at most (|φ(ω)| + |φ(ω + h)| + hs)/2 between two points.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, exp, inf, log, sqrt

from flint import acb, arb

from exactdp.errors import UndecidedError
from exactdp.numbers import precision
from exactdp.numbers.balls import double_above
from exactdp.numbers.effort import answers
from exactdp.numbers.later import np
from exactdp.sums.doubles import BALL_BITS, PLAN_BITS, SAFE
from exactdp.sums.laws.transforms import LossTransform

__all__ = ["Envelope", "points_up_to"]

_SMALL = 2
"""A bound by the fourth fact is used from where it is below 1 − _SMALL·r, r the share of the rest.

Nearer to 1 the rest is not little beside what the part has fallen by."""

_BELOW = 0.999
"""The share of the level that would be enough for a part of the loss to which its bound is sought.

Nearer to 1 rounding could leave the bound just above what is enough."""

_FAR = 4
"""Multiples of the farthest frequency of a line beyond which an envelope's end is of no use to it.

Then only the first fact is used, and |φ| is evaluated nowhere."""

_MANY_TURNS = 64
"""Frequencies, in units of 1/σ̄, up to which a part of the loss must have fallen to be used.

A part that falls later would take more points than the first fact does."""

_POINTS = 64
"""Points of a progression on a length equal to its start, at least; more make |φ| sharper.

The bound between two points is proven for any distance: only its sharpness rests on this."""

_FINE = 16
"""Points of a progression on a length 1/σ̄, at least: |φ| changes by 1/16 or less from one on."""

_MAX_POINTS = 50_000
"""Points of one progression, at most: it limits the time, and farther points are less sharp."""

_LEVELS = 0.2, 0.995
"""The least and the largest level of |φ| down to which it is evaluated point by point.

Many copies need a level near 1 only; below 0.2 the first fact is sharp enough."""

Steps = list[tuple[float, float]]
"""(ω, bound): |φ| is at most the bound at and beyond ω; the bounds never rise."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A bound of |φ| that never rises.

    Attributes:
        steps: Where the bound by all four facts falls, and to what.
        fall: The (a, v) of the first fact.
        decay: A d with |φ| <= e^(−dω²): positive for a normal law, 0 for others.
    """

    steps: Steps
    fall: tuple[arb, arb]
    decay: arb

    @classmethod
    def of(
        cls,
        transform: LossTransform,
        tilt: arb,
        *,
        copies: int,
        nats: float = 60,
        farthest: float = inf,
    ) -> Envelope:
        """Return a bound for a transform at λ = tilt, as sharp as many copies need it.

        Args:
            transform: The transform of the loss.
            tilt: λ.
            copies: The power to which |φ| is taken.
            nats: A bound ϱ with ϱ^copies of about e^−nats is enough.
            farthest: The largest ω for which more than the first fact is used.

        Raises:
            TooLargeError: If a transform would take too many points.
            UndecidedError: If the variance of the loss is not seen.
        """
        with precision(PLAN_BITS):
            if transform.density is None:
                return cls([], (arb(1), arb(0)), arb(0))
            fall, decay = transform.fall(tilt), transform.decay()
            low, high = _LEVELS
            low = max(low, double_above(fall[0] + fall[1] / farthest))
            bulks = [] if decay > 0 else transform.bulks()
            if decay > 0 or (low > high and not bulks):
                return cls([], fall, decay)
            enough, spread = exp(-nats / copies), _spread(transform, tilt)
            first = min(0.25, sqrt(nats / copies) / 2) / spread
            beyond = _end(fall, min(max(enough, low), high))
            for _, end in answers(lambda one: _beyond(one, transform, tilt, first, enough), bulks):
                beyond = min(beyond, end or beyond)
            if beyond[0][0] > _FAR * farthest:
                return cls([], fall, decay)
            return cls(_steps(transform, tilt, first, beyond, spread), fall, decay)

    def at(self, omega: arb) -> arb:
        """Return a bound of |φ| at and beyond ω > 0."""
        atoms, variation = self.fall
        bounds = [arb(1), atoms + variation / omega, (-self.decay * omega**2).exp()]
        if self.steps:
            place, halvings = float(omega.lower()) / SAFE, 0
            while place < self.steps[0][0]:
                place, halvings = 2 * place, halvings + 1
            level = arb(self.steps[bisect_right(self.steps, (place, 2.0)) - 1][1])
            bounds.append((1 - (1 - level**2) / 4**halvings).sqrt())
        return min(arb(bound.upper()) for bound in bounds)


def points_up_to(times: float) -> float:
    """Return about at how many points |φ| is evaluated up to a multiple of the first frequency."""
    whole = min(times, _MAX_POINTS / _POINTS)
    return _POINTS * whole + _MAX_POINTS * log(times / whole) / log(4)


def _beyond(
    bulk: LossTransform, transform: LossTransform, tilt: arb, first: float, enough: float
) -> Steps:
    """Return the steps by the fourth fact, from where the rest matters little; [] for none.

    There are none where the bulk falls too late.
    """
    rest = double_above(1 - bulk.real(tilt) / transform.real(tilt)) * SAFE
    end = _end(bulk.fall(tilt), max(_BELOW * (enough - rest) / (1 - rest), _LEVELS[0]))
    spread = _spread(bulk, tilt)
    if end[0][0] * spread >= _MANY_TURNS:
        return []
    low_enough = max(enough, 1 - _SMALL * rest)
    steps = _steps(bulk, tilt, first, end, spread)
    found = [(omega, rest + (1 - rest) * bound) for omega, bound in steps]
    return [step for step in found if step[1] <= low_enough]


def _end(fall: tuple[arb, arb], level: float) -> Steps:
    """Return the one step (ω, bound) from which on the first fact gives about a level."""
    atoms, variation = fall
    # Atoms alone come back to their mass again and again: little above it is enough.
    found = max(level, double_above(atoms + (1 - atoms) / 8) * SAFE)
    return [(double_above(variation / (arb(found) - atoms)) * SAFE, found)]


def _steps(
    transform: LossTransform, tilt: arb, first: float, beyond: Steps, spread: float
) -> Steps:
    """Return the steps ``beyond``, with those from ``first`` to them before them."""
    ends, (last, highest) = [first], beyond[0]
    while ends[-1] < last:
        ends.append(min(4 * ends[-1], last))
    for first, stop in reversed([*pairwise(ends)]):  # what is refused is refused far out
        count = ceil((stop - first) * max(_POINTS / first, _FINE * spread))
        count = min(_MAX_POINTS, count)
        step = (stop - first) / count
        places = first + step * np.arange(count + 1)
        moduli = transform.moduli(acb(tilt, first), arb(step), count=count + 1)
        slopes = np.minimum(spread, spread**2 * places[1:])
        bounds = (moduli[:-1] + moduli[1:] + step * slopes) / 2
        bounds = np.where(np.isfinite(bounds), bounds, 1.0)  # of what is not known the bound is 1
        bounds = np.maximum.accumulate(np.append(bounds * SAFE, highest)[::-1])[::-1][:-1]
        highest = float(bounds[0])
        beyond = [*zip(places[:-1].tolist(), bounds.tolist(), strict=True), *beyond]
    return beyond


def _spread(transform: LossTransform, tilt: arb) -> float:
    """Return σ̄ of the second fact, with an α of about 1/σ̄."""
    with precision(BALL_BITS):  # the second difference of M cancels
        alpha, total = arb(1), transform.real(tilt)
        spread = arb(1)
        for _ in range(6):
            above, below = transform.real(tilt + alpha), transform.real(tilt - alpha)
            shift = ((above / below).log() / 2).mid()
            second = (above * (-shift).exp() + below * shift.exp() - 2 * total) / total
            spread = arb((second.sqrt() / alpha).upper())
            if second < 2:
                break
            alpha = (1 / spread).mid()
        if not spread > 0:
            raise UndecidedError(
                "the variance of the loss is too small to be seen. Take less noise, or more copies."
            )
        return float(spread) * SAFE
