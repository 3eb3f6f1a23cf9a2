"""Rows for accountants far out, for attacks, and for the Fourier accountant of autodp."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.claims.values import value
from exactdp.compare.adapters import opacus
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Epsilon, Exact, sqrt
from exactdp.shuffle import random_allocation
from exactdp.testing import (
    assert_lawful_delta,
    assert_never_above_truth,
    assert_never_below_truth,
)
from proofs_check.libraries import jax_privacy, prv_accountant
from proofs_check.libraries import random_allocation as allocations
from proofs_check.libraries.autodp import zoo
from proofs_check.libraries.dp_accounting import two
from proofs_check.libraries.dp_accounting.grids import of_distribution
from proofs_check.libraries.jax_privacy.fixed_batches import delta_of_fixed_batches
from tests.unit.libraries.failures import (
    HAIR,
    Row,
    advantage_is_safe,
    asked,
    calibrations,
    delta_is_optimistic,
    delta_is_safe,
    epsilon_is_optimistic,
    epsilon_is_safe,
    is_far,
    misses_are_safe,
    of_pld,
    of_prv,
    steps,
)

__all__ = ["FAR_ROWS"]

MU = "from gdpnum.dpsgd import get_mu_and_regret_for_dpsgd as mu"
ADVANTAGE = """
from gdpnum import CTDAccountant, PLDConverter
def advantage(sigma, rate, steps):
    accountant = CTDAccountant()
    accountant.history = [(sigma, rate, steps)]
    return PLDConverter(accountant.get_pld()).get_advantage()
"""
BETA = """
from riskcal.accountants import CTDAccountant
def beta(sigma, steps, alpha, rate=1.0):
    accountant = CTDAccountant()
    accountant.history = [(sigma, rate, steps)]
    return accountant.get_beta(alpha=alpha)
"""
RETURNS = """
import prv_accountant as prv
def returns(parameter, times, delta):
    steps = prv.PureDPMechanism(parameter)
    errors = {"eps_error": 0.1, "delta_error": delta / 1000}
    try:
        made = prv.PRVAccountant([steps], max_self_compositions=[times], **errors)
        return float(len(made.compute_epsilon(delta, [times])))
    except RuntimeError:
        return 0.0
"""
CALIBRATED = "from riskcal.calibration.dpsgd import *"


def mu_is_enough(case: Any, answer: float, *_: float) -> None:
    one = case.mechanism
    truth = sqrt(Exact(one.times)) / Exact(Fraction(one.parameter))
    assert_never_below_truth(answer, truth, at=case, tolerance=HAIR)


def mu_dominates(case: Any, answer: float, *_: float) -> None:
    """δ of noise 1/μ, where the training has its δ, is at least that."""
    at = Epsilon.rational(Fraction(case.epsilon))
    known = gaussian_mechanism(sigma=1 / Fraction(answer)).delta(at, relative_width="1e-9")
    assert_never_below_truth(Fraction(known.upper), case.truth, at=case, tolerance=HAIR)


def trained(call: str) -> Any:
    return lambda case: call.format(case, case.mechanism)


def reveals_less(case: Any, answer: float) -> None:
    """The advantage with the noise that was found, δ at ε = 0, is at most δ of the case."""
    noise = case.profile_with(answer)
    assert_never_below_truth(case.delta, noise, epsilon=0, at=case, tolerance=HAIR)


def misses_enough(case: Any, answer: float) -> None:
    noise = case.profile_with(answer)
    assert_never_above_truth(MISSED, noise, alpha=case.alpha, at=case, tolerance=HAIR)


MISSED = 0.8


def allocated(method: str) -> Any:
    return lambda case: allocations.delta_of(
        method, "ADD", case.mechanism.parameter, case.mechanism.times, case.epsilon
    )


def allocation_of(case: Any) -> Any:
    noise = gaussian_mechanism(sigma=Fraction(case.mechanism.parameter))
    return random_allocation(noise, steps=case.mechanism.times).reversed()


def allocation_is_above(case: Any, answer: float) -> None:
    assert_never_above_truth(
        answer, allocation_of(case), epsilon=case.epsilon, at=case, tolerance=HAIR
    )


def allocation_is_below(case: Any, answer: float) -> None:
    assert_never_below_truth(answer, allocation_of(case), epsilon=case.epsilon, at=case)


def finer(case: Any) -> str:
    one = case.mechanism
    fields = {"mechanism": "gaussian", "parameter": one.parameter, "times": one.times}
    call = prv_accountant.with_errors("delta", 1e-15, **fields, epsilon=case.epsilon)
    return str(call)


def asked_returns(case: Any) -> str:
    """Return the call for steps whose losses are together about 2."""
    times = case.mechanism.times
    return f"returns({2 / times**0.5:.4f}, {times}, {case.delta!r})"


def returns(case: Any, answer: float) -> None:
    assert answer == 3, f"no number at {case}, where the truth is one"


def used(case: Any) -> Any:
    """Return a target's δ asked of noise that is spread over so many copies."""
    one = case.mechanism
    spread = float(round(9.5 * one.times**0.5))
    return replace(case, mechanisms=(replace(one, parameter=spread),))


