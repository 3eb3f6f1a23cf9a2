r"""Events of which Rényi divergences alone are known: the best of several runs, and some samples.

The best of K runs, K independent of the data, with E K = μ (Papernot and Steinke, Theorems 2 and
6): let D_a bound the divergences of one run in both orders. For a truncated negative binomial K of
shape η and success probability γ, at any order b >= 1,

    D'_a <= D_a + (1 + η)((1 − 1/b)D_b + ln(1/γ)/b) + ln(μ)/(a − 1);

for a Poisson K, with δ that of one run at ε = ln(1 + 1/(a − 1)) in both orders,

    D'_a <= D_a + μδ + ln(μ)/(a − 1).

A record that is in a sample with probability q adds (P, Q) at that rate. Removing it has the sum
of moments (``convex_bounds``). Adding it has E_Q f(P/Q) of f(r) = (1 − q + qr)^(1 − a), where
f(1) = 1, the slope there has mean 0, and f'' <= a(a − 1)q²(1 − q)^(−a − 1) at all r >= 0, so that

    e^((a − 1)D'_a) <= 1 + a(a − 1)q²(1 − q)^(−a − 1)/2 · (e^(D_2) − 1).

Reference: N. Papernot and T. Steinke, Hyperparameter Tuning with Rényi Differential Privacy, 2022.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial

from flint import arb

from exactdp.accounting.composition.renyi_composition import Curve
from exactdp.divergences.convex_bounds import bound_on_sample, mean_bound
from exactdp.numbers import Epsilon, Exact, Number, fmpq_of, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import NO_ANSWER, first_answer

__all__ = ["BestOfRuns", "OnSample"]

_BITS = 160
"""Bits of the balls of a bound, whose upper end is taken."""

_PLACES = range(-10, 16)
"""The places k that are tried of b = 1 + 2^k; then others about the best. Any b gives a bound."""

_REFINED = 24
"""Steps of that search, each of which takes a third off."""

_NARROW = Fraction(1, 10**9)
"""The relative width of a divergence of an order b."""

_STEPS = 200
"""Halvings in the search of γ: it is then known to far more digits than a bound has."""


@dataclass(frozen=True)
class OnSample:
    """A mechanism on a Poisson sample, of whose divergences bounds are known.

    Attributes:
        whole: The mechanism's.
        rate: q, above 0 and at most 1.

    Example:
        Half of the records of what is 1-zCDP, at a = 2: removing has ln(1 + (e² − 1)/4) = 0.9544,
        adding at most ln(1 + (e² − 1)/2), by convexity.

        >>> from exactdp.accounting.composition.renyi_composition import MomentBounds
        >>> one = OnSample(MomentBounds(((),), rho=Fraction(1)), Exact("1/2"))
        >>> found = one.renyi_bound(Fraction(2), width=Fraction(1, 10**6))
        >>> round(float(found), 4)  # ln((1 + e²)/2)
        1.4338
    """

    whole: Curve
    rate: Exact

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return the larger of the bounds of removing and of adding a record."""
        top = self.whole.renyi_bound(order, width=width)
        second = self.whole.renyi_bound(Fraction(2), width=width)
        if top is None or second is None:
            return None
        convex = mean_bound([(self.rate, top)], order)
        removed = bound_on_sample(self.whole, self.rate, order, width=width)
        if self.rate == 1 or removed is None:
            return convex
        with precision(_BITS):
            a, q = arb(fmpq_of(order)), self.rate.ball(_BITS)
            rise = a * (a - 1) / 2 * q * q * (1 - q) ** (-a - 1) * arb(fmpq_of(second)).expm1()
            added = endpoints(rise.log1p() / (a - 1))[1] if rise.is_finite() else convex
        return min(convex, max(removed, added))

    def max_divergence(self) -> Epsilon | Number:
        """Return that of the mechanism, which is not below its sample's."""
        return self.whole.max_divergence()


