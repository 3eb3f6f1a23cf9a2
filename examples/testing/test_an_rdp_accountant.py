"""An RDP accountant: is the ε of a composition ever below the smallest one?"""

from hypothesis import given
from my_library import epsilon_of

from exactdp.testing import Deployment, assert_epsilon_never_below_truth, deployments


@given(deployments("gaussian", is_sampled=True, max_times=1000))
def test_epsilon_is_never_below_the_smallest(case: Deployment) -> None:
    claimed = epsilon_of(case.mechanisms, case.delta)
    assert_epsilon_never_below_truth(claimed, case.true_epsilon, at=case, tolerance="1e-9")
