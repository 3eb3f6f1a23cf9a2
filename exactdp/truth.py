"""Three-valued answers.

A question about computable numbers has three possible outcomes: yes, no, and
"could not be decided within the budget". :class:`Truth` is that answer, and it
refuses to be used as a two-valued one. Who reads it says where an open answer goes: a ``match``
has all three cases; ``is_certain`` counts it as no, ``is_possible`` as yes. Comparisons
with the members (``is Truth.FALSE``) would not say, and stand nowhere else.
"""

from __future__ import annotations

from enum import Enum
from typing import NoReturn

__all__ = ["Truth"]


class Truth(Enum):
    """The answer to a question that may stay open.

    Example:
        >>> Truth.of(1 < 2)
        <Truth.TRUE: 'true'>
        >>> ~Truth.UNKNOWN
        <Truth.UNKNOWN: 'unknown'>
        >>> Truth.UNKNOWN.is_certain, Truth.UNKNOWN.is_possible
        (False, True)
    """

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    @classmethod
    def of(cls, value: bool, /) -> Truth:  # noqa: FBT001 - a conversion has nothing to name
        """Return TRUE or FALSE for a question that was decided.

        Raises:
            TypeError: If ``value`` is not a bool: None, or an object, would count as an answer.
        """
        if type(value) is not bool:
            raise TypeError(f"value={value!r} is not a bool. Give True, False, or keep the Truth.")
        return cls.TRUE if value else cls.FALSE

    @property
    def is_certain(self) -> bool:
        """True if the answer is yes; an open one is not."""
        return self is Truth.TRUE

    @property
    def is_possible(self) -> bool:
        """True if the answer is not no; an open one is possible."""
        return self is not Truth.FALSE

    @property
    def is_open(self) -> bool:
        """True if it was not decided."""
        return self is Truth.UNKNOWN

    def __bool__(self) -> NoReturn:
        raise TypeError("a Truth is three-valued; ask is_certain, is_possible or is_open of it")

    def __invert__(self) -> Truth:
        match self:
            case Truth.TRUE:
                return Truth.FALSE
            case Truth.FALSE:
                return Truth.TRUE
            case Truth.UNKNOWN:
                return Truth.UNKNOWN
