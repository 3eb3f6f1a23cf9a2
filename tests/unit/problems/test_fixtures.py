"""Files of problems to files of answers: reproducible, and readable without exactdp."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp.errors import ParseError
from exactdp.problems.fixtures import fixture_of, fixture_schema, fixtures_json, read_problem_set

FOLDER = Path(__file__).parents[3] / "examples" / "fixtures"
KEPT = (FOLDER / "fixtures.json").read_text()
FIXTURES = json.loads(KEPT)["fixtures"]
COIN = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}


def problem_set(*names):
    problem = {**COIN, "ask": {"hockey_stick": [{"log": "2"}]}}
    entries = [{"name": name, "problem": problem} for name in names]
    return json.dumps({"format": "exactdp-problems/1", "problems": entries})


def test_a_fixture_repeats_the_problem_beside_its_answers():
    (entry,) = read_problem_set(problem_set("coin"))
    text = fixtures_json([fixture_of(entry)])
    (fixture,) = json.loads(text)["fixtures"]
    assert fixture["name"] == "coin" and fixture["problem"]["p"] == ["3/4", "1/4"]
    assert fixture["answers"][0]["exact"] == "1/4"


def test_the_ready_set_is_what_its_problems_give():
    """A sample of the kept answers, bit for bit; the whole set is a matter of minutes."""
    entries = read_problem_set((FOLDER / "problems.json").read_bytes())
    assert [f["name"] for f in FIXTURES] == [e.name for e in entries]
    quick = ("clone_pair", "finite_pair", "gaussian", "laplace", "discrete_laplace")
    sample = [e for e in entries if e.problem["kind"] in quick][::3]
    assert len(sample) >= 8
    for entry in sample:
        body = fixtures_json([fixture_of(entry)]).split("\n", 1)[1].rsplit("\n]}", 1)[0]
        assert body in KEPT, entry.name


def test_the_ready_set_reaches_from_one_half_to_below_1e_300():
    deltas = [
        Decimal(answer["upper"])
        for fixture in FIXTURES
        for answer in fixture["answers"]
        if answer["ask"] == "hockey_stick" and answer["upper"] not in ("0", "infinity")
    ]
    positive = [d for d in deltas if d > 0]
    assert max(positive) >= Decimal("0.5") and min(positive) < Decimal("1e-300")
    sizes = {f["problem"].get("n") for f in FIXTURES}
    assert {10, 10**9} <= sizes


def test_answers_enclose_and_their_doubles_too():
    """Decimals are compared exactly, and 1e-100000 is not written out."""
    for fixture in FIXTURES:
        for answer in fixture["answers"]:
            if answer["upper"] == "infinity":
                continue
            lower, upper = Decimal(answer["lower"]), Decimal(answer["upper"])
            assert lower <= upper
            assert Decimal(answer["float_below"]) <= upper
            assert answer["float_above"] is None or Decimal(answer["float_above"]) >= lower
            if answer["exact"] is not None and len(answer["exact"]) < 4000:
                assert Fraction(lower) <= Fraction(answer["exact"]) <= Fraction(upper)


def test_the_kept_schema_is_the_published_one():
    assert json.loads((FOLDER / "fixtures.schema.json").read_text()) == fixture_schema()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (problem_set("a", "a"), "used twice"),
        ("[]", "exactdp-problems/1"),
        ('{"format": "exactdp-problems/2", "problems": []}', "exactdp-problems/1"),
        (
            '{"format": "exactdp-problems/1", "problems": [{"name": "x", "problem": {"kind": 1}}]}',
            "x: $.kind",
        ),
    ],
    ids=range(4),
)
def test_a_bad_set_is_refused_with_the_way_out(text, words):
    with pytest.raises(ParseError) as caught:
        read_problem_set(text)
    assert words in str(caught.value)
