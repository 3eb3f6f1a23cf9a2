"""pipeline-dp: the noise of its accountant by privacy-loss distributions, and its thresholds."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any

from exactdp.accounting import compose, guarantee
from exactdp.claims import (
    Cases,
    Falls,
    Statement,
    Term,
    Trials,
    cases,
    function,
    listed,
    positive_part,
    term,
)
from exactdp.divergences import PrivacyProfile
from exactdp.testing.later import st
from proofs_check.libraries.laws import gaussian, responses, with_noise
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small, whole

__all__ = ["TRIALS"]

BUDGETS = """
from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import PLDBudgetAccountant
def specs(epsilon, delta, *requests):
    accountant = PLDBudgetAccountant(epsilon, delta)
    found = [accountant.request_budget(MechanismType[kind], **more) for kind, more in requests]
    accountant.compute_budgets()
    return found
"""
THRESHOLDS = "from pipeline_dp.partition_selection import *"
Readings = dict[str, Statement]
EPSILONS = (1.0, 0.5, 2.0, 8.0, 0.1)
HALF = Fraction(1, 2)
ROOT = Fraction(isqrt(2 << 200), 1 << 100)
"""The square root of 2, rounded down to 100 bits."""


def spent(first: str, more: dict[str, Any], *others: str) -> str:
    """Return a request, and others by name, as the arguments of ``specs``."""
    asked = [(first.upper(), more), *((other.upper(), {}) for other in others if other != "none")]
    return ", ".join(map(repr, asked))


def noise(
    kind: str,
    epsilon: float,
    delta: float,
    count: int,
    beside: str = "none",
    weight: float = 1.0,
    sensitivity: float = 1.0,
) -> str:
    """Return the call for the standard deviation of the first mechanism's noise."""
    more = {"count": count, "weight": weight, "sensitivity": sensitivity}
    return f"specs({epsilon!r}, {delta!r}, {spent(kind, more, beside)})[0].noise_standard_deviation"


def one(kind: str, deviation: Fraction) -> PrivacyProfile:
    """Return noise on values of sensitivity 1; Laplace noise b = σ/√2 by a b that is not below."""
    return with_noise(kind, deviation if kind == "gaussian" else deviation / ROOT)


def steps(
    kind: str,
    answer: Fraction,
    count: int,
    beside: str = "none",
    weight: float = 1.0,
    sensitivity: float = 1.0,
) -> PrivacyProfile:
    """Return the mechanism with this noise, so often, composed with the other one asked for.

    The noise is inverse to the weights, and that of the other is of weight 1.
    """
    parts = [(one(kind, answer / Fraction(sensitivity)), count)]
    if beside != "none":
        parts.append((one(beside, answer * Fraction(weight) / Fraction(sensitivity)), 1))
    return parts[0][0] if parts == [(parts[0][0], 1)] else compose(parts)


def at_most_steps(
    kind: str, epsilon: Fraction, answer: Fraction, count: int, sensitivity: float = 1.0
) -> Term:
    """Return a lower bound on δ: that of the first mechanism alone.

    Of Laplace noise, used n times, all losses are the largest, s√2/σ, with probability 2^(−n).
    """
    deviation = term(answer) / Fraction(sensitivity)
    if kind == "gaussian":
        return gaussian(epsilon, sigma=deviation / function("sqrt", count))
    excess = positive_part(count * function("sqrt", 2) / deviation - epsilon)
    if count == 1:
        return 1 - function("exp", -excess / 2)
    all_largest: Term = (1 - function("exp", -excess)) / 2**count
    return all_largest


def of_noise(over: Cases, draws: int, law: Any = steps, delta: Any = at_most_steps) -> Readings:
    """Return the readings of the noise of one mechanism."""
    promise = Promise(
        "pipeline-dp",
        BUDGETS,
        noise,
        "parameter",
        law,
        delta,
        over,
        shaved=HALF,
        draws=draws,
    )
    return promise.readings()


