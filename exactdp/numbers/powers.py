"""Quotients of polynomials in e^r with integer coefficients: numbers that are not rational.

e^r is transcendental for rational r != 0, so a polynomial that is not 0 does not vanish there, and
its sign is found by refinement.

References: A. Baker, Transcendental Number Theory, Theorem 1.4.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from flint import arb, arb_poly, fmpq, fmpz_poly

from exactdp.errors import BeyondRangeError
from exactdp.numbers.balls import precision, precisions
from exactdp.numbers.effort import spend
from exactdp.numbers.limits import (
    MAX_BITS_OF_WEIGHTS,
    MAX_DEGREE,
    count_text,
    refuse_above,
)
from exactdp.numbers.text import fmpq_of, short, term_count

__all__ = ["PowersOfE", "fraction_gcd", "in_lowest_terms", "power_of_e"]

_ONE = fmpz_poly([1])  # the denominator of a polynomial in g

_LARGE_RATE = 1 << 40
"""The rate r from which on p(e^r) is evaluated in e^−r, as e^r has too large an exponent."""

_MAX_BITS_OF_A_RATE = 20_000
"""Rates beyond 2 to this power are refused: beyond some such size balls hold no e^r."""


class PowersOfE(NamedTuple):
    """The number num(g) / den(g), g = e^rate, in lowest terms.

    A rational number has two constants, and rate 0: it is one side of an operation, not a result.

    Attributes:
        num: The numerator, an integer polynomial in g.
        den: The denominator, with a positive leading coefficient.
        rate: The largest r >= 0 for which both are polynomials in e^r.
    """

    num: fmpz_poly
    den: fmpz_poly
    rate: Fraction

    def over(self, rate: Fraction) -> tuple[fmpz_poly, fmpz_poly]:
        """Return numerator and denominator as polynomials in e^rate; ``rate`` divides this one.

        Raises:
            TooLargeError: If a degree is beyond the limit.
        """
        step = int(self.rate / rate) if rate else 1
        return _inflated(self.num, step), _inflated(self.den, step)

    def monomial_exponent(self) -> Fraction | None:
        """Return r if the number is e^r, else None."""
        num, den, rate = self
        if any(p.leading_coefficient() != 1 or term_count(p) != 1 for p in (num, den)):
            return None
        return rate * (num.degree() - den.degree())

    def sign(self) -> int:
        """Return -1, 0 or 1."""
        return _sign(self.num, self.rate) * _sign(self.den, self.rate)

    def ball(self, precision_bits: int) -> arb:
        """Return a ball of a relative accuracy of ``precision_bits`` bits.

        Raises:
            BeyondRangeError: If the number is beyond what a ball can hold.
        """
        num, den, rate = self
        # Cancellation inside a polynomial costs bits: raise them until the
        # result, whose numerator is not zero, has the relative accuracy asked for.
        for bits in precisions():
            with precision(max(bits, precision_bits + 16)):
                (top, rise), (bottom, fall) = _value(num, rate), _value(den, rate)
                value = top / bottom
                if rise != fall:
                    power = rate * (rise - fall)
                    _refuse_rate(power)
                    value *= arb(fmpq_of(power)).exp()
            if value.rel_accuracy_bits() >= precision_bits:
                return value
        raise AssertionError("unreachable: the precisions do not end")

    def plus(self, other: PowersOfE) -> fmpq | PowersOfE:
        """Return the sum."""
        rate, n1, d1, n2, d2 = _aligned(self, other)
        if d1 == d2:
            return in_lowest_terms(n1 + n2, d1, rate)
        return in_lowest_terms(n1 * d2 + n2 * d1, d1 * d2, rate)

    def times(self, other: PowersOfE) -> fmpq | PowersOfE:
        """Return the product."""
        if self.rate != other.rate:  # of e^r and e^s whose common rate may be tiny
            r, s = self.monomial_exponent(), other.monomial_exponent()
            if r is not None and s is not None:
                return power_of_e(r + s)
        rate, n1, d1, n2, d2 = _aligned(self, other)
        return in_lowest_terms(n1 * n2, d1 * d2, rate)

    def divided_by(self, other: PowersOfE) -> fmpq | PowersOfE:
        """Return the quotient.

        Raises:
            ZeroDivisionError: If the other number is 0.
        """
        return self.times(PowersOfE(other.den, other.num, other.rate))

    def to_the(self, exponent: int) -> fmpq | PowersOfE:
        """Return an integer power.

        Raises:
            TooLargeError: If it is too long: FLINT would end the process.
            ZeroDivisionError: If the number is 0 and the exponent negative.
        """
        power = self.monomial_exponent()
        if power is not None:  # a millionth power would be a long polynomial on the way
            return power_of_e(power * exponent)
        for p in self[:2]:
            degree = int(p.degree()) * abs(exponent)
            height = p.height_bits() + len(p).bit_length()
            terms = 1 if term_count(p) == 1 else degree + 1
            # FLINT takes a word for a short coefficient, zeros included.
            bits = (degree + 1) * 64 + terms * height * abs(exponent)
            refuse_above(
                MAX_BITS_OF_WEIGHTS,
                bits if p.length() > 1 or height > 2 else 0,
                f"the power {count_text(abs(exponent))} of a number fills about "
                f"{count_text(bits)} bits",
                advice="Take fewer copies, or rounder numbers.",
            )
        num, den = (p ** abs(exponent) for p in self[:2])
        return in_lowest_terms(*((num, den) if exponent >= 0 else (den, num)), self.rate)


def power_of_e(exponent: Fraction) -> fmpq | PowersOfE:
    """Return e^exponent."""
    if exponent == 0:
        return fmpq(1)
    g = fmpz_poly([0, 1])
    return PowersOfE(g, _ONE, exponent) if exponent > 0 else PowersOfE(_ONE, g, -exponent)


def in_lowest_terms(num: fmpz_poly, den: fmpz_poly, rate: Fraction) -> fmpq | PowersOfE:
    """Return num(e^rate) / den(e^rate), rational if it is.

    Raises:
        ZeroDivisionError: If the denominator is 0.
    """
    if den.length() == 0:
        raise ZeroDivisionError("division by an exact zero")
    spend(2)
    if num.length() <= 1 and den.length() == 1:
        return fmpq(num[0], den[0])
    common = num.gcd(den) if den.length() > 1 else fmpz_poly([num.content().gcd(den[0])])
    if not common.is_one():
        num, den = num // common, den // common
    if den.leading_coefficient() < 0:
        num, den = -num, -den
    # FLINT aborts on constants: 0 is the gcd of their exponents.
    step = gcd(*(int(p.deflation()[1]) for p in (num, den) if p.length() > 1))
    if step == 0:
        return fmpq(num[0], den[0])
    num, den = (p.deflate(step) if p.length() > 1 else p for p in (num, den))
    return PowersOfE(num, den, rate * step)


def fraction_gcd(r: Fraction, s: Fraction) -> Fraction:
    """Return the largest number of which both, at least 0, are integer multiples."""
    denominator = lcm(r.denominator, s.denominator)
    numerator = gcd(int(r * denominator), int(s * denominator))
    return Fraction(numerator, denominator)


def _aligned(
    a: PowersOfE, b: PowersOfE
) -> tuple[Fraction, fmpz_poly, fmpz_poly, fmpz_poly, fmpz_poly]:
    """Write two numbers over one rate: the gcd of theirs."""
    rate = a.rate if a.rate == b.rate else fraction_gcd(a.rate, b.rate)
    return (rate, *a.over(rate), *b.over(rate))


def _inflated(p: fmpz_poly, step: int) -> fmpz_poly:
    """Return p(x^step), step >= 1."""
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


def _refuse_rate(rate: Fraction) -> None:
    """Raise if e^rate is too large for a ball: rate beyond 2^20000 in size."""
    if abs(rate.numerator).bit_length() - rate.denominator.bit_length() > _MAX_BITS_OF_A_RATE:
        raise BeyondRangeError(
            f"e^{short(rate)} is beyond all numbers that can be compared. Take a less extreme one."
        )


def _value(p: fmpz_poly, rate: Fraction) -> tuple[arb, int]:
    """Return balls v and a degree d with p(e^rate) = v·e^(d·rate), at the current precision.

    d = 0, but for a rate at which e^rate is too large for a ball: there p(x) = x^d r(1/x).
    """
    if rate < _LARGE_RATE:
        return arb_poly(p)(arb(fmpq_of(rate)).exp()), 0
    return arb_poly(p.coeffs()[::-1])((-arb(fmpq_of(rate))).exp()), int(p.degree())


def _sign(p: fmpz_poly, rate: Fraction) -> int:
    """Return the sign of p(e^rate), p not 0."""
    if p.length() == 1:
        return 1 if p[0] > 0 else -1
    for bits in precisions():
        with precision(bits):
            value = _value(p, rate)[0]
            if value > 0:
                return 1
            if value < 0:
                return -1
    raise AssertionError("unreachable: a nonzero polynomial does not vanish at e^r")
