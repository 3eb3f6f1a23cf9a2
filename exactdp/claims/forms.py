"""The forms of statements: a claim is a formula, written once.

A statement says, for every instance of its :class:`~exactdp.claims.cases.Cases`, that
relations between terms hold (:func:`at_most`, :func:`equal`, ...). The engine evaluates the
terms; where a relation fails, its negation between the same terms, with the hypotheses of
the instance, is the certificate. What has no term (a reproduced table, a comparison of two
sentences) is :func:`decided`, with the relations that show its failure.

Definitions: :func:`for_all`, :func:`some`, :data:`Trials`, :class:`Relation`, :class:`Said`, the
relations, :func:`decided`, :func:`not_all`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.calls import called
from exactdp.claims.cases import Cases
from exactdp.claims.certificate import Certificate, ProofCertificate, Rule
from exactdp.claims.claim import Open, Outcome, Quantifier, Statement
from exactdp.claims.proofs import Proof, Step, checked
from exactdp.claims.terms import Term, TermLike, term
from exactdp.claims.values import evaluator, truth_of, value
from exactdp.claims.verdicts import Beside, Falls, Instance
from exactdp.errors import DomainError
from exactdp.numbers import Exact, Number, decimal
from exactdp.truth import Truth

__all__ = [
    "Relation",
    "Said",
    "Trials",
    "above",
    "at_least",
    "at_most",
    "below",
    "decided",
    "differs",
    "equal",
    "for_all",
    "holding",
    "not_all",
    "some",
]

Trials = dict[str, Statement | Open | Mapping[str, Statement | Open]]
"""Claim id -> what to decide; by reading, if the print has several. A trial file fills it."""

_NEGATION = {"<": ">=", "<=": ">", "=": "!=", "!=": "=", ">=": "<", ">": "<="}
_DIGITS = 6
"""Digits of a value that is shown; twice or four times as many, where both sides look alike."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two terms; ``sign`` is one of < <= = != >= >."""

    sign: str
    left: Term
    right: Term

    def __post_init__(self) -> None:
        if self.sign not in _NEGATION:
            raise DomainError(f"sign={self.sign!r} is not known. Use {', '.join(_NEGATION)}.")

    @property
    def negated(self) -> Relation:
        """The relation that holds exactly if this one does not."""
        return Relation(_NEGATION[self.sign], self.left, self.right)

    def holds(self) -> bool:
        """Return whether the relation certainly holds."""
        return truth_of(self.sign, value(self.left), value(self.right)).is_certain

    def given(self, hypotheses: Relations) -> Said:
        """Return the relation with the hypotheses that the instance meets."""
        return Said((self,), hypotheses)


Relations = Sequence[Relation] | Callable[[], Sequence[Relation]]
"""Relations, or what makes them when they are needed."""


def at_most(left: TermLike, right: TermLike) -> Relation:
    """left <= right; if both are positive rationals, right/left is the slack."""
    return Relation("<=", term(left), term(right))


def at_least(left: TermLike, right: TermLike) -> Relation:
    """left >= right."""
    return Relation(">=", term(left), term(right))


def below(left: TermLike, right: TermLike) -> Relation:
    """left < right."""
    return Relation("<", term(left), term(right))


def above(left: TermLike, right: TermLike) -> Relation:
    """left > right."""
    return Relation(">", term(left), term(right))


def equal(left: TermLike, right: TermLike) -> Relation:
    """left = right."""
    return Relation("=", term(left), term(right))


def differs(left: TermLike, right: TermLike) -> Relation:
    """left != right."""
    return Relation("!=", term(left), term(right))


