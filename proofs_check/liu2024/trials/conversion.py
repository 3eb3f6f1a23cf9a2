"""Equation (5), t_ε and l(t): is Theorem 2 the conversion of Theorem 1?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from exactdp.certificates import Certificate, Term, ref, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.curves import (
    SlopeWeights,
    Sums,
    breakpoints,
    clone_count_weights,
    exact_slope_ratio,
    exact_sums,
    exact_t_epsilon,
)
from proofs_check.liu2024.trials.protocols import (
    condition_relations,
    delta_term,
    sums_terms,
    trade_off_term,
    weights_terms,
)

__all__ = ["TRIALS"]

FACTORS = [Fraction(x) for x in ("2", "3/2", "5/4", "5/2")]


def _parameters(effort: Effort) -> Iterator[Instance]:
    """Yield w = p_1 and the p_i of binary randomized response with ε_i < ε_1."""
    for n in (2, 3, 4):
        for first in (3, 5, 9):
            for g in FACTORS:
                yield Instance.of(
                    w=Fraction(1, first + 1), others=(Fraction(1, 3),) * (n - 1), exp_epsilon=g
                )


def _weights(at: Instance) -> list[Exact]:
    others: Any = at["others"]
    return clone_count_weights([Exact(p) for p in others])


def _t_epsilon(at: Instance) -> Fraction | None:
    v: Mapping[str, Any] = at.mapping()
    return exact_t_epsilon(
        _weights(at),
        exp_epsilon=Exact(v["exp_epsilon"]),
        w=Exact(v["w"]),
        delta_1=Exact(0),
        slope_weights=SlopeWeights.CONSTANT,
    )


def _delta_at(at: Instance, t: Fraction) -> Exact:
    """Return (5) at any t, sums from i = 1."""
    v: Mapping[str, Any] = at.mapping()
    sums, w = exact_sums(_weights(at), t=t, first=1), Exact(v["w"])
    value: Exact = (2 * w - v["exp_epsilon"]) * sums.alpha + (1 - 2 * w) * sums.plus
    return value


def _groups(others: Sequence[Fraction]) -> list[tuple[Term, int]]:
    return [(term(p), others.count(p)) for p in sorted(set(others))]


def _base(at: Instance, t: Fraction) -> dict[str, Any]:
    """The definitions w and (5) at t_ε, and why t is t_ε."""
    v: Mapping[str, Any] = at.mapping()
    n, g = len(v["others"]) + 1, v["exp_epsilon"]
    weights = weights_terms(_groups(v["others"]))
    alpha, plus = sums_terms(weights, t, first=1)
    before = [s for s in breakpoints(n) if s < t]
    return {
        "define": [
            ("w", term(v["w"])),
            ("delta_s", delta_term(alpha, plus, ref("w"), g)),
        ],
        "hypotheses": condition_relations(n, ref("w"), g, t, before),
    }


# --- (5) -----------------------------------------------------------------------------------


def _conversion(*, complement: bool = False) -> Statement:
    """(5) is the largest value of 1 − f_s(α) − e^ε α, with f_s as printed or with 1 − F_i."""
    formula = bounds.trade_off_of_complement if complement else bounds.trade_off

    def term_at(at: Instance, t: Fraction) -> Exact:
        v: Mapping[str, Any] = at.mapping()
        sums: Sums = exact_sums(_weights(at), t=t)
        f = formula(None, alpha=sums.alpha, plus=sums.plus, w=Exact(v["w"]), delta_1=0)
        value: Exact = 1 - v["exp_epsilon"] * sums.alpha - f
        return value

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        t = _t_epsilon(at)
        if t is None:
            return Outcome(Truth.TRUE, "no t meets the condition")
        best = max(breakpoints(len(v["others"]) + 1), key=lambda s: term_at(at, s))
        value, largest = _delta_at(at, t), term_at(at, best)
        return Outcome(
            Truth.of(value >= largest),
            f"(5) is {value} at t_ε = {t}, 1 − f_s(α) − e^ε α is {largest} at t = {best}",
            lambda: certificate(at, t, best),
        )

    def certificate(at: Instance, t: Fraction, best: Fraction) -> Certificate:
        v: Mapping[str, Any] = at.mapping()
        base = _base(at, t)
        alpha, plus = sums_terms(weights_terms(_groups(v["others"])), best, first=0)
        f = trade_off_term(ref("alpha"), ref("plus"), ref("w"), Fraction(0), complement=complement)
        return Certificate(
            define=[*base["define"], ("alpha", alpha), ("plus", plus)],
            hypotheses=base["hypotheses"],
            conclusion=[relation(">", 1 - f - v["exp_epsilon"] * ref("alpha"), ref("delta_s"))],
        )

    return Statement(instances=_parameters, holds=holds)


def _attained() -> Statement:
    """(5) is nowhere larger than at t_ε."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        t = _t_epsilon(at)
        if t is None:
            return Outcome(Truth.TRUE, "no t meets the condition")
        best = max(breakpoints(len(v["others"]) + 1), key=lambda s: _delta_at(at, s))
        value, largest = _delta_at(at, t), _delta_at(at, best)
        return Outcome(
            Truth.of(value >= largest),
            f"(5) is {value} at t_ε = {t} and {largest} at t = {best}",
            lambda: certificate(at, t, best),
        )

    def certificate(at: Instance, t: Fraction, best: Fraction) -> Certificate:
        v: Mapping[str, Any] = at.mapping()
        base = _base(at, t)
        alpha, plus = sums_terms(weights_terms(_groups(v["others"])), best, first=1)
        value = delta_term(alpha, plus, ref("w"), v["exp_epsilon"])
        return Certificate(
            define=base["define"],
            hypotheses=base["hypotheses"],
            conclusion=[relation(">", value, ref("delta_s"))],
        )

    return Statement(instances=_parameters, holds=holds)


