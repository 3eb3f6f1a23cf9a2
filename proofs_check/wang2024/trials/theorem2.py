"""Theorem 2, a random number of blanket messages, its proof, and what is said after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.certificates import Certificate, hockey_stick, ref, relation, shuffle_pair, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.shuffle import MultisetLaw, union_of, variation_ratio_pair
from exactdp.truth import Truth
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import (
    Parameters,
    blanket_slot,
    protocol_view,
    random_blanket_view,
)
from proofs_check.wang2024.trials.lemma2 import brute_slot
from proofs_check.wang2024.trials.pairs import (
    Law,
    below,
    binomial,
    convolution,
    count_term,
    has_laws,
    mixed,
    power,
    single,
    uniform_row,
)
from proofs_check.wang2024.trials.theorem1 import (
    properties,
    property_relations,
    small_rows,
    sufficient,
)

__all__ = ["TRIALS"]

ONE, HALF, THIRD = Fraction(1), Fraction(1, 2), Fraction(1, 3)


# --- Theorem 2 -----------------------------------------------------------------------------


def _theorem_2() -> Statement:
    """Messages 0 and 1; the blanket message's law is row 2."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, gamma in product((1, 2), (HALF, ONE, THIRD)):
            for rows in small_rows(messages=2, weights=(2, 3, 4)):
                yield Instance.of(n=n, gamma=gamma, rows=rows)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, gamma, rows = v["n"], v["gamma"], v["rows"]
        p, beta, q = properties(rows)
        view = random_blanket_view(
            Randomizer.from_matrix(rows[:2]), (0, 1), rows[2], blankets=n, gamma=gamma
        )
        bound = variation_ratio_pair(n + 1, p=p, beta=beta, q=q / gamma)

        def certificate(at_gamma: Exact) -> Certificate:
            a = beta * p / (p - 1)
            zero = Fraction(0)
            sent = [*([*row, zero] for row in rows[:2]), [gamma * m for m in rows[2]] + [1 - gamma]]
            return Certificate(
                define=[
                    ("view", shuffle_pair(sent, inputs=(0, 1), others=[(2, n)])),
                    ("counts", count_term(a, a / p, a / (q / gamma), n)),
                ],
                hypotheses=property_relations(rows, p, beta, q),
                conclusion=[
                    relation(">", *(hockey_stick(ref(x), at_gamma) for x in ("view", "counts")))
                ],
            )

        return below(view.pair, bound.pair(), certificate)

    return Statement(instances=instances, holds=holds)


# --- the proof -----------------------------------------------------------------------------


def _shapes() -> Iterator[tuple[Fraction, Fraction, Fraction]]:
    """Yield p, β, q with the probabilities of Theorem 1 in [0, 1]."""
    for p, part in product((Fraction(2), Fraction(5)), (ONE, HALF)):
        beta = part * (p - 1) / (p + 1)
        for q in (1 + beta, 2 * p):
            yield p, beta, q


def _parameters() -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for n, gamma, p, part, q in product(
            (1, 2), (ONE, HALF), (Fraction(2), Fraction(3)), (HALF, ONE), (ONE, Fraction(2))
        ):
            yield Instance.of(n=n, gamma=gamma, p=p, beta=part * (p - 1) / (p + 1), q=q)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        names = ("p", "beta", "q")
        share = v["gamma"] * bounds.letters_probability(None, **{x: v[x] for x in names})

        def certificate() -> Certificate:
            p, beta, q = (term(v[x]) for x in names)
            value = v["gamma"] * bounds.letters_probability(None, p=p, beta=beta, q=q)
            return Certificate(
                hypotheses=[
                    relation(">", p, 1),
                    relation("<=", beta, (p - 1) / (p + 1)),
                    relation(">=", q, 1),
                    relation("<=", v["gamma"], 1),
                ],
                conclusion=[relation(">", value, 1)],
            )

        return Outcome(Truth.of(share <= 1), f"the probability of C is {share}", certificate)

    return Statement(instances=instances, holds=holds)


