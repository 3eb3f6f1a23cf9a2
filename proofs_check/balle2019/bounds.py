"""The bounds of the paper, each written once over a number system (see real_functions).

Arguments: n users, exp_epsilon = e^eps of the shuffled mechanism, exp_epsilon0 = e^eps0 of the
randomizer, gamma the mass of the blanket; L is the privacy amplification random variable of
Balle et al. 2019. The theorem on k-RR has epsilon, in nats.

Source: Balle, Bell, Gascon, Nissim 2019, and the authors' implementation of its bounds.
"""

from math import comb
from typing import Any


def generic_maximum(f: Any, *, exp_epsilon: Any, exp_epsilon0: Any, gamma: Any) -> Any:
    """Return gamma e^eps0 (1 - e^(eps - 2 eps0)), an upper bound on L."""
    return gamma * exp_epsilon0 * (1 - exp_epsilon / exp_epsilon0**2)


def generic_range(f: Any, *, exp_epsilon: Any, exp_epsilon0: Any, gamma: Any) -> Any:
    """Return gamma (e^eps + 1)(e^eps0 - e^-eps0), an upper bound on max L - min L."""
    return gamma * (exp_epsilon + 1) * (exp_epsilon0 - 1 / exp_epsilon0)


def generic_second_moment(f: Any, *, exp_epsilon: Any, exp_epsilon0: Any, gamma: Any) -> Any:
    """Return gamma e^eps0 (e^(2 eps) + 1) - 2 gamma^2 e^(eps - 2 eps0), bounding E[L^2]."""
    squares = gamma * exp_epsilon0 * (exp_epsilon**2 + 1)
    return squares - 2 * gamma**2 * exp_epsilon / exp_epsilon0**2


def k_rr_maximum(f: Any, *, k: Any, exp_epsilon: Any, gamma: Any) -> Any:
    """Return max L of k-ary randomized response."""
    return gamma * (1 - exp_epsilon) + (1 - gamma) * k


def k_rr_range(f: Any, *, k: Any, exp_epsilon: Any, gamma: Any) -> Any:
    """Return max L - min L of k-ary randomized response."""
    return (1 - gamma) * k * (exp_epsilon + 1)


def k_rr_second_moment(f: Any, *, k: Any, exp_epsilon: Any, gamma: Any) -> Any:
    """Return E[L^2] of k-ary randomized response."""
    squares = (1 - gamma) ** 2 * k * (exp_epsilon**2 + 1)
    return gamma * (2 - gamma) * (exp_epsilon - 1) ** 2 + squares


def hoeffding(f: Any, *, n: Any, exp_epsilon: Any, gamma: Any, width: Any) -> Any:
    """Return delta by Hoeffding's inequality; width >= max L - min L, above 0."""
    a = exp_epsilon - 1
    decay = 1 - gamma * (1 - f.exp(-2 * a**2 / width**2))
    return width**2 / (4 * a) * decay**n / (gamma * n)


def bennett(
    f: Any, *, n: int, exp_epsilon: Any, gamma: Any, maximum: Any, second_moment: Any
) -> Any:
    """Return delta by Bennett's inequality; n is a plain int, L <= maximum, above 0."""
    a = exp_epsilon - 1
    u = a * maximum / second_moment
    phi = (1 + u) * f.log(1 + u) - u
    decay = f.exp(-second_moment / maximum**2 * phi)
    mean = 0 * gamma
    for m in range(1, n + 1):
        mean = mean + comb(n, m) * gamma**m * (1 - gamma) ** (n - m) * decay**m
    return maximum / f.log(1 + u) * mean / (gamma * n)


def bennett_closed(
    f: Any, *, n: int, epsilon: Any, gamma: Any, maximum: Any, second_moment: Any
) -> Any:
    """Return the same delta with E[1{m>=1} t^m] = (1 - gamma (1 - t))^n - (1 - gamma)^n."""
    a = f.exp(epsilon) - 1
    u = a * maximum / second_moment
    phi = (1 + u) * f.log(1 + u) - u
    decay = f.exp(-second_moment / maximum**2 * phi)
    mean = (1 - gamma * (1 - decay)) ** n - (1 - gamma) ** n
    return maximum / f.log(1 + u) * mean / (gamma * n)


def laplace_maximum(f: Any, *, exp_epsilon: Any, root: Any) -> Any:
    """Return max L of the Laplace mechanism on [0, 1]; root is e^(eps0/2)."""
    return root * (1 - exp_epsilon / root**2)


def laplace_range(f: Any, *, exp_epsilon: Any, root: Any) -> Any:
    """Return max L - min L of the Laplace mechanism."""
    return (exp_epsilon + 1) * (root - 1 / root)


def laplace_second_moment(f: Any, *, exp_epsilon: Any, root: Any) -> Any:
    """Return E[L^2] of the Laplace mechanism."""
    squares = (exp_epsilon**2 + 1) / 3 * (2 * root + 1 / root**2)
    return squares - 2 * exp_epsilon * (2 / root - 1 / root**2)


def k_rr_gamma(f: Any, *, k: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """Return the mass of the blanket that makes k-ary randomized response (eps, delta)-DP."""
    noise = 14 * k * f.log(2 / delta) / ((n - 1) * epsilon**2)
    return f.maximum(noise, 27 * k / ((n - 1) * epsilon))
