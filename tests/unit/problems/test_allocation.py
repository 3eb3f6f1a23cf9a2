"""Random allocation in problem files: what can be checked by hand, and what is refused."""

import json
from fractions import Fraction

import pytest

from exactdp.errors import ExactDPError
from exactdp.problems import read_problem, solve

COIN = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}


def answers(**problem):
    return solve(read_problem(json.dumps({"kind": "random_allocation", **problem}))).answers


def test_two_steps_of_a_coin():
    ask = {"hockey_stick": [{"log": 2}], "max_divergence": True}
    # Both heads: 3/16 - 2/16; one head: less than twice.
    delta, top = answers(step=COIN, steps=2, ask=ask)
    assert (delta.exact, top.expression) == ("1/16", "log(3)")
    delta, top = answers(step=COIN, steps=2, chosen=2, ask=ask)
    assert (delta.exact, top.expression) == ("7/16", "log(9)")


def test_gaussian_steps_are_enclosed():
    (found,) = answers(
        step={"kind": "gaussian", "sigma": 1}, steps=10, ask={"hockey_stick": [{"rational": "1/2"}]}
    )
    assert Fraction("0.0268") < Fraction(found.lower) < Fraction(found.upper) < Fraction("0.0270")


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ({"step": COIN, "steps": 2, "chosen": 3}, "chosen=3 is more than steps=2"),
        ({"step": COIN, "steps": 0}, "at least 1"),
        ({"step": {"kind": "gaussian"}, "steps": 3}, "Give it all its parameters"),
        ({"step": {"kind": "gaussian", "sigma": "1/20"}, "steps": 3}, "cells; the limit is"),
        ({"step": {"kind": "laplace", "scale": 1, "sampling": {"poisson": "1/2"}}, "steps": 3},
         "step has sampling"),
        ({"step": {"kind": "shuffle"}, "steps": 3}, "finite_pair"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_line(problem, words):
    with pytest.raises(ExactDPError) as refused:
        answers(ask={"hockey_stick": [{"rational": 1}]}, **problem)
    assert words in str(refused.value) and "\n" not in str(refused.value)
