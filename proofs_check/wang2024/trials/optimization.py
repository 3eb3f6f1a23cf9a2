"""Section 5.2, parameters: the objective and the constraint (7); then ``thresholds``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import sympy

from exactdp.certificates import Certificate, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.distributions import FinitePmf
from exactdp.truth import Truth
from proofs_check.wang2024.parameters import objective
from proofs_check.wang2024.protocol import LevelAggregation, Parameters
from proofs_check.wang2024.trials import thresholds
from proofs_check.wang2024.trials.surveys import count_view, square_in
from proofs_check.wang2024.trials.thresholds import pair_divergence
from proofs_check.wang2024.utility import (
    Segment,
    Survey,
    frequencies,
    mean_squared_error,
    signal,
)

__all__ = ["TRIALS"]


# --- the objective ---------------------------------------------------------------------------


def _bound_decreases(*, noisy: bool = False, alone: bool = False) -> Statement:
    """(n m + s Σ n̂_k λ_k)/(Σ n̂_k λ_k)² falls if λ_1 grows to ``to``, n̂_k > 0 or noisy.

    The noisy n̂_k are those that randomized response on the levels gives with truth 3/4.
    ``alone`` takes the factor s Σ n̂_k λ_k of the numerator squared.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        steps = [("0", "1"), ("1/2", "1"), ("1/4", "1/3")]
        for n, s, m in product((2, 3, 4), (1, 2), ("1", "1/2", "4")):
            for c in range(n + 1):
                counts = (Fraction(n - c), Fraction(c))
                if noisy:
                    counts_ = LevelAggregation(2, Fraction(3, 4)).estimates([0] * (n - c) + [1] * c)
                    counts = (counts_[0], counts_[1])
                elif min(counts) <= 0:
                    continue
                for (start, to), other in product(steps, ("1", "1/3")):
                    values = map(Fraction, (start, to, other))
                    names = ("rate_1", "to", "rate_2")
                    yield Instance.of(
                        n=n, s=s, m=Fraction(m), count_1=counts[0], count_2=counts[1],
                        **dict(zip(names, values, strict=True)),
                    )  # fmt: skip

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        counts = (v["count_1"], v["count_2"])
        ends = [(v[rate], v["rate_2"]) for rate in ("rate_1", "to")]
        totals = [sum(a * b for a, b in zip(counts, rates, strict=True)) for rates in ends]
        if 0 in totals:
            return Outcome(Truth.TRUE, "Σ n̂_k λ_k = 0: no objective there")
        first, last = (
            objective(n=v["n"], s=v["s"], m=v["m"], rates=rates, counts=counts) for rates in ends
        )
        if alone:
            first, last = (t**2 * v["s"] / (v["n"] * v["m"]) for t in totals)

        def certificate() -> Certificate:
            values = [
                (v["n"] * term(v["m"]) + v["s"] * x) / x**2
                for x in (counts[0] * term(r[0]) + counts[1] * term(r[1]) for r in ends)
            ]
            return Certificate(conclusion=[relation(">", values[1], values[0])])

        # Against noisy counts only a growing objective is held.
        falls = last <= first if noisy else last < first
        return Outcome(Truth.of(falls), f"from {first} to {last}", certificate)

    def proof() -> Proved | None:
        n, m, s, total, h = sympy.symbols("n m s total h", positive=True)

        def value(x: Any) -> Any:
            return (n * m + s * x) / x**2

        top, bottom = sympy.fraction(sympy.together(value(total) - value(total + h)))
        terms = [*sympy.Poly(top, n, m, s, total, h).coeffs()]
        if not all(c > 0 for c in terms) or not bottom.is_positive:
            return None
        return Proved(
            "all n, s >= 1, m >= 0, n̂_k > 0 and λ_k, Σ n̂_k λ_k > 0",
            "a larger λ_k is a larger Σ n̂_k λ_k, and value(x) - value(x + h) is a quotient of "
            "polynomials with positive coefficients",
        )

    plain = not noisy and not alone
    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if plain else None,
        false_variant=_bound_decreases(alone=True) if plain else None,
    )


