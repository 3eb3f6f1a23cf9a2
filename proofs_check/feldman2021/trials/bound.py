"""Theorem 3.1: the closed form against the counts and against whole views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, decimal, enclosure, is_below, log
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import Users, Victim, clone_pair, shuffle_view
from exactdp.truth import Truth
from proofs_check.feldman2021 import bounds
from proofs_check.feldman2021.trials.reduction import divergence_of

__all__ = ["TRIALS"]

DELTAS = [Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 100), Fraction(1, 10**6)]
RATIOS = [Fraction(101, 100), Fraction(3, 2), Fraction(9, 4), Fraction(4), Fraction(12)]


def _theorem(*, divide: int = 1) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        sizes = (12, 24, 60, 150) if effort is Effort.DEFAULT else (12, 24, 60, 150, 400, 1000)
        for n, x, delta in product(sizes, RATIOS, DELTAS):
            if is_below(Exact(x), evaluate(bounds.largest_exp_epsilon0, n=n, delta=delta)) is (
                Truth.TRUE
            ):
                yield Instance.of(n=n, exp_epsilon0=x, delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, delta = v["n"], v["exp_epsilon0"], v["delta"]
        claimed = evaluate(bounds.exp_amplified, n=n, epsilon0=log(Exact(x)), delta=delta)
        bracket = enclosure(1 + (claimed - 1) / divide, relative_bits=60)
        if bracket.lower >= x:
            return Outcome(Truth.TRUE, "the bound exceeds eps0: nothing is left")
        true = _view(n, x, bracket.upper)
        slack = delta / true.as_fraction() if true > 0 else None
        found = f"randomized response has delta {decimal(true, digits=6)}"
        if true > delta:
            return Outcome(Truth.FALSE, found, slack=slack)
        # The counts bound all randomizers (feldman2021/reduction).
        counts = divergence_of(clone_pair(n, Epsilon.log(x)), bracket.lower)
        fine = Truth.TRUE if counts <= delta else Truth.UNKNOWN
        return Outcome(fine, f"{found}, the counts {decimal(counts, digits=6)}", slack=slack)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_theorem(divide=100) if divide == 1 else None,
    )


def _view(n: int, x: Fraction, gamma: Fraction) -> Exact:
    """Return the largest divergence of binary randomized response, over some other users."""
    rr = randomized_response(2, Epsilon.log(x))
    return max(
        shuffle_view(
            Victim(rr, pair), [Users(rr, 0, ones), Users(rr, 1, n - 1 - ones)]
        ).hockey_stick_divergence(exp_epsilon=gamma)
        for pair in ((0, 1), (1, 0))
        for ones in (0, n // 2, n - 1)
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {"feldman2021/theorem-3.1": {"": _theorem()}}
