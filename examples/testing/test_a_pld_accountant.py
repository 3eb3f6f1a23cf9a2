"""A PLD accountant: is the δ of a composition ever below the truth?"""

from hypothesis import given
from my_library import delta_of

from exactdp.testing import Deployment, assert_never_below_truth, deployments


@given(deployments("gaussian", "laplace", max_mechanisms=2, max_times=10))
def test_delta_is_never_below_the_truth(case: Deployment) -> None:
    claimed = delta_of(case.mechanisms, case.epsilon)
    assert_never_below_truth(claimed, case.truth, at=case, tolerance="1e-9")
