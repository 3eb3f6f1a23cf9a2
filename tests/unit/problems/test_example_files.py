"""The files of ``examples/problems`` have every kind of problem that there is."""

import json
from pathlib import Path

from exactdp.problems.kinds import problem_schema

FOLDER = Path(__file__).parents[3] / "examples" / "problems"


def kinds_in(value):
    match value:
        case dict():
            own = {value["kind"]} if "kind" in value else set()
            return own.union(*map(kinds_in, value.values()))
        case list():
            return set().union(*map(kinds_in, value))
    return set()


def test_every_kind_of_the_schema_has_an_example():
    shown = set().union(*(kinds_in(json.loads(path.read_text())) for path in FOLDER.glob("*.json")))
    assert shown == set(problem_schema()["discriminator"]["mapping"])


def test_what_is_found_in_a_file_is_nested_too():
    assert kinds_in({"kind": "a", "parts": [{"problem": {"kind": "b"}}]}) == {"a", "b"}
