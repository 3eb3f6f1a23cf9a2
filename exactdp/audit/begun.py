"""The trial at kept evidence: a statement whose first instances are those that an inventory keeps.

A search ends where it finds a failure, or gives up. The inventory keeps where that was, so the same
trial of the same statement, begun there, finds its verdict at once: a refutation is computed again
at its witness, from the definitions; a proof is checked, a finite domain counted; what stood is
tried where it was nearest to failing, at the first listed instances, and at some that are drawn.
What is not made anew is the search: for another failure, a simpler or a larger one, or for the
instances at which Coq compares meanings. A witness that is none is no end: the trial goes on to the
search.

Definitions: :func:`begun_at`, :func:`instance_of`, :func:`is_false`,
:data:`KeptReadings`, :data:`BEGINNING`, :data:`SEARCHED`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice
from typing import Any, TypeAlias

from exactdp.claims import Effort, Instance, Open, Quantifier, Statement
from exactdp.claims.kinds import Numbers
from exactdp.coq.theorems import told_before

__all__ = ["BEGINNING", "SEARCHED", "KeptReadings", "begun_at", "instance_of", "is_false"]

KeptReadings: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What is kept of each reading of a claim."""

BEGINNING = ("verdict", "witness", "closest")
"""The facts of a reading with which a trial begins."""

SEARCHED = ("proved", "argued", "survived")
"""The verdicts before which a trial searches for a failure among listed and drawn instances."""

_LISTED, _DRAWN = 1, 4
"""So many of the listed instances are tried, and so many are drawn; more takes longer."""


def begun_at(statement: Statement | Open, kept: Mapping[str, Any] | None) -> Statement | Open:
    """Return the statement with the instances first at which its kept verdict is seen.

    Args:
        statement: The statement; a question has no instances, and is returned.
        kept: What an inventory keeps of the reading; None if it keeps nothing.

    Example:
        >>> from exactdp.claims import at_most, cases, for_all
        >>> squares = for_all(cases(n=range(100)), lambda n: at_most(n * n, 2000))
        >>> begun = begun_at(squares, {"verdict": "refuted", "witness": "n=45"})
        >>> next(iter(begun.instances(Effort.DEFAULT)))["n"]
        45
        >>> begun = begun_at(squares, {"verdict": "survived", "closest": "n=44"})
        >>> [at["n"] for at in begun.instances(Effort.DEFAULT)]
        [44, 0]
    """
    if isinstance(statement, Open) or kept is None:
        return statement
    if kept["verdict"] == "refuted":
        return replace(statement, instances=_Begun(statement, kept["witness"]))
    is_counted = statement.complete and statement.proof is None
    if kept["verdict"] not in SEARCHED or is_counted or statement.quantifier is Quantifier.SOME:
        return statement
    stands = kept["verdict"] == "survived"
    return replace(
        statement,
        proof=statement.proof and told_before(statement.proof),
        instances=_Begun(statement, kept.get("closest") if stands else None, _LISTED),
        strategy=statement.strategy if stands else None,
        draws=min(_DRAWN, statement.draws),
        far=None,
    )


class _Begun:
    """The kept instance, if the statement lists it, and then so many of the listed ones, or all."""

    def __init__(self, statement: Statement, text: str | None, most: int | None = None) -> None:
        self.statement, self.text, self.most = statement, text, most

    def __call__(self, effort: Effort) -> Iterator[Instance]:
        first = None if self.text is None else instance_of(self.statement, self.text)
        listed = islice(self.statement.instances(effort), self.most)
        return chain([] if first is None else [first], listed)


def instance_of(statement: Statement, text: str) -> Instance | None:
    """Return the instance that prints so: it is listed, or read; None if it is neither.

    An inventory may keep what a long search lists, or draws: numbers of the domain are read.
    """
    efforts = Effort.DEFAULT, Effort.DEEP
    listed: Iterable[Instance] = chain.from_iterable(map(statement.instances, efforts))
    if statement.read is not None:
        listed = [statement.read(text)]
    return next((at for at in chain(listed, _of_numbers(statement, text)) if str(at) == text), None)


def _of_numbers(statement: Statement, text: str) -> Iterator[Instance]:
    """Yield the instance of numbers that a text says, if the statement is about it."""
    domain = statement.domain
    parts = dict(part.partition("=")[::2] for part in text.split(", "))
    if domain is None or list(parts) != list(statement.variables):
        return
    values: dict[str, Any] = {}
    for name, kind in domain.kinds.items():
        try:
            number = Fraction(parts[name])
        except (ValueError, ZeroDivisionError):  # it is no number
            return
        values[name] = int(number) if isinstance(kind, Numbers) and kind.whole else number
    at = Instance.of(**{name: values[name] for name in parts})
    if domain.admits(at.mapping()):
        yield at


def is_false(statement: Statement, witness: str) -> bool:
    """Return whether a statement certainly does not fail at its kept witness.

    Where others than numbers are drawn they are not found by their text: nothing is known of them.
    """
    if statement.quantifier is Quantifier.SOME:
        return False
    at = instance_of(statement, witness)
    if at is None:
        named = ", ".join(f"{re.escape(name)}=.*" for name in statement.variables)
        kinds = () if statement.domain is None else statement.domain.kinds.values()
        is_drawn = statement.strategy is not None and re.fullmatch(named, witness, re.DOTALL)
        return not is_drawn or all(isinstance(kind, Numbers) for kind in kinds)
    return statement.holds(at).truth.is_possible
