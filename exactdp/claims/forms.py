"""The forms of statements: a claim is a formula, written once.

A statement says, for every instance of its :class:`~exactdp.claims.cases.Cases`, that
relations between terms hold (:func:`at_most`, :func:`equal`, ...). The engine evaluates the
terms; where a relation fails, its negation between the same terms, with the hypotheses of
the instance, is the certificate. What has no term (a reproduced table, a comparison of two
sentences) is :func:`decided`, with the relations that it decides.

Definitions: :func:`for_all`, :func:`some`, :data:`Trials`, :class:`Relation`, :class:`Said`, the
relations, :func:`decided`, :class:`Never`, :func:`not_all`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.built import Form
from exactdp.claims.calls import called
from exactdp.claims.cases import Cases
from exactdp.claims.certificate import Certificate, ProofCertificate, Rule
from exactdp.claims.claim import Open, Outcome, Quantifier, Statement
from exactdp.claims.proofs import Proof, Step, checked
from exactdp.claims.relations import (
    NEGATION,
    Relation,
    Relations,
    Said,
    above,
    as_said,
    at_least,
    at_most,
    below,
    certificate_of,
    differs,
    equal,
    evaluated,
    text_of,
)
from exactdp.claims.sides import numbers_of
from exactdp.claims.values import truth_of
from exactdp.claims.verdicts import Beside, Falls, Instance
from exactdp.errors import DomainError
from exactdp.truth import Truth

__all__ = [
    "Never",
    "Relation",
    "Said",
    "Trials",
    "above",
    "as_said",
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


@dataclass(frozen=True)
class Never:
    """The negation of a claim: all of these relations (or those that a function makes) hold."""

    relations: Relations


def decided(
    holds: Truth | bool,  # noqa: FBT001 - the decision itself
    found: str,
    *,
    claimed: Relations | Never = (),
    shown: Relations | Proof = (),
    given: Relations = (),
    slack: Fraction | None = None,
    precision_bits: int = 128,
    beside: Sequence[Beside] = (),
) -> Outcome:
    """Return a decision that no relation between terms is, with the relations that it decides.

    Args:
        holds: The decision, a Truth or a bool.
        found: The result of the computation, in one line.
        claimed: What the claim says at the instance (or what makes it): relations that hold
            together, or that :class:`Never` do. Where it fails, its negation is the certificate.
        shown: Relations that show that it holds, likewise; or steps that do, for the kernel.
        given: The hypotheses that the instance meets (or what makes them).
        slack: The ratio claimed/true, where the statement is a bound.
        precision_bits: The kernel's precision for a certificate.
        beside: Cells of a printed table beside the exact values.

    Raises:
        DomainError: If ``holds`` is neither: None, say, or a relation. Or, when the certificate is
            asked for, if what is claimed holds where it fails, or fails where it holds.

    Example:
        >>> decided(False, "2 > 1", claimed=[at_most(1, 2)]).certificate()
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: it is decided that the claim fails (2 > 1), but what it says \
holds: 1 <= 2. Mend the decision, or what is claimed.
    """
    truth = Truth.of(holds) if type(holds) is bool else holds
    made: Callable[[], Certificate | ProofCertificate | None] | None = None
    uncomputed: Callable[[], Certificate | None] | None = None
    match truth:  # what is not a Truth is refused by the Outcome
        case Truth.TRUE:
            if shown or isinstance(claimed, Never) or claimed:
                made = partial(_shown, shown, claimed, found, given, precision_bits)
        case Truth.FALSE:
            if isinstance(claimed, Never) or claimed:
                made = partial(_negation, claimed, found, given, precision_bits)
                uncomputed = partial(made, computed=False)
        case Truth.UNKNOWN:
            pass
    return Outcome(truth, found, made, slack, tuple(beside), uncomputed=uncomputed)


def _shown(
    shown: Relations | Proof,
    claimed: Relations | Never,
    found: str,
    given: Relations,
    precision_bits: int,
) -> Certificate | ProofCertificate | None:
    """Return the evidence that a claim holds, if it does not fail."""
    _refuse_opposite(claimed, _listed(claimed), found, holds=True)
    if isinstance(shown, Proof):
        return shown.certificate("")
    return certificate_of(shown, given, precision_bits) if shown else None


def _negation(
    claimed: Relations | Never,
    found: str,
    given: Relations,
    precision_bits: int,
    *,
    computed: bool = True,
) -> Certificate | None:
    """Return the certificate that a claim fails, which states the claim's negation."""
    listed = _listed(claimed)
    seen: _Seen = ()
    if computed or (len(listed) > 1 and not isinstance(claimed, Never)):
        seen = _refuse_opposite(claimed, listed, found, holds=False)
    if not listed:
        return None
    if isinstance(claimed, Never):
        return certificate_of(listed, given, precision_bits)
    failing = [r for r, holds, _ in seen if not holds.is_possible]
    failing = failing or [r for r in listed if len(listed) == 1]
    return certificate_of([r.negated for r in failing], given, precision_bits) if failing else None


