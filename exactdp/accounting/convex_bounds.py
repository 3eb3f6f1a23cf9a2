r"""Rényi divergences of mixtures from above, by those of their parts: microseconds, whatever size.

e^((a − 1)D_a(P ‖ Q)) is jointly convex in (P, Q), so that for parts with weights w_i it is at most
the mean of theirs,

    D_a <= ln(Σ w_i e^((a − 1)D_i))/(a − 1).

A record that is seen with probability q, or not at all, has weights q and 1 − q, and D = 0 if not.

References: T. van Erven and P. Harremoës, Rényi Divergence and Kullback-Leibler Divergence, 2014,
Theorem 11 and (25); I. Mironov, Rényi Differential Privacy, 2017, Proposition 7.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from exactdp.numbers import Number, fmpq_of, precision
from exactdp.numbers.balls import endpoints

__all__ = ["mean_bound"]

_BITS = 192
"""Bits of the balls of a bound, whose upper end is taken: fewer would make it a bit larger."""


def mean_bound(
    parts: Iterable[tuple[Number, Fraction]], order: Fraction, *, more: Number | None = None
) -> Fraction:
    """Return ln(1 + r + Σ w_i(e^((a − 1)D_i) − 1))/(a − 1), rounded up.

    Args:
        parts: (w_i, D_i); what the weights lack of 1 has D = 0.
        order: a, above 1.
        more: r, if not 0: what the mean may have beside that of the parts.

    Example:
        >>> from exactdp.numbers import Exact
        >>> round(float(mean_bound([(Exact("1/2"), Fraction(1))], Fraction(2))), 4)
        0.6201
    """
    with precision(_BITS):
        power = arb(fmpq_of(order - 1))
        rise = arb(0) if more is None else more.ball(_BITS)
        for weight, divergence in parts:
            rise += weight.ball(_BITS) * (power * fmpq_of(divergence)).expm1()
        return endpoints(rise.log1p() / power)[1]
