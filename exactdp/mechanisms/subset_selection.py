"""Subset selection: a random set of fixed size, likelier if it holds the input."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, perm
from typing import Any, ClassVar

from flint import fmpz

from exactdp.divergences.description import COUNT, Parameter
from exactdp.errors import DomainError
from exactdp.mechanisms.bit_randomizer import BitRandomizer
from exactdp.mechanisms.message_bits import ExchangeableBits
from exactdp.mechanisms.randomizer import Randomizer, randomizer
from exactdp.numbers import EpsilonLike, Exact
from exactdp.numbers.arguments import whole_number

__all__ = ["subset_selection"]


@dataclass(frozen=True)
class Subsets(ExchangeableBits):
    """The subsets of a size: the bit of an input is 1 where it is in the subset."""

    k: int
    size: int
    advice: ClassVar[str] = "Lower k, or take size nearer to 1 or to k."

    @property
    def rate(self) -> Exact:
        """The mass of the messages whose bit of an input is 1, under B."""
        return self.ones(1, 1)

    @property
    def messages(self) -> int:
        """The number of messages."""
        return int(fmpz.bin_uiui(self.k, self.size))

    def listed(self) -> Sequence[Hashable]:
        """Return all messages."""
        return list(combinations(range(self.k), self.size))

    def bit(self, x: int, message: Any) -> int:
        """Return the bit of an input in a message."""
        return int(x in message)

    def ones(self, inputs: int, ones: int) -> Exact:
        """Return the mass of the messages in which, of so many inputs, the first few are 1."""
        found = perm(self.size, ones) * perm(self.k - self.size, inputs - ones)
        return Exact(found) / perm(self.k, inputs)

    def classes(self, inputs: int) -> int:
        """Return how many bits so many inputs may have."""
        least = max(0, inputs - self.k + self.size)
        return sum(comb(inputs, ones) for ones in range(least, min(inputs, self.size) + 1))

    def constant(self, bit: int) -> Exact:
        """Return the mass of the messages all of whose bits are this: there is none."""
        return Exact(0)


@randomizer(
    "subset_selection",
    "Subset selection: a random set of ``size`` values, likelier to hold the input.",
    Parameter("size", "d, the size of the sets, from 1 to k − 1", COUNT),
)
def subset_selection(k: int, epsilon: EpsilonLike, *, size: int) -> Randomizer:
    """Return subset selection.

    Formula:
        R[x, S] = e^ε / Z if x is in S, and 1 / Z otherwise, where S runs over the
        subsets of {0, ..., k − 1} with d = size elements and
        Z = C(k − 1, d − 1) e^ε + C(k − 1, d).

    Meaning:
        Message labels are the subsets as increasing tuples, in lexicographic
        order. The exact LDP parameter is ε: every mass is e^ε / Z or 1 / Z, and
        since 1 <= d <= k − 1 each subset holds one input and misses another. With
        d = 1 it is k-ary randomized response.

    Args:
        k: The number of inputs, up to a million; the matrix is listed up to a million entries.
        epsilon: ε.
        size: The size d of the subsets, from 1 to k − 1.

    Source:
        Ye & Barg, Optimal Schemes for Discrete Distribution Estimation under
        Locally Differential Privacy, IEEE Trans. Inf. Theory 64 (2018), the
        scheme Q_{k,ε,d}; Wang et al., arXiv:1607.08025, the k-subset mechanism.

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> selection = subset_selection(3, Epsilon.log(2), size=2)
        >>> list(zip(selection.labels, map(str, selection.row(0))))
        [((0, 1), '2/5'), ((0, 2), '2/5'), ((1, 2), '1/5')]
    """
    bits = Subsets(k, whole_number(size, name="size", at_least=1))
    if bits.size >= bits.k:
        raise DomainError(
            f"size={bits.size} must be below k={bits.k}. A set of all inputs says nothing about "
            "one."
        )
    return BitRandomizer.of_epsilon(bits, epsilon, f"subset_selection({{}}, size={bits.size})")
