"""A calibrator: does the noise that it returns attain (ε, δ)?"""

from hypothesis import given
from my_library import smallest_sigma

from exactdp.testing import Deployment, assert_private, deployments


@given(deployments("gaussian"))
def test_the_noise_attains_its_target(case: Deployment) -> None:
    sigma = smallest_sigma(case.epsilon, case.delta)
    assert_private(
        case.profile_with(sigma),
        epsilon=case.epsilon,
        delta=case.delta,
        parameter=sigma,
        at=case,
        tolerance="1e-9",
    )
