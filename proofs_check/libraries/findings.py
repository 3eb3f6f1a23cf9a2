"""Numbers for the prose on libraries: ``{number ...}`` in ``findings.md``."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from exactdp.claims import at_most, function
from exactdp.numbers import Enclosure
from proofs_check.libraries.laws import gaussian

__all__ = ["rule_fails_from"]

_STEPS = 16


@cache
def rule_fails_from(zeros: int) -> Enclosure:
    """Return the ε from which the rule σ = √(2 ln(1.25/δ))/ε fails at δ = 10^−zeros.

    Below it the rule holds, as far as it is asked: at the ends of bisected intervals.
    """
    delta = Fraction(1, 10**zeros)
    root = function("sqrt", 2 * function("log", Fraction(5, 4) / delta))
    low, high = Fraction(1), Fraction(20)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if at_most(gaussian(middle, sigma=root / middle), delta).holds():
            low = middle
        else:
            high = middle
    return Enclosure(low, high)
