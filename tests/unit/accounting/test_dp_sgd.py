"""DP-SGD and what a target needs of it, against grids, closed forms and each other."""

from fractions import Fraction
from inspect import signature

import pytest

from exactdp import accounting
from exactdp.accounting import (
    compose_certified,
    cut_poisson_sampled,
    dp_sgd,
    dp_sgd_noise_multiplier,
    poisson_subsampled,
    sampled,
)
from exactdp.divergences import calibrated
from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism, smallest_sigma
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure
from exactdp.numbers.renamed import RENAMED

AT, TARGET = Epsilon.rational(2), Fraction(1, 10**5)
NOISE = gaussian_mechanism(sigma=1)


def dp_sgd_rate(epsilon, delta, **settings):
    return calibrated(dp_sgd, epsilon=epsilon, delta=delta, **settings)


def dp_sgd_steps(epsilon, delta, **settings):
    found = calibrated(dp_sgd, epsilon=epsilon, delta=delta, **settings)
    assert found.lower == found.upper
    return int(found.lower)


def delta(**settings):
    return dp_sgd(**settings).delta(AT, relative_width="1e-6")


def test_the_grids_say_the_same():
    one = poisson_subsampled(gaussian_mechanism(sigma=1), sampling_probability="1/100")
    sides = [compose_certified([(p, 300)]).losses for p in (one, one.reversed())]
    found = delta(noise_multiplier=1, sampling_probability="1/100", steps=300)
    grids = [side.delta(AT, relative_width=Fraction(1, 20)) for side in sides]
    assert max(g.lower for g in grids) <= found.upper
    assert found.lower <= max(g.upper for g in grids)


def test_the_smallest_sigma_meets_the_target_and_less_does_not():
    found = dp_sgd_noise_multiplier(
        AT, TARGET, sampling_probability="1/100", steps=1000, relative_width="1e-1"
    )
    assert (
        delta(noise_multiplier=found.upper, sampling_probability="1/100", steps=1000).upper
        <= TARGET
    )
    assert (
        delta(noise_multiplier=found.lower, sampling_probability="1/100", steps=1000).lower > TARGET
    )


def test_without_sampling_sigma_is_that_of_one_gaussian():
    found = dp_sgd_noise_multiplier(
        AT, TARGET, sampling_probability=1, steps=100, relative_width="1e-6"
    )
    one = smallest_sigma(AT, TARGET, relative_width="1e-6")
    assert found.lower < 10 * one.upper and 10 * one.lower < found.upper


def test_the_largest_rate_meets_the_target_and_more_does_not():
    found = dp_sgd_rate(AT, TARGET, noise_multiplier=1, steps=1000, relative_width="1e-1")
    assert delta(noise_multiplier=1, sampling_probability=found.lower, steps=1000).upper <= TARGET
    assert delta(noise_multiplier=1, sampling_probability=found.upper, steps=1000).lower > TARGET


@pytest.mark.parametrize("steps", [10.5, "10.5", -1])
def test_steps_are_refused_by_their_own_name(steps):
    with pytest.raises(DomainError, match=f"^steps={steps!r}"):
        dp_sgd(noise_multiplier=1, sampling_probability="1/100", steps=steps)


def test_the_steps_are_the_last_that_meet_the_target():
    # The larger direction at 1,202 and 1,203 steps: 9.985e-6 and 1.0044e-5.
    assert delta(noise_multiplier=1, sampling_probability="1/100", steps=1202).upper <= TARGET
    assert delta(noise_multiplier=1, sampling_probability="1/100", steps=1203).lower > TARGET
    one = gaussian_mechanism(sigma=20)
    steps = dp_sgd_steps(AT, TARGET, noise_multiplier=20, sampling_probability=1)
    ends = [enclosure(one.composed(n).delta(AT), relative_bits=60) for n in (steps, steps + 1)]
    assert ends[0].upper <= TARGET < ends[1].lower


def test_nothing_is_seen_at_rate_0_and_all_at_rate_1():
    assert dp_sgd(noise_multiplier=1, sampling_probability=0, steps=10**9).epsilon(
        "1e-9"
    ) == Epsilon.rational(0)
    whole = gaussian_mechanism(sigma=1).composed(4).delta(AT)
    found = delta(noise_multiplier=1, sampling_probability=1, steps=4)
    assert found.lower <= enclosure(whole, relative_bits=60).upper
    assert enclosure(whole, relative_bits=60).lower <= found.upper


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"noise_multiplier": 0, "sampling_probability": "1/2", "steps": 1},
            "noise_multiplier=0 is not positive",
        ),
        (
            {"noise_multiplier": 1, "sampling_probability": "3/2", "steps": 1},
            "sampling_probability=3/2 is not a probability",
        ),
        (
            {"noise_multiplier": 1, "sampling_probability": -1, "steps": 1},
            "sampling_probability=-1 is not a probability",
        ),
        ({"noise_multiplier": 1, "sampling_probability": "1/2", "steps": 1.5}, "Pass an int"),
    ],
)
def test_refusals(settings, words):
    with pytest.raises(DomainError, match=words):
        dp_sgd(**settings)


