"""pfl: the noise of its Gaussian mechanism, and noise and ε of its three privacy accountants."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]


def _asked(name: str, result: str, case: Deployment) -> str | None:
    """Return the call for ε of the noise, or for the noise of an ε; of Laplace noise its scale."""
    m = case.mechanism
    is_known = m.kind == "gaussian" or (m.kind == "laplace" and not m.is_sampled)
    if len(case.mechanisms) > 1 or not is_known:
        return None
    known = (
        f"noise_parameter={m.parameter!r}" if result == "epsilon" else f"epsilon={case.epsilon!r}"
    )
    return (
        f"{name}PrivacyAccountant(num_compositions={m.times}, "
        f"sampling_probability={m.sampling_probability!r}, mechanism={m.kind!r}, {known}, "
        f"delta={case.delta!r}).{result}"
    )


def _single(case: Deployment) -> str | None:
    m = case.mechanism
    if len(case.mechanisms) > 1 or m.kind != "gaussian" or not m.is_one_release:
        return None
    made = f"GaussianMechanism.construct_single_iteration(1.0, {case.epsilon!r}, {case.delta!r})"
    return f"{made}.relative_noise_stddev"


ACCOUNTANTS = [
    *(
        Accountant(
            f"pfl/{name.lower()}",
            "pfl",
            f"from pfl.privacy import {name}PrivacyAccountant",
            {
                "epsilon": partial(_asked, name, "epsilon"),
                "parameter": partial(_asked, name, "noise_parameter"),
            },
        )
        for name in ("PLD", "PRV", "RDP")
    ),
    Accountant(
        "pfl/gaussian",
        "pfl",
        "from pfl.privacy import GaussianMechanism",
        {"parameter": _single},
    ),
]
