"""The scales θ of Laplace noise of the paper, each written once over a number system.

Each is said to attain ε-pufferfish privacy, so it is an upper bound on the smallest such scale.
Arguments: epsilon in nats; p, q in [0, 1] the Bernoulli parameters of one user; distances in
units of the data.

Source: Ding, Lu, Yang, Zhang 2025, (5), (10), (12), (14), (15), (16), (18), (21), (28).
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "bernoulli_presence_scale",
    "bernoulli_replacement_scale",
    "distance_scale",
    "presence_root",
    "psi",
    "relaxed_scale",
]


def distance_scale(f: Any, *, distance: Any, epsilon: Any) -> Any:
    """Return distance/ε.

    The distance is |a − b| in (10), |a| in (12), max |t| in (14), 1 in (18), sup Δ* in (16)
    and (28), and the largest |x − x'| of the plan in (5).
    """
    return distance / epsilon


def presence_root(*, p: Any, exp_epsilon: Any) -> Any:
    """Return e^{1/θ} = (e^ε − (1 − p))/p of (15), for 0 < p <= 1.

    Example:
        >>> from fractions import Fraction
        >>> presence_root(p=Fraction(1, 2), exp_epsilon=2)
        Fraction(3, 1)
    """
    return (exp_epsilon - (1 - p)) / p


def bernoulli_presence_scale(f: Any, *, p: Any, epsilon: Any) -> Any:
    """Return 1/log((e^ε − (1 − p))/p) of (15), for 0 < p <= 1."""
    return 1 / f.log(presence_root(p=p, exp_epsilon=f.exp(epsilon)))


def relaxed_scale(f: Any, *, psi: Any, epsilon: Any) -> Any:
    """Return 1/log(e^ε + (e^ε − 1) ψ), of (21) at one value of ψ."""
    return 1 / f.log(f.exp(epsilon) + (f.exp(epsilon) - 1) * psi)


def bernoulli_replacement_scale(f: Any, *, low: Any, high: Any, epsilon: Any) -> Any:
    """Return (21) with x over the whole alphabet: its least ψ is low/(high − low).

    ``low`` and ``high`` are the smaller and the larger of p and q, which differ.
    """
    return relaxed_scale(f, psi=low / (high - low), epsilon=epsilon)


def psi(*, p: Any, q: Any, ratio: Any) -> Any:
    """Return ψ(x) of Lemma 6 as printed, ratio = Pr(f(D_{-i}) = x)/Pr(f(D_{-i}) = x − 1).

    Raises:
        ZeroDivisionError: If p = q.

    Example:
        >>> from fractions import Fraction
        >>> str(psi(p=Fraction(1, 5), q=Fraction(9, 10), ratio=0))
        '2/7'
    """
    if p < q:
        return ((1 - q) * ratio + p) / (q - p)
    return ((1 - p) * ratio + q) / (p - q)