def test_not_even_one_step():
    with pytest.raises(DomainError, match="not even 1"):
        dp_sgd_steps(AT, TARGET, noise_multiplier="1/10", sampling_probability="1/2")


# --- calibration, far from the crossing and at its ends ---------------------------


@pytest.mark.parametrize(
    ("name", "epsilon", "target", "settings"),
    [
        ("noise_multiplier", "1/2", "1e-3", {"sampling_probability": "1e-4", "steps": 1000}),
        ("noise_multiplier", "8", "1e-5", {"sampling_probability": "1/2", "steps": 1000}),
        ("noise_multiplier", "1/10", "1e-12", {"sampling_probability": "1/10", "steps": 10**4}),
        ("noise_multiplier", "2", "1e-12", {"sampling_probability": "1e-3", "steps": 2}),
        ("sampling_probability", "8", "1e-5", {"noise_multiplier": 8, "steps": 1000}),
        ("sampling_probability", "1/2", "1e-5", {"noise_multiplier": 8, "steps": 2}),
        ("sampling_probability", "2", "1e-12", {"noise_multiplier": "1/2", "steps": 2}),
    ],
)
def test_noise_and_rates_are_found_wherever_they_are(name, epsilon, target, settings):
    find = {"noise_multiplier": dp_sgd_noise_multiplier, "sampling_probability": dp_sgd_rate}[name]
    at = Epsilon.rational(epsilon)
    found = find(at, target, relative_width="1e-2", **settings)
    assert found.width <= found.lower / 100
    ends = (found.upper, found.lower) if name == "noise_multiplier" else (found.lower, found.upper)
    met, missed = (
        dp_sgd(**{name: end}, **settings).delta(at, relative_width="1e-3") for end in ends
    )
    assert met.upper <= Fraction(target) < missed.lower


