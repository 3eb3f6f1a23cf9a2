"""Matrix mechanisms and tree aggregation in problem files."""

from fractions import Fraction

import pytest

from exactdp.accounting import compose
from exactdp.divergences import calibrated
from exactdp.errors import DomainError, ParseError
from exactdp.mechanisms import (
    banded_toeplitz,
    gaussian_mechanism,
    matrix_mechanism,
    tree_aggregation,
)
from exactdp.numbers import Epsilon, sqrt
from tests.commands import answers

ASK = {"hockey_stick": [{"rational": "1"}], "epsilon": ["1e-6"]}
TARGET = {"epsilon": {"rational": "2"}, "delta": "1e-5"}

CASES = [
    (
        {"kind": "tree_aggregation", "steps": 100, "sigma": "9"},
        tree_aggregation(steps=100, sigma=9),
    ),
    (
        {"kind": "tree_aggregation", "steps": [4, 8], "sigma": "9", "participations": 3},
        tree_aggregation(steps=[4, 8], sigma=9, participations=3),
    ),
    (
        {"kind": "matrix_mechanism", "matrix": [[1, 0], ["1/2", 1]], "sigma": "3"},
        matrix_mechanism([[1, 0], ["1/2", 1]], sigma=3),
    ),
    (
        {
            "kind": "matrix_mechanism",
            "matrix": {"toeplitz": [1, {"at_float": (0.3).hex()}], "steps": 50},
            "sigma": "3",
            "sensitivity": "2",
            "participations": 4,
            "separation": 10,
        },
        matrix_mechanism(
            banded_toeplitz([1, 0.3], 50), sigma=3, sensitivity=2, participations=4, separation=10
        ),
    ),
]


@pytest.mark.parametrize(("problem", "noise"), CASES)
def test_answers_are_those_of_the_mechanism(problem, noise):
    delta, epsilon = answers(**problem, ask=ASK)
    truth = noise.delta(Epsilon.rational(1), relative_width="1e-20")
    assert Fraction(delta.lower) <= truth.upper and truth.lower <= Fraction(delta.upper)
    truth = noise.epsilon("1e-6", relative_width="1e-12")
    assert Fraction(epsilon.lower) <= truth.upper and truth.lower <= Fraction(epsilon.upper)
    assert not delta.note


@pytest.mark.parametrize(
    ("problem", "squared"),
    [
        ({"kind": "tree_aggregation", "steps": 1024}, 11),
        ({"kind": "matrix_mechanism", "matrix": [[1, 0], [1, 1]], "participations": 2}, 5),
        ({"kind": "matrix_mechanism", "matrix": {"toeplitz": [1, 1], "steps": 9}}, 2),
    ],
)
def test_sigma_is_found_alone_and_in_a_composition(problem, squared):
    wanted = {"epsilon": Epsilon.rational(2), "delta": "1e-5"}
    one = calibrated(gaussian_mechanism, sensitivity=sqrt(squared), **wanted)
    (found,) = answers(**problem, ask={"sigma": [TARGET]})
    assert Fraction(found.lower) <= one.upper and one.lower <= Fraction(found.upper)
    three = calibrated(
        gaussian_mechanism,
        sensitivity=sqrt(squared),
        within=lambda x: compose([(x, 3)]),
        **wanted,
    )
    parts = [{"problem": problem, "times": 3}]
    (found,) = answers(kind="composition", parts=parts, ask={"sigma": [TARGET]})
    assert Fraction(found.lower) <= three.upper and three.lower <= Fraction(found.upper)


def test_an_upper_bound_has_a_note():
    matrix = [[1, -1, 0], [0, 1, -1], [-1, 0, 1]]
    problem = {"kind": "matrix_mechanism", "matrix": matrix, "participations": 3}
    for ask in ({"epsilon": ["1e-5"]}, {"sigma": [TARGET]}):
        given = problem if "sigma" in ask else problem | {"sigma": "9"}
        (found,) = answers(**given, ask=ask)
        assert "upper bound" in found.note and "not lower triangular" in found.note


@pytest.mark.parametrize(
    ("problem", "error", "message"),
    [
        ({}, ParseError, "matrix"),
        ({"matrix": {"toeplitz": [1]}}, ParseError, "steps"),
        ({"matrix": [[1]], "steps": 1}, ParseError, r'\$ has the unknown key "steps"'),
        ({"matrix": [["e^-1"]]}, ParseError, r"^\$\.matrix\[0\]\[0\]=e\^-1 is not rational"),
        ({"matrix": [[1, 0], [1]]}, DomainError, r"^\$: matrix\[1\] has 1 entry"),
        (
            {"matrix": {"toeplitz": [1, 1], "steps": 1}},
            DomainError,
            r"^\$\.matrix: there are 2 coefficients",
        ),
        ({"matrix": []}, ParseError, r"\$\.matrix"),
        ({"matrix": [[]]}, ParseError, r"\$\.matrix"),
    ],
)
def test_what_is_no_matrix(problem, error, message):
    with pytest.raises(error, match=message):
        answers(kind="matrix_mechanism", sigma="3", **problem, ask=ASK)
