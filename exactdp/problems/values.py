"""The values of a problem file: rationals, epsilons, counts, and their checks.

Numbers that may be fractions are :class:`Rational`: strings such as "4/7" or "0.49"
(exactly 49/100), or JSON integers; never JSON floats.

Definitions: :class:`Rational`, :class:`EpsilonValue`, :class:`Strict`, the integers
:data:`Count`, :data:`Input` and :data:`Size`, :func:`check_law`, :func:`check_matrix`,
:func:`short`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any

from flint import fmpq
from msgspec import UNSET, Meta, Struct, UnsetType

from exactdp.errors import ParseError
from exactdp.numbers import Epsilon, rational

__all__ = [
    "EPSILON_FORM",
    "HERE",
    "Count",
    "EpsilonValue",
    "Input",
    "Rational",
    "RationalOrInfinity",
    "Size",
    "Strict",
    "check_law",
    "check_matrix",
    "check_positive",
    "check_rational_keys",
    "short",
]

HERE = "\0"
"""Stands for the path of an object in a message raised while it is built."""

MAX_EPSILON = 10_000

EPSILON_FORM = 'Write {"rational": "49/100"} (nats) or {"log": "4"} (e^epsilon = 4).'


class Rational:
    """A rational number together with how the file writes it.

    Example:
        >>> Rational.read("0.49").value
        49/100
    """

    __slots__ = ("value", "written")
    # Not a dataclass: the validator would read those as objects.

    def __init__(self, written: str | int, value: fmpq) -> None:
        self.written = written
        self.value = value

    def __repr__(self) -> str:
        return f"Rational({self.written!r})"

    def __eq__(self, other: object) -> bool:
        return self.value == other.value if isinstance(other, Rational) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    @classmethod
    def read(cls, written: Any) -> Rational:
        """Return the number that a JSON string or integer denotes."""
        if isinstance(written, bool) or not isinstance(written, str | int):
            raise ParseError(
                f'{HERE} is no number. Write it as a string such as "4/7", or as an integer.'
            )
        return cls(written, rational(written, name=HERE))


class RationalOrInfinity:
    """A rational number, or "infinity" (``value`` is None).

    Example:
        >>> RationalOrInfinity.read("infinity").value is None
        True
    """

    __slots__ = ("value",)

    def __init__(self, value: fmpq | None) -> None:
        self.value = value

    @classmethod
    def read(cls, written: Any) -> RationalOrInfinity:
        """Return the number that a JSON string or integer denotes."""
        return cls(None if written == "infinity" else Rational.read(written).value)


Count = Annotated[
    int,
    Meta(ge=0, le=10**18, description="Give a number of users, an integer from 0 to 10^18."),
]
Input = Annotated[
    int,
    Meta(ge=0, le=10**18, description="Give an input: a row number of the randomizer, from 0."),
]
Size = Annotated[int, Meta(ge=2, le=10**9, description="Give a number of values, at least 2.")]


class Strict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of every object: unknown keys are errors."""


class EpsilonValue(Strict, frozen=True, kw_only=True):
    """An epsilon: {"rational": "49/100"} (nats) or {"log": "4"} (e^epsilon = 4)."""

    rational: Rational | UnsetType = UNSET
    log: Rational | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.rational is UNSET) == (self.log is UNSET):
            raise ParseError(
                f"{HERE} is no epsilon: it needs exactly one of the keys. {EPSILON_FORM}"
            )
        if isinstance(self.rational, Rational) and abs(self.rational.value) > MAX_EPSILON:
            raise ParseError(
                f"{HERE}: epsilon is beyond {MAX_EPSILON:,} nats in size. "
                'Give a smaller one, or e^epsilon as {"log": ...}.'
            )
        if isinstance(self.log, Rational) and self.log.value <= 0:
            raise ParseError(
                f"{HERE}: e^epsilon={short(self.log)} must be positive. "
                'Write epsilon itself as {"rational": ...}.'
            )

    @property
    def value(self) -> Epsilon:
        """The epsilon."""
        if isinstance(self.rational, Rational):
            return Epsilon.rational(self.rational.value)
        assert isinstance(self.log, Rational)
        return Epsilon.log(self.log.value)

    @property
    def exponent(self) -> Fraction:
        """The r of e^r if epsilon is a rational number of nats, else 0."""
        if not isinstance(self.rational, Rational):
            return Fraction(0)
        return Fraction(int(self.rational.value.p), int(self.rational.value.q))

    def written(self) -> dict[str, str | int]:
        """Return the object as the file writes it."""
        pairs = (("rational", self.rational), ("log", self.log))
        return {name: v.written for name, v in pairs if isinstance(v, Rational)}


def check_matrix(rows: Sequence[Sequence[Rational]], path: str) -> None:
    """Refuse rows of different lengths, or that are not laws (ParseError)."""
    if not rows or not rows[0]:
        raise ParseError(f"{path} has no entry. Give one row an input, one mass a message.")
    for index, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ParseError(
                f"{path}[{index}] has {len(row)} masses, but row 0 has {len(rows[0])}. "
                "Give every input a row over the same messages, with 0 where there is no mass."
            )
        check_law(row, f"{path}[{index}]")


def check_law(masses: Sequence[Rational], path: str) -> None:
    """Refuse masses that are negative or do not sum to 1 (ParseError)."""
    total = fmpq(0)
    for index, mass in enumerate(masses):
        if mass.value < 0:
            raise ParseError(f"{path}[{index}]={short(mass)} is negative. A mass is at least 0.")
        total += mass.value
    if total != 1:
        text = str(total) if total.height_bits() <= 400 else "another number"
        raise ParseError(
            f"{path}: the masses sum to {text}, not 1 ({len(masses)} outcomes). "
            'Correct them; fractions such as "1/3" are exact where decimals are not.'
        )


def check_positive(content: Strict, *names: str) -> None:
    """Refuse a number under one of the names that is zero or negative (ParseError)."""
    for name in names:
        number = getattr(content, name)
        if isinstance(number, Rational) and number.value <= 0:
            raise ParseError(f"{HERE}.{name}={short(number)} must be positive.")


def check_rational_keys(law: Mapping[str, Rational], path: str) -> None:
    """Refuse points that are no rational numbers, or that are written twice (ParseError)."""
    seen: dict[fmpq, str] = {}
    for key in law:
        value = rational(key, name=f"{path}: the point")
        if value in seen:
            raise ParseError(
                f'{path}: "{seen[value]}" and "{key}" are one point. Add their masses.'
            )
        seen[value] = key


def short(number: Rational) -> str:
    """Return how the file writes a number, cut if it is long."""
    text = str(number.written)
    return text if len(text) <= 40 else f"{text[:30]}... ({len(text)} characters)"
