"""Three-valued order on numbers: the one place where balls are compared."""

from __future__ import annotations

from exactdp.numbers.balls import MAX_BITS, is_less, precision
from exactdp.numbers.exact import Exact
from exactdp.numbers.reals import Number
from exactdp.truth import Truth

__all__ = ["is_below", "is_ratio_above"]


def is_below(a: Number, b: Number, *, max_bits: int = MAX_BITS) -> Truth:
    """Return whether a < b, decided by balls at rising precision.

    Two numbers of the exact field are always decided. Otherwise the answer is
    UNKNOWN when the balls still overlap at ``max_bits`` bits: they may be equal.

    Example:
        >>> from exactdp.numbers import log, sqrt
        >>> is_below(log(2), Exact("0.6931472"))
        <Truth.TRUE: 'true'>
        >>> is_below(sqrt(2) * sqrt(2), Exact(2), max_bits=256)
        <Truth.UNKNOWN: 'unknown'>
    """
    if isinstance(a, Exact) and isinstance(b, Exact):
        return Truth.of(a < b)
    answer = is_less(a.ball, b.ball, max_bits=max_bits)
    return Truth.UNKNOWN if answer is None else Truth.of(answer)


def is_ratio_above(a: Exact, b: Exact, threshold: Exact) -> bool:
    """Return whether a > threshold * b, exactly; b and threshold are at least 0.

    Balls decide almost every case without multiplying long polynomials; what they
    leave open is decided in the field.

    Example:
        >>> is_ratio_above(Exact.exp(1), Exact(2), Exact("1.35"))
        True
        >>> is_ratio_above(Exact.exp(1), Exact.exp("1/2"), Exact.exp("1/2"))
        False
    """
    for bits in (64, 256):
        left, right, factor = a.ball(bits), b.ball(bits), threshold.ball(bits)
        with precision(bits):
            product = right * factor
            if left > product:
                return True
            if left < product:
                return False
    return a > threshold * b
