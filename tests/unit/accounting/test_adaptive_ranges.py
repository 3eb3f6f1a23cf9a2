"""Adaptive composition of the exponential mechanism: the optimum, alone and beside others."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.accounting import CertifiedComposition, LossProfile, compose, compose_certified
from exactdp.accounting.composition.adaptive_ranges import AdaptiveRanges
from exactdp.divergences import Pair
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import exponential_mechanism, gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Enclosure, Epsilon, Exact
from tests.routes.reals import mpf_of

nats, ln = Epsilon.rational, Epsilon.log
CHOICE = exponential_mechanism(scale=2)  # of range 1


def meet(one, other):
    return one.lower <= other.upper and other.lower <= one.upper


@mpmath.workdps(30)
@pytest.mark.parametrize("epsilon", ["-1/2", "0", "1/2", "3/2"])
def test_two_in_a_row_by_the_closed_form_of_one(epsilon):
    x, r = mpmath.exp(mpf_of(Fraction(epsilon))), mpmath.mpf(1)

    def once(y):
        e = mpmath.log(y)
        if e >= r:
            return mpmath.mpf(0)
        return 1 - y if e <= -r else (1 - mpmath.exp((e - r) / 2)) ** 2 / (1 - mpmath.exp(-r))

    def value(t):
        p = (mpmath.exp(r) - mpmath.exp(t)) / (mpmath.exp(r) - 1)
        return p * once(x * mpmath.exp(-t)) + (1 - p) * once(x * mpmath.exp(r - t))

    truth = max(value(r * i / 2000) for i in range(2001))
    found = compose([(CHOICE, 2)]).delta(nats(epsilon), relative_width="1e-4")
    assert mpf_of(found.lower) <= truth * (1 + mpmath.mpf("1e-6"))
    assert truth <= mpf_of(found.upper)
    assert found.width <= found.lower / 10**4


@pytest.mark.parametrize(("times", "epsilon"), [(2, "0"), (5, "1/2"), (5, "3/2")])
def test_it_is_between_one_pair_for_all_and_pairs_that_dominate(epsilon, times):
    def delta(part):
        return compose_certified([(part, times)]).delta(nats(epsilon), relative_width="1e-4")

    found = compose([(CHOICE, times)]).delta(nats(epsilon), relative_width="1e-3")
    same = max(delta(CHOICE.pair(Fraction(k, 16))).lower for k in (8, 10))
    assert same <= found.upper
    assert found.lower <= delta(LossProfile(CHOICE.loss_law())).upper


def test_beside_another_it_is_run_last():
    """A pair first, then the mechanism: E h_1(x e^-L) over the losses of the pair."""
    coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    found = compose([(CHOICE, 1), (coin, 1)]).delta(ln(2), relative_width="1e-4")
    truth = Exact("3/4") * CHOICE.delta(ln("2/3")) + Exact("1/4") * CHOICE.delta(ln(6))
    assert meet(found, enclosed(truth, "1e-12"))
    several = compose([(CHOICE, 2), (coin, 1)])
    ends = several.delta(ln(2), relative_width="1e-2")
    alone = AdaptiveRanges(Fraction(1), 2)
    parts = [
        (Fraction(share), alone.delta(ln(ratio), relative_width="1e-4"))
        for share, ratio in (("3/4", "2/3"), ("1/4", 6))
    ]
    lower, upper = (sum(s * getattr(d, end) for s, d in parts) for end in ("lower", "upper"))
    assert meet(ends, Enclosure(lower, upper))
    assert ends.width <= ends.lower / 100


def test_pairs_near_it_are_below_and_above():
    found = AdaptiveRanges(Fraction(1, 2), 3)
    low, high = found.pairs_near(60, Fraction(1, 10**6))
    for epsilon in ("-1", "0", "1/3", "1", "7/5"):
        truth = found.delta(nats(epsilon), relative_width="1e-3")
        below, above = (pair.delta(nats(epsilon)) for pair in (low, high))
        assert below <= truth.upper and truth.lower <= above
    assert high.delta(nats("1/2")) < low.delta(nats("1/2")) * Fraction(21, 20)


def test_divergences_are_those_of_the_best_choice_each_time():
    found = AdaptiveRanges(Fraction(1), 3)
    one = CHOICE.renyi(4, relative_width="1e-9")
    three = found.renyi(4, relative_width="1e-9")
    assert meet(three, Enclosure(3 * one.lower, 3 * one.upper))
    fixed = [CHOICE.pair(Fraction(k, 32)).renyi(4, relative_width="1e-9") for k in range(16, 32)]
    best = max(3 * x.upper for x in fixed)
    assert (
        three.lower <= best * (1 + Fraction(1, 1000))
        and max(3 * x.lower for x in fixed) <= three.upper
    )


def test_epsilon_and_delta_agree():
    found = compose([(exponential_mechanism(scale=10), 20)])
    ends = found.epsilon("1e-5", relative_width="1e-3")
    assert found.delta(nats(ends.upper), relative_width="1e-2").lower <= Fraction(1, 10**5)
    assert found.delta(nats(ends.lower), relative_width="1e-2").upper >= Fraction(1, 10**5)
    assert ends.width <= ends.lower / 1000


def test_what_is_composed_otherwise():
    choices = exponential_mechanism(scale=10)
    assert compose([(choices, 1)]) is choices
    assert compose([(choices, 2), (CHOICE, 1)]).reached == "bound"  # two ranges
    assert compose([(choices, 5001)]).reached == "bound"
    beside = compose([(choices, 2), (gaussian_mechanism(sigma=3), 1)])
    assert beside.reached == "each epsilon"
    assert isinstance(beside.profiles[0], CertifiedComposition)
    alone = compose([(choices, 1), (choices, 2)])
    assert alone.reached == "each epsilon"
    assert alone.profiles == (AdaptiveRanges(Fraction(1, 5), 3),)


def test_bad_input_says_what_helps():
    with pytest.raises(DomainError, match="size=0 is not above 0"):
        AdaptiveRanges(Fraction(0), 2)
    with pytest.raises(DomainError, match="times=5001 is not from 1 to 5000"):
        AdaptiveRanges(Fraction(1), 5001)
    with pytest.raises(UndecidedError, match=r"δ is in \[.*Ask for a wider"):
        AdaptiveRanges(Fraction(1), 40).delta(nats(9), relative_width="1e-9")


def test_beside_noise_the_ends_hold_at_both_signs_of_epsilon():
    noise = laplace_mechanism(scale=4)
    together = compose([(CHOICE, 2), (noise, 2)])
    for epsilon in ("-1/2", "0", "1"):
        ends = together.delta(nats(epsilon), relative_width="2e-2")
        least, most = (
            compose([(one, 2), (noise, 2)]).delta(nats(epsilon), relative_width="1e-3")
            for one in (CHOICE.pair("1/2"), LossProfile(CHOICE.loss_law()))
        )
        assert least.lower <= ends.upper and ends.lower <= most.upper


def test_ranges_beyond_doubles_lie_between_one_choice_and_all():
    choices = exponential_mechanism(scale="1/500")  # of range 1000
    twice = compose([(choices, 2)])
    assert twice.reached == "bound"
    found = twice.epsilon("1e-5")
    assert 1000 < found.lower <= found.upper <= 2000
