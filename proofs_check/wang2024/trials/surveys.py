"""Small surveys to compute with, and what is proved about their counts and estimates."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from exactdp.audit.algebra import identity
from exactdp.claims import proof, words
from exactdp.distributions import FinitePmf
from proofs_check.wang2024.protocol import Parameters
from proofs_check.wang2024.utility import Survey

__all__ = [
    "ALL_MESSAGES",
    "ALL_SURVEYS",
    "LINEAR",
    "MEAN_OF_COINS",
    "SURVEYS",
    "UNBIASED",
    "by_users",
]

ALL_SURVEYS = (
    "all n, d, s, K, λ_k and m (above 0 where ⌈m⌉ divides), users independent, data i.i.d., "
    "Σ n_k λ_k > 0, n̂_k = n_k"
)

DATA: list[tuple[int, dict[tuple[int, ...], str]]] = [
    (2, {(0,): "1/2", (1,): "1/2"}),
    (2, {(0,): "1"}),
    (2, {(0,): "1/3", (1,): "2/3"}),
    (3, {(0,): "1/6", (1,): "1/3", (2,): "1/2"}),
    (2, {(0, 1): "1"}),
    (3, {(0, 1): "1/4", (1, 2): "3/4"}),
    (4, {(0, 1, 2): "1/2", (1, 2, 3): "1/2"}),
]

RATES = [("1/2",), ("1",), ("1/2", "1"), ("0", "1"), ("1/3", "1/5")]


def _surveys() -> Iterator[Survey]:
    for users in (1, 2, 3):
        for (d, data), rates, m in product(DATA, RATES, ["1", "1/2", "3/2", "2", "0"]):
            if len(rates) <= users:
                counts = (users,) if len(rates) == 1 else (users - 1, 1)
                parameters = Parameters(Fraction(m), tuple(map(Fraction, rates)))
                survey = Survey(counts, d, parameters, FinitePmf(data))
                if survey.signal > 0:
                    yield survey


ALL_MESSAGES = list(_surveys())
"""Surveys of one to three users, by size: i.i.d. data, one or two levels."""

SURVEYS = [survey for survey in ALL_MESSAGES if survey.parameters.m > 0]
"""Those with a blanket: ⌈m⌉ divides in some formulas."""


def by_users(survey: Survey) -> Fraction:
    """Return Σ_{i in [n]} n_{k_i} λ_{k_i} = Σ_k n_k² λ_k, as two displays have the signal."""
    pairs = zip(survey.counts, survey.parameters.rates, strict=True)
    return sum((n * n * rate for n, rate in pairs), Fraction(0))


LINEAR = identity(
    "E[C_j] - n m/d = w_j Σ_k n_k λ_k, as C_j adds n_k coins of probability w_j λ_k for each "
    "level (here one beside others, of signal r) and n⌈m⌉ of (m/⌈m⌉)/d",
    "r n_k rate w n m d slots",
    lambda r, n_k, rate, w, n, m, d, slots: (
        r * w + n_k * rate * w + n * slots * (m / slots) / d - n * m / d,
        (r + n_k * rate) * w,
    ),
)

UNBIASED = identity(
    "so (E[C_j] - n m/d)/Σ_k n_k λ_k = w_j",
    "r n_k rate w",
    lambda r, n_k, rate, w: ((r * w + n_k * rate * w) / (r + n_k * rate), w),
)

MEAN_OF_COINS = proof(
    "all n, d, m >= 0",
    words(
        "0 < m/⌈m⌉ <= 1, and Pr[r <= c] = c for r uniform on [0, 1): each of ⌈m⌉ slots sends with "
        "probability m/⌈m⌉, each of n⌈m⌉ an item with (m/⌈m⌉)/d; the means add (m = 0: none)"
    ),
)
