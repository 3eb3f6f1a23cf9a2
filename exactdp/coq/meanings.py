"""A claim's quantities at instances, in Coq: that both meanings of each are one number.

A quantity is computed by a function here, and is an expression there
(:mod:`exactdp.claims.quantities`). At instances (:mod:`exactdp.coq.instances`) each side of
the claim's relations, as Coq has it, is compared with the number that the engine computes; and
what the theorem assumes is shown of the instance, so that the theorem speaks of it. Coq computes
(``computed``, ``assumed`` of ``proofs_check/coq/Meanings.v``), and finds any difference.

Where every instance of the domain is too large for Coq, or a quantity is always 0 or 1 there, one
outside of it may be given: there the theorem says nothing, but both meanings are still compared.

Definitions: :func:`meanings_file`, :func:`not_shown`, :data:`OUTSIDE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exactdp.claims.claim import Statement
from exactdp.coq.instances import Changed, Telling, telling_instances
from exactdp.coq.statements import CoqSides, coq_sides
from exactdp.coq.values import real_of
from exactdp.numbers import Exact, Number
from exactdp.numbers.balls import endpoints

__all__ = ["OUTSIDE", "meanings_file", "not_shown"]

OUTSIDE = "Outside of the claim's domain: only the two meanings are compared"
"""What a file says whose instance is not one of the claim."""

_BEYOND = re.compile(
    r"\b(private_protocol|close_sets|private_rows|is_blanket|is_common|differ)\b|\bforall s\b"
)
"""What ``assumed`` does not show: it is about all data sets, sets or functions, or a least."""

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
    """Return the comparison of a claim's quantities at its most telling instances, for Coq.

    Args:
        name: The claim.
        statement: What is claimed.
        theorem: The theorem that it is.
        preamble: What the file reads first, so that all words mean what they do at the theorem.
        outside: Values outside of the domain, where those inside are too large or too alike.

    Raises:
        DomainError: If no instance of it can be written, or a constant would pass; the reason.
    """
    sides = coq_sides(statement)
    taken, more = telling_instances(statement, sides, outside)
    stated = " -> ".join([*sides.assumed, _AND.join(sides.claimed)])
    modules = []
    for i, tried in enumerate(taken):
        said = str(tried.at) if tried.inside else f"{OUTSIDE}: {tried.at}"
        beside = _beside([x for x in more if x.at is tried])
        lines = (*tried.written, *_shown(sides, tried), *beside)
        module = "".join(f"{line}\n" for line in lines)
        modules.append(f"(** ** {_comment(said)} *)\n\nModule at_{i}.\n{module}End at_{i}.\n")
    return "\n".join(
        (
            f"(** {_comment(name)} at instances: by `exactdp export coq-meanings`. *)",
            preamble,
            f"\n(* What is compared is the theorem's statement. *)\nDefinition statement "
            f"{sides.binders} :\n  {stated} :=\n  @{theorem} {_names(sides)}.\n",
            *modules,
        )
    )


def not_shown(statement: Statement) -> list[str]:
    """Return the assumptions that are not shown of the instances, but taken as they are."""
    return [assumed for assumed in coq_sides(statement).assumed if _BEYOND.search(assumed)]


def _shown(sides: CoqSides, tried: Telling) -> Iterator[str]:
    """Yield the comparisons at an instance."""
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


def _beside(more: Sequence[Changed]) -> Iterator[str]:
    """Yield the comparisons of quantities with an argument changed."""
    for i, found in enumerate(more):
        yield f"(* A quantity, one argument of which is another one. *)\nModule changed_{i}."
        yield from found.written
        yield f"Example changed : {_equal(found.side, found.value, '')}\nEnd changed_{i}."


def _names(sides: CoqSides) -> str:
    """Return the names of a statement's variables, in order."""
    return " ".join(re.findall(r"[({](\w+)(?= :|})", sides.binders))


def _equal(side: str, number: Number, known: str) -> str:
    """Return that a side is a number, or between two, with its proof."""
    if isinstance(number, Exact) and number.is_rational:
        return f"{side} = {real_of(number)}.\nProof. {known}computed. Qed."
    low, high = endpoints(number.ball(_BITS))
    return f"{real_of(low)} <= {side} <= {real_of(high)}.\nProof. {known}enclosed. Qed."


def _comment(text: str) -> str:
    return text.replace("(*", "( *").replace("*)", "* )")
