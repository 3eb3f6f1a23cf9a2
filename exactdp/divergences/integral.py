r"""Rényi divergences of a profile that knows δ alone, with a proof at both ends.

R = P/Q, φ(γ) = H_γ(P ‖ Q), G(γ) = φ(γ) − max(0, 1 − γ). So for γ >= 1, G is E_Q max(0, R − γ)
plus the mass m that P has where Q has none; for γ <= 1 it is E_Q max(0, γ − R), which is
γ·H_{1/γ}(Q ‖ P). Taylor's formula for f at 1, f(1) = 0, has the remainder ∫ f''(γ)·max(0, R − γ)
above 1 and ∫ f''(γ)·max(0, γ − R) below it. In the mean, as E_Q(R − 1) = −m,

    E_Q f(R) = ∫_0^∞ f''(γ) G(γ) dγ − m·(f'(1) + ∫_1^∞ f''(γ) dγ).

For f = x^a − 1 the last bracket is 0 if a < 1, and if a > 1 the divergence is infinite or m = 0:

    E_Q R^a = 1 + a(a − 1)·I_a,  I_a = ∫_0^∞ γ^(a−2) G(γ) dγ.

φ is convex and falls. So between two points G is at most the chord, and at least 0 and the
lines through the next two points on either side: the power is integrated against these
exactly. G is 0 beyond the largest losses of either direction. Where losses are unbounded,

- below the first point, G lies between γ times the mass that Q has where P has none and the
  chord from (0, 0);
- above the last one, G lies between m and its value there, which suffices for a < 1. For a > 1
  the rest of the integral may be anything, and nothing is said.

New points are put where the two ends differ most. The width falls like the square of their number,
and 1e-3 takes about a hundred.

References: I. Sason and S. Verdú, f-Divergence Inequalities, 2016 (f-divergences as integrals
of H_γ).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.divergences.duality import DeltaAt
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, fmpq_of, precision, short
from exactdp.numbers.balls import endpoints, floor_of, working_bits

__all__ = ["renyi_enclosure"]

_MOST = 3_000
"""Points γ at which δ is asked, about: a width that needs more than twice as many is refused."""

_SURE = 100
"""Points from which on the number that will be needed is foreseen."""

_NOISE = 32
"""A value of δ may at first be off by the width that is wanted over this."""

_COARSEST = Fraction(1, 2**16)
"""The relative width below which δ is not asked at first, however narrow the width is."""

_STEP = 2**12
"""How many times narrower δ is asked once its width is what is left to gain."""

_AT_ONCE = 8
"""One in so many intervals is divided in each round: more points at once are chosen less well."""

_MARGIN = 8
"""A new point keeps the length of its interval over this from both ends."""

_FAR = 4
"""The ratio of an interval's ends above which it is divided at their geometric mean."""

_BITS = 256
"""Bits of the balls beyond those that a long order takes; they hold the rounding."""

_PLACES = 40
"""Bits of the γ of a new point; also octaves that an interval from 0 is followed down to 0.

Any γ gives a bound."""


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """Bounds of G(γ), and of the part of φ(γ) beyond it."""

    gamma: arb
    low: arb
    high: arb

    @property
    def corner(self) -> arb:
        return (1 - self.gamma).nonnegative_part()


@dataclass(frozen=True, slots=True)
class _Line:
    """value + slope·(γ − start)."""

    start: arb
    value: arb
    slope: arb

    def at(self, gamma: arb) -> arb:
        return self.value + self.slope * (gamma - self.start)

    def crossing(self, other: _Line, low: arb, high: arb) -> arb:
        """Return about where two lines meet, inside an interval."""
        found = self.start - (self.value - other.at(self.start)) / (self.slope - other.slope)
        return max(low, min(high, found.mid())) if found.is_finite() else low


_NOTHING = _Line(arb(0), arb(0), arb(0))
"""The line that is 0 everywhere."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The bounds of the integral between two points, and where the lower one has its kink."""

    lower: arb
    upper: arb
    kink: arb


