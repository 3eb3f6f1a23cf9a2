"""Bounds on δ under ρ-zCDP, as terms: one from below, one from above.

At most: for any order α > 1, δ(ε) <= e^((α−1)(αρ−ε)) (1 − 1/α)^α/(α − 1). At the best one
(2α − 1)ρ = L, L = ε + ln(α/(α − 1)), this is p/α with p = e^((α−1)(αρ−L)).

At least: a pair of two outcomes, of probability p' and q' = p' e^(−L), has p' − e^ε q' = p'/α. With
p' a little below p it is ρ-zCDP at all orders, which balls decide: its first outcome alone has
e^((α−1)D_α) a little less than e^((α−1)αρ), the second one adds about 1.

References: C. Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for Differential Privacy,
2020, Proposition 12; S. Asoodeh, J. Liao, F. P. Calmon, O. Kosut and L. Sankar, Three Variants of
Differential Privacy: Lossless Conversion and Applications, 2021.

Definitions: :func:`at_most_implied`, :func:`implied_at_least`.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from exactdp.claims import Term, function, named, term
from exactdp.divergences.renyi_rows import Certain, RenyiRows
from exactdp.numbers import Epsilon, Exact, precision

__all__ = ["at_most_implied", "implied_at_least"]

_BITS, _DIGITS = 192, 50
_LEAST = -(10**6)
"""The logarithm from which a probability is too small for a term."""
_SLACKS = tuple(10**power for power in (0, 1, 2, 4, 6))
"""How many times the least part p is lowered by, until the pair certainly is concentrated."""


def at_most_implied(rho: float | Fraction, epsilon: Fraction) -> Term:
    """Return an upper bound on δ(ε) of every ρ-zCDP mechanism, at about the best order."""
    order = _order(Fraction(rho), epsilon)
    r, e, a = (
        named("rho", term(Fraction(rho))),
        named("epsilon", term(epsilon)),
        named("order", term(order)),
    )
    found: Term = function("exp", (a - 1) * (a * r - e) + a * function("log", 1 - 1 / a)) / (a - 1)
    return found


@lru_cache(maxsize=4096)
def implied_at_least(rho: Fraction, epsilon: Fraction) -> Term | None:
    """Return a lower bound on δ(ε) of some ρ-zCDP mechanism: p − e^ε q of a pair of outcomes.

    None where no such pair was found: δ is not small.
    """
    order = _order(rho, epsilon)
    with localcontext() as context:
        context.prec = _DIGITS
        r, e, a = (Decimal(x.numerator) / x.denominator for x in (rho, epsilon, order))
        loss = e + (a / (a - 1)).ln()
        logarithm = (a - 1) * (a * r - loss)
        less = (-(a - 1) * a * r).exp() + Decimal(10) ** (2 - _DIGITS // 2)
        if not _LEAST < logarithm < 0:
            return None
        for slack in _SLACKS:
            if slack * less >= 1:
                return None
            p = logarithm.exp() * (1 - slack * less)
            probabilities = _rational(p), _rational(p * (-loss).exp())
            if _is_concentrated(*probabilities, rho):
                up, down = (
                    named(name, term(x)) for name, x in zip("pq", probabilities, strict=True)
                )
                found: Term = up - function("exp", term(epsilon)) * down
                return found
    return None


def _rational(number: Decimal) -> Fraction:
    return Fraction(+number)


def _order(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Return about the best order, (2α − 1)ρ = ε + ln(α/(α − 1)), by bisection."""
    low, high = 1.0, float((epsilon + 1) / (2 * rho) + 2)
    for _ in range(200):
        middle = (low + high) / 2
        if middle <= 1:
            break
        excess = (2 * middle - 1) * float(rho) - float(epsilon) + math.log1p(-1 / middle)
        low, high = (middle, high) if excess < 0 else (low, middle)
    return Fraction(high)


def _is_concentrated(p: Fraction, q: Fraction, rho: Fraction) -> bool:
    with precision(_BITS):
        up, rest = Exact(p).ball(_BITS), Exact(1 - p).ball(_BITS)
        pair = Certain(up, rest, Epsilon.log(p / q).nats.ball(_BITS))
        return RenyiRows(rho=rho).hold(pair)
