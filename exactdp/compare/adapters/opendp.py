"""opendp: privacy maps of randomized response, integer Laplace noise, and Gaussians by zCDP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]

_IMPORTS = (
    "import math; import opendp.prelude as dp; "
    'dp.enable_features("contrib", "honest-but-curious"); '
    "integers = dp.atom_domain(T=int), dp.absolute_distance(T=int); "
    "reals = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)"
)


def _map(case: Deployment) -> str | None:
    """Return the largest ε: it holds with every δ."""
    m = case.mechanism
    measurements = {
        "randomized_response": (
            f"dp.m.make_randomized_response_bool(prob=1 / (1 + math.exp(-{m.parameter!r})))"
        ),
        "discrete_laplace": f"dp.m.make_laplace(*integers, scale={m.parameter!r})",
    }
    if not _is_one(case) or m.kind not in measurements:
        return None
    return f"{measurements[m.kind]}.map(1)"


def _profile(case: Deployment, asked: str) -> str | None:
    if not _is_one(case) or case.mechanism.kind != "gaussian":
        return None
    gaussian = f"dp.m.make_gaussian(*reals, scale={case.mechanism.parameter!r})"
    return f"dp.c.make_zCDP_to_approxDP({gaussian}).map(1.0).{asked}"


def _is_one(case: Deployment) -> bool:
    m = case.mechanism
    return len(case.mechanisms) == 1 and m.is_one_release and m.k == 2


ACCOUNTANTS = [
    Accountant(
        "opendp/map", "opendp", _IMPORTS, {"epsilon": _map}, converts=("randomized_response",)
    ),
    Accountant(
        "opendp/zcdp",
        "opendp",
        _IMPORTS,
        {
            "delta": lambda case: _profile(case, f"delta({case.epsilon!r})"),
            "epsilon": lambda case: _profile(case, f"epsilon({case.delta!r})"),
        },
    ),
]
