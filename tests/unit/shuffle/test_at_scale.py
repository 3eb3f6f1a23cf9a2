"""Views at scale against the exact law, and the worst case between its ends."""

import math
import random
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from flint import arb

from exactdp.distributions.count_windows import count_window
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import (
    Hidden,
    HiddenVictim,
    ScoreSum,
    Users,
    Victim,
    blanket_pair,
    clone_pair,
    shuffle_view,
    shuffle_worst_case,
    stronger_clone_pair,
    worst_case,
)
from exactdp.shuffle.at_scale import histogram_windows
from exactdp.shuffle.at_scale.histogram_windows import HistogramSum

UNEVEN = Randomizer.from_matrix(
    [["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"], ["1/5", "2/5", "2/5"]]
)
ZEROS = Randomizer.from_matrix(
    [["1/2", "1/4", "1/4", 0], ["1/4", "1/4", 0, "1/2"], ["1/3", 0, "1/3", "1/3"]]
)
GAPS = Randomizer.from_matrix([["1/2", "1/2", 0], [0, "1/4", "3/4"], ["1/3", "1/3", "1/3"]])
RANDOMIZERS = [
    randomized_response(2, Epsilon.log(3)),
    randomized_response(4, Epsilon.log(3)),
    randomized_response(3, Epsilon.rational(1)),
    UNEVEN,
    ZEROS,
    GAPS,
]
ODDS = ("1/3", "4/5", "1", "5/4", "5/2")


@pytest.mark.parametrize("randomizer", RANDOMIZERS, ids=range(len(RANDOMIZERS)))
@pytest.mark.parametrize("n", [1, 2, 5])
def test_others_on_one_input_are_the_exact_view(randomizer, n):
    """Every victim pair, every input of the others, both directions, any γ."""
    for pair in permutations(range(randomizer.inputs), 2):
        for z in range(randomizer.inputs):
            view = shuffle_view(Victim(randomizer, pair), [Users(randomizer, z, n - 1)])
            scaled = view.at_scale()
            assert isinstance(scaled, HiddenVictim) and not scaled.is_upper_bound
            for odds in ODDS:
                found = scaled.delta(Epsilon.log(odds))
                truth = view.delta(Epsilon.log(odds))
                assert found.contains(truth), (pair, z, odds)
            assert scaled.max_divergence() >= view.max_divergence()


def test_many_users_on_one_input():
    """n is beyond what is summed histogram by histogram."""
    view = shuffle_view(Victim(UNEVEN), [Users(UNEVEN, 2, 399)])
    for odds in ("1", "1.05"):
        truth, found = view.delta(Epsilon.log(odds)), view.at_scale().delta(Epsilon.log(odds))
        assert found.contains(truth) and found.width <= found.lower / 1000
    turned = view.at_scale().reversed().delta(Epsilon.log("1.05"))
    assert turned.contains(view.reversed().delta(Epsilon.log("1.05")))


def test_what_only_the_victim_sends():
    """q has mass where nobody else is: the sum has a positive mean."""
    view = shuffle_view(Victim(GAPS, (0, 1)), [Users(GAPS, 0, 299)])
    for odds in ("1", "2", "3"):
        found = view.at_scale().delta(Epsilon.log(odds))
        assert found.contains(view.delta(Epsilon.log(odds)))
        assert found.width <= found.lower / 1000


def test_the_mass_of_one_input_only():
    for z in range(3):
        view = shuffle_view(Victim(GAPS, (0, 1)), [Users(GAPS, z, 3)])
        limit = view.at_scale().infinity_mass()
        truth = view.pair.infinity_mass()
        ball = limit.ball(200) - truth.ball(200)
        assert abs(ball) < arb(2) ** -150


def test_two_messages_of_others_on_both_inputs():
    coin = Randomizer.from_matrix([["3/4", "1/4"], ["2/5", "3/5"]])
    view = shuffle_view(Victim(coin), [Users(coin, 0, 30), Users(coin, 1, 50)])
    scaled = view.at_scale()
    assert isinstance(scaled, ScoreSum)
    for odds in ODDS:
        for one, exact in ((scaled, view), (scaled.reversed(), view.reversed())):
            found, truth = one.delta(Epsilon.log(odds)), exact.delta(Epsilon.log(odds))
            assert found.contains(truth) and found.width <= found.lower / 1000
    assert scaled.max_divergence() == view.max_divergence()


