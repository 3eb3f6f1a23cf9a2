"""The looseness of published bounds: their ratio to the truth, setting by setting.

Definitions: :class:`Setting`, :class:`Looseness`, :func:`drawn_bounds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from exactdp.claims.printing import variable

__all__ = ["Looseness", "Setting", "drawn_bounds"]


class Looseness(msgspec.Struct, frozen=True):
    """The ratio of a bound to the truth, between certified ends.

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
        ratios: How loose each bound is whose hypotheses hold there.
        best: The bound with the least ratio, of those that may be used.

    Example:
        >>> str(Setting({"n": "1e3", "epsilon0": "1"}, {}, None))
        'n = 1e3, ε0 = 1'
    """

    at: dict[str, str]
    ratios: dict[str, Looseness]
    best: str | None

    def __str__(self) -> str:
        return ", ".join(f"{variable(k).replace('_', '')} = {x}" for k, x in self.at.items())


def drawn_bounds(settings: Sequence[Setting]) -> list[str]:
    """Return the bounds that have a ratio at some setting, as they first come."""
    return list(dict.fromkeys(name for one in settings for name in one.ratios))
