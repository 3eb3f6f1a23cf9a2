"""Answers of profiles as values: enclosures, the largest and the smallest of several, at reals.

δ falls in ε, ε in δ, and the type II error in the level. So an answer at a computable real, such as
an ε of sqrt(2), lies between those at the rational numbers beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce, wraps
from inspect import unwrap
from typing import Any, TypeVar, cast

from flint import arb

from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Real,
    enclosure,
    working_bits,
)
from exactdp.numbers.arguments import NumberLike, epsilon_or_real, number
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import answers
from exactdp.numbers.reals import larger_number
from exactdp.numbers.validated import validated

__all__ = [
    "QUESTIONS",
    "Bounds",
    "at_reals",
    "at_target",
    "difference",
    "enclosed",
    "enclosed_at",
    "largest",
    "one_difference",
    "smallest",
    "told",
]

BOUND_BITS = 128
"""Bits of balls of which an end is a bound: so few widen none that anybody prints."""

WIDE = Fraction(1, 8)
"""The relative width of a number of which only the size matters."""

LIMIT_BITS = 1 << 12
"""Bits up to which a δ or an α is told from a limit; beyond them the question is undecided."""

QUESTIONS = ("delta", "epsilon", "trade_off")
"""The methods that fall in their argument."""

_INSTEAD, _WIDTH_INSTEAD = 'relative_width="1e-9"', Fraction(1, 10**9)
"""The relative width of an enclosure where a number is too long, in words too."""

_WORK_INSTEAD, _WORK_OF_ADVICE = 2_000_000, 200_000
"""The operations for it, and those to see whether it can be advised: a refusal comes at once."""

_USUAL_WIDTH = Fraction(1, 10**15)
"""The relative width of a number between two, where none is asked for."""

_BITS = (96, 192, 384)
"""How near the two numbers lie to the real, beyond the width: where δ is steep, nearer."""

_MARK = "is_asked_at_reals"
"""The attribute of a method that answers at computable reals already."""

A = TypeVar("A")
F = TypeVar("F", bound=Callable[..., Any])


def enclosed(value: Number | Enclosure, relative_width: RationalLike) -> Enclosure:
    """Return a number as an enclosure of a relative width; an enclosure as it is."""
    if isinstance(value, Enclosure):
        return value
    if isinstance(value, Exact) and value.is_rational:
        return Enclosure(value.as_fraction(), value.as_fraction())
    width = checked_width(relative_width)
    bits = width.denominator.bit_length() - width.numerator.bit_length() + 2
    return enclosure(value, relative_bits=max(8, bits))


def enclosed_at(value: Number, bits: int) -> Enclosure:
    """Return an enclosure of a number of at least 0 by balls of so many bits; a rational as it is.

    Example:
        >>> from exactdp.numbers import exp
        >>> found = enclosed_at(exp(Exact(1)), 64)
        >>> found.contains(Exact.exp(1)), found.width < Fraction(1, 2**50)
        (True, True)
    """
    if isinstance(value, Exact) and value.is_rational:
        return Enclosure(value.as_fraction(), value.as_fraction())
    low, high = endpoints(value.ball(bits))
    return Enclosure(max(low, Fraction(0)), max(high, Fraction(0)))


@validated
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Bounds(Enclosure):
    """An enclosure whose ends are bounds of different origin.

    Attributes:
        lower_by: What the lower end is the δ or ε of.
        upper_by: What the upper end is the δ or ε of.

    Example:
        >>> Bounds(Fraction(1, 4), Fraction(1, 2), lower_by="one pair", upper_by="a theorem")
        Bounds([0.250, 0.500], lower end of one pair, upper end of a theorem)
    """

    lower_by: str = field()
    upper_by: str = field()

    def __float__(self) -> float:
        """Refuse: each end is the value of something else."""
        raise DomainError(
            f"{self} are bounds, which no one double stands for. Take float_below(x) or "
            "float_above(x)."
        )

    def __repr__(self) -> str:
        return f"Bounds({self}, lower end of {self.lower_by}, upper end of {self.upper_by})"


def told(ask: Callable[[Fraction], Enclosure], target: Exact, width: Fraction) -> Enclosure:
    """Return a value to a relative width, or wider where that tells it from a target.

    Args:
        ask: An enclosure of the value, of a relative width.
        target: What it is compared with.
        width: The narrowest that is asked for.

    Example:
        >>> widths = []
        >>> def ask(width):
        ...     widths.append(width)
        ...     return Enclosure(Fraction(1), 1 + width)
        >>> told(ask, Exact(2), Fraction(1, 10**6)).upper, widths
        (Fraction(9, 8), [Fraction(1, 8)])
        >>> told(ask, Exact("1.01"), Fraction(1, 10**6)).upper
        Fraction(513, 512)
    """
    tried = max(width, WIDE)
    while True:
        found = ask(tried)
        if found.is_above(target) is not None or tried == width:
            return found
        if found.is_narrow(width):
            return found
        tried = max(width, tried / 64)


def difference(p: Exact, q: Exact, gamma: Exact) -> Number:
    """Return p − γ·q: exact if all are rational or γ = 1, else as balls.

    γ may have another rate than p and q, as those of two doubles: a common rate might be tiny.
    """
    if gamma == 1 or (p.is_rational and q.is_rational and gamma.is_rational):
        return p - gamma * q
    return Real(partial(_difference_ball, p, q, gamma), "p - gamma*q")


def _difference_ball(p: Exact, q: Exact, gamma: Exact) -> arb:
    bits = working_bits()
    return p.ball(bits) - gamma.ball(bits) * q.ball(bits)


def one_difference(p: Exact, q: Exact, gamma: Exact) -> Number:
    """Return p − γ·q: exact where the three have one rate, so that it may be 0; else as balls.

    Example:
        >>> one_difference(Exact.exp(1), Exact(1), Exact.exp(1))
        Exact('0')
    """
    of_one_rate = len({p.rate, q.rate, gamma.rate} - {0}) < 2
    return p - gamma * q if of_one_rate else difference(p, q, gamma)


def largest(answers: Sequence[A]) -> A:
    """Return the largest of several answers; if one is an enclosure, an enclosure of it."""
    values: list[Any] = list(answers)
    found: Any
    if all(isinstance(one, Epsilon) for one in values):
        found = max(values)
    elif any(isinstance(one, Epsilon) and one.is_infinite for one in values):
        found = Epsilon.infinity()
    else:
        values = [one.nats if isinstance(one, Epsilon) else one for one in values]
        if any(isinstance(one, Enclosure) for one in values):
            ends = [enclosed(one, "1e-15") for one in values]
            found = _between(
                max(ends, key=lambda one: one.lower), max(ends, key=lambda one: one.upper)
            )
        else:
            found = reduce(larger_number, values)
    return cast("A", found)


def smallest(answers: Sequence[A]) -> A:
    """Return the smallest of several answers; if one is an enclosure, an enclosure of it.

    Example:
        >>> smallest([Exact("1/2"), Exact("1/3")])
        Exact('1/3')
    """
    finite = [x for x in answers if not (isinstance(x, Epsilon) and x.is_infinite)]
    epsilons = [x for x in finite if isinstance(x, Epsilon)]
    if len(epsilons) == len(finite):
        return cast("A", min(epsilons, default=Epsilon.infinity()))
    values: list[Any] = [x.nats if isinstance(x, Epsilon) else x for x in finite]
    if not any(isinstance(one, Enclosure) for one in values):
        return cast("A", -reduce(larger_number, [-one for one in values]))
    ends = [enclosed(one, "1e-15") for one in values]
    low, high = min(ends, key=lambda one: one.lower), min(ends, key=lambda one: one.upper)
    return cast("A", _between(low, high))


def _between(low: Enclosure, high: Enclosure) -> Enclosure:
    """Return the lower end of one enclosure and the upper one of another; bounds if one is."""
    if not (isinstance(low, Bounds) or isinstance(high, Bounds)):
        return Enclosure(low.lower, high.upper)
    lower_by = low.lower_by if isinstance(low, Bounds) else "one pair"
    upper_by = high.upper_by if isinstance(high, Bounds) else "one pair"
    return Bounds(low.lower, high.upper, lower_by, upper_by)


def at_reals(method: F) -> F:
    """Return a method of a profile that answers at numbers that are not rational, too.

    Where no width is asked and the exact answer is too long, it is an enclosure; an Epsilon asks
    for an exact one.

    Args:
        method: Answers at an exact number, its first argument; its answer falls in it, or rises in
            an order.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> noise = gaussian_mechanism(sigma=1)
        >>> noise.delta("sqrt(2)")
        Enclosure([0.065968615485920341, 0.065968615485920342])
        >>> noise.epsilon("sqrt(2)/1000000", relative_width="1e-6")
        Enclosure([4.81318458, 4.81318619])
        >>> noise.renyi("sqrt(2)")  # sqrt(2)/2
        Enclosure([0.70710678118654752, 0.70710678118654753])
    """
    if _MARK in vars(method):
        return method
    name = unwrap(method).__code__.co_varnames[1]

    @wraps(method)
    def ask(self: Any, at: Any = None, *rest: Any, **more: Any) -> Any:
        __tracebackhide__ = True
        given = more.get(name) if at is None else at
        real = _real(given, name) if isinstance(given, str | Real | Exact) else None
        if real is None:
            args = (self, *(() if at is None else (at,)), *rest)
            try:
                return method(*args, **more)
            except TooLargeError as error:
                if more.get("relative_width") is not None:
                    raise
                is_exact = isinstance(given, Epsilon)
                work = _WORK_OF_ADVICE if is_exact else _WORK_INSTEAD
                instead = _enclosed_instead(partial(method, *args, **more), error, work)
                if is_exact:
                    advice = "" if _INSTEAD in str(error) else f" Or pass {_INSTEAD}."
                    raise TooLargeError(f"{error}{advice}") from None
                return instead
        width = more.get("relative_width")
        usual = _USUAL_WIDTH if width is None else checked_width(width)
        found = None
        for bits in _BITS:
            ends = _beside(real, usual, bits)
            if name in ("delta", "alpha") and (ends[0] > 1 or ends[1] < 0):
                raise DomainError(
                    f"{name}={given} is not a probability. Pass a number from 0 to 1."
                )
            if name == "order" and ends[0] <= 0:
                raise DomainError(f"order={given} must be above 0 and not 1. Pass one there.")
            sides = [ask(self, x, relative_width=width) for x in ends]
            low, high = sides if name == "order" else sides[::-1]  # D_a is larger where a is
            found = _between_answers(low, high, usual)
            if isinstance(found, Epsilon) or _is_narrow(found, sides, usual):
                break
        return found

    vars(ask)[_MARK] = True
    return ask  # type: ignore[return-value]


def _enclosed_instead(
    ask: Callable[..., Any], error: TooLargeError, work: int
) -> Enclosure | Epsilon:
    """Return an enclosure of a number that is too long, or refuse it."""
    found: Enclosure | Epsilon
    for _, found in answers(lambda width: ask(relative_width=width), [_WIDTH_INSTEAD], work=work):
        if isinstance(found, Epsilon) or found.is_narrow(_WIDTH_INSTEAD):
            return found
        raise TooLargeError(f"{error} All that a relative_width gives is {found:.3g}.")
    raise error


def _beside(real: Number, width: Fraction, bits: int = _BITS[0]) -> tuple[Exact, Exact]:
    """Return rational numbers on both sides of one, much closer than a relative width."""
    near = enclosure(real, relative_bits=bits + width.denominator.bit_length())
    return Exact(Fraction(near.lower)), Exact(Fraction(near.upper))


def _between_answers(low: Any, high: Any, width: Fraction) -> Enclosure | Epsilon:
    """Return the enclosure between two answers, of which the first is the smaller."""
    infinite = [isinstance(one, Epsilon) and one.is_infinite for one in (low, high)]
    if all(infinite):
        return Epsilon.infinity()
    if any(infinite):
        raise UndecidedError(
            "the answer is finite on one side of the number and infinite on the other. Give a "
            "number that is a fraction."
        )
    ends = [enclosed(x.nats if isinstance(x, Epsilon) else x, width) for x in (low, high)]
    return _between(ends[0], ends[1])


def _is_narrow(found: Enclosure, sides: list[Any], width: Fraction) -> bool:
    """Return whether the two numbers are so near that their answers are told apart by little."""
    widths = [x.width for x in sides if isinstance(x, Enclosure)]
    return found.width <= 2 * max([*widths, width * found.upper])


def _real(given: Any, name: str) -> Real | Exact | None:
    """Return a number that is not exact as an argument; None if it is, or is none at all."""
    if isinstance(given, Exact) and (name not in ("epsilon", "order") or given.is_rational):
        return None
    if name == "epsilon":
        real = epsilon_or_real(given, name=name)
        return None if isinstance(real, Epsilon) else real
    found = number(given, name=name)
    is_exact = isinstance(found, Exact) and (name != "order" or found.is_rational)
    return None if is_exact else found


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
        Enclosure([6.450788, 6.450861])
    """
    at, level = epsilon_or_real(epsilon), number(delta, name="delta")
    if isinstance(at, Epsilon) and isinstance(level, Exact):
        return find(at, level, width)
    near = checked_width(width)
    nats = (at, at) if isinstance(at, Epsilon) else _beside(at, near)
    levels = _beside(level, near)
    found = [enclosed(find(*one, width), near) for one in zip(nats, levels, strict=True)]
    low, high = min(found, key=lambda x: x.lower), max(found, key=lambda x: x.upper)
    return _between(low, high)
