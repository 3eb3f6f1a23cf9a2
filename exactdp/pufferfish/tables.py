"""Laws on the line from tables of counts: comma-separated text, read strictly.

A table is CSV with one line of column names. One column holds the values of a law, rational
numbers; another holds how often each occurs. The law of a class of records is
P(X = x) = (count of x in the class) / (size of the class), exact. Rows of the same value add
up, so that columns which are not named are summed over. Nothing is repaired or skipped except
blank lines: the first cell that does not fit is refused, with the number of its line.

Definitions: :func:`law_of_counts`, :func:`laws_of_count_columns`, :func:`laws_of_counts`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import TextIO

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, ExactDPError, ParseError
from exactdp.numbers import fraction_of, rational

__all__ = ["law_of_counts", "laws_of_count_columns", "laws_of_counts"]

_Counts = dict[str, dict[Fraction, int]]
"""For each class, in order of appearance: how often each value occurs."""

_Row = tuple[str, dict[str, str]]
"""Where a row stands, and its cells in the columns asked for."""


def law_of_counts(
    table: Path | str, *, value: str, count: str | None = None, delimiter: str = ","
) -> FinitePmf[Fraction]:
    """Return the law of the values in a table of counts.

    Formula:
        P(X = x) = Σ counts in the rows of value x / Σ all counts.

    Args:
        table: A file, as a ``Path``; or the text of the table, as a ``str``.
        value: The name of the column of values: rational numbers, "3", "1/2" or "0.5".
        count: The name of the column of counts, integers of at least 0. Without it each row
            is one record.
        delimiter: What stands between cells; a semicolon and a tab are other usual ones.

    Returns:
        The law on the values that occur, ascending; masses are rational and sum to 1.

    Raises:
        DomainError: If two columns are the same, the delimiter is not one character, or the
            table is neither a Path nor a str.
        ParseError: If the file cannot be read, a column is missing or occurs twice, a row has
            too few or too many cells, a cell is no number of its kind, or all counts are 0.

    Example:
        >>> text = '''children,families
        ... 0,5
        ... 1,3
        ... 2,2
        ... '''
        >>> law = law_of_counts(text, value="children", count="families")
        >>> law[0], law[1], law[2]
        (Exact('1/2'), Exact('3/10'), Exact('1/5'))
        >>> law_of_counts(text + "3,few", value="children", count="families")
        Traceback (most recent call last):
        ...
        exactdp.errors.ParseError: line 5: families='few' is not a number. \
