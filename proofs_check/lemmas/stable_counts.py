"""δ of a pair of counts in doubles that carry a bound on their error: nothing large cancels.

Beside the victim, who sends letter 1 or 2 with masses a and b (exchanged under Q) or a leftover,
each of n − 1 others sends either letter with mass r. With m the letters 1 and 2 that all send, and
x ~ Bin(m, 1/2) the letters 1 among them,

    δ(ε) = 1/(r n) · Σ_m P(Bin(n, 2r) = m) · E ((A + B)(x − m) + v_m)+,
    A = a − e^ε b,   B = e^ε a − b,   v_m = A m − L (n − m),
    L = (e^ε − 1) (1 − a − b) r/(1 − 2r):

all terms are positive. The masses of Bin(n, 2r) are taken relative to one of them, and divided by
their sum; so are those of Bin(m, 1/2), once. From m to m ± 1, and from s = m − j to s ± 1, with
j = ⌊v/(A + B)⌋,

    β = P(x = s),  T = P(x >= s),  U = E (x − s)+,
    E ((A + B)(x − m) + v)+ = (A + B) U + (v − (A + B) j) T

go on by the recurrences of the coin, T_{m+1}(s) = T_m(s) + β_m(s − 1)/2 and U_{m+1}(s) = U_m(s) +
T_m(s)/2: what they lose is an ulp of the largest of them a step. What is left out on both sides is
below a geometric series.

Source: as in counted.py; the form is ours.

Definitions: :func:`delta_of`, :func:`delta_beside`, :data:`LEFT_OUT`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers.later import np
from exactdp.numbers.tracked import Tracked
from proofs_check.lemmas.float_counts import convolved

__all__ = ["LEFT_OUT", "delta_beside", "delta_of"]

_MOST_TOTALS = 3_000
"""The totals m that are summed, within about 0.1 s: those of 60,000 users, or of more who seldom
send letter 1 or 2. Beyond, a safe double by balls is as quick."""

_SPREAD = 24
"""The standard deviations of m that are summed, both sides together."""

LEFT_OUT = 2.0**-62
"""What may be left out, relative to the sum."""

_count = Tracked.of_count

_NEAR = 1e-6
"""The relative error up to which a sum over a window of a law says something."""


def delta_of(n: int, *, over: Any, under: Any, other: Any, alone: Any, rest: Any) -> Any:
    """Return δ of n users, tracked.

    Args:
        n: The number of users, the victim among them.
        over: A = a − e^ε b.
        under: B = e^ε a − b, at least A.
        other: r.
        alone: 1 − 2r.
        rest: (e^ε − 1) (1 − a − b).

    Raises:
        DomainError: If a bound on an error is as large as its double, or a double leaves the range.
        TooLargeError: If more totals have to be summed than there is time for.
    """
    if over.value <= 0:  # δ is at most A, and at least 0
        return Tracked(0.0, max(0.0, over.value + over.error))
    if n == 1 or (other.value == 0 and other.error == 0):  # the victim's letter is all there is
        return over
    both, scale = over + under, other * _count(n)
    if alone.value == 0 and alone.error == 0:  # all send letter 1 or 2
        return _at_most(over, _Coins(both).mean(n, over * _count(n)) / scale)
    left, odds = rest * other / alone, 2 * other / alone

    def gain(m: int) -> Any:
        return over * _count(m) - left * _count(n - m)

    total, weights = _sums(n, odds, gain, both, over)
    return _at_most(over, total / (weights * scale))  # the others only hide the victim's letter


def delta_beside(groups: Sequence[tuple[Any, int]], *, over: Any, under: Any) -> Any:
    """Return δ of a victim beside groups of others, tracked; none has a leftover of the victim's.

    Σ_m w_{m−1} (2/m) E ((A + B)(x − m) + A m)+, w the law of the others' letters 1 and 2.

    Args:
        groups: The r of each group, with its users.
        over: A.
        under: B, at least A.

    Raises:
        DomainError: As :func:`delta_of`; or if δ is beside what a window of the law leaves out.
        TooLargeError: If more totals have to be summed than there is time for.
    """
    groups = [(r, users) for r, users in groups if users and not (r.value == 0 and r.error == 0)]
    if len(groups) < 2:
        r, users = groups[0] if groups else (_count(0), 0)
        alone = 1 - 2 * r
        return delta_of(
            users + 1, over=over, under=under, other=r, alone=alone, rest=Tracked(0.0, 0.0)
        )
    if over.value <= 0:
        return Tracked(0.0, max(0.0, over.value + over.error))
    least, law, rest = 1, np.array([1.0]), 0.0
    doubt = 1.0  # how much larger or smaller a mass may be, as a factor
    for r, users in groups:
        low, masses, out = _window(users, r)
        values = np.array([x.value for x in masses])
        # A sum of positive products is as near as its length and they are.
        doubt *= 1 + max(x.error / x.value for x in masses) + (len(values) + 4) * 2.0**-52
        least, law, rest = least + low, convolved(law, values), rest + out
    coins, total = _Coins(over + under), Tracked(0.0, rest * _above(2 * over))
    for m, mass in enumerate(law.tolist(), least):
        weight = Tracked(2 * mass, 2.001 * mass * (doubt - 1) + math.ulp(mass))
        total = total + weight / _count(m) * coins.mean(m, over * _count(m))
    if total.error > _NEAR * total.value:
        raise DomainError("what is left out is not small beside the sum")
    return total


def _window(n: int, r: Tracked) -> tuple[int, list[Any], float]:
    """Return the first likely count of Bin(n, 2r), the masses from it, and the mass left out."""
    alone = 1 - 2 * r
    if alone.value == 0 and alone.error == 0:
        return n, [_count(1)], 0.0
    odds, start = 2 * r / alone, math.floor((n + 1) * 2 * r.value)
    _refuse_wide(n, odds)
    start, rest = min(n, start), 0.0
    sides: dict[int, list[Any]] = {}
    for step in (1, -1):
        m, weight, sides[step] = start, _count(1), []
        while 0 <= m <= n and not (weight.value < LEFT_OUT and m != start):
            sides[step].append(weight)
            weight = weight * _ratio(n, m, step, odds)
            m += step
        if 0 <= m <= n:
            fall = _above(_ratio(n, m, step, odds))
            if fall >= 1:
                raise DomainError("masses do not fall")
            rest += _above(weight) / (1 - fall) * 1.001
    masses = [*reversed(sides[-1][1:]), *sides[1]]
    every = _count(0)
    for one in masses:
        every = every + one
    every = Tracked(every.value, every.error + rest)
    return start - len(sides[-1]) + 1, [one / every for one in masses], rest


def _ratio(n: int, m: int, step: int, odds: Tracked) -> Any:
    """Return P(Bin = m + step)/P(Bin = m)."""
    if step == 1:
        return _count(n - m) / _count(m + 1) * odds
    return _count(m) / (_count(n - m + 1) * odds)


def _sums(
    n: int, odds: Tracked, gain: Callable[[int], Any], both: Tracked, over: Tracked
) -> tuple[Any, Any]:
    """Return Σ_m w_m E ((A + B)(x − m) + v_m)+ and Σ_m w_m, w as the masses of Bin(n, 2r)."""
    _refuse_wide(n, odds)
    start, most = _first(n, odds, gain), _above(over)
    total, weights, steps = _count(0), _count(0), 0
    for step in (1, -1):
        coins, m, weight = _Coins(both), start, _count(1)
        while 0 <= m <= n:
            v, is_new = gain(m), step == 1 or m < start
            here = coins.mean(m, v) if m > 0 and v.value + v.error >= 0 else _count(0)
            if is_new:
                weights, total = weights + weight, total + weight * here
            weight, m, steps = weight * _ratio(n, m, step, odds), m + step, steps + 1
            if steps > _MOST_TOTALS:
                raise TooLargeError(f"n={n}: more than {_MOST_TOTALS} totals. Take fewer users.")
            # From here on the masses, and m times them, fall at least so fast; a mean is <= A m.
            odd = _count(n - m) / _count(max(1, m)) * odds if step == 1 else _ratio(n, m, -1, odds)
            if 0 <= m <= n and (fall := _above(odd)) < 1:
                rest = _above(weight) / (1 - fall) * 1.001
                lost = rest * m * most
                if rest <= LEFT_OUT * weights.value and lost <= LEFT_OUT * total.value:
                    weights = Tracked(weights.value, weights.error + rest)
                    total = Tracked(total.value, total.error + lost)
                    break
    return total, weights


def _refuse_wide(n: int, odds: Tracked) -> None:
    if _SPREAD * math.sqrt(n * odds.value) / (1 + odds.value) > _MOST_TOTALS:
        raise TooLargeError(f"n={n}: more than {_MOST_TOTALS} totals. Take fewer users.")


def _at_most(over: Tracked, found: Tracked) -> Tracked:
    """Return δ that is known to be at most A, and at least 0."""
    top = over.value + over.error
    if found.value + found.error <= top:
        return found
    low = max(0.0, found.value - found.error)
    return Tracked((low + top) / 2, (top - low) * 0.501 + math.ulp(top))


def _above(x: Tracked) -> float:
    """Return a double above a tracked one."""
    return math.nextafter(x.value + x.error, math.inf)


def _first(n: int, odds: Tracked, gain: Callable[[int], Any]) -> int:
    """Return the likeliest m, or the least one that gains, if that is larger."""
    likeliest = math.floor((n + 1) * odds.value / (1 + odds.value))
    low, high = max(1, min(n, likeliest)), n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if gain(middle).value >= 0 else (middle + 1, high)
    return low


class _Coins:
    """β, T and U of x ~ Bin(m, 1/2) at an s from m/2 to m, carried from one m and s to the next.

    Args:
        both: A + B.
    """

    def __init__(self, both: Tracked) -> None:
        self.both, self.m, self.s = both, 0, 0
        self.mass = self.tail = self.excess = _count(0)

    def mean(self, m: int, v: Tracked) -> Any:
        """Return E ((A + B)(x − m) + v)+, for an m that is at most 1 from the last one.

        Raises:
            DomainError: If the least x that gains may be one of three.
        """
        tails = v / self.both
        s = max(m - math.floor(_above(tails)), (m + 1) // 2)  # as A <= B
        self._move(m, s)
        here = self.both * self.excess + (v - self.both * _count(m - s)) * self.tail
        least = math.floor(-_above(-tails))
        if m == s:
            return Tracked(max(0.0, here.value), here.error)
        if least >= m - s:
            return here
        if least < m - s - 1:
            raise DomainError("the least count that gains is not known to one integer")
        # The mean over x >= s is largest at s = m − ⌊v/(A + B)⌋.
        tail = self.tail - self.mass
        there = self.both * (self.excess - tail) + (v - self.both * _count(m - s - 1)) * tail
        return Tracked(max(here.value, there.value), max(here.error, there.error))

    def _move(self, m: int, s: int) -> None:
        if self.m == 0:
            self._begin(m, s)
        elif m > self.m:
            self._toss()
        elif m < self.m:
            if self.s == self.m:
                self._down()
            self._untoss()
        while self.s < s:
            self._up()
        while self.s > s:
            self._down()
        if s == m:
            self.tail, self.excess = self.mass, _count(0)

    def _begin(self, m: int, s: int) -> None:
        """Sum all masses, relative to that at s."""
        one, middle = _count(1), (m + 1) // 2
        tail, excess, mass = one, _count(0), one
        for i in range(s, m):
            mass = mass * _count(m - i) / _count(i + 1)
            fall, far = (m - i - 1) / (i + 2) * 1.001, i + 1 - s
            if fall < 1 and mass.value * far <= LEFT_OUT * (1 - fall) ** 2:
                rest = _above(mass) * 1.001
                tail = Tracked(tail.value, tail.error + rest / (1 - fall))
                more = rest * (far / (1 - fall) + 1 / (1 - fall) ** 2)
                excess = Tracked(excess.value, excess.error + more)
                break
            tail, excess = tail + mass, excess + mass * _count(far)
        half, mass = tail, one
        for i in range(s, middle, -1):
            mass = mass * _count(i) / _count(m - i + 1)
            half = half + mass
        every = 2 * half if m % 2 else 2 * half - mass
        self.m, self.s = m, s
        self.mass, self.tail, self.excess = one / every, tail / every, excess / every

    def _toss(self) -> None:
        """Go on to m + 1."""
        m, s = self.m, self.s
        below = self.mass * _count(s) / _count(m - s + 1)
        self.excess = self.excess + self.tail / 2
        self.tail = self.tail + below / 2
        self.mass = self.mass * _count(m + 1) / _count(2 * (m + 1 - s))
        self.m = m + 1

    def _untoss(self) -> None:
        """Go back to m − 1."""
        m, s = self.m, self.s
        self.tail = self.tail - self.mass * _count(s) / _count(m)
        self.excess = self.excess - self.tail / 2
        self.mass = self.mass * _count(2 * (m - s)) / _count(m)
        self.m = m - 1

    def _up(self) -> None:
        """Go on to s + 1."""
        m, s = self.m, self.s
        self.tail = self.tail - self.mass
        self.excess = self.excess - self.tail
        self.mass = self.mass * _count(m - s) / _count(s + 1)
        self.s = s + 1

    def _down(self) -> None:
        """Go back to s − 1."""
        m, s = self.m, self.s
        self.excess = self.excess + self.tail
        self.mass = self.mass * _count(s) / _count(m - s + 1)
        self.tail = self.tail + self.mass
        self.s = s - 1
