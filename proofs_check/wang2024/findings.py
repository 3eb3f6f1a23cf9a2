"""The numbers of ``findings.md``: Lemma 3, d = 17 items, n slots, gamma = 1, lambda_k = 1/2.

All n slots are full, so the number of messages tells whether the item was sent; given that it
was, the rest is the pair for beta = 1. So delta is lambda_k times that pair's.
"""

from fractions import Fraction
from typing import Any

from exactdp.numbers import Enclosure, Epsilon
from exactdp.shuffle import variation_ratio_pair

_D, _RATE, _DELTA, _WIDTH = 17, Fraction(1, 2), Fraction(1, 10**6), "1e-9"


def printed(n: int) -> Any:
    """Return the epsilon that Lemma 3 gives for delta = 1e-6 (its n are n - 1 others and one)."""
    pair = variation_ratio_pair(n, p="infinity", beta=_RATE, q=_D * _RATE)
    return pair.epsilon(_DELTA, relative_width=_WIDTH)


def truth(n: int) -> Any:
    """Return the epsilon of the shuffled messages for delta = 1e-6."""
    pair = variation_ratio_pair(n + 1, p="infinity", beta=1, q=_D)
    return pair.epsilon(_DELTA / _RATE, relative_width=_WIDTH)


def delta_at_printed(n: int) -> Enclosure:
    """Return the delta of the shuffled messages at the epsilon that Lemma 3 gives for 1e-6."""
    pair = variation_ratio_pair(n + 1, p="infinity", beta=1, q=_D)
    found: Any = pair.delta(Epsilon.rational(printed(n).upper), relative_width=_WIDTH)
    return Enclosure(_RATE * found.lower, _RATE * found.upper)
