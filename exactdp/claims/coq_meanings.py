"""A claim's quantities at instances, in Coq: that both meanings of each are one number.

A quantity is computed by a function here, and is an expression there
(:mod:`exactdp.claims.quantities`). At an instance each side of the claim's relations, as Coq has
it, is compared with the number that the engine computes; and what the theorem assumes is shown
of the instance, so that the theorem speaks of it. Coq computes (``computed``, ``assumed`` of
``proofs_check/coq/Meanings.v``), and finds any difference.

Where every instance of the domain is too large for Coq, one outside of it may be given: there the
theorem says nothing, but both meanings are still compared.

Definitions: :func:`meanings_file`, :func:`not_shown`, :data:`OUTSIDE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any

from exactdp.claims.calls import called
from exactdp.claims.claim import Effort, Outcome, Statement
from exactdp.claims.coq_claims import CoqSides, coq_sides, relations_of
from exactdp.claims.coq_values import concrete, coq_value, real_of
from exactdp.claims.domains import Domain, Numbers
from exactdp.claims.forms import Relation
from exactdp.claims.values import value
from exactdp.claims.verdicts import Instance
from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Exact, Number
from exactdp.numbers.balls import endpoints

__all__ = ["OUTSIDE", "meanings_file", "not_shown"]

OUTSIDE = "Outside of the claim's domain: only the two meanings are compared"
"""What a file says whose instance is not one of the claim."""

_TRIED = 60
"""The most telling are taken of so many instances."""

_LONGEST = 60
"""A larger instance takes Coq too long."""

_BEYOND = re.compile(
    r"\b(private_protocol|close_sets|private_rows|is_blanket|is_common|differ)\b|\bforall s\b"
)
"""What ``assumed`` does not show: it is about all data sets, sets or functions, or a least."""

_ENOUGH = 6
"""So many different values tell enough."""

_AND = " /\\ "
_BITS = 60
"""The width of an enclosure of what is not rational."""


def meanings_file(
    name: str,
    statement: Statement,
    theorem: str,
    preamble: str,
    outside: Mapping[str, Any] | None = None,
) -> str:
    """Return the comparison of a claim's quantities at its most telling instance, as a Coq file.

    Args:
        name: The claim.
        statement: What is claimed.
        theorem: The theorem that it is.
        preamble: What the file reads first, so that all words mean what they do at the theorem.
        outside: Values outside of the domain, taken if all instances of the claim are too large.

    Raises:
        DomainError: If no instance of it can be written, with the reason.
    """
    sides = coq_sides(statement)
    stated = " -> ".join([*sides.assumed, _AND.join(sides.claimed)])
    return "\n".join(
        (
            f"(** {_comment(name)} at an instance: by `exactdp export coq-meanings`. *)",
            preamble,
            f"\n(* What is compared is the theorem's statement. *)\nDefinition statement "
            f"{sides.binders} :\n  {stated} :=\n  @{theorem} {_names(sides)}.\n",
            _shown_at_an_instance(statement, sides, outside),
        )
    )


def _shown_at_an_instance(
    statement: Statement, sides: CoqSides, outside: Mapping[str, Any] | None
) -> str:
    """Return the module of the most telling instance of those that can be written.

    Raises:
        DomainError: If there is none: why the first one is not written.
    """
    assert statement.domain is not None
    refused: list[DomainError] = []
    found = list(islice(_instances(statement, sides, refused), _TRIED))
    if outside is not None and not found:
        found = [replace(_tried(statement, sides, Instance.of(**outside)), inside=False)]
    if not found:
        raise refused[0] if refused else DomainError("it lists no instance")
    tried = min(found, key=_Tried.rank)
    said = str(tried.at) if tried.inside else f"{OUTSIDE}: {tried.at}"
    module = "".join(f"{line}\n" for line in (*tried.written, *_shown(sides, tried)))
    return f"(** ** {_comment(said)} *)\n\nModule at_0.\n{module}End at_0.\n"


def not_shown(statement: Statement) -> list[str]:
    """Return the assumptions that are not shown of the instance, but taken as they are."""
    return [assumed for assumed in coq_sides(statement).assumed if _BEYOND.search(assumed)]


@dataclass(frozen=True, slots=True)
class _Tried:
    """An instance, its variables in Coq, and the values of both sides of each relation."""

    at: Instance
    written: tuple[str, ...]
    values: tuple[tuple[Number, Number], ...]
    size: int
    inside: bool = True

    def rank(self) -> tuple[int, int]:
        """The most telling first, of them the smallest: few sides are 0 or 1."""
        numbers = [x for pair in self.values for x in map(_as_rational, pair)]
        plain = sum(x in (Fraction(0), Fraction(1)) for x in numbers)
        return plain - min(len({*numbers}), _ENOUGH), self.size


def _instances(
    statement: Statement, sides: CoqSides, refused: list[DomainError]
) -> Iterator[_Tried]:
    """Yield the small instances that can be written and have values; why others are not."""
    for at in statement.instances(Effort.DEFAULT):
        try:
            yield _tried(statement, sides, at)
        except DomainError as error:
            refused.append(error)


def _tried(statement: Statement, sides: CoqSides, at: Instance) -> _Tried:
    """Return an instance as Coq has it, with its values.

    Raises:
        DomainError: If it is too large, cannot be written or has no values.
    """
    assert statement.domain is not None
    assert statement.says is not None
    values = at.mapping()
    size = _size(tuple(values.values()))
    if size > _LONGEST:
        raise DomainError(f"an instance of {size} numbers takes Coq too long")
    written = tuple(_definitions(statement.domain, values))
    if isinstance(found := called(statement.says, values), Outcome):
        raise DomainError("an engine's computation decides it there")
    said = relations_of(found)
    given = [r for f in statement.domain.given for r in _listed(called(f, values))]
    both: Sequence[Relation] = [*given, *said]
    if len(both) != len(sides.sides):
        raise DomainError("its relations are not the same at all instances")
    try:
        return _Tried(at, written, tuple((value(r.left), value(r.right)) for r in both), size)
    except ExactDPError as error:
        raise DomainError(f"a quantity has no value there: {error}") from None


def _definitions(domain: Domain, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the definitions of an instance's variables, after what their types need."""
    known: set[str] = set()
    for kind in domain.kinds.values():
        if isinstance(kind, Numbers) or kind.coq is None:
            continue
        for written in _needed(kind.coq[2], values):
            if written not in known:
                known.add(written)
                yield written
    for name, kind in domain.kinds.items():
        if isinstance(kind, Numbers):
            sort, text = (
                ("nat", f"{_whole(values[name])}%nat")
                if kind.whole
                else ("R", real_of(values[name]))
            )
        else:
            assert kind.coq is not None
            sort = kind.coq[0]
            own = kind.written
            text = _coq_value(sort, values[name]) if own is None else called(own, values)
        yield f"Definition {name} : {sort} := {text}."


