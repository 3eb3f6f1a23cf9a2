"""E max(0, S) of letters in balls: one pass over the totals c, any precision.

The state at c is t = ⌈m_c⌉, V = V(t, c − t) and U = V·T(c, t)/β_c(t), the sum of the V(x, c − x)
over x >= t, both over the first V. From c to c + 1, with f = (n − c)·s/(1 − s),

    t stays:  U' = (U + (1 − π)·V·t/(c − t + 1))·f/(c + 1),  V' = (1 − π)·V·f/(c + 1 − t),
    t rises:  U' = (U − (1 − π)·V)·f/(c + 1),                V' = π·V·f/(t + 1),

and the term is E_c·b_c = (1 − π)·V·t − (m_c − πc)·U (``exactdp.sums.counting.terms``).

Error:
    Rounding is the balls' own. Where it has eaten the accuracy of U (its ball loses bits
    where U falls fast), U is set to V·``tail_ratio`` anew. The threshold m_c is followed in
    fixed-point integers with a counted error; where an integer i is so close to m_c that
    the sign of i − m_c is open, taking t = i or i + 1 differs by |i − m_c|·V(i, c − i), which
    is added as a radius (V at t − 1 and t sums to V·(1 + t/(o·(c − t + 1))), o = π/(1 − π)). The
    terms outside the window enter with the bound of :meth:`CountTerms.window`.
"""

from __future__ import annotations

from flint import arb

from exactdp.numbers import precision
from exactdp.numbers.balls import ceiling_of, floor_of, nonnegative_ball
from exactdp.numbers.effort import spend
from exactdp.numbers.limits import MAX_BALL_STEPS, count_text, refuse_above
from exactdp.sums.counting.tails import tail_ratio
from exactdp.sums.counting.terms import CountTerms, Window

__all__ = ["mean_ball"]

_CHECK_EVERY = 64
"""How often the accuracy of U is looked at."""

_LOST_BITS = 24
"""How many bits U may be worse than V."""


def mean_ball(terms: CountTerms, *, accuracy: int) -> arb:
    """Return a ball around E max(0, S) whose relative accuracy is about ``accuracy`` bits.

    Args:
        terms: The constants, whose precision is well above ``accuracy``.
        accuracy: What the tails are cut to; rounding may leave less.

    Raises:
        TooLargeError: If the window has too many totals.
    """
    with precision(terms.bits):
        nats = (accuracy * 7) // 10 + terms.n.bit_length() // 2 + 8
        window = terms.window(nats=nats)
        what = f"n={count_text(terms.n)}: {count_text(window.steps)} totals at {accuracy} bits"
        advice = "Lower n, or ask for a relative width of 1e-9 or more."
        refuse_above(MAX_BALL_STEPS, window.steps, what, advice=advice)
        spend(4 * window.steps)
        log_first, total = _window_sum(terms, window)
        if window.log_tail is not None:
            # The upper end bounds the tail; the ball then holds all values from 0 to it.
            total += nonnegative_ball((window.log_tail - log_first).exp())
        return total * log_first.exp() * terms.scale


def _window_sum(terms: CountTerms, window: Window) -> tuple[arb, arb]:
    """Return log V at the first total, and the sum of the terms over that V."""
    n, c, bits = terms.n, window.first, terms.bits
    up, down = terms.share, 1 - terms.share
    odds = None if terms.is_central else up / down
    threshold = terms.threshold(c)
    t = min(c, int(ceiling_of(threshold.mid())))
    log_first = terms.log_mass(t, c - t)
    # gap = (t − m_c)·unit, an integer within slip of the truth.
    unit = 1 << (bits - n.bit_length() - 8)
    drift = _nearest(terms.drift * unit)
    gap = t * unit - _nearest(threshold * unit)
    slip = _radius(threshold * unit) + window.steps * _radius(terms.drift * unit)
    almost, closeness = unit - slip, arb(0, arb(slip) / unit)
    chances, turn = terms.chances, down / up
    rises, stays = up * chances, down * chances
    excess, step = terms.excess(c), terms.lean - terms.nu
    # g is (1 − π)·V.
    g, u, total = down, tail_ratio(t, c - t, bits=bits, odds=odds), arb(0)
    while True:
        total += g * t - excess * u
        if gap < slip or gap > almost:
            total += closeness * (g / down * (1 + turn * t / (c - t + 1)))
        if c == window.last:
            return log_first, total
        left = n - c
        f = chances * left
        gap -= drift
        if gap < 0:
            u = (u - g) * f / (c + 1)
            g = g * (rises * left) / (t + 1)
            t, gap = t + 1, gap + unit
        else:
            u = (u + g * t / (c - t + 1)) * f / (c + 1)
            g = g * (stays * left) / (c + 1 - t)
            while gap >= unit:  # where ν > μ the threshold falls
                g = g * turn * t / (c - t + 2)
                u += g / down
                t, gap = t - 1, gap - unit
        c, excess = c + 1, excess + step
        if not c % _CHECK_EVERY:
            lost = g.rel_accuracy_bits() - u.rel_accuracy_bits()
            if lost > _LOST_BITS:
                u = g / down * tail_ratio(t, c - t, bits=bits, odds=odds)


def _nearest(value: arb) -> int:
    """Return the integer nearest to the middle of a ball."""
    return int(floor_of((value + arb(1) / 2).mid()))


def _radius(value: arb) -> int:
    """Return an integer that bounds the ball's radius and the rounding to an integer."""
    return int(ceiling_of(value.rad())) + 2
