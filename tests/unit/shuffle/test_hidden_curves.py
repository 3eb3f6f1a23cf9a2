"""Curves of hidden victims: finite pairs around them, against exact views and other routes."""

from dataclasses import replace
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from exactdp.accounting import compose
from exactdp.divergences import Pair, Worst
from exactdp.divergences.dots import pairs_through
from exactdp.divergences.values import enclosed
from exactdp.mechanisms import (
    Randomizer,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
    subset_selection,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import ScoreSum, Users, Victim, shuffle_view, shuffle_worst_case
from exactdp.shuffle.at_scale.hidden_curves import end_of_curves, largest_curve
from exactdp.shuffle.at_scale.hiding import Hidden, HiddenVictim
from exactdp.shuffle.noise_pairs import pairs_on_grid
from exactdp.shuffle.noise_reports import NoiseBlanket, dominating_view
from exactdp.sums import Suffixes

SURVEY = randomized_response(3, Epsilon.log(4))
UNEVEN = Randomizer.from_matrix([["1/2", "1/3", "1/6"], ["1/6", "1/2", "1/3"]])
REST = Fraction(1, 10**8)


def at(ratio):
    return Epsilon.log(Fraction(ratio))


def hidden_and_exact(randomizer, others, n):
    rows = randomizer.rows
    hidden = Hidden.of(zip(rows[0], rows[1], rows[others], strict=True))
    view = shuffle_view(Victim(randomizer, (0, 1)), [Users(randomizer, others, n - 1)])
    return HiddenVictim(n, hidden), view


@pytest.mark.parametrize("n", [3, 12])
@pytest.mark.parametrize(("randomizer", "others"), [(SURVEY, 2), (SURVEY, 0), (UNEVEN, 1)])
def test_pairs_near_a_hidden_victim_are_on_both_sides_of_the_exact_view(randomizer, others, n):
    curve, exact = hidden_and_exact(randomizer, others, n)
    low, high = curve.pairs_near(60, REST)
    for ratio in ("1/3", "2/3", "9/10", 1, "10/9", "3/2", 2, 3):
        truth = exact.delta(at(ratio))
        assert low.delta(at(ratio)) <= truth <= high.delta(at(ratio))
    assert high.delta(at(1)) - low.delta(at(1)) < exact.delta(at(1)) / 10


def test_what_is_composed_is_between_the_compositions_of_the_pairs():
    curve, exact = hidden_and_exact(UNEVEN, 1, 5)
    truth = compose([(exact, 3)]).delta(at("3/2"), relative_width="1e-9")
    low, high = (compose([(pair, 3)]) for pair in curve.pairs_near(100, REST))
    ends = [enclosed(one.delta(at("3/2")), "1e-9") for one in (low, high)]
    assert ends[0].lower <= truth.upper and truth.lower <= ends[1].upper
    assert ends[1].upper < truth.upper * Fraction(12, 10)


def test_the_middles_bring_the_pair_below_nearer():
    noise = laplace_mechanism(scale=1)
    ratios = [Fraction(round(2**40 * exp(i / 20)), 2**40) for i in range(-30, 30)]
    values = [enclosed(noise.delta(at(x)), "1e-20") for x in ratios]
    none = Fraction(0), Fraction(0)
    with_middles = pairs_through(ratios, values, none, unit=2**60, has_middles=True)
    without = pairs_through(ratios[1::2], values[1::2], none, unit=2**60)
    for nats in (-0.6, -0.3, -0.01, 0.2, 0.41, 0.6):
        ratio = Fraction(round(2**20 * exp(nats)), 2**20)
        truth = enclosed(noise.delta(at(ratio)), "1e-20")
        below = without[0].delta(at(ratio)), with_middles[0].delta(at(ratio))
        assert below[0] < below[1] <= truth.lower
        assert with_middles[1].delta(at(ratio)) == without[1].delta(at(ratio)) >= truth.lower


def test_suffixes_tell_delta_of_an_exact_pair():
    p = [Fraction(k * k + 1, 650) for k in range(12)]
    q = [Fraction(20 - k, 174) for k in range(12)]
    p[-1], q[-1] = 1 - sum(p[:-1]), 1 - sum(q[:-1])
    pair = Pair.from_masses(p, q)
    law = Suffixes.of(np.array([float(x) for x in p]), np.array([float(x) for x in q]), Fraction(0))
    ratios = [Fraction(1), Fraction(11, 10), p[-1] / q[-1], Fraction(3, 2), Fraction(9)]
    for ratio, found in zip(ratios, law.deltas(ratios), strict=True):
        truth = pair.delta(at(ratio)).as_fraction()
        assert found.lower <= truth <= found.upper <= truth + Fraction(1, 10**12)


def test_the_largest_of_scores_is_above_all_of_them():
    t, q = Exact("3/4"), Exact("1/4")
    rows = (((t, q), 40), ((q, t), 9)), (((q, t), 49),)
    scores = [ScoreSum((t, q), (q, t), others) for others in rows]
    low, high = largest_curve(scores).pairs_near(80, REST)
    for ratio in ("3/4", 1, "6/5", "3/2"):
        largest = max((one.delta(at(ratio), relative_width="1e-9") for one in scores), key=float_of)
        assert low.delta(at(ratio)) <= largest.upper and largest.lower <= high.delta(at(ratio))


def float_of(found):
    return float(found.lower)


@pytest.mark.parametrize(
    ("randomizer", "n"),
    [
        (randomized_response(4, Epsilon.rational(1)), 1_000),
        (subset_selection(6, at(3), size=2), 10**6),
    ],
)
def test_a_survey_a_week_for_a_year_lies_between_named_ends(randomizer, n):
    weekly = shuffle_worst_case(n, randomizer)
    one, year = (
        profile.epsilon("1e-6", relative_width="5e-2")
        for profile in (weekly, compose([(weekly, 52)]))
    )
    assert 0 < year.lower < year.upper < year.lower * Fraction(12, 10)
    # Losses add up, and about as their deviations do.
    assert one.upper < year.lower and year.upper < 52 * one.lower
    assert 7 * one.lower < year.upper and year.lower < 10 * one.upper
    assert "all others on input" in year.lower_by and "blanket" in year.upper_by


def test_the_curve_of_a_year_is_that_of_the_same_view_asked_point_by_point():
    view = shuffle_worst_case(400, SURVEY).below[-1].profile
    found = compose([(view, 52)]).epsilon("1e-5", relative_width="3e-2")
    # The same, by few points that are told by the route of a single δ.
    ratios = [Fraction(round(2**30 * exp(k / 20)), 2**30) for k in range(-22, 22)]
    values = [enclosed(view.delta(at(x), relative_width="1e-4"), "1e-6") for x in ratios]
    low, high = pairs_through(ratios, values, (Fraction(0), Fraction(0)), unit=2**60)
    assert compose([(low, 52)]).epsilon("1e-5", relative_width="1e-2").lower <= found.upper
    assert found.lower <= compose([(high, 52)]).epsilon("1e-5", relative_width="1e-2").upper


def test_reports_with_noise_compose_between_named_ends():
    noise = laplace_mechanism(scale=1)
    weekly = shuffle_worst_case(1_000, noise)
    found = compose([(weekly, 52)]).epsilon("1e-6", relative_width="1e-1")
    assert 0 < found.lower < found.upper < found.lower * Fraction(3, 2)
    assert "profile" in found.lower_by and "blanket" in found.upper_by
    assert found.upper < compose([(noise, 52)]).epsilon("1e-6", relative_width="1e-2").lower


@pytest.mark.parametrize("cells", [1, 2])
def test_reports_of_a_finite_pair_below_noise_are_those_of_the_exact_view(cells):
    low, _ = pairs_on_grid(laplace_mechanism(scale=1), bits=12, cells=cells)
    p, q = zip(*low.masses(), strict=True)
    exact = shuffle_view(Victim(Randomizer((p, q)), (0, 1)), [Users(Randomizer((p, q)), 1, 5)])
    report = HiddenVictim(6, Hidden.of((x, y, y) for x, y in zip(p, q, strict=True)))
    for ratio in (1, "11/10", "4/3"):
        truth = enclosed(exact.delta(at(ratio)), "1e-9")
        found = report.delta(at(ratio), relative_width="1e-2")
        assert found.lower <= truth.upper and truth.lower <= found.upper


def test_the_bound_of_noise_is_above_the_views_of_a_finite_pair_below():
    noise = gaussian_mechanism(sigma=2)
    low, _ = pairs_on_grid(noise, bits=30, cells=8)
    report = HiddenVictim(500, Hidden.of((p, q, q) for p, q in low.masses()))
    pairs = report.pairs_near(40, REST)[0], NoiseBlanket(noise, 500).pairs_near(40, REST)[1]
    for nats in ("-1/20", 0, "1/50", "1/20", "1/10"):
        epsilon = Epsilon.rational(Fraction(nats))
        assert pairs[0].delta(epsilon) < pairs[1].delta(epsilon)


def test_pairs_on_a_grid_are_on_both_sides_of_noise():
    for noise in (laplace_mechanism(scale=2), gaussian_mechanism(sigma=1)):
        low, high = pairs_on_grid(noise, bits=30, cells=12)
        for nats in (-0.4, -0.1, 0, 0.3, 0.45):
            epsilon = Epsilon.log(Fraction(round(2**20 * exp(nats)), 2**20))
            truth = enclosed(noise.delta(epsilon), "1e-15")
            assert low.delta(epsilon) <= truth.upper and truth.lower <= high.delta(epsilon)
            assert high.delta(epsilon) - low.delta(epsilon) < Fraction(1, 200)


def test_a_year_of_noisy_reports_is_near_that_of_one_fine_view():
    """Views for more points are finer, and below coarser ones: only the last is narrowed."""
    noise = laplace_mechanism(scale="1/2")
    year = compose([(shuffle_worst_case(1000, noise), 52)])
    ends = year.epsilon("1e-6", relative_width="1e-3")
    fine = HiddenVictim(1000, dominating_view(noise, bits=48, cells=24))
    found = compose([(fine, 52)]).epsilon("1e-6", relative_width="1e-2")
    assert 0 < ends.lower < ends.upper
    assert found.lower * Fraction(99, 100) < ends.upper < found.upper * Fraction(102, 100)


def test_a_bound_that_is_asked_after_another_needs_fewer_rounds_and_says_the_same(monkeypatch):
    year = compose([(shuffle_worst_case(1000, randomized_response(64, Epsilon.rational(1))), 52)])
    below, above = year.below[0].profile, year.above[0].profile
    assert above.like is below
    at = {"relative_width": "1e-3"}
    below.epsilon("1e-6", **at)
    pairs_near, sizes = Worst.pairs_near, []

    def noted(self, size, *rest):
        sizes.append(size)
        return pairs_near(self, size, *rest)

    monkeypatch.setattr(Worst, "pairs_near", noted)
    after, rounds = above.epsilon("1e-6", **at), len(sizes)
    alone = replace(above, like=None).epsilon("1e-6", **at)
    assert rounds == 2 < len(sizes) - rounds  # the first polygons, and those that are fine enough
    assert after.lower <= alone.upper and alone.lower <= after.upper
    assert after.upper - after.lower <= after.lower / 1000


@pytest.mark.parametrize("rest", [REST, Fraction(1, 1000)])
def test_the_end_of_a_curve_is_the_first_place_where_little_is_left(rest):
    curve, _ = hidden_and_exact(SURVEY, 2, 400)
    end = end_of_curves((curve,), rest)
    step = Fraction(curve.loss_deviation()) / 2
    here, before = (enclosed(curve.delta(Epsilon.rational(x)), "1e-3") for x in (end, end - step))
    assert here.lower <= 2 * rest
    assert before.upper * Fraction(6, 5) > 2 * rest  # it is sought to some smoothing


def test_large_values_take_more_bits():
    """With 128 bits the phases of the largest of these ratios are not told."""
    blanket = NoiseBlanket(gaussian_mechanism(sigma="1/2"), 1000)
    low, high = blanket.pairs_near(320, Fraction(1, 2**40))
    assert low.delta(at(1)) <= high.delta(at(1)) < 1
