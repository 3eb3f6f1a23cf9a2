"""Hadamard response: a random column, likelier where the input's Hadamard row is +1.

Sylvester's Hadamard matrix of order K, a power of two, has entries
H[i, y] = (−1)^{|i & y|}, where |i & y| counts the ones that the binary numbers i
and y have in common. Row 0 is all +1; every other row has K / 2 entries +1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from exactdp.mechanisms.bit_randomizer import BitRandomizer
from exactdp.mechanisms.message_bits import MessageBits
from exactdp.mechanisms.randomizer import Randomizer, randomizer
from exactdp.numbers import EpsilonLike, Exact

__all__ = ["hadamard_response"]


@dataclass(frozen=True)
class _Columns(MessageBits):
    """The columns of the matrix: the bit of an input is 1 where its row has +1.

    B is uniform on columns, and the exponents of −1 in some rows are a linear function of the
    column, over the field of two elements: uniform on what it reaches.
    """

    k: int
    # Two different inputs are like any two; a third may be their sum, as 2 is of 0 and 1, or not.
    telling: ClassVar[int] = 4
    advice: ClassVar[str] = "Lower k to at most 976."

    @property
    def rate(self) -> Exact:
        """The mass of the messages whose bit of an input is 1, under B."""
        return Exact("1/2")

    @property
    def messages(self) -> int:
        """The number of messages, the least power of two above k."""
        return 1 << self.k.bit_length()

    def listed(self) -> range:
        """Return all messages."""
        return range(self.messages)

    def bit(self, x: int, message: int) -> int:
        """Return the bit of an input in a message."""
        return 1 - ((x + 1) & message).bit_count() % 2

    def constant(self, bit: int) -> Exact:
        """Return the mass of the messages all of whose bits are this: column 0 is all +1."""
        return 1 / Exact(self.messages) if bit else Exact(0)

    @property
    def is_symmetric(self) -> bool:
        """True if each swap of two inputs is a relabeling of the messages."""
        return self.k <= 3  # row 3 is the product of rows 1 and 2: rows 3 and 4 are not alike

    def classes(self, inputs: int) -> int:
        """Return how many bits so many inputs may have, at most."""
        return 1 << min(inputs, self.k.bit_length())

    def law(self, inputs: Sequence[int]) -> Iterator[tuple[tuple[int, ...], Exact]]:
        """Yield the bits of different inputs, with their mass under B where there is any."""
        reached = {(0,) * len(inputs)}
        for place in range(self.k.bit_length()):
            step = [(x + 1) >> place & 1 for x in inputs]
            reached |= {tuple(a ^ b for a, b in zip(one, step, strict=True)) for one in reached}
        for exponents in sorted(reached):
            yield tuple(1 - exponent for exponent in exponents), 1 / Exact(len(reached))


@randomizer(
    "hadamard_response",
    "Hadamard response.",
)
def hadamard_response(k: int, epsilon: EpsilonLike) -> Randomizer:
    """Return Hadamard response, in its form for high privacy (one block).

    Formula:
        R[x, y] = 2 e^ε / (K (e^ε + 1)) if H[x + 1, y] = +1, and
        2 / (K (e^ε + 1)) otherwise, where K is the least power of two above k and
        H is Sylvester's Hadamard matrix of order K (row 0 is left out).

    Meaning:
        Messages are the columns 0, ..., K − 1. The exact LDP parameter is ε: every
        mass is one of the two, and two different rows have +1 in K / 2 places
        each, so somewhere one has +1 and the other −1.

    Source:
        Acharya, Sun & Zhang, Hadamard Response: Estimating Distributions
        Privately, Efficiently, and with Little Communication, AISTATS 2019
        (arXiv:1802.04705), the scheme for the high privacy regime. Differs from
        the source: inputs and rows are numbered from 0.

    Example:
        Rows 1 and 2 of the matrix of order 4 are + − + − and + + − −:

        >>> from exactdp.numbers import Epsilon
        >>> response = hadamard_response(2, Epsilon.log(3))
        >>> [[str(mass) for mass in response.row(x)] for x in (0, 1)]
        [['3/8', '1/8', '3/8', '1/8'], ['3/8', '3/8', '1/8', '1/8']]
    """
    return BitRandomizer.of_epsilon(_Columns(k), epsilon, "hadamard_response({})")
