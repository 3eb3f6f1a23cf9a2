"""Printing tables: never cut or wrapped in a pipe, folded in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

__all__ = ["NO_LIMIT", "console", "print_table"]

NO_LIMIT = 10**7
"""The width of what is no terminal: every row stays on one line."""


def console() -> Console:
    """Return a console on standard output that prints text as it is."""
    result = Console(markup=False, highlight=False, emoji=False)
    if not result.is_terminal:
        result.width = NO_LIMIT
    return result


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table with these columns."""
    table = Table()
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console().print(table)
