"""The formulas of the paper, each written once over a number system (see real_functions).

Arguments: n users, d items in the domain, s items a user, m blanket messages a user
(a real number), slots = ⌈m⌉, epsilon (nats), delta in (0, 1); signal = Σ_k n_k λ_k,
and signal_variance = Σ_k Σ_j n_k w_j λ_k (1 - w_j λ_k).

Source: Wang, Chen, Zeng, Yang, Jiang, Ye, Yu, Mei, Huang, Yang, Xin 2024, Lemma 1,
Theorem 1, (1), Theorem 3, Section 5.2, Section 6.
"""

from typing import Any


def letters_probability(f: Any, *, p: Any, beta: Any, q: Any) -> Any:
    """Return 2 beta p / ((p - 1) q) of Theorem 1, the success probability of C."""
    return 2 * beta * p / ((p - 1) * q)


def first_probability(f: Any, *, p: Any, beta: Any) -> Any:
    """Return beta p / (p - 1) of Theorem 1, the probability of Delta_1."""
    return beta * p / (p - 1)


def second_probability(f: Any, *, p: Any, beta: Any) -> Any:
    """Return beta / (p - 1 - beta p) of Theorem 1, that of Delta_2 where Delta_1 = 0."""
    return beta / (p - 1 - beta * p)


def amplified_epsilon(f: Any, *, p: Any, beta: Any, q: Any, n: Any, delta: Any) -> Any:
    """Return the formula inside O(.) of (1): sqrt(beta (p - 1) q log(1/delta) / (p n))."""
    return f.sqrt(beta * (p - 1) * q * f.log(1 / delta) / (p * n))


def allowed_delta(f: Any, *, s: Any, epsilon: Any, delta: Any) -> Any:
    """Return delta / (s e^(E_k)), the right side of (7)."""
    return delta / (s * f.exp(epsilon))


def user_signal_variance(f: Any, *, w: Any, rate: Any) -> Any:
    """Return w_j lambda_k (1 - w_j lambda_k) of Section 5.2."""
    return w * rate * (1 - w * rate)


def user_signal_variance_stably(f: Any, *, w: Any, rate: Any) -> Any:
    """Return the same with 1 - w lambda_k as (1 - w) + w (1 - lambda_k): for doubles."""
    return w * rate * ((1 - w) + w * (1 - rate))


def blanket_slot_variance_stably(f: Any, *, m: Any, slots: Any, d: Any) -> Any:
    """Return the same with 1 - m/(d ⌈m⌉) as one quotient: for doubles."""
    return m / (d * slots) * ((d * slots - m) / (d * slots))


def amplified_epsilon_stably(f: Any, *, p: Any, beta: Any, q: Any, n: Any, delta: Any) -> Any:
    """Return amplified_epsilon with -log(delta), as 1/delta rounds to 1: for doubles."""
    return f.sqrt(beta * (p - 1) * q * -f.log(delta) / (p * n))


def grouped_delta(f: Any, *, s: Any, epsilon: Any, delta: Any) -> Any:
    """Return s e^(s eps) delta of Lemma 1."""
    return s * f.exp(s * epsilon) * delta


def grouped_delta_stably(f: Any, *, s: Any, epsilon: Any, delta: Any) -> Any:
    """Return the same with half of e^(s eps) on each side of delta: for doubles."""
    half = f.exp(s * epsilon / 2)
    return s * (half * delta) * half


def blanket_slot_variance(f: Any, *, m: Any, slots: Any, d: Any) -> Any:
    """Return (m / (d ⌈m⌉)) (1 - m / (d ⌈m⌉)) of Section 5.2."""
    share = m / (d * slots)
    return share * (1 - share)


def variance_line_1_outside(
    f: Any, *, n: Any, m: Any, slots: Any, d: Any, signal_variance: Any
) -> Any:
    """Return line 1 of Σ_j Var[C_j] with d n ⌈m⌉ slot variances added once."""
    return signal_variance + d * n * slots * blanket_slot_variance(f, m=m, slots=slots, d=d)


def variance_line_1_inside(
    f: Any, *, n: Any, m: Any, slots: Any, d: Any, signal_variance: Any
) -> Any:
    """Return line 1 of Σ_j Var[C_j] with d n ⌈m⌉ slot variances added for each of d items."""
    blanket = d * n * slots * blanket_slot_variance(f, m=m, slots=slots, d=d)
    return signal_variance + d * blanket


def variance_line_2(f: Any, *, n: Any, m: Any, signal_variance: Any) -> Any:
    """Return line 2 of Σ_j Var[C_j]: n m + Σ_k Σ_j n_k w_j lambda_k (1 - w_j lambda_k)."""
    return n * m + signal_variance


def variance_line_3(f: Any, *, n: Any, m: Any, s: Any, signal: Any) -> Any:
    """Return line 3 of Σ_j Var[C_j]: n m + Σ_k n_k s lambda_k."""
    return n * m + s * signal


def error_line_1(f: Any, *, variance: Any, signal: Any) -> Any:
    """Return line 1 of the mean squared error: Σ_j Var[C_j] / signal^2."""
    return variance / signal**2


def error_line_2(f: Any, *, n: Any, m: Any, signal: Any, signal_variance: Any) -> Any:
    """Return line 2 of the mean squared error."""
    return variance_line_2(f, n=n, m=m, signal_variance=signal_variance) / signal**2


def error_line_3(f: Any, *, n: Any, m: Any, s: Any, signal: Any) -> Any:
    """Return line 3 of the mean squared error, the objective of both problems."""
    return variance_line_3(f, n=n, m=m, s=s, signal=signal) / signal**2


def separate_weight(f: Any, *, n: Any, d: Any, s: Any, epsilon: Any, delta: Any) -> Any:
    """Return 1 / sqrt(d s^2 log(1/delta) / (n eps)^2 + s / n), the weight of one segment."""
    return 1 / f.sqrt(d * s**2 * f.log(1 / delta) / (n * epsilon) ** 2 + s / n)
