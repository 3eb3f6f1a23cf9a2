"""Figure 3: how p_i depends on ε_i and x_i, for Laplace and Gaussian noise on [0, 1]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.boxes import HoldsOnBox, decide_on_box
from exactdp.certificates import Certificate, function, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Exact, Number, Real, decimal, is_below, working_bits
from exactdp.truth import Truth
from proofs_check.liu2024.noise import (
    Noise,
    Shape,
    gaussian_noise,
    laplace_noise,
    other_probabilities,
)
from proofs_check.liu2024.trials.noise_terms import (
    gaussian_delta,
    gaussian_other_terms,
    normal_cdf,
)

__all__ = ["MAKE", "TRIALS", "least_of"]


def least_of(values: tuple[Number, Number]) -> Real:
    """Return min(p_i^0, p_i^1)."""

    def rule() -> Any:
        first, second = (x.ball(working_bits()) for x in values)
        return first.min(second)

    return Real(rule, "p_i")


def _not(truth: Truth) -> Truth:
    return truth if truth is Truth.UNKNOWN else Truth.of(truth is Truth.FALSE)


# --- Figure 3(b): the ε_i of the largest p_i, at x_i = x_1^0 -------------------------------

FIXED = Fraction(3)
GRID = [Fraction(i, 20) for i in (1, 2, 4, 8, 12, 14, 26, 30, 36, 44, 52, 58)]


def _laplace_p(epsilon: Fraction) -> Real:
    zero, one = laplace_noise(0, 1 / FIXED), laplace_noise(1, 1 / FIXED)
    return least_of(other_probabilities(zero, one, laplace_noise(0, 1 / epsilon)))


def _same_parameter() -> Statement:
    """ε_1 is 3; within a half of 1 it is not."""

    def holds(at: Instance) -> Outcome:
        near = abs(FIXED - 1) <= Fraction(1, 2)
        return Outcome(
            Truth.of(near),
            "the ε_1 that is fixed at 3 is not around 1",
            lambda: Certificate(conclusion=[relation(">", term(FIXED) - 1, Fraction(1, 2))]),
        )

    return Statement(instances=lambda effort: [Instance.of(epsilon_1=FIXED)], holds=holds)


def _highest_near(center: Fraction) -> Statement:
    """Farther than a quarter from the center p_i is smaller than at the center."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for epsilon in (*GRID, *(Fraction(i) for i in (1, 2, 4, 6))):
            if abs(epsilon - center) > Fraction(1, 4):
                yield Instance.of(epsilon_i=epsilon)

    def holds(at: Instance) -> Outcome:
        epsilon: Any = at["epsilon_i"]
        here, there = _laplace_p(center), _laplace_p(epsilon)
        found = f"p_i = {decimal(there, digits=6)}, at {center} {decimal(here, digits=6)}"
        return Outcome(is_below(there, here), found)

    is_claim = center == 1
    return Statement(
        instances=instances,
        holds=holds,
        proof=_laplace_proof if is_claim else None,
        false_variant=_highest_near(Fraction(2)) if is_claim else None,
    )


def _upper(f: Any, *, e: Any) -> Any:
    """Return 2 p_i^1 or more for ε_i = e < 3: U_1 reaches from 1/2 or more to hi."""
    high = (f.log(3 / e) + 3) / (3 - e)
    return f.exp(-e / 2) - f.exp(-e * high)


def _laplace_proof() -> Proved | None:
    """p_i <= p_i^1 <= _upper/2, and _upper(1)/2 is p_i^1 = p_i at 1."""
    if is_below(_laplace_p(Fraction(1)), Exact("0.23885")) is not Truth.FALSE:
        return None
    limit = Fraction(2 * 23885, 100000)
    boxes = [("1/20", "3/4"), ("5/4", "3/2")]
    answers = [
        decide_on_box(lambda f, *, e: limit - _upper(f, e=e), {"e": box}, strict=True)
        for box in boxes
    ]
    if not all(isinstance(answer, HoldsOnBox) for answer in answers):
        return None
    low, high = (
        decide_on_box(lambda f, *, e, g=g: limit - g(f, e), {"e": (point, point)}, strict=True)
        for g, point in (
            (lambda f, e: 1 - f.exp(-e * (f.log(3 / e) + 3) / (3 - e)), "1/20"),
            (lambda f, e: f.exp(-e / 2), "3/2"),
        )
    )
    if not (isinstance(low, HoldsOnBox) and isinstance(high, HoldsOnBox)):
        return None
    return Proved(
        "ε_1 = 3, x_i = x_1^0, Laplace noise: p_i < p_i(1) for every ε_i < 3/4 and ε_i > 5/4",
        "p_i^1 is at most the mass of (1/2, hi), hi = (log(3/ε_i) + 3)/(3 − ε_i): balls on "
        "[1/20, 3/4] and [5/4, 3/2]; below 1/20 at most (1 − e^(−ε_i hi))/2, which grows with "
        "ε_i; above 3/2 at most e^(−ε_i/2)/2",
    )


