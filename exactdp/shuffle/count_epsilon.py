"""The inverse of δ of count pairs: certified brackets of ε, and of the largest ε0.

δ is monotone in either, so a bracket is two points at which enclosures of δ lie on different
sides of the target. The points are proposed by the secant method on log δ; a proposal
closer to an end of the bracket than a third of the width wanted is moved inside by that
much, so that the last two steps close the bracket. Nothing but the certified comparisons
enters the answer.

Definitions: :func:`epsilon_enclosure`, :func:`crossing`, :func:`open_probability`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from exactdp.divergences import total_variation
from exactdp.divergences.validation import probability
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Enclosure, Exact, RationalLike, fmpq_of, precision
from exactdp.numbers.balls import endpoints
from exactdp.shuffle.count_delta import bits_of_width, delta_ball_within

if TYPE_CHECKING:
    from exactdp.shuffle.count_pairs import CountPair

__all__ = ["crossing", "epsilon_enclosure", "open_probability"]

_STEPS = 400
_EXACT_USERS = 40

DeltaAt = Callable[[Fraction, int], arb]
"""A ball around δ at a point, with so many bits of relative accuracy."""


def open_probability(delta: Exact | RationalLike) -> Exact:
    """Return δ, above 0 and below 1.

    Raises:
        DomainError: If it is not, or a float.
    """
    target = probability(delta, name="delta")
    if target == 0:
        raise DomainError("delta=0 is reached by no enclosure. Pass a delta above 0.")
    if target == 1:
        raise DomainError("delta=1 holds for every mechanism. Pass a delta below 1.")
    return target


def epsilon_enclosure(
    pair: CountPair, delta: Exact | RationalLike, *, width: RationalLike
) -> Enclosure:
    """Return an enclosure of the smallest ε >= 0 with δ(ε) <= delta (see CountPair.epsilon)."""
    target = open_probability(delta)
    accuracy, _ = bits_of_width(width)

    def delta_at(epsilon: Fraction, bits: int) -> arb:
        return delta_ball_within(pair, Exact.exp(epsilon), accuracy=bits)

    at_zero = delta_at(Fraction(0), accuracy)
    if not _is_above_at_zero(pair, target, accuracy):
        return Enclosure(Fraction(0), Fraction(0))
    _refuse_unreachable(pair, target)
    with precision(64):
        # As for a normal law: δ(0) is 0.4·σ, and δ(ε) falls like e^(−ε²/2σ²).
        guess = 5 * at_zero * (2 * (at_zero / target.ball(64)).log() + arb(1) / 16).sqrt() / 2
    return crossing(delta_at, target, first=_short(guess, 16), width=width, sign=-1)


def crossing(
    delta_at: DeltaAt, target: Exact, *, first: Fraction, width: RationalLike, sign: int
) -> Enclosure:
    """Return an enclosure, of relative width ``width``, of where a monotone δ crosses a target.

    Args:
        delta_at: Balls around δ at points above 0.
        target: The value to cross, positive.
        first: A first guess, positive.
        width: The relative width.
        sign: 1 if δ grows, and is not above the target near 0; −1 if it falls from above it.

    Raises:
        UndecidedError: If the steps do not suffice.

    Example:
        >>> def squares(x, bits):
        ...     return arb(fmpq_of(x * x))
        >>> root = crossing(squares, Exact(2), first=Fraction(1), width="1e-3", sign=1)
        >>> root.lower**2 <= 2 < root.upper**2
        True
    """
    accuracy, limit = bits_of_width(width)
    limit = min(limit, Fraction(1, 4))
    low, high, x = Fraction(0), None, first
    points: list[tuple[Fraction, arb]] = []
    widths: list[Fraction] = []
    for _ in range(_STEPS):
        value, is_above = _compared(delta_at, x, target, accuracy)
        if is_above is None:
            x += x * limit / 7  # δ is the target at x as far as can be seen: look beside it
            continue
        if is_above == (sign < 0):
            low = x
        else:
            high = x
        if high is not None and high - low <= limit * low:
            return Enclosure(low, high)
        if value > 0:
            with precision(accuracy + 32):
                points.append((x, (value / target.ball(accuracy + 32)).log().mid()))
        guess = _secant(points[-2:], accuracy)
        if high is None:
            x = guess if guess is not None and low < guess < 4 * low else 2 * low
            x = max(x, low + limit * low / 3)
            continue
        widths.append(high - low)
        is_slow = len(widths) > 4 and 4 * widths[-1] > widths[-5]
        if guess is None or is_slow or not low < guess < high:
            guess = (low + high) / 2
            widths = widths[-1:]
        step = limit * low / 3
        x = _short(_ball_of(min(max(guess, low + step), high - step), accuracy), accuracy + 8)
    raise UndecidedError(
        f"the crossing of delta={target} is above {low} and below {high}, but {_STEPS} steps did "
        "not narrow it further. Ask for a larger relative width."
    )


def _ball_of(value: Fraction, accuracy: int) -> arb:
    """Return a ball around a rational, with some bits more than ``accuracy``."""
    with precision(accuracy + 32):
        return arb(fmpq_of(value))


def _compared(
    delta_at: DeltaAt, x: Fraction, target: Exact, accuracy: int
) -> tuple[arb, bool | None]:
    """Return a ball around δ, and whether δ is above the target; None if that stays open."""
    for bits in (accuracy, 2 * accuracy, 4 * accuracy):
        value = delta_at(x, bits)
        with precision(bits + 32):
            bound = target.ball(bits + 32)
            if value > bound:
                return value, True
            if value < bound:
                return value, False
    return value, None


def _is_above_at_zero(pair: CountPair, target: Exact, accuracy: int) -> bool:
    def delta_at(epsilon: Fraction, bits: int) -> arb:
        return delta_ball_within(pair, Exact.exp(epsilon), accuracy=bits)

    _, is_above = _compared(delta_at, Fraction(0), target, accuracy)
    if is_above is not None:
        return is_above
    if pair.n <= _EXACT_USERS:
        return bool(total_variation(pair.pair()) > target)
    raise UndecidedError(
        f"delta={target} is δ at ε = 0 as far as {4 * accuracy} bits show. Pass another delta."
    )


def _refuse_unreachable(pair: CountPair, target: Exact) -> None:
    """Raise if no finite ε has δ(ε) <= target: only for b = 0, where Q vanishes on some counts."""
    a, b, r = max(pair.first, pair.second), min(pair.first, pair.second), pair.other
    if b != 0:
        return
    # a = 1: no letter 2 at all. a < 1: every user sends letter 1.
    with precision(128):
        share = 1 - r if a == 1 else r
        mass = a.ball(128) * share.ball(128) ** (pair.n - 1)
        if mass < target.ball(128):
            return
    raise DomainError(
        f"delta={target} is not above {mass.str(6, radius=False)}, the mass that P has where Q has "
        "none: no finite epsilon is certified. Pass a larger delta."
    )


def _secant(points: list[tuple[Fraction, arb]], accuracy: int) -> Fraction | None:
    """Return where the line through two points crosses zero."""
    if len(points) < 2:
        return None
    (x0, y0), (x1, y1) = points
    with precision(accuracy + 32):
        root = _ball_of(x1, accuracy) - y1 * _ball_of(x1 - x0, accuracy) / (y1 - y0)
    return _short(root, accuracy + 16) if root.is_finite() and root > 0 else None


def _short(value: arb, bits: int) -> Fraction:
    """Return a dyadic rational near the middle of a positive ball, of about ``bits`` bits."""
    middle = endpoints(value.mid())[0]
    places = bits + middle.denominator.bit_length() - middle.numerator.bit_length()
    scaled = middle * Fraction(2) ** places
    return Fraction(max(1, scaled.__round__())) / Fraction(2) ** places
