"""Printing tables: as wide as the terminal, or 100 columns in a pipe; names are never broken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

__all__ = ["WIDTH", "console", "one_line", "print_table"]

WIDTH = 100
"""The columns of what is no terminal."""

_LONGEST_LINE = 2_000

_LEAST_WIDTH_OF_THE_REST = 60

_COLORS = {
    "proved": "green",
    "argued": "cyan",
    "survived": "blue",
    "refuted": "red",
    "undecided": "yellow",
    "depends": "magenta",
}
"""The colors of verdicts, on a terminal; the word says the same."""


def one_line(message: str) -> str:
    r"""Return a message as one line that a terminal shows as it is: names in it are a file's.

    Example:
        >>> one_line("R" + chr(27) + "[31m" + chr(10) + " is no law.")
        'R\\x1b[31m is no law.'
    """
    line = " ".join(message.split())
    line = line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..."
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def console() -> Console:
    """Return a console on standard output that prints text as it is."""
    result = Console(markup=False, highlight=False, emoji=False)
    if not result.is_terminal:
        result.width = WIDTH
    return result


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table with these columns.

    The first column holds names, which are copied: they stay on one line. Where they leave no
    room for the rest, each stands on a line of its own above it.
    """
    out, body = console(), [list(row) for row in rows]
    names = max((len(row[0]) for row in body), default=0)
    if len(columns) > 1 and names + _LEAST_WIDTH_OF_THE_REST > out.width:
        for name, *rest in body:
            out.print(Text(name), soft_wrap=True)
            line = Text("  ").join(_colored(cell) for cell in rest if cell)
            out.print(Padding(line, (0, 0, 0, 4)))
        return
    table = Table()
    for index, name in enumerate(columns):
        table.add_column(name, overflow="fold", no_wrap=index == 0)
    for name, *rest in body:
        table.add_row(name, *(_colored(cell) for cell in rest))
    out.print(table)


def _colored(cell: str) -> Text:
    return Text(cell, style=_COLORS.get(cell, ""))
