"""Randomized response: the truth, or one of the other answers uniformly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exactdp.mechanisms.bit_randomizer import BitRandomizer
from exactdp.mechanisms.message_bits import MessageBits
from exactdp.mechanisms.randomizer import Randomizer, alphabet_size, randomizer
from exactdp.numbers import EpsilonLike, Exact
from exactdp.numbers.arguments import privacy_epsilon

__all__ = ["randomized_response"]


@dataclass(frozen=True)
class _Responses(MessageBits):
    """Messages that are inputs: each has one bit that is 1, its own."""

    k: int

    @property
    def rate(self) -> Exact:
        """The mass of the messages whose bit of an input is 1, under B."""
        return 1 / Exact(self.k)

    @property
    def messages(self) -> int:
        """The number of messages."""
        return self.k

    def listed(self) -> range:
        """Return all messages."""
        return range(self.k)

    def bit(self, x: int, message: int) -> int:
        """Return the bit of an input in a message."""
        return int(x == message)

    def constant(self, bit: int) -> Exact:
        """Return the mass of the messages all of whose bits are this: there is none."""
        return Exact(0)

    def classes(self, inputs: int) -> int:
        """Return how many bits so many inputs may have."""
        return inputs + 1

    def law(self, inputs: Sequence[int]) -> Iterator[tuple[tuple[int, ...], Exact]]:
        """Yield the bits of different inputs, with their mass under B where there is any."""
        for x in inputs:
            yield tuple(int(x == y) for y in inputs), self.rate
        if len(inputs) < self.k:
            yield (0,) * len(inputs), 1 - len(inputs) * self.rate


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
    at = privacy_epsilon(epsilon)
    k = alphabet_size(k)
    bits = _Responses(k)
    return BitRandomizer.of_epsilon(bits, at, name=f"randomized_response({k}, {at!r})")