def _error_decreases() -> Statement:
    """The mean squared error itself falls if λ_1 grows: two users, one a level."""

    def instances(effort: Effort) -> Iterator[Instance]:
        laws = [{(0,): "1"}, {(0,): "1/2", (1,): "1/2"}]
        steps = [("0", "1"), ("0", "1/2"), ("0", "1/20"), ("1/4", "1/2")]
        for m, law, (start, to) in product(("1", "1/2", "1/4"), laws, steps):
            yield Instance.of(
                m=Fraction(m), law=FinitePmf(law), rate_1=Fraction(start), to=Fraction(to),
                rate_2=Fraction(1),
            )  # fmt: skip

    def survey_of(v: Mapping[str, Any], rate: Fraction) -> Survey:
        parts = (Segment(1, 0, v["law"]), Segment(1, 1, v["law"]))
        return Survey(parts, 2, Parameters(v["m"], (rate, v["rate_2"])))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        both = [survey_of(v, v[name]) for name in ("rate_1", "to")]
        first, last = (mean_squared_error(survey) for survey in both)

        def certificate() -> Certificate:
            define, errors = [], []
            for name, survey in zip(("start", "end"), both, strict=True):
                error, total = term(0), signal(survey)
                for j, w in enumerate(frequencies(survey)):
                    view, coins = count_view(survey, j)
                    define.append((f"{name}_{j}", view))
                    blanket = survey.users * survey.parameters.m / survey.d
                    values = [(term(c) - blanket) / total for c in range(coins + 1)]
                    error = error + square_in(f"{name}_{j}", coins, values, w)
                errors.append(error)
            return Certificate(define=define, conclusion=[relation(">", errors[1], errors[0])])

        return Outcome(
            Truth.of(last < first),
            f"from {first} to {last}: the user of rate 1 is diluted",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


# --- the constraint (7) ----------------------------------------------------------------------


_RATES = tuple(Fraction(i, 8) for i in range(9))


def _sizes(effort: Effort) -> Iterator[Instance]:
    """n, d, m and e^(E_k/s)."""
    users = (1, 2, 3) if effort is Effort.DEFAULT else (1, 2, 3, 5, 8)
    for n, d, m, e in product(
        users, (2, 3, 5), ("1/2", "1", "3/2", "2"), ("11/10", "3/2", "2", "8")
    ):
        yield Instance.of(n=n, d=d, m=Fraction(m), exp_epsilon=Fraction(e))


def _divergence_grows(*, linear: bool = False) -> Statement:
    """D grows on a grid of [0, 1]; with ``linear`` it would even be λ times its end."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        values = [
            pair_divergence(v, m=v["m"], rate=rate, exp_epsilon=v["exp_epsilon"]) for rate in _RATES
        ]
        grows = all(a < b for a, b in pairwise(values))
        if linear:
            grows = all(x == rate * values[-1] for x, rate in zip(values, _RATES, strict=True))
        return Outcome(Truth.of(grows), f"from {values[0]} to {values[-1]}")

    return Statement(
        instances=_sizes,
        holds=holds,
        proof=None if linear else _growth_proof,
        false_variant=None if linear else _divergence_grows(linear=True),
    )


def _growth_proof() -> Proved | None:
    # One outcome: the victim's letter sent (rate) or not; u, v, z the blanket's masses.
    rate, u, v, z, e, a, b, t = sympy.symbols("rate u v z e a b t")
    gap = (rate * u + (1 - rate) * z) - e * (rate * v + (1 - rate) * z)
    at_zero = gap.subs(rate, 0) - (1 - e) * z
    convex = (
        t * gap.subs(rate, a) + (1 - t) * gap.subs(rate, b) - gap.subs(rate, t * a + (1 - t) * b)
    )
    if sympy.expand(at_zero) != 0 or sympy.expand(convex) != 0:
        return None
    return Proved(
        "all n, d >= 2, m > 0 and E_k >= 0",
        "the law of C does not depend on λ (2γ/d), so at each outcome P - e^ε Q is affine in λ and "
        "(1 - e^ε) z <= 0 at λ = 0: its positive part is convex and 0 at 0, and so is the sum; at "
        "(n', 0) it is λ(γ/d)^(n'-1) > 0, and a convex function that is 0 at 0 and positive after "
        "it grows; at λ = 0, where q = 0, the law of C is taken by its limit",
    )


def _bisection(*, halvings: int = 0) -> Statement:
    """t steps of bisection find the largest admissible λ to 2^-t (2^-(t + halvings))."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _sizes(effort):
            for bound in ("1/3", "1/20"):
                yield Instance.of(**at.mapping(), bound=Fraction(bound))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()

        def admits(rate: Fraction) -> bool:
            value = pair_divergence(v, m=v["m"], rate=rate, exp_epsilon=v["exp_epsilon"])
            return bool(value <= v["bound"])

        lower, upper = Fraction(0), Fraction(1)
        for steps in range(1, 7):
            middle = (lower + upper) / 2
            lower, upper = (middle, upper) if admits(middle) else (lower, middle)
            beyond = lower + Fraction(1, 2 ** (steps + halvings))
            # The maximum lies in [lower, beyond]: beyond it, nothing is admissible.
            if not admits(lower) or (beyond < 1 and admits(beyond + Fraction(1, 2**20))):
                return Outcome(Truth.FALSE, f"after {steps} steps at {lower}, more is admissible")
        return Outcome(Truth.TRUE, f"the maximum is {lower} to 1/64")

    def proof() -> Proved | None:
        growth = _growth_proof()
        return growth and Proved(
            "all settings with m > 0, E_k >= 0, exact divergences",
            "D is 0 at 0, grows and is continuous (a finite sum of positive parts of affine "
            "functions), so the admissible λ are an interval [0, λ*]; bisection keeps λ* in an "
            "interval of length 2^-t whose lower end is admissible",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if not halvings else None,
        false_variant=_bisection(halvings=2) if not halvings else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/section-5.2/objective-decreases": {
        "a": _bound_decreases(),
        "b": _bound_decreases(noisy=True),
        "c": _error_decreases(),
    },
    "wang2024/section-5.2/divergence-grows": {"": _divergence_grows()},
    "wang2024/section-5.2/binary-search": {"": _bisection()},
    **thresholds.TRIALS,
}
