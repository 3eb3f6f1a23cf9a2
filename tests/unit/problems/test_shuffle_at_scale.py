"""Shuffled users at scale in problem files."""

import json
from decimal import Decimal
from fractions import Fraction

import pytest

from exactdp.errors import ParseError
from exactdp.numbers import Epsilon
from exactdp.problems import answers_json, read_problem, solve
from exactdp.shuffle import clone_pair

RR = {"mechanism": "randomized_response", "k": 4, "epsilon": {"log": "3"}}


def answers(law, **ask):
    problem = read_problem(json.dumps({**law, "ask": ask}))
    return json.loads(answers_json(solve(problem)))["answers"]


def shuffle(*others):
    return {
        "kind": "shuffle",
        "randomizers": {"R": RR},
        "victim": {"randomizer": "R", "inputs": [0, 1]},
        "others": [{"randomizer": "R", "input": x, "count": count} for x, count in others],
    }


def test_the_worst_case_names_its_ends():
    law = {"kind": "shuffle_worst_case", "n": 10_000, "randomizer": RR}
    (answer,) = answers(law, epsilon=["1e-9"], relative_width="1e-2")
    assert float(answer["lower"]) < float(answer["upper"]) < 1.02 * float(answer["lower"])
    assert answer["lower_by"].startswith("all others on input 2")
    assert "blanket" in answer["upper_by"] and answer["exact"] is None


def test_a_view_of_others_on_one_input_is_an_enclosure_of_the_truth():
    (answer,) = answers(shuffle((2, 10**6)), hockey_stick=[{"log": "1.01"}])
    assert answer["exact"] is None and "lower_by" not in answer
    assert float(answer["upper"]) <= 1.002 * float(answer["lower"])


def test_an_enclosure_says_by_which_route_it_comes_whatever_was_asked_before():
    asked = [{"log": "1.01"}, {"log": "1.001"}]
    notes = [
        [answer["note"] for answer in answers(shuffle((2, 10**6)), hockey_stick=some)]
        for some in (asked, asked[::-1], asked[1:])
    ]
    assert notes[0] == notes[1][::-1] and notes[0][1:] == notes[2]
    assert all(note.startswith("The enclosure comes by ") for note in notes[0])
    # Few users have an exact answer, and nothing is said of it.
    (exact,) = answers(shuffle((2, 3)), hockey_stick=asked[:1])
    assert exact["exact"] is not None and "note" not in exact


def test_others_on_two_inputs_lie_between_two_ends():
    law = shuffle((2, 10**6), (0, 10))
    (answer,) = answers(law, hockey_stick=[{"log": "1.005"}], relative_width="1e-2")
    assert answer["lower_by"].startswith("messages with p > q")
    assert float(answer["upper"]) <= 2 * float(answer["lower"])


def test_small_views_stay_exact():
    (answer,) = answers(shuffle((2, 3)), hockey_stick=[{"log": "2"}])
    assert answer["exact"] is not None


def test_two_surveys_are_between_one_and_the_sum_of_both():
    survey = {"kind": "shuffle_worst_case", "n": 9, "randomizer": RR}
    asked = {"hockey_stick": [{"log": "3/2"}, {"log": "9/4"}], "relative_width": "1e-2"}
    once, _ = answers(survey, **asked)
    twice, far = answers(
        {"kind": "composition", "parts": [{"problem": survey, "times": 2}]}, **asked
    )
    assert float(twice["lower"]) > float(once["upper"])
    # Basic composition: (ε + ε', δ + δ').
    assert float(far["upper"]) <= 2 * float(once["upper"])
    assert twice["lower_by"].startswith("each time the same: all others on input")


def test_the_gap_of_the_ends_is_printed():
    coin = {"mechanism": "randomized_response", "k": 2, "epsilon": {"rational": "2"}}
    law = {"kind": "shuffle_worst_case", "n": 10**6, "randomizer": coin}
    for answer in answers(law, epsilon=["1e-9", "1e-300"]):
        lower, upper, gap = (Decimal(answer[key]) for key in ("lower", "upper", "gap"))
        assert gap * Decimal("0.9") < upper / lower - 1 <= gap < Decimal("0.01")
    (answer,) = answers({**law, "n": 2}, hockey_stick=[{"log": "100"}])
    assert answer["gap"] == "0"


def test_what_published_bounds_give_away_stands_beside_the_truth():
    rr = {"mechanism": "randomized_response", "k": 10, "epsilon": {"rational": "2"}}
    law = {"kind": "shuffle_worst_case", "n": 10**4, "randomizer": rr}
    (answer,) = answers(law, epsilon=["1e-6"])
    blanket, clones, stronger = answer["published"]
    other = clone_pair(10**4, Epsilon.rational(2)).epsilon("1e-6", relative_width="1e-9")
    assert Fraction(clones["epsilon"]) >= other.lower
    assert Fraction(clones["epsilon"]) <= other.upper * Fraction(1003, 1000)
    for bound in (blanket, clones, stronger):
        least, most = (Fraction(bound[key]) for key in ("at_least", "at_most"))
        size = Fraction(bound["epsilon"])
        assert least <= size / Fraction(answer["upper"]) < size / Fraction(answer["lower"]) <= most
        assert most < least * Fraction(102, 100)
    assert Fraction(blanket["at_least"]) < Fraction(stronger["at_least"])
    assert Fraction(stronger["at_least"]) < Fraction(clones["at_least"])
    matrix = [["9/10", "1/20", "1/20"], ["9/10", "0", "1/10"]]
    one_sided = {"kind": "shuffle_worst_case", "n": 20, "randomizer": matrix}
    (answer,) = answers(one_sided, epsilon=["1/10"])
    assert "published" not in answer  # clones need a finite local epsilon


def test_shuffled_reports_with_noise_are_between_named_ends():
    law = {"kind": "shuffled_noise", "n": 2, "report": {"kind": "laplace", "scale": 1}}
    (found,) = answers(law, hockey_stick=[{"rational": "1/2"}], relative_width="1e-2")
    assert found["lower_by"].startswith("all others on an end")
    assert found["upper_by"].startswith("privacy blanket")


def test_shuffled_reports_need_a_scale_and_no_sampling():
    law = {"kind": "shuffled_noise", "n": 2, "report": {"kind": "gaussian"}}
    with pytest.raises(ParseError, match=r"\$\.report has no scale"):
        answers(law, hockey_stick=[{"rational": "1/2"}])
    law["report"] = {"kind": "gaussian", "sigma": 1, "sampling": {"poisson": "1/2"}}
    with pytest.raises(ParseError, match=r"report has sampling"):
        answers(law, hockey_stick=[{"rational": "1/2"}])
