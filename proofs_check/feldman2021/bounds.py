"""The bound of the paper, written once over a number system (see real_functions).

Arguments: n users, epsilon0 (nats) of the local randomizers, delta in (0, 1].

Source: Feldman, McMillan, Talwar 2021, Theorem 3.1.
"""

from typing import Any


def exp_amplified(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return e^eps = 1 + (x-1)/(x+1) (8 sqrt(x log(4/delta)/n) + 8x/n), x = e^eps0."""
    x = f.exp(epsilon0)
    return 1 + (x - 1) / (x + 1) * (8 * f.sqrt(x * f.log(4 / delta) / n) + 8 * x / n)


def amplified_stably(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return the same eps without 1 + small: for doubles."""
    x = f.exp(epsilon0)
    spread = 8 * f.sqrt(x * f.log(4 / delta) / n) + 8 * x / n
    return f.log1p(f.expm1(epsilon0) / (x + 1) * spread)


def amplified(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return eps of Theorem 3.1, for eps0 <= log(n/(16 log(2/delta)))."""
    return f.log(exp_amplified(f, n=n, epsilon0=epsilon0, delta=delta))


def largest_exp_epsilon0(f: Any, *, n: Any, delta: Any) -> Any:
    """Return n/(16 log(2/delta)), the largest e^eps0 of the theorem's hypothesis."""
    return n / (16 * f.log(2 / delta))
