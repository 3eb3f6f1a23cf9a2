"""pipeline-dp: the noise that its budget accountant gives to mechanisms used so many times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]


def _noise(case: Deployment) -> str | None:
    """Return the call for σ, or for the scale of Laplace noise, whose deviation is √2 times it."""
    m = case.mechanism
    if len(case.mechanisms) > 1 or m.kind not in ("gaussian", "laplace") or m.is_sampled:
        return None
    deviation = f"deviation({case.epsilon!r}, {case.delta!r}, {m.kind.upper()!r}, {m.times})"
    return deviation if m.kind == "gaussian" else f"{deviation} / math.sqrt(2)"


_DEVIATION = (
    "import math; from pipeline_dp.aggregate_params import MechanismType; "
    "from pipeline_dp.budget_accounting import PLDBudgetAccountant as Budget; "
    "noise_of = lambda one, asked: (one.compute_budgets(), asked.noise_standard_deviation)[1]; "
    "noise = lambda one, kind, n: noise_of(one, one.request_budget(MechanismType[kind], count=n)); "
    "deviation = lambda epsilon, delta, kind, n: noise(Budget(epsilon, delta), kind, n)"
)

ACCOUNTANTS = [
    Accountant(
        "pipeline-dp/pld",
        "pipeline-dp",
        _DEVIATION,
        {"parameter": _noise},
        converts=("laplace",),
        needs="dp-accounting",
    )
]
