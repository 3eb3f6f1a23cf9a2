"""A bound on shuffling: is its δ ever below that of n users of randomized response?"""

from hypothesis import given
from my_library import clone_delta

from exactdp.testing import ShuffledRandomizedResponse, assert_never_below_truth
from exactdp.testing import shuffled_randomized_response_deltas as shuffles


@given(shuffles())
def test_delta_is_never_below_the_truth(case: ShuffledRandomizedResponse) -> None:
    claimed = clone_delta(case.epsilon0, case.n, case.epsilon)
    assert_never_below_truth(claimed, case.truth, at=case, tolerance="1e-9")