def test_scores_of_three_that_are_two_trials_each():
    """The window of integers, and the trials: y² >= 4xz for k = 4 and e^ε0 = 3, or a mass is 0."""
    rows = (tuple(map(Exact, row)) for row in (["1/6", "4/6", "1/6"], ["1/2", "1/2", 0]))
    first, second = (
        tuple(map(Exact, row)) for row in (["1/6", "2/6", "3/6"], ["3/6", "2/6", "1/6"])
    )
    score = ScoreSum(first, second, tuple(zip(rows, (40, 30), strict=True)))
    for odds in ODDS[2:]:
        for one in (score, score.reversed()):
            window = one._within(Exact(odds), 192)
            found = one.delta(Epsilon.log(odds), relative_width="1e-9")
            assert found.lower <= window.upper and window.lower <= found.upper
            assert found.width <= found.lower / 10**9


@pytest.mark.parametrize(("k", "words"), [(10, "p > q counted, minus"), (4, "p < q counted")])
def test_a_billion_users_on_two_inputs(k, words):
    """Where the scores are not trials, messages of one sign are counted."""
    rr = randomized_response(k, Epsilon.log(3))
    others = [Users(rr, 2, 10**9), Users(rr, 0, 10**8)]
    ends = shuffle_view(Victim(rr), others).epsilon("1e-300", relative_width="1e-2")
    assert words in ends.lower_by and ends.width < ends.lower / 3


def test_a_score_of_three_is_a_lower_bound_and_its_own_law():
    rows = [[Exact(x) for x in row] for row in (["1/2", "1/4", "1/4"], ["1/5", "2/5", "2/5"])]
    z, w = (tuple(map(Exact, row)) for row in (["1/3", "1/3", "1/3"], ["1/8", "1/8", "3/4"]))
    found = ScoreSum(tuple(rows[0]), tuple(rows[1]), ((z, 1), (w, 1))).delta(Epsilon.log("11/10"))
    law = [Exact(0)] * 5
    for i in range(3):
        for j in range(3):
            law[i + j] += z[i] * w[j]
    c = [p - Exact("11/10") * q for p, q in zip(*rows, strict=True)]
    terms = [[c[j] * law[s - j] for j in range(3) if 0 <= s - j < 5] for s in range(7)]
    sums = [sum(row, Exact(0)) for row in terms]
    assert found.contains(sum((x for x in sums if x > 0), Exact(0)))


@pytest.mark.parametrize(
    ("randomizer", "counts"),
    [(UNEVEN, (3, 4, 5)), (randomized_response(4, Epsilon.log(3)), (5, 0, 4)), (ZEROS, (3, 2, 2))],
    ids=range(3),
)
def test_others_on_several_inputs_lie_between_the_ends(randomizer, counts, monkeypatch):
    monkeypatch.setattr(histogram_windows, "_MOST_CELLS", 0)  # as if there were more of them
    others = [Users(randomizer, x, count) for x, count in enumerate(counts)]
    view = shuffle_view(Victim(randomizer), others)
    scaled = view.at_scale()
    assert scaled.reached == "bound"
    for odds in ODDS:
        for one, exact in ((scaled, view), (scaled.reversed(), view.reversed())):
            found = one.delta(Epsilon.log(odds))
            assert found.contains(exact.delta(Epsilon.log(odds)))
            assert found.lower_by and found.upper_by


def test_others_that_merge_to_one_law(monkeypatch):
    monkeypatch.setattr(histogram_windows, "_MOST_CELLS", 0)
    rr = randomized_response(5, Epsilon.log(3))
    view = shuffle_view(Victim(rr), [Users(rr, 2, 4), Users(rr, 3, 4)])
    assert "sign" in view.at_scale().below[0].words


def seven(k, *, count, first=0):
    """Others with budgets and inputs of their own."""
    budgets = [Epsilon.rational(Fraction(2 + i, 4)) for i in range(7)]
    return [
        Users(randomized_response(k, one), (first + i) % min(k, 3), count)
        for i, one in enumerate(budgets)
    ]


