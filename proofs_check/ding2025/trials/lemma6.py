"""Section 4.4.1: Lemma 6, and the smallest scale that serves.

With l < h the smaller and the larger of p and q, v = e^{1/θ} − 1 and E = e^ε, the two own
laws are compared at y >= 1 and y <= 0 (between, the ratio is a Moebius function of e^{2y/θ}):

    (1 + h v) / (1 + l v) <= E  exactly if  v (h − E l) <= E − 1,
    (1 + (1 − l) v) / (1 + (1 − h) v) <= E  exactly if  v ((1 − l) − E (1 − h)) <= E − 1.

Adding the rest is post-processing; and beyond all points of X the rest contributes a factor
that cancels, so the two conditions are needed too. With x over the whole alphabet (21) looks one
point beyond the largest of f(D_{-i}), where the quotient is 0 and ψ = l/(h − l) is least:
v = (E − 1) h/(h − l), whatever the rest. Over fewer x it may be larger, and fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from exactdp.certificates import Certificate, relation, term
from exactdp.certificates.certificate import Relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.truth import Truth
from proofs_check.ding2025.laws import bernoulli, worst_ratio
from proofs_check.ding2025.terms import violation
from proofs_check.ding2025.trials.lemma6_systems import (
    BASES,
    BINARY,
    INTEGER,
    LESS,
    MORE,
    Range,
    System,
    exp_epsilon_of,
    growth_relations,
    sums_are_mixtures,
    system_of,
    system_strategy,
    systems,
    written,
)

__all__ = ["TRIALS"]


# --- Lemma 6 ---------------------------------------------------------------------------------


def _lemma_6(
    order: str, over: Range, *, binary: bool, wrong: Range | None = None, proved: bool = False
) -> Statement:
    """The θ of (21), x over a range, attains ε; systems where it is 0 are left out."""
    rests = BINARY if binary else INTEGER

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in systems(effort, order=order, rests=rests, bases=BASES[:3]):
            if system_of(at).growth(over, Fraction(2)) is not None:
                yield at

    def strategy() -> Any:
        return system_strategy(order=order, binary=binary, bases=BASES).filter(
            lambda at: system_of(at).growth(over, Fraction(2)) is not None
        )

    def holds(at: Instance) -> Outcome:
        system, exp_epsilon = system_of(at), exp_epsilon_of(at)
        growth = system.growth(over, exp_epsilon)
        assert growth is not None  # left out
        ratio, _, _ = worst_ratio(*system.laws, growth=growth)

        def certificate() -> Certificate:
            _, others = written(system)
            return violation(
                bernoulli(system.p),
                bernoulli(system.q),
                exp_epsilon=exp_epsilon,
                growth=growth,
                others=[system.rest.total],
                points=(0, 1),
                hypotheses=[
                    *growth_relations(system, others, over, exp_epsilon=exp_epsilon, growth=growth),
                    *_others_need_less(system, exp_epsilon=exp_epsilon, growth=growth),
                ],
            )

        return Outcome(
            Truth.of(ratio <= exp_epsilon),
            f"(21) gives e^(1/theta) = {growth}, worst ratio {ratio}",
            certificate,
            slack=exp_epsilon / ratio,
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy,
        proof=_lemma_6_proof if proved else None,
        false_variant=None if wrong is None else _lemma_6(order, wrong, binary=binary),
    )


def _others_need_less(system: System, *, exp_epsilon: Fraction, growth: Fraction) -> list[Relation]:
    """Return relations that say that user i has the largest θ of all users in (21).

    Their Q_j are ours to choose, near P_j: user j's ψ is at least l/(h − l) at every x, l < h the
    two probabilities of 1.
    """
    relations = []
    least = (growth - exp_epsilon) / (exp_epsilon - 1)
    for law in system.rest.laws:
        p = law[Fraction(1)].as_fraction()
        share = 1 + 1 / least if system.p < system.q else least / (least + 1)
        low, high = sorted((p, p * share))
        assert 0 < low < high <= 1  # so it is at the failure that is kept
        psi = term(low) / (term(high) - low)
        relations.append(relation(">=", exp_epsilon + (exp_epsilon - 1) * psi, growth))
    return relations


def own_conditions_are_exact() -> bool:
    """Return whether the two conditions of the module header are those on the own laws."""
    import sympy

    low, high, e, v = sympy.symbols("l h E v", positive=True)
    # f_s(y), times e^{1/θ} = 1 + v, is 1 + s v at y >= 1 (times a common factor), and at
    # y <= 0 it is 1 + (1 − s) v.
    top = e * (1 + low * v) - (1 + high * v) - ((e - 1) - v * (high - e * low))
    bottom = e * (1 + (1 - high) * v) - (1 + (1 - low) * v)
    bottom -= (e - 1) - v * ((1 - low) - e * (1 - high))
    densities = all(
        sympy.simplify((1 + v) * (s + (1 - s) / (1 + v)) - (1 + s * v)) == 0
        and sympy.simplify((1 + v) * ((1 - s) + s / (1 + v)) - (1 + (1 - s) * v)) == 0
        for s in (low, high)
    )
    return bool(densities and sympy.expand(top) == 0 and sympy.expand(bottom) == 0)


def _lemma_6_proof() -> Proved | None:
    import sympy

    low, high, e = sympy.symbols("l h E", positive=True)
    # With v = (E − 1) h/(h − l) the two conditions are h (h − E l) <= h − l and
    # h ((1 − l) − E (1 − h)) <= h − l; the differences are sums of nonnegative terms.
    first = (high - low) - high * (high - e * low)
    second = (high - low) - high * ((1 - low) - e * (1 - high))
    if (
        not (own_conditions_are_exact() and sums_are_mixtures())
        or sympy.expand(first - (high - low) * (1 - high) - (e - 1) * high * low) != 0
        or sympy.expand(second - (1 - high) * ((high - low) + (e - 1) * high)) != 0
        or sympy.simplify(e + (e - 1) * low / (high - low) - 1 - (e - 1) * high / (high - low)) != 0
    ):
        return None
    return Proved(
        "all p != q, eps > 0, all other users with finite alphabets",
        "one point beyond the largest of f(D_-i) the quotient is 0, so e^(1/theta) - 1 <= "
        "(e^eps - 1) h/(h - l), l < h being p and q in order, where both own conditions hold: "
        "h - l - h(h - E l) = (h - l)(1 - h) + (E - 1) h l and h - l - h((1 - l) - E(1 - h)) = "
        "(1 - h)((h - l) + (E - 1) h); the rest is post-processing",
    )


# --- the repair ------------------------------------------------------------------------------


def _smallest_scale(needed: Callable[[Fraction, Fraction, Fraction], Fraction]) -> Statement:
    """θ attains ε exactly if (e^{1/θ} − 1) needed(l, h, E) <= E − 1, whatever the rest."""

    def growths(system: System, e: Fraction) -> list[Fraction]:
        low, high = sorted((system.p, system.q))
        exact = _needed(low, high, e)
        critical = [1 + (e - 1) / exact] if exact > 0 else []
        return [*critical, *(g + Fraction(1, 1000) for g in critical), Fraction(50)]

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in systems(effort, rests=INTEGER, bases=BASES[:2]):
            if at["p"] != at["q"]:
                for growth in growths(system_of(at), exp_epsilon_of(at)):
                    yield Instance((*at.values, ("growth", growth)))

    def strategy() -> Any:
        from hypothesis import strategies as st

        drawn = system_strategy(binary=False, bases=BASES).filter(lambda at: at["p"] != at["q"])
        return drawn.flatmap(
            lambda at: st.sampled_from(growths(system_of(at), exp_epsilon_of(at))).map(
                lambda growth: Instance((*at.values, ("growth", growth)))
            )
        )

    def holds(at: Instance) -> Outcome:
        system, e, growth = system_of(at), exp_epsilon_of(at), at["growth"]
        assert isinstance(growth, Fraction)
        low, high = sorted((system.p, system.q))
        said = (growth - 1) * needed(low, high, e) <= e - 1
        ratio, _, _ = worst_ratio(*system.laws, growth=growth)
        return Outcome(Truth.of(said == (ratio <= e)), f"worst ratio {ratio}, said {said}")

    def proof() -> Proved | None:
        if not (own_conditions_are_exact() and sums_are_mixtures()):
            return None
        return Proved(
            "all p != q, eps > 0, theta > 0, all other users with finite alphabets",
            "f_h/f_l of the own laws is largest at y >= 1, f_l/f_h at y <= 0 (Moebius in "
            "e^(2y/theta)), and these ratios are at most e^eps exactly under the two conditions; "
            "the rest is post-processing, and beyond all points of X a factor that cancels",
        )

    printed = needed is _needed
    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if printed else None,
        proof=proof if printed else None,
        false_variant=_smallest_scale(lambda low, high, e: high - e * low) if printed else None,
    )


def _needed(low: Fraction, high: Fraction, e: Fraction) -> Fraction:
    return max(high - e * low, (1 - low) - e * (1 - high))


def _statements(order: str) -> dict[str, Statement | Open]:
    greater = order == MORE
    return {
        "a": _lemma_6(order, Range.SUPPORT, binary=True),
        "b": _lemma_6(order, Range.PROOF, binary=True)
        if greater
        else _lemma_6(order, Range.PROOF, binary=True, wrong=Range.SUPPORT, proved=True),
        "c": _lemma_6(order, Range.ALPHABET, binary=False, wrong=Range.SUPPORT, proved=True),
    }


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/lemma-6/p-less-than-q": _statements(LESS),
    "ding2025/lemma-6/p-greater-than-q": _statements(MORE),
    "ding2025/repair/lemma-6": {"": _smallest_scale(_needed)},
}
