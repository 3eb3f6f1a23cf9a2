"""Questions at numbers that are not exact, such as an epsilon of sqrt(2): from both sides of them.

δ falls in ε, ε in δ, and the type II error in the level. So an answer at a computable real lies
between those at the rational numbers next to it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from exactdp.divergences.values import enclosed, enclosure_between
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Real,
    enclosure,
)
from exactdp.numbers.arguments import NumberLike, epsilon_or_real, number
from exactdp.numbers.arguments import relative_width as checked_width

__all__ = [
    "QUESTIONS",
    "_beside",
    "_between",
    "at_reals",
    "at_target",
    "is_asked_at_reals",
]

QUESTIONS = ("delta", "epsilon", "trade_off")
"""The methods that fall in their argument."""

_USUAL_WIDTH = Fraction(1, 10**15)
"""The relative width of a number between two, where none is asked for."""

_BITS = (96, 192, 384)
"""How near the two numbers lie to the real, beyond the width: where δ is steep, nearer."""

_MARK = "is_asked_at_reals"

T = TypeVar("T", bound=Callable[..., Any])


def is_asked_at_reals(method: Any) -> bool:
    """Return whether a method answers at computable reals already."""
    return _MARK in getattr(method, "__dict__", {})


def at_reals(method: T) -> T:
    """Return a method of a profile that answers at computable reals, too.

    Args:
        method: Answers at an exact number, its first argument; its answer falls in it.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> noise = gaussian_mechanism(sigma=1)
        >>> noise.delta("sqrt(2)", relative_width="1e-6")
        Enclosure([0.06190265, 0.06190266])
        >>> noise.epsilon("sqrt(2)/1000000", relative_width="1e-6")
        Enclosure([4.827148, 4.827151])
    """
    name = [*signature(method).parameters][1]

    @wraps(method)
    def ask(self: Any, at: Any = None, *rest: Any, **more: Any) -> Any:
        __tracebackhide__ = True
        given = more.get(name) if at is None else at
        real = _real(given, name) if isinstance(given, str | Real | Exact) else None
        if real is None:
            return method(self, *(() if at is None else (at,)), *rest, **more)
        width = more.get("relative_width")
        usual = _USUAL_WIDTH if width is None else checked_width(width)
        found = None
        for bits in _BITS:
            ends = _beside(real, usual, bits)
            if name != "epsilon" and (ends[0] > 1 or ends[1] < 0):
                raise DomainError(
                    f"{name}={given} is not a probability. Pass a number from 0 to 1."
                )
            sides = [method(self, x, relative_width=width) for x in ends]
            found = _between(sides[1], sides[0], usual)
            if isinstance(found, Epsilon) or _is_narrow(found, sides, usual):
                break
        return found

    vars(ask)[_MARK] = True
    return ask  # type: ignore[return-value]


def _beside(real: Number, width: Fraction, bits: int = _BITS[0]) -> tuple[Exact, Exact]:
    """Return rational numbers on both sides of one, much closer than a relative width."""
    near = enclosure(real, relative_bits=bits + width.denominator.bit_length())
    return Exact(Fraction(near.lower)), Exact(Fraction(near.upper))


def _between(low: Any, high: Any, width: Fraction) -> Enclosure | Epsilon:
    """Return what lies between two answers, of which the first is the smaller."""
    infinite = [isinstance(one, Epsilon) and one.is_infinite for one in (low, high)]
    if all(infinite):
        return Epsilon.infinity()
    if any(infinite):
        raise UndecidedError(
            "the answer is finite on one side of the number and infinite on the other. Give a "
            "number that is a fraction."
        )
    ends = [enclosed(x.nats if isinstance(x, Epsilon) else x, width) for x in (low, high)]
    return enclosure_between(ends[0], ends[1])


def _is_narrow(found: Enclosure, sides: list[Any], width: Fraction) -> bool:
    """Return whether the two numbers are so near that their answers are told apart by little."""
    widths = [x.width for x in sides if isinstance(x, Enclosure)]
    return found.width <= 2 * max([*widths, width * found.upper])


def _real(given: Any, name: str) -> Real | Exact | None:
    """Return a number that is not exact as an argument; None if it is, or is none at all."""
    if name == "epsilon":
        real = epsilon_or_real(given, name=name)
        return None if isinstance(real, Epsilon) else real
    found = number(given, name=name)
    return found if isinstance(found, Real) else None


def at_target(
    find: Callable[[Any, Any, RationalLike], Any],
    epsilon: EpsilonLike,
    delta: NumberLike,
    width: RationalLike,
) -> Any:
    """Return the parameter that meets (ε, δ); where these are not exact, between both sides.

    Args:
        find: Returns it for an exact ε and δ and a relative width; it is monotone in both.
        epsilon: ε in nats.
        delta: δ.
        width: The relative width.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.divergences import calibrated
        >>> calibrated(gaussian_mechanism, epsilon="log(3)/2", delta="1e-5", relative_width="1e-4")
        Enclosure([6.6834, 6.6837])
    """
    at, level = epsilon_or_real(epsilon), number(delta, name="delta")
    if isinstance(at, Epsilon) and isinstance(level, Exact):
        return find(at, level, width)
    near = checked_width(width)
    nats = (at, at) if isinstance(at, Epsilon) else _beside(at, near)
    levels = _beside(level, near)
    found = [enclosed(find(*one, width), near) for one in zip(nats, levels, strict=True)]
    low, high = min(found, key=lambda x: x.lower), max(found, key=lambda x: x.upper)
    return enclosure_between(low, high)
