"""Additive noise by closed forms in mpmath, for a sensitivity of 1: none of our arithmetic.

Scales and epsilons are rationals, their texts, or numbers of mpmath; epsilon may be negative.
"""

import mpmath

from tests.routes.reals import mpf_of

__all__ = ["gaussian_delta", "laplace_delta", "tail", "with_laplace"]


def gaussian_delta(sigma, epsilon, *, digits=None):
    """Return δ(ε) of Gaussian noise, by mpmath with so many digits (those in force if None).

    Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), μ = 1/σ (Balle and Wang 2018, Theorem 8).
    """
    with mpmath.workdps(digits or mpmath.mp.dps):
        mu, epsilon = 1 / mpf_of(sigma), mpf_of(epsilon)
        kept, moved = (mpmath.ncdf(half - epsilon / mu) for half in (mu / 2, -mu / 2))
        return kept - mpmath.exp(epsilon) * moved


def laplace_delta(scale, epsilon):
    """Return δ(ε) of Laplace noise: 1 − e^((ε − 1/b)/2) between the losses ±1/b of its atoms."""
    top, epsilon = 1 / mpf_of(scale), mpf_of(epsilon)
    if epsilon >= top:
        return mpmath.mpf(0)
    return -mpmath.expm1((epsilon - top) / 2 if epsilon > -top else epsilon)


def with_laplace(delta, scale):
    """Return δ of Laplace noise and another mechanism: the mean of δ(ε − L) over the noise's loss.

    L has under P the atoms ±1/b, and between them the density e^((t − 1/b)/2)/4. The integral is
    cut where the other's δ may have kinks: at no loss, and at ±1/b.
    """

    def composed(epsilon):
        top, epsilon = 1 / mpf_of(scale), mpf_of(epsilon)
        cuts = [-top, *(epsilon + x for x in (-top, 0, top) if abs(epsilon + x) < top), top]
        between = mpmath.quad(lambda t: mpmath.exp((t - top) / 2) / 4 * delta(epsilon - t), cuts)
        atoms = delta(epsilon - top) / 2 + mpmath.exp(-top) / 2 * delta(epsilon + top)
        return atoms + between

    return composed


def tail(noise, scale, x):
    """Return Pr[N > x] of Gaussian noise ("gaussian") or Laplace noise of this scale."""
    z = mpf_of(x) / mpf_of(scale)
    if noise == "gaussian":
        return mpmath.erfc(z / mpmath.sqrt(2)) / 2
    return mpmath.exp(-z) / 2 if z > 0 else 1 - mpmath.exp(z) / 2
