"""The formulas of the paper, each written once over a number system (see real_functions).

The sums over i enter by their values,

    alpha = Σ_i w_i F_i(i − (i + 1)/(t + 1)),   plus = Σ_i w_i F_i(i + 1 − (i + 1)/(t + 1)),

with sums from i = 0 (Theorem 1) or from i = 1 (equation (5)). Other arguments: w = p_1,
delta_1, exp_epsilon = e^eps, t >= 0.

Source: Liu et al. 2024, Section 3.3.
"""

from typing import Any


def trade_off(f: Any, *, alpha: Any, plus: Any, w: Any, delta_1: Any) -> Any:
    """Return f_s(alpha) of Theorem 1 as printed.

    (1 - delta_1) (2 w (1 - alpha) + (1 - 2 w) plus) + delta_1 (1 - alpha).
    """
    return (1 - delta_1) * (2 * w * (1 - alpha) + (1 - 2 * w) * plus) + delta_1 * (1 - alpha)


def trade_off_of_complement(f: Any, *, alpha: Any, plus: Any, w: Any, delta_1: Any) -> Any:
    """Return f_s(alpha) with 1 - F_i where Theorem 1 prints F_i: a type II error."""
    return trade_off(f, alpha=alpha, plus=1 - plus, w=w, delta_1=delta_1)


def conjugate_term(f: Any, *, exp_epsilon: Any, alpha: Any, value: Any) -> Any:
    """Return 1 - e^eps alpha - f_s(alpha), whose supremum over alpha is delta(eps)."""
    return 1 - exp_epsilon * alpha - value


def central_delta(f: Any, *, exp_epsilon: Any, alpha: Any, plus: Any, w: Any, delta_1: Any) -> Any:
    """Return delta_s(eps) of equation (5), for the sums at t_eps.

    (-e^eps + (1 - delta_1) 2 w + delta_1) alpha + (1 - delta_1) (1 - 2 w) plus.
    """
    first = (1 - delta_1) * 2 * w + delta_1 - exp_epsilon
    return first * alpha + (1 - delta_1) * (1 - 2 * w) * plus


def slope(f: Any, *, l: Any, w: Any, delta_1: Any) -> Any:  # noqa: E741 - the paper's l
    """Return (1 - delta_1) (-2 w + (1 - 2 w) l) - delta_1, which t_eps compares with -e^eps."""
    return (1 - delta_1) * (-2 * w + (1 - 2 * w) * l) - delta_1


def factors(f: Any, *, exp_epsilon: Any, w: Any, delta_1: Any) -> tuple[Any, Any]:
    """Return A and B with (5) = A plus − B alpha: (1 − delta_1) (1 − 2 w) and A + e^eps − 1."""
    return (1 - delta_1) * (1 - 2 * w), exp_epsilon - 2 * w * (1 - delta_1) - delta_1


def best_t(f: Any, *, exp_epsilon: Any, w: Any, delta_1: Any) -> Any:
    """Return the t = A/B that maximizes equation (5).

    At k of i + 1 letters (5) gains where A f_i(k) exceeds B f_i(k - 1), and
    f_i(k)/f_i(k - 1) = (i + 1 - k)/k, so where k <= (i + 1) t/(t + 1) for this t: the same
    for all i.
    """
    a, b = factors(f, exp_epsilon=exp_epsilon, w=w, delta_1=delta_1)
    return a / b
