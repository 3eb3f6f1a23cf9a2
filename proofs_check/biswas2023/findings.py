"""The numbers of ``findings.md``: k = 10, eps0 = 2, delta = 1e-6, no other user holds x_0."""

from fractions import Fraction
from math import isqrt
from typing import Any

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Exact, precision
from exactdp.numbers.balls import endpoints
from exactdp.shuffle.at_scale.score_sums import ScoreSum
from proofs_check.biswas2023.bounds import kappa2

_K, _TERMS = 10, 300


def truth(n: int) -> Any:
    """Return the epsilon of the count of x_0 at delta = 1e-6."""
    x = Exact.exp(2)
    q = 1 / (x + (_K - 1))
    seen = ScoreSum((x * q, 1 - x * q), (q, 1 - q), (((q, 1 - q), n - 1),))
    return seen.epsilon("1e-6", relative_width="1e-9")


def printed(n: int) -> Enclosure:
    """Return (6) with the printed v_s at the epsilon where the truth is delta = 1e-6."""
    return printed_at(n, truth(n).upper)


def printed_at(n: int, epsilon: Fraction) -> Enclosure:
    """Return (6) for n_x0 = 0: the first terms with v_s > epsilon, and a bound for the rest.

    There e^(v_s) = kappa2 + (x - kappa2) (s/n)^2, and the weight is Bin(n, q)(s) times
    kappa2 + (x - kappa2) s/n, q = 1/(x + k - 1): at s it is at most half the one before.
    """
    with precision(256):
        x, e = arb(2).exp(), (arb(epsilon.numerator) / epsilon.denominator).exp()
        k2, q = kappa2(x, _K), 1 / (x + (_K - 1))
        floor = ((e - k2) / (x - k2) * n * n).floor().unique_fmpz()
        if floor is None:
            raise UndecidedError(f"the first s with v_s > epsilon={epsilon} is not certain.")
        s = isqrt(int(floor)) + 1
        law, total, weight = arb.bin_uiui(n, s) * q**s * (1 - q) ** (n - s), arb(0), arb(0)
        for j in range(s, min(n, s + _TERMS) + 1):
            weight = law * (k2 + (x - k2) * j / n)
            total += (1 - e / (k2 + (x - k2) * j * j / n / n)) * weight
            ratio = arb(n - j) / (j + 1) * q / (1 - q)
            if not ratio * (j + 1) / j < 0.5:
                raise UndecidedError(f"the weights do not halve from s={j} on.")
            law *= ratio
        return Enclosure(endpoints(total)[0], endpoints(total + weight)[1])
