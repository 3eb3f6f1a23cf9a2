"""The sensitivity of an encoder to whoever contributes at several steps, from its matrix.

A contributor takes part in at most k steps, any two of them at least b apart, with a vector u_i
of norm at most 1 at each. With G = CᵀC the squared sensitivity is

    max over such patterns π, and over all |u_i| <= 1, of Σ_{i, j in π} G_ij <u_i, u_j>.

It is at most the largest Σ_{π × π} |G_ij|, whatever the dimension, and at least that with any
signs u_i = ±1. Both are equal where G has no negative entry, or signs undo it. The largest
pattern is found exactly for one participation; for columns that do not meet at b steps apart, by
a dynamic program over steps; where no two steps have more in common than the earliest ones,
(0, b, 2b, ...), as of Toeplitz matrices that fall; and where patterns are few. Elsewhere there
are two ends: the best of several patterns, and a bound row by row.

References: C. A. Choquette-Choo, H. B. McMahan, K. Rush and A. Thakurta, Multi-Epoch Matrix
Factorization Mechanisms for Private Machine Learning, 2023; C. A. Choquette-Choo et al.,
(Amplified) Banded Matrix Factorization: A unified approach to private training, 2023; N. Kalinin
and C. Lampert, Banded Square Root Matrix Factorization for Differentially Private Model
Training, 2024.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise, product
from math import comb, lcm
from typing import Any

from flint import fmpz_mat

from exactdp.mechanisms.encoders import (
    Encoder,
    MatrixLike,
    ToeplitzMatrix,
    encoder_of,
    rows_of,
)
from exactdp.numbers import Enclosure, count_text, refuse_above
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.effort import remembered
from exactdp.numbers.later import np
from exactdp.numbers.limits import (
    MAX_BITS_OF_A_MATRIX,
    MAX_BITS_OF_WEIGHTS,
    MAX_ENTRIES,
    MAX_PARTICIPATIONS,
    MAX_PATTERNS,
)

__all__ = ["certified", "most_participations", "squared_sensitivity"]

_TRIED_SIGNS = 12
"""The columns of a pattern of which all signs are tried; of more, each one in its turn."""

_BITS = 61
"""Bits of the sums of a bound row by row, where they are rounded up to words of a machine."""

_WHOLE = 20_000_000
"""The sums up to which a bound row by row is found in whole numbers of any length."""

Gram = Sequence[Sequence[int]]
Pattern = Sequence[int]


def squared_sensitivity(
    matrix: MatrixLike, *, participations: int = 1, separation: int = 1
) -> Enclosure:
    """Return the squared sensitivity of Cx to contributions of norm at most 1, between two ends.

    Formula:
        max over patterns π of at most k steps, at least b apart, and over |u_i| <= 1, of
        |Σ_{i in π} C[:, i] u_i|², the u_i vectors of any one dimension.

    Args:
        matrix: C, one column a step: rationals, doubles (meant exactly), numpy's arrays, or a
            :class:`ToeplitzMatrix`.
        participations: k, at least 1.
        separation: b, at least 1: two steps i < j of one contributor have j − i >= b.

    Returns:
        A point where it is known exactly; else ends that hold in every dimension.

    Raises:
        DomainError: If an argument is outside its range, or the matrix is 0.
        TooLargeError: If the matrix has too many entries.

    Source:
        Choquette-Choo, McMahan, Rush & Thakurta 2023; of absolute values, Choquette-Choo et al.
        2023, (Amplified) Banded Matrix Factorization, Equation (5).

    Example:
        Prefix sums of three steps: the first column has norm √3; all steps sum to (1, 2, 3).

        >>> sums = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> print(squared_sensitivity(sums).lower, squared_sensitivity(sums).upper)
        3 3
        >>> print(squared_sensitivity(sums, participations=3).upper)  # 1 + 4 + 9
        14
        >>> print(squared_sensitivity(sums, participations=3, separation=2).upper)  # 1 + 1 + 4
        6
    """
    return certified(matrix, participations, separation)[0]


def certified(matrix: MatrixLike, participations: int, separation: int) -> tuple[Enclosure, bool]:
    """Return the squared sensitivity, and whether row r of C holds no step after r.

    Such a row can be released as soon as step r has come.

    Example:
        >>> certified([[1, 0], [1, 1]], 1, 1)[1], certified([[1, 1], [1, -1]], 1, 1)[1]
        (True, False)
    """
    k = whole_number(participations, name="participations", at_least=1)
    b = whole_number(separation, name="separation", at_least=1)
    if isinstance(matrix, ToeplitzMatrix):
        found = _of_toeplitz(matrix, most_participations(matrix.steps, k, b), b)
        return (found, True) if found else _of_rows(rows_of(matrix.rows()), k, b)
    rows = rows_of(matrix)
    try:
        return _kept(rows, k, b)
    except TypeError:  # an entry that has no hash is not a number
        return _of_rows(rows, k, b)


def most_participations(steps: int, participations: int, separation: int) -> int:
    """Return how many participations there are at most, of steps at least so far apart.

    Example:
        >>> most_participations(10, 5, 4)  # such as 0, 4 and 8
        3
    """
    return min(participations, -(-steps // separation))


def _of_rows(rows: tuple[tuple[Any, ...], ...], k: int, b: int) -> tuple[Enclosure, bool]:
    encoder = encoder_of(rows)
    k, order = most_participations(encoder.steps, k, b), encoder.is_lower_triangular
    toeplitz = encoder.toeplitz()
    if toeplitz and (found := _of_toeplitz(toeplitz, k, b)):
        return found, order
    low, high = _of_integers(encoder, k, b)
    return Enclosure(low / encoder.denominator**2, high / encoder.denominator**2), order


_kept = remembered(maxsize=2)(_of_rows)
"""What has been found last: a search for σ asks the same again and again."""


def _of_toeplitz(matrix: ToeplitzMatrix, k: int, b: int) -> Enclosure | None:
    """Return the squared sensitivity of a Toeplitz matrix where (0, b, 2b, ...) is the worst.

    The inner product of two columns i < j has n − j products of coefficients j − i apart. Where
    coefficients fall, and are not negative, it falls in j and in j − i; and where no two columns
    of a pattern meet, norms are all, and fall too. Kalinin & Lampert 2024, Theorem 2.
    """
    common = lcm(*(c.denominator for c in matrix.coefficients))
    c = [int(x * common) for x in matrix.coefficients[: matrix.bands]]
    falls = c[-1] >= 0 and all(x >= y for x, y in pairwise(c))
    if k > 1 and b < len(c) and not falls:
        return None
    if k == 1 or b >= len(c):
        norms = list(accumulate((x * x for x in c), initial=0))
        # Of the mth participation n − m·b rows are left: most columns have all of theirs.
        cut = range(max(0, (matrix.steps - len(c)) // b + 1), k)
        total = norms[-1] * (k - len(cut)) + sum(norms[matrix.steps - m * b] for m in cut)
    else:
        total = _squared_sum(c, matrix.steps, k, b)
    return _point(Fraction(total, common**2))


def _squared_sum(c: Sequence[int], n: int, k: int, b: int) -> int:
    """Return the squared norm of the sum of k columns, b apart, from the first on."""
    size = n * max(c).bit_length()
    refuse_above(
        MAX_BITS_OF_WEIGHTS,
        size,
        f"the sum of columns of {count_text(n)} steps has {count_text(size)} bits",
        advice="Take fewer steps, or round the coefficients.",
    )
    total = 0
    sums: deque[int] = deque([0] * b, b)  # row t of the sum is row t − b, and what begins and ends
    for t in range(n):
        row = sums[0]
        if t < len(c):
            row += c[t]
        if 0 <= t - k * b < len(c):
            row -= c[t - k * b]
        total += row * row
        sums.append(row)
    return total


def _point(value: Fraction) -> Enclosure:
    return Enclosure(value, value)


def _of_integers(encoder: Encoder, k: int, b: int) -> tuple[Fraction, Fraction]:
    """Return both ends for a matrix of integers."""
    columns, n = list(zip(*encoder.rows, strict=True)), encoder.steps
    refuse_above(
        MAX_PARTICIPATIONS,
        n * k,
        f"{count_text(n)} steps have up to {count_text(k)} participations",
        advice="Pass fewer steps.",
    )
    if k == 1 or _are_apart(columns, b):
        norms = [sum(x * x for x in column if x) for column in columns]
        exact = Fraction(sum(norms[i] for i in _best_pattern(norms, k, b)))
        return exact, exact
    gram = _gram(encoder)
    if b == 1 and k == n:
        return _ends(gram, range(n))
    if k * sum(comb(n - (t - 1) * (b - 1), t) for t in range(1, k + 1)) <= MAX_PATTERNS:
        return _ends(gram, _worst_pattern(gram, k, b))
    earliest = [i * b for i in range(k)]
    bound, found = _row_bound(gram, k, b)
    least = max(_with_signs(gram, pattern) for pattern in (earliest, found))
    return Fraction(least), min(bound, Fraction(_pair_bound(gram, k, b)))


def _ends(gram: Gram, worst: Pattern) -> tuple[Fraction, Fraction]:
    """Return both ends where a pattern is known to have the largest sum of |G_ij|."""
    return Fraction(_with_signs(gram, worst)), Fraction(_size(gram, worst))


def _are_apart(columns: Sequence[Sequence[int]], b: int) -> bool:
    """Return whether columns at least b steps apart certainly have no row in common."""
    firsts, lasts = [], []
    for column in columns:
        rows = [r for r, x in enumerate(column) if x]
        firsts.append(rows[0] if rows else len(column))
        lasts.append(rows[-1] if rows else -1)
    highest = accumulate(lasts, max)
    lowest = list(accumulate(reversed(firsts), min))[::-1]
    return all(last < first for last, first in zip(highest, lowest[b:], strict=False))


def _best_pattern(weights: Sequence[int], k: int, b: int) -> Pattern:
    """Return a pattern with the largest sum of weights, none negative: a program over steps."""
    n = len(weights)
    best = [[0] * (n + 1)]  # best[t][j]: with at most t of the first j steps
    for t in range(1, k + 1):
        row = [0]
        for j in range(1, n + 1):
            row.append(max(row[-1], weights[j - 1] + best[t - 1][max(j - b, 0)]))
        best.append(row)
    pattern, j = [], n
    for t in range(k, 0, -1):
        while j > 0 and best[t][j] == best[t][j - 1]:
            j -= 1
        if j == 0:
            break
        pattern.append(j - 1)
        j = max(j - b, 0)
    return pattern[::-1]


def _gram(encoder: Encoder) -> Gram:
    """Return CᵀC of integers."""
    height, n = len(encoder.rows), encoder.steps
    advice = "Round the entries, or take fewer steps."
    refuse_above(MAX_ENTRIES, n * n, f"products of columns are {count_text(n * n)}", advice=advice)
    size = max(abs(x).bit_length() for row in encoder.rows for x in row) * max(height, n) * n
    refuse_above(
        MAX_BITS_OF_A_MATRIX,
        size,
        f"over their common denominator the entries have some {count_text(size)} bits",
        advice=advice,
    )
    matrix = fmpz_mat(height, n, [x for row in encoder.rows for x in row])
    return [[int(x) for x in row] for row in (matrix.transpose() * matrix).table()]


def _worst_pattern(gram: Gram, k: int, b: int) -> Pattern:
    """Return the pattern with the largest sum of |G_ij|, among all."""
    n, sizes = len(gram), [[abs(x) for x in row] for row in gram]
    best: tuple[int, tuple[int, ...]] = (0, ())
    left: list[tuple[int, tuple[int, ...]]] = [(sizes[i][i], (i,)) for i in range(n)]
    while left:
        total, pattern = left.pop()
        best = max(best, (total, pattern))
        for j in range(pattern[-1] + b, n if len(pattern) < k else 0):
            row = sizes[j]
            left.append((total + row[j] + 2 * sum(row[i] for i in pattern), (*pattern, j)))
    return best[1]


def _size(gram: Gram, pattern: Pattern) -> int:
    """Return the sum of |G_ij| over a pattern."""
    return sum(abs(gram[i][j]) for i in pattern for j in pattern)


def _with_signs(gram: Gram, pattern: Pattern) -> int:
    """Return the sum of G_ij s_i s_j over a pattern, for signs that make it large."""
    if all(gram[i][j] >= 0 for i in pattern for j in pattern):
        return _size(gram, pattern)

    def total(signs: Sequence[int]) -> int:
        chosen = list(zip(pattern, signs, strict=True))
        return sum(s * t * gram[i][j] for i, s in chosen for j, t in chosen)

    if len(pattern) <= _TRIED_SIGNS:
        return max(total((1, *rest)) for rest in product((1, -1), repeat=len(pattern) - 1))
    signs: list[int] = []
    for i in pattern:
        pull = sum(s * gram[i][j] for s, j in zip(signs, pattern, strict=False))
        signs.append(1 if pull >= 0 else -1)
    return total(signs)


def _pair_bound(gram: Gram, k: int, b: int) -> int:
    """Return a bound pair by pair: the lth participation is at l·b at least, and so on.

    Two participations that are d places apart are at least d·b steps apart. It is attained where
    no two later columns have more in common than those of (0, b, 2b, ...).
    """
    farther = [  # farther[i][d]: the most that column i has in common with one d steps later
        list(accumulate(map(abs, reversed(row[i:])), max))[::-1] for i, row in enumerate(gram)
    ]
    total = 0
    for apart in range(k):
        d = apart * b
        largest = [row[d] if d < len(row) else 0 for row in farther]
        if apart == 0:
            largest = [row[i] for i, row in enumerate(gram)]
        later = list(accumulate(reversed(largest), max))[::-1]
        pairs = sum(later[i * b] for i in range(k - apart))
        total += pairs if apart == 0 else 2 * pairs
    return total


def _row_bound(gram: Gram, k: int, b: int) -> tuple[Fraction, Pattern]:
    """Return a bound row by row, and the pattern at which it is reached.

    Formula:
        Σ_{π × π} |G_ij| is at most the largest Σ_{i in π} v_i, v_i the largest
        Σ_{j in π'} |G_ij| over all patterns π' with i in them.

    Source:
        Choquette-Choo et al. 2023, (Amplified) Banded Matrix Factorization, Algorithms 3 and 4.
        Differs from them: what is less than b steps away is left out, and the terms of long sums
        are rounded up. Each is below 2^61/k², at most k² are added, so words of 64 bits hold them.
    """
    n, unit = len(gram), Fraction(1)
    sizes, kind = [[abs(x) for x in row] for row in gram], np.dtype(object)
    if n * n * k > _WHOLE:
        bits, largest = _BITS - 2 * k.bit_length(), max(row[i] for i, row in enumerate(gram))
        sizes, kind = [[-((-x << bits) // largest) for x in row] for row in sizes], np.dtype("i8")
        unit = Fraction(largest, 1 << bits)
    weights = np.array(sizes, dtype=kind)  # G is symmetric: a column is what a step adds to rows
    own = weights.diagonal().copy()
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) >= b
    weights = np.where(apart, weights, 0)
    before = np.zeros((n + 1, n), dtype=kind)  # before[j]: with the first j steps, of each row
    for _ in range(k - 1):
        after = np.zeros_like(before)
        for j in range(1, n + 1):
            np.maximum(after[j - 1], weights[j - 1] + before[max(j - b, 0)], out=after[j])
        before = after
    rows = [int(x) for x in own + before[n]]
    pattern = _best_pattern(rows, k, b)
    return sum(rows[i] for i in pattern) * unit, pattern
