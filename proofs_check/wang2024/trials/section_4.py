"""Section 4: what is unbiased (4.3); Lemma 2, and when nothing is lost by it (4.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import ceil, comb
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import (
    Cases,
    Falls,
    Outcome,
    Relation,
    Said,
    Term,
    cases,
    equal,
    finite_pair,
    for_all,
    lemma,
    mass,
    named,
    proof,
    sum_over,
    total,
)
from exactdp.distributions import FinitePmf
from proofs_check.lemmas.trials.divergences import POST_PROCESSING
from proofs_check.wang2024.protocol import LevelAggregation, Parameters
from proofs_check.wang2024.trials.surveys import (
    ALL_MESSAGES,
    ALL_SURVEYS,
    LINEAR,
    MEAN_OF_COINS,
    UNBIASED,
)
from proofs_check.wang2024.trials.views import (
    HALF,
    ONE,
    Items,
    Trials,
    binomial,
    dominated,
    item_sets,
    messages,
    same_for_all,
    some_above,
    victims,
)
from proofs_check.wang2024.utility import Survey, estimate_mean, expected

__all__ = [
    "LEMMA_2",
    "NOISY",
    "TRIALS",
    "UNBIASED_ESTIMATE",
    "Counts",
    "dot",
    "has_estimate",
    "mean_of_coins",
    "mean_over",
    "noisy_survey",
    "observed",
]

TRIALS: Trials = {}

Counts = tuple[Fraction, ...]
Sets = tuple[Items, Items]
Others = Sequence[tuple[Items, Fraction]]


# --- Section 4.3, unbiased -----------------------------------------------------------------------


def unbiased(survey: Survey, j: int, over: int = 0) -> Relation:
    """E[Ŵ_j] = w_j; or what it is if n⌈m⌉/d is taken away in place of n m/d."""
    parameters = survey.parameters
    more = (parameters.slots - parameters.m) * survey.users / survey.d / survey.signal
    return equal(estimate_mean(survey, j) - over * more, survey.frequencies[j])


def observed(n: int, truth: Fraction) -> dict[Counts, Fraction]:
    """Return the law of (n̂_1, n̂_2) where all n users have the first of two levels."""
    aggregation = LevelAggregation(2, truth)
    law: dict[Counts, Fraction] = {}
    for lies in range(n + 1):
        chance = comb(n, lies) * truth ** (n - lies) * aggregation.lie**lies
        if chance:
            law[aggregation.estimates([0] * (n - lies) + [1] * lies)] = chance
    return law


def mean_over(law: dict[Counts, Fraction], value: Callable[[Counts], Any]) -> Term:
    """Return the mean over the (n̂_1, n̂_2)."""
    levels = named("levels", finite_pair(list(law.values()), list(law.values())))
    return total([mass(levels, "p", i) * value(counts) for i, counts in enumerate(law)])


def dot(counts: Counts, rates: Counts) -> Fraction:
    """Return Σ_k n̂_k λ_k."""
    return sum((a * b for a, b in zip(counts, rates, strict=True)), Fraction(0))


def has_estimate(n: int, rate_1: Fraction, rate_2: Fraction, truth: Fraction) -> bool:
    """Σ n̂_k λ_k is not 0, whatever is observed."""
    return all(dot(counts, (rate_1, rate_2)) != 0 for counts in observed(n, truth))


NOISY = cases(
    n=(1, 2, 3),
    d=(2,),
    m=(ONE, Fraction(3, 2)),
    _rates=((HALF, ONE), (ONE, Fraction(1, 3)), (ONE, ONE)),
    rate_1=lambda _rates: [_rates[0]],
    rate_2=lambda _rates: [_rates[1]],
    truth=(Fraction(3, 4), Fraction(2, 3), ONE),
)


def noisy_survey(n: int, d: int, m: Fraction, rate_1: Fraction, rate_2: Fraction) -> Survey:
    """Return n users of the first of two levels, each with either of two items."""
    halves: dict[Items, str] = {(0,): "1/2", (1,): "1/2"}
    return Survey((n, 0), d, Parameters(m, (rate_1, rate_2)), FinitePmf(halves))


def unbiased_if_noisy(
    n: int, d: int, m: Fraction, rate_1: Fraction, rate_2: Fraction, truth: Fraction
) -> Said:
    """E[Ŵ_j] = w_j with randomized response on the levels, independent of the messages."""
    survey, law = noisy_survey(n, d, m, rate_1, rate_2), observed(n, truth)
    numerator = expected(survey, 0, lambda c: c - survey.blanket)
    inverse = mean_over(law, lambda counts: 1 / dot(counts, (rate_1, rate_2)))
    return equal(numerator * inverse, survey.frequencies[0]).given(
        [equal(mean_over(law, lambda counts, k=k: counts[k]), survey.counts[k]) for k in (0, 1)]  # type: ignore[misc]
    )


# Also the first reading of Section 5's sentence.
UNBIASED_ESTIMATE = for_all(
    cases(survey=ALL_MESSAGES, j=lambda survey: range(survey.d)),
    unbiased,
    wrong=partial(unbiased, over=1),
    proof=proof(ALL_SURVEYS, LINEAR, UNBIASED),
)

TRIALS["wang2024/section-4.3/unbiased"] = {
    "a": UNBIASED_ESTIMATE,
    "b": for_all(NOISY.where(has_estimate), unbiased_if_noisy, falls=Falls.STEP),
}


def messages_sent(m: Fraction, claimed: Callable[[Fraction], Any] = Fraction) -> Relation:
    """R_blanket(m) sends m messages in expectation: ⌈m⌉ coins of probability m/⌈m⌉."""
    slots = ceil(m)
    chance = m / slots if slots else Fraction(0)
    return equal(mean_of_coins(slots, chance), claimed(m))


def mean_of_coins(tosses: int, chance: Fraction) -> Term:
    """Return the mean number of heads, by its law."""
    return sum_over("i", 0, tosses, lambda i: i * binomial(tosses, chance, i))


TRIALS["wang2024/section-4.3/expected-m"] = {
    "": for_all(
        cases(
            _denominator=range(1, 8),
            m=lambda _denominator: [Fraction(i, _denominator) for i in range(4 * _denominator + 1)],
        ),
        messages_sent,
        wrong=partial(messages_sent, claimed=ceil),
        proof=MEAN_OF_COINS,
    )
}


# --- Section 4.4 ---------------------------------------------------------------------------------


def sides(d: int, m: Fraction, sets: Sets, rate: Fraction, others: Others) -> tuple[Term, Term]:
    """Return the two sides of Lemma 2: with the others' messages, and without."""
    slots, gamma = (len(others) + 1) * ceil(m), m / ceil(m)
    whole = messages(sets, d=d, rate=rate, slots=slots, gamma=gamma, others=others)
    return whole, messages(sets, d=d, rate=rate, slots=slots, gamma=gamma)


