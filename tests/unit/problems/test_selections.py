"""Selections in problem files: numbers that can be checked by hand, and what is refused."""

from fractions import Fraction
from math import exp, factorial

import pytest

from exactdp.errors import ExactDPError
from tests.commands import answers

ONE = {"rational": "1"}
LAPLACE = {"kind": "laplace", "scale": 1}


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


@pytest.mark.parametrize(
    "noise",
    [
        {"kind": "gaussian", "sigma": 1},
        {"kind": "discrete_laplace", "scale": 1},
        {"kind": "discrete_gaussian", "sigma": 1},
        {"kind": "skellam", "variance": 1},
        {"kind": "truncated_laplace", "scale": 1, "radius": 4},
        {"kind": "truncated_discrete_laplace", "scale": 1, "radius": 4},
    ],
    ids=lambda noise: noise["kind"],
)
def test_no_noise_of_a_thresholded_count_is_sampled(noise):
    law = {"kind": "thresholded_count", "threshold": 5, "ask": {"hockey_stick": [ONE]}}
    (whole,) = answers(**law, noise=noise)
    assert 0 < Fraction(whole.lower) <= Fraction(whole.upper) < 1
    with pytest.raises(ExactDPError, match=r"^\$\.noise has sampling\. Leave it out"):
        answers(**law, noise={**noise, "sampling": {"poisson": "1/2"}})


LAWS = [
    (
        {"kind": "discrete_gaussian", "sigma": 3},
        {k: exp(-k * k / 18) for k in range(-80, 81)},
    ),
    (
        {"kind": "truncated_discrete_laplace", "rate": {"log": 2}, "radius": 9},
        {k: 2.0 ** -abs(k) for k in range(-9, 10)},
    ),
    (
        {"kind": "skellam", "variance": 8},
        {
            k: sum(
                4.0 ** (2 * j + abs(k)) / (factorial(j) * factorial(j + abs(k))) for j in range(60)
            )
            for k in range(-50, 51)
        },
    ),
]


@pytest.mark.parametrize(("noise", "law"), LAWS)
def test_thresholds_of_integer_noise(noise, law):
    """From the masses: of the noise above the threshold, and of the noise and its shift."""
    total = sum(law.values())
    law = {k: mass / total for k, mass in law.items()}
    tails = [sum(p for k, p in law.items() if k > m) for m in range(40)]
    hidden = sum(max(0, p - 2 * law.get(k - 1, 0)) for k, p in law.items())
    level = max(Fraction(1, 100), Fraction(hidden * 1.01))
    target = [{"epsilon": {"log": 2}, "delta": str(level.limit_denominator(10**9))}]
    (found,) = answers(kind="thresholded_count", noise=noise, ask={"threshold": target})
    t = int(found.exact)
    assert tails[t - 1] <= level < tails[t - 2]
    ask = {"hockey_stick": [{"log": 2}], "kept": [0, 1, 2, t + 40]}
    delta, none, one, two, all_of = answers(
        kind="thresholded_count", noise=noise, threshold=2, ask=ask
    )
    assert abs(float(Fraction(delta.decimal)) - max(hidden, tails[1])) < 1e-9
    assert none.exact == "0" and abs(float(one.decimal) - tails[1]) < 1e-12
    assert abs(float(two.decimal) - tails[0]) < 1e-12 and float(all_of.decimal) > 0.999


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
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_line(problem, words):
    with pytest.raises(ExactDPError) as refused:
        answers(**{"ask": DELTA, **problem})
    assert words in str(refused.value) and "\n" not in str(refused.value)
    assert str(refused.value).startswith("$")
