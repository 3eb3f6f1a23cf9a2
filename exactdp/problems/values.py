"""The values of a problem file: numbers, each with its range, epsilons, and laws of masses.

Numbers that may be fractions are :class:`Rational`: strings such as "4/7" or "0.49"
(exactly 49/100), or JSON integers; never JSON floats. A range is a type of its own, so
that whatever is out of range is refused where it stands.

Definitions: :class:`Rational` and its ranges, :class:`RationalOrInfinity`,
:class:`EpsilonValue`, :class:`Strict`, the integers :data:`Count`, :data:`Input`,
:data:`Size`, :data:`Steps` and :data:`Copies`, :func:`check_sum`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Annotated, Any, ClassVar, Self

from flint import fmpq
from msgspec import UNSET, Meta, Struct, UnsetType

from exactdp.errors import ParseError
from exactdp.numbers import Epsilon, rational

__all__ = [
    "EPSILON_FORM",
    "HERE",
    "Copies",
    "Count",
    "EpsilonValue",
    "Input",
    "Mass",
    "OpenProbability",
    "Order",
    "Positive",
    "Probability",
    "Rational",
    "RationalOrInfinity",
    "Size",
    "Steps",
    "Strict",
    "Width",
    "check_one_key",
    "check_sum",
]

HERE = "\0"
"""Stands for the path of a value in a message raised while it is read."""

MAX_EPSILON = 10_000

EPSILON_FORM = 'Write {"rational": "49/100"} (nats) or {"log": "4"} (e^epsilon = 4).'


class Rational:
    """A rational number.

    A subclass names a range: ``allows`` decides, and ``rule`` says what a number outside
    it violates, and the way out.

    Example:
        >>> Rational.read("0.49").value
        49/100
        >>> Probability.read("1e-10").value == fmpq(1, 10**10)
        True
    """

    __slots__ = ("value",)
    # Not a dataclass: the validator would read those as objects.

    allows: ClassVar[Callable[[fmpq], bool]] = staticmethod(lambda value: True)
    rule: ClassVar[str] = ""

    def __init_subclass__(cls, *, allows: Callable[[fmpq], bool], rule: str) -> None:
        cls.allows, cls.rule = staticmethod(allows), rule

    def __init__(self, value: fmpq) -> None:
        self.value = value

    @classmethod
    def read(cls, written: Any) -> Self:
        """Return the number that a JSON string or integer denotes."""
        if isinstance(written, bool) or not isinstance(written, str | int):
            raise ParseError(
                f'{HERE} is no number. Write it as a string such as "4/7", or as an integer.'
            )
        value = rational(written, name=HERE)
        if not cls.allows(value):
            raise ParseError(f"{HERE}={_short(written)} {cls.rule}")
        return cls(value)


class Positive(Rational, allows=lambda x: x > 0, rule="must be positive."):
    """A number above 0."""


class Mass(Rational, allows=lambda x: x >= 0, rule="is negative. A mass is at least 0."):
    """A number of at least 0."""


class Probability(
    Rational,
    allows=lambda x: 0 <= x <= 1,
    rule="is not a probability. Give a number from 0 to 1.",
):
    """A number from 0 to 1."""


class OpenProbability(
    Rational,
    allows=lambda x: 0 < x < 1,
    rule="must be above 0 and below 1. Give the delta that the mechanism must satisfy.",
):
    """A number above 0 and below 1."""


class Order(
    Rational,
    allows=lambda x: x > 0 and x != 1,
    rule="must be above 0 and not 1. Ask for max_divergence for order infinity.",
):
    """The order of a Renyi divergence, above 0 and not 1."""


class Width(
    Rational,
    allows=lambda x: fmpq(1, 10**10_000) <= x < 1,
    rule="must be at least 1e-10000 and below 1. Leave it out for the usual width.",
):
    """The width of an enclosure, relative to its value."""


class RationalOrInfinity:
    """A rational number, or "infinity"."""

    __slots__ = ("value",)

    def __init__(self, value: fmpq | str) -> None:
        self.value = value

    @classmethod
    def read(cls, written: Any) -> RationalOrInfinity:
        """Return the number that a JSON string or integer denotes."""
        return cls(written if written == "infinity" else Rational.read(written).value)


Count = Annotated[
    int,
    Meta(ge=0, le=10**18, description="Give a number of users, an integer from 0 to 10^18."),
]
Input = Annotated[
    int,
    Meta(ge=0, le=10**18, description="Give an input: a row number of the randomizer, from 0."),
]
Size = Annotated[int, Meta(ge=2, le=10**9, description="Give a number of values, at least 2.")]
Steps = Annotated[int, Meta(ge=1, le=10**18, description="Give an integer of at least 1.")]
Copies = Annotated[
    int, Meta(ge=1, le=10**18, description="Give a number of users, the victim's included, from 1.")
]


class Strict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of every object: unknown keys are errors."""


class EpsilonValue(Strict, frozen=True, kw_only=True):
    """An epsilon: {"rational": "49/100"} (nats) or {"log": "4"} (e^epsilon = 4)."""

    rational: Rational | UnsetType = UNSET
    log: Rational | UnsetType = UNSET

    def __post_init__(self) -> None:
        check_one_key("epsilon", self.rational, self.log, form=EPSILON_FORM)
        if isinstance(self.rational, Rational) and abs(self.rational.value) > MAX_EPSILON:
            raise ParseError(
                f"{HERE}: epsilon is beyond {MAX_EPSILON:,} nats in size. "
                'Give a smaller one, or e^epsilon as {"log": ...}.'
            )
        if isinstance(self.log, Rational) and self.log.value <= 0:
            raise ParseError(
                f"{HERE}: e^epsilon={_short(self.log.value)} must be positive. "
                'Write epsilon itself as {"rational": ...}.'
            )

    @property
    def value(self) -> Epsilon:
        """The epsilon."""
        if isinstance(self.log, Rational):
            return Epsilon.log(self.log.value)
        assert isinstance(self.rational, Rational)
        return Epsilon.rational(self.rational.value)


def check_one_key(what: str, *given: object, form: str) -> None:
    """Refuse an object that has not exactly one of these keys (ParseError)."""
    if sum(value is not UNSET for value in given) != 1:
        raise ParseError(f"{HERE} is no {what}: it needs exactly one of the keys. {form}")


def check_sum(masses: Collection[Mass], path: str) -> None:
    """Refuse masses that do not sum to 1 (ParseError)."""
    total = sum((mass.value for mass in masses), fmpq(0))
    if total != 1:
        text = str(total) if total.height_bits() <= 400 else "another number"
        raise ParseError(
            f"{path}: the masses sum to {text}, not 1 ({len(masses)} outcomes). "
            'Correct them; fractions such as "1/3" are exact where decimals are not.'
        )


def _short(written: object) -> str:
    text = str(written)
    return text if len(text) <= 40 else f"{text[:30]}... ({len(text)} characters)"
