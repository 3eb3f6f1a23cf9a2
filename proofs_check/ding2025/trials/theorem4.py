"""Section 4.4: Theorem 4, what it says about other users, and its repairs.

Alone, user i's own laws are those of Proposition 2, so Theorem 4 stands or falls with Lemma 1:
on consecutive integers sup Δ* is the largest distance W of the plan, elsewhere it may be
less. Other users add an independent sum to both sides: f_{P*G}(y) = Σ G(m) f_P(y − m), so every
inequality f_P <= E f_Q of the own densities carries over (post-processing).

The second repair needs no plan. With D in an interval of length d and K the noise's density, the
values K(y − t), t in D, differ by a factor of at most g = e^{d/θ}; with k the least of them

    f_P(y) − f_Q(y) = Σ (P(t) − Q(t)) K(y − t) <= TV (g k − k) <= TV (g − 1) f_Q(y).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from exactdp.certificates import Certificate, function, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import sum_of_independent
from exactdp.truth import Truth
from proofs_check.ding2025.couplings import laws_of
from proofs_check.ding2025.cumulative import Shifts, largest_shift
from proofs_check.ding2025.instances import OTHER_LAWS, pair_strategy, pairs
from proofs_check.ding2025.laws import (
    Law,
    Shown,
    law_strategy,
    worst_ratio,
)
from proofs_check.ding2025.proof_steps import triangle_inequality
from proofs_check.ding2025.terms import LinePair, shift_relations, violation
from proofs_check.ding2025.trials.lemma1 import (
    Largest,
    cumulative,
    lemma_1_proof,
    printed,
    symmetric,
    symmetric_proof,
)
from proofs_check.ding2025.trials.lemma1_instances import (
    Points,
    consecutive,
    with_any_gaps,
    with_integer_gaps,
)
from proofs_check.ding2025.trials.lemma6_systems import Rest, sums_are_mixtures

__all__ = ["BASES", "SOME_OTHERS", "TRIALS", "with_others"]

SOME_OTHERS = (Rest(()), *(Rest((law,)) for law in OTHER_LAWS[1:]))
BASES = tuple(Fraction(v) for v in ("2", "3/2", "10/9", "7"))


def with_others(laws: tuple[Law, Law], rest: Rest) -> tuple[Law, Law]:
    """Return the laws of the query answer given both secrets."""
    first, second = (sum_of_independent([law, *rest.laws]) for law in laws)
    return first, second


def _own_and_others(
    alphabets: Callable[[Effort], Iterator[Instance]], effort: Effort
) -> Iterator[Instance]:
    """Yield the pairs of laws alone, then every fifth of them beside others."""
    found = list(alphabets(effort))
    for rest in SOME_OTHERS:
        for at in found if not rest.laws else found[::5]:
            v: Mapping[str, Any] = at.mapping()
            yield Instance.of(D=v["X"], P=v["P"], Q=v["Q"], others=rest, base=BASES[0])


def _strategy(gaps: Sequence[str]) -> Any:
    """Return a strategy for laws on up to five points with these gaps, beside others."""
    from hypothesis import strategies as st

    @st.composite
    def instances(draw: Any) -> Instance:
        points = [Fraction(0)]
        for _ in range(draw(st.integers(1, 4))):
            points.append(points[-1] + draw(st.sampled_from([Fraction(g) for g in gaps])))
        p, q = draw(law_strategy(points)), draw(law_strategy(points))
        rest = Rest(tuple(draw(st.lists(law_strategy(points), max_size=2))))
        base = draw(st.sampled_from(BASES))
        return Instance.of(D=Points(points), P=Shown(p), Q=Shown(q), others=rest, base=base)

    return instances()


# --- Theorem 4 -------------------------------------------------------------------------------


def _theorem_4(
    largest: Largest,
    alphabets: Callable[[Effort], Iterator[Instance]],
    *,
    gaps: Sequence[str] = ("1",),
    proof: Callable[[], Proved | None] | None = None,
    shifts: Shifts | None = None,
    powers: tuple[int, int] = (1, 1),
) -> Statement:
    """Noise with θ = sup Δ* / ε attains ε beside any others; systems with θ = 0 are left out.

    With u the lattice step, e^{u/θ} = base^b and e^ε = base^{a sup Δ*/u} for
    θ = (a/b) sup Δ* / ε, ``powers`` = (a, b). The print has a = b = 1.
    """
    a, b = powers

    def distance(at: Instance) -> Fraction:
        v: Mapping[str, Any] = at.mapping()
        return largest(cumulative(v["P"].law), cumulative(v["Q"].law), v["D"])

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _own_and_others(alphabets, effort):
            if distance(at) > 0:
                yield at

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q = laws_of(at)
        values = [*v["D"], *(x for law in v["others"].laws for x in law.masses)]
        unit = Fraction(1, lcm(*(x.denominator for x in values)))
        steps = distance(at) / unit
        growth, exp_epsilon = v["base"] ** b, v["base"] ** int(a * steps)
        first, second = with_others((p, q), v["others"])
        ratio, _, _ = worst_ratio(first, second, growth=growth, unit=unit)

        def certificate() -> Certificate:
            assert shifts is not None
            pair = LinePair.of(p, q, name="own" if v["others"].laws else "X", points=v["D"])
            shown, relations = [], []
            for t in v["D"]:
                value, said = shift_relations(pair, p, q, t, shifts=shifts, alphabet=v["D"])
                shown.append(term(value))
                relations += said
            relations.append(relation("=", function("max", *shown), distance(at)))
            relations.append(relation("=", exp_epsilon, term(growth) ** int(steps)))
            return violation(
                p,
                q,
                exp_epsilon=exp_epsilon,
                growth=growth,
                unit=unit,
                others=v["others"].laws,
                points=v["D"],
                hypotheses=relations,
            )

        return Outcome(
            Truth.of(ratio <= exp_epsilon),
            f"sup of Delta* is {distance(at)}, e^eps = {exp_epsilon}, worst ratio {ratio}",
            None if shifts is None else certificate,
            slack=exp_epsilon / ratio,
        )

    variant = None
    if proof is not None:
        variant = _theorem_4(largest, alphabets, powers=(2, 3))
    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if proof is None else lambda: _strategy(gaps).filter(_moves(distance)),
        proof=proof,
        false_variant=variant,
    )


def _moves(distance: Callable[[Instance], Fraction]) -> Callable[[Instance], bool]:
    return lambda at: distance(at) > 0


def _by_plan(lemma: Callable[[], Proved | None]) -> Callable[[], Proved | None]:
    """Conclude from what sup Δ* of the own laws is to privacy beside any others."""

    def proof() -> Proved | None:
        shown = lemma()
        if shown is None or not (triangle_inequality() and sums_are_mixtures()):
            return None
        return Proved(
            f"{shown.domain} as alphabet D_i, eps > 0, all other users",
            "sup Delta* is the largest distance W of the plan of P_i and Q_i (Lemma 1 there), and "
            "theta >= W/eps gives f_P(y) = sum pi K(y-x) <= sum pi e^(|x-x'|/theta) K(y-x') <= "
            "e^eps f_Q(y), and the reverse; f(D_-i) is added to both sides: post-processing",
        )

    return proof


def _by_differences(p: Any, q: Any, alphabet: Points) -> Fraction:
    value = largest_shift(p, q, alphabet, shifts=Shifts.DIFFERENCES)
    assert value is not None  # the largest difference always serves
    return value


# --- the repair by total variation -----------------------------------------------------------


def _total_variation(*, share: Fraction = Fraction(1)) -> Statement:
    """Noise with e^{d/θ} = 1 + (E − 1)/TV attains ε, d the length of the alphabet.

    Given growth = e^{1/θ} and integers, E is 1 + share TV (growth^d − 1); share = 1 is the claim.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for rest in SOME_OTHERS:
            for k, (p, q) in enumerate(pairs(effort)):
                if p != q and (k % 5 == 0 or not rest.laws):
                    yield Instance.of(P=Shown(p), Q=Shown(q), others=rest, growth=Fraction(2))

    def strategy() -> Any:
        from hypothesis import strategies as st

        two = pair_strategy().filter(lambda laws: laws[0] != laws[1])
        return st.builds(
            lambda laws, rest, growth: Instance.of(
                P=Shown(laws[0]), Q=Shown(laws[1]), others=rest, growth=growth
            ),
            two,
            st.sampled_from(SOME_OTHERS),
            st.sampled_from(BASES),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q = laws_of(at)
        points = sorted({*p.masses, *q.masses})
        tv = sum(abs((p[x] - q[x]).as_fraction()) for x in points) / 2
        e = 1 + share * tv * (v["growth"] ** int(points[-1] - points[0]) - 1)
        ratio, _, _ = worst_ratio(*with_others((p, q), v["others"]), growth=v["growth"])
        return Outcome(
            Truth.of(ratio <= e), f"TV = {tv}, e^eps = {e}, worst ratio {ratio}", slack=e / ratio
        )

    def proof() -> Proved | None:
        import sympy

        k, m, tv, g = sympy.symbols("k m tv g", positive=True)
        # Sums of (P − Q)^+ and (P − Q)^- are TV each; K lies between k and m <= g k.
        upper = tv * m - tv * k
        if sympy.expand(upper.subs(m, g * k) - tv * (g - 1) * k) != 0:
            return None
        if not (triangle_inequality() and sums_are_mixtures()):
            return None
        return Proved(
            "all P_i != Q_i on a set of diameter d, eps > 0, all other users",
            "for t in the set the values K(y-t) lie between some k and e^(d/theta) k (triangle "
            "inequality), so f_P(y) - f_Q(y) <= TV (e^(d/theta) - 1) k <= (e^eps - 1) f_Q(y), and "
            "the reverse; f(D_-i) is added to both sides: post-processing",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if share == 1 else None,
        proof=proof if share == 1 else None,
        false_variant=_total_variation(share=Fraction(9, 10)) if share == 1 else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/theorem-4": {
        "a": _theorem_4(printed(Shifts.INTEGERS), with_integer_gaps, shifts=Shifts.INTEGERS),
        "b": _theorem_4(printed(Shifts.INTEGERS), consecutive, proof=_by_plan(lemma_1_proof)),
        "c": _theorem_4(printed(Shifts.REALS), with_any_gaps, shifts=Shifts.REALS),
        "d": _theorem_4(_by_differences, with_any_gaps, shifts=Shifts.DIFFERENCES),
    },
    "ding2025/repair/theorem-4": {
        "": _theorem_4(
            symmetric,
            with_any_gaps,
            gaps=("1", "2", "5"),
            proof=_by_plan(symmetric_proof),
        )
    },
    "ding2025/repair/theorem-4-total-variation": {"": _total_variation()},
}
