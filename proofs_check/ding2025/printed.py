"""The tables of the paper, digit by digit.

Rows are laws at X = 1, ..., 5; entries are the printed decimals.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_check.ding2025.law import Law, law

__all__ = [
    "P_4",
    "Q_4",
    "TABLE_4",
    "TABLE_5",
    "TABLE_6",
    "USERS_123",
    "Row",
    "law_of_row",
]

Row = tuple[Fraction, ...]


def _row(entries: str) -> Row:
    return tuple(Fraction(entry) for entry in entries.split())


TABLE_4 = (_row("0.2 0.225 0.5 0.075 0"), _row("0 0.075 0.5 0.225 0.2"))
"""The priors given s_i and s_j."""

TABLE_5 = (_row("0.2 0.42 0.925 1 1"), _row("0 0.075 0.575 0.925 1"))
"""The cumulative distributions that are printed for Table 4."""

TABLE_6 = (
    _row("0 0.075 0.125 0 0"),
    _row("0 0 0.225 0 0"),
    _row("0 0 0.15 0.225 0.125"),
    _row("0 0 0 0 0.075"),
    _row("0 0 0 0 0"),
)
"""The plan: rows X = 1, ..., 5, columns X' = 1, ..., 5."""


def law_of_row(row: Row) -> Law:
    """Return the law with these masses at 1, 2, ....

    Example:
        >>> law_of_row((Fraction("0.4"), Fraction("0.6")))[2]
        Fraction(3, 5)
    """
    return law(dict(enumerate(row, start=1)))


USERS_123 = tuple(
    law_of_row(_row(entries))
    for entries in (
        "0.01 0.04 0.1 0.2 0.65",
        "0.7 0.2 0.05 0.04 0.01",
        "0.2 0.2 0.2 0.2 0.2",
    )
)
"""Table 2."""

P_4 = law_of_row(_row("0.4 0.1 0 0.1 0.4"))
"""Table 3, first row."""

Q_4 = law_of_row(_row("0 0.05 0.9 0.05 0"))
"""Table 3, second row."""
