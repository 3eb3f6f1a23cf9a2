r"""Σ_s max(0, Σ_j c_j·G(s − j)) for the law G of a sum of Bernoulli variables, of any number.

Let c be at most 0 before some place and at least 0 from there on. Then so is c*G: one more
variable makes of c the numbers (1 − p)·c_s + p·c_(s−1), of such signs, the place the same or the
next. So the sum is F(t) = Σ_{s >= t} (c*G)(s) where t is the place; elsewhere it is F(t) and the
terms whose signs t gets wrong. With T(t) = Pr[S >= t], F(t) = Σ_j c_j·T(t − j).

Let M(s) = E e^(sS), λ > 0, φ(ω) = M(λ + iω)/M(λ), C(s) = Σ_j c_j e^(js). Since e^(λt)·T(t) adds
e^(−λu)·e^(λ(t + u))·G(t + u) over u >= 0, Poisson's formula gives, over ω = 2πm/L, m modulo L,

    Σ_k e^(λkL)·F(t + kL) = e^(−λt)·M(λ)·(1/L)·Σ_m φ(ω)·e^(−iωt)·C(s)/(1 − e^(−s)),  s = λ + iω,

and for c*G the same without 1 − e^(−s). The losses, over e^(−λt)·M(λ)·Σ_j |c_j| e^(λj), where S
is tilted by λ, of mean μ and variance V, and d is the largest |t − j − μ|:

* ``images`` (k != 0): for c*G at most Pr[|S − μ| >= L − d], as S is kL away from some t − j. For F
  at most Σ_k Pr[S >= t − j + kL] + Σ_k (e^(−λkL/2) + Pr[S <= t − j − kL/2]), k >= 1, where the
  terms below t are split at u = kL/2. Bernstein: Pr[|S − μ| >= x] <= 2e^(−B(x)), B(x) =
  x²/(2(V + x/3)); as B is convex and 0 at 0, B(x + y) >= B(x) + B(y): geometric sums.
* ``beyond``, the points left out: |(1 − p) + p·e^(iω)|² = 1 − 4p(1 − p)·sin²(ω/2), so |φ(ω)| is
  at most e^(−2V·sin²(ω/2)), which falls up to π; and 1/|1 − e^(−s)| <= 1/(1 − e^(−λ)).

λ is the zero of C, so that the place is near μ, but at least 4 over the standard deviation, as
e^(−λL/2) must be small. Then some 50 points do, whatever the number of variables.

References: as in ``contours``; S. Boucheron, G. Lugosi and P. Massart, Concentration
Inequalities, 2013, Corollary 2.11 (Bernstein).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import asin, ceil, exp, log, pi, sqrt
from typing import Any

from flint import acb, arb

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Enclosure, Number, precision, short
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import spend
from exactdp.numbers.limits import effort_of_today

__all__ = ["sum_of_positive_parts"]

_STEPS = 64
"""Steps from a guess to the place where the signs change; if it is not found, more bits are taken.

It is checked where the steps end: a wrong place is never taken for it."""

_LEAST_TILT = 4.0
"""λ is at least this over 1 + the standard deviation, so that e^(−λL/2) is small on short lines.

