"""Randomized response: the truth, or one of the other answers uniformly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from exactdp.mechanisms.bit_randomizer import BitRandomizer
from exactdp.mechanisms.randomizer import Randomizer, randomizer
from exactdp.mechanisms.subset_selection import Subsets
from exactdp.numbers import EpsilonLike

__all__ = ["randomized_response"]


@dataclass(frozen=True)
class _Responses(Subsets):
    """Subsets of one input, by its number."""

    size: int = 1
    advice: ClassVar[str] = "Lower k."

    def listed(self) -> range:
        """Return all messages."""
        return range(self.k)

    def bit(self, x: int, message: int) -> int:
        """Return the bit of an input in a message."""
        return int(x == message)


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

    Args:
        k: The number of inputs, up to a million; the matrix is listed up to 1,000.
        epsilon: ε.

    Source:
        Kairouz, Oh & Viswanath, Extremal Mechanisms for Local Differential
        Privacy, JMLR 17 (2016), the definition of the randomized response
        mechanism; for k = 2 Warner 1965.

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> randomized_response(3, Epsilon.log(2)).row(1)
        (Exact('1/4'), Exact('1/2'), Exact('1/4'))
        >>> randomized_response(2, Epsilon.rational(1)).row(0)[0]
        <Exact: 0.73105857863000488 (exactly e/(e + 1))>
    """
    return BitRandomizer.of_epsilon(_Responses(k), epsilon, "randomized_response({})")
