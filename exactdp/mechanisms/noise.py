"""What the mechanisms that add noise share: checks, and calibration to a target.

Sensitivity is Δ = max |f(D) − f(D')| over neighbors. Under add/remove neighbors a count
has Δ = 1; a sum of values in [0, B] has Δ = B under either relation, of values in
[−B, B] it has Δ = B under add/remove and 2B under replace. A mechanism here is told Δ
and knows nothing of the relation: it stands for the pair f = 0 against f = Δ.

Definitions: :func:`positive_number`, :func:`nonnegative_epsilon`, :func:`target_delta`,
:func:`smallest_scale`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    enclosure,
    fraction_of,
    is_below,
    rational,
)
from exactdp.truth import Truth

__all__ = ["nonnegative_epsilon", "positive_number", "smallest_scale", "target_delta"]

Parameter = RationalLike | Exact | Real
"""What a parameter of a mechanism may be given as."""


def positive_number(value: Parameter, *, name: str) -> Number:
    """Return a positive number: exact, or computable if it was.

    Raises:
        DomainError: If it is a float, or not certainly positive.

    Example:
        >>> positive_number("3/2", name="sigma")
        Exact('3/2')
    """
    number = value if isinstance(value, Exact | Real) else Exact(rational(value, name=name))
    if is_below(Exact(0), number) is not Truth.TRUE:
        raise DomainError(f"{name}={number} is not positive. Pass a positive number.")
    return number


def nonnegative_epsilon(epsilon: Epsilon | RationalLike) -> Epsilon:
    """Return a finite Epsilon of at least 0; a rational number is read as nats.

    Raises:
        DomainError: If it is a float, infinite or negative.

    Example:
        >>> nonnegative_epsilon("1/2")
        Epsilon.rational('1/2')
    """
    value = epsilon if isinstance(epsilon, Epsilon) else Epsilon.rational(epsilon)
    if value.is_infinite or value.exp < 1:
        raise DomainError(f"epsilon={value!r} must be finite and at least 0 (nats).")
    return value


def target_delta(delta: Exact | RationalLike) -> Exact:
    """Return a δ with 0 < δ < 1.

    Raises:
        DomainError: If it is a float, or not strictly between 0 and 1.

    Example:
        >>> target_delta("1e-10") == Exact("1e-10")
        True
    """
    value = delta if isinstance(delta, Exact) else Exact(rational(delta, name="delta"))
    if value.sign() <= 0 or value >= 1:
        raise DomainError(f"delta={value} must be above 0 and below 1.")
    return value


def positive_width(relative_width: RationalLike) -> Fraction:
    """Return a relative width, above 0 and below 1.

    Raises:
        DomainError: If it is a float or out of range.
    """
    width = fraction_of(rational(relative_width, name="relative_width"))
    if not 0 < width < 1:
        raise DomainError(f"relative_width={relative_width} must be above 0 and below 1.")
    return width


def smallest_scale(
    delta_of: Callable[[Fraction], Number],
    *,
    delta: Exact,
    start: Fraction,
    relative_width: RationalLike,
) -> Enclosure:
    """Return an enclosure of the scale at which δ(scale) falls to a target, by bisection.

    Args:
        delta_of: δ as a function of the scale, falling.
        delta: The target.
        start: Any positive scale.
        relative_width: Of the enclosure.

    Returns:
        lower with δ(lower) > delta, upper with δ(upper) <= delta; both certified by
        evaluation, whether δ falls or not.

    Raises:
        UndecidedError: If a comparison cannot be decided, or no scale is enough.

    Example:
        >>> smallest_scale(
        ...     lambda b: Exact(1) / Exact(b), delta=Exact("1/3"), start=Fraction(1),
        ...     relative_width="1/100",
        ... ).contains(3)
        True
    """
    width = positive_width(relative_width)

    def is_enough(scale: Fraction) -> bool:
        # A tie of computable numbers cannot be seen; then neither can its answer.
        above = is_below(delta, delta_of(scale), max_bits=1 << 14)
        if above is Truth.UNKNOWN:
            raise UndecidedError(f"delta at scale={scale} cannot be told from the target.")
        return above is Truth.FALSE

    lower = upper = start
    for _ in range(4_000):
        if is_enough(upper):
            break
        upper *= 2
    else:
        raise UndecidedError("no scale below 2^4000 times the start meets the target.")
    for _ in range(4_000):
        if not is_enough(lower):
            break
        lower /= 2
    else:
        raise UndecidedError("every scale above 2^-4000 times the start meets the target.")
    if upper > start:
        lower = upper / 2
    elif lower < start:
        upper = lower * 2
    while upper - lower > width * lower:
        middle = (lower + upper) / 2
        if is_enough(middle):
            upper = middle
        else:
            lower = middle
    return Enclosure(lower, upper)


def outward(value: Number, *, relative_width: RationalLike) -> Enclosure:
    """Return an enclosure of a positive number that is not a point, for a strict bracket."""
    width = positive_width(relative_width)
    bits = (1 / width).__ceil__().bit_length() + 2
    ends = enclosure(value, relative_bits=bits)
    margin = ends.lower / 2**bits
    return Enclosure(ends.lower - margin, ends.upper + margin)
