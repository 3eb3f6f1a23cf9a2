"""Strict reading of JSON, names and numbers; short printing of values and of texts.

Numbers are read from hexadecimal, and no long integer is ever written in decimal.
"""

import json
import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from .results import MAX_BITS, MAX_FILE_BYTES, MAX_LABEL, MAX_NESTING, RefusedError, require, steps
from .values import RELATIONS, Value

Json: TypeAlias = Any  # None, bool, int, str, list or dict

_NUMBER = re.compile(r"-?0x[0-9a-fA-F]+(/0x[0-9a-fA-F]+)?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"} | {x: x for x in RELATIONS}
_DECIMAL = Context(prec=30, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def read_json(data: bytes) -> Json:
    """Return the JSON object that the bytes spell, without repeated keys or floats."""
    require(len(data) <= MAX_FILE_BYTES, f"more than {MAX_FILE_BYTES} bytes")
    try:
        numbers: Any = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), _int)
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_object, **numbers)
        require(_depth(value) <= MAX_NESTING, f"nested deeper than {MAX_NESTING} levels")
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"not JSON, or nested deeply: {quoted(str(error), 120)}") from error
    return value


def _depth(part: Json) -> int:
    inside = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return 1 + max(map(_depth, inside), default=0) if isinstance(part, dict | list) else 0


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    repeated = len(dict(pairs)) < len(pairs)
    require(not repeated, lambda: f"a key is repeated among {quoted(sorted(x for x, _ in pairs))}")
    return dict(pairs)


def _int(text: str) -> int:
    whole = len(text) <= 20 and text.lstrip("-").isdigit()
    require(whole, f"{quoted(text)} is a float or too long; write a rational such as '0x1/0x2'")
    return int(text)


def keys(value: Json, what: str, required: str, optional: str = "") -> dict[str, Json]:
    """Return the object, which must have the required keys, and may have the optional ones."""
    require(isinstance(value, dict), f"{what} must be a JSON object")
    for key in sorted((value.keys() - set(optional.split())) ^ set(required.split())):
        problem = "unknown" if key in value else "missing"
        raise RefusedError(f"{what}: the key {quoted(key)} is {problem}")
    return dict(value)


def items(value: Json, what: str, *, count: int = 0) -> list[Json]:
    """Return the list, which may not be empty, or must have that many items."""
    good = isinstance(value, list) and value and len(value) == (count or len(value))
    require(good, f"{what} must be a list of {count or 'one or more'} items")
    return list(value)


def label(value: Json, what: str) -> str:
    """Return the text, which must be short; it is printed as a label."""
    short = isinstance(value, str) and len(value) <= MAX_LABEL
    require(short, f"{what} must be a string of at most {MAX_LABEL} characters")
    return str(value)


def name(value: Json) -> str:
    """Return a name: a letter or underscore, then letters, digits and underscores."""
    require(isinstance(value, str) and _NAME.fullmatch(value), f"{quoted(value)} is not a name")
    return str(value)


def number(text: str) -> Fraction:
    """Return the rational that a hexadecimal string such as '-0x3/0x4' spells."""
    require(4 * len(text) <= MAX_BITS, f"a number of more than {MAX_BITS} bits")
    require(_NUMBER.fullmatch(text), f"{quoted(text)} is not a number; write '0x3/0x4' or '-0x3'")
    top, _, bottom = text.partition("/")
    denominator = int(bottom or "1", 16)
    require(denominator > 0, lambda: f"{quoted(text)} has the denominator 0")
    return Fraction(int(top, 16), denominator)


def number_steps(text: str) -> int:
    """Return the steps of reading a number, and as many again for printing it."""
    return steps(12 * len(text)) if "/" in text else len(text)


def quoted(text: object, limit: int = 60) -> str:
    """Return text from a file, made safe to print: ASCII, one line, short."""
    return ascii(text) if len(ascii(text)) <= limit else ascii(text)[: limit - 3] + "..."


def shortened(text: str, limit: int = 4000) -> str:
    """Return the text, with its middle left out, and how long that is, if it is long."""
    hidden = f" [... {len(text) - limit} characters ...] "
    return text if len(text) <= limit else text[: limit // 2] + hidden + text[-limit // 2 :]


def shown_value(x: Value) -> str:
    """Return a short rational as it is; else '~' and 12 digits, rounded to nearest."""
    if isinstance(x, Fraction):
        if x.numerator.bit_length() < 60 and x.denominator.bit_length() < 60:
            return str(x) if x.denominator == 1 else f"{x} ({_about(x.numerator, x.denominator)})"
        return f"{_about(x.numerator, x.denominator)} (a long rational)"
    lo, hi = (_about(m, 1, x.exponent) for m in (x.lo, x.hi))
    return f"{lo} (an interval)" if lo == hi else f"a number in [{lo}, {hi}]"


def _about(n: int, d: int, exponent: int = 0) -> str:
    if not -(10**15) < exponent < 10**15:
        # Decimals end there: the next power of two says enough.
        top = exponent + n.bit_length() - d.bit_length()
        return f"~{'-' if n < 0 else ''}2^{top}" if n else "~0"
    # The leading 200 bits of n and d are more than 12 digits.
    s, t = max(0, n.bit_length() - 200), max(0, d.bit_length() - 200)
    ratio = _DECIMAL.divide(Decimal(n >> s), Decimal(d >> t))
    return f"~{_DECIMAL.multiply(ratio, _DECIMAL.power(2, exponent + s - t)):.12g}"


def shown(part: Json) -> str:
    """Return a term, relation, matrix or pair that was read, in ordinary notation."""
    if isinstance(part, dict):
        entries = ", ".join(f"{key}: {shown(x)}" for key, x in part.items())
        return part["ref"] if isinstance(part.get("ref"), str) else "{" + entries + "}"
    if not isinstance(part, list):
        if not isinstance(part, str) or not _NUMBER.fullmatch(part):
            return str(part)
        # Only the first digits of a long number are printed: "[...]", as in a long text.
        return shown_value(number(part)).replace(" (a long rational)", "[...]").split(" ")[0]
    texts = [shown(x) for x in part]
    head = part[0] if part and isinstance(part[0], str) else ""
    if head in _INFIX:
        if head not in RELATIONS:
            # Only a natural number needs no brackets: (2/3) ^ 2, 1 / (2/3), 1 - (-2).
            whole = [isinstance(x, list | dict) for x in part]
            pairs = zip(texts, whole, strict=True)
            texts = [x if good or x.isdigit() else f"({x})" for x, good in pairs]
        return "(" + f" {_INFIX[head]} ".join(texts[1:]) + ")"
    return f"{head}({', '.join(texts[1:])})" if head.isidentifier() else f"[{', '.join(texts)}]"
