r"""Rényi divergences of the best of several runs, for any scores: see ``runs``.

With x(a) of :meth:`Runs.excess`, G(0) the probability of no run and D_a a bound of one run in both
orders,

    D'_a <= ln(G(0) + E K·e^((a − 1)(D_a + x(a))))/(a − 1).

Reference: N. Papernot and T. Steinke, Hyperparameter Tuning with Rényi Differential Privacy, 2022,
Theorems 2 and 6. Differs from Theorem 6: G(0), the probability of no run, is there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb

from exactdp.accounting.selection.least_step import DeltaAbove
from exactdp.accounting.selection.runs import Runs
from exactdp.divergences.chernoff import Bounded
from exactdp.divergences.values import BOUND_BITS
from exactdp.numbers import Epsilon, Exact, Number, fmpq_of, precision
from exactdp.numbers.balls import endpoints

__all__ = ["BestOfRuns"]


@dataclass(frozen=True)
class BestOfRuns:
    """The best output of a random number of runs, of which only that one is told.

    Attributes:
        one: The bounds of one run, in both orders.
        runs: The law of their number.
        delta: Returns a bound of δ(ε) of one run, the larger of both orders.

    Example:
        Geometric runs of mean 2 of what has D_a = a/2: at a = 3 it is 3/2 + ln(2)/2, and twice
        the least (b − 1)/2 + ln(2)/b, which is √(2 ln 2) − 1/2 = 0.67741.

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> one = gaussian_mechanism(sigma=1)
        >>> best = BestOfRuns(one, Runs.geometric(mean=2), lambda at, width: Fraction(1))
        >>> round(float(best.renyi_bound(Fraction(3), width=Fraction(1, 100))), 4)
        3.2014
    """

    one: Bounded
    runs: Runs
    delta: DeltaAbove

    @cached_property
    def _excess(self) -> Callable[[Fraction], Fraction] | None:
        return self.runs.excess(self.one, self.delta)

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return the bound of the header; None if none is known."""
        top, excess = self.one.renyi_bound(order, width=width), self._excess
        if top is None or excess is None:
            return None
        none, mean = (x.ball(BOUND_BITS) for x in (self.runs.generating(Exact(0)), self.runs.mean))
        with precision(BOUND_BITS):
            power = arb(fmpq_of(order - 1))
            found = mean * (power * arb(fmpq_of(top + excess(order)))).exp()
            return endpoints((none + found).log() / power)[1]

    def max_divergence(self) -> Epsilon | Number:
        """Return a bound as a and b grow: (2 + η)D_∞, or D_∞ + μδ(0)."""
        top = self.one.max_divergence()
        if isinstance(top, Epsilon):
            if top.is_infinite:
                return top
            top = top.nats
        if self.runs.pure is not None:
            return Exact(self.runs.pure) * top
        return top + Exact(self.runs.growth(self.delta) or 0)