The losses are bounded at any λ > 0."""

_MOST_TILT = 800.0
"""The largest λ at which the zero of C is looked for: there e^−λ is 0 in doubles."""

_HALVINGS = 70
"""Halvings of the interval in which the zero of C is looked for, to the last bits of a double."""

_LEAST = arb(2) ** -(1 << 22)
"""An answer below 1e-1262611 is refused: its rational ends would be of millions of bits."""

_UNKNOWN = arb(0, arb("inf"))
"""The ball of all numbers: there is no bound."""

Kinds = Sequence[tuple[arb, int]]
"""Probabilities of 1, with the number of variables that have it."""


def sum_of_positive_parts(
    kinds: Sequence[tuple[Number, int]], c: Sequence[Number], *, relative_width: Fraction
) -> Enclosure:
    """Return an enclosure of Σ_s max(0, Σ_j c_j·G(s − j)).

    Args:
        kinds: The probabilities of 1 of the variables, each with their number.
        c: c_0, c_1, ..., not all 0, of one change of sign. The width is reached best if their
            sum is at most 0.
        relative_width: (upper − lower) <= relative_width·lower.

    Raises:
        DomainError: If the signs change more than once.
        UndecidedError: If the width is not reached, or the sum is below 2^(−2^22).

    Example:
        One fair coin, c = (−1/2, 1/4): of −1/4, −1/8, 1/8 the last alone is positive.

        >>> from exactdp.numbers import Exact
        >>> kinds, c = [(Exact("1/2"), 1)], [Exact("-1/2"), Exact("1/4")]
        >>> found = sum_of_positive_parts(kinds, c, relative_width=Fraction(1, 10**6))
        >>> found.contains(Fraction(1, 8)), found.width < Fraction(1, 10**6)
        (True, True)
    """
    # Certain variables shift the sum, and the zeros at the ends of c too: its terms are the same.
    kinds = [(p, times) for p, times in kinds if p not in (0, 1)]
    present = [j for j, x in enumerate(c) if x != 0]
    c = c[present[0] : present[-1] + 1]
    size = 2 * sum(times for _, times in kinds).bit_length() + 32
    bits = size + relative_width.denominator.bit_length()
    for _ in range(effort_of_today().tries):
        with precision(bits + size):
            balls = [(p.ball(bits + size), times) for p, times in kinds]
            numbers = [x.ball(bits + size) for x in c]
            if numbers[0] > 0:  # then zeros are counted instead of ones
                balls = [(1 - p, times) for p, times in balls]
                numbers.reverse()
            if any(x > 0 and y < 0 for x, y in combinations(numbers, 2)):
                raise DomainError(
                    "the signs of c change more than once. Pass coefficients that change sign once."
                )
            found = _Line.of(balls, numbers, bits * log(2)).total() if numbers[-1] > 0 else _UNKNOWN
            if found < _LEAST:
                raise UndecidedError(
                    "the answer is below 1e-1200000. Ask at a smaller epsilon, or for a delta."
                )
            if found.is_finite():
                lower, upper = endpoints(found)
                if lower > 0 and upper - lower <= relative_width * lower:
                    return Enclosure(lower, upper)
        bits *= 2
    raise UndecidedError(
        f"relative_width={short(relative_width)} is not reached with {bits // 2} bits. Ask "
        "for a wider enclosure."
    )


class _Line:
    """Points of the line through λ, at the working precision: however chosen, all losses count.

    Args:
        kinds: The variables.
        c: The c_j of the header.
        tilt: λ > 0, exactly.
        period: L, odd: no point is at π.
        last: The last point, at most L/2.
        start: A t near the place where the signs change.
    """

    def __init__(
        self, kinds: Kinds, c: Sequence[arb], *, tilt: float, period: int, last: int, start: int
    ) -> None:
        self.tilt, self.period, self.start = arb(tilt), period, start
        self.degree, self.top = len(c) - 1, sum(times for _, times in kinds) + len(c) - 1
        self.mean, self.variance = _moments(kinds, self.tilt)
        self.step = 2 * arb.pi() / period
        self.size = _polynomial([abs(x) for x in c], acb(self.tilt).exp()).real
        self.log_moment = _log_moment(kinds, acb(self.tilt).exp()).real
        self.terms: list[acb] = []
        self.sums: list[acb] = []
        for m in range(last + 1):
            z = acb(self.tilt, m * self.step).exp()
            term = (_log_moment(kinds, z) - self.log_moment).exp() * _polynomial(c, z)
            self.terms.append(term)
            self.sums.append(term / (1 - 1 / z))
        self.beyond = arb(0)
        if last < period // 2:
            sine = ((last + 1) * self.step / 2).sin()
            self.beyond = (-2 * self.variance * sine**2).exp()
        self.beyond_sums = self.beyond / (1 - (-self.tilt).exp())

    @classmethod
    def of(cls, kinds: Kinds, c: Sequence[arb], nats: float) -> _Line:
        """Return a line whose losses are about e^(−nats).

        Raises:
            UndecidedError: If doubles do not hold what it is planned from.
        """
        try:
            return cls._planned(kinds, c, nats)
        except (ValueError, OverflowError):
            raise UndecidedError(
                "the masses are too extreme for doubles. Take less extreme numbers."
            ) from None

    @classmethod
    def _planned(cls, kinds: Kinds, c: Sequence[arb], nats: float) -> _Line:
        zero = _zero([float(x / c[-1]) for x in c])
        place, variance = (float(x) for x in _moments(kinds, arb(zero)))
        tilt = max(zero, _LEAST_TILT / (sqrt(variance) + 1))
        mean, variance = (float(x) for x in _moments(kinds, arb(tilt)))
        far = abs(place - mean) + len(c) + nats / 3 + sqrt(nats**2 / 9 + 2 * variance * nats)
        half = ceil(max(nats / tilt, far))
        end = asin(sqrt(nats / (2 * variance))) / pi if 2 * variance > nats else 1.0
        last = min(half, ceil(end * (2 * half + 1)))
        return cls(kinds, c, tilt=tilt, period=2 * half + 1, last=last, start=int(place) + 1)

    def total(self) -> arb:
        """Return F(t) and the terms whose signs t may get wrong; not finite if those are many."""
        t = self.start
        for _ in range(_STEPS):
            if self._term(t) < 0:
                t += 1
            elif self._term(t - 1) > 0:
                t -= 1
            else:
                break
        if not ((self._term(t - 2) < 0 or t < 2) and (self._term(t + 1) > 0 or t >= self.top)):
            return _UNKNOWN
        wrong = (-self._term(t)).nonnegative_part() + self._term(t - 1).nonnegative_part()
        scale = (self.log_moment - self.tilt * self.start).exp()
        return (self._sum(t) + wrong) * scale

    def _term(self, t: int) -> arb:
        """Return (c*G)(t), over e^(−λ·start)·M(λ)."""
        if not 0 <= t <= self.top:
            return arb(0)
        images = self._chance(self.period - self._farthest(t))
        return self._total(self.terms, t, images + self.beyond)

    def _sum(self, t: int) -> arb:
        """Return F(t), over the same."""
        half = arb(self.period) / 2
        fall, decay = self._chance(half) / 2, (-self.tilt * half).exp()
        images = 2 * self._chance(half - self._farthest(t)) / (1 - fall) + decay / (1 - decay)
        return self._total(self.sums, t, images + self.beyond_sums)

    def _farthest(self, t: int) -> arb:
        return abs(t - self.mean).max(abs(t - self.degree - self.mean))

    def _chance(self, x: arb) -> arb:
        """Return Bernstein's bound of Pr[|S − μ| >= x], tilted."""
        return 2 * (-(x**2) / (2 * (self.variance + x / 3))).exp() if x > 0 else _UNKNOWN

    def _total(self, values: Sequence[acb], t: int, loss: arb) -> arb:
        turn = acb(0, -t * self.step).exp()
        rest = _polynomial(values[1:], turn) * turn
        total = (values[0].real + 2 * rest.real) / self.period
        return (total + arb(0, (loss * self.size).upper())) * (self.tilt * (self.start - t)).exp()


