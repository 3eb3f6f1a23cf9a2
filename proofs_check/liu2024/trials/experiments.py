"""Section 4 and 5: tables and figures. The draws of the budgets are not published.

What does not depend on the draws, or holds for all of them, is put on trial; else evenly
spaced budgets stand for a draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from exactdp.certificates import Certificate, Term, function, ref, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    decimal,
    enclosure,
    exp,
    is_below,
    normal_cdf,
    sqrt,
)
from exactdp.shuffle import stronger_clone_pair
from exactdp.truth import Truth
from proofs_check.liu2024.curves import CentralBound
from proofs_check.liu2024.noise import (
    Noise,
    Shape,
    gaussian_noise,
    laplace_noise,
    other_probabilities,
    victim_probability,
)
from proofs_check.liu2024.trials.figure_3 import MAKE, least_of
from proofs_check.liu2024.trials.noise_terms import (
    gaussian_delta,
    gaussian_other_terms,
    laplace_other_terms,
)
from proofs_check.liu2024.truth import best_threshold

__all__ = ["TRIALS"]

USERS = 10_000
DELTA = Fraction(1, 10**10)
CLASSICAL = Fraction(6819, 1000)
"""c of σ = c/ε, c² >= 2 ln(1.25/δ) for δ = 10^−10."""

EPSILONS = tuple(Fraction(x, 100) for x in (1, 3, 5, 8, 10))
ROWS = {
    "[12]": ("0.0083", "0.0029", "0.0008", "6e-5", "1e-5"),
    "[3]": ("0.0042", "0.0007", "5e-5", "3e-7", "3e-9"),
    "ours": ("0.0007", "2e-6", "3e-10", "1e-18", "1e-25"),
}
HALF_UNITS = {
    "[3]": ("0.00005", "0.00005", "0.5e-5", "0.5e-7", "0.5e-9"),
    "ours": ("0.00005", "0.5e-6", "0.5e-10", "0.5e-18", "0.5e-25"),
}
"""Half a unit of the last digit printed."""


def _cells(row: str) -> Iterator[Instance]:
    for epsilon, cell in zip(EPSILONS, ROWS[row], strict=True):
        yield Instance.of(epsilon=epsilon, cell=Fraction(cell))


def _half_unit(row: str, at: Instance) -> Fraction:
    epsilon: Any = at["epsilon"]
    return Fraction(HALF_UNITS[row][EPSILONS.index(epsilon)])


def _text(value: Enclosure | Fraction) -> str:
    number = value.upper if isinstance(value, Enclosure) else value
    return decimal(Exact(number), digits=3)


# --- Table 2, rows [12] and [3] ------------------------------------------------------------


def _clones(row: str) -> Statement:
    """The cells are not below the δ of the stronger clones' counts with ε_0 = 2 for all.

    For local δ_0 = 10^−10 this adds (e^ε + 1)(1 + e^(−ε_0)/2) n δ_0.
    """

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        factor = Exact.exp(v["epsilon"])
        pair = stronger_clone_pair(USERS, Epsilon.rational(2))
        counts = pair.delta_enclosure(exp_epsilon=factor)
        extra = (factor + 1) * (1 + Exact.exp(-2) / 2) * USERS * DELTA
        total = counts.upper + enclosure(extra).upper
        return Outcome(
            Truth.of(total <= v["cell"]),
            f"δ of the counts {_text(counts)}, with the term for δ_0 {_text(total)}",
            slack=v["cell"] / total,
        )

    return Statement(
        instances=lambda effort: _cells(row),
        holds=holds,
        false_variant=_clones("[3]") if row == "[12]" else None,
    )


def _gdp(mu: Number, epsilon: Fraction) -> Number:
    return normal_cdf(mu / 2 - epsilon / mu) - exp(Exact(epsilon)) * normal_cdf(
        -(mu / 2) - epsilon / mu
    )


def _gaussian_limit() -> Statement:
    """[3]: μ² = 2/(Σ_i (1 − δ_i)/(1 + e^(ε_i)) − max_i ...), the process being about μ-GDP.

    All ε_i >= 1/2, so μ² >= 2 (1 + e^(1/2))/n for every draw, and δ grows with μ.
    """

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        mu = sqrt(2 * (1 + Exact.exp("1/2")) / USERS)
        least = _gdp(mu, v["epsilon"])
        limit = Exact(v["cell"] + _half_unit("[3]", at))
        above = is_below(limit, least) is Truth.TRUE
        return Outcome(
            Truth.FALSE if above else Truth.UNKNOWN,
            f"at least {decimal(least, digits=3)} for every draw",
            lambda: _gaussian_limit_certificate(v["epsilon"], limit),
        )

    return Statement(instances=lambda effort: _cells("[3]"), holds=holds)


def _gaussian_limit_certificate(epsilon: Fraction, limit: Exact) -> Certificate:
    mu = ref("mu")
    value = function("normal_cdf", mu / 2 - epsilon / mu) - function("exp", epsilon) * function(
        "normal_cdf", -(mu / 2) - epsilon / mu
    )
    least = function("sqrt", 2 * (1 + function("exp", Fraction(1, 2))) / USERS)
    return Certificate(define=[("mu", least)], conclusion=[relation(">", value, limit)])


# --- Table 2, the paper's row --------------------------------------------------------------

FEWEST = 2200
"""So many clones there are, but for a probability that Hoeffding's inequality bounds."""


