"""Polynomials in e^r with integer coefficients: rates in common, and signs.

e^r is transcendental for rational r != 0, so a polynomial that is not 0 does not vanish there, and
its sign is found by refinement.

References: A. Baker, Transcendental Number Theory, Theorem 1.4.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from flint import arb, arb_poly, fmpz_poly

from exactdp.errors import BeyondRangeError
from exactdp.numbers.balls import precision, precisions
from exactdp.numbers.expressions import term_count
from exactdp.numbers.limits import MAX_BITS_OF_WEIGHTS, MAX_DEGREE, count_text, refuse_above
from exactdp.numbers.parsing import fmpq_of, short

__all__ = [
    "deflate",
    "exponent_gcd",
    "fraction_gcd",
    "inflate",
    "is_monic_monomial",
    "refuse_power",
    "refuse_rate",
    "sign_at",
    "value_at",
]


_LARGE_RATE = 1 << 40
"""The rate r from which on p(e^r) is evaluated in e^−r, as e^r has too large an exponent."""

_WORD_BITS = 64
"""The bits that FLINT takes for a short coefficient of a polynomial, zeros included."""

_MAX_BITS_OF_A_RATE = 20_000
"""Rates beyond 2 to this power are refused: beyond some such size balls hold no e^r."""


def fraction_gcd(r: Fraction, s: Fraction) -> Fraction:
    """Return the largest number of which both, at least 0, are integer multiples."""
    denominator = lcm(r.denominator, s.denominator)
    numerator = gcd(int(r * denominator), int(s * denominator))
    return Fraction(numerator, denominator)


def inflate(p: fmpz_poly, step: int) -> fmpz_poly:
    """Return p(x^step), step >= 1.

    Raises:
        TooLargeError: If the degree is beyond the limit.
    """
    if step == 1 or p.length() <= 1:
        return p
    degree = int(p.degree()) * step
    refuse_above(
        MAX_DEGREE,
        degree,
        "exponents over a common denominator give a polynomial in e^rate of degree "
        f"{count_text(degree)}",
        advice="Use epsilons with smaller denominators.",
    )
    return p.inflate(step)


def deflate(p: fmpz_poly, step: int) -> fmpz_poly:
    """Return the q with q(x^step) = p(x)."""
    return p if p.length() <= 1 else p.deflate(step)


def exponent_gcd(p: fmpz_poly) -> int:
    """Return the gcd of the exponents that occur (0 for a constant)."""
    # FLINT aborts on a constant.
    return 0 if p.length() <= 1 else int(p.deflation()[1])


def is_monic_monomial(p: fmpz_poly) -> bool:
    """Return whether p is a power of x."""
    return p.leading_coefficient() == 1 and term_count(p) == 1


def refuse_rate(rate: Fraction) -> None:
    """Raise if e^rate is beyond what a ball can hold.

    Raises:
        BeyondRangeError: If rate is beyond 2^20000 in size.
    """
    if abs(rate.numerator).bit_length() - rate.denominator.bit_length() > _MAX_BITS_OF_A_RATE:
        raise BeyondRangeError(
            f"e^{short(rate)} is beyond all numbers that can be compared. Take a less extreme one."
        )


def refuse_power(num: fmpz_poly, den: fmpz_poly, exponent: int) -> None:
    """Raise if the power of a fraction of polynomials is too long.

    Raises:
        TooLargeError: If it is: FLINT would end the process.
    """
    for p in (num, den):
        degree, height = int(p.degree()) * exponent, p.height_bits() + len(p).bit_length()
        terms = 1 if term_count(p) == 1 else degree + 1
        bits = (degree + 1) * _WORD_BITS + terms * height * exponent
        refuse_above(
            MAX_BITS_OF_WEIGHTS,
            bits if p.length() > 1 or height > 2 else 0,
            f"the power {count_text(exponent)} of a number fills about {count_text(bits)} bits",
            advice="Take fewer copies, or rounder numbers.",
        )


def value_at(p: fmpz_poly, rate: Fraction) -> tuple[arb, int]:
    """Return balls v and a degree d with p(e^rate) = v·e^(d·rate), at the current precision.

    d = 0, but for a rate at which e^rate is too large for a ball: there p(x) = x^d r(1/x).
    """
    if rate < _LARGE_RATE:
        return arb_poly(p)(arb(fmpq_of(rate)).exp()), 0
    return arb_poly(p.coeffs()[::-1])((-arb(fmpq_of(rate))).exp()), int(p.degree())


def sign_at(p: fmpz_poly, rate: Fraction) -> int:
    """Return the sign of p(e^rate), p not 0."""
    if p.length() == 1:
        return 1 if p[0] > 0 else -1
    for bits in precisions():
        with precision(bits):
            value = value_at(p, rate)[0]
            if value > 0:
                return 1
            if value < 0:
                return -1
    raise AssertionError("unreachable: a nonzero polynomial does not vanish at e^r")
