"""dp-accelerator: Rényi DP of DP-SGD."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Trials
from exactdp.compare.adapters.dp_accelerator import ACCOUNTANTS
from proofs_check.libraries.laws import accounted
from proofs_check.libraries.search import deployed

__all__ = ["TRIALS"]

TRIALS: Trials = {
    "libraries/dp-accelerator/rdp": accounted(
        ACCOUNTANTS,
        "dp-accelerator/rdp",
        "epsilon",
        deployed("gaussian", asks="epsilon"),
        shaved=Fraction(1, 2),
    ).readings()
}
