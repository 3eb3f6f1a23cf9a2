"""autodp: the analytic Gaussian mechanism, Rényi DP of randomized response, and the zoo."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Falls, Trials
from exactdp.compare.adapters.autodp import ACCOUNTANTS
from proofs_check.libraries.autodp.zoo import FOURIER, ZOO
from proofs_check.libraries.laws import accounted
from proofs_check.libraries.search import DELTAS, alone, calibrated, deployed

__all__ = ["TRIALS"]

EPSILONS = (1.0, 0.5, 2.0, 8.0, 0.1, 20.0)
TOLERANCE = Fraction(1e-12)
"""``tol``, "error tolerance for binary search", whose function is δ, by default."""


def sigma(epsilon: float, delta: float) -> str:
    """Return the call for the calibrated σ."""
    made = f"ana_gaussian_calibrator()(ExactGaussianMechanism, {epsilon!r}, {delta!r})"
    return f"{made}.params['sigma']"


TRIALS: Trials = {
    "libraries/autodp/analytic-gaussian-calibrator": accounted(
        ACCOUNTANTS,
        "autodp/gaussian",
        "parameter",
        calibrated("gaussian", epsilons=EPSILONS, deltas=(*DELTAS, 1e-9)),
        allowed_delta=TOLERANCE,
        imports="from autodp.calibrator_zoo import ana_gaussian_calibrator; "
        "from autodp.mechanism_zoo import ExactGaussianMechanism",
        call=sigma,
    ).readings(),
    "libraries/autodp/gaussian-epsilon": accounted(
        ACCOUNTANTS,
        "autodp/gaussian",
        "epsilon",
        alone("gaussian"),
        falls=Falls.ROUNDING,
    ).readings(),
    "libraries/autodp/rdp-randomized-response": accounted(
        ACCOUNTANTS,
        "autodp/rdp",
        "epsilon",
        deployed("randomized_response", asks="epsilon"),
        shaved=Fraction(1, 2),
        ranges={"parameter": (1e-3, 8.0)},
    ).readings()["a"],  # p is rounded on the way: of a large ε there is little left of 1 - p
    "libraries/autodp/compose-afa-epsilon": FOURIER["epsilon"],
    "libraries/autodp/compose-afa-delta": FOURIER["delta"],
    "libraries/autodp/mechanism-approxdp": ZOO,
}