def far(call: Any) -> Any:
    return lambda case: call(used(case))


def far_epsilon_is_safe(case: Any, *answer: float) -> None:
    epsilon_is_safe(used(case), *answer)


def far_epsilon_is_optimistic(case: Any, *answer: float) -> None:
    epsilon_is_optimistic(used(case), *answer)


def to_the_last_bit(case: Any, answer: float) -> None:
    assert_never_below_truth(answer, case.profile, epsilon=0.0, at=case)


def falls(case: Any, *deltas: float) -> None:
    assert_lawful_delta(dict(zip(ends_of(case), deltas, strict=True)).__getitem__, ends_of(case))


def ends_of(case: Any) -> tuple[float, float]:
    return case.epsilon, case.epsilon + 0.5


def on_a_coarse_grid(case: Any) -> str:
    one = case.mechanism
    return of_distribution(
        "True", "mixture", one.parameter, 0.1, case.epsilon, one.sampling_probability
    )


def coarse_is_safe(case: Any, answer: float) -> None:
    delta_is_safe(case, answer, tolerance=0)


def fixed_batches(case: Any) -> str:
    sigma = case.mechanism.parameter
    return f"fixed('Pld', {sigma!r}, {case.delta!r}, 2, {SAMPLES}, {BATCH})"


def fixed_batches_are_safe(case: Any, answer: float) -> None:
    at, sigma = Fraction(answer), case.mechanism.parameter
    least = value(delta_of_fixed_batches(at, sigma, SAMPLES, BATCH, 2))
    assert_never_below_truth(case.delta, least, at=case, tolerance=HAIR)


SAMPLES, BATCH = 1000, 100


def of_zoo(asks: str, way: str, kind: str) -> Any:
    def call(case: Any) -> str:
        one = case.mechanism
        at = {"epsilon": case.epsilon, "delta": case.delta}
        return zoo.call(asks, way, kind, one.parameter, one.times, **at)

    return call


def right(case: Any) -> str:
    """Randomized response that is right with probability e^ε/(e^ε + 1)."""
    p = f"1 / (1 + __import__('math').exp(-{case.mechanism.parameter!r}))"
    return f"composed([RandresponseMechanism({p}, phi_off=False)], {case.mechanism.times})"


OPACUS = asked(opacus.ACCOUNTANTS, "opacus/prv", "epsilon")
FAR: dict[str, Any] = {"parameters": ("100", "300"), "times": (100, 1000)}