def _zero(c: Sequence[float]) -> float:
    """Return about the largest zero of Σ_j c_j e^(js), at least 0: where ``tilt`` is best."""
    low, high = 0.0, _MOST_TILT
    for _ in range(_HALVINGS):
        middle, value = (low + high) / 2, 0.0
        small = exp(-middle)
        for x in c:
            value = value * small + x  # Σ_j c_j e^(js), over its largest power
        low, high = (low, middle) if value > 0 else (middle, high)
    return low


def _polynomial(numbers: Sequence[Any], z: acb) -> acb:
    total = acb(0)
    spend(2 + 6 * len(numbers))
    for x in reversed(numbers):
        total = total * z + x
    return total


def _log_moment(kinds: Kinds, z: acb) -> acb:
    """Return ln M(s) for z = e^s, up to a multiple of 2πi."""
    return sum((times * (1 + p * (z - 1)).log() for p, times in kinds), acb(0))


def _moments(kinds: Kinds, tilt: arb) -> tuple[arb, arb]:
    """Return the mean and the variance of the tilted sum."""
    mean, variance = arb(0), arb(0)
    for p, times in kinds:
        up = p * tilt.exp() / (1 + p * tilt.expm1())
        mean += times * up
        variance += times * up * (1 - up)
    return mean, variance
