"""Sums of coins as noise: the exact δ as a term, and the formula of Agarwal et al. 2018.

Notation: N coins that show heads with probability p, an integer shift k of the result. The
multiples of the scale s are counted, so a sensitivity Δ is a shift of Δ/s.

Source of the formula: Agarwal, Suresh, Yu, Kumar, McMahan, "cpSGD", arXiv 1805.10559, Theorem 1,
equation (7); the internet draft writes it out for p = 1/2.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from exactdp.claims import Term, TermLike, function, sum_over, term

__all__ = ["alike", "coins_delta", "cpsgd_epsilon", "cpsgd_least_variance", "smallest_coins"]

_WINDOWS = {1000: Fraction(4), 50_000: Fraction(1, 10)}
"""Standard deviations, for sums of more than so many coins: the outcomes beyond are left out, so
that it is at most δ."""


def coins_delta(coins: int, shift: int, exp_epsilon: TermLike, *, p: Fraction, near: float) -> Term:
    """Return P(S) − e^ε P(S−k), P(i) = C(N,i) p^i (1−p)^(N−i), as a term; at most δ.

    S are the outcomes up to where the ratio of the two laws is e^ε: with the right end, as long
    as every outcome is summed, this is δ.

    Args:
        coins: N.
        shift: k, perhaps negative: the other direction, with the outcomes from there on.
        exp_epsilon: e^ε.
        p: The probability of heads.
        near: ε again, a double, which only proposes the end.
    """
    end = _crossing(coins, shift, p, near)
    first, last = (0, end) if shift > 0 else (end, coins)
    windows = [window for most, window in _WINDOWS.items() if coins > most]
    if windows:
        width = int(windows[-1] * math.sqrt(coins * p * (1 - p)))
        first, last = (end - width, end) if shift > 0 else (end, end + width)
    a, b = p.numerator, p.denominator - p.numerator

    def weights(low: int, high: int) -> Term:
        low, high = max(0, low), min(coins, high)
        if a == b:
            return sum_over("i", low, high, lambda i: function("binomial", coins, i))
        return sum_over(
            "i",
            low,
            high,
            lambda i: function("binomial", coins, i) * term(a) ** i * term(b) ** (coins - i),
        )

    shifted = weights(first - shift, last - shift)
    return (weights(first, last) - term(exp_epsilon) * shifted) / term(
        2 if a == b else a + b
    ) ** coins


def _crossing(coins: int, shift: int, p: Fraction, epsilon: float) -> int:
    """Return the last outcome (the first, if the shift is negative) whose ratio exceeds e^ε."""

    def exceeds(i: int) -> bool:
        if not 0 <= i - shift <= coins:
            return True
        counts = [math.lgamma(j + 1) + math.lgamma(coins - j + 1) for j in (i, i - shift)]
        return counts[1] - counts[0] + shift * math.log(p / (1 - p)) > epsilon

    inside, outside = (0, coins) if shift > 0 else (coins, 0)
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if exceeds(middle) else (inside, middle)
    return inside


def alike(step: int, moved: int) -> dict[str, Fraction]:
    """Return the norms of a change of so many coordinates, a square number, each by the step.

    Whoever sees these coordinates can form their sum: it has as many times the coins, is shifted
    by as many times the step, and its δ is at most theirs.
    """
    root = math.isqrt(moved)
    assert root**2 == moved
    return {"l1": Fraction(step * moved), "l2": Fraction(step * root), "linf": Fraction(step)}


def smallest_coins(rule: float) -> int:
    """Return the smallest whole number that is at least a rule's value: a proposal, in doubles."""
    return max(1, math.ceil(rule))


def cpsgd_least_variance(f: Any, *, delta: Any, linf: Any, s: Any, d: Any) -> Any:
    """Return the least N p (1−p) of the theorem: max(23 ln(10d/δ), 2Δ_∞/s)."""
    return f.maximum(23 * f.log(10 * d / delta), 2 * linf / s)


def cpsgd_epsilon(
    f: Any, *, n: Any, p: Any, delta: Any, s: Any, d: Any, l1: Any, l2: Any, linf: Any
) -> Any:
    """Return ε of equation (7)."""
    squares = p * p + (1 - p) * (1 - p)
    b = f.constant(2) / 3 * squares + (1 - 2 * p)
    c = f.sqrt(f.constant(2)) * (3 * p**3 + 3 * (1 - p) ** 3 + 2 * squares)
    big_d = f.constant(4) / 3 * squares
    variance = n * p * (1 - p)
    small = f.log(f.constant(5) / (4 * delta))
    return (
        l2 * f.sqrt(2 * small) / (s * f.sqrt(variance))
        + (l2 * c * f.sqrt(f.log(10 / delta)) + l1 * b) / (s * variance * (1 - delta / 10))
        + (
            f.constant(2) / 3 * linf * small
            + linf * big_d * f.log(20 * d / delta) * f.log(10 / delta)
        )
        / (s * variance)
    )
