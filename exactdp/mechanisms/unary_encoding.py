"""Unary encodings: the input as k bits, one of them 1, each sent with independent noise.

Write B(x) for the bits of input x: bit number x is 1, all others are 0. A unary
encoding sends bit j as 1 with probability p if B(x)_j = 1 and q if it is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from exactdp.divergences.description import PROBABILITY, Parameter, described
from exactdp.mechanisms.bit_randomizer import BitRandomizer
from exactdp.mechanisms.message_bits import IndependentBits
from exactdp.mechanisms.randomizer import K, Randomizer, alphabet_size, randomizer
from exactdp.numbers import EpsilonLike, Exact, RationalLike
from exactdp.numbers.arguments import open_probability, privacy_epsilon, probability

__all__ = ["optimized_unary_encoding", "symmetric_unary_encoding", "unary_encoding"]


@dataclass(frozen=True)
class _Bits(IndependentBits):
    """Strings of k bits, under B each 1 with probability q."""

    k: int
    q: Exact
    advice: ClassVar[str] = "Lower k to at most 15."

    @property
    def rate(self) -> Exact:
        """The mass of the messages whose bit of an input is 1, under B."""
        return self.q

    @property
    def messages(self) -> int:
        """The number of messages."""
        return 1 << self.k

    def listed(self) -> Sequence[str]:
        """Return all messages."""
        return ["".join(bits) for bits in product("01", repeat=self.k)]

    def bit(self, x: int, message: str) -> int:
        """Return the bit of an input in a message."""
        return int(message[x])

    def sort(self, message: str) -> int:
        """Return the number of ones of a message."""
        return message.count("1")

    def mass(self, sort: int) -> Exact:
        """Return the mass of one message of so many ones."""
        return self.ones(self.k, sort)


@described(
    "unary_encoding",
    "Unary encoding, bit 1 kept with probability ``p``, and 0 sent as 1 with probability ``q``.",
    K,
    Parameter("p", "the probability of a 1 where the bit is 1", PROBABILITY),
    Parameter("q", "the probability of a 1 where the bit is 0, not 0 or 1", PROBABILITY),
    is_sampled=False,
)
def unary_encoding(k: int, *, p: Exact | RationalLike, q: Exact | RationalLike) -> Randomizer:
    """Return unary encoding with probabilities of one's own.

    Formula:
        R[x, b] = p^{b_x} (1 − p)^{1 − b_x} · Π_{j ≠ x} q^{b_j} (1 − q)^{1 − b_j}.

    Meaning:
        Message labels are strings of k bits, the bit of input 0 first, in lexicographic order.
        The exact LDP parameter is |ln(p (1 − q) / (q (1 − p)))|: of two inputs, the message has
        the bit of one and misses that of the other.

    Args:
        k: The number of inputs, up to a million; the matrix is listed up to 15.
        p: The probability of a 1 where the bit is 1.
        q: The probability of a 1 where the bit is 0; above 0 and below 1.

    Raises:
        DomainError: If p or q is outside its range.

    Source:
        Wang, Blocki, Li & Jha, Locally Differentially Private Protocols for
        Frequency Estimation, USENIX Security 2017, the section on unary encoding.

    Example:
        Of 1,024 bits, p/q = 2 and (1 − q)/(1 − p) = 3/2:

        >>> unary_encoding(1024, p="1/2", q="1/4").ldp_epsilon()
        Epsilon.log('3')
    """
    kept, sent = probability(p, name="p"), open_probability(q, name="q")
    k = alphabet_size(k)
    name = f"unary_encoding({k}, p={kept.argument}, q={sent.argument})"
    return _of_probabilities(k, kept, sent, name=name)


@randomizer(
    "symmetric_unary_encoding", "Unary encoding, every bit randomized alike (basic RAPPOR)."
)
def symmetric_unary_encoding(k: int, epsilon: EpsilonLike) -> Randomizer:
    """Return symmetric unary encoding (basic one-time RAPPOR).

    Formula:
        R[x, b] = s^m / (s + 1)^k with s = e^{ε/2} and m the number of places in
        which the bits b agree with B(x): each bit is kept with probability
        p = s / (s + 1), and q = 1 − p.

    Meaning:
        Message labels are strings of k bits, the bit of input 0 first, in
        lexicographic order ("00", "01", "10", "11"). The exact LDP parameter is
        ε: B(x) and B(x') differ in two places, so the ratio is at most s² = e^ε,
        and the messages that agree with B(x) in both attain it.

    Args:
        k: The number of inputs, up to a million; the matrix is listed up to 15.
        epsilon: ε, with e^{ε/2} in the exact field: any rational number of nats, or
            ln(a²), a rational.

    Source:
        Wang, Blocki, Li & Jha, Locally Differentially Private Protocols for
        Frequency Estimation, USENIX Security 2017, the section on unary encoding
        (SUE); Erlingsson, Pihur & Korolova 2014 (basic RAPPOR).

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> [str(mass) for mass in symmetric_unary_encoding(2, Epsilon.log(4)).row(0)]
        ['2/9', '1/9', '4/9', '2/9']
    """
    k = alphabet_size(k)
    at = privacy_epsilon(epsilon)
    root = at.divided(2).exp
    keep = root / (root + 1)
    return _of_probabilities(k, keep, 1 - keep, name=f"symmetric_unary_encoding({k}, {at!r})")


@randomizer("optimized_unary_encoding", "Unary encoding with bit 1 kept with probability 1/2.")
def optimized_unary_encoding(k: int, epsilon: EpsilonLike) -> Randomizer:
    """Return optimized unary encoding.

    Formula:
        R[x, b] = (1/2) · e^{ε z} / (e^ε + 1)^{k−1} with z the number of zeros of b
        outside place x: bit j is 1 with probability p = 1/2 if j = x and
        q = 1 / (e^ε + 1) otherwise.

    Meaning:
        Messages as for the symmetric one. The exact LDP parameter is ε: R[x, b] / R[x', b] is
        e^{ε (b_x − b_x')}, which is e^ε for the messages with b_x = 1 and b_x' = 0.

    Source:
        Wang, Blocki, Li & Jha, Locally Differentially Private Protocols for
        Frequency Estimation, USENIX Security 2017, the section on unary encoding
        (OUE).

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> encoding = optimized_unary_encoding(2, Epsilon.log(3))
        >>> list(zip(encoding.labels, map(str, encoding.row(0))))
        [('00', '3/8'), ('01', '1/8'), ('10', '3/8'), ('11', '1/8')]
    """
    k = alphabet_size(k)
    at = privacy_epsilon(epsilon)
    name = f"optimized_unary_encoding({k}, {at!r})"
    return _of_probabilities(k, Exact("1/2"), 1 / (at.exp + 1), name=name)


def _of_probabilities(k: int, p: Exact, q: Exact, *, name: str) -> Randomizer:
    return BitRandomizer(_Bits(k, q), ((1 - p) / (1 - q), p / q), name=name)
