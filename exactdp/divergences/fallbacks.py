"""Fallbacks where the default width is not reached: a wider one, else a bound by Rényi divergences.

References: C. Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for Differential Privacy,
NeurIPS 2020, Proposition 12; I. Mironov, Rényi Differential Privacy, 2017, Proposition 1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from exactdp.divergences.chernoff import Bounded, chernoff_bound, chernoff_epsilon
from exactdp.divergences.values import enclosed
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, short
from exactdp.numbers.effort import NO_ANSWER, answers

__all__ = [
    "COARSER",
    "WORK",
    "first_reached",
    "least_bound",
    "looser_delta",
    "looser_epsilon",
    "upper_end",
]

A = TypeVar("A")

COARSER = Fraction(1, 10**3), Fraction(1, 10**2)
"""The widths that are tried where the one that is promised is not reached: they are still nearer
than a bound."""

WORK = 12_000_000
"""The operations of all widths where none is asked for: the first has half of them."""

_NARROW = Fraction(1, 10**4)
"""The relative width of a largest loss that is a bound of ε."""


def first_reached(
    ask: Callable[[Fraction], A], width: Fraction, *, work: int | None = None
) -> tuple[A, Fraction] | None:
    """Return an answer to a width, else to a thousandth or a hundredth, and that width.

    Args:
        ask: Returns an answer to a width, or raises TooLargeError or UndecidedError.
        width: The width.
        work: The operations of all; the first width has half of them, each other half of what is
            left. None for any.

    Example:
        >>> first_reached(lambda width: f"to {width}", Fraction(1, 100))
        ('to 1/100', Fraction(1, 100))
    """
    for tried in (width, *(coarser for coarser in COARSER if coarser > width)):
        work = None if work is None else work // 2
        for _, found in answers(ask, [tried], work=work):
            return found, tried
    return None


def least_bound(
    *ways: Callable[[], tuple[Fraction, str] | None], work: int | None = None
) -> tuple[Fraction, str] | None:
    """Return the least of the bounds that are known, each with its name; None of none."""
    found = answers(lambda way: way(), ways, refusals=NO_ANSWER, work=work)
    return min((one for _, one in found if one), key=lambda one: one[0], default=None)


def looser_delta(bounds: Bounded, epsilon: Epsilon) -> tuple[Fraction, str] | None:
    """Return an upper bound of δ(ε), and its name; None where none is known."""

    def chernoff() -> tuple[Fraction, str] | None:
        found = chernoff_bound(bounds, epsilon)
        return None if found is None else (found, "Chernoff's bound by Rényi divergences")

    return least_bound(chernoff)


def looser_epsilon(bounds: Bounded, delta: Exact) -> tuple[Fraction, str] | None:
    """Return an upper bound of ε(δ), and its name; None where none is known."""

    def chernoff() -> tuple[Fraction, str] | None:
        best = chernoff_epsilon(bounds, delta)
        return best and (best[0], f"the Rényi bound of order {short(best[1])}")

    def largest() -> tuple[Fraction, str] | None:
        top = upper_end(bounds.max_divergence(), _NARROW)
        return None if top is None else (top, "the largest loss")

    return least_bound(chernoff, largest)


def upper_end(nats: Number | Epsilon | Enclosure, width: Fraction) -> Fraction | None:
    """Return an upper bound, of a number to a relative width; None if it is infinite."""
    if isinstance(nats, Epsilon):
        if nats.is_infinite:
            return None
        nats = nats.nats
    return enclosed(nats, width).upper
