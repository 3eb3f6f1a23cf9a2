"""riskcal: the error rates of attacks, and noise that is calibrated to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.claims import Cases, Falls, Statement, Term, Trials, cases
from exactdp.claims.calls import called
from exactdp.side import Side
from exactdp.testing.later import st
from proofs_check.libraries.laws import advantage, missed
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import attacks

__all__ = ["TRIALS"]

TOLERANCE = Fraction(1, 1000)
"""``advantage_tol`` and ``beta_tol``, "Convergence tolerance", by default."""


def error_rates(over: Cases) -> dict[str, Statement]:
    """Return the readings of the rates that the accountant reports."""
    return Promise(
        "riskcal",
        "from riskcal.accountants import CTDAccountant\n"
        "def beta(sigma, steps, alpha, rate=1.0):\n"
        "    accountant = CTDAccountant()\n"
        "    accountant.history = [(sigma, rate, steps)]\n"
        "    return accountant.get_beta(alpha=alpha)\n",
        lambda sigma, steps, alpha, rate=1.0: f"beta({sigma!r}, {steps}, {alpha!r}, {rate!r})",
        "loss",
        None,
        missed,
        over,
        side=Side.LOWER,
        draws=150,
        unit="false negatives",
        worse="<",
    ).readings()


def to_a_tolerance(
    call: str,
    reached: Callable[..., Term],
    target: Callable[..., Fraction],
    over: Cases,
    unit: str,
) -> dict[str, Statement]:
    """Return the readings of a calibration: that its target is missed by 1e-3 at most, and not.

    The search beyond the list is short: a call builds dozens of distributions, in seconds.
    """
    made = Promise(
        "riskcal",
        "from riskcal.calibration.dpsgd import *",
        lambda **at: call.format(**at),
        "scale",
        None,
        reached,
        over,
        claim=target,
        shaved=Fraction(1, 2),
        draws=3,
        ranges={"alpha": (1e-3, 0.5), "target": (1e-2, 0.95), "rate": (1e-2, 1.0)},
        fair=lambda target, alpha=0.0: target + alpha < 1,
        falls=Falls.ROUNDING,
        unit=unit,
    )
    loose = replace(made, claim=lambda **at: called(target, at) + TOLERANCE)
    # The list of b fails, so that a trial draws none.
    return {"a": loose.readings()["a"], "b": replace(made, draws=12).readings()["b"]}


def targets(**numbers: list[float]) -> dict[str, st.SearchStrategy[Any]]:
    """Return targets of a calibration; a small one of many steps needs noise beyond its range."""
    chosen: dict[str, st.SearchStrategy[Any]] = {k: st.sampled_from(x) for k, x in numbers.items()}
    return {**chosen, "rate": st.just(1.0), "steps": st.sampled_from([1, 10, 40, 100])}


RATES = (0.05, 0.01, 0.1, 0.001, 0.5, 1e-6)
FULL = error_rates(
    cases(sigma=(1.0, 2.0, 5.0, 0.5), steps=(1, 10), alpha=RATES).drawn(lambda: attacks(10**6))
)
SAMPLED = error_rates(
    cases(
        sigma__rate__steps=((1.0, 0.01, 1000), (1.0, 0.01, 100), (2.0, 0.1, 100), (1.0, 0.01, 1)),
        alpha=(0.05, 0.01, 0.001, 1e-4, 1e-5, 1e-6),
    ).drawn(lambda: attacks(1000, rates=(0.01, 0.1)))
)

TRIALS: Trials = {
    "libraries/riskcal/operating-points": FULL,
    "libraries/riskcal/operating-points-sampled": SAMPLED,
    "libraries/riskcal/advantage-calibration": to_a_tolerance(
        "find_noise_multiplier_for_advantage({target!r}, {rate!r}, {steps})",
        lambda answer, rate, steps: Fraction(rate) * advantage(answer, steps),
        lambda target: Fraction(target),
        cases(
            target__rate__steps=(
                (0.1, 1.0, 10),
                (0.01, 1.0, 1),
                (0.01, 0.1, 1),
                (0.05, 1.0, 40),
            )
        ).drawn(lambda: targets(target=[0.05, 0.1, 0.2, 0.3])),
        "advantage",
    ),
    # The best attack's true positives: 1 less the false negatives.
    "libraries/riskcal/error-rates-calibration": to_a_tolerance(
        "find_noise_multiplier_for_err_rates("
        "{alpha!r}, {target!r}, {rate!r}, {steps}, noise_min=2.0)",  # from 0.1 on, minutes a call
        lambda answer, alpha, rate, steps: 1 - missed(answer, steps, alpha, rate),
        lambda target: 1 - Fraction(target),
        cases(
            alpha__target__rate__steps=(
                (0.1, 0.8, 1.0, 10),
                (0.05, 0.945, 0.1, 1),
            )
        ).drawn(lambda: targets(alpha=[0.1, 0.05, 0.01], target=[0.8, 0.85, 0.7])),
        "true positives",
    ),
}
