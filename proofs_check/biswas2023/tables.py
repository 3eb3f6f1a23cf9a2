"""The printed tables, as data, and how a printed cell is read.

A cell such as 2.49E-15 states three digits; it agrees with a value that lies within
one unit of its last digit. "0" states that the value is exactly zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.claims import Cases, listed, rows


@dataclass(frozen=True, slots=True)
class Cell:
    """A printed number.

    Example:
        >>> cell = Cell("2.49E-15")
        >>> cell.value == Fraction("2.49e-15"), cell.unit == Fraction("1e-17")
        (True, True)
    """

    text: str

    @property
    def value(self) -> Fraction:
        """The printed value."""
        return Fraction(self.text)

    @property
    def unit(self) -> Fraction:
        """One unit of the last printed digit."""
        mantissa, _, exponent = self.text.partition("E")
        decimals = len(mantissa.partition(".")[2])
        return Fraction(10) ** (int(exponent or "0") - decimals)


def cells_of(epsilons: Sequence[Fraction], row: Sequence[Cell]) -> Cases:
    """Return the cells of a row, each at its epsilon."""
    cells = [{"epsilon": e, "cell": cell.text} for e, cell in zip(epsilons, row, strict=True)]
    return listed(*cells).all_of(**rows(*cells))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of Table IV: its parameters as printed and its cells."""

    k: int
    n: int
    n_x0: int
    epsilon0: Fraction
    cells: tuple[Cell, ...]


def _cells(text: str) -> tuple[Cell, ...]:
    return tuple(Cell(word) for word in text.split())


TABLE_IV_EPSILONS = tuple(Fraction(v) for v in ("0.1", "0.5", "1", "1.5", "2", "2.5", "3"))

TABLE_IV: dict[str, Row] = {
    f"biswas2023/table-IV/{place}": Row(k, n, 80, Fraction(epsilon0), _cells(cells))
    for place, k, n, epsilon0, cells in (
        ("a/eps0=1", 10, 100, 1, "2.08E-20 3.42E-43 0 0 0 0 0"),
        ("a/eps0=2", 10, 100, 2, "2.49E-15 3.25E-22 2.20E-30 1.57E-40 0 0 0"),
        ("a/eps0=3", 10, 100, 3, "8.79E-11 5.73E-13 3.52E-16 4.49E-20 1.09E-25 4.52E-33 0"),
        ("b/n=50", 10, 50, 2, "1.91E-08 5.02E-12 2.40E-15 4.49E-21 0 0 0"),
        ("b/n=100", 10, 100, 2, "2.49E-15 3.25E-22 2.20E-30 1.57E-40 0 0 0"),
        ("b/n=150", 10, 150, 2, "6.58E-22 7.83E-32 2.75E-44 6.99E-59 0 0 0"),
        ("c/k=5", 5, 100, 2, "1.96E-10 2.51E-14 1.08E-19 2.02E-27 0 0 0"),
        ("c/k=10", 10, 100, 2, "2.49E-15 3.25E-22 2.20E-30 1.57E-40 0 0 0"),
        ("c/k=15", 15, 100, 2, "1.66E-18 7.13E-28 1.49E-38 7.35E-50 0 0 0"),
    )
}

TABLE_II_EPSILONS = tuple(Fraction(v) for v in ("0.01", "0.1", "0.2", "0.3", "0.4"))

TABLE_II_EPSILON0 = Fraction("0.49")

TABLE_II: dict[int, dict[str, tuple[Cell, ...]]] = {
    100: {
        "ref-11": _cells("0.999 0.97 0.89 0.77 0.62"),
        "ref-10": _cells("0.996 0.68 0.22 0.03 2.2E-3"),
        "ref-12": _cells("0.984 0.2 1.78E-3 6.580E-7 1.02E-11"),
        "ours": _cells("1.18E-14 1.26E-28 2.69E-43 1.39E-57 9.46E-73"),
    },
    1000: {
        "ref-11": _cells("0.997 0.75 0.32 0.08 0.01"),
        "ref-10": _cells("0.963 0.02 4.06E-7 4.17E-15 2.73E-26"),
        "ref-12": _cells("0.853 2.02E-7 1.66E-27 5.60E-61 7.69E-108"),
        "ours": _cells("6.66E-58 3.82E-93 6.02E-143 4.46E-207 3.61E-292"),
    },
}
