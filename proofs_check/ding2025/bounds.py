"""The scales θ of Laplace noise of the paper that are more than a distance over ε.

Each is said to attain ε-pufferfish privacy, so it is an upper bound on the smallest such scale.
Arguments: epsilon in nats; p, q in [0, 1] the Bernoulli parameters of one user.

Source: Ding, Lu, Yang, Zhang 2025, (15), (21).
"""

from typing import Any


def presence_root(*, p: Any, exp_epsilon: Any) -> Any:
    """Return e^{1/θ} = (e^ε − (1 − p))/p of (15), for 0 < p <= 1.

    Example:
        >>> from fractions import Fraction
        >>> presence_root(p=Fraction(1, 2), exp_epsilon=2)
        Fraction(3, 1)
    """
    return (exp_epsilon - (1 - p)) / p


def bernoulli_replacement_scale(f: Any, *, low: Any, high: Any, epsilon: Any) -> Any:
    """Return (21), 1/log(e^ε + (e^ε − 1) ψ), x over the whole alphabet: ψ = low/(high − low).

    ``low`` and ``high`` are the smaller and the larger of p and q, which differ.
    """
    return 1 / f.log(f.exp(epsilon) + (f.exp(epsilon) - 1) * (low / (high - low)))


def psi(*, p: Any, q: Any, ratio: Any) -> Any:
    """Return ψ(x) of Lemma 6 as printed, ratio = Pr(f(D_{-i}) = x)/Pr(f(D_{-i}) = x − 1).

    Raises:
        ZeroDivisionError: If p = q.

    Example:
        >>> from fractions import Fraction
        >>> str(psi(p=Fraction(1, 5), q=Fraction(9, 10), ratio=0))
        '2/7'
    """
    low, high = (p, q) if p < q else (q, p)
    return psi_of(low=low, high=high, ratio=ratio)


def psi_of(*, low: Any, high: Any, ratio: Any) -> Any:
    """Return ψ(x) of the smaller and the larger of p and q."""
    return ((1 - high) * ratio + low) / (high - low)


def distance_scale(f: Any, *, a: Any, b: Any, epsilon: Any) -> Any:
    """Return (10), |a − b|/ε; with b = 0 it is (12)."""
    return f.maximum(a - b, b - a) / epsilon


def presence_scale(f: Any, *, p: Any, epsilon: Any) -> Any:
    """Return (15), 1/log((e^ε − (1 − p))/p), for 0 < p <= 1."""
    return 1 / f.log(presence_root(p=p, exp_epsilon=f.exp(epsilon)))


def three_point_scale(f: Any, *, p_1: Any, p_2: Any, epsilon: Any) -> Any:
    """Return the θ of (13) for reports 0, 1, 2: g = e^{1/θ} solves p_2 g² + p_1 g + p_0 = e^ε."""
    rest = f.exp(epsilon) - (1 - p_1 - p_2)
    return 1 / f.log((f.sqrt(p_1 * p_1 + 4 * p_2 * rest) - p_1) / (2 * p_2))


def class_scale(f: Any, *, n: int, p: Any, epsilon: Any) -> Any:
    """Return the θ of Π_k E[e^{|D^k|/θ}] = e^ε, n records that are 1 with probability p."""
    return presence_scale(f, p=p, epsilon=epsilon / n)


def total_variation_scale(f: Any, *, d: Any, distance: Any, epsilon: Any) -> Any:
    """Return the θ of e^{d/θ} = 1 + (e^ε − 1)/TV."""
    return d / f.log(1 + (f.exp(epsilon) - 1) / distance)


def smallest_bernoulli_excess(*, low: Any, high: Any, exp_epsilon: Any, maximum: Any) -> Any:
    """Return max(h − e^ε l, (1 − l) − e^ε (1 − h)); no noise is needed where it is at most 0."""
    return maximum(high - exp_epsilon * low, (1 - low) - exp_epsilon * (1 - high))


def smallest_bernoulli_scale(f: Any, *, p: Any, q: Any, epsilon: Any) -> Any:
    """Return the smallest θ of Lemma 6, mended: e^{1/θ} = 1 + (e^ε − 1)/excess."""
    x = f.exp(epsilon)
    excess = smallest_bernoulli_excess(
        low=f.minimum(p, q), high=f.maximum(p, q), exp_epsilon=x, maximum=f.maximum
    )
    return 1 / f.log(1 + (x - 1) / excess)
