"""What a problem file may say: the schema, as types.

Every object refuses unknown keys, and is told apart by its ``kind`` (a problem) or
``mechanism`` (a randomizer). Numbers that may be fractions are :class:`Rational`:
strings such as "4/7" or "0.49" (exactly 49/100), or JSON integers; never JSON floats.

Definitions: :data:`ProblemFile` and its members, :class:`Ask`, :class:`EpsilonValue`,
:data:`Mechanism`, :class:`Rational`, :func:`problem_schema`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
from flint import fmpq
from msgspec import UNSET, Meta, Struct, UnsetType

from exactdp.errors import ParseError
from exactdp.numbers import Epsilon, rational
from exactdp.problems.strict_json import path_of_key

__all__ = [
    "HERE",
    "Ask",
    "Composition",
    "CompositionProblem",
    "EpsilonValue",
    "FinitePair",
    "FinitePairProblem",
    "HadamardResponse",
    "LawFile",
    "LocalHashing",
    "Mechanism",
    "OptimizedUnaryEncoding",
    "OtherUsers",
    "Part",
    "ProblemFile",
    "RandomizedResponse",
    "Rational",
    "Shuffle",
    "ShuffleProblem",
    "SubsetSelection",
    "SymmetricUnaryEncoding",
    "VictimUser",
    "problem_schema",
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


Count = Annotated[
    int,
    Meta(ge=0, le=10**18, description="Give a number of users, an integer from 0 to 10^18."),
]
Input = Annotated[
    int,
    Meta(ge=0, le=10**18, description="Give an input: a row number of the randomizer, from 0."),
]
Size = Annotated[int, Meta(ge=2, le=10**9, description="Give a number of values, at least 2.")]


class _Strict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of every object: unknown keys are errors."""


class EpsilonValue(_Strict, frozen=True, kw_only=True):
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
                f"{HERE}: e^epsilon={_short(self.log)} must be positive. "
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


# --- randomizers -----------------------------------------------------------------


class _Mechanism(_Strict, frozen=True, kw_only=True, tag_field="mechanism"):
    k: Size
    epsilon: EpsilonValue


class RandomizedResponse(_Mechanism, frozen=True, kw_only=True, tag="randomized_response"):
    """k-ary randomized response."""


class SymmetricUnaryEncoding(_Mechanism, frozen=True, kw_only=True, tag="symmetric_unary_encoding"):
    """Unary encoding with every bit randomized alike (basic RAPPOR)."""


class OptimizedUnaryEncoding(_Mechanism, frozen=True, kw_only=True, tag="optimized_unary_encoding"):
    """Unary encoding with bit 1 kept with probability 1/2."""


class SubsetSelection(_Mechanism, frozen=True, kw_only=True, tag="subset_selection"):
    """Subset selection: a random set of ``size`` values, likelier to hold the input."""

    size: Annotated[int, Meta(ge=1, le=10**9, description="Give the size of the sets, 1 to k.")]


class HadamardResponse(_Mechanism, frozen=True, kw_only=True, tag="hadamard_response"):
    """Hadamard response."""


class LocalHashing(_Mechanism, frozen=True, kw_only=True, tag="local_hashing"):
    """Local hashing with all functions to ``buckets`` values, and randomized response on those."""

    buckets: Size


Mechanism = (
    RandomizedResponse
    | SymmetricUnaryEncoding
    | OptimizedUnaryEncoding
    | SubsetSelection
    | HadamardResponse
    | LocalHashing
)


# --- laws: what is asked about ---------------------------------------------------


class VictimUser(_Strict, frozen=True, kw_only=True):
    """The user whose input differs: P is the law with the first input, Q with the second."""

    randomizer: str
    inputs: Annotated[
        tuple[Input, Input], Meta(description="Give both inputs of the victim, such as [0, 1].")
    ]


class OtherUsers(_Strict, frozen=True, kw_only=True):
    """Some of the other users: ``count`` of them with one randomizer and one input."""

    randomizer: str
    input: Input
    count: Count = 1


class Shuffle(_Strict, frozen=True, kw_only=True, tag_field="kind", tag="shuffle"):
    """The multiset of all messages of explicit users, one of whom has either of two inputs.

    With ``merge``, a partition of the messages, only the number of messages in each
    part is seen; answers are then bounds for the whole view.
    """

    randomizers: dict[str, list[list[Rational]] | Mechanism]
    victim: VictimUser
    others: list[OtherUsers] = []
    merge: list[list[Input]] | None = None

    def __post_init__(self) -> None:
        for name, rows in self.randomizers.items():
            if isinstance(rows, list):
                _check_matrix(rows, path_of_key(f"{HERE}.randomizers", name))


class FinitePair(_Strict, frozen=True, kw_only=True, tag_field="kind", tag="finite_pair"):
    """Two laws on the same outcomes, as lists of masses."""

    p: list[Rational]
    q: list[Rational]

    def __post_init__(self) -> None:
        if len(self.p) != len(self.q):
            raise ParseError(
                f"{HERE}: p has {len(self.p)} masses and q has {len(self.q)}. "
                "Give both laws on the same outcomes, with 0 where there is no mass."
            )
        _check_law(self.p, f"{HERE}.p")
        _check_law(self.q, f"{HERE}.q")


