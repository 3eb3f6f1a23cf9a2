"""From JSON to the objects of the format, with messages that name the place and the way out.

The validator says what it expected and gives a path; here the path gets the keys that the
validator leaves out, the value that stands there, and what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import UnsetType

from exactdp.errors import ExactDPError, ParseError
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.limits import MAX_COUNT
from exactdp.problems.strict_json import path_of_key, shown_json
from exactdp.problems.values import EPSILON_FORM, HERE, EpsilonValue

__all__ = ["Location", "converted", "in_full", "lists_for_one"]


def converted(document: Any, kind: Any) -> Any:
    """Return a document, read by ``strict_json``, as an object of the format.

    Raises:
        ParseError: If it is none. The message names the place, what stands there, and the
            way out, on one line.

    Example:
        >>> from exactdp.problems.values import Size
        >>> converted(3, Size)
        3
        >>> converted(1, Size)
        Traceback (most recent call last):
        ...
        exactdp.errors.ParseError: $=1 is not an integer >= 2. Give a number of values, at least 2.
    """
    document = in_full(document, kind)
    try:
        return _convert(document, kind)
    except msgspec.ValidationError as error:
        raise ParseError(_explained(str(error), document, kind)) from None


def _convert(document: Any, kind: Any) -> Any:
    return msgspec.convert(document, kind, dec_hook=lambda number, value: number.read(value))


_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?P<path>\$?[^`]*)`)?\Z", re.DOTALL)
_STEP = re.compile(r"\.([A-Za-z_0-9]+)|\[(\d+|\.\.\.)\]")
"""One key or index of a path, as the validator writes it."""
_EXPECTED = {
    "int": ("an integer", "Correct it."),
    "str": ("a string", "Write it in quotes."),
    "array": ("a list", "Put the values in brackets: [...]."),
    "array | null": ("a list", "Put the values in brackets: [...]."),
    "object": ("an object", "Put its keys and values in braces: {...}."),
    "bool": ("true or false", "Write true, or leave the key out."),
    "int | object": ("an integer or an object", "Write an integer."),
    "int | array": ("an integer or a list", "Write an integer, or [...]."),
    "object | array": (
        "a matrix (a list of rows) or an object with the key mechanism",
        "Put the rows in brackets: [[...], ...].",
    ),
}
"""The types that the validator names: the words for each, and the way out."""

_MANY, _NEAR = 20, 4
"""Names that are listed in full, at most, and how many of more of them are."""


def _explained(message: str, document: Any, whole: Any) -> str:
    """Return a validation message with the place, the value there and the way out."""
    match = _PLACE.match(message)
    assert match is not None
    what = match["what"]
    path, value, kind = _walk(document, match["path"] or "$", whole)
    if what.startswith(HERE):  # said by the object itself, with or without the value
        place = f"{path}={shown_json(value)}" if what.startswith(f"{HERE} is not a") else path
        return what.replace(HERE, place, 1)
    name = re.search(r"field `(.*)`\Z", what, re.DOTALL)
    keys = _keys(kind, value)
    if what.startswith("Object contains unknown field") and name:
        return f"{path} has the unknown key {shown_json(name[1])}. Remove it; the keys are {keys}."
    if what.startswith("Object missing required field") and name:
        tags = _tags(kind) if name[1] in ("kind", "mechanism") else []
        add = f"Use {_alternatives(tags)}." if tags else f"Add it; the keys are {keys}."
        return f"{path} has no key {shown_json(name[1])}. {add}"
    if what.startswith("Invalid"):
        choices = _tags(kind) or _choices(kind)
        return f"{path}={shown_json(value)} is not known. Use {_alternatives(choices, value)}."
    wanted = re.match(r"Expected `([^`]*)`(.*)", what)
    if wanted is None:
        return f"{path}={shown_json(value)}: {what}."
    expected, way_out = _EXPECTED.get(wanted[1], (wanted[1], "Correct it."))
    expected += re.sub(r", got .*", "", wanted[2])
    if kind is EpsilonValue:
        way_out = EPSILON_FORM
    said = _description(kind) or way_out
    return f"{path}={shown_json(value)} is not {expected}. {said}"


def _walk(document: Any, path: str, whole: Any) -> tuple[str, Any, Any]:
    """Return the place with its keys spelled out, the value there, and its type."""
    place, value, kind = "$", document, _chosen(whole, document)
    for key, index in _STEP.findall(path):
        if index == "...":  # the validator does not say which entry of a dict
            entry = get_args(_bare(kind))[1]
            name = next(k for k, v in value.items() if not _fits(v, entry))
            place, value, kind = path_of_key(place, name), value[name], entry
        elif index:
            arguments = get_args(_bare(kind))
            place, value = f"{place}[{index}]", value[int(index)]
            kind = arguments[0] if arguments else Any
        else:
            place = path_of_key(place, key)
            if key in ("kind", "mechanism") and isinstance(value, dict):
                return place, value.get(key), kind
            value = value.get(key)
            fields = msgspec.structs.fields(kind) if hasattr(kind, "__struct_fields__") else ()
            kind = next((field.type for field in fields if field.name == key), Any)
        kind = _chosen(kind, value)
    return place, value, kind


def in_full(document: Any, kind: Any) -> Any:
    """Return a document with the keys of today, and objects for epsilons that are numbers alone.

    Example:
        >>> from exactdp.problems.schema import Target
        >>> in_full({"epsilon": 1, "delta": "1e-5"}, Target)
        {'epsilon': {'rational': 1}, 'delta': '1e-5'}
    """
    kind = _bare(_chosen(_bare(kind), document))
    if kind is EpsilonValue:
        return EpsilonValue.in_full(document)
    if isinstance(document, str) and int in (kind, *map(_bare, _members(kind))):
        return _whole(document)
    if isinstance(document, dict) and hasattr(kind, "__struct_fields__"):
        types, current = _types(kind), _with_current_keys(document, kind)
        return {
            key: in_full(value, types[key][0]) if key in types else value
            for key, value in current.items()
        }
    inside = _bare(get_args(kind)[-1]) if get_args(kind) else None
    if isinstance(inside, type) and inside is not int and not hasattr(inside, "__struct_fields__"):
        return document  # numbers, of which there may be millions
    if isinstance(document, dict) and inside is not None:
        return {key: in_full(value, inside) for key, value in document.items()}
    return [in_full(one, inside) for one in document] if isinstance(document, list) else document


def _whole(text: str) -> int | str:
    """Return the integer that a text is, such as "1000" or 1e3; the text, if it is none."""
    with suppress(ExactDPError):
        return whole_number(text, name="value", at_least=-MAX_COUNT)
    return text


def _with_current_keys(document: dict[str, Any], kind: Any) -> dict[str, Any]:
    """Return an object's entries by the keys of today."""
    old = getattr(kind, "old_keys", {})
    for before in old.keys() & document.keys():
        if old[before] in document:
            raise ParseError(f"{before} is the old name of {old[before]}. Keep {old[before]}.")
    return {old.get(key, key): value for key, value in document.items()}


