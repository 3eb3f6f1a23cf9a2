"""Polynomials in e^r with integer coefficients: rates in common, and signs.

e^r is transcendental for rational r != 0, so a polynomial that is not 0 does not vanish there, and
its sign is found by refinement.

References: A. Baker, Transcendental Number Theory, Theorem 1.4.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from flint import arb, arb_poly, fmpz_poly

from exactdp.numbers.balls import precision, precisions
from exactdp.numbers.expressions import term_count
from exactdp.numbers.limits import MAX_DEGREE, count_text, refuse_above
from exactdp.numbers.parsing import fmpq_of

__all__ = ["deflate", "exponent_gcd", "fraction_gcd", "inflate", "is_monic_monomial", "sign_at"]


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


def sign_at(p: fmpz_poly, rate: Fraction) -> int:
    """Return the sign of p(e^rate), p not 0."""
    if p.length() == 1:
        return 1 if p[0] > 0 else -1
    for bits in precisions():
        with precision(bits):
            value = arb_poly(p)(arb(fmpq_of(rate)).exp())
            if value > 0:
                return 1
            if value < 0:
                return -1
    raise AssertionError("unreachable: a nonzero polynomial does not vanish at e^r")
