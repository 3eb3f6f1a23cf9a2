"""Printing tables: as wide as the terminal, in a pipe as $COLUMNS says or 100 columns.

Names are never broken. rich is loaded by what prints with it: a shell's completion is not.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["WIDTH", "console", "one_line", "print_fields", "print_table"]

WIDTH = 100
"""Columns of an output that is not a terminal."""

_LONGEST_LINE = 2_000
"""Characters of a message that are shown; the rest is left out."""

_LEAST_WIDTH_OF_THE_REST = 60
"""Columns of the terminal below which names stand on lines of their own above their rows."""

_SELF_EVIDENT = 3
"""Columns of a table up to which a row below its name needs no heads in front of its cells."""

_COLORS = {
    "proved": "green",
    "argued": "cyan",
    "survived": "blue",
    "refuted": "red",
    "undecided": "yellow",
    "unspecified": "yellow",
    "depends": "magenta",
}
"""The colors of verdicts, on a terminal; the word says the same."""


def one_line(message: str) -> str:
    r"""Return a message as one line that a terminal shows as it is: names in it are a file's.

    Example:
        >>> one_line("R" + chr(27) + "[31m" + chr(10) + " is not a law.")
        'R\\x1b[31m is not a law.'
    """
    line = " ".join(message.split())
    line = line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..."
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def console() -> Console:
    """Return a console on standard output that prints text as it is."""
    from rich.console import Console

    result = Console(markup=False, highlight=False, emoji=False)
    if not result.is_terminal and not os.environ.get("COLUMNS", "").isdecimal():
        result.width = WIDTH
    return result


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table with these columns.

    The first column holds names, which are copied: they stay on one line. Where they leave no
    room for the rest, and no row fits, each stands on a line of its own above it; of more
    than three columns, the rest then says which is which.
    """
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    out, body = console(), [list(row) for row in rows]
    names, *others = (max(map(len, cells)) for cells in zip(columns, *body, strict=True))
    is_narrow = names + _LEAST_WIDTH_OF_THE_REST > out.width
    if others and is_narrow and names + sum(others) + 3 * len(columns) + 1 > out.width:
        heads = columns[1:] if len(columns) > _SELF_EVIDENT else [""] * len(others)
        for name, *rest in body:
            out.print(Text(name), soft_wrap=True)
            cells = zip(heads, map(_colored, rest), strict=True)
            shown = [
                Text(f"{head} ").append(cell) if head else cell for head, cell in cells if cell
            ]
            if shown:
                line = Text("; " if heads[0] else "  ").join(shown)
                out.print(Padding(line, (0, 0, 0, 4), expand=False))
        return
    table = Table()
    for index, name in enumerate(columns):
        table.add_column(name, overflow="fold", no_wrap=index == 0)
    for name, *rest in body:
        table.add_row(name, *(_colored(cell) for cell in rest))
    out.print(table)


def print_fields(rows: Sequence[tuple[str, str]], *, copied: Collection[str] = ()) -> None:
    """Print names with their texts beside them; those that are copied stay on one line."""
    from rich.text import Text

    out, names = console(), max(len(name) for name, _ in rows) + 2
    for name, text in rows:
        line = Text(text, style=_COLORS.get(text.partition(" ")[0].rstrip(":"), ""))
        wrapped = line.wrap(out, max(20, out.width - names), overflow="fold")
        for index, part in enumerate([line] if name in copied else wrapped):
            out.print(("" if index else name).ljust(names), part, sep="", soft_wrap=True)


def _colored(cell: str) -> Text:
    from rich.text import Text

    return Text(cell, style=_COLORS.get(cell, ""))
