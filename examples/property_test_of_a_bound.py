"""A property test of a bound, in five lines: is my_delta ever below the truth?

The truth is the exact delta of n shuffled users of binary randomized response, for
the very doubles that the function is called with. Three bounds are on trial: one
that is wrong, one that is right on paper but not in doubles, and one that passes.
"""

import math
from collections.abc import Callable

from hypothesis import given, settings

from exactdp.testing import (
    ShuffledRandomizedResponse,
    assert_never_below_truth,
    shuffled_randomized_response_deltas,
)


def divided_by_root_n(epsilon0: float, n: int, epsilon: float) -> float:
    """A guess: shuffling divides the local delta by the square root of n."""
    return local(epsilon0, n, epsilon) / math.sqrt(n)


def local(epsilon0: float, n: int, epsilon: float) -> float:
    """The delta of one user: shuffling can only lower it. True, but this one is rounded."""
    return max(0.0, (math.exp(epsilon0) - math.exp(epsilon)) / (math.exp(epsilon0) + 1))


def local_rounded_up(epsilon0: float, n: int, epsilon: float) -> float:
    """The same without cancellation, and enlarged by more than it can be rounded."""
    if epsilon >= epsilon0:
        return 0.0
    growth = math.exp(epsilon) * math.expm1(epsilon0 - epsilon)
    return growth / (math.exp(epsilon0) + 1) * (1 + 2**-48)


def try_out(my_delta: Callable[[float, int, float], float]) -> None:
    # In a test file only the three lines from @given on are needed.
    @settings(derandomize=True, database=None, deadline=None)
    @given(shuffled_randomized_response_deltas())
    def test_my_delta(case: ShuffledRandomizedResponse) -> None:
        claimed = my_delta(case.epsilon0, case.n, case.epsilon)
        assert_never_below_truth(claimed, case.truth, at=case)

    print(f"{my_delta.__name__}:")
    try:
        test_my_delta()
        print("passes")
    except* AssertionError as failures:
        for failure in failures.exceptions:
            print(failure)


for bound in (divided_by_root_n, local, local_rounded_up):
    try_out(bound)
