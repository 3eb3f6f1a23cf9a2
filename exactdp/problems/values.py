"""The values of a problem file: numbers, each with its range, epsilons, and laws of masses.

Numbers that may be fractions are :class:`Rational`: strings such as "4/7", or decimals such as
0.49 (exactly 49/100, quoted or not). The number that a double holds is
``{"at_float": "0x1.999999999999ap-4"}``, in the hexadecimal form that C, Java, Python's
``float.hex`` and others print and read. A range is a type of its own, so that whatever is out
of range is refused where it stands.

Definitions: :class:`Rational` and its ranges, :class:`RationalOrInfinity`, :class:`Double`,
:class:`EpsilonValue`, :class:`Strict`, the integers :data:`Count`, :data:`Input`,
:data:`Size`, :data:`Steps` and :data:`Copies`, :func:`check_sum`; :func:`arguments_of`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Self

from flint import fmpq
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import asdict

from exactdp.distributions.finite import near_one
from exactdp.errors import ParseError, UndecidedError, number_of
from exactdp.numbers import Epsilon, Exact, Number, Real, fmpq_of, log
from exactdp.numbers.arguments import LOGARITHM, epsilon_or_real, exact
from exactdp.numbers.reals import number_of_text

__all__ = [
    "EPSILON_FORM",
    "HERE",
    "HEXADECIMAL",
    "Copies",
    "Count",
    "Double",
    "EpsilonValue",
    "Input",
    "Level",
    "Mass",
    "OpenLevel",
    "OpenProbability",
    "Order",
    "Positive",
    "PositiveRational",
    "PositiveReal",
    "Probability",
    "Rational",
    "RationalOrInfinity",
    "RealMass",
    "RealNumber",
    "Size",
    "Steps",
    "Strict",
    "Width",
    "arguments_of",
    "check_one_key",
    "check_sum",
]

HERE = "\0"
"""The mark for the path of a value in a message that is raised while it is read."""

MAX_EPSILON = 10_000
"""The largest size of an ε in nats: larger ones are nearly always an e^ε that was meant."""

EPSILON_FORM = (
    'Write 0.49 or {"rational": "49/100"} (nats), {"at_float": "0x1p-1"} (nats, the number that '
    'a double holds), "log(4)" or {"log": "4"} (e^epsilon = 4).'
)

HEXADECIMAL = re.compile(r"^(-?0x[01])(?:\.([0-9a-fA-F]{1,13}))?p([+-]?[0-9]{1,4})$")


_LEAST_WIDTH = Exact("1e-10000")
"""The narrowest relative width that a file may ask for: it limits the time of an answer."""


class Rational:
    """A rational number, or a number in powers of e such as "e^-2" or "3/(e + 3)".

    A subclass names a range: ``allows`` decides, and ``rule`` says what a number outside
    it violates, and the way out.

    Example:
        >>> Rational.read("0.49").value
        49/100
        >>> Probability.read("1e-10").value == fmpq(1, 10**10)
        True
        >>> Probability.read("e^-2").number
        <Exact: 0.13533528323661269 (exactly 1/(e^2))>
    """

    __slots__ = ("number",)
    # Not a dataclass: the validator would read those as objects.

    number: Exact

    allows: ClassVar[Callable[[Exact], bool]] = staticmethod(lambda value: True)
    rule: ClassVar[str] = ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.number})"

    def __init_subclass__(cls, *, allows: Callable[[Exact], bool], rule: str) -> None:
        cls.allows, cls.rule = staticmethod(allows), rule

    def __init__(self, number: Exact) -> None:
        self.number = number

    @property
    def value(self) -> fmpq:
        """The number, where only a rational will do; a ParseError if it is none."""
        if not self.number.is_rational:
            raise ParseError(
                f"{_short(self.number)} is not rational. Here it must be; give a number near it."
            )
        return self.number.as_fmpq()

    @property
    def argument(self) -> Exact | fmpq:
        """The number, as a mechanism takes it."""
        return self.number

    @classmethod
    def read(cls, written: Any) -> Self:
        """Return the number that a JSON string, a number or {"at_float": ...} denotes."""
        value = cls._parsed(written)
        try:
            is_allowed = cls.allows(value)
        except UndecidedError:
            rule = "cannot be told from an end of its range. Write it without roots and logarithms."
            raise ParseError(f"{HERE}={_short(written)} {rule}") from None
        if not is_allowed:
            raise ParseError(f"{HERE}={_short(written)} {cls.rule}")
        return cls(value)

    @classmethod
    def _parsed(cls, written: Any) -> Exact:
        if isinstance(written, dict) and list(written) == ["at_float"]:
            return Double.read(written["at_float"]).number
        if isinstance(written, bool) or not isinstance(written, str | int):
            raise ParseError(
                f'{HERE} is not a number. Write it as a string such as "4/7", as a decimal, or as '
                '{"at_float": "0x1p-1"}.'
            )
        return exact(written, name=HERE)


class RealNumber(Rational, allows=Rational.allows, rule=""):
    """A number that may have square roots and logarithms.

    Example:
        >>> RealNumber.read("sqrt(10)").argument
        Real(3.1622776601683793: sqrt(10))
    """

    number: Any  # exact or a Real

    @classmethod
    def _parsed(cls, written: Any) -> Any:
        if isinstance(written, str):
            return number_of_text(written, name=HERE)
        return super()._parsed(written)


class Double(Rational, allows=lambda x: True, rule=""):
    """The number that a double holds, written in hexadecimal.

    Example:
        >>> Double.read((0.1).hex()).number == Fraction(0.1)
        True
    """

    @classmethod
    def _parsed(cls, written: Any) -> Exact:
        match = HEXADECIMAL.fullmatch(written) if isinstance(written, str) else None
        if match is None:
            raise ParseError(
                f"{HERE} is not a double in hexadecimal. Write it as Python's float.hex does, such "
                'as "0x1.999999999999ap-4".'
            )
        whole, digits, exponent = match[1], match[2] or "", int(match[3])
        value = int(whole + digits, 16) * fmpq(2) ** (exponent - 4 * len(digits))
        if exponent >= 1024 or fmpq_of(Fraction(float.fromhex(written))) != value:
            raise ParseError(f"{HERE} is not a double: none holds this number. Write float.hex(x).")
        return Exact(value)


class Positive(Rational, allows=lambda x: x > 0, rule="must be positive."):
    """A number above 0."""


class PositiveReal(RealNumber, allows=lambda x: x > 0, rule=Positive.rule):
    """A number above 0 that may have square roots and logarithms, as noise takes it."""


class PositiveRational(Positive, allows=Positive.allows, rule=Positive.rule):
    """A number above 0 that must be rational, which is refused where it is used."""

    @property
    def argument(self) -> fmpq:
        """The number."""
        return self.value


class Mass(Rational, allows=lambda x: x >= 0, rule="is negative. A mass is at least 0."):
    """A number of at least 0."""


class RealMass(RealNumber, allows=Mass.allows, rule=Mass.rule):
    """A number of at least 0 that may have square roots and logarithms."""


class Probability(
    Rational,
    allows=lambda x: 0 <= x <= 1,
    rule="is not a probability. Give a number from 0 to 1.",
):
    """A number from 0 to 1."""


class Level(RealNumber, allows=Probability.allows, rule=Probability.rule):
    """A number from 0 to 1 that a profile is asked at: it may have square roots and logarithms."""


class OpenProbability(
    Rational,
    allows=lambda x: 0 < x < 1,
    rule="must be above 0 and below 1. Give the delta that the mechanism must satisfy.",
):
    """A number above 0 and below 1."""


class OpenLevel(RealNumber, allows=OpenProbability.allows, rule=OpenProbability.rule):
    """A number above 0 and below 1 that may have square roots and logarithms."""


class Order(
    RealNumber,
    allows=lambda x: x > 0 and x != 1,
    rule="must be above 0 and not 1. Ask for max_divergence for order infinity.",
):
    """The order of a Renyi divergence, above 0 and not 1, that may have square roots."""

    @property
    def is_whole(self) -> bool:
        """True if it is an integer."""
        ratio = self.number.ratio
        return ratio is not None and ratio.q == 1


class Width(
    Rational,
    allows=lambda x: x.is_rational and _LEAST_WIDTH <= x < 1,
    rule="must be at least 1e-10000 and below 1, and rational. Leave it out for the usual width.",
):
    """The width of an enclosure, relative to its value."""


class RationalOrInfinity:
    """A number, or "infinity"."""

    __slots__ = ("value",)

    def __init__(self, value: Exact | str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value})"

    @classmethod
    def read(cls, written: Any) -> RationalOrInfinity:
        """Return the number that a JSON string or integer denotes."""
        return cls(written if written == "infinity" else Rational.read(written).number)


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
    """The base of every object: unknown keys are errors.

    Attributes:
        old_keys: The keys of earlier versions, which are read, with the key of each today.
    """

    old_keys: ClassVar[Mapping[str, str]] = {}


class EpsilonValue(Strict, frozen=True, kw_only=True):
    """An epsilon: {"rational": "49/100"} or {"at_float": "0x1p-1"} (nats), or {"log": "4"}.

    The last has e^epsilon = 4. A number alone, 0.49, is one of nats, and "log(4)" is the last.
    """

    rational: RealNumber | UnsetType = UNSET
    at_float: Double | UnsetType = UNSET
    log: RealNumber | UnsetType = UNSET

    def __post_init__(self) -> None:
        given = (self.rational, self.at_float, self.log)
        check_one_key("an epsilon", *given, form=EPSILON_FORM)
        sizes = (x.number for x in given[:2] if isinstance(x, Rational))
        if not all(-MAX_EPSILON <= x <= MAX_EPSILON for x in sizes):
            raise ParseError(
                f"{HERE}: epsilon is beyond {MAX_EPSILON:,} nats in size. "
                'Give a smaller one, or e^epsilon as {"log": ...}.'
            )
        if isinstance(self.log, Rational) and self.log.number <= 0:
            raise ParseError(
                f"{HERE}: e^epsilon={_short(self.log.number)} must be positive. "
                'Write epsilon itself as {"rational": ...}.'
            )

    @staticmethod
    def in_full(written: Any) -> Any:
        """Return an epsilon as an object, if it is written as a number alone.

        Example:
            >>> EpsilonValue.in_full("0.5"), EpsilonValue.in_full("log(3)")
            ({'rational': '0.5'}, {'log': '3'})
        """
        if not isinstance(written, str | int) or isinstance(written, bool):
            return written
        match = LOGARITHM.fullmatch(str(written))
        return {"log": match[1].strip()} if match else {"rational": written}

    @property
    def value(self) -> Epsilon | Number:
        """The epsilon; the number of nats where its power of e is not exact."""
        if isinstance(self.log, Rational):
            number = self.log.number
            return Epsilon(number) if isinstance(number, Exact) else log(number)
        nats = self.at_float if self.rational is UNSET else self.rational
        assert isinstance(nats, Rational)
        return epsilon_or_real(nats.number)

    @property
    def nats(self) -> Number:
        """The number of nats."""
        return self.value.nats if isinstance(self.value, Epsilon) else self.value


def arguments_of(content: Struct) -> dict[str, Any]:
    """Return the fields that are given, by name, as the arguments of a function of the engine.

    Example:
        >>> arguments_of(EpsilonValue(log=Rational.read("4")))
        {'log': Exact('4')}
    """
    given = {name: value for name, value in asdict(content).items() if value is not UNSET}
    return {name: _argument(value) for name, value in given.items()}


def _argument(value: Any) -> Any:
    match value:
        case Rational():
            return value.argument
        case EpsilonValue() | RationalOrInfinity():
            return value.value
    return value


def check_one_key(what: str, *given: object, form: str) -> None:
    """Refuse an object that has not exactly one of these keys (ParseError)."""
    if sum(value is not UNSET for value in given) != 1:
        raise ParseError(f"{HERE} is not {what}: it needs exactly one of the keys. {form}")


def check_sum(masses: Collection[Mass | RealMass], path: str) -> None:
    """Refuse masses that do not sum to 1 (ParseError), as far as 256 bits of balls tell it."""
    total = sum((mass.number for mass in masses), Exact(0))
    if not total.ball(256).contains(1) if isinstance(total, Real) else total != 1:
        text = near_one(total)
        text = text if len(text) <= 250 else "another number"
        raise ParseError(
            f"{path}: the masses sum to {text}, not 1 ({number_of(len(masses), 'outcome')}). "
            'Correct them; fractions such as "1/3" are exact where decimals are not.'
        )


def _short(written: object) -> str:
    text = str(written)
    return text if len(text) <= 40 else f"{text[:30]}... ({len(text)} characters)"
