"""The kernel's answer to a certificate, as plain data: the commands alone ask it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from exactdp.report import Between

__all__ = ["KernelAnswer", "asked", "ends_of"]


class KernelAnswer(NamedTuple):
    """The kernel's answer.

    Attributes:
        kind: Accepted, Rejected, Incomplete or Unreadable.
        said: The statement, or why it is not accepted.
        values: The relations that it computed: sign, left and right, each between two decimals.
        also: The other checkers that the kept table says accept these bytes.
    """

    kind: str
    said: str
    values: tuple[tuple[str, Between, Between], ...] = ()
    also: tuple[str, ...] = ()


def asked(content: bytes) -> KernelAnswer:
    """Ask the kernel about a certificate.

    Example:
        >>> asked(b'{"format": "exactdp-certificate/1", "claim": "", '
        ...       b'"conclusion": [["<", "0x1/0x4", "0x1"]]}').values
        (('<', (Decimal('0.25'), Decimal('0.25')), (Decimal('1'), Decimal('1'))),)
    """
    from proofs_check.accepted import accepted_by
    from proofs_check.kernel import Accepted, check

    found = check(content)
    if not isinstance(found, Accepted):
        return KernelAnswer(type(found).__name__, "; ".join(map(str, vars(found).values())))
    values = tuple((sign, ends_of(x), ends_of(y)) for sign, x, y in found.values)
    return KernelAnswer("Accepted", found.statement, values, accepted_by(content))


def ends_of(number: Any) -> Between:
    """Return the ends of a number of the kernel, which is a fraction or has a power of two."""
    from exactdp.claims.verdicts import WIDE

    if isinstance(number, Fraction):
        value = WIDE.divide(Decimal(number.numerator), Decimal(number.denominator))
        return value, value
    scale = WIDE.power(Decimal(2), Decimal(number.exponent))
    low, high = (WIDE.multiply(Decimal(end), scale) for end in (number.lo, number.hi))
    return low, high