def _thinning(*, drop_gamma: bool = False) -> Statement:
    """The law of C, summed over N (false variant: C ~ Binomial(n, r) without γ)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, gamma, share in product(
            (1, 2, 3, 6), (HALF, THIRD, ONE, Fraction(0)), (HALF, ONE, Fraction(2, 7))
        ):
            yield Instance.of(n=n, gamma=gamma, share=share)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, gamma, share = v["n"], v["gamma"], v["share"]
        law = mixed(
            (weight, {(c,): mass for c, mass in binomial(size, share)})
            for size, weight in binomial(n, gamma)
        )
        claimed = dict(binomial(n, share if drop_gamma else gamma * share))
        fine = all(law.get((c,), Fraction(0)) == mass for c, mass in claimed.items())
        return Outcome(Truth.of(fine), f"P(C = 0) is {law[(0,)]}, claimed {claimed[0]}")

    def proof() -> Proved | None:
        gamma, r, z = sympy.symbols("gamma r z")
        inner = 1 - r + r * z  # the generating function of one of N trials
        if sympy.expand(1 - gamma + gamma * inner - (1 - gamma * r + gamma * r * z)) != 0:
            return None
        return Proved(
            "all integers n >= 0, γ in [0, 1], r = 2βp/((p-1)q) in [0, 1]",
            "generating functions: E[z^C] = (1-γ+γ(1-r+rz))^n = (1-γr+γrz)^n",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if drop_gamma else proof,
        false_variant=None if drop_gamma else _thinning(drop_gamma=True),
    )


def _by_definition(n: int, share: Fraction, p: Fraction, beta: Fraction) -> list[Law]:
    """Return the laws of (A+Δ_1, C-A+Δ_2) and (A+Δ_2, C-A+Δ_1), C ~ Binomial(n, share)."""
    first = bounds.first_probability(None, p=p, beta=beta)
    second = (1 - first) * bounds.second_probability(None, p=p, beta=beta)
    counts = mixed(
        (weight, {(a, c - a): mass for a, mass in binomial(c, HALF)})
        for c, weight in binomial(n, share)
    )
    rest = 1 - first - second
    return [
        convolution(counts, {(1, 0): one, (0, 1): two, (0, 0): rest})
        for one, two in ((first, second), (second, first))
    ]


def _same_laws(*, extra: int = 1, messages: bool = False) -> Statement:
    """U = P and V = Q of size n + 1 (false variant: of size n).

    With ``messages`` n is a number of slots n⌈m⌉ and γ = m/⌈m⌉.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for (p, beta, q), m in product(_shapes(), (HALF, Fraction(3, 2), ONE, Fraction(2, 3))):
            for users in (1, 2, 3):
                if messages:
                    n = users * ceil(m)
                    yield Instance.of(m=m, n=n, gamma=m / ceil(m), p=p, beta=beta, q=q)
                elif m <= 1:
                    yield Instance.of(n=users, gamma=m, p=p, beta=beta, q=q)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, gamma, p, beta, q = (v[x] for x in ("n", "gamma", "p", "beta", "q"))
        share = gamma * bounds.letters_probability(None, p=p, beta=beta, q=q)
        printed = variation_ratio_pair(n + extra, p=p, beta=beta, q=q / gamma).pair()
        laws = _by_definition(n, share, p, beta)
        return Outcome(
            Truth.of(has_laws(printed, *laws)),
            f"{len(printed)} outcomes in the pair, {len(laws[0])} by definition",
        )

    def proof() -> Proved | None:
        p, beta, q, gamma = sympy.symbols("p beta q gamma", positive=True)
        one = gamma * bounds.letters_probability(None, p=p, beta=beta, q=q)
        two = bounds.letters_probability(None, p=p, beta=beta, q=q / gamma)
        if sympy.simplify(one - two) != 0:
            return None
        return Proved(
            "all integers n, γ in (0, 1], p, β, q with defined laws (q/0 is no number)",
            "γ·2βp/((p-1)q) = 2βp/((p-1)(q/γ)), and the size n + 1 has n trials",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if extra else None,
        false_variant=_same_laws(extra=0, messages=messages) if extra else None,
    )


# --- after the proof -------------------------------------------------------------------------


