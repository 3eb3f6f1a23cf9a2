"""The four users' files: what is right passes, what is a little wrong is caught in seconds."""

import importlib
import sys
import time
from dataclasses import replace
from math import comb, exp, log, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, settings

from exactdp.testing.plugin import PROFILES

FOLDER = Path(__file__).parents[2] / "examples" / "testing"
SECONDS = 10
FILES = {
    "test_a_pld_accountant": ("delta_of", "test_delta_is_never_below_the_truth"),
    "test_a_calibrator": ("smallest_sigma", "test_the_noise_attains_its_target"),
    "test_an_rdp_accountant": ("epsilon_of", "test_epsilon_is_never_below_the_smallest"),
    "test_a_shuffle_bound": ("clone_delta", "test_delta_is_never_below_the_truth"),
}
EXAMPLES = 1000
"""Until a wrong function is caught. Hypothesis draws constants of all local code that is imported,
so which of the usual hundred deployments are drawn changes with any line of it; the limit of time
says that it is soon."""
PHASES = [one for one in Phase if one is not Phase.explain]


@pytest.fixture(scope="module", autouse=True)
def folder():
    sys.path.insert(0, str(FOLDER))
    yield
    sys.path.remove(str(FOLDER))
    for name in (*FILES, "my_library"):
        sys.modules.pop(name, None)


def run(file, effort, function=None, phases=PHASES):
    name, test = FILES[file]
    sys.modules.pop(file, None)
    module = importlib.import_module(file)
    if function is not None:
        setattr(module, name, function)
    settings(phases=phases, database=None, **(PROFILES["default"] | effort))(
        getattr(module, test)
    )()


@pytest.mark.parametrize("file", FILES)
def test_the_right_function_passes(file):
    run(file, {"max_examples": 8})


# What is wrong: a dropped factor, a truncated tail, an FFT in doubles, a wrong relation.


def library():
    return importlib.import_module("my_library")


def delta_without_the_tail(mechanisms, epsilon):
    found = library().delta_of(mechanisms, epsilon)
    return found if found > 1e-10 else 0.0


def delta_by_fft(mechanisms, epsilon):
    my = library()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(my.np, "convolve", by_fft)
        return my.delta_of(mechanisms, epsilon)


def by_fft(a, b):
    size = len(a) + len(b) - 1
    return np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)


def delta_to_the_nearest(mechanisms, epsilon):
    my = library()
    step = sum(one.times * my.top_loss(one) for one in mechanisms) / my.CELLS
    return my.delta_of(mechanisms, epsilon + step * sum(one.times for one in mechanisms))


def delta_of_half_the_sensitivity(mechanisms, epsilon):
    halved = [replace(one, parameter=2 * one.parameter) for one in mechanisms]
    return library().delta_of(halved, epsilon)


def sigma_of_the_textbook(epsilon, delta):
    return sqrt(2 * log(1.25 / delta)) / max(epsilon, 1e-3)


def sigma_without_a_factor(epsilon, delta):
    return library().smallest_sigma(epsilon, 1.001 * delta)


def epsilon_with_a_wrong_order(mechanisms, delta):
    my = library()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(my, "epsilon_of_rdp", lambda rdp, a, delta: rdp + log(1 / delta) / a)
        return my.epsilon_of(mechanisms, delta)


def epsilon_for_small_rates(mechanisms, delta):
    my = library()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            my,
            "sampled_gaussian_rdp",
            lambda one, a: one.sampling_probability**2 * a / (2 * one.parameter**2),
        )
        return my.epsilon_of(mechanisms, delta)


def epsilon_of_the_other_relation(mechanisms, delta):
    twice = [replace(one, parameter=2 * one.parameter) for one in mechanisms]
    return library().epsilon_of(twice, delta)


def clones_with_the_victim(epsilon0, n, epsilon):
    return library().clone_delta_of(epsilon0, n, exp(-epsilon0), epsilon)


def clones_too_often(epsilon0, n, epsilon):
    return library().clone_delta_of(epsilon0, n - 1, min(1.0, 3 * exp(-epsilon0)), epsilon)


def clones_of_few_users(epsilon0, n, epsilon):
    found = library().clone_delta(epsilon0, n, epsilon)
    return found * (1 - 1 / comb(n + 2, 3)) if n > 5 else found


WRONG = [
    ("test_a_pld_accountant", delta_without_the_tail),
    ("test_a_pld_accountant", delta_by_fft),
    ("test_a_pld_accountant", delta_to_the_nearest),
    ("test_a_pld_accountant", delta_of_half_the_sensitivity),
    ("test_a_calibrator", sigma_of_the_textbook),
    ("test_a_calibrator", sigma_without_a_factor),
    ("test_an_rdp_accountant", epsilon_with_a_wrong_order),
    ("test_an_rdp_accountant", epsilon_for_small_rates),
    ("test_an_rdp_accountant", epsilon_of_the_other_relation),
    ("test_a_shuffle_bound", clones_with_the_victim),
    ("test_a_shuffle_bound", clones_too_often),
]


@pytest.mark.parametrize(("file", "function"), WRONG, ids=lambda one: getattr(one, "__name__", one))
def test_the_wrong_function_is_caught_in_seconds(file, function):
    # Of each file one wrong function is shrunk to what a user sees; the others are caught.
    is_shown = function is dict(reversed(WRONG))[file]
    phases = PHASES if is_shown else [one for one in PHASES if one is not Phase.shrink]
    start = time.process_time()
    with pytest.raises(AssertionError, match=r"(below|above) the truth") as caught:
        run(file, {"max_examples": EXAMPLES}, function, phases)
    assert time.process_time() - start < SECONDS
    assert "rebuild  from exactdp.testing import" in str(caught.value)
