"""The closed form against the counts and whole views, and approximate local randomizers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, decimal, enclosure, is_below, log
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import stronger_clone_pair
from exactdp.truth import Truth
from proofs_check.feldman2023 import bounds
from proofs_check.feldman2023.trials.reduction import (
    compared,
    counts_divergence,
    gammas,
    view_divergence,
)

__all__ = ["TRIALS"]

DELTAS = [Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 100), Fraction(1, 10**6)]
RATIOS = [Fraction(101, 100), Fraction(3, 2), Fraction(9, 4), Fraction(4), Fraction(12)]


def _closed_form(*, divide: int = 1) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        sizes = (6, 12, 24, 60, 150) if effort is Effort.DEFAULT else (6, 12, 24, 60, 150, 1000)
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
        rr = randomized_response(2, Epsilon.log(x))
        true = max(
            view_divergence(rr, (0,) * (n - 1 - ones) + (1,) * ones, bracket.upper)
            for ones in (0, n // 2, n - 1)
        )
        slack = delta / true.as_fraction() if true > 0 else None
        found = f"randomized response has delta {decimal(true, digits=6)}"
        if true > delta:
            return Outcome(Truth.FALSE, found, slack=slack)
        counts = stronger_clone_pair(n, Epsilon.log(x)).delta_enclosure(exp_epsilon=bracket.lower)
        fine = Truth.TRUE if counts.upper <= delta else Truth.UNKNOWN
        return Outcome(fine, f"{found}, the counts at most {counts.upper}", slack=slack)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_closed_form(divide=100) if divide == 1 else None,
    )


def _approximate(*, forget_delta0: bool = False) -> Statement:
    """Randomized response that reveals its input with probability delta0."""

    def instances(effort: Effort) -> Iterator[Instance]:
        leaks = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 3))
        for k, n, x in product((2, 3), (1, 2, 3, 4), RATIOS[1:]):
            for leak, g in product(leaks, gammas(x)):
                yield Instance.of(k=k, n=n, exp_epsilon0=x, delta0=leak, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        k, n, x, leak, g = v["k"], v["n"], v["exp_epsilon0"], v["delta0"], v["exp_epsilon"]
        rr = randomized_response(k, Epsilon.log(x))
        r = Randomizer.from_matrix(
            [*((1 - leak) * m for m in row), *(leak * int(y == i) for y in range(k))]
            for i, row in enumerate(rr.rows)
        )
        if view_divergence(r, (), x) != leak:
            return Outcome(Truth.FALSE, "the randomizer is not (eps0, delta0)-DP")
        delta0 = 0 if forget_delta0 else (g + 1) * (1 + 1 / (2 * x)) * n * leak
        bound = counts_divergence(stronger_clone_pair(n, Epsilon.log(x)), g) + delta0
        true = max(
            view_divergence(r, others, g)
            for others in combinations_with_replacement(range(k), n - 1)
        )
        return compared(true, bound)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=None if forget_delta0 else _approximate(forget_delta0=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "feldman2023/closed-form": {"": _closed_form()},
    "feldman2023/approximate": {"": _approximate()},
}
