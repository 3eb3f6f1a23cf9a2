"""The ranges of a trial's instances, in words.

Definitions: :class:`Ranges`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from exactdp.claims import Instance

__all__ = ["Ranges"]

_SHOWN = 4  # words and other values under one name
_LONGEST = 40  # characters of one


@dataclass(slots=True)
class Ranges:
    """The least and the largest number under each name, or the first few other values.

    Example:
        >>> found = Ranges()
        >>> for n in (5, 2, 30):
        ...     found.add(Instance.of(n=n, noise="laplace", delta=Fraction(1, n)))
        >>> str(found)
        'n 2 to 30, delta 1/30 to 1/2, noise laplace'
    """

    numbers: dict[str, tuple[Fraction | int | float, Fraction | int | float]] = field(
        default_factory=dict
    )
    words: dict[str, list[str]] = field(default_factory=dict)

    def add(self, at: Instance) -> None:
        """Take in an instance."""
        for name, value in at.values:
            if isinstance(value, Fraction | int | float) and not isinstance(value, bool):
                low, high = self.numbers.get(name, (value, value))
                self.numbers[name] = min(low, value), max(high, value)
            elif len(seen := self.words.setdefault(name, [])) <= _SHOWN:
                text = str(Instance.of(x=value)).removeprefix("x=")
                if text not in seen and len(text) <= _LONGEST:
                    seen.append(text)

    def __str__(self) -> str:
        told = []
        for name in dict.fromkeys([*self.numbers, *self.words]):
            if name in self.numbers:
                low, high = self.numbers[name]
                told.append(f"{name} {low}" if low == high else f"{name} {low} to {high}")
            elif seen := self.words[name]:
                more = ", ..." if len(seen) > _SHOWN else ""
                told.append(f"{name} {', '.join(seen[:_SHOWN])}{more}")
        return ", ".join(told)
