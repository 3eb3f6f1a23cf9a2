"""The trade-off function of a pair: the best test between P and Q, exactly.

A test φ rejects "the outcome came from P" with probability φ(y). Its type I error
is E_P φ, its type II error 1 − E_Q φ. For finite laws the trade-off function

    T(P, Q)(α) = inf { 1 − E_Q φ : 0 <= φ <= 1, E_P φ <= α }

is convex, nonincreasing and piecewise linear on [0, 1]; by the Neyman-Pearson
lemma the best tests reject the outcomes with the smallest P/Q first.

References: J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from flint import fmpz

from exactdp.divergences.likelihood import Weight, ratio
from exactdp.divergences.pair import Pair
from exactdp.divergences.privacy_loss_distribution import FiniteProfile, PrivacyLossDistribution
from exactdp.numbers import Exact, RationalLike
from exactdp.numbers.validated import validated

__all__ = ["TradeOffFunction", "trade_off_function"]


@validated
@dataclass(frozen=True, repr=False)
class TradeOffFunction:
    """The function α -> T(P, Q)(α), exactly. Equal (==) exactly if equal on [0, 1].

    Relation to the hockey stick (convex duality):
        H_γ(P ‖ Q) = max over α of 1 − α − γ·T(P, Q)(α), attained at a vertex.

    Attributes:
        losses: The law of the privacy loss.

    Example:
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> trade_off_function(coin).type_two_error(alpha="1/8")
        Exact('5/8')
    """

    losses: PrivacyLossDistribution

    @cached_property
    def vertices(self) -> tuple[tuple[Exact, Exact], ...]:
        """The points (α, T(α)) from α = 0 to α = 1; T is linear in between.

        Example:
            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> trade_off_function(coin).vertices
            ((Exact('0'), Exact('1')), (Exact('1/4'), Exact('1/4')), (Exact('1'), Exact('0')))
        """
        pair = Pair.from_losses(self.losses)
        zero: Weight = fmpz(0)
        points = tuple(
            (ratio(a, pair.p_total), 1 - ratio(b, pair.q_total))
            for a, b in zip(
                accumulate(pair.p, initial=zero), accumulate(pair.q, initial=zero), strict=True
            )
        )
        # Outcomes that only Q has are rejected at no cost: T starts below 1.
        return points[1:] if pair.p[0] == 0 else points

    def type_two_error(self, *, alpha: Exact | RationalLike) -> Exact:
        """Return T(P, Q)(α): the least type II error of a test of level α.

        Raises:
            DomainError: If α, the level, is below 0 or above 1.

        Example:
            Q has mass 1/2 where P has none, so it is missed half of the time at
            no cost, and less often the larger α is:

            >>> free = Pair.from_masses([1, 0], ["1/2", "1/2"])
            >>> [trade_off_function(free).type_two_error(alpha=a) for a in (0, "1/2", 1)]
            [Exact('1/2'), Exact('1/4'), Exact('0')]
        """
        found = self.losses.trade_off(alpha)
        assert isinstance(found, Exact)
        return found

    def __repr__(self) -> str:
        return f"<TradeOffFunction with {len(self.vertices)} vertices>"


@validated
def trade_off_function(pair: FiniteProfile) -> TradeOffFunction:
    """Return the exact trade-off function T(P, Q) of a pair.

    Formula:
        T(P, Q)(α) = inf { 1 − E_Q φ : E_P φ <= α }: P is the null hypothesis.

    T(Q, P), of the reversed pair, is the inverse function.

    Source:
        Dong, Roth & Su 2022, Definition 2.1.

    Example:
        Equal laws cannot be told apart, T(α) = 1 − α:

        >>> same = Pair.from_masses(["1/3", "2/3"], ["1/3", "2/3"])
        >>> trade_off_function(same).vertices
        ((Exact('0'), Exact('1')), (Exact('1'), Exact('0')))
    """
    return TradeOffFunction(pair.losses())
