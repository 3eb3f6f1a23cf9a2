"""Moments of the likelihood ratio of two laws given by weights: E_P f(P/Q) where Q > 0.

For an integer order a, the moment E_Q (P/Q)^a is a sum of products: an exact number. For other
orders, and where an enclosure is enough, it is a computable real, with the largest term set to 1
so that orders of any size do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb

from exactdp.divergences.likelihood import (
    Ratio,
    Weights,
    cells_of,
    exact_weight,
    ratio,
    sum_by_halves,
)
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    Real,
    count_text,
    fmpq_of,
    refuse_above,
    short,
    working_bits,
)
from exactdp.numbers.limits import MAX_BITS_OF_A_MOMENT

__all__ = ["expectation", "moment", "renyi_number", "renyi_real", "shared_terms"]

_MOMENT_COST = 10
"""How much dearer a moment is than its powers: it is a sum with large denominators."""


def shared_terms(weights: Weights) -> tuple[list[tuple[Ratio, Any]], Any]:
    """Return (P/Q, w_P) for each ratio with P, Q > 0, and the total weight of P."""
    return [(r, a) for r, a, _ in cells_of(weights) if a != 0], weights[2]


def moment(weights: Weights, order: int) -> Exact:
    """Return Σ P(y)^a Q(y)^(1 − a), a = order, over y with P(y), Q(y) > 0.

    Raises:
        TooLargeError: If it is too long.
    """
    terms, total = shared_terms(weights)
    shown = count_text(order)
    bits = _MOMENT_COST * order * sum(_bits(r) for r, _ in terms)
    refuse_above(
        MAX_BITS_OF_A_MOMENT,
        bits,
        f"the moment of order {shown} takes about {count_text(bits)} bits",
        advice="Ask for an enclosure of the divergence, or take a smaller order.",
    )
    return ratio(sum_by_halves([r ** (order - 1) * a for r, a in terms]), total)


def renyi_number(weights: Weights, order: Fraction) -> Number:
    """Return D_a(P ‖ Q), a = order: the logarithm of an exact moment if a is an integer."""
    if order.denominator != 1:
        return renyi_real(weights, order)
    logarithm = Epsilon(moment(weights, order.numerator)).nats
    return logarithm if order == 2 else logarithm / (order - 1)


def renyi_real(weights: Weights, order: Fraction) -> Number:
    """Return D_a(P ‖ Q) as a computable real; exactly 0 if P = Q."""
    terms, total = shared_terms(weights)
    if all(r == 1 for r, _ in terms) and sum((a for _, a in terms), total - total) == total:
        return Exact(0)
    masses = [(exact_weight(r), ratio(a, total)) for r, a in terms]
    return Real(partial(_renyi_ball, masses, order), f"Rényi divergence of order {short(order)}")


def _renyi_ball(masses: Sequence[tuple[Exact, Exact]], order: Fraction) -> arb:
    """Return a ball of the divergence, with the largest term set to 1."""
    bits, power = working_bits(), arb(fmpq_of(order - 1))
    logs = [r.ball(bits).log() * power for r, _ in masses]
    top = max(logs, key=lambda ball: ball.mid()).mid()
    rest = [mass.ball(bits) * (x - top).exp() for x, (_, mass) in zip(logs, masses, strict=True)]
    return (sum(rest, arb(0)).log() + top) / power


def expectation(terms: list[tuple[Ratio, Any]], total: Any, function: Callable[[arb], arb]) -> Real:
    """Return Σ P(y)·function(P(y) / Q(y)) over the terms, as a computable real."""
    masses = [(exact_weight(r), ratio(a, total)) for r, a in terms]
    return Real(partial(_mean_ball, masses, function), f"expectation over {len(masses)} ratios")


def _mean_ball(masses: Sequence[tuple[Exact, Exact]], function: Callable[[arb], arb]) -> arb:
    bits = working_bits()
    return sum((mass.ball(bits) * function(r.ball(bits)) for r, mass in masses), arb(0))


def _bits(value: Ratio) -> int:
    """Return about how many bits a ratio has (and a transcendental one is worth)."""
    if not isinstance(value, Exact):
        return int(value.height_bits())
    return 64 * (1 + int(value.numerator.degree()) + int(value.denominator.degree()))
