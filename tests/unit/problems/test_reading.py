"""Problem files are read strictly: each bad input is one line that names what to change."""

from __future__ import annotations

import json
import time
from copy import deepcopy
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import ExactDPError, ParseError, TooLargeError
from exactdp.mechanisms import gaussian_mechanism
from exactdp.problems import problem_schema, read_problem, solve

PAIR: dict[str, Any] = {
    "kind": "finite_pair",
    "p": ["3/4", "1/4"],
    "q": ["1/4", "3/4"],
    "ask": {"hockey_stick": [{"log": "2"}]},
}
SHUFFLE: dict[str, Any] = {
    "kind": "shuffle",
    "randomizers": {"R": [["1/2", "1/2"], ["1/3", "2/3"]]},
    "victim": {"randomizer": "R", "inputs": [0, 1]},
    "others": [{"randomizer": "R", "input": 1, "count": 3}],
    "ask": {"total_variation": True},
}
COMPOSITION: dict[str, Any] = {
    "kind": "composition",
    "parts": [{"problem": {k: v for k, v in PAIR.items() if k != "ask"}, "times": 3}],
    "ask": {"epsilon": ["1e-3"]},
}
RESPONSE = {"mechanism": "randomized_response", "k": 4, "epsilon": {"log": 4}}


def changed(problem: dict[str, Any], path: str, value: Any) -> str:
    """Return the problem as text, with the value at a path such as "others.0.count" changed."""
    result = deepcopy(problem)
    place: Any = result
    *steps, last = path.split(".")
    for step in steps:
        place = place[int(step)] if isinstance(place, list) else place[step]
    place[int(last) if isinstance(place, list) else last] = value
    return json.dumps(result)


def message_of(text: str | bytes) -> str:
    """Return the one line that solving the problem raises, at once."""
    started = time.process_time()
    with pytest.raises(ExactDPError) as caught:
        solve(read_problem(text))
    assert time.process_time() - started < 3
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert message.isascii()
    assert len(message) < 500
    assert message.endswith((".", "'.", '".'))
    return message


