r"""Rényi divergences of integer noise on a Poisson sample, from above, by those of the noise alone.

With B = 1 − q + q P/Q the moments of removing a record are E_Q B^a, of adding one E_Q B^(1 − a).
For whole a >= 2 the first is a sum of moments of the noise, M_k = E_Q (P/Q)^k = e^((k − 1)D_k):

    E_Q B^a = 1 + Σ over 2 <= k <= a of binom(a, k) (1 − q)^(a − k) q^k (M_k − 1),

as M_0 = M_1 = 1. Else B^b is convex in P/Q, so that its mean is at most 1 − q + q E_Q (P/Q)^b, and
E_Q (P/Q)^(1 − a) = e^((a − 1)D_a) of Q against P. D_a grows with a.

References: I. Mironov, K. Talwar and L. Zhang, Rényi Differential Privacy of the Sampled Gaussian
Mechanism, 2019, 3.3 (the sum, of Gaussian noise).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from flint import arb, fmpz

from exactdp.divergences.profile import PrivacyProfile
from exactdp.numbers import Exact, fmpq_of, precision
from exactdp.numbers.balls import endpoints

__all__ = ["bound_on_sample"]

_BITS = 256
"""Bits of the balls of a bound: they hold its rounding."""

_MOST = 256
"""The largest whole order whose sum is taken; beyond, convexity bounds it."""


def bound_on_sample(
    noise: PrivacyProfile, rate: Exact, order: Fraction, *, adds_record: bool, width: Fraction
) -> Fraction | None:
    """Return an upper bound of D_a of noise on a sample, a > 1; None if none is known.

    Args:
        noise: The noise, without infinite losses.
        rate: q.
        order: a.
        adds_record: Whether the pair is that of adding a record.
        width: The relative width to which divergences of the noise are asked for.

    Example:
        At a = 2 it is ln(1 + q²(e^(D_2) − 1)), here with D_2 = 1/σ² = 1/4:

        >>> from exactdp.mechanisms import discrete_gaussian_mechanism
        >>> noise, some = discrete_gaussian_mechanism(sigma=2), Fraction(1, 10**6)
        >>> found = bound_on_sample(noise, Exact("1/2"), Fraction(2), adds_record=False, width=some)
        >>> round(float(found), 6)  # ln(1 + 0.284025/4)
        0.068599
    """
    whole = ceil(order)
    is_summed = not adds_record and whole <= _MOST
    orders = [Fraction(k) for k in range(2, whole + 1)] if is_summed else [order]
    one = noise.reversed() if adds_record else noise
    tops: list[Fraction] = []
    for k in orders:
        top = one.renyi_bound(k, width=width)
        if top is None:
            return None
        tops.append(top)
    with precision(_BITS):
        q = rate.ball(_BITS)
        more = [(arb(fmpq_of((k - 1) * top))).expm1() for k, top in zip(orders, tops, strict=True)]
        if not is_summed:
            found = (q * more[0]).log1p() / fmpq_of(order - 1)
        else:
            terms = (
                fmpz.bin_uiui(whole, k) * (1 - q) ** (whole - k) * q**k * growth
                for k, growth in enumerate(more, 2)
            )
            found = sum(terms, arb(0)).log1p() / (whole - 1)
        return endpoints(found)[1]
