"""Sampling in problem files: neighbors by substitution and batches of fixed size."""

import json
from fractions import Fraction

import pytest

from exactdp.accounting import FixedSizeSampled, PoissonReplaced, compose
from exactdp.errors import ParseError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact, enclosure
from exactdp.problems import read_problem, solve

REPLACED = {"poisson": "1/100", "neighbors": "substitution"}
FIXED = {"without_replacement": [600, 60000]}


def answers(**problem):
    return solve(read_problem(json.dumps(problem))).answers


def noise(sampling, **more):
    return {"kind": "gaussian", "sigma": "1", "sampling": sampling} | more


@pytest.mark.parametrize(
    ("sampling", "kind"), [(REPLACED, PoissonReplaced), (FIXED, FixedSizeSampled)]
)
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
    one = FixedSizeSampled(laplace_mechanism(scale=1), Exact("1/100"))
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
        FixedSizeSampled(gaussian_mechanism(sigma=value), Exact("1/100"))
        if name == "sigma"
        else PoissonReplaced(gaussian_mechanism(sigma=1), value)
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
        ({"without_replacement": [1, 2], "poisson": "1/2"}, "Give one of them"),
        ({"without_replacement": [1, 2], "neighbors": "add_or_remove"}, "leave it out"),
        ({"poisson": "1/2", "neighbors": "replace"}, "Use add_or_remove or substitution"),
        ({"poisson": "2"}, "is not a probability"),
        ("fixed", 'an object with poisson, without_replacement, neighbors or "poisson"'),
    ],
)
def test_refusals_in_one_line(sampling, words):
    with pytest.raises(ParseError, match=r"^\$\.sampling") as refused:
        answers(**noise(sampling), ask={"epsilon": ["1e-5"]})
    assert words in str(refused.value) and "\n" not in str(refused.value)
