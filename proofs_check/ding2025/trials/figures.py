"""Figures 1-9: the plans of the 4-user systems, and the curves of θ.

For all of Figures 1-3, 6, 7 users 1-3 are those of Table 2. The largest distance W of the plan is
computed; θ = W/ε then attains every ε by the triangle inequality along the plan, and
the exact worst ratio is computed for several ε.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Exact, Number, decimal, exp, is_below
from exactdp.pufferfish import (
    Secret,
    bisect_monotone,
    quantile_plan,
    sum_of_independent,
)
from exactdp.truth import Truth
from proofs_check.ding2025.bounds import psi
from proofs_check.ding2025.laws import Law, bernoulli, worst_ratio
from proofs_check.ding2025.tables import P_4, Q_4, TABLE_2, four_users, law_of_row
from proofs_check.ding2025.trials.lemma1_mechanism import transport_bound_holds

__all__ = ["TRIALS"]

_USER_4 = 3
_CAPTION_PAIR = "(s_P, absent) of user 4"
_BASES = [Fraction(v) for v in ("2", "11/10", "5", "101/100")]
"""Values of e^{ε/W}."""


def _pair(first: Secret, second: Secret) -> tuple[Law, Law]:
    return four_users().pair(_USER_4, first, second)


# --- plans: Figures 1, 2, 3, 6, 7 -----------------------------------------------------------


def _plan_figure(
    first: Secret,
    second: Secret,
    *,
    distance: int,
    formula: Callable[[], Fraction] | None = None,
    noise: int | None = None,
    false_variant: Statement | None = None,
) -> Statement:
    """The plan's largest distance is ``distance`` and θ = distance/ε attains ε.

    Args:
        first: The first secret of user 4.
        second: The second.
        distance: What the figure says.
        formula: The distance by the theorem that the text quotes beside the plan.
        noise: Another distance for θ, for a variant.
        false_variant: A nearby statement that is wrong.
    """
    scale = distance if noise is None else noise

    def instances(effort: Effort) -> Iterator[Instance]:
        for base in _BASES:
            yield Instance.of(base=base, exp_epsilon=base**scale)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q = _pair(first, second)
        exp_epsilon = v["exp_epsilon"]
        moved = quantile_plan(p, q).largest_distance
        by_theorem = moved if formula is None else formula()
        ratio, _, _ = worst_ratio(p, q, growth=v["base"])
        return Outcome(
            Truth.of(moved == by_theorem == distance and ratio <= exp_epsilon),
            f"the plan moves mass by {moved}, the theorem says {by_theorem}; worst ratio "
            f"{decimal(Exact(ratio), digits=6)}, e^eps = {exp_epsilon}",
            slack=exp_epsilon / ratio,
        )

    def proof() -> Proved | None:
        return _for_every_epsilon([_pair(first, second)], distance)

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if false_variant is None else proof,
        false_variant=false_variant,
    )


def _with_less_noise(
    first: Secret, second: Secret, *, distance: int, formula: Callable[[], Fraction]
) -> Statement:
    """A figure whose θ is the smallest possible: the variant has θ = (distance − 1)/ε."""
    variant = _plan_figure(first, second, distance=distance, noise=distance - 1)
    return _plan_figure(first, second, distance=distance, formula=formula, false_variant=variant)


def _with_shorter_plan(first: Secret, second: Secret, *, distance: int) -> Statement:
    """A figure of two random reports: the variant has a plan of distance − 1."""
    variant = _plan_figure(first, second, distance=distance - 1, noise=distance)
    return _plan_figure(first, second, distance=distance, false_variant=variant)


def _for_every_epsilon(pairs: list[tuple[Law, Law]], distance: int) -> Proved | None:
    """Prove that θ = distance/ε attains every ε on pairs whose plans move mass no farther."""
    if not transport_bound_holds():
        return None
    for p, q in pairs:
        plan = quantile_plan(p, q)
        if plan.first != p or plan.second != q or plan.largest_distance > distance:
            return None
    return Proved(
        "every eps > 0",
        f"the plan, computed, moves mass by at most {distance}, so with theta = {distance}/eps "
        "f_i(y) = sum pi* K(y-x) <= sum pi* e^(|x-x'|/theta) K(y-x') <= e^eps f_j(y), as "
        "|y-x'| - |y-x| <= |x-x'|; likewise with i and j exchanged",
    )


def _caption(*, distance: int, plan_distance: int = 5) -> Statement:
    """Figure 3's caption: the plan of (s_P, s_⊥), then θ for S_{a,⊥}, all a in {1, ..., 5}.

    The pairs of S_{a,⊥} are those of all four users, the fourth of law P_4; the pair
    (s_{P_4}, s_⊥) itself is checked too.
    """

    @cache
    def pairs() -> Mapping[str, tuple[Law, Law]]:
        system, absent = four_users(law_of_row(P_4)), Secret.absent()
        found = {_CAPTION_PAIR: system.pair(_USER_4, Secret.follows(law_of_row(P_4)), absent)}
        for i in range(4):
            for a in range(5, 0, -1):
                name = f"(s_{a}, absent) of user {i + 1}"
                found[name] = system.pair(i, Secret.value(a), absent)
        return found

    def instances(effort: Effort) -> Iterator[Instance]:
        for base in _BASES[:2]:
            for name in pairs():
                yield Instance.of(pair=name, base=base)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q = pairs()[v["pair"]]
        moved = quantile_plan(*pairs()[_CAPTION_PAIR]).largest_distance
        exp_epsilon = v["base"] ** distance
        ratio, _, _ = worst_ratio(p, q, growth=v["base"])
        return Outcome(
            Truth.of(moved == plan_distance and ratio <= exp_epsilon),
            f"the plan moves mass by {moved}; worst ratio {decimal(Exact(ratio), digits=6)}, "
            f"e^eps = {exp_epsilon}",
            slack=exp_epsilon / ratio,
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=lambda: _for_every_epsilon(list(pairs().values()), 5),
        false_variant=_caption(distance=4) if distance == 5 else None,
    )


# --- curves: Figures 4 and 8 -----------------------------------------------------------------


def _expectation(theta: Exact) -> Number:
    """Return E[e^{|D|/θ}] for D of law P_4."""
    total: Number = Exact(0)
    for t, mass in enumerate(P_4, start=1):
        if mass:
            total = total + exp(Exact(t) / theta) * mass
    return total


def _figure_4(*, share: Fraction = Fraction(1)) -> Statement:
    """The θ of (13) is below ``share`` times 5/ε, ε from 0.1 to 1."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for tenths in range(1, 11):
            yield Instance.of(epsilon=Fraction(tenths, 10))

    def holds(at: Instance) -> Outcome:
        epsilon = Fraction(str(at["epsilon"]))
        target = exp(Exact(epsilon))
        bound = 5 / epsilon

        def small_enough(theta: Fraction) -> Truth:
            return is_below(_expectation(Exact(theta)), target)

        root = bisect_monotone(small_enough, start=bound / 2, relative_bits=20)
        return Outcome(
            Truth.of(root.upper < share * bound),
            f"theta of (13) is {decimal(Exact(root.upper), digits=6)}, "
            f"5/eps is {decimal(Exact(bound), digits=6)}",
            slack=bound / root.upper,
        )

    def proof() -> Proved | None:
        import sympy

        z = sympy.symbols("z", positive=True)
        gap = z**5 - sum(
            sympy.Rational(m.numerator, m.denominator) * z**t for t, m in enumerate(P_4, start=1)
        )
        quotient, rest = sympy.div(gap, z - 1, z)
        coefficients = sympy.Poly(quotient, z).all_coeffs()
        if rest != 0 or min(coefficients) < 0 or max(coefficients) == 0:
            return None
        return Proved(
            "every eps > 0",
            "with z = e^(eps/5) > 1, e^eps - E[e^(|D|/theta)] at theta = 5/eps is z - 1 times a "
            "polynomial with coefficients >= 0, not all 0, hence positive; E[e^(|D|/theta)] falls "
            "from infinity to 1 as theta grows, so it meets e^eps at a smaller theta",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if share == 1 else None,
        false_variant=_figure_4(share=Fraction(3, 5)) if share == 1 else None,
    )


