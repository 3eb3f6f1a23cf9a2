"""The tables of the paper, digit by digit.

Rows are laws at X = 1, ..., 5; entries are the printed decimals.
"""

from __future__ import annotations

from fractions import Fraction

from exactdp.distributions import FinitePmf
from exactdp.pufferfish import MultiUserSystem, User, line_law

__all__ = [
    "P_4",
    "Q_4",
    "TABLE_2",
    "TABLE_4",
    "TABLE_5",
    "TABLE_6",
    "Row",
    "four_users",
    "law_of_row",
]

Row = tuple[Fraction, ...]


def _row(entries: str) -> Row:
    return tuple(Fraction(entry) for entry in entries.split())


TABLE_2 = (
    _row("0.01 0.04 0.1 0.2 0.65"),
    _row("0.7 0.2 0.05 0.04 0.01"),
    _row("0.2 0.2 0.2 0.2 0.2"),
)
"""Users 1, 2, 3."""

P_4 = _row("0.4 0.1 0 0.1 0.4")
"""Table 3, first row."""

Q_4 = _row("0 0.05 0.9 0.05 0")
"""Table 3, second row."""

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


def law_of_row(row: Row) -> FinitePmf[Fraction]:
    """Return the law with these masses at 1, 2, ....

    Example:
        >>> law_of_row(P_4)[Fraction(5)]
        Exact('2/5')
    """
    return line_law({x: m for x, m in enumerate(row, start=1) if m})


def four_users(law: FinitePmf[Fraction] | None = None) -> MultiUserSystem:
    """Return users 1-3 of Table 2 and a fourth of this law (by default a constant 0).

    User 4 has index 3; a secret of user 4 replaces the law.
    """
    own = law if law is not None else FinitePmf.point(Fraction(0))
    return MultiUserSystem([*(User(law_of_row(row)) for row in TABLE_2), User(own)])
