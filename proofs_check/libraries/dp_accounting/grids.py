"""Privacy-loss distributions on grids other than the default, and calibration by accountants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims import Cases, Falls, Statement, listed
from exactdp.side import Side
from exactdp.testing.later import st
from proofs_check.libraries.laws import delta, delta_with_noise, law, with_noise
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import trainings

__all__ = ["CALIBRATION", "GRID"]

MADE = {
    "gaussian": "gaussian_mechanism({0!r}, {2}, sampling_prob={1!r})",
    "laplace": "laplace_mechanism({0!r}, {2}, sampling_prob={1!r})",
    "discrete_gaussian": "discrete_gaussian_mechanism({0!r}, {2}, sampling_prob={1!r})",
    "discrete_laplace": "discrete_laplace_mechanism({3!r}, {2}, sampling_prob={1!r})",
    # of two Gaussians, one of sensitivity 0: the sampled one
    "mixture": "mixture_gaussian_mechanism({0!r}, [0, 1], [1 - {1!r}, {1!r}], {2})",
}
ROWS: tuple[dict[str, Any], ...] = (
    {"mechanism": "gaussian", "parameter": 1.0},
    {"mechanism": "gaussian", "parameter": 4.0, "times": 10},
    {"mechanism": "gaussian", "parameter": 1.0, "rate": 0.01},
    {"mechanism": "mixture", "parameter": 1.0, "rate": 0.25},
    {"mechanism": "laplace", "parameter": 1.0},
    {"mechanism": "discrete_gaussian", "parameter": 2.0},
    {"mechanism": "discrete_laplace", "parameter": 2.0, "times": 10},
)
GRIDS = (1e-3, 1e-2, 0.1, 1e-4)
SLOW_BELOW = 0.1
"""Mixtures search for every loss: on a finer grid a call takes up to a minute."""


@st.composite
def drawn(draw: st.DrawFn, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a distribution of other noise, on any grid, and an ε."""
    row = draw(st.sampled_from(rows))
    grids = GRIDS if row["mechanism"] != "mixture" else (SLOW_BELOW,)
    factor = draw(st.sampled_from([1.0, 2.0, 0.5, 4.0]))
    found = {**row, "parameter": row["parameter"] * factor, "grid": draw(st.sampled_from(grids))}
    return {**found, "epsilon": draw(st.sampled_from([1.0, 0.5, 2.0, 0.0, 0.05, 4.0]))}


def on_grids(rows: Sequence[dict[str, Any]]) -> Cases:
    """Return distributions on every grid, and an ε."""
    found = listed(
        *(
            {**row, "grid": grid, "epsilon": epsilon}
            for epsilon in (1.0, 0.5)
            for grid in GRIDS
            for row in rows
            if row["mechanism"] != "mixture" or grid >= SLOW_BELOW
        )
    )
    return found.drawn(lambda: drawn(rows))


def of_distribution(
    estimate: str,
    mechanism: str,
    parameter: float,
    grid: float,
    epsilon: float,
    rate: float = 1.0,
    times: int = 1,
) -> str:
    """Return the call for δ of either estimate."""
    options = f"pessimistic_estimate={estimate}, value_discretization_interval={grid!r}"
    one = MADE[mechanism].format(parameter, rate, options, 1 / parameter)
    composed = one if times == 1 else f"{one}.self_compose({times})"
    return f"pld.from_{composed}.get_delta_for_epsilon({epsilon!r})"


def _known(fields: Mapping[str, Any]) -> dict[str, Any]:
    kind = fields["mechanism"]
    return {**fields, "mechanism": "gaussian" if kind == "mixture" else kind}


def of_grid(mechanism: str, parameter: float, rate: float = 1.0, times: int = 1) -> Any:
    """Return the truth."""
    return law(**_known(locals()))


def delta_of_grid(
    mechanism: str, epsilon: Fraction, parameter: float, rate: float = 1.0, times: int = 1
) -> Any:
    """Return δ, or a lower bound on it, as a term."""
    return delta(**_known(locals()))


