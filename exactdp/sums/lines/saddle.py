r"""The line on which a transform is summed, its period, and a bound on the aliasing.

f is max(0, 1 − e^(−x)) for rate r = 1 and max(0, x) for rate 0, S a sum with M(s) = E e^(sS),
and D(c) = E f(S − c). For every θ > 0

    D(c) <= κ(θ) M(θ) e^(−θc),   κ(θ) = θ^θ/(1 + θ)^(1 + θ) (r = 1), 1/(eθ) (r = 0).

Poisson's formula gives Σ_k e^(λ(c + kΛ)) D(c + kΛ), of which k = 0 is wanted. With θ above λ
for k > 0 and below it for k < 0 the others are geometric sums, of ratio e^(−|θ − λ|Λ).
Here λ, at or below the saddle point, the period Λ and both θ are chosen, in doubles; nothing
rests on them. Beside the saddle point far losses may weigh so much that Λ is long.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, inf, isfinite, log, log1p, pi, sqrt
from typing import Protocol

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Number, short
from exactdp.numbers.effort import first_answer

__all__ = ["A_PLAN", "NARROWEST", "Image", "Line", "LineSum", "log_kappa", "log_kappa_ball"]
__all__ += ["minimum"]

A_PLAN = 1_000
"""Operations of a search for a saddle point, in doubles."""

_MORE_HEIGHT = 2.0
"""Nats by which the integrand on a line may be higher than at the saddle point.

What cancels in the sum grows as e^height does: digits are lost where a period is gained."""

_STEP = 1.4
"""The first step of ln λ in the search for a minimum; it ends at 0.02 in any case."""

_NEAR_STEP = 0.1
"""The first step of ln λ where a minimum is likely near."""

_KEPT = 2
"""Lines that are kept for later thresholds: each holds one complex ball a point."""

_USUAL = 1e-6
"""The relative width of a line where a wider enclosure is asked for.

It takes few more points, and the line serves later questions as well."""

_TRIES, _FINER = 3, 1000
"""Lines that are tried for one width, and how much narrower the next one is planned, at most."""

NARROWEST = Fraction(1, 10**50)
"""The narrowest relative width: bits and points of a line grow with its logarithm."""

_FARTHEST = 700.0
"""The logarithm of the largest λ that is tried: e^709 is the largest double."""


@dataclass(frozen=True, slots=True)
class Line:
    """A vertical line on which a transform is summed, in doubles.

    Attributes:
        rate: r of the header, 0 or 1.
        tilt: λ, about the saddle point of M(s) e^(−sc)/(s(s + r)).
        spread: About the standard deviation of the tilted sum.
        log_value: About ln(e^(λc) D(c)/M(λ)).
        period: Λ of the header.
        thetas: The θ of the bounds of the images: one below λ, one above.
    """

    rate: int
    tilt: float
    spread: float
    log_value: float
    period: float
    thetas: tuple[float, float]

    @classmethod
    def through_saddle(
        cls,
        log_moment: Callable[[float], float],
        rate: int,
        *,
        log_width: float,
        start: float = 1.0,
        near: Line | None = None,
        shares: Sequence[float] = (1.0,),
    ) -> Line:
        """Return a line whose images are below e^log_width of D(c), or so.

        Args:
            log_moment: ln M(λ) − λc as a function of λ.
            rate: r of the header, 0 or 1.
            log_width: About the logarithm of the relative width that is wanted.
            start: A λ from which the saddle point is looked for.
            near: A line that is likely near, from which to look; ``start`` is not used then.
            shares: Multiples of the saddle point where the line may lie, descending from 1.

        Raises:
            UndecidedError: If no period is long enough.
        """

        def height(tilt: float) -> float:
            return log_moment(tilt) - log(tilt) - log(rate + tilt)

        if near is None:
            tilt, least = minimum(height, start)
        else:
            tilt, least = minimum(height, near.tilt, _NEAR_STEP)
        beside = [height(tilt * k) for k in (0.9, 1.1)]
        if not all(map(isfinite, (tilt, least, *beside))):
            raise UndecidedError(
                "the losses are too extreme for doubles. Take less extreme numbers."
            )
        spread = sqrt(max(sum(beside) - 2 * least, 1e-6)) / (0.1 * tilt)
        log_value = least - log(spread * sqrt(2 * pi))
        allowed = log_value + log_width - log(16)
        found: list[tuple[float, float, tuple[float, float]]] = []
        for share in shares:
            at = tilt * share
            if height(at) > least + _MORE_HEIGHT:
                break  # what cancels in the sum grows like the height
            below = [at * k / 16 for k in range(15, 0, -1)]
            above = [at + 1.4**k / spread for k in range(-2, 16)]
            offs = [0.0, 0.0] if near is None else [abs(t / near.tilt - 1) for t in near.thetas]
            sides = [
                _shortest(log_moment, rate, at, side, allowed, off * at)
                for side, off in zip((below, above), offs, strict=True)
            ]
            found.append((max(sides)[0], at, (sides[0][1], sides[1][1])))
        period, tilt, thetas = min(found)
        if period == inf:
            raise UndecidedError(
                "no period of the transform is long enough. Ask for a wider enclosure."
            )
        log_value -= log_moment(tilt)
        return cls(rate, tilt, spread, log_value, period, thetas)

    def images(self, log_moment: Callable[[arb], arb]) -> list[Image]:
        """Return the bounds of the terms k < 0 and k > 0, from ln M as balls."""
        return [
            Image(theta, log_moment(theta) + log_kappa_ball(theta, self.rate))
            for theta in map(arb, self.thetas)
        ]


@dataclass(frozen=True, slots=True)
class Image:
    """The bound e^(log_factor − θc) of D(c), for all c.

    Attributes:
        theta: θ, above 0.
        log_factor: ln(κ(θ) M(θ)), or an upper bound of it.
    """

    theta: arb
    log_factor: arb

    def total(self, c: arb, *, line: arb, period: arb) -> arb:
        """Return a bound of the terms of one sign, over e^(λc)."""
        ratio = (-abs(self.theta - line) * period).exp()
        return (self.log_factor - self.theta * c).exp() * ratio / (1 - ratio)


class ValuesOnLine(Protocol):
    """The values on one line, for all thresholds near that for which it was chosen."""

    def at(self, nats: Number) -> Enclosure:
        """Return the enclosure of D(c) that this line gives."""


@dataclass(frozen=True, eq=False)
class LineSum(ABC):
    """A sum of which means come from values on lines, which are kept for later thresholds.

    With each line is kept by how much it missed the width for which it was planned: the next one
    is planned so much narrower. D(c) is less than a saddle point tells where few losses are large.
    """

    _kept: list[tuple[ValuesOnLine, float]] = field(init=False, repr=False, default_factory=list)

    @abstractmethod
    def line_at(self, nats: Number, width: float) -> ValuesOnLine:
        """Return a line on which D(c), c = ``nats``, has about a relative width."""

    def mean_excess(self, nats: Number, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of D(c), c = ``nats``.

        Returns:
            (upper − lower) <= relative_width·lower.

        Raises:
            TooLargeError: If the line or a transform would take too many points.
            UndecidedError: If the transform is not seen to fall, or the width not reached.
        """
        for line, _ in self._kept:
            found = line.at(nats)
            if found.lower > 0 and found.is_narrow(relative_width):
                return found
        if relative_width < NARROWEST:
            raise TooLargeError(
                f"relative_width={short(relative_width)} is narrower than a line can reach. Ask "
                f"for {float(NARROWEST):.0e} or wider."
            )
        asked = float(relative_width)
        failure: TooLargeError | None = None
        missed = self._kept[0][1] if self._kept else 1.0
        # A narrow line serves other thresholds as well; where it is too long, a wide one does.
        for goal in dict.fromkeys((min(asked, _USUAL), asked)):
            for _ in range(_TRIES):
                width = goal / missed
                try:
                    line = self.line_at(nats, width)
                except TooLargeError as error:
                    failure = error
                    break
                found = line.at(nats)
                reached = float(found.width / found.lower) if found.lower > 0 else inf
                missed = min(max(1.0, 2 * reached / width), _FINER * missed)
                self._kept.insert(0, (line, missed))
                del self._kept[_KEPT:]
                if found.lower > 0 and found.is_narrow(relative_width):
                    return found
        raise failure or UndecidedError(
            f"relative_width={short(relative_width)} is not reached. Ask for a wider enclosure."
        )


