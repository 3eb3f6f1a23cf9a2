"""Printed tables beside exact values, with the first differing digit underlined.

A cell agrees if the exact value is within one unit of its last printed digit; where only a
bound on the value is known, if the bound does not exclude that.

Definitions: :class:`Cell`, :class:`Row`, :func:`row_of`, :func:`underlined`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from html import escape
from typing import Annotated, Literal

from msgspec import Meta, Struct

__all__ = ["Cell", "Row", "row_of", "underlined"]

_SIGNS = {"=": "", ">=": "≥ ", "<=": "≤ "}
_SIX = Context(prec=6)
"""An exact rational is compared with the print at six digits, as many as other values have."""


_Number = Annotated[str, Meta(pattern=r"^-?[0-9.]+([eE][+-]?[0-9]{1,9}|/[0-9]*[1-9][0-9]*)?$")]


class Cell(Struct, frozen=True):
    """A printed number and the exact one, as ``verdicts.json`` has them."""

    printed: _Number
    exact: _Number
    sign: Literal["=", ">=", "<="]
    at: str


@dataclass(frozen=True, slots=True)
class Row:
    """A cell of a table: where, both numbers as HTML, and whether they agree."""

    at: str
    printed: str
    exact: str
    agrees: bool


def row_of(cell: Cell) -> Row:
    """Return a cell as the page shows it."""
    value = _decimal(cell.exact)
    agrees = _agrees(Decimal(cell.printed), value, cell.sign)
    shown = cell.exact if "/" not in cell.exact else f"{value:f}"
    both = (cell.printed, shown) if agrees else underlined(cell.printed, shown)
    return Row(cell.at, both[0], _SIGNS[cell.sign] + both[1], agrees)


def _decimal(text: str) -> Decimal:
    top, _, bottom = text.partition("/")
    return _SIX.divide(Decimal(top), Decimal(bottom)) if bottom else Decimal(text)


def _agrees(printed: Decimal, value: Decimal, sign: str) -> bool:
    unit = Decimal(1).scaleb(int(printed.as_tuple().exponent)) if printed else Decimal(0)
    too_low, too_high = value < printed - unit, value > printed + unit
    return not (too_low and sign != ">=") and not (too_high and sign != "<=")


def underlined(printed: str, exact: str) -> tuple[str, str]:
    """Return two different numbers as HTML with the first differing digit of each underlined.

    Where already the orders of magnitude differ, that is the exponent, or the leading digit.

    Example:
        >>> underlined("6.58E-22", "6.63529e-22")
        ('6.<u>5</u>8E-22', '6.<u>6</u>3529e-22')
        >>> underlined("1.96E-10", "0.0174908")
        ('1.96E<u>-10</u>', '0.0<u>1</u>74908')
        >>> underlined("0.42", "0.425")
        ('0.42', '0.42<u>5</u>')
    """
    numbers = Decimal(printed), Decimal(exact)
    place = None
    if all(numbers) and numbers[0].adjusted() == numbers[1].adjusted():
        one, other = (number.as_tuple().digits for number in numbers)
        length = max(len(one), len(other))
        pairs = zip(
            *(digits + (0,) * (length - len(digits)) for digits in (one, other)), strict=True
        )
        place = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
    return _marked(printed, place), _marked(exact, place)


def _marked(text: str, place: int | None) -> str:
    mantissa = text.replace("E", "e").partition("e")[0]
    if place is None and len(mantissa) < len(text):
        start, end = len(mantissa) + 1, len(text)
    else:
        digits = [i for i, c in enumerate(mantissa) if c.isdigit()]
        first = next((n for n, i in enumerate(digits) if mantissa[i] != "0"), 0)
        digits = digits[first:]
        if (place or 0) >= len(digits):  # printed to fewer digits
            return escape(text)
        start = digits[place or 0]
        end = start + 1
    return f"{escape(text[:start])}<u>{escape(text[start:end])}</u>{escape(text[end:])}"
