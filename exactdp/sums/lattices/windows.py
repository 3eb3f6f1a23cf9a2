r"""The law of a sum of copies on a window of a lattice, in doubles, with a bound of its errors.

Let X have masses at the indices i of a lattice of step h, S be the sum of n copies, M(λ) = E e^(λX)
and q_k = e^(λkh) Pr[S = kh]/M(λ)^n the tilted law of S. Modulo N places its transform is a power of
that of one copy (``products``); the way back (``fourier``, with ε) gives numbers on a window of N
places, each known to

    e = (Σ errors of the power + ε Σ moduli of it)/N,

beside what lies outside of the window, of which the tilted mass is at most

    o = Σ M(θ)^n/M(λ)^n e^((λ − θ)·end), for an end above with a θ > λ, for one below with a θ < λ.

Negative numbers become 0, which is no farther from the truth. With a = e^(−λh), and places k
counted from the first of the window, kh = c_0, for a threshold at place j

    E max(0, S − c_0 − jh) = M(λ)^n e^(−λc_0) h T_j,   T_j = Σ_(k > j) (k − j) q_k a^k,

and between two places that is linear. As Σ y a^y = a/(1 − a)² <= 1/(λh)² over y >= 1 and y a^y <=
1/(eλh), T_j is known to a^j (e/(λh)² + o/(eλh)). T is made by adding up twice, numbers that are not
negative; with u = 2^−53, a^k as a product of k doubles errs by less than 2(k + 1)u of itself, each
of both sums by Nu, and all by (4N + 16)u. Places where a^k is below e^−450 are left out, and
thresholds where it is below e^−300 refused: y a^y is at most 150 e^−150/(λh) there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, e, floor, isfinite, log

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, fmpq_of, precision
from exactdp.numbers.balls import double_above, endpoints
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.sums.doubles import BALL_BITS, SAFE, SMALLEST, UNIT, Doubles
from exactdp.sums.lattices.atoms import LatticeRow
from exactdp.sums.lattices.fourier import Fourier
from exactdp.sums.lattices.products import TINY, PowerRow, Product

__all__ = ["WindowedLaw", "WindowedSum"]

_MAX_POINTS = 1 << 21
"""Places of a window, at most: a second or two, and some hundred megabytes."""

_OUTSIDE = 38.0
"""Nats by which the mass outside of a window is below all: about what doubles err by."""

_LEFT_OUT, _FARTHEST = 450.0, 300.0
"""Nats of a^k of the header: e^−745 is the least double."""

_EXPONENTS = -200, 200
"""The ladder of tilts over 1/h, as exponents of 2, in both directions."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowedLaw:
    """Bounds on D(c) = E max(0, S − c) from one tilted law in its window.

    Attributes:
        first: The index of the first place.
        step: h.
        values: T_j, in doubles.
        powers: a^j, in doubles; 0 where a threshold is refused.
        relative: The bound of the error of T_j over itself.
        absolute: The bound of the rest of its error, over a^j.
        unit: M(λ)^n e^(−λc_0) h.
    """

    first: int
    step: Fraction
    values: Doubles
    powers: Doubles
    relative: float
    absolute: float
    unit: arb

    def at(self, c: Fraction) -> Enclosure | None:
        """Return an enclosure of D(c); None if c is not in the window."""
        place = c / self.step - self.first
        j = floor(place)
        if not (0 <= j < len(self.values) - 1 and self.powers[j] > 0):
            return None
        before, after = float(j + 1 - place), float(place - j)
        value = before * float(self.values[j]) + after * float(self.values[j + 1])
        error = value * (self.relative + 8 * UNIT) + float(self.powers[j]) * self.absolute
        with precision(BALL_BITS):
            found = endpoints(arb(value, error * SAFE) * self.unit)
        return Enclosure(max(found[0], Fraction(0)), found[1])