@dataclass(frozen=True, slots=True)
class Said:
    """What a statement says at one instance: relations that hold together.

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

    def outcome(self) -> Outcome:
        """Decide the relations; a failure has its negation as certificate."""
        texts, slacks, truth = [], [], Truth.TRUE
        beside: tuple[Beside, ...] = ()
        for relation, holds, left, right in _evaluated(self.relations):
            if self.printed is not None:
                sign = ">=" if relation.sign == "<=" else "="
                beside = (Beside(self.printed, _shown(left, _DIGITS), sign),)
            if not holds.is_possible:
                return Outcome(
                    Truth.FALSE,
                    _text(left, _NEGATION[relation.sign], right),
                    partial(_certificate, [relation.negated], self.hypotheses, self.precision_bits),
                    _slack(left, right),
                    beside,
                )
            truth = truth if holds.is_certain else Truth.UNKNOWN
            texts.append(_text(left, relation.sign, right))
            slack = _slack(left, right) if relation.sign == "<=" else None
            slacks += [] if slack is None else [slack]
        made = partial(_certificate, self.relations, self.hypotheses, self.precision_bits)
        shown = made if truth.is_certain else None
        return Outcome(truth, ", ".join(texts), shown, min(slacks, default=None), beside)


def decided(
    holds: Truth | bool,  # noqa: FBT001 - the decision itself
    found: str,
    *,
    failure: Relations = (),
    shown: Relations | Proof = (),
    given: Relations = (),
    slack: Fraction | None = None,
    precision_bits: int = 128,
    beside: Sequence[Beside] = (),
) -> Outcome:
    """Return a decision that no relation between terms is, with what shows a failure.

    Args:
        holds: The decision, a Truth or a bool.
        found: The result of the computation, in one line.
        failure: Relations that show the failure, for the kernel (or what makes them).
        shown: Relations that show that it holds, likewise; or steps that do, for the kernel.
        given: The hypotheses that the instance meets (or what makes them).
        slack: The ratio claimed/true, where the statement is a bound.
        precision_bits: The kernel's precision for a certificate.
        beside: Cells of a printed table beside the exact values.

    Raises:
        DomainError: If ``holds`` is neither: None, say, or a relation.
    """
    truth = Truth.of(holds) if type(holds) is bool else holds
    relations: Relations | Proof = ()
    match truth:  # what is no Truth is refused by the Outcome
        case Truth.TRUE:
            relations = shown
        case Truth.FALSE:
            relations = failure
        case Truth.UNKNOWN:
            pass
    made: Callable[[], Certificate | ProofCertificate | None]
    if isinstance(relations, Proof):
        made = partial(relations.certificate, "")
    else:
        made = partial(_certificate, relations, given, precision_bits)
    return Outcome(truth, found, made if relations else None, slack, tuple(beside))


def not_all(
    relations: Sequence[Relation],
    *,
    found: str = "",
    given: Relations = (),
    precision_bits: int = 128,
) -> Outcome:
    """Return the outcome of the statement that some relation fails; if all hold, they show it.

    ``found`` are words for it, beside the values; the others are as for :func:`decided`.

    Example:
        >>> not_all([below(1, 2), above(3, 2)]).found
        '1 < 2, 3 > 2'
    """
    truth, texts = Truth.TRUE, []
    for relation, holds, left, right in _evaluated(relations):
        if not holds.is_possible:
            made = partial(_certificate, [relation.negated], given, precision_bits)
            return Outcome(Truth.TRUE, _text(left, _NEGATION[relation.sign], right), made)
        truth = truth if holds.is_certain else Truth.UNKNOWN
        texts.append(_text(left, relation.sign, right))
    made = partial(_certificate, relations, given, precision_bits)
    shown = ", ".join([*texts, *([found] if found else [])])
    return Outcome(~truth, shown, made)


def holding(text: str, relations: Callable[[], Sequence[Relation]]) -> Step:
    """Return the step of a proof that these relations between numbers hold.

    Example:
        >>> holding("1 < 2", lambda: [below(1, 2)]).check()
        True
    """
    return checked(
        text,
        lambda: all(relation.holds() for relation in relations()),
        rules=lambda: [Rule("every", {"variables": [], "relations": written(relations())})],
    )


def written(relations: Sequence[Relation]) -> list[list[Any]]:
    """Return relations as the certificate format has them, with their terms."""
    return [[r.sign, r.left, r.right] for r in relations]


Says = Callable[..., Relation | Said | Outcome | Sequence[Relation]]
"""What is claimed at an instance, as a function of its variables by name."""


def for_all(
    over: Cases,
    says: Says,
    *,
    wrong: Says | Statement | None = None,
    proof: Proof | Callable[[Statement], Proof] | None = None,
    falls: Falls | None = None,
) -> Statement:
    """Return the statement that ``says`` holds at all instances.

    Args:
        over: The instances.
        says: The formula.
        wrong: A nearby false formula over the same instances, or a false statement: the
            audit must refute it, which shows that it would have noticed.
        proof: Establishes the statement over its domain; or what makes it from the statement.
        falls: What falls if it is refuted: a misprint, a step, a result.

    Example:
        >>> from exactdp.claims import cases
        >>> squares = for_all(cases(n=range(1, 9)), lambda n: at_most(n * n, 40))
        >>> from exactdp.claims import Effort
        >>> [squares.holds(at).found for at in squares.instances(Effort.DEFAULT)][-2:]
        ['49 > 40', '64 > 40']
    """
    variant = wrong
    if variant is not None and not isinstance(variant, Statement):
        variant = for_all(replace(over, strategy=None, domain=None), variant)
    if proof is not None and over.domain is None:
        raise DomainError(
            "a proof is of a claim on a domain. Say by cases(...).within(...) what each of its "
            f"variables may be: {', '.join(over.variables)}."
        )
    statement = Statement(
        instances=over.instances,
        holds=lambda at: _outcome(says, at),
        says=says,
        variables=over.variables,
        strategy=over.drawn_instances if over.is_drawn else None,
        complete=over.complete,
        exhausts=over.exhausts,
        domain=over.domain,
        proof=proof if isinstance(proof, Proof) else None,
        false_variant=variant,
        falls=falls,
    )
    return replace(statement, proof=proof(statement)) if callable(proof) else statement


def some(
    over: Cases, says: Says, *, wrong: Says | None = None, falls: Falls | None = None
) -> Statement:
    """Return the statement that ``says`` holds at some instance: an example proves it.

    Where all instances of a complete domain fail, the relations that failed at the first
    one are the certificate. ``wrong`` is a nearby formula that holds at none of them.
    """
    tried = replace(over, complete=over.complete or "the candidates")
    return Statement(
        instances=over.instances,
        holds=lambda at: _outcome(says, at),
        says=says,
        variables=over.variables,
        quantifier=Quantifier.SOME,
        complete=over.complete,
        false_variant=None if wrong is None else some(tried, wrong),
        falls=falls,
    )


def _outcome(says: Says, at: Instance) -> Outcome:
    said = called(says, at.mapping())
    match said:
        case Outcome():
            return said
        case Relation():
            return Said((said,)).outcome()
        case Said():
            return said.outcome()
        case list() | tuple() if all(isinstance(relation, Relation) for relation in said):
            return Said(said).outcome()
        case _:
            raise DomainError(
                f"the formula of the claim is {said!r} at {at}. Return relations such as "
                "at_most(...), an Outcome of decided(...), or Said."
            )


def _certificate(conclusion: Relations, hypotheses: Relations, precision_bits: int) -> Certificate:
    made = (x() if callable(x) else x for x in (conclusion, hypotheses))
    shown, met = ([(r.sign, r.left, r.right) for r in relations] for relations in made)
    return Certificate(shown, met, precision_bits)


def _evaluated(
    relations: Sequence[Relation],
) -> Iterator[tuple[Relation, Truth, Number, Number]]:
    """Yield the relations with their decisions and both values; named terms are computed once."""
    evaluate = evaluator()
    for relation in relations:
        left, right = evaluate(relation.left), evaluate(relation.right)
        yield relation, truth_of(relation.sign, left, right), left, right


def _text(left: Number, sign: str, right: Number) -> str:
    """Return both sides, with as many digits as tell them apart, and from 1."""
    for digits in (_DIGITS, 2 * _DIGITS, 4 * _DIGITS):
        sides = _shown(left, digits), _shown(right, digits)
        is_told = sign == "=" or _read(sides[0]) != _read(sides[1])
        if is_told and not any("." in side and _read(side) == 1 for side in sides):
            break
    return f"{sides[0]} {sign} {sides[1]}"


def _read(text: str) -> Decimal:
    """Return what is printed, which may have an exponent of many digits."""
    if text.startswith("["):  # [+/- inf]
        return Decimal("nan")
    numerator, slash, denominator = text.partition("/")
    return Decimal(numerator) / Decimal(denominator) if slash else Decimal(numerator)


def _shown(number: Number, digits: int) -> str:
    """Return a short rational as it is, any other number as a decimal."""
    if isinstance(number, Exact) and number.is_rational:
        text = str(number.as_fraction())
        if len(text) <= 2 * _DIGITS + 1:
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
