"""Digits of a number: rounded to a multiple of a scale, as a decimal, as ``format`` writes it.

And of two numbers with something between them: common digits, and a bracket (``bracketed``).

All of it rests on one operation, floor(x * scale) for a rational scale, which is
exact integer arithmetic for a rational x, and for any other number a refinement
of balls until the floor is certain. For a transcendental element of the exact
field that refinement ends (it never equals the rational boundary); for a
computable real it may not, and then says so.
"""

from __future__ import annotations

import math
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from typing import ClassVar, Self

from flint import arb, fmpq, fmpz

from exactdp.errors import DomainError, ExactDPError, UndecidedError
from exactdp.numbers.balls import (
    MAX_BITS,
    ceiling_of,
    floor_of,
    integer_in,
    precision,
    precisions,
    refuse_extreme_exponent,
)
from exactdp.numbers.effort import within_work

__all__ = [
    "HasDigits",
    "Rounding",
    "bracketed_decimal",
    "decimal_of",
    "double_of",
    "floor_of_log",
    "formatted",
    "padded",
    "padded_and_bare",
    "rounded",
    "short_repr",
    "sign_of",
]

_BESIDE = 2.0**-80
"""So near to a power of 2 in logarithm a number rounds to it, whichever side of it it is on."""
_SHOWN_AT, _DIGITS_SHOWN, _WORK_SHOWN = (128, 1024), 17, 1_000_000
"""Bits of the balls from which digits are printed, how many digits are, and operations for them."""


class Rounding(Enum):
    """The direction of a decimal: to nearest (ties to even), down or up."""

    NEAREST = "nearest"
    DOWN = "down"
    UP = "up"

    @property
    def mirrored(self) -> Rounding:
        """The direction of −x that gives the same number."""
        return {Rounding.UP: Rounding.DOWN, Rounding.DOWN: Rounding.UP}.get(self, self)


class HasDigits(ABC):
    """A number that can be rounded: a rational, or known by balls."""

    __slots__ = ()

    is_decided: ClassVar[bool]
    """Whether its balls part from every rational that it is not known to be."""

    @property
    def ratio(self) -> fmpq | None:
        """The number, if it is known to be rational."""
        return None

    @abstractmethod
    def ball(self, precision_bits: int) -> arb:
        """Return a ball around it."""

    @abstractmethod
    def __neg__(self) -> Self: ...

    def __float__(self) -> float:
        """Return the nearest double: infinity beyond the largest."""
        return double_of(self, Rounding.NEAREST)

    def __format__(self, spec: str) -> str:
        return formatted(self, spec) if spec else str(self)

    def shown(self) -> str | None:
        """Return the digits that are printed; None where little work does not tell them."""
        with suppress(ExactDPError), within_work(_WORK_SHOWN):
            for bits in _SHOWN_AT:
                ball = self.ball(bits)
                if ball.rel_accuracy_bits() > _SHOWN_AT[0] // 2:
                    return str(ball.str(_DIGITS_SHOWN, radius=False))
        return None


def sign_of(x: HasDigits) -> int:
    """Return -1, 0 or 1.

    Raises:
        UndecidedError: If a computable real cannot be told from zero.
    """
    if x.ratio is not None:
        return (x.ratio > 0) - (x.ratio < 0)
    for bits in _bits(x):
        ball = x.ball(bits)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        if ball == 0:  # certainly: a ball of radius 0
            return 0
    raise UndecidedError(
        f"{short_repr(x)} cannot be told from zero at {MAX_BITS} bits. Ask for an enclosure."
    )


def rounded(x: HasDigits, scale: fmpq, rounding: Rounding) -> fmpz:
    """Return x * scale rounded to an integer.

    Raises:
        UndecidedError: If a computable real is on a boundary, as far as the budget sees.
    """
    if x.ratio is not None:
        value = x.ratio * scale
        floor = value.floor()
        rest = value - floor
        match rounding:
            case Rounding.DOWN:
                return floor
            case Rounding.UP:
                return floor + (1 if rest != 0 else 0)
            case Rounding.NEAREST:
                half = fmpq(1, 2)
                up = rest > half or (rest == half and floor % 2 == 1)
                return floor + (1 if up else 0)
    offset = fmpq(1, 2) if rounding is Rounding.NEAREST else fmpq(0)
    for bits in _bits(x):
        ball = x.ball(bits)
        with precision(bits):
            integer = integer_in((ball * arb(scale) + arb(offset)).floor())
        if integer is not None:
            return integer + (1 if rounding is Rounding.UP else 0)
    raise UndecidedError(
        f"{short_repr(x)} cannot be rounded: it is within 2^-{MAX_BITS} of a boundary. "
        "Ask for another number of digits, an enclosure, float_below(x) or float_above(x)."
    )


