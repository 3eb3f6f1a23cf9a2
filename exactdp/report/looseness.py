"""How many times the truth published bounds are, setting by setting, as a page shows it.

Definitions: :class:`Setting`, :class:`Ratio`, :func:`bounds_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from exactdp.claims.printing import variable

__all__ = ["Ratio", "Setting", "bounds_of"]


class Ratio(msgspec.Struct, frozen=True):
    """How many times the truth a bound is, between certified ends.

    Attributes:
        lower: The lower end, as a decimal.
        upper: The upper end.
        below_truth: ``formula`` or ``double``, where that is certainly below the truth.
    """

    lower: Decimal
    upper: Decimal
    below_truth: str | None = None


class Setting(msgspec.Struct, frozen=True):
    """Arguments at which bounds on one number are compared with it.

    Attributes:
        at: The arguments, as they are written.
        ratios: Of each bound whose hypotheses hold there.
        best: The bound with the least ratio, of those that may be used.

    Example:
        >>> str(Setting({"n": "1e3", "epsilon0": "1"}, {}, None))
        'n = 1e3, ε0 = 1'
    """

    at: dict[str, str]
    ratios: dict[str, Ratio]
    best: str | None

    def __str__(self) -> str:
        return ", ".join(f"{variable(k).replace('_', '')} = {x}" for k, x in self.at.items())


def bounds_of(settings: Sequence[Setting]) -> list[str]:
    """Return the bounds that have a ratio at some setting, as they first come."""
    return list(dict.fromkeys(name for one in settings for name in one.ratios))
