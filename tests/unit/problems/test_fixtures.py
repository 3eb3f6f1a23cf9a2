"""Files of problems to files of answers: reproducible, and readable without exactdp."""

import json
from decimal import Context, Decimal
from fractions import Fraction
from math import inf, nextafter
from pathlib import Path
from typing import get_args

import mpmath
import pytest

from exactdp.errors import ParseError
from exactdp.numbers import Enclosure
from exactdp.problems import read_problem, solving
from exactdp.problems.fixtures import (
    FixtureFile,
    fixture_of,
    fixture_schema,
    fixtures_json,
    read_problem_set,
)
from exactdp.problems.kinds import ProblemFile
from exactdp.problems.reading import _LAWS, _format
from exactdp.problems.validation import converted
from tests.commands import answers
from tests.routes.noise import gaussian_delta

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
    assert fixture["sides"] == {"p": "p", "q": "q", "neighbors": "whatever p and q are the laws of"}
    (answer,) = fixture["answers"]
    assert answer["exact"] == "1/4" and answer["tight"]
    assert (answer["unit"], answer["direction"]) == ("probability", "forward")


def test_the_ready_set_is_what_its_problems_give():
    """A sample of the kept answers, bit for bit; ``.ci/run`` makes the whole set."""
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


def test_doubles_are_the_nearest_ones_or_the_ends_which_are_neighboring_decimals():
    """So nothing in the file depends on where an engine's enclosure happened to lie."""
    wide = Context(prec=60, Emax=10**8, Emin=-(10**8))
    for fixture in FIXTURES:
        for answer in fixture["answers"]:
            below, above = answer["float_below"], answer["float_above"]
            if None not in (below, above):
                assert answer["tight"] is (above <= nextafter(below, inf)), fixture["name"]
            if answer["tight"] or "lower_by" in answer:
                continue
            lower, upper = (wide.create_decimal(answer[end]) for end in ("lower", "upper"))
            step = Decimal(1).scaleb(
                max(x.as_tuple().exponent for x in (lower, upper)), context=wide
            )
            assert wide.subtract(upper, lower) == step, fixture["name"]


def test_every_kind_of_law_has_fixtures_and_doubles_have_too():
    kinds = {f["problem"]["kind"] for f in FIXTURES}
    assert kinds == {law.__struct_config__.tag for law in get_args(ProblemFile)}


def test_each_kind_is_read_in_the_format_that_all_kinds_have():
    for law in get_args(ProblemFile):
        found = _format({"kind": law.__struct_config__.tag})
        assert found in (law, ProblemFile)
        assert found is law or law.__struct_config__.tag not in _LAWS
    assert KEPT.count('"at_float"') > 20
    for words in ('"poisson":', '"neighbors":"substitution"', '"without_replacement":'):
        assert words in KEPT


WIDER = {
    "counts": {
        "kind": "clone_pair",
        "n": 1000,
        "epsilon0": {"at_float": (1.1).hex()},
        "ask": {"hockey_stick": [{"rational": "1/10"}], "epsilon": ["1e-6"]},
    },
    "parameter": {
        "kind": "gaussian",
        "ask": {"sigma": [{"epsilon": {"rational": "1"}, "delta": "1e-5"}]},
    },
}


@pytest.mark.parametrize("problem", WIDER.values(), ids=WIDER)
@pytest.mark.parametrize("part", [0, 3, 10], ids="a part {} of the width below".format)
def test_another_engine_whose_ends_lie_elsewhere_prints_the_same(monkeypatch, problem, part):
    entry = {"format": "exactdp-problems/1", "problems": [{"name": "x", "problem": problem}]}
    (named,) = read_problem_set(json.dumps(entry))
    usual = fixture_of(named)

    def elsewhere(asked):
        def value_at(width):
            found, more = asked.value_at(width), Fraction(str(width)) / 30
            below, above = 1 - part * more, 1 + (10 - part) * more
            if not isinstance(found, Enclosure):
                return found
            return Enclosure(found.lower * below, found.upper * above)

        return solving._Asked(value_at, asked.width, asked.safe, asked.remarks)

    settled = solving._settled
    monkeypatch.setattr(solving, "_settled", lambda asked: settled(elsewhere(asked)))
    assert fixtures_json([fixture_of(named)]) == fixtures_json([usual])


