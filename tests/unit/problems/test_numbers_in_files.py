"""A number is written in each way wherever one stands: the types of all files are walked."""

import json
import math
import types
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from msgspec import Meta, UnsetType
from msgspec.structs import fields

from exactdp.compare.registry import _One as OneOfARegistry
from exactdp.compare.registry import _Registry as Registry
from exactdp.errors import ParseError
from exactdp.numbers import Exact, Real
from exactdp.problems import answers_json, read_problem, solve
from exactdp.problems.fixtures import fixture_of, fixtures_json, read_problem_set
from exactdp.problems.kinds import ProblemFile
from exactdp.problems.reading import problem_of
from exactdp.problems.sources import source
from exactdp.problems.strict_json import strict_json
from exactdp.problems.validation import converted
from exactdp.problems.values import (
    Double,
    EpsilonValue,
    PositiveReal,
    Rational,
    RationalOrInfinity,
    RealNumber,
    Size,
)

EXAMPLES = Path(__file__).parents[3] / "examples" / "problems"
PLAIN = (str, bool, type(None), UnsetType, Any)
"""Types of what is no number."""


@dataclass(frozen=True)
class Place:
    """A type that holds a number, and one object where it does."""

    kind: Any
    where: str


def numbers(kind, where, seen):
    """Yield the places below a type where a number stands."""
    origin = get_origin(kind)
    if origin is Annotated:
        inner = get_args(kind)[0]
        yield from [Place(kind, where)] if inner is int else numbers(inner, where, seen)
    elif origin in (Union, types.UnionType, list, tuple, dict):
        for one in get_args(kind):
            if one is not Ellipsis and not (origin is dict and one is str):
                yield from numbers(one, where, seen)
    elif origin is Literal or kind in PLAIN:
        assert origin is not Literal or not any(type(x) in (int, float) for x in get_args(kind))
    elif hasattr(kind, "__struct_fields__"):
        if kind is EpsilonValue:
            yield Place(kind, where)
        if kind not in seen:
            seen.add(kind)
            for field in fields(kind):
                yield from numbers(field.type, f"{kind.__name__}.{field.name}", seen)
    else:
        yield Place(kind, where)


PLACES = {
    place.where: place
    for root in (ProblemFile, Registry, OneOfARegistry)
    for place in numbers(root, "file", set())
}


def read(place, written):
    """Return the number that is read where it stands in a file as this text or JSON number."""
    document = strict_json(json.dumps(written) if isinstance(written, str) else f"{written}")
    found = converted(document, place.kind)
    if isinstance(found, EpsilonValue):
        return found.nats
    if isinstance(found, RationalOrInfinity):
        return found.value
    return found if isinstance(found, int) else found.number


def limits(place):
    """Return the least and the largest integer that a place takes."""
    notes = [x for x in get_args(place.kind)[1:] if isinstance(x, Meta)]
    assert notes, f"{place.where} is an integer without a range"
    return notes[0].ge, notes[0].le


@pytest.mark.parametrize("where", sorted(PLACES))
def test_a_number_is_written_in_each_way(where):
    place = PLACES[where]
    kind = get_args(place.kind)[0] if get_origin(place.kind) is Annotated else place.kind
    if kind is int:
        least, _ = limits(place)
        few = max(least, 4)
        for written in (few, f"{few}", f"{few}.0", f"sqrt({few * few})", f"{2 * few}/2"):
            assert read(place, written) == few
        if least <= 1000:
            assert read(place, "1e3") == read(place, "1000") == 1000
        for wrong in ("1/3", "sqrt(2)", "many", "0.5"):
            with pytest.raises(ParseError, match=r"is not an integer") as refused:
                read(place, wrong)
            assert str(refused.value).count("\n") == 0 and wrong in str(refused.value)
        return
    if kind is Double:
        assert read(place, "0x1.8p-1") == Fraction(3, 4)
        return
    assert kind in (EpsilonValue, RationalOrInfinity) or issubclass(kind, Rational), kind
    tenths = 11 if where == "ScaleValue.inverse_log" else 1  # which is above 1
    texts = [f"{tenths}/10", f"{tenths / 10}", f"{tenths}e-1", f"sqrt({tenths**2}/100)"]
    for written in (*texts, f"log(e^({tenths}/10))", tenths / 10):
        found = read(place, written)
        assert found == Fraction(tenths, 10) and isinstance(found, Exact)
    if kind is EpsilonValue or issubclass(kind, RealNumber):
        assert isinstance(read(place, "log(3)/sqrt(10)"), Real)
        return
    for written in ("log(3)/sqrt(10)", "e^(1/2)" if tenths > 1 else "e^(-1/2)"):
        try:
            assert read(place, written) == Exact(written) and written[0] == "e"
        except ParseError as error:
            assert "is not exact" in str(error) or "rational" in str(error)
            assert "\n" not in str(error) and written in str(error)


def test_the_walk_finds_what_stands_in_files():
    assert {"DpSgd.steps", "OtherUsers.count", "Target.delta", "Ask.trade_off"} <= PLACES.keys()
    kinds = [place.kind for place in PLACES.values()]
    assert Size in kinds and PositiveReal in kinds and EpsilonValue in kinds


