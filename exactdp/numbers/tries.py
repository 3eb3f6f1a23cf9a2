"""Tries: several ways to one answer, each of which may be too large, or may not tell it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import TypeVar

from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers.effort import within_work

__all__ = ["NO_ANSWER", "TOO_MUCH", "answers", "first_answer"]

A = TypeVar("A")
W = TypeVar("W")

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
    """Return the answer of the first way that has one; what the last refuses is refused.

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
