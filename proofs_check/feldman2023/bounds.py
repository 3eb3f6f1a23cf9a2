"""The bound of the paper, written once over a number system (see real_functions).

Arguments: n users, epsilon0 (nats) of the local randomizers, delta in (0, 1].

Source: Feldman, McMillan, Talwar 2023, the closed form of the bound, as restated in the
code of Liu et al. 2024.
"""

from typing import Any


def exp_amplified(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return e^eps = 1 + (x-1) (4 sqrt(2 log(4/delta)/((x+1) n)) + 4/n), x = e^eps0."""
    x = f.exp(epsilon0)
    return 1 + (x - 1) * (4 * f.sqrt(2 * f.log(4 / delta) / ((x + 1) * n)) + 4 / n)


def amplified_stably(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return the same eps without 1 + small: for doubles."""
    spread = 4 * f.sqrt(2 * f.log(4 / delta) / ((f.exp(epsilon0) + 1) * n)) + 4 / n
    return f.log1p(f.expm1(epsilon0) * spread)


def amplified(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return eps of the closed form, for eps0 <= log(n/(8 log(2/delta)))."""
    return f.log(exp_amplified(f, n=n, epsilon0=epsilon0, delta=delta))


def largest_exp_epsilon0(f: Any, *, n: Any, delta: Any) -> Any:
    """Return n/(8 log(2/delta)), the largest e^eps0 of the hypothesis."""
    return n / (8 * f.log(2 / delta))
