"""Hadamard response: a random column, likelier where the input's Hadamard row is +1.

Sylvester's Hadamard matrix of order K, a power of two, has entries
H[i, y] = (−1)^{|i & y|}, where |i & y| counts the ones that the binary numbers i
and y have in common. Row 0 is all +1; every other row has K / 2 entries +1.
"""

from __future__ import annotations

from exactdp.mechanisms.randomizer import (
    Randomizer,
    alphabet_size,
    randomizer,
    refuse_large_matrix,
    two_masses,
)
from exactdp.numbers import EpsilonLike
from exactdp.numbers.arguments import privacy_epsilon

__all__ = ["hadamard_response"]


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
    alphabet_size(k)
    order = 1 << k.bit_length()  # the least power of two above k
    refuse_large_matrix(k, order, advice="Lower k to at most 976.")
    at = privacy_epsilon(epsilon)
    return two_masses(
        k,
        range(order),
        at,
        lambda x, y: ((x + 1) & y).bit_count() % 2 == 0,
        name=f"hadamard_response({k}, {at!r})",
    )
