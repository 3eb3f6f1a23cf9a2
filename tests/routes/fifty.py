"""Fifty questions, asked in a process whose clocks stand still, or jump an hour a call.

    python -m tests.routes.fifty still     # an answer a line, with all its bits
    python -m tests.routes.fifty jumping   # the same, asked from the last to the first, and again

Half of them are asked with budgets of a fiftieth: what is not reached is bounded, or refused.
"""

import itertools
import sys
import time

CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
"""Functions of ``time``; each has a twin in nanoseconds."""

LITTLE = 50
"""Budgets are divided by that in half of the questions."""


def set_clocks(how):
    """Let all clocks stand still, or jump an hour at each look; before anything is imported."""
    hours = itertools.count() if how == "jumping" else itertools.repeat(0)
    for name in CLOCKS:
        setattr(time, name, lambda: 3600.0 * next(hours))
        setattr(time, f"{name}_ns", lambda: 3600 * 10**9 * next(hours))


def questions():
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
    from exactdp.accounting.spent import Spent
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
        "coins": compose([(coin, 9)]),
        "noise": compose([(gauss, 2), (laplace, 2)]),
        "sampled": compose([(poisson_subsampled(gauss, rate="1e-2"), 30)]),
        "integers": compose([(integer, 3), (discrete_laplace_mechanism(scale=3), 2)]),
        "sampled integers": compose([(poisson_subsampled(integer, rate="1e-2"), 10)]),
        "skellam": compose([(skellam_mechanism(variance=9), 4)]),
        "binomial": compose([(binomial_mechanism(trials=60), 4)]),
        "exponential": compose([(exponential_mechanism(scale=9), 30)]),
        "guarantees": compose([(guarantee(1, "1e-6"), 3), (guarantee("1/2", 0), 3)]),
        "zcdp": compose([(from_zcdp("0.1"), 3), (gauss, 1)]),
        "thresholded": compose([(thresholded(laplace, threshold=20), 2)]),
        "shuffled": compose([(shuffle_worst_case(20, rows), 2)]),
        "one shuffle": shuffle_worst_case(300, randomized_response(3, Epsilon.log(3))),
        "groups": group_profile(compose([(laplace, 3)]), 2),
        "allocation": random_allocation(gauss, steps=10),
        "training": dp_sgd(sigma=1, rate="1e-2", steps=100),
        "batches": dp_sgd(sigma=2, rate="1e-1", steps=20, batches="balls_and_bins"),
    }

    def claims(assertion, number, profile, **asked):
        assertion(number, profile, max_seconds=0.05, **asked)
        return "holds"

    def spent(parts, delta):
        one = Spent(parts)
        return one.epsilon(delta), one.note

    found = {}
    for name, profile in profiles.items():
        found[f"{name}: delta"] = lambda profile=profile: profile.delta(Epsilon.rational("1/2"))
        found[f"{name}: epsilon"] = lambda profile=profile: profile.epsilon("1e-5")
        found[f"{name}: claimed"] = lambda profile=profile: claims(
            assert_never_below_truth, 1e-3, profile, epsilon=2.0
        )
    found["spent, noise"] = lambda: spent([(gauss, 3), (laplace, 1)], 1e-6)
    found["spent, integers"] = lambda: spent([(poisson_subsampled(integer, rate="1e-2"), 9)], 1e-6)
    found["epsilon claimed"] = lambda: claims(
        assert_epsilon_never_below_truth, 0.001, profiles["sampled integers"], delta=1e-6
    )
    return found


def with_little_work(ask):
    """Ask with small budgets."""
    from unittest.mock import patch

    from exactdp.accounting import between, looser, spent

    places = [(looser, "WORK"), (between, "WORK"), (between, "_WORK_OF_PAIRS")]
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
    ends = [str(getattr(answer, end)) for end in ("lower", "upper") if hasattr(answer, end)]
    notes = [getattr(answer, by, None) for by in ("lower_by", "upper_by")]
    return " ".join([type(answer).__name__, *(ends or [str(answer)]), *map(str, notes)])


def main(how):
    """Print all answers."""
    set_clocks(how)
    found = {}
    for _ in range(1 if how == "still" else 2):
        asked = list(questions().items())
        for i, (name, ask) in list(enumerate(asked))[:: 1 if how == "still" else -1]:
            answer = said(partial_of(ask, i))
            assert found.setdefault(name, answer) == answer, f"{name}: {answer}, {found[name]}"
    for name in sorted(found):
        print(f"{name}: {found[name]}")


def partial_of(ask, i):
    """Return the question, every other one with little work."""
    return ask if i % 2 else lambda: with_little_work(ask)


if __name__ == "__main__":
    main(sys.argv[1])
