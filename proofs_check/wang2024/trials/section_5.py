"""Section 5, before 5.1: the weighted distribution, noisy counts, and the blanket's count."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

from exactdp.claims import (
    Falls,
    Outcome,
    Relation,
    Said,
    Term,
    at_most,
    below,
    cases,
    decided,
    equal,
    exact_value,
    for_all,
    hockey_stick,
    named,
    proof,
    term,
    total,
)
from exactdp.truth import Truth
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.trials.section_4 import (
    NOISY,
    UNBIASED_ESTIMATE,
    Counts,
    dot,
    has_estimate,
    mean_of_coins,
    mean_over,
    noisy_survey,
    observed,
)
from proofs_check.wang2024.trials.surveys import (
    LINEAR,
    MEAN_OF_COINS,
    SURVEYS,
    UNBIASED,
    by_users,
)
from proofs_check.wang2024.trials.views import HALF, ONE, Trials, binomial, constraint_pair
from proofs_check.wang2024.utility import Survey, expected

__all__ = ["TRIALS"]

TRIALS: Trials = {}


# --- the display of the weighted distribution ----------------------------------------------------


def display(
    survey: Survey,
    j: int,
    divisor: Fraction,
    weight: Callable[[Fraction], Fraction] = Fraction,
) -> Relation:
    """E[Σ_i ⟦T_j in x_i⟧ λ_{k_i} / divisor] = w_j, over which users hold item j.

    Args:
        survey: Users and parameters.
        j: The item.
        divisor: The denominator.
        weight: What stands in the numerator in place of λ.
    """
    rates, w = survey.parameters.rates, term(survey.frequencies[j])
    users = [rate for n, rate in zip(survey.counts, rates, strict=True) for _ in range(n)]
    mean = []
    for held in product((0, 1), repeat=len(users)):
        top = sum((h * weight(rate) for h, rate in zip(held, users, strict=True)), Fraction(0))
        chance = w ** sum(held) * (1 - w) ** (len(users) - sum(held))
        mean.append(chance * (top / divisor))
    return equal(total(mean), w)


WITH_ONE_MESSAGE = cases(survey=[s for s in SURVEYS if s.parameters.m == 1], j=(0,))

TRIALS["wang2024/section-5/expectation-display"] = {
    "a": for_all(
        WITH_ONE_MESSAGE,
        lambda survey, j: display(survey, j, by_users(survey)),
        falls=Falls.MISPRINT,
    ),
    "b": for_all(
        WITH_ONE_MESSAGE,
        lambda survey, j: display(survey, j, survey.signal),
        wrong=lambda survey, j: display(survey, j, survey.signal, weight=lambda rate: ONE),
        proof=proof(
            "all n, d, s, K and λ_k with Σ n_k λ_k > 0, data i.i.d., levels given", UNBIASED
        ),
    ),
}


def related_levels(n: int, w: Fraction, rate_0: Fraction, rate_1: Fraction) -> Relation:
    """Reading (b): user i holds item 0 with probability w and has then λ = rate_0, else rate_1.

    If c users hold item 0, E[C_0] - n m/d = rate_0 c, and the counts of both levels are exact.
    """
    parts = [
        binomial(n, w, c) * (rate_0 * c / (rate_0 * c + rate_1 * (n - c))) for c in range(n + 1)
    ]
    return equal(total(parts), w)


TRIALS["wang2024/section-5/weighted-unbiased"] = {
    "a": UNBIASED_ESTIMATE,
    "b": for_all(
        cases(
            n=(1, 2, 3),
            w=(HALF, Fraction(1, 3)),
            rate_0=(HALF, ONE),
            rate_1=(ONE, HALF, Fraction(1, 4)),
        ),
        related_levels,
        falls=Falls.STEP,
    ),
}


# --- noisy counts --------------------------------------------------------------------------------


def both_parts(
    n: int, d: int, m: Fraction, rate_1: Fraction, rate_2: Fraction, truth: Fraction
) -> list[Relation]:
    """Reading (a): E[Σ n̂_k λ_k] = Σ n_k λ_k and E[C_j - n m/d] = w_j Σ n_k λ_k, all λ_k given."""
    survey = noisy_survey(n, d, m, rate_1, rate_2)
    denominator = mean_over(observed(n, truth), lambda counts: dot(counts, (rate_1, rate_2)))
    return [
        equal(denominator, survey.signal),
        *(
            equal(expected(survey, j, lambda c: c - survey.blanket), w * survey.signal)
            for j, w in enumerate(survey.frequencies)
        ),
    ]


def inverse(n: int, rate_1: Fraction, rate_2: Fraction, truth: Fraction) -> Relation:
    """E[1/Σ n̂_k λ_k] = 1/Σ n_k λ_k."""
    mean = mean_over(observed(n, truth), lambda counts: 1 / dot(counts, (rate_1, rate_2)))
    return equal(mean, 1 / (n * rate_1))


def computed_parameters(
    n: int, d: int, truth: Fraction, delta: Fraction, exp_E_1: Fraction, exp_E_2: Fraction
) -> Outcome | Said:
    """Reading (b): line 6 computes m in {1, 2} and the λ_k from the n̂_k, s = 1.

    One user of the first of two levels: then the divergence of (7) is λ D(1), so that λ_k is
    the smaller of 1 and δ/(e^(E_k) D(1)); and the least objective chooses m.
    """
    options, asked = {}, []
    for m in (ONE, Fraction(2)):
        rates = []
        for k, e in enumerate((exp_E_1, exp_E_2)):
            whole = exact_value(hockey_stick(constraint_pair(n, d, m), e)).as_fraction()
            rates.append(min(ONE, delta / e / whole))
            pair = named(f"pair_{m}_{k}", constraint_pair(n, d, m, rates[k]))
            meets = equal if rates[k] < 1 else at_most
            asked.append(meets(hockey_stick(pair, e), delta / e))
        options[m] = tuple(rates)
    law = observed(n, truth)
    if any(dot(counts, rates) == 0 for counts in law for rates in options.values()):
        return decided(holds=True, found="Σ n̂_k λ_k can be 0: there is no objective")

    def error(counts: Counts, m: Fraction) -> Term:
        signal = term(dot(counts, options[m]))
        return term(bounds.error_line_3(None, n=n, m=m, s=1, signal=signal))

    chosen = {}
    for counts in law:
        one, two = (below(error(counts, m), error(counts, 3 - m)) for m in options)
        least = ONE if Said([one]).outcome().truth is Truth.TRUE else Fraction(2)
        chosen[counts], asked = least, [*asked, one if least == 1 else two]
    asked += [equal(mean_over(law, lambda c, k=k: c[k]), n * (1 - k)) for k in (0, 1)]  # type: ignore[misc]
    if Said(asked).outcome().truth is not Truth.TRUE:
        return decided(Truth.UNKNOWN, "the rates or the choice are not those of the formulas")
    estimated = mean_over(law, lambda counts: dot(counts, options[chosen[counts]]))
    return equal(estimated, mean_over(law, lambda counts: n * options[chosen[counts]][0])).given(
        asked
    )


TRIALS["wang2024/section-5/noisy-counts"] = {
    "a": for_all(
        NOISY,
        both_parts,
        wrong=for_all(NOISY.where(has_estimate), inverse),
        proof=proof("all n, K and i.i.d. data, E[n̂_k] = n_k, m and the λ_k given", LINEAR),
    ),
    "b": for_all(
        cases(
            n=(1,),
            d=(2,),
            truth=(ONE, Fraction(3, 4)),
            delta=(HALF, Fraction(9, 10)),
            exp_E_1=(Fraction(11, 10),),
            exp_E_2=(Fraction(9, 8), Fraction(3, 2), Fraction(2)),
        ),
        computed_parameters,
        falls=Falls.STEP,
    ),
}


# --- the blanket's count -------------------------------------------------------------------------


def blanket_count(
    n: int, d: int, m: Fraction, claimed: Callable[[Fraction], Any] = Fraction
) -> Relation:
    """The n users' blanket messages hold T_j n m/d times in expectation."""
    slots = ceil(m)
    chance = m / (d * slots) if slots else Fraction(0)
    return equal(mean_of_coins(n * slots, chance), Fraction(n, d) * claimed(m))


TRIALS["wang2024/section-5/blanket-count"] = {
    "": for_all(
        cases(
            n=(1, 2, 3), d=(1, 2, 3, 5), m=[Fraction(m) for m in ("0", "1/3", "1", "3/2", "7/3")]
        ),
        blanket_count,
        wrong=lambda n, d, m: blanket_count(n, d, m, claimed=ceil),
        proof=MEAN_OF_COINS,
    )
}