BAD_PAIRS = [
    ("p", ["1/2", "0.49"], "$.p: the masses sum to 99/100, not 1 (2 outcomes). Correct them"),
    ("p.0", "-3/4", "$.p[0]=-3/4 is negative. A mass is at least 0."),
    (
        "p.0",
        "three",
        "$.p[0]='three' is not a number. Write it as '4/7', '0.49', '1e-10', 'e^(1/2)'",
    ),
    ("p.0", "1/0", "$.p[0]='1/0' has denominator zero."),
    ("p.0", 0.5, "$.p: the masses sum to 3/4, not 1 (2 outcomes). Correct them"),
    ("p.0", -0.75, "$.p[0]=-0.75 is negative. A mass is at least 0."),
    ("p.0", None, "$.p[0]=null is not a number. Write it as a string"),
    ("p.0", True, "$.p[0]=true is not a number. Write it as a string"),
    ("p.0", ["3/4"], '$.p[0]=["3/4"] is not a number. Write it as a string'),
    ("p", [1], "$: p has 1 mass and q has 2. Give both laws on the same outcomes"),
    ("p", "1/2", '$.p="1/2" is not a list.'),
    ("q", [], "$: p has 2 masses and q has 0."),
    ("ask.hockey_stick.0", 1e9, "$.ask.hockey_stick[0]: epsilon is beyond 10,000 nats in size."),
    ("ask.hockey_stick.0", True, "$.ask.hockey_stick[0]=true is not an object. Write 0.49 or"),
    ("ask.hockey_stick.0", {}, "$.ask.hockey_stick[0]={} is not an epsilon: it needs exactly"),
    ("ask.hockey_stick.0", {"log": 2, "rational": 1}, "is not an epsilon: it needs exactly one"),
    ("ask.hockey_stick.0", {"log": 0}, "$.ask.hockey_stick[0]: e^epsilon=0 must be positive"),
    (
        "ask.hockey_stick.0",
        {"ln": 2},
        'has the unknown key "ln". Remove it; the keys are rational, at_float, log.',
    ),
    ("ask.hockey_stick.0", {"rational": "1e9"}, "epsilon is beyond 10,000 nats in size."),
    ("ask.hockey_stick.0", "half", "$.ask.hockey_stick[0].rational='half' is not a number."),
    ("ask.renyi", ["sqrt(2) - 2"], "$.ask.renyi[0]=sqrt(2) - 2 must be above 0 and not 1"),
    ("p.0", "sqrt(2)", "$.p: the masses sum to 1.66421356237309"),
    ("p.0", "sqrt(9/16) + 0.00001", "$.p: the masses sum to 1 + 0.0000100, not 1"),
    ("ask", {}, "$.ask asks nothing. Give delta, epsilon, renyi"),
    ("ask", {"max_divergence": False}, "$.ask asks nothing."),
    ("ask", {"max_divergence": 1}, "$.ask.max_divergence=1 is not true or false."),
    ("ask", {"epsilon": ["2"]}, "$.ask.epsilon[0]=2 is not a probability. Give a number"),
    ("ask", {"trade_off": ["-1/2"]}, "$.ask.trade_off[0]=-1/2 is not a probability."),
    (
        "ask",
        {"renyi": [2, 1]},
        "$.ask.renyi[1]=1 must be above 0 and not 1. Ask for max_divergence",
    ),
    ("ask.direction", "back", '$.ask.direction="back" is not known. Use forward or both.'),
    ("ask.relative_width", "0", "$.ask.relative_width=0 must be at least 1e-10000"),
    ("ask.deltas", ["1/2"], '$.ask has the unknown key "deltas". Remove it; the keys are'),
    (
        "kind",
        "gauss",
        '$.kind="gauss" is not known. Use clamped_results, discrete_gaussian, gaussian, group, or '
        "another of the 38 in `exactdp solve --schema`.",
    ),
    ("kind", "pair\n", '$.kind="pair\\n" is not known.'),
    ("kind", 3, "$.kind=3 is not a string."),
    ("n", 0, '$ has the unknown key "n". Remove it; the keys are kind, p, q, ask.'),
    ("a\nb`", 0, '$ has the unknown key "a\\nb`".'),
]
BAD_SHUFFLES = [
    ("randomizers.R.1", ["1/3", "1/3"], "$.randomizers.R[1]: the masses sum to 2/3"),
    ("randomizers.R.1", [1], "$.randomizers.R[1] has 1 mass, but row 0 has 2."),
    ("randomizers.R.1.0", "x", "$.randomizers.R[1][0]='x' is not a number."),
    ("randomizers.R", [], "$.randomizers.R has no entry. Give one row an input"),
    ("randomizers.R", 3, "$.randomizers.R=3 is not a matrix"),
    ("others.0.n", 0, '$.others[0] has the unknown key "n". Remove it; the keys are randomizer'),
    ("others.0.count", -3, "$.others[0].count=-3 is not an integer >= 0. Give a number of"),
    ("others.0.count", 3.5, "$.others[0].count=3.5 is not an integer. Give a number of"),
    ("others.0.count", "7/2", '$.others[0].count="7/2" is not an integer. Give a number of'),
    ("others.0.count", 10**30, "is not an integer <= 1000000000000000000. Give a number"),
    ("others.0.input", 2, "$.others[0].input=2 is outside the alphabet 0..1"),
    ("others.0.randomizer", "S", '$.others[0].randomizer="S" is not in randomizers. Define it'),
    ("victim.randomizer", "\ud800", '$.victim.randomizer: "\\ud800" holds half a character'),
    ("victim.inputs", [0, 2], "$.victim.inputs[1]=2 is outside the alphabet 0..1"),
    ("victim.inputs", [-1, 0], "$.victim.inputs[0]=-1 is not an integer >= 0. Give an input"),
    ("victim.inputs", [0], "$.victim.inputs=[0] is not a list of length 2."),
    ("merge", [[0]], "$: merge=[[0]] is not a partition of the messages 0..1."),
    ("randomizers.R", {"mechanism": "laplace"}, '$.randomizers.R.mechanism="laplace" is not'),
    ("randomizers.R", {"k": 4}, '$.randomizers.R has no key "mechanism". Use hadamard'),
    ("randomizers.R", {**RESPONSE, "k": 0}, "$.randomizers.R.k=0 is not an integer >= 2."),
    (
        "randomizers.R",
        {**RESPONSE, "epsilon": {"rational": -1}},
        "$.randomizers.R: epsilon=Epsilon.rational('-1') is negative.",
    ),
    ("randomizers.my R", {**RESPONSE, "k": 1}, '$.randomizers["my R"].k=1 is not an integer'),
]
BAD_COMPOSITIONS = [
    ("parts", [], "$.parts=[] is not a list of length >= 1. Give at least one part."),
    ("parts.0.times", 0, "$.parts[0].times=0 is not an integer >= 1. Give a number of"),
    ("parts.0.problem", PAIR, '$.parts[0].problem has the unknown key "ask".'),
    ("parts.0.problem", COMPOSITION, '$.parts[0].problem.kind="composition" is not known.'),
]
BAD_VALUES = [
    (problem, *row)
    for problem, rows in (
        (PAIR, BAD_PAIRS),
        (SHUFFLE, BAD_SHUFFLES),
        (COMPOSITION, BAD_COMPOSITIONS),
    )
    for row in rows
]


