"""Unary encodings: the input as k bits, one of them 1, each sent with independent noise.

Write B(x) for the bits of input x: bit number x is 1, all others are 0. A unary
encoding sends bit j as 1 with probability p if B(x)_j = 1 and q if it is 0.
"""

from __future__ import annotations

from itertools import product

from exactdp.mechanisms.randomizer import Randomizer, alphabet_size, randomizer, refuse_large_matrix
from exactdp.numbers import EpsilonLike, Exact
from exactdp.numbers.arguments import privacy_epsilon

__all__ = ["optimized_unary_encoding", "symmetric_unary_encoding"]


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
        k: The number of inputs, at most 15.
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
    _refuse_large(k)
    at = privacy_epsilon(epsilon)
    root = at.divided(2).exp
    keep = root / (root + 1)
    return _unary_encoding(k, keep, 1 - keep, name=f"symmetric_unary_encoding({k}, {at!r})")


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
    _refuse_large(k)
    at = privacy_epsilon(epsilon)
    return _unary_encoding(
        k, Exact("1/2"), 1 / (at.exp + 1), name=f"optimized_unary_encoding({k}, {at!r})"
    )


def _refuse_large(k: int) -> None:
    alphabet_size(k)
    refuse_large_matrix(k, 2**k, advice="Lower k to at most 15, or merge messages by hand.")


def _unary_encoding(k: int, p: Exact, q: Exact, *, name: str) -> Randomizer:
    # The mass depends only on the bit at place x and the number of ones elsewhere.
    elsewhere = [q**ones * (1 - q) ** (k - 1 - ones) for ones in range(k)]
    masses = [[factor * mass for mass in elsewhere] for factor in (1 - p, p)]
    messages = list(product((0, 1), repeat=k))
    return Randomizer(
        tuple(tuple(masses[bits[x]][sum(bits) - bits[x]] for bits in messages) for x in range(k)),
        name=name,
        labels=tuple("".join(map(str, bits)) for bits in messages),
    )
