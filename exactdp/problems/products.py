"""Grids of problems: ``{"each": [...]}`` anywhere in a problem stands for each of its values.

A problem with several of them stands for the product: all choices, the last one changing first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

from exactdp.errors import ParseError
from exactdp.numbers import count_text, refuse_above
from exactdp.numbers.limits import MAX_QUESTIONS
from exactdp.problems.strict_json import shown

__all__ = ["each_of"]

_KEY = "each"
_Place = tuple[str | int, ...]


def each_of(document: Any, *, name: str = "") -> list[tuple[str, Any]]:
    """Return the problems that a document stands for, each with its name.

    Args:
        document: A problem, as read by ``strict_json``; itself where nothing says "each".
        name: Of the problem; the choices follow it.

    Raises:
        ParseError: If an "each" is no list, is empty, or has another key beside it.
        TooLargeError: If it stands for too many.

    Example:
        >>> for found in each_of({"kind": "laplace", "scale": {"each": ["1", "2"]}}):
        ...     print(*found)
        scale=1 {'kind': 'laplace', 'scale': '1'}
        scale=2 {'kind': 'laplace', 'scale': '2'}
    """
    places = list(_places(document, ()))
    count = prod(len(values) for _, values in places)
    what = f"the lists stand for {count_text(count)} problems"
    refuse_above(MAX_QUESTIONS, count, what, advice="Split them into several files.")
    result = []
    for choice in product(*(values for _, values in places)):
        chosen, words = document, [name] if name else []
        for (place, _), value in zip(places, choice, strict=True):
            chosen = _replaced(chosen, place, value)
            words.append(f"{_key(place)}={value if isinstance(value, str) else shown(value)}")
        result.append((", ".join(words), chosen))
    return result


def _places(document: Any, place: _Place) -> Iterator[tuple[_Place, list[Any]]]:
    if isinstance(document, dict) and _KEY in document:
        values = document[_KEY]
        if len(document) > 1 or not isinstance(values, list) or not values:
            path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)
            raise ParseError(
                f"${path}={shown(document)} is no list of choices. "
                'Write {"each": [...]} with at least one value and no other key.'
            )
        yield place, values
    elif isinstance(document, dict | list):
        entries = document.items() if isinstance(document, dict) else enumerate(document)
        for key, value in entries:
            yield from _places(value, (*place, key))


def _replaced(document: Any, place: _Place, value: Any) -> Any:
    if not place:
        return value
    key, *rest = place
    changed = document.copy()
    changed[key] = _replaced(document[key], tuple(rest), value)
    return changed


def _key(place: _Place) -> str:
    """Return the innermost key of a place; of what is a number alone, "problem"."""
    return next((key for key in reversed(place) if isinstance(key, str)), "problem")
