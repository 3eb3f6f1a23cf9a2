"""The values of Theorems 1 and 2: exact for a few users, certified for tens of thousands.

With x = (i + 1)/(t + 1) and Bin(i, 1/2) symmetric, F_i(i − x) = Pr[Bin(i, 1/2) >= ⌈x⌉] and
F_i(i + 1 − x) = Pr[Bin(i, 1/2) >= ⌈x⌉ − 1]: the tails of ``exactdp.shuffle.half_tails`` at
μ = 1/(t + 1). All functions of t are step functions, constant from each t where some x is an
integer up to the next.

Definitions: :class:`Sums`, :func:`exact_sums`, :func:`breakpoints`, :func:`trade_off_points`,
:func:`trade_off_fault`, :func:`exact_t_epsilon`, :class:`CentralBound`.

Source: Liu et al. 2024, Section 3.3, Theorems 1 and 2, equation (5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import comb

from flint import arb, fmpz

from exactdp.distributions import CountWindow, count_window, poisson_binomial
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Enclosure, Exact, Number, RationalLike, Real, fmpq_of, precision
from exactdp.numbers.balls import endpoints, nonnegative_ball
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle.half_tails import HalfTails, half_tails
from proofs_check.liu2024 import bounds

__all__ = [
    "CentralBound",
    "SlopeWeights",
    "Sums",
    "breakpoints",
    "clone_count_weights",
    "exact_slope_ratio",
    "exact_sums",
    "exact_t_epsilon",
    "trade_off_fault",
    "trade_off_points",
]


class SlopeWeights(Enum):
    """The weights in l(t): w_1^0 as printed, which cancels, or w_i^0."""

    CONSTANT = "w_1^0"
    OWN = "w_i^0"


@dataclass(frozen=True, slots=True)
class Sums:
    """alpha = Σ w_i F_i(i − x) and plus = Σ w_i F_i(i + 1 − x), x = (i + 1)/(t + 1)."""

    alpha: Exact
    plus: Exact


def clone_count_weights(others: Iterable[Exact]) -> list[Exact]:
    """Return w_i^0 = Pr[C = i], C a sum of Bern(2 p_i) over the other users, exactly.

    Example:
        >>> clone_count_weights([Exact("1/4"), Exact("1/6")])
        [Exact('1/3'), Exact('1/2'), Exact('1/6')]
    """
    values = [2 * p for p in others]
    law = poisson_binomial(values)
    return [law[i] for i in range(len(values) + 1)]


def exact_sums(weights: Sequence[Exact], *, t: Fraction, first: int = 0) -> Sums:
    """Return the sums over i from ``first`` (0 in Theorem 1, 1 in equation (5)).

    Example:
        At t = 1 and i = 1: x = 1, F_1(0) = 1/2 and F_1(1) = 1.

        >>> exact_sums([Exact(0), Exact(1)], t=Fraction(1))
        Sums(alpha=Exact('1/2'), plus=Exact('1'))
    """
    alpha = plus = Exact(0)
    for i, weight in enumerate(weights):
        if i >= first:
            x = Fraction(i + 1) / (t + 1)
            alpha += weight * _cdf(i, i - x)
            plus += weight * _cdf(i, i + 1 - x)
    return Sums(alpha, plus)


def breakpoints(users: int) -> list[Fraction]:
    """Return the t >= 0 where a sum jumps, ascending: (i + 1)/k − 1 for i < users, k <= i + 1.

    Example:
        >>> breakpoints(3)
        [Fraction(0, 1), Fraction(1, 2), Fraction(1, 1), Fraction(2, 1)]
    """
    return sorted({Fraction(i + 1, k) - 1 for i in range(users) for k in range(1, i + 2)})


def trade_off_points(
    weights: Sequence[Exact], *, w: Exact, delta_1: Exact, complement: bool
) -> list[tuple[Exact, Exact]]:
    """Return all points (α(t), f_s(α(t))) of Theorem 1, in order of t.

    Args:
        weights: w_i^0, i = 0, ..., n − 1.
        w: p_1.
        delta_1: δ_1.
        complement: Whether the type II error 1 − F_i stands for the printed F_i.
    """
    formula = bounds.trade_off_of_complement if complement else bounds.trade_off
    points: list[tuple[Exact, Exact]] = []
    for t in breakpoints(len(weights)):
        sums = exact_sums(weights, t=t)
        value = formula(None, alpha=sums.alpha, plus=sums.plus, w=w, delta_1=delta_1)
        if not points or points[-1] != (sums.alpha, value):
            points.append((sums.alpha, value))
    return points


def trade_off_fault(points: Sequence[tuple[Exact, Exact]]) -> str | None:
    """Return why points lie on no trade-off function, or None: three necessary conditions.

    A trade-off function lies in [0, 1 − α], does not increase, and is convex.

    Example:
        >>> trade_off_fault([(Exact(0), Exact(1)), (Exact(1), Exact(0))])
        >>> trade_off_fault([(Exact(0), Exact("1/2")), (Exact("1/4"), Exact("3/4"))])
        'increases from 1/2 to 3/4 at alpha=1/4'
    """
    for alpha, value in points:
        if value.sign() < 0 or value > 1 - alpha:
            return f"is {value} outside [0, 1 - alpha] at alpha={alpha}"
    for (_, before), (alpha, after) in pairwise(points):
        if after > before:
            return f"increases from {before} to {after} at alpha={alpha}"
    for (a, u), (b, v), (c, x) in zip(points, points[1:], points[2:], strict=False):
        if (v - u) * (c - b) > (x - v) * (b - a):
            return f"is not convex at alpha={b}"
    return None


def exact_slope_ratio(
    weights: Sequence[Exact], *, t: Fraction, slope_weights: SlopeWeights
) -> Exact | None:
    """Return l(t), sums from i = 1; None where its denominator is 0 (minus infinity).

    Example:
        i = 1, t = 1: x = 1, −f_1(1)/f_1(0) = −1.

        >>> w = [Exact(0), Exact(1)]
        >>> exact_slope_ratio(w, t=Fraction(1), slope_weights=SlopeWeights.OWN)
        Exact('-1')
    """
    upper = lower = Exact(0)
    for i in range(1, len(weights)):
        weight = weights[i] if slope_weights is SlopeWeights.OWN else Exact(1)
        x = Fraction(i + 1) / (t + 1)
        upper += weight * _mass(i, (i + 1 - x).__floor__())
        lower += weight * _mass(i, (i - x).__floor__())
    return None if lower == 0 else -upper / lower


def exact_t_epsilon(
    weights: Sequence[Exact],
    *,
    exp_epsilon: Exact,
    w: Exact,
    delta_1: Exact,
    slope_weights: SlopeWeights,
) -> Fraction | None:
    """Return t_ε = inf {t: (1 − δ_1)(−2w + (1 − 2w) l(t)) − δ_1 >= −e^ε}; None if empty.

    l is a step function, so the infimum is one of its :func:`breakpoints`.
    """
    for t in breakpoints(len(weights)):
        ratio = exact_slope_ratio(weights, t=t, slope_weights=slope_weights)
        if ratio is None:
            continue
        if bounds.slope(None, l=ratio, w=w, delta_1=delta_1) >= -exp_epsilon:
            return t
    return None


class CentralBound:
    """Theorem 2 for many users, at any t: certified.

    Args:
        others: The p_i, exact or computable, each with its number of users.
        w: p_1.
        delta_1: δ_1.
        bits: The absolute accuracy, 2^−bits or so: more for smaller δ.

    Example:
        >>> bound = CentralBound([(Exact("1/4"), 9)], w=Exact("1/4"))
        >>> weights = clone_count_weights([Exact("1/4")] * 9)
        >>> sums = exact_sums(weights, t=Fraction(1, 3), first=1)
        >>> def exact(f, *, x):
        ...     return bounds.central_delta(
        ...         f, epsilon=x, alpha=sums.alpha, plus=sums.plus, w=Exact("1/4"), delta_1=0)
        >>> bound.delta(epsilon=0, t=Fraction(1, 3)).lower <= (2 * sums.plus - 2 * sums.alpha) / 4
        True
    """

    def __init__(
        self,
        others: Iterable[tuple[Number | RationalLike, int]],
        *,
        w: Number,
        delta_1: Number | int = 0,
        bits: int = 192,
    ) -> None:
        self.w = w
        self.delta_1 = delta_1 if isinstance(delta_1, Exact | Real) else Exact(delta_1)
        self.bits = bits
        trials = [(2 * (p if isinstance(p, Exact | Real) else Exact(p)), m) for p, m in others]
        self.users = 1 + sum(m for _, m in trials)
        self.window: CountWindow = count_window(trials, bits=bits)

    @cached_property
    def weight_zero(self) -> Enclosure:
        """w_0^0, which equation (5) leaves out."""
        return self.window.mass(0)

    def sums(self, *, t: Fraction, first: int = 1) -> tuple[Real, Real]:
        """Return alpha and plus at a rational t, as reals of fixed accuracy."""
        tails = half_tails(self.window, mu=1 / (1 + t))
        with_letter, without = tails.event_probabilities()
        if first == 1:
            # i = 0: F_0(−1/(t + 1)) = 0 and F_0(t/(t + 1)) = 1.
            low, high = self.weight_zero.lower, self.weight_zero.upper
            with precision(tails.bits):
                with_letter -= arb(fmpq_of(low)) + nonnegative_ball(arb(fmpq_of(high - low)))
        return Real(lambda: without, "alpha"), Real(lambda: with_letter, "plus")

    def delta(self, *, epsilon: Number | RationalLike, t: Fraction, first: int = 1) -> Enclosure:
        """Return equation (5) at any t."""
        alpha, plus = self.sums(t=t, first=first)
        value = evaluate(
            bounds.central_delta,
            epsilon=epsilon,
            alpha=alpha,
            plus=plus,
            w=self.w,
            delta_1=self.delta_1,
        )
        lower, upper = endpoints(value.ball(self.bits + 64))
        return Enclosure(lower, upper)

    def best_delta(self, *, epsilon: Number | RationalLike, first: int = 1) -> Enclosure:
        """Return the largest value of equation (5) over t: the conjugate of the complement f_s.

        Evaluated at a rational t' beside the best t. With A = (1 − δ_1)(1 − 2w) and
        B = e^ε − 2w(1 − δ_1) − δ_1 >= A, a count x between the two thresholds would add
        β_i(x − 1)·(A + B)·(x − μ(i + 1))/x, at most 3·(A + B)·|μ' − μ| in all, and
        |μ' − μ| <= |t' − t|.
        """
        t, error = self._near_best(epsilon)
        found = self.delta(epsilon=epsilon, t=t, first=first)
        return Enclosure(found.lower, found.upper + 3 * (1 + self._exp(epsilon)) * error)

    def slope_ratio(self, *, t: Fraction, slope_weights: SlopeWeights) -> Real:
        """Return l(t), sums from i = 1, as a real of fixed accuracy."""
        if slope_weights is SlopeWeights.CONSTANT:
            whole = fmpz(1) << self.bits
            window = CountWindow(1, (whole,) * (self.users - 1), self.bits)
            tails = half_tails(window, mu=1 / (1 + t))
        else:
            window = self.window
            if window.first == 0:
                window = CountWindow(1, window.weights[1:], window.bits)
            tails = half_tails(window, mu=1 / (1 + t))
            with precision(tails.bits):  # without i = 0, which is left out on purpose
                tails = replace(tails, missing=arb(fmpq_of(self.window.missing)))
        return _slope_ratio(tails, is_complete=slope_weights is SlopeWeights.CONSTANT)

    def t_epsilon(
        self, *, epsilon: Number | RationalLike, slope_weights: SlopeWeights
    ) -> Enclosure:
        """Return two t around t_ε: the condition fails at the lower one and holds at the upper.

        They are closer than any two breakpoints, (i + 1)/k − 1 with i < n, so t_ε is the
        only one above the lower and up to the upper, and all sums have their values at t_ε
        at the upper one too. Or there is an earlier t where the condition holds for a
        while: it is not proved that l grows.

        Raises:
            UndecidedError: If a comparison stays open.
        """
        limit = evaluate(bounds.slope_limit, epsilon=epsilon, w=self.w, delta_1=self.delta_1)

        def holds(t: Fraction) -> bool:
            ratio = self.slope_ratio(t=t, slope_weights=slope_weights)
            with precision(self.bits):
                gap = ratio.ball(self.bits) - limit.ball(self.bits)
                if gap >= 0:
                    return True
                if gap < 0:
                    return False
            raise UndecidedError(f"l({t}) cannot be told from its limit. Pass more bits.")

        low = high = _short(self._near_best(epsilon)[0])
        while not holds(high):
            high = high * Fraction(9, 8)
        while holds(low):
            low = low * Fraction(7, 8)
        closest = Fraction(1, self.users**2)  # breakpoints (i + 1)/k − 1 differ by 1/(k·k')
        while high - low >= closest:
            middle = _short((low + high) / 2)
            low, high = (low, middle) if holds(middle) else (middle, high)
        return Enclosure(low, high)

    def printed_delta(
        self, *, epsilon: Number | RationalLike, slope_weights: SlopeWeights
    ) -> Enclosure:
        """Return δ_s(ε) of Theorem 2: equation (5) at the t_ε of :meth:`t_epsilon`."""
        ends = self.t_epsilon(epsilon=epsilon, slope_weights=slope_weights)
        return self.delta(epsilon=epsilon, t=ends.upper)

    def _near_best(self, epsilon: Number | RationalLike) -> tuple[Fraction, Fraction]:
        """Return a rational t and how far it may be from the best one."""
        value = evaluate(bounds.best_t, epsilon=epsilon, w=self.w, delta_1=self.delta_1)
        ball = value.ball(self.bits + 32)
        if not ball > 0:
            raise DomainError(f"w={self.w} must be below 1/2: (5) has no best t above 0.")
        low, high = endpoints(ball)
        return (low + high) / 2, (high - low) / 2

    def _exp(self, epsilon: Number | RationalLike) -> int:
        value = evaluate(lambda f, *, epsilon: f.exp(epsilon), epsilon=epsilon)
        return int(endpoints(value.ball(64))[1]) + 1


def _slope_ratio(tails: HalfTails, *, is_complete: bool) -> Real:
    with precision(tails.bits):
        upper, lower = tails.with_letter - tails.without_letter, tails.at_threshold
        if not is_complete:
            extra = nonnegative_ball(tails.missing)
            upper, lower = upper + extra, lower + extra
        ratio = -upper / lower
    return Real(lambda: ratio, "l(t)")


def _short(value: Fraction) -> Fraction:
    return Fraction((value * 2**96).__floor__(), 2**96)


def _cdf(i: int, y: Fraction) -> Exact:
    """Return F_i(y) of Bin(i, 1/2)."""
    return Exact(Fraction(sum(comb(i, k) for k in range(y.__floor__() + 1)), 2**i))


def _mass(i: int, k: int) -> Exact:
    return Exact(Fraction(comb(i, k), 2**i)) if 0 <= k <= i else Exact(0)