def _shown(sides: CoqSides, tried: _Tried) -> Iterator[str]:
    """Yield what is shown at an instance."""
    known = ""
    for i, text in enumerate(sides.inner):
        yield f"Definition inner_{i} : {{x | {text} = x}}."
        yield f"Proof. exists_value; {known}normal. Defined."
        known = f"rewrite ?(proj2_sig inner_{i}); {known}"
    both = zip(sides.sides, tried.values, sides.notions, strict=True)
    for i, (pair, numbers, notions) in enumerate(both):
        for j, (side, number) in enumerate(zip(pair, numbers, strict=True)):
            if "normal_cdf" in side and not notions:
                continue  # `enclosed` has no values of it, and no quantity is compared there
            yield f"Example side_{i}_{j} : {_equal(side, number, known)}"
    if not tried.inside:
        return
    for i, assumed in enumerate(sides.assumed):
        if _BEYOND.search(assumed):
            yield f"Section Assumed_{i}.\nVariable assumed_{i} : {assumed}."
        else:
            yield f"Lemma assumed_{i} : {assumed}.\nProof. assumed. Qed."
    names = " ".join(f"assumed_{i}" for i in range(len(sides.assumed)))
    yield f"Definition claimed : {_AND.join(sides.claimed)} :="
    yield f"  @statement {_names(sides)} {names}."
    for i, assumed in reversed(list(enumerate(sides.assumed))):
        if _BEYOND.search(assumed):
            yield f"End Assumed_{i}."


def _coq_value(sort: str, x: Any) -> str:
    try:
        return coq_value(sort, x)
    except (TypeError, ValueError) as error:  # its type's writer does not know such a value
        raise DomainError(
            f"an instance cannot be written as {sort}: {error}. Give `written=`."
        ) from None


def _names(sides: CoqSides) -> str:
    """Return the names of a statement's variables, in order."""
    return " ".join(re.findall(r"[({](\w+)(?= :|})", sides.binders))


def _needed(first: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the definitions of what a type needs before it; k letters hold all laws."""
    defined, names = concrete(first)
    for name, kind, text in defined:
        yield f"Definition {name} : {kind} := {text}."
    if "k" in names:
        yield f"Definition k : nat := {max(map(_longest, values.values()))}%nat."


def _equal(side: str, number: Number, known: str) -> str:
    """Return that a side is a number, or between two, with its proof."""
    if isinstance(number, Exact) and number.is_rational:
        return f"{side} = {real_of(number)}.\nProof. {known}computed. Qed."
    low, high = endpoints(number.ball(_BITS))
    return f"{real_of(low)} <= {side} <= {real_of(high)}.\nProof. {known}enclosed. Qed."


def _as_rational(number: Number) -> Any:
    if isinstance(number, Exact) and number.is_rational:
        return number.as_fraction()
    ball = number.ball(_BITS)
    low, high = endpoints(ball)
    return Fraction(low) if low == high else str(ball)


def _whole(x: Any) -> int:
    return int(Fraction(x)) if not isinstance(x, Exact) else int(x.as_fraction())


def _listed(said: Any) -> Sequence[Relation]:
    return said if isinstance(said, list | tuple) else [said]


def _size(x: Any) -> int:
    """Return how many numbers a value holds, an integer as often as it is large."""
    x = getattr(x, "masses", x)
    if isinstance(x, Mapping):
        return _size(tuple(x)) + len(x)
    if isinstance(x, tuple | list):
        return sum(map(_size, x))
    return abs(x) if type(x) is int else 1


def _longest(x: Any) -> int:
    """Return the length of the longest list of numbers in a value."""
    if not isinstance(x, tuple | list):
        return 0
    inner = max(map(_longest, x), default=0)
    return max(inner, len(x) if x and not isinstance(x[0], tuple | list) else 0)


def _comment(text: str) -> str:
    return text.replace("(*", "( *").replace("*)", "* )")
