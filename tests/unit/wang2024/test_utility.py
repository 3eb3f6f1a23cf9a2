"""The moments of counts and estimates, against all datasets and messages, and closed forms."""

from fractions import Fraction
from itertools import product

import pytest

from exactdp.claims import value
from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.competitors import blanket_error
from proofs_check.wang2024.protocol import Parameters
from proofs_check.wang2024.utility import (
    Survey,
    count_variance,
    estimate_mean,
    expected,
    line,
    squared_error,
)


def survey_of(law, counts, rates, m, d):
    return Survey(tuple(counts), d, Parameters(m, tuple(rates)), FinitePmf(law))


def brute_force(survey):
    """Yield (probability, C_1..C_d, frequencies of the data): all sets, coins and slots."""
    parameters, d = survey.parameters, survey.d
    slot = [(None, 1 - parameters.slot_rate)]
    slot += [(j, parameters.slot_rate / d) for j in range(d)]
    options = []
    for count, rate in zip(survey.counts, parameters.rates, strict=True):
        own = []
        for items, mass in survey.data.masses.items():
            for sent in product([False, True], repeat=len(items)):
                probability = mass.as_fraction()
                for coin in sent:
                    probability *= rate if coin else 1 - rate
                own.append(([j for j, c in zip(items, sent, strict=True) if c], items, probability))
        options += [own] * count
    for outcome in product(*options):
        for blanket in product(slot, repeat=survey.users * parameters.slots):
            probability, counts, held = Fraction(1), [0] * d, [0] * d
            for sent, items, p in outcome:
                probability *= p
                for j in sent:
                    counts[j] += 1
                for j in items:
                    held[j] += 1
            for j, p in blanket:
                probability *= p
                if j is not None:
                    counts[j] += 1
            if probability:
                yield probability, counts, held


UNIFORM = {(0,): "1/2", (1,): "1/3", (2,): "1/6"}
UNEVEN = {(0,): "1/2", (0, 1): "1/2"}
PAIRS = {(0, 1): "1/2", (0, 2): "1/4", (1, 2): "1/4"}
SURVEYS = [
    survey_of(UNIFORM, [1, 1], ["1/2", "2/3"], "1", 3),
    survey_of(UNIFORM, [1, 1], ["1/2", "1"], "1/2", 3),
    survey_of(PAIRS, [1, 1], ["1/3", "1"], "3/4", 3),
    survey_of(PAIRS, [1], ["1/3"], "3/2", 3),
]


@pytest.mark.parametrize("survey", SURVEYS)
def test_moments_against_all_data_and_messages(survey):
    n, outcomes = survey.users, list(brute_force(survey))
    assert sum(p for p, _, _ in outcomes) == 1
    error = variance = Fraction(0)
    for j, w in enumerate(survey.frequencies):
        estimates = [(p, (c[j] - survey.blanket) / survey.signal) for p, c, _ in outcomes]
        mean = sum(p * v for p, v in estimates)
        assert value(estimate_mean(survey, j)) == mean == w
        assert sum(p * h[j] for p, _, h in outcomes) / n == w
        error += sum(p * (v - w.as_fraction()) ** 2 for p, v in estimates)
        center = sum(p * c[j] for p, c, _ in outcomes)
        variance += sum(p * (c[j] - center) ** 2 for p, c, _ in outcomes)
    assert value(squared_error(survey)) == error
    assert value(count_variance(survey)) == variance


def test_the_law_of_a_count_is_a_law_of_coins():
    survey = SURVEYS[2]
    masses = {}
    for p, counts, _ in brute_force(survey):
        masses[counts[1]] = masses.get(counts[1], 0) + p
    for c, mass in masses.items():
        assert value(expected(survey, 1, lambda x, c=c: int(x == c))) == mass


@pytest.mark.parametrize("m", ["0", "1/2", "1", "5/2"])
def test_the_error_in_closed_form(m):
    counts, rates = [2, 3], [Fraction(1, 2), Fraction(1)]
    survey = survey_of(PAIRS, counts, rates, m, 3)
    w = ["3/4", "3/4", "1/2"]
    assert value(squared_error(survey)) == blanket_error(counts=counts, rates=rates, m=m, w=w)


def test_the_chains_by_hand():
    # Two users, one item of two, λ = 1/2, one blanket slot each that always sends.
    survey = survey_of({(0,): "1/2", (1,): "1/2"}, [2], ["1/2"], "1", 2)
    # Each C_j: two coins of 1/4 and two of 1/2, so 2·3/16 + 2/4; twice that; Σ n_k λ_k = 1.
    assert value(count_variance(survey)) == value(squared_error(survey)) == Fraction(7, 4)
    lines = {
        bounds.variance_line_1_inside: "11/4",  # 3/4 + 2·(2·2·1/4)
        bounds.variance_line_1_outside: "7/4",  # 3/4 + 2·2·1/4
        bounds.variance_line_2: "11/4",  # 2 + 3/4
        bounds.variance_line_3: "3",  # 2 + 1
        bounds.error_line_1: "7/4",
        bounds.error_line_2: "11/4",
        bounds.error_line_3: "3",
    }
    for bound, text in lines.items():
        assert value(line(bound, survey)) == Fraction(text)
    assert value(line(bounds.error_line_1, survey, signal=2)) == Fraction(7, 16)
    assert str(survey) == "[n_k = 2; λ_k = 1/2; m = 1; d = 2; law of x_i: {0}: 1/2, {1}: 1/2]"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: survey_of(UNIFORM, [0], ["1/2"], "1", 3), "no user"),
        (lambda: survey_of(UNIFORM, [1], ["1/2", "1"], "1", 3), "for 2 rates"),
        (lambda: survey_of(UNIFORM, [-1, 2], ["1/2", "1"], "1", 3), "at least 0"),
        (lambda: survey_of(UNIFORM, [1], ["1/2"], "1", 2), "not a subset"),
        (
            lambda: line(bounds.error_line_3, survey_of(UNEVEN, [1], ["1/2"], "1", 3)),
            r"users hold \[1, 2\] items",
        ),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DomainError, match=words):
        make()
