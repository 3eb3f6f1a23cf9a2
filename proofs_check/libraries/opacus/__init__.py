"""opacus: the accountants of its DP-SGD, and the noise that it finds with them."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from exactdp.claims import Statement, Trials, cases
from exactdp.compare.adapters.opacus import ACCOUNTANTS
from proofs_check.libraries.laws import TRAININGS, accounted, delta_with_noise, with_noise
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import deployed, far, is_quick, trainings

__all__ = ["TRIALS"]

HALF = Fraction(1, 2)
WITH_ENDS = TRAININGS.then(far("epsilon"))
FEW = TRAININGS.then(
    # From 1e-12 on numpy's transform, so its version, decides which of them fall.
    cases(
        mechanism=("gaussian",),
        parameter__times=((100.0, 10_000), (50.0, 1000), (30.0, 1000)),
        delta=(1e-5, 1e-8, 1e-12, 3e-13, 1e-13, 3e-14),
    )
)
RATES = (1.0, 0.01, 0.1, 0.5, 1e-3, 1e-5, 0.99, 1e-6)
DRAWN = deployed("gaussian", asks="epsilon", rates=RATES, most=10_000, smallest=14)


def is_fair(delta: float) -> bool:
    """Return whether δ is so small that the answer is not an ε below 0, which may hold."""
    return delta <= 0.001


def noise(accountant: str, draws: int) -> dict[str, Statement]:
    """Return the readings of get_noise_multiplier with one of the accountants."""
    return Promise(
        "opacus",
        ACCOUNTANTS[0].before + "from opacus.accountants.utils import get_noise_multiplier as find",
        lambda epsilon, delta, rate, times: (
            f"float(find(target_epsilon={epsilon!r}, target_delta={delta!r}, "
            f"sample_rate={rate!r}, steps={times}, accountant={accountant!r}))"
        ),
        "parameter",
        with_noise,
        delta_with_noise,
        cases(
            mechanism=("gaussian",),
            rate__times=((0.02, 100), (0.01, 1000), (0.1, 100), (1.0, 1)),
            epsilon=(1.0, 3.0),
            delta=(1e-5,),
        ).drawn(lambda: trainings(1000)),
        shaved=HALF,
        draws=draws,
    ).readings()


TRIALS: Trials = {
    **{
        f"libraries/opacus/{name}": accounted(
            ACCOUNTANTS,
            f"opacus/{name}",
            "epsilon",
            over.drawn(DRAWN.where(is_fair).where(partial(is_quick, most=most)).drawn_instances),
            shaved=HALF,
            draws=draws,
            tolerance=error,
        ).readings()
        for name, over, most, draws, error in (
            ("rdp", WITH_ENDS, 2e4, 30, Fraction(0)),
            ("gdp", WITH_ENDS, 2e4, 100, Fraction(0)),
            # eps_error, "acceptable level of error in the epsilon estimate".
            ("prv", FEW, 1500.0, 60, Fraction(1, 100)),
        )
    },
    "libraries/opacus/noise-multiplier": noise("rdp", 15),
    "libraries/opacus/noise-multiplier-prv": noise("prv", 4),  # ten seconds a call
    "libraries/opacus/noise-multiplier-gdp": noise("gdp", 60),
}
