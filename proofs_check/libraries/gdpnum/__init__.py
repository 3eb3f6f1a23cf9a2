"""gdpnum: the μ of Gaussian DP of a training."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Trials, cases, function, term
from proofs_check.libraries.promises import Promise

__all__ = ["TRIALS"]

TRIALS: Trials = {
    "libraries/gdpnum/mu": Promise(
        "gdpnum",
        "from gdpnum.dpsgd import get_mu_and_regret_for_dpsgd as mu",
        lambda sigma, steps: f"mu({sigma!r}, 1.0, {steps})",
        "loss",
        None,
        lambda sigma, steps: function("sqrt", steps) / term(Fraction(sigma)),
        cases(sigma=(1.0, 2.0, 5.0, 0.5, 10.0, 100.0), steps=(1, 4, 10, 100)),
    ).readings()
}
