"""The bounds of the paper, each written once over a number system (see real_functions).

Arguments: n users, epsilon (nats) of the shuffled mechanism, gamma the mass of the blanket;
L is the privacy amplification random variable of Balle et al. 2019.

Source: Balle, Bell, Gascon, Nissim 2019, and the authors' implementation of its bounds.
"""

from __future__ import annotations

from math import comb
from typing import Any

__all__ = [
    "bennett",
    "generic_maximum",
    "generic_range",
    "generic_second_moment",
    "hoeffding",
    "k_rr_gamma",
    "k_rr_hoeffding",
    "k_rr_maximum",
    "k_rr_range",
    "k_rr_second_moment",
]


def generic_maximum(f: Any, *, epsilon: Any, epsilon0: Any, gamma: Any) -> Any:
    """Return gamma e^eps0 (1 - e^(eps - 2 eps0)), an upper bound on L."""
    return gamma * f.exp(epsilon0) * (1 - f.exp(epsilon - 2 * epsilon0))


def generic_range(f: Any, *, epsilon: Any, epsilon0: Any, gamma: Any) -> Any:
    """Return gamma (e^eps + 1)(e^eps0 - e^-eps0), an upper bound on max L - min L."""
    return gamma * (f.exp(epsilon) + 1) * (f.exp(epsilon0) - f.exp(-epsilon0))


def generic_second_moment(f: Any, *, epsilon: Any, epsilon0: Any, gamma: Any) -> Any:
    """Return gamma e^eps0 (e^(2 eps) + 1) - 2 gamma^2 e^(eps - 2 eps0), bounding E[L^2]."""
    squares = gamma * f.exp(epsilon0) * (f.exp(2 * epsilon) + 1)
    return squares - 2 * gamma**2 * f.exp(epsilon - 2 * epsilon0)


def k_rr_maximum(f: Any, *, k: Any, epsilon: Any, gamma: Any) -> Any:
    """Return max L of k-ary randomized response: gamma (1 - e^eps) + (1 - gamma) k."""
    return gamma * (1 - f.exp(epsilon)) + (1 - gamma) * k


def k_rr_range(f: Any, *, k: Any, epsilon: Any, gamma: Any) -> Any:
    """Return max L - min L of k-ary randomized response: (1 - gamma) k (e^eps + 1)."""
    return (1 - gamma) * k * (f.exp(epsilon) + 1)


def k_rr_second_moment(f: Any, *, k: Any, epsilon: Any, gamma: Any) -> Any:
    """Return E[L^2] of k-ary randomized response."""
    e = f.exp(epsilon)
    return gamma * (2 - gamma) * (e - 1) ** 2 + (1 - gamma) ** 2 * k * (e**2 + 1)


def hoeffding(f: Any, *, n: int, epsilon: Any, gamma: Any, width: Any) -> Any:
    """Return delta by Hoeffding's inequality; n is a plain int, width >= max L - min L."""
    a = f.exp(epsilon) - 1
    decay = 1 - gamma * (1 - f.exp(-2 * a**2 / width**2))
    return width**2 / (4 * a) * decay**n / (gamma * n)


def bennett(f: Any, *, n: int, epsilon: Any, gamma: Any, maximum: Any, second_moment: Any) -> Any:
    """Return delta by Bennett's inequality; n is a plain int, L <= maximum."""
    a = f.exp(epsilon) - 1
    u = a * maximum / second_moment
    phi = (1 + u) * f.log(1 + u) - u
    decay = f.exp(-second_moment / maximum**2 * phi)
    mean = 0 * gamma
    for m in range(1, n + 1):
        mean = mean + comb(n, m) * gamma**m * (1 - gamma) ** (n - m) * decay**m
    return maximum / f.log(1 + u) * mean / (gamma * n)


def k_rr_hoeffding(f: Any, *, n: int, k: Any, epsilon: Any, gamma: Any) -> Any:
    """Return delta of k-ary randomized response by Hoeffding's inequality; n is a plain int."""
    width = k_rr_range(f, k=k, epsilon=epsilon, gamma=gamma)
    return hoeffding(f, n=n, epsilon=epsilon, gamma=gamma, width=width)


def k_rr_gamma(f: Any, *, k: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """Return the mass of the blanket that makes k-ary randomized response (eps, delta)-DP."""
    noise = 14 * k * f.log(2 / delta) / ((n - 1) * epsilon**2)
    return f.maximum(noise, 27 * k / ((n - 1) * epsilon))
