"""The expressions of adapters: one for each question that a library answers, and no other."""

from __future__ import annotations

import ast

import pytest

from exactdp.compare import Accountant, Task
from exactdp.compare.adapters import (
    jax_privacy,
    pfl,
    pipeline_dp,
    python_dp,
    smartnoise_sql,
    tensorflow_privacy,
    tmlt_core,
)
from exactdp.testing import Deployment, Mechanism

MODULES = (
    jax_privacy,
    pfl,
    pipeline_dp,
    python_dp,
    smartnoise_sql,
    tensorflow_privacy,
    tmlt_core,
)
ALL = {one.name: one for module in MODULES for one in module.ACCOUNTANTS}
TRAINED = Mechanism("gaussian", 1.5, sampling_probability=0.01, times=100)
ONE = Mechanism("gaussian", 1.5)
NOISE = Mechanism("laplace", 2.0, times=4)


def expression(name: str, ask: str, *mechanisms: Mechanism) -> str | None:
    return ALL[name].expression(Task(Deployment(mechanisms, 0.5, 1e-5), ask))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "ask", "mechanism", "call"),
    [
        (
            "tensorflow-privacy/gdp",
            "epsilon",
            TRAINED,
            "float(gdp_accountant.compute_eps_poisson(1.0, 1.5, 100, 1, 1e-05))",
        ),
        (
            "pfl/pld",
            "epsilon",
            NOISE,
            "PLDPrivacyAccountant(num_compositions=4, sampling_probability=1.0, "
            "mechanism='laplace', noise_parameter=2.0, delta=1e-05).epsilon",
        ),
        (
            "pfl/rdp",
            "parameter",
            TRAINED,
            "RDPPrivacyAccountant(num_compositions=100, sampling_probability=0.01, "
            "mechanism='gaussian', epsilon=0.5, delta=1e-05).noise_parameter",
        ),
        (
            "pfl/gaussian",
            "parameter",
            ONE,
            "GaussianMechanism.construct_single_iteration(1.0, 0.5, 1e-05).relative_noise_stddev",
        ),
        (
            "jax-privacy/pld",
            "epsilon",
            TRAINED,
            "float(trained('Pld').compute_epsilon(100, accounting.DpParams(noise_multipliers=1.5, "
            "batch_size=1, num_samples=100, delta=1e-05)))",
        ),
        (
            "jax-privacy/rdp",
            "parameter",
            TRAINED,
            "accounting.calibrate_noise_multiplier(target_epsilon=0.5, target_delta=1e-05, "
            "accountant=trained('Rdp'), batch_sizes=1, num_samples=100, num_updates=100)",
        ),
        ("python-dp/gaussian", "parameter", ONE, "GaussianMechanism(0.5, 1e-05, 1.0).std"),
        (
            "pipeline-dp/pld",
            "parameter",
            NOISE,
            "deviation(0.5, 1e-05, 'LAPLACE', 4) / math.sqrt(2)",
        ),
        (
            "smartnoise-sql/heterogeneous",
            "epsilon",
            NOISE,
            f"spent(OdometerHeterogeneous, 0.5, {1e-5 / 4.5!r}, 4)[0]",
        ),
        (
            "smartnoise-sql/odometer",
            "epsilon",
            Mechanism("randomized_response", 0.1),
            f"spent(Odometer, 0.1, {1e-5 / 1.5!r}, 1)[0]",
        ),
        (
            "tmlt-core/noise",
            "epsilon",
            Mechanism("laplace", 0.75),
            "spent(AddLaplaceNoise, '3/4', '1')",
        ),
        ("tmlt-core/zcdp", "parameter", ONE, "sigma('1/2', '1/100000')"),
    ],
)
def test_a_library_is_asked_what_it_documents(
    name: str, ask: str, mechanism: Mechanism, call: str
) -> None:
    assert expression(name, ask, mechanism) == call


@pytest.mark.parametrize("one", ALL.values(), ids=list(ALL))
def test_what_a_library_does_not_know_it_is_not_asked(one: Accountant) -> None:
    for ask in ("delta", "epsilon", "parameter"):
        for odd in ((ONE, ONE), (Mechanism("discrete_gaussian", 2.0),)):
            assert expression(one.name, ask, *odd) is None
        found = expression(one.name, ask, ONE)
        if found is not None:
            ast.parse(found, mode="eval")
    assert expression(one.name, "delta", ONE) is None
    assert "\n" not in one.imports  # so it can be pasted
    ast.parse(one.before + one.imports)


@pytest.mark.parametrize("name", ["tensorflow-privacy/gdp", "jax-privacy/pld"])
def test_a_rate_that_is_no_ratio_of_counts_is_not_asked(name: str) -> None:
    assert (
        expression(name, "epsilon", Mechanism("gaussian", 1.0, sampling_probability=1e-11)) is None
    )