FAR_ROWS = [
    Row(
        ("dp-accounting/pld-range",),
        "dp-accounting",
        of_pld("delta")[0],
        lambda case: two("laplace", 10.0, case.mechanism.times, *ends_of(case)),
        calibrations("laplace", epsilons=("7", "9"), zeros=(), times=(90, 100)),
        falls,
    ),
    Row(
        ("dp-accounting/pld-grid",),
        "dp-accounting",
        of_pld("delta")[0],
        on_a_coarse_grid,
        steps("gaussian", parameters=("0.5", "2"), sampling_probabilities=("0.25", "0.25")),
        coarse_is_safe,
        is_far,
    ),
    Row(
        ("jax-privacy/fixed-batches",),
        "jax-privacy",
        jax_privacy.CALLS,
        fixed_batches,
        steps(
            "gaussian", parameters=("1", "4"), sampling_probabilities=("0.1", "0.1"), times=(2, 2)
        ),
        fixed_batches_are_safe,
        is_far,
    ),
    Row(
        ("dp-accounting/pld-pessimistic-delta",),
        "dp-accounting",
        *of_pld("delta"),
        steps("gaussian", **FAR),
        delta_is_safe,
    ),
    Row(
        ("dp-accounting/pld-pessimistic-epsilon", "dp-accounting/pld-pessimistic-trainings"),
        "dp-accounting",
        of_pld("epsilon")[0],
        far(of_pld("epsilon")[1]),
        calibrations("gaussian", deltas=("1e-15", "1e-13"), times=(100, 1000)),
        far_epsilon_is_safe,
    ),
    Row(
        ("prv-accountant/any-accuracy",),
        "prv-accountant",
        RETURNS,
        asked_returns,
        calibrations("randomized_response", deltas=("1e-8", "1e-5"), times=(50, 300)),
        returns,
    ),
    Row(
        ("gdpnum/mu",),
        "gdpnum",
        MU,
        trained("mu({1.parameter!r}, 1.0, {1.times})"),
        steps("gaussian", parameters=("1", "10"), times=(1, 4)),
        mu_is_enough,
    ),
    Row(
        ("gdpnum/mu-sampled",),
        "gdpnum",
        MU,
        trained("mu({1.parameter!r}, {1.rate!r}, {1.times})"),
        steps(
            "gaussian", parameters=("1", "2"), sampling_probabilities=("0.01", "0.1"), times=(1, 4)
        ),
        mu_dominates,
        is_far,
    ),
    Row(
        ("gdpnum/advantage",),
        "gdpnum",
        ADVANTAGE,
        trained("advantage({1.parameter!r}, {1.rate!r}, {1.times})"),
        steps("gaussian", parameters=("100", "10000"), times=(1, 1)),
        to_the_last_bit,
    ),
    Row(
        ("gdpnum/advantage-sampled",),
        "gdpnum",
        ADVANTAGE,
        trained("advantage({1.parameter!r}, {1.rate!r}, {1.times})"),
        steps(
            "gaussian",
            parameters=("10", "100"),
            sampling_probabilities=("0.001", "0.1"),
            times=(1, 1),
        ),
        advantage_is_safe,
    ),
    Row(
        ("opacus/prv",),
        "opacus",
        OPACUS[0],
        far(OPACUS[1]),
        calibrations("gaussian", deltas=("3e-13", "1e-12"), times=(10_000, 10_000)),
        far_epsilon_is_safe,
    ),
    Row(
        ("riskcal/operating-points",),
        "riskcal",
        BETA,
        trained("beta({1.parameter!r}, {1.times}, {0.alpha!r}, {1.rate!r})"),
        steps("gaussian", parameters=("0.5", "5"), times=(1, 10)),
        misses_are_safe,
    ),
    Row(
        ("riskcal/operating-points-sampled",),
        "riskcal",
        BETA,
        trained("beta({1.parameter!r}, {1.times}, {0.alpha!r}, {1.rate!r})"),
        steps(
            "gaussian",
            parameters=("1", "2"),
            sampling_probabilities=("0.01", "0.1"),
            times=(1, 100),
        ),
        misses_are_safe,
    ),
    Row(
        ("riskcal/advantage-calibration",),
        "riskcal",
        CALIBRATED,
        trained("find_noise_multiplier_for_advantage({0.delta!r}, 1.0, {1.times})"),
        calibrations("gaussian", deltas=("0.05", "0.3"), times=(40, 40)),
        reveals_less,
    ),
    Row(
        ("riskcal/error-rates-calibration",),
        "riskcal",
        CALIBRATED,
        trained(
            "find_noise_multiplier_for_err_rates({0.alpha!r}, "
            f"{MISSED}, 1.0, {{1.times}}, noise_min=2.0)"
        ),
        calibrations("gaussian", times=(5, 20)),
        misses_enough,
        lambda case: not 0.01 <= case.alpha <= 0.1,
    ),
    Row(
        ("random-allocation/lower-bound",),
        "random-allocation",
        allocations.IMPORTS,
        allocated("lower_bound"),
        calibrations("gaussian", epsilons=("0.5", "2"), zeros=(), times=(2, 2)),
        allocation_is_above,
    ),
    Row(
        ("random-allocation/delta-bounds",),
        "random-allocation",
        allocations.IMPORTS,
        allocated("direct"),
        steps("gaussian", parameters=("0.5", "2"), times=(1, 1)),
        allocation_is_below,
        is_far,
    ),
    Row(
        ("autodp/compose-afa-epsilon",),
        "autodp",
        zoo.IMPORTS,
        of_zoo("epsilon", "composed", "gaussian"),
        steps("gaussian", parameters=("4", "5"), times=(10, 100)),
        epsilon_is_safe,
        is_far,
    ),
    Row(
        ("autodp/compose-afa-delta",),
        "autodp",
        zoo.IMPORTS,
        lambda case: f"{right(case)}.get_approx_delta({case.epsilon!r})",
        steps("randomized_response", parameters=("0.1", "1"), times=(10, 100)),
        delta_is_safe,
        is_far,
    ),
    Row(
        ("autodp/mechanism-approxdp",),
        "autodp",
        zoo.IMPORTS,
        of_zoo("epsilon", "phi", "gaussian"),
        steps("gaussian", parameters=("1", "100")),
        epsilon_is_safe,
        is_far,
    ),
    Row(
        ("prv-accountant/gaussian-delta-upper-end",),
        "prv-accountant",
        of_prv("delta")[0],
        finer,
        steps("gaussian", **FAR),
        delta_is_safe,
    ),
    Row(
        ("prv-accountant/gaussian-delta-lower-end",),
        "prv-accountant",
        of_prv("delta")[0],
        finer,
        steps("gaussian", **FAR),
        delta_is_optimistic,
    ),
    Row(
        ("prv-accountant/gaussian-epsilon-lower-end",),
        "prv-accountant",
        of_prv("epsilon")[0],
        far(of_prv("epsilon")[1]),
        calibrations("gaussian", deltas=("1e-15", "1e-13"), times=(100, 1000)),
        far_epsilon_is_optimistic,
    ),
    Row(
        ("prv-accountant/pure-dp-epsilon-lower-end",),
        "prv-accountant",
        *of_prv("epsilon"),
        steps("randomized_response", parameters=("0.1", "0.1"), times=(1000, 1000)),
        epsilon_is_optimistic,
        is_far,
    ),
]
"""One row for each promise that falls in tails, long compositions or attacks."""
