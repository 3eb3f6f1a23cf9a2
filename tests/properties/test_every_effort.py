"""Another effort changes widths and refusals, and no answer's truth."""

from dataclasses import fields
from fractions import Fraction
from itertools import combinations

import pytest

from exactdp import Epsilon, Pair, compose, dp_sgd
from exactdp.errors import ExactDPError, TooLargeError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import refuse_above
from exactdp.numbers.effort import remembered
from exactdp.numbers.limits import Effort, Limit, effort, effort_of_today
from exactdp.shuffle import Users, Victim, blanket_pair, clone_pair, shuffle_view

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
THREE = Pair.from_masses(["1/2", "1/3", "1/6"], ["1/3", "1/3", "1/3"])
FOUR = Pair.from_masses(["1/2", "1/4", "1/8", "1/8"], ["1/5", "3/10", "1/4", "1/4"])
RR4 = randomized_response(4, Epsilon.log(4))
VIEW = shuffle_view(Victim(RR4, (0, 1)), [Users(RR4, 2, 999)])
AT = Epsilon.rational("1/5")

QUESTIONS = {
    "coins": lambda w: compose([(COIN, 50)]).delta(Epsilon.rational(9), relative_width=w),
    "three": lambda w: compose([(THREE, 3000)]).delta(Epsilon.rational(300), relative_width=w),
    "four": lambda w: compose([(FOUR, 2000)]).delta(Epsilon.rational(500), relative_width=w),
    "two kinds": lambda w: compose([(FOUR, 4), (THREE, 4)]).epsilon("1e-5", relative_width=w),
    "sampled": lambda w: dp_sgd(1, "1e-2", 1000).delta(AT, relative_width=w),
    "mixed": lambda w: compose([(gaussian_mechanism(sigma=3), 9), (COIN, 3)]).delta(
        Epsilon.rational(2), relative_width=w
    ),
    "laplace": lambda w: compose([(laplace_mechanism(scale=3), 7), (COIN, 2)]).delta(
        Epsilon.rational(2), relative_width=w
    ),
    "discrete": lambda w: compose([(discrete_gaussian_mechanism(sigma=4), 30)]).delta(
        Epsilon.rational(4), relative_width=w
    ),
    "view": lambda w: VIEW.delta(AT, relative_width=w),
    "blanket": lambda w: blanket_pair(10**5, RR4).delta(
        Epsilon.rational("1/100"), relative_width=w
    ),
    "clones": lambda w: clone_pair(10**6, Epsilon.rational(1)).delta(
        Epsilon.rational("1/100"), relative_width=w
    ),
}
EFFORTS = [
    {},
    {"points": 1 << 24},
    {"points": 1 << 13},
    {"points": 1 << 9},
    {"cells": 2_000_000},
    {"cells": 2_000},
    {"cells": 20, "points": 1 << 11},
    {"memory": 10**6, "bits": 10**5},
]


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("width", ["1e-3", "1e-6"])
def test_two_efforts_never_tell_disjoint_answers(name, width):
    found = []
    for sizes in EFFORTS:
        with effort(**sizes):
            try:
                found.append(QUESTIONS[name](width))
            except ExactDPError:
                continue
    assert len(found) > 1
    for one, other in combinations(found, 2):
        assert one.lower <= other.upper and other.lower <= one.upper


def test_more_effort_answers_more_and_narrower():
    def ask(width):
        return QUESTIONS["four"](width)

    with effort(points=1 << 9, cells=200), pytest.raises(TooLargeError, match="Ask for"):
        ask("1e-8")
    assert ask("1e-8").is_narrow(Fraction(1, 10**8))


def test_doubling_a_field_doubles_its_limits_and_no_others():
    from exactdp.numbers.limits import MAX_ENTRIES, MAX_USERS

    assert len(fields(Effort)) <= 12
    for name, limit in (("cells", MAX_ENTRIES), ("copies", MAX_USERS)):
        with effort(**{name: 2 * getattr(Effort(), name)}):
            assert limit.now == 2 * limit
            assert limit.now == Limit(limit, name).now
            refuse_above(limit, 2 * limit, "it is twice as large", advice="Lower it.")
        with pytest.raises(TooLargeError):
            refuse_above(limit, 2 * limit, "it is twice as large", advice="Lower it.")
    with effort(points=5):
        assert MAX_ENTRIES.now == MAX_ENTRIES and effort_of_today() == Effort(points=5)
    with pytest.raises(TypeError), effort(seats=5):
        pass


def test_what_is_remembered_belongs_to_its_effort():
    asked = []

    @remembered(maxsize=8)
    def half(x):
        asked.append(effort_of_today().points)
        return x / 2

    usual = Effort().points
    for points in (usual, 7, usual, 7):
        with effort(points=points):
            assert half(3) == 1.5
    assert asked == [usual, 7]
    # A profile that is asked at two efforts answers as a new one does.
    for first, second in ((usual, 1 << 9), (1 << 9, usual)):
        profile, answers = compose([(FOUR, 2000)]), []
        for points in (first, second):
            with effort(points=points):
                try:
                    answers.append(profile.delta(Epsilon.rational(500), relative_width="1e-6"))
                except TooLargeError:
                    answers.append(None)
        new = []
        for points in (first, second):
            with effort(points=points):
                try:
                    new.append(QUESTIONS["four"]("1e-6"))
                except TooLargeError:
                    new.append(None)
        assert answers == new
