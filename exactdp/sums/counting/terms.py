"""The terms of δ of a count pair: closed forms, where they sit, and what lies outside.

Let s = 2r and γ = e^ε >= 1, and number the users' total number of letters by c. Of P − γQ
at (x, y), c = x + y >= 1, the part that depends on x is linear:

    P(x, y) − γ·Q(x, y) = (K / (n·r)) · V(x, y) · (x − m_c),   K = (1 + γ)(a − b),
    m_c = μ·c + ν·(n − c),   μ = (γa − b)/K,   ν = (γ − 1)·h·r / ((1 − 2r)·K),  h = 1 − a − b,

where V(x, y) = n!/(x! y! (n − x − y)!) · r^c · (1 − 2r)^(n − c) is the trinomial mass of n
users without a victim (c·C(n, c) = n·C(n − 1, c − 1) moves the victim in). With C ~ Bin(n, s)
and X ~ Bin(C, 1/2), therefore,

    δ = (K / (n·r)) · E[(X − m_C)^+],

a sum over c of b_c·E_c, b_c = Pr[C = c], with de Moivre's identity for t = ⌈m_c⌉:

    E_c = E[(X − m_c)^+ | C = c] = (t/2)·β_c(t) − (m_c − c/2)·T(c, t),

β_c(t) = C(c, t)/2^c, T(c, t) = Pr[Bin(c, 1/2) >= t]. Both sides of the difference are positive
because m_c >= c/2; it cancels by about the square of the z-score of m_c.

What a window of c leaves out is bounded by Chernoff's argument for E itself. For every θ > 0,
u^+ <= e^(θu)/(e·θ), so with ρ = e^(−θ(μ − ν))·(1 + e^θ)/2 and M = 1 − s + s·ρ,

    Σ_{c outside} b_c·E_c <= e^(−θνn)·M^n / (e·θ) · Pr[Bin(n, s') outside],   s' = s·ρ/M,

and Pr[Bin(n, s') >= k] <= exp(−n·KL(k/n ‖ s')) beyond the mean, likewise below. At the θ that
minimizes the first factor, the window is centered at n·s', where the terms are, however
small δ is; any θ gives a valid bound.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from exactdp.numbers import Exact, precision
from exactdp.numbers.balls import ceiling_of, floor_of

__all__ = ["CountTerms", "CountWeights", "Window", "tail_ratio"]

_SEARCH_STEPS = 60
"""Doublings and halvings until θ is between one number and twice that."""

_HALVINGS = 30
"""Of that interval: any θ is valid, a good one keeps windows short."""


@dataclass(frozen=True, slots=True)
class CountWeights:
    """What δ of a pair of counts depends on: its n, a and r, and its b <= a."""

    n: int
    a: Exact
    b: Exact
    r: Exact

    def is_matched(self, gamma: Exact) -> bool:
        """Return whether a <= γ·b, so that δ = 0; without a product (whose rate might be tiny)."""
        return self.a == 0 if self.b == 0 else self.a / self.b <= gamma

    def gap(self, gamma: Exact, *, bits: int) -> arb:
        """Return a ball of ``bits`` bits for a − γ·b, which is positive."""
        # Not in the exact field: rates such as 1 and 0.0123456789 have a tiny common rate.
        extra = 16
        while True:
            work = bits + extra
            with precision(work):
                gap = self.a.ball(work) - gamma.ball(work) * self.b.ball(work)
            if gap.rel_accuracy_bits() >= bits:
                return gap
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
    """The constants of δ as balls of ``bits`` bits; methods run inside ``precision(bits)``.

    Args:
        weights: With a > γ·b and r > 0, so that δ is positive.
        gamma: γ, at least 1.
        bits: The precision, enough to tell integers below n apart.
    """

    def __init__(self, weights: CountWeights, gamma: Exact, *, bits: int) -> None:
        a, b, r = weights.a, weights.b, weights.r
        none, rest = 1 - a - b, 1 - 2 * r
        self.n, self.bits = weights.n, bits
        self.is_saturated = not rest
        with precision(bits):
            slope = (1 + gamma.ball(bits)) * (a - b).ball(bits)  # K
            excess = (gamma - 1).ball(bits)
            self.r, self.rest = r.ball(bits), rest.ball(bits)
            # m_c − c/2 = half_drift·c + nu·(n − c): no cancellation.
            self.half_drift = excess * (a + b).ball(bits) / (2 * slope)
            self.mu = self.half_drift + arb(1) / 2
            self.nu = arb(0)
            if none and excess != 0 and not self.is_saturated:
                self.nu = excess * none.ball(bits) * self.r / (self.rest * slope)
            self.room = weights.gap(gamma, bits=bits) / slope  # 1 − μ
            self.prefactor = slope / (self.n * self.r)

    @property
    def drift(self) -> arb:
        """m_{c+1} − m_c = μ − ν, below 1."""
        return self.mu - self.nu

    def threshold(self, c: int) -> arb:
        """m_c."""
        return self.mu * c + self.nu * (self.n - c)

    def excess_over_half(self, c: int) -> arb:
        """m_c − c/2, with full relative accuracy."""
        return self.half_drift * c + self.nu * (self.n - c)

    def first_total(self) -> int:
        """Return a c with E_c = 0 for all smaller ones; within the balls, the largest such c.

        m_c < c exactly if c > νn / (1 − μ + ν).
        """
        floor = (self.nu * self.n / (self.room + self.nu)).lower().floor().unique_fmpz()
        return 1 if floor is None else min(self.n, max(0, int(floor)) + 1)

    def log_mass(self, x: int, y: int) -> arb:
        """Return log V(x, y), the trinomial mass of x ones and y twos among n users."""
        c, rest = x + y, self.n - x - y
        value = -(arb(x + 1).lgamma() + arb(y + 1).lgamma() + arb(rest + 1).lgamma())
        value += arb(self.n + 1).lgamma() + c * self.r.log()
        return value + rest * self.rest.log() if rest else value

    def window(self, *, nats: int) -> Window:
        """Return a window outside of which the terms are about e^−nats of δ, with the bound."""
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
        """Return e^Λ(θ), its derivative, and its part without a letter.

        Λ is the log-moment function of one user, who is worth 1 − μ, −μ and −ν with
        probabilities r, r and 1 − 2r.
        """
        one, two = (theta * self.room).exp() * self.r, (-theta * self.mu).exp() * self.r
        none = (-theta * self.nu).exp() * self.rest
        return one + two + none, self.room * one - self.mu * two - self.nu * none, none

    def _tilt(self) -> arb:
        """Return θ > 0 near the minimum of n·Λ(θ) − log θ, which is convex."""

        def is_above(theta: arb) -> bool:
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


def tail_ratio(x: int, y: int, *, bits: int) -> arb:
    """Return Σ_{i >= x} C(c, i) / C(c, x), c = x + y: a tail of Bin(c, 1/2) over its first mass.

    Formula:
        It is the finite sum F_1, where F_{2m} = ₂F₁(m, m − y; x + 2m; −1) and F_{2m+1} =
        ₂F₁(m + 1, m − y; x + 2m + 1; −1). Gauss's relations F_{i−1} = F_i + e_i·F_{i+1} hold
        with F_0 = 1, e_{2m} = m(x + y + m)/((x + 2m − 1)(x + 2m)) and
        e_{2m+1} = −(x + m)(y − m)/((x + 2m)(x + 2m + 1)), so that W_i = F_{i−1}/F_i obeys
        W_i = 1 + e_i/W_{i+1}, and the answer is 1/W_1.

    Error:
        All F_i are sums of nonnegative terms, the first of them 1. Hence W_{2m} >= 1, as
        e_{2m} > 0, and −1 < e_{2m+1} <= 0 since y <= x. So the fraction, cut at W_{2m}, lies
        between its values at W_{2m} = 1 and at ∞: all maps on the way are monotone with
        positive denominators. The cut moves out until the bracket is narrow. Near the
        center, where that is slow, the terms between c/2 and x are taken from one half.

    Args:
        x: The first term of the tail, at least y.
        y: c − x, at least 0.
        bits: The relative accuracy that is wanted; the working precision limits it.

    Example:
        >>> from exactdp.numbers import precision
        >>> with precision(64):  # (C(5, 3) + C(5, 4) + C(5, 5)) / C(5, 3)
        ...     tail_ratio(3, 2, bits=50).contains(arb(16) / 10)
        True
    """
    c = x + y
    # By level m the fraction has about 2.7·z·√m bits, z the z-score of x.
    levels_needed = bits * bits * c // (7 * max(1, x - y) ** 2) + 8
    if (x - y) // 2 < min(levels_needed, y):
        return _from_center(x, y)
    levels = min(levels_needed, y + 1)
    while True:
        low, high = (_fraction(x, y, levels, inverse) for inverse in (0, 1))
        value = low.union(high)
        if levels > y or value.rel_accuracy_bits() >= min(bits, low.rel_accuracy_bits() - 4):
            return value
        levels = min(2 * levels, y + 1)


def _fraction(x: int, y: int, levels: int, inverse: int) -> arb:
    """Return 1 / W_1 from 1 / W_{2·levels} = inverse."""
    inverse_w = arb(inverse)
    for m in range(levels - 1, -1, -1):
        # (x + m)/(x + 2m) is 1 for m = 0, also if x = 0.
        odd = arb((x + m) * (y - m)) / ((x + 2 * m) * (x + 2 * m + 1)) if x else arb(0)
        w = 1 - odd * inverse_w
        if m:
            w = 1 + arb(m * (x + y + m)) / ((x + 2 * m - 1) * (x + 2 * m)) / w
        inverse_w = 1 / w
    return inverse_w


def _from_center(x: int, y: int) -> arb:
    """Return the ratio from Pr[Bin(c, 1/2) >= ⌈c/2⌉] = 1/2, or (1 + β_c(c/2))/2 for even c."""
    c = x + y
    log_mass = arb(c + 1).lgamma() - arb(x + 1).lgamma() - arb(y + 1).lgamma() - c * arb(2).log()
    between, mass = arb(0), arb(1)
    for i in range(x, (c + 1) // 2, -1):
        mass = mass * i / (c - i + 1)
        between += mass
    half = (-log_mass).exp() / 2
    return half - between + (mass / 2 if c % 2 == 0 else 0)
