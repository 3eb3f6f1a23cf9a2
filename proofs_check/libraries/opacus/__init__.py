"""opacus: the accountants of its DP-SGD."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Trials
from exactdp.compare.adapters.opacus import ACCOUNTANTS
from proofs_check.libraries.laws import TRAININGS, accounted

__all__ = ["TRIALS"]

# Its convolutions take seconds a call.
FEW = TRAININGS.where(lambda delta, rate=1.0: delta == 1e-5 and 0.005 < rate < 1)

TRIALS: Trials = {
    f"libraries/opacus/{name}": accounted(
        ACCOUNTANTS, f"opacus/{name}", "epsilon", over, shaved=Fraction(1, 2)
    ).readings()
    for name, over in (("rdp", TRAININGS), ("gdp", TRAININGS), ("prv", FEW))
}
