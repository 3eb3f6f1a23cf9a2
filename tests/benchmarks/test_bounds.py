"""Questions to published bounds of a million users, with the limit that is promised.

Formula, double, safe double and truth together, none of it kept from a question before.
"""

import sys
import time
from dataclasses import replace

import pytest

from exactdp.bounds import published

pytestmark = pytest.mark.benchmark(timer=time.process_time)

PAIR = {"n": 10**6, "p": 3, "beta": "1/4", "q": 2}
H = {"n": 10**6, "d": 17, "rate": "1/2", "gamma": "1/2", "epsilon": "1/100"}
USERS = {"n": 10**6, "s": 2, "d": 17, "m": "3/2"}
BUDGETS = {"epsilon_1": 1, "epsilon_2": "1/2", "epsilon_3": "1/4", "epsilon": "1/100"}
HALVES = {"n_2": 500_000, "n_3": 500_000}

ASKED = {
    "feldman2021/theorem-3.1": {"n": 10**6, "epsilon0": 1, "delta": "1e-9"},
    "feldman2021/reduction": {"n": 10**6, "epsilon0": 1, "epsilon": "1/100"},
    "feldman2023/stronger-clones": {"n": 10**6, "epsilon0": 1, "epsilon": "1/100"},
    "wang2024/theorem-1": {**PAIR, "epsilon": "1/100"},
    "wang2024/equation-1": {**PAIR, "delta": "1e-9"},
    "wang2024/theorem-2": {**PAIR, "gamma": "1/2", "epsilon": "1/100"},
    "wang2024/lemma-3": H,
    "wang2024/repair/lemma-3/coin-told": H,
    "wang2024/theorem-3": {**USERS, "rate": "1/2", "epsilon": "1/50"},
    "wang2024/repair/theorem-3": {**USERS, "rate": "1/2", "epsilon": "1/50"},
    "liu2024/repair/theorem-2-randomized-response": {**BUDGETS, **HALVES},
    "liu2024/repair/theorem-2": {
        "epsilon_1": 1, "r_2": "1/10", "r_3": "1/5", "epsilon": "1/100", **HALVES,
    },
}  # fmt: skip

STABLE = {
    "feldman2021/reduction": {"n": 60_000, "epsilon0": 1, "epsilon": "1/100"},
    "wang2023/variation-ratio": {**PAIR, "n": 60_000, "epsilon": "1/100"},
    "liu2024/repair/theorem-2": {
        "epsilon_1": 1, "r_2": "1/10", "r_3": "1/5", "epsilon": "1/100",
        "n_2": 40_000, "n_3": 40_000,
    },
}  # fmt: skip

GROUPS = {"sigma_1": 1, "n_2": 10**6, "sigma_2": 2, "delta_1": 0, "epsilon": "1/100"}

LONGER = {
    # Views at several thresholds too, not a pair of counts alone.
    "liu2024/theorem-2#gaussian": (GROUPS, 0.4),
    # Views of three groups at several thresholds, in both orders; dozens of δ in a search.
    "liu2024/theorem-2#laplace": ({**BUDGETS, **HALVES}, 0.6),
    "wang2024/theorem-3#rate": ({**USERS, "epsilon": "1/50", "delta": "1e-6", "steps": 20}, 2),
}


def forgotten(name):
    """The bound, and nothing of what was computed for it."""
    bound = replace(published(name))
    for module in [m for x, m in sys.modules.items() if x.startswith("proofs_check.")]:
        for one in vars(module).values():
            if hasattr(one, "cache_clear") and one.__module__.startswith("proofs_check."):
                one.cache_clear()
    return bound


@pytest.mark.parametrize("name", ASKED)
def test_a_question(timed, name):
    answer = timed(lambda: forgotten(name)(**ASKED[name]), seconds=0.2, rounds=3)
    assert answer.formula is not None
    assert answer.truth is not None


@pytest.mark.parametrize("name", LONGER)
def test_a_longer_question(timed, name):
    at, seconds = LONGER[name]
    answer = timed(lambda: forgotten(name)(**at), seconds=seconds, rounds=2)
    assert answer.truth is not None


@pytest.mark.parametrize("name", STABLE)
def test_a_stable_double(timed, name):
    bound = published(name)
    at = bound.checked(STABLE[name])
    assert timed(lambda: bound.stable_at(at), seconds=0.2, rounds=3) is not None
