"""Certificates with the kernel's answer.

The kernel says which numbers it computed; a report shows the two sides of a refutation only
where the kernel found the same. It computes nothing itself.

Definitions: :class:`KeptCertificate`, :data:`Between`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from exactdp.claims import Quantity, Sides
from exactdp.claims.verdicts import WIDE

__all__ = ["Between", "KeptCertificate"]

Between = tuple[Decimal, Decimal]
"""The ends of what the kernel knows of a number, to thirty digits; of an exact one both are it."""

_ALLOWED = Decimal("1e-10")
"""How much a side may differ, relatively: it is kept to twelve digits."""


@dataclass(slots=True, eq=False)
class KeptCertificate:
    """A certificate of a refutation, or of a proof.

    Attributes:
        name: Its path inside the folder, ``certificates/...json``.
        content: Its bytes.
        kept: Whether it is the paper's, and not of this run.
        accepted: Whether the kernel accepted it, when the report was made.
        statement: What the kernel then said: the statement, or the reason of a refusal.
        values: The relations that it computed: sign, left, right.
        also: The other checkers that are known to accept these bytes.
    """

    name: str
    content: bytes
    kept: bool = False
    accepted: bool = False
    statement: str = ""
    values: tuple[tuple[str, Between, Between], ...] = ()
    also: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The name alone."""
        return self.name.rpartition("/")[2]

    def shows(self, sides: Sides) -> bool:
        """Return whether the kernel accepted it, and computed these two sides.

        Example:
            >>> pair = Sides(Quantity("1/4", "0.25"), ">", Quantity(None, "0.333"), "right")
            >>> known = (Decimal("0.25"),) * 2, (Decimal("0.333"), Decimal("0.334"))
            >>> KeptCertificate("c.json", b"", accepted=True, values=((">", *known),)).shows(pair)
            True
        """
        return self.accepted and any(
            sign == sides.sign and _is_in(sides.left, left) and _is_in(sides.right, right)
            for sign, left, right in self.values
        )


def _is_in(number: Quantity, between: Between) -> bool:
    value, (low, high) = Decimal(number.decimal), between
    if not (low.is_finite() and high.is_finite()):
        return False
    room = WIDE.multiply(_ALLOWED, value.copy_abs())
    return WIDE.subtract(low, room) <= value <= WIDE.add(high, room)