def _smallest_p() -> Number:
    """p_i for all 1/2 <= ε_i < ε_1 <= 2: with y = 1/(1 + r), r = σ_i/σ_1 <= 4, d = 1/σ_1 <= 1/3.

    By log r >= 2(r − 1)/(r + 1), U_0 reaches from −2y to 0 at least and U_1 from d·y at
    most to 2y at least, in units of σ_i; Φ(2y) − Φ(dy) grows with y and falls with d.
    δ is subtracted for T_δ as tails of mass δ.
    """
    return normal_cdf(Exact("2/5")) - normal_cdf(Exact("1/15")) - DELTA


def _values() -> Statement:
    """The cells are δ_s(ε), σ_i of the least or of the classical calibration, any draw.

    p_i at x_i = x_1^0, which the paper takes for the worst. δ_s falls with every p_i and
    with w; printed (5), at whatever t and without i = 0, is at most what is bounded here.
    """

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        w = normal_cdf(Exact("-1/6")) - DELTA
        fixed = CentralBound([("1/2", FEWEST)], w=w, delta_1=Exact(DELTA), bits=128)
        bound = fixed.best_delta(epsilon=v["epsilon"], first=0).upper + _rare().upper
        below = bound < v["cell"] - _half_unit("ours", at)
        return Outcome(
            Truth.FALSE if below else Truth.UNKNOWN,
            f"δ_s is at most {_text(bound)} for every draw without ties",
            lambda: _values_certificate(v["epsilon"], v["cell"] - _half_unit("ours", at)),
        )

    return Statement(instances=lambda effort: _cells("ours"), holds=holds)


@cache
def _rare() -> Enclosure:
    """Pr[C < FEWEST] <= e^(−2 (n − 1) (2p − FEWEST/(n − 1))²)."""
    gap = 2 * _smallest_p() - Exact(Fraction(FEWEST, USERS - 1))
    return enclosure(exp(-2 * (USERS - 1) * gap * gap))


def _values_certificate(epsilon: Fraction, cell: Fraction) -> Certificate:
    """The sum is over the outcomes given C = FEWEST.

    Least σ: above 3 for ε_1 <= 2, at most 12 for ε_i >= 1/2. Classical: σ_1² = 2 ln(1.25/δ)/4
    > 9 at ε_1 = 2, and σ_i/σ_1 = ε_1/ε_i <= 4.
    """
    w, p, factor, k = ref("w"), ref("p"), function("exp", epsilon), ref("k")
    a = (1 - term(DELTA)) * (1 - 2 * w)
    b = factor - 2 * w * (1 - DELTA) - DELTA
    body = Term(
        [
            "positive_part",
            (
                ref("a") * function("binomial", FEWEST, k)
                - ref("b") * function("binomial", FEWEST, k - 1)
            ).json,
        ]
    )
    gap = 2 * p - Fraction(FEWEST, USERS - 1)
    middle = Term(["sum", "k", 0, FEWEST + 1, body.json]) / term(2) ** FEWEST
    half = Fraction(1, 2)
    return Certificate(
        define=[
            ("w", function("normal_cdf", Fraction(-1, 6)) - DELTA),
            (
                "p",
                function("normal_cdf", Fraction(2, 5))
                - function("normal_cdf", Fraction(1, 15))
                - DELTA,
            ),
            ("a", a),
            ("b", b),
        ],
        hypotheses=[
            relation(">", gaussian_delta(Fraction(1, 3), Fraction(2)), DELTA),
            relation("<=", gaussian_delta(Fraction(1, 12), half), DELTA),
            relation(">", function("log", Fraction(5, 4) / DELTA) / 2, 9),
            relation(">", gap, 0),
        ],
        conclusion=[relation("<", middle + function("exp", -2 * (USERS - 1) * gap * gap), cell)],
    )


def _spaced(low: Fraction, high: Fraction, groups: int) -> list[Fraction]:
    """Return budgets at the middles of equal parts."""
    return [low + (high - low) * Fraction(2 * j + 1, 2 * groups) for j in range(groups)]


