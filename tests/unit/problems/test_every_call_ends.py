"""Whatever a problem file says, the call ends: with answers, or with an error of one line.

Problems are drawn from the schema: every kind and every question, with ordinary numbers and
with numbers as extreme as a file may hold. They run in a worker of their own, each for a moment;
``--deep`` runs tens of thousands. That one takes too long or too much memory is one of the ways
to end; a crash, a traceback or a Python warning is none.
"""

import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactdp.errors import ExactDPError, StoppedError
from exactdp.execution import Limits, Worker
from exactdp.problems import problem_schema, read_problem, solve

SCHEMA = problem_schema()
ORDINARY = ["1/2", "1", "2", "0.1", "3/4", "1/3", "1e-5", "10", "7/3", "e^-2", "2*e^(1/2)"]
EXTREME = ["0", "-1", "1e-9", "1e9", "1e-20", "1e20", "1e-300", "1e300", "1e-5000", "1e5000"]
BEYOND = ["1e-999999", "1e999999", "e^99999", "1000000007/1000000009", "1e-99999"]
NUMBERS = st.one_of(
    st.sampled_from(ORDINARY),
    st.sampled_from(ORDINARY),
    st.sampled_from(EXTREME),
    st.sampled_from(BEYOND),
    st.just({"at_float": (0.1).hex()}),
    st.just({"at_float": (5e-324).hex()}),
)
LAWS = st.sampled_from(
    [
        ["1/2", "1/4", "1/4"],
        ["1/4", "1/2", "1/4"],
        ["1", "0", "0"],
        ["1/3", "1/3", "1/3"],
        ["1e-300", "1/2", f"{10**300 // 2 - 1}/1{'0' * 300}"],
        ["0.999999", "1e-7", "9e-7"],
        ["e^-1/2", "1 - e^-1/2", "0"],
        ["e^-9999/2", "1 - e^-9999/2", "0"],
    ]
)
POINTS = st.sampled_from(["0", "1", "-1/2", "3", "1e-9", "1e9", "1e-5000", "1e999999"])
ON_A_LINE = st.tuples(st.lists(POINTS, min_size=3, max_size=3, unique=True), LAWS).map(
    lambda drawn: dict(zip(*drawn, strict=True))
)
WHOLE = st.sampled_from([0, 1, 2, 3, 5, 100, 1_000, 10**6, 10**9, 10**18])


def resolved(schema):
    while "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if name.startswith("Number"):
            return None
        schema = SCHEMA["$defs"][name]
    return schema


def drawn(draw, schema, key=""):
    """Draw a value of a schema; laws, rows and names so that they fit more often than not."""
    schema = resolved(schema)
    if schema is None:
        return draw(NUMBERS)
    if key in ("p", "q") and schema.get("type") == "array":
        return draw(LAWS)
    if key in ("p", "q", "law") and "additionalProperties" in schema:
        return draw(ON_A_LINE)
    if key == "randomizer" and schema.get("type") == "string":
        return "R"
    if key == "randomizers":
        return {"R": drawn(draw, schema["additionalProperties"], "randomizer")}
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return drawn(draw, draw(st.sampled_from(schema[union])), key)
    match schema.get("type"):
        case "object":
            return drawn_object(draw, schema)
        case "array" if key == "randomizer":
            return draw(st.lists(LAWS, min_size=2, max_size=3))
        case "array":
            fixed = schema.get("prefixItems")
            if fixed:
                return [drawn(draw, item, key) for item in fixed]
            count = draw(st.integers(max(1, schema.get("minItems", 0)), 2))
            return [drawn(draw, schema["items"], key) for _ in range(count)]
        case "integer":
            most = 2 if key in ("inputs", "input", "merge", "user") else 10**18
            fits = WHOLE.filter(lambda n: schema.get("minimum", 0) <= n <= most)
            return draw(fits)
        case "boolean":
            return draw(st.booleans())
    return None


ONE_OF = ({"rational", "log", "at_float"}, {"rational", "inverse_log"}, {"value", "absent", "law"})


def drawn_object(draw, schema):
    properties, required = schema["properties"], set(schema.get("required", ()))
    names = [name for name in properties if name in required or draw(st.integers(0, 3)) > 0]
    if set(properties) in ONE_OF:
        names = [draw(st.sampled_from(sorted(properties)))]
    return {name: drawn(draw, properties[name], name) for name in names}


@st.composite
def problems(draw):
    kind = draw(st.sampled_from(sorted(SCHEMA["discriminator"]["mapping"])))
    problem = drawn(draw, {"$ref": SCHEMA["discriminator"]["mapping"][kind]})
    questions = SCHEMA["$defs"]["Ask"]["properties"]
    name = draw(st.sampled_from(sorted(set(questions) - {"direction", "relative_width"})))
    asked = {name: True if "total" in name or "max" in name else drawn(draw, questions[name], name)}
    if draw(st.booleans()):
        asked["direction"] = "both"
    if draw(st.integers(0, 3)) == 0:
        asked["relative_width"] = draw(st.sampled_from(["1e-3", "1/2", "1e-30", "1e-400"]))
    return {**problem, "kind": kind, "ask": asked}


def outcome(text):
    """What came of a problem file, in a word; anything but an error of ours is raised."""
    try:
        return len(solve(read_problem(text)).answers)
    except StoppedError:
        raise
    except ExactDPError as error:
        return str(error)


@pytest.fixture(scope="module")
def worker():
    found = Worker(outcome, limits=Limits(seconds=0.2, memory=10**9), fork=True)
    yield found
    found.stop()


def ends(worker, problem):
    """How a problem ends: answered, refused or stopped."""
    worker.begin(json.dumps(problem))
    how = "refused"
    try:
        found = worker.answer()
    except StoppedError as error:
        found, how = str(error), "stopped"
        assert "too" in found or "more" in found
    assert isinstance(found, int) or (found and "\n" not in found and "Traceback" not in found)
    return "answered" if isinstance(found, int) else how


def test_problems_drawn_from_the_schema_end(worker, request):
    deep = request.config.getoption("--deep")
    tally = Counter()

    @settings(max_examples=30_000 if deep else 250, suppress_health_check=list(HealthCheck))
    @given(problems())
    def every_call_ends(problem):
        tally[ends(worker, problem)] += 1

    every_call_ends()
    print(tally.total(), "problems:", dict(tally))  # shown with -rP
