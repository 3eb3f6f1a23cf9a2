"""Rows for promises about budgets, events and thresholds; what a row is says ``failures``."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.accounting import compose, guarantee
from exactdp.compare.adapters import prv_accountant
from exactdp.divergences import Pair
from exactdp.mechanisms import discrete_laplace_mechanism, laplace_mechanism, thresholded
from exactdp.numbers import Epsilon, Exact, log
from exactdp.testing import (
    assert_epsilon_never_below_truth,
    assert_never_below_truth,
    assert_private,
    thresholded_counts,
)
from proofs_check.libraries import pfl, pipeline_dp, python_dp, smartnoise_sql
from proofs_check.libraries import tensorflow_privacy as tensorflow
from proofs_check.libraries.dp_accounting import events
from proofs_check.libraries.opendp.further import IMPORTS as AMPLIFIED
from proofs_check.libraries.opendp.further import seen
from tests.unit.libraries.failures import (
    HAIR,
    RATES,
    Row,
    asked,
    calibrations,
    epsilon_is_safe,
    is_far,
    noise_is_enough,
    steps,
)

__all__ = ["MORE_ROWS"]

SENSITIVITY = 2
RESPONSES = {"parameters": ("0.1", "10"), "times": (2, 100)}


def replaced_is_safe(case: Any, answer: float) -> None:
    """A record that is replaced moves a sum by twice what one that is removed does."""
    one = case.mechanism
    halved = case.profile_with(Fraction(one.parameter) / 2)
    assert_epsilon_never_below_truth(answer, halved, delta=case.delta, at=case, tolerance=HAIR)


def replaced(event: str) -> Any:
    def call(case: Any) -> str:
        one = case.mechanism
        composed = f"compose(dp_event.{event}({one.parameter!r}), {one.times})"
        return f"rdp.RdpAccountant({events.REPLACED}).{composed}.get_epsilon({case.delta!r})"

    return call


def deviation_is_enough(case: Any, answer: float, *, sensitivity: int = 1) -> None:
    """The answer is a standard deviation; Laplace noise of it has the scale σ/√2."""
    sigma = Fraction(answer) / sensitivity
    root = pipeline_dp.ROOT if case.mechanism.kind == "laplace" else 1
    noise_is_enough(case, sigma / root)


def deviation_of(kind: str, **more: Any) -> Any:
    return lambda case: pipeline_dp.noise(
        kind, case.epsilon, case.delta, case.mechanism.times, **more
    )


def granted_is_enough(case: Any, answer: float) -> None:
    given = pipeline_dp.guaranteed(Fraction(answer), case.epsilon, case.delta, case.mechanism.times)
    assert_private(
        given, epsilon=case.epsilon, delta=case.delta, at=case, parameter=answer, tolerance=HAIR
    )


def granted(first: str, weight: float = 1.0) -> Any:
    return lambda case: pipeline_dp.granted(
        first, case.epsilon, case.delta, case.mechanism.times, weight
    )


def kept_safely(case: Any, _users: float, p: float, q: float) -> None:
    """With one user more a group is shown with the other probability."""
    first, second = ([Fraction(x), 1 - Fraction(x)] for x in (p, q))
    pair = Pair.from_masses(first, second).both_directions()
    most = {"epsilon": case.epsilon, "at": case, "tolerance": HAIR}
    assert_never_below_truth(case.delta, pair, **most)


def kept(name: str) -> Any:
    return lambda case: f"keep({name!r}, {case.epsilon!r}, {case.delta!r}, 1)"


def spent_is_safe(leak: float) -> Any:
    def check(case: Any, epsilon: float, delta: float) -> None:
        one = case.mechanism
        whole = compose([(guarantee(Fraction(one.parameter), Fraction(leak)), one.times)])
        assert_never_below_truth(delta, whole, epsilon=epsilon, at=case, tolerance=HAIR)

    return check


def spent(kind: str, leak: float) -> Any:
    return lambda case: (
        f"spent({kind}, {case.mechanism.parameter!r}, {leak!r}, {case.mechanism.times})"
    )


def totalled(case: Any) -> str:
    one = case.mechanism
    return f"BudgetAccountant().total([({one.parameter!r}, 0.0)] * {one.times}, slack=0.0)"


def totalled_is_safe(case: Any, epsilon: float, delta: float) -> None:
    loss = compose([(guarantee(Fraction(case.mechanism.parameter)), case.mechanism.times)])
    assert_never_below_truth(epsilon, loss.max_divergence(), at=case)


def shown_is_safe(case: Any, scale: float, threshold: float) -> None:
    groups = thresholded(laplace_mechanism(scale=Fraction(scale)), threshold=Fraction(threshold))
    assert_never_below_truth(case.delta, groups, epsilon=case.epsilon, at=case, tolerance=HAIR)


def threshold_is_enough(case: Any, answer: float) -> None:
    assert_never_below_truth(answer, case.true_threshold, at=case)


def threshold(case: Any) -> str:
    sigma = case.mechanism.parameter
    return f"create_gaussian_thresholding({sigma!r}, {case.delta!r}, 1).threshold"


def rate_is_enough(case: Any, answer: float) -> None:
    """The answer is 1/b of noise on integers, for values that change by up to 3."""
    noise = discrete_laplace_mechanism(rate=Epsilon.rational(Fraction(answer)), sensitivity=3)
    assert_never_below_truth(case.epsilon, noise.max_divergence(), at=case)


SAMPLE, POPULATION = 10, 100


def amplified(case: Any) -> str:
    measured = f"any_of({SAMPLE}, {case.mechanism.parameter!r}, dp.max_divergence())"
    return f"amplified({measured}, {POPULATION}, {case.mechanism.times})"


def amplified_is_safe(case: Any, answer: float) -> None:
    q = seen(SAMPLE, POPULATION, case.mechanism.times)
    truth = log(1 + q * (Exact.exp(Fraction(case.mechanism.parameter)) - 1))
    assert_never_below_truth(answer, truth, at=case, tolerance=HAIR)


def trained(case: Any) -> str:
    one = case.mechanism
    # Records in units of a data set: a batch is the rate.
    return tensorflow.call(
        one.parameter, 1, one.sampling_probability, one.times * one.sampling_probability, case.delta
    )


def noise_of_pfl(kind: str) -> Any:
    def call(case: Any) -> str:
        one, known = case.mechanism, f"epsilon={case.epsilon!r}, delta={case.delta!r}"
        return pfl.accountant(kind, one.kind, one.sampling_probability, one.times, known)

    return call


def spent_by_pfl(case: Any) -> str:
    one, known = case.mechanism, f"noise_parameter={case.mechanism.parameter!r}"
    known = f"{known}, delta={case.delta!r}"
    return pfl.accountant("PRV", "laplace", 1.0, one.times, known, "epsilon")


SHORT = {"epsilons": ("0.5", "8"), "deltas": ("1e-8", "1e-5"), "zeros": ()}

MORE_ROWS = [
    Row(
        ("dp-accounting/pld-accountant-randomized-response",),
        "dp-accounting",
        events.IMPORTS,
        lambda case: (
            f"pld.PLDAccountant({events.REPLACED}).compose(dp_event.RandomizedResponseDpEvent("
            f"2 / (1 + __import__('math').exp({case.mechanism.parameter!r})), 2), "
            f"{case.mechanism.times}).get_epsilon({case.delta!r})"
        ),
        steps("randomized_response", **RESPONSES),
        epsilon_is_safe,
    ),
    *(
        Row(
            (f"dp-accounting/rdp-replace-one-{kind}",),
            "dp-accounting",
            events.IMPORTS,
            replaced(f"{kind.title()}DpEvent"),
            steps(kind, parameters=("0.5", "30"), times=(1, 10)),
            replaced_is_safe,
        )
        for kind in ("gaussian", "laplace")
    ),
    *(
        Row(
            (f"diffprivlib/geometric{end and '-' + end}",),
            "diffprivlib",
            "from math import inf\nfrom diffprivlib.mechanisms import *",
            partial(
                "-Geometric{0}(epsilon={2.epsilon!r}, sensitivity=3{1})._scale".format,
                end.title(),
                more,
            ),
            calibrations("discrete_laplace", epsilons=("1e-4", "700"), zeros=()),
            rate_is_enough,
        )
        for end, more in (
            ("", ""),
            ("truncated", ", lower=0, upper=10**9"),
            ("folded", ", lower=0, upper=inf"),
        )
    ),
    Row(
        ("diffprivlib/budget-accountant",),
        "diffprivlib",
        "from diffprivlib import BudgetAccountant",
        totalled,
        steps("randomized_response", **RESPONSES),
        totalled_is_safe,
    ),
    Row(
        ("opendp/amplification-map-of-several-records",),
        "opendp",
        AMPLIFIED,
        amplified,
        steps("randomized_response", parameters=("0.1", "10"), times=(1, 90)),
        amplified_is_safe,
    ),
    *(
        Row(
            (f"python-dp/partition-selection-{name.replace('_', '-')}",),
            "python-dp",
            python_dp.KEEPING,
            kept(name),
            calibrations("laplace", epsilons=("0.1", "20"), deltas=("1e-20", "0.1"), zeros=()),
            kept_safely,
        )
        for name in ("truncated_geometric", "laplace", "gaussian")
    ),
    *(
        Row(
            (f"smartnoise-sql/odometer-{name}",),
            "smartnoise-sql",
            smartnoise_sql.CALLS_OF_ODOMETERS,
            spent(kind, leak),
            steps("randomized_response", parameters=("0.01", "1"), times=(1, 1000)),
            spent_is_safe(leak),
        )
        for name, kind, leak in (
            ("homogeneous", "Odometer", 1e-6),
            ("heterogeneous", "OdometerHeterogeneous", 1e-15),
        )
    ),
    Row(
        ("smartnoise-sql/threshold-laplace",),
        "smartnoise-sql",
        smartnoise_sql.THRESHOLDS,
        lambda case: f"threshold(Laplace, {case.epsilon!r}, {case.delta!r}, 1)",
        calibrations("laplace", epsilons=("0.1", "20"), deltas=("1e-15", "0.1"), zeros=()),
        shown_is_safe,
    ),
    Row(
        ("pfl/gaussian-single-iteration",),
        "pfl",
        pfl.IMPORTS,
        lambda case: (
            f"GaussianMechanism.construct_single_iteration(1.0, {case.epsilon!r}, {case.delta!r})"
            ".relative_noise_stddev"
        ),
        calibrations("gaussian", zeros=()),
        noise_is_enough,
    ),
    Row(
        ("pfl/accountants-prv-laplace",),
        "pfl",
        pfl.IMPORTS,
        spent_by_pfl,
        steps("laplace", parameters=("0.1", "20"), times=(1, 10)),
        partial(epsilon_is_safe, tolerance=pfl.EPS_ERROR),
        is_far,
    ),
    Row(
        ("pfl/accountants",),
        "pfl",
        pfl.IMPORTS,
        noise_of_pfl("PLD"),
        calibrations("laplace", **SHORT),
        noise_is_enough,
    ),
    Row(
        ("pfl/accountants-prv",),
        "pfl",
        pfl.IMPORTS,
        noise_of_pfl("PRV"),
        calibrations("gaussian", sampling_probabilities=("0.1", "1"), times=(1, 10), **SHORT),
        noise_is_enough,
    ),
    Row(
        ("tensorflow-privacy/gdp-poisson",),
        "tensorflow-privacy",
        tensorflow.GDP.before + tensorflow.GDP.imports,
        trained,
        steps("gaussian", parameters=("0.5", "10"), sampling_probabilities=RATES, times=(1, 1000)),
        epsilon_is_safe,
        is_far,
    ),
    Row(
        ("pipeline-dp/budget-sensitivity",),
        "pipeline-dp",
        pipeline_dp.BUDGETS,
        deviation_of("gaussian", sensitivity=SENSITIVITY),
        calibrations("gaussian", times=(1, 5), **SHORT),
        partial(deviation_is_enough, sensitivity=SENSITIVITY),
    ),
    *(
        Row(
            (f"pipeline-dp/budget-pure{end}",),
            "pipeline-dp",
            pipeline_dp.BUDGETS,
            deviation_of("laplace", **more),
            calibrations("laplace", epsilons=("0.1", "10"), zeros=("delta",) * 2, times=times),
            deviation_is_enough,  # of -sensitivity: noise for each unit of the sensitivity
            lambda case: case.delta > 0,
        )
        for end, times, more in (
            ("", (2, 20), {}),
            ("-sensitivity", (1, 1), {"sensitivity": 0.5}),
        )
    ),
    *(
        Row(
            (f"pipeline-dp/budget-{name}",),
            "pipeline-dp",
            pipeline_dp.BUDGETS,
            granted(first, weight),
            calibrations("randomized_response", times=(1, 20), **SHORT),
            granted_is_enough,
        )
        for name, first, weight in (
            ("generic", "none", 2.0),
            ("truncated-geometric", "laplace", 1.0),
        )
    ),
    Row(
        ("pipeline-dp/thresholding",),
        "pipeline-dp",
        pipeline_dp.THRESHOLDS,
        threshold,
        lambda: thresholded_counts("gaussian"),
        threshold_is_enough,
    ),
    Row(
        ("prv-accountant/pure-dp-long",),
        "prv-accountant",
        *asked(prv_accountant.ACCOUNTANTS, "prv-accountant", "epsilon"),
        steps("randomized_response", parameters=("0.1", "2"), times=(500, 1000)),
        epsilon_is_safe,
        is_far,
    ),
]
"""One row for each promise that asks something else than an accountant's usual questions."""