_Seen = Sequence[tuple[Relation, Truth, Callable[[], str]]]
"""Relations with whether they hold, and their texts; none where one is too large for the engine."""


def _listed(claimed: Relations | Never) -> Sequence[Relation]:
    relations = claimed.relations if isinstance(claimed, Never) else claimed
    return relations() if callable(relations) else relations


def _refuse_opposite(
    claimed: Relations | Never, listed: Sequence[Relation], found: str, *, holds: bool
) -> _Seen:
    """Refuse a decision that contradicts the claim; return how the claim is decided.

    Raises:
        DomainError: With the relations.
    """
    is_denied = isinstance(claimed, Never)
    seen: list[tuple[Relation, Truth, Callable[[], str]]] = []
    for r in listed:
        sides = numbers_of((r.left, r.right))
        if sides is None:  # too large for the engine: the kernel may be able to
            return []
        seen.append((r, truth_of(r.sign, *sides), partial(text_of, sides[0], r.sign, sides[1])))
    all_hold = [text for _, truth, text in seen] if all(t.is_certain for _, t, _ in seen) else []
    some_fail = [text for _, truth, text in seen if not truth.is_possible]
    against = some_fail if holds != is_denied else all_hold
    if against:
        word, says = ("holds", "fails") if holds else ("fails", "holds")
        raise DomainError(
            f"it is decided that the claim {word} ({found}), but what it says {says}: "
            f"{', '.join(text() for text in against)}. Mend the decision, or what is claimed."
        )
    return seen


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
    for relation, holds, left, right in evaluated(relations):
        if not holds.is_possible:
            made = partial(certificate_of, [relation.negated], given, precision_bits)
            return Outcome(Truth.TRUE, text_of(left, NEGATION[relation.sign], right), made)
        truth = truth if holds.is_certain else Truth.UNKNOWN
        texts.append(text_of(left, relation.sign, right))
    made = partial(certificate_of, relations, given, precision_bits)
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
    unit: str = "",
) -> Statement:
    """Return the statement that ``says`` holds at all instances.

    Args:
        over: The instances.
        says: The formula.
        wrong: A nearby false formula over the same instances, or a false statement: the
            audit must refute it, which shows that it would have noticed.
        proof: Establishes the statement over its domain; or what makes it from the statement.
        falls: What falls if it is refuted: a misprint, a step, a result.
        unit: What the numbers are that it compares, such as δ.

    Example:
        >>> from exactdp.claims import cases
        >>> squares = for_all(cases(n=range(1, 9)), lambda n: at_most(n * n, 40))
        >>> from exactdp.claims import Effort
        >>> [squares.holds(at).found for at in squares.instances(Effort.DEFAULT)][-2:]
        ['49 > 40', '64 > 40']
    """
    variant = wrong
    if variant is not None and not isinstance(variant, Statement):
        variant = for_all(replace(over, strategy=None, domain=None, complete=False), variant)
    if proof is not None and over.domain is None:
        raise DomainError(
            "a proof is of a claim on a domain. Say by cases(...).within(...) what each of its "
            f"variables may be: {', '.join(over.variables)}."
        )
    statement = Statement(
        instances=over.instances,
        holds=lambda at: _outcome(called(says, at.mapping()), at),
        says=says,
        variables=over.variables,
        strategy=over.drawn_instances if over.is_drawn else None,
        far=over.far_instances if over.domain is not None and over.domain.is_drawn else None,
        complete=over.complete,
        domain=over.domain,
        false_variant=variant,
        falls=falls,
        unit=unit,
    )
    assert statement.form is not None  # it has a formula
    if proof is None and not over.complete:
        return statement
    shown = proof if isinstance(proof, Proof | None) else proof(statement)
    return replace(statement, proof=shown, holds=partial(_value_at, statement.form))


def some(
    over: Cases, says: Says, *, wrong: Says | None = None, falls: Falls | None = None
) -> Statement:
    """Return the statement that ``says`` holds at some instance: an example proves it.

    Where all instances of a complete domain fail, the relations that failed at the first
    one are the certificate. ``wrong`` is a nearby formula that holds at none of them.
    """
    return Statement(
        instances=over.instances,
        holds=lambda at: _outcome(called(says, at.mapping()), at),
        says=says,
        variables=over.variables,
        quantifier=Quantifier.SOME,
        complete=over.complete,
        domain=over.domain,
        false_variant=None if wrong is None else some(over, wrong),
        falls=falls,
    )


def _value_at(form: Form, at: Instance) -> Outcome:
    """Decide a claim that may be proved: an instance is a value of the form that is shown."""
    said = as_said(form.said())
    if said is None:  # a computation, of which the proof is none
        return _outcome(called(form.says, at.mapping()), at)
    return said.at(at.mapping()).outcome()


def _outcome(said: Any, at: Instance) -> Outcome:
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
