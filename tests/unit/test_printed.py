"""The result of a public call prints in one short line, and is the same when pickled or copied."""

import copy
import pickle
import re
from collections.abc import Iterator

import pytest
from hypothesis.strategies import SearchStrategy

from tests.routes.good_calls import arguments_of
from tests.routes.public_names import BUILT, PUBLIC

DEFAULT = re.compile(r" at 0x[0-9a-f]{6}|<function |\d{60}")
"""What says nothing to a reader: where an object lies, and long digits."""
LONGEST = 300
OURS = sorted(PUBLIC.keys() - BUILT)
RECORDS = {"problems.answers_json", "problems.solve", "problems.solve_each", "bounds.bounds_of"}
"""They hold as many answers, or bounds, as were asked for."""
THEIRS = {"divergences.calibrates", "numbers.precision", "numbers.Real", "mechanisms.TailNoise"} | {
    "mechanisms.integer_noise"
}
"""A decorator, what ``with`` takes, and a function of the caller's."""


@pytest.fixture(scope="module", params=OURS)
def made(request):
    return request.param, PUBLIC[request.param](**arguments_of(request.param))


def test_it_prints_in_one_short_line(made):
    name, found = made
    if name in THEIRS or isinstance(found, SearchStrategy | Iterator):
        return
    for text in (repr(found), str(found), f"{found}"):
        assert not DEFAULT.search(text), text
        assert "\n" not in text or name == "problems.answers_json"
        assert len(text) <= LONGEST or name in RECORDS, text


def test_it_is_the_same_when_pickled_or_copied(made):
    name, found = made
    if name in THEIRS or isinstance(found, SearchStrategy | Iterator):
        return
    for other in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        assert type(other) is type(found) and repr(other) == repr(found)


@pytest.mark.parametrize("text", ["<a.B object at 0x7f00aa11>", "f=<function f at 0x1>", "1" * 60])
def test_a_default_is_seen(text):
    assert DEFAULT.search(text)
