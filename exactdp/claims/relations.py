"""Relations between terms, and their decision at an instance.

Definitions: :class:`Relation`, :class:`Said`, the relations (:func:`at_most`, :func:`equal`, ...),
:func:`as_said`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.built import at_values
from exactdp.claims.certificate import Certificate
from exactdp.claims.claim import Outcome
from exactdp.claims.terms import Term, TermLike, parts_of_term, term
from exactdp.claims.values import evaluator, truth_of, value
from exactdp.claims.verdicts import Beside
from exactdp.errors import DomainError
from exactdp.numbers import Exact, Number, decimal
from exactdp.truth import Truth

__all__ = [
    "NEGATION",
    "Relation",
    "Relations",
    "Said",
    "above",
    "as_said",
    "at_least",
    "at_most",
    "below",
    "certificate_of",
    "differs",
    "equal",
    "evaluated",
    "text_of",
]

NEGATION = {"<": ">=", "<=": ">", "=": "!=", "!=": "=", ">=": "<", ">": "<="}
_DIGITS = 6
"""Digits of a value that is shown; twice or four times as many, where both sides look alike."""
_MOST_DIGITS = 100
"""Digits of a rational that is shown in full, where both sides still do."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two terms; ``sign`` is one of < <= = != >= >."""

    sign: str
    left: Term
    right: Term

    def __post_init__(self) -> None:
        if self.sign not in NEGATION:
            raise DomainError(f"sign={self.sign!r} is not known. Use {', '.join(NEGATION)}.")

    @property
    def negated(self) -> Relation:
        """The relation that holds exactly if this one does not."""
        return Relation(NEGATION[self.sign], self.left, self.right)

    def holds(self) -> bool:
        """Return whether the relation certainly holds."""
        return truth_of(self.sign, value(self.left), value(self.right)).is_certain

    def at(self, values: Mapping[str, Any]) -> Relation:
        """Return the relation at values of its variables."""
        left, right = at_values((self.left, self.right), values)
        return Relation(self.sign, left, right)

    def given(self, hypotheses: Relations) -> Said:
        """Return the relation with the hypotheses that the instance meets."""
        return Said((self,), hypotheses)


Relations = Sequence[Relation] | Callable[[], Sequence[Relation]]
"""Relations, or what makes them when they are needed."""


def at_most(left: TermLike, right: TermLike) -> Relation:
    """Return left <= right; if both are positive rationals, right/left is the slack."""
    return Relation("<=", term(left), term(right))


def at_least(left: TermLike, right: TermLike) -> Relation:
    """Return left >= right."""
    return Relation(">=", term(left), term(right))


def below(left: TermLike, right: TermLike) -> Relation:
    """Return left < right."""
    return Relation("<", term(left), term(right))


def above(left: TermLike, right: TermLike) -> Relation:
    """Return left > right."""
    return Relation(">", term(left), term(right))


def equal(left: TermLike, right: TermLike) -> Relation:
    """Return left = right."""
    return Relation("=", term(left), term(right))


def differs(left: TermLike, right: TermLike) -> Relation:
    """Return left != right."""
    return Relation("!=", term(left), term(right))


@dataclass(frozen=True, slots=True)
class Said:
    """A statement at one instance: relations that hold together.

    Attributes:
        relations: All of them are claimed.
        hypotheses: What the instance meets, or what makes it: asked for a witness only,
            where the kernel checks it.
        precision_bits: The kernel's precision for a certificate.
        printed: The cell of a table, if the left side of the last relation is what is printed so,
            or, in a relation <=, a lower bound on that.
    """

    relations: Sequence[Relation]
    hypotheses: Relations = ()
    precision_bits: int = 128
    printed: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "relations", tuple(self.relations))

    def at(self, values: Mapping[str, Any]) -> Said:
        """Return the statement at values of the variables."""
        sides = at_values(tuple((r.left, r.right) for r in self.relations), values)
        both = zip(self.relations, sides, strict=True)
        met = self.hypotheses
        return replace(
            self,
            relations=[Relation(r.sign, *two) for r, two in both],
            hypotheses=lambda: [r.at(values) for r in (met() if callable(met) else met)],
        )

    def outcome(self) -> Outcome:
        """Decide the relations; a failure has its negation as certificate."""
        texts, slacks, gaps, truth = [], [], [], Truth.TRUE
        beside: tuple[Beside, ...] = ()
        for relation, holds, left, right in evaluated(self.relations):
            if self.printed is not None:
                sign = ">=" if relation.sign == "<=" else "="
                beside = (Beside(self.printed, _shown(left, _DIGITS), sign),)
            if not holds.is_possible:
                return Outcome(
                    Truth.FALSE,
                    text_of(left, NEGATION[relation.sign], right),
                    partial(
                        certificate_of, [relation.negated], self.hypotheses, self.precision_bits
                    ),
                    _slack(left, right),
                    beside,
                )
            truth = truth if holds.is_certain else Truth.UNKNOWN
            gaps.append((left, right))
            texts.append(text_of(left, relation.sign, right))
            slack = _slack(left, right) if relation.sign == "<=" else None
            slacks += [] if slack is None else [slack]
        made = partial(certificate_of, self.relations, self.hypotheses, self.precision_bits)
        shown = made if truth.is_certain else None
        near = partial(_nearness, gaps)
        slack = min(slacks, default=None)
        return Outcome(truth, ", ".join(texts), shown, slack, beside, nearness=near)


