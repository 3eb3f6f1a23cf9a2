"""Randomized response: the truth, or one of the other answers uniformly."""

from __future__ import annotations

import operator

from exactdp.mechanisms.randomizer import Randomizer, alphabet_size, randomizer, two_masses
from exactdp.numbers import EpsilonLike
from exactdp.numbers.arguments import privacy_epsilon

__all__ = ["randomized_response"]


@randomizer(
    "randomized_response",
    "k-ary randomized response.",
)
def randomized_response(k: int, epsilon: EpsilonLike) -> Randomizer:
    """Return k-ary randomized response.

    Formula:
        R[x, y] = e^ε / (e^ε + k − 1) if y = x, and 1 / (e^ε + k − 1) otherwise.

    Meaning:
        Inputs and messages are 0, ..., k − 1. Its exact LDP parameter is ε: in
        every column the masses are e^ε and 1 over one denominator, and both occur.

    Source:
        Kairouz, Oh & Viswanath, Extremal Mechanisms for Local Differential
        Privacy, JMLR 17 (2016), the definition of the randomized response
        mechanism; for k = 2 Warner 1965.

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> randomized_response(3, Epsilon.log(2)).row(1)
        (Exact('1/4'), Exact('1/2'), Exact('1/4'))
        >>> randomized_response(2, Epsilon.rational(1)).row(0)[0]
        Exact('e/(e + 1)')
    """
    alphabet_size(k)
    at = privacy_epsilon(epsilon)
    name = f"randomized_response({k}, {at!r})"
    return two_masses(k, range(k), at, operator.eq, name=name)
