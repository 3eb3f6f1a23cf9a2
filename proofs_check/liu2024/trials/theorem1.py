"""Section 3.3: mixtures, and Theorem 1 against the trade-off function of the view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.certificates import (
    Certificate,
    Relation,
    Term,
    event,
    finite_pair,
    mass,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, hockey_stick_divergence, trade_off_function
from exactdp.numbers import Exact, decimal
from exactdp.testing import probability_vectors
from exactdp.truth import Truth
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.curves import breakpoints, clone_count_weights, exact_sums
from proofs_check.liu2024.trials.protocols import (
    Profile,
    other_terms,
    response_profiles,
    sums_terms,
    trade_off_term,
    victim_probability_term,
    view_term,
    weights_terms,
)
from proofs_check.liu2024.trials.rows import binary, matrix_term

__all__ = ["TRIALS"]

# --- mixtures ------------------------------------------------------------------------------


def _mixture(*, other_weights: bool = False) -> Statement:
    """D_γ of the mixtures is at most the mean of the D_γ of the parts.

    That is the trade-off functions' order: T(Σ w_i P_i, Σ w_i Q_i) is at least the lower
    convex function that has Σ w_i D_γ(P_i ‖ Q_i) for its D_γ.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        lists = [(Fraction(1, 4),), (Fraction(1, 3), Fraction(1, 4)), (Fraction(1, 8),) * 3]
        for others, gamma in product(lists, (Fraction(1), Fraction(3, 2), Fraction(3))):
            n = len(others) + 1
            parts = [_counts(i, n) for i in range(n)]
            weights = [m.as_fraction() for m in clone_count_weights([Exact(p) for p in others])]
            yield Instance.of(parts=tuple(parts), weights=tuple(weights), exp_epsilon=gamma)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        parts, weights, gamma = v["parts"], v["weights"], v["exp_epsilon"]
        second = weights[::-1] if other_weights else weights
        size = len(parts[0][0])
        p, q = (
            [sum(w * part[x][z] for w, part in zip(ws, parts, strict=True)) for z in range(size)]
            for x, ws in ((0, weights), (1, second))
        )
        whole = hockey_stick_divergence(Pair.from_masses(p, q), exp_epsilon=gamma)
        mean = sum(
            (
                w * hockey_stick_divergence(Pair.from_masses(*part), exp_epsilon=gamma)
                for w, part in zip(weights, parts, strict=True)
            ),
            Exact(0),
        )
        return Outcome(Truth.of(whole <= mean), f"mixtures {whole}, mean of the parts {mean}")

    def proof() -> Proved | None:
        return Proved(
            "all weights, the same for P_0 and Q_0, and all pairs (P_i, Q_i)",
            "D_γ(Σ w_i P_i ‖ Σ w_i Q_i) = Σ_z (Σ_i w_i (P_i − γ Q_i)(z))^+ <= Σ_i w_i D_γ(P_i ‖ "
            "Q_i) for every γ >= 0, and trade-off functions are ordered as their D_γ; here with "
            "equality, for the counts tell i",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if other_weights else _any_mixture,
        proof=None if other_weights else proof,
        false_variant=None if other_weights else _mixture(other_weights=True),
    )


@cache
def _counts(i: int, n: int) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """(A_i + 1, i − A_i) and (A_i, i − A_i + 1), outcomes (total, count of the first letter)."""
    from math import comb

    laws = []
    for shift in (1, 0):
        law = [Fraction(0)] * (n * (n + 1))
        for k in range(i + 1):
            law[i * (n + 1) + k + shift] = Fraction(comb(i, k), 2**i)
        laws.append(tuple(law))
    return laws[0], laws[1]


def _any_mixture() -> st.SearchStrategy[Instance]:
    law = probability_vectors(size=3)
    return st.builds(
        lambda parts, weights, gamma: Instance.of(
            parts=tuple(parts), weights=weights, exp_epsilon=gamma
        ),
        st.lists(st.tuples(law, law), min_size=3, max_size=3),
        probability_vectors(size=3),
        st.fractions("1/4", 4, max_denominator=6),
    )


# --- Theorem 1 -----------------------------------------------------------------------------