Location = tuple[str | int, ...]
"""A place in a document: keys and indices, the outermost first."""


def lists_for_one(
    document: Any, kind: Any, place: Location = ()
) -> Iterator[tuple[Location, list[Any]]]:
    """Yield the lists that are the value of a key where the format has no list.

    Example:
        >>> from exactdp.problems.kinds import ProblemFile
        >>> laplace = {"kind": "laplace", "scale": ["1", "2"], "ask": {"epsilon": ["1e-5"]}}
        >>> list(lists_for_one(laplace, ProblemFile))
        [(('scale',), ['1', '2'])]
    """
    kind = _bare(_chosen(_bare(kind), document))
    if isinstance(document, dict) and hasattr(kind, "__struct_fields__"):
        types = _types(kind)
        for key in [key for key in document if key in types]:
            value, (inside, takes_lists) = document[key], types[key]
            if isinstance(value, list) and not takes_lists:
                yield (*place, key), value
            elif isinstance(value, dict | list):
                yield from lists_for_one(value, inside, (*place, key))
    elif isinstance(document, dict | list) and (arguments := get_args(kind)):
        entries = document.items() if isinstance(document, dict) else enumerate(document)
        for key, value in entries:
            if isinstance(value, dict | list):
                yield from lists_for_one(value, arguments[-1], (*place, key))


@cache
def _types(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Return the type of each key of an object, and whether it takes lists."""
    found = {}
    for field in msgspec.structs.fields(kind):
        members = [_bare(member) for member in _members(_bare(field.type)) or (field.type,)]
        found[field.name] = field.type, any(get_origin(one) in (list, tuple) for one in members)
    old = getattr(kind, "old_keys", {})
    return found | {before: found[now] for before, now in old.items()}


def _fits(value: Any, kind: Any) -> bool:
    try:
        _convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _bare(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _members(kind: Any) -> tuple[Any, ...]:
    origin = get_origin(kind)
    return () if origin in (list, dict, tuple, Annotated, Literal) else get_args(kind)


def _chosen(kind: Any, value: Any) -> Any:
    """Return the member of a union that the value means to be."""
    members = [m for m in _members(kind) if m not in (NoneType, UnsetType)]
    if len(members) == 1:
        return members[0]
    if isinstance(value, list):
        return next((m for m in members if get_origin(m) is list), kind)
    if isinstance(value, dict):
        untagged = [m for m in members if hasattr(m, "__struct_fields__") and not _tag(m)]
        found = (m for m in members if (t := _tag(m)) and value.get(t[0]) == t[1])
        return next(found, untagged[0] if untagged else kind)
    return kind


def _tag(kind: Any) -> tuple[str, str] | None:
    """Return the key that tells an object apart, and its value there; None for other types."""
    config = getattr(kind, "__struct_config__", None)
    return (config.tag_field, config.tag) if config is not None and config.tag else None


def _tags(kind: Any) -> list[str]:
    return sorted(tag[1] for member in _members(kind) or (kind,) if (tag := _tag(member)))


def _choices(kind: Any) -> list[str]:
    """Return the members of a union or an enumeration, in words."""
    alone = get_args(kind) if get_origin(kind) is Literal else ()
    found = [choice if isinstance(choice, str) else shown_json(choice) for choice in alone]
    for member in _members(kind):
        if get_origin(member) is Literal:
            found += [shown_json(choice) for choice in get_args(member)]
        elif hasattr(member, "__struct_fields__"):
            found.append(f"an object with {_keys(member, None)}")
        elif member is not UnsetType:
            found.append(str(member))
    return found


def _keys(kind: Any, value: Any) -> str:
    kind = _chosen(_bare(kind), value)
    fields = [*(_tag(kind) or ())[:1], *getattr(kind, "__struct_fields__", ())]
    return ", ".join(fields) or "those of the format"


def _description(kind: Any) -> str | None:
    for note in getattr(kind, "__metadata__", ()):
        if isinstance(note, msgspec.Meta):
            return note.description
    return None


def _alternatives(names: list[str], value: Any = None) -> str:
    """Return the names, or of many the ones like a value and where all of them stand."""
    if len(names) > _MANY:
        near = names[:_NEAR]
        if isinstance(value, str):
            near = sorted(get_close_matches(value, names, n=_NEAR, cutoff=0))
        return f"{', '.join(near)}, or another of the {len(names)} in `exactdp solve --schema`"
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "another"
