"""Theorem 2 against the true δ of shuffled randomizers; see ``noisy`` and ``first_user``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, Term, ref, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.liu2024.curves import (
    SlopeWeights,
    breakpoints,
    exact_sums,
    exact_t_epsilon,
)
from proofs_check.liu2024.noise import Shape
from proofs_check.liu2024.trials.conversion import TRIALS as CONVERSION
from proofs_check.liu2024.trials.first_user import TRIALS as FIRST_USER
from proofs_check.liu2024.trials.noisy import noisy
from proofs_check.liu2024.trials.protocols import (
    Profile,
    best_delta,
    best_delta_term,
    condition_relations,
    definitions_of,
    delta_term,
    response_profiles,
    sums_terms,
    users_of,
    view_delta_term,
    weights_terms,
)
from proofs_check.liu2024.trials.rows import matrix_term

__all__ = ["TRIALS"]

FACTORS = [Fraction(x) for x in ("2", "3/2", "5/4", "5/2")]


# --- as printed ----------------------------------------------------------------------------


def _printed() -> Statement:
    """Binary randomized response, ε_i < ε_1: sums from i = 1, w_1^0 in l(t), inf in t_ε."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3):
            for ratios, profile in response_profiles(n, ratios=(2, 3, 5)):
                for g in FACTORS:
                    yield Instance.of(exp_epsilons=ratios, exp_epsilon=g, profile=profile)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        profile, g = v["profile"], v["exp_epsilon"]
        t = exact_t_epsilon(
            profile.weights,
            exp_epsilon=Exact(g),
            w=profile.w,
            delta_1=Exact(0),
            slope_weights=SlopeWeights.CONSTANT,
        )
        if t is None:
            return Outcome(Truth.TRUE, "no t meets the condition")
        sums = exact_sums(profile.weights, t=t, first=1)
        value = (2 * profile.w - g) * sums.alpha + (1 - 2 * profile.w) * sums.plus
        true = profile.delta(g)
        return Outcome(
            Truth.of(true <= value),
            f"t_ε = {t}, δ_s = {value}, true δ {true}",
            lambda: _printed_certificate(profile, g, t),
        )

    return Statement(instances=instances, holds=holds)


def _printed_certificate(profile: Profile, g: Fraction, t: Fraction) -> Certificate:
    weights = weights_terms(users_of(profile))
    alpha, plus = sums_terms(weights, t, first=1)
    before = [s for s in breakpoints(profile.n) if s < t]
    value = delta_term(ref("alpha"), ref("plus"), ref("w"), g)
    return Certificate(
        define=[
            *definitions_of(profile),
            ("gamma", term(g)),
            ("alpha", alpha),
            ("plus", plus),
        ],
        hypotheses=condition_relations(profile.n, ref("w"), g, t, before),
        conclusion=[relation(">", view_delta_term(profile), value)],
    )


# --- as it is meant, arbitrary local randomizers -------------------------------------------


def _leaky_profiles(largest: int) -> Iterator[Profile]:
    """A victim with two letters that nobody else sends: (a, b, c, d) against (b, a, d, c)."""
    half = Fraction(1, 2)
    other = (Fraction(0), Fraction(0), half, half)
    for size in range(4, largest + 1):
        for a, b, c in product(range(1, size), repeat=3):
            d = size - a - b - c
            if a > b and c > d >= 1 and 2 * c > size:
                zero = tuple(Fraction(x, size) for x in (a, b, c, d))
                one = tuple(Fraction(x, size) for x in (b, a, d, c))
                yield Profile((zero, one, other), (1,))


def _meant() -> Statement:
    """(5) at the best t, sums from i = 0; δ_i = 0, all randomizers finite."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, g in product((2, 3), FACTORS):
            for ratios, profile in response_profiles(n, ratios=(2, 3, 5)):
                yield Instance.of(exp_epsilons=ratios, exp_epsilon=g, profile=profile)
        for profile in _leaky_profiles(16):
            for g in FACTORS:
                yield Instance.of(exp_epsilon=g, profile=profile)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        profile, g = v["profile"], v["exp_epsilon"]
        bound = best_delta(profile.weights, w=profile.w, exp_epsilon=g, delta_1=Fraction(0))
        true = profile.delta(g)
        slack = (bound / true).as_fraction() if true > 0 else None
        return Outcome(
            Truth.of(true <= bound),
            f"δ_s = {bound}, true δ {true}",
            lambda: _meant_certificate(profile, g),
            slack=slack,
        )

    return Statement(instances=instances, holds=holds)


def _meant_certificate(profile: Profile, g: Fraction) -> Certificate:
    """The users' randomizers are private: the victim's, and a constant row."""
    bound = best_delta_term(ref("w"), users_of(profile), ref("gamma"), term(0))
    rows = matrix_term(profile.rows[:2])
    return Certificate(
        define=[*definitions_of(profile), ("gamma", term(g))],
        hypotheses=[relation(">", Term(["ldp_ratio", rows.json]), g)],
        conclusion=[relation(">", view_delta_term(profile), bound)],
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    **CONVERSION,
    **FIRST_USER,
    "liu2024/theorem-2": {
        "a": _printed(),
        "b": _meant(),
        "c": noisy(Shape.LAPLACE),
        "d": noisy(Shape.GAUSSIAN),
    },
}