def quoted(value):
    """Return a document with all its numbers as texts."""
    match value:
        case bool():
            return value
        case int():
            return str(value)
        case list():
            return [quoted(one) for one in value]
        case dict():
            return {key: quoted(one) for key, one in value.items()}
    return value


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_a_file_with_quoted_numbers_states_the_same(path):
    document = strict_json(path.read_bytes())
    document.pop("claim", None)
    document.setdefault("ask", {"epsilon": ["1e-5"]})
    plain, other = problem_of(document), problem_of(quoted(document))
    assert repr(plain.law) == repr(other.law)
    assert [repr(one.value) for one in plain.questions] == [
        repr(one.value) for one in other.questions
    ]


def test_the_schema_takes_what_is_read():
    jsonschema = pytest.importorskip("jsonschema")
    from exactdp.problems import problem_schema

    checked = jsonschema.Draft202012Validator(problem_schema())
    gaussian = {"kind": "gaussian", "sigma": "sqrt(10)", "ask": {"epsilon": ["sqrt(2)/100000"]}}
    dp_sgd = {
        "kind": "dp_sgd",
        "noise_multiplier": "sqrt(2)",
        "sampling_probability": "1/100",
        "steps": "1e3",
        "ask": {"delta": ["log(3)/2", {"log": "sqrt(10)"}]},
    }
    for document in (gaussian, dp_sgd):
        checked.validate(document)
        problem_of(document)
    with pytest.raises(jsonschema.ValidationError):
        checked.validate(dp_sgd | {"steps": "many"})


def test_answers_at_decimals_are_written_again():
    """They stand as the texts that they are, in answers and in fixtures of all formats."""
    law = '"kind": "finite_pair", "p": [0.75, 0.25], "q": ["1/4", "3/4"]'
    ask = '"ask": {"hockey_stick": [0.1], "epsilon": [1e-3], "renyi": [2.5]}'
    problem = f"{{{law}, {ask}}}"
    said = json.loads(answers_json(solve(read_problem(problem))))
    assert [one["at"] for one in said["answers"]] == [{"rational": "0.1"}, "1e-3", "2.5"]
    text = (
        f'{{"format": "exactdp-problems/1", "problems": [{{"name": "a", "problem": {problem}}}]}}'
    )
    fixtures = [fixture_of(one) for one in read_problem_set(text)]
    kept = json.loads(fixtures_json(fixtures))["fixtures"][0]["problem"]
    assert kept == json.loads(problem, parse_float=str)
    for language in ("jsonl", "rust", "java"):
        assert "0.75" in source(fixtures, language=language)


@pytest.mark.parametrize(
    "law",
    [
        {
            "kind": "finite_pair",
            "p": ["e^(-0.31415926535)", "1 - e^(-0.31415926535)"],
            "q": ["e^(-0.27182818284)", "1 - e^(-0.27182818284)"],
        },
        {
            "kind": "shuffle",
            "randomizers": {
                "R": {"mechanism": "randomized_response", "k": 2, "epsilon": 0.31415926535},
                "S": {"mechanism": "randomized_response", "k": 2, "epsilon": "0.27182818284"},
            },
            "victim": {"randomizer": "R", "inputs": [0, 1]},
            "others": [{"randomizer": "S", "input": 0, "count": 3}],
        },
    ],
)
def test_decimals_without_a_short_common_denominator_are_answered(law):
    """As near decimals are that have one."""
    ask = {"hockey_stick": [0.01], "epsilon": [1e-3], "renyi": [2], "trade_off": [0.1]}
    other = json.loads(
        json.dumps(law).replace("0.31415926535", "0.3141").replace("0.27182818284", "0.2718")
    )
    found, near = (
        solve(read_problem(json.dumps(one | {"ask": ask}))).answers for one in (law, other)
    )
    for a, b in zip(found, near, strict=True):
        assert len(a.lower) > 8 and a.tight
        assert float(a.lower) == pytest.approx(float(b.lower), rel=0.05)


def test_masses_and_orders_have_roots():
    """P = (1/√2, 1 − 1/√2) against a fair coin."""
    problem = {"kind": "finite_pair", "p": ["sqrt(1/2)", "1 - sqrt(1/2)"], "q": ["1/2", "1/2"]}
    ask = {"total_variation": True, "renyi": ["sqrt(2)", "log(5)"], "max_divergence": True}
    found = solve(read_problem(json.dumps(problem | {"ask": ask}))).answers
    p, q = (2**-0.5, 1 - 2**-0.5), (0.5, 0.5)
    truth = [p[0] - q[0], math.log(p[0] / q[0])]
    for order in (2**0.5, math.log(5)):
        total = sum(x**order * y ** (1 - order) for x, y in zip(p, q, strict=True))
        truth.append(math.log(total) / (order - 1))
    assert sorted(float(one.lower) for one in found) == pytest.approx(sorted(truth), rel=1e-6)
    text = json.dumps({"kind": "gaussian", "sigma": 1.5, "ask": {"renyi": ["sqrt(2)"]}})
    [one] = solve(read_problem(text)).answers  # order/(2σ²)
    assert float(one.lower) == pytest.approx(2**0.5 / 4.5, rel=1e-9)
