"""tmlt.core: the conversion of zCDP, scales and privacy functions of noise, and its thresholds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.claims import Cases, Term, Trials, cases, function, term
from exactdp.compare.adapters.tmlt_core import (
    ALONE,
    CALLS_OF_NOISE,
    is_implied,
    sigma_of,
    spent_by_noise,
)
from exactdp.testing.later import st
from proofs_check.libraries.laws import delta_with_noise, with_noise
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small, whole

__all__ = ["TRIALS"]

CALLS = (
    ALONE
    + CALLS_OF_NOISE
    + """
from tmlt.core.measurements.spark_measurements import GeometricPartitionSelection
from tmlt.core.measures import PureDP, RhoZCDP
from tmlt.core.metrics import SymmetricDifference
from tmlt.core.utils.exact_number import ExactNumber
from tmlt.core.utils.parameters import calculate_noise_scale
def selection(alpha, threshold, rows):
    one = object.__new__(GeometricPartitionSelection)
    one._alpha, one._threshold = ExactNumber(sp.Rational(alpha)), threshold
    one._Measurement__input_metric = SymmetricDifference()
    return [float(x.to_float(round_up=True)) for x in one.privacy_function(rows)]
"""
)


POWERS = tuple(2.0**-n for n in (17, 20, 30, 10, 40, 1))
CONVERTED = (
    cases(mechanism=("gaussian",), epsilon=(1.0, 0.5, 2.0, 8.0), delta=POWERS[:4])
    .then(cases(mechanism=("gaussian",), epsilon=(1.0, 0.1, 3.0, 10.0), delta=(1e-5, 1e-8, 1e-3)))
    .drawn(
        lambda: {
            "mechanism": st.just("gaussian"),
            "epsilon": doubles(1e-4, 500.0).map(lambda x: float(f"{x:.2g}")),
            "delta": small(300) | st.sampled_from([*POWERS, 2.0**-300, 2.0**-990]),
        }
    )
    .where(lambda epsilon, delta: is_implied(epsilon) and is_implied(delta))
)

NOISES = {
    "AddLaplaceNoise": 1,
    "AddGeometricNoise": 1,
    "AddDiscreteGaussianNoise": 2,
    "AddGaussianNoise": 2,
}
"""The power of the distance that is spent."""


def of_noise() -> Cases:
    """Return parameters of noise, the scale or σ², and distances."""
    axes: dict[str, Any] = {"kind": tuple(NOISES), "distance": (1.0, 2.0, 0.5)}
    return (
        cases(**axes, parameter=(1.0, 0.5, 10.0, 0.75, 1e-3, 1e6))
        .where(
            lambda kind, distance: kind in ("AddLaplaceNoise", "AddGaussianNoise") or distance >= 1
        )
        .drawn(
            lambda: {
                "kind": st.sampled_from(tuple(NOISES)),
                "distance": whole(1000).map(float),
                "parameter": st.floats(1e-6, 1e9),
            }
        )
    )


def loss(kind: str, distance: float, parameter: float) -> Term:
    """Return ε of Laplace and geometric noise, d/b, and ρ of Gaussian noise, d²/(2σ²)."""
    power = NOISES[kind]
    found: Term = term(Fraction(distance)) ** power / (power * Fraction(parameter))
    return found


def needed(measure: str, distance: float, answer: Fraction) -> Term:
    """Return the budget that noise of this scale spends: ε = d/b, or ρ = d²/(2σ²)."""
    ratio = Fraction(distance) / term(answer)
    return ratio if measure == "PureDP" else ratio**2 / 2


def kept(alpha: float, threshold: int, keys: int, count: int) -> Term:
    """Return P(one of so many keys, each of so many rows, is kept), in one input only.

    Noise on integers of scale b is at least m >= 1 with probability e^(−m/b)/(1 + e^(−1/b)).
    """
    rate = 1 / term(Fraction(alpha))
    one = function("exp", -((threshold - count) * rate)) / (1 + function("exp", -rate))
    return 1 - (1 - one) ** keys


TRIALS: Trials = {
    "libraries/tmlt-core/conversions": Promise(
        "tmlt-core",
        CALLS,
        sigma_of,
        "parameter",
        with_noise,
        delta_with_noise,
        CONVERTED,
        shaved=Fraction(1, 4),
        draws=20,
    ).readings(),
    "libraries/tmlt-core/privacy-functions": Promise(
        "tmlt-core",
        CALLS,
        spent_by_noise,
        "loss",
        None,
        loss,
        of_noise(),
        draws=30,
    ).readings(),
    "libraries/tmlt-core/noise-scales": Promise(
        "tmlt-core",
        CALLS,
        lambda measure, distance, most: (
            f"float(calculate_noise_scale(sp.Rational({str(Fraction(distance))!r}), "
            f"sp.Rational({str(Fraction(most))!r}), {measure}()).to_float(round_up=True))"
        ),
        "scale",
        None,
        needed,
        cases(
            measure=("PureDP", "RhoZCDP"), distance=(1.0, 2.0, 3.0), most=(1.0, 0.5, 0.1, 2.0, 1e-3)
        ).drawn(
            lambda: {
                "measure": st.sampled_from(["PureDP", "RhoZCDP"]),
                "distance": whole(1000).map(float),
                "most": st.floats(1e-9, 1e3),
            }
        ),
        claim=lambda most: Fraction(most),
        draws=30,
        unit="ε or ρ",
    ).readings(),
    "libraries/tmlt-core/partition-selection": Promise(
        "tmlt-core",
        CALLS,
        lambda alpha, threshold, keys, count: (
            f"selection({str(Fraction(alpha))!r}, {threshold}, {keys * count})"
        ),
        "delta",
        None,
        kept,
        cases(
            keys__count=((1, 1), (1, 2), (2, 1)),
            alpha=(1.0, 0.5, 4.0, 10.0),
            threshold=(20, 5, 50),
            epsilon=lambda alpha, keys, count: (keys * count / alpha,),
        ).drawn(
            lambda: st.builds(
                lambda keys, count, alpha, more: {
                    "keys": keys,
                    "count": count,
                    "alpha": alpha,
                    "threshold": count + more,
                    "epsilon": keys * count / alpha,
                },
                st.sampled_from([1, 3]),
                whole(3),
                st.sampled_from([1.0, 0.25, 2.0, 100.0, 0.125]),
                whole(1000),
            ).filter(lambda at: at["threshold"] < 700 * at["alpha"])
        ),
        picks=1,
        draws=20,
        # The four go together.
        ranges={**dict.fromkeys(("keys", "count", "alpha", "epsilon")), "threshold": (2, 2000)},
    ).readings(),
}