def test_a_problem_at_doubles_has_the_truth_of_these_doubles():
    """Against mpmath; 4/5 and 1/10, which the doubles only print as, give another number."""

    def answer(sigma, epsilon):
        problem = {"kind": "gaussian", "sigma": sigma, "ask": {"hockey_stick": [epsilon]}}
        return answers(**problem, digits=25)[0].decimal

    doubles = answer({"at_float": (0.8).hex()}, {"at_float": (0.1).hex()})
    assert doubles == mpmath.nstr(gaussian_delta(0.8, 0.1, digits=60), 25)
    assert answer("4/5", {"rational": "1/10"}) != doubles


DOUBLES = {
    "randomized response": {
        "kind": "shuffle",
        "randomizers": {
            "R": {"mechanism": "randomized_response", "k": 5, "epsilon": {"at_float": (1.1).hex()}}
        },
        "victim": {"randomizer": "R", "inputs": [0, 1]},
    },
    "discrete Laplace": {
        "kind": "discrete_laplace",
        "scale": {"at_float": (0.7).hex()},
        "sensitivity": 3,
    },
}


def masses_by_hand(name):
    """P and Q from the definitions, of the doubles 1.1 and 0.7."""
    if name == "randomized response":
        x = mpmath.exp(mpmath.mpf(1.1))
        p = [x / (x + 4)] + [1 / (x + 4)] * 4
        return list(zip(p, [p[1], p[0], *p[2:]], strict=True))
    noise = [mpmath.exp(-abs(k) / mpmath.mpf(0.7)) for k in range(-200, 204)]
    total = sum(noise)
    return [(a / total, b / total) for a, b in zip(noise[3:], noise[:-3], strict=True)]


@pytest.mark.parametrize("name", DOUBLES)
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.3, 1.7, -0.2])
def test_exact_laws_of_doubles_are_asked_at_other_doubles(name, epsilon):
    ask = {"hockey_stick": [{"at_float": epsilon.hex()}], "direction": "both"}
    entry = {"name": "x", "problem": {**DOUBLES[name], "ask": ask}}
    (named,) = read_problem_set(json.dumps({"format": "exactdp-problems/1", "problems": [entry]}))
    (answer,) = fixture_of(named).answers
    with mpmath.workdps(60):
        gamma = mpmath.exp(mpmath.mpf(epsilon))
        truth = sum(max(p - gamma * q, mpmath.mpf(0)) for p, q in masses_by_hand(name))
        assert abs(mpmath.mpf(answer.decimal) - truth) <= truth * mpmath.mpf(10) ** -16
        assert mpmath.mpf(answer.float_below) <= truth <= mpmath.mpf(answer.float_above)
    assert answer.tight


def test_fixtures_at_doubles_answer_every_ask():
    asked = {
        answer["ask"]
        for fixture in FIXTURES
        for answer in fixture["answers"]
        if "randomized response at doubles" in fixture["name"]
    }
    everything = {"hockey_stick", "epsilon", "renyi", "max_divergence", "total_variation"}
    assert asked == everything | {"trade_off"}


@pytest.mark.parametrize(
    "written", ["0.1", "0x1.8", "0x1.99999999999999p0", "0x1p1024", "0x1.1p-1074", 1, "0x3p1"]
)
def test_what_no_double_holds_is_refused(written):
    problem = {"kind": "gaussian", "sigma": {"at_float": written}, "ask": {"total_variation": True}}
    with pytest.raises(ParseError, match="double"):
        read_problem(json.dumps(problem))


@pytest.mark.parametrize(
    ("place", "key"),
    [
        (("answers", 0), "flaot_below"),
        (("problem", "ask"), "deltas"),
        ((), "note"),
        (("sides",), "r"),
    ],
    ids=str,
)
def test_unknown_keys_and_asks_do_not_fit_the_schema(place, key):
    document = json.loads(KEPT)
    document["fixtures"] = document["fixtures"][:1]
    converted(document, FixtureFile)
    where = document["fixtures"][0]
    for step in place:
        where = where[step]
    where[key] = []
    with pytest.raises(ParseError, match=key):
        converted(document, FixtureFile)
    defined = fixture_schema()["$defs"].values()
    strict = [d for one in defined for d in one.get("anyOf", [one]) if d.get("type") == "object"]
    assert len(strict) > 50 and all(d["additionalProperties"] is False for d in strict)


def test_the_kept_file_fits_the_schema():
    converted(json.loads(KEPT.replace('"float_below":null', '"float_below":null')), FixtureFile)


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
