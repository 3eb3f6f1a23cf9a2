"""Sums of tails by tilted laws: relatively accurate, however small δ is.

Beside ``half_tails``: where δ is small, counts c far below their mean decide it, as tails fall like
ρ^c, ρ = ((1 + z)/2)/z^μ, z = μ/(1 − μ) (Chernoff). With any x >= ρ and M = Π (1 − p_i + p_i x),

    Σ_c Pr[C = c] G(c) = M Σ_c Pr[C' = c] G(c)/x^c,    0 <= G(c)/x^c <= first·z^(1 − μ),

where C' sums trials of p_i x/(1 − p_i + p_i x), and G(c) = first·T(c, t_c − 1) − second·T(c, t_c).

Definitions: :func:`tilted_gap`, :func:`gap_bound`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from exactdp.distributions.count_windows import count_window
from exactdp.numbers import Number, fmpq_of, precision, working_bits
from exactdp.numbers.balls import endpoints, nonnegative_ball
from proofs_check.liu2024.half_tails import first_tail, mass_of, threshold

__all__ = ["Trials", "gap_bound", "tilted_gap"]

Trials = Sequence[tuple[Number, int]]
"""Probabilities, each with its number of trials."""

_GRID = 1 << 48
"""x is rounded up to a multiple of 1/this: a bit above the best is nearly as good."""


def gap_bound(trials: Trials, first: arb, second: arb) -> arb:
    """Return an upper bound of the largest gap: first·z^(1 − μ)·M, at the current precision.

    It takes no sum. first > 0, second >= first.
    """
    return _cap(first, second) * _moment(trials, _tilt(first, second))


def tilted_gap(trials: Trials, first: arb, second: arb, *, bits: int) -> arb:
    """Return a ball around Σ_c Pr[C = c] (first·T(c, t_c − 1) − second·T(c, t_c)).

    t_c = ⌈μ(c + 1)⌉, μ = second/(first + second), as ``half_tails.largest_gap`` with its events.

    Args:
        trials: Those that C sums.
        first: Above 0.
        second: At least first.
        bits: The law of C' is within about 2^−bits.
    """
    with precision(bits + 64):
        x = _tilt(first, second)
        best = second / (first + second)
        mu = min(endpoints(best.mid())[0], Fraction(1))
        window = count_window([(_tilted(p, x), count) for p, count in trials], bits=bits)
        # From the largest c, whose tail is least, down: upward a tail is left of larger numbers.
        c, ball = window.first + len(window.weights) - 1, arb(fmpq_of(x))
        t, scale = threshold(mu, c), ball**-c
        tail = first_tail(c, t, bits=bits + 64) * scale
        mass = mass_of(c, t - 1) * scale  # β_c(t − 1)
        tails, masses, double = arb(0), arb(0), 2 * ball
        numerator, denominator = mu.numerator, mu.denominator
        for weight in reversed(window.weights):
            tails += weight * tail
            masses += weight * mass
            if numerator * c <= (t - 1) * denominator:  # t is less for c − 1
                tail += mass
                t -= 1
                mass = mass * t / (c - t + 1)
            if c:
                mass = mass * (c - t + 1) / c * double
                tail = tail * ball - mass / 2
                c -= 1
        total = (first * masses - (second - first) * tails) / arb(2) ** bits
        # A rational μ beside the best: see half_tails.largest_gap; T(c, x − 1) is Chernoff's.
        users = sum(count for _, count in trials)
        apart = abs(best - arb(fmpq_of(mu)))
        slip = 3 * (first + second) / first * apart * (second / first) ** (apart * (users + 1))
        left = _cap(first, second) * (arb(fmpq_of(window.missing)) + slip)
        return (total + nonnegative_ball(left)) * _moment(trials, x)


def _tilt(first: arb, second: arb) -> Fraction:
    """Return an x >= ρ, at most 1, that is short."""
    z, mu = second / first, second / (first + second)
    least = endpoints((1 + z) / 2 / z**mu)[1]
    return min(Fraction(-(-least.numerator * _GRID // least.denominator), _GRID), Fraction(1))


def _cap(first: arb, second: arb) -> arb:
    return first * (second / first) ** (first / (first + second))


def _moment(trials: Trials, x: Fraction) -> arb:
    """Return E x^C."""
    found, less = arb(1), arb(fmpq_of(1 - x))
    for p, count in trials:
        found *= (1 - p.ball(working_bits()) * less) ** count
    return found


def _tilted(p: Number, x: Fraction) -> Number:
    return p * x / (1 - p + p * x)