@pytest.mark.parametrize("k", [3, 6])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_few_classes_of_many_laws_are_told_exactly(k, order):
    view = shuffle_view(Victim(randomized_response(k, 1), order), seven(k, count=1))
    scaled = HistogramSum.of(
        *view._senders[:2], list(zip(view._senders[2:], view._counts, strict=True))
    )
    for epsilon in ("-1/2", "0", "1/7", "3/4"):
        at = Epsilon.rational(epsilon)
        found = scaled.delta(at, relative_width="1e-9")
        assert found.contains(view.delta(at)) and found.is_narrow(Fraction(1, 10**9))
        assert scaled.reversed().delta(at).contains(view.reversed().delta(at))
    for order_of_renyi in (Fraction(1, 2), 3):
        found = scaled.renyi(order_of_renyi, relative_width="1e-2")
        truth = enclosed(view.renyi(order_of_renyi, relative_width="1e-6"), "1e-6")
        assert found.lower <= truth.upper and truth.lower <= found.upper


def test_thousands_of_users_with_several_budgets_by_convolutions():
    """Of 2,101 users with three letters: numpy has their laws in doubles, two counts at a time."""
    view = shuffle_view(Victim(randomized_response(3, 1)), seven(3, count=300))
    assert view.is_too_large
    found = view.delta(Epsilon.rational("1/20"), relative_width="1e-3")
    size, law = 1 << 9, np.ones(())  # counts modulo 512: they spread over far fewer
    for row, count in zip(view._senders[2:], view._counts, strict=True):
        one = np.zeros((size, size))
        one[0, 0], one[1, 0], one[0, 1] = map(float, row)
        law = law * np.fft.rfft2(one) ** count
    others = np.fft.irfft2(law, (size, size))
    shifted = [others, np.roll(others, 1, axis=0), np.roll(others, 1, axis=1)]
    p, q = (
        sum(float(x) * y for x, y in zip(row, shifted, strict=True)) for row in view._senders[:2]
    )
    truth = np.maximum(p - math.exp(0.05) * q, 0).sum()
    assert abs(truth - float(found.lower)) < 2e-3 * truth and found.is_narrow(Fraction(1, 1000))
    epsilon = view.epsilon("1e-6", relative_width="1e-3")
    at = enclosed(view.delta(Epsilon.rational(epsilon.upper), relative_width="1e-6"), "1e-6")
    assert at.lower <= Fraction("1e-6")


def test_what_histograms_with_one_score_may_have_is_bounded():
    """By the windows of single counts: outside of so many numbers there is less than said."""
    view = shuffle_view(Victim(randomized_response(3, 1)), seven(3, count=300))
    groups = list(zip(view._senders[2:], view._counts, strict=True))
    others = HistogramSum.of(*view._senders[:2], groups).others
    counts = count_window([(row[1], n) for row, n in others], bits=128)
    mean = round(sum(n * float(row[1]) for row, n in others))
    half = (histogram_windows._reach(others, 1, 64) - 3) // 2
    inside = sum(int(counts.weights[mean + i - counts.first]) for i in range(-half, half + 1))
    assert 0 <= (1 << 128) - inside < 1 << 63  # τ is for the two ends of the only such count


def test_a_view_that_is_too_large_answers_within_a_width():
    rr = randomized_response(4, Epsilon.log(3))
    view = shuffle_view(Victim(rr), [Users(rr, 2, 10**6 - 1)])
    assert view.is_too_large
    found = view.epsilon("1e-6", relative_width="1e-2")
    for end, is_above in ((found.lower, True), (found.upper, False)):
        delta = view.delta(Epsilon.rational(end), relative_width="1e-2")
        assert (delta.upper > Fraction(1, 10**6)) is is_above or delta.contains(Exact("1e-6"))
    assert not shuffle_view(Victim(rr), [Users(rr, 2, 9)]).is_too_large


@pytest.mark.parametrize(
    ("randomizer", "n"),
    [
        (randomized_response(2, Epsilon.log(3)), 9),
        (randomized_response(3, Epsilon.log(4)), 6),
        (Randomizer.from_matrix([["3/4", "1/4"], ["2/5", "3/5"]]), 40),
        (UNEVEN, 5),
        (ZEROS, 3),
    ],
    ids=range(5),
)
def test_the_worst_case_lies_between_the_ends(randomizer, n):
    profile = shuffle_worst_case(n, randomizer)
    for odds in ("1", "5/4", "2"):
        truth = worst_case([(randomizer, n)], Epsilon.log(odds)).value
        assert profile.delta(Epsilon.log(odds)).contains(truth)
    assert profile.reversed() is profile


