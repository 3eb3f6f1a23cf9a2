"""Sections 4.3 and 5 with noisy level counts n̂_k: randomized response on two levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import sympy

from exactdp.certificates import (
    Certificate,
    Term,
    finite_pair,
    hockey_stick,
    mass,
    ref,
    relation,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.distributions import FinitePmf
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.wang2024.parameters import objective
from proofs_check.wang2024.protocol import LevelAggregation, Parameters
from proofs_check.wang2024.trials.surveys import count_view, mean_in
from proofs_check.wang2024.trials.thresholds import pair_divergence, pair_view
from proofs_check.wang2024.utility import (
    Segment,
    Survey,
    count_law,
    estimate_law,
    frequencies,
    mean_of,
    signal,
)

__all__ = ["NOISY_COUNTS", "noisy_estimate"]

Counts = tuple[Fraction, ...]


def _observed(n: int, aggregation: LevelAggregation) -> FinitePmf[Counts]:
    """Return the law of (n̂_1, n̂_2) where all n users have the first of two levels."""
    law: dict[Counts, Exact] = {}
    for sent in product(range(2), repeat=n):
        chance = prod(aggregation.lie if k else aggregation.truth for k in sent)
        counts = aggregation.estimates(sent)
        law[counts] = law.get(counts, Exact(0)) + Exact(chance)
    return FinitePmf(law)


def _noisy_instances(effort: Effort) -> Iterator[Instance]:
    for n, truth, rates, m in product(
        (1, 2, 3), ("3/4", "2/3", "1"), (("1/2", "1"), ("1", "1/3"), ("1", "1")), ("1", "3/2")
    ):
        yield Instance.of(
            n=n,
            d=2,
            m=Fraction(m),
            rate_1=Fraction(rates[0]),
            rate_2=Fraction(rates[1]),
            truth=Fraction(truth),
        )


def _noisy_survey(v: Mapping[str, Any]) -> tuple[Survey, FinitePmf[Counts]]:
    law: dict[tuple[int, ...], str] = {(0,): "1/2", (1,): "1/2"}
    data = FinitePmf(law)
    parameters = Parameters(v["m"], (v["rate_1"], v["rate_2"]))
    survey = Survey((Segment(v["n"], 0, data),), v["d"], parameters)
    return survey, _observed(v["n"], LevelAggregation(2, v["truth"]))


def noisy_estimate() -> Statement:
    """E[Ŵ_j] = w_j with randomized response on the levels, whose n̂_k are unbiased."""

    def holds(at: Instance) -> Outcome:
        survey, observed = _noisy_survey(at.mapping())
        rates = survey.parameters.rates
        if any(sum(a * b for a, b in zip(c, rates, strict=True)) == 0 for c in observed.masses):
            return Outcome(Truth.TRUE, "Σ n̂_k λ_k can be 0: there is no estimate to speak of")
        mean, w = mean_of(estimate_law(survey, 0, observed=observed)), frequencies(survey)[0]
        return Outcome(
            Truth.of(mean == w),
            f"E = {mean}, w_j = {w}: the n̂_k are unbiased, 1/Σ n̂_k λ_k is not",
            lambda: _noisy_certificate(survey, observed, w),
        )

    return Statement(instances=_noisy_instances, holds=holds)


def _noisy_certificate(survey: Survey, observed: FinitePmf[Counts], w: Exact) -> Certificate:
    """n̂_k is unbiased, and the mean of the quotient is not w_j; C_j and the n̂_k independent."""
    view, coins = count_view(survey, 0)
    outcomes, chances = list(observed.masses), list(observed.masses.values())
    rates, truth = survey.parameters.rates, survey.level_counts
    weights = [mass(ref("levels"), "p", i) for i in range(len(outcomes))]

    def mean(values: list[Fraction]) -> Any:
        return sum((w * x for w, x in zip(weights, values, strict=True)), term(0))

    blanket = survey.users * survey.parameters.m / survey.d
    numerator = mean_in("count", coins, [term(c - blanket) for c in range(coins + 1)])
    divisors = [sum((a * b for a, b in zip(o, rates, strict=True)), Fraction(0)) for o in outcomes]
    return Certificate(
        define=[("levels", finite_pair(chances, chances)), ("count", view)],
        hypotheses=[
            relation("=", mean([o[k] for o in outcomes]), truth[k]) for k in range(len(rates))
        ],
        conclusion=[relation("!=", numerator * mean([1 / x for x in divisors]), w)],
    )


def _noisy_parts(*, quotient: bool = False) -> Statement:
    """E[Σ n̂_k λ_k] = Σ n_k λ_k and E[C_j - n m/d] = w_j Σ n_k λ_k, the λ_k and m given."""

    def holds(at: Instance) -> Outcome:
        survey, observed = _noisy_survey(at.mapping())
        rates, total = survey.parameters.rates, signal(survey)
        totals = {
            counts: sum(a * b for a, b in zip(counts, rates, strict=True))
            for counts in observed.masses
        }
        if quotient:
            if 0 in totals.values():
                return Outcome(Truth.TRUE, "no estimate")
            mean = sum((p / totals[c] for c, p in observed.masses.items()), Exact(0))
            return Outcome(Truth.of(mean == 1 / total), f"E[1/denominator] = {mean}")
        denominator = sum((p * totals[c] for c, p in observed.masses.items()), Exact(0))
        blanket = survey.users * survey.parameters.m / survey.d
        numerators = [mean_of(count_law(survey, j)) - blanket for j in range(survey.d)]
        expected = [w * total for w in frequencies(survey)]
        return Outcome(
            Truth.of(denominator == total and numerators == expected),
            f"denominator {denominator}, numerators {list(map(str, numerators))}",
        )

    def proof() -> Proved | None:
        n, m, d, slots, total, w = sympy.symbols("n m d slots total w", positive=True)
        if sympy.simplify(total * w + n * slots * (m / slots) / d - n * m / d - total * w) != 0:
            return None
        return Proved(
            "all n, K and i.i.d. data, E[n̂_k] = n_k, m and the λ_k given",
            "both are linear: E[Σ n̂_k λ_k] = Σ n_k λ_k, E[C_j] = w_j Σ n_k λ_k + n m/d",
        )

    return Statement(
        instances=_noisy_instances,
        holds=holds,
        proof=None if quotient else proof,
        false_variant=None if quotient else _noisy_parts(quotient=True),
    )


# --- m and the λ_k computed from the n̂_k -----------------------------------------------------


def _computed_parameters() -> Statement:
    """E[Σ n̂_k λ_k] = E[Σ n_k λ_k] where line 6 computes m in {1, 2} and the λ_k from the n̂_k.

    n = 1 user of the first of two levels, d = 2, s = 1: the divergence of (7) is λ D(1),
    so λ_k is the smaller of 1 and δ/(e^(E_k) D(1)).
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for truth, delta, e in product(("1", "3/4"), ("1/2", "9/10"), ("9/8", "3/2", "2")):
            yield Instance.of(
                n=1, d=2, truth=Fraction(truth), delta=Fraction(delta), exp_E_1=Fraction(11, 10),
                exp_E_2=Fraction(e),
            )  # fmt: skip

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        options = {m: _rates(v, m) for m in (Fraction(1), Fraction(2))}
        if None in options.values():
            return Outcome(Truth.UNKNOWN, "the largest rates are not those of the formula")
        observed = _observed(1, LevelAggregation(2, v["truth"]))
        chosen: dict[Counts, Fraction] = {}
        for counts in observed.masses:
            if any(_dot(counts, rates) == 0 for rates in options.values()):
                return Outcome(Truth.TRUE, "Σ n̂_k λ_k can be 0: there is no objective")
            chosen[counts] = min(options, key=lambda m: (_value(counts, m, options[m]), m))
        gap = sum(
            (p * (_dot(c, options[chosen[c]]) - options[chosen[c]][0])
             for c, p in observed.masses.items()),
            Exact(0),
        )  # fmt: skip
        return Outcome(
            Truth.of(gap == 0),
            f"E[Σ n̂_k λ_k] - E[Σ n_k λ_k] = {gap}: m is "
            + " and ".join(f"{m} at n̂ = ({', '.join(map(str, c))})" for c, m in chosen.items()),
            lambda: _computed_certificate(v, options, observed, chosen),
        )

    return Statement(instances=instances, holds=holds)