def _shortest(
    log_moment: Callable[[float], float],
    rate: int,
    tilt: float,
    thetas: Sequence[float],
    allowed: float,
    off: float,
) -> tuple[float, float]:
    """Return the shortest period for the images of one sign, and its θ.

    The period is convex in θ. ``thetas`` lie ever farther from the tilt; the search begins at
    one that lies ``off`` from it.
    """

    def period(i: int) -> float:
        if not 0 <= i < len(thetas) or thetas[i] == tilt:  # as far as doubles tell
            return inf
        bound = first_answer(
            lambda: log_moment(thetas[i]) + log_kappa(thetas[i], rate), lambda: inf
        )
        return max(1.0, bound - allowed) / abs(thetas[i] - tilt)

    i = bisect_left(thetas, off, hi=len(thetas) - 1, key=lambda theta: abs(theta - tilt))
    while (best := period(i)) == inf and i > 0:
        i -= 1
    for step in (1, -1):
        while (there := period(i + step)) < best:
            i, best = i + step, there
    return best, thetas[i]


def log_kappa(theta: float, rate: int) -> float:
    """Return about ln κ(θ), for plans: nothing rests on it."""
    if rate == 0:
        return -1 - log(theta)
    return -log1p(theta) - theta * log1p(1 / theta)


def log_kappa_ball(theta: arb, rate: int) -> arb:
    """Return ln κ(θ), θ > 0, at the working precision; for rate 1 in a form that does not cancel.

    Example:
        >>> log_kappa_ball(arb(2), 1).exp().contains(arb(4) / 27)  # 2²/3³
        True
    """
    if rate == 0:
        return -1 - theta.log()
    return -theta.log1p() - theta * (1 / theta).log1p()


def minimum(
    objective: Callable[[float], float], start: float = 1.0, step: float = _STEP
) -> tuple[float, float]:
    """Return about the λ > 0 at which a function is least, to 4 digits, and its value there.

    Args:
        objective: A convex function of ln λ; where it raises TooLargeError it is infinite.
        start: The λ at which the search begins.
        step: The first step of ln λ.
    """

    def value(x: float) -> float:
        if x > _FARTHEST:
            return inf
        return first_answer(lambda: objective(exp(x)), lambda: inf)

    x = log(start)
    best = value(x)
    for direction in (1, -1):
        while (there := value(x + direction * step)) < best:
            x, best = x + direction * step, there
        # The other direction is tried too: the first step may have been too long.
    low, high, golden = x - step, x + step, (sqrt(5) - 1) / 2
    a, b = high - golden * (high - low), low + golden * (high - low)
    at_a, at_b = value(a), value(b)
    while high - low > 0.02:
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = high - golden * (high - low)
            at_a = value(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + golden * (high - low)
            at_b = value(b)
    place = float(f"{exp((low + high) / 2):.4g}")
    return place, objective(place)
