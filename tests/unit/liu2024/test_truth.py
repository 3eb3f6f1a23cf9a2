"""What the analyzer sees: the count of letters against exact views, and binned noise."""

from fractions import Fraction
from random import Random

import pytest

from exactdp.distributions import sum_window
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import Users, Victim, shuffle_view
from proofs_check.liu2024.noise import gaussian_noise, laplace_noise
from proofs_check.liu2024.truth import (
    ScoreView,
    TwoLetterView,
    best_threshold,
    binned_lower_bound,
    binned_row,
    score_view,
    threshold_view,
)


@pytest.mark.parametrize("seed", range(12))
def test_two_letters_against_the_exact_view(seed):
    random = Random(seed)
    shares = [Fraction(random.randint(0, 12), 12) for _ in range(6)]
    victim = Randomizer.from_matrix([[1 - p, p] for p in shares[:2]])
    users = [Users(Randomizer.from_matrix([[1 - p, p]]), 0) for p in shares[2:]]
    mine = TwoLetterView.of_users(
        Exact(shares[0]), Exact(shares[1]), [(p, 1) for p in shares[2:]], bits=128
    )
    for gamma in (Exact(1), Exact("3/2"), Exact(4)):
        for inputs, found in (
            ((0, 1), mine.delta(exp_epsilon=gamma)),
            ((1, 0), mine.reverse_delta(exp_epsilon=gamma)),
        ):
            truth = shuffle_view(Victim(victim, inputs), users)
            assert found.contains(truth.hockey_stick_divergence(exp_epsilon=gamma))
            assert found.width < Fraction(1, 2**100)


def test_thresholds_of_laplace_noise_by_hand():
    zero, one = laplace_noise(0, 1), laplace_noise(1, 1)
    view = threshold_view(zero, one, [], threshold=Fraction(1, 2))
    # 1 − e^(−1/2)/2 below for the first, e^(−1/2)/2 for the second.
    assert view.delta(exp_epsilon=Exact(1)).contains(1 - Exact.exp("-1/2"))
    at, found = best_threshold(
        zero, one, [], thresholds=[Fraction(k, 4) for k in range(-4, 9)], exp_epsilon=Exact(1)
    )
    assert Fraction(0) <= at <= Fraction(1)  # the whole total variation, anywhere between
    assert found.contains(1 - Exact.exp("-1/2")) or found.upper < 1 - Exact.exp("-1/2")
    with pytest.raises(DomainError, match="threshold"):
        best_threshold(zero, one, [], thresholds=[], exp_epsilon=Exact(1))


def test_bins_sum_to_one_and_their_error_is_small():
    edges = [Fraction(k, 2) for k in range(-3, 5)]
    row, error = binned_row(gaussian_noise("1/3", "5/4"), edges=edges)
    assert sum(row, Exact(0)) == 1
    assert len(row) == len(edges) + 1
    assert error < Fraction(1, 2**58)
    with pytest.raises(DomainError, match="ascend"):
        binned_row(gaussian_noise(0, 1), edges=[Fraction(1), Fraction(0)])


def test_binned_bounds_grow_with_the_bins_up_to_the_truth():
    zero, one = laplace_noise(0, 1), laplace_noise(1, 1)
    half = Fraction(1, 2)
    found = [
        binned_lower_bound(zero, one, [(zero, 2), (laplace_noise(0, 2), 1)], edges=edges,
                           epsilon=Epsilon.rational("1/4"))
        for edges in ([half], [Fraction(0), half], [Fraction(0), half, Fraction(1)])
    ]  # fmt: skip
    assert found[0] <= found[1] + Fraction(1, 10**15)
    assert found[1] <= found[2] + Fraction(1, 10**15)
    # One threshold is the count of letters.
    letters = threshold_view(zero, one, [(zero, 2), (laplace_noise(0, 2), 1)], threshold=half)
    gamma = Exact.exp("1/4")
    truth = max(
        letters.delta(exp_epsilon=gamma).upper, letters.reverse_delta(exp_epsilon=gamma).upper
    )
    assert truth - Fraction(1, 10**15) < found[0] <= truth
    # A victim alone has δ = 1 − e^(−(1 − ε)/2).
    alone = binned_lower_bound(
        zero, one, [], edges=[Fraction(k, 8) for k in range(9)], epsilon=Epsilon.rational("1/4")
    )
    assert alone <= 1 - Exact.exp("-3/8")
    assert alone > Fraction(31, 100)


@pytest.mark.parametrize("seed", range(6))
def test_scores_against_sums_over_all_messages(seed):
    random = Random(seed)

    def row():
        weights = [random.randint(0, 5) for _ in range(2)] + [1]
        return [Fraction(w, sum(weights)) for w in weights]

    rows = [row() for _ in range(5)]
    law = {0: Fraction(1)}
    for masses in rows[2:]:
        bigger = {}
        for total, mass in law.items():
            for score, p in enumerate(masses):
                bigger[total + score] = bigger.get(total + score, 0) + mass * p
        law = bigger
    victim = [tuple(map(Exact, masses)) for masses in rows[:2]]
    view = ScoreView(*victim, sum_window([(r, 1) for r in rows[2:]], bits=128))
    for gamma in (Fraction(1), Fraction(3, 2)):
        truth = sum(
            max(0, sum((rows[0][v] - gamma * rows[1][v]) * law.get(k - v, 0) for v in range(3)))
            for k in range(12)
        )
        found = view.delta(exp_epsilon=Exact(gamma))
        assert found.contains(truth)
        assert found.width < Fraction(1, 2**100)


def test_scores_of_one_edge_are_letters():
    zero, one = gaussian_noise(0, 2), gaussian_noise(1, 2)
    others = [(gaussian_noise(0, 2), 40), (gaussian_noise(1, 3), 20)]
    half, gamma = Fraction(1, 2), Exact.exp("1/10")
    scores = score_view(zero, one, others, edges=[half]).delta(exp_epsilon=gamma)
    # Scores count the messages above the edge, letters those below: the same view.
    letters = threshold_view(zero, one, others, threshold=half).delta(exp_epsilon=gamma)
    assert max(scores.lower, letters.lower) <= min(scores.upper, letters.upper)
    finer = score_view(zero, one, others, edges=[Fraction(-2), Fraction(0), half, Fraction(3)])
    assert finer.delta(exp_epsilon=gamma).lower > 0
