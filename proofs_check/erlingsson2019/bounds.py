"""The bounds of the paper, each written once over a number system (see real_functions).

Arguments: n users, epsilon0 (nats) of the local randomizers, delta in (0, 1).

Source: Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019, Theorem 2,
Lemma 4, Theorem 7, Remark 1.
"""

from typing import Any


def advanced_composition(f: Any, *, k: Any, epsilon: Any, delta: Any) -> Any:
    """Return eps' of Theorem 2: eps sqrt(2 k log(1/delta')) + k eps (e^eps - 1)."""
    return epsilon * f.sqrt(2 * k * f.log(1 / delta)) + k * epsilon * (f.exp(epsilon) - 1)


def overhead(f: Any, *, k: Any, epsilon: Any, delta: Any) -> Any:
    """Return eps' of the remark after Theorem 2: 2 eps sqrt(2 k log(1/delta))."""
    return 2 * epsilon * f.sqrt(2 * k * f.log(1 / delta))


def amplified_by_sampling(f: Any, *, q: Any, epsilon: Any) -> Any:
    """Return eps' of Lemma 4: log(1 + q (e^eps - 1))."""
    return f.log(1 + q * (f.exp(epsilon) - 1))


def step_epsilon(f: Any, *, n: Any, epsilon0: Any) -> Any:
    """Return eps_1 = 2 e^(2 eps0) (e^eps0 - 1) / n."""
    return 2 * f.exp(2 * epsilon0) * (f.exp(epsilon0) - 1) / n


def general_bound(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return the first bound of Theorem 7, and of Theorem 8."""
    return advanced_composition(
        f, k=n, epsilon=step_epsilon(f, n=n, epsilon0=epsilon0), delta=delta
    )


def small_epsilon0_bound(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return the second bound of Theorem 7, for eps0 <= ln(n/4)/3."""
    c = f.exp(2 * epsilon0) * (f.exp(epsilon0) - 1)
    return c * f.sqrt(8 * f.log(1 / delta) / n) + 6 * c * c / n


def large_n_bound(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return the third bound of Theorem 7, for n >= 1000, eps0 < 1/2, delta < 1/100."""
    return 12 * epsilon0 * f.sqrt(f.log(1 / delta) / n)


def renyi_bound(f: Any, *, n: Any, epsilon0: Any, order: Any) -> Any:
    """Return the Renyi bound of Remark 1: 2 alpha e^(4 eps0) (e^eps0 - 1)^2 / n."""
    return 2 * order * f.exp(4 * epsilon0) * (f.exp(epsilon0) - 1) ** 2 / n
