"""The sum of independent privacy losses: certified δ of any number, of different kinds.

δ(ε) = Pr[L = ∞] + E max(0, 1 − e^(ε − L)) for the sum L of independent privacy losses under P:
``table`` has the ways to the mean over the finite losses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from math import isfinite, log2, prod

from flint import arb

from exactdp.errors import UndecidedError, number_of
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    certainly_below,
    certainly_not_below,
    enclosure,
    power_of_kept,
    precision,
)
from exactdp.numbers.crossing import Slope, crossing, smallest_from_zero
from exactdp.numbers.limits import Effort, effort_of_today
from exactdp.sums.choose import Route, Way, answered, between
from exactdp.sums.doubles import BALL_BITS, PLAN_BITS
from exactdp.sums.laws.loss_law import LossLaw
from exactdp.sums.lines.saddle import log_kappa, minimum
from exactdp.sums.routes import Routes
from exactdp.sums.table import LAWS, ROUTES, Mean, mean_excess

__all__ = ["LossSum", "is_soon_a_power"]

_SMALLEST = Fraction(1, 10**9)
"""The least guess of an ε, in nats."""

_MORE, _HALF = 2000, Exact("1/2")
"""A target times this, at most a half: the ε that is guessed for it lies below the target's."""
_WIDE = Fraction(1, 200)
"""A width of δ where ε is searched for on contours, and where it is only compared."""


_LONG = 1 << 20
"""The bits of a power that is still an exact number; of a longer one the logarithm is known."""

_FEW_POWERS = 200
"""The power up to which one of a polynomial in a power of e is one, too."""

MeanExcess = Callable[[Number, Fraction], Enclosure]