def floor_of_log(x: HasDigits, base: int, *, is_nearest: bool = False) -> int:
    """Return the floor of the logarithm of positive x.

    Args:
        x: The number.
        base: The base.
        is_nearest: Whether x is then rounded to nearest, so that of a number beside a power of the
            base its side does not matter.

    Raises:
        UndecidedError: If a computable real cannot be told from a power of the base.
    """
    for bits in _bits(x):
        ball = x.ball(bits)
        if not ball > 0:
            continue
        with precision(bits):
            log = ball.log() / arb(base).log()
            floor = integer_in(log.floor())
            near = integer_in((log + arb(fmpq(1, 2))).floor())
        if floor is not None:
            return int(floor)
        if x.ratio is not None and near is not None:  # at a power, or too close to one to see
            return int(near) - (1 if x.ratio < fmpq(base) ** int(near) else 0)
        if is_nearest and near is not None and log.rad() < _BESIDE:
            return int(near)
    raise UndecidedError(
        f"{short_repr(x)} cannot be told from a power of {base}. Ask for fewer digits."
    )


def double_of(x: HasDigits, rounding: Rounding) -> float:
    """Return x rounded to a double: to nearest, down or up; infinity beyond the largest.

    Raises:
        UndecidedError: If a computable real sits on a rounding boundary.
    """
    sign = sign_of(x)
    if sign == 0:
        return 0.0
    if sign < 0:
        # Not a negation: zero stays positive.
        return 0.0 - double_of(-x, rounding.mirrored)
    exponent = floor_of_log(x, 2, is_nearest=rounding is Rounding.NEAREST)
    if exponent >= sys.float_info.max_exp:
        return sys.float_info.max if rounding is Rounding.DOWN else math.inf
    # 53 bits, but no finer than the subnormal grid 2^-1074.
    shift = min(52 - exponent, 1074)
    n = int(rounded(x, fmpq(2) ** shift, rounding))
    if n.bit_length() - shift > sys.float_info.max_exp:
        return sys.float_info.max if rounding is Rounding.DOWN else math.inf
    return math.ldexp(n, -shift)


def decimal_of(x: HasDigits, *, digits: int, rounding: Rounding = Rounding.NEAREST) -> str:
    """Return a decimal with ``digits`` significant digits, correctly rounded.

    Exponents below -5 or from ``digits`` on are written in scientific notation.

    Raises:
        DomainError: If digits < 1.
        UndecidedError: If a computable real sits on a rounding boundary.
    """
    if digits < 1:
        raise DomainError(f"digits={digits} must be at least 1. Ask for 1 or more.")
    sign = sign_of(x)
    if sign == 0:
        return "0"
    if sign < 0:
        return "-" + decimal_of(-x, digits=digits, rounding=rounding.mirrored)
    text, exponent = _digits(x, digits, rounding)
    if -5 <= exponent < digits:
        if exponent < 0:
            return "0." + "0" * (-exponent - 1) + text
        whole, rest = text[: exponent + 1], text[exponent + 1 :]
        return f"{whole}.{rest}" if rest else whole
    mantissa = text[0] + ("." + text[1:] if len(text) > 1 else "")
    return f"{mantissa}e{exponent:+d}"


def bracketed_decimal(lower: str, upper: str) -> str:
    """Return two decimals as their common digits and a bracket with the digits that are left.

    Nothing is rounded: the common digits with either rest are that decimal. Decimals that part
    before their point or their first digit, or have other exponents, stand whole in the bracket.

    Example:
        >>> bracketed_decimal("1.82823660", "1.82823674"), bracketed_decimal("-1.5e-9", "-1.2e-9")
        ('1.828236[60, 74]', '-1.[5, 2]e-9')
        >>> [bracketed_decimal(*ends) for ends in (("0.99995", "1.0001"), ("0.5", "0.5"))]
        ['[0.99995, 1.0001]', '0.5']
        >>> bracketed_decimal("0", "infinity")
        '[0, infinity]'
    """
    parts = [re.fullmatch(r"([^.e]*)\.?([^e]*)(.*)", text) for text in (lower, upper)]
    whole, rest, power = zip(*(part.groups() for part in parts if part), strict=True)
    places = max(map(len, rest))
    low, high = (f"{w}.{r.ljust(places, '0')}" for w, r in zip(whole, rest, strict=True))
    apart = (i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b)
    common = low[: next(apart, None)]
    if (low, power[0]) == (high, power[1]):
        return lower
    if "." in common and common.strip("-.0") and power[0] == power[1]:
        return f"{common}[{low[len(common) :]}, {high[len(common) :]}]{power[0]}"
    return f"[{lower}, {upper}]"


_SPEC = re.compile(
    r"(?P<fill>(?:.?[<>^])?)(?P<sign>[-+ ]?)(?P<width>\d*)(?P<group>,?)"
    r"(?:\.(?P<places>\d+))?(?P<form>[efg%]?)",
    re.DOTALL,
)


def padded_and_bare(spec: str) -> tuple[str, str]:
    """Return the parts of a specification that fill to a width, and the rest.

    Example:
        >>> padded_and_bare(">20.3f")
        ('>20', '.3f')
    """
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"format {spec!r} is not known. Use a precision and e, f, g or %: '.4f'.")
    return match["fill"] + match["width"], match["sign"] + spec[match.start("group") :]


