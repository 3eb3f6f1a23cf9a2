"""The outcomes of a trial, one class each.

``Survived`` is not a success: nothing was found against what was not proved either. ``Argued`` is
no proof: a step of it is in words.

A statement that stands is as good as its trial, and a false variant of it that the trial
refutes shows that the trial would have noticed. ``untested`` says that nothing shows it; a
statement whose false variant is not refuted does not stand, it is ``Undecided``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from enum import Enum
from fractions import Fraction
from typing import Literal, Protocol, TypeAlias

from exactdp.numbers import Exact

__all__ = [
    "Absent",
    "Argued",
    "Beside",
    "Errored",
    "Evidence",
    "Falls",
    "Instance",
    "Plain",
    "Proved",
    "Quantity",
    "Refuted",
    "Rests",
    "Sides",
    "Standing",
    "StepRecord",
    "Survived",
    "Undecided",
    "Unspecified",
    "Verdict",
]


class Evidence(Protocol):
    """A certificate, as far as a verdict knows it."""

    def to_bytes(self, *, claim: str = "", reading: str = "") -> bytes:
        """Return the file for the kernel."""
        ...


class Falls(Enum):
    """The part of a text that falls with a refuted statement, the least serious first.

    ``ROUNDING``: below 1e-9 of the number is lost, or what the documented tolerance of a search
    allows. ``MISPRINT``: another text was evidently meant, and it holds. ``REMARK``: a sentence
    that nothing rests on. ``STEP``: a step or lemma; the result stands. ``RESULT``: a bound, a
    theorem, a table, a promise.
    """

    ROUNDING = "rounding"
    MISPRINT = "misprint"
    REMARK = "remark"
    STEP = "step"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Instance:
    """One choice of everything that a statement quantifies over, by name.

    Example:
        >>> at = Instance.of(n=2, k=3)
        >>> at["n"], str(at), at.plain()
        (2, 'n=2, k=3', {'n': 2, 'k': 3})
    """

    values: tuple[tuple[str, object], ...]

    @classmethod
    def of(cls, **values: object) -> Instance:
        """Return the instance with these values, in this order."""
        return cls(tuple(values.items()))

    def __getitem__(self, name: str) -> object:
        return dict(self.values)[name]

    def mapping(self) -> Mapping[str, object]:
        """Return the values by name."""
        return dict(self.values)

    def plain(self) -> dict[str, Plain]:
        """Return the values by name as JSON has them: a number that is not an integer is a text."""
        return {name: _plain(value) for name, value in self.values}

    def __str__(self) -> str:
        return ", ".join(f"{name}={_shown(value)}" for name, value in self.values)


Plain: TypeAlias = "int | str | list[Plain] | dict[str, Plain] | None"
"""A value as JSON has it: integers of more than 53 bits, and all other numbers, are texts."""
_LONGEST_INTEGER = 53  # bits: what every reader of JSON has exactly


def _plain(value: object) -> Plain:
    match value:
        case None:
            return None
        case tuple() | list() if type(value).__str__ is object.__str__:
            return [_plain(inner) for inner in value]
        case dict():
            return {_shown(k): _plain(v) for k, v in value.items()}
    text = _shown(value)
    if isinstance(value, str | bool | float) or not text.removeprefix("-").isdecimal():
        return text
    return int(text) if int(text).bit_length() <= _LONGEST_INTEGER else text


def _shown(value: object) -> str:
    """Return a value as a reader writes it: numbers as they print, also inside of tuples."""
    if type(value).__str__ is not object.__str__:  # it says how it prints, also if it is a tuple
        return value.expression() if isinstance(value, Exact) else str(value)
    match value:
        case tuple() | list():
            inner = ", ".join(map(_shown, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case dict():
            return "{" + ", ".join(f"{_shown(k)}: {_shown(v)}" for k, v in value.items()) + "}"
    return str(value)


@dataclass(frozen=True, slots=True)
class Beside:
    """A printed number beside the exact one.

    Attributes:
        printed: The cell of a table, as it is printed.
        exact: What it should be, to some digits or as a fraction; with ``sign`` ">=" a lower
            bound on that, with "<=" an upper one.
        at: Where: the row and the column; by default the instance.
    """

    printed: str
    exact: str
    sign: str = "="
    at: str = ""


Rests = Literal["kernel", "coq", "engine", "words", "claim"]
"""What a step of a proof rests on: the kernel, a theorem in Coq, the engine's own check (sympy,
balls), words, or another claim."""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A step of a proof as it is kept.

    Attributes:
        text: What it establishes.
        rests: What it rests on; "kernel" only if no step of the proof is in words.
        cites: The id of the claim that it rests on, if it rests on one.

    Example:
        >>> str(StepRecord("1 < 2", "engine")), str(StepRecord("so is it", "claim", "lemmas/x"))
        ('checked: 1 < 2', 'by lemmas/x: so is it')
    """

    text: str
    rests: Rests
    cites: str | None = None

    def __str__(self) -> str:
        match self.rests:
            case "claim":
                how = f"by {self.cites}"
            case "coq":
                how = "machine-checked in Coq"
            case "words":
                how = "in words"
            case "kernel" | "engine":
                how = "checked"
        return f"{how}: {self.text}"


