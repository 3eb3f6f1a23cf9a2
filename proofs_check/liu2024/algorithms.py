"""Theorem 2 as an algorithm: (5) for two groups of other users, certified and in doubles.

Definitions: :func:`largest`, :func:`largest_in_doubles`, :func:`as_printed`,
:func:`as_printed_in_doubles`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any

from exactdp.claims.terms import Term, formula, function
from exactdp.claims.values import value
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import Epsilon, Exact, Number, Real, precision
from exactdp.numbers.later import np
from exactdp.numbers.real_functions import FloatFunctions
from proofs_check.lemmas.float_counts import binomial_masses, convolved, tails_along
from proofs_check.lemmas.remembered import remembered
from proofs_check.liu2024 import bounds, closed_forms, theorems
from proofs_check.liu2024.tilted_tails import tilted_gap

_MOST_BITS = 1 << 13
_LOST = 56
"""Bits of a law that a gap of two tails loses, or more."""

_MOST_USERS = 10**7
_SPREAD = 13
"""Standard deviations of a group's count that are summed in doubles: the rest is below e^-80."""

Groups = Sequence[tuple[Any, int]]
"""Probabilities, each with its number of users."""


def no_formula(f: Any, **_: Any) -> Any:
    """Say that a sum over counts is not written out."""
    raise TooLargeError("a sum over all counts is not written out. Ask for its value.")


def refuse_many(groups: Groups) -> None:
    """Refuse more users than are summed."""
    users = sum(count for _, count in groups)
    if users > _MOST_USERS:
        raise TooLargeError(f"{users} users: at most {_MOST_USERS} are summed. Take fewer.")


def largest(w: Number, groups: Groups, epsilon: Fraction, delta_1: Fraction = Fraction(0)) -> Real:
    """Return (5) at its best t, sums from i = 0."""
    refuse_many(groups)

    def ball(wanted: int) -> Any:
        bits = wanted + _LOST
        while bits <= _MOST_BITS:
            with precision(bits + 64):
                g, p, failing = (
                    x.ball(bits + 64) for x in (Epsilon.rational(epsilon).exp, w, Exact(delta_1))
                )
                first, second = bounds.factors(None, exp_epsilon=g, w=p, delta_1=failing)
                if first > 0:
                    trials = [(2 * share, count) for share, count in groups]
                    found = tilted_gap(trials, first, second, bits=bits)
                    if found.rel_accuracy_bits() >= wanted:
                        return found
            bits *= 2
        raise UndecidedError(f"delta is not reached with {_MOST_BITS} bits. Take another epsilon.")

    return remembered(ball, "delta_s of Theorem 2")


def largest_in_doubles(w: float, groups: Groups, epsilon: float, delta_1: float = 0.0) -> float:
    """Return the same in doubles."""
    g = math.exp(epsilon)
    first, second = bounds.factors(FloatFunctions(), exp_epsilon=g, w=w, delta_1=delta_1)
    return gap_in_doubles(first, second, groups)


def gap_in_doubles(first: float, second: float, groups: Groups) -> float:
    """Return Σ_c w_c (first T(c, t − 1) − second T(c, t)), t = ⌈μ(c + 1)⌉, in doubles.

    μ = second/(first + second); c is the count among users who say yes with 2 p_i; T(c, t) =
    Pr[Bin(c, 1/2) >= t].
    """
    refuse_many(groups)
    least, weights = 0, np.array([1.0])
    for p, count in groups:
        low, law = _window(count, 2 * p)
        least, weights = least + low, convolved(weights, law)
    c = least + np.arange(len(weights))
    # The least integer from μ(c + 1) on, above 0 and at most c + 1.
    t = np.clip(np.ceil(second / (first + second) * (c + 1)), 1, c + 1)
    tails, below = tails_along(least, t)
    return float(np.sum(weights * (first * (tails + below) - second * tails)))


def _window(count: int, p: float) -> tuple[int, Any]:
    reach = _SPREAD * math.sqrt(max(count * p * (1 - p), 0)) + 60
    low, high = max(0, math.floor(count * p - reach)), min(count, math.ceil(count * p + reach))
    return low, binomial_masses(count, np.arange(low, high + 1), p)


def as_printed(
    epsilon_1: Fraction, groups: Groups, epsilon: Fraction, *, first: int
) -> Exact | Real:
    """Return (5) at the printed t_ε, sums from i = ``first``, of binary randomized response.

    Args:
        epsilon_1: The budget of user 1.
        groups: Other users' budgets.
        epsilon: Where δ is asked.
        first: The first i of the sums.

    Raises:
        DomainError: If no t meets the printed condition.
    """
    exp_epsilon, w = function("exp", epsilon), _response(epsilon_1)
    groups = [(_response(budget), count) for budget, count in groups]
    users = 1 + sum(count for _, count in groups)
    t, _ = theorems.t_epsilon(users, w=w, exp_epsilon=exp_epsilon)
    if t is None:
        raise DomainError("no t meets the printed condition of t_ε. Take a larger epsilon.")
    found = theorems.equation_5(groups, t, w=w, exp_epsilon=exp_epsilon, first=first)
    return value(found)


def as_printed_in_doubles(w: float, groups: Groups, epsilon: float, *, first: int) -> float:
    """Return the same in doubles.

    Raises:
        ValueError: If no t meets the printed condition.
    """
    f, g, n = FloatFunctions(), math.exp(epsilon), 1 + sum(count for _, count in groups)
    law = np.array([1.0])
    for p, count in groups:
        coin = np.array([1 - 2 * p, 2 * p])
        for _ in range(count):
            law = convolved(law, coin)

    def top(i: int, t: float, less: int = 0) -> int:
        return math.floor(i + 1 - less - (i + 1) / (t + 1))

    def mass(i: int, k: int) -> float:
        return comb(i, k) / 2**i if 0 <= k <= i else 0.0

    def steep(t: float) -> bool:
        over = sum(mass(i, top(i, t)) for i in range(1, n))
        under = sum(mass(i, top(i, t, 1)) for i in range(1, n))
        return bool(under > 0 and bounds.slope(f, l=-over / under, w=w, delta_1=0) >= -g)

    t = next((t for t in map(float, theorems.breakpoints(n)) if steep(t)), None)
    if t is None:
        raise ValueError("no t meets the printed condition of t_ε")

    def total(less: int) -> float:
        tails = [sum(mass(i, k) for k in range(min(top(i, t, less), i) + 1)) for i in range(n)]
        return float(sum(law[i] * tails[i] for i in range(first, n)))

    return float(
        bounds.central_delta(f, exp_epsilon=g, alpha=total(1), plus=total(0), w=w, delta_1=0)
    )


def _response(epsilon: Fraction) -> Term:
    return formula(closed_forms.response_p, epsilon=epsilon)
