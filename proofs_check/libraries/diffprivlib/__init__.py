"""diffprivlib: the scales of its Gaussian and bounded Laplace mechanisms."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Term, Trials, cases, function, term
from exactdp.compare.adapters.diffprivlib import ACCOUNTANTS
from proofs_check.libraries.laws import accounted
from proofs_check.libraries.promises import Promise

__all__ = ["TRIALS"]

DELTAS = (1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-3, 0.1, 1e-15, 1e-16, 1e-17)


def bounded_loss(answer: Fraction, upper: float) -> Term:
    """Return the largest loss of Laplace noise on [0, upper], drawn there, of 0 against 1.

    At the output 0 the ratio is e^(1/b) (2 − e^(−1/b) − e^(−(upper−1)/b)) / (1 − e^(−upper/b)).
    """
    rate, top = 1 / term(answer), Fraction(upper)
    masses = 2 - function("exp", -rate) - function("exp", -((top - 1) * rate))
    return rate + function("log", masses / (1 - function("exp", -(top * rate))))


TRIALS: Trials = {
    "libraries/diffprivlib/gaussian-analytic": accounted(
        ACCOUNTANTS,
        "diffprivlib/gaussian-analytic",
        "parameter",
        cases(mechanism=("gaussian",), epsilon=(1.0, 0.5, 2.0, 8.0, 0.1), delta=DELTAS),
    ).readings(),
    "libraries/diffprivlib/gaussian": accounted(
        ACCOUNTANTS,
        "diffprivlib/gaussian",
        "parameter",
        cases(
            mechanism=("gaussian",),
            epsilon=(1.0, 0.5, 0.1, 0.999, 1e-3),
            delta=(*DELTAS, 0.5, 0.9, 0.999, 1e-100, 1e-300),
        ),
        shaved=Fraction(1, 2),
    ).readings(),
    "libraries/diffprivlib/gaussian-discrete": accounted(
        ACCOUNTANTS,
        "diffprivlib/gaussian",
        "parameter",
        cases(
            mechanism=("discrete_gaussian",),
            epsilon=(1.0, 0.5, 2.0, 8.0),
            delta=(1e-5, 1e-6, 1e-8, 1e-3, 0.1, 1e-10),
        ),
        imports="from diffprivlib.mechanisms import GaussianDiscrete",
        call=lambda epsilon, delta: (
            f"GaussianDiscrete(epsilon={epsilon!r}, delta={delta!r})._scale"
        ),
        shaved=Fraction(9, 10),
    ).readings(),
    "libraries/diffprivlib/bounded-or-truncated-laplace": Promise(
        "diffprivlib",
        "from diffprivlib.mechanisms import LaplaceBoundedDomain",
        lambda epsilon, upper: (
            f"LaplaceBoundedDomain(epsilon={epsilon!r}, sensitivity=1, lower=0, upper={upper!r})"
            "._find_scale()"
        ),
        "scale",
        None,
        bounded_loss,
        cases(epsilon=(1.0, 0.5, 2.0, 0.1, 8.0, 30.0), upper=(1.0, 2.0, 10.0, 1.5, 100.0)),
    ).readings(),
}
