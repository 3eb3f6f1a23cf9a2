"""δ of a count pair as a number: which route, which precision, and the exact cases.

For γ = e^ε >= 1 and a >= b (exchanging the letters exchanges P and Q and changes no count's
law, so both directions are equal):

- a <= γ·b, and only then, δ = 0: no outcome has P > γ·Q;
- n = 1 or r = 0: δ = a − γ·b otherwise, the victim's letter being all there is;
- else a sum over the totals (``exactdp.shuffle.count_terms``), in machine numbers with a
  proven error where that is fast and narrow enough, and in balls where it is not.

For γ < 1, D_γ(P ‖ Q) = 1 − γ + γ·D_{1/γ}(Q ‖ P), whose last divergence is δ at 1/γ.

Definitions: :func:`delta_number`, :func:`delta_enclosure`, :func:`delta_ball_within`,
:func:`bits_of_width`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Exact,
    Number,
    RationalLike,
    Real,
    fraction_of,
    precision,
    rational,
    working_bits,
)
from exactdp.numbers.balls import endpoints
from exactdp.shuffle.count_balls import delta_ball
from exactdp.shuffle.count_floats import delta_ball_from_floats
from exactdp.shuffle.count_terms import CountTerms, positive_gap

if TYPE_CHECKING:
    from exactdp.shuffle.count_pairs import CountPair

__all__ = ["bits_of_width", "delta_ball_within", "delta_enclosure", "delta_number"]

MAX_WIDTH_BITS = 50_000
"""Narrower enclosures are refused: they would need hours."""

_FLOAT_BITS = 40
"""Up to this accuracy machine numbers are tried."""

_FLOAT_USERS = 10_000
"""From this many users on they are faster."""

_ATTEMPTS = 6


def delta_number(pair: CountPair, gamma: Exact) -> Number:
    """Return D_γ(P ‖ Q): exact in the exact cases, else a real that is computed when asked."""
    if gamma < 1:
        if gamma == 0:
            return Exact(1)
        inner = delta_number(pair, 1 / gamma)
        if isinstance(inner, Exact):
            return 1 - gamma + gamma * inner
        return (1 - gamma) + inner * gamma
    a, b = max(pair.first, pair.second), min(pair.first, pair.second)
    if _is_zero(a, b, gamma):
        return Exact(0)
    if (pair.n == 1 or pair.other == 0) and (a.is_rational or gamma.is_rational):
        return a - gamma * b

    def ball() -> arb:
        return delta_ball_within(pair, gamma, accuracy=working_bits())

    return Real(ball, f"delta of {pair.n:,} users")


def delta_enclosure(pair: CountPair, gamma: Exact, *, width: RationalLike) -> Enclosure:
    """Return an enclosure of D_γ(P ‖ Q) of relative width at most ``width``."""
    accuracy, limit = bits_of_width(width)
    if gamma == 0:
        return Enclosure(Fraction(1), Fraction(1))
    inner = gamma if gamma >= 1 else 1 / gamma
    for _ in range(_ATTEMPTS):
        ball = delta_ball_within(pair, inner, accuracy=accuracy)
        if gamma < 1:
            with precision(accuracy + 32):
                ball = (1 - gamma).ball(accuracy + 32) + gamma.ball(accuracy + 32) * ball
        lower, upper = endpoints(ball)
        if upper - lower <= limit * lower:
            return Enclosure(lower, upper)
        accuracy += 8
    raise UndecidedError(f"relative_width={width} was not reached. Ask for a larger one.")


def bits_of_width(width: RationalLike) -> tuple[int, Fraction]:
    """Return how many bits of relative accuracy a relative width needs, and the width.

    Raises:
        DomainError: If the width is not positive, or a float.
        TooLargeError: If it is below 2^-50000.

    Example:
        >>> bits_of_width("1e-9")[0]
        31
    """
    value = fraction_of(rational(width, name="relative_width"))
    if value <= 0:
        raise DomainError(
            f"relative_width={width} must be positive. For more digits pass a smaller one, such "
            'as "1e-30"; for an exact value use pair().'
        )
    bits = max(8, value.denominator.bit_length() - value.numerator.bit_length() + 2)
    if bits > MAX_WIDTH_BITS:
        raise TooLargeError(
            f"relative_width needs {bits:,} bits; the limit is {MAX_WIDTH_BITS:,}. Pass a larger "
            "one."
        )
    return bits, value


def delta_ball_within(pair: CountPair, gamma: Exact, *, accuracy: int) -> arb:
    """Return a ball around δ at γ >= 1 with about ``accuracy`` correct bits; 0 is exact.

    Raises:
        TooLargeError: If the sum has too many terms at this accuracy.
        UndecidedError: If the accuracy is not reached (which is not known to happen).
    """
    a, b = max(pair.first, pair.second), min(pair.first, pair.second)
    if _is_zero(a, b, gamma):
        return arb(0)
    if pair.n == 1 or pair.other == 0:
        return positive_gap(a, b, gamma, bits=accuracy + 4)
    bits = max(128, accuracy + pair.n.bit_length() + 48)
    for _ in range(_ATTEMPTS):
        terms = CountTerms(pair, gamma, bits=bits)
        if accuracy <= _FLOAT_BITS and pair.n >= _FLOAT_USERS:
            value = delta_ball_from_floats(terms, accuracy=accuracy)
            if value is not None:
                return value
        value = delta_ball(terms, accuracy=accuracy)
        if value.rel_accuracy_bits() >= accuracy:
            return value
        bits += bits // 2
    raise UndecidedError(
        f"n={pair.n:,}: {accuracy} bits were not reached with {bits:,} bits. Ask for a larger "
        "relative width."
    )


def _is_zero(a: Exact, b: Exact, gamma: Exact) -> bool:
    """Return whether a <= γ·b, without a product (whose rate might be tiny)."""
    return a == 0 if b == 0 else a / b <= gamma