def _figure_8(*, share: Fraction = Fraction(1)) -> Statement:
    """The θ of (21) is below ``share`` times 1/ε: e^{1/θ} > e^{ε/share}.

    Over the support of f(D_{-i}), and over the whole alphabet of X, which adds 1 + max.
    """
    p, q = Fraction(1, 5), Fraction(9, 10)
    others = sum_of_independent(law_of_row(row) for row in TABLE_2)
    support = sorted(others.masses)

    def least_psi(points: list[Fraction]) -> Fraction:
        values = []
        for x in points:
            above, below = (others.masses.get(z, Exact(0)).as_fraction() for z in (x, x - 1))
            if below:  # c/0 counts as infinite, 0/0 is left out
                values.append(psi(p=p, q=q, ratio=above / below))
        return Fraction(min(values))

    ranges = {"the support": support, "the alphabet of X": [*support, support[-1] + 1]}

    def instances(effort: Effort) -> Iterator[Instance]:
        for name in ranges:
            for epsilon in ("1/25", "1/1000", "1/2", "1", "3"):
                yield Instance.of(x_over=name, epsilon=Fraction(epsilon))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        least, e = least_psi(ranges[v["x_over"]]), Exact.exp(v["epsilon"])
        growth = e + (e - 1) * least
        return Outcome(
            is_below(exp(Exact(v["epsilon"] / share)), growth),
            f"the least psi is {decimal(Exact(least), digits=6)}, e^(1/theta) = "
            f"{decimal(growth, digits=6)}, e^eps = {decimal(e, digits=6)}",
        )

    def proof() -> Proved | None:
        lowest = min(least_psi(points) for points in ranges.values())
        if lowest <= 0:
            return None
        return Proved(
            "every eps > 0, x over the support of f(D_-i) or the alphabet of X",
            f"psi >= {lowest} > 0 by computation, so e^(1/theta) = e^eps + (e^eps - 1) psi > e^eps",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if share == 1 else None,
        false_variant=_figure_8(share=Fraction(3, 4)) if share == 1 else None,
    )


