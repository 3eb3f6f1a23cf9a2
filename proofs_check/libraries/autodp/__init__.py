"""autodp: the analytic Gaussian mechanism, and Rényi DP of randomized response."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Trials, cases
from exactdp.compare.adapters.autodp import ACCOUNTANTS
from proofs_check.libraries.laws import accounted

__all__ = ["TRIALS"]

DELTAS = (1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-3, 0.1, 1e-15)


def calibrated(epsilon: float, delta: float) -> str:
    """Return the call for the calibrated σ."""
    made = f"ana_gaussian_calibrator()(ExactGaussianMechanism, {epsilon!r}, {delta!r})"
    return f"{made}.params['sigma']"


TRIALS: Trials = {
    "libraries/autodp/analytic-gaussian-calibrator": accounted(
        ACCOUNTANTS,
        "autodp/gaussian",
        "parameter",
        cases(mechanism=("gaussian",), epsilon=(1.0, 0.5, 2.0, 8.0, 0.1), delta=DELTAS),
        imports="from autodp.calibrator_zoo import ana_gaussian_calibrator; "
        "from autodp.mechanism_zoo import ExactGaussianMechanism",
        call=calibrated,
    ).readings(),
    "libraries/autodp/gaussian-epsilon": accounted(
        ACCOUNTANTS,
        "autodp/gaussian",
        "epsilon",
        cases(
            mechanism=("gaussian",),
            parameter=(1.0, 2.0, 0.5, 5.0, 20.0, 0.1, 1e3),
            delta=(*DELTAS, 1e-100, 1e-300),
        ),
    ).readings(),
    "libraries/autodp/rdp-randomized-response": accounted(
        ACCOUNTANTS,
        "autodp/rdp",
        "epsilon",
        cases(
            mechanism=("randomized_response",),
            parameter=(1.0, 0.5, 2.0, 0.1, 5.0),
            times=(1, 2, 10, 100),
            delta=(1e-5, 1e-3, 0.1, 1e-10),
        ),
        shaved=Fraction(1, 2),
    ).readings()["a"],  # p is rounded on the way
}