def _trade_off(*, complement: bool = False) -> Statement:
    """f_s is a lower bound on the trade-off function; printed, or with 1 − F_i for F_i."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3, 4):
            for ratios, profile in response_profiles(n, ratios=(2, 3, 9)):
                for t in breakpoints(n)[1:]:
                    yield Instance.of(exp_epsilons=ratios, t=t, profile=profile)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        profile, t = v["profile"], v["t"]
        sums = exact_sums(profile.weights, t=t)
        formula = bounds.trade_off_of_complement if complement else bounds.trade_off
        value = formula(
            None, alpha=sums.alpha, plus=sums.plus, w=profile.w, delta_1=profile.delta_1
        )
        pair = profile.view().pair
        true = min(
            trade_off_function(p).type_two_error(alpha=sums.alpha) for p in (pair, pair.reversed())
        )
        return Outcome(
            Truth.of(value <= true),
            f"f_s({sums.alpha}) = {value}, the trade-off function {true}",
            lambda: _trade_off_certificate(profile, t, sums.alpha, complement=complement),
        )

    return Statement(instances=instances, holds=holds)


def _trade_off_certificate(
    profile: Profile, t: Fraction, level: Exact, *, complement: bool
) -> Certificate:
    """A test of level α(t) whose type II error is below f_s(α(t))."""
    w, weights = ref("w"), weights_terms([(ref(f"p_{j + 2}"), c) for j, c in _counted(profile)])
    alpha, plus = sums_terms(weights, t, first=0)
    claimed = trade_off_term(ref("alpha"), ref("plus"), w, profile.delta_1, complement=complement)
    inputs, region, extra = _best_test(profile, level)
    view = view_term(profile, inputs=inputs)
    error = 1 - event(ref("view"), "q", region)
    hypotheses: list[Relation] = []
    if extra is None:
        hypotheses.append(relation("<=", event(ref("view"), "p", region), ref("alpha")))
    else:
        # The test rejects one more outcome at random, so that its level is α(t).
        room = ref("alpha") - event(ref("view"), "p", region)
        share = room / mass(ref("view"), "p", extra)
        hypotheses += [relation(">=", share, 0), relation("<=", share, 1)]
        error = error - share * mass(ref("view"), "q", extra)
    return Certificate(
        define=[
            ("R", matrix_term(profile.rows)),
            ("w", victim_probability_term(profile)),
            *((f"p_{j + 2}", p) for j, (p, _) in enumerate(other_terms(profile))),
            ("alpha", alpha),
            ("plus", plus),
            ("view", view),
        ],
        hypotheses=hypotheses,
        conclusion=[relation(">", claimed, error)],
    )


def _counted(profile: Profile) -> list[tuple[int, int]]:
    return list(enumerate(profile.counts))


def _best_test(
    profile: Profile, level: Exact
) -> tuple[tuple[int, int], list[list[int]], list[int] | None]:
    """Return the direction, the outcomes rejected, and one rejected with some probability."""
    pair = profile.view().pair
    inputs = (0, 1)
    errors = [trade_off_function(p).type_two_error(alpha=level) for p in (pair, pair.reversed())]
    if errors[1] < errors[0]:
        pair, inputs = pair.reversed(), (1, 0)
    seen: Any = pair.outcomes
    outcomes = [list(outcome) for outcome in seen]
    masses = dict(enumerate(pair.masses()))
    order = sorted(masses, key=lambda k: (masses[k][0] != 0, _ratio(masses[k])))
    spent = Exact(0)
    region: list[list[int]] = []
    for k in order:
        if spent + masses[k][0] > level:
            return inputs, region, outcomes[k]
        spent += masses[k][0]
        region.append(outcomes[k])
    return inputs, region, None


def _ratio(masses: tuple[Exact, Exact]) -> Exact:
    return masses[0] / (masses[0] + masses[1])


def _alpha_range(*, top: Fraction = Fraction(1)) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (1, 2, 3, 5):
            for p, t in product((Fraction(0), Fraction(1, 4), Fraction(1, 2)), breakpoints(n)):
                yield Instance.of(others=(p,) * (n - 1), t=t)
            yield Instance.of(others=(Fraction(1, 3),) * (n - 1), t=Fraction(10**6))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        weights = clone_count_weights([Exact(p) for p in v["others"]])
        alpha = exact_sums(weights, t=v["t"]).alpha
        return Outcome(Truth.of(alpha.sign() >= 0 and alpha <= top), f"α = {alpha}")

    def strategy() -> st.SearchStrategy[Instance]:
        return st.builds(
            lambda others, t: Instance.of(others=tuple(others), t=t),
            st.lists(st.fractions(0, "1/2", max_denominator=9), max_size=6),
            st.fractions(0, 100, max_denominator=30),
        )

    def proof() -> Proved | None:
        return Proved(
            "all n, p_i in [0, 1/2] and t >= 0",
            "the w_i^0 are nonnegative with sum 1, and each F_i is in [0, 1]",
        )

    is_claim = top == 1
    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if is_claim else None,
        proof=proof if is_claim else None,
        false_variant=_alpha_range(top=Fraction(1, 2)) if is_claim else None,
    )


# --- the approximate term ------------------------------------------------------------------


def _leaking(ratio: int, delta: Fraction, x: int) -> tuple[Fraction, ...]:
    """Return a row that tells x with probability δ, by a letter of its own, else responds."""
    leak = (delta, Fraction(0)) if x == 0 else (Fraction(0), delta)
    return (*leak, *((1 - delta) * m for m in binary(ratio, x)))


def _leak_profiles(n: int, ratio: int, delta: Fraction) -> tuple[Profile, Profile]:
    """The protocol, and its pure part, in which the victim does not tell."""
    other = (Fraction(0), Fraction(0), *binary(2))
    counts = (n - 1,) if n > 1 else ()
    own = [other] * len(counts)
    return tuple(  # type: ignore[return-value]
        Profile((_leaking(ratio, d, 0), _leaking(ratio, d, 1), *own), counts, d)
        for d in (delta, Fraction(0))
    )


def _approximate() -> Statement:
    """f = (1 − δ_1) f_pure + δ_1 (1 − α), with the true f_pure: for a victim who tells."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, ratio, delta in product((2, 3), (3, 5), (Fraction(1, 4), Fraction(1, 10))):
            for alpha in (Fraction(0), Fraction(1, 4), Fraction(1, 2)):
                yield Instance.of(n=n, exp_epsilon_1=ratio, delta_1=delta, alpha=alpha)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        whole, pure = _leak_profiles(v["n"], v["exp_epsilon_1"], v["delta_1"])
        alpha, d = v["alpha"], v["delta_1"]
        part = trade_off_function(pure.view().pair).type_two_error(alpha=alpha)
        true = trade_off_function(whole.view().pair).type_two_error(alpha=alpha)
        claimed = (1 - d) * part + d * (1 - alpha)
        found = f"claimed {decimal(claimed, digits=6)}, the trade-off function is {true}"
        return Outcome(
            Truth.of(claimed <= true),
            found,
            lambda: _approximate_certificate(whole, pure, v["exp_epsilon_1"]),
        )

    return Statement(instances=instances, holds=holds)


