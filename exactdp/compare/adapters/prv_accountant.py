"""prv-accountant: privacy random variables on a grid, with the ends that it promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant
from exactdp.side import Side

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment, Mechanism

__all__ = ["ACCOUNTANTS"]


def _variable(m: Mechanism) -> str | None:
    if m.kind == "gaussian" and m.is_sampled:
        return (
            f"prv.PoissonSubsampledGaussianMechanism({m.sampling_probability!r}, {m.parameter!r})"
        )
    if m.is_sampled or m.k > 2:
        return None
    names = {
        "gaussian": f"prv.GaussianMechanism({m.parameter!r})",
        "laplace": f"prv.LaplaceMechanism({1 / m.parameter!r})",
        "randomized_response": f"prv.PureDPMechanism({m.parameter!r})",
    }
    return names.get(m.kind)


def _ends(case: Deployment, call: str, delta_error: float) -> str | None:
    variables = [_variable(m) for m in case.mechanisms]
    if None in variables:
        return None
    counts = [m.times for m in case.mechanisms]
    composed = (
        f"prv.PRVAccountant([{', '.join(map(str, variables))}], max_self_compositions={counts}, "
        f"eps_error=0.1, delta_error={delta_error!r})"
    )
    return f"{composed}.{call}, {counts})[::2]"


ACCOUNTANTS = [
    Accountant(
        "prv-accountant",
        "prv-accountant",
        "import prv_accountant as prv",
        {
            "delta": lambda case: _ends(case, f"compute_delta({case.epsilon!r}", 1e-10),
            "epsilon": lambda case: _ends(
                case, f"compute_epsilon({case.delta!r}", case.delta / 1000
            ),
        },
        (Side.LOWER, Side.UPPER),
        converts=("laplace",),
    )
]