# --- l(t) ----------------------------------------------------------------------------------


def _slope() -> Statement:
    """Where α(t) jumps, l(t) is the slope of Σ_i w_i (1 − F_i) there, over that of α."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3, 4):
            for p in (Fraction(1, 3), Fraction(1, 4)):
                for t in breakpoints(n)[1:]:
                    yield Instance.of(others=(p,) * (n - 1), t=t)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        t, weights = v["t"], _weights(at)
        before = _before(len(weights), t)
        (a, u), (b, x) = (
            (sums.alpha, sums.plus) for sums in (exact_sums(weights, t=s) for s in (before, t))
        )
        ratio = exact_slope_ratio(weights, t=t, slope_weights=SlopeWeights.CONSTANT)
        slope = -(x - u) / (b - a)
        return Outcome(
            Truth.of(ratio == slope),
            f"l = {ratio}, the slope is {slope}",
            lambda: _slope_certificate(at, t, before),
        )

    return Statement(instances=instances, holds=holds)


def _before(n: int, t: Fraction) -> Fraction:
    """Return a t' below t with no step between."""
    return (max(s for s in breakpoints(n) if s < t) + t) / 2


def _slope_certificate(at: Instance, t: Fraction, before: Fraction) -> Certificate:
    v: Mapping[str, Any] = at.mapping()
    weights = weights_terms(_groups(v["others"]))
    (a, u), (b, x) = (sums_terms(weights, s, first=0) for s in (before, t))
    upper, lower = term(0), term(0)
    for i in range(1, len(weights)):
        k = (i + 1 - Fraction(i + 1) / (t + 1)).__floor__()
        upper += Term(["binomial", i, k]) / 2**i
        lower += Term(["binomial", i, k - 1]) / 2**i
    return Certificate(
        define=[("l", -(upper / lower)), ("slope", -((x - u) / (b - a)))],
        conclusion=[relation("!=", ref("l"), ref("slope"))],
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "liu2024/equation-5": {"a": _conversion(), "b": _conversion(complement=True)},
    "liu2024/theorem-2/t_epsilon": {"": _attained()},
    "liu2024/theorem-2/l": {"": _slope()},
}
