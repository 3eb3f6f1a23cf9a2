"""Arithmetic with numbers that may be of other types, written once for all numbers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, Self, TypeVar

__all__ = ["Operators"]

L = TypeVar("L")


class Operators(Generic[L]):
    """The operators + − * / with numbers of one kind, and with values of type L.

    No ABC: formulas ask isinstance all the time, which takes those several times as long.
    """

    __slots__ = ()

    @abstractmethod
    def _other(self, other: Any) -> Self | None:
        """Return the other side as a number of this kind; None if it is none."""

    @abstractmethod
    def _add(self, other: Self) -> Self: ...

    @abstractmethod
    def _multiply(self, other: Self) -> Self: ...

    @abstractmethod
    def _divide(self, other: Self) -> Self: ...

    @abstractmethod
    def __neg__(self) -> Self: ...

    def _subtract(self, other: Self) -> Self:
        return self._add(-other)

    def __add__(self, other: Self | L) -> Self:
        b = self._other(other)
        return NotImplemented if b is None else self._add(b)

    def __radd__(self, other: Self | L) -> Self:
        b = self._other(other)
        return NotImplemented if b is None else b._add(self)

    def __sub__(self, other: Self | L) -> Self:
        b = self._other(other)
        return NotImplemented if b is None else self._subtract(b)

    def __rsub__(self, other: Self | L) -> Self:
        b = self._other(other)
        return NotImplemented if b is None else b._subtract(self)

    def __mul__(self, other: Self | L) -> Self:
        b = self._other(other)
        return NotImplemented if b is None else self._multiply(b)

    def __rmul__(self, other: Self | L) -> Self:
        b = self._other(other)
        return NotImplemented if b is None else b._multiply(self)

    def __truediv__(self, other: Self | L) -> Self:
        b = self._other(other)
        return NotImplemented if b is None else self._divide(b)

    def __rtruediv__(self, other: Self | L) -> Self:
        b = self._other(other)
        return NotImplemented if b is None else b._divide(self)
