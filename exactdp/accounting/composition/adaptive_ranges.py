"""Adaptive composition of the exponential mechanism: the optimum, over all that an analyst does.

A mechanism of bounded range has the δ of no one pair, and an analyst who sees each answer before
the next choice gains by it. What the best of them reaches is a recursion over curves
(``sums.lattices.adaptive``), so it is enclosed to any width, where pairs that dominate each
mechanism are some 15 % above it after 20 choices.

Reference: J. Dong, D. Durfee and R. Rogers, Optimal Differential Privacy Composition for
Exponential Mechanisms, ICML 2020.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt

from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.between_pairs import BetweenPairs
from exactdp.divergences.dots import pairs_through
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import WIDE, Bounds, enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms import BoundedRange
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    enclosure,
    is_log_below,
)
from exactdp.numbers.arguments import open_probability
from exactdp.numbers.limits import MAX_FLOAT_STEPS
from exactdp.numbers.validated import validated
from exactdp.sums.lattices.adaptive import AdaptiveLattice

__all__ = ["MOST_CHOICES", "MOST_TO_WIDTH", "AdaptiveRanges"]

MOST_CHOICES = 5000
"""Mechanisms that are composed so: with more of them a lattice that answers is no nearer than pairs
that dominate each mechanism."""

MOST_TO_WIDTH = 400
"""Mechanisms of which a width is reached or refused, and which stand beside others; of more, for
which lattices are coarser, bounds are told."""

_COARSEST = 16
"""The parts of a range on the first lattice, fewer where it would have too many points; each next
one has twice as many."""

_POINTS, _REST = 800, Fraction(1, 10**9)
"""The outputs of finite pairs between which a trade-off lies, and the δ at which they end."""

_CHEAP = 1 << 12
"""Points of a lattice that takes so little that the next one is asked, too: an ε to a quarter of
the width."""


@validated
@dataclass(frozen=True, slots=True)
class AdaptiveRanges(BetweenPairs):
    """The worst case of mechanisms of one bounded range, chosen adaptively, as one pair.

    Chosen last, when all else is known, they have the δ of one pair beside it.

    Formula:
        δ(ε) = h_k(e^ε), h_0(x) = max(0, 1 − x), h_k(x) = sup_t E h_(k−1)(x e^(−L_t)), where L_t has
        the values t and t − r, as of :meth:`BoundedRange.pair`.

    Source:
        Dong, Durfee & Rogers 2020, Section 4: the adversary's choice of t.

    Attributes:
        size: r, above 0, in nats.
        times: k, from 1 to 5,000.

    Example:
        Once it is the mechanism itself, and two in a row need less than twice as much:

        >>> from exactdp.mechanisms import exponential_mechanism
        >>> once = AdaptiveRanges(Fraction(1), 1).delta(Epsilon.rational(0), relative_width="1e-3")
        >>> exact = exponential_mechanism(scale=2).delta(Epsilon.rational(0))
        >>> once.lower <= exact <= once.upper
        True
        >>> AdaptiveRanges(Fraction(1), 2).epsilon("1/100").upper < 2
        True
    """

    size: Fraction
    times: int

    def __post_init__(self) -> None:
        """Refuse a range below 0, and more ranges than the limit."""
        if self.size <= 0:
            raise DomainError(f"size={self.size} is not above 0. Pass a range of losses in nats.")
        if not 1 <= self.times <= MOST_CHOICES:
            raise DomainError(
                f"times={self.times} is not from 1 to {MOST_CHOICES}. Compose fewer mechanisms."
            )

    note = "Adaptive: each exponential mechanism may be chosen by what the others answered."

    def _deltas(
        self, epsilon: Epsilon, width: Fraction, target: Exact | None = None
    ) -> Iterator[Enclosure]:
        gamma = epsilon.exp
        beyond = 1 - gamma if gamma < 1 else Exact(0)
        # Decided, as of two epsilons.
        if not is_log_below(1 / gamma if beyond else gamma, self.max_divergence()).is_certain:
            yield enclosed(beyond, width)
            return
        for parts in self._sizes():
            found = self._lattice(parts).delta(epsilon.nats)
            yield found
        yield from self._last(found)

    def _epsilons(self, delta: Exact, width: Fraction) -> Iterator[Enclosure]:
        goal = enclosed(open_probability(delta, name="delta"), width / 2**16)
        for parts in self._sizes():
            found = self._lattice(parts).crossing(goal)
            if parts * self.times >= _CHEAP or found.is_narrow(width / 4):
                yield found
        yield from self._last(found)

    def _last(self, found: Enclosure) -> Iterator[Bounds]:
        """Yield the best that was found as bounds, where no width is promised."""
        if self.times > MOST_TO_WIDTH:
            by = "what an analyst reaches, on a lattice"
            yield Bounds(found.lower, found.upper, by, by)

    def _lattice(self, parts: int) -> AdaptiveLattice:
        return AdaptiveLattice(Exact(self.size / parts), parts, self.times)

    def _sizes(self) -> Iterator[int]:
        """Yield numbers of parts of a range, each twice the last one, as long as it is feasible."""
        parts, most = _COARSEST, isqrt(MAX_FLOAT_STEPS) // self.times
        while parts > most:
            parts //= 2
        while parts <= most:
            yield parts
            parts *= 2

    def max_divergence(self) -> Epsilon:
        """Return the supremum of the losses, k·r."""
        return Epsilon.rational(self.size * self.times)

    def reversed(self) -> AdaptiveRanges:
        """Return itself: with a pair, the reversed one is among them."""
        return self

    def _renyi_at(self, order: Fraction) -> Number:
        # The recursion on powers of x is a product: the same t is the best one each time.
        return self.times * BoundedRange(self.size)._renyi_at(order)

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        if self.times <= MOST_TO_WIDTH:
            return PrivacyProfile._trade_off_within(self, level, width)
        high, low = (pair.trade_off(level) for pair in self.pairs_near(_POINTS, _REST))
        found = Enclosure(enclosed(low, width / 4).lower, enclosed(high, width / 4).upper)
        return found if found.is_narrow(width) else next(self._last(found))

    def pairs_near(
        self,
        size: int,
        rest: Fraction,
        knots: Placing | None = None,
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, of about so many outputs; above δ ends at rest.

        They lie on the lattice of the recursion, equally spaced, at ratios that are rounded.
        """
        found = self.epsilon(Exact(min(rest, Fraction(1, 2))), relative_width=WIDE)
        assert isinstance(found, Enclosure)
        parts = min(max(_COARSEST, size), isqrt(MAX_FLOAT_STEPS) // self.times)
        stride = max(1, ceil(2 * found.upper * parts / (self.size * size)))
        step, middle = stride * self.size / parts, parts * self.times
        # Twice the bits of a step: what is rounded matters less than what is between two points.
        bits = 8 + 2 * size.bit_length() + rest.denominator.bit_length()
        places, points = (
            bits + 2 * ceil(found.upper),
            min(ceil(found.upper / step), middle // stride),
        )
        chosen = (Exact.exp(i * step) for i in range(-points, points + 1))
        ratios = [enclosure(x, relative_bits=places) for x in chosen]
        curve = self._lattice(parts).curve()[middle - points * stride :: stride]
        # As γ falls δ rises, by no more.
        values = [
            Enclosure(one.lower, one.upper + x.width) for one, x in zip(curve, ratios, strict=False)
        ]
        return pairs_through(
            [x.lower for x in ratios], values, (Fraction(0), Fraction(0)), unit=1 << bits
        )
