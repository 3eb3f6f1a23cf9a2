"""Theorems 1 and 2: the certified evaluation against exact sums, and the conjugate."""

import itertools
from fractions import Fraction

import pytest

from exactdp.divergences import hockey_stick_divergence
from exactdp.errors import DomainError
from exactdp.numbers import Exact, log
from exactdp.shuffle import PersonalizedCountPair
from proofs_check.liu2024.curves import (
    CentralBound,
    SlopeWeights,
    breakpoints,
    clone_count_weights,
    exact_slope_ratio,
    exact_sums,
    exact_t_epsilon,
    trade_off_fault,
    trade_off_points,
)
from proofs_check.liu2024.noise import gaussian_noise, other_probabilities, victim_probability
from proofs_check.liu2024.truth import score_view

OTHERS = [Exact("1/4"), Exact("1/6"), Exact("1/3"), Exact("1/10")]
WEIGHTS = clone_count_weights(OTHERS)
W = Exact("1/5")
GAMMAS = [Fraction(11, 10), Fraction(3, 2), Fraction(2)]


def equation_5(exp_epsilon, sums, *, w=W, delta_1=0):
    first = -exp_epsilon + (1 - delta_1) * 2 * w + delta_1
    return first * sums.alpha + (1 - delta_1) * (1 - 2 * w) * sums.plus


def test_weights_by_hand():
    none = Exact(1)
    for p in OTHERS:
        none *= 1 - 2 * p
    assert WEIGHTS[0] == none
    assert sum(WEIGHTS, Exact(0)) == 1


def test_sums_are_tail_probabilities():
    # Two others, C = 2 surely, t = 1: x = 3/2, F_2(1/2) = 1/4 and F_2(3/2) = 3/4.
    sums = exact_sums([Exact(0), Exact(0), Exact(1)], t=Fraction(1))
    assert (sums.alpha, sums.plus) == (Fraction(1, 4), Fraction(3, 4))


def test_sums_are_constant_between_breakpoints():
    points = breakpoints(len(WEIGHTS))
    for a, b in itertools.pairwise(points):
        assert exact_sums(WEIGHTS, t=a) == exact_sums(WEIGHTS, t=(a + b) / 2)
        assert exact_sums(WEIGHTS, t=a) != exact_sums(WEIGHTS, t=b)


def test_the_printed_trade_off_is_none_and_its_complement_is_one():
    printed = trade_off_points(WEIGHTS, w=W, delta_1=Exact(0), complement=False)
    assert trade_off_fault(printed) is not None
    for delta_1 in (Exact(0), Exact("1/100")):
        points = trade_off_points(WEIGHTS, w=W, delta_1=delta_1, complement=True)
        assert trade_off_fault(points) is None
        # At t = n all but the last letter count: the end (1, 0) is not among the points.
        assert points[0][0] == 0


def test_faults_are_named():
    assert "outside" in trade_off_fault([(Exact("1/2"), Exact("3/4"))])
    assert "increases" in trade_off_fault([(Exact(0), Exact(0)), (Exact("1/4"), Exact("1/8"))])
    bent = [(Exact(0), Exact(1)), (Exact("1/2"), Exact("1/2")), (Exact("3/4"), Exact(0))]
    assert "convex" in trade_off_fault(bent)


@pytest.mark.parametrize("delta_1", [Exact(0), Exact("1/100")])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_equation_5_is_the_conjugate_of_the_complement(gamma, delta_1):
    points = trade_off_points(WEIGHTS, w=W, delta_1=delta_1, complement=True)
    conjugate = max(1 - gamma * alpha - value for alpha, value in points)
    five = max(
        equation_5(gamma, exact_sums(WEIGHTS, t=t), delta_1=delta_1)
        for t in breakpoints(len(WEIGHTS))
    )
    assert five == conjugate
    t = (1 - delta_1) * (1 - 2 * W) / (gamma - 2 * W * (1 - delta_1) - delta_1)
    assert equation_5(gamma, exact_sums(WEIGHTS, t=t.as_fraction()), delta_1=delta_1) == five


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_conjugate_is_a_divergence_of_pure_counts(gamma):
    # With δ_1 = 0: (1 − 2w)·D_γ'(Q_0 ‖ P_0), γ' = (γ − 2w)/(1 − 2w); a = 1 is the pair.
    pair = PersonalizedCountPair(Exact(1), tuple((r, 1) for r in OTHERS)).pair()
    inner = (gamma - 2 * W) / (1 - 2 * W)
    five = max(equation_5(gamma, exact_sums(WEIGHTS, t=t)) for t in breakpoints(len(WEIGHTS)))
    assert five == (1 - 2 * W) * hockey_stick_divergence(pair, exp_epsilon=inner)


