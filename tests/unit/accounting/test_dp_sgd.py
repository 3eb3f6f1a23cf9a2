"""DP-SGD and what a target needs of it, against grids, closed forms and each other."""

from fractions import Fraction
from inspect import signature, unwrap
from itertools import product
from typing import get_overloads

import pytest

from exactdp import accounting
from exactdp.accounting import (
    compose_certified,
    dp_sgd,
    dp_sgd_sigma,
    poisson_subsampled,
)
from exactdp.divergences import calibrated
from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism, smallest_sigma
from exactdp.numbers import Epsilon, Exact, enclosure

AT, TARGET = Epsilon.rational(2), Fraction(1, 10**5)


def dp_sgd_rate(epsilon, delta, **settings):
    return calibrated(dp_sgd, epsilon=epsilon, delta=delta, **settings)


def dp_sgd_steps(epsilon, delta, **settings):
    found = calibrated(dp_sgd, epsilon=epsilon, delta=delta, **settings)
    assert found.lower == found.upper
    return int(found.lower)


def delta(**settings):
    return dp_sgd(**settings).delta(AT, relative_width="1e-6")


def test_the_grids_say_the_same():
    one = poisson_subsampled(gaussian_mechanism(sigma=1), rate="1/100")
    sides = [compose_certified([(p, 300)]).losses for p in (one, one.reversed())]
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


@pytest.mark.parametrize("steps", [10.5, "10", -1])
def test_steps_are_refused_by_their_own_name(steps):
    with pytest.raises(DomainError, match=f"^steps={steps!r}"):
        dp_sgd(noise_multiplier=1, sampling_probability="1/100", steps=steps)


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


# --- calibration, far from the crossing and at its ends ---------------------------


@pytest.mark.parametrize(
    ("name", "epsilon", "target", "settings"),
    [
        ("sigma", "1/2", "1e-3", {"rate": "1e-4", "steps": 1000}),
        ("sigma", "8", "1e-5", {"rate": "1/2", "steps": 1000}),
        ("sigma", "1/10", "1e-12", {"rate": "1/10", "steps": 10**4}),
        ("sigma", "2", "1e-12", {"rate": "1e-3", "steps": 2}),
        ("rate", "8", "1e-5", {"sigma": 8, "steps": 1000}),
        ("rate", "1/2", "1e-5", {"sigma": 8, "steps": 2}),
        ("rate", "2", "1e-12", {"sigma": "1/2", "steps": 2}),
    ],
)
def test_noise_and_rates_are_found_wherever_they_are(name, epsilon, target, settings):
    find = {"sigma": dp_sgd_sigma, "rate": dp_sgd_rate}[name]
    at = Epsilon.rational(epsilon)
    found = find(at, target, relative_width="1e-2", **settings)
    assert found.width <= found.lower / 100
    ends = (found.upper, found.lower) if name == "sigma" else (found.lower, found.upper)
    met, missed = (
        dp_sgd(**{name: end}, **settings).delta(at, relative_width="1e-3") for end in ends
    )
    assert met.upper <= Fraction(target) < missed.lower


@pytest.mark.parametrize(
    ("epsilon", "target", "settings"),
    [
        ("8", "1e-3", {"sigma": 30, "rate": "0.01"}),
        ("1", "1e-8", {"sigma": 2, "rate": "0.01"}),
        ("1/2", "1e-5", {"sigma": 8, "rate": "1/2"}),
    ],
)
def test_many_steps_and_few_are_counted_to_the_last(epsilon, target, settings):
    at = Epsilon.rational(epsilon)
    most = dp_sgd_steps(at, target, **settings)
    width = Fraction(1, 4 * most)
    low, high = (
        dp_sgd(steps=n, **settings).delta(at, relative_width=width) for n in (most, most + 1)
    )
    assert low.upper <= Fraction(target) < high.lower