@pytest.mark.parametrize(("problem", "path", "value", "expected"), BAD_VALUES)
def test_a_bad_value_is_named_with_its_place_and_the_way_out(problem, path, value, expected):
    assert expected in message_of(changed(problem, path, value))


@pytest.mark.parametrize("key", ["kind", "p", "q", "ask"])
def test_a_missing_key_is_named(key):
    text = json.dumps({k: v for k, v in PAIR.items() if k != key})
    assert f'$ has no key "{key}".' in message_of(text)


TEXT = json.dumps(PAIR)

BAD_TEXTS = {
    "empty": ("", "the file is empty. Write one problem as a JSON object."),
    "truncated": (TEXT[:-3], "the file ends too early: at line 1, column"),
    "truncated in a string": (TEXT[:12], "the file ends too early: at line 1, column"),
    "trailing": (TEXT + " x", "is not JSON at line 1, column"),
    "not an object": ("[]", "$=[] is not an object."),
    "repeated key": (
        TEXT.replace('"q"', '"p"'),
        '$: the key "p" is repeated. Keep one of the two.',
    ),
    "repeated key inside": (
        TEXT.replace('{"log": "2"}', '{"log": "2", "log": "3"}'),
        '$.ask.hockey_stick[0]: the key "log" is repeated.',
    ),
    "open brackets": ("[" * 100_000, "nests brackets deeper than 50."),
    "brackets": ("[" * 100_000 + "]" * 100_000, "nests brackets deeper than 50."),
    "braces": ('{"a":' * 100_000, "nests brackets deeper than 50."),
    "brackets inside": (TEXT.replace('"3/4"', "[" * 60 + "]" * 60, 1), "deeper than 50."),
    "huge integer": (
        TEXT.replace('"3/4"', "1" + "0" * 5_000, 1),
        "$.p[0]=10000000000000000000... is an integer of 5,001 digits; the limit is 1,000.",
    ),
    "NaN": (TEXT.replace('"3/4"', "NaN", 1), "$.p[0]=NaN is not a number in JSON."),
    "infinity": (
        TEXT.replace('"3/4"', "-Infinity", 1),
        "$.p[0]=-Infinity is not a number in JSON.",
    ),
    "huge exponent": (
        TEXT.replace('"3/4"', "1e999999999", 1),
        "$.p[0]='1e999999999' is not a number.",
    ),
    "not UTF-8": (b"\xff\xfe", "the file is not UTF-8: byte 0 is 0xff."),
    "byte order mark": ("\ufeff" + TEXT, "the file begins with a byte order mark."),
}


