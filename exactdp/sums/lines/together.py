r"""E max(0, S_g) of many sums at once, each of n copies of a finite variable: arrays of transforms.

A curve is asked at hundreds of places whose sums differ in their values alone. Here all of them are
summed in the same arrays, to a width that suits a curve: a smoothing of some share of the spread.

*Smoothing.* With N normal of mean 0 and variance w², independent of S, and φ its density,

    E max(0, S + N) − w² E φ(S) <= E max(0, S) <= E max(0, S + N):

the right side is Jensen's inequality; and with g(x) = E max(0, x + N) and Φ the distribution
function of N/w, g(x) − max(0, x) = w² φ(x) − |x|Φ(−|x|/w) lies between 0 and w² φ(x).

*Lines.* With M(s) = E e^(sX), λ > 0 and s = λ + iω both means are sums over the points ω_m = ηm,

    (η/2π) Σ_m M(s_m)^n e^(w²s_m²/2) f(s_m),   f = 1/s² and w²,

less images, which are positive: E max(0, S + N − kΛ) e^(λkΛ) for f = 1/s², Λ = 2π/η, k <> 0. They
are bounded as in ``saddle``; those of φ need no bound, as φ is subtracted. So the upper end needs
no bound of images, and the lower one that of the first sum alone.

*Doubles.* As in ``doubles``, numbers near 1 are kept by what they lack to 1. φ(m) = M(s_m)/M(λ) is
that of ``turns``, with bounds of its errors. Where φ^n is below e^−T, what is not worked out,
counts as an error: the e^(−w²ω_m²/2) of all m add up to √(π/2)/(wη) at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, exp, floor, isfinite, log2, pi

from flint import arb

from exactdp.errors import BeyondRangeError, UndecidedError
from exactdp.numbers import Enclosure, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import remembered, spend
from exactdp.numbers.later import np
from exactdp.sums.doubles import SAFE, UNIT, Doubles, Near, moments_above
from exactdp.sums.lines.turns import Turns, places_above, power

__all__ = ["positive_means"]

_BITS = 128
"""Bits of the balls of values and masses, more than the 2^−100 that :func:`double` asks for."""

_PERIOD = 14.0
"""Λ over the spread of a sum, at least: what a normal law has beyond is below 1e-40."""

_LEAST_TILTS = 2.0, 3.0
"""The least λ times the spread, where that is no larger then: few images are on the left.

Of laws with a few large values the spread would be that of these."""

_SAME = 1.1
"""Up to so many times the spread it counts as no larger."""

_HIGHER = 6.0
"""What ln M^n may grow by: what cancels in the sum grows as it does."""

_LEAST_RIGHT, _MORE_DOUBLINGS = 30.0, 3
"""Images on the right are below e^−30 of the size at λ, if some more doublings of Λ are enough."""

_WIDE, _LESS = 1.5, 0.85
"""Where the tilted sum is spread more widely than so many times as before, λ is taken less, so much
a step."""

_LEAST_LEFT = 26.0
"""λΛ at least: images on the left are below e^(−7/8) to that power then."""

_ABOVE, _BELOW = (6.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.12, 0.06), 1 / 8
"""θ of images: above λ by one of these over the spread, and below it, as a share of λ.