KINDS = ("gaussian", "laplace")
PLAIN = listed(
    *(
        {"kind": kind, **row, "epsilon": epsilon, "delta": delta}
        for epsilon, delta in ((1.0, 1e-5), (2.0, 1e-6), (0.5, 1e-8))
        for kind in KINDS
        for row in (
            {"count": 1, "beside": "none", "weight": 1.0},
            {"count": 10, "beside": "none", "weight": 1.0},
            {"count": 1, "beside": "laplace", "weight": 2.0},
        )
    )
).drawn(
    lambda: {
        "kind": st.sampled_from(KINDS),
        "count": whole(20),
        "beside": st.sampled_from(["none", "laplace", "gaussian"]),
        "weight": st.sampled_from([1.0, 2.0, 0.5, 10.0]),
        "epsilon": st.sampled_from(EPSILONS),
        "delta": small(10),
    }
)
SENSITIVE = cases(
    kind=KINDS, count=(1,), sensitivity=(2.0, 0.5), epsilon=(1.0, 2.0), delta=(1e-5,)
).drawn(
    lambda: {
        "kind": st.sampled_from(KINDS),
        "count": whole(10),
        "sensitivity": doubles(0.1, 100.0),
        "epsilon": st.sampled_from(EPSILONS),
        "delta": small(10),
    }
)
PURE = cases(count=(1, 2, 10), epsilon=(1.0, 0.5, 2.0, 8.0)).drawn(
    lambda: {"count": whole(1000), "epsilon": doubles(1e-4, 100.0)}
)
PURE_SENSITIVE = cases(count=(1,), sensitivity=(2.0, 0.5), epsilon=(1.0, 0.5, 2.0, 8.0)).drawn(
    lambda: {
        "count": st.just(1),
        "sensitivity": doubles(0.1, 100.0),
        "epsilon": doubles(1e-4, 100.0),
    }
)


def of_pure_noise(over: Cases, *, is_share: bool = False, falls: Falls = Falls.RESULT) -> Readings:
    """Return the readings of Laplace noise without δ, of this deviation or of it times s.

    Each of n times the largest loss is s√2/σ.
    """

    def largest(count: int, answer: Fraction, sensitivity: float = 1.0) -> Term:
        sizes = Fraction(1) if is_share else Fraction(sensitivity)
        found: Term = count * sizes * function("sqrt", 2) / term(answer)
        return found

    return Promise(
        "pipeline-dp",
        BUDGETS,
        partial(noise, "laplace", delta=0.0),
        "scale",
        None,
        largest,
        over,
        claim=lambda epsilon: Fraction(epsilon),
        shaved=HALF,
        falls=falls,
        unit="ε",
    ).readings()


def both(deviations: Readings, shares: Readings) -> Readings:
    """Return the readings of the noise's deviation, and of the noise for each unit of s."""
    return {**deviations, "c": shares["a"], "d": shares["b"]}


def guaranteed(answer: Fraction, epsilon: float, delta: float, count: int) -> PrivacyProfile:
    """Return the worst mechanisms of (ε₀, δ₀), ε₀ = 1/answer and δ₀ = δ ε₀/ε, so many of them."""
    small_epsilon, small_delta = parts_of(answer, Fraction(epsilon), delta)
    one_of_them = guarantee(small_epsilon, small_delta)
    return one_of_them if count == 1 else compose([(one_of_them, count)])


def parts_of(answer: Fraction, epsilon: Fraction, delta: float) -> tuple[Fraction, Fraction]:
    """Return ε₀ and δ₀ of the budget that is given to a mechanism."""
    return 1 / answer, min(Fraction(1), Fraction(delta) / answer / epsilon)


def delta_guaranteed(epsilon: Fraction, answer: Fraction, delta: float, count: int) -> Term:
    """Return their δ: 1 − (1 − δ₀)^n (1 − that of randomized response with ε₀, n times)."""
    small_epsilon, small_delta = parts_of(answer, epsilon, delta)
    stays = (1 - term(small_delta)) ** count
    found: Term = 1 - stays * (1 - responses(epsilon, small_epsilon, count))
    return found


