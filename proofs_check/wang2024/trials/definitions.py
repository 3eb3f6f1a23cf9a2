"""Lemma 1, the variation property and the procedure F_rb: what the theorems are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.certificates import (
    Certificate,
    finite_pair,
    function,
    hockey_stick,
    ref,
    relation,
    shuffle_pair,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, hockey_stick_both_directions
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.shuffle import Users, Victim, shuffle_view, variation_ratio_pair
from exactdp.testing import probability_vectors
from exactdp.truth import Truth
from proofs_check.wang2024.protocol import random_blanket_view
from proofs_check.wang2024.trials.pairs import (
    Row,
    below,
    binomial,
    compared,
    convolution,
    count_term,
    mixed,
    pair_of,
    power,
    same_curve,
)

__all__ = ["TRIALS", "is_chain_step"]

HALF, ONE = Fraction(1, 2), Fraction(1)


# --- Lemma 1 -------------------------------------------------------------------------------


def is_chain_step() -> bool:
    """Check the induction: P_0 <= t P_i + δ S and P_i <= e P_(i+1) + δ give t e and S + t."""
    e, x, delta, total, t = sympy.symbols("e x delta S t", positive=True)
    chained = t * (e * x + delta) + delta * total
    return bool(sympy.expand(chained - (t * e * x + delta * (total + t))) == 0)


def _lemma_1(*, factor: bool = True) -> Statement:
    """The protocol on bits whose output has law number (sum of the bits); n = s users.

    Data that differ in one entry have neighboring sums; ``laws`` are those of the sums
    0, ..., s. The false variant leaves e^(s ε) out of δ.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for s, e, delta in product(
            (1, 2, 3), (ONE, Fraction(3, 2), Fraction(2)), (Fraction(1, 30), Fraction(1, 100))
        ):
            # The chain that attains the sum of the e^(i ε) δ: x_i = e x_(i+1) + δ.
            masses = [Fraction(0)]
            for _ in range(s):
                masses.append(e * masses[-1] + delta)
            yield Instance.of(exp_epsilon=e, laws=tuple((x, 1 - x) for x in reversed(masses)))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        e, laws = Exact(v["exp_epsilon"]), v["laws"]
        s = len(laws) - 1

        def delta(i: int, j: int, exp_epsilon: Exact) -> Exact:
            pair = Pair.from_masses(laws[i], laws[j])
            return hockey_stick_both_directions(pair, exp_epsilon=exp_epsilon)

        private = max(delta(i, i + 1, e) for i in range(s))
        true = max(delta(i, j, e**s) for i in range(s + 1) for j in range(i))
        return compared(true, s * (e**s if factor else 1) * private)

    def strategy() -> st.SearchStrategy[Instance]:
        chain = st.integers(1, 3).flatmap(
            lambda s: st.tuples(*[probability_vectors(size=3)] * (s + 1))
        )
        e = st.fractions(1, 3, max_denominator=4)
        return st.builds(lambda e, laws: Instance.of(exp_epsilon=e, laws=laws), e, chain)

    def proof() -> Proved | None:
        if not is_chain_step():
            return None
        return Proved(
            "all protocols, ε >= 0, δ >= 0, s >= 1",
            "along a chain of t <= s changes of one entry, P_0(A) <= e^(tε) P_t(A) + "
            "δ (1 + e^ε + ... + e^((t-1)ε)) by induction (the step is computed); every term of the "
            "sum is at most e^(sε), and a smaller t is the stronger statement",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if factor else None,
        proof=proof if factor else None,
        false_variant=_lemma_1(factor=False) if factor else None,
    )


# --- the variation property ----------------------------------------------------------------


