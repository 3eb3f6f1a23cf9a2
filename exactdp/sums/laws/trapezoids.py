"""The trapezoid rule for a normal density times e^(tL), L analytic beside the real line.

With steps h and σ²θ from the real line, where e^(tL) has grown by at most cos(θ/2)^(−power), the
rule errs by 2 e^(σ²θ²/2)/(cos(θ/2)^power (e^(2πσ²θ/h) − 1)) of the whole mass.

Reference: L. Trefethen and J. Weideman, The Exponentially Convergent Trapezoidal Rule, 2014.
"""

from __future__ import annotations

from math import cos, log, pi, sqrt

from flint import arb

from exactdp.errors import TooLargeError
from exactdp.sums.laws.clouds import MAX_NODES, UNIT, Cloud

__all__ = ["likely_nodes", "refuse_nodes", "trapezoid", "widest_step"]

_ANGLES = [3.0 * 0.8**k for k in range(80)]
"""The θ that are tried, all below π; that of the widest step is taken.

The bound holds for each of them: a finer list would save some nodes."""


def widest_step(sigma: float, need: float, omega: float, power: float) -> tuple[float, float]:
    """Return the widest step of a trapezoid rule that errs by about e^−need, and its θ.

    Args:
        sigma: σ of the normal density that is integrated, times a loss e^(tL).
        need: Nats.
        omega: A bound of how fast the phase turns.
        power: How often 1/cos(θ/2) bounds the growth of e^(tL) at σ²θ from the real line.
    """

    def step(theta: float) -> float:
        growth = sigma**2 * theta**2 / 2 + omega * theta + power * -log(cos(theta / 2))
        return 2 * pi * sigma**2 * theta / (need + growth)

    return max((step(angle), angle) for angle in _ANGLES)


def likely_nodes(
    sigma: float, need: float, omega: float, power: float, *, low: float, high: float
) -> tuple[arb, arb, tuple[int, int]]:
    """Return the widest step, its θ, and the first and last node around likely x from low to high.

    The other arguments are those of :func:`widest_step`.

    Raises:
        TooLargeError: If these are too many.
    """
    width, theta = widest_step(sigma, need, omega, power)
    reach = sigma * sqrt(2 * need) + sigma
    first = int((min(0.0, low) - reach) / width) - 1
    last = int((max(0.0, high) + reach) / width) + 1
    refuse_nodes(last - first)
    return arb(width), arb(theta), (first, last)


def refuse_nodes(count: int) -> None:
    """Refuse more nodes than MAX_NODES."""
    if count > MAX_NODES:
        raise TooLargeError(
            f"a transform would take {count:,} nodes; the limit is {MAX_NODES:,}. "
            "Take a smaller order or more noise."
        )


def trapezoid(
    losses: list[arb],
    masses: list[arb],
    *,
    cut: arb,
    sigma: arb,
    step: arb,
    theta: arb,
    power: arb,
    turns: int = 1,
) -> Cloud:
    """Return the nodes of a trapezoid rule with a bound of its error.

    Args:
        losses: The losses at the nodes.
        masses: Their masses, tilted.
        cut: A bound of the sum beyond the nodes.
        sigma: σ, as for :func:`widest_step`.
        step: The distance of two nodes.
        theta: θ.
        power: The power, as for :func:`widest_step`.
        turns: A bound of |Im L|/θ, at σ²θ from the real line.
    """
    growth = (sigma**2 * theta**2 / 2).exp() / (theta / 2).cos() ** power
    off = 2 * growth / ((2 * arb.pi() * sigma**2 * theta / step).exp() - 1)
    total = (sum(masses, arb(0)) + UNIT * cut) / (1 + UNIT * off)
    return Cloud(losses, masses, lambda omega: cut + off * (turns * omega * theta).exp() * total)
