"""Theorems 1 and 2 as terms against their definitions, and the certified bound against them."""

import itertools
from fractions import Fraction
from math import comb, floor

import pytest
from flint import arb, arb_poly

from exactdp.claims import hockey_stick, value
from exactdp.distributions import poisson_binomial, sum_window
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, fmpq_of, precision
from exactdp.numbers.balls import endpoints
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.curves import CentralBound
from proofs_check.liu2024.noise import (
    Shape,
    gaussian_noise,
    least_probability,
    victim_probability,
)
from proofs_check.liu2024.theorems import (
    Profile,
    best_delta,
    breakpoints,
    equation_5,
    response_profiles,
    slope_ratio,
    sums,
    t_epsilon,
    weights,
)
from proofs_check.liu2024.trials.section_3_3 import best_test, trade_off

P = [Fraction(1, 4), Fraction(1, 6), Fraction(1, 3), Fraction(1, 10)]
OTHERS = [(p, 1) for p in P]
W = Fraction(1, 5)
GAMMAS = [Fraction(11, 10), Fraction(3, 2), Fraction(2)]


def values(t, first=0):
    return [value(x) for x in sums(OTHERS, t, first=first)]


def five(gamma, t, *, delta_1=Fraction(0)):
    alpha, plus = values(t)
    given = {"exp_epsilon": gamma, "w": W, "delta_1": delta_1}
    return bounds.central_delta(None, alpha=alpha, plus=plus, **given)


def largest(gamma, **given):
    return max(five(gamma, t, **given) for t in breakpoints(5))


def test_weights_are_the_law_of_a_count():
    law = poisson_binomial([2 * p for p in P])
    assert [value(w) for w in weights(OTHERS)] == [law[i] for i in range(5)]


@pytest.mark.parametrize("first", [0, 1])
def test_sums_are_tail_probabilities(first):
    law = [value(w) for w in weights(OTHERS)]
    for t in breakpoints(5):
        for more, found in enumerate(values(t, first)):
            ends = [floor(i + more - Fraction(i + 1) / (t + 1)) for i in range(5)]
            parts = (
                law[i] * Fraction(sum(comb(i, k) for k in range(ends[i] + 1)), 2**i)
                for i in range(first, 5)
            )
            assert found == sum(parts, Exact(0))


def test_sums_are_constant_between_breakpoints():
    for a, b in itertools.pairwise(breakpoints(5)):
        assert values(a) == values((a + b) / 2) != values(b)


@pytest.mark.parametrize("f_s", [bounds.trade_off, bounds.trade_off_of_complement])
def test_the_printed_f_s_is_no_trade_off_function_and_its_complement_is_one(f_s):
    points = []
    for t in breakpoints(5):
        alpha, plus = values(t)
        points.append((alpha, f_s(None, alpha=alpha, plus=plus, w=W, delta_1=Fraction(1, 100))))
    falls = all(after <= before for (_, before), (_, after) in itertools.pairwise(points))
    inside = all(0 <= v <= 1 - a for a, v in points)
    slopes = [(v - u) / (b - a) for (a, u), (b, v) in itertools.pairwise(points)]
    is_one = falls and inside and all(s <= r for s, r in itertools.pairwise(slopes))
    assert is_one == (f_s is bounds.trade_off_of_complement)


@pytest.mark.parametrize("delta_1", [Fraction(0), Fraction(1, 100)])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_best_value_of_equation_5(gamma, delta_1):
    # ... is the conjugate of the complement, a divergence of the clones, and at its best t.
    best = largest(gamma, delta_1=delta_1)
    conjugate = max(
        1 - gamma * alpha - bounds.trade_off_of_complement(
            None, alpha=alpha, plus=plus, w=W, delta_1=delta_1
        )
        for alpha, plus in map(values, breakpoints(5))
    )  # fmt: skip
    assert best == conjugate
    assert value(best_delta(OTHERS, w=W, exp_epsilon=gamma, delta_1=delta_1)) == best
    t = bounds.best_t(None, exp_epsilon=gamma, w=W, delta_1=delta_1)
    assert five(gamma, t, delta_1=delta_1) == best


def test_no_bound_is_left_for_large_w():
    assert value(best_delta(OTHERS, w=Fraction(1, 2), exp_epsilon=1)) == 0


def test_equation_5_drops_the_first_term():
    found = value(equation_5(OTHERS, Fraction(1, 3), w=W, exp_epsilon=2))
    none = value(weights(OTHERS)[0])
    assert found == five(2, Fraction(1, 3)) - (1 - 2 * W) * none