class Part(_Strict, frozen=True, kw_only=True):
    """One law of a composition, and how many independent copies of it."""

    problem: Shuffle | FinitePair
    times: Annotated[
        int, Meta(ge=1, le=10**18, description="Give a number of copies, from 1 to 10^18.")
    ] = 1


class Composition(_Strict, frozen=True, kw_only=True, tag_field="kind", tag="composition"):
    """Independent parts, fixed in advance: their losses add."""

    parts: Annotated[list[Part], Meta(min_length=1, description="Give at least one part.")]


# --- questions -------------------------------------------------------------------


class Ask(_Strict, frozen=True, kw_only=True):
    """What is asked. P is the law with the first input (or ``p``), Q with the second.

    Attributes:
        hockey_stick: Epsilons; the answer is D_{e^eps}(P || Q).
        epsilon: Deltas; the smallest epsilon >= 0 with D_{e^eps}(P || Q) <= delta.
        renyi: Orders above 1; the Renyi divergence of P from Q, in nats.
        max_divergence: The least epsilon of pure differential privacy.
        total_variation: The total variation distance.
        trade_off: Levels alpha; the least type II error of a test of P against Q.
        direction: "forward" as above, or "both": the worse of (P, Q) and (Q, P), which
            is the larger answer, and for trade_off the smaller.
        relative_width: How close lower and upper must be, relative to the answer.
    """

    hockey_stick: list[EpsilonValue] = []
    epsilon: list[Rational] = []
    renyi: list[Rational] = []
    max_divergence: bool = False
    total_variation: bool = False
    trade_off: list[Rational] = []
    direction: Literal["forward", "both"] = "forward"
    relative_width: Rational = msgspec.field(default_factory=lambda: Rational.read("1e-15"))

    def __post_init__(self) -> None:
        asked = (self.hockey_stick, self.epsilon, self.renyi, self.trade_off)
        if not any(asked) and not self.max_divergence and not self.total_variation:
            raise ParseError(
                f"{HERE} asks nothing. Give hockey_stick, epsilon, renyi or trade_off a value, "
                "or set max_divergence or total_variation to true."
            )
        for name, levels in (("epsilon", self.epsilon), ("trade_off", self.trade_off)):
            for index, level in enumerate(levels):
                if not 0 <= level.value <= 1:
                    raise ParseError(
                        f"{HERE}.{name}[{index}]={_short(level)} is not a probability. "
                        "Give a number from 0 to 1."
                    )
        for index, order in enumerate(self.renyi):
            if order.value <= 1:
                raise ParseError(
                    f"{HERE}.renyi[{index}]={_short(order)} must be above 1. "
                    "Ask for max_divergence for order infinity."
                )
        if not fmpq(1, 10**10_000) <= self.relative_width.value < 1:
            raise ParseError(
                f"{HERE}.relative_width={_short(self.relative_width)} must be at least 1e-10000 "
                'and below 1. Leave it out for "1e-15".'
            )


class ShuffleProblem(Shuffle, frozen=True, kw_only=True, tag_field="kind", tag="shuffle"):
    """A shuffled protocol, and what is asked about it."""

    ask: Ask


class FinitePairProblem(FinitePair, frozen=True, kw_only=True, tag_field="kind", tag="finite_pair"):
    """A pair of laws, and what is asked about it."""

    ask: Ask


class CompositionProblem(
    Composition, frozen=True, kw_only=True, tag_field="kind", tag="composition"
):
    """A composition, and what is asked about it."""

    ask: Ask


LawFile = Shuffle | FinitePair | Composition
ProblemFile = ShuffleProblem | FinitePairProblem | CompositionProblem


def problem_schema() -> dict[str, Any]:
    """Return the JSON Schema of problem files.

    Example:
        >>> sorted(problem_schema()["discriminator"]["mapping"])
        ['composition', 'finite_pair', 'shuffle']
    """
    return msgspec.json.schema(ProblemFile, schema_hook=_schema_of)


def _schema_of(kind: type) -> dict[str, Any]:
    if kind is not Rational:
        raise NotImplementedError(kind)
    return {
        "type": ["string", "integer"],
        "description": 'A rational number: "4/7", "0.49" (exactly 49/100), "1e-10" or 3.',
    }


def _check_matrix(rows: Sequence[Sequence[Rational]], path: str) -> None:
    if not rows or not rows[0]:
        raise ParseError(f"{path} has no entry. Give one row an input, one mass a message.")
    for index, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ParseError(
                f"{path}[{index}] has {len(row)} masses, but row 0 has {len(rows[0])}. "
                "Give every input a row over the same messages, with 0 where there is no mass."
            )
        _check_law(row, f"{path}[{index}]")


def _check_law(masses: Sequence[Rational], path: str) -> None:
    total = fmpq(0)
    for index, mass in enumerate(masses):
        if mass.value < 0:
            raise ParseError(f"{path}[{index}]={_short(mass)} is negative. A mass is at least 0.")
        total += mass.value
    if total != 1:
        text = str(total) if total.height_bits() <= 400 else "another number"
        raise ParseError(
            f"{path}: the masses sum to {text}, not 1 ({len(masses)} outcomes). "
            'Correct them; fractions such as "1/3" are exact where decimals are not.'
        )


def _short(number: Rational) -> str:
    text = str(number.written)
    return text if len(text) <= 40 else f"{text[:30]}... ({len(text)} characters)"
