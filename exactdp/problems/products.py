"""Sweeps: a list where the format has a single value stands for each of its values.

So does ``{"each": [...]}`` anywhere in a problem, also where a list may stand. A problem with
several of them stands for the product: all choices, the last one changing first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, NamedTuple

from exactdp.errors import ParseError
from exactdp.numbers import count_text, refuse_above
from exactdp.numbers.limits import MAX_QUESTIONS
from exactdp.problems.kinds import ProblemFile
from exactdp.problems.strict_json import shown_json
from exactdp.problems.validation import Location, lists_for_one

__all__ = ["Choice", "each_of"]

_KEY = "each"


class Choice(NamedTuple):
    """One problem of a sweep: its name, the problem, and the chosen values, by key."""

    name: str
    problem: Any
    varied: dict[str, Any]


def each_of(document: Any, *, name: str = "") -> list[Choice]:
    """Return the problems that a document stands for, each with its name.

    Args:
        document: A problem, as read by ``strict_json``; itself where nothing is a choice.
        name: The name of the problem; the choices follow it.

    Raises:
        ParseError: If an "each" is not a list, or has another key beside it, or a list is empty.
        TooLargeError: If it stands for too many.

    Example:
        >>> for found in each_of({"kind": "laplace", "scale": ["1", "2"]}):
        ...     print(*found)
        scale=1 {'kind': 'laplace', 'scale': '1'} {'scale': '1'}
        scale=2 {'kind': 'laplace', 'scale': '2'} {'scale': '2'}
    """
    result: list[Choice] = []
    # What kind of problem it is may be a choice too: which lists are choices follows from it.
    for first in _chosen(Choice(name, document, {}), list(_places(document, ())), 0):
        lists = list(lists_for_one(first.problem, ProblemFile))
        result += _chosen(first, lists, len(result))
    return result


def _chosen(given: Choice, places: list[tuple[Location, list[Any]]], before: int) -> list[Choice]:
    """Return a choice of each combination of the lists at some places."""
    for place, values in places:
        if not values:
            raise _no_choices(place, values)
    count = before + prod(len(values) for _, values in places)
    what = f"the lists stand for {count_text(count)} problems"
    refuse_above(MAX_QUESTIONS, count, what, advice="Split them into several files.")
    result = []
    for choice in product(*(values for _, values in places)):
        name, problem, varied = given
        for (place, _), value in zip(places, choice, strict=True):
            key = _key(place)
            word = f"{key}={value if isinstance(value, str) else shown_json(value)}"
            name, problem = f"{name}, {word}" if name else word, _replaced(problem, place, value)
            varied = {**varied, key if key not in varied else _path(place)[2:]: value}
        result.append(Choice(name, problem, varied))
    return result


def _places(document: Any, place: Location) -> Iterator[tuple[Location, list[Any]]]:
    """Yield the places of a document where an "each" stands, with its list."""
    if isinstance(document, dict) and _KEY in document:
        values = document[_KEY]
        if len(document) > 1 or not isinstance(values, list):
            raise _no_choices(place, document)
        yield place, values
    elif isinstance(document, dict | list):
        entries = document.items() if isinstance(document, dict) else enumerate(document)
        for key, value in entries:
            yield from _places(value, (*place, key))


def _no_choices(place: Location, written: Any) -> ParseError:
    return ParseError(
        f"{_path(place)}={shown_json(written)} is not a list of choices. "
        'Write [...] or {"each": [...]} with at least one value, and no other key.'
    )


def _path(place: Location) -> str:
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)


def _replaced(document: Any, place: Location, value: Any) -> Any:
    if not place:
        return value
    key, *rest = place
    changed = document.copy()
    changed[key] = _replaced(document[key], tuple(rest), value)
    return changed


def _key(place: Location) -> str:
    """Return the innermost key of a place; "problem" for a number alone."""
    return next((key for key in reversed(place) if isinstance(key, str)), "problem")
