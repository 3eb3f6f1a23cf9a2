"""dp-accelerator: ε of DP-SGD's steps by Rényi DP, of a batch size and the size of the data."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]

_MOST_RECORDS = 10**9
"""The largest denominator of a sampling probability, which the accountant takes as a count."""


def _epsilon(case: Deployment) -> str | None:
    m = case.mechanism
    rate = Fraction(m.rate).limit_denominator(_MOST_RECORDS)
    if len(case.mechanisms) > 1 or m.kind != "gaussian" or float(rate) != m.rate:
        return None
    sizes = f"{m.parameter!r}, {rate.numerator}, {rate.denominator}"
    return f"DPSGDAccountant({sizes}).get_epsilon({m.times}, {case.delta!r})"


ACCOUNTANTS = [
    Accountant(
        "dp-accelerator/rdp",
        "dp-accelerator",
        "from dp_accelerator import DPSGDAccountant",
        {"epsilon": _epsilon},
    )
]
