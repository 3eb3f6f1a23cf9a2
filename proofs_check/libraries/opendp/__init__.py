"""opendp: privacy maps, the conversion of zCDP, counts above a threshold, and the noisy maximum."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Term, Trials, cases, function, term
from exactdp.compare.adapters.opendp import ACCOUNTANTS
from proofs_check.libraries.laws import accounted, at_least_by_gaussian
from proofs_check.libraries.promises import Promise

__all__ = ["TRIALS"]

IMPORTS = ACCOUNTANTS[0].imports + (
    "; counts = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))"
    "; unit = dp.absolute_distance(T=int)"
    "; scores = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)"
)
SCALES = (1.0, 2.0, 0.5, 10.0, 0.1, 3.0, 100.0, 0.7, 1e-3, 1e6)


def released(scale: float, threshold: int) -> Term:
    """Return P(1 + noise >= threshold): a key with count 1 is seen, which cannot be without it.

    Noise on integers of scale b is at least m >= 1 with probability e^(−m/b)/(1 + e^(−1/b)).
    """
    rate = 1 / term(Fraction(scale))
    return function("exp", -((threshold - 1) * rate)) / (1 + function("exp", -rate))


def released_by_gaussian(scale: float, threshold: int) -> Term:
    """Return what is at most P(1 + noise >= threshold), of discrete Gaussian noise."""
    return at_least_by_gaussian(threshold - 1, Fraction(scale))


TRIALS: Trials = {
    "libraries/opendp/randomized-response-map": Promise(
        "opendp",
        IMPORTS,
        lambda prob: f"dp.m.make_randomized_response_bool(prob={prob!r}).map(1)",
        "loss",
        None,
        lambda prob: function("log", term(Fraction(prob)) / (1 - Fraction(prob))),
        cases(prob=(0.75, 0.6, 0.9, 0.51, 0.999, 0.5000001, 1 - 2.0**-50)),
    ).readings(),
    "libraries/opendp/laplace-map": Promise(
        "opendp",
        IMPORTS,
        lambda scale: f"dp.m.make_laplace(*integers, scale={scale!r}).map(1)",
        "loss",
        None,
        lambda scale: 1 / term(Fraction(scale)),
        cases(scale=SCALES),
    ).readings(),
    "libraries/opendp/zcdp-to-approxdp": accounted(
        ACCOUNTANTS,
        "opendp/zcdp",
        "delta",
        cases(
            mechanism=("gaussian",),
            parameter=(1.0, 2.0, 0.5, 10.0, 0.1),
            epsilon=(1.0, 0.1, 3.0, 10.0, 0.01, 30.0),
        ),
        shaved=Fraction(1, 8),
    ).readings(),
    "libraries/opendp/laplace-threshold": Promise(
        "opendp",
        IMPORTS,
        lambda scale, threshold: (
            f"dp.m.make_laplace_threshold(counts, dp.l01inf_distance(unit), scale={scale!r}, "
            f"threshold={threshold}).map((1, 1, 1))"
        ),
        "delta",
        None,
        released,
        cases(
            scale=(1.0, 2.0, 0.5, 10.0),
            threshold=(20, 3, 10, 50),
            epsilon=lambda scale: (1 / scale,),
        ),
        picks=1,
    ).readings(),
    "libraries/opendp/gaussian-threshold": Promise(
        "opendp",
        IMPORTS,
        lambda scale, threshold: (
            f"dp.m.make_gaussian_threshold(counts, dp.l02inf_distance(unit), scale={scale!r}, "
            f"threshold={threshold}).map((1, 1, 1))"
        ),
        "delta",
        None,
        released_by_gaussian,
        cases(scale=(1.0, 2.0, 5.0), threshold=(5, 3, 10), epsilon=(1.0,)),
        picks=1,
    ).readings(),
    "libraries/opendp/noisy-max": Promise(
        "opendp",
        IMPORTS,
        lambda scale: f"dp.m.make_noisy_max(*scores, dp.max_divergence(), scale={scale!r}).map(1)",
        "loss",
        None,
        # Of scores (0, 3) against (1, 2): the lower one, by m, wins with probability e^(-m/b)/2.
        lambda scale: 2 / term(Fraction(scale)),
        cases(scale=SCALES),
    ).readings(),
}
