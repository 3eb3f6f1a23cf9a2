"""Sums of tails of Bin(c, 1/2) over a law of c, beyond a threshold that grows with c.

The total C of letters has some law; given C = c the other users' letters 1 number
A ~ Bin(c, 1/2). With the victim's own letter there are c + 1, and the events that matter
are X >= μ(c + 1). For t_c = ⌈μ(c + 1)⌉ and T(c, t) = Pr[Bin(c, 1/2) >= t], the event has
probability T(c, t_c − 1) if the victim's letter is 1, and T(c, t_c) if it is 2.

One pass over c with Pascal's rule T(c + 1, t) = T(c, t) + β_c(t − 1)/2 and
β_c(t) = C(c, t)/2^c; t rises by 0 or 1 from c to c + 1. Errors are absolute: the balls'
own, and what a window leaves out.

Definitions: :class:`HalfTails`, :func:`half_tails`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.distributions.count_windows import CountWindow
from exactdp.errors import DomainError
from exactdp.numbers import fmpq_of, precision
from exactdp.numbers.balls import nonnegative_ball
from exactdp.shuffle.counts.terms import tail_ratio

__all__ = ["HalfTails", "half_tails"]


@dataclass(frozen=True, slots=True)
class HalfTails:
    """Sums over the weights of a window, which leave out at most ``missing`` each.

    Attributes:
        with_letter: A ball around Σ w_c·T(c, t_c − 1).
        without_letter: A ball around Σ w_c·T(c, t_c).
        at_threshold: A ball around Σ w_c·β_c(t_c); that of β_c(t_c − 1) is the difference
            of the two sums above.
        missing: A ball whose upper end bounds 1 − Σ w_c.
        bits: The precision that they were computed with.
    """

    with_letter: arb
    without_letter: arb
    at_threshold: arb
    missing: arb
    bits: int

    def event_probabilities(self) -> tuple[arb, arb]:
        """Return balls around the two probabilities under the law itself, missing mass included.

        Each adds a part of the same missing mass; the balls allow all of it for each.
        """
        with precision(self.bits):
            extra = nonnegative_ball(self.missing)
            return self.with_letter + extra, self.without_letter + extra


def half_tails(window: CountWindow, *, mu: Fraction) -> HalfTails:
    """Return Σ w_c·T(c, t_c − 1) and Σ w_c·T(c, t_c), t_c = ⌈μ(c + 1)⌉, in one pass.

    Args:
        window: The law of c.
        mu: μ, above 0 and at most 1, exact: thresholds that are hit exactly count as in
            the event.

    Raises:
        DomainError: If mu is out of range.

    Example:
        c = 2 surely, μ = 2/3: t = 2, so Pr[Bin(2, 1/2) >= 1] and Pr[Bin(2, 1/2) >= 2]:

        >>> from exactdp.distributions.count_windows import count_window
        >>> tails = half_tails(count_window([(1, 2)], bits=64), mu=Fraction(2, 3))
        >>> tails.with_letter.contains(arb("0.75")), tails.without_letter.contains(arb("0.25"))
        (True, True)
    """
    if not 0 < mu <= 1:
        raise DomainError(f"mu={mu} must be above 0 and at most 1.")
    bits = window.bits + 64
    with precision(bits):
        missing = arb(fmpq_of(window.missing))
        first_sum, second_sum, mass_sum = arb(0), arb(0), arb(0)
        c = window.first
        t = _ceiling(mu, c)
        tail = _tail(c, t, bits=bits)
        mass = _mass(c, t - 1)  # β_c(t − 1); t >= 1 and t − 1 <= c
        for weight in window.weights:
            second = weight * tail
            second_sum += second
            first_sum += second + weight * mass
            mass_sum += weight * mass * (c + 1 - t) / t
            tail += mass / 2
            mass = mass * (c + 1) / (2 * (c + 2 - t))
            c += 1
            if _ceiling(mu, c) > t:
                mass = mass * (c + 1 - t) / t
                tail -= mass
                t += 1
        scale = arb(2) ** -window.bits
        return HalfTails(first_sum * scale, second_sum * scale, mass_sum * scale, missing, bits)


def _ceiling(mu: Fraction, c: int) -> int:
    """Return ⌈μ(c + 1)⌉."""
    return -(-mu.numerator * (c + 1) // mu.denominator)


def _mass(c: int, x: int) -> arb:
    """Return C(c, x)/2^c."""
    log = arb(c + 1).lgamma() - arb(x + 1).lgamma() - arb(c - x + 1).lgamma()
    return (log - c * arb(2).log()).exp()


def _tail(c: int, t: int, *, bits: int) -> arb:
    """Return Pr[Bin(c, 1/2) >= t], 1 <= t <= c + 1."""
    if t > c:
        return arb(0)
    if 2 * t >= c:
        return _mass(c, t) * tail_ratio(t, c - t, bits=bits)
    below = c - t + 1  # Pr[Bin >= t] = 1 − Pr[Bin <= t − 1] = 1 − Pr[Bin >= c − t + 1]
    return 1 - _mass(c, below) * tail_ratio(below, t - 1, bits=bits)
