"""The closed form of the paper, written once over a number system (see real_functions).

Arguments: n users; p, beta, q of the variation-ratio reduction; delta in (0, 1].

Source: Wang et al. 2023, Theorem 4.3, Appendix G.
"""

from fractions import Fraction
from math import comb
from typing import Any


def _share(*, p: Any, beta: Any, q: Any) -> Any:
    """Return r = alpha p/q, alpha = beta/(p-1)."""
    return beta * p / ((p - 1) * q)


def _excess(f: Any, *, n: Any, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return e^eps - 1 of Theorem 4.3."""
    r = _share(p=p, beta=beta, q=q)
    letter = beta * (1 + p) / (p - 1)
    c = f.maximum(f.constant(0), 4 * (1 - 3 * r) / (9 * (1 - 2 * r)))
    spread = f.sqrt(32 * f.log(4 / delta) / (r * (n - 1))) + 4 / (r * n)
    return beta / (letter + (1 - letter) * c) * spread


def exp_amplified(f: Any, *, n: Any, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return e^eps of Theorem 4.3."""
    return 1 + _excess(f, n=n, p=p, beta=beta, q=q, delta=delta)


def amplified_stably(f: Any, *, n: Any, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return eps of Theorem 4.3 without 1 + small: for doubles."""
    return f.log1p(_excess(f, n=n, p=p, beta=beta, q=q, delta=delta))


def amplified(f: Any, *, n: Any, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return eps of Theorem 4.3, for n >= 8 log(2/delta)/r."""
    return f.log(exp_amplified(f, n=n, p=p, beta=beta, q=q, delta=delta))


def smallest_n(f: Any, *, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return 8 log(2/delta)/r, the smallest n of the hypothesis."""
    return 8 * f.log(2 / delta) / _share(p=p, beta=beta, q=q)


def total_variation(f: Any, *, epsilon: Any, others: Any) -> Any:
    """Return beta = (e^eps - 1)/(e^eps + others), the table's form for general RR and hashing."""
    return (f.exp(epsilon) - 1) / (f.exp(epsilon) + others)


def stable_variation(f: Any, *, epsilon: Any, others: Any) -> Any:
    """Return the same as (1 - e^(-eps))/(1 + others e^(-eps)): for doubles."""
    return -f.expm1(-epsilon) / (1 + others * f.exp(-epsilon))


def stable_subset_variation(f: Any, *, d: int, k: int, epsilon: Any) -> Any:
    """Return subset_variation as that of d/k options, times (d - k)/(d - 1): for doubles."""
    beside = stable_variation(f, epsilon=epsilon, others=f.constant(Fraction(d - k, k)))
    return f.constant(Fraction(d - k, d - 1)) * beside


def stable_hadamard_variation(f: Any, *, k: Any, s: Any, epsilon: Any) -> Any:
    """Return half of that of k/s options: for doubles."""
    return stable_variation(f, epsilon=epsilon, others=(k - s) / s) / 2


def subset_variation(f: Any, *, d: int, k: int, epsilon: Any) -> Any:
    """Return beta of k-subset selection on d options; d and k are plain ints."""
    with_one, with_both = comb(d - 1, k - 1), comb(d - 2, k - 2) if k > 1 else 0
    x = f.exp(epsilon)
    return (x - 1) * (with_one - with_both) / (x * with_one + comb(d - 1, k))


def hadamard_variation(f: Any, *, k: Any, s: Any, epsilon: Any) -> Any:
    """Return beta of Hadamard response with k messages, s of them for each input."""
    x = f.exp(epsilon)
    return s * (x - 1) / 2 / (s * x + k - s)
