"""Budgets of work for questions, counted in operations: no answer depends on a clock.

What calculates tells how much it is about to do (:func:`spend`): so many ball operations, points of
a transform, cells, words of long integers. An *operation* is what takes about a microsecond on an
ordinary processor; the weights are constants, so a question counts the same on every machine,
however busy it is. A block with a budget (:func:`within_work`) refuses what counts more.
What is remembered from earlier questions counts as if it were made anew (:func:`remembered`).

Of several ways to one answer, each of which may be too large, or may not tell it, the next one is
tried here alone (:func:`answers`, :func:`first_answer`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

from exactdp.errors import DomainError, ExactDPError, TooLargeError, UndecidedError
from exactdp.numbers.limits import Effort, effort_of_today

__all__ = ["NO_ANSWER", "OPERATIONS_A_SECOND", "TOO_MUCH", "answers", "first_answer", "remembered"]
__all__ += ["spend", "within_work"]

A = TypeVar("A")
F = TypeVar("F", bound=Callable[..., Any])
W = TypeVar("W")

OPERATIONS_A_SECOND = 1_000_000
"""About how many operations an ordinary processor does in a second; no clock is asked."""


class _Budget:
    """The operations that may still be spent, and the remembered results that are paid for.

    Attributes:
        limit: What was given.
        left: What is left of it, without what an inner budget has used so far.
        payer: The budget around it, if that is what limits this one.
        paid: Marks of remembered results.
    """

    __slots__ = ("left", "limit", "paid", "payer")

    def __init__(self, limit: int | None, payer: _Budget | None, paid: set[object]) -> None:
        self.limit = self.left = 1 << 200 if limit is None else limit
        self.payer, self.paid = payer, paid

    @property
    def used(self) -> int:
        return self.limit - max(self.left, 0)


class _SpentError(BaseException):
    """A budget is used up; only the block that gave it may catch this, no engine's handler."""

    def __init__(self, budget: _Budget) -> None:
        super().__init__()
        self.budget = budget


_BUDGET: ContextVar[_Budget | None] = ContextVar("_BUDGET", default=None)
"""The innermost budget of this thread; None if work is not counted."""


def spend(operations: int) -> None:
    """Count operations that are about to be done.

    Within :func:`within_work` the first that is too much ends the block. Nothing is counted
    elsewhere.
    """
    budget = _BUDGET.get()
    if budget is not None:
        budget.left -= operations
        if budget.left < 0:
            while budget.payer is not None:
                budget = budget.payer
            raise _SpentError(budget)


@contextmanager
def within_work(operations: int, refusal: ExactDPError | None = None) -> Iterator[_Budget]:
    """Refuse more operations than this in a block; of two budgets the smaller holds.

    What is in the block must bear a refusal anywhere, and keeps no answer that was given up. What
    is entered has ``used``, the operations that were counted.

    Args:
        operations: The budget.
        refusal: What is raised if the block counts more; a TooLargeError by default.

    Raises:
        TooLargeError: If the block counts more, and there is no other refusal.

    Example:
        >>> with within_work(100):
        ...     spend(60)
        ...     spend(60)
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: it takes more than 100 operations. Ask for a wider enclosure.
    """
    outer = _BUDGET.get()
    limit = operations if outer is None else min(operations, outer.left)
    budget = _Budget(limit, outer if limit < operations else None, outer.paid if outer else set())
    try:
        with _counted_by(budget, outer):
            yield budget
    except _SpentError as error:
        if error.budget is not budget:
            raise
        raise refusal or TooLargeError(
            f"it takes more than {operations:,} operations. Ask for a wider enclosure."
        ) from None


@contextmanager
def _counted_by(budget: _Budget, outer: _Budget | None) -> Iterator[None]:
    token = _BUDGET.set(budget)
    try:
        yield
    finally:
        _BUDGET.reset(token)
        if outer is not None:
            outer.left -= budget.used


def remembered(maxsize: int) -> Callable[[F], F]:
    """Keep the last results of a function, each of which costs as much as it took to make.

    A result is paid for once within a budget, whether an earlier question left it or not: so what
    is answered does not hang on what was asked before. What is made at one effort
    (``exactdp.numbers.limits``) is not taken at another.

    Example:
        >>> @remembered(maxsize=2)
        ... def square(x):
        ...     spend(60)
        ...     return x * x
        >>> square(3), square(3)
        (9, 9)
        >>> with within_work(100):
        ...     square(3), square(3), square(4)
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: it takes more than 100 operations. Ask for a wider enclosure.
    """

    def decorated(function: F) -> F:
        @lru_cache(maxsize)
        def made(_: Effort, *args: Hashable, **named: Hashable) -> tuple[Any, int, object]:
            outer, mark = _BUDGET.get(), object()
            budget = _Budget(None if outer is None else outer.left, outer, set())
            with _counted_by(budget, outer):
                found = function(*args, **named)
            if outer is not None:
                outer.paid.add(mark)
            return found, budget.used, mark

        @wraps(function)
        def call(*args: Hashable, **named: Hashable) -> Any:
            found, cost, mark = made(effort_of_today(), *args, **named)
            budget = _BUDGET.get()
            if budget is not None and mark not in budget.paid:
                budget.paid.add(mark)
                spend(cost)
            return found

        return cast("F", call)

    return decorated


Refusals = tuple[type[Exception], ...]
"""Errors that a way to an answer may end in."""

TOO_MUCH = TooLargeError, UndecidedError, OverflowError, MemoryError
"""What an answer ends in that would be too large, for doubles or the memory too, or is not told."""

NO_ANSWER = DomainError, *TOO_MUCH
"""What it ends in where there may be none, as of a divergence that is not known at an order."""


def answers(
    ask: Callable[[W], A],
    ways: Iterable[W],
    *,
    refusals: Refusals = TOO_MUCH,
    work: int | None = None,
) -> Iterator[tuple[W, A]]:
    """Yield the ways that have an answer, with it: the others are left out.

    Args:
        ask: Returns the answer of a way, or raises.
        ways: The ways, each of which is asked when the next is wanted.
        refusals: The errors by which a way says that it has none.
        work: The operations that each may take; None for any.

    Example:
        >>> def root(x):
        ...     if x < 0:
        ...         raise UndecidedError("x is negative. Take another.")
        ...     return x**0.5
        >>> list(answers(root, [4, -1, 9]))
        [(4, 2.0), (9, 3.0)]
    """
    for way in ways:
        try:
            with nullcontext() if work is None else within_work(work):
                found = ask(way)
        except refusals:
            continue
        yield way, found


def first_answer(*ways: Callable[[], A], refusals: Refusals = TOO_MUCH) -> A:
    """Return the answer of the first way that has one, or raise the refusal of the last.

    Args:
        ways: Return an answer, or raise; the best or cheapest one first.
        refusals: The errors by which a way says that it has none.

    Example:
        >>> def no():
        ...     raise TooLargeError("it has a million terms. Ask for a wider enclosure.")
        >>> first_answer(no, lambda: "a bound")
        'a bound'
        >>> first_answer(lambda: "a number", no)
        'a number'
        >>> first_answer(no)
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: it has a million terms. Ask for a wider enclosure.
    """
    *others, last = ways
    found = next(answers(lambda way: way(), others, refusals=refusals), None)
    return last() if found is None else found[1]
