"""Bounds of δ and ε by Rényi divergences where the worst pair is not found: in closed form.

Above, Chernoff's bound at each order that is known, and of ρ-zCDP at its best order; and, as no
δ(ε), ε >= 0, exceeds δ(0), bounds of the total variation distance by D_1 <= D_a (Pinsker's for
small ones, Bretagnolle and Huber's for large ones):

    δ(0) <= min(√(D_1/2), 1 − e^(−D_1)/2).

Below, Gaussian noise that keeps all that is known: with ρ the least of D_a/a over the orders. All
is in balls, whose exponents are as large as the numbers: no double is asked.

References: C. Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for Differential Privacy,
NeurIPS 2020, Proposition 12; C. Canonne, A short note on an inequality between KL and TV, 2022;
M. Bun and T. Steinke, Concentrated Differential Privacy, 2016, Proposition 1.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction

from flint import arb

from exactdp.divergences.renyi_rows import Concentrated, RenyiRows, RenyiTable
from exactdp.divergences.sandwich import Bounds
from exactdp.divergences.values import enclosed
from exactdp.errors import ExactDPError
from exactdp.mechanisms.gaussian import GaussianMechanism
from exactdp.numbers import Epsilon, Exact, fmpq_of, precision, sqrt
from exactdp.numbers.balls import endpoints

__all__ = ["delta_ends", "epsilon_ends", "gaussian_of"]

_BITS = 128
"""Bits of the balls: they hold the rounding, and so few widen no bound that anybody prints."""

_LOWEST = -(2**20)
"""The logarithm of the lowest bound of δ: lower ones have too many digits."""

_WIDTH = Fraction(1, 10**6)
"""The relative width of what Gaussian noise has."""

_DISTANCE = "looser: a bound of the total variation distance by Rényi divergences"
_CHERNOFF = "looser: Chernoff's bound by Rényi divergences"
_GAUSSIAN = "Gaussian noise that keeps the bounds"


def delta_ends(rows: RenyiRows, epsilon: Epsilon) -> Bounds:
    """Return bounds of the largest δ(ε) of all pairs that meet rows, ε >= 0.

    Example:
        ρ = 1e-30 at ε = 0: √(ρ/2) and, of Gaussian noise, √(ρ/π).

        >>> found = delta_ends(Concentrated(Fraction(1, 10**30)), Epsilon.log(1))
        >>> f"{float(found.lower):.4g} {float(found.upper):.4g}"
        '5.642e-16 7.071e-16'
    """
    with precision(_BITS):
        nats = epsilon.nats.ball(_BITS)
        logs = [
            power * (bound - nats) - _entropy(power)
            for power, bound in _orders(rows, lambda rho: (nats - rho) / (2 * rho))
        ]
        tops = [(endpoints(log.max(arb(_LOWEST)).min(arb(0)).exp())[1], _CHERNOFF) for log in logs]
        upper, words = min([(_distance(rows), _DISTANCE), *tops])
    low = Fraction(0)
    with suppress(ExactDPError):
        low = enclosed(gaussian_of(rows).delta(epsilon, relative_width=_WIDTH), _WIDTH).lower
    return Bounds(min(low, upper), upper, _GAUSSIAN if low else "nothing", words)


def epsilon_ends(rows: RenyiRows, delta: Exact) -> Bounds:
    """Return bounds of the largest ε(δ) of all pairs that meet rows, δ > 0.

    Example:
        ρ = 1e15 at δ = 1e-6: both are near ρ.

        >>> found = epsilon_ends(Concentrated(Fraction(10**15)), Exact("1e-6"))
        >>> 10**15 + 2 * 10**8 < found.lower < found.upper < 10**15 + 3 * 10**8
        True
        >>> epsilon_ends(Concentrated(Fraction(1, 10**30)), Exact("1e-6")).upper
        Fraction(0, 1)
    """
    with precision(_BITS):
        if Exact(_distance(rows)) <= delta:
            return Bounds(Fraction(0), Fraction(0), "nothing", _DISTANCE)
        log = delta.ball(_BITS).log()
        tops = [
            bound - (_entropy(power) + log) / power
            for power, bound in _orders(rows, lambda rho: (-log / rho).sqrt())
        ]
        upper = min(max(Fraction(0), endpoints(top)[1]) for top in tops)
    low = Fraction(0)
    with suppress(ExactDPError):
        found = gaussian_of(rows).epsilon(delta, relative_width=_WIDTH)
        low = enclosed(found.nats, _WIDTH).lower if isinstance(found, Epsilon) else found.lower
    return Bounds(min(low, upper), upper, _GAUSSIAN if low else "nothing", _CHERNOFF)


def _orders(rows: RenyiRows, best: Callable[[arb], arb]) -> Iterable[tuple[arb, arb]]:
    """Yield λ > 0 with bounds of D_(1 + λ): those of a table, or the best of ρ-zCDP."""
    if isinstance(rows, Concentrated):
        rho = arb(fmpq_of(rows.rho))
        power = best(rho).mid()
        return [(power, rho * (1 + power))] if power > 0 else []
    assert isinstance(rows, RenyiTable)
    return [(arb(fmpq_of(power)), arb(fmpq_of(bound))) for power, bound in rows.forward]


def _distance(rows: RenyiRows) -> Fraction:
    """Return a bound of δ(0), which is the same in both directions."""
    if isinstance(rows, Concentrated):
        least = rows.rho
    else:
        assert isinstance(rows, RenyiTable)
        least = min(bound for _, bound in (*rows.forward, *rows.backward))
    mean = arb(fmpq_of(least))
    far = 1 - (-mean).exp() / 2 if mean < -_LOWEST else arb(1)
    return min(Fraction(1), *(endpoints(x)[1] for x in ((mean / 2).sqrt(), far)))


def gaussian_of(rows: RenyiRows) -> GaussianMechanism:
    """Return the Gaussian mechanism, of D_a = ρa, with the largest ρ that keeps all rows.

    Example:
        >>> from exactdp.numbers import decimal
        >>> decimal(gaussian_of(Concentrated(Fraction(2))).sensitivity, digits=5)
        '2.0000'
    """
    if isinstance(rows, Concentrated):
        rho = rows.rho
    else:
        assert isinstance(rows, RenyiTable)
        rho = min(bound / (1 + power) for power, bound in (*rows.forward, *rows.backward))
    return GaussianMechanism(Exact(1), sqrt(2 * Exact(rho)))


def _entropy(x: arb) -> arb:
    """Return (1 + x)·ln(1 + x) − x·ln x, of any size."""
    return x.log1p() + x * (1 / x).log1p()
