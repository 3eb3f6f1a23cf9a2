"""Section 5.1.1: a random number of blanket messages, Theorem 2, and the text after it."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import ceil, comb
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Said, Trials, at_most, equal, for_all
from exactdp.claims.kinds import integers, reals
from exactdp.claims.laws import finite_pair, total_variation_of
from exactdp.claims.terms import named, term
from exactdp.claims.verdicts import Falls
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.blankets import (
    BLANKET_MESSAGE,
    MESSAGE,
    SEEN,
    SEEN_ITEMS,
    SLOTS,
    four_steps,
    is_not_negative,
    items_of_slots,
    letters_given,
    letters_printed,
    number_thinned,
    of_slots,
    share_of_binomial,
    uniform_items,
)
from proofs_check.wang2024.quantities import PAIRS_OF_COUNTS
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
    dominated,
    messages,
    multisets,
)

TRIALS: Trials = {}

THIRD = Fraction(1, 3)


def law_of_number(n: int, gammas: Sequence[Fraction]) -> Relation:
    """Reading (a): p is a number of its own, so that N has one law for every γ."""
    laws = [[comb(n, k) * g**k * (1 - g) ** (n - k) for k in range(n + 1)] for g in gammas]
    return at_most(total_variation_of(finite_pair(*laws)), 0)


def steps_are_slots(
    k: Any, n: Any, gamma: Any, message: Any, blanket: Any, seen: Any, power: int = 1
) -> Relation:
    """Reading (b): p is γ; the four steps have the law of n slots (or, false, of γ²)."""
    share = gamma if power == 1 else gamma**power
    rest = (message, blanket, seen)
    return equal(four_steps(k, n, share, *rest), of_slots(k, n, gamma, *rest))


SPREAD = (HALF, Fraction(1, 4), Fraction(1, 4))

TRIALS["wang2024/section-5.1.1/F_rb"] = {
    "a": for_all(
        cases(n=(1,), p=(HALF,), gammas=((HALF, ONE),)), law_of_number, falls=Falls.MISPRINT
    ),
    "b": for_all(
        cases(
            n=(1, 2, 3),
            gamma=(HALF, ONE, THIRD, Fraction(0)),
            message=(SPREAD, SPREAD[::-1]),
            blanket=(SPREAD, (HALF, HALF, Fraction(0))),
            k=lambda blanket: [len(blanket)],
            seen=lambda n: [x for size in range(1, n + 2) for x in multisets(size, 3)],
        ).within(
            k=integers(1, draws=2),
            n=integers(0, draws=2),
            gamma=reals(0, 1),
            message=MESSAGE,
            blanket=BLANKET_MESSAGE,
            seen=SEEN,
        ),
        steps_are_slots,
        wrong=partial(steps_are_slots, power=2),
        proof=theorem("wang2024_F_rb"),
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


def thinned(n: int, gamma: Any, share: Any, c: int, *, all_sent: bool = False) -> Relation:
    """C, given N, is Binomial(N, share): it is Binomial(n, γ share) (or, false, of all n)."""
    claimed = share if all_sent else gamma * share
    return equal(number_thinned(n, gamma, share, c), share_of_binomial(n, claimed, c))


TRIALS["wang2024/theorem-2/proof/binomial-fact"] = for_all(
    cases(
        n=(1, 2, 3, 6),
        gamma=(HALF, THIRD, ONE, Fraction(0)),
        share=(HALF, ONE, Fraction(2, 7)),
        c=lambda n: range(n + 1),
    ).within(n=integers(0), gamma=reals(0, 1), share=reals(0, 1), c=integers(0)),
    thinned,
    wrong=partial(thinned, all_sent=True),
    proof=theorem("wang2024_binomial_fact"),
)


def by_definition(
    p: Any, beta: Any, q: Any, gamma: Any, n: Any, event: Any, extra: int = 1
) -> list[Relation]:
    """U and V, C ~ Binomial(n, γ·2βp/((p-1)q)), are P and Q with q/γ, of size n + extra."""
    return [
        equal(given(p, beta, q, gamma, n, event), printed(p, beta, q / gamma, n + extra, event))
        for given, printed in zip(letters_given, letters_printed, strict=True)
    ]


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
    cases(
        p__beta__q=SHAPES,
        gamma=(HALF, ONE, Fraction(2, 3)),
        n=(1, 2, 3),
        event=lambda n: [((a, b),) for a, b, _ in multisets(n + 1, 3)],
    ).within(
        share_at_most_1,
        **VARIATION,
        q=reals(1),
        gamma=reals(above=0, most=1),
        n=integers(0, draws=3),
        event=PAIRS_OF_COUNTS,
    ),
    by_definition,
    wrong=partial(by_definition, extra=0),
    proof=theorem("wang2024_U_is_P"),
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


def of_all_slots(slots: Any, m: Any, users: Any, extra: int = 1, **at: Any) -> list[Relation]:
    """Reading (a): the same with n = n'⌈m⌉ and γ = m/⌈m⌉."""
    return by_definition(gamma=m / slots, n=users * slots, extra=extra, **at)


TRIALS["wang2024/section-5.1.1/equivalence"] = {
    "a": for_all(
        cases(
            p__beta__q=SHAPES,
            m=(HALF, Fraction(3, 2), ONE, Fraction(2, 3)),
            slots=lambda m: [ceil(m)],
            users=(1, 2, 3),
            event=(((0, 1),), ((1, 1),), ((0, 0), (2, 1))),
        ).within(
            share_at_most_1,
            **VARIATION,
            q=reals(1),
            slots=integers(1, draws=1),
            m=SLOTS["m"],
            users=integers(0, draws=2),
            event=PAIRS_OF_COUNTS,
        ),
        of_all_slots,
        wrong=partial(of_all_slots, extra=0),
        proof=theorem("wang2024_equivalence"),
    ),
    "b": for_all(
        cases(n=(1, 2), d=(2, 3), gamma=(HALF,), rate=(HALF, ONE)), same_privacy, falls=Falls.REMARK
    ),
}


def number_of_blankets(n: Any, d: Any, slots: Any, m: Any, seen: Any) -> Relation:
    """n⌈m⌉ slots have the law of N ~ Binomial(n⌈m⌉, m/⌈m⌉) uniform items."""
    at = (n, d, slots, m, seen)
    return equal(items_of_slots(*at), uniform_items(*at))


TRIALS["wang2024/section-5.1.1/number-of-blankets"] = for_all(
    cases(
        n=(1, 2, 3),
        d=(2, 3),
        m=(HALF, Fraction(3, 2), Fraction(2), Fraction(0)),
        slots=lambda m: [ceil(m)],
        seen=lambda n, d, slots: [x for size in range(n * slots + 1) for x in multisets(size, d)],
    ).within(
        is_not_negative,
        n=integers(1, draws=1),
        d=integers(1, draws=2),
        slots=integers(0, draws=2),
        m=SLOTS["m"],
        seen=SEEN_ITEMS,
    ),
    number_of_blankets,
    wrong=lambda n, d, slots, m, seen: equal(
        items_of_slots(n, d, slots, m, seen), uniform_items(n, d, 1, m / max(slots, 1), seen)
    ),
    proof=theorem("wang2024_number_of_blankets"),
)
