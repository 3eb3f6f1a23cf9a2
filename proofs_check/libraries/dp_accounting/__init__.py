"""dp-accounting: privacy-loss distributions, Rényi DP and the Gaussian calibration."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.claims import Cases, Trials, cases, listed
from exactdp.compare.adapters.dp_accounting import ACCOUNTANTS
from proofs_check.libraries.laws import accounted, drawn
from proofs_check.libraries.promises import Decreasing

__all__ = ["TRIALS"]

DELTAS = (1e-5, 1e-6, 1e-8, 1e-12, 1e-3, 0.1, 1e-30, 1e-100, 1e-300)
TOLERANCE = Fraction(1e-12)
"""``tol``, "error tolerance for search", of the Gaussian functions, by default."""

GAUSSIAN: dict[str, Any] = {"mechanism": "gaussian"}
SAMPLED = {**GAUSSIAN, "parameter": 1.0, "rate": 0.01}


def ordinary(*at: tuple[str, float]) -> Cases:
    """Return deployments, simplest first, each where ``at`` says: an epsilon or a delta."""
    one = [
        {**GAUSSIAN, "parameter": 1.0},
        {**GAUSSIAN, "parameter": 4.0, "times": 10},
        {**GAUSSIAN, "parameter": 300.0, "times": 1000},
        {**GAUSSIAN, "parameter": 1000.0, "times": 10_000},
        {**SAMPLED},
        {**SAMPLED, "times": 100},
        {**SAMPLED, "times": 1000},
        {"mechanism": "laplace", "parameter": 1.0},
        {"mechanism": "laplace", "parameter": 10.0, "times": 100},
        {"mechanism": "discrete_gaussian", "parameter": 2.0},
        {"mechanism": "discrete_laplace", "parameter": 2.0},
        {"mechanism": "discrete_laplace", "parameter": 10.0, "times": 100},
        {"mechanism": "randomized_response", "parameter": 1.0},
        {"mechanism": "randomized_response", "parameter": 0.1, "times": 100},
        {**GAUSSIAN, "parameter": 1000.0, "times": 10**6},
        {**GAUSSIAN, "parameter": 100.0, "times": 10},
        {"mechanism": "laplace", "parameter": 1000.0, "times": 10},
        {"mechanism": "randomized_response", "parameter": 1e-3, "times": 10},
    ]
    return listed(*({**fields, name: x} for fields in one for name, x in at))


EPSILONS = [("epsilon", x) for x in (1.0, 0.5, 2.0, 0.0, 0.74, 8.0)]
SMALL_DELTAS = [("delta", x) for x in (1e-5, 1e-8, 1e-3, 1e-12, 1e-14)]


def two(mechanism: str, parameter: float, times: int, low: float, high: float) -> str:
    """Return the call for δ at two ε."""
    made = f"pld.from_{mechanism}_mechanism({parameter!r}).self_compose({times})"
    return f"[{made}.get_delta_for_epsilon(x) for x in ({low!r}, {high!r})]"


TRIALS: Trials = {
    "libraries/dp-accounting/pld-pessimistic-delta": accounted(
        ACCOUNTANTS,
        "dp-accounting/pld",
        "delta",
        ordinary(*EPSILONS),
        shaved=Fraction(9, 10),
    ).readings(),
    "libraries/dp-accounting/pld-pessimistic-epsilon": accounted(
        ACCOUNTANTS,
        "dp-accounting/pld",
        "epsilon",
        ordinary(*SMALL_DELTAS),
        shaved=Fraction(9, 10),
    ).readings(),
    "libraries/dp-accounting/pld-optimistic-delta": accounted(
        ACCOUNTANTS,
        "dp-accounting/pld-optimistic",
        "delta",
        ordinary(*EPSILONS),
        shaved=Fraction(9, 10),
    ).readings(),
    "libraries/dp-accounting/pld-range": Decreasing(
        "dp-accounting",
        "from dp_accounting.pld import privacy_loss_distribution as pld",
        two,
        cases(
            mechanism=("gaussian", "laplace", "discrete_laplace"),
            parameter__times=((1.0, 1), (10.0, 100), (1000.0, 10_000)),
            low__high=((0.0, 1.0), (0.5, 0.71), (1.0, 2.0), (8.0, 8.5), (20.0, 40.0)),
        ),
    ).statement(),
    "libraries/dp-accounting/rdp-epsilon": accounted(
        ACCOUNTANTS,
        "dp-accounting/rdp",
        "epsilon",
        ordinary(*SMALL_DELTAS, ("delta", 0.1)).drawn(
            lambda: drawn("gaussian", "laplace", max_times=100)
        ),
        shaved=Fraction(1, 2),
    ).readings(),
    "libraries/dp-accounting/gaussian-sigma": accounted(
        ACCOUNTANTS,
        "dp-accounting/gaussian",
        "parameter",
        cases(
            mechanism=("gaussian",),
            epsilon=(1.0, 0.5, 2.0, 8.0, 0.1, 0.01, 1e-3, 1e-4, 100.0, 1e4),
            delta=DELTAS,
        ),
        tolerance=TOLERANCE,
    ).readings(),
    "libraries/dp-accounting/gaussian-epsilon": accounted(
        ACCOUNTANTS,
        "dp-accounting/gaussian",
        "epsilon",
        cases(
            mechanism=("gaussian",),
            parameter=(1.0, 2.0, 0.5, 5.0, 20.0, 0.1, 100.0, 1e4, 1e6),
            delta=DELTAS,
        ),
        tolerance=TOLERANCE,
    ).readings(),
}
