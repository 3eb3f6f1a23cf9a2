"""The exact law of the estimate, against all datasets and messages, and closed forms."""

from fractions import Fraction
from itertools import product

import pytest

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Exact
from proofs_check.wang2024.competitors import blanket_error
from proofs_check.wang2024.protocol import Parameters
from proofs_check.wang2024.utility import (
    Segment,
    Survey,
    count_law,
    count_variance,
    error_chain,
    estimate_law,
    frequencies,
    mean_of,
    mean_squared_error,
    variance_chain,
    variance_of,
)


def survey_of(laws, counts, rates, m, d):
    segments = tuple(
        Segment(n, k, FinitePmf(law)) for k, (n, law) in enumerate(zip(counts, laws, strict=True))
    )
    return Survey(segments, d, Parameters(m, tuple(rates)))


def brute_force(survey):
    """Yield (probability, C_1..C_d, frequencies of the data): all sets, coins and slots."""
    parameters, d = survey.parameters, survey.d
    users = [part for part in survey.segments for _ in range(part.count)]
    slot = [(None, 1 - parameters.slot_rate)]
    slot += [(j, parameters.slot_rate / d) for j in range(d)]
    options = []
    for part in users:
        rate, own = parameters.rates[part.level], []
        for items, mass in part.data.masses.items():
            for sent in product([False, True], repeat=len(items)):
                probability = mass.as_fraction()
                for coin in sent:
                    probability *= rate if coin else 1 - rate
                own.append(([j for j, c in zip(items, sent, strict=True) if c], items, probability))
        options.append(own)
    for outcome in product(*options):
        for blanket in product(slot, repeat=len(users) * parameters.slots):
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
PAIRS = {(0, 1): "1/2", (0, 2): "1/4", (1, 2): "1/4"}
SURVEYS = [
    survey_of([UNIFORM, UNIFORM], [1, 1], ["1/2", "2/3"], "1", 3),
    survey_of([UNIFORM, {(2,): 1}], [1, 1], ["1/2", "1"], "1/2", 3),
    survey_of([PAIRS, PAIRS], [1, 1], ["1/3", "1"], "3/4", 3),
    survey_of([PAIRS], [1], ["1/3"], "3/2", 3),
]


@pytest.mark.parametrize("survey", SURVEYS)
def test_moments_against_all_data_and_messages(survey):
    parameters, n, d = survey.parameters, survey.users, survey.d
    total = sum(c * r for c, r in zip(survey.level_counts, parameters.rates, strict=True))
    truth = [w.as_fraction() for w in frequencies(survey)]
    outcomes = list(brute_force(survey))
    assert sum(p for p, _, _ in outcomes) == 1
    error = Fraction(0)
    for j in range(d):
        estimates = [(p, (c[j] - n * parameters.m / d) / total) for p, c, _ in outcomes]
        mean = sum(p * v for p, v in estimates)
        variance = sum(p * (v - mean) ** 2 for p, v in estimates)
        law = estimate_law(survey, j)
        assert mean_of(law) == mean
        assert variance_of(law) == variance
        assert sum(p * h[j] for p, _, h in outcomes) / n == truth[j]
        error += sum(p * (v - truth[j]) ** 2 for p, v in estimates)
    assert mean_squared_error(survey) == error


def test_the_estimate_is_unbiased_for_identical_users_only():
    same, different = SURVEYS[0], SURVEYS[1]
    assert [mean_of(estimate_law(same, j)) for j in range(3)] == list(frequencies(same))
    # Rates 1/2 and 1: the second user counts twice as much as the first.
    assert mean_of(estimate_law(different, 2)) == Fraction(1, 3) * Fraction(1, 6) + Fraction(2, 3)
    assert mean_of(estimate_law(different, 2)) != frequencies(different)[2]


@pytest.mark.parametrize("m", ["0", "1/2", "1", "5/2"])
def test_the_error_in_closed_form(m):
    counts, rates = [2, 3], [Fraction(1, 2), Fraction(1)]
    survey = survey_of([PAIRS, PAIRS], counts, rates, m, 3)
    w = ["3/4", "3/4", "1/2"]
    assert mean_squared_error(survey) == blanket_error(counts=counts, rates=rates, m=m, w=w)


def test_noisy_level_counts_are_mixed_in():
    survey = survey_of([UNIFORM], [2], ["1/2"], "1", 3)
    observed = FinitePmf({(Fraction(1),): "1/2", (Fraction(4),): "1/2"})
    exact = mean_of(estimate_law(survey, 0))
    # E[1/n̂] = 5/8 in place of 1/2.
    assert mean_of(estimate_law(survey, 0, observed=observed)) == exact * Fraction(5, 4)
    with pytest.raises(DomainError, match="divides by it"):
        estimate_law(survey, 0, observed=FinitePmf({(Fraction(0),): "1/2", (Fraction(2),): "1/2"}))


def test_the_chains_by_hand():
    # Two users, one item of two, λ = 1/2, one blanket slot each that always sends.
    survey = survey_of([{(0,): "1/2", (1,): "1/2"}], [2], ["1/2"], "1", 2)
    chain = variance_chain(survey)
    # Each C_j: two coins of 1/4 and two of 1/2, so 2·3/16 + 2/4; twice that.
    assert chain.value == count_variance(survey) == Fraction(7, 4)
    assert chain.lines == (
        ("line-1 inside", Exact("11/4")),  # 3/4 + 2·(2·2·1/4)
        ("line-1 outside", Exact("7/4")),  # 3/4 + 2·2·1/4
        ("line-2", Exact("11/4")),  # 2 + 3/4
        ("line-3", Exact(3)),  # 2 + 1
    )
    errors = error_chain(survey)
    assert errors.value == Fraction(7, 4)
    assert errors.lines == (
        ("line-1 users", Exact("7/16")),  # Σ n_k² λ_k = 2, squared
        ("line-1 levels", Exact("7/4")),
        ("line-2", Exact("11/4")),
        ("line-3", Exact(3)),
    )


def test_the_law_of_a_count_is_a_law_of_coins():
    survey = SURVEYS[2]
    masses = {}
    for p, counts, _ in brute_force(survey):
        masses[counts[1]] = masses.get(counts[1], 0) + p
    assert dict(count_law(survey, 1).masses) == masses


def test_refusals():
    with pytest.raises(DomainError, match="no user"):
        survey_of([UNIFORM], [0], ["1/2"], "1", 3)
    with pytest.raises(DomainError, match="level below 1"):
        Survey((Segment(1, 1, FinitePmf(UNIFORM)),), 3, Parameters(1, (1,)))
    with pytest.raises(DomainError, match="no subset"):
        survey_of([UNIFORM], [1], ["1/2"], "1", 2)
    mixed = survey_of([UNIFORM, PAIRS], [1, 1], ["1/2", "1/2"], "1", 3)
    with pytest.raises(DomainError, match=r"users hold \[1, 2\] items"):
        variance_chain(mixed)
    with pytest.raises(DomainError, match="truth has 1 entries"):
        mean_squared_error(SURVEYS[0], truth=[Exact(1)])
    with pytest.raises(DomainError, match="no value"):
        variance_chain(survey_of([UNIFORM], [1], ["1/2"], "0", 3))
