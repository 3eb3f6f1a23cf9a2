"""Small surveys to compute with, noisy counts of levels, and the theorems about both."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import above
from exactdp.claims.kinds import Objects, integers, objects, reals
from exactdp.claims.laws import finite_pair, mass
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, named, total
from exactdp.coq.values import coq_record
from exactdp.distributions import FinitePmf
from exactdp.testing import fractions
from exactdp.testing.later import st
from proofs_check.wang2024.protocol import LevelAggregation, Parameters, dot
from proofs_check.wang2024.trials.views import HALF, ONE
from proofs_check.wang2024.utility import Survey, expected, set_size

DATA: list[tuple[int, dict[tuple[int, ...], str]]] = [
    (2, {(0,): "1/2", (1,): "1/2"}),
    (2, {(0,): "1"}),
    (2, {(0,): "1/3", (1,): "2/3"}),
    (3, {(0,): "1/6", (1,): "1/3", (2,): "1/2"}),
    (2, {(0, 1): "1"}),
    (3, {(0, 1): "1/4", (1, 2): "3/4"}),
    (4, {(0, 1, 2): "1/2", (1, 2, 3): "1/2"}),
]

RATES = [("1/2",), ("1",), ("1/2", "1"), ("0", "1"), ("1/3", "1/5")]


def _surveys() -> Iterator[Survey]:
    for users, (d, data), rates, m in product(
        (1, 2, 3), DATA, RATES, ("1", "1/2", "3/2", "2", "0")
    ):
        if len(rates) <= users:
            counts = (users,) if len(rates) == 1 else (users - 1, 1)
            parameters = Parameters(Fraction(m), tuple(map(Fraction, rates)))
            survey = Survey(counts, d, parameters, FinitePmf(data))
            if survey.signal > 0:
                yield survey


ALL_MESSAGES = list(_surveys())
"""Surveys of one to three users, by size: i.i.d. data, one or two levels."""

SURVEYS = [survey for survey in ALL_MESSAGES if survey.parameters.m > 0]
"""Those with a blanket: ⌈m⌉ divides in some formulas."""


def _written(survey: Survey) -> str:
    """Return a survey as the record that it is in Coq."""
    return coq_record(
        "survey",
        ("list (nat * R)", tuple(zip(survey.counts, survey.parameters.rates, strict=True))),
        ("nat", survey.d),
        ("R", survey.parameters.m),
        ("nat", survey.parameters.slots),
        ("nat", set_size.compute(survey)),
        ("law (list nat)", survey.data),
    )


def any_survey(*m: str) -> Objects:
    """Return a survey, with one of these m where it is drawn."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Survey:
        levels = draw(st.lists(st.tuples(st.integers(0, 2), RATE), min_size=1, max_size=2))
        counts, rates = zip(*levels, strict=True)
        d, data = draw(st.sampled_from(DATA))
        parameters = Parameters(Fraction(draw(st.sampled_from(m))), rates)
        return Survey(counts if any(counts) else (1,) * len(counts), d, parameters, FinitePmf(data))

    return objects(
        "n_k users of each level with i.i.d. sets of s of d items, exact n̂_k, Σ n_k λ_k > 0",
        lambda: drawn().filter(lambda survey: survey.signal > 0),
        condition=lambda survey: survey.signal > 0,
        coq=("survey", "is_survey {0}", ""),
        written=_written,
    )


RATE = fractions(0, 1, max_denominator=5)

ANY_ITEM = objects(
    "an item",
    lambda survey: st.integers(0, survey.d - 1),
    coq=("nat", "({0} < domain survey)%nat", ""),
)


def by_users(survey: Survey) -> Fraction:
    """Return Σ_{i in [n]} n_{k_i} λ_{k_i} = Σ_k n_k² λ_k, as two displays have the signal."""
    return dot([n * n for n in survey.counts], survey.parameters.rates)


Counts = tuple[Fraction, ...]

NOISY = (
    cases(
        n=(1, 2, 3),
        d=(2,),
        m=(ONE, Fraction(3, 2)),
        rate_1__rate_2=[(HALF, ONE), (ONE, Fraction(1, 3)), (ONE, ONE)],
        truth=(Fraction(3, 4), Fraction(2, 3), ONE),
    )
    .within(
        n=integers(1),
        d=integers(2),
        m=reals(above=0),
        rate_1=reals(above=0, most=1),
        rate_2=reals(0, 1),
        truth=reals(above="1/2", most=1),
    )
    .drawn(
        lambda: {
            "n": st.integers(1, 3),
            "d": st.integers(2, 3),
            "m": fractions(Fraction(1, 3), 2, max_denominator=3),
            "rate_1": fractions(Fraction(1, 5), 1, max_denominator=5),
            "rate_2": RATE,
            "truth": fractions(Fraction(3, 5), 1, max_denominator=5),
        }
    )
)


def noisy_survey(n: int, d: int, m: Fraction, rate_1: Fraction, rate_2: Fraction) -> Survey:
    """Return n users of the first of two levels, each with either of two items."""
    return Survey((n, 0), d, Parameters(m, (rate_1, rate_2)), FinitePmf({(0,): "1/2", (1,): "1/2"}))


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


def has_estimate(n: int, rate_1: Fraction, rate_2: Fraction, truth: Fraction) -> bool:
    """Return whether Σ n̂_k λ_k is not 0, for all that may be observed."""
    return all(dot(counts, (rate_1, rate_2)) != 0 for counts in observed(n, truth))


@quantity("INR (levels {0})", name="K")
def number_of_levels(survey: Survey) -> int:
    """Return the number of levels."""
    return len(survey.counts)


NOISY_LEVELS = cases(
    survey=[s for s in SURVEYS if len(s.counts) == 2],
    truth=(Fraction(3, 4), Fraction(2, 3), ONE),
    j=(0,),
).within(
    lambda survey, truth: above(truth * number_of_levels(survey), 1),
    survey=replace(
        any_survey("0", "1", "3/2"),
        what="n_k users of each level with i.i.d. sets of s of d items, Σ n_k λ_k > 0",
    ),
    truth=reals(0, 1),
    j=ANY_ITEM,
)
"""Levels by randomized response, the own one with probability ``truth``, above that of others."""


@quantity("signal_mean {0} {1}", name="E_signal")
def signal_mean(survey: Survey, truth: Any) -> Fraction:
    """E[Σ_k n̂_k λ_k], over all that the users may send as their levels."""
    known = LevelAggregation(len(survey.counts), truth)
    own = [k for k, n in enumerate(survey.counts) for _ in range(n)]
    mean = Fraction(0)
    for sent in product(range(known.levels), repeat=len(own)):
        honest = sum(x == y for x, y in zip(sent, own, strict=True))
        chance = known.truth**honest * known.lie ** (len(own) - honest)
        mean += chance * dot(known.estimates(sent), survey.parameters.rates)
    return mean


@quantity("numerator_mean {0} {1:nat}", name="E_count")
def numerator_mean(survey: Survey, j: int) -> Term:
    """E[C_j - n m/d]."""
    return expected(survey, j, lambda c: c - survey.blanket)
