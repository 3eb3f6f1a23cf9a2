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
from exactdp.divergences.dots import pairs_through
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import Bounds, enclosed
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import BoundedRange
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    is_log_below,
    log,
    precision,
    short,
)
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import floor_of
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

_HALF, _WIDE = Fraction(1, 2), Fraction(1, 8)
"""The largest δ whose ε is the end of a polygon, and the relative width of that ε."""

_POINTS, _REST = 800, Fraction(1, 10**9)
"""The outputs of finite pairs between which a trade-off lies, and the δ at which they end."""

_CHEAP = 1 << 12
"""Points of a lattice that takes so little that the next one is asked, too: an ε to a quarter of
the width."""

_LATTICE = "what an analyst reaches, on a lattice"
"""What the ends are of that are told where no width is reached."""

_NOTHING = Fraction(0), Fraction(0)
"""What P has where Q has none, and Q where P has none."""


@validated
@dataclass(frozen=True, slots=True)
class AdaptiveRanges(PrivacyProfile):
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

    usual_width = Fraction(1, 100)

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

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of δ(ε): 1e-2 relative if no width is given.

        Raises:
            UndecidedError: If the width is not reached.
        """
        width = self.usual_width if relative_width is None else checked_width(relative_width)
        return self._told("δ", self._near(any_epsilon(epsilon), width, None), width)

    def _told(self, what: str, found: Enclosure, width: Fraction) -> Enclosure:
        """Return the best that was found, if it is to a width or no width is promised."""
        if found.is_narrow(width):
            return found
        if self.times > MOST_TO_WIDTH:
            return Bounds(found.lower, found.upper, _LATTICE, _LATTICE)
        raise UndecidedError(
            f"relative_width={short(width)} is not reached: {what} is {found:.3g}. "
            "Ask for a wider enclosure."
        )

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε): to a width, told from a target, or the best there is."""
        return self._near(epsilon, width, target)

    def _near(self, epsilon: Epsilon, width: Fraction, target: Exact | None) -> Enclosure:
        gamma = epsilon.exp
        beyond = 1 - gamma if gamma < 1 else Exact(0)
        # Decided, as of two epsilons.
        if not is_log_below(1 / gamma if beyond else gamma, self.max_divergence()).is_certain:
            return enclosed(beyond, width)
        found = Enclosure(Fraction(0), Fraction(1))
        for parts in self._sizes():
            step = Exact(self.size / parts)
            found = AdaptiveLattice(step, parts, self.times).delta(epsilon.nats)
            if found.is_narrow(width):
                break
            if target is not None and found.is_above(target) is not None:
                break
        return found

    def _sizes(self) -> Iterator[int]:
        """Yield numbers of parts of a range, each twice the last one, as long as it is feasible."""
        parts, most = _COARSEST, isqrt(MAX_FLOAT_STEPS) // self.times
        while parts > most:
            parts //= 2
        while parts <= most:
            yield parts
            parts *= 2

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return ε, read off a curve."""
        goal, found = enclosed(target, width / 2**16), Enclosure(Fraction(0), Fraction(1))
        for parts in self._sizes():
            found = AdaptiveLattice(Exact(self.size / parts), parts, self.times).crossing(goal)
            enough = width / 4 if parts * self.times < _CHEAP else width
            if found.is_narrow(enough):
                break
        return self._told("ε", found, width)

    def max_divergence(self) -> Epsilon:
        """Return k·r: a supremum."""
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
        ends = enclosed(low, width / 4).lower, enclosed(high, width / 4).upper
        return self._told("the error", Enclosure(*ends), width)

    def pairs_near(
        self,
        size: int,
        rest: Fraction,
        knots: Placing | None = None,
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, of about so many outputs; above δ ends at rest.

        They lie on the lattice of the recursion, equally spaced. Their ranges are a little smaller
        and a little larger, so that ratios are rational.
        """
        found = self.epsilon(Exact(min(rest, _HALF)), relative_width=_WIDE)
        assert isinstance(found, Enclosure)
        low, high = (self._pair_near(size, found.upper, rest, end) for end in (0, 1))
        return low, high

    def _pair_near(self, size: int, reach: Fraction, rest: Fraction, end: int) -> Pair:
        """Return the pair below (0) or above (1), of points up to about the ε ``reach``."""
        parts = min(max(_COARSEST, size), isqrt(MAX_FLOAT_STEPS) // self.times)
        stride = max(1, ceil(2 * reach * parts / (self.size * size)))
        bits = 16 + 2 * size.bit_length()  # the error of a range is less than what a step makes
        with precision(bits + 32):
            near = Exact.exp(stride * self.size / parts).ball(bits + 32)
            base = Fraction(int(floor_of(near * 2**bits)) + end, 2**bits)
        curve = AdaptiveLattice(log(Exact(base)) / stride, parts, self.times).curve()
        middle = parts * self.times
        points = ceil(reach * parts / (self.size * stride))
        chosen = range(-min(points, middle // stride), min(points, middle // stride) + 1)
        values = [curve[middle + i * stride] for i in chosen]
        # Twice the bits of a step: what is rounded matters less than what is between two points.
        unit = 1 << (8 + 2 * size.bit_length() + rest.denominator.bit_length())
        return pairs_through([base**i for i in chosen], values, _NOTHING, unit=unit)[end]