The larger ones suit laws near a normal one, the others those with a few large values."""

_REACH = 7.0
"""w·ω at the last point: e^(−24) of the size at λ are left out, and counted."""

_MOST_BLUR = 2.0
"""wλ at most: what is summed grows by e^(w²λ²/2)."""

_NATS = 40
"""T of the header: what is not worked out is below e^−T of the size at λ."""

_SMALL = 1.01 * exp(-_NATS)
"""A little more than e^−T."""

_STEPS = 48
"""Halvings in the search for λ, and steps in which it is taken less; nothing rests on them."""

_BLOCK_BITS = 4
"""Places of a block, as a power of 2, where Λ is not doubled: φ is small from about 20 on then."""

_CHUNK = 1 << 17
"""Points of all sums that are held at a time: about two megabytes an array."""

_MOST_POINTS = 1 << 15
"""Points of one line, at most: where that does not do, the lower end is far below."""

_LEAST_SPREAD = 1 / 8
"""The least deviation of a tilted sum, over that of the sum, that is smoothed by as much less."""

_SLACK = 1 + 2.0**-20
"""Factors of bounds that are worked out in a few steps of doubles are taken as much larger."""


def positive_means(
    values: Sequence[Sequence[arb]],
    masses: Sequence[arb],
    n: int,
    *,
    smooth: float | Fraction,
    bits: int = _BITS,
) -> list[Enclosure]:
    """Return enclosures of E max(0, X_1 + ... + X_n), one for each list of values of X.

    Args:
        values: The values of one X, list by list, as balls of so many bits.
        masses: Their probabilities, the same for all lists; they may add up to less than 1: the
            rest has the value 0.
        n: The number of independent copies, at least 1.
        smooth: w over the deviation of a sum: the mean is told up to about w² times half the
            density of S at 0.
        bits: The bits of the balls; large values need more.

    Raises:
        UndecidedError: If the values are too extreme for doubles.

    Example:
        A thousand fair steps of ±1, and of ±2: about √(n/(2π)) of them, and twice as many.

        >>> ones = [arb(1), arb(-1)]
        >>> found = positive_means([ones, [2 * x for x in ones]], [arb(0.5), arb(0.5)], 1000,
        ...     smooth=0.02)
        >>> [f"{one:.3g}" for one in found]
        ['[12.6, 12.7]', '[25.2, 25.3]']
    """
    share = float(smooth)
    with precision(bits), np.errstate(all="ignore"):
        rest = 1 - sum(masses, arb(0))
        has_rest = not rest.contains(0)
        chances = [*masses, rest] if has_rest else list(masses)
        lists = [[*one, arb(0)] if has_rest else list(one) for one in values]
        near = np.array([[float(v.mid()) for v in one] for one in lists])
        found = [Enclosure(Fraction(0), Fraction(0))] * len(lists)
        asked = [g for g in range(len(lists)) if near[g].max() > 0]
        if not asked:
            return found
        most = floor(log2(max(1.0, _MOST_POINTS * share * 2 * pi / (_PERIOD * _REACH))))
        doubles = near[asked], np.array([float(m.mid()) for m in chances])
        plans = _plans(*doubles, n, share, most)
        moments = moments_above(*doubles, np.array([plan.thetas for plan in plans]).T).T.tolist()
        kinds: dict[int, list[int]] = {}
        for i, plan in enumerate(plans):
            kinds.setdefault(plan.doublings, []).append(i)
        for doublings, members in kinds.items():
            turn = share * 2 * pi / (_PERIOD * 2**doublings)
            points = ceil(_REACH / turn)
            size = max(1, _CHUNK // points)
            for k in range(0, len(members), size):
                chosen = members[k : k + size]
                sums = [_Sum.of(lists[asked[i]], chances, plans[i], moments[i]) for i in chosen]
                for i, one in zip(chosen, _means(sums, n, points, turn), strict=True):
                    found[asked[i]] = one
    return found


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan of a summation, in doubles; nothing rests on it but the width.

    Attributes:
        tilt: λ.
        theta: The θ of the images on the right.
        spread: About the deviation of the sum, or of the tilted one if that is less.
        doublings: How often Λ is doubled, from 14 times the spread.
    """

    tilt: float
    theta: float
    spread: float
    doublings: int

    @property
    def thetas(self) -> tuple[float, float]:
        """The θ of all images, on the right and on the left."""
        return self.theta, self.tilt * _BELOW

    @property
    def step(self) -> float:
        """The step η."""
        return 2 * pi / (_PERIOD * 2.0**self.doublings * self.spread)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum on its line.

    Attributes:
        values: The values of one copy.
        masses: Their probabilities.
        plan: Its line.
        chances: The tilted masses over M(λ).
        log_moment: ln M(λ).
        reference: The value of the largest chance, against which phases are taken.
        moments: Upper bounds of M at the θ of images, or infinity.
    """

    values: Sequence[arb]
    masses: Sequence[arb]
    plan: _Plan
    chances: list[arb]
    log_moment: arb
    reference: arb
    moments: Sequence[float]

    @classmethod
    def of(
        cls, values: Sequence[arb], masses: Sequence[arb], plan: _Plan, moments: Sequence[float]
    ) -> _Sum:
        """Return a sum with its chances on the line at λ."""
        tilted = [m * (plan.tilt * v).exp() for v, m in zip(values, masses, strict=True)]
        total = sum(tilted, arb(0))
        chances = [x / total for x in tilted]
        sizes = [float(chance.mid()) for chance in chances]
        reference = values[sizes.index(max(sizes))]
        return cls(values, masses, plan, chances, total.log(), reference, moments)

    @property
    def step(self) -> arb:
        """The step η, a double as a ball."""
        return arb(self.plan.step)

    def angles(self) -> list[arb]:
        """Return the turns of the values, less that of the reference, from a point to the next."""
        step, reference = self.step, self.reference
        return [step * (value - reference) for value in self.values]

    def image(self, n: int, w: arb) -> arb:
        """Return a bound of the images of the first sum."""
        total, period = arb(0), 2 * arb.pi() / self.step
        for theta, moment in zip(self.plan.thetas, self.moments, strict=True):
            ratio = (-abs(arb(theta) - self.plan.tilt) * period).exp()
            size = (n * self._log_moment(theta, moment) + (w * theta) ** 2 / 2 - 1).exp() / theta
            total += size * ratio / (1 - ratio)
        return total

    def _log_moment(self, theta: float, moment: float) -> arb:
        """Return a bound of ln M(θ): that of a double, if it is no larger than doubles."""
        if isfinite(moment):
            return arb(moment).log()
        terms = (m * (theta * v).exp() for v, m in zip(self.values, self.masses, strict=True))
        return sum(terms, arb(0)).log()


def _plans(values: Doubles, masses: Doubles, n: int, smooth: float, most: int) -> list[_Plan]:
    """Return a plan for each sum, of so many doublings at most.

    λ is where n·M'/M = 2/λ, as 1/λ² is a factor of what is summed; or less, where a few large
    values would weigh so much there that the tilted sum is spread far more widely.
    """

    def moments(tilt: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        x = tilt[:, None] * values
        highest = x.max(axis=1)[:, None]
        weights = masses * np.exp(x - highest)
        total = weights.sum(axis=1)[:, None]
        weights /= total
        mean = (weights * values).sum(axis=1)
        variance = (weights * (values - mean[:, None]) ** 2).sum(axis=1)
        return mean, variance, (highest + np.log(total))[:, 0]

    top = values.max(axis=1)
    low, high = np.full(len(values), -300.0), np.log(700.0 / top)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        mean, *_ = moments(np.exp(middle))
        is_right = n * mean * np.exp(middle) > 2
        low, high = np.where(is_right, low, middle), np.where(is_right, middle, high)
    tilt, zero = np.exp(high), np.full(len(values), 1e-300)
    usual = np.sqrt(n * moments(zero)[1])
    spread = np.sqrt(n * moments(tilt)[1])
    for _ in range(_STEPS):
        is_wide = spread > _WIDE * usual
        if not is_wide.any():
            break
        tilt = np.where(is_wide, tilt * _LESS, tilt)
        spread = np.sqrt(n * moments(tilt)[1])
    for least in _LEAST_TILTS:
        more = np.maximum(tilt, least / spread)
        higher = n * (moments(more)[2] - moments(tilt)[2])
        wider = np.sqrt(n * moments(more)[1])
        is_same = (wider < _SAME * spread) & (higher < _HIGHER)
        tilt, spread = np.where(is_same, more, tilt), np.where(is_same, wider, spread)
    base = np.clip(spread, usual * _LEAST_SPREAD, usual)
    tilt = np.minimum(tilt, _MOST_BLUR / (smooth * base))
    spread = np.maximum(spread, base)
    if not (np.isfinite(tilt).all() and np.isfinite(base).all() and (base > 0).all()):
        raise UndecidedError("the values are too extreme for doubles. Take others.")
    needed = np.maximum(_PERIOD * spread, _LEAST_LEFT / tilt) / (_PERIOD * base)
    doublings = np.maximum(0, np.ceil(np.log2(needed))).astype(int)
    thetas = np.array([tilt + above / spread for above in _ABOVE])
    growths = np.array([n * (moments(theta)[2] - moments(tilt)[2]) for theta in thetas])

    def images(doublings: Doubles) -> Doubles:
        found: Doubles = growths - (thetas - tilt) * (_PERIOD * 2.0**doublings * base)
        return found

    for _ in range(_MORE_DOUBLINGS):
        doublings = doublings + (images(doublings).min(axis=0) > -_LEAST_RIGHT)
    doublings = np.minimum(doublings, most)
    theta = thetas[np.argmin(images(doublings), axis=0), np.arange(len(tilt))]
    columns = (tilt.tolist(), theta.tolist(), base.tolist(), doublings.tolist())
    return [_Plan(*plan) for plan in zip(*columns, strict=True)]


def _means(sums: Sequence[_Sum], n: int, points: int, turn: float) -> list[Enclosure]:
    """Return the means of sums, all at once; w·η is ``turn`` for all of them."""
    spend(len(sums) * (300 + points * (1 + len(sums[0].chances)) // 8))
    steps, tilts = np.array([(one.plan.step, one.plan.tilt) for one in sums]).T
    widths = [turn / one.step for one in sums]
    least, block = (-arb(_NATS) / n).exp(), _block(sums[0].plan.doublings, points)
    angles, chances = [one.angles() for one in sums], [one.chances for one in sums]
    found = places_above(angles, chances, least, points=points, block=block)
    phases = [
        one.step * (n * one.reference + w * w * one.plan.tilt)
        for one, w in zip(sums, widths, strict=True)
    ]
    rows, places = found.rows, found.places
    turned = Turns.of(phases, points, block).at(rows, places)
    product = Near(*power(found.lack, found.error, n)).times(Near(*turned))
    values, errors = 1 + product.lack, product.error * _SLACK
    last = int(places.max(initial=0))
    weights = _weights(turn, min(points, 1 << last.bit_length()))[places]
    tilt, omega = tilts[rows], steps[rows] * places
    square = tilt**2 + omega**2
    inverse = (tilt - 1j * omega) ** 2 / square**2
    ends = np.searchsorted(rows, np.arange(len(sums) + 1))
    parts = [slice(*pair) for pair in pairwise(ends.tolist())]
    # What the weights of all points, and of those from the last one on, add up to at most.
    small = _SMALL * 1.26 / turn
    tail = float(np.exp(-((turn * points) ** 2) / 2) / -np.expm1(-(turn**2) * points)) * 1.01
    answers = []
    for one, w, part in zip(sums, widths, parts, strict=True):
        given = values[part], errors[part], weights[part]
        first, second = _summed(*given, inverse[part], 1 / square[part])
        third, fourth = _summed(*given, np.ones(len(given[0])), 1.0)
        scale = (
            (n * one.log_moment + (w * one.plan.tilt) ** 2 / 2).exp() * one.step / (2 * arb.pi())
        )
        beyond = tail / (one.plan.tilt**2 + (one.plan.step * points) ** 2)
        whole = 1 / arb(one.plan.tilt) ** 2 + 2 * arb(first)
        blur = w**2 * (1 + 2 * arb(third) + 2 * arb(fourth + small) + 2 * arb(tail))
        lost = small / one.plan.tilt**2 * _SLACK
        rounding = 2 * arb(second * SAFE + lost) + 2 * arb(beyond) * _SLACK
        high = scale * (whole + rounding)
        low = scale * (whole - rounding - blur) - one.image(n, w)
        try:
            bounds = endpoints(low)[0], endpoints(high)[1]
        except BeyondRangeError:
            raise UndecidedError("the values are too extreme for doubles. Take others.") from None
        answers.append(Enclosure(max(Fraction(0), bounds[0]), max(Fraction(0), bounds[1])))
    return answers


def _block(doublings: int, points: int) -> int:
    """Return a number of places that are worked out or left out together, a power of 2."""
    return 1 << min(_BLOCK_BITS + doublings, points.bit_length() // 2 + 1)


@remembered(maxsize=32)
def _weights(turn: float, points: int) -> Doubles:
    """Return e^(−(w·η·m)²/2) for m below a number of points."""
    with precision(_BITS):
        return np.array([float((-((turn * arb(m)) ** 2) / 2).exp().mid()) for m in range(points)])


def _summed(
    values: Doubles, errors: Doubles, weights: Doubles, factors: Doubles, sizes: Doubles | float
) -> tuple[float, float]:
    """Return the real part of Σ values·weights·factors, and a bound of its error.

    A term is a few operations, each of which errs by at most 3u of the product of the moduli, and
    ``factors`` by 16u of ``sizes``; adding up m terms errs by at most m·u of the moduli.
    """
    value = float((weights * (values * factors).real).sum())
    moduli = (np.abs(values) + errors) * weights * sizes
    error = float((errors * weights * sizes).sum() + (len(values) + 64) * UNIT * moduli.sum())
    if not (np.isfinite(value) and np.isfinite(error)):
        raise UndecidedError("the values are too extreme for doubles. Take others.")
    return value, error * 1.01