def _same_privacy() -> Statement:
    """Reading (b): sampled uniform messages of d items, or always sent ones of d/γ items.

    The ratio of the Poisson randomizer's λ to a uniform message of d/γ items is λ d/γ.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, d, rate in product((1, 2), (2, 3), (HALF, ONE)):
            yield Instance.of(n=n, d=d, gamma=HALF, rate=rate)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, d, gamma, rate = v["n"], v["d"], v["gamma"], v["rate"]
        wide = int(d / gamma)
        sampled = protocol_view([0], [1], d=d, rate=rate, blankets=n, slot_rate=gamma)
        fixed = protocol_view([0], [1], d=wide, rate=rate, blankets=n)

        def certificate(at_gamma: Exact) -> Certificate:
            pairs = []
            for size, sent in ((d, gamma), (wide, ONE)):
                rows = [
                    single(0, d=size, rate=rate),
                    single(1, d=size, rate=rate),
                    uniform_row(d=size, gamma=sent),
                ]
                pairs.append(shuffle_pair(rows, inputs=(0, 1), others=[(2, n)]))
            return Certificate(
                hypotheses=[relation("=", term(d) * rate / gamma, term(wide) * rate)],
                conclusion=[relation(">", *(hockey_stick(x, at_gamma) for x in reversed(pairs)))],
            )

        return below(fixed.pair, sampled.pair, certificate)

    return Statement(instances=instances, holds=holds)


def _number_of_blankets(*, users_only: bool = False) -> Statement:
    """The multiset of n calls, and of N uniform messages (false variant: N ~ Binomial(n, γ))."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, d, m in product((1, 2, 3), (2, 3), (HALF, Fraction(3, 2), Fraction(2), Fraction(0))):
            yield Instance.of(n=n, d=d, m=m)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, d = v["n"], v["d"]
        parameters = Parameters(v["m"], (ONE,))
        slots, gamma = parameters.slots, parameters.slot_rate
        calls = union_of(
            [MultisetLaw.point((0,) * d), *[blanket_slot(d=d, rate=gamma)] * (n * slots)]
        ).masses
        uniform = brute_slot(d=d, gamma=ONE)
        law = mixed(
            (weight, power(uniform, count))
            for count, weight in binomial(n if users_only else n * slots, gamma)
        )
        fine = all(calls[y] == mass for y, mass in law.items()) and sum(law.values()) == 1
        nothing = (0,) * d
        return Outcome(
            Truth.of(fine), f"no message has mass {calls[nothing]} and {law.get(nothing, 0)}"
        )

    def proof() -> Proved | None:
        gamma, z = sympy.symbols("gamma z")
        terms = [sympy.binomial(5, k) * gamma**k * (1 - gamma) ** (5 - k) * z**k for k in range(6)]
        if sympy.expand(sum(terms) - (1 - gamma + gamma * z) ** 5) != 0:
            return None
        return Proved(
            "all n, d and m >= 0",
            "n⌈m⌉ independent slots send with probability γ = m/⌈m⌉, each an independent uniform "
            "item: the number that send is Binomial(n⌈m⌉, γ), their items are independent of it; "
            "as laws of multisets (1-γ+γB)^(n⌈m⌉) = Σ_N P(N) B^N (binomial theorem; m = 0: none)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if users_only else _any_blankets,
        proof=None if users_only else proof,
        false_variant=None if users_only else _number_of_blankets(users_only=True),
    )


def _any_blankets() -> st.SearchStrategy[Instance]:
    return st.builds(
        lambda n, d, m: Instance.of(n=n, d=d, m=m),
        st.integers(1, 2),
        st.integers(1, 3),
        st.fractions(0, 2, max_denominator=7),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/theorem-2": {"": _theorem_2()},
    "wang2024/repair/theorem-2": {"": sufficient(rest=True, sampled=True)},
    "wang2024/theorem-2/proof/parameters": {"": _parameters()},
    "wang2024/theorem-2/proof/binomial-fact": {"": _thinning()},
    "wang2024/theorem-2/proof/U=P": {"": _same_laws()},
    "wang2024/section-5.1.1/equivalence": {"a": _same_laws(messages=True), "b": _same_privacy()},
    "wang2024/section-5.1.1/number-of-blankets": {"": _number_of_blankets()},
}
