"""Section 4.4, after Theorem 4: what other users change, and the example of Tables 2 and 3.

At the ends y -> ±∞ a sum of independent parts has a density that factors, so what others add
cancels there; between, it smooths. A pair whose worst ratio is attained inside, such as a
constant 1 against a fair choice of 0 and 2, needs less noise beside others.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from exactdp.certificates import Certificate, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import line_law, quantile_plan
from exactdp.truth import Truth
from proofs_check.ding2025.couplings import laws_of
from proofs_check.ding2025.cumulative import Shifts, largest_shift
from proofs_check.ding2025.instances import pair_strategy, pairs
from proofs_check.ding2025.laws import Law, Shown, law_strategy, point, worst_ratio
from proofs_check.ding2025.proof_steps import triangle_inequality
from proofs_check.ding2025.tables import P_4, Q_4, TABLE_2, law_of_row
from proofs_check.ding2025.terms import LinePair
from proofs_check.ding2025.trials.lemma1 import cumulative
from proofs_check.ding2025.trials.lemma6_systems import Rest, sums_are_mixtures
from proofs_check.ding2025.trials.theorem4 import BASES, SOME_OTHERS, with_others

__all__ = ["TRIALS"]

# --- other users -----------------------------------------------------------------------------


def _own_user(agree: Callable[[Any, Any], bool], *, wrong: Any = None) -> Statement:
    """At e^{1/θ} = growth: the least e^ε attained alone and beside others stand in a relation.

    The smallest θ on a pair is the same for every -i only if, at every θ, the least ε is the same
    alone and beside others; what is attained alone is attained beside others if the
    least ε beside them is at most the one alone.

    Args:
        agree: (alone, beside) -> whether the claim holds.
        wrong: Another relation, for the variant of a claim that stands.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        hand = [(point(1), line_law({0: "1/2", 2: "1/2"}))]
        for p, q in (*hand, *pairs(effort)):
            if p != q:
                for rest in SOME_OTHERS[1:]:
                    yield Instance.of(P=Shown(p), Q=Shown(q), others=rest, growth=Fraction(3))

    def strategy() -> Any:
        from hypothesis import strategies as st

        return st.builds(
            lambda two, others, growth: Instance.of(
                P=Shown(two[0]), Q=Shown(two[1]), others=Rest(tuple(others)), growth=growth
            ),
            pair_strategy().filter(lambda laws: laws[0] != laws[1]),
            st.lists(law_strategy(range(5)), max_size=3),
            st.sampled_from(BASES),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        laws = laws_of(at)
        alone, _, _ = worst_ratio(*laws, growth=v["growth"])
        beside, _, _ = worst_ratio(*with_others(laws, v["others"]), growth=v["growth"])
        return Outcome(
            Truth.of(agree(alone, beside)),
            f"e^(1/theta) = {v['growth']} attains exactly e^eps >= {alone} alone, {beside} beside "
            "the others",
            lambda: _differs(laws, v["others"], growth=v["growth"], e=beside),
            slack=None if wrong is None else alone / beside,
        )

    def proof() -> Proved | None:
        if not sums_are_mixtures():
            return None
        return Proved(
            "all P_i, Q_i, eps > 0, theta > 0, all other users",
            "f_(P*G)(y) = sum_m G(m) f_P(y-m) <= e^eps sum_m G(m) f_Q(y-m) = e^eps f_(Q*G)(y), G "
            "the law of f(D_-i), and the reverse",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if wrong is None else strategy,
        proof=None if wrong is None else proof,
        false_variant=None if wrong is None else _own_user(wrong),
    )


def _differs(laws: tuple[Law, Law], rest: Rest, *, growth: Fraction, e: Fraction) -> Certificate:
    """Evidence that ε is attained beside others (at all points of X) and not alone.

    Between neighboring points of X the ratio is monotone and beyond them it is constant.
    """
    own = LinePair.of(*laws, name="own")
    both = own
    for k, law in enumerate(rest.laws):
        both = both.with_other(law, name="X" if k == len(rest.laws) - 1 else f"X{k}")
    _, side, y = worst_ratio(*laws, growth=growth)
    relations = []
    for x in both.points:
        upper, lower = (both.density(s, x, growth=growth) for s in "pq")
        relations += [relation("<=", upper, e * lower), relation("<=", lower, e * upper)]
    return Certificate(
        define=both.define,
        hypotheses=[relation(">", e, 1), relation(">", growth, 1)],
        conclusion=[own.exceeds(side, y, exp_epsilon=e, growth=growth), *relations],
    )


# --- Table 3 ---------------------------------------------------------------------------------


def _table_3(*, powers: tuple[int, int] = (2, 1)) -> Statement:
    """sup Δ* of Table 3 is 2, and θ = 2/ε attains ε beside any users 1-3.

    e^ε = base^a, e^{1/θ} = base^b, ``powers`` = (a, b).
    """
    a, b = powers
    p, q = law_of_row(P_4), law_of_row(Q_4)

    def instances(effort: Effort) -> Iterator[Instance]:
        rows = [law_of_row(row) for row in TABLE_2]
        uniform, ends = rows[2], line_law({1: "1/2", 5: "1/2"})
        for laws in (rows, [point(1)] * 3, [point(1), point(3), ends], [ends] * 3, [uniform] * 3):
            for base in BASES:
                yield Instance.of(users123=Rest(tuple(laws)), base=base)

    def strategy() -> Any:
        from hypothesis import strategies as st

        rows = st.lists(law_strategy(range(1, 6)), min_size=3, max_size=3)
        return st.builds(
            lambda laws, base: Instance.of(users123=Rest(tuple(laws)), base=base),
            rows,
            st.sampled_from(BASES),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        sup = largest_shift(cumulative(p), cumulative(q), range(1, 6), shifts=Shifts.INTEGERS)
        ratio, _, _ = worst_ratio(*with_others((p, q), v["users123"]), growth=v["base"] ** b)
        e = v["base"] ** a
        return Outcome(
            Truth.of(sup == 2 and ratio <= e),
            f"sup of Delta* is {sup}, e^eps = {e}, worst ratio {ratio}",
            slack=e / ratio,
        )

    def proof() -> Proved | None:
        plan = quantile_plan(p, q)
        if plan.first != p or plan.second != q or plan.largest_distance != 2:
            return None
        if not (triangle_inequality() and sums_are_mixtures()):
            return None
        return Proved(
            "eps > 0, all laws of users 1-3",
            "Delta* computed is 2, 1, 1, 2, 0 and the plan moves mass by at most 2, so f_P <= "
            "e^(2/theta) f_Q = e^eps f_Q and the reverse (triangle inequality along the plan); "
            "f(D_-4) is added to both sides: post-processing",
        )

    stated = powers == (2, 1)
    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if stated else None,
        proof=proof if stated else None,
        false_variant=_table_3(powers=(1, 1)) if stated else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/section-4.4/own-user": {
        "a": _own_user(operator.eq),
        "b": _own_user(operator.ge, wrong=operator.le),
    },
    "ding2025/section-4.4/table-3-example": {"": _table_3()},
}
