"""Section V: the Gaussian mechanism and the experiments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, Term, function, ref, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import (
    Exact,
    Number,
    cos,
    decimal,
    exp,
    is_below,
    log,
    normal_cdf,
    normal_pdf,
    pi,
    sqrt,
)
from exactdp.truth import Truth

__all__ = ["TRIALS"]

Matrix = list[list[Exact]]


# --- the Gaussian mechanism ---------------------------------------------------------------


def _classical_gaussian(*, small_epsilon: bool, scale: Fraction = Fraction(1)) -> Statement:
    """delta of N(0, sigma^2), sensitivity 1: Phi(1/(2 sigma) - eps sigma) - e^eps Phi(...)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        epsilons = ("1/10", "1/2", "9/10") if small_epsilon else ("1/2", "1", "2", "4", "8")
        deltas = ("1/2", "9/10", "1/10", "1/100", "1e-5", "1e-10")
        for e, d in product(epsilons, deltas):
            yield Instance.of(epsilon=Fraction(e), delta=Fraction(d))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        e, d = v["epsilon"], v["delta"]
        sigma = sqrt(2 * log(Exact(Fraction(5, 4) / d))) * Exact(scale / e)
        true = normal_cdf(1 / (2 * sigma) - e * sigma) - exp(Exact(e)) * normal_cdf(
            -1 / (2 * sigma) - e * sigma
        )
        fine = is_below(true, Exact(d))
        ratio = Fraction(d) / Fraction(decimal(true, digits=6)) if fine is Truth.TRUE else None
        return Outcome(
            fine,
            f"its delta is {decimal(true, digits=8)}",
            lambda: _gaussian_certificate(e, d),
            slack=ratio,
        )

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_classical_gaussian(small_epsilon=True, scale=Fraction(1, 2))
        if small_epsilon and scale == 1
        else None,
    )


def _gaussian_certificate(epsilon: Fraction, delta: Fraction) -> Certificate:
    sigma, e = ref("sigma"), term(epsilon)
    variance = 2 * function("log", Fraction(5, 4) / delta) / (e * e)
    upper = function("normal_cdf", 1 / (2 * sigma) - e * sigma)
    lower = function("normal_cdf", -1 / (2 * sigma) - e * sigma)
    return Certificate(
        define=[("sigma", function("sqrt", variance))],
        conclusion=[relation(">", upper - function("exp", e) * lower, delta)],
    )


