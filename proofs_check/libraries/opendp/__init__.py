"""opendp: privacy maps, the conversion of zCDP, counts above a threshold, and the noisy maximum."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any

from exactdp.claims import Cases, Term, Trials, cases, function, term
from exactdp.compare.adapters.opendp import ACCOUNTANTS
from exactdp.testing.later import st
from proofs_check.libraries.laws import accounted, at_least_by_gaussian
from proofs_check.libraries.opendp import further
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, whole

__all__ = ["TRIALS"]

IMPORTS = ACCOUNTANTS[0].imports + (
    "; counts = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))"
    "; unit = dp.absolute_distance(T=int)"
    "; scores = lambda monotonic: (dp.vector_domain(dp.atom_domain(T=int)), "
    "dp.linf_distance(T=int, monotonic=monotonic))"
)
CHANGES: dict[str, Any] = {"keys__count": ((1, 1), (1, 2), (4, 1), (4, 2))}
SCALES = (1.0, 2.0, 0.5, 10.0, 0.1, 3.0, 100.0, 0.7, 1e-3, 1e6)


def released(scale: float, threshold: int, keys: int, count: int) -> Term:
    """Return P(any count + noise >= threshold): one of so many keys is seen, all in one input only.

    Noise on integers of scale b is at least m >= 1 with probability e^(−m/b)/(1 + e^(−1/b)).
    """
    rate = 1 / term(Fraction(scale))
    one = function("exp", -((threshold - count) * rate)) / (1 + function("exp", -rate))
    return 1 - (1 - one) ** keys


def released_by_gaussian(scale: float, threshold: int, keys: int, count: int) -> Term:
    """Return a lower bound on P(any count + noise >= threshold), of discrete Gaussian noise."""
    return 1 - (1 - at_least_by_gaussian(threshold - count, Fraction(scale))) ** keys


def threshold_map(made: str, norm: int, scale: float, threshold: int, keys: int, count: int) -> str:
    """Return the call for the map of a thresholded release at the distances of ``released``."""
    far = keys * count if norm == 1 else isqrt(keys) * count
    return (
        f"dp.m.{made}(counts, dp.l0{norm}inf_distance(unit), scale={scale!r}, "
        f"threshold={threshold}).map(({keys}, {far}, {count}))"
    )


def noisy_max(
    measure: str,
    scale: float,
    monotonic: bool,  # noqa: FBT001 - a field
    change: int,
    noise: str = "",
) -> str:
    """Return the call for the map of the noisy maximum."""
    made = f"make_noisy_max(*scores({monotonic}), {measure}, scale={scale!r})"
    if noise == "gumbel":
        made = f"make_report_noisy_max_gumbel(*scores({monotonic}), scale={scale!r})"
    return f"dp.m.{made}.map({change})"


def divergence_of_two_scores(scale: float, monotonic: bool, change: int) -> Term:  # noqa: FBT001
    """Return the mean loss of the softmax of two scores, whose difference goes from −x to x.

    The losses are ±x/b, so that it is x/b tanh(x/(2b)): of order 1, and so at most ρ. Where only
    one score can rise, their difference changes by 1 and x is 1/2; by 2 else (times the change).
    """
    half = (Fraction(change, 2) if monotonic else change) / term(Fraction(scale))
    return half * (1 - function("exp", -half)) / (1 + function("exp", -half))


def over_scales() -> Cases:
    """Return scales of noise, ordinary ones first, and by how much a count changes."""
    return cases(change=(1, 3), scale=SCALES).drawn(
        lambda: {"change": whole(100), "scale": doubles(1e-6, 1e9)}
    )


def over_scores(**axes: tuple[str, ...]) -> Cases:
    """Return scales, of scores that change each for itself, or all in one direction."""
    both = (False, True)
    return cases(**axes, change=(1, 3), scale=SCALES, monotonic=both).drawn(
        lambda: {
            **{name: st.sampled_from(values) for name, values in axes.items()},
            "change": whole(100),
            "scale": doubles(1e-3, 1e6),
            "monotonic": st.sampled_from(both),
        }
    )


def thresholds() -> st.SearchStrategy[dict[str, Any]]:
    """Return scales with thresholds, at the ε of the noise."""
    return st.builds(
        lambda keys, count, scale, more: {
            "keys": keys,
            "count": count,
            "scale": scale,
            "threshold": count + more,
            "epsilon": keys * count / scale,
        },
        st.sampled_from([1, 4]),
        whole(3),
        doubles(0.1, 100.0),
        whole(1000),
    )


TRIALS: Trials = {
    "libraries/opendp/randomized-response-map": Promise(
        "opendp",
        IMPORTS,
        lambda prob: f"dp.m.make_randomized_response_bool(prob={prob!r}).map(1)",
        "loss",
        None,
        lambda prob: function("log", term(Fraction(prob)) / (1 - Fraction(prob))),
        cases(prob=(0.75, 0.6, 0.9, 0.51, 0.999, 0.5000001, 1 - 2.0**-50)).drawn(
            lambda: {"prob": doubles(0.5, 1 - 2.0**-53)}
        ),
    ).readings(),
    "libraries/opendp/randomized-response-map-of-categories": Promise(
        "opendp",
        IMPORTS,
        lambda prob, k: f"dp.m.make_randomized_response(list(range({k})), prob={prob!r}).map(1)",
        "loss",
        None,
        lambda prob, k: function("log", Fraction(prob) * (k - 1) / (1 - term(Fraction(prob)))),
        cases(k=(3, 2, 10, 100), prob=(0.75, 0.5, 0.9, 0.99))
        .drawn(lambda: {"k": whole(1000, 2), "prob": doubles(0.001, 1 - 2.0**-53)})
        .where(lambda prob, k: prob * k > 1),
        ranges={"prob": (1e-3, 1 - 2.0**-53)},
    ).readings(),
    "libraries/opendp/laplace-map": Promise(
        "opendp",
        IMPORTS,
        lambda scale, change: f"dp.m.make_laplace(*integers, scale={scale!r}).map({change})",
        "loss",
        None,
        lambda scale, change: change / term(Fraction(scale)),
        over_scales(),
    ).readings(),
    "libraries/opendp/gaussian-map": Promise(
        "opendp",
        IMPORTS,
        lambda scale, change: f"dp.m.make_gaussian(*integers, scale={scale!r}).map({change})",
        "loss",
        None,
        lambda scale, change: change**2 / (2 * term(Fraction(scale)) ** 2),
        over_scales(),
        unit="ρ",
    ).readings(),
    "libraries/opendp/zcdp-to-approxdp": accounted(
        ACCOUNTANTS,
        "opendp/zcdp",
        "delta",
        cases(
            mechanism=("gaussian",),
            parameter=(1.0, 2.0, 0.5, 10.0, 0.1),
            epsilon=(1.0, 0.1, 3.0, 10.0, 0.01, 30.0),
        ).drawn(
            lambda: {
                "mechanism": st.just("gaussian"),
                "parameter": doubles(0.05, 1e3),
                "epsilon": doubles(1e-4, 500.0),
            }
        ),
        shaved=Fraction(1, 8),
    ).readings(),
    "libraries/opendp/laplace-threshold": Promise(
        "opendp",
        IMPORTS,
        partial(threshold_map, "make_laplace_threshold", 1),
        "delta",
        None,
        released,
        cases(
            **CHANGES,
            scale=(1.0, 2.0, 0.5, 10.0, 0.25),
            threshold=(20, 3, 10, 50),
            epsilon=lambda scale, keys, count: (keys * count / scale,),
        ).drawn(lambda: thresholds().filter(lambda at: at["threshold"] < 700 * at["scale"])),
        picks=1,
    ).readings(),
    "libraries/opendp/gaussian-threshold": Promise(
        "opendp",
        IMPORTS,
        partial(threshold_map, "make_gaussian_threshold", 2),
        "delta",
        None,
        released_by_gaussian,
        cases(**CHANGES, scale=(1.0, 2.0, 5.0, 0.5), threshold=(5, 3, 10), epsilon=(1.0,)).drawn(
            lambda: thresholds().filter(lambda at: at["threshold"] < 30 * at["scale"] < 300)
        ),
        picks=1,
    ).readings(),
    "libraries/opendp/noisy-max": Promise(
        "opendp",
        IMPORTS,
        partial(noisy_max, "dp.max_divergence()"),
        "loss",
        None,
        # Of scores (0, 3) against (1, 2): the lower one, by m, wins with probability e^(-m/b)/2,
        # with Gumbel noise about e^(-m/b), the nearer the larger m. More scores lose no more.
        lambda scale, monotonic, change: (
            (change if monotonic else 2 * change) / term(Fraction(scale))
        ),
        over_scores(noise=("exponential", "gumbel")),
    ).readings(),
    "libraries/opendp/noisy-max-zcdp": Promise(
        "opendp",
        IMPORTS,
        partial(noisy_max, "dp.zero_concentrated_divergence()"),
        "loss",
        None,
        divergence_of_two_scores,
        over_scores(),
        shaved=Fraction(1, 2),
        unit="ρ",
    ).readings(),
    **further.TRIALS,
}
