"""Two rationals with a number between them, each of which leaves rounded to its own side."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Self, overload

from flint import fmpq, fmpz

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers.digits import (
    Rounding,
    bracketed_decimal,
    double_of,
    formatted,
    padded,
    padded_and_bare,
    rounded,
)
from exactdp.numbers.exact import Exact
from exactdp.numbers.order import Ends, Ordered
from exactdp.numbers.text import fmpq_of, fraction_of, short
from exactdp.numbers.validated import validated
from exactdp.truth import Truth

__all__ = ["Enclosure", "End", "rational_text"]


@validated
def rational_text(value: Fraction) -> str:
    """Return a Fraction as text, of any length (Python's own str stops at 4,300 digits)."""
    return str(fmpq_of(value))


class End(Fraction):
    """An end of an enclosure: a fraction that leaves the library rounded to its own side.

    It equals the plain fraction, and arithmetic with it gives plain fractions.
    """

    __slots__ = ("rounding",)

    rounding: Rounding

    # Fraction compares with floats and decimals by means of these, of its own class.
    from_float = Fraction.from_float  # type: ignore[assignment]
    from_decimal = Fraction.from_decimal  # type: ignore[assignment]

    def __new__(cls, value: Fraction, rounding: Rounding) -> Self:
        """Make an end of a fraction."""
        self = super().__new__(cls, value)
        self.rounding = rounding
        return self

    def __str__(self) -> str:
        return rational_text(self)  # of any length

    def __repr__(self) -> str:
        return "Fraction({}, {})".format(*map(fmpz, self.as_integer_ratio()))

    def __format__(self, spec: str) -> str:
        return formatted(Exact(self), spec, rounding=self.rounding) if spec else str(self)

    @overload
    def __round__(self, ndigits: None = None) -> int: ...
    @overload
    def __round__(self, ndigits: int) -> Fraction: ...
    def __round__(self, ndigits: int | None = None) -> Fraction | int:
        scale = fmpq(10) ** (ndigits or 0)
        found = fraction_of(rounded(Exact(self), scale, self.rounding) / scale)
        return int(found) if ndigits is None else End(found, self.rounding)

    def __float__(self) -> float:
        return double_of(Exact(self), self.rounding)

    def __reduce__(self) -> tuple[object, ...]:
        return End, (Fraction(self), self.rounding)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


@validated
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Enclosure(Ordered):
    """Two rationals with lower <= true value <= upper.

    ``str``, ``format``, ``round``, ``float`` and ``decimal`` round an end to its own side:
    the lower one down, the upper one up. Everywhere else an end is the fraction that it is.

    Example:
        >>> from exactdp.numbers import float_above, float_below
        >>> found = Enclosure(Fraction(1, 3), Fraction(2, 5))
        >>> print(found, f"{found:.2f}", round(found, 1))
        [0.333, 0.400] [0.33, 0.40] [0.300, 0.400]
        >>> float_below(found), float_above(found)
        (0.3333333333333333, 0.4)
        >>> float(Enclosure(Fraction(1, 10), Fraction(1, 10)).lower) < 0.1  # the double is above
        True
        >>> found._repr_html_(), Enclosure(Fraction("1.23451"), Fraction("1.23457"))._repr_html_()
        ('[0.333, 0.400]', '1.2345[10, 70]')
    """

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", End(self.lower, Rounding.DOWN))
        object.__setattr__(self, "upper", End(self.upper, Rounding.UP))
        if self.lower > self.upper:
            ends = (
                f"lower={short(Fraction(self.lower))} exceeds upper={short(Fraction(self.upper))}"
            )
            raise DomainError(f"{ends}. Give the lower one first.")

    @property
    def width(self) -> Fraction:
        """The width upper - lower."""
        return self.upper - self.lower

    def is_narrow(self, relative_width: Fraction) -> bool:
        """Return whether the width is at most so much of the lower end."""
        return bool(self.width <= relative_width * self.lower)

    @property
    def lower_by(self) -> str:
        """The name of the lower end, where that is no end of one number; else empty."""
        return ""

    upper_by = lower_by
    """What the upper end is the value of, as ``lower_by`` says it of the lower one."""

    def _repr_html_(self) -> str:
        """Return the common digits of the ends and the rest of each, as a notebook shows it."""
        lower, upper = str(self)[1:-1].split(", ")
        return bracketed_decimal(lower, upper)

    def _ends(self) -> Ends:
        return Exact(self.lower), Exact(self.upper)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Enclosure):  # the same ends, and the same words of them
            return type(self) is type(other) and self._fields() == other._fields()
        return Ordered.__eq__(self, other)

    def __hash__(self) -> int:
        return hash(Fraction(self.lower) if self.lower == self.upper else self._fields())

    def _fields(self) -> tuple[object, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    def __float__(self) -> float:
        """Return the double to which both ends are rounded to nearest.

        Raises:
            UndecidedError: If there is none.
        """
        below, above = (float(Exact(end)) for end in (self.lower, self.upper))
        if below != above:
            raise UndecidedError(
                f"{self} has no one nearest double. Take float_below(x) or float_above(x), or ask "
                "for a narrower relative_width."
            )
        return below

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def __str__(self) -> str:
        digits = 3  # and two more than the ends have in common, or as many as one number needs
        while digits < 17 and self.width * 10 ** (digits - 2) < abs(self.lower):
            if self.width == 0 and f"{self.lower:.{digits}g}" == f"{self.upper:.{digits}g}":
                break
            digits += 1
        return format(self, f".{digits}g")

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        padding, bare = padded_and_bare(spec)
        return padded(f"[{self.lower:{bare or 'g'}}, {self.upper:{bare or 'g'}}]", padding)

    def __round__(self, places: int = 0) -> Enclosure:
        return Enclosure(round(self.lower, places), round(self.upper, places))

    def contains(self, value: Exact | Fraction | int) -> bool:
        """Return whether a number of the exact field lies inside (decided exactly)."""
        return bool(self.lower <= value) and bool(value <= self.upper)

    def is_at_most(self, other: Enclosure | Exact | Fraction | int) -> Truth:
        """Return whether the value is at most another; open where the enclosures overlap.

        Example:
            >>> third = Enclosure(Fraction(1, 4), Fraction(1, 3))
            >>> third.is_at_most(Fraction(1, 3)), third.is_at_most(Fraction(2, 7))
            (<Truth.TRUE: 'true'>, <Truth.UNKNOWN: 'unknown'>)
        """
        low, high = (other.lower, other.upper) if isinstance(other, Enclosure) else (other, other)
        if bool(self.upper <= low):
            return Truth.TRUE
        return Truth.FALSE if bool(high < self.lower) else Truth.UNKNOWN

    def is_above(self, target: Exact | Fraction | int) -> bool | None:
        """Return whether the value is above a target; None where that is open.

        Example:
            >>> third = Enclosure(Fraction(1, 4), Fraction(1, 3))
            >>> third.is_above(Fraction(1, 5)), third.is_above(Fraction(2, 7))
            (True, None)
        """
        told = self.is_at_most(target)
        return None if told.is_open else not told.is_certain
