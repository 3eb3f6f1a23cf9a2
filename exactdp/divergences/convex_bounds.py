r"""Upper bounds on Rényi divergences of mixtures, by those of their parts, in microseconds.

e^((a − 1)D_a(P ‖ Q)) is jointly convex in (P, Q), so that for parts with weights w_i it is at most
the mean of theirs,

    D_a <= ln(Σ w_i e^((a − 1)D_i))/(a − 1).

A record that is seen with probability q, or not at all, has weights q and 1 − q, and D = 0 if not.
More is known of removing a record from a Poisson sample, B = 1 − q + q P/Q: for whole a >= 2 its
moment is a sum of moments of the noise, M_k = E_Q (P/Q)^k = e^((k − 1)D_k):

    E_Q B^a = 1 + Σ over 2 <= k <= a of binom(a, k) (1 − q)^(a − k) q^k (M_k − 1),

as M_0 = M_1 = 1; and D_a grows with a.

References: T. van Erven and P. Harremoës, Rényi Divergence and Kullback-Leibler Divergence, 2014,
Theorem 11 and (25); I. Mironov, Rényi Differential Privacy, 2017, Proposition 7; I. Mironov, K.
Talwar and L. Zhang, Rényi Differential Privacy of the Sampled Gaussian Mechanism, 2019, 3.3 (the
sum, of Gaussian noise).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil

from flint import arb, fmpz

from exactdp.divergences.chernoff import Curve
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import BOUND_BITS
from exactdp.numbers import Exact, Number, fmpq_of, precision
from exactdp.numbers.balls import endpoints

__all__ = ["bound_of_parts", "bound_on_sample", "mean_bound"]

_MOST = 256
"""The largest whole order whose sum is taken; beyond, convexity bounds it."""


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
    with precision(BOUND_BITS):
        power = arb(fmpq_of(order - 1))
        rise = arb(0) if more is None else more.ball(BOUND_BITS)
        for weight, divergence in parts:
            rise += weight.ball(BOUND_BITS) * (power * fmpq_of(divergence)).expm1()
        return endpoints(rise.log1p() / power)[1]


def bound_of_parts(
    parts: Iterable[tuple[Number, PrivacyProfile]], order: Fraction, *, more: Number | None = None
) -> Fraction | None:
    """Return that of profiles by bounds of theirs that take little; None if one has none.

    Args:
        parts: (w_i, profile); what the weights lack of 1 has D = 0.
        order: a, above 1.
        more: r, as of :func:`mean_bound`.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.numbers import Exact
        >>> half = [(Exact("1/2"), gaussian_mechanism(sigma=1))]
        >>> round(float(bound_of_parts(half, Fraction(2))), 4)  # ln(1 + (e − 1)/2)
        0.6201
    """
    bounds = [(weight, part.convex_bound(order)) for weight, part in parts]
    known = [(weight, bound) for weight, bound in bounds if bound is not None]
    return mean_bound(known, order, more=more) if len(known) == len(bounds) else None


def bound_on_sample(
    noise: Curve, rate: Exact, order: Fraction, *, width: Fraction
) -> Fraction | None:
    """Return an upper bound of D_a of removing a record from a sample, a > 1; None if not known.

    Args:
        noise: The noise, without infinite losses.
        rate: q.
        order: a.
        width: The relative width to which divergences of the noise are asked for.

    Example:
        At a = 2 it is ln(1 + q²(e^(D_2) − 1)), here with D_2 = 1/σ² = 1/4:

        >>> from exactdp.mechanisms import discrete_gaussian_mechanism
        >>> noise, some = discrete_gaussian_mechanism(sigma=2), Fraction(1, 10**6)
        >>> found = bound_on_sample(noise, Exact("1/2"), Fraction(2), width=some)
        >>> round(float(found), 6)  # ln(1 + 0.284025/4)
        0.068599
    """
    whole = ceil(order)
    if whole > _MOST:
        top = noise.renyi_bound(order, width=width)
        return None if top is None else mean_bound([(rate, top)], order)
    tops = [noise.renyi_bound(Fraction(k), width=width) for k in range(2, whole + 1)]
    known = [top for top in tops if top is not None]
    if len(known) < len(tops):
        return None
    with precision(BOUND_BITS):
        q, rise = rate.ball(BOUND_BITS), arb(0)
        for k, top in enumerate(known, 2):
            growth = arb(fmpq_of((k - 1) * top)).expm1()
            rise += fmpz.bin_uiui(whole, k) * (1 - q) ** (whole - k) * q**k * growth
        return endpoints(rise.log1p() / (whole - 1))[1]
