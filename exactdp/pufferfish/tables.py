"""Laws on the line from tables of counts: comma-separated text, read strictly.

A table is CSV with one line of column names. One column holds the values of a law, rational
numbers; another holds how often each occurs. The law of a class of records is
P(X = x) = (count of x in the class) / (size of the class), exact. Rows of the same value add
up, so that columns which are not named are summed over. Nothing is repaired or skipped except
blank lines: the first cell that does not fit is refused, with the number of its line.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from io import StringIO
from pathlib import Path

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, ParseError
from exactdp.numbers import fraction_of, rational
from exactdp.numbers.validated import validated

__all__ = ["law_of_counts"]


@validated
def law_of_counts(
    table: Path | str,
    *,
    value: str,
    count: str | None = None,
    where: Mapping[str, str] | None = None,
    delimiter: str = ",",
) -> FinitePmf[Fraction]:
    """Return the law of the values in a table of counts, of all its records or of a class.

    Formula:
        P(X = x) = Σ counts in the rows of value x / Σ all counts, over the rows of the class.

    Args:
        table: A file, as a ``Path``; or the text of the table, as a ``str``.
        value: The name of the column of values: rational numbers, "3", "1/2" or "0.5".
        count: The name of the column of counts, integers of at least 0. Without it each row
            is one record.
        where: The class: what a row has in other columns, text by name of the column. Spaces
            around a cell do not count.
        delimiter: What stands between cells; a semicolon and a tab are other usual ones.

    Returns:
        The law on the values that occur, ascending; masses are rational and sum to 1.

    Raises:
        DomainError: If two columns are the same, the delimiter is not one character, or the
            table is neither a Path nor a str.
        ParseError: If the file cannot be read, a column is missing or occurs twice, a row has
            too few or too many cells, a cell is not a number of its kind, a row names no class,
            no row is of the class, or all its counts are 0.

    Source:
        Ding et al. 2025, Section 4.3, where a class of records is one user of law
        Pr(field = · | class).

    Example:
        >>> text = '''region,visits,people
        ... north,0,1
        ... north,1,3
        ... south,0,2
        ... '''
        >>> law_of_counts(text, value="visits", count="people")[0]
        Exact('1/2')
        >>> law_of_counts(text, value="visits", count="people", where={"region": "north"})[0]
        Exact('1/4')
        >>> law_of_counts(text + "south,3,few", value="visits", count="people")
        Traceback (most recent call last):
        ...
        exactdp.errors.ParseError: line 5: people='few' is not a number. \
Write it as '4/7', '0.49' or '1e-10'.
    """
    wanted = dict(where or {})
    names = [value, *([] if count is None else [count]), *wanted]
    counts: Counter[Fraction] = Counter()
    found: dict[tuple[str, ...], None] = {}
    for place, cells in _rows(table, names, delimiter):
        # Rows of other classes are read too: a cell that does not fit is refused anywhere.
        point = _number(cells, value, place)
        times = 1 if count is None else _count(cells, count, place)
        for name in wanted:
            if not cells[name]:
                raise ParseError(f"{place}: {name} is empty. Name the class of each row.")
        found[tuple(cells[name] for name in wanted)] = None
        if all(cells[name] == cell for name, cell in wanted.items()):
            counts[point] += times
    occurring = {x: times for x, times in sorted(counts.items()) if times}
    if occurring:
        return FinitePmf.normalized(occurring)
    if wanted and found and tuple(wanted.values()) not in found:
        classes = _listed([", ".join(cells) for cells in found])
        raise ParseError(
            f"{_name_of(table)} has no row with {_text(wanted)}, only {classes}. "
            "Name a class that occurs."
        )
    raise ParseError(
        f"{_name_of(table)}: the counts{_text(wanted, before=' with ')} sum to 0, so there is no "
        "law. Give at least one positive count."
    )


def _text(where: Mapping[str, str], *, before: str = "") -> str:
    return before * bool(where) + ", ".join(f"{name}={cell!r}" for name, cell in where.items())


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(map(repr, names))
    return listed if len(listed) <= 200 else f"{listed[:200]}..."


def _number(cells: Mapping[str, str], name: str, place: str) -> Fraction:
    return fraction_of(rational(cells[name], name=f"{place}: {name}"))


def _count(cells: Mapping[str, str], name: str, place: str) -> int:
    """Return a cell as a count, an integer of at least 0."""
    number = _number(cells, name, place)
    if number < 0 or number.denominator != 1:
        raise ParseError(
            f"{place}: {name}={cells[name][:40]!r} is not a count. Give integers of at least "
            "0; FinitePmf.normalized(...) takes weights."
        )
    return number.numerator


def _rows(
    table: Path | str, names: Sequence[str], delimiter: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield where each row stands and its cells in the columns named."""
    if len(set(names)) < len(names):
        raise DomainError(
            f"the columns {', '.join(map(repr, names))} must differ. Name three columns."
        )
    text, prefix = _text_of(table)
    try:
        reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    except (TypeError, ValueError):
        raise DomainError(
            f"delimiter={delimiter!r} must be one character. Pass one, such as ',' or ';'."
        ) from None
    header: list[str] | None = None
    try:
        for written in reader:
            cells = [cell.strip() for cell in written]
            place = f"{prefix}line {reader.line_num}"
            if not cells:  # a blank line
                continue
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
    except csv.Error as error:
        raise ParseError(f"{prefix}line {reader.line_num}: {error}. Mend the line.") from None
    if header is None:
        raise ParseError(f"{_name_of(table)} is empty. Begin it with a line of column names.")


def _index(header: Sequence[str], name: str, place: str) -> int:
    """Return the index of the one column of a name."""
    times = header.count(name)
    if times == 1:
        return header.index(name)
    shown = _listed(header)
    if times > 1:
        raise ParseError(
            f"{place}: the column {name!r} occurs {times} times in {shown}. Give each one name."
        )
    raise ParseError(
        f"{place}: there is no column {name!r}, only {shown}. "
        "A file is given as a pathlib.Path, other columns by their names."
    )


def _text_of(table: Path | str) -> tuple[str, str]:
    """Return the text of a table, and the text before a number of a line in messages."""
    if isinstance(table, str):
        # A mark of byte order is not a part of the first name, in a text or in a file.
        return table.removeprefix("\ufeff"), ""
    if not isinstance(table, Path):
        raise DomainError(
            f"table={table!r} is of type {type(table).__name__}. Give the path of a file as a "
            "pathlib.Path, or the text of the table as a str."
        )
    name = _name_of(table)
    try:
        return table.read_bytes().decode("utf-8-sig"), f"{name}, "
    except UnicodeDecodeError:
        raise ParseError(f"{name} is not text in UTF-8. Save it in that encoding.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ParseError(f"{name} cannot be read: {reason}. Give a readable file.") from None


def _name_of(table: Path | str) -> str:
    return "the table" if isinstance(table, str) else str(table)
