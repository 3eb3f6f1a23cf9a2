"""Closed forms of feldman2021, feldman2023 and wang2023, written anew."""

from math import comb

import pytest
from mpmath import exp, log, sqrt

from tests.bounds.routes import number, ordered_truth, same_formula


def clones(n, epsilon0, delta):
    x = exp(epsilon0)
    return log(1 + (x - 1) / (x + 1) * (8 * sqrt(x * log(4 / delta)) / sqrt(n) + 8 * x / n))


def stronger(n, epsilon0, delta):
    x = exp(epsilon0)
    return log(1 + (x - 1) * (4 * sqrt(2 * log(4 / delta)) / sqrt((x + 1) * n) + 4 / n))


def theorem_4_3(n, p, beta, q, delta):
    r = beta / (p - 1) * p / q
    share = beta * (1 + p) / (p - 1)
    c = max(0, 4 * (1 - 3 * r) / (9 * (1 - 2 * r)))
    spread = sqrt(32 * log(4 / delta) / (r * (n - 1))) + 4 / (r * n)
    return log(1 + beta / (share + (1 - share) * c) * spread)


def smallest_n(p, beta, q, delta):
    return 8 * log(2 / delta) * (p - 1) * q / (beta * p)


def subsets(epsilon, d, k):
    x = exp(epsilon)
    both = comb(int(d) - 2, int(k) - 2) if k > 1 else 0
    one = comb(int(d) - 1, int(k) - 1)
    return (x - 1) * (one - both) / (x * one + comb(int(d) - 1, int(k)))


USERS = [{"n": 1000, "epsilon0": "1/2", "delta": "1/100"},
         {"n": 10**9, "epsilon0": "1/1000", "delta": "1e-12"}]  # fmt: skip
RATIOS = [{"p": 3, "beta": "1/3", "q": 4, "delta": "1e-6"},
          {"p": "101/100", "beta": "1/300", "q": 1, "delta": "1/2"}]  # fmt: skip
EPSILONS = [{"epsilon": "1/1000"}, {"epsilon": 5}]

FORMS = [
    *(("feldman2021/theorem-3.1", clones, at) for at in USERS),
    *(("feldman2023/closed-form", stronger, at) for at in USERS),
    *(("wang2023/theorem-4.3", theorem_4_3, at | {"n": 10**5}) for at in RATIOS),
    *(("wang2023/theorem-4.3#users", smallest_n, at) for at in RATIOS),
    *(("wang2023/parameters#any", lambda epsilon: (exp(epsilon) - 1) / (exp(epsilon) + 1), at)
      for at in EPSILONS),
    *(("wang2023/parameters#rappor",
       lambda epsilon: (exp(epsilon / 2) - 1) / (exp(epsilon / 2) + 1), at) for at in EPSILONS),
    *(("wang2023/parameters#general-rr",
       lambda epsilon, d: (exp(epsilon) - 1) / (exp(epsilon) + d - 1), at | {"d": 7})
      for at in EPSILONS),
    *(("wang2023/parameters#local-hash",
       lambda epsilon, **at: (exp(epsilon) - 1) / (exp(epsilon) + at["l"] - 1), at | {"l": 4})
      for at in EPSILONS),
    *(("wang2023/parameters#hadamard",
       lambda epsilon, K, s: s * (exp(epsilon) - 1) / 2 / (s * exp(epsilon) + K - s),
       at | {"K": 8, "s": 4}) for at in EPSILONS),
    *(("wang2023/parameters#k-subset", subsets, at | {"d": 9, "k": k})
      for at, k in zip(EPSILONS, (1, 4), strict=True)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "form", "at"), FORMS)
def test_formula(name, form, at):
    same_formula(name, at, form(**{name: number(x) for name, x in at.items()}))
    ordered_truth(name, at)