def _first_user(*, victim: int) -> Statement:
    """Reading (a): R_1 at the victim's data; the victim is user 2 of two users."""
    coin, biased, bit = (
        (HALF, HALF),
        (Fraction(2, 3), Fraction(1, 3)),
        ((ONE, ONE - 1), (ONE - 1, ONE)),
    )

    def instances(effort: Effort) -> Iterator[Instance]:
        first_users = [(coin, coin), (biased, biased[::-1])]
        victims = [(coin, coin), (biased, biased[::-1]), bit]
        for first, second in product(first_users, victims):
            yield Instance.of(v=victim, R_1=first, R_2=second)

    def parameters(first: Any, second: Any) -> tuple[Fraction, Fraction, Fraction]:
        """Return p and β of R_1's two rows, and q for the victim against user 1's rows."""
        p = max(max(u / v, v / u) for u, v in zip(*first, strict=True))
        beta = sum((max(u - v, Fraction(0)) for u, v in zip(*first, strict=True)), Fraction(0))
        q = max(row[y] / other[y] for row in second for other in first for y in range(2))
        return max(p, Fraction(2)), beta, max(q, ONE)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, beta, q = parameters(v["R_1"], v["R_2"])
        if beta * 2 * p > (p - 1) * q:
            return Outcome(Truth.TRUE, "P and Q are not defined")
        rows = [*v["R_2"], v["R_1"][0]]
        matrix = Randomizer.from_matrix(rows)
        view = shuffle_view(Victim(matrix), [Users(matrix, 2, 1)]).pair
        bound = variation_ratio_pair(2, p=p, beta=beta, q=q).pair()

        def certificate(gamma: Exact) -> Certificate:
            first = finite_pair(*v["R_1"])
            back = finite_pair(*reversed(v["R_1"]))
            a = beta * p / (p - 1)
            return Certificate(
                define=[
                    ("view", shuffle_pair(rows, inputs=(0, 1), others=[(2, 1)])),
                    ("counts", count_term(a, a / p, a / q, 1)),
                ],
                hypotheses=[
                    *(relation("=", hockey_stick(x, p), 0) for x in (first, back)),
                    *(relation("<=", hockey_stick(x, 1), beta) for x in (first, back)),
                    *(
                        relation("=", hockey_stick(finite_pair(row, other), q), 0)
                        for row, other in product(v["R_2"], v["R_1"])
                    ),
                ],
                conclusion=[
                    relation(">", *(hockey_stick(ref(x), gamma) for x in ("view", "counts")))
                ],
            )

        return below(view, bound, certificate)

    return Statement(instances=instances, holds=holds)


def _victims_rows(*, both_ways: bool = True) -> Statement:
    """Reading (b): the victim's rows have the mixtures (3), (4) that P and Q are made of."""

    def instances(effort: Effort) -> Iterator[Instance]:
        weight = 5 if effort is Effort.DEFAULT else 8
        laws = [
            tuple(Fraction(w, weight) for w in ws)
            for ws in product(range(1, weight), repeat=3)
            if sum(ws) == weight
        ]
        for one, two in product(laws, repeat=2):
            if one != two:
                yield Instance.of(rows=(one, two))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        one, two = v["rows"]
        p = max(u / w for u, w in zip(one, two, strict=True))
        if both_ways:
            p = max(p, *(w / u for u, w in zip(one, two, strict=True)))
        beta = sum((max(u - w, Fraction(0)) for u, w in zip(one, two, strict=True)), Fraction(0))
        rest = [(p * min(u, w) - max(u, w)) / (p - 1) for u, w in zip(one, two, strict=True)]
        alpha = beta / (p - 1)
        fine = min(rest) >= 0 and sum(rest) == 1 - alpha - p * alpha >= 0
        return Outcome(Truth.of(fine), f"p={p}, β={beta}, what is left is {list(map(str, rest))}")

    def strategy() -> st.SearchStrategy[Instance]:
        law = probability_vectors(size=4).filter(lambda masses: min(masses) > 0)
        rows = st.tuples(law, law).filter(lambda rows: rows[0] != rows[1])
        return st.builds(lambda rows: Instance.of(rows=rows), rows)

    def proof() -> Proved | None:
        p, small, large, beta = sympy.symbols("p small large beta", positive=True)
        share = (large - small) / (p - 1)  # α Q(y), Q the letter of the larger row at y
        rest = (p * small - large) / (p - 1)
        total = ((p - 1) * (1 - beta) - 2 * beta) / (p - 1)  # Σ min = 1-β, Σ (max - min) = 2β
        identities = [
            p * share + rest - large,
            share + rest - small,
            rest - (small - share),
            total - (1 - beta / (p - 1) - p * beta / (p - 1)),
        ]
        if any(sympy.simplify(identity) != 0 for identity in identities):
            return None
        return Proved(
            "all finite rows with D_p = 0 both ways, β their total variation",
            "max = p(max-min)/(p-1) + rest, min = (max-min)/(p-1) + rest with rest = "
            "(p min - max)/(p-1) >= 0 by D_p = 0; its sum 1-α-pα >= 0 is β <= (p-1)/(p+1)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if both_ways else None,
        proof=proof if both_ways else None,
        false_variant=_victims_rows(both_ways=False) if both_ways else None,
    )


