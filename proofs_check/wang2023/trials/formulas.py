"""Theorem 4.8, the divergence as an expectation, and Theorem 4.3, a closed form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import ceil, comb, floor
from typing import Any

import sympy

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Exact, decimal, enclosure, is_below
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import variation_ratio_pair
from exactdp.truth import Truth
from proofs_check.wang2023 import bounds
from proofs_check.wang2023.trials.mixtures import rows_view

__all__ = ["TRIALS"]


def _tail(c: int, share: Fraction, low: int, high: int) -> Fraction:
    """Return CDF_c[low, high]: Bin(c, share) between low and high, both included."""
    terms = range(max(low, 0), min(high, c) + 1)
    return sum((comb(c, a) * share**a * (1 - share) ** (c - a) for a in terms), Fraction(0))


def _threshold(n: int, c: int, e: Fraction, v: Mapping[str, Any]) -> Fraction:
    """Return low_c for e = e^ε, high_c for e = e^{−ε}."""
    p, alpha, r0, r1 = v["p"], v["alpha"], v["r0"], v["r1"]
    g = (1 - alpha - alpha * p) * (n - c) / (1 - r0 - r1)
    slope = alpha * (p / r0 - 1 / r1 + e * (p / r1 - 1 / r0))
    return Fraction(((e * p - 1) * alpha * c / r1 + (e - 1) * g) / slope)


def _expectation(v: Mapping[str, Any], *, reverse: bool, shift: int) -> Fraction:
    """Return the printed expectation of D(P||Q), or of D(Q||P); shift is 1 as printed."""
    n, p, alpha, r0, r1, e = (v[x] for x in ("n", "p", "alpha", "r0", "r1", "exp_epsilon"))
    share, rest = r0 / (r0 + r1), 1 - alpha - p * alpha
    weights = [(p - e) * alpha, (1 - p * e) * alpha, (1 - e) * rest]
    total = Fraction(0)
    for c in range(n):
        next_t, t = (_threshold(n, i, 1 / e if reverse else e, v) for i in (c + shift, c))
        if reverse:
            intervals = [(0, floor(next_t - 1)), (0, floor(next_t)), (0, floor(t))]
            factors = [weights[1], weights[0], weights[2]]
        else:
            intervals = [(ceil(next_t - 1), c), (ceil(next_t), c), (ceil(t), c)]
            factors = weights
        mass = comb(n - 1, c) * (r0 + r1) ** c * (1 - r0 - r1) ** (n - 1 - c)
        tails = (_tail(c, share, *interval) for interval in intervals)
        total += mass * sum(w * tail for w, tail in zip(factors, tails, strict=True))
    return total


def _as_expectation(*, shift: int = 1) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        sizes = (1, 2, 3, 6) if effort is Effort.DEFAULT else (1, 2, 3, 6, 15)
        for n, p, part in product(sizes, (Fraction(2), Fraction(5)), (Fraction(1, 2), Fraction(1))):
            alpha = part / (p + 1)
            for q0, q1 in ((p, p), (3 * p, 3 * p), (p, 2 * p), (5 * p, 3 * p)):
                r0, r1 = alpha * p / q0, alpha * p / q1
                for e in (Fraction(1, 2), Fraction(1), (1 + p) / 2, (1 + 7 * p) / 8, p + 1):
                    if r0 + r1 < 1:
                        yield Instance.of(n=n, p=p, alpha=alpha, r0=r0, r1=r1, exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, p, alpha, r0, r1 = (v[x] for x in ("n", "p", "alpha", "r0", "r1"))
        rest = 1 - alpha - p * alpha
        rows = [[p * alpha, alpha, rest], [alpha, p * alpha, rest], [r0, r1, 1 - r0 - r1]]
        for reverse in (False, True):
            order = [1, 0, 2] if reverse else [0, 1, 2]
            view = rows_view([rows[i] for i in order], n)
            true = view.hockey_stick_divergence(exp_epsilon=v["exp_epsilon"])
            computed = _expectation(v, reverse=reverse, shift=shift)
            if true != computed:
                which = "D(Q||P)" if reverse else "D(P||Q)"
                return Outcome(Truth.FALSE, f"{which} is {true}, the expectation {computed}")
        return Outcome(Truth.TRUE, "both directions agree")

    return Statement(
        instances=instances,
        holds=holds,
        proof=_expectation_proof if shift == 1 else None,
        false_variant=_as_expectation(shift=0) if shift == 1 else None,
    )


def _expectation_proof() -> Proved | None:
    """P - e Q at (a, c - a), in units of the common factor of P_0 : P_1 : P = a/r0 : b/r1 : ...."""
    a, c, p, e, r0, r1, alpha, g = sympy.symbols("a c p e r0 r1 alpha g", positive=True)
    b = c - a
    one = p * alpha * a / r0 + alpha * b / r1 + g
    two = alpha * a / r0 + p * alpha * b / r1 + g
    slope = alpha * (p / r0 - 1 / r1 + e * (p / r1 - 1 / r0))
    low = ((e * p - 1) * alpha * c / r1 + (e - 1) * g) / slope
    reverse = (two - e * one) + e * slope.subs(e, 1 / e) * (a - low.subs(e, 1 / e))
    if sympy.simplify((one - e * two) - slope * (a - low)) != 0 or sympy.simplify(reverse) != 0:
        return None
    return Proved(
        "all n, p > 1, α (p + 1) <= 1, r_0 + r_1 < 1 with r_0/r_1 in [1/p, p], all ε",
        "P - e^ε Q at (a, c - a) is a positive factor times slope·(a - low_c), Q - e^ε P one times "
        "-slope'·(a - high_c), slopes positive: so the positive parts are over a >= low_c and "
        "a <= high_c (ties contribute 0); then c - 1 for c in the terms where the victim sends a "
        "letter, and a - 1 for a where it is the first",
    )


# --- Theorem 4.3 ---------------------------------------------------------------------------


def _closed_form(*, divide: int = 1) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        deltas = (Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**6))
        for n, p, part in product(
            (20, 60, 200, 1000, 20_000),
            (Fraction(3, 2), Fraction(4)),
            (Fraction(1, 3), Fraction(1)),
        ):
            beta = part * (p - 1) / (p + 1)
            for q, delta in product((p, 3 * p), deltas):
                needed = evaluate(bounds.smallest_n, p=p, beta=beta, q=q, delta=delta)
                if is_below(needed, Exact(n)) is Truth.TRUE:
                    yield Instance.of(n=n, p=p, beta=beta, q=q, delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        claimed = evaluate(bounds.exp_amplified, **v)
        bracket = enclosure(1 + (claimed - 1) / divide, relative_bits=60)
        if bracket.lower >= v["p"]:
            return Outcome(Truth.TRUE, "e^ε exceeds p: nothing is left")
        pair = variation_ratio_pair(v["n"], p=v["p"], beta=v["beta"], q=v["q"])
        above = pair.delta_enclosure(exp_epsilon=bracket.lower).upper
        below = pair.delta_enclosure(exp_epsilon=bracket.upper).lower
        fine = Truth.TRUE if above <= v["delta"] else Truth.UNKNOWN
        slack = v["delta"] / below if below > 0 else None
        return Outcome(
            Truth.FALSE if below > v["delta"] else fine,
            f"the pair has delta {decimal(Exact(below), digits=6)}",
            slack=slack,
        )

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_closed_form(divide=100) if divide == 1 else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2023/theorem-4.8": {"": _as_expectation()},
    "wang2023/theorem-4.3": {"": _closed_form()},
}
