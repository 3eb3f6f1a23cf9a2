"""Order where it is certain: ``<``, ``<=``, ``>``, ``>=`` and ``==`` return a bool, or raise.

What is known by balls, or by two ends, may be too near to another number to be told from it. Then
a comparison raises; ``exactdp.numbers.is_below`` has three answers instead.
"""

from __future__ import annotations

from abc import abstractmethod
from decimal import Decimal
from math import inf, isfinite, isinf
from numbers import Rational, Real
from typing import Any

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers.balls import TOLD_BITS, is_less
from exactdp.numbers.digits import HasDigits
from exactdp.numbers.exact import Exact

__all__ = ["Ends", "Ordered", "below", "ends_of", "infinity_of"]

Ends = tuple[HasDigits, HasDigits]
"""Between which numbers a value lies: of a number, itself twice."""


def below(a: HasDigits, b: HasDigits, *, max_bits: int = TOLD_BITS) -> bool | None:
    """Return whether a < b; None if balls do not tell. Exact numbers are always decided."""
    if isinstance(a, Exact) and isinstance(b, Exact):
        return a < b
    return is_less(a.ball, b.ball, max_bits=max_bits)


class Ordered:
    """A value that is compared with numbers by operators: decided, or refused."""

    __slots__ = ()

    @abstractmethod
    def _ends(self) -> Ends:
        """Return between which numbers this lies."""

    def __lt__(self, other: Any) -> bool:
        if (infinity := infinity_of(other)) is not None:
            return infinity > 0
        there = ends_of(other)
        return NotImplemented if there is None else self._told(self._ends(), there, other)

    def __gt__(self, other: Any) -> bool:
        if (infinity := infinity_of(other)) is not None:
            return infinity < 0
        there = ends_of(other)
        return NotImplemented if there is None else self._told(there, self._ends(), other)

    def __le__(self, other: Any) -> bool:
        found = self.__gt__(other)
        return found if found is NotImplemented else not found

    def __ge__(self, other: Any) -> bool:
        found = self.__lt__(other)
        return found if found is NotImplemented else not found

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if infinity_of(other) is not None:
            return False
        try:
            there = ends_of(other)
        except DomainError:
            if isfinite(other):  # type: ignore[arg-type]
                raise
            return False
        if there is None:
            return NotImplemented
        here = self._ends()
        if below(here[1], there[0]) or below(there[1], here[0]):
            return False
        if below(here[0], there[1]) is False and below(there[0], here[1]) is False:
            return True
        raise self._open("equal to", other)

    __hash__ = object.__hash__

    def _told(self, a: Ends, b: Ends, other: Any) -> bool:
        if below(a[1], b[0]):
            return True
        if below(a[0], b[1]) is False:
            return False
        raise self._open("below or above", other)

    def _open(self, how: str, other: Any) -> UndecidedError:
        return UndecidedError(
            f"whether {self} is {how} {other} is not decided. Ask for a narrower relative_width, "
            "compare with another number, or ask exactdp.numbers.is_below, which may say unknown."
        )


def infinity_of(other: Any) -> float | None:
    """Return a value that is plus or minus infinity, a float or an epsilon; else None."""
    if getattr(other, "is_infinite", False) is True:  # a Decimal has a method of this name
        return inf
    is_float = isinstance(other, Real | Decimal) and not isinstance(other, Rational)  # numpy's too
    return float(other) if is_float and isinf(other) else None


def ends_of(other: Any) -> Ends | None:
    """Return between which numbers a value lies; None if it is no number."""
    if isinstance(other, Ordered):
        return other._ends()
    found = Exact(0)._other(other)
    return None if found is None else (found, found)
