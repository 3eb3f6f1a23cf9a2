"""Sampling in problem files: neighbors by substitution and batches of fixed size."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from exactdp.accounting import (
    compose,
    dp_sgd,
    poisson_subsampled,
    sampled,
)
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError, ParseError
from exactdp.mechanisms import (
    binomial_mechanism,
    bounded_discrete_laplace_mechanism,
    bounded_laplace_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    skellam_mechanism,
    truncated_discrete_laplace_mechanism,
    truncated_laplace_mechanism,
)
from exactdp.numbers import Epsilon, Exact, enclosure
from tests.commands import answers
from tests.routes.samples import fixed_size, replaced

REPLACED = {"sampling_probability": "1/100", "neighbors": "substitution"}
FIXED = {"without_replacement": [600, 60000]}


def noise(sampling, **more):
    return {"kind": "gaussian", "sigma": "1", "sampling": sampling} | more


@pytest.mark.parametrize(("sampling", "kind"), [(REPLACED, replaced), (FIXED, fixed_size)])
def test_one_step_and_what_is_open(sampling, kind):
    (found,) = answers(**noise(sampling), ask={"hockey_stick": [{"rational": "1/2"}]})
    one = kind(gaussian_mechanism(sigma=1), Exact("1/100"))
    truth = enclosure(one.delta(Epsilon.rational("1/2")), relative_bits=80)
    assert Fraction(found.lower) <= truth.lower <= truth.upper <= Fraction(found.upper)
    if sampling is FIXED:
        assert "upper bound for several" in found.note
        explicit = FIXED | {"neighbors": "substitution"}
        assert answers(**noise(explicit), ask={"hockey_stick": [{"rational": "1/2"}]}) == [found]
    else:
        assert not found.note


def test_steps_of_dp_sgd_by_substitution():
    parts = [{"problem": noise(REPLACED), "times": 1000}]
    ask = {"epsilon": ["1e-5"], "relative_width": "1e-2", "direction": "both"}
    (found,) = answers(kind="composition", parts=parts, ask=ask)
    assert Fraction("2.80") < Fraction(found.lower) < Fraction(found.upper) < Fraction("2.88")


def test_a_composition_of_fixed_batches_says_that_it_is_a_bound():
    laplace = {"kind": "laplace", "scale": "1", "sampling": FIXED}
    parts = [{"problem": laplace, "times": 1000}]
    ask = {"hockey_stick": [{"rational": "2"}], "relative_width": "1e-3"}
    (found,) = answers(kind="composition", parts=parts, ask=ask)
    assert "upper bound for several" in found.note
    one = fixed_size(laplace_mechanism(scale=1), Exact("1/100"))
    value = compose([(one, 1000)]).delta(Epsilon.rational(2), relative_width="1e-6")
    assert Fraction(found.lower) <= value.upper and value.lower <= Fraction(found.upper)


@pytest.mark.parametrize("name", ["sigma", "rate"])
def test_a_parameter_that_is_left_out(name):
    target, delta = {"epsilon": {"rational": "1"}, "delta": "1e-5"}, Fraction("1e-5")
    open_ones = {
        "sigma": {"kind": "gaussian", "sampling": FIXED},
        "rate": noise({"neighbors": "substitution"}),
    }
    (found,) = answers(**open_ones[name], ask={name: [target]})
    value = Exact(Fraction(found.decimal))
    one = (
        fixed_size(gaussian_mechanism(sigma=value), Exact("1/100"))
        if name == "sigma"
        else replaced(gaussian_mechanism(sigma=1), value)
    )
    near = one.delta(Epsilon.rational(1), relative_width="1e-9")
    assert delta * Fraction("0.999") < near.lower < near.upper <= delta


@pytest.mark.parametrize(
    ("sampling", "words"),
    [
        ({}, "says nothing"),
        ({"without_replacement": [600]}, "length >= 2"),
        ({"without_replacement": [2, 1]}, "a batch of 2 from 1 records is too large"),
        ({"without_replacement": [0, 1]}, "is not an integer >= 1"),
        ({"without_replacement": [1, 2], "sampling_probability": "1/2"}, "Give one of them"),
        ({"without_replacement": [1, 2], "neighbors": "add_or_remove"}, "leave it out"),
        (
            {"sampling_probability": "1/2", "neighbors": "replace"},
            "Use add_or_remove or substitution",
        ),
        ({"sampling_probability": "2"}, "is not a probability"),
        ("fixed", "an object with sampling_probability, without_replacement, neighbors or"),
    ],
)
def test_refusals_in_one_line(sampling, words):
    with pytest.raises(ParseError, match=r"^\$\.sampling") as refused:
        answers(**noise(sampling), ask={"epsilon": ["1e-5"]})
    assert words in str(refused.value) and "\n" not in str(refused.value)


KINDS = {
    "discrete_gaussian": ({"sigma": "2"}, discrete_gaussian_mechanism(sigma=2)),
    "discrete_laplace": ({"scale": "2"}, discrete_laplace_mechanism(scale=2)),
    "binomial": ({"trials": 40}, binomial_mechanism(trials=40)),
    "skellam": ({"variance": "8"}, skellam_mechanism(variance=8)),
    "truncated_discrete_laplace": (
        {"scale": "2", "radius": 9},
        truncated_discrete_laplace_mechanism(scale=2, radius=9),
    ),
    "truncated_laplace": (
        {"scale": "2", "radius": "9"},
        truncated_laplace_mechanism(scale=2, radius=9),
    ),
    "bounded_laplace": (
        {"scale": "2", "upper": "3", "results": "folded"},
        bounded_laplace_mechanism(scale=2, upper=3, results="folded"),
    ),
    "bounded_discrete_laplace": (
        {"scale": "2", "upper": 4},
        bounded_discrete_laplace_mechanism(scale=2, upper=4),
    ),
}
REPLACEABLE = list(KINDS)[:5]
BOUNDED = list(KINDS)[6:]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_noise_is_poisson_sampled(kind):
    fields, mechanism = KINDS[kind]
    law = {"kind": kind, "sampling": {"sampling_probability": "1/10"}} | fields
    at = Epsilon.rational("1/50")
    one = poisson_subsampled(mechanism, sampling_probability="1/10")
    for ask, truth in (({}, one), ({"direction": "both"}, one.both_directions())):
        (found,) = answers(**law, ask={"hockey_stick": [{"rational": "1/50"}]} | ask)
        near = enclosed(truth.delta(at, relative_width="1e-12"), "1e-12")
        assert Fraction(found.lower) <= near.upper and near.lower <= Fraction(found.upper)
    if kind in BOUNDED:
        return
    parts = [{"problem": law, "times": 20}]
    ask = {"epsilon": ["1/10"], "relative_width": "1e-4"}
    (found,) = answers(kind="composition", parts=parts, ask=ask)
    near = compose([(one, 20)]).epsilon("1/10", relative_width="1e-4")
    assert Fraction(found.lower) <= near.upper and near.lower <= Fraction(found.upper)


@pytest.mark.parametrize("kind", KINDS)
def test_symmetric_integer_noise_is_sampled_where_a_record_is_replaced(kind):
    fields, mechanism = KINDS[kind]
    law = {
        "kind": kind,
        "sampling": {"sampling_probability": "1/10", "neighbors": "substitution"},
    } | fields
    ask = {"hockey_stick": [{"rational": "1/50"}]}
    if kind not in REPLACEABLE:
        with pytest.raises(DomainError, match="add_or_remove"):
            answers(**law, ask=ask)
        return
    (found,) = answers(**law, ask=ask)
    one = sampled(mechanism, sampling_probability="1/10", neighbors="substitution")
    near = enclosed(one.delta(Epsilon.rational("1/50"), relative_width="1e-12"), "1e-12")
    assert Fraction(found.lower) <= near.upper and near.lower <= Fraction(found.upper)


@pytest.mark.parametrize(
    ("kind", "fields", "name", "of"),
    [
        ("skellam", {}, "variance", lambda x: skellam_mechanism(variance=x)),
        ("binomial", {}, "trials", lambda x: binomial_mechanism(trials=int(x))),
        ("discrete_laplace", {}, "scale", lambda x: discrete_laplace_mechanism(scale=x)),
    ],
)
def test_the_least_noise_on_a_sample(kind, fields, name, of):
    target, delta = {"epsilon": {"rational": "1/5"}, "delta": "1e-4"}, Fraction("1e-4")
    law = {"kind": kind, "sampling": {"sampling_probability": "1/10"}} | fields
    (found,) = answers(**law, ask={name: [target]})
    value = Fraction(found.decimal)
    less = value - 1 if kind == "binomial" else value * Fraction("0.999")
    for x, holds in ((value, True), (less, False)):
        one = poisson_subsampled(of(x), sampling_probability="1/10").both_directions()
        near = enclosed(one.delta(Epsilon.rational("1/5"), relative_width="1e-9"), "1e-9")
        assert (near.upper <= delta) is holds


def test_the_largest_rate_of_integer_noise():
    law = {"kind": "discrete_gaussian", "sigma": "2", "sampling": "poisson"}
    target, delta = {"epsilon": {"rational": "1/5"}, "delta": "1e-5"}, Fraction("1e-5")
    (found,) = answers(**law, ask={"rate": [target]})
    one = poisson_subsampled(
        discrete_gaussian_mechanism(sigma=2), sampling_probability=found.decimal
    )
    near = enclosed(one.delta(Epsilon.rational("1/5"), relative_width="1e-9"), "1e-9")
    assert delta * Fraction("0.99") < near.lower < near.upper <= delta


STEPS = {
    "kind": "dp_sgd",
    "noise_multiplier": "1",
    "sampling_probability": "1/10",
    "steps": 10,
}


@pytest.mark.parametrize("batches", ["poisson", "balls_and_bins", "deterministic", "shuffled"])
def test_dp_sgd_with_batches_of_epochs(batches):
    ask = {"hockey_stick": [{"rational": "1"}], "relative_width": "1e-2"}
    (found,) = answers(**STEPS, batches=batches, ask=ask)
    truth = dp_sgd(noise_multiplier=1, sampling_probability="1/10", steps=10, batches=batches)
    near = enclosed(truth.delta(Epsilon.rational(1), relative_width="1e-2"), "1e-2")
    assert Fraction(found.lower) <= near.upper and near.lower <= Fraction(found.upper)
    assert isinstance(found.lower_by, str) is (batches == "shuffled")


def test_the_least_noise_of_dp_sgd_and_its_largest_rate():
    target = {"epsilon": {"rational": "2"}, "delta": "1e-3"}
    fields = {"kind": "dp_sgd", "sampling_probability": "1/4", "steps": 4}
    (known,) = answers(**fields, batches="deterministic", ask={"noise_multiplier": [target]})
    (found,) = answers(**fields, batches="shuffled", ask={"noise_multiplier": [target]})
    assert Fraction(found.lower) < Fraction(known.lower) < Fraction(known.upper)
    assert found.decimal == known.decimal and found.upper_by == "deterministic batches"
    share = {"sampling_probability": [target]}
    (rate,) = answers(kind="dp_sgd", noise_multiplier="1", steps=10, ask=share)
    held = dp_sgd(noise_multiplier=1, sampling_probability=rate.decimal, steps=10)
    assert held.delta(Epsilon.rational(2), relative_width="1e-4").upper <= Fraction("1e-3")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"sampling_probability": "3/10", "batches": "shuffled"},
            "sampling_probability=3/10 is not 1/T",
        ),
        ({"batches": "permuted"}, "shuffled"),
        ({"batches": "fixed_size"}, 'Pass neighbors="substitution"'),
        ({"batches": "deterministic", "neighbors": "add_or_remove"}, "moves other records"),
    ],
)
def test_refusals_of_dp_sgd_in_one_line(fields, words):
    with pytest.raises((DomainError, ParseError), match=r"^\$") as refused:
        answers(**STEPS | fields, ask={"epsilon": ["1e-5"]})
    assert words in str(refused.value) and "\n" not in str(refused.value)


SCHEDULE = {"kind": "dp_sgd", "sampling_probability": "1/10", "steps": 6}


@pytest.mark.parametrize(
    ("given", "levels"),
    [
        (["2", "3/2", "sqrt(3)"], [2, 2, "3/2", "3/2", "sqrt(3)", "sqrt(3)"]),
        ("1 + step/2", ["3/2", 2, "5/2", 3, "7/2", 4]),
        ("3*(1/2)^step + 1", ["5/2", "7/4", "11/8", "19/16", "35/32", "67/64"]),
    ],
)
def test_noise_that_changes_from_step_to_step(given, levels):
    ask = {"hockey_stick": [{"rational": "1"}], "relative_width": "5e-2"}
    (found,) = answers(**SCHEDULE, noise_multipliers=given, ask=ask)
    truth = compose((dp_sgd(one, "1/10", 1), 1) for one in levels)
    near = enclosed(truth.delta(Epsilon.rational(1), relative_width="5e-2"), "5e-2")
    assert Fraction(found.lower) <= near.upper and near.lower <= Fraction(found.upper)


def test_a_schedule_on_all_data_is_one_gaussian_mechanism():
    """Of σ² = 1 + 1, ..., 1 + 6: the inverses add up."""
    fields = SCHEDULE | {"sampling_probability": "1", "noise_multipliers": "sqrt(1 + step)"}
    (found,) = answers(**fields, ask={"epsilon": ["1e-5"]})
    rho = sum(Fraction(1, 2 * (1 + k)) for k in range(1, 7))
    truth = enclosed(gaussian_mechanism(rho=rho).epsilon("1e-5", relative_width="1e-9"), "1e-9")
    assert Fraction(found.lower) <= truth.upper and truth.lower <= Fraction(found.upper)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"noise_multipliers": [1, 2, 3, 4]}, "does not divide"),
        ({"noise_multipliers": "1 - step/4"}, "above 0 at step 4"),
        ({"noise_multipliers": "1 + stop"}, "at step 1"),
        ({"noise_multipliers": "1 + step", "noise_multiplier": "1"}, "Keep one of them"),
        ({"noise_multipliers": "1 + step", "steps": 10**5}, "too many for a formula"),
        ({"noise_multipliers": "1 + step", "batches": "shuffled"}, "are of epochs"),
    ],
)
def test_refusals_of_schedules_in_one_line(fields, words):
    with pytest.raises(ParseError, match=r"^\$") as refused:
        answers(**SCHEDULE | fields, ask={"epsilon": ["1e-5"]})
    assert words in str(refused.value) and "\n" not in str(refused.value)


def test_one_parameter_of_dp_sgd_is_open_at_most():
    target = {"epsilon": {"rational": "2"}, "delta": "1e-3"}
    with pytest.raises(ParseError, match="leaves out both noise_multiplier and"):
        answers(kind="dp_sgd", steps=4, ask={"noise_multiplier": [target]})


TARGET = {"epsilon": {"rational": "2"}, "delta": "1e-3"}
OLD_FILES = [
    (
        {"kind": "dp_sgd", "sigma": "1", "rate": "1/10", "steps": 10},
        {"epsilon": ["1e-5"], "hockey_stick": [1]},
        STEPS,
        {"epsilon": ["1e-5"], "delta": [1]},
    ),
    (
        {"kind": "dp_sgd", "rate": "1", "steps": 4},
        {"sigma": [TARGET]},
        {"kind": "dp_sgd", "sampling_probability": 1, "steps": 4},
        {"noise_multiplier": [TARGET]},
    ),
    (
        {"kind": "laplace", "scale": "1", "sampling": {"poisson": "1/10"}},
        {"hockey_stick": ["log(2)"]},
        {"kind": "laplace", "scale": "1", "sampling": {"sampling_probability": 0.1}},
        {"delta": ["log(2)"]},
    ),
    (
        {"kind": "laplace", "scale": "1", "sampling": "poisson"},
        {"rate": [TARGET]},
        {"kind": "laplace", "scale": "1", "sampling": "poisson"},
        {"sampling_probability": [TARGET]},
    ),
]
"""Files with the keys of 0.2, and the same with those of today."""


@pytest.mark.parametrize(("old", "asked", "law", "ask"), OLD_FILES)
def test_a_file_of_an_earlier_version_has_the_same_answers(old, asked, law, ask):
    before, now = answers(**old, ask=asked), answers(**law, ask=ask)
    assert [one.ask for one in before] == list(asked)  # as the file has it
    same = {"ask": "delta", "at": None}
    assert [replace(one, **same) for one in before] == [replace(one, **same) for one in now]


def test_a_key_by_both_names_is_refused():
    both = {"sampling": {"poisson": "1/2", "sampling_probability": "1/2"}}
    with pytest.raises(ParseError, match="poisson is the old name of sampling_probability"):
        answers(kind="laplace", scale="1", **both, ask={"epsilon": ["1e-5"]})