def test_blocks_of_data_are_above_all_data():
    coin = Randomizer.from_matrix([["3/4", "1/4"], ["2/5", "3/5"]])
    blocks = shuffle_worst_case(66, coin).above[0]
    assert "64 blocks" in blocks.words
    truth = worst_case([(coin, 66)], Epsilon.log("6/5")).value
    bound = blocks.profile.delta(Epsilon.log("6/5"))
    assert truth <= bound.upper <= truth.as_fraction() * Fraction(21, 20)


def test_the_upper_end_holds_in_every_block():
    coin = Randomizer.from_matrix([["3/4", "1/4"], ["2/5", "3/5"]])
    worst = shuffle_worst_case(10**4, coin)
    found = worst.epsilon("1e-9", relative_width="1e-2")
    at = Epsilon.rational(found.upper)
    for view in worst.above[0].profile.profiles:
        assert view.delta(at).upper <= Fraction(1, 10**9)


@pytest.mark.parametrize(("n", "delta"), [(10**3, "1e-9"), (10**6, "1e-300"), (10**9, "1e-9")])
def test_two_answers_are_known_within_a_percent(n, delta):
    found = shuffle_worst_case(n, randomized_response(2, Epsilon.rational(1))).epsilon(delta)
    assert found.width <= found.lower / 100 and "64 blocks" in found.upper_by


def test_a_million_users_of_randomized_response():
    rr = randomized_response(10, Epsilon.rational(2))
    profile = shuffle_worst_case(10**6, rr)
    found = profile.epsilon("1e-9")
    assert found.width <= found.lower / 500
    assert "input 2" in found.lower_by and "blanket" in found.upper_by
    blanket, clones, stronger = profile.published("1e-9")
    assert found.lower <= blanket.epsilon.upper
    assert found.upper * Fraction(7, 5) < stronger.epsilon.lower < clones.epsilon.lower
    assert "not proved" in stronger.standing


@pytest.mark.parametrize("k", [2, 3, 6])
def test_clones_never_beat_the_blanket(k):
    at, local = Epsilon.log("21/20"), Epsilon.log(3)
    blanket = blanket_pair(50, randomized_response(k, local)).delta(at)
    for family in (clone_pair, stronger_clone_pair):
        assert blanket.lower <= family(50, local).delta(at, relative_width="1e-9").upper


def test_an_infinite_epsilon():
    found = shuffle_worst_case(5, GAPS)
    with pytest.raises(DomainError, match="infinite"):
        found.published("1e-9")


def test_an_empty_blanket_is_refused():
    with pytest.raises(DomainError, match="blanket is empty"):
        shuffle_worst_case(5, Randomizer.from_matrix([[1, 0], [0, 1]]))


def test_rows_are_kept_by_their_ratios():
    half, third = Exact("1/2"), Exact("1/3")
    hidden = Hidden.of([(half, third, third), (half, third, third), (Exact(0), third, third)])
    assert len(hidden.shared) == 2 and hidden.turned().turned() == hidden


def test_all_routes_to_a_sum_of_scores_agree():
    draw, several = random.Random(20), 0
    for _ in range(30):
        rows = [[draw.randint(1, 9) for _ in range(2)] for _ in range(4)]
        first, second, *others = ([Exact(w) / sum(row) for w in row] for row in rows)
        groups = tuple((tuple(row), draw.choice([3, 40, 2000])) for row in others)
        scores = ScoreSum(tuple(first), tuple(second), groups)
        if not first[0] > Exact("11/10") * second[0] and not first[1] > Exact("11/10") * second[1]:
            continue
        width = Fraction(1, 10**20)
        one = scores.delta(Epsilon.log("11/10"), relative_width=width)
        other = scores.within_window(Exact("11/10"), width)
        assert all(found.width <= width * found.lower for found in (one, other))
        assert one.lower <= other.upper and other.lower <= one.upper
        several += 1
        assert one.route == "the law of a number of trials"
    assert several > 15
