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
    return ((1 - high) * ratio + low) / (high - low)
