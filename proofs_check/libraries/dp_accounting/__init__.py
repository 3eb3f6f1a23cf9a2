"""dp-accounting: privacy-loss distributions, Rényi DP, events and the Gaussian calibration."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims import Falls, Trials, cases
from exactdp.compare.adapters.dp_accounting import ACCOUNTANTS
from exactdp.testing.later import st
from proofs_check.libraries.decreasing import Decreasing
from proofs_check.libraries.dp_accounting import events
from proofs_check.libraries.dp_accounting.grids import CALIBRATION, GRID
from proofs_check.libraries.laws import accounted
from proofs_check.libraries.search import alone, calibrated, deployed, is_quick, whole

__all__ = ["TRIALS"]

DELTAS = (1e-5, 1e-6, 1e-8, 1e-12, 1e-3, 0.1, 1e-30, 1e-100, 1e-300)
TOLERANCE = Fraction(1e-12)
"""``tol``, "error tolerance for search", of the Gaussian functions, by default."""

KINDS = (
    "gaussian",
    "laplace",
    "discrete_gaussian",
    "discrete_laplace",
    "randomized_response",
)


is_short = partial(is_quick, most=3e5)
"""Whether a call takes seconds; what it leaves out has so many losses that it takes minutes."""


def two(mechanism: str, parameter: float, times: int, low: float, high: float) -> str:
    """Return the call for δ at two ε."""
    made = f"pld.from_{mechanism}_mechanism({parameter!r}).self_compose({times})"
    return f"[{made}.get_delta_for_epsilon(x) for x in ({low!r}, {high!r})]"


@st.composite
def pairs(draw: st.DrawFn) -> dict[str, Any]:
    """Return a composition and two ε, near the end of its losses, where δ is noise, or not."""
    mechanism = draw(st.sampled_from(["gaussian", "laplace", "discrete_laplace"]))
    times = draw(whole(10**4))
    parameter = float(f"{draw(st.sampled_from([1.0, 2.0, 5.0, 0.5])) * math.sqrt(times):.1e}")
    low = draw(st.sampled_from([0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0]))
    high = low + draw(st.sampled_from([1.0, 0.5, 0.21, 0.01]))
    at = {"mechanism": mechanism, "parameter": parameter, "times": times}
    return {**at, "low": low, "high": high}


TRIALS: Trials = {
    **events.TRIALS,
    "libraries/dp-accounting/pld-pessimistic-delta": accounted(
        ACCOUNTANTS,
        "dp-accounting/pld",
        "delta",
        deployed(*KINDS, asks="delta").where(is_short),
        shaved=Fraction(9, 10),
        draws=200,
    ).readings(),
    "libraries/dp-accounting/pld-pessimistic-epsilon": accounted(
        ACCOUNTANTS,
        "dp-accounting/pld",
        "epsilon",
        deployed(*KINDS, asks="epsilon").where(is_short),
        shaved=Fraction(9, 10),
        draws=200,
    ).readings(),
    "libraries/dp-accounting/pld-pessimistic-trainings": accounted(
        ACCOUNTANTS,
        "dp-accounting/pld",
        "epsilon",
        cases(
            mechanism=("gaussian",),
            parameter__times=((100.0, 10_000), (30.0, 1000), (100.0, 1000)),
            delta=(1e-12, 1e-10),
        ).drawn(
            lambda: {
                "mechanism": st.just("gaussian"),
                "parameter": st.sampled_from([100.0, 30.0, 300.0]),
                "times": st.sampled_from([10_000, 1000, 20_000]),
                "delta": st.sampled_from([1e-5, 1e-12, 1e-10]),
            }
        ),
        shaved=Fraction(9, 10),
    ).readings(),
    "libraries/dp-accounting/pld-optimistic-delta": accounted(
        ACCOUNTANTS,
        "dp-accounting/pld-optimistic",
        "delta",
        deployed(*KINDS, asks="delta").where(is_short),
        shaved=Fraction(9, 10),
        draws=200,
    ).readings(),
    "libraries/dp-accounting/pld-range": Decreasing(
        "dp-accounting",
        "from dp_accounting.pld import privacy_loss_distribution as pld",
        two,
        cases(
            mechanism=("gaussian", "laplace", "discrete_laplace"),
            parameter__times=((1.0, 1), (10.0, 100), (1000.0, 10_000)),
            low__high=((0.0, 1.0), (0.5, 0.71), (1.0, 2.0), (8.0, 8.5), (20.0, 40.0)),
        ).drawn(lambda: pairs()),
    ).statement(),
    "libraries/dp-accounting/rdp-epsilon": accounted(
        ACCOUNTANTS,
        "dp-accounting/rdp",
        "epsilon",
        deployed("gaussian", "laplace", "randomized_response", asks="epsilon"),
        shaved=Fraction(1, 2),
    ).readings(),
    "libraries/dp-accounting/gaussian-sigma": accounted(
        ACCOUNTANTS,
        "dp-accounting/gaussian",
        "parameter",
        calibrated("gaussian", epsilons=(1.0, 0.5, 2.0, 8.0, 0.1, 0.01), deltas=DELTAS),
        draws=200,
        tolerance=TOLERANCE,
        falls=Falls.ROUNDING,
    ).readings(),
    "libraries/dp-accounting/gaussian-epsilon": accounted(
        ACCOUNTANTS,
        "dp-accounting/gaussian",
        "epsilon",
        alone("gaussian", deltas=DELTAS),
        tolerance=TOLERANCE,
        falls=Falls.ROUNDING,
    ).readings(),
    "libraries/dp-accounting/calibrate": CALIBRATION,
    "libraries/dp-accounting/pld-grid": GRID,
}