def one_other(rates: Sequence[Fraction]) -> Cases:
    """One other user, with any set of s items."""
    return cases(
        _shape=((2, 1), (3, 1), (3, 2)),
        d=lambda _shape: [_shape[0]],
        m=(HALF, ONE, Fraction(3, 2)),
        sets=lambda _shape: victims(*_shape),
        _held=lambda _shape: item_sets(*_shape),
        _rate=rates,
        rate=(HALF, ONE),
        others=lambda _held, _rate: [((_held, _rate),)],
    ).deep(_shape=((2, 1), (3, 1), (3, 2), (4, 2)))


# --- Lemma 2 -------------------------------------------------------------------------------------


def lemma_2(d: int, m: Fraction, sets: Sets, rate: Fraction, others: Others) -> list[Relation]:
    """The left side is at most the right one, for all D."""
    return dominated(*sides(d, m, sets, rate, others))


def drawn_settings() -> st.SearchStrategy[dict[str, Any]]:
    """Draw one other user with one of three items."""
    rate = st.fractions(0, 1, max_denominator=6)
    return st.fixed_dictionaries(
        {
            "d": st.just(3),
            "m": st.sampled_from([HALF, ONE, Fraction(2, 3)]),
            "sets": st.sampled_from([*victims(3, 1), *victims(3, 2)]),
            "rate": rate,
            "others": st.tuples(st.tuples(st.sampled_from(item_sets(3, 1)), rate)),
        }
    )


LEMMA_2 = proof(
    "all randomizers R_k, all m, levels and data, all measures D",
    lemma(
        "lemmas/post-processing",
        POST_PROCESSING,
        "the channel adds the messages of R_(k_j)(x_j), j != i, which are independent of those of "
        "user i and of the blanket and have one law under X and X'",
    ),
)

TRIALS["wang2024/lemma-2"] = {
    "": for_all(
        one_other((HALF, Fraction(1, 5)))
        .then(
            cases(
                d=(3,),
                m=(ONE,),
                sets=[((0,), (1,))],
                rate=(HALF,),
                others=[(((0,), HALF), ((2,), ONE))],
            )
        )
        .drawn(drawn_settings),
        lemma_2,
        wrong=lambda d, m, sets, rate, others: dominated(*sides(d, m, sets, rate, others)[::-1]),
        proof=LEMMA_2,
    )
}


# --- tightness -----------------------------------------------------------------------------------


def tight(d: int, m: Fraction, sets: Sets, rate: Fraction, others: Others) -> list[Relation]:
    """Reading (a): nothing is lost with others at λ = 1, whatever they hold."""
    return same_for_all(*sides(d, m, sets, rate, others))


def some_item(d: int, m: Fraction, rate: Fraction, other_rate: Fraction) -> Outcome:
    """Reading (b): at every λ of the other user some item of it makes Lemma 2 an equality."""
    views = [sides(d, m, ((0,), (1,)), rate, [(held, other_rate)]) for held in item_sets(d, 1)]
    return some_above(views[0][1], [left for left, _ in views])


TRIALS["wang2024/section-4.4/tight"] = {
    "a": for_all(
        one_other((ONE,)),
        tight,
        wrong=for_all(one_other((HALF,)), tight),
        proof=proof(
            "all data of the others, those included that hold neither set's items; all measures D",
            lemma(
                "lemmas/post-processing",
                POST_PROCESSING,
                "with λ = 1 the others' messages are their items, the same under X and X': either "
                "side is a function of the other, which adds them or takes them away",
            ),
        ),
    ),
    "b": for_all(
        cases(d=(3, 4), m=(ONE, HALF), rate=(HALF,), other_rate=(HALF,)),
        some_item,
        falls=Falls.STEP,
    ),
}