@dataclass(frozen=True, repr=False, eq=False)
class LossSum:
    """The sum of independent losses, each with a number of copies.

    Attributes:
        parts: The loss laws and their numbers of copies, at least 1 each.
    """

    parts: tuple[tuple[LossLaw, int], ...]
    _routes: dict[Effort, Routes] = field(init=False, default_factory=dict)

    @property
    def routes(self) -> Routes:
        """The ways to the mean over its finite losses, at the effort of today."""
        today = effort_of_today()
        if today not in self._routes:
            self._routes[today] = Routes(self.parts)
        return self._routes[today]

    @property
    def copies(self) -> int:
        """The number of losses."""
        return sum(times for _, times in self.parts)

    def reversed(self) -> LossSum:
        """Return the sum of the losses of all pairs (Q, P): the other direction."""
        if all(law.is_symmetric for law, _ in self.parts):
            return self
        return LossSum(tuple((law.reversed(), times) for law, times in self.parts))

    def infinity_mass(self) -> Number:
        """Return Pr[L = ∞] = 1 − Π(1 − Pr[L_i = ∞]) under P."""
        kept: Number = Exact(1)
        for law, times in self.parts:
            if law.infinity_mass != Exact(0):
                kept = kept * power_of_kept(1 - law.infinity_mass, times)
        return 1 - kept

    def highest(self) -> Epsilon | Number | None:
        """Return the largest finite loss; None if they are unbounded, or there are none."""
        ends = [(law.ratio_ends[1] if law.ratio_ends else None, n) for law, n in self.parts]
        tops = [(top, times) for top, times in ends if top is not None]
        if len(tops) == len(ends) and all(is_soon_a_power(top, times) for top, times in tops):
            return Epsilon(prod((top**times for top, times in tops), start=Exact(1)))
        total: Number = Exact(0)
        for law, times in self.parts:
            highest = law.highest()
            if highest is None:
                return None
            total = total + highest * times
        return total

    @cached_property
    def _about_highest(self) -> arb | None:
        """A ball around the largest finite loss; None if they are unbounded, or there are none."""
        highest = [(law.highest(), times) for law, times in self.parts]
        with precision(BALL_BITS):
            balls = [one.ball(BALL_BITS) * times for one, times in highest if one is not None]
            return sum(balls, arb(0)) if len(balls) == len(highest) else None

    def is_beyond_all(self, epsilon: Epsilon) -> bool:
        """Return whether certainly no finite loss exceeds ε; then δ(ε) is the infinite mass."""
        if any(law.has_no_finite_loss for law, _ in self.parts):
            return True
        if self._about_highest is not None:  # a thousandth power is a long number
            with precision(BALL_BITS):
                at = epsilon.nats.ball(BALL_BITS)
                if at < self._about_highest or at > self._about_highest:
                    return bool(at > self._about_highest)
        match self.highest():
            case None:
                return False
            case Epsilon() as top:
                return top <= epsilon
            case top:
                return certainly_not_below(epsilon.nats, top, max_bits=1 << 12)

    def delta(self, epsilon: Epsilon, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε) = Pr[L = ∞] + E max(0, 1 − e^(ε − L)).

        Returns:
            (upper − lower) <= relative_width·lower; a point if no finite loss exceeds ε.

        Raises:
            TooLargeError: If it would take too many points.
            UndecidedError: If the width is not reached.
        """
        return self._delta(epsilon, relative_width, partial(mean_excess, self.routes))

    def delta_at_most(self, epsilon: Epsilon, most: Exact) -> Enclosure:
        """Return an enclosure of δ(ε) that is wide but not above a number.

        Raises:
            TooLargeError: If it would take too many points.
            UndecidedError: If it is not soon seen that δ(ε) is at most the number.
        """
        rest = most - self.infinity_mass()
        found = self._delta(epsilon, _WIDE, lambda nats, _: self.routes.at_most(rest, nats))
        if not found.upper <= most:
            raise UndecidedError("δ is not seen to be so small. Ask for an enclosure.")
        return found

    def _delta(self, epsilon: Epsilon, width: Fraction, excess: MeanExcess) -> Enclosure:
        value, nothing = self.infinity_mass(), Exact(0)
        bits = width.denominator.bit_length() - width.numerator.bit_length()
        infinite = Enclosure(Fraction(0), Fraction(0))
        if value != nothing:
            infinite = enclosure(value, relative_bits=bits + 2)
        if self.is_beyond_all(epsilon):
            return infinite
        found = excess(epsilon.nats, width)
        lower, upper = found.lower + infinite.lower, found.upper + infinite.upper
        return between(lower, min(Fraction(1), upper), by=found)

    def is_surely_below_at_zero(self, delta: Number) -> bool:
        """Return whether δ(0) is seen to be below a target: total variations add, at most."""
        if self.routes.thetas is not None:
            return False  # δ(0) is as quick, and there may be more masses than can be listed
        with precision(BALL_BITS):
            parts = (times * law.total_variation() for law, times in self.parts)
            return bool(sum(parts, arb(0)) < delta.ball(BALL_BITS))

    def smallest(self, delta: Exact, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= 0 with δ(ε) <= δ, above the infinite mass.

        Raises:
            TooLargeError: If it would take too many points.
            UndecidedError: If the width is not reached.
        """
        if self.is_surely_below_at_zero(delta):
            return Enclosure(Fraction(0), Fraction(0))
        routes, target = self.routes, delta - self.infinity_mass()

        def along(route: Route[Mean], mean: Mean) -> Way | None:
            """Return the search for ε that asks one route for all δ, if it has a way to a mean."""
            if route.way(mean) is None:
                return None

            def by_one(nats: Number, asked: Fraction) -> Enclosure:
                return route.answer(Mean.of_losses(routes, nats), asked)

            if route is LAWS:
                return lambda width: routes.powers.crossing(target, relative_width=width)
            # Doubles reach no narrow width: the whole table helps them.
            is_last = route is ROUTES[-1]
            excess = partial(mean_excess, routes) if is_last else by_one
            return lambda width: self._searched(delta, width, excess)

        nats, slope = self._likely(target)

        def of_epsilon(route: Route[Mean]) -> Route[Mean]:
            """Return the route to ε: ln δ falls by the slope for each nat."""

            def told(
                about: Callable[[Mean, Fraction], float], mean: Mean, width: Fraction
            ) -> float:
                return route.steps * about(mean, min(_WIDE, width * max(width, nats * slope / 3)))

            return replace(
                route,
                way=partial(along, route),
                cost=partial(told, route.cost),
                least=partial(told, route.least),
            )

        table = [of_epsilon(route) for route in ROUTES]
        found = answered(table, Mean.of_losses(routes, Exact(nats)), relative_width)
        return Enclosure(found.lower, found.upper)

    def _searched(self, delta: Exact, width: Fraction, excess: MeanExcess) -> Enclosure:
        def value_at(x: Fraction, asked: Fraction) -> Enclosure:
            return self._delta(Epsilon.rational(x), min(asked, _WIDE / 2), excess)

        finite = delta - self.infinity_mass()
        more, first = finite * _MORE, self.guess(finite)
        before = self.guess(more if certainly_below(more, _HALF, max_bits=BALL_BITS) else _HALF)
        # Where that is not at most the target, nor is it at 0, which may be far from all lines,
        # and where the transform falls too late for a contour.
        is_apart = 2 * _SMALLEST < before < first
        if is_apart and bool(delta < value_at(before, _WIDE).lower):
            is_beyond = bool(value_at(first, _WIDE).upper <= delta)
            return crossing(
                value_at,
                delta,
                slope=Slope.FALLING,
                first=first,
                between=(before, first) if is_beyond else None,
                relative_width=width,
            )
        return smallest_from_zero(value_at, delta, first=first, relative_width=width)

    def likely_tilt(self, nats: Fraction) -> float:
        """Return the λ > 0 with about the least ln E e^(λL) − λε, on a ladder that others share.

        Example:
            Of a normal loss with mean 1/2 and variance 1 it is ε − 1/2.

            >>> from exactdp.mechanisms import gaussian_mechanism
            >>> loss = gaussian_mechanism(sigma=1).loss_law()
            >>> LossSum(((loss, 1),)).likely_tilt(Fraction(9, 2))
            4.0

            Below the mean of the loss none is the best, and any will do.

            >>> LossSum(((loss, 1),)).likely_tilt(Fraction(1, 4))
            0.015625
        """
        at = float(nats)
        tilt = max(minimum(lambda s: self.routes.log_moment(s) - s * at)[0], 2.0**-6)
        found: float = 2.0 ** (round(2 * log2(tilt)) / 2)  # two rungs an octave
        return found

    def guess(self, delta: Number) -> Fraction:
        """Return about the ε > 0 at which δ(ε), without the infinite mass, is a target.

        The Rényi conversion at its best order, a bit above; nothing rests on it.
        """
        return self._likely(delta)[0]

    def _likely(self, delta: Number) -> tuple[Fraction, Fraction]:
        """Return a guess of ε, and about the fall of ln δ there, by 1 for each nat at least."""
        routes, slope = self.routes, 1.0
        with precision(PLAN_BITS):
            log_delta = float(delta.ball(PLAN_BITS).log().mid())
            if not (routes.is_transformed or routes.is_truncated):
                return routes.powers.guess(log_delta), Fraction(1)
            is_seen = routes.thetas is not None or all(
                law.density is not None or law.points(PLAN_BITS) for law, _ in self.parts
            )
            if not is_seen:
                return Fraction(1), Fraction(1)  # no finite loss is seen at so few bits

            def bound(s: float) -> float:
                found = (routes.log_moment(s) + log_kappa(s, 1) - log_delta) / s
                return max(found, float(_SMALLEST))  # less is not sought

            slope, value = minimum(bound)
        found = Fraction(value) if isfinite(value) else Fraction(1)
        if routes.is_dense:  # where few hits decide, cells tell more than a whole transform
            found = min(found, routes.powers.guess(log_delta))
        return found, Fraction(max(slope, 1.0))

    def __repr__(self) -> str:
        return f"<LossSum of {number_of(self.copies, 'loss')}>"


def is_soon_a_power(number: Exact, times: int) -> bool:
    """Return whether a power of a number is soon an exact number."""
    if not number.is_rational:
        return times <= _FEW_POWERS or isinstance(Epsilon(number).nats, Exact)
    fraction = number.as_fraction()
    return (fraction.numerator.bit_length() + fraction.denominator.bit_length()) * times <= _LONG
