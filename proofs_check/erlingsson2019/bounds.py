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


def advanced_composition_stably(f: Any, *, k: Any, epsilon: Any, delta: Any) -> Any:
    """Return eps' of Theorem 2 with expm1: for doubles."""
    return epsilon * f.sqrt(2 * k * f.log(1 / delta)) + k * epsilon * f.expm1(epsilon)


def amplified_by_sampling_stably(f: Any, *, q: Any, epsilon: Any) -> Any:
    """Return eps' of Lemma 4 with log1p and expm1: for doubles."""
    return f.log1p(q * f.expm1(epsilon))


def amplified_by_sampling_linearly(f: Any, *, q: Any, epsilon: Any) -> Any:
    """Return q (e^eps - 1), which Lemma 4 has above eps'."""
    return q * (f.exp(epsilon) - 1)


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


def general_bound_stably(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return the first bound with expm1: for doubles."""
    step = 2 * f.exp(2 * epsilon0) * f.expm1(epsilon0) / n
    return advanced_composition_stably(f, k=n, epsilon=step, delta=delta)


def small_epsilon0_stably(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return the second bound with expm1: for doubles."""
    c = f.exp(2 * epsilon0) * f.expm1(epsilon0)
    return c * f.sqrt(8 * f.log(1 / delta) / n) + 6 * c * c / n


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


def renyi_stably(f: Any, *, n: Any, epsilon0: Any, order: Any) -> Any:
    """Return the Renyi bound with expm1: for doubles."""
    return 2 * order * f.exp(4 * epsilon0) * f.expm1(epsilon0) ** 2 / n


def renyi_of_private(f: Any, *, epsilon: Any, order: Any) -> Any:
    """Return alpha eps^2/2, the Renyi divergence of order alpha of an eps-private mechanism."""
    return order * epsilon**2 / 2


def largest_epsilon0(f: Any, *, n: Any) -> Any:
    """Return ln(n/4)/3, the largest eps0 of the second bound."""
    return f.log(n / 4) / 3


def deviation(f: Any, *, levels: Any, n: Any, k: Any, epsilon: Any, beta: Any) -> Any:
    """Return c_eps k L^(3/2) sqrt(n log(2d/beta)), c_eps = (e^(eps/2) + 1)/(e^(eps/2) - 1).

    The last display of the proof of Theorem 6, for d = 2^L.
    """
    half = f.exp(epsilon / 2)
    logarithm = (levels + 1) * f.log(f.constant(2)) - f.log(beta)
    return (half + 1) / (half - 1) * k * f.sqrt(levels**3 * n * logarithm)


def deviation_stably(f: Any, *, levels: Any, n: Any, k: Any, epsilon: Any, beta: Any) -> Any:
    """Return the same with expm1: for doubles."""
    logarithm = (levels + 1) * f.log(f.constant(2)) - f.log(beta)
    half = (f.exp(epsilon / 2) + 1) / f.expm1(epsilon / 2)
    return half * k * f.sqrt(levels**3 * n * logarithm)
