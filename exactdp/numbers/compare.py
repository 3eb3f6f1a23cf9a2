"""Three-valued order on numbers: the one place where balls are compared.

Who needs two values says which. ``certainly_below`` and ``certainly_not_below`` are both False
where nothing is decided: what follows one of them must be right in that case too.
``decided_below`` and ``decided_order`` raise there.
"""

from __future__ import annotations

from typing import Any, cast

from exactdp.errors import UndecidedError
from exactdp.numbers.balls import MAX_BITS, TOLD_BITS, precision
from exactdp.numbers.enclosures import Enclosure
from exactdp.numbers.epsilon import Epsilon
from exactdp.numbers.exact import Exact, ExactLike
from exactdp.numbers.order import Ordered, below
from exactdp.numbers.reals import Number, Real
from exactdp.numbers.validated import validated
from exactdp.truth import Truth

__all__ = [
    "certainly_below",
    "certainly_not_below",
    "decided_below",
    "decided_order",
    "is_below",
    "is_log_below",
    "is_ratio_above",
]


Comparable = Real | Epsilon | Enclosure | ExactLike | str
"""The types that can be compared: numbers, and what lies between two."""


@validated
def is_below(a: Comparable, b: Comparable, *, max_bits: int = MAX_BITS) -> Truth:
    """Return whether a < b, decided by balls at rising precision.

    Two numbers of the exact field are always decided. Otherwise the answer is
    UNKNOWN when the balls still overlap at ``max_bits`` bits: they may be equal. So it is of an
    enclosure that does not lie all on one side.

    Example:
        >>> from exactdp.numbers import log, sqrt
        >>> is_below(log(2), Exact("0.6931472"))
        <Truth.TRUE: 'true'>
        >>> is_below(sqrt(2) * sqrt(2), Exact(2), max_bits=256)
        <Truth.UNKNOWN: 'unknown'>
        >>> is_below(0.1, "1/10"), is_below(Epsilon.log(2), 0.7)
        (<Truth.FALSE: 'false'>, <Truth.TRUE: 'true'>)
    """
    if not (isinstance(a, Number) and isinstance(b, Number)):
        try:
            return Truth.of(_ordered(a, "a") < _ordered(b, "b"))
        except UndecidedError:
            return Truth.UNKNOWN
    answer = below(a, b, max_bits=max_bits)
    return Truth.UNKNOWN if answer is None else Truth.of(answer)


def _ordered(value: Comparable, name: str) -> Any:
    return value if isinstance(value, Ordered) else Exact(cast("ExactLike", value), name=name)


@validated
def certainly_below(a: Number, b: Number, *, max_bits: int = MAX_BITS) -> bool:
    """Return whether a < b is proved; False where a >= b, and where balls do not tell.

    Example:
        >>> from exactdp.numbers import sqrt
        >>> certainly_below(sqrt(2) * sqrt(2), Exact(2), max_bits=256)
        False
        >>> certainly_not_below(sqrt(2) * sqrt(2), Exact(2), max_bits=256)
        False
    """
    return is_below(a, b, max_bits=max_bits).is_certain


@validated
def certainly_not_below(a: Number, b: Number, *, max_bits: int = MAX_BITS) -> bool:
    """Return whether a >= b is proved; False where a < b, and where balls do not tell."""
    return not is_below(a, b, max_bits=max_bits).is_possible


@validated
def decided_below(a: Number, b: Number, *, max_bits: int = MAX_BITS, advice: str) -> bool:
    """Return whether a < b.

    Args:
        a: A number.
        b: Another.
        max_bits: The precision at which balls give up.
        advice: The way out that the error then says.

    Raises:
        UndecidedError: If balls do not tell.

    Example:
        >>> from exactdp.numbers import sqrt
        >>> decided_below(sqrt(2) * sqrt(2), Exact(2), max_bits=64, advice="Take another.")
        Traceback (most recent call last):
        ...
        exactdp.errors.UndecidedError: Take another.
    """
    found = is_below(a, b, max_bits=max_bits)
    if found.is_open:
        raise UndecidedError(advice)
    return found.is_certain


@validated
def decided_order(a: Number, b: Number, *, max_bits: int = MAX_BITS, advice: str) -> int:
    """Return the sign of a − b: −1, 0 or 1; arguments and errors as of :func:`decided_below`.

    Example:
        >>> decided_order(Exact.exp(1), Exact(3), advice="")
        -1
        >>> decided_order(Exact("1/2"), Exact("0.5"), advice="")
        0
    """
    if decided_below(a, b, max_bits=max_bits, advice=advice):
        return -1
    return int(decided_below(b, a, max_bits=max_bits, advice=advice))


def is_log_below(gamma: Exact, top: Epsilon | Number) -> Truth:
    """Return whether ln γ < a bound in nats; two epsilons are always decided.

    Logarithms say it for γ as large as e^(10^300); where they are too near, e^bound does, which is
    exact, but may be long.

    Example:
        >>> is_log_below(Exact.exp(1) + Exact("1e-9000"), Epsilon.rational(1))
        <Truth.FALSE: 'false'>
    """
    nats = top.nats if isinstance(top, Epsilon) else top
    found = is_below(Epsilon(gamma).nats, nats, max_bits=TOLD_BITS)
    return Truth.of(gamma < top.exp) if found.is_open and isinstance(top, Epsilon) else found


@validated
def is_ratio_above(a: Exact, b: Exact, threshold: Exact) -> bool:
    """Return whether a > threshold * b, exactly; b and threshold are at least 0.

    Balls decide almost every case without multiplying long polynomials; what they
    leave open is decided in the field.

    Example:
        >>> is_ratio_above(Exact.exp(1), Exact(2), Exact("1.35"))
        True
        >>> is_ratio_above(Exact.exp(1), Exact.exp("1/2"), Exact.exp("1/2"))
        False
    """
    for bits in (64, 256):
        left, right, factor = a.ball(bits), b.ball(bits), threshold.ball(bits)
        with precision(bits):
            product = right * factor
            if left > product:
                return True
            if left < product:
                return False
    return a > threshold * b
