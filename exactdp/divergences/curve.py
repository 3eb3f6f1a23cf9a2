"""The privacy curve: δ as an exact function of γ = e^ε, and its inverse.

For a pair of finite laws, γ -> H_γ(P ‖ Q) is convex, nonincreasing and piecewise
linear on γ >= 0; it bends exactly at the positive finite likelihood ratios. So
the whole curve, and ε as a function of δ, are known exactly.

Definitions: :class:`PrivacyCurve`, :class:`UpperEnvelope`, :func:`upper_envelope`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from flint import fmpz

from exactdp.divergences.likelihood import Ratio, finite_ratios, sufficient_pair
from exactdp.divergences.pair import Pair, Weight, ratio
from exactdp.divergences.validation import nonnegative_exp_epsilon, probability
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, RationalLike

__all__ = ["PrivacyCurve", "UpperEnvelope", "upper_envelope"]


@dataclass(frozen=True, slots=True, repr=False)
class PrivacyCurve:
    """The function γ -> H_γ(P ‖ Q) of a pair, exactly.

    Two curves are equal (==) exactly if they are equal as functions on γ >= 0. A
    curve is about one ordered pair; see :func:`upper_envelope` for the worst case.

    Attributes:
        pair: The pair in canonical form: one outcome for each likelihood ratio,
            ascending.

    Example:
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> curve = PrivacyCurve.from_pair(coin)
        >>> curve.breakpoints
        (Exact('1/3'), Exact('3'))
        >>> curve.delta(exp_epsilon=2)
        Exact('1/4')
        >>> curve.epsilon(delta="1/4")
        Epsilon.log('2')
    """

    pair: Pair
    _ratios: Sequence[Ratio] = field(init=False, compare=False)
    _p_from: Sequence[Weight] = field(init=False, compare=False)
    _q_from: Sequence[Weight] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        pair = sufficient_pair(self.pair)
        object.__setattr__(self, "pair", pair)
        object.__setattr__(self, "_ratios", finite_ratios(pair))
        object.__setattr__(self, "_p_from", _suffix_sums(pair.p))
        object.__setattr__(self, "_q_from", _suffix_sums(pair.q))

    @classmethod
    def from_pair(cls, pair: Pair) -> PrivacyCurve:
        """Return the curve of a pair, O(n log n) operations for n outcomes."""
        return cls(pair)

    @property
    def breakpoints(self) -> tuple[Exact, ...]:
        """The γ > 0 at which the slope changes: the positive finite P/Q, ascending."""
        return tuple(_exact(r) for r in self._ratios if r != 0)

    @property
    def vertices(self) -> tuple[tuple[Exact, Exact], ...]:
        """The (γ, δ) at γ = 0 and at each breakpoint; the curve is linear in between.

        From the last vertex on it is constant.

        Example:
            >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])
            >>> PrivacyCurve.from_pair(pair).vertices
            ((Exact('0'), Exact('1')), (Exact('1/2'), Exact('1/2')))
        """
        first = (Exact(0), Exact(1))
        return (first, *((gamma, self.delta(exp_epsilon=gamma)) for gamma in self.breakpoints))

    def delta(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return H_γ(P ‖ Q) for γ = exp_epsilon, with O(log n) comparisons.

        Args:
            exp_epsilon: γ = e^ε, at least 0.

        Returns:
            An exact number in [0, 1].

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.
        """
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        return self._line(bisect_right(self._ratios, gamma), gamma)

    def epsilon(self, *, delta: Exact | RationalLike) -> Epsilon:
        """Return the smallest ε >= 0 with H_{e^ε}(P ‖ Q) <= δ.

        Args:
            delta: δ, from 0 to 1.

        Returns:
            The Epsilon (nats), with e^ε exact; plus infinity if δ is below the
            limit of the curve, which is P(Q = 0).

        Raises:
            DomainError: If delta is below 0 or above 1, or a float.

        Example:
            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> curve = PrivacyCurve.from_pair(coin)
            >>> curve.epsilon(delta=0), curve.epsilon(delta="1/2")
            (Epsilon.log('3'), Epsilon.rational('0'))
            >>> PrivacyCurve.from_pair(Pair.from_masses(["1/2", "1/2"], [1, 0])).epsilon(delta=0)
            Epsilon.infinity()
        """
        bound = probability(delta, name="delta")
        if self.delta(exp_epsilon=1) <= bound:
            return Epsilon.log(1)
        # The first ratio r with δ(r) <= bound: δ(1) is above it, so r > 1, and the
        # crossing lies on the line that ends at r, whose active outcomes are >= r.
        index = bisect_left(
            range(len(self._ratios)), x=True, key=lambda i: self._at_ratio(i) <= bound
        )
        if index == len(self._ratios):
            return Epsilon.infinity()
        excess = ratio(self._p_from[index], self.pair.p_total) - bound
        return Epsilon(excess / ratio(self._q_from[index], self.pair.q_total))

    def _at_ratio(self, index: int) -> Exact:
        return self._line(index, _exact(self._ratios[index]))

    def _line(self, index: int, gamma: Exact) -> Exact:
        """Return P(S) − γ·Q(S) for the outcomes S from ``index`` on."""
        p, q = self._p_from[index], self._q_from[index]
        return ratio(p, self.pair.p_total) - gamma * ratio(q, self.pair.q_total)

    def __repr__(self) -> str:
        return f"<PrivacyCurve with {len(self.breakpoints)} breakpoints>"


