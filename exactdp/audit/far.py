"""The search over the whole of a claim's domain: so many instances, of so much work each.

A walk (:mod:`exactdp.audit.walks`) goes from the ends of each variable to powers of two and ten and
on, draws in log scale, and climbs towards a failure: to the instance that is nearest to its end. It
ends after so many instances (:data:`TRIES`). One that counts more operations than its share
(:mod:`exactdp.numbers.effort`) is passed over, and so is one whose sizes are above a part of the
limits of :mod:`exactdp.numbers.limits`. No clock is read: what is found is a function of the claim.

Definitions: :func:`failure_far`, :data:`TRIES`, :data:`CODE`.
"""

from __future__ import annotations

from collections.abc import Callable

from exactdp.audit.walks import shrunk, walk
from exactdp.claims import Effort, Instance, Outcome, Statement
from exactdp.claims.general import said_of
from exactdp.claims.spread import FARTHEST
from exactdp.claims.terms import parts_of_term
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers.effort import within_work
from exactdp.numbers.limits import smaller_limits

__all__ = ["CODE", "TRIES", "failure_far"]

TRIES = {Effort.DEFAULT: 120, Effort.DEEP: 12_000}
"""The instances that a walk decides, and at most as many again from each of the two best ones; a
part (:data:`CODE`) of so many where more than arithmetic decides one, which takes longer."""

CODE = 4
"""See :data:`TRIES`."""

_SHARE = 200_000
"""The operations of one instance: some tenths of a second of an ordinary processor."""

_SMALLER = 300
"""Sizes are limited to one of so many parts: some tenths of a second instead of a minute."""

_ENGINE, _CODE, _QUANTITY = 4096, 1024, 64
"""The largest integers above their least, where the engine's work grows with them; where code of an
author computes at them, whose work nobody counts; and where that is a function of Coq's, too, whose
sums are over all that can happen."""

_REJECTED = 4
"""Of so many choices one is looked for that is in the domain."""

_PASSED_OVER = (TooLargeError, UndecidedError, MemoryError, OverflowError, RecursionError)
"""What an instance may raise that is too large: it is tried nowhere, and says nothing."""


def _decided(decide: Callable[[], Outcome]) -> Outcome | None:
    """Return what is decided, or None where that takes too much."""
    try:
        with smaller_limits(_SMALLER), within_work(_SHARE):
            return decide()
    except _PASSED_OVER:
        return None


def failure_far(
    statement: Statement, effort: Effort, outcome_of: Callable[[Instance], Outcome]
) -> Instance | None:
    """Return an instance over the whole domain at which a claim fails, or None.

    Args:
        statement: It has a strategy over its whole domain.
        effort: How much work is done.
        outcome_of: Decides the statement at an instance.
    """
    assert statement.far is not None

    def score(at: Instance) -> tuple[float, ...] | None:
        outcome = _decided(lambda: outcome_of(at))
        if outcome is None:
            return None
        if not outcome.truth.is_possible:
            return (1.0,)
        return (0.0, 0.0 if outcome.nearness is None else -outcome.nearness())

    found, raised = list[bool](), list[Exception]()

    def fails(at: Instance) -> bool:
        scored = score(at)
        return scored is not None and scored[0] == 1.0

    def watched(at: Instance) -> tuple[float, ...] | None:
        try:
            scored = score(at)
        except Exception as error:  # of the trial: the walk, which would hide it, ends here
            raised.append(error)
            return None
        if scored is not None and scored[0] == 1.0:
            found.append(True)
        return scored

    most = _farthest(statement)
    strategy, tries = statement.far(most, TRIES[effort]), TRIES[effort]
    tries //= 1 if most == FARTHEST else CODE
    if isinstance(strategy, list):  # all of them
        return next((at for at in strategy if fails(at)), None)
    best = walk(
        strategy,
        watched,
        tries=tries,
        seed=0 if effort is Effort.DEFAULT else None,
        same=2,
        rejected=_REJECTED,
        is_over=lambda: bool(found or raised),
        key=str,
    )
    if raised:
        raise raised[0]
    if best.score is None or best.score[0] < 1.0:
        return None
    failure: Instance = shrunk(strategy, best, fails)
    return failure


def _farthest(statement: Statement) -> int:
    """Return how far integers are tried: arithmetic is quick however large its numbers are."""
    said = said_of(statement)
    if said is None:
        return _CODE
    parts = list(parts_of_term(tuple((r.left, r.right) for r in said.relations)))
    heads = {part.head for part in parts}
    if "quantity" in heads:
        return _QUANTITY
    powers = [part.parts[1].head == "number" for part in parts if part.head == "pow"]
    return _ENGINE if heads & _GROWING or not all(powers) else FARTHEST


_GROWING = frozenset(("sum", "binomial", "shuffle"))
"""What takes longer for larger integers."""
