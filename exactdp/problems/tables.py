"""Fixtures as a table for data analysis, CSV or Parquet: one row an answer.

Its columns are the problem's name, what is asked, the bounds as decimals, the exact answer where
there is one, the doubles below and above (infinite beyond the largest), and what a sweep chose.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from math import inf
from typing import Any

from exactdp import __version__
from exactdp.errors import DomainError
from exactdp.problems.fixtures import Fixture, NamedProblem
from exactdp.problems.strict_json import at_text

__all__ = ["CSV_HEAD", "PARQUET_HEAD", "PARQUET_MARK", "csv_table", "parquet_table"]

_COLUMNS = ("name", "ask", "direction", "at", "lower", "upper", "exact")
_DOUBLES = ("float_below", "float_above")

CSV_HEAD = ",".join(_COLUMNS).encode()
"""The first bytes of a table as CSV."""

PARQUET_HEAD, PARQUET_MARK = b"PAR1", b"exactdp-fixtures-table/1"
"""The first bytes of a table as Parquet, and bytes that it has somewhere."""

Answered = Sequence[tuple[NamedProblem, Fixture]]


def csv_table(answered: Answered) -> bytes:
    r"""Return the table as CSV (RFC 4180, with lines that end in \n).

    Example:
        >>> csv_table([])
        b'name,ask,direction,at,lower,upper,exact,float_below,float_above\n'
    """
    columns = _columns(answered)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def parquet_table(answered: Answered) -> bytes:
    """Return the table as Parquet.

    Raises:
        DomainError: If pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise DomainError(
            "Parquet needs pyarrow, which is not installed. Install exactdp[cluster], or ask for "
            "csv."
        ) from None
    table = pyarrow.table(
        {
            name: pyarrow.array(values, _type(pyarrow, name, values))
            for name, values in _columns(answered).items()
        }
    )
    about = {PARQUET_MARK: f"exactdp {__version__}"}
    sink = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(about), sink)
    return sink.getvalue()


def _type(pyarrow: Any, name: str, values: list[Any]) -> Any:
    if name in _DOUBLES:
        return pyarrow.float64()
    return pyarrow.int64() if values and type(values[0]) is int else pyarrow.string()


def _columns(answered: Answered) -> dict[str, list[Any]]:
    """Return the columns by name; those of a sweep have integers, or text."""
    rows = [(entry, answer) for entry, fixture in answered for answer in fixture.answers]
    columns: dict[str, list[Any]] = {
        "name": [entry.name for entry, _ in rows],
        "ask": [answer.ask for _, answer in rows],
        "direction": [answer.direction for _, answer in rows],
        "at": [at_text(answer.at) for _, answer in rows],
        "lower": [answer.lower for _, answer in rows],
        "upper": [answer.upper for _, answer in rows],
        "exact": [answer.exact for _, answer in rows],
        "float_below": [_double(answer.float_below) for _, answer in rows],
        "float_above": [_double(answer.float_above) for _, answer in rows],
    }
    for key in dict.fromkeys(key for entry, _ in answered for key in entry.varied):
        name = f"{key} of the problem" if key in columns else key
        chosen = [entry.varied.get(key) for entry, _ in rows]
        is_whole = all(type(value) is int and abs(value) < 1 << 63 for value in chosen)
        columns[name] = chosen if is_whole else [at_text(value) for value in chosen]
    return columns


def _double(written: float | None) -> float:
    return inf if written is None else written