def test_a_decimal_is_what_it_prints_as_quoted_or_not():
    law = {"kind": "laplace", "scale": 0.1, "sensitivity": "1/10"}
    bare = {**law, "ask": {"hockey_stick": [0.3, "log(2)", 1], "epsilon": [1e-5]}}
    full = {"hockey_stick": [{"rational": "0.3"}, {"log": "2"}, {"rational": 1}]}
    quoted = {**law, "scale": "0.1", "ask": {**full, "epsilon": ["1e-05"]}}
    texts = [json.dumps(one) for one in (bare, quoted)]
    found, other = (solve(read_problem(text)).answers for text in texts)
    assert [a.decimal for a in found] == [a.decimal for a in other]
    assert [a.at for a in found[:2]] == [{"rational": "0.3"}, {"log": "2"}]


def test_noise_may_have_a_square_root():
    text = '{"kind": "gaussian", "sigma": "sqrt(10)", "ask": {"epsilon": [1e-5]}}'
    (answer,) = solve(read_problem(text)).answers
    other = gaussian_mechanism(sigma=10**0.5).epsilon("1e-5")
    assert abs(Fraction(answer.lower) - other.lower) < Fraction("1e-8")


@pytest.mark.parametrize("name", BAD_TEXTS)
def test_a_bad_text_is_one_line(name):
    text, expected = BAD_TEXTS[name]
    assert expected in message_of(text)


def test_a_rational_string_may_be_long():
    long = "1" * 5_000
    problem = read_problem(changed(PAIR, "ask", {"hockey_stick": [{"log": long}]}))
    assert solve(problem).answers[0].exact == "0"


TOO_LARGE = [
    changed(SHUFFLE, "others.0.count", 10**18),
    changed(SHUFFLE, "randomizers.R", {**RESPONSE, "k": 10**9}),
    changed(COMPOSITION, "parts.0.times", 10**18),
]


@pytest.mark.parametrize("text", TOO_LARGE, ids=range(len(TOO_LARGE)))
def test_what_is_too_large_is_refused_at_once(text):
    with pytest.raises(TooLargeError):
        solve(read_problem(text))
    message_of(text)


def test_questions_keep_the_order_of_the_file():
    ask = {"total_variation": True, "epsilon": ["1/8", "0"], "max_divergence": True, "renyi": [2]}
    problem = read_problem(json.dumps({**PAIR, "ask": ask}))
    names = [question.ask for question in problem.questions]
    assert names == ["total_variation", "epsilon", "epsilon", "max_divergence", "renyi"]


def test_the_schema_refuses_unknown_keys_and_is_json():
    schema = problem_schema()
    json.dumps(schema)
    structs = [s for s in schema["$defs"].values() if s.get("type") == "object"]
    assert structs
    assert all(s["additionalProperties"] is False for s in structs)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "p", "log", "ask", "k", "mechanism"]), inner)
    ),
    max_leaves=6,
)
PLACES = [
    (problem, place)
    for problem, places in (
        (PAIR, "kind p p.0 ask ask.hockey_stick.0 ask.direction"),
        (SHUFFLE, "randomizers randomizers.R victim victim.inputs others.0 merge"),
        (COMPOSITION, "parts parts.0 parts.0.problem parts.0.times"),
    )
    for place in places.split()
]


@settings(max_examples=300)
@given(place=st.sampled_from(PLACES), value=json_values)
def test_any_json_value_in_any_place_is_read_or_refused_in_one_line(place, value):
    try:
        solve(read_problem(changed(*place, value)))
    except ExactDPError as error:
        assert len(str(error).splitlines()) == 1


@settings(max_examples=200)
@given(start=st.integers(0, len(TEXT)), stop=st.integers(0, len(TEXT)), patch=st.text(max_size=3))
def test_any_damaged_text_is_read_or_refused_in_one_line(start, stop, patch):
    text = TEXT[: min(start, stop)] + patch + TEXT[max(start, stop) :]
    try:
        read_problem(text)
    except ParseError as error:
        assert len(str(error).splitlines()) == 1


def test_answers_decode_as_the_documented_type():
    from exactdp.problems import Answers, answers_json

    answers = solve(read_problem(TEXT))
    assert msgspec.json.decode(answers_json(answers), type=Answers) == answers
