"""Above threshold: laws against integrals, privacy against the proofs, and what has no end."""

from fractions import Fraction

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


def by_integral(answers, report, scales, threshold):
    b1, b2 = map(mpf_of, scales)
    gaps = [mpf_of(Fraction(x) - threshold) for x in answers]

    def value(x):
        found = mpmath.exp(-abs(x) / b1) / (2 * b1)
        for gap, is_above in zip(gaps, report, strict=False):
            found *= below((gap - x) / b2) if is_above else below((x - gap) / b2)
        return found

    low, high = min([*gaps, 0]), max([*gaps, 0])
    ends = [low - 60 * b1, low - 8 * b1, *sorted({*gaps, mpmath.mpf(0)}), high + 8 * b1]
    return mpmath.quad(value, [*ends, high + 60 * b1], maxdegree=7)


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("answers", ANSWERS)
def test_laws_are_integrals_and_sum_to_1(answers, scales):
    for most, threshold in ((1, Fraction(0)), (2, Fraction(1, 2)), (None, Fraction(-1))):
        one = above_threshold(threshold_scale=scales[0], query_scale=scales[1], most=most)
        law = one.law(answers, threshold=threshold)
        assert sum(law.values(), Exact(0)) == 1
        for report, mass in list(law.items())[::3]:
            truth = by_integral(answers, report, scales, threshold)
            assert abs(mpmath.mpf(decimal(mass, digits=25)) - truth) < mpmath.mpf("1e-12")


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
        (lambda one: one.law([0.5]), DomainError, "answer=0.5 is a float"),
        (lambda one: one.law([1], threshold=0.5), DomainError, "threshold=0.5 is a float"),
        (lambda one: one.pair([1], [1, 2]), DomainError, "1 answers, and 2 of its neighbor"),
        (lambda one: one.law([0] * 61), TooLargeError, "there are 61 answers"),
        (lambda one: one.law(["1e-9", 1]), TooLargeError, "the answers make polynomials"),
        (lambda one: one.law([0] * 40), TooLargeError, "40 answers have up to"),
        (
            lambda one: above_threshold(threshold_scale=0, query_scale=1),
            DomainError,
            "threshold_scale=0 is not positive",
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