Rates = tuple[Fraction, ...]


def _dot(counts: Counts, rates: Rates) -> Fraction:
    return sum((a * b for a, b in zip(counts, rates, strict=True)), Fraction(0))


def _value(counts: Counts, m: Fraction, rates: Rates) -> Fraction:
    return objective(n=1, s=1, m=m, rates=rates, counts=counts)


def _rates(v: Mapping[str, Any], m: Fraction) -> Any:
    """Return the largest rates, or None if the divergence there is not the target."""
    rates = []
    for e in (v["exp_E_1"], v["exp_E_2"]):
        end = pair_divergence(v, m=m, rate=Fraction(1), exp_epsilon=e).as_fraction()
        rate, target = min(Fraction(1), v["delta"] / e / end), v["delta"] / e
        value = pair_divergence(v, m=m, rate=rate, exp_epsilon=e)
        if value != target and (rate < 1 or value > target):
            return None
        rates.append(rate)
    return tuple(rates)


def _computed_certificate(
    v: Mapping[str, Any],
    options: Mapping[Fraction, Rates],
    observed: FinitePmf[Counts],
    chosen: Mapping[Counts, Fraction],
) -> Certificate:
    """The rates meet (7) with equality or are 1, the chosen m has the least objective."""
    define: list[tuple[str, Term]] = []
    hypotheses = []
    for m, rates in options.items():
        for k, (rate, e) in enumerate(zip(rates, (v["exp_E_1"], v["exp_E_2"]), strict=True)):
            name = f"pair_{m}_{k}"
            define.append((name, pair_view(v, m=m, rate=rate)))
            sign = "=" if rate < 1 else "<="
            hypotheses.append(relation(sign, hockey_stick(ref(name), e), v["delta"] / e))
    outcomes, chances = list(observed.masses), list(observed.masses.values())
    define.append(("levels", finite_pair(chances, chances)))
    means = [term(0), term(0)]
    gap = term(0)
    for i, counts in enumerate(outcomes):
        for m in options.keys() - {chosen[counts]}:
            values = [
                (x + term(_dot(counts, options[x]))) / term(_dot(counts, options[x])) ** 2
                for x in (chosen[counts], m)
            ]
            hypotheses.append(relation("<", values[0], values[1]))
        rates, weight = options[chosen[counts]], mass(ref("levels"), "p", i)
        means = [mean + weight * x for mean, x in zip(means, counts, strict=True)]
        total = sum((x * term(rate) for x, rate in zip(counts, rates, strict=True)), term(0))
        gap = gap + weight * (total - rates[0])
    hypotheses += [relation("=", mean, x) for mean, x in zip(means, (1, 0), strict=True)]
    return Certificate(define=define, hypotheses=hypotheses, conclusion=[relation("!=", gap, 0)])


NOISY_COUNTS: dict[str, Statement | Open] = {"a": _noisy_parts(), "b": _computed_parameters()}
