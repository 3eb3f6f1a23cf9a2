"""Which way a sum is answered: the one rule that reads the table of routes.

The cheapest route that can answer the question runs; where it fails, the next. What a route costs
is told by a plan, which has a price too: it is made only where the least that the route may cost is
below what another one does. If no route is left, the refusal names the narrowest width that one
was seen to reach: it is asked for before it is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice
from math import inf, isfinite
from typing import Generic, TypeVar

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, short
from exactdp.numbers.effort import first_answer
from exactdp.numbers.limits import effort_of_today
from exactdp.numbers.validated import validated
from exactdp.sums.lattices.fourier import WIDEST, TooFineError

__all__ = ["Route", "Routed", "Way", "answered", "between"]

S = TypeVar("S")

Way = Callable[[Fraction], Enclosure]
"""What returns an enclosure of a relative width."""

_SOON = 15_000_000
"""Operations that a refusal spends on one width, at most, as the table tells them."""

_DIGITS = 1000, 300, 100, 50, 30, 20, *range(15, 0, -1)
"""Digits of the widths at which a route is looked at that does not reach a narrower one."""


@validated
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Routed(Enclosure):
    """An enclosure that says which route it came by.

    Attributes:
        route: The name of the route, in words.
    """

    route: str

    def __repr__(self) -> str:
        return f"Enclosure({self})"


def between(lower: Fraction, upper: Fraction, *, by: Enclosure) -> Enclosure:
    """Return an enclosure that comes by the route of another, if that says one."""
    return Routed(lower, upper, by.route) if isinstance(by, Routed) else Enclosure(lower, upper)


@dataclass(frozen=True, slots=True)
class Route(Generic[S]):
    """A way to the mean of a sum: one algorithm with one proof of its errors.

    Attributes:
        name: What it does, in words that follow "by".
        way: Returns what answers the question to a relative width, or raises TooLargeError or
            UndecidedError; None if nothing does.
        cost: About how many operations it takes to a relative width, as ``exactdp.numbers.effort``
            counts them; infinity if it does not reach the width. It may refuse, too.
        least: What it takes at least, at no price.
        steps: How many times as long it takes to find where the mean crosses a target.
    """

    name: str
    way: Callable[[S], Way | None]
    cost: Callable[[S, Fraction], float]
    least: Callable[[S, Fraction], float] = lambda *_: 0
    steps: int = 8

    def answer(self, total: S, width: Fraction) -> Routed:
        """Return the enclosure found, with its route's name; a route must exist."""
        way = self.way(total)
        assert way is not None
        found = way(width)
        return Routed(found.lower, found.upper, self.name)

    def price(self, total: S, width: Fraction) -> float:
        """Return the cost; infinity if it is not told."""
        return first_answer(partial(self.cost, total, width), lambda: inf)


def answered(routes: Sequence[Route[S]], total: S, width: Fraction) -> Routed:
    """Return the enclosure of the cheapest route that reaches a width.

    Raises:
        TooLargeError: If no route is short enough.
        UndecidedError: If all were tried, and none is seen to reach the width.
    """
    able = [route for route in routes if route.way(total) is not None]
    failures: dict[str, Exception] = {}
    wider: list[tuple[Fraction, Route[S]]] = []
    for route in _cheapest_first(able, total, width):
        try:
            return route.answer(total, width)
        except (TooLargeError, UndecidedError) as error:
            failures[route.name] = error
            reached = _reached(error)
            wider += [(reached, route)] if reached else []
    for route in able:
        if route.name not in failures:
            ladder = (Fraction(1, 10**k) for k in _DIGITS)
            above = (at for at in ladder if at > width and route.price(total, at) < _SOON)
            wider += [(at, route) for at in islice(above, 1)]
    named = _reached_at_last(wider, total)
    if named is not None:
        is_open = len(failures) == len(able) and all(
            isinstance(e, UndecidedError) for e in failures.values()
        )
        kind = UndecidedError if is_open else TooLargeError
        raise kind(
            f"relative_width={short(width)} is below what is reached here. Ask for {named} or "
            "wider."
        )
    if failures:
        # What names a width named it in vain.
        *_, told = failures.values()
        raise TooFineError.at(inf) if isinstance(told, TooFineError) else told
    raise TooLargeError(
        f"no way to relative_width={short(width)} is known for such a sum. Take mechanisms of "
        "this library, or other numbers."
    )


def _cheapest_first(able: list[Route[S]], total: S, width: Fraction) -> Iterator[Route[S]]:
    """Yield the routes that reach a width; each is looked at when it may be the cheapest."""
    waiting = sorted(((route.least(total, width), route) for route in able), key=lambda x: x[0])
    looked: list[tuple[float, Route[S]]] = []
    while waiting or looked:
        looked.sort(key=lambda pair: pair[0])
        if waiting and (not looked or waiting[0][0] < looked[0][0]):
            _, route = waiting.pop(0)
            price = route.price(total, width)
            looked += [(price, route)] if price < inf else []
        else:
            yield looked.pop(0)[1]


def _reached(error: Exception) -> Fraction | None:
    """Return the relative width that a refusal says is reached, if it says one."""
    reached = error.reached if isinstance(error, TooFineError) else inf
    return Fraction(reached) if isfinite(reached) else None


def _reached_at_last(wider: list[tuple[Fraction, Route[S]]], total: S) -> str | None:
    """Return, as a text, the narrowest width that a route is seen to reach, the likeliest first."""
    for _ in range(effort_of_today().tries):
        if not wider:
            break
        likely, route = min(wider, key=lambda pair: pair[0])
        wider.remove((likely, route))
        text = _text(likely)
        if Fraction(text) >= WIDEST:
            break
        try:
            route.answer(total, Fraction(text))
        except (TooLargeError, UndecidedError) as error:
            wider.append((max(10 * likely, _reached(error) or likely), route))
        else:
            return text
    return None


def _text(reach: Fraction) -> str:
    """Return a width that is at least another, as a power of ten or with a digit."""
    if reach.numerator == 1 and str(reach.denominator).strip("0") == "1":
        return f"1e-{len(str(reach.denominator)) - 1}"
    return f"{float(reach) * 1.05:.1e}"
