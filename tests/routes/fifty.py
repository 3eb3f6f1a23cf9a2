"""Fifty questions, asked in a process whose clocks stand still, or jump an hour a call.

    python -m tests.routes.fifty still     # (or: still deep) an answer a line, with all its bits
    python -m tests.routes.fifty jumping   # the same, asked from the last to the first

Each third is asked with budgets of a fiftieth: what is not reached is bounded, or refused.
"""

import itertools
import sys
import time
from functools import partial

CLOCKS = (
    *("time", "monotonic", "perf_counter", "process_time", "thread_time"),
    *("time_ns", "monotonic_ns", "perf_counter_ns", "process_time_ns", "thread_time_ns"),
)
"""Functions of ``time``, in seconds and in nanoseconds."""

LITTLE = 50
"""Budgets are divided by that where a δ is asked, and in one more question."""


def set_clocks(how):
    """Let all clocks stand still, or jump an hour at each look; before anything is imported."""
    hours = itertools.count() if how == "jumping" else itertools.repeat(0)
    for name in CLOCKS:
        unit = 10**9 if name.endswith("ns") else 1.0
        setattr(time, name, lambda unit=unit: 3600 * unit * next(hours))


def questions(*, is_deep=False):
    """Return named questions, and those for which budgets are small."""
    from exactdp import (
        Epsilon,
        Pair,
        compose,
        dp_sgd,
        gaussian_mechanism,
        laplace_mechanism,
        randomized_response,
        shuffle_worst_case,
    )
    from exactdp.accounting import from_zcdp, group_profile, guarantee, poisson_subsampled
    from exactdp.accounting.accountants.doubles_out import Spent
    from exactdp.mechanisms import (
        Randomizer,
        binomial_mechanism,
        discrete_gaussian_mechanism,
        discrete_laplace_mechanism,
        exponential_mechanism,
        skellam_mechanism,
        thresholded,
    )
    from exactdp.shuffle import random_allocation
    from exactdp.testing import assert_epsilon_never_below_truth, assert_never_below_truth

    coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    gauss, laplace = gaussian_mechanism(sigma=2), laplace_mechanism(scale=2)
    integer = discrete_gaussian_mechanism(sigma=4)
    rows = Randomizer.from_matrix([["4/5", "1/5"], ["1/3", "2/3"]])
    profiles = {
        "coins": lambda: compose([(coin, 9)]),
        "noise": lambda: compose([(gauss, 2), (laplace, 2)]),
        "sampled": lambda: compose([(poisson_subsampled(gauss, sampling_probability="1e-2"), 30)]),
        "integers": lambda: compose([(integer, 3), (discrete_laplace_mechanism(scale=3), 2)]),
        "skellam": lambda: compose([(skellam_mechanism(variance=9), 2)]),
        "binomial": lambda: compose([(binomial_mechanism(trials=60), 3)]),
        "exponential": lambda: compose([(exponential_mechanism(scale=9), 30)]),
        "guarantees": lambda: compose([(guarantee(1, "1e-6"), 3), (guarantee("1/2", 0), 3)]),
        "zcdp": lambda: compose([(from_zcdp("0.1"), 3), (gauss, 1)]),
        "thresholded": lambda: compose([(thresholded(laplace, threshold=20), 2)]),
        "shuffled": lambda: compose([(shuffle_worst_case(4, rows), 2)]),
        "one shuffle": lambda: shuffle_worst_case(300, randomized_response(3, Epsilon.log(3))),
        "groups": lambda: group_profile(compose([(laplace, 3)]), 2),
        "allocation": lambda: random_allocation(gauss, steps=10),
        "training": lambda: dp_sgd(noise_multiplier=1, sampling_probability="1e-2", steps=100),
        "little noise": lambda: dp_sgd(
            noise_multiplier="0.3", sampling_probability="1e-3", steps=50
        ),
        "few sampled": lambda: compose(
            [(poisson_subsampled(laplace, sampling_probability="1/10"), 3)]
        ),
    }

    def claims(assertion, number, profile, **asked):
        assertion(number, profile, max_seconds=0.05, **asked)
        return "holds"

    def spent(parts, delta):
        one = Spent(parts)
        return one.epsilon(delta), one.note

    found = {}
    for name, made in profiles.items():  # anew for each question: an object keeps its laws
        found[f"{name}: delta"] = lambda made=made: made().delta(Epsilon.rational("1/2"))
        found[f"{name}: epsilon"] = lambda made=made: made().epsilon("1e-5")
        found[f"{name}: claimed"] = lambda made=made: claims(
            assert_never_below_truth, 1e-3, made(), epsilon=2.0
        )
    found["spent, noise"] = lambda: spent([(gauss, 3), (laplace, 1)], 1e-6)
    found["spent, little"] = lambda: spent(
        [(poisson_subsampled(gauss, sampling_probability="1e-2"), 40)], 1e-6
    )
    if is_deep:
        found["sampled integers: epsilon"] = lambda: compose(
            [(poisson_subsampled(integer, sampling_probability="1e-2"), 10)]
        ).epsilon("1e-6")
    found["epsilon claimed"] = lambda: claims(
        assert_epsilon_never_below_truth, 0.001, profiles["binomial"](), delta=1e-6
    )
    return found


def with_little_work(ask):
    """Ask with small budgets."""
    from unittest.mock import patch

    from exactdp.accounting.accountants import doubles_out as spent
    from exactdp.divergences import between_pairs as between

    places = [(between, "WORK")]
    places += [(spent, "WORK_OF_WIDTHS"), (spent, "WORK_OF_A_BOUND")]
    patches = [patch.object(room, name, getattr(room, name) // LITTLE) for room, name in places]
    for one in patches:
        one.start()
    try:
        return ask()
    finally:
        for one in patches:
            one.stop()


def said(ask):
    """Return an answer with all its bits, or the refusal."""
    try:
        answer = ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    from exactdp.numbers import Enclosure

    if not isinstance(answer, Enclosure):
        return repr(answer)
    notes = [str(getattr(answer, by, None)) for by in ("lower_by", "upper_by")]
    return " ".join([type(answer).__name__, str(answer.lower), str(answer.upper), *notes])


def main(how, *, is_deep):
    """Print all answers."""
    set_clocks(how)
    found = {}
    for name, ask in list(questions(is_deep=is_deep).items())[:: 1 if how == "still" else -1]:
        is_little = name.endswith(("delta", "little"))
        found[name] = said(partial(with_little_work, ask) if is_little else ask)
    for name in sorted(found):
        print(f"{name}: {found[name]}")


if __name__ == "__main__":
    main(sys.argv[1], is_deep="deep" in sys.argv)