@dataclass(frozen=True, slots=True)
class UpperEnvelope:
    """The pointwise largest of several privacy curves: the worst case over instances.

    Attributes:
        curves: The curves, at least one.

    Raises:
        DomainError: If there is no curve.

    Example:
        >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> worst = upper_envelope(PrivacyCurve.from_pair(p) for p in (pair, pair.reversed()))
        >>> worst.delta(exp_epsilon="1/2"), worst.delta(exp_epsilon=2)
        (Exact('3/4'), Exact('1/2'))
    """

    curves: tuple[PrivacyCurve, ...]

    def __post_init__(self) -> None:
        if not self.curves:
            raise DomainError("curves is empty, and has no largest. Give at least one curve.")

    def delta(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return the largest δ of the curves at γ = exp_epsilon.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.
        """
        return max(curve.delta(exp_epsilon=exp_epsilon) for curve in self.curves)

    def epsilon(self, *, delta: Exact | RationalLike) -> Epsilon:
        """Return the smallest ε >= 0 at which every curve is at most δ.

        Raises:
            DomainError: If delta is below 0 or above 1, or a float.

        Example:
            >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])
            >>> worst = upper_envelope(PrivacyCurve.from_pair(p) for p in (pair, pair.reversed()))
            >>> worst.epsilon(delta="1/2"), worst.epsilon(delta="1/4")
            (Epsilon.rational('0'), Epsilon.infinity())
        """
        return max(curve.epsilon(delta=delta) for curve in self.curves)


def upper_envelope(curves: Iterable[PrivacyCurve]) -> UpperEnvelope:
    """Return the pointwise largest of several curves, exactly.

    Raises:
        DomainError: If there is no curve.

    Example:
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> upper_envelope([PrivacyCurve.from_pair(coin)]).delta(exp_epsilon=2)
        Exact('1/4')
    """
    return UpperEnvelope(tuple(dict.fromkeys(curves)))


def _suffix_sums(weights: Sequence[Weight]) -> list[Weight]:
    """Return the sums of weights[i:] for i = 0, ..., n."""
    zero: Any = fmpz(0)
    return list(accumulate(reversed(weights), initial=zero))[::-1]


def _exact(r: Ratio) -> Exact:
    return r if isinstance(r, Exact) else Exact(r)
