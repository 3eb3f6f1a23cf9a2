"""δ of a pair of counts as a ball: which route, which precision, and the exact cases.

For γ = e^ε >= 1 and a >= b (exchanging the letters exchanges P and Q and changes no count's
law, so both directions are equal):

- a <= γ·b, and only then, δ = 0: no outcome has P > γ·Q;
- n = 1 or r = 0: δ = a − γ·b otherwise, the victim's letter being all there is;
- else a sum over the totals (``exactdp.shuffle.counts.terms``), in machine numbers with a
  proven error where that is fast and narrow enough, and in balls where it is not.
"""

from __future__ import annotations

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers import Exact
from exactdp.shuffle.counts.balls import delta_ball
from exactdp.shuffle.counts.floats import delta_ball_from_floats
from exactdp.shuffle.counts.terms import CountTerms, CountWeights

__all__ = ["delta_ball_within"]

_FLOAT_BITS = 40
"""Up to this accuracy machine numbers are tried."""

_FLOAT_USERS = 10_000
"""From this many users on they are faster."""

_ATTEMPTS = 6


def delta_ball_within(weights: CountWeights, gamma: Exact, *, accuracy: int) -> arb:
    """Return a ball around δ at γ >= 1 with about ``accuracy`` correct bits; 0 is exact.

    Raises:
        TooLargeError: If the sum has too many terms at this accuracy.
        UndecidedError: If the accuracy is not reached (which is not known to happen).
    """
    if weights.is_matched(gamma):
        return arb(0)
    if weights.n == 1 or weights.r == 0:
        return weights.gap(gamma, bits=accuracy + 4)
    bits = max(128, accuracy + weights.n.bit_length() + 48)
    for _ in range(_ATTEMPTS):
        terms = CountTerms(weights, gamma, bits=bits)
        if accuracy <= _FLOAT_BITS and weights.n >= _FLOAT_USERS:
            value = delta_ball_from_floats(terms, accuracy=accuracy)
            if value is not None:
                return value
        value = delta_ball(terms, accuracy=accuracy)
        if value.rel_accuracy_bits() >= accuracy:
            return value
        bits += bits // 2
    raise UndecidedError(
        f"n={weights.n:,}: {accuracy} bits were not reached with {bits:,} bits. Ask for a larger "
        "relative width."
    )
