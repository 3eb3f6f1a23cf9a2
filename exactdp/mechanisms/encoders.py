"""The matrices of matrix mechanisms: explicit ones, Toeplitz ones, the binary tree.

A workload A is answered through a factorization A = BC: what is released is Cx + noise, and
B makes the answers of that. Privacy is that of the encoder C alone: each of its columns says
where one step goes. Prefix sums of a stream, as DP-FTRL and momentum need them, have lower
triangular encoders: row t needs the first t steps only.

References: C. Li, G. Miklau, M. Hay, A. McGregor and V. Rastogi, The Matrix Mechanism, 2015;
H. Fichtenberger, M. Henzinger and J. Upadhyay, Constant Matters: Fine-grained Error Bound on
Differentially Private Continual Observation, 2023; M. Henzinger, J. Upadhyay and S. Upadhyay,
Almost Tight Error Bounds on Differentially Private Continual Counting, 2023; C. A.
Choquette-Choo et al., (Amplified) Banded Matrix Factorization, 2023.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

from exactdp.errors import DomainError, number_of
from exactdp.numbers import RationalLike, count_text, fraction_of, rational, refuse_above, short
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.later import NDArray, np
from exactdp.numbers.limits import MAX_BITS_OF_WEIGHTS, MAX_ENTRIES
from exactdp.numbers.validated import validated

__all__ = [
    "Encoder",
    "MatrixLike",
    "ToeplitzMatrix",
    "banded_toeplitz",
    "binary_tree",
    "encoder_of",
    "square_root_coefficients",
]

_PLAIN = {int, float, Fraction}
"""The types of entries that say exactly which ratio they are, at once."""

_FORM = "Pass the rows of C, each a list of as many numbers, or a numpy array of two dimensions."


@validated
@dataclass(frozen=True, slots=True)
class ToeplitzMatrix:
    """A lower triangular matrix that is constant on its diagonals.

    Attributes:
        coefficients: The first entries c_0, c_1, ... of the first column; 0 below them.
        steps: n, the number of rows and of columns, at least as many as coefficients.
    """

    coefficients: tuple[Fraction, ...]
    steps: int

    def __post_init__(self) -> None:
        whole_number(self.steps, name="steps", at_least=1)
        if len(self.coefficients) > self.steps:
            raise DomainError(
                f"there are {len(self.coefficients):,} coefficients, but steps={self.steps}. Give "
                "at most one for each step."
            )
        if not any(self.coefficients):
            raise DomainError("all coefficients are 0: nothing is released. Give one that is not.")

    @property
    def bands(self) -> int:
        """The number of diagonals up to the last that is not 0."""
        return max(i for i, c in enumerate(self.coefficients) if c) + 1

    def rows(self) -> list[list[Fraction]]:
        """Return the matrix, row by row.

        Raises:
            TooLargeError: If it has too many entries.

        Example:
            >>> [[int(x) for x in row] for row in banded_toeplitz([2, 1], 3).rows()]
            [[2, 0, 0], [1, 2, 0], [0, 1, 2]]
        """
        n, c = self.steps, self.coefficients
        _refuse_many(n, n)
        zero = Fraction(0)
        filled = [*c, *([zero] * (n - len(c)))]
        return [[*filled[i::-1], *([zero] * (n - 1 - i))] for i in range(n)]


MatrixLike = ToeplitzMatrix | Sequence[Sequence[RationalLike | float]] | NDArray[Any]
"""The types of a matrix: rows of rationals or doubles, which are meant exactly, or numpy's."""


def banded_toeplitz(
    coefficients: Iterable[RationalLike | float] | NDArray[Any], steps: int
) -> ToeplitzMatrix:
    """Return the lower triangular matrix with the same entries along each diagonal.

    Args:
        coefficients: The first column from the diagonal on, as many as there are bands:
            rationals, or doubles, which are meant exactly.
        steps: The number of rows and of columns.

    Raises:
        DomainError: If there are more coefficients than steps, or all are 0.

    Source:
        Choquette-Choo et al. 2023.

    Example:
        >>> banded_toeplitz([1, 0.5], 1024).coefficients
        (Fraction(1, 1), Fraction(1, 2))
    """
    if isinstance(coefficients, str | bytes) or not isinstance(coefficients, Iterable):
        raise DomainError(
            f"coefficients={short(repr(coefficients))} are not numbers. Pass a list of them."
        )
    n = whole_number(steps, name="steps", at_least=1)
    given = coefficients.tolist() if isinstance(coefficients, np.ndarray) else coefficients
    listed = list(given) if isinstance(given, Iterable) else [given]
    ratios = _ratios(listed, "coefficients")
    return ToeplitzMatrix(tuple(Fraction(p, q) for p, q in ratios), n)


def square_root_coefficients(count: int) -> list[Fraction]:
    """Return the first coefficients of 1/√(1 − x): those of the square root of prefix sums.

    Formula:
        f_0 = 1 and f_k = f_(k − 1)·(1 − 1/(2k)), so that the Toeplitz matrix of them, times
        itself, has ones everywhere on and below its diagonal.

    Args:
        count: How many, at least 1.

    Raises:
        DomainError: If count is not an int of at least 1.
        TooLargeError: If they are too many.

    Source:
        Fichtenberger, Henzinger & Upadhyay 2023; Henzinger, Upadhyay & Upadhyay 2023.

    Example:
        >>> [str(f) for f in square_root_coefficients(4)]
        ['1', '1/2', '3/8', '5/16']
    """
    n = whole_number(count, name="count", at_least=1)
    refuse_above(
        MAX_BITS_OF_WEIGHTS,
        2 * n * n,
        f"{count_text(n)} coefficients have some {count_text(2 * n)} bits each",
        advice="Ask for fewer: a band of them is a factorization too.",
    )
    top, found = 1, [Fraction(1)]
    for k in range(1, n):  # the number of k of 2k things, over 4^k
        top = top * 2 * (2 * k - 1) // k
        found.append(Fraction(top, 1 << (2 * k)))
    return found


