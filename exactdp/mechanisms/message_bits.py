"""Messages with one bit for each input: alphabets of any size, without a matrix.

A message y of the named families has a bit b_x(y) for each input x, 1 if it is likelier where
the truth is x (a set holds x, bit number x is 1, a hash value is that of x), and the mass

    R[x, y] = B(y)·r(b_x(y)),

with one law B of messages for all inputs, and two numbers r(0) and r(1). So of some inputs in play
a message says no more than their bits: given these, all of them send it by the law B, and the
messages of equal bits merge without loss into one of mass B(bits)·r(b_x). Masses of bits are short
for any number of inputs, which the other bits do not enter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any, ClassVar

from exactdp.mechanisms.randomizer import alphabet_size
from exactdp.numbers import Exact

__all__ = ["ExchangeableBits", "IndependentBits", "MessageBits"]

_LONGEST = 4_096
"""Bits of the mass of one message, up to which what is seldom stands apart."""


class MessageBits(ABC):
    """The bits of messages, and their law B. Frozen data: two are equal if their messages are.

    Attributes:
        k: The number of inputs.
        telling: Any two inputs and a third, or one of the two, are like 0, 1 and one below this.
        advice: How the matrix gets small enough.
    """

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", alphabet_size(self.k))

    telling: ClassVar[int] = 3
    advice: ClassVar[str] = "Lower k."

    @property
    @abstractmethod
    def rate(self) -> Exact:
        """The mass of the messages whose bit of an input is 1, under B."""

    @property
    @abstractmethod
    def messages(self) -> int:
        """The number of messages."""

    @abstractmethod
    def listed(self) -> Sequence[Hashable]:
        """Return all messages, as labels."""

    @abstractmethod
    def bit(self, x: int, message: Any) -> int:
        """Return the bit of an input in a message."""

    @abstractmethod
    def law(self, inputs: Sequence[int]) -> Iterator[tuple[tuple[int, ...], Exact]]:
        """Yield the bits of different inputs, with their mass under B where there is any."""

    @abstractmethod
    def constant(self, bit: int) -> Exact | None:
        """Return the mass of the messages all of whose bits are this; None if it is too long."""

    def sort(self, message: Any) -> int:
        """Return the sort of a message: those of one have equal masses under B."""
        return 0

    def mass(self, sort: int) -> Exact:
        """Return the mass of one message of a sort."""
        return 1 / Exact(self.messages)

    @property
    def is_symmetric(self) -> bool:
        """True if each swap of two inputs is a relabeling of the messages."""
        return True

    def classes(self, inputs: int) -> int:
        """Return how many bits so many inputs may have, at most."""
        return 1 << inputs


class ExchangeableBits(MessageBits):
    """Bits whose law is that of any other inputs, too."""

    @abstractmethod
    def ones(self, inputs: int, ones: int) -> Exact:
        """Return the mass of the messages in which, of so many inputs, the first few are 1."""

    def law(self, inputs: Sequence[int]) -> Iterator[tuple[tuple[int, ...], Exact]]:
        """Yield the bits of different inputs, with their mass under B where there is any."""
        places = range(len(inputs))
        for count in reversed(range(len(inputs) + 1)):
            if (mass := self.ones(len(inputs), count)) != 0:
                for ones in combinations(places, count):
                    yield tuple(int(place in ones) for place in places), mass


class IndependentBits(ExchangeableBits):
    """Bits that are independent under B."""

    def ones(self, inputs: int, ones: int) -> Exact:
        """Return the mass of the messages in which, of so many inputs, the first few are 1."""
        return self.rate**ones * (1 - self.rate) ** (inputs - ones)

    def constant(self, bit: int) -> Exact | None:
        """Return the mass of the messages all of whose bits are this; None if it is too long."""
        base = self.rate if bit else 1 - self.rate
        return base**self.k if self.k * len(base.expression()) * 4 <= _LONGEST else None