def granted(first: str, epsilon: float, delta: float, count: int, weight: float = 1.0) -> str:
    """Return the call for 1/ε₀ of the mechanism that is to be (ε₀, δ₀)-DP, the last one."""
    more = {"count": count, "weight": weight}
    asked = spent("GENERIC", more)
    if first != "none":
        asked = f"{spent(first, {})}, {spent('TRUNCATED_GEOMETRIC', {'count': count})}"
    return f"1 / specs({epsilon!r}, {delta!r}, {asked})[-1].eps"


def of_grants(over: Cases, draws: int) -> Readings:
    """Return the readings of the budget of one mechanism."""
    return Promise(
        "pipeline-dp",
        BUDGETS,
        granted,
        "parameter",
        guaranteed,
        delta_guaranteed,
        over,
        shaved=Fraction(1, 4),
        draws=draws,
    ).readings()


GENERIC = cases(
    first=("none",), weight=(1.0, 2.0, 0.5), count=(1, 10), epsilon=(1.0, 2.0), delta=(1e-5,)
).drawn(
    lambda: {
        "first": st.just("none"),
        "weight": doubles(0.1, 10.0),
        "count": whole(20),
        "epsilon": st.sampled_from(EPSILONS),
        "delta": small(10),
    }
)
SELECTION = cases(first=KINDS, count=(1, 10), epsilon=(1.0, 2.0, 0.5), delta=(1e-5, 1e-6)).drawn(
    lambda: {
        "first": st.sampled_from(KINDS),
        "count": whole(200),
        "epsilon": st.sampled_from(EPSILONS),
        "delta": small(10),
    }
)


def kept_alone(kind: str, sigma: float, answer: Fraction) -> Term:
    """Return P(1 + noise >= T): of one user, at the threshold that is answered."""
    far = term(answer) - 1
    if kind == "gaussian":
        return function("normal_cdf", -far / Fraction(sigma))
    return function("exp", -far * function("sqrt", 2) / Fraction(sigma)) / 2


THRESHOLD = cases(
    kind=KINDS, sigma=(1.0, 3.0, 10.0, 0.5, 30.0), delta=(1e-5, 1e-6, 1e-8, 1e-3, 1e-10)
).drawn(
    lambda: {
        "kind": st.sampled_from(KINDS),
        "sigma": doubles(0.1, 1e3),
        "delta": small(12).filter(lambda delta: delta < 0.5),
    }
)

TRIALS: Trials = {
    "libraries/pipeline-dp/budget": of_noise(PLAIN, 8),
    "libraries/pipeline-dp/budget-sensitivity": both(
        of_noise(SENSITIVE, 8),
        of_noise(
            SENSITIVE,
            8,
            lambda kind, answer, count: steps(kind, answer, count),
            lambda kind, epsilon, answer, count: at_most_steps(kind, epsilon, answer, count),
        ),
    ),
    "libraries/pipeline-dp/budget-pure": of_pure_noise(PURE),
    "libraries/pipeline-dp/budget-pure-sensitivity": both(
        of_pure_noise(PURE_SENSITIVE, falls=Falls.ROUNDING),
        of_pure_noise(PURE_SENSITIVE, is_share=True),
    ),
    "libraries/pipeline-dp/budget-generic": of_grants(GENERIC, 8),
    "libraries/pipeline-dp/budget-truncated-geometric": of_grants(SELECTION, 4),
    "libraries/pipeline-dp/thresholding": Promise(
        "pipeline-dp",
        THRESHOLDS,
        lambda kind, sigma, delta: f"create_{kind}_thresholding({sigma!r}, {delta!r}, 1).threshold",
        "scale",
        None,
        kept_alone,
        THRESHOLD,
        claim=lambda delta: Fraction(delta),
        shaved=HALF,
        ranges={"delta": (1e-15, 0.499)},  # above a half the threshold is below 1
        falls=Falls.ROUNDING,
    ).readings(),
}