@dataclass(frozen=True)
class BestOfRuns:
    """The best output of a random number of runs, of which only that one is told.

    Attributes:
        one: The bounds of one run, in both orders.
        mean: E K, at least 1.
        shape: η, at least 0; None of a Poisson number of runs.
        delta: Returns a bound of δ(ε) of one run, the larger of both orders.

    Example:
        Of a number of runs that is always 1 nothing is added:

        >>> from exactdp.accounting.composition.renyi_composition import MomentBounds
        >>> one = MomentBounds(((),), rho=Fraction(1, 2))
        >>> once = BestOfRuns(one, Fraction(1), Fraction(1), lambda epsilon: Fraction(1))
        >>> once.renyi_bound(Fraction(3), width=Fraction(1, 100))
        Fraction(3, 2)
    """

    one: Curve
    mean: Fraction
    shape: Fraction | None
    delta: Callable[[Epsilon], Fraction]
    _terms: dict[Fraction | int, Fraction] = field(default_factory=dict, compare=False, repr=False)

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return the theorem's bound, its order b about the best one."""
        top = self.one.renyi_bound(order, width=width)
        if top is None:
            return None
        with precision(_BITS):
            mean = arb(fmpq_of(self.mean))
            more = endpoints(mean.log() / fmpq_of(order - 1))[1] if self.mean > 1 else Fraction(0)
        if self.shape is not None:
            return top + more + self._least()
        return top + more + self.mean * self.delta(Epsilon.log(order / (order - 1)))

    def max_divergence(self) -> Epsilon | Number:
        """Return the theorem's bound as a and b grow: (2 + η)D_∞, or D_∞ + μδ(0)."""
        top = self.one.max_divergence()
        if isinstance(top, Epsilon):
            if top.is_infinite:
                return top
            top = top.nats
        if self.shape is not None:
            return Exact(2 + self.shape) * top
        return top + Exact(self.mean * self.delta(Epsilon.log(1)))

    def _least(self) -> Fraction:
        """Return about the least of the terms of all orders b, that of b = 1 among them."""
        assert self.shape is not None
        best = min(_PLACES, key=self._term)
        start, end = Fraction(best - 1), Fraction(best + 1)
        for _ in range(_REFINED if self.mean > 1 else 0):
            first, second = start + (end - start) / 3, end - (end - start) / 3
            rises = self._term(first) <= self._term(second)
            start, end = (start, second) if rises else (first, end)
        return (1 + self.shape) * min(self._log, *self._terms.values())

    def _term(self, place: Fraction | int) -> Fraction:
        """Return (1 − 1/b)D_b + ln(1/γ)/b of b = 1 + 2^place."""
        if place not in self._terms:
            b = 1 + Fraction(2 ** (place.numerator / place.denominator))
            ask = partial(self.one.renyi_bound, b, width=_NARROW)
            top, log = first_answer(ask, lambda: None, refusals=NO_ANSWER), self._log
            self._terms[place] = log if top is None else ((b - 1) * top + log) / b
        return self._terms[place]

    @cached_property
    def _log(self) -> Fraction:
        """Return ln(1/γ), rounded up: the mean falls where γ rises."""
        assert self.shape is not None
        if self.mean == 1:
            return Fraction(0)
        low, high = Fraction(0), Fraction(1)  # of ln(1/γ)
        while self._is_below(high):
            low, high = high, 2 * high
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._is_below(middle) else (low, middle)
        return high

    def _is_below(self, log: Fraction) -> bool:
        """Return whether the mean number of runs is not certainly that at γ = e^−log, or less.

        Formula:
            η(1/γ − 1)/(1 − γ^η), or (1/γ − 1)/ln(1/γ) of η = 0.
        """
        with precision(_BITS + 2 * _STEPS):
            x, eta = arb(fmpq_of(log)), arb(fmpq_of(self.shape or Fraction(0)))
            share = x if not self.shape else -(-eta * x).expm1() / eta
            return not x.expm1() / share >= fmpq_of(self.mean)
