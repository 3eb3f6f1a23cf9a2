"""Rationals in mpmath's arithmetic, and what mpmath found as the rational that it is."""

from fractions import Fraction

import mpmath

__all__ = ["fraction_of", "mpf_of"]


def mpf_of(value):
    """Return a rational, its text or an mpf, to the digits that mpmath works with."""
    if isinstance(value, mpmath.mpf):
        return +value
    value = Fraction(value)
    return mpmath.mpf(value.numerator) / value.denominator


def fraction_of(value):
    """Return an mpf as the rational that it is: nothing is rounded."""
    mantissa, exponent = value.man_exp
    return (-1 if value < 0 else 1) * Fraction(int(mantissa)) * Fraction(2) ** exponent