_VALUE_5, _ABSENT = Secret.value(5), Secret.absent()

TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/figure-1": {
        "": _with_less_noise(
            _VALUE_5, Secret.value(3), distance=2, formula=lambda: Fraction(abs(5 - 3))
        )
    },
    "ding2025/figure-2": {
        "": _with_less_noise(_VALUE_5, _ABSENT, distance=5, formula=lambda: Fraction(abs(5)))
    },
    "ding2025/figure-3": {
        "": _with_less_noise(
            Secret.follows(law_of_row(P_4)),
            _ABSENT,
            distance=5,
            formula=lambda: max(abs(t) for t in law_of_row(P_4).masses),
        )
    },
    "ding2025/figure-3/caption": {"": _caption(distance=5)},
    "ding2025/figure-4": {"": _figure_4()},
    "ding2025/figure-5": {
        "": Open(
            "The UCI records and the numbers that code their categories are not in the paper, and "
            '"much smaller" has no stated size. What holds for any coding is remark-2.'
        )
    },
    "ding2025/figure-6": {
        "": _with_shorter_plan(
            Secret.follows(law_of_row(P_4)), Secret.follows(law_of_row(Q_4)), distance=2
        )
    },
    "ding2025/figure-7": {
        "": _with_shorter_plan(
            Secret.follows(bernoulli("1/5")), Secret.follows(bernoulli("9/10")), distance=1
        )
    },
    "ding2025/figure-8": {"": _figure_8()},
    "ding2025/figure-9": {
        "": Open(
            "The UCI records and their binary coding are not in the paper, and "
            '"significantly reduced" has no stated size.'
        )
    },
}
