"""The closed form of the paper, written once over a number system (see real_functions).

Arguments: n users; p, beta, q of the variation-ratio reduction; delta in (0, 1].

Source: Wang et al. 2023, Theorem 4.3, Appendix G.
"""

from typing import Any


def _share(*, p: Any, beta: Any, q: Any) -> Any:
    """Return r = alpha p/q, alpha = beta/(p-1)."""
    return beta * p / ((p - 1) * q)


def exp_amplified(f: Any, *, n: Any, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return e^eps of Theorem 4.3."""
    r = _share(p=p, beta=beta, q=q)
    letter = beta * (1 + p) / (p - 1)
    c = f.maximum(f.constant(0), 4 * (1 - 3 * r) / (9 * (1 - 2 * r)))
    spread = f.sqrt(32 * f.log(4 / delta) / (r * (n - 1))) + 4 / (r * n)
    return 1 + beta / (letter + (1 - letter) * c) * spread


def amplified(f: Any, *, n: Any, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return eps of Theorem 4.3, for n >= 8 log(2/delta)/r."""
    return f.log(exp_amplified(f, n=n, p=p, beta=beta, q=q, delta=delta))


def smallest_n(f: Any, *, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return 8 log(2/delta)/r, the smallest n of the hypothesis."""
    return 8 * f.log(2 / delta) / _share(p=p, beta=beta, q=q)
