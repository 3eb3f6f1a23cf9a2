"""Above threshold: laws against integrals, privacy against the proofs, and what has no end."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest

from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import AboveThreshold, above_threshold
from exactdp.numbers import Epsilon, Exact, decimal
from tests.routes.reals import mpf_of

ANSWERS = [[0], [1, 0], ["1/2", "-1/3", 2], [0, 0, 0], [3, -3, "1/2"]]
SCALES = [(1, 1), (2, 4), ("1/2", 3), (3, "1/3")]
"""Of the threshold and of answers; equal ones have factors that do not vary between answers."""


def below(y):
    """The distribution function of Laplace noise of scale 1."""
    return mpmath.exp(y) / 2 if y < 0 else 1 - mpmath.exp(-y) / 2


def by_integral(answers, report, scales, threshold, cells=()):
    b1, b2 = map(mpf_of, scales)
    gaps = [mpf_of(Fraction(x) - threshold) for x in answers]
    cuts = [mpf_of(Fraction(x) - threshold) for x in cells]

    def value(x):
        found = mpmath.exp(-abs(x) / b1) / (2 * b1)
        for gap, letter in zip(gaps, report, strict=False):
            if letter and cells:
                low, high = [-mpmath.inf, *cuts, mpmath.inf][letter - 1 : letter + 1]
                cell = below((high - gap) / b2) - below((max(low, x) - gap) / b2)
                found *= max(cell, 0)
            else:
                found *= below((gap - x) / b2) if letter else below((x - gap) / b2)
        return found

    inner = sorted({*gaps, *cuts, mpmath.mpf(0)})
    low, high = inner[0], inner[-1]
    ends = [low - 60 * b1, low - 8 * b1, *inner, high + 8 * b1]
    return mpmath.quad(value, [*ends, high + 60 * b1], maxdegree=7)


def close(mass, truth):
    return abs(mpmath.mpf(decimal(mass, digits=25)) - truth) < mpmath.mpf("1e-12")


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("answers", ANSWERS)
def test_laws_are_integrals_and_sum_to_1(answers, scales):
    for most, threshold in ((1, Fraction(0)), (2, Fraction(1, 2)), (None, Fraction(-1))):
        one = above_threshold(threshold_scale=scales[0], query_scale=scales[1], most=most)
        law = one.law(answers, threshold=threshold)
        assert sum(law.values(), Exact(0)) == 1
        for report, mass in list(law.items())[::3]:
            truth = by_integral(answers, report, scales, threshold)
            assert close(mass, truth)


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize(
    ("answers", "cells"), [([0, 0], [0]), ([1, 0, "1/2"], ["-1/2", 0, "3/2"]), ([0, 2, -1], [1])]
)
def test_cells_of_noisy_answers_are_integrals_and_together_what_is_above(answers, cells, scales):
    threshold = Fraction(1, 3)
    noise = {"threshold_scale": scales[0], "query_scale": scales[1], "most": 2}
    told = above_threshold(**noise, cells=cells).law(answers, threshold=threshold)
    assert sum(told.values(), Exact(0)) == 1
    whole = above_threshold(**noise).law(answers, threshold=threshold)
    for report, mass in whole.items():
        parts = [x for cell, x in told.items() if tuple(map(bool, cell)) == report]
        assert len(parts) == (len(cells) + 1) ** sum(report) and sum(parts, Exact(0)) == mass
    for report, mass in list(told.items())[::5]:
        assert close(mass, by_integral(answers, report, scales, threshold, cells))


@pytest.mark.parametrize("scales", SCALES)
def test_a_renewed_threshold_makes_each_part_a_law_of_its_own(scales):
    one = above_threshold(threshold_scale=scales[0], query_scale=scales[1], most=2, renewed=True)
    answers = [1, 0, "1/2", -1]
    law = one.law(answers)
    assert sum(law.values(), Exact(0)) == 1
    for report, mass in law.items():
        stops = [0, *(i + 1 for i, x in enumerate(report) if x), len(report)]
        parts = [
            by_integral(answers[i:j], report[i:j], scales, Fraction(0))
            for i, j in pairwise(stops)
            if i < j
        ]
        assert close(mass, mpmath.fprod(parts))
        assert one.probability(answers, report) == mass
    kept = above_threshold(threshold_scale=scales[0], query_scale=scales[1], most=2)
    assert kept.law(answers) != law and kept.law([1]) == one.law([1])


def test_without_noise_on_answers_a_report_is_where_the_threshold_lies():
    """By hand: between 0 and 1 the noise of scale 2 has (1 - e^(-1/2))/2 of its mass."""
    one = above_threshold(threshold_scale=2, query_scale=0, most=None)
    between = (1 - Exact.exp("-1/2")) / 2
    law = one.law([0, 1])
    assert law == {(0, 0): Exact.exp("-1/2") / 2, (0, 1): between, (1, 0): 0, (1, 1): Exact("1/2")}
    assert one.law([1, 0])[0, 1] == 0
    assert one.law([3, 4], threshold=3) == law
    # The value that is told is the answer itself; 1 is still in the cell that ends there.
    told = above_threshold(threshold_scale=2, query_scale=0, most=None, cells=[0, 1])
    assert told.probability([0, 1], [0, 2]) == between
    assert told.probability([0, 1], [1, 2]) == Exact("1/2")
    assert told.probability([0, 1], [0, 3]) == told.probability([0, 1], [2, 2]) == 0


def test_many_answers_have_one_report_where_they_have_no_law():
    """Lyu et al., Algorithm 3: 20 below, then one whose value is told to be at most 0."""
    one = above_threshold(threshold_scale=2, query_scale=2, cells=[0])
    report = [0] * 20 + [1]
    found = one.probability([0] * 21, report)
    assert found == Exact(Fraction(1, 2**22 * 21 * 22))  # 2^-22 (1/21 - 1/22)
    assert one.probability([1] * 20 + [0], report) == found * Exact.exp(-10)


def test_reports_end_at_the_last_that_may_be_above():
    law = above_threshold(threshold_scale=1, query_scale=1).law([0, 0])
    assert set(law) == {(True,), (False, True), (False, False)}
    law = above_threshold(threshold_scale=1, query_scale=1, most=2).law([0, 0, 0])
    assert (True, True) in law and (True, False, True) in law and (False, False, True) in law
    assert all(sum(report) <= 2 for report in law) and len(law) == 7
    assert len(above_threshold(threshold_scale=1, query_scale=1, most=None).law([0] * 4)) == 16


def test_equal_noise_is_the_order_of_equal_variables():
    """Three variables with one law: the threshold is the largest, in the middle or the least."""
    law = above_threshold(threshold_scale=2, query_scale=2, most=None).law([5, 5], threshold=5)
    assert law[True, True] == law[False, False] == Exact("1/3")
    assert law[True, False] == law[False, True] == Exact("1/6")


@pytest.mark.parametrize(("most", "least"), [(1, "1/2"), (2, "2/5")])
def test_it_is_as_private_as_proved_and_not_far_from_that(most, least):
    """Lyu et al., Theorem 2: ε1 = ε2 = 1/2, and answers that move by 1."""
    one = above_threshold(threshold_scale=2, query_scale=4 * most, most=most)
    worst = Exact(1)
    for far in (0, 3, 12):
        for change in ([1] * 4, [-1] * 3 + [1], [1, -1, 1, -1]):
            answers = [-far, -far, -far, far]
            moved = [x + y for x, y in zip(answers, change, strict=True)]
            pair = one.pair(answers, moved).both_directions()
            assert pair.max_divergence() <= Epsilon.rational(1)
            worst = max(worst, pair.max_divergence().exp)
    assert worst > Exact.exp(least)


def test_without_an_end_the_loss_grows_with_the_answers():
    """Lyu et al., Algorithm 6: 2m answers at 0 against half of them at 1, half of them at -1."""
    losses = []
    for m in (1, 2, 3):
        one = above_threshold(threshold_scale=2, query_scale=2, most=None)
        pair = one.pair([0] * (2 * m), [1] * m + [-1] * m)
        losses.append(float(decimal(pair.max_divergence().nats, digits=12)))
    assert losses == sorted(losses) and losses[0] < 1 < losses[2]
    ended = above_threshold(threshold_scale=2, query_scale=4, most=1)
    assert ended.pair([0] * 6, [1] * 3 + [-1] * 3).max_divergence() <= Epsilon.rational(1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda one: one.law([]), DomainError, "there are no answers"),
        (lambda one: one.law([math.nan]), DomainError, "answer=nan is not finite"),
        (
            lambda one: one.law([1], threshold=float("nan")),
            DomainError,
            "threshold=nan is not finite",
        ),
        (lambda one: one.pair([1], [1, 2]), DomainError, "1 answer, and 2 of its neighbor"),
        (lambda one: one.law([0] * 61), TooLargeError, "there are 61 answers"),
        (lambda one: one.law(["1e-9", 1]), TooLargeError, "the answers make polynomials"),
        (lambda one: one.law([0] * 40), TooLargeError, "40 answers have up to"),
        (
            lambda one: above_threshold(threshold_scale=0, query_scale=1),
            DomainError,
            "threshold_scale=0 is not positive",
        ),
        (
            lambda one: above_threshold(threshold_scale=1, query_scale=-1),
            DomainError,
            "query_scale=-1 is below 0",
        ),
        (
            lambda one: above_threshold(threshold_scale=1, query_scale=1, cells=[1, 1]),
            DomainError,
            "the ends 1, 1 of cells do not rise",
        ),
        (lambda one: one.probability([1, 2], [1]), DomainError, r"report=\(1\) is none of 2"),
        (lambda one: one.probability([1], [2]), DomainError, r"report=\(2\) is none of 1"),
        (lambda one: one.probability([1], []), DomainError, r"report=\(\) is none of 1"),
        (lambda one: one.probability([1], [0.5]), DomainError, "report=0.5"),
        (
            lambda one: above_threshold(threshold_scale=1, query_scale=1).probability(
                [1, 1], [1, 1]
            ),
            DomainError,
            r"report=\(1, 1\) is none of 2",
        ),
        (
            lambda one: AboveThreshold(Fraction(1), Fraction(1), 0),
            DomainError,
            "most=0 must be at least 1",
        ),
    ],
)
def test_what_has_no_law(call, error, message):
    with pytest.raises(error, match=f"^{message}"):
        call(above_threshold(threshold_scale=1, query_scale=1, most=None))