def _additive_noise_is_unbiased(*, thresholded: bool) -> Statement:
    """E(H) = count, for H = count + N(0, 1), or its soft-thresholding at sqrt(2 ln k).

    Soft-thresholding S(y) = sign(y) max(0, |y| - t) is a denoising step of [7]:
    E S = (f-t) Phi(f-t) + phi(f-t) + (f+t) Phi(-f-t) - phi(f+t).
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for k in (2, 3, 10):
            for count in (1, 5, 100):
                yield Instance.of(k=k, count=count, sigma=1)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        f = v["count"]
        if not thresholded:
            return Outcome(Truth.TRUE, "the noise is symmetric: mean zero")
        t = sqrt(2 * log(v["k"]))
        mean = (
            (f - t) * normal_cdf(f - t)
            + normal_pdf(f - t)
            + (f + t) * normal_cdf(-t - f)
            - normal_pdf(f + t)
        )
        below = is_below(mean, Exact(f))

        def density(y: Term) -> Term:
            return function("exp", -(y * y) / 2) / function("sqrt", 2 * Term(["pi"]))

        def certificate() -> Certificate:
            s, count = ref("t"), term(f)
            value = (
                (count - s) * function("normal_cdf", count - s)
                + density(count - s)
                + (count + s) * function("normal_cdf", -s - count)
                - density(count + s)
            )
            return Certificate(
                define=[("t", function("sqrt", 2 * function("log", v["k"])))],
                conclusion=[relation("<", value, count)],
            )

        return Outcome(~below, f"E = {decimal(mean, digits=8)} for a count of {f}", certificate)

    def proof() -> Proved | None:
        return Proved(
            "all n, pi, k, sigma", "E(f + N(0, sigma^2)) = f: the density is symmetric about 0"
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if thresholded else proof,
        false_variant=None if thresholded else _additive_noise_is_unbiased(thresholded=True),
    )


# --- areas ------------------------------------------------------------------------------------


def _area(
    latitudes: tuple[str, str], longitudes: tuple[str, str], width: int, height: int
) -> Statement:
    """width x height km, to the nearest km, on a sphere of radius 6371 km."""

    def sides() -> tuple[Number, Number]:
        degree = pi / 180
        lat = [Fraction(v) for v in latitudes]
        lon = [Fraction(v) for v in longitudes]
        middle = (lat[0] + lat[1]) / 2
        return (
            6371 * degree * (lon[1] - lon[0]) * cos(middle * degree),
            6371 * degree * (lat[1] - lat[0]),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        value = sides()[0 if v["side"] == "width" else 1]
        printed = width if v["side"] == "width" else height
        near = (
            is_below(Exact(printed - Fraction(1, 2)), value),
            is_below(value, Exact(printed + Fraction(1, 2))),
        )
        truth = (
            Truth.TRUE
            if near == (Truth.TRUE, Truth.TRUE)
            else Truth.FALSE
            if Truth.FALSE in near
            else Truth.UNKNOWN
        )
        return Outcome(truth, f"{v['side']} {decimal(value, digits=4)} km, printed {printed}")

    def instances(effort: Effort) -> Iterator[Instance]:
        yield Instance.of(side="width")
        yield Instance.of(side="height")

    return Statement(
        instances=instances,
        holds=holds,
        complete="both sides, to the nearest kilometer",
        false_variant=_area(latitudes, longitudes, width + 1, height) if width % 4 == 0 else None,
    )


UNPUBLISHED_DRAWS = (
    "the sampled data and the random draws are not published; at eps = eps0 = 4, (6) is exactly 0 "
    "for every n_x0, so no Gaussian mechanism has the same (eps, delta)"
)
GOWALLA = (
    "the Gowalla check-ins and the random draws are not at hand; eps0 of the runs is not stated"
)

TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/definition-V.1": {"": _classical_gaussian(small_epsilon=False)},
    "biswas2023/repair/definition-V.1-small-epsilon": {"": _classical_gaussian(small_epsilon=True)},
    "biswas2023/section-V-A/gaussian-mean": {
        "a": _additive_noise_is_unbiased(thresholded=False),
        "b": _additive_noise_is_unbiased(thresholded=True),
    },
    "biswas2023/section-V-D/area-san-francisco": {
        "": _area(("37.7228", "37.7946"), ("-122.5153", "-122.3789"), 12, 8)
    },
    "biswas2023/section-V-D/area-paris": {
        "": _area(("48.8286", "48.8798"), ("2.2855", "2.3909"), 8, 6)
    },
    "biswas2023/abstract/gap-vanishes": {
        "a": Open(
            "asymptotic, over unstated (eps0, eps): for eps >= eps0 the tight delta is 0 and the "
            "Gaussian mechanism does not exist; for eps < eps0 no finite set of n decides a limit"
        ),
        "b": Open(
            "asymptotic, over unstated (eps0, eps): no finite set of n decides a limit of ratios"
        ),
    },
    "biswas2023/table-V": {"": Open(UNPUBLISHED_DRAWS)},
    "biswas2023/section-V-C2/community-tv": {"": Open(UNPUBLISHED_DRAWS)},
    "biswas2023/section-V-C2/small-n": {
        "a": Open(UNPUBLISHED_DRAWS),
        "b": Open(UNPUBLISHED_DRAWS),
    },
    "biswas2023/figure-2": {
        "": Open("the data, the draws and eps0 of the figure are not published")
    },
    "biswas2023/figure-6": {"": Open(GOWALLA)},
    "biswas2023/figure-7": {"": Open(GOWALLA)},
    "biswas2023/table-VI": {
        "": Open(
            "the Gowalla check-ins and the random draws are not at hand; at eps = eps0 = 4, (6) is "
            "exactly 0 for every n_x0"
        )
    },
}