def _nearness(gaps: Sequence[tuple[Number, Number]]) -> float:
    """Return the least distance of two sides, as a part of both; an estimate."""
    found = [1.0]
    for left, right in gaps:
        x, y = left.ball(_FEW_BITS), right.ball(_FEW_BITS)
        both = abs(x) + abs(y)
        found.append(float((abs(x - y) / both).mid()) if both > 0 else 1.0)
    return min(x for x in found if x == x)


_FEW_BITS = 53
"""The precision of an estimate that only proposes where to search."""


def as_said(found: Any) -> Said | None:
    """Return a formula as relations that hold together; None if it says none."""
    match found:
        case Said():
            said = found
        case Relation():
            said = Said((found,))
        case list() | tuple() if found and all(isinstance(r, Relation) for r in found):
            said = Said(tuple(found))
        case _:
            return None
    return said if _is_data(said) else None


def _is_data(said: Said) -> bool:
    """Return whether all relations are data: an author's class may answer otherwise each time."""
    sides = tuple(side for r in said.relations for side in (r.left, r.right))
    kinds = {type(said), *map(type, said.relations), *map(type, parts_of_term(sides))}
    return kinds <= {Said, Relation, Term}


def certificate_of(
    conclusion: Relations, hypotheses: Relations, precision_bits: int
) -> Certificate | None:
    """Return the certificate of relations; None if a side is known between two numbers only."""
    made = (x() if callable(x) else x for x in (conclusion, hypotheses))
    shown, met = ([(r.sign, r.left, r.right) for r in relations] for relations in made)
    parts = parts_of_term(tuple(side for _, *sides in (*shown, *met) for side in sides))
    if any(part.head == "enclosed" for part in parts):
        return None
    return Certificate(shown, met, precision_bits)


def evaluated(
    relations: Sequence[Relation],
) -> Iterator[tuple[Relation, Truth, Number, Number]]:
    """Yield the relations with their decisions and both values; named terms are computed once."""
    evaluate = evaluator()
    for relation in relations:
        left, right = evaluate(relation.left), evaluate(relation.right)
        yield relation, truth_of(relation.sign, left, right), left, right


def text_of(left: Number, sign: str, right: Number) -> str:
    """Return both sides, with as many digits as tell them apart, and from 1."""
    for digits in (_DIGITS, 2 * _DIGITS, 4 * _DIGITS):
        sides = _shown(left, digits), _shown(right, digits)
        is_told = sign == "=" or _read(sides[0]) != _read(sides[1])
        if is_told and not any("." in side and _read(side) == 1 for side in sides):
            break
    if not is_told:  # all digits of both, where they are not many
        sides = _in_full(left) or sides[0], _in_full(right) or sides[1]
    return f"{sides[0]} {sign} {sides[1]}"


def _in_full(number: Number) -> str:
    if not (isinstance(number, Exact) and number.is_rational):
        return ""
    text = str(number.as_fraction())
    return text if len(text) <= _MOST_DIGITS else ""


def _read(text: str) -> Decimal:
    """Return a printed number, which may have an exponent of many digits."""
    if text.startswith("["):  # [+/- inf]
        return Decimal("nan")
    numerator, slash, denominator = text.partition("/")
    try:
        return Decimal(numerator) / Decimal(denominator) if slash else Decimal(numerator)
    except InvalidOperation:  # its exponent is too long for a Decimal
        return Decimal("nan")


def _shown(number: Number, digits: int) -> str:
    """Return a short rational as it is, any other number as a decimal."""
    if isinstance(number, Exact) and number.is_rational:
        fraction = number.as_fraction()
        is_short = max(abs(fraction.numerator), fraction.denominator) < 10 ** (2 * _DIGITS)
        if is_short and len(text := str(fraction)) <= 2 * _DIGITS + 1:
            return text
    if isinstance(number, Exact):
        return decimal(number, digits=digits)
    # A real that is a short decimal cannot be told from it: what the ball shows will do.
    return str(number.ball(128).str(digits, radius=False))


def _slack(left: Number, right: Number) -> Fraction | None:
    if not (isinstance(left, Exact) and isinstance(right, Exact)):
        return None
    if not (left.is_rational and right.is_rational and left > 0):
        return None
    return right.as_fraction() / left.as_fraction()
