"""riskcal: the error rates of attacks."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from exactdp.claims import Term, Trials, cases, function, term
from exactdp.testing.failures import Side
from proofs_check.libraries.promises import Promise

__all__ = ["TRIALS"]


def attained(sigma: float, steps: int, alpha: float) -> Term:
    """Return an attack's rate of false negatives: Φ(c − μ), μ = √steps/σ, where Φ(−c) < alpha.

    Doubles propose c, a little too large: so it is above the smallest rate, by about 1e-9.
    """
    c = Fraction(-NormalDist().inv_cdf(alpha) + 1e-9)
    assert math.erfc(float(c) / math.sqrt(2)) / 2 < alpha
    mu = function("sqrt", steps) / term(Fraction(sigma))
    return function("normal_cdf", c - mu)


TRIALS: Trials = {
    "libraries/riskcal/operating-points": Promise(
        "riskcal",
        "from riskcal.accountants import CTDAccountant\n"
        "def beta(sigma, steps, alpha):\n"
        "    accountant = CTDAccountant()\n"
        "    accountant.history = [(sigma, 1.0, steps)]\n"
        "    return accountant.get_beta(alpha=alpha)\n",
        lambda sigma, steps, alpha: f"beta({sigma!r}, {steps}, {alpha!r})",
        "loss",
        None,
        attained,
        cases(sigma=(1.0, 2.0, 5.0, 0.5), steps=(1, 10), alpha=(0.05, 0.01, 0.1, 0.001, 0.5, 1e-6)),
        side=Side.LOWER,
    ).readings()
}
