"""The largest delta of mechanisms of bounded range, each chosen by earlier outputs.

The losses of a mechanism of range r lie between some t − r and t. Of all laws there, with
E e^−L = 1 under P, that on the two ends has the largest mean of a convex function of e^−L. So, with
R = e^r, u = e^t and x = e^ε, the largest H_x(P ‖ Q) of s such mechanisms is

    h_0(x) = max(0, 1 − x),
    h_s(x) = sup over 1 <= u <= R of [(R − u)·h_{s−1}(x/u) + (u − 1)·h_{s−1}(xR/u)]/(R − 1).

It is enclosed on a lattice x·B^i with B^m = R, by recursion on two arrays:

below: u of the lattice alone, which some analyst may choose;
above: h is convex in x, so for u from B^j to B^(j+1) at most its chords between the lattice. What
    is to be maximized is then K + βu − κ/u, where κ·(B^−j − B^−(j+1))·(R − 1) = R·D − E, D and E
    the changes of h_{s−1}(x/u) and of h_{s−1}(xR/u) over that piece. If κ >= 0 it is concave, and
    above its own chord by at most κ(B^(−j/2) − B^(−(j+1)/2))² = tanh(ln(B)/4)·(R·D − E)/(R − 1);
    if κ < 0 its maximum is at an end.

Twice as fine a lattice brings both four times as near. Error, u the unit roundoff of doubles:
weights and constants come from balls, to 2u; sums of positive products then err by at most 8u of
themselves a stage, and 16u are taken. R·D − E cancels: it is taken 16u·(R + 1)·h larger, h the
largest of its four values. Where doubles underflow, less than 2^−1060 is lost a stage.

Reference: J. Dong, D. Durfee and R. Rogers, Optimal Differential Privacy Composition for
Exponential Mechanisms, ICML 2020 (pairs of two losses; adaptive choices gain).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb

from exactdp.numbers import Enclosure, Number, fmpq_of, precision
from exactdp.numbers.balls import double_above, endpoints
from exactdp.numbers.later import np
from exactdp.sums.doubles import BALL_BITS, UNIT, Doubles

__all__ = ["AdaptiveLattice"]

_STAGE = 16 * Fraction(UNIT)
"""What a stage is taken to err by, of itself."""

_LOST = Fraction(1, 2**1060)
"""What a stage is taken to lose beside that, where doubles underflow."""

Ends = tuple[Doubles, Doubles]
"""Doubles below and above values of h, before what stages err by."""


@dataclass(frozen=True, slots=True)
class AdaptiveLattice:
    """Adaptive choices of mechanisms of one range, their losses on a lattice.

    Attributes:
        step: ln B, above 0, in nats.
        parts: m, so that the range is r = m·ln B.
        times: The number of mechanisms, at least 1.
    """

    step: Number
    parts: int
    times: int

    def delta(self, epsilon: Number) -> Enclosure:
        """Return an enclosure of h(e^ε), ε in nats.

        Example:
            One mechanism of range 1, at ε = 0: (1 − e^(−1/2))²/(1 − e^−1) = 0.244918663...

            >>> from exactdp.numbers import Exact
            >>> found = AdaptiveLattice(Exact("1/64"), 64, 1).delta(Exact(0))
            >>> found.contains(Fraction(244918663, 10**9)), found.width < Fraction(1, 10**4)
            (True, True)
        """
        reach = self.times * self.parts
        low, high = self._after(self._none(epsilon, reach), whole=False)
        return self._enclosed(float(low[0]), float(high[0]))

    def curve(self) -> list[Enclosure]:
        """Return enclosures of h(B^i), i from −m·times to m·times.

        Example:
            At i = 0 as above; without noise left at both ends.

            >>> from exactdp.numbers import Exact
            >>> found = AdaptiveLattice(Exact("1/64"), 64, 1).curve()
            >>> len(found), found[64].contains(Fraction(244918663, 10**9)), found[128].upper == 0
            (129, True, True)
        """
        reach = (self.times + 1) * self.parts
        ends = self._after(self._none(None, reach), whole=True)
        low, high = (end[self.parts : len(end) - self.parts].tolist() for end in ends)
        found = [self._enclosed(a, b) for a, b in zip(low, high, strict=True)]
        return [*found[:-1], Enclosure(Fraction(0), Fraction(0))]  # beyond all losses

    def crossing(self, goal: Enclosure) -> Enclosure:
        """Return an enclosure of the smallest ε >= 0, in nats, with h(e^ε) at most a target.

        h is convex in e^ε: between points of the lattice it is at most their chord, and at least
        the lines through those on either side.

        Args:
            goal: Around the target, above 0.

        Example:
            >>> from exactdp.numbers import Exact
            >>> at = Fraction(244918663, 10**9)
            >>> AdaptiveLattice(Exact("1/64"), 64, 1).crossing(Enclosure(at, at)).lower < 1e-3
            True
        """
        values, middle = self.curve(), self.parts * self.times
        if values[middle].upper <= goal.lower:
            return Enclosure(Fraction(0), Fraction(0))
        # The last value is 0.
        j = next(i for i in range(middle, len(values)) if values[i].upper <= goal.lower)
        i = next((i for i in range(j - 1, middle, -1) if values[i].lower > goal.upper), middle)
        with precision(BALL_BITS):
            step, up, down = (
                self.step.ball(BALL_BITS),
                *(arb(fmpq_of(x)) for x in (goal.upper, goal.lower)),
            )

            def line(a: int, from_a: Fraction, b: int, from_b: Fraction, level: arb) -> arb:
                """Return the ε at which the line through two points has a height."""
                heights = [arb(fmpq_of(x)) for x in (from_a, from_b)]
                places = [((k - middle) * step).exp() for k in (a, b)]
                share = (heights[0] - level) / (heights[0] - heights[1])
                return (places[0] + share * (places[1] - places[0])).log()

            high = line(j - 1, values[j - 1].upper, j, values[j].upper, down)
            lows = [(i - middle) * step]
            if values[i].lower > goal.upper:
                lows.append(line(i - 1, values[i - 1].upper, i, values[i].lower, up))
                if i + 2 < len(values) and values[i + 1].lower > values[i + 2].upper:
                    lows.append(line(i + 1, values[i + 1].lower, i + 2, values[i + 2].upper, up))
            lower = max(max(endpoints(x)[0] for x in lows if x.is_finite()), Fraction(0))
            return Enclosure(lower, endpoints(high)[1])

    def _none(self, epsilon: Number | None, reach: int) -> Ends:
        """Return h_0 at e^ε·B^i, i from −reach to reach; at B^i if there is no ε."""
        low, high = np.zeros(2 * reach + 1), np.zeros(2 * reach + 1)
        with precision(BALL_BITS):
            start = arb(0) if epsilon is None else epsilon.ball(BALL_BITS)
            step = self.step.ball(BALL_BITS)
            for i in range(-reach, reach + 1):
                value = -(start + i * step).expm1()
                high[i + reach] = max(0, double_above(value))
                if high[i + reach] == 0:
                    break  # from here on it is 0
                low[i + reach] = max(0, -double_above(-value))
        return low, high

    def _after(self, ends: Ends, *, whole: bool) -> Ends:
        """Return h after all stages: on the whole lattice, or at its middle alone.

        Beyond the largest loss h is that of no stage at all.
        """
        m = self.parts
        first, second, slack, large = self._weights()
        low, high = ends

        def choices(h: Doubles) -> Iterator[tuple[Doubles, Doubles, Doubles]]:
            """Yield h(x/u), h(xR/u) and their mean for u of the lattice, ascending."""
            size = len(h) - 2 * m
            for j in range(m + 1):
                near, far = h[m - j : m - j + size], h[2 * m - j : 2 * m - j + size]
                yield near, far, first[j] * near + second[j] * far

        for _ in range(self.times):
            new_low = np.zeros(len(low) - 2 * m)
            new_high = np.zeros_like(new_low)
            for _, _, mean in choices(low):
                np.maximum(new_low, mean, out=new_low)
            for (a, b, one), (c, d, other) in pairwise(choices(high)):
                gap = np.maximum(large * (c - a) - (d - b), 0) + 16 * UNIT * (large + 1) * c
                np.maximum(new_high, np.maximum(one, other) + slack * gap, out=new_high)
            if whole:
                low[m:-m], high[m:-m] = new_low, new_high
            else:
                low, high = new_low, new_high
        return low, high

    def _weights(self) -> tuple[Doubles, Doubles, float, float]:
        """Return (R − B^j)/(R − 1), (B^j − 1)/(R − 1), tanh(ln(B)/4)/(R − 1) and R, to 2u."""
        m = self.parts
        with precision(BALL_BITS):
            step = self.step.ball(BALL_BITS)
            range_less_one = (m * step).expm1()
            second = [(j * step).expm1() / range_less_one for j in range(m + 1)]
            first = [
                (j * step).exp() * ((m - j) * step).expm1() / range_less_one for j in range(m + 1)
            ]
            slack, large = (step / 4).tanh() / range_less_one, (m * step).exp()
            near, far = (np.array([float(x) for x in one]) for one in (first, second))
            return near, far, float(slack), float(large)

    def _enclosed(self, low: float, high: float) -> Enclosure:
        error, lost = _STAGE * (self.times + 1), _LOST * self.times
        lower = Fraction(low) * (1 - error) - lost
        upper = Fraction(high) * (1 + error) + lost
        return Enclosure(max(Fraction(0), lower), min(Fraction(1), upper))
