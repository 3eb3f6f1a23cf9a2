"""A small accounting library in doubles, as right as it can be, which the four files here test.

Everything is rounded to the safe side only by a relative 1e-9 or so, which the tests set aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, comb, erfc, exp, expm1, inf, lgamma, log, log1p, sqrt

import numpy as np

from exactdp.testing import Mechanism

CELLS = 400
"""The cells on either side of 0 of a law on a grid."""


def gaussian_delta(sigma: float, epsilon: float) -> float:
    """δ of one Gaussian mechanism, from the tails, where a difference near 1 would cancel."""
    lost, kept = (epsilon * sigma - 0.5 / sigma), (epsilon * sigma + 0.5 / sigma)
    return max(0.0, erfc(lost / sqrt(2)) - exp(epsilon) * erfc(kept / sqrt(2))) / 2


# A PLD accountant: losses rounded up to a grid, what is above it at infinity.


def delta_of(mechanisms: Sequence[Mechanism], epsilon: float) -> float:
    """An upper bound of δ of Gaussian and Laplace noise, each a number of times."""
    step = sum(one.times * top_loss(one) for one in mechanisms) / CELLS
    law, infinity = np.array([1.0]), 0.0
    low = 0
    for one in mechanisms:
        masses, first, rest = loss_masses(one, step)
        for _ in range(one.times):
            law, low = np.convolve(law, masses), low + first
            infinity = infinity + rest
    losses = step * (low + np.arange(len(law)))
    return min(1.0, infinity + float(np.sum(law * -np.expm1(np.minimum(0.0, epsilon - losses)))))


def loss_masses(one: Mechanism, step: float) -> tuple[np.ndarray, int, float]:
    """Return the masses of a loss rounded up to multiples of the step, the first, and the rest."""
    last = ceil(top_loss(one) / step)
    first = -last
    tails = [loss_tail(one, step * i) for i in range(first, last + 1)]
    masses = np.array([1 - tails[0], *(a - b for a, b in pairwise(tails))])
    return np.maximum(masses, 0.0), first, tails[-1]


def loss_tail(one: Mechanism, loss: float) -> float:
    """The probability that the loss of one copy is larger."""
    if one.kind == "gaussian":
        return erfc((one.parameter * loss - 0.5 / one.parameter) / sqrt(2)) / 2
    top = 1 / one.parameter
    return 0.0 if loss >= top else 1.0 if loss < -top else 1 - exp((loss - top) / 2) / 2


def top_loss(one: Mechanism) -> float:
    """A loss that one copy exceeds with probability 1e-30 or less."""
    if one.kind == "gaussian":
        return 0.5 / one.parameter**2 + 11.6 / one.parameter
    return 1 / one.parameter


# A calibrator.


def smallest_sigma(epsilon: float, delta: float) -> float:
    """The σ of Gaussian noise for (ε, δ), by bisection, rounded up."""
    low, high = 0.0, 1.0
    while gaussian_delta(high, epsilon) > delta:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if gaussian_delta(middle, epsilon) > delta:
            low = middle
        else:
            high = middle
    return high * (1 + 1e-11)


# An RDP accountant of the sampled Gaussian (Mironov, Talwar & Zhang 2019, whole orders).


def epsilon_of(mechanisms: Sequence[Mechanism], delta: float) -> float:
    """An upper bound of ε for a δ: the least over the orders."""
    found = inf
    for order in (*range(2, 64), 128, 256):
        spent = sum(one.times * sampled_gaussian_rdp(one, order) for one in mechanisms)
        found = min(found, epsilon_of_rdp(spent, order, delta))
    return max(0.0, found)


def epsilon_of_rdp(rdp: float, order: int, delta: float) -> float:
    """ε for a δ from one order (Canonne, Kamath & Steinke 2020, Proposition 12)."""
    return rdp + log1p(-1 / order) - (log(delta) + log(order)) / (order - 1)


def sampled_gaussian_rdp(one: Mechanism, order: int) -> float:
    """The Rényi divergence of one step: ln Σ C(a, k) (1 − q)^(a − k) q^k e^(k(k−1)/(2σ²))."""
    if one.rate == 1:
        return order / (2 * one.parameter**2)
    logs = [
        lgamma(order + 1)
        - lgamma(k + 1)
        - lgamma(order - k + 1)
        + k * log(one.rate)
        + (order - k) * log1p(-one.rate)
        + k * (k - 1) / (2 * one.parameter**2)
        for k in range(order + 1)
    ]
    top = max(logs)
    return (top + log(sum(exp(x - top) for x in logs))) / (order - 1) * (1 + 1e-9) + 1e-13


# A bound on shuffling: each other user sends a clone of the victim with probability e^(−ε0).


def clone_delta(epsilon0: float, n: int, epsilon: float) -> float:
    """δ of n shuffled users (Feldman, McMillan & Talwar 2021, Theorem 3.1)."""
    return clone_delta_of(epsilon0, n - 1, exp(-epsilon0), epsilon)


def clone_delta_of(epsilon0: float, others: int, share: float, epsilon: float) -> float:
    """δ where so many others are clones with a probability: the sum of the positive parts."""
    if epsilon >= epsilon0:
        return 0.0
    gain = exp(epsilon) * expm1(epsilon0 - epsilon)  # e^ε0 − e^ε
    loss = expm1(epsilon0 + epsilon)
    total = 0.0
    for c in range(others + 1):
        clones = comb(others, c) * share**c * (1 - share) ** (others - c) / 2**c
        for a in range(c + 2):
            ahead = comb(c, a - 1) if a else 0
            total += clones * max(0.0, gain * ahead - loss * comb(c, a))
    return total / (1 + exp(epsilon0))
