"""Section 4.4.1: condition (20), one direction of which gives both inequalities of (1).

With u_x = e^{|x − x'|/θ}: K(y − x) <= u_x K(y − x'), so (20) gives f_i <= e^ε f_j; and K(y − x) >=
K(y − x')/u_x, where Σ_x π/u_x >= (Σ_x π)² / Σ_x π u_x >= e^{−ε} Σ_x π by the harmonic mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import quantile_plan
from exactdp.truth import Truth
from proofs_check.ding2025.couplings import laws_of
from proofs_check.ding2025.instances import GROWTHS, pair_strategy, pairs
from proofs_check.ding2025.laws import Shown, laws_on, worst_ratio
from proofs_check.ding2025.proof_steps import harmonic_mean_is_least, triangle_inequality

__all__ = ["TRIALS"]


def _equation_20(*, averaged: bool = False) -> Statement:
    """(20) for the plan (6) of (s_i, s_j) gives both inequalities of (1).

    E is the least that (20) allows, so that the claim is tried where it is tightest. The
    variant takes the average over x' too.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        extra = list(product(laws_on((0, 1, 4), 2), repeat=2))
        for p, q in (*pairs(effort), *extra):
            yield Instance.of(P=Shown(p), Q=Shown(q), growth=GROWTHS[0])

    def strategy() -> Any:
        from hypothesis import strategies as st

        return st.builds(
            lambda two, growth: Instance.of(P=Shown(two[0]), Q=Shown(two[1]), growth=growth),
            pair_strategy(),
            st.sampled_from(GROWTHS),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q = laws_of(at)
        cells = [(x, z, m.as_fraction()) for (x, z), m in quantile_plan(p, q).masses.items()]
        sums: dict[Fraction, tuple[Fraction, Fraction]] = {}
        for x, z, mass in cells:
            total, weight = sums.get(z, (Fraction(0), Fraction(0)))
            sums[z] = total + v["growth"] ** int(abs(x - z)) * mass, weight + mass
        least = max(total / weight for total, weight in sums.values())
        if averaged:
            least = sum((total for total, _ in sums.values()), start=Fraction(0))
        ratio, side, _ = worst_ratio(p, q, growth=v["growth"])
        return Outcome(
            Truth.of(ratio <= least),
            f"(20) holds from e^eps = {least} on, worst ratio {ratio} of {side}",
            slack=least / ratio,
        )

    def proof() -> Proved | None:
        if not triangle_inequality() or not harmonic_mean_is_least():
            return None
        return Proved(
            "all laws on the line, any coupling pi, theta > 0, eps > 0, both inequalities of (1)",
            "with g_x = e^(|x-x'|/theta): K(y-x) <= g_x K(y-x') summed over pi gives f_i <= e^eps "
            "f_j under (20); K(y-x) >= K(y-x')/g_x and sum_x pi/g_x >= (sum_x pi)^2/(sum_x pi g_x) "
            ">= e^-eps sum_x pi for every x' (harmonic mean) gives f_i >= e^-eps f_j",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if averaged else strategy,
        proof=None if averaged else proof,
        false_variant=None if averaged else _equation_20(averaged=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/equation-20": {"": _equation_20()},
}
