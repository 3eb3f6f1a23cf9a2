"""The search over the whole of a claim's domain: so many instances, of so much work each.

A walk (:mod:`exactdp.audit.walks`) goes from the ends of each variable to powers of two and ten and
on, draws in log scale, and climbs towards a failure: to the instance that is nearest to its end. It
ends after so many instances (:data:`TRIES`), or so many operations (:data:`WORK`), of the
engine (:mod:`exactdp.numbers.effort`) and of an author's code (:mod:`exactdp.audit.lines`). An
instance that counts more than its share is passed over, and so is one whose sizes are above a part
of the limits of :mod:`exactdp.numbers.limits`. Where the work grows with integers, they are tried
up to one end after another (:data:`ENDS`), until instances are passed over. No clock is read: what
is found is a function of the claim.

Definitions: :func:`failure_far`, :data:`TRIES`, :data:`WORK`, :data:`ENDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any

from exactdp.audit.lines import counted_lines, forget
from exactdp.audit.roots import failure_at_roots
from exactdp.audit.walks import Best, shrunk, walk
from exactdp.claims import Effort, Instance, Outcome, Statement
from exactdp.claims.general import said_of
from exactdp.claims.spread import FARTHEST
from exactdp.claims.terms import parts_of_term
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers.effort import within_work
from exactdp.numbers.limits import smaller_limits

__all__ = ["ENDS", "TRIES", "WORK", "failure_far"]

TRIES = {Effort.DEFAULT: 120, Effort.DEEP: 12_000}
"""The instances of arithmetic that a walk decides, and at most as many again from each of the two
best ones; fewer of what takes longer."""

WORK = {Effort.DEFAULT: 1_000_000, Effort.DEEP: 200_000_000}
"""The operations of all instances of a claim: about a second of an ordinary processor."""

_SHARE = 200_000
"""The operations of one instance."""

_EACH, _EACH_OF_CODE = 1_000, 20_000
"""What an instance counts at least: of arithmetic, and where an author's code decides it."""

_A_LINE = 10
"""What a line of an author's code counts, and one for each character of the instance: arithmetic is
slower with long numbers."""

_SMALLER = 300
"""Sizes are limited to one of so many parts: some tenths of a second instead of a minute."""

ENDS = {"arithmetic": (FARTHEST,), "engine": (64, 4096), "code": (16, 128, 1024)}
"""The largest integers above their least, one after another: arithmetic is quick however large its
numbers are; the engine's sums grow with them, and an author's code does what it does."""

_REJECTED = 4
"""The choices among which one instance of the domain is looked for."""

_PASSED_OVER = (TooLargeError, UndecidedError, MemoryError, OverflowError, RecursionError)
"""What an instance may raise that is too large: it is tried nowhere, and says nothing."""


class _Search:
    """The instances of one claim, and the work that is left for them.

    Attributes:
        is_code: Whether an author's code decides them, whose lines count.
        each: What an instance counts at least.
        left: The operations that are left.
        passed_over: Whether an instance took too much.
        raised: What the trial raised, which the walk would hide.
        failed: Whether an instance fails.
    """

    def __init__(self, outcome_of: Callable[[Instance], Outcome], *, is_code: bool) -> None:
        self.outcome_of, self.is_code, self.left = outcome_of, is_code, 0
        self.each = _EACH_OF_CODE if is_code else _EACH
        self.passed_over, self.failed = False, False
        self.raised: Exception | None = None

    @property
    def is_over(self) -> bool:
        return self.failed or self.raised is not None or self.left <= 0

    def outcome(self, at: Instance) -> Outcome | None:
        """Return the outcome of an instance, or None where that takes too much."""
        lines = counted_lines(_A_LINE + len(str(at))) if self.is_code else nullcontext()
        try:
            with smaller_limits(_SMALLER), within_work(_SHARE) as spent, lines:
                return self.outcome_of(at)
        except _PASSED_OVER:
            self.passed_over = True
            return None
        finally:
            self.left -= self.each + spent.used

    def score(self, at: Instance) -> tuple[float, ...] | None:
        """Return how near to failing an instance is, and first whether it fails."""
        try:
            outcome = self.outcome(at)
        except Exception as error:
            self.raised = error
            return None
        if outcome is None:
            return None
        if not outcome.truth.is_possible:
            self.failed = True
            return (1.0,)
        return (0.0, 0.0 if outcome.nearness is None else -outcome.nearness())

    def fails(self, at: Instance) -> bool:
        outcome = self.outcome(at)
        return outcome is not None and not outcome.truth.is_possible


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
    kind = _kind(statement)
    forget(_modules(statement))
    search = _Search(outcome_of, is_code=kind == "code")
    parts, ends = len(ENDS[kind]), ENDS[kind]
    if statement.domain is not None and not statement.domain.far_integers:
        ends = ends[:1]
    tries = TRIES[effort] // (parts * parts)
    for end in ends:
        strategy, search.left = statement.far(end, tries), WORK[effort] // parts
        if isinstance(strategy, list):  # all of them
            return next((at for at in strategy if search.fails(at)), None)
        best: Best = walk(
            strategy,
            search.score,
            tries=tries,
            seed=0 if effort is Effort.DEFAULT else None,
            same=2,
            rejected=_REJECTED,
            is_over=lambda: search.is_over,
            key=str,
        )
        if search.raised is not None:
            raise search.raised
        if search.failed:
            failure: Instance = shrunk(strategy, best, search.fails)
            return failure
        if search.passed_over:
            break
    if kind != "arithmetic":
        return None
    search.left = WORK[effort]
    at_root = failure_at_roots(statement, search.score, lambda: search.is_over)
    if search.raised is not None:
        raise search.raised
    return at_root


def _kind(statement: Statement) -> str:
    """Return the kind of a statement, by which integers are tried (:data:`ENDS`)."""
    said = said_of(statement)
    if said is None:
        return "code"
    parts = list(parts_of_term(tuple((r.left, r.right) for r in said.relations)))
    heads = {part.head for part in parts}
    if "quantity" in heads:
        return "code"
    powers = [part.parts[1].head == "number" for part in parts if part.head == "pow"]
    return "engine" if heads & _GROWING or not all(powers) else "arithmetic"


_GROWING = frozenset(("sum", "binomial", "shuffle"))
"""What takes longer for larger integers."""


def _modules(statement: Statement) -> Iterator[str]:
    """Yield the modules of the functions that decide a statement."""
    said = said_of(statement)
    parts = () if said is None else tuple((r.left, r.right) for r in said.relations)
    notions = (part.parts[0] for part in parts_of_term(parts) if part.head == "quantity")
    for one in (statement.says, *(notion.compute for notion in notions)):
        function: Any = one
        while isinstance(function, partial):
            function = function.func
        yield getattr(function, "__module__", None) or ""
