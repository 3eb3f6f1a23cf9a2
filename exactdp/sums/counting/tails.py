"""Tails of binomial laws in balls, of any number of trials and to any accuracy."""

from __future__ import annotations

from math import ceil, floor, isfinite, sqrt

from flint import arb

from exactdp.numbers.balls import working_bits

__all__ = ["tail_ratio", "upper_tail", "window_of_binomial"]


def upper_tail(n: int, first: int, odds: arb) -> arb:
    """Return Pr[Bin(n, π) >= first], odds = π/(1 − π), at the working precision.

    Beyond the mean it is the first mass times :func:`tail_ratio`; below it, 1 minus the mirror
    image. Either is correct anywhere.

    Example:
        >>> from exactdp.numbers import precision
        >>> with precision(64):  # two coins, one head or two
        ...     upper_tail(2, 1, arb(1)).contains(arb(3) / 4)
        True
    """
    if first <= 0:
        return arb(1)
    if first > n:
        return arb(0)
    if odds * (n - first) > first:
        return 1 - upper_tail(n, n - first + 1, 1 / odds)
    factorials = arb(n + 1).lgamma() - arb(first + 1).lgamma() - arb(n - first + 1).lgamma()
    mass = (factorials + first * odds.log() - n * odds.log1p()).exp()
    return mass * tail_ratio(first, n - first, bits=working_bits(), odds=odds)


def tail_ratio(x: int, y: int, *, bits: int, odds: arb | None = None) -> arb:
    """Return Pr[Bin(c, π) >= x] / Pr[Bin(c, π) = x], c = x + y: a tail over its first mass.

    Formula:
        With o = π/(1 − π) it is the finite sum F_1, where F_{2m} = ₂F₁(m, m − y; x + 2m; −o) and
        F_{2m+1} = ₂F₁(m + 1, m − y; x + 2m + 1; −o). Gauss's relations F_{i−1} = F_i + e_i·F_{i+1}
        hold with F_0 = 1, e_{2m} = o·m(x + y + m)/((x + 2m − 1)(x + 2m)) and
        e_{2m+1} = −o·(x + m)(y − m)/((x + 2m)(x + 2m + 1)), so that W_i = F_{i−1}/F_i obeys
        W_i = 1 + e_i/W_{i+1}, and the answer is 1/W_1.

    Error:
        All F_i are sums of nonnegative terms, the first of them 1. Hence W_{2m} >= 1, as
        e_{2m} > 0, and −1 < e_{2m+1} <= 0 where o·y <= x. So the fraction, cut at W_{2m}, lies
        between its values at W_{2m} = 1 and at ∞: all maps on the way are monotone with
        positive denominators. The cut moves out until the bracket is narrow. Near the
        center, where that is slow, and below it, FLINT sums F_1, with a proven error; if π = 1/2,
        the terms between c/2 and x are taken from one half.

    Args:
        x: The first term of the tail; if π = 1/2, at least y.
        y: c − x, at least 0.
        bits: The relative accuracy that is wanted; the working precision limits it.
        odds: o; None for π = 1/2.

    Example:
        >>> from exactdp.numbers import precision
        >>> with precision(64):  # (C(5, 3) + C(5, 4) + C(5, 5)) / C(5, 3)
        ...     tail_ratio(3, 2, bits=50).contains(arb(16) / 10)
        True
        >>> with precision(64):  # of 1/3: (C(3, 2)·2 + 1)/(C(3, 2)·2)
        ...     tail_ratio(2, 1, bits=50, odds=arb(1) / 2).contains(arb(7) / 6)
        True
    """
    c, o = x + y, 1.0 if odds is None else float(odds.mid())
    if not isfinite(o * c):  # they cancelled: more bits tell more
        return arb(0, arb("inf"))
    # By level m the fraction has about 2.7·z·√m bits, z the z-score of x.
    beyond = x - o * y
    guess = bits * bits * c * o / (7 * max(1.0, beyond) ** 2)
    levels_needed = int(min(guess, y)) + 8
    if odds is None and beyond / 2 < min(levels_needed, y):
        return _from_center(x, y)
    if odds is not None and beyond < levels_needed:
        return (-odds).hypgeom_2f1(1, -y, x + 1)
    levels = min(levels_needed, y + 1)
    while True:
        low, high = (_fraction(x, y, levels, inverse, odds) for inverse in (0, 1))
        value = low.union(high)
        if levels > y or value.rel_accuracy_bits() >= min(bits, low.rel_accuracy_bits() - 4):
            return value
        levels = min(2 * levels, y + 1)


def _fraction(x: int, y: int, levels: int, inverse: int, odds: arb | None = None) -> arb:
    """Return 1 / W_1 from 1 / W_{2·levels} = inverse."""
    inverse_w, o = arb(inverse), arb(1) if odds is None else odds
    for m in range(levels - 1, -1, -1):
        # (x + m)/(x + 2m) is 1 for m = 0, also if x = 0.
        odd = o * ((x + m) * (y - m)) / ((x + 2 * m) * (x + 2 * m + 1)) if x else arb(0)
        w = 1 - odd * inverse_w
        if m:
            w = 1 + o * (m * (x + y + m)) / ((x + 2 * m - 1) * (x + 2 * m)) / w
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


def window_of_binomial(times: int, p: arb, nats: float) -> tuple[range, arb]:
    """Return a window of a binomial count, and Bernstein's bound on the mass outside."""
    chance = min(1.0, max(0.0, float(p.mid())))
    far = nats / 3 + sqrt(nats**2 / 9 + 2 * times * chance * (1 - chance) * nats)
    low, high = max(0, floor(times * chance - far)), min(times, ceil(times * chance + far))
    mean, variance, lost = times * p, times * p * (1 - p), arb(0)
    if low > 0:
        lost += _bernstein(mean - (low - 1), variance)
    if high < times:
        lost += _bernstein(high + 1 - mean, variance)
    return range(low, high + 1), lost


def _bernstein(x: arb, variance: arb) -> arb:
    if not x > 0:
        return arb(1)
    return (-(x**2) / (2 * (variance.nonnegative_part() + x / 3))).exp()
