"""diffprivlib: the scales of its Gaussian and bounded Laplace mechanisms."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from exactdp.claims import Statement, Term, Trials, cases, function, term
from exactdp.compare.adapters.diffprivlib import ACCOUNTANTS
from proofs_check.libraries.laws import accounted
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import calibrated, doubles, small

__all__ = ["TRIALS"]


def bounded_loss(answer: Fraction, upper: float) -> Term:
    """Return the largest loss of Laplace noise on [0, upper], drawn there, of 0 against 1.

    At the output 0 the ratio is e^(1/b) (2 − e^(−1/b) − e^(−(upper−1)/b)) / (1 − e^(−upper/b)).
    """
    rate, top = 1 / term(answer), Fraction(upper)
    masses = 2 - function("exp", -rate) - function("exp", -((top - 1) * rate))
    return rate + function("log", masses / (1 - function("exp", -(top * rate))))


def of_noise(name: str) -> dict[str, Statement]:
    """Return the readings for a mechanism that adds noise and then truncates or folds.

    The scale is what one unit of noise adds to 0, in a domain so wide that nothing is truncated
    or folded. There it is Laplace noise; elsewhere post-processing of it.
    """
    return accounted(
        ACCOUNTANTS,
        "diffprivlib/gaussian",
        "parameter",
        cases(
            mechanism=("laplace",), epsilon=(1.0, 0.5, 2.0, 0.1, 8.0), delta=(0.0, 1e-5, 0.1)
        ).drawn(
            lambda: {
                "mechanism": st.just("laplace"),
                "epsilon": doubles(1e-4, 700.0),
                "delta": st.just(0.0) | small(17),
            }
        ),
        imports="from diffprivlib.mechanisms import *\n"
        "def scale(kind, epsilon, delta):\n"
        "    made = kind(epsilon=epsilon, delta=delta, sensitivity=1, lower=-1e300, upper=1e300)\n"
        "    made._laplace_sampler = lambda *_: -1.0\n"
        "    return made.randomise(0.0)\n",
        call=lambda epsilon, delta: f"scale({name}, {epsilon!r}, {delta!r})",
        shaved=Fraction(1, 2),
    ).readings()


TRIALS: Trials = {
    "libraries/diffprivlib/gaussian-analytic": accounted(
        ACCOUNTANTS,
        "diffprivlib/gaussian-analytic",
        "parameter",
        calibrated("gaussian"),
    ).readings(),
    "libraries/diffprivlib/gaussian": accounted(
        ACCOUNTANTS,
        "diffprivlib/gaussian",
        "parameter",
        calibrated("gaussian", epsilons=(1.0, 0.5, 0.1), largest=1.0),
        shaved=Fraction(1, 2),
    ).readings(),
    "libraries/diffprivlib/gaussian-discrete": accounted(
        ACCOUNTANTS,
        "diffprivlib/gaussian",
        "parameter",
        calibrated("discrete_gaussian", largest=100.0, smallest=12),
        imports="from diffprivlib.mechanisms import GaussianDiscrete",
        call=lambda epsilon, delta: (
            f"GaussianDiscrete(epsilon={epsilon!r}, delta={delta!r})._scale"
        ),
        shaved=Fraction(9, 10),
    ).readings(),
    "libraries/diffprivlib/laplace-truncated": of_noise("LaplaceTruncated"),
    "libraries/diffprivlib/laplace-folded": of_noise("LaplaceFolded"),
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
        cases(epsilon=(1.0, 0.5, 2.0, 0.1, 8.0, 30.0), upper=(1.0, 2.0, 10.0, 1.5, 100.0)).drawn(
            lambda: {
                "epsilon": doubles(1e-3, 500.0),
                "upper": st.sampled_from([1.0, 2.0, 10.0, 100.0, 1.25]),  # e^(1/b) to this is exact
            }
        ),
    ).readings(),
}
