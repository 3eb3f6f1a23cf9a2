"""Sums of tails of Bin(c, 1/2) over a law of c, beyond a threshold that grows with c.

The total C of the other users' letters has some law; given C = c the letters 1 among them
number A ~ Bin(c, 1/2). With the victim's own letter there are c + 1, and the events that
matter are X >= μ(c + 1). For t_c = ⌈μ(c + 1)⌉ and T(c, t) = Pr[Bin(c, 1/2) >= t], the event
has probability T(c, t_c − 1) if the victim's letter is 1, and T(c, t_c) if it is 2.

Definitions: :func:`half_tails`, :func:`largest_gap`.
"""

from fractions import Fraction

from flint import arb

from exactdp.distributions.count_windows import CountWindow
from exactdp.errors import DomainError
from exactdp.numbers import fmpq_of, precision
from exactdp.numbers.balls import endpoints, nonnegative_ball
from exactdp.sums.counting.tails import tail_ratio


def half_tails(window: CountWindow, *, mu: Fraction) -> tuple[arb, arb]:
    """Return balls around Σ w_c·T(c, t_c − 1) and Σ w_c·T(c, t_c), the w_c of the window.

    One pass over c with Pascal's rule T(c + 1, t) = T(c, t) + β_c(t − 1)/2 and
    β_c(t) = C(c, t)/2^c; t rises by 0 or 1 from c to c + 1.

    Args:
        window: The law of c; what it leaves out is not in the sums.
        mu: μ, above 0 and at most 1, exact: thresholds that are hit exactly count as in
            the event.

    Raises:
        DomainError: If mu is out of range.

    Example:
        c = 2 surely, μ = 2/3: t = 2, so Pr[Bin(2, 1/2) >= 1] and Pr[Bin(2, 1/2) >= 2]:

        >>> from exactdp.distributions.count_windows import count_window
        >>> with_letter, without = half_tails(count_window([(1, 2)], bits=64), mu=Fraction(2, 3))
        >>> with_letter.contains(arb("0.75")), without.contains(arb("0.25"))
        (True, True)
    """
    if not 0 < mu <= 1:
        raise DomainError(f"mu={mu} must be above 0 and at most 1.")
    bits = window.bits + 64
    with precision(bits):
        with_letter, without = arb(0), arb(0)
        c = window.first
        t = threshold(mu, c)
        tail = first_tail(c, t, bits=bits)
        mass = mass_of(c, t - 1)  # β_c(t − 1); t >= 1 and t − 1 <= c
        for weight in window.weights:
            without += weight * tail
            with_letter += weight * (tail + mass)
            tail += mass / 2
            mass = mass * (c + 1) / (2 * (c + 2 - t))
            c += 1
            if threshold(mu, c) > t:
                mass = mass * (c + 1 - t) / t
                tail -= mass
                t += 1
        scale = arb(2) ** -window.bits
        return with_letter * scale, without * scale


def largest_gap(window: CountWindow, first: arb, second: arb) -> arb:
    """Return a ball around the largest first·P(S) − second·Q(S) over events S of the counts.

    Formula:
        Under P the counts are (A + 1, C − A), under Q (A, C − A + 1), so that it is
        Σ_c w_c·(first·T(c, t − 1) − second·T(c, t)), largest at t = ⌈μ(c + 1)⌉ for
        μ = second/K, K = first + second.

    A rational μ' beside μ gives up at most 3·K·|μ' − μ|: each x between the thresholds counts
    for β_c(x − 1)·K·(x − μ(c + 1))/x, and x >= (c + 1)/2 but for rounding. What the window
    leaves out adds at most first times its mass. ``second`` is at least ``first``, above 0.
    """
    with precision(window.bits + 64):
        slope = first + second
        mu = second / slope
        beside = min(endpoints(mu.mid())[0], Fraction(1))
        with_letter, without = half_tails(window, mu=beside)
        slip = 3 * slope * abs(mu - arb(fmpq_of(beside)))
        more = nonnegative_ball(first * arb(fmpq_of(window.missing)) + slip)
        return first * with_letter - second * without + more


def threshold(mu: Fraction, c: int) -> int:
    """Return ⌈μ(c + 1)⌉."""
    return -(-mu.numerator * (c + 1) // mu.denominator)


def mass_of(c: int, x: int) -> arb:
    """Return C(c, x)/2^c."""
    log = arb(c + 1).lgamma() - arb(x + 1).lgamma() - arb(c - x + 1).lgamma()
    return (log - c * arb(2).log()).exp()


def first_tail(c: int, t: int, *, bits: int) -> arb:
    """Return Pr[Bin(c, 1/2) >= t], 1 <= t <= c + 1."""
    if t > c:
        return arb(0)
    if 2 * t >= c:
        return mass_of(c, t) * tail_ratio(t, c - t, bits=bits)
    below = c - t + 1  # Pr[Bin >= t] = 1 − Pr[Bin <= t − 1] = 1 − Pr[Bin >= c − t + 1]
    return 1 - mass_of(c, below) * tail_ratio(below, t - 1, bits=bits)