def binary_tree(steps: int) -> list[list[int]]:
    """Return the encoder of tree aggregation: a row for each complete node of the binary tree.

    A node is the sum of the steps below it. Rows stand in the order in which their last step
    comes, the smaller nodes first.

    Args:
        steps: n, the number of leaves.

    Raises:
        DomainError: If steps is not an int of at least 1.
        TooLargeError: If the matrix has too many entries.

    Source:
        Dwork, Naor, Pitassi & Rothblum 2010; Chan, Shi & Song 2011.

    Example:
        >>> binary_tree(3)
        [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]
    """
    n = whole_number(steps, name="steps", at_least=1)
    _refuse_many(2 * n, n)
    found = []
    for end in range(1, n + 1):
        size = 1
        while end % size == 0:
            found.append([int(end - size <= j < end) for j in range(n)])
            size *= 2
    return found


@dataclass(frozen=True, slots=True)
class Encoder:
    """An explicit matrix C as integers over one denominator.

    Attributes:
        rows: The entries times the denominator.
        denominator: A positive integer.
    """

    rows: tuple[tuple[int, ...], ...]
    denominator: int

    @property
    def steps(self) -> int:
        """The number of columns."""
        return len(self.rows[0])

    @property
    def is_lower_triangular(self) -> bool:
        """True if row r holds the steps up to r alone, counted from 0."""
        return not any(any(row[i + 1 :]) for i, row in enumerate(self.rows))

    def toeplitz(self) -> ToeplitzMatrix | None:
        """Return the matrix as a lower triangular Toeplitz matrix; None if it is none."""
        rows = self.rows
        if len(rows) != self.steps or any(rows[0][1:]):
            return None
        if any(after[1:] != row[:-1] for row, after in pairwise(rows)):
            return None
        return ToeplitzMatrix(tuple(Fraction(row[0], self.denominator) for row in rows), len(rows))


def encoder_of(matrix: Sequence[Sequence[RationalLike | float]]) -> Encoder:
    """Return an explicit matrix as integers over one denominator.

    Raises:
        DomainError: If rows are missing, or of different lengths, or an entry is not a number.
        TooLargeError: If there are too many entries, or they are too long.

    Example:
        >>> encoder_of([["1/2", 0], [0.25, 1]])
        Encoder(rows=((2, 0), (1, 4)), denominator=4)
    """
    if not matrix or not matrix[0]:
        raise DomainError(f"the matrix is empty. {_FORM}")
    width = len(matrix[0])
    _refuse_many(len(matrix), width)
    for i, row in enumerate(matrix):
        if len(row) != width:
            raise DomainError(
                f"matrix[{i}] has {number_of(len(row), 'entry')}, but matrix[0] {width:,}. {_FORM}"
            )
    ratios = [_ratios(row, f"matrix[{i}]") for i, row in enumerate(matrix)]
    common = lcm(*{q for row in ratios for _, q in row})
    sizes = [p.bit_length() - q.bit_length() + 1 for row in ratios for p, q in row if p]
    bits = (common.bit_length() + max(sizes, default=0)) * len(sizes)
    refuse_above(
        MAX_BITS_OF_WEIGHTS,
        bits,
        f"over their common denominator the entries have {count_text(bits)} bits",
        advice="Round them.",
    )
    rows = tuple(tuple(p * (common // q) if p else 0 for p, q in row) for row in ratios)
    if not any(map(any, rows)):
        raise DomainError("all entries of the matrix are 0: nothing is released. Give one that is.")
    return Encoder(rows, common)


def rows_of(matrix: MatrixLike) -> tuple[tuple[Any, ...], ...]:
    """Return the rows of an explicit matrix as they were given, of numpy's arrays as Python's."""
    found: Any = matrix.tolist() if isinstance(matrix, np.ndarray) else matrix
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        raise DomainError(f"matrix={short(repr(matrix))} is not a matrix. {_FORM}")
    rows = []
    for i, row in enumerate(found):
        given = row.tolist() if isinstance(row, np.ndarray) else row
        if not isinstance(given, Sequence) or isinstance(given, str | bytes):
            raise DomainError(f"matrix[{i}]={short(repr(row))} is not a row. {_FORM}")
        rows.append(tuple(given))
    return tuple(rows)


def _refuse_many(rows: int, columns: int) -> None:
    refuse_above(
        MAX_ENTRIES,
        rows * columns,
        f"the matrix has {count_text(rows * columns)} entries",
        advice="Pass a banded_toeplitz, which is not written out, or fewer steps.",
    )


def _ratios(numbers: Sequence[Any], name: str) -> list[tuple[int, int]]:
    """Return the numerator and denominator of each number, a double's exactly."""
    if set(map(type, numbers)) <= _PLAIN:
        try:
            return [x.as_integer_ratio() for x in numbers]
        except (OverflowError, ValueError):
            pass  # of what is not finite: it is named below
    named = ((x, f"{name}[{j}]") for j, x in enumerate(numbers))
    return [fraction_of(rational(x, name=one)).as_integer_ratio() for x, one in named]
