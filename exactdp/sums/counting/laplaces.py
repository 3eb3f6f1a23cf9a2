"""Copies of one Laplace mechanism: δ in closed form.

With a = ε0, e^(−l/2) times the law of the loss under P is c·(δ_a + δ_(−a) + 1_(−a, a)/2), c =
e^(−a/2)/2: two atoms and a flat part. Its Laplace transform is
c·(e^(za)(1 + 1/(2z)) + e^(−za)(1 − 1/(2z))), so that of n copies is

    c^n Σ_k C(n, k) e^(z·s_k) p_k(1/(2z)),   p_k(w) = (1 + w)^k (1 − w)^(n−k),   s_k = (2k − n)a.

Above ε only s_k > ε matter, since e^(zs)/z^j is that of (s − l)^(j−1)/(j − 1)! on l < s. The
integrals of e^(l/2) − e^(ε − l/2) against these are incomplete gamma functions of whole orders,
their exponentials collect, and with x_k = (s_k − ε)/2 there remains, for −na <= ε <= na,

    δ(ε) = 1 − 2^(1−n) e^((ε − na)/2) Σ_(k > 0: x_k > 0) C(n, k) Σ_i r_(k,i) x_k^i/i!,

where r_(k,i) = Σ_(j > i, j − i odd) [w^j] p_k; Σ_i r_(k,i) w^(i+1) (w² − 1)/w is p_k without its
even and odd part at w = 1. At x_k = 0 a term is r_(k,0), which is 0 unless k is 0 or n: whether
a tiny x_k counts need not be decided for the others. x_0 > 0 is ε < −na, where δ = 1 − e^ε, and
x_n < 0 is ε > na, where δ = 0: where these are not told, δ is between the two sides.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from flint import arb, arb_poly, fmpz, fmpz_poly

from exactdp.errors import TooLargeError
from exactdp.numbers import Enclosure, Number, count_text, precision, working_bits
from exactdp.numbers.balls import endpoints, precisions
from exactdp.numbers.effort import remembered, spend

__all__ = ["copies_of_laplace"]

_MAX_COPIES = 300
"""Copies at most: with more, the transform is as fast at any width that doubles reach."""
_MAX_BITS = 1 << 17
"""Bits of the balls at which a sum that cancels is given up; each attempt doubles them."""


def copies_of_laplace(
    top: Number, times: int, nats: Number, *, relative_width: Fraction
) -> Enclosure:
    """Return an enclosure of δ(ε) of copies of the Laplace mechanism.

    Args:
        top: ε0 of one copy.
        times: n, at least 1.
        nats: ε, of any size and sign.
        relative_width: (upper − lower) <= relative_width·lower.

    Raises:
        TooLargeError: If there are more than 300 copies, or 131,072 bits do not reach the width.

    Example:
        One copy: 1 − e^((1/2 − 1)/2).

        >>> from exactdp.numbers import Exact
        >>> found = copies_of_laplace(Exact(1), 1, Exact("1/2"), relative_width=Fraction(1, 10**9))
        >>> found.contains(1 - Exact.exp("-1/4"))
        True
    """
    if times > _MAX_COPIES:
        raise TooLargeError(
            f"{count_text(times)} copies are too many for a sum over their atoms. "
            "Ask for a wider enclosure."
        )
    sums = _all_sums(times)
    for bits in precisions(max_bits=_MAX_BITS):
        spend(1_000 + times**2 // 8)
        with precision(bits + 4 * times):
            low, high = endpoints(_delta(top, nats, sums))
        if high - low <= relative_width * low:
            return Enclosure(low, high)
    raise TooLargeError("the sum of the copies' atoms cancels too much. Ask for a smaller epsilon.")


@remembered(maxsize=4)
def _all_sums(n: int) -> list[fmpz_poly]:
    """Return the polynomials of all k, kept for the many ε of one question."""
    return [_exponential_sums(n, k) for k in range(n + 1)]


def _exponential_sums(n: int, k: int) -> fmpz_poly:
    """Return n! C(n, k) Σ_i r_(k,i) x^i/i!."""
    p = fmpz_poly([1, 1]) ** k * fmpz_poly([1, -1]) ** (n - k)
    odd, even = (p(1) - p(-1)) // 2, (p(1) + p(-1)) // 2
    steps = (fmpz_poly([0, 1]) * p - fmpz_poly([odd, even])) // fmpz_poly([-1, 0, 1])
    coefficients, falling = steps.coeffs(), factorial(n) * fmpz.bin_uiui(n, k)
    for i in range(len(coefficients)):
        coefficients[i] *= falling
        falling //= i + 1
    return fmpz_poly(coefficients)


def _delta(top: Number, nats: Number, sums: list[fmpz_poly]) -> arb:
    n, bits, total = len(sums) - 1, working_bits(), arb(0)
    a, epsilon = top.ball(bits), nats.ball(bits)
    full, left, right = -epsilon.expm1(), -n * a - epsilon, n * a - epsilon
    if left >= 0:
        return full
    if right <= 0:
        return arb(0)
    for k in range(1, n + 1):
        x = ((2 * k - n) * a - epsilon) / 2
        if not x < 0:
            total += arb_poly(sums[k])(x)
    scale = arb(factorial(n)) * arb(2) ** (n - 1)
    found = 1 - total * ((epsilon - n * a) / 2).exp() / scale
    if not left < 0:
        found = found.union(full)
    return found if right > 0 else found.union(arb(0))
