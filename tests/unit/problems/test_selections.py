"""Selections in problem files: numbers that can be checked by hand, and what is refused."""

import json
from fractions import Fraction

import pytest

from exactdp.errors import ExactDPError
from exactdp.problems import read_problem, solve

ONE = {"rational": "1"}
LAPLACE = {"kind": "laplace", "scale": 1}


def answers(**problem):
    return solve(read_problem(json.dumps(problem))).answers


def test_thresholded_counts():
    ask = {"hockey_stick": [ONE], "kept": [0, 1, 5, 9]}
    delta, *kept = answers(kind="thresholded_count", noise=LAPLACE, threshold=5, ask=ask)
    assert kept[1].expression == "1/(2*e^4)" and delta.lower[:11] == kept[1].lower[:11]
    assert (kept[0].exact, kept[2].exact, kept[0].unit) == ("0", "1/2", "probability")
    ask = {"threshold": [{"epsilon": {"log": 2}, "delta": "1e-5"}]}
    noise = {"kind": "discrete_laplace", "rate": {"log": 2}}
    (found,) = answers(kind="thresholded_count", noise=noise, ask=ask)
    assert found.exact == "17"  # 2^-(17 - 1 + 1)/(1 + 1/2) <= 1e-5
    (found,) = answers(kind="thresholded_count", noise=LAPLACE, ask={
        "threshold": [{"epsilon": ONE, "delta": "1e-5"}]})  # fmt: skip
    assert Fraction("11.8197782") < Fraction(found.decimal) < Fraction("11.8197783")


def test_partition_selection():
    ask = {"kept": [0, 1, 2, 3, 4, 5, 10**9], "hockey_stick": [{"log": 2}, {"log": 3}]}
    found = answers(kind="partition_selection", epsilon={"log": 2}, delta="1/10", ask=ask)
    assert [a.exact for a in found] == [
        "0",
        "1/10",
        "3/10",
        "7/10",
        "9/10",
        "1",
        "1",
        *["1/10"] * 2,
    ]


def test_noisy_max():
    common = {"kind": "noisy_max", "scale": 2, "scores": [1, 0], "neighbor": [0, 1]}
    ask = {"max_divergence": True, "direction": "both"}
    found = [answers(**common, noise=x, ask=ask)[0] for x in ("gumbel", "exponential", "laplace")]
    assert found[0].exact == "1/2"
    # 1/(2√e) against 1 − 1/(2√e), and the same with (1 + 1/4)/√e.
    assert found[1].expression == "log(2*e^(1/2) - 1)"
    assert found[2].expression == "log((8*e^(1/2) - 5)/5)" or found[2].decimal.startswith("0.4931")
    worst = {"kind": "noisy_max", "noise": "gumbel"}
    (zero,) = answers(**worst, scale=2, ask={"hockey_stick": [{"rational": 0}]})
    assert zero.expression == "(e^(1/2) - 1)/(e^(1/2) + 1)"
    pure, less = answers(
        **worst, ask={"scale": [{"epsilon": ONE}, {"epsilon": ONE, "delta": "1e-6"}]}
    )
    assert pure.exact == "2" and Fraction(less.decimal) < 2
    (noted,) = answers(kind="noisy_max", noise="laplace", scale=2, ask={"epsilon": ["1e-6"]})
    assert "a bound elsewhere" in noted.note
    (pure,) = answers(kind="noisy_max", noise="exponential", monotone=True,
                      ask={"scale": [{"epsilon": ONE}]})  # fmt: skip
    assert pure.exact == "1"
    part = {"problem": {**common, "noise": "gumbel"}, "times": 3}
    (three,) = answers(kind="composition", parts=[part], ask={"max_divergence": True})
    assert three.exact == "3/2"


PAIR = {"kind": "noisy_max", "noise": "gumbel", "scale": 1}
DELTA = {"hockey_stick": [ONE]}


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ({"kind": "laplace", "scale": 2, "ask": {"kept": [3]}}, "shows no groups"),
        ({"kind": "thresholded_count", "noise": {"kind": "laplace"}, "threshold": 3}, "its scale"),
        ({"kind": "thresholded_count", "noise": LAPLACE}, "Give the law its threshold"),
        ({"kind": "thresholded_count", "noise": LAPLACE, "ask": {"kept": [1]}}, "the threshold"),
        ({"kind": "thresholded_count", "noise": {**LAPLACE, "sampling": {"poisson": "1/2"}}},
         "noise has sampling"),
        ({"kind": "thresholded_count", "noise": LAPLACE,
          "ask": {"threshold": [{"epsilon": {"rational": "1/2"}, "delta": "1e-5"}]}},
         "whatever the threshold"),
        ({"kind": "thresholded_count", "noise": {"kind": "guarantee"}}, "laplace"),
        ({"kind": "partition_selection", "epsilon": ONE, "delta": 0}, "above 0"),
        ({"kind": "partition_selection", "epsilon": {"rational": -1}, "delta": "1/2"}, "negative"),
        ({**PAIR, "scores": [1, 2]}, "one of scores and neighbor"),
        ({**PAIR, "scores": [1, 2], "neighbor": [1]}, "Give as many"),
        ({**PAIR, "scores": [1, 2], "neighbor": [1, 4]}, "more than the sensitivity, 1"),
        ({**PAIR, "scores": [1, 2], "neighbor": [0, 3], "monotone": True}, "both ways"),
        ({**PAIR, "top": 2}, "needs scores"),
        ({**PAIR, "scores": [1, 2], "neighbor": [1, 1], "top": 3}, "top=3 of 2 scores"),
        ({**PAIR, "noise": "cauchy"}, "cauchy"),
        ({"kind": "noisy_max", "noise": "laplace", "ask": {"scale": [
            {"epsilon": ONE, "delta": "1e-6"}]}}, "pure epsilon"),
        ({"kind": "noisy_max", "noise": "gumbel", "scores": [1], "neighbor": [1]}, "no scale"),
        ({"kind": "composition", "parts": [{"problem": PAIR}]}, "cannot be composed"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_line(problem, words):
    with pytest.raises(ExactDPError) as refused:
        answers(**{"ask": DELTA, **problem})
    assert words in str(refused.value) and "\n" not in str(refused.value)
    assert str(refused.value).startswith("$")
