"""DP-SGD and what a target needs of it, against grids, closed forms and each other."""

from fractions import Fraction

import pytest

from exactdp.accounting import (
    compose_on_grid,
    dp_sgd,
    dp_sgd_rate,
    dp_sgd_sigma,
    dp_sgd_steps,
    poisson_subsampled,
)
from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism, smallest_sigma
from exactdp.numbers import Epsilon, enclosure

AT, TARGET = Epsilon.rational(2), Fraction(1, 10**5)


def delta(**settings):
    return dp_sgd(**settings).delta(AT, relative_width="1e-6")


def test_the_grids_say_the_same():
    one = poisson_subsampled(gaussian_mechanism(sigma=1), rate="1/100")
    sides = [compose_on_grid([(p, 300)]).losses for p in (one, one.reversed())]
    found = delta(sigma=1, rate="1/100", steps=300)
    grids = [side.delta(AT, relative_width=Fraction(1, 20)) for side in sides]
    assert max(g.lower for g in grids) <= found.upper
    assert found.lower <= max(g.upper for g in grids)


def test_the_smallest_sigma_meets_the_target_and_less_does_not():
    found = dp_sgd_sigma(AT, TARGET, rate="1/100", steps=1000, relative_width="1e-1")
    assert delta(sigma=found.upper, rate="1/100", steps=1000).upper <= TARGET
    assert delta(sigma=found.lower, rate="1/100", steps=1000).lower > TARGET


def test_without_sampling_sigma_is_that_of_one_gaussian():
    found = dp_sgd_sigma(AT, TARGET, rate=1, steps=100, relative_width="1e-6")
    one = smallest_sigma(AT, TARGET, relative_width="1e-6")
    assert found.lower < 10 * one.upper and 10 * one.lower < found.upper


def test_the_largest_rate_meets_the_target_and_more_does_not():
    found = dp_sgd_rate(AT, TARGET, sigma=1, steps=1000, relative_width="1e-1")
    assert delta(sigma=1, rate=found.lower, steps=1000).upper <= TARGET
    assert delta(sigma=1, rate=found.upper, steps=1000).lower > TARGET


def test_the_steps_are_the_last_that_meet_the_target():
    # The larger direction at 1,202 and 1,203 steps: 9.985e-6 and 1.0044e-5.
    assert delta(sigma=1, rate="1/100", steps=1202).upper <= TARGET
    assert delta(sigma=1, rate="1/100", steps=1203).lower > TARGET
    one = gaussian_mechanism(sigma=20)
    steps = dp_sgd_steps(AT, TARGET, sigma=20, rate=1)
    ends = [enclosure(one.composed(n).delta(AT), relative_bits=60) for n in (steps, steps + 1)]
    assert ends[0].upper <= TARGET < ends[1].lower


def test_nothing_is_seen_at_rate_0_and_all_at_rate_1():
    assert dp_sgd(sigma=1, rate=0, steps=10**9).epsilon("1e-9") == Epsilon.rational(0)
    whole = gaussian_mechanism(sigma=1).composed(4).delta(AT)
    found = delta(sigma=1, rate=1, steps=4)
    assert found.lower <= enclosure(whole, relative_bits=60).upper
    assert enclosure(whole, relative_bits=60).lower <= found.upper


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"sigma": 0, "rate": "1/2", "steps": 1}, "sigma=0 is not positive"),
        ({"sigma": 1, "rate": "3/2", "steps": 1}, "rate=3/2 is not a probability"),
        ({"sigma": 1, "rate": -1, "steps": 1}, "rate=-1 is not a probability"),
        ({"sigma": 1, "rate": "1/2", "steps": 1.5}, "Pass an int"),
    ],
)
def test_refusals(settings, words):
    with pytest.raises(DomainError, match=words):
        dp_sgd(**settings)


def test_not_even_one_step():
    with pytest.raises(DomainError, match="not even 1"):
        dp_sgd_steps(AT, TARGET, sigma="1/10", rate="1/2")
