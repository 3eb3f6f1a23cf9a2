"""Group privacy: the guarantee for k records that (ε, δ) for one record implies, exactly.

References: C. Dwork and A. Roth, The Algorithmic Foundations of Differential
Privacy, 2014; S. Vadhan, The Complexity of Differential Privacy, 2017.
"""

from __future__ import annotations

from exactdp.numbers import Epsilon, EpsilonLike, Exact, RationalLike
from exactdp.numbers.arguments import privacy_epsilon, probability, whole_number

__all__ = ["group_privacy"]


def group_privacy(
    epsilon: EpsilonLike, *, delta: Exact | RationalLike, size: int
) -> tuple[Epsilon, Exact]:
    """Return the (ε, δ) that (ε, δ)-privacy for one record implies for ``size`` records.

    Formula:
        (k·ε, δ·(e^(kε) − 1)/(e^ε − 1)), k = size; (0, k·δ) if ε = 0.

    Args:
        epsilon: ε, finite, at least 0.
        delta: δ, from 0 to 1.
        size: k, the number of records, at least 0.

    Both numbers are exact. The second may exceed 1 and then says nothing.

    Source:
        Vadhan 2017, Lemma 2.2, with its geometric sum instead of the bound
        k·e^(kε)·δ.

    Example:
        >>> group_privacy(Epsilon.log(2), delta="1/100", size=3)
        (Epsilon.log('8'), Exact('7/100'))
        >>> group_privacy(Epsilon.log(1), delta="1/100", size=3)
        (Epsilon.rational('0'), Exact('3/100'))
    """
    one, bound = privacy_epsilon(epsilon), probability(delta, name="delta")
    size = whole_number(size, name="size", at_least=0)
    base = one.exp
    copies = Exact(size) if base == 1 else (base**size - 1) / (base - 1)
    return size * one, bound * copies