def test_a_record_that_is_hardly_ever_sampled_needs_no_noise():
    """δ(ε) is at most 1 − (1 − q)^n for every σ, and nearly that for a small one."""
    for rate, steps in ((Fraction(1, 1000), 1), (Fraction(1, 10), 3), (Fraction(1, 10**6), 10**4)):
        most = 1 - (1 - rate) ** steps
        found = dp_sgd_sigma(AT, most * (1 + Fraction(1, 10**9)), rate=rate, steps=steps)
        assert (found.lower, found.upper) == (0, 0)
    for rate, steps in ((Fraction(1, 1000), 1), (Fraction(1, 10), 2)):
        value = dp_sgd(sigma="1/8", rate=rate, steps=steps).delta(AT, relative_width="1e-2")
        assert value.lower > Fraction(98, 100) * (1 - (1 - rate) ** steps)
    assert dp_sgd_sigma(AT, "1e-3", rate="1e-3", steps=1).upper == 0
    assert dp_sgd_sigma(AT, "0.0999e-2", rate="1e-3", steps=1).lower > 0
    assert dp_sgd_sigma(AT, "1/100", rate="1e-3", steps=100, relative_width="1e-1").lower > 0
    for nothing in ({"rate": 0, "steps": 5}, {"rate": 1, "steps": 0}):
        assert dp_sgd_sigma(AT, TARGET, **nothing).upper == 0


def test_at_epsilon_0_the_total_variation_is_calibrated():
    at, settings = Epsilon.rational(0), {"rate": "1/100", "steps": 1000}
    found = dp_sgd_sigma(at, "1/10", relative_width="1e-1", **settings)
    assert dp_sgd(sigma=found.upper, **settings).delta(at).upper <= Fraction(1, 10)
    assert dp_sgd(sigma=found.lower, **settings).delta(at).lower > Fraction(1, 10)


@pytest.mark.parametrize(
    ("function", "settings", "words"),
    [
        (dp_sgd_sigma, {"rate": "3/2", "steps": 1}, "rate=3/2 is not a probability"),
        (dp_sgd_sigma, {"rate": "1/2", "steps": -1}, "steps=-1"),
        (dp_sgd_rate, {"sigma": 0, "steps": 1}, "sigma=0 is not positive"),
        (dp_sgd_rate, {"sigma": 1, "steps": 1.5}, "steps=1.5"),
        (dp_sgd_steps, {"sigma": -1, "rate": "1/2"}, "sigma=-1 is not positive"),
        (dp_sgd_steps, {"sigma": 1, "rate": float("nan")}, "rate=nan is not finite"),
    ],
)
def test_refusals_of_calibrations(function, settings, words):
    with pytest.raises(DomainError, match=words):
        function(AT, TARGET, **settings)


@pytest.mark.parametrize("target", ["1e-1", "1e-4", "1e-30"])
def test_a_delta_beside_a_target_is_enclosed_on_its_side(target):
    settings = {"sigma": 1, "rate": "1/100", "steps": 100}
    for side in dp_sgd(**settings).profiles:
        for epsilon in ("1/10", "1/2", "3/4", "2"):
            at, width = Epsilon.rational(epsilon), Fraction(1, 10**4)
            found = side.delta_beside(at, Exact(target), width)
            truth = side.delta(at, relative_width="1e-6")
            assert found.lower <= truth.lower and truth.upper <= found.upper
            assert (found.upper <= Fraction(target)) == (truth.upper <= Fraction(target))
            assert (found.lower > Fraction(target)) == (truth.lower > Fraction(target))


def test_arguments_have_the_names_of_the_field_too():
    ours = dp_sgd(sigma=2, rate="1/50", steps=3)
    theirs = dp_sgd(noise_multiplier=2, sampling_probability="1/50", steps=3)
    one = Epsilon.rational(1)
    assert ours.delta(one, relative_width="1e-3") == theirs.delta(one, relative_width="1e-3")
    target = Epsilon.rational(1), "1e-5"
    assert dp_sgd_steps(*target, noise_multiplier=10, sampling_probability=1) == 7
    with pytest.raises(DomainError, match="sampling_probability is another name of rate"):
        dp_sgd(sigma=2, rate="1/50", sampling_probability="1/50", steps=3)


def test_each_name_of_an_argument_is_in_a_signature_that_type_checkers_see():
    found = [
        one
        for name in accounting.__all__
        if hasattr(one := getattr(accounting, name), "other_names")
    ]
    assert dp_sgd in found and len(found) > 1
    for function in found:
        seen = [set(signature(one).parameters) for one in get_overloads(unwrap(function))]
        names = [(ours, other) for ours, other in function.other_names.items() if ours in str(seen)]
        for chosen in product(*names):
            assert any(set(chosen) <= one for one in seen), (function, chosen)
