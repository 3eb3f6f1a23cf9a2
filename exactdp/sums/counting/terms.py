"""The terms of E max(0, S) for sums of letters: closed forms, windows, and tails outside.

S adds n copies of a variable with the values u > v and w, of masses p, q and 1 − s, s = p + q.
Let C copies be letters, u or v, and X of them u; π = p/s. Then S = (u − v)·(X − m_C) with

    m_c = μ·c + ν·(n − c),   μ = −v/(u − v),   ν = −w/(u − v),

C ~ Bin(n, s) and X ~ Bin(C, π). So E max(0, S) = (u − v)·Σ_c b_c·E_c, b_c = Pr[C = c], with de
Moivre's identity for t = ⌈m_c⌉:

    E_c = E[(X − m_c)^+ | C = c] = (1 − π)·t·β_c(t) − (m_c − π·c)·T(c, t),

β_c(t) = C(c, t)·π^t·(1 − π)^(c − t), T(c, t) = Pr[Bin(c, π) >= t]. Where m_c >= π·c both sides of
the difference are positive; it cancels by about the square of the z-score of m_c.

For γ = e^ε >= 1, a pair of counts is such a sum: of the victim's letter, a or b under P, and the
other letter, r of every other user, δ = E max(0, S)/n for u = (a − γb)/r, v = (b − γa)/r and
w = (1 − γ)(1 − a − b)/(1 − 2r) (``exactdp.shuffle.at_scale.hiding`` has the proof).

What a window of c leaves out is bounded by Chernoff's argument for E itself. For every θ > 0,
x^+ <= e^(θx)/(e·θ), so with the moments of one copy, worth 1 − μ, −μ and −ν,

    M = p·e^(θ(1 − μ)) + q·e^(−θμ) + (1 − s)·e^(−θν),   s' = 1 − (1 − s)·e^(−θν)/M,

    Σ_{c outside} b_c·E_c <= M^n / (e·θ) · Pr[Bin(n, s') outside],

and Pr[Bin(n, s') >= k] <= exp(−n·KL(k/n ‖ s')) beyond the mean, likewise below. At the θ that
minimizes the first factor, the window is centered at n·s', where the terms are, however
small the mean is; any θ gives a valid bound.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from exactdp.numbers import Exact, Number, precision
from exactdp.numbers.balls import ceiling_of, floor_of
from exactdp.numbers.effort import spend

__all__ = ["CountTerms", "Letters", "Window", "accurate_ball"]

_SEARCH_STEPS = 60
"""Doublings and halvings until θ is between one number and twice that."""

_HALVINGS = 30
"""Halvings of the interval around θ: any θ is valid, a good one keeps windows short."""

_MOST_EXTRA = 1 << 14
"""The bits beyond those wanted at which a difference that cancels is given up as it is."""


@dataclass(frozen=True, slots=True)
class Letters:
    """Independent copies of a variable of two values, the letters, or of a third.

    Attributes:
        n: The number of copies.
        up: u, a positive value.
        down: v, a value of at most 0.
        rest: w, the third value, at most 0.
        up_mass: p, the probability of u, positive.
        down_mass: q, the probability of v, positive; p + q is at most 1.
    """

    n: int
    up: Number
    down: Number
    rest: Number
    up_mass: Exact
    down_mass: Exact


def accurate_ball(value: Number, *, bits: int) -> arb:
    """Return a ball of ``bits`` accurate bits; a wider one for a number not separable from 0."""
    extra = 16
    while True:
        found = value.ball(bits + extra)
        if found.rel_accuracy_bits() >= bits or extra > _MOST_EXTRA:
            return found
        extra *= 2


@dataclass(frozen=True, slots=True)
class Window:
    """The totals c from ``first`` to ``last``, and a bound on the terms outside.

    Attributes:
        log_tail: A ball whose upper end bounds log Σ b_c·E_c over the other c; None if
            there is nothing outside.
    """

    first: int
    last: int
    log_tail: arb | None

    @property
    def steps(self) -> int:
        """The number of totals in the window."""
        return self.last - self.first + 1


class CountTerms:
    """The constants of a mean as balls of ``bits`` bits; methods run inside ``precision(bits)``.

    Args:
        letters: The variables.
        bits: The precision, enough to tell integers below n apart.
    """

    def __init__(self, letters: Letters, *, bits: int) -> None:
        p, q = letters.up_mass, letters.down_mass
        self.n, self.bits = letters.n, bits
        neither = 1 - p - q
        self.is_saturated = not neither
        # m_c − πc = lean·c + nu·(n − c), both without cancellation.
        lean = letters.up * p + letters.down * q
        with precision(bits):
            up, down = (accurate_ball(x, bits=bits) for x in (letters.up, letters.down))
            self.p, self.q, self.neither = p.ball(bits), q.ball(bits), neither.ball(bits)
            self.share = (p / (p + q)).ball(bits)  # π
            self.chances = arb(0) if self.is_saturated else (self.p + self.q) / self.neither
            self.scale = up - down
            self.lean = -accurate_ball(lean, bits=bits) / ((p + q).ball(bits) * self.scale)
            self.mu, self.room = -down / self.scale, up / self.scale  # room is 1 − μ
            self.nu = arb(0)
            if not self.is_saturated:
                self.nu = -accurate_ball(letters.rest, bits=bits) / self.scale
        self.is_central = p == q and not self.lean < 0  # π = 1/2, and m_c is at least c/2

    @property
    def drift(self) -> arb:
        """The drift m_{c+1} − m_c = μ − ν, below 1."""
        return self.mu - self.nu

    def threshold(self, c: int) -> arb:
        """Return m_c."""
        return self.mu * c + self.nu * (self.n - c)

    def excess(self, c: int) -> arb:
        """Return m_c − πc, with full relative accuracy."""
        return self.lean * c + self.nu * (self.n - c)

    def first_total(self) -> int:
        """Return a c with E_c = 0 for all smaller ones; within the balls, the largest such c.

        m_c < c exactly if c > νn / (1 − μ + ν).
        """
        floor = (self.nu * self.n / (self.room + self.nu)).lower().floor().unique_fmpz()
        return 1 if floor is None else min(self.n, max(0, int(floor)) + 1)

    def log_mass(self, x: int, y: int) -> arb:
        """Return log V(x, y), the trinomial mass of x copies of u and y of v."""
        rest = self.n - x - y
        value = -(arb(x + 1).lgamma() + arb(y + 1).lgamma() + arb(rest + 1).lgamma())
        value += arb(self.n + 1).lgamma() + x * self.p.log() + y * self.q.log()
        return value + rest * self.neither.log() if rest else value

    def window(self, *, nats: int) -> Window:
        """Return a window outside of which the terms are about e^−nats of the mean, and a bound."""
        n, least = self.n, self.first_total()
        if self.is_saturated:
            return Window(n, n, None)
        theta = self._tilt()
        total, _, none = self._moments(theta)
        share = 1 - none / total  # s'
        spread = int(ceiling_of((2 * nats * n * share * (1 - share)).upper().sqrt().mid())) + nats
        center = int(floor_of((n * share).mid()))
        first = min(n, max(least, center - spread))
        last = min(n, max(first, center + spread))
        outside = arb(0)
        if first > least:
            outside += self._beyond(first - 1, share, sign=-1)
        if last < n:
            outside += self._beyond(last + 1, share, sign=1)
        tail = None
        if outside != 0:
            tail = n * total.log() - 1 - theta.log() + outside.log()
        return Window(first, last, tail)

    def _moments(self, theta: arb) -> tuple[arb, arb, arb]:
        """Return e^Λ(θ), its derivative, and its part of neither letter.

        Λ is the log-moment function of one copy, which is worth 1 − μ, −μ and −ν.
        """
        one, two = (theta * self.room).exp() * self.p, (-theta * self.mu).exp() * self.q
        none = (-theta * self.nu).exp() * self.neither
        return one + two + none, self.room * one - self.mu * two - self.nu * none, none

    def _tilt(self) -> arb:
        """Return θ > 0 near the minimum of n·Λ(θ) − log θ, which is convex."""

        def is_above(theta: arb) -> bool:
            spend(6)
            total, slope, _ = self._moments(theta)
            return bool((theta * slope * self.n - total).mid() > 0)

        low = arb(2) ** -(self.n.bit_length() // 2)
        high = low
        for _ in range(_SEARCH_STEPS):
            if is_above(high):
                break
            low, high = high, high * 2
        for _ in range(_SEARCH_STEPS):
            if not is_above(low):
                break
            low, high = low / 2, low
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if is_above(middle) else (middle, high)
        return high.mid()

    def _beyond(self, k: int, share: arb, *, sign: int) -> arb:
        """Bound Pr[Bin(n, share) >= k] (sign 1) or Pr[... <= k] (sign −1)."""
        mean = self.n * share
        if not sign * (k - mean) > 0:
            return arb(1)
        exponent = k * (k / mean).log() if k else arb(0)
        if k < self.n:
            exponent += (self.n - k) * ((self.n - k) / (self.n - mean)).log()
        return (-exponent).exp()
