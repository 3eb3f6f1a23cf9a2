"""The max divergence: the least ε of pure differential privacy for a pair.

Definitions: :func:`max_divergence`, :func:`max_divergence_both_directions`.

References: C. Dwork and A. Roth, The Algorithmic Foundations of Differential
Privacy, 2014.
"""

from __future__ import annotations

from typing import Any

from flint import fmpz

from exactdp.divergences.pair import Pair, ratio
from exactdp.numbers import Epsilon

__all__ = ["max_divergence", "max_divergence_both_directions"]


def max_divergence(pair: Pair) -> Epsilon:
    """Return the exact max divergence of P from Q.

    Formula:
        D_∞(P ‖ Q) = max over y with P(y) > 0 of ln(P(y) / Q(y)).

    Meaning:
        The least ε with P(S) <= e^ε·Q(S) for every event S; equivalently the
        least ε with H_{e^ε}(P ‖ Q) = 0. For one order of the pair.

    Args:
        pair: P and Q, with n outcomes.

    Returns:
        An Epsilon (nats), at least 0, with e^ε exact; plus infinity if some y has
        Q(y) = 0 < P(y). O(n) operations.

    Source:
        Dwork & Roth 2014, Definition 3.6.

    Example:
        >>> max_divergence(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
        Epsilon.log('3')
        >>> max_divergence(Pair.from_masses(["1/2", "1/2"], [1, 0]))
        Epsilon.infinity()
    """
    top: Any = fmpz(0)
    bottom: Any = fmpz(1)
    for a, b in pair:
        # The ratio grows; products of weights spare a division for each outcome.
        if a * bottom > top * b:
            if b == 0:
                return Epsilon.infinity()
            top, bottom = a, b
    return Epsilon(ratio(top, bottom) * ratio(pair.q_total, pair.p_total))


def max_divergence_both_directions(pair: Pair) -> Epsilon:
    """Return the larger of D_∞(P ‖ Q) and D_∞(Q ‖ P): the ε of the unordered pair.

    Returns:
        An Epsilon (nats), at least 0, or plus infinity.

    Example:
        The ratios P/Q are 3/2 and 1/2, so the reverse direction is larger:

        >>> pair = Pair.from_masses(["3/4", "1/4"], ["1/2", "1/2"])
        >>> max_divergence(pair), max_divergence_both_directions(pair)
        (Epsilon.log('3/2'), Epsilon.log('2'))
    """
    return max(max_divergence(pair), max_divergence(pair.reversed()))