def test_the_slope_by_hand():
    # i = 1, t = 1: x = 1, −f_1(1)/f_1(0) = −1; n = 3, t = 1/2: f_1(0) + f_2(1) over f_2(0).
    assert [value(x) for x in slope_ratio(2, Fraction(1))] == [Fraction(1, 2)] * 2
    assert [value(x) for x in slope_ratio(3, Fraction(1, 2))] == [Fraction(1), Fraction(1, 4)]


def test_t_epsilon_by_hand():
    # n = 2: l is minus infinity before t = 1 and −1 there: (1 − 2w)(−1) − 2w = −1 >= −2.
    t, why = t_epsilon(2, w=W, exp_epsilon=Fraction(2))
    assert t == 1
    assert len(why) == len(breakpoints(2))
    assert all(relation.holds() for relation in why)
    assert t_epsilon(2, w=W, exp_epsilon=Fraction(1, 2))[0] is None


def test_profiles():
    (ratios, profile), *more = response_profiles(2, (2, 3))
    assert (ratios, len(more)) == ((3, 2), 1)
    assert profile.rows[2] == (Fraction(2, 3), Fraction(1, 3))
    both = [hockey_stick(profile.view(inputs), 2) for inputs in ((0, 1), (1, 0))]
    assert value(profile.delta(2)) == max(map(value, both)) == Fraction(1, 6)
    w, ((p, count),) = profile.probabilities()
    assert (value(w), value(p), count) == (Fraction(1, 4), Fraction(1, 3), 1)


def test_the_best_test_is_of_its_level():
    profile = Profile(((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))))
    inputs, region, extra = best_test(profile, Exact("1/8"))
    assert (inputs, region, extra) == ((0, 1), [], (0, 1))  # the rare letter, half of the time
    assert best_test(profile, Exact("1/4"))[1] == [(0, 1)]
    # Without others f_s(α) is 2w(1 − α) + (1 − 2w)(1 − F_0): 1/2 at α = 0, below the truth 1.
    found = trade_off(profile, Fraction(0))
    assert all(relation.holds() for relation in found.relations)


@pytest.mark.parametrize("delta_1", [Fraction(0), Fraction(1, 50)])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_certified_best_value(gamma, delta_1):
    found = CentralBound(OTHERS, w=W, delta_1=delta_1).best_delta(Epsilon.log(gamma))
    assert found.contains(largest(gamma, delta_1=delta_1))
    assert found.width < Fraction(1, 10**40)


def test_w_of_one_half_has_no_best_t():
    with pytest.raises(DomainError, match="below 1/2"):
        CentralBound([("1/4", 3)], w=Exact("11/20")).best_delta(Epsilon.rational("1/5"))


def least_delta(zero, one, other, count, *, edges, gamma):
    """A lower bound on D_γ: the sum of the bins' numbers of all messages is a post-processing."""
    cuts = [None, *map(Exact, edges), None]
    first, second, third = (
        [noise.mass([region]) for region in itertools.pairwise(cuts)]
        for noise in (zero, one, other)
    )
    window = sum_window([(third, count)], bits=192)
    with precision(256):
        g = gamma.ball(256)
        gains = [u.ball(256) - g * v.ball(256) for u, v in zip(first, second, strict=True)]
        parts = (arb_poly(gains) * arb_poly(list(window.weights))).coeffs()
        total = sum((part for part in parts if part > 0), arb(0)) * arb(2) ** -window.bits
        loss = arb(fmpq_of(window.missing)) * sum((abs(gain) for gain in gains), arb(0))
        return endpoints(total - loss)[0]


def test_theorem_2_is_below_ten_thousand_gaussian_users():
    # The others have a little less than the victim's ε; all bins are a post-processing.
    zero, one, other = gaussian_noise(0, 3), gaussian_noise(1, 3), gaussian_noise(0, "3003/1000")
    p = least_probability(Shape.GAUSSIAN, Fraction(3), Fraction(3003, 1000))
    bound = CentralBound([(p, 9999)], w=victim_probability(zero, one))
    claimed = bound.best_delta(Epsilon.rational("1/50"))
    edges = range(-11, 13)
    gamma = Exact.exp("1/50")
    directions = ((zero, one), (one, zero))
    truth = max(least_delta(*pair, other, 9999, edges=edges, gamma=gamma) for pair in directions)
    assert truth > claimed.upper > 0
