"""What does hold: weights of copies, (5) at its best t, randomized response, any randomizers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import hockey_stick_divergence
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.shuffle import (
    PersonalizedCountPair,
    clone_weight,
    first_fault,
    letter_weight,
    personalized_clones,
    variation_ratio_decomposition,
)
from exactdp.testing import probability_vectors
from exactdp.truth import Truth
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.confounding import as_copies, other_confounding
from proofs_check.liu2024.curves import breakpoints, clone_count_weights, exact_sums
from proofs_check.liu2024.trials.protocols import Profile, best_delta, response_profiles
from proofs_check.liu2024.trials.rows import binary, private_rows, ratio_of, rows_of, small

__all__ = ["TRIALS"]

# --- copies of the victim's rows -----------------------------------------------------------


def _triples(effort: Effort) -> Iterator[Instance]:
    yield from small(3, largest=6 if effort is Effort.DEFAULT else 8)


def _copies(*, stronger: bool = False) -> Statement:
    """(2) with 1/(2e^ε); false variant: with 1/(e^ε + 1)."""

    def holds(at: Instance) -> Outcome:
        r = rows_of(at)
        x = ratio_of(r)
        p = 1 / (x + 1) if stronger else clone_weight(x)
        fault = first_fault([as_copies(*r.rows, p=p)])
        return Outcome(Truth.of(fault is None), f"weight {p}: {fault or 'a law is left over'}")

    def proof() -> Proved | None:
        u, v, w, x = sympy.symbols("u v w x", positive=True)
        left = w - (u + v) / (2 * x)
        if sympy.simplify(left - ((x * w - u) + (x * w - v)) / (2 * x)) != 0:
            return None
        return Proved(
            "all ε >= 0, randomizers and inputs",
            "R(x_i) − (R(x_1^0) + R(x_1^1))/(2x) = ((x R(x_i) − R(x_1^0)) + (x R(x_i) − "
            "R(x_1^1)))/(2x) >= 0 by ε-LDP",
        )

    return Statement(
        instances=_triples,
        holds=holds,
        strategy=None if stronger else lambda: private_rows(3),
        proof=None if stronger else proof,
        false_variant=None if stronger else _copies(stronger=True),
    )


def _any_copies(*, by_test: bool = False) -> Statement:
    """(4) with the least of R(x_i)/(R(x_1^0) + R(x_1^1)); false variant: with p_i."""

    def holds(at: Instance) -> Outcome:
        zero, one, other = rows_of(at).rows
        p = letter_weight([zero, one], [other])
        if by_test:
            p = min(other_confounding(zero, one, other))
        fault = first_fault([as_copies(zero, one, other, p=p)])
        return Outcome(Truth.of(fault is None), f"weight {p}: {fault or 'a law is left over'}")

    def proof() -> Proved | None:
        return Proved(
            "all rows, of any randomizers",
            "R(x_i) >= p (R(x_1^0) + R(x_1^1)) at every message is the definition of p as a "
            "least ratio; a larger p leaves a negative mass",
        )

    return Statement(
        instances=_triples,
        holds=holds,
        strategy=None if by_test else lambda: private_rows(3),
        proof=None if by_test else proof,
        false_variant=None if by_test else _any_copies(by_test=True),
    )


# --- (5) and its best t --------------------------------------------------------------------


def _formula_instances(effort: Effort) -> Iterator[Instance]:
    for n in (1, 2, 3, 4):
        for p, w, d in product(
            (Fraction(0), Fraction(1, 3), Fraction(1, 2)),
            (Fraction(0), Fraction(1, 4), Fraction(2, 5)),
            (Fraction(0), Fraction(1, 10)),
        ):
            for g in (Fraction(1), Fraction(5, 4), Fraction(2), Fraction(5)):
                yield Instance.of(others=(p,) * (n - 1), w=w, delta_1=d, exp_epsilon=g)


def _delta(at: Instance, t: Fraction, *, first: int = 0) -> Exact:
    v: Mapping[str, Any] = at.mapping()
    sums = exact_sums(clone_count_weights([Exact(p) for p in v["others"]]), t=t, first=first)
    d, w, g = v["delta_1"], v["w"], v["exp_epsilon"]
    value: Exact = ((1 - d) * 2 * w + d - g) * sums.alpha + (1 - d) * (1 - 2 * w) * sums.plus
    return value


def _conversion(*, first: int = 0) -> Statement:
    """(5) with sums from i = 0, at any t, is 1 − f_s(α) − e^ε α with 1 − F_i in f_s."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        weights = clone_count_weights([Exact(p) for p in v["others"]])
        for t in breakpoints(len(weights)):
            sums = exact_sums(weights, t=t)
            f = bounds.trade_off_of_complement(
                None, alpha=sums.alpha, plus=sums.plus, w=v["w"], delta_1=v["delta_1"]
            )
            value, other = _delta(at, t, first=first), 1 - f - v["exp_epsilon"] * sums.alpha
            if value != other:
                return Outcome(Truth.FALSE, f"(5) is {value}, not {other}, at t = {t}")
        return Outcome(Truth.TRUE, "equal at every t")

    def proof() -> Proved | None:
        g, w, d, a, u = sympy.symbols("g w d a u")
        f = (1 - d) * (2 * w * (1 - a) + (1 - 2 * w) * (1 - u)) + d * (1 - a)
        value = ((1 - d) * 2 * w + d - g) * a + (1 - d) * (1 - 2 * w) * u
        if sympy.expand(1 - f - g * a - value) != 0:
            return None
        return Proved("all weights, w, δ_1, ε and t", "the identity, for any two sums")

    return Statement(
        instances=_formula_instances,
        holds=holds,
        proof=proof if first == 0 else None,
        false_variant=_conversion(first=1) if first == 0 else None,
    )