def exactly(
    mechanism: str, epsilon: Fraction, parameter: float, rate: float = 1.0, times: int = 1
) -> Any:
    """Return δ as a term where it is δ, not only a bound under it."""
    if rate < 1 or mechanism == "discrete_gaussian":
        return None
    return delta_of_grid(mechanism, epsilon, parameter, rate, times)


def promised(*, is_pessimistic: bool) -> dict[str, Statement]:
    """Return the readings of an estimate."""
    # The term of a discrete Gaussian is only at most δ: the kernel could not see a lower one fail.
    rows = [row for row in ROWS if is_pessimistic or row["mechanism"] != "discrete_gaussian"]
    over = on_grids(rows)
    if not is_pessimistic:  # where the search has found more than the truth
        far = {"mechanism": "gaussian", "parameter": 8.0, "times": 10}
        over = over.then(listed({**far, "grid": 1e-3, "epsilon": 4.0}))
    return Promise(
        "dp-accounting",
        "from dp_accounting.pld import privacy_loss_distribution as pld",
        partial(of_distribution, str(is_pessimistic)),
        "delta",
        of_grid,
        delta_of_grid if is_pessimistic else exactly,
        over,
        side=Side.UPPER if is_pessimistic else Side.LOWER,
        shaved=Fraction(1, 2),
        converts=("discrete_laplace",),
        draws=20,
        falls=Falls.ROUNDING if is_pessimistic else Falls.RESULT,
    ).readings()


EVENTS = {"gaussian": "GaussianDpEvent", "laplace": "LaplaceDpEvent"}
ACCOUNTANTS = {"pld": "pld_accountant.PLDAccountant", "rdp": "rdp.RdpAccountant"}
TARGETS = (
    {"epsilon": 1.0, "delta": 1e-5},
    {"epsilon": 8.0, "delta": 1e-6},
    {"epsilon": 0.5, "delta": 1e-8},
)
TRAINED: tuple[dict[str, Any], ...] = (
    {"mechanism": "gaussian", "times": 10},
    {"mechanism": "gaussian", "rate": 0.25, "times": 4},
    {"mechanism": "gaussian"},
)


def calibrated(
    accountant: str,
    mechanism: str,
    epsilon: float,
    delta: float,
    rate: float = 1.0,
    times: int = 1,
) -> str:
    """Return the call for a parameter: σ, or the scale of Laplace noise."""
    event = f"dp_event.{EVENTS[mechanism]}(x)"
    event = event if rate == 1 else f"dp_event.PoissonSampledDpEvent({rate!r}, {event})"
    event = event if times == 1 else f"dp_event.SelfComposedDpEvent({event}, {times})"
    return (
        f"calibrate_dp_mechanism({ACCOUNTANTS[accountant]}, lambda x: {event}, "
        f"{epsilon!r}, {delta!r}, ExplicitBracketInterval(1.0, 20.0))"
    )


def calibration() -> dict[str, Statement]:
    """Return the readings of calibration."""
    rows = [
        {"accountant": accountant, **row, **target}
        for accountant, trained, targets in (
            ("pld", TRAINED[:1], TARGETS[:1]),  # half a minute each
            ("rdp", TRAINED, TARGETS),
        )
        for target in targets
        for row in trained
    ]
    return Promise(
        "dp-accounting",
        "from dp_accounting import dp_event, rdp; "
        "from dp_accounting.pld import pld_privacy_accountant as pld_accountant; "
        "from dp_accounting.mechanism_calibration import *",
        calibrated,
        "parameter",
        with_noise,
        delta_with_noise,
        listed(*rows).drawn(lambda: trainings(100).map(lambda at: {"accountant": "rdp", **at})),
        draws=4,
        shaved=Fraction(1, 2),
    ).readings()


GRID = {
    **dict(zip("ab", promised(is_pessimistic=True).values(), strict=True)),
    **dict(zip("cd", promised(is_pessimistic=False).values(), strict=True)),
}
CALIBRATION = calibration()
