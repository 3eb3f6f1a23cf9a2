"""JSON, read strictly: nothing repeated, nothing rounded, nothing bottomless.

Python's decoder keeps the last of two equal keys, turns 0.1 into a double and stops
at 4,300 digits with a message about Python. Here 0.1 stays the decimal that it prints as, and
each of the others is an error that names the place as a path: ``$.others[0].count``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from exactdp.errors import ParseError
from exactdp.numbers.limits import MAX_CHARACTERS, refuse_above

__all__ = ["DecimalText", "as_strings", "at_text", "path_of_key", "shown_json", "strict_json"]

MAX_DEPTH = 50
"""The depth of brackets in a file, at most: far more than any problem has."""

MAX_INTEGER_DIGITS = 1_000
"""The digits of an integer in a file, at most: Python reads longer ones in quadratic time."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
"""A key that stands in a path without quotes."""


class DecimalText(str):
    """The text of a JSON number that is no integer: "0.1" is 1/10, as the string would be."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Refused:
    """Stands in the document where something is wrong, until its path is known."""

    message: str


def strict_json(text: str | bytes) -> Any:
    """Return the document of dicts, lists, strings, integers, booleans and None.

    Numbers that are no integers are the texts of their decimals.

    Raises:
        ParseError: If the text is not UTF-8 or not JSON, a key is repeated, an integer has
            more than 1,000 digits, or brackets nest deeper than 50.
        TooLargeError: If it has more than 50 million characters.

    Example:
        >>> strict_json('{"p": ["1/2", 1]}')
        {'p': ['1/2', 1]}
        >>> strict_json('{"p": [0.5, 1e-10]}')
        {'p': ['0.5', '1e-10']}
        >>> strict_json('{"p": [NaN], "q": []}')
        Traceback (most recent call last):
        ...
        exactdp.errors.ParseError: $.p[0]=NaN is not a number in JSON. Write a rational as a \
string such as "4/7".
    """
    what = f"the file has {len(text):,} characters"
    refuse_above(MAX_CHARACTERS, len(text), what, advice="Split it into several problems.")
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ParseError(
                f"the file is not UTF-8: byte {error.start} is {text[error.start]:#04x}. "
                "Save it as UTF-8."
            ) from None
    if text.startswith("\ufeff"):
        raise ParseError("the file begins with a byte order mark. Save it as UTF-8 without one.")
    decoder = json.JSONDecoder(
        object_pairs_hook=_object,
        parse_float=DecimalText,
        parse_int=_integer,
        parse_constant=_constant,
    )
    try:
        document = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise ParseError(_syntax(error, text)) from None
    except RecursionError:
        raise ParseError(_too_deep("the file")) from None
    _refuse(document, "$", 0)
    return document


def as_strings(document: Any) -> Any:
    """Return a document whose decimals are strings, which may be written again.

    Example:
        >>> type(as_strings(strict_json('{"p": [0.5]}'))["p"][0])
        <class 'str'>
    """
    match document:
        case DecimalText():
            return str(document)
        case list():
            return [as_strings(one) for one in document]
        case dict():
            return {key: as_strings(one) for key, one in document.items()}
    return document


def path_of_key(path: str, key: str) -> str:
    """Return the path of an object's entry.

    Example:
        >>> path_of_key("$", "victim"), path_of_key("$.randomizers", "my R")
        ('$.victim', '$.randomizers["my R"]')
    """
    return f"{path}.{key}" if _NAME.match(key) else f"{path}[{shown_json(key)}]"


def shown_json(value: Any) -> str:
    """Return a value as it stands in a file, on one line of printable ASCII, cut if long.

    Example:
        >>> shown_json({"a": [1, "x"]}), shown_json("y" * 99)
        ('{"a": [1, "x"]}', '"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy... (101 characters)')
    """
    text = str(value) if isinstance(value, DecimalText) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:39]}... ({len(text)} characters)"


def at_text(at: object) -> str:
    """Return where something is asked, or which value was chosen, for a reader.

    Example:
        >>> at_text({"log": "3"}), at_text({"rational": "1/2"}), at_text("1e-5"), at_text(None)
        ('log(3)', '1/2', '1e-5', '')
    """
    match at:
        case None:
            return ""
        case {"epsilon": epsilon, "delta": delta}:
            return f"epsilon {at_text(epsilon)}, delta {delta}"
        case {"epsilon": epsilon}:
            return f"epsilon {at_text(epsilon)}"
        case {"log": value}:
            return f"log({value})"
        case {"rational": value}:
            return str(value)
        case {"at_float": value}:
            return f"the double {float.fromhex(value)!r}"
        case dict() | list() | bool():
            return json.dumps(at)
    return str(at)


def _object(pairs: list[tuple[str, Any]]) -> Any:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    key = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
    return _Refused(f": the key {shown_json(key)} is repeated. Keep one of the two.")


def _integer(text: str) -> Any:
    """Return an integer of JSON, or its refusal if it has too many digits."""
    digits = len(text.lstrip("-"))
    if digits <= MAX_INTEGER_DIGITS:
        return int(text)
    return _Refused(
        f"={text[:20]}... is an integer of {digits:,} digits; the limit is "
        f"{MAX_INTEGER_DIGITS:,}. Write a rational this long as a string."
    )


def _constant(text: str) -> _Refused:
    return _Refused(f'={text} is not a number in JSON. Write a rational as a string such as "4/7".')


def _refuse(value: Any, path: str, depth: int) -> None:
    """Raise for the first thing refused, now that its path is known."""
    if depth > MAX_DEPTH:
        raise ParseError(_too_deep(path if len(path) <= 40 else f"{path[:40]}..."))
    if isinstance(value, _Refused):
        raise ParseError(f"{path}{value.message}")
    if isinstance(value, dict):
        for key, entry in value.items():
            _refuse_half_character(key, path)
            if not isinstance(entry, int):
                _refuse(entry, path_of_key(path, key), depth + 1)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            if isinstance(entry, _Refused | dict | list | str):
                _refuse(entry, f"{path}[{index}]", depth + 1)
    elif isinstance(value, str):
        _refuse_half_character(value, path)


def _refuse_half_character(text: str, path: str) -> None:
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise ParseError(f"{path}: {shown_json(text)} holds half a character. Write the whole one.")


def _too_deep(where: str) -> str:
    return (
        f"{where} nests brackets deeper than {MAX_DEPTH}. "
        "No problem needs that; close the brackets."
    )


def _syntax(error: json.JSONDecodeError, text: str) -> str:
    """Return the error of a text that is not JSON, and the way out."""
    place = f"line {error.lineno}, column {error.colno}"
    if not text.strip():
        return "the file is empty. Write one problem as a JSON object."
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        return (
            f"the file ends too early: at {place}, {error.msg[0].lower()}{error.msg[1:]}. "
            "Restore what was cut off."
        )
    return (
        f"the file is not JSON at {place}, {shown_json(text[error.pos : error.pos + 12])}: "
        f"{error.msg[0].lower()}{error.msg[1:]}. Correct that character."
    )