CALIBRATIONS = {"1e-10": Fraction(6819, 1000), "1e-5": Fraction(4845, 1000)}
"""c with σ = c/ε of the classical calibration, σ² >= 2 ln(1.25/δ)/ε², by δ."""


def _gaussian_near_one() -> Statement:
    """No ε_i outside [3/4, 5/4] has a larger p_i than all inside."""

    def holds(at: Instance) -> Outcome:
        c: Any = at["c"]
        e = Fraction(27, 10)
        zero, one = gaussian_noise(0, c / FIXED), gaussian_noise(1, c / FIXED)
        there = least_of(other_probabilities(zero, one, gaussian_noise(0, c / e)))
        near = [
            least_of(other_probabilities(zero, one, gaussian_noise(0, c / x)))
            for x in (Fraction(3, 4), Fraction(1), Fraction(5, 4))
        ]
        shown = ", ".join(decimal(p, digits=4) for p in near)
        above = all(is_below(p, there) is Truth.TRUE for p in near)
        return Outcome(
            Truth.FALSE if above else Truth.UNKNOWN,
            f"p_i = {decimal(there, digits=4)} at ε_i = 2.7; {shown} at 3/4, 1, 5/4",
            lambda: _gaussian_certificate(c, e, Fraction(str(at["delta"]))),
        )

    return Statement(
        instances=lambda effort: (
            Instance.of(delta=delta, c=c) for delta, c in CALIBRATIONS.items()
        ),
        holds=holds,
    )


def _gaussian_certificate(c: Fraction, e: Fraction, delta: Fraction) -> Certificate:
    """On [3/4, 5/4] p_i <= p_i^0 <= Φ(ε_i/(2c)) − Φ(−√(2 log r/(r² − 1))), r = 3/ε_i.

    Both terms grow with ε_i: the bound at 5/4 is one for all.
    """
    first, second = gaussian_other_terms(FIXED / c, FIXED / e)
    top = Fraction(5, 4)
    r = FIXED / top
    bound = normal_cdf(term(top / (2 * c))) - normal_cdf(
        -function("sqrt", 2 * function("log", r) / (r**2 - 1))
    )
    private = [
        relation("<=", gaussian_delta(x / c, x), delta) for x in (Fraction(1), top, e, FIXED)
    ]
    return Certificate(
        hypotheses=[
            relation(">=", c**2, 2 * function("log", Fraction(5, 4) / delta)),
            *private,
        ],
        conclusion=[relation(">", function("min", first, second), bound)],
    )


# --- the worst x_i -------------------------------------------------------------------------

MAKE: Mapping[Shape, Callable[[Any, Any], Noise]] = {
    Shape.LAPLACE: laplace_noise,
    Shape.GAUSSIAN: gaussian_noise,
}


def _inputs(effort: Effort) -> Iterator[Instance]:
    ratios = [Fraction(i, 100) for i in (101, 110, 150, 200, 400, 2000)]
    scales = [Fraction(1, 8), Fraction(1, 2), Fraction(1), Fraction(4), Fraction(12)]
    places = [Fraction(i, 8) for i in range(1, 5)]
    for shape, scale, ratio, x in product(Shape, scales, ratios, places):
        yield Instance.of(shape=shape, scale_1=scale, ratio=ratio, x_i=x)


def _any_input() -> st.SearchStrategy[Instance]:
    return st.builds(
        lambda shape, scale, more, x: Instance.of(
            shape=shape, scale_1=scale, ratio=1 + more, x_i=x
        ),
        st.sampled_from(Shape),
        st.fractions("1/16", 40, max_denominator=50),
        st.fractions("1/1000", 20, max_denominator=1000),
        st.fractions(0, 1, max_denominator=64),
    )


def _worst_at_ends(*, at_middle: bool = False) -> Statement:
    """p_i at x_i is not below p_i at x_1^0 (by symmetry the same at x_1^1)."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        make, scale = MAKE[v["shape"]], v["scale_1"]
        zero, one = make(0, scale), make(1, scale)

        def least(x: Fraction) -> Real:
            return least_of(other_probabilities(zero, one, make(x, scale * v["ratio"])))

        worst, here = least(Fraction(1, 2) if at_middle else Fraction(0)), least(v["x_i"])
        if v["x_i"] in (0, 1) and not at_middle:
            return Outcome(Truth.TRUE, "an end")
        found = f"p_i = {decimal(here, digits=6)}, claimed least {decimal(worst, digits=6)}"
        return Outcome(_not(is_below(here, worst, max_bits=512)), found)

    return Statement(
        instances=_inputs,
        holds=holds,
        strategy=None if at_middle else _any_input,
        false_variant=None if at_middle else _worst_at_ends(at_middle=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "liu2024/figure-3/b": {
        "a": _same_parameter(),
        "b": _highest_near(Fraction(1)),
        "c": _gaussian_near_one(),
    },
    "liu2024/section-3.2.2/endpoints": {"a": _worst_at_ends()},
}
