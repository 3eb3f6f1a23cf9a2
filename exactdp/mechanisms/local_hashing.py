"""Local hashing: a random hash function, and randomized response on the hash of the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from flint import fmpz

from exactdp.divergences.description import SIZE, Parameter
from exactdp.errors import DomainError
from exactdp.mechanisms.bit_randomizer import BitRandomizer
from exactdp.mechanisms.message_bits import IndependentBits
from exactdp.mechanisms.randomizer import (
    Randomizer,
    alphabet_size,
    randomizer,
    refuse_large_matrix,
)
from exactdp.numbers import EpsilonLike, Exact

__all__ = ["local_hashing"]


@dataclass(frozen=True)
class _HashValues(IndependentBits):
    """A function of all, and a value: the bit of an input is 1 where it has that value.

    The values of a function drawn from all are independent and uniform.
    """

    k: int
    buckets: int
    advice: ClassVar[str] = "Pass a small hash_family, or lower k or buckets."

    @property
    def rate(self) -> Exact:
        """The mass of the messages whose bit of an input is 1, under B."""
        return 1 / Exact(self.buckets)

    @property
    def messages(self) -> int:
        """The number of messages."""
        return int(fmpz(self.buckets) ** (self.k + 1))

    def listed(self) -> Sequence[tuple[int, int]]:
        """Return all messages: the number of the function, in the order of tables, and a value."""
        return list(product(range(self.messages // self.buckets), range(self.buckets)))

    def bit(self, x: int, message: tuple[int, int]) -> int:
        """Return the bit of an input in a message."""
        function, value = message
        return int(function // self.buckets ** (self.k - 1 - x) % self.buckets == value)


@randomizer(
    "local_hashing",
    "Local hashing with all functions to ``buckets`` values, and randomized response on those.",
    Parameter("buckets", "g, the number of hash values", SIZE),
)
def local_hashing(
    k: int,
    epsilon: EpsilonLike,
    *,
    buckets: int,
    hash_family: Sequence[Sequence[int]] | None = None,
) -> Randomizer:
    """Return local hashing.

    Formula:
        R[x, (i, v)] = (1 / N) · e^ε / (e^ε + g − 1) if v = h_i(x), and
        (1 / N) · 1 / (e^ε + g − 1) otherwise, where g = buckets and the functions
        h_0, ..., h_{N−1} from {0, ..., k − 1} to {0, ..., g − 1} are the family.

    Meaning:
        Message labels are the pairs (i, v): the number of the function, drawn
        uniformly, and the noisy hash value. The exact LDP parameter is ε if some
        function takes two values, since it then separates two inputs; if all are
        constant the message is independent of the input and the parameter is 0.
        Binary local hashing has g = 2, optimal local hashing g near e^ε + 1.

    Args:
        k: The number of inputs, up to a million with all functions, whose matrix is listed up
            to a million entries.
        epsilon: ε.
        buckets: The number g of hash values, from 2 to a million.
        hash_family: The functions, each as its table (h(0), ..., h(k − 1));
            repetition is weight. By default all g^k functions, in lexicographic
            order of their tables.

    Source:
        Wang, Blocki, Li & Jha, Locally Differentially Private Protocols for
        Frequency Estimation, USENIX Security 2017, the sections on binary and
        optimal local hashing; for g = 2 Bassily & Smith 2015. Differs from the
        source: the family is explicit, by default all functions.

    Example:
        One function that tells input 0 from inputs 1 and 2:

        >>> from exactdp.numbers import Epsilon
        >>> hashing = local_hashing(3, Epsilon.log(3), buckets=2, hash_family=[(0, 1, 1)])
        >>> hashing.labels
        ((0, 0), (0, 1))
        >>> [[str(mass) for mass in hashing.row(x)] for x in range(3)]
        [['3/4', '1/4'], ['1/4', '3/4'], ['1/4', '3/4']]
    """
    bits = _HashValues(k, alphabet_size(buckets, name="buckets"))
    k, buckets, functions = bits.k, bits.buckets, len(hash_family or ())
    which = "1 function" if functions == 1 else f"{functions} functions"
    which = "all functions" if hash_family is None else which
    call = f"local_hashing({{}}, buckets={buckets}) with {which}"
    every = BitRandomizer.of_epsilon(bits, epsilon, call)
    if hash_family is None:
        return every
    refuse_large_matrix(k, buckets * functions, advice="Pass a smaller hash_family.")
    _check_family(hash_family, k, buckets)
    family = tuple(tuple(table) for table in hash_family)
    masses = [ratio / (buckets * functions) for ratio in every.ratios]  # of each, one object
    labels = tuple(product(range(functions), range(buckets)))
    rows = tuple(tuple(masses[family[i][x] == v] for i, v in labels) for x in range(k))
    return Randomizer(rows, name=every.name, labels=labels)


def _check_family(family: Sequence[Sequence[int]], k: int, buckets: int) -> None:
    if not family:
        raise DomainError("hash_family is empty. Give at least one function, as its table.")
    for i, table in enumerate(family):
        if not isinstance(table, Sequence):
            raise DomainError(
                f"hash_family[{i}] is of type {type(table).__name__}. "
                "Give the table (h(0), ..., h(k - 1))."
            )
        if len(table) != k:
            raise DomainError(
                f"hash_family[{i}] has {len(table)} values for k={k} inputs. "
                "Give the table (h(0), ..., h(k - 1))."
            )
        for x, value in enumerate(table):
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < buckets:
                raise DomainError(
                    f"hash_family[{i}][{x}]={value!r} is not a bucket. "
                    f"Give an int from 0 to {buckets - 1}."
                )