@dataclass(slots=True, eq=False)
class WindowedSum:
    """The sum of n copies of a variable on multiples of a step.

    Attributes:
        step: h, positive.
        masses: The mass of each index; they add up to 1.
        times: n, at least 1.

    Example:
        Two coins 0 or 1, above 1/2: (1/2)/2 + (3/2)/4.

        >>> coins = WindowedSum(Fraction(1), {0: Fraction(1, 2), 1: Fraction(1, 2)}, 2)
        >>> found = coins.mean_above(Fraction(1, 2), relative_width=Fraction(1, 10**9))
        >>> found.contains(Fraction(5, 8)), found.width < Fraction(1, 10**9)
        (True, True)
    """

    step: Fraction
    masses: Mapping[int, Fraction]
    times: int
    _losses: tuple[Doubles, Doubles] = field(init=False)
    _balls: dict[int, arb] = field(init=False)
    _windows: dict[int, WindowedLaw | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        with precision(BALL_BITS):
            self._balls = {i: arb(fmpq_of(m)) for i, m in self.masses.items() if m}
            logs = [float(m.log().mid()) for m in self._balls.values()]
        self._losses = np.array([float(i) for i in self._balls]), np.array(logs)

    def mean_above(self, c: Fraction, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of E max(0, S − c), of a relative width or as doubles have it.

        Raises:
            UndecidedError: If no window of sensible length has the threshold.
        """
        rung, found = self._rung(float(c / self.step)), Enclosure(Fraction(0), Fraction(10**99))
        # A smaller tilt has a shorter window, above all where one large value would weigh most.
        for tried in (rung - 2, rung - 1, rung):
            if tried not in self._windows:
                self._windows[tried] = self._window(tried)
            window = self._windows[tried]
            one = None if window is None else window.at(c)
            if one is not None:
                found = Enclosure(max(found.lower, one.lower), min(found.upper, one.upper))
                if found.lower > 0 and found.is_narrow(relative_width):
                    return found
        if found.lower <= 0:
            raise UndecidedError("the threshold is too far out. Ask at another epsilon.")
        return found

    def _rung(self, place: float) -> int:
        """Return the tilt of a ladder that is about the best for a threshold."""
        low, high = _EXPONENTS
        # Where c is stationary for λ: n·(ln M)'(λ) − 2/λ, which grows with λ.
        return bisect_left(range(low, high), place, key=self._center) + low

    def _center(self, rung: int) -> float:
        tilt = 2.0**rung
        return self.times * self._moment(tilt)[1] - 2 / tilt

    def _moment(self, tilt: float) -> tuple[float, float, float]:
        """Return about ln M(λ), its derivative and its second one, in steps; for plans."""
        places, logs = self._losses
        spend(20 + len(places) // 50)
        with np.errstate(under="ignore"):
            exponents = tilt * places + logs
            top = float(exponents.max())
            weights = np.exp(exponents - top)
            total = float(weights.sum())
            mean = float(weights @ places) / total
            square = float(weights @ (places - mean) ** 2) / total
        return top + log(total), mean, square

    def _ends(self, tilt: float) -> Iterator[tuple[int, float | None]]:
        """Yield the ends of a window, each with the θ of its bound: below, then above.

        An end at the least or the largest sum has none.
        """
        least, most = (self.times * int(x) for x in (self._losses[0].min(), self._losses[0].max()))
        start, _, square = self._moment(tilt)
        spread = 1 / max(self.times * square, 1e-12) ** 0.5
        for sign, last in ((-1, least), (1, most)):
            found: list[tuple[float, float]] = []
            for k in range(-8, 24):
                theta = tilt + sign * 1.3**k * spread
                more = self.times * (self._moment(theta)[0] - start) + _OUTSIDE
                found.append((more / (theta - tilt), theta))
            end, best = (max if sign < 0 else min)(found)
            is_all = end <= last if sign < 0 else end >= last
            place = floor(end) if sign < 0 else ceil(end)
            yield (last, None) if is_all else (place, best)

    def _window(self, rung: int) -> WindowedLaw | None:
        """Return the window of a tilt; None if it is too long, or doubles do not hold it."""
        tilt = 2.0**rung
        (low, under), (high, over) = self._ends(tilt)
        plan = Fourier.of_at_least(high - low + 1)
        if plan.points > _MAX_POINTS:
            return None
        with precision(BALL_BITS):
            step = arb(fmpq_of(self.step))
            rate = arb(tilt) / step
            tilted = self._tilted(rate, step)
            total = sum(tilted.values(), arb(0))
            row = PowerRow.of(tilted, total, 1, plan.points)
            outside = arb(_LEFT_OUT) * arb(_FARTHEST - _LEFT_OUT).exp()
            for end, theta in ((low, under), (high, over)):
                if theta is not None:
                    outside += self._beyond(end, tilt, theta, total, step)
            unit = total**self.times * (-rate * low * step).exp() * step
            ratio = float((-rate * step).exp().mid())
        product = Product.of_all([(row, self.times)], plan)
        size = plan.total(np.abs(product.values))
        error = (plan.total(product.error) + plan.error * size * SAFE) / plan.points * SAFE + TINY
        law = np.roll(np.maximum(plan.backward(product.values), 0) / plan.points, -low)
        count = min(plan.points, floor(_LEFT_OUT / tilt) + 2)
        powers = np.cumprod(np.concatenate([[1.0], np.full(count - 1, ratio)]))
        weights = law[:count] * powers
        weights[weights < SMALLEST] = 0
        tails = np.append(np.cumsum(weights[:0:-1])[::-1], 0.0)  # Σ over k > j
        values = np.cumsum(tails[::-1])[::-1]
        if not (isfinite(error) and isfinite(values[0])):
            return None
        powers[floor(_FARTHEST / tilt) + 1 :] = 0
        absolute = error / tilt**2 + double_above(outside) / (e * tilt)
        absolute += count**2 * 1e-140  # numbers that became 0, over a^j
        return WindowedLaw(
            low, self.step, values, powers, (4 * count + 16) * UNIT * SAFE, absolute * SAFE, unit
        )

    def _tilted(self, rate: arb, step: arb) -> dict[int, arb]:
        return LatticeRow(arb(0), self._balls, self.times).tilted(step, rate)

    def _beyond(self, end: int, tilt: float, theta: float, total: arb, step: arb) -> arb:
        """Return the bound of the tilted mass beyond an end."""
        other = sum(self._tilted(arb(theta) / step, step).values(), arb(0))
        found: arb = (other / total) ** self.times * ((arb(tilt) - arb(theta)) * end).exp()
        return found