def bound(**options):
    return CentralBound([(p, 1) for p in OTHERS], w=W, **options)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("t", ["1/3", "1/2", "2/3", "1", "3"])
def test_certified_values_hold_the_exact_ones(t, first):
    share = Fraction(t)
    sums = exact_sums(WEIGHTS, t=share, first=first)
    alpha, plus = bound().sums(t=share, first=first)
    for found, exact in ((alpha, sums.alpha), (plus, sums.plus)):
        ball = found.ball(300)
        assert abs(ball.mid() - exact.ball(300).mid()) < Exact("1e-40").ball(64)
    for gamma in GAMMAS:
        value = bound().delta(epsilon=log(Exact(gamma)), t=share, first=first)
        truth = equation_5(gamma, sums)
        assert value.contains(truth)
        assert value.width < Fraction(1, 10**40)


def test_certified_values_with_a_failure_probability():
    delta_1 = Exact("1/50")
    sums = exact_sums(WEIGHTS, t=Fraction(1, 2), first=1)
    value = bound(delta_1=delta_1).delta(epsilon=log(Exact(2)), t=Fraction(1, 2))
    assert value.contains(equation_5(2, sums, delta_1=delta_1))


@pytest.mark.parametrize("gamma", GAMMAS)
def test_certified_best_value(gamma):
    value = bound().best_delta(epsilon=log(Exact(gamma)), first=0)
    truth = max(equation_5(gamma, exact_sums(WEIGHTS, t=t)) for t in breakpoints(len(WEIGHTS)))
    assert value.contains(truth)
    assert value.width < Fraction(1, 10**40)
    from_one = bound().best_delta(epsilon=log(Exact(gamma)))
    assert from_one.contains(truth - (1 - 2 * W) * WEIGHTS[0])  # i = 0 is dropped in (5)


@pytest.mark.parametrize("slope_weights", list(SlopeWeights))
@pytest.mark.parametrize("gamma", GAMMAS)
def test_printed_t_epsilon(gamma, slope_weights):
    arguments = {"w": W, "delta_1": Exact(0), "slope_weights": slope_weights}
    exact = exact_t_epsilon(WEIGHTS, exp_epsilon=Exact(gamma), **arguments)
    ends = bound().t_epsilon(epsilon=log(Exact(gamma)), slope_weights=slope_weights)
    assert ends.lower < exact <= ends.upper
    assert ends.width < Fraction(1, len(WEIGHTS) ** 2)
    printed = bound().printed_delta(epsilon=log(Exact(gamma)), slope_weights=slope_weights)
    assert printed.contains(equation_5(gamma, exact_sums(WEIGHTS, t=exact, first=1)))


@pytest.mark.parametrize("slope_weights", list(SlopeWeights))
def test_slope_ratios(slope_weights):
    for t in (Fraction(1, 2), Fraction(1), Fraction(2)):
        exact = exact_slope_ratio(WEIGHTS, t=t, slope_weights=slope_weights)
        ball = bound().slope_ratio(t=t, slope_weights=slope_weights).ball(200)
        assert abs(ball.mid() - exact.ball(300).mid()) < Exact("1e-40").ball(64)
    assert exact_slope_ratio(WEIGHTS, t=Fraction(0), slope_weights=slope_weights) is None


def test_w_of_one_half_has_no_best_t():
    with pytest.raises(DomainError, match="below 1/2"):
        CentralBound([("1/4", 3)], w=Exact("11/20")).best_delta(epsilon=Exact("1/5"))


def test_theorem_2_is_below_ten_thousand_gaussian_users():
    # The others have a little less than the victim's ε; all bins are a post-processing.
    zero, one = gaussian_noise(0, 3), gaussian_noise(1, 3)
    other = gaussian_noise(0, "3003/1000")
    p = min(other_probabilities(zero, one, other), key=lambda x: x.ball(64).mid())
    w = victim_probability(zero, one)
    claimed = CentralBound([(p, 9999)], w=w).best_delta(epsilon=Exact("1/50"))
    edges = [Fraction(k, 2) for k in range(-22, 25, 2)]
    view = score_view(zero, one, [(other, 9999)], edges=edges)
    gamma = Exact.exp("1/50")
    truth = max(view.delta(exp_epsilon=gamma).lower, view.reverse_delta(exp_epsilon=gamma).lower)
    assert truth > claimed.upper > 0