def _best_t(*, factor: Fraction = Fraction(1)) -> Statement:
    """(5) is largest at t = (1 − δ_1)(1 − 2w)/(e^ε − 2w(1 − δ_1) − δ_1)."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, w, g = v["delta_1"], v["w"], v["exp_epsilon"]
        t = factor * (1 - d) * (1 - 2 * w) / (g - 2 * w * (1 - d) - d)
        value = _delta(at, t)
        best = max(_delta(at, s) for s in breakpoints(len(v["others"]) + 1))
        return Outcome(Truth.of(value >= best), f"{value} at t = {t}, at most {best}")

    def proof() -> Proved | None:
        i, k, a, b = sympy.symbols("i k a b", positive=True)
        # A f_i(k) >= B f_i(k − 1) for k <= (i + 1) t/(t + 1): f_i(k)/f_i(k − 1) = (i + 1 − k)/k.
        t = a / b
        gap = (a * (i + 1 - k) - b * k) - (a + b) * ((i + 1) * t / (t + 1) - k)
        if sympy.simplify(gap) != 0:
            return None
        return Proved(
            "all weights, w < 1/2, δ_1 < 1, ε >= 0",
            "with A = (1 − δ_1)(1 − 2w), B = e^ε − 2w(1 − δ_1) − δ_1 the i-th part of (5) is "
            "A F_i(k) − B F_i(k − 1), k = ⌊(i + 1) t/(t + 1)⌋; its step A f_i(k) − B f_i(k − 1) is "
            "nonnegative exactly for k <= (i + 1) t/(t + 1) at t = A/B: best for every i at once",
        )

    return Statement(
        instances=_formula_instances,
        holds=holds,
        proof=proof if factor == 1 else None,
        false_variant=_best_t(factor=Fraction(3)) if factor == 1 else None,
    )


# --- Theorem 2 for binary randomized response ----------------------------------------------


def _responses(*, first: int = 0) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3, 4):
            for ratios, profile in response_profiles(n, ratios=(2, 3, 5)):
                for g in (Fraction(5, 4), Fraction(2), Fraction(3)):
                    yield Instance.of(exp_epsilons=ratios, exp_epsilon=g, profile=profile)
        for ratios in ((3, 3), (2, 3), (3, 3, 5)):  # also with ties, and larger ε_i
            own = tuple(binary(x) for x in ratios[1:])
            profile = Profile((binary(ratios[0]), binary(ratios[0], 1), *own), (1,) * len(own))
            yield Instance.of(exp_epsilons=ratios, exp_epsilon=Fraction(3, 2), profile=profile)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        profile, g = v["profile"], v["exp_epsilon"]
        weights = profile.weights
        if first:
            weights = [Exact(0), *weights[1:]]
        bound = best_delta(weights, w=profile.w, exp_epsilon=g, delta_1=Fraction(0))
        true = profile.delta(g)
        slack = (bound / true).as_fraction() if true > 0 else None
        return Outcome(Truth.of(true <= bound), f"true δ {true}, bound {bound}", slack=slack)

    def proof() -> Proved | None:
        w, g = sympy.symbols("w g", positive=True)
        a, b = 1 - 2 * w, g - 2 * w  # (5) is the largest a P_0(S) − b Q_0(S)
        c, d = 1 - w - g * w, g * (1 - w) - w  # of the pair with w: the largest c P_0(S) − d Q_0(S)
        lines = [(a - c) - w * (g - 1), (b - d) - w * (g - 1), (d - c) - (g - 1)]
        if any(sympy.expand(line) != 0 for line in lines):
            return None
        return Proved(
            "binary randomized response of all users, any ε_i and inputs, ε >= 0, n",
            "p_i <= min(R_i) and R(x_1^0) + R(x_1^1) = (1, 1), so R_i is p_i (each letter) plus a "
            "leftover, and R(x_1^b) is the letters mixed with w: the view is a post-processing of "
            "the pair of counts. Its D is the largest c P_0(S) − d Q_0(S), and (5) that of "
            "a P_0(S) − b Q_0(S), which is larger by w (e^ε − 1)(P_0(S) − Q_0(S)) >= 0 at its S",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if first else proof,
        false_variant=None if first else _responses(first=1),
    )


# --- any randomizers -----------------------------------------------------------------------


def _personalized(*, by_test: bool = False) -> Statement:
    """Letters of the victim's positive parts; false variant: p_1 and p_i of Section 3.2."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in small(3, largest=5 if effort is Effort.DEFAULT else 7):
            rows: Any = at["rows"]
            if rows[0] != rows[1]:
                for n in (2, 3):
                    yield Instance.of(rows=rows, n=n, exp_epsilon=Fraction(11, 10))
        for weights in ((2, 1, 5, 1), (2, 1, 4, 2), (3, 1, 8, 3)):
            # The victim sends two letters that nobody else sends.
            a, b, c, d = (Fraction(x, sum(weights)) for x in weights)
            leaky = ((a, b, c, d), (b, a, d, c), (Fraction(0),) * 2 + (Fraction(1, 2),) * 2)
            for n, g in product((2, 3), (Fraction(5, 4), Fraction(3, 2))):
                yield Instance.of(rows=leaky, n=n, exp_epsilon=g)

    def strategy() -> st.SearchStrategy[Instance]:
        law = probability_vectors(size=4).filter(lambda masses: min(masses) > 0)
        return st.builds(
            lambda rows, n, g: Instance.of(rows=rows, n=n, exp_epsilon=g),
            st.tuples(law, law, law).filter(lambda rows: rows[0] != rows[1]),
            st.integers(1, 4),
            st.fractions(1, 4, max_denominator=5),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, g, r = v["n"], v["exp_epsilon"], rows_of(at)
        profile = Profile(v["rows"], (n - 1,))
        true = profile.delta(g)
        if by_test:
            bound = best_delta(profile.weights, w=profile.w, exp_epsilon=g, delta_1=Fraction(0))
        elif (valid := _variation_bound(r, n, g)) is not None:
            bound = valid
        else:
            return Outcome(Truth.FALSE, "the mixtures are wrong")
        found = f"true δ {decimal(true, digits=6)}, bound {decimal(bound, digits=6)}"
        slack = (bound / true).as_fraction() if true > 0 else None
        return Outcome(Truth.of(true <= bound), found, slack=slack)

    def proof() -> Proved | None:
        return Proved(
            "all n, ε >= 0, finite randomizers of each user, weights r_i with "
            "R(x_i) >= r_i (Q_0 + Q_1)",
            "the victim sends its common component with probability 1 − v, the same for both "
            "inputs: joint convexity leaves v times D given that it sends a letter. The set I of "
            "others who send a letter is independent of it, and given I their letters are fair: "
            "given the counts (X, Y) and with them |I| = X + Y − 1, I, the leftovers and the "
            "messages for the letters have a law that does not depend on the victim's input",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if by_test else strategy,
        proof=None if by_test else proof,
        false_variant=None if by_test else _personalized(by_test=True),
    )


def _variation_bound(r: Randomizer, n: int, g: Fraction) -> Exact | None:
    """Return the smaller of the bounds with the letters of the positive parts and the clones'."""
    own = Randomizer(r.rows[:2])
    parts = variation_ratio_decomposition(own, others=r.rows[2:])
    if first_fault(parts.mixtures) is not None:
        return None
    letters = [letter.law for letter in parts.letters]
    weight = letter_weight(letters, r.rows[2:])
    shares = parts.first + parts.second
    pair = PersonalizedCountPair(parts.first / shares, ((weight, n - 1),), shares)
    epsilon = Epsilon(ratio_of(own))
    copies = letter_weight(list(own.rows), r.rows[2:])
    clones = personalized_clones(epsilon, [(copies, n - 1)])
    return min(
        shares * hockey_stick_divergence(pair.pair(), exp_epsilon=g),
        hockey_stick_divergence(clones.pair(), exp_epsilon=g),
    )


def _failing(*, without: bool = False) -> Statement:
    """δ <= δ_1 + (1 − δ_1) δ_pure if the victim fails with probability δ_1, else is pure."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, ratio, d in product((1, 2, 3), (2, 5), (Fraction(1, 4), Fraction(1, 100))):
            for g in (Fraction(1), Fraction(3, 2), Fraction(3)):
                yield Instance.of(n=n, exp_epsilon_1=ratio, delta_1=d, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, g, zero = v["delta_1"], v["exp_epsilon"], Fraction(0)

        def failing(share: Fraction, x: int) -> tuple[Fraction, ...]:
            own = (share, zero) if x == 0 else (zero, share)
            return (*own, *((1 - share) * m for m in binary(v["exp_epsilon_1"], x)))

        other = (zero, zero, *binary(2))
        whole, pure = (
            Profile((failing(share, 0), failing(share, 1), other), (v["n"] - 1,)).delta(g)
            for share in (d, zero)
        )
        bound = (zero if without else d) + (1 - d) * pure
        return Outcome(Truth.of(whole <= bound), f"true δ {whole}, bound {bound}")

    def proof() -> Proved | None:
        return Proved(
            "all n, ε, other users, R(x_1^b) = δ_1 L_b + (1 − δ_1) R'_b",
            "the view is the same mixture of two views; D_{e^ε} is jointly convex, and at most 1",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if without else proof,
        false_variant=None if without else _failing(without=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "liu2024/repair/equation-2": {"": _copies()},
    "liu2024/repair/equation-4": {"": _any_copies()},
    "liu2024/repair/approximate-term": {"": _failing()},
    "liu2024/repair/equation-5": {"": _conversion()},
    "liu2024/repair/t_epsilon": {"": _best_t()},
    "liu2024/repair/theorem-2-randomized-response": {"": _responses()},
    "liu2024/repair/theorem-2": {"": _personalized()},
}
