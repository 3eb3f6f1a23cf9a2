"""Section 2.1: the inequality (4), and what is requested of a coupling to have privacy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, Term, ref, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Epsilon
from exactdp.pufferfish import (
    LaplaceScale,
    TransportPlan,
    quantile_plan,
    relaxed_ratio,
    smallest_relaxed_ratio,
    wasserstein_1,
)
from exactdp.truth import Truth
from proofs_check.ding2025.couplings import farthest, is_coupling, laws_of, plan_6, plan_text
from proofs_check.ding2025.instances import GROWTHS, pair_strategy, pairs
from proofs_check.ding2025.laws import Law, Shown, bernoulli, point, worst_ratio
from proofs_check.ding2025.proof_steps import harmonic_mean_is_least, triangle_inequality
from proofs_check.ding2025.terms import LinePair
from proofs_check.ding2025.trials.plans import distance_is_w_infinity

__all__ = ["TRIALS"]

Distance = Callable[[Law, Law], Fraction]


# --- (4) and Proposition 1 ----------------------------------------------------------------


def _equation_4(*, sign: int = 1) -> Statement:
    """(4) at all half-integers y around the support; the false variant has e^{-|x - x'|/θ}."""

    def instances(effort: Effort) -> Iterator[Instance]:
        few = 60 if effort is Effort.DEFAULT else None
        for p, q in list(pairs(effort))[:few]:
            yield Instance.of(
                P=Shown(p), Q=Shown(q), half_growth=Fraction(3, 2), exp_epsilon=Fraction(2)
            )

    def strategy() -> Any:
        from hypothesis import strategies as st

        return st.builds(
            lambda laws, root, gamma: Instance.of(
                P=Shown(laws[0]), Q=Shown(laws[1]), half_growth=root, exp_epsilon=gamma
            ),
            pair_strategy(),
            st.sampled_from([Fraction(v) for v in ("3/2", "21/20", "4")]),
            st.sampled_from([Fraction(v) for v in ("2", "101/100", "50")]),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q = laws_of(at)
        # e^{1/(2θ)} is rational, so that 2θ N(y − x) is at half-integers y too.
        gamma, root = v["exp_epsilon"], v["half_growth"]
        independent = {(x, z): a * b for x, a in _items(p) for z, b in _items(q)}
        for plan in (plan_6(p, q), independent):
            ends = [x for cell in plan for x in cell]
            for twice_y in range(int(2 * min(ends)) - 1, int(2 * max(ends)) + 2):
                left, middle, right = _sides(plan, p, q, twice_y, root, gamma, sign)
                if not left == middle <= right:
                    return Outcome(Truth.FALSE, f"{left}, {middle}, {right} at y = {twice_y}/2")
        return Outcome(Truth.TRUE)

    def proof() -> Proved | None:
        if not triangle_inequality():
            return None
        return Proved(
            "all couplings of any two laws on the line, all y, theta > 0, eps",
            "the marginals of the coupling give the equality; |y - x'| - |y - x| <= |x - x'| "
            "(checked in every order of y, x, x') gives N(y - x) <= e^(|x - x'|/theta) N(y - x')",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy,
        proof=proof if sign == 1 else None,
        false_variant=_equation_4(sign=-1) if sign == 1 else None,
    )


def _sides(
    plan: Mapping[tuple[Fraction, Fraction], Fraction],
    p: Law,
    q: Law,
    twice_y: int,
    root: Fraction,
    gamma: Fraction,
    sign: int,
) -> tuple[Fraction, Fraction, Fraction]:
    """Return the three sides of (4), times 2θ."""

    def noise(x: Fraction) -> Fraction:
        return root ** -int(abs(twice_y - 2 * x))

    left = sum((noise(x) * a for x, a in _items(p)), Fraction(0))
    left -= gamma * sum(noise(z) * b for z, b in _items(q))
    middle = right = Fraction(0)
    for (x, z), mass in plan.items():
        middle += mass * (noise(x) - gamma * noise(z))
        right += mass * noise(z) * (root ** int(2 * sign * abs(x - z)) - gamma)
    return left, middle, right


def _items(law: Law) -> list[tuple[Fraction, Fraction]]:
    return [(x, m.as_fraction()) for x, m in law.masses.items() if m]


def _proposition_1(distance: Distance, *, wrong: Distance | None) -> Statement:
    """Noise of scale distance/ε attains ε: with e^{1/θ} = g, e^ε = g^distance."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for growth, (p, q) in product(GROWTHS[:2], pairs(effort)):
            yield Instance.of(P=Shown(p), Q=Shown(q), growth=growth)

    def strategy() -> Any:
        from hypothesis import strategies as st

        return st.builds(
            lambda laws, g: Instance.of(P=Shown(laws[0]), Q=Shown(laws[1]), growth=g),
            pair_strategy(),
            st.sampled_from(GROWTHS),
        )

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        growth = at["growth"]
        assert isinstance(growth, Fraction)
        d = distance(p, q)
        ratio, _, _ = worst_ratio(p, q, growth=growth)
        # ratio <= growth^d, for a distance that may be a fraction.
        return Outcome(
            Truth.of(ratio**d.denominator <= growth**d.numerator),
            f"theta = {d}/eps, worst ratio {ratio}",
            slack=growth**d.numerator / ratio if d.denominator == 1 else None,
        )

    def proof() -> Proved | None:
        if not triangle_inequality():
            return None
        return Proved(
            "all couplings of any two laws on the line with bounded |x - x'|, all eps > 0",
            "by (4) P_Y <= e^eps Q_Y, as |x - x'| <= eps theta on the support; the transposed "
            "coupling gives the other direction; equal laws need no noise",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy,
        proof=proof if wrong is not None else None,
        false_variant=None if wrong is None else _proposition_1(wrong, wrong=None),
    )


def _mean_distance(p: Law, q: Law) -> Fraction:
    return wasserstein_1(p, q).as_fraction()


# --- requests -----------------------------------------------------------------------------


def _request() -> Statement:
    """The request for all of X² asks for no more than (5); X is the joint support."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, q in pairs(effort):
            if p != q:  # else (5) asks for θ = 0, and every request for more
                yield Instance.of(P=Shown(p), Q=Shown(q))

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        pair, found = LinePair.of(p, q), farthest(p, q)
        x, z = pair.points[0], pair.points[-1]

        def certificate() -> Certificate:
            # Nothing is moved farther than ``found``, so (5) is e^{found/θ} = e^ε, here 2^found.
            near = [
                relation("=", pair.plan(a, b), 0)
                for a, b in product(pair.points, repeat=2)
                if abs(a - b) > found
            ]
            in_alphabet = [relation(">", pair.mass("p", y) + pair.mass("q", y), 0) for y in (x, z)]
            gamma = term(2) ** int(found)
            return Certificate(
                define=(*pair.define, ("growth", term(2)), ("gamma", gamma)),
                hypotheses=[
                    *near,
                    *in_alphabet,
                    relation("=", ref("growth") ** int(found), ref("gamma")),
                ],
                conclusion=[relation(">", ref("growth") ** int(z - x) - ref("gamma"), 0)],
            )

        return Outcome(
            Truth.of(z - x == found),
            f"({x}, {z}) in X^2 asks for theta >= {z - x}/eps, (5) is {found}/eps",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _request_on_support(*, everywhere: bool = False) -> Statement:
    """The repair: requested on supp(π*), it holds exactly for θ >= (5) (false: on all of X²)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, q in pairs(effort):
            yield Instance.of(P=Shown(p), Q=Shown(q), growth=Fraction(3, 2))

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        growth = at["growth"]
        assert isinstance(growth, Fraction)
        support = list(plan_6(p, q))
        if everywhere:
            points = sorted({x for cell in support for x in cell})
            support = [(x, z) for x in points for z in points]
        for steps in range(8):  # e^ε = growth^steps: θ = steps/ε
            requested = all(growth ** int(abs(x - z)) <= growth**steps for x, z in support)
            if requested != (steps >= farthest(p, q)):
                return Outcome(Truth.FALSE, f"theta = {steps}/eps")
        return Outcome(Truth.TRUE)

    def proof() -> Proved | None:
        return Proved(
            "all couplings of any two laws on the line",
            "e^(|x - x'|/theta) <= e^eps exactly if theta >= |x - x'|/eps; take the supremum over "
            "the support, outside of which the integral of (4) has no mass",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if everywhere else proof,
        false_variant=None if everywhere else _request_on_support(everywhere=True),
    )


def _no_coupling_is_better() -> Statement:
    """At one θ, no coupling satisfies (20) with a smaller e^ε than (6) does."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, q in pairs(effort):
            yield Instance.of(P=Shown(p), Q=Shown(q), growth=Fraction(3, 2))

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        growth = at["growth"]
        assert isinstance(growth, Fraction)
        scale = LaplaceScale(Fraction(1), Epsilon.log(growth))
        own = relaxed_ratio(quantile_plan(p, q), scale)
        gamma, plan = smallest_relaxed_ratio(p, q, scale)
        targets = sorted(z for z, m in q.masses.items() if m)

        def excess(masses: Callable[[Fraction, Fraction], Any], z: Fraction) -> Term:
            """Σ_x (e^{|x − z|/θ} − e^ε) π(x, z)."""
            total = term(0)
            for x in sorted(p.masses):
                total = total + (growth ** int(abs(x - z)) - term(gamma)) * masses(x, z)
            return total

        def certificate() -> Certificate:
            pair = LinePair.of(p, q)
            fails = max(targets, key=lambda z: _average(quantile_plan(p, q), z, growth))
            other = [
                relation("<=", excess(lambda x, y: plan.masses.get((x, y), 0), z), 0)
                for z in targets
            ]
            return Certificate(
                define=pair.define,
                hypotheses=[relation(">", gamma, 1), *is_coupling(pair, plan)],
                conclusion=[relation(">", excess(pair.plan, fails), 0), *other],
            )

        return Outcome(
            Truth.of(gamma == own),
            f"(20) holds from e^eps = {own} on with (6), from {gamma} on with {plan_text(plan)}",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _average(plan: TransportPlan, z: Fraction, growth: Fraction) -> Fraction:
    """Return Σ_x e^{|x − z|/θ} π(x, z) / Σ_x π(x, z)."""
    parts = [(x, m.as_fraction()) for (x, w), m in plan.masses.items() if w == z]
    total = sum((growth ** int(abs(x - z)) * m for x, m in parts), Fraction(0))
    return total / sum(m for _, m in parts)


def _better_coupling_serves(*, averaged: bool = False) -> Statement:
    """The repair: noise with e^ε = λ(π, θ) of any coupling attains ε, in both directions.

    The false variant averages over x' too.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, q in ((point(0), point(2)), (bernoulli("1/3"), point(3)), *pairs(effort)):
            yield Instance.of(P=Shown(p), Q=Shown(q), growth=Fraction(3, 2))

    def strategy() -> Any:
        return pair_strategy().map(
            lambda two: Instance.of(P=Shown(two[0]), Q=Shown(two[1]), growth=Fraction(2))
        )

    def holds(at: Instance) -> Outcome:
        p, q = laws_of(at)
        growth = at["growth"]
        assert isinstance(growth, Fraction)
        scale = LaplaceScale(Fraction(1), Epsilon.log(growth))
        gamma, plan = smallest_relaxed_ratio(p, q, scale)
        claimed = gamma.as_fraction()
        if averaged:
            claimed = sum(
                (growth ** int(abs(x - z)) * m.as_fraction() for (x, z), m in plan.masses.items()),
                Fraction(0),
            )
        ratio, _, _ = worst_ratio(p, q, growth=growth)
        return Outcome(
            Truth.of(ratio <= claimed), f"{claimed}, worst ratio {ratio}", slack=claimed / ratio
        )

    def proof() -> Proved | None:
        if not (triangle_inequality() and harmonic_mean_is_least()):
            return None
        return Proved(
            "all couplings of any two laws on the line, all theta > 0, eps > 0",
            "(4) gives P_Y <= e^eps Q_Y. The other way, P_Y(y) >= sum over x' of N(y - x') times "
            "the sum of e^(-|x - x'|/theta) pi(x, x'), and that is at least Q(x')^2 over the sum "
            "of e^(|x - x'|/theta) pi(x, x') (harmonic and arithmetic mean), so at least "
            "e^-eps Q(x'): P_Y >= e^-eps Q_Y",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy,
        proof=None if averaged else proof,
        false_variant=None if averaged else _better_coupling_serves(averaged=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/equation-4": {"": _equation_4()},
    "ding2025/section-2.1/smaller-theta": {
        "a": _no_coupling_is_better(),
        "b": distance_is_w_infinity(farthest, is_claim=True),
    },
    "ding2025/section-2.1/request": {"": _request()},
    "ding2025/proposition-1": {"": _proposition_1(farthest, wrong=_mean_distance)},
    "ding2025/repair/request": {"": _request_on_support()},
    "ding2025/repair/smaller-theta": {"": _better_coupling_serves()},
}
