"""autodp: the analytic Gaussian calibration and its ε, and Rényi DP of randomized response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]


def _gaussian(case: Deployment, call: str) -> str | None:
    m = case.mechanism
    if len(case.mechanisms) > 1 or m.kind != "gaussian" or not m.is_one_release:
        return None
    return call


def _responses(case: Deployment) -> str | None:
    if any((m.kind, m.k) != ("randomized_response", 2) for m in case.mechanisms):
        return None
    composed = ", ".join(f"({m.parameter!r}, {m.times})" for m in case.mechanisms)
    return f"of([{composed}], {case.delta!r}, rdp_acct.anaRDPacct())"


ACCOUNTANTS = [
    Accountant(
        "autodp/gaussian",
        "autodp",
        "from autodp import rdp_acct; from autodp.dp_bank import get_eps_ana_gaussian; "
        "from autodp.privacy_calibrator import ana_gaussian_mech",
        {
            "epsilon": lambda case: _gaussian(
                case, f"get_eps_ana_gaussian({case.mechanism.parameter!r}, {case.delta!r})"
            ),
            "parameter": lambda case: _gaussian(
                case, f"ana_gaussian_mech({case.epsilon!r}, {case.delta!r})['sigma']"
            ),
        },
    ),
    Accountant(
        "autodp/rdp",
        "autodp",
        "import math; from autodp import rdp_acct, rdp_bank; "
        "of = lambda parts, delta, one: ([one.compose_mechanism(lambda order, p=1 / (1 + "
        "math.exp(-epsilon0)): rdp_bank.RDP_randresponse({'p': p}, order), coeff=times) "
        "for epsilon0, times in parts], one.get_eps(delta))[1]",
        {"epsilon": _responses},
        converts=("randomized_response",),
    ),
]
