"""The field's names for two questions about a pair, as functions.

H_γ(P ‖ Q) = sup over events S of P(S) − γ·Q(S) is the least δ with P(S) <= γ·Q(S) + δ for
every S; γ = e^ε, and ε is in nats.

References: C. Dwork and A. Roth, The Algorithmic Foundations of Differential Privacy,
2014, Definition 2.4, read for one ordered pair.
"""

from __future__ import annotations

from typing import overload

from exactdp.divergences.privacy_loss_distribution import FiniteProfile
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact
from exactdp.numbers.arguments import of_class

__all__ = ["hockey_stick_divergence", "total_variation"]


@overload
def hockey_stick_divergence(pair: FiniteProfile, epsilon: Epsilon) -> Exact: ...
@overload
def hockey_stick_divergence(pair: FiniteProfile, epsilon: EpsilonLike) -> Exact | Enclosure: ...
def hockey_stick_divergence(pair: FiniteProfile, epsilon: EpsilonLike) -> Exact | Enclosure:
    """Return the hockey-stick divergence H_{e^ε}(P ‖ Q): ``pair.delta(epsilon)``, exactly.

    Of a number of nats it is an enclosure where it would be too long.

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> hockey_stick_divergence(pair, Epsilon.log(2))
        Exact('1/4')
    """
    return _exact(pair).delta(epsilon)


def total_variation(pair: FiniteProfile) -> Exact | Enclosure:
    """Return the total variation distance of P and Q: ``pair.delta`` at ε = 0.

    Formula:
        TV(P, Q) = ½ Σ_y |P(y) − Q(y)| = H_1(P ‖ Q), the same in both directions. It is an
        enclosure where masses are powers of e without a short common rate.

    Example:
        >>> from exactdp.divergences import Pair
        >>> total_variation(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
        Exact('1/2')
    """
    return _exact(pair).delta(0)


def _exact(pair: FiniteProfile) -> FiniteProfile:
    return of_class(pair, FiniteProfile, name="pair", advice="Pass a Pair, or a view.")
