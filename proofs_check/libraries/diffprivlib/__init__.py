"""diffprivlib: the scales of its Gaussian and bounded Laplace mechanisms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf

from exactdp.claims import Falls, Statement, Term, Trials, cases, function, positive_part, term
from exactdp.compare.adapters.diffprivlib import ACCOUNTANTS
from exactdp.divergences import PrivacyProfile
from exactdp.mechanisms import bounded_laplace_mechanism, laplace_mechanism
from exactdp.mechanisms.bounded_laplace import Results
from exactdp.testing.later import st
from proofs_check.libraries.diffprivlib import integers
from proofs_check.libraries.laws import accounted
from proofs_check.libraries.laws import delta as delta_of
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import DELTAS, calibrated, doubles, small

__all__ = ["SCALE", "TRIALS"]

SCALE = (
    "from diffprivlib.mechanisms import *\n"
    "from math import inf\n"
    "def scale(kind, epsilon, delta, upper):\n"
    "    ends = {'lower': -1e300 if upper == inf else 0, 'upper': min(upper, 1e300)}\n"
    "    made = kind(epsilon=epsilon, delta=delta, sensitivity=1, **ends)\n"
    "    made._laplace_sampler = lambda *_: -1.0\n"
    "    return Laplace.randomise(made, 0.0)\n"
)
"""Finds what one unit of noise adds to 0, before anything is truncated or folded."""


def bounded(epsilon: float, answer: Fraction, upper: float) -> Term:
    """Return δ of Laplace noise on [0, upper], drawn there, of 0 against 1: at most the worst.

    Outputs below m speak for 0, e^(−m/b) = w = √(e^(ε−1/b) (1 − e^(−upper/b))/A) and the mass of
    an input 1 is A = 2 − e^(−1/b) − e^(−(upper−1)/b): δ = max(0, 1 − w)²/(1 − e^(−upper/b)).
    """
    rate, top = 1 / term(answer), Fraction(upper)
    first = 1 - function("exp", -(top * rate))
    other = 2 - function("exp", -rate) - function("exp", -((top - 1) * rate))
    w = function("sqrt", function("exp", Fraction(epsilon) - rate) * first / other)
    delta: Term = positive_part(1 - w) ** 2 / first
    return delta


def kept(results: Results) -> Callable[..., PrivacyProfile]:
    """Return the profile of Laplace noise with results kept in [0, upper], of any if it is inf."""

    def law(answer: Fraction, upper: float) -> PrivacyProfile:
        if upper == inf:
            return laplace_mechanism(scale=answer)
        return bounded_laplace_mechanism(upper=Fraction(upper), scale=answer, results=results)

    return law


def of_noise(name: str, results: Results) -> dict[str, Statement]:
    """Return the readings for a mechanism that adds noise and then truncates or folds.

    The scale is what one unit of noise adds to 0, before anything is truncated or folded.
    """

    def term_of_noise(epsilon: Fraction, answer: Fraction, upper: float) -> Term | None:
        return delta_of("laplace", epsilon, answer) if upper == inf else None

    return Promise(
        "diffprivlib",
        SCALE,
        lambda epsilon, delta, upper: f"scale({name}, {epsilon!r}, {delta!r}, {upper!r})",
        "parameter",
        kept(results),
        term_of_noise,
        cases(
            epsilon=(1.0, 0.5, 2.0, 0.1, 8.0), delta=(0.0, 1e-5, 0.1), upper=(inf, 1.0, 10.0)
        ).drawn(
            lambda: {
                "epsilon": doubles(1e-4, 700.0),
                "delta": small(17) | st.just(0.0),
                "upper": st.sampled_from([inf, 1.0, 10.0]),
            }
        ),
        shaved=Fraction(1, 2),
        falls=Falls.ROUNDING,
        draws=200,
    ).readings()


TRIALS: Trials = {
    "libraries/diffprivlib/gaussian-analytic": accounted(
        ACCOUNTANTS,
        "diffprivlib/gaussian-analytic",
        "parameter",
        calibrated("gaussian", epsilons=(1.0, 0.5, 2.0, 8.0, 0.1, 20.0), deltas=(*DELTAS, 1e-9)),
        draws=200,
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
    "libraries/diffprivlib/laplace-truncated": of_noise("LaplaceTruncated", "clamped"),
    "libraries/diffprivlib/laplace-folded": of_noise("LaplaceFolded", "folded"),
    "libraries/diffprivlib/bounded-or-truncated-laplace": Promise(
        "diffprivlib",
        "from diffprivlib.mechanisms import LaplaceBoundedDomain",
        lambda epsilon, delta, upper: (
            f"LaplaceBoundedDomain(epsilon={epsilon!r}, delta={delta!r}, sensitivity=1, lower=0, "
            f"upper={upper!r})._find_scale()"
        ),
        "parameter",
        kept("redrawn"),
        bounded,
        cases(
            delta=(0.0, 1e-5, 0.1),
            epsilon=(1.0, 0.5, 2.0, 0.1, 8.0, 30.0, 0.002),
            upper=(1.0, 2.0, 10.0, 1.5, 100.0),
        ).drawn(
            lambda: {
                "delta": small(12) | st.just(0.0) | st.just(0.0),
                "epsilon": doubles(1e-6, 500.0),
                "upper": st.sampled_from([1.0, 2.0, 10.0, 100.0, 1.25]),  # e^(1/b) to this is exact
            }
        ),
        falls=Falls.ROUNDING,
        draws=200,
    ).readings(),
    **integers.TRIALS,
}