Write it as '4/7', '0.49' or '1e-10'.
    """
    names = [value] if count is None else [value, count]
    counts: _Counts = {"": {}}
    for place, cells in _rows(table, names, delimiter):
        _add(counts[""], place, cells, value, count)
    return _laws(counts, table)[""]


def laws_of_counts(
    table: Path | str, *, value: str, by: str, count: str | None = None, delimiter: str = ","
) -> dict[str, FinitePmf[Fraction]]:
    """Return the law of the values of each class, where a column names the class of each row.

    Formula:
        P(X = x | c) = Σ counts in the rows of value x and class c / Σ counts in those of c.

    Args:
        table: As for :func:`law_of_counts`.
        value: As for :func:`law_of_counts`.
        by: The name of the column of classes. A class may be any text that is not empty;
            spaces around it do not count.
        count: As for :func:`law_of_counts`.
        delimiter: As for :func:`law_of_counts`.

    Returns:
        The laws in the order in which their classes first appear.

    Raises:
        DomainError: As for :func:`law_of_counts`.
        ParseError: As for :func:`law_of_counts`; also if a row names no class, or all counts
            of a class are 0.

    Source:
        Ding et al. 2025, Section 4.3, where a class of records is one user of law
        Pr(field = · | class).

    Example:
        >>> text = '''region,visits,people
        ... north,0,1
        ... north,1,3
        ... south,0,2
        ... '''
        >>> laws = laws_of_counts(text, value="visits", by="region", count="people")
        >>> laws["north"][1], laws["south"][0]
        (Exact('3/4'), Exact('1'))
    """
    names = [value, by] if count is None else [value, by, count]
    counts: _Counts = {}
    for place, cells in _rows(table, names, delimiter):
        if not cells[by]:
            raise ParseError(f"{place}: {by} is empty. Name the class of each row.")
        _add(counts.setdefault(cells[by], {}), place, cells, value, count)
    return _laws(counts, table)


def laws_of_count_columns(
    table: Path | str, *, value: str, counts: Sequence[str], delimiter: str = ","
) -> dict[str, FinitePmf[Fraction]]:
    """Return the law of the values of each class, where each class has a column of counts.

    Formula:
        P(X = x | c) = Σ of column c in the rows of value x / Σ of column c.

    Args:
        table: As for :func:`law_of_counts`.
        value: As for :func:`law_of_counts`.
        counts: The names of the columns of counts, at least one.
        delimiter: As for :func:`law_of_counts`.

    Returns:
        The laws by the names of their columns, in the order asked for.

    Raises:
        DomainError: As for :func:`law_of_counts`; also if counts is empty.
        ParseError: As for :func:`law_of_counts`; also if all counts of one column are 0.

    Example:
        >>> text = '''visits,north,south
        ... 0,1,2
        ... 1,3,0
        ... '''
        >>> laws = laws_of_count_columns(text, value="visits", counts=["north", "south"])
        >>> laws["north"][1], laws["south"]
        (Exact('3/4'), FinitePmf({Fraction(0, 1): 1}))
    """
    if isinstance(counts, str) or not counts:
        raise DomainError(f"counts={counts!r} must be a list of at least one name of a column.")
    found: _Counts = {name: {} for name in counts}
    for place, cells in _rows(table, [value, *counts], delimiter):
        for name in counts:
            _add(found[name], place, cells, value, name)
    return _laws(found, table)


def _add(
    counts: dict[Fraction, int], place: str, cells: dict[str, str], value: str, count: str | None
) -> None:
    """Count one row."""
    point = _number(cells, value, place)
    number = Fraction(1) if count is None else _number(cells, count, place)
    if number < 0 or number.denominator != 1:
        raise ParseError(
            f"{place}: {count}={cells[str(count)][:40]!r} is no count. Give integers of at least "
            "0; FinitePmf.normalized(...) takes weights."
        )
    counts[point] = counts.get(point, 0) + number.numerator


def _number(cells: dict[str, str], name: str, place: str) -> Fraction:
    return fraction_of(rational(cells[name], name=f"{place}: {name}"))


def _laws(counts: _Counts, table: Path | str) -> dict[str, FinitePmf[Fraction]]:
    if not counts:
        raise ParseError(f"{_name_of(table)} has no rows below its column names.")
    laws = {}
    for name, numbers in counts.items():
        occurring = {x: number for x, number in sorted(numbers.items()) if number}
        if not occurring:
            of_class = f" of {name!r}" if name else ""
            raise ParseError(
                f"{_name_of(table)}: the counts{of_class} sum to 0, so there is no law. "
                "Give at least one positive count."
            )
        laws[name] = FinitePmf.normalized(occurring)
    return laws


def _rows(table: Path | str, names: Sequence[str], delimiter: str) -> Iterator[_Row]:
    """Yield the rows below the column names, with the cells of the columns named."""
    if len(set(names)) < len(names):
        raise DomainError(f"the columns {', '.join(map(repr, names))} must differ.")
    with _opened(table) as (lines, prefix):
        try:
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
        except (TypeError, ValueError):
            raise DomainError(
                f"delimiter={delimiter!r} must be one character, such as ',' or ';'."
            ) from None
        header: list[str] | None = None
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise ParseError(f"{prefix}line {reader.line_num}: {error}.") from None
            if cells is None:
                break
            if not cells:  # a blank line
                continue
            cells = [cell.strip() for cell in cells]
            place = f"{prefix}line {reader.line_num}"
            if header is None:
                header = cells
                indices = [_index(header, name, place) for name in names]
            elif len(cells) != len(header):
                raise ParseError(
                    f"{place}: the number of cells is {len(cells)}, not {len(header)} as in the "
                    "line of names. Quote a cell that contains the delimiter."
                )
            else:
                yield place, {name: cells[i] for name, i in zip(names, indices, strict=True)}
    if header is None:
        raise ParseError(f"{_name_of(table)} is empty. Begin it with a line of column names.")


def _index(header: Sequence[str], name: str, place: str) -> int:
    times = header.count(name)
    if times == 1:
        return header.index(name)
    listed = ", ".join(map(repr, header))
    shown = listed if len(listed) <= 200 else f"{listed[:200]}..."
    if times > 1:
        raise ParseError(f"{place}: the column {name!r} occurs {times} times in {shown}.")
    raise ParseError(
        f"{place}: there is no column {name!r}, only {shown}. "
        "A file is given as a pathlib.Path, other columns by their names."
    )


@contextmanager
def _opened(table: Path | str) -> Iterator[tuple[TextIO, str]]:
    """Open a table; also give what stands before a number of a line in messages."""
    if isinstance(table, str):
        # A mark of byte order is no part of the first name, nor is it one in a file.
        yield StringIO(table.removeprefix("\ufeff"), newline=""), ""
    elif isinstance(table, Path):
        name = _name_of(table)
        try:
            with table.open(encoding="utf-8-sig", newline="") as lines:
                yield lines, f"{name}, "
        except ExactDPError:  # about a row of the file
            raise
        except UnicodeDecodeError:
            raise ParseError(f"{name} is not text in UTF-8. Save it in that encoding.") from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ParseError(f"{name} cannot be read: {reason}. Give a readable file.") from None
    else:
        raise DomainError(
            f"table={table!r} is of type {type(table).__name__}. Give the path of a file as a "
            "pathlib.Path, or the text of the table as a str."
        )


def _name_of(table: Path | str) -> str:
    return "the table" if isinstance(table, str) else str(table)