# --- F_rb ------------------------------------------------------------------------------------


def _free_gamma() -> Statement:
    """Reading (a): p is another number than γ; then the law of N is not given by p."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        laws = [[mass for _, mass in binomial(v["n"], gamma)] for gamma in v["gammas"]]
        pair = finite_pair(*laws)
        return Outcome(
            Truth.of(laws[0] == laws[1]),
            f"for one p, P(N = 0) is {laws[0][0]} and {laws[1][0]}",
            lambda: Certificate(conclusion=[relation(">", function("total_variation", pair), 0)]),
        )

    return Statement(
        instances=lambda effort: [Instance.of(n=1, p=HALF, gammas=(HALF, ONE))], holds=holds
    )


def _mixture_over_n(*, power_of_gamma: int = 1) -> Statement:
    """Reading (b): the four steps are a law, that of n slots which send with probability γ."""
    coin, spread = (HALF, HALF, Fraction(0)), (HALF, Fraction(1, 4), Fraction(1, 4))

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, gamma, blanket in product(
            (1, 2, 3), (HALF, ONE, Fraction(1, 3), Fraction(0)), (spread, coin)
        ):
            yield Instance.of(n=n, gamma=gamma, blanket=blanket)

    def letters(row: Row) -> dict[tuple[int, ...], Fraction]:
        return {tuple(int(i == y) for i in range(len(row))): m for y, m in enumerate(row)}

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, gamma, rows = v["n"], v["gamma"], [spread, spread[::-1]]
        laws = [
            mixed(
                (weight, convolution(letters(row), power(letters(v["blanket"]), count)))
                for count, weight in binomial(n, gamma**power_of_gamma)
            )
            for row in rows
        ]
        if any(sum(law.values()) != 1 for law in laws):
            return Outcome(Truth.FALSE, "the masses do not sum to 1")
        slots = random_blanket_view(
            Randomizer.from_matrix(rows), (0, 1), v["blanket"], blankets=n, gamma=gamma
        )
        return same_curve(pair_of(*laws), slots.pair)

    def proof() -> Proved | None:
        gamma, z = sympy.symbols("gamma z", positive=True)
        for size in range(6):
            total = sum(
                sympy.binomial(size, i) * gamma**i * (1 - gamma) ** (size - i) * z**i
                for i in range(size + 1)
            )
            if sympy.expand(total - (1 - gamma + gamma * z) ** size) != 0:
                return None
        return Proved(
            "all integers n >= 0 and γ in [0, 1]",
            "Binomial(n, γ) is a law on 0, ..., n, and a mixture of laws is a law; by the binomial "
            "theorem it is that of n independent slots",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if power_of_gamma == 1 else None,
        false_variant=_mixture_over_n(power_of_gamma=2) if power_of_gamma == 1 else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/lemma-1": {"": _lemma_1()},
    "wang2024/section-3.3/variation-property": {"a": _first_user(victim=2), "b": _victims_rows()},
    "wang2024/section-5.1.1/F_rb": {"a": _free_gamma(), "b": _mixture_over_n()},
    "wang2024/section-5.1.1/proposition-2": {
        "": Open(
            "the paper has no Proposition 2, so that nothing is given that could be put on trial; "
            "Theorem 2 and Lemma 3, which are about F and H, are under their own ids"
        )
    },
}
