"""The side of the truth on which a claimed number has to be."""

from __future__ import annotations

import math
from enum import Enum
from fractions import Fraction

__all__ = ["Side"]


class Side(Enum):
    """The side of the truth on which a claimed bound has to be."""

    UPPER = "upper"
    LOWER = "lower"

    @property
    def wrong(self) -> str:
        """The side of the truth on which a failing bound lies."""
        return "below" if self is Side.UPPER else "above"

    @property
    def article(self) -> str:
        """The article of the bound's name."""
        return "an" if self is Side.UPPER else "a"

    @property
    def harmless_infinity(self) -> float:
        """The infinity that bounds everything from this side."""
        return math.inf if self is Side.UPPER else -math.inf

    def room(self, share: Fraction) -> Fraction:
        """Return the factor that moves a positive bound outward by a share of itself."""
        return 1 + share if self is Side.UPPER else 1 - share