def _upper_bounds(*, finer: int = 1) -> Statement:
    """No lower bound on the true δ exceeds a cell: evenly spaced budgets, counts below t.

    All other inputs are x_1^0; σ of the classical calibration, divided by ``finer``.
    """
    groups = 50

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        scales = [CLASSICAL / e / finer for e in _spaced(Fraction(1, 2), Fraction(2), groups)]
        zero, one = gaussian_noise(0, scales[-1]), gaussian_noise(1, scales[-1])
        others: list[tuple[Noise, int]] = [
            (gaussian_noise(0, s), USERS // groups) for s in scales[:-1]
        ]
        others.append((gaussian_noise(0, scales[-1]), USERS // groups - 1))
        cuts = [Fraction(1, 2) + scales[-1] * Fraction(j, 2) for j in (0, 1, 2)]
        cut, found = best_threshold(
            zero, one, others, thresholds=cuts, exp_epsilon=Exact.exp(v["epsilon"])
        )
        text = f"true δ at least {_text(found.lower)} (messages below {_text(cut)})"
        return Outcome(Truth.of(found.lower <= v["cell"]), text)

    return Statement(
        instances=lambda effort: _cells("ours"),
        holds=holds,
        false_variant=_upper_bounds(finer=8) if finer == 1 else None,
    )


# --- Figure 4 ------------------------------------------------------------------------------

SETTINGS = {"Uniform1": (Fraction(1, 20), Fraction(1)), "Uniform2": (Fraction(1, 2), Fraction(2))}


@cache
def _bound(shape: Shape, setting: str, n: int) -> CentralBound:
    groups = 25
    budgets = _spaced(*SETTINGS[setting], groups)
    c = Fraction(1) if shape is Shape.LAPLACE else CLASSICAL
    make = MAKE[shape]
    zero, one = make(0, c / budgets[-1]), make(1, c / budgets[-1])
    others = [
        (least_of(other_probabilities(zero, one, make(0, c / e))), n // groups)
        for e in budgets[:-1]
    ]
    delta_1 = Exact(0) if shape is Shape.LAPLACE else Exact(DELTA)
    return CentralBound(others, w=victim_probability(zero, one), delta_1=delta_1, bits=128)


def _tighter(*, reverse: bool = False) -> Statement:
    """δ_s of (5), sums from i = 0 and best t, is smaller for Gaussian than for Laplace noise."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for setting in SETTINGS:
            for n in (1000, 4000) if effort is Effort.DEFAULT else (1000, 10_000, 40_000):
                for epsilon in (Fraction(1, 100), Fraction(1, 20)):
                    yield Instance.of(setting=setting, n=n, epsilon=epsilon)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        laplace, gaussian = (
            _bound(shape, v["setting"], v["n"]).best_delta(epsilon=v["epsilon"], first=0)
            for shape in Shape
        )
        small, large = (laplace, gaussian) if reverse else (gaussian, laplace)
        found = f"Gaussian {_text(gaussian)}, Laplace {_text(laplace)}"
        if small.upper < large.lower:
            return Outcome(Truth.TRUE, found)
        return Outcome(Truth.FALSE if small.lower > large.upper else Truth.UNKNOWN, found)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=None if reverse else _tighter(reverse=True),
    )


def _larger_p() -> Statement:
    """p_i is larger for Gaussian noise (classical σ, δ = 10^−10) than for Laplace noise."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for first in (Fraction(1), Fraction(2)):
            for part in (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)):
                yield Instance.of(epsilon_1=first, epsilon_i=part * first)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        first, other = v["epsilon_1"], v["epsilon_i"]
        found = []
        for make, c in ((laplace_noise, Fraction(1)), (gaussian_noise, CLASSICAL)):
            zero, one = make(0, c / first), make(1, c / first)
            found.append(least_of(other_probabilities(zero, one, make(0, c / other))))
        texts = [decimal(p, digits=5) for p in found]
        return Outcome(
            is_below(found[0], found[1]),
            f"p_i = {texts[0]} (Laplace), {texts[1]} (Gaussian)",
            lambda: _larger_p_certificate(first, other),
        )

    return Statement(instances=instances, holds=holds)


def _larger_p_certificate(first: Fraction, other: Fraction) -> Certificate:
    gaussian = gaussian_other_terms(first / CLASSICAL, first / other)
    laplace = laplace_other_terms(first, other)
    return Certificate(
        hypotheses=[
            relation(">=", CLASSICAL**2, 2 * function("log", Fraction(5, 4) / DELTA)),
            *(relation("<=", gaussian_delta(e / CLASSICAL, e), DELTA) for e in (first, other)),
        ],
        conclusion=[relation(">", function("min", *laplace), function("min", *gaussian))],
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "liu2024/table-1": {
        "": Open("a list of settings; no draw is published, and nothing follows from it alone")
    },
    "liu2024/figure-4/approximate-tighter": {"a": _tighter(), "b": _larger_p()},
    "liu2024/table-2/ref-12": {
        "a": Open(
            "[12] has several bounds, numerical ones among them; which one, with which steps "
            "and tolerance, and the draws are not stated"
        ),
        "b": _clones("[12]"),
    },
    "liu2024/table-2/ref-3": {
        "a": _gaussian_limit(),
        "b": Open("the draws and the randomizers are not stated; no lower bound reaches the cells"),
    },
    "liu2024/table-2/ours": {"a": _values(), "b": _upper_bounds()},
    "liu2024/section-5/55-times": {
        "": Open("the data of the figures, the baseline and n of the ratio are not published")
    },
}
