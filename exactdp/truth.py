"""Three-valued answers.

A question about computable numbers has three possible outcomes: yes, no, and
"could not be decided within the budget". :class:`Truth` is that answer, and it
refuses to be used as a two-valued one.
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
    """

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    @classmethod
    def of(cls, value: bool, /) -> Truth:  # noqa: FBT001 - a conversion has nothing to name
        """Return TRUE or FALSE for a question that was decided.

        Raises:
            TypeError: If ``value`` is no bool: None, or an object, would count as an answer.
        """
        if type(value) is not bool:
            raise TypeError(f"value={value!r} is no bool. Give True, False, or keep the Truth.")
        return cls.TRUE if value else cls.FALSE

    def __bool__(self) -> NoReturn:
        raise TypeError("a Truth is three-valued; compare with `is Truth.TRUE`")

    def __invert__(self) -> Truth:
        match self:
            case Truth.TRUE:
                return Truth.FALSE
            case Truth.FALSE:
                return Truth.TRUE
            case Truth.UNKNOWN:
                return Truth.UNKNOWN