WIDE = Context(prec=30, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
"""Decimals of 30 digits with any exponent; nothing is raised."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it is kept.

    Attributes:
        exact: The rational, or the expression in powers of e, if it is one and not long.
        decimal: Its leading digits, correctly rounded where the number is exact.
    """

    exact: str | None
    decimal: str


@dataclass(frozen=True, slots=True)
class Sides:
    """The relation that holds at the witness of a refutation: ``left sign right``.

    Attributes:
        left: The left side.
        sign: One of < <= = != >= >.
        right: The right side.
        claimed: Which side the print claims or allows; the other is what is true. None where
            the relation does not tell: both sides are arithmetic of constants.

    Example:
        >>> pair = Sides(Quantity("1/4", "0.25"), ">", Quantity("1/8", "0.125"), "right")
        >>> pair.stated.exact, pair.true.exact, pair.times, pair.apart
        ('1/8', '1/4', Decimal('2'), Decimal('0.125'))
    """

    left: Quantity
    sign: str
    right: Quantity
    claimed: Literal["left", "right"] | None

    @property
    def stated(self) -> Quantity | None:
        """The side that the print claims or allows."""
        return None if self.claimed is None else getattr(self, self.claimed)

    @property
    def true(self) -> Quantity | None:
        """The other side."""
        match self.claimed:
            case None:
                return None
            case "left":
                return self.right
            case "right":
                return self.left

    @property
    def times(self) -> Decimal | None:
        """The ratio of the larger to the smaller; None unless both are above 0."""
        low, high = sorted(self._decimals())
        return WIDE.divide(high, low) if low > 0 else None

    @property
    def over(self) -> Decimal | None:
        """The ratio of the truth to the claim; None unless it is known and both are above 0."""
        if self.true is None or self.stated is None or min(self._decimals()) <= 0:
            return None
        return WIDE.divide(Decimal(self.true.decimal), Decimal(self.stated.decimal))

    @property
    def apart(self) -> Decimal:
        """The distance of the two sides, to the digits that are kept of them."""
        low, high = sorted(self._decimals())
        return WIDE.subtract(high, low)

    @property
    def are_numbers(self) -> bool:
        """True if both decimals are numbers, which a file by others need not have."""
        try:
            return all(number.is_finite() for number in self._decimals())
        except InvalidOperation:
            return False

    def _decimals(self) -> tuple[Decimal, Decimal]:
        return Decimal(self.left.decimal), Decimal(self.right.decimal)


@dataclass(frozen=True, slots=True)
class Proved:
    """The statement holds on the whole of ``domain``: the last of ``steps`` is it, by machine.

    Where there are none, the instances are the whole domain, or one of them is an example:
    ``found`` says what was computed. ``certificate`` has them for the kernel, if it has all rules.
    ``slack`` and ``closest`` are as in :class:`Survived`: no smaller bound holds where it is 1.
    """

    domain: str
    steps: tuple[StepRecord, ...] = ()
    instances: int = 0
    untested: str | None = None
    certificate: Evidence | None = field(default=None, repr=False, compare=False)
    beside: tuple[Beside, ...] = field(default=(), repr=False)
    found: str = ""
    slack: str | None = field(default=None, repr=False, compare=False)
    closest: str | None = field(default=None, repr=False, compare=False)
    label = "proved"


@dataclass(frozen=True, slots=True)
class Argued:
    """The statement holds on ``domain`` by an argument: the steps, or their joint, are in words.

    Where a machine checked every step, ``certificate`` holds those for which the kernel has rules.
    """

    domain: str
    steps: tuple[StepRecord, ...]
    instances: int = 0
    untested: str | None = None
    certificate: Evidence | None = field(default=None, repr=False, compare=False)
    slack: str | None = field(default=None, repr=False, compare=False)
    closest: str | None = field(default=None, repr=False, compare=False)
    label = "argued"


@dataclass(frozen=True, slots=True)
class Refuted:
    """The statement fails at ``witness``; ``found`` has the numbers computed there.

    ``at`` has the values of the witness by name (none, where it is that no instance holds),
    ``sides`` are the numbers that its certificate compares, and ``over`` encloses how many times
    what is claimed the truth is, where the trial says it.
    """

    witness: str
    found: str
    certificate: Evidence | None
    instances: int = 0
    falls: Falls | None = None
    beside: tuple[Beside, ...] = field(default=(), repr=False)
    at: Mapping[str, Plain] = field(default_factory=dict)
    sides: Sides | None = None
    over: tuple[Fraction, Fraction] | None = None
    label = "refuted"


@dataclass(frozen=True, slots=True)
class Survived:
    """No failure on ``instances`` exact instances, and no proof.

    ``slack`` is the smallest ratio claimed/true that was seen (a decimal; ``1`` if it is 1
    exactly), if the statement is a bound; ``closest`` is where. ``unproved`` says why a proof, or
    that they are all instances, does not count; ``tried``: their ranges; ``drawn``: not listed.
    """

    instances: int
    slack: str | None = None
    closest: str | None = None
    unproved: str | None = None
    untested: str | None = None
    beside: tuple[Beside, ...] = field(default=(), repr=False)
    tried: str = field(default="", repr=False, compare=False)
    drawn: int = field(default=0, repr=False, compare=False)
    label = "survived"


@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither side was established; ``reason`` says why."""

    reason: str
    instances: int = 0
    beside: tuple[Beside, ...] = field(default=(), repr=False)
    label = "undecided"


@dataclass(frozen=True, slots=True)
class Unspecified:
    """The printed text does not determine the claim: ``missing`` lists facts, ``reason`` says why.

    ``found``, where it was tried, has values that the print allows and at which the sentence holds,
    and others at which it fails.
    """

    reason: str
    missing: tuple[str, ...]
    instances: int = 0
    found: str = ""
    label = "unspecified"


@dataclass(frozen=True, slots=True)
class Errored:
    """The trial itself raised an error: it says nothing of the statement."""

    reason: str
    instances: int = 0
    label = "error"


@dataclass(frozen=True, slots=True)
class Absent:
    """Not tried: the library that the statement is about is not here, or at another version.

    It changes no kept verdict.
    """

    reason: str
    instances: int = 0
    label = "absent"


Standing = Proved | Argued | Survived
"""The verdicts that leave a statement standing."""

Verdict = Standing | Refuted | Undecided | Unspecified | Errored | Absent
