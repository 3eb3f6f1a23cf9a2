"""Section 5.1.1: a random number of blanket messages, Theorem 2, and what is said after it."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import ceil, comb
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import identity
from exactdp.claims.cases import cases
from exactdp.claims.domains import integers, objects, reals
from exactdp.claims.forms import Relation, Said, Trials, at_most, equal, for_all
from exactdp.claims.laws import finite_pair, mass, total_variation_of
from exactdp.claims.proofs import proof, words
from exactdp.claims.terms import Term, named, sum_over, term, total
from exactdp.claims.verdicts import Falls
from exactdp.testing import fractions, probability_vectors
from proofs_check.lemmas.mixtures import Row, among
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.randomizers import BLANKET, blanketed_apart, four_apart
from proofs_check.wang2024.trials.section_3 import VARIATION, letters_share
from proofs_check.wang2024.trials.theorem_1 import (
    COUNTED,
    GAMMAS,
    SHAPED,
    SMALL_ROWS,
    not_counted,
    reduction,
)
from proofs_check.wang2024.trials.views import (
    HALF,
    ONE,
    binomial,
    dominated,
    messages,
    multisets,
    reduction_counts,
)

TRIALS: Trials = {}

THIRD = Fraction(1, 3)


def law_of_number(n: int, gammas: Sequence[Fraction]) -> Relation:
    """Reading (a): p is a number of its own, so that N has one law whatever γ is."""
    laws = [[comb(n, k) * g**k * (1 - g) ** (n - k) for k in range(n + 1)] for g in gammas]
    return at_most(total_variation_of(finite_pair(*laws)), 0)


def by_number(
    rows: Sequence[Row], blanket: Row, slots: int, gamma: Fraction, *, trials: int, share: Fraction
) -> list[Relation]:
    """Slots that send with probability γ are N ~ Binomial(trials, share) blanket messages.

    The view of a message of one of ``rows`` and of the slots has, at each multiset with
    N + 1 messages, the mass of N times that of the view of it and of N blanket messages.
    """
    none = Fraction(0)
    sampled = [*([*row, none] for row in rows), [*(gamma * m for m in blanket), 1 - gamma]]
    whole = named("slots", among(sampled, slots))
    claimed = []
    for count in range(slots + 1):
        fixed = named(f"fixed_{count}", among([*rows, blanket], count))
        weight = binomial(trials, share, count) if count <= trials else term(0)
        claimed += [
            equal(mass(whole, side, (*sent, slots - count)), weight * mass(fixed, side, sent))
            for sent in multisets(count + 1, len(blanket))
            for side in ("p", "q")
        ]
    return claimed


def four_steps(n: int, gamma: Fraction, blanket: Row, power: int = 1) -> list[Relation]:
    """Reading (b): p is γ; the four steps are the law of n slots."""
    return by_number((SPREAD, SPREAD[::-1]), blanket, n, gamma, trials=n, share=gamma**power)


SPREAD = (HALF, Fraction(1, 4), Fraction(1, 4))

TRIALS["wang2024/section-5.1.1/F_rb"] = {
    "a": for_all(
        cases(n=(1,), p=(HALF,), gammas=((HALF, ONE),)), law_of_number, falls=Falls.MISPRINT
    ),
    "b": for_all(
        cases(
            n=(1, 2, 3),
            gamma=(HALF, ONE, THIRD, Fraction(0)),
            blanket=(SPREAD, (HALF, HALF, Fraction(0))),
        ).within(
            n=integers(0, draws=2),
            gamma=reals(0, 1),
            blanket=objects("the law of a blanket message", lambda: probability_vectors(size=3)),
        ),
        four_steps,
        wrong=partial(four_steps, power=2),
        proof=proof(
            words(
                "Binomial(n, γ) is a law on 0, ..., n, and a mixture of laws is a law; it is the "
                "number of n independent slots that send"
            ),
        ),
    ),
}

TRIALS["wang2024/section-5.1.1/proposition-2"] = for_all(
    # Of propositions the paper has Proposition 1 alone; Theorem 2 and Lemma 3 are about F and H.
    cases(proposition=[2]),
    lambda proposition: at_most(proposition, 1),
    falls=Falls.MISPRINT,
)


# Messages 0 and 1; the blanket message's law is row 2.
TRIALS["wang2024/theorem-2"] = for_all(
    cases(n=(1, 2), gamma=(HALF, ONE, THIRD), rows=SMALL_ROWS),
    lambda n, gamma, rows: reduction(rows, n, gamma),
    falls=Falls.RESULT,
)


def rest_counted(
    D: Any, k: int, p: Any, q: Any, victim: Any, blanket: Any, n: int, gamma: Any
) -> Relation:
    """F_rb against the counts of both letters, of the rest, and of leftovers."""
    seen = blanketed_apart(D, k, victim, blanket, n, gamma)
    return at_most(seen, four_apart(D, p, q, victim, n, gamma))


TRIALS["wang2024/repair/theorem-2"] = for_all(
    cases(
        victim__blanket__p__q=SHAPED,
        n=(1, 2),
        k=lambda blanket: [len(blanket)],
        gamma=(HALF, THIRD),
        D=GAMMAS,
    ).within(**COUNTED, blanket=BLANKET, n=integers(0, draws=2), gamma=reals(0, 1)),
    rest_counted,
    wrong=lambda blanket, n, **at: not_counted(others=(blanket,) * n, **at),
    proof=theorem("wang2024_repair_theorem_2"),
)


TRIALS["wang2024/theorem-2/proof/parameters"] = for_all(
    cases(
        n=(1, 2),
        gamma=(ONE, HALF),
        p=(Fraction(2), Fraction(3)),
        _part=(HALF, ONE),
        beta=lambda p, _part: [_part * (p - 1) / (p + 1)],
        q=(ONE, Fraction(2)),
    ),
    letters_share,
    falls=Falls.REMARK,
)


def thinned(n: int, gamma: Fraction, share: Fraction, claimed: Fraction) -> list[Relation]:
    """C, summed over N, is Binomial(n, claimed)."""
    return [
        equal(
            sum_over("N", c, n, lambda N: binomial(n, gamma, N) * binomial(N, share, c)),  # noqa: B023
            binomial(n, claimed, c),
        )
        for c in range(n + 1)
    ]


TRIALS["wang2024/theorem-2/proof/binomial-fact"] = for_all(
    cases(
        n=(1, 2, 3, 6), gamma=(HALF, THIRD, ONE, Fraction(0)), share=(HALF, ONE, Fraction(2, 7))
    ).within(n=integers(0), gamma=reals(0, 1), share=reals(0, 1)),
    lambda n, gamma, share: thinned(n, gamma, share, gamma * share),
    wrong=lambda n, gamma, share: thinned(n, gamma, share, share),
    proof=proof(
        identity(
            "generating functions: E[z^C] = E[(1-r+rz)^N] is the n-th power of "
            "1-γ+γ(1-r+rz) = 1-γr+γrz",
            "g r z",
            lambda g, r, z: (1 - g + g * (1 - r + r * z), 1 - g * r + g * r * z),
        ),
    ),
)


def by_definition(
    n: int, gamma: Fraction, p: Fraction, beta: Fraction, q: Fraction, extra: int = 1
) -> list[Relation]:
    """U and V, C ~ Binomial(n, γ·2βp/((p-1)q)), have the masses of P and Q with q/γ.

    The size is n + extra: P and Q have n + extra - 1 trials.
    """
    share = gamma * bounds.letters_probability(None, p=p, beta=beta, q=q)
    first = bounds.first_probability(None, p=p, beta=beta)
    second = (1 - first) * bounds.second_probability(None, p=p, beta=beta)
    printed = named("printed", reduction_counts(n + extra, p, beta, q / gamma))

    def split(a: int, b: int) -> Term:
        """The mass of (A, C - A) at (a, b)."""
        return binomial(n, share, a + b) * binomial(a + b, HALF, a)

    claimed = []
    for a, b, rest in multisets(n + 1, 3):
        for side, (one, two) in (("p", (first, second)), ("q", (second, first))):
            ways = [(one, a - 1, b), (two, a, b - 1), (1 - first - second, a, b)]
            law = [w * split(i, j) for w, i, j in ways if min(i, j) >= 0 and i + j <= n]
            claimed.append(equal(total(law), mass(printed, side, (a, b, rest + extra - 1))))
    return claimed


def shares(p: Any, beta: Any, q: Any, gamma: Any) -> tuple[Any, Any]:
    """γ times the share of Theorem 1, and that share at q/γ."""
    share = partial(bounds.letters_probability, None, p=p, beta=beta)
    return gamma * share(q=q), share(q=q / gamma)


SAME_PARAMETER = proof(
    identity(
        "γ·2βp/((p-1)q) = 2βp/((p-1)(q/γ)), and the size n + 1 has n trials",
        "p beta q gamma",
        shares,
    ),
)


def share_at_most_1(p: Any, beta: Any, q: Any) -> Relation:
    """C is defined."""
    return at_most(bounds.letters_probability(None, p=p, beta=beta, q=q), 1)


SHAPES = [
    (p, beta, q)
    for p in (Fraction(2), Fraction(5))
    for beta in ((p - 1) / (p + 1), (p - 1) / (2 * (p + 1)))
    for q in (1 + beta, 2 * p)
]

TRIALS["wang2024/theorem-2/proof/U=P"] = for_all(
    cases(p__beta__q=SHAPES, gamma=(HALF, ONE, Fraction(2, 3)), n=(1, 2, 3)).within(
        share_at_most_1,
        **VARIATION,
        q=reals(1),
        gamma=reals(above=0, most=1),
        n=integers(0, draws=3),
    ),
    by_definition,
    wrong=partial(by_definition, extra=0),
    proof=SAME_PARAMETER,
)


def same_privacy(n: int, d: int, gamma: Fraction, rate: Fraction) -> Said:
    """Reading (b): messages of d/γ items that are always sent, against sampled ones of d.

    The ratio of the Poisson randomizer's λ to a uniform message of d/γ items is λ d/γ.
    """
    wide, items = int(d / gamma), ((0,), (1,))
    fixed = messages(items, d=wide, rate=rate, slots=n, gamma=ONE)
    sampled = messages(items, d=d, rate=rate, slots=n, gamma=gamma)
    return Said(
        dominated(named("fixed", fixed), named("sampled", sampled)),
        [equal(term(d) * rate / gamma, term(wide) * rate)],
    )


TRIALS["wang2024/section-5.1.1/equivalence"] = {
    "a": for_all(
        cases(
            p__beta__q=SHAPES,
            m=(HALF, Fraction(3, 2), ONE, Fraction(2, 3)),
            _users=(1, 2, 3),
            n=lambda m, _users: [_users * ceil(m)],
            gamma=lambda m: [m / ceil(m)],
        ).within(
            share_at_most_1,
            **VARIATION,
            q=reals(1),
            m=reals(above=0),
            n=objects(
                "a number of ⌈m⌉ slots for each user", condition=lambda m, n: n % ceil(m) == 0
            ),
            gamma=objects("m/⌈m⌉", condition=lambda m, gamma: gamma == m / ceil(m)),
        ),
        by_definition,
        wrong=partial(by_definition, extra=0),
        proof=SAME_PARAMETER,
    ),
    "b": for_all(
        cases(n=(1, 2), d=(2, 3), gamma=(HALF,), rate=(HALF, ONE)), same_privacy, falls=Falls.REMARK
    ),
}


def number_of_blankets(n: int, d: int, m: Fraction, users_only: int = 0) -> list[Relation]:
    """n⌈m⌉ slots, beside a message of item 0, are N uniform messages (or N ~ Binomial(n, γ))."""
    slots = n * ceil(m)
    gamma = m / ceil(m) if m else Fraction(0)
    sent = (ONE, *[Fraction(0)] * (d - 1))
    return by_number(
        (sent, sent), [Fraction(1, d)] * d, slots, gamma, trials=users_only or slots, share=gamma
    )


TRIALS["wang2024/section-5.1.1/number-of-blankets"] = for_all(
    cases(n=(1, 2, 3), d=(2, 3), m=(HALF, Fraction(3, 2), Fraction(2), Fraction(0)))
    .within(n=integers(1), d=integers(1), m=reals(0))
    .drawn(
        lambda: {
            "n": st.integers(1, 2),
            "d": st.integers(1, 3),
            "m": fractions(0, 2, max_denominator=7),
        }
    ),
    number_of_blankets,
    wrong=lambda n, d, m: number_of_blankets(n, d, m, users_only=n),
    proof=proof(
        words(
            "n⌈m⌉ independent slots send with probability γ = m/⌈m⌉, each an independent "
            "uniform item: the number that send is Binomial(n⌈m⌉, γ), their items are "
            "independent of it (m = 0: none)"
        ),
    ),
)