def _approximate_certificate(whole: Profile, pure: Profile, ratio: int) -> Certificate:
    """At α = 0: f_pure(0) = 1, for Q's outcomes all have mass under P, so claimed is 1.

    Rejecting when the victim tells x_1^1 has level 0, and errs with 1 − δ_1.
    """
    n, d = whole.n, whole.delta_1
    told = [[0, 1, k, n - 1 - k] for k in range(n)]
    seen: list[Sequence[int]] = [[0, 0, k, n - k] for k in range(n + 1)]
    rows = finite_pair(*whole.rows[:2])
    private = [
        relation("<=", Term(["hockey_stick", pair.json, term(ratio).json]), d)
        for pair in (rows, finite_pair(*whole.rows[1::-1]))
    ]
    positive = [relation(">", mass(ref("pure"), "p", outcome), 0) for outcome in seen]
    claimed = (1 - term(d)) * 1 + term(d) * (1 - event(ref("view"), "p", told))
    return Certificate(
        define=[("view", _view(whole)), ("pure", _view(pure))],
        hypotheses=[
            *private,
            *positive,
            relation("=", event(ref("pure"), "q", seen), 1),
            relation("=", event(ref("view"), "p", told), 0),
        ],
        conclusion=[relation(">", claimed, 1 - event(ref("view"), "q", told))],
    )


def _view(profile: Profile) -> Term:
    others = [(2 + j, count) for j, count in enumerate(profile.counts)]
    return shuffle_pair(profile.rows, inputs=(0, 1), others=others)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "liu2024/section-3.3/mixture": {"": _mixture()},
    "liu2024/theorem-1": {"a": _trade_off(), "b": _trade_off(complement=True)},
    "liu2024/theorem-1/alpha-range": {"": _alpha_range()},
    "liu2024/theorem-1/approximate-term": {"": _approximate()},
}
