"""The tables of the paper, digit by digit: laws at X = 1, ..., 5, as printed decimals."""

from fractions import Fraction

from proofs_check.ding2025.law import Law, fractions, law


def law_of_row(row: list[Fraction]) -> Law:
    """Return the law with these masses at 1, 2, ....

    Example:
        >>> law_of_row([Fraction("0.4"), Fraction("0.6")])[2]
        Fraction(3, 5)
    """
    return law(dict(enumerate(row, start=1)))


TABLE_4 = (fractions("0.2 0.225 0.5 0.075 0"), fractions("0 0.075 0.5 0.225 0.2"))
"""The priors given s_i and s_j."""

TABLE_5 = (fractions("0.2 0.42 0.925 1 1"), fractions("0 0.075 0.575 0.925 1"))
"""The cumulative distributions that are printed for Table 4."""

TABLE_6 = (
    fractions("0 0.075 0.125 0 0"),
    fractions("0 0 0.225 0 0"),
    fractions("0 0 0.15 0.225 0.125"),
    fractions("0 0 0 0 0.075"),
    fractions("0 0 0 0 0"),
)
"""The plan: rows X, columns X'."""

USERS_123 = (
    law_of_row(fractions("0.01 0.04 0.1 0.2 0.65")),
    law_of_row(fractions("0.7 0.2 0.05 0.04 0.01")),
    law_of_row(fractions("0.2 0.2 0.2 0.2 0.2")),
)
"""Table 2."""

P_4 = law_of_row(fractions("0.4 0.1 0 0.1 0.4"))
"""Table 3, first row."""

Q_4 = law_of_row(fractions("0 0.05 0.9 0.05 0"))
"""Table 3, second row."""