@pytest.mark.parametrize(
    ("epsilon", "target", "settings"),
    [
        ("8", "1e-3", {"noise_multiplier": 30, "sampling_probability": "0.01"}),
        ("1", "1e-8", {"noise_multiplier": 2, "sampling_probability": "0.01"}),
        ("1/2", "1e-5", {"noise_multiplier": 8, "sampling_probability": "1/2"}),
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
        found = dp_sgd_noise_multiplier(
            AT, most * (1 + Fraction(1, 10**9)), sampling_probability=rate, steps=steps
        )
        assert (found.lower, found.upper) == (0, 0)
    for rate, steps in ((Fraction(1, 1000), 1), (Fraction(1, 10), 2)):
        value = dp_sgd(noise_multiplier="1/8", sampling_probability=rate, steps=steps).delta(
            AT, relative_width="1e-2"
        )
        assert value.lower > Fraction(98, 100) * (1 - (1 - rate) ** steps)
    assert dp_sgd_noise_multiplier(AT, "1e-3", sampling_probability="1e-3", steps=1).upper == 0
    assert dp_sgd_noise_multiplier(AT, "0.0999e-2", sampling_probability="1e-3", steps=1).lower > 0
    assert (
        dp_sgd_noise_multiplier(
            AT, "1/100", sampling_probability="1e-3", steps=100, relative_width="1e-1"
        ).lower
        > 0
    )
    for nothing in (
        {"sampling_probability": 0, "steps": 5},
        {"sampling_probability": 1, "steps": 0},
    ):
        assert dp_sgd_noise_multiplier(AT, TARGET, **nothing).upper == 0


def test_at_epsilon_0_the_total_variation_is_calibrated():
    at, settings = Epsilon.rational(0), {"sampling_probability": "1/100", "steps": 1000}
    found = dp_sgd_noise_multiplier(at, "1/10", relative_width="1e-1", **settings)
    assert dp_sgd(noise_multiplier=found.upper, **settings).delta(at).upper <= Fraction(1, 10)
    assert dp_sgd(noise_multiplier=found.lower, **settings).delta(at).lower > Fraction(1, 10)


@pytest.mark.parametrize(
    ("function", "settings", "words"),
    [
        (
            dp_sgd_noise_multiplier,
            {"sampling_probability": "3/2", "steps": 1},
            "sampling_probability=3/2 is not a probability",
        ),
        (dp_sgd_noise_multiplier, {"sampling_probability": "1/2", "steps": -1}, "steps=-1"),
        (dp_sgd_rate, {"noise_multiplier": 0, "steps": 1}, "noise_multiplier=0 is not positive"),
        (dp_sgd_rate, {"noise_multiplier": 1, "steps": 1.5}, "steps=1.5"),
        (
            dp_sgd_steps,
            {"noise_multiplier": -1, "sampling_probability": "1/2"},
            "noise_multiplier=-1 is not positive",
        ),
        (
            dp_sgd_steps,
            {"noise_multiplier": 1, "sampling_probability": float("nan")},
            "sampling_probability=nan is not finite",
        ),
    ],
)
def test_refusals_of_calibrations(function, settings, words):
    with pytest.raises(DomainError, match=words):
        function(AT, TARGET, **settings)


@pytest.mark.parametrize("target", ["1e-1", "1e-4", "1e-30"])
def test_a_delta_beside_a_target_is_enclosed_on_its_side(target):
    settings = {"noise_multiplier": 1, "sampling_probability": "1/100", "steps": 100}
    for side in dp_sgd(**settings).profiles:
        for epsilon in ("1/10", "1/2", "3/4", "2"):
            at, width = Epsilon.rational(epsilon), Fraction(1, 10**4)
            found = side.delta_beside(at, Exact(target), width)
            truth = side.delta(at, relative_width="1e-6")
            assert found.lower <= truth.lower and truth.upper <= found.upper
            assert (found.upper <= Fraction(target)) == (truth.upper <= Fraction(target))
            assert (found.lower > Fraction(target)) == (truth.lower > Fraction(target))


OLD = {
    "dp_sgd": (lambda: dp_sgd(sigma=2, rate="1/50", steps=3), lambda: dp_sgd(2, "1/50", 3)),
    "calibrated": (
        lambda: calibrated(dp_sgd, epsilon=1, delta="1e-5", rate=1, steps=7),
        lambda: dp_sgd_noise_multiplier(1, "1e-5", sampling_probability=1, steps=7),
    ),
    "sampled": (
        lambda: sampled(NOISE, rate="1/2", neighbors="substitution"),
        lambda: sampled(NOISE, sampling_probability="1/2", neighbors="substitution"),
    ),
    "poisson_subsampled": (
        lambda: poisson_subsampled(NOISE, rate="1/3"),
        lambda: poisson_subsampled(NOISE, sampling_probability="1/3"),
    ),
    "cut_poisson_sampled": (
        lambda: cut_poisson_sampled(NOISE, rate="1/2", records=2, at_most=1),
        lambda: cut_poisson_sampled(NOISE, sampling_probability="1/2", records=2, at_most=1),
    ),
    "accounting": (
        lambda: accounting.dp_sgd_sigma(1, "1e-5", sampling_probability=1, steps=7),
        lambda: dp_sgd_noise_multiplier(1, "1e-5", sampling_probability=1, steps=7),
    ),
    "dp_sgd_noise_multiplier": (
        lambda: dp_sgd_noise_multiplier(1, "1e-5", rate=1, steps=7),
        lambda: dp_sgd_noise_multiplier(1, "1e-5", sampling_probability=1, steps=7),
    ),
}
"""Calls by the names of earlier versions, and by those of today."""


@pytest.mark.parametrize("name", OLD)
def test_a_call_by_an_old_name_means_what_it_meant_and_warns(name):
    old, now = OLD[name]
    with pytest.warns(DeprecationWarning, match=r"is now \w+\. The old name works") as seen:
        found = old()
    assert {one.filename for one in seen} == {__file__}  # where it was called
    wanted = now()
    if not isinstance(found, Enclosure):
        found, wanted = (one.delta(1, relative_width="1e-3") for one in (found, wanted))
    assert found == wanted


def test_an_old_name_of_a_function_is_imported_and_listed_nowhere():
    with pytest.warns(DeprecationWarning, match="dp_sgd_sigma of accounting is now dp_sgd_noise"):
        from exactdp.accounting import dp_sgd_sigma
    assert dp_sgd_sigma is dp_sgd_noise_multiplier
    assert "dp_sgd_sigma" not in dir(accounting)


def test_both_names_of_an_argument_are_refused():
    with pytest.raises(DomainError, match="sigma is the old name of noise_multiplier"):
        dp_sgd(sigma=2, noise_multiplier=2, sampling_probability="1/50", steps=3)


def test_each_new_name_is_an_argument():
    functions = {name: getattr(accounting, name, None) for name in OLD}
    for one in RENAMED:
        if (function := functions.get(one.owner)) is not None:
            parameters = signature(function).parameters
            assert one.now in parameters and one.before not in parameters
