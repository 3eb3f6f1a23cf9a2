"""python-dp: the standard deviation of Google's Gaussian mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]


def _deviation(case: Deployment) -> str | None:
    m = case.mechanism
    if len(case.mechanisms) > 1 or m.kind != "gaussian" or not m.is_one_release:
        return None
    return f"GaussianMechanism({case.epsilon!r}, {case.delta!r}, 1.0).std"


ACCOUNTANTS = [
    Accountant(
        "python-dp/gaussian",
        "python-dp",
        "from pydp.algorithms.numerical_mechanisms import GaussianMechanism",
        {"parameter": _deviation},
    )
]
