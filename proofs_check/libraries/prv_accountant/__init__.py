"""prv-accountant: the ends of its intervals around ε."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Trials, cases
from exactdp.compare.adapters.prv_accountant import ACCOUNTANTS
from proofs_check.libraries.laws import TRAININGS, ends

__all__ = ["TRIALS"]

HALF = Fraction(1, 2)
DELTAS = (1e-5, 1e-3, 1e-8)

TRIALS: Trials = {
    "libraries/prv-accountant/gaussian": ends(
        ACCOUNTANTS, "prv-accountant", "epsilon", TRAININGS, shaved=HALF
    ),
    "libraries/prv-accountant/laplace": ends(
        ACCOUNTANTS,
        "prv-accountant",
        "epsilon",
        cases(mechanism=("laplace",), parameter=(1.0, 2.0, 8.0), times=(1, 10, 100), delta=DELTAS),
        shaved=HALF,
        converts=(),  # 1/b is exact
    ),
    "libraries/prv-accountant/pure-dp": ends(
        ACCOUNTANTS,
        "prv-accountant",
        "epsilon",
        cases(
            mechanism=("randomized_response",),
            parameter=(1.0, 0.1, 0.5),
            times=(1, 10, 100),
            delta=DELTAS,
        ),
        shaved=HALF,
    ),
}
