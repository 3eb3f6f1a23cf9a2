"""Which way a sum is answered: a table of routes, and the one rule that reads it.

A door has a table (``positive.ROUTES``, ``routes.ROUTES``). Of its routes those are taken that
can answer the sum and reach the width, the cheapest first; where one fails, the next. If none is
left, the refusal names the narrowest width that some route was seen to reach: it is asked for
before it is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite
from typing import Generic, TypeVar

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, short
from exactdp.numbers.validated import validated
from exactdp.sums.lattices.fourier import TooFineError

__all__ = [
    "DECADES",
    "Route",
    "Routed",
    "advised",
    "answered",
    "between",
    "counts_worth_doubles",
    "free",
    "is_doubles_width",
]

S = TypeVar("S")

_DOUBLES = Fraction(1, 10**10)
"""Doubles reach no relative width below."""

DECADES = tuple(Fraction(1, 10**k) for k in range(9, 1, -1))
"""The widths that a refusal tries in doubles."""

_WORTH = (Fraction(1, 10**7), 10_000), (_DOUBLES, 10**6)
"""Down to each width doubles take as long as so many counts, as measured."""

_ALL_COUNTS = 2 * 10**7
"""Counts above which a sum is refused count by count."""

_WIDEST = Fraction(1, 2)
"""A refusal names no width from here on: another way out is better."""

_TRIES = 4
"""Widths that a refusal asks for before it names none."""


@validated
@dataclass(frozen=True, slots=True)
class Routed(Enclosure):
    """An enclosure that says which route it came by.

    Attributes:
        route: The name of the route, in words.
    """

    route: str


def between(lower: Fraction, upper: Fraction, *, by: Enclosure) -> Enclosure:
    """Return an enclosure that comes by the route of another, if that says one."""
    return Routed(lower, upper, by.route) if isinstance(by, Routed) else Enclosure(lower, upper)


@dataclass(frozen=True, slots=True)
class Route(Generic[S]):
    """A way to the mean of a sum.

    Attributes:
        name: What it does, in words that follow "by".
        can: Whether it answers the sum at all.
        reach: The narrowest relative width that it is known to reach, of those from the one
            that is asked; None if it reaches none.
        cost: Less is tried sooner: seconds, or a place in an order that was measured.
        run: Returns the enclosure, or raises TooLargeError or UndecidedError.
        tries: Returns wider widths that a refusal tries, where only a run shows what is reached.
    """

    name: str
    can: Callable[[S], bool]
    reach: Callable[[S, Fraction], Fraction | None]
    cost: Callable[[S, Fraction], float]
    run: Callable[[S, Fraction], Enclosure]
    tries: Callable[[S], Sequence[Fraction]] = lambda _: ()

    def answer(self, total: S, width: Fraction) -> Routed:
        """Return what it finds, with its name."""
        found = self.run(total, width)
        return Routed(found.lower, found.upper, self.name)


def counts_worth_doubles(width: Fraction) -> int:
    """Return how many counts take about as long as doubles do; as many as can be beyond them."""
    return next((count for least, count in _WORTH if width >= least), _ALL_COUNTS)


def is_doubles_width(width: Fraction) -> bool:
    """Return whether doubles may reach a relative width."""
    return width >= _DOUBLES


def answered(routes: Sequence[Route[S]], total: S, width: Fraction) -> Routed:
    """Return the enclosure of the cheapest route that reaches a width.

    Raises:
        TooLargeError: If no route is short enough.
        UndecidedError: If all were tried, and none is seen to reach the width.
    """
    able = [route for route in routes if route.can(total)]
    failures: list[Exception] = []
    wider: list[Fraction] = []
    found = _first(able, total, width, failures, wider)
    if found is not None:
        return found
    raise _refusal(able, total, width, failures, wider)


def _first(
    able: Sequence[Route[S]],
    total: S,
    width: Fraction,
    failures: list[Exception],
    wider: list[Fraction],
) -> Routed | None:
    """Return what the cheapest route finds, and note why others did not, and what they reach."""
    for route in _cheapest_first(able, total, width):
        reach = route.reach(total, width)
        if reach is None or reach > width:
            wider += [reach] if reach is not None else []
            continue
        try:
            return route.answer(total, width)
        except (TooLargeError, UndecidedError) as error:
            failures.append(error)
    return None


def advised(ask: Callable[[Fraction], object], likely: Fraction) -> str | None:
    """Return, as a text, the narrowest width seen to be answered, from a likely one on.

    A width that does not serve is followed by one ten times as wide; after a few, or beyond a
    half, None.

    Args:
        ask: Returns an answer to a relative width, or raises TooLargeError or UndecidedError.
        likely: About the narrowest width that will do.

    Example:
        >>> def ask(width):
        ...     if width < Fraction(1, 100):
        ...         raise TooLargeError("too fine. Ask for a wider enclosure.")
        >>> advised(ask, Fraction(1, 2000)), advised(ask, Fraction(1, 3))
        ('5.3e-02', '3.5e-01')
        >>> advised(ask, Fraction(1, 10**9)) is None
        True
    """
    for i in range(_TRIES):
        text = _text(likely * 10**i)
        if Fraction(text) >= _WIDEST:
            return None
        with suppress(TooLargeError, UndecidedError):
            ask(Fraction(text))
            return text
    return None


def free(*_: object) -> float:
    """Return 0: the cost of a route that is run before others are priced."""
    return 0


def _cheapest_first(routes: Sequence[Route[S]], total: S, width: Fraction) -> Iterator[Route[S]]:
    yield from (route for route in routes if route.cost is free)
    priced = [(route.cost(total, width), i) for i, route in enumerate(routes)]
    yield from (routes[i] for _, i in sorted(priced) if routes[i].cost is not free)


def _refusal(
    routes: Sequence[Route[S]],
    total: S,
    width: Fraction,
    failures: Sequence[Exception],
    wider: list[Fraction],
) -> Exception:
    """Return the error that names the narrowest width which is reached, if one is known."""
    for error in failures:
        if isinstance(error, TooFineError) and isfinite(error.reached):
            wider.append(Fraction(error.reached))
    likely = min((at for at in wider if width < at < _WIDEST), default=_WIDEST)
    pairs = {(at, i) for i, route in enumerate(routes) for at in route.tries(total)}
    reach = None
    for at, i in sorted(pair for pair in pairs if width < pair[0] < likely):
        with suppress(TooLargeError, UndecidedError):
            routes[i].run(total, at)
            reach = _text(at)
            break

    def ask(at: Fraction) -> None:
        if _first(routes, total, at, [], []) is None:
            raise TooLargeError(f"{short(at)} is too narrow, too. Ask for a wider enclosure.")

    reach = reach or advised(ask, likely)
    if reach is None:
        # What names a width named it in vain.
        said = [TooFineError.at(inf) if isinstance(e, TooFineError) else e for e in failures]
        return next(iter(said[::-1]), None) or TooLargeError(
            f"no way to relative_width={short(width)} is known for such a sum. Take mechanisms of "
            "this library, or other numbers."
        )
    is_open = len(failures) == len(routes) and all(isinstance(e, UndecidedError) for e in failures)
    kind = UndecidedError if is_open else TooLargeError
    return kind(
        f"relative_width={short(width)} is below what is reached here. Ask for {reach} or wider."
    )


def _text(reach: Fraction) -> str:
    """Return a width that is at least another, as a power of ten or with a digit."""
    if reach.numerator == 1 and str(reach.denominator).strip("0") == "1":
        return f"1e-{len(str(reach.denominator)) - 1}"
    return f"{float(reach) * 1.05:.1e}"