class _Integral:
    """The integral I_a between two ends, interval by interval, and where to divide next.

    The points ascend. If losses are bounded, the last point is beyond them all; if not, the
    integral goes on behind it.
    """

    def __init__(self, order: Fraction, masses: tuple[arb, arb], *, is_bounded: bool) -> None:
        self.a, self.rest = arb(fmpq_of(order)), arb(fmpq_of(order - 1))
        self.masses, self.is_bounded = masses, is_bounded
        self.parts: dict[tuple[_Point | None, ...], _Part] = {}

    def enclosed(self, points: list[_Point]) -> tuple[list[_Part], arb, arb]:
        """Return the part of each interval, and the bounds of the whole."""
        before, after = [None, *points[:-2]], [*points[2:], None]
        keys = list(zip(before, points[:-1], points[1:], after, strict=True))
        self.parts = {key: self.parts.get(key) or self._part(*key) for key in keys}
        parts = [self.parts[key] for key in keys]
        lower = sum((part.lower for part in parts), arb(0))
        upper = sum((part.upper for part in parts), arb(0))
        if not self.is_bounded:  # G is between m and its last value, and a < 1
            beyond = points[-1].gamma ** self.rest / -self.rest
            lower, upper = lower + self.masses[0] * beyond, upper + points[-1].high * beyond
        return parts, lower.lower(), upper.upper()

    def places(self, points: list[_Point], parts: list[_Part]) -> list[arb]:
        """Return where to ask next: in the intervals whose ends differ most."""
        gaps = [part.upper - part.lower for part in parts]
        if not self.is_bounded:
            gaps.append(points[-1].high * points[-1].gamma ** self.rest / -self.rest)
        worst = sorted(range(len(gaps)), key=lambda i: gaps[i].mid(), reverse=True)
        worst = worst[: 1 + len(gaps) // _AT_ONCE]
        first = 1 + 2 * max(point.high for point in points)  # the size of the losses
        found = []
        for i in worst:
            x = points[i].gamma
            if i == len(parts):
                found.append(_shortened(max(x * x, first)))
                continue
            y, goal = points[i + 1].gamma, parts[i].kink
            low, high = x + (y - x) / _MARGIN, y - (y - x) / _MARGIN
            if i == 0 and (x == 0 or min(y * y, 1 / first) > low):
                goal = min(y * y, 1 / first)
            elif self.is_bounded and i == len(parts) - 1 and max(x * x, first) < high:
                goal = max(x * x, first)
            else:
                goal = (x * y).sqrt() if y > _FAR * x else max(low, min(high, goal))
            goal = _shortened(goal)
            found.append(goal if x < goal < y else (x + y) / 2)
        return found

    def divergence(self, integral: arb) -> arb:
        """Return ln(1 + a(a − 1)·I)/(a − 1); nan where there is none."""
        return (self.a * self.rest * integral).log1p() / self.rest

    def _part(self, before: _Point | None, x: _Point, y: _Point, after: _Point | None) -> _Part:
        """Return bounds of the integral of γ^(a−2) G(γ) between two neighboring points."""
        bend = 1 if y.gamma <= 1 else 0  # the slope of G less that of φ
        if before is not None:
            run, rise = x.gamma - before.gamma, x.low - before.high + x.corner - before.corner
            left = _Line(x.gamma, x.low, rise / run + bend)
        else:
            left = _Line(x.gamma, arb(0), self.masses[1] if x.gamma == 0 else arb(0))
        if after is not None:
            run, rise = after.gamma - y.gamma, after.high - y.low + after.corner - y.corner
            right = _Line(y.gamma, y.low, rise / run + bend)
        else:  # φ falls
            right = _Line(y.gamma, y.low, arb(bend))
        # Away from γ = 0: only a line through (0, 0) can be integrated from there.
        kink = left.crossing(right, max(x.gamma, y.gamma / 2**_PLACES), y.gamma)
        lower = self._positive(left, x.gamma, kink) + self._positive(right, kink, y.gamma)
        chord = _Line(x.gamma, x.high, (y.high - x.high) / (y.gamma - x.gamma))
        return _Part(lower, self._area(chord, x.gamma, y.gamma).upper(), kink)

    def _positive(self, line: _Line, x: arb, y: arb) -> arb:
        """Return a lower bound of the integral of the positive part of a line."""
        rises, root = line.at(y).mid() > line.at(x).mid(), line.crossing(_NOTHING, x, y)
        if line.at(x).mid() < 0:
            x = root if rises else y
        elif line.at(y).mid() < 0:
            y = root
        return self._area(line, x, y).lower().nonnegative_part()

    def _area(self, line: _Line, x: arb, y: arb) -> arb:
        """Return ∫ γ^(a−2)·line dγ from x to y."""
        if not x < y:
            return arb(0)
        first = _power_integral(self.a, x, y)
        if x == 0:  # the line is 0 there
            return line.slope * first
        zeroth = _power_integral(self.rest, x, y)
        return line.at(x) * zeroth + line.slope * (first - x * zeroth)


def _power_integral(e: arb, x: arb, y: arb) -> arb:
    """Return ∫ γ^(e−1) dγ from x to y."""
    return (y**e - x**e) / e


def renyi_enclosure(
    forward: DeltaAt,
    backward: DeltaAt,
    *,
    order: Fraction,
    relative_width: Fraction,
    tops: tuple[Epsilon | Number, Epsilon | Number],
    masses: tuple[Number, Number],
) -> Enclosure:
    """Return an enclosure of the Rényi divergence D_a(P ‖ Q).

    Args:
        forward: δ of (P, Q).
        backward: δ of (Q, P).
        order: a, above 0 and not 1.
        relative_width: (upper − lower) is at most this times the lower end.
        tops: The largest losses of (P, Q) and of (Q, P), or bounds of them.
        masses: The mass that P has where Q has none, 0 if a > 1, and that Q has where P has none.

    Raises:
        UndecidedError: If a > 1 and the losses are unbounded, or the width is not reached.

    Example:
        Randomized response with ε0 = ln 3: the moment of order 2 is 7/3.

        >>> def delta(epsilon, width):
        ...     value = max(0, (3 - epsilon.exp.as_fraction()) / 4)
        ...     return Enclosure(value, value)
        >>> found = renyi_enclosure(delta, delta, order=Fraction(2), tops=2 * [Epsilon.log(3)],
        ...     relative_width=Fraction(1, 10**9), masses=2 * [Exact(0)])
        >>> print(f"{found:.6f}")
        [0.847297, 0.847298]
    """
    bits = _BITS + 4 * (order.numerator.bit_length() + order.denominator.bit_length())
    with precision(bits):
        top, bottom = (_largest_ratio(loss) for loss in tops)
        if order > 1 and not top.is_finite():
            raise UndecidedError(
                f"order={order} needs a bound of the losses; these are unbounded, and only their "
                "δ is known. Ask for an order below 1, or for delta, epsilon or trade_off."
            )
        m, m_turned = (mass.ball(bits) for mass in masses)
        integral = _Integral(order, (m, m_turned), is_bounded=top.is_finite())
        noise = max(relative_width / _NOISE, _COARSEST)

        def point(gamma: arb) -> _Point:
            ratio = Exact(gamma.fmpq())
            if gamma >= 1:
                found = forward(Epsilon(ratio), noise)
            else:
                found = backward(Epsilon(1 / ratio), noise)
            factor = min(gamma, arb(1))
            return _Point(gamma, *(arb(fmpq_of(x)) * factor for x in (found.lower, found.upper)))

        asked = [point(arb(1))]
        if asked[0].high == 0:
            return Enclosure(Fraction(0), Fraction(0))
        start = [_Point((1 / bottom).lower(), arb(0), arb(0))]
        stop = [_Point(top.upper(), arb(0), arb(0))] if top.is_finite() else []
        while True:
            points = start + asked + stop
            parts, *ends = integral.enclosed(points)
            low, high = (integral.divergence(end) for end in ends)
            if high < low:  # of an upper bound on δ, which is not a δ of a pair
                raise UndecidedError(
                    f"order={short(order)} is too large for a bound on δ: its values are those of "
                    "no pair. Ask for a smaller order."
                )
            if low > 0 and high - low <= low * fmpq_of(relative_width):
                return Enclosure(endpoints(low)[0], endpoints(high)[1])
            _check_cost(len(points), low, high, relative_width)
            if ends[1] - ends[0] <= _NOISE // 2 * ends[0] * fmpq_of(noise):  # little else is left
                noise /= _STEP
                asked = [point(one.gamma) for one in asked]
            else:
                asked += [point(gamma) for gamma in integral.places(points, parts)]
                asked.sort(key=lambda one: one.gamma)


def _shortened(gamma: arb) -> arb:
    """Return a dyadic number near γ, in units of γ and of its distance from 1."""
    small = min(gamma, abs(gamma - 1)).mid().fmpq()
    scale = arb(2) ** (_PLACES - int(small.p.bit_length()) + int(small.q.bit_length()))
    return arb(floor_of((gamma * scale).mid())) / scale


def _largest_ratio(loss: Epsilon | Number) -> arb:
    """Return e^loss; infinity if there is no largest loss."""
    if not isinstance(loss, Epsilon):
        return loss.ball(working_bits()).exp()
    return arb.pos_inf() if loss.is_infinite else loss.exp.ball(working_bits())


def _check_cost(count: int, low: arb, high: arb, width: Fraction) -> None:
    """Raise if the width will not be reached: it falls like the square of the number."""
    if count < _SURE:
        return
    needed = count * ((high - low) / (low * fmpq_of(width))).sqrt()
    if count < _MOST and not needed > 2 * _MOST:
        return
    found = "no bounds"
    if low > 0 and high.is_finite():
        found = str(Enclosure(endpoints(low)[0], endpoints(high)[1]))
    raise UndecidedError(
        f"relative_width={short(width)} was not reached with {count:,} values of δ, which gave "
        f"{found}. Ask for a larger relative width."
    )
