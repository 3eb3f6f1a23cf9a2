"""pfl: the noise of its Gaussian mechanism, and that of its three privacy accountants."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims import Cases, Falls, Statement, Trials, cases, listed
from exactdp.testing.later import st
from proofs_check.libraries.laws import delta, delta_with_noise, law, with_noise
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import calibrated, doubles, small, whole

__all__ = ["TRIALS"]

IMPORTS = "from pfl.privacy import *"
SHARE = Fraction(1e-3)
"""``RTOL_NOISE_PARAMETER``: how far, relatively, the searches for noise may end from δ."""
EPS_ERROR, DELTA_ERROR = Fraction(0.07), Fraction(1e-10)
"""``eps_error`` and ``delta_error`` of the PRV accountant, by default."""

CALIBRATIONS: list[dict[str, Any]] = [
    {"mechanism": "gaussian", "rate": 0.01, "times": 100, "epsilon": 2.0, "delta": 1e-6},
    {"mechanism": "gaussian", "rate": 0.1, "times": 10, "epsilon": 1.0, "delta": 1e-5},
    {"mechanism": "gaussian", "rate": 0.25, "times": 4, "epsilon": 0.5, "delta": 1e-5},
    {"mechanism": "gaussian", "rate": 1.0, "times": 1, "epsilon": 1.0, "delta": 1e-5},
    {"mechanism": "gaussian", "rate": 1.0, "times": 10, "epsilon": 2.0, "delta": 1e-8},
    {"mechanism": "laplace", "rate": 1.0, "times": 1, "epsilon": 1.0, "delta": 1e-5},
    {"mechanism": "laplace", "rate": 1.0, "times": 10, "epsilon": 2.0, "delta": 1e-6},
]


def accountant(
    kind: str, mechanism: str, rate: float, times: int, known: str, result: str = "noise_parameter"
) -> str:
    """Return the call of an accountant for ε, δ or the noise, given the two others."""
    return (
        f"{kind}PrivacyAccountant(num_compositions={times}, sampling_probability={rate!r}, "
        f"mechanism={mechanism!r}, {known}).{result}"
    )


def noise(kind: str, over: Cases, draws: int, **allowed: Any) -> dict[str, Statement]:
    """Return the readings of the noise that an accountant finds."""
    return Promise(
        "pfl",
        IMPORTS,
        lambda mechanism, rate, times, epsilon, delta: accountant(
            kind, mechanism, rate, times, f"epsilon={epsilon!r}, delta={delta!r}"
        ),
        "parameter",
        with_noise,
        delta_with_noise,
        over,
        shaved=Fraction(1, 2),
        draws=draws,
        allowed_delta=lambda delta: Fraction(delta) * SHARE + allowed.get("delta", 0),
        allowed_epsilon=allowed.get("epsilon", Fraction(0)),
    ).readings()


def searched(kind: str, most: int) -> dict[str, Any]:
    """Return trainings beyond the list."""
    rates = (1.0, 0.5, 0.1, 0.01, 1e-6) if kind == "gaussian" else (1.0,)
    return {
        "mechanism": st.just(kind),
        "rate": st.sampled_from(rates),
        "times": whole(most),
        "epsilon": st.sampled_from([1.0, 2.0, 0.5, 8.0]),
        "delta": small(12),
    }


LAPLACE = cases(
    mechanism=("laplace",),
    rate=(1.0,),
    times=(1, 10),
    parameter=(0.5, 1.0, 2.0, 0.1, 10.0),
    delta=(1e-5, 1e-6, 1e-8),
).drawn(
    lambda: {
        "mechanism": st.just("laplace"),
        "rate": st.just(1.0),
        "times": whole(10),
        "parameter": doubles(0.1, 20.0),
        "delta": small(8),
    }
)

TRIALS: Trials = {
    "libraries/pfl/gaussian-single-iteration": Promise(
        "pfl",
        IMPORTS,
        lambda epsilon, delta: (
            f"GaussianMechanism.construct_single_iteration(1.0, {epsilon!r}, {delta!r})"
            ".relative_noise_stddev"
        ),
        "parameter",
        with_noise,
        delta_with_noise,
        calibrated(
            "gaussian", deltas=(1e-5, 1e-6, 1e-8, 1e-3, 1e-12, 0.1, 0.5, 1e-30, 1e-300)
        ).then(listed({"mechanism": "gaussian", "epsilon": 1e-4, "delta": 1e-5})),  # it was drawn
        falls=Falls.ROUNDING,
    ).readings(),
    "libraries/pfl/accountants": noise(
        "PLD", listed(*CALIBRATIONS).drawn(partial(searched, "laplace", 100)), 10
    ),
    "libraries/pfl/accountants-prv": noise(
        "PRV",
        listed(*(row for row in CALIBRATIONS if row["mechanism"] == "gaussian")).drawn(
            partial(searched, "gaussian", 100)
        ),
        4,
        epsilon=EPS_ERROR,
        delta=DELTA_ERROR,
    ),
    "libraries/pfl/accountants-rdp": noise(
        "RDP", listed(*CALIBRATIONS).drawn(partial(searched, "gaussian", 1000)), 15
    ),
    "libraries/pfl/accountants-prv-laplace": Promise(
        "pfl",
        IMPORTS,
        lambda mechanism, rate, times, parameter, delta: accountant(
            "PRV",
            mechanism,
            rate,
            times,
            f"noise_parameter={parameter!r}, delta={delta!r}",
            "epsilon",
        ),
        "epsilon",
        law,
        delta,
        LAPLACE,
        tolerance=EPS_ERROR,
        draws=15,
    ).readings(),
}