def padded(text: str, padding: str) -> str:
    """Return a text filled to a width, from the left unless told; zeros stand after a sign.

    Example:
        >>> padded("-0.5", "6"), padded("-0.5", "06"), padded("-0.5", "*<6"), padded("[1, 2]", "09")
        ('  -0.5', '-000.5', '-0.5**', '   [1, 2]')
    """
    if not padding.isdigit():
        return format(text, padding)
    has_zeros = padding[0] == "0" and text[-1] in "0123456789%"
    return text.zfill(int(padding)) if has_zeros else text.rjust(int(padding))


def formatted(x: HasDigits, spec: str, *, rounding: Rounding = Rounding.NEAREST) -> str:
    """Return a number as ``format`` writes a float, rounded correctly in one direction.

    Args:
        x: The number.
        spec: Fill, sign, width, a comma for thousands, precision (6 if left out), and e, f, %, or g
            (the same as none).
        rounding: The direction.

    Raises:
        ValueError: If ``spec`` is not such a specification.
        UndecidedError: If a computable real sits on a rounding boundary.

    Example:
        >>> from exactdp.numbers import Exact
        >>> formatted(Exact("2/3"), ".3f"), formatted(Exact("2/3"), ".2e", rounding=Rounding.DOWN)
        ('0.667', '6.66e-01')
        >>> formatted(Exact("2/3"), "+.1%"), formatted(Exact(12345), ",.1f")
        ('+66.7%', '12,345.0')
    """
    padding, bare = padded_and_bare(spec)
    match = _SPEC.fullmatch(bare)
    assert match is not None
    places, sign = int(match["places"] or 6), sign_of(x)
    if sign < 0:
        x, rounding = -x, rounding.mirrored
    if match["form"] in ("f", "%"):
        shift = places + 2 * (match["form"] == "%")
        text = str(rounded(x, fmpq(10) ** shift, rounding)).rjust(places + 1, "0")
        text = f"{text[:-places]}.{text[-places:]}" if places else text
        whole, point, rest = text.partition(".")
        grouped = re.sub(r"(?<=\d)(?=(\d{3})+$)", match["group"], whole)
        text = grouped + point + rest + "%" * (match["form"] == "%")
    elif match["form"] == "e":
        digits, exponent = _digits(x, places + 1, rounding) if sign else ("0" * (places + 1), 0)
        text = f"{digits[0]}.{digits[1:]}" if places else digits
        text += f"e{exponent:+03d}"
    else:
        text = decimal_of(x, digits=max(1, places), rounding=rounding)
    return padded("-" + text if sign < 0 else match["sign"].strip("-") + text, padding)


def _digits(x: HasDigits, digits: int, rounding: Rounding) -> tuple[str, int]:
    """Return the significant digits of positive x, and the exponent of the first."""
    if x.ratio is not None:
        exponent = floor_of_log(x, 10)
        found = rounded(x, fmpq(10) ** (digits - 1 - exponent), rounding)
    else:
        found, exponent = _digits_of_ball(x, digits, rounding)
    text = str(found)
    # 9.99 rounded up is 10.0
    return (text[:-1], exponent + 1) if len(text) > digits else (text, exponent)


def _digits_of_ball(x: HasDigits, digits: int, rounding: Rounding) -> tuple[fmpz, int]:
    """Return the digits to which both ends of a ball around positive x round, times a power of 10.

    So 1 − 1e-999 is rounded to 1.00 without being told from 1; and a power of 10 is a ball
    itself, which costs the same at any exponent.
    """
    most = fmpz(10) ** digits
    for bits in _bits(x):
        ball = x.ball(bits)
        if 3 * bits < 10 * digits or not (ball.is_finite() and ball > 0):
            continue
        refuse_extreme_exponent(ball)
        with precision(bits + 64):
            exponent = int(floor_of(ball.log() / arb(10).log()))  # of the lower end
            found = _both_ends(ball * arb(10) ** (digits - 1 - exponent), rounding)
            if found is not None and found > most:  # all of the ball is above the next power
                exponent += 1
                found = _both_ends(ball * arb(10) ** (digits - 1 - exponent), rounding)
        if found is not None and found <= most:
            return found, exponent
    raise UndecidedError(
        f"{short_repr(x)} cannot be rounded to {digits} digits: it is within 2^-{MAX_BITS} of a "
        "boundary. Ask for another number of digits, or for an enclosure."
    )


def _both_ends(ball: arb, rounding: Rounding) -> fmpz | None:
    """Return the integer to which both ends of a ball round, if it is one."""
    match rounding:
        case Rounding.NEAREST:
            ball += arb(fmpq(1, 2))
        case Rounding.UP:
            low, high = ceiling_of(arb(ball.lower())), ceiling_of(ball)
            return high if low == high else None
    low, high = floor_of(ball), floor_of(arb(ball.upper()))
    return high if low == high else None


def _bits(x: HasDigits) -> Iterator[int]:
    return precisions(max_bits=None if x.is_decided else MAX_BITS)


def short_repr(x: object) -> str:
    """Return the repr of a number, cut off where it is long."""
    text = repr(x)
    return text if len(text) <= 60 else text[:57] + "..."
