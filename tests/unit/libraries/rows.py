"""One row for each promise of a package that is refuted; what a row is says ``failures``."""

from __future__ import annotations

from functools import partial

from exactdp.compare.adapters import autodp, diffprivlib, dp_accounting, opacus
from exactdp.testing import thresholded_counts
from proofs_check.libraries import autodp as autodp_promises
from proofs_check.libraries import opake_accounting as opake
from proofs_check.libraries import opendp
from proofs_check.libraries import prv_accountant as prv_promises
from proofs_check.libraries.diffprivlib import SCALE
from tests.unit.libraries.failures import (
    ANY,
    FIND,
    LONG,
    RATES,
    RESPONSES,
    SOME,
    Row,
    advantage_is_safe,
    asked,
    calibrations,
    delta_is_optimistic,
    delta_is_safe,
    epsilon_is_safe,
    history,
    is_far,
    kept_within_1,
    leaky_delta_is_safe,
    leaky_epsilon_is_safe,
    misses_are_safe,
    noise_is_enough,
    noise_is_enough_to_the_last_bit,
    of_leaky,
    of_pld,
    of_prv,
    shown_at_all,
    shown_with,
    steps,
    thresholds,
)

__all__ = ["ROWS"]

ROWS = [
    Row(
        ("autodp/analytic-gaussian-calibrator",),
        "autodp",
        "from autodp.calibrator_zoo import ana_gaussian_calibrator; "
        "from autodp.mechanism_zoo import ExactGaussianMechanism",
        lambda case: autodp_promises.sigma(case.epsilon, case.delta),
        # At ε = 0 and far out a search of autodp goes on for minutes.
        calibrations("gaussian", epsilons=("1", "30"), deltas=("1e-10", "0.1"), zeros=()),
        lambda case, answer: noise_is_enough(case, answer, allowed="1e-12"),
    ),
    Row(
        ("autodp/gaussian-epsilon",),
        "autodp",
        *asked(autodp.ACCOUNTANTS, "autodp/gaussian", "epsilon"),
        steps("gaussian", parameters=ANY),
        epsilon_is_safe,
    ),
    Row(
        ("diffprivlib/gaussian-analytic",),
        "diffprivlib",
        *asked(diffprivlib.ACCOUNTANTS, "diffprivlib/gaussian-analytic", "parameter"),
        calibrations("gaussian"),
        noise_is_enough,
    ),
    Row(
        ("diffprivlib/gaussian-discrete",),
        "diffprivlib",
        "from diffprivlib.mechanisms import GaussianDiscrete",
        lambda case: f"GaussianDiscrete(epsilon={case.epsilon!r}, delta={case.delta!r})._scale",
        calibrations("discrete_gaussian", epsilons=("0.1", "50"), deltas=("1e-12", "0.1")),
        noise_is_enough,
    ),
    Row(
        ("diffprivlib/bounded-or-truncated-laplace",),
        "diffprivlib",
        "from diffprivlib.mechanisms import LaplaceBoundedDomain",
        lambda case: (
            f"LaplaceBoundedDomain(epsilon={case.epsilon!r}, delta={case.delta!r}, sensitivity=1, "
            "lower=0, upper=1)._find_scale()"
        ),
        calibrations(
            "laplace", epsilons=("1e-3", "0.1"), deltas=("1e-12", "0.1"), zeros=("delta",)
        ),
        kept_within_1,
    ),
    *(
        Row(
            (f"diffprivlib/laplace-{name.lower()}",),
            "diffprivlib",
            SCALE,
            partial("scale(Laplace{0}, {1.epsilon!r}, {1.delta!r}, inf)".format, name),
            calibrations("laplace", epsilons=("1e-4", "700"), zeros=("delta",)),
            noise_is_enough_to_the_last_bit,
        )
        for name in ("Truncated", "Folded")
    ),
    Row(
        ("dp-accounting/pld-optimistic-delta",),
        "dp-accounting",
        *of_pld("delta", "pld-optimistic"),
        steps("gaussian", **LONG),
        delta_is_optimistic,
    ),
    Row(
        ("dp-accounting/gaussian-sigma",),
        "dp-accounting",
        *asked(dp_accounting.ACCOUNTANTS, "dp-accounting/gaussian", "parameter"),
        calibrations("gaussian"),
        lambda case, answer: noise_is_enough(case, answer, more="1e-12"),
    ),
    Row(
        ("dp-accounting/gaussian-epsilon",),
        "dp-accounting",
        *asked(dp_accounting.ACCOUNTANTS, "dp-accounting/gaussian", "epsilon"),
        steps("gaussian", parameters=ANY),
        lambda case, answer: epsilon_is_safe(case, answer, tolerance=0),
    ),
    Row(
        ("opacus/gdp",),
        "opacus",
        *asked(opacus.ACCOUNTANTS, "opacus/gdp", "epsilon"),
        steps("gaussian", parameters=("0.5", "10"), sampling_probabilities=RATES, times=(1, 1000)),
        epsilon_is_safe,
        is_far,
    ),
    Row(
        ("opacus/noise-multiplier-gdp",),
        "opacus",
        FIND,
        lambda case: (
            f"float(f(target_epsilon={case.epsilon!r}, target_delta={case.delta!r}, "
            f"sample_rate={case.mechanism.sampling_probability!r}, steps={case.mechanism.times}, "
            "accountant='gdp'))"
        ),
        calibrations(
            "gaussian",
            epsilons=("0.3", "8"),
            deltas=("1e-10", "1e-3"),
            zeros=(),
            sampling_probabilities=("0.01", "0.5"),
            times=(100, 1000),
        ),
        noise_is_enough,
    ),
    Row(
        ("opake-accounting/pessimistic-delta",),
        "opake-accounting",
        opake.IMPORTS,
        lambda case: f"trained({history(case)}).delta_at({case.epsilon!r})",
        steps("gaussian", parameters=SOME, times=(1, 100)),
        delta_is_safe,
    ),
    Row(
        ("opake-accounting/random-allocation",),
        "opake-accounting",
        opake.IMPORTS,
        lambda case: (
            f"allocated({case.mechanism.parameter!r}, {case.mechanism.times}, "
            f"{case.mechanism.times}).delta_at({case.epsilon!r})"
        ),
        steps("gaussian", parameters=("5", "50"), times=(1, 3)),
        delta_is_safe,
    ),
    Row(
        ("opake-accounting/attacks",),
        "opake-accounting",
        opake.IMPORTS,
        lambda case: f"trained({history(case)}).advantage()",
        steps("gaussian", parameters=SOME, times=(1, 100)),
        advantage_is_safe,
    ),
    Row(
        ("opake-accounting/attacks-false-negatives",),
        "opake-accounting",
        opake.IMPORTS,
        lambda case: f"trained({history(case)}).beta_at({case.alpha!r})",
        steps("gaussian", parameters=SOME, times=(1, 100)),
        misses_are_safe,
    ),
    Row(
        ("opendp/laplace-threshold",),
        "opendp",
        opendp.IMPORTS,
        thresholds("make_laplace_threshold", 1),
        lambda: thresholded_counts("discrete_laplace"),
        shown_with,
    ),
    Row(
        ("opendp/gaussian-threshold",),
        "opendp",
        opendp.IMPORTS,
        thresholds("make_gaussian_threshold", 2),
        lambda: thresholded_counts("discrete_gaussian"),
        shown_at_all,
    ),
    Row(
        ("prv-accountant/pure-dp",),
        "prv-accountant",
        *of_prv("epsilon"),
        RESPONSES,
        epsilon_is_safe,
        is_far,
    ),
    Row(
        ("prv-accountant/pure-dp-delta-upper-end",),
        "prv-accountant",
        *of_prv("delta"),
        RESPONSES,
        delta_is_safe,
        is_far,
    ),
    Row(
        ("prv-accountant/approximate-dp",),
        "prv-accountant",
        prv_promises.IMPORTS,
        of_leaky("epsilon"),
        RESPONSES,
        leaky_epsilon_is_safe,
        is_far,
    ),
    Row(
        ("prv-accountant/approximate-dp-delta-upper-end",),
        "prv-accountant",
        prv_promises.IMPORTS,
        of_leaky("delta"),
        RESPONSES,
        leaky_delta_is_safe,
        is_far,
    ),
]
"""One row for each promise of a package that is refuted."""
