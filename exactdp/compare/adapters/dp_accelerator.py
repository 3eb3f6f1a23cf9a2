"""dp-accelerator: ε of DP-SGD's steps by Rényi DP, of a batch size and the size of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant, batch_of

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]


def _epsilon(case: Deployment) -> str | None:
    found, m = batch_of(case), case.mechanism
    if found is None:
        return None
    sizes = f"{m.parameter!r}, {found[0]}, {found[1]}"
    return f"DPSGDAccountant({sizes}).get_epsilon({m.times}, {case.delta!r})"


ACCOUNTANTS = [
    Accountant(
        "dp-accelerator/rdp",
        "dp-accelerator",
        "from dp_accelerator import DPSGDAccountant",
        {"epsilon": _epsilon},
    )
]
