"""gdpnum: the μ of Gaussian DP of a training, and the advantage of an attack."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Trials, cases, function, term
from proofs_check.libraries.laws import advantage
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, whole

__all__ = ["TRIALS"]

SIGMAS = (1.0, 2.0, 5.0, 0.5, 10.0, 100.0)

TRIALS: Trials = {
    "libraries/gdpnum/mu": Promise(
        "gdpnum",
        "from gdpnum.dpsgd import get_mu_and_regret_for_dpsgd as mu",
        lambda sigma, steps: f"mu({sigma!r}, 1.0, {steps})",
        "loss",
        None,
        lambda sigma, steps: function("sqrt", steps) / term(Fraction(sigma)),
        cases(sigma=SIGMAS, steps=(1, 4, 10, 100)),
    ).readings(),
    "libraries/gdpnum/advantage": Promise(
        "gdpnum",
        "from gdpnum import CTDAccountant, PLDConverter\n"
        "def advantage(sigma, steps):\n"
        "    accountant = CTDAccountant()\n"
        "    accountant.history = [(sigma, 1.0, steps)]\n"
        "    return PLDConverter(accountant.get_pld()).get_advantage()\n",
        lambda sigma, steps: f"advantage({sigma!r}, {steps})",
        "loss",
        None,
        lambda sigma, steps: advantage(Fraction(sigma), steps),
        cases(sigma=SIGMAS, steps=(1, 4, 10, 100)).drawn(
            lambda: {"sigma": doubles(0.5, 1e4), "steps": whole(10)}
        ),
        draws=10,
    ).readings(),
}
