"""Rows as mixtures of two letters and a leftover, and the counts of the letters.

The victim sends Q^0, Q^1 or a leftover with probabilities pα, α and the rest, or α, pα and
the rest; another user sends either letter with probability r. Of rows u, v with all ratios
at most p the letters are α Q^0 = (u − v)^+/(p − 1) and α Q^1 = (v − u)^+/(p − 1), and
r = αp/q where u, v <= q w at the masses w of the other user.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, at_least, at_most, equal, for_all
from exactdp.claims.kinds import objects, reals
from exactdp.claims.laws import (
    hockey_stick,
    mass,
    shuffle_pair,
)
from exactdp.claims.quantities import Notion, quantity
from exactdp.claims.terms import Term, named, term, total
from exactdp.distributions import binomial
from exactdp.testing import probability_vectors
from exactdp.testing.later import st
from proofs_check.lemmas.quantities import (
    EVENT,
    LAW,
    SAME,
    left_over,
    part,
    probability,
    share_of,
    total_mass,
)
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import laws

__all__ = [
    "MIXTURES",
    "NEAR",
    "Row",
    "among",
    "fewer_letters",
    "is_below",
    "letter_rows",
    "letters_apart",
    "mixed_letters",
    "positive_laws",
    "ratio",
    "variation",
    "within_factor",
]

Row = Sequence[Any]


def letter_rows(first: Any, second: Any, other: Any) -> list[list[Any]]:
    """Return the victim's row under P and under Q, and another user's: two letters, or neither."""
    rest = 1 - first - second
    return [[first, second, rest], [second, first, rest], [other, other, 1 - other - other]]


def among(rows: Sequence[Row], others: int) -> Term:
    """Return the view of a victim with rows 0 and 1 among so many others with row 2."""
    return shuffle_pair(rows, inputs=(0, 1), others=[(2, others)])


def ratio(above: Sequence[Row], below: Sequence[Row]) -> Fraction:
    """Return the largest ratio of two rows' masses."""
    pairs = product(above, below)
    return Fraction(max(u / v for one, two in pairs for u, v in zip(one, two, strict=True)))


def variation(one: Row, two: Row) -> Fraction:
    """Return the total variation of two rows."""
    return sum((max(u - v, Fraction(0)) for u, v in zip(one, two, strict=True)), Fraction(0))


@quantity("(letters_apart {0:nat} {1} {2} {3} {4})", name="counts")
def letters_apart(n: int, p: Fraction, alpha: Fraction, r: Fraction, exp_epsilon: Fraction) -> Term:
    """D of the counts of both letters."""
    return hockey_stick(among(letter_rows(p * alpha, alpha, r), n - 1), exp_epsilon)


def _counted(side: str, shown: str) -> tuple[Notion, Notion]:
    """Return the mass of (a, b) letters under one law, also of letters that are thinned out."""

    @quantity(f"(counts_mass {shown} {{0:nat}} {{1}} {{2}} {{3}} {{4:nat}} {{5:nat}})", name=side)
    def masses(n: int, p: Any, alpha: Any, r: Any, a: int, b: int) -> Term:
        counts = named("counts", among(letter_rows(term(p) * alpha, alpha, r), n - 1))
        return mass(counts, side, (a, b, n - a - b)) if a + b <= n else term(0)

    @quantity(
        f"(kept_mass {shown} {{0:nat}} {{1}} {{2}} {{3}} {{4}} {{5:nat}} {{6:nat}})", name=side
    )
    def kept(n: int, p: Any, alpha: Any, r: Any, keep: Any, a: int, b: int) -> Term:
        sent = [(i, j) for i in range(a, n + 1) for j in range(b, n + 1 - i)]
        return total(
            [
                masses(n, p, alpha, r, i, j) * (binomial(i, keep)[a] * binomial(j, keep)[b])
                for i, j in sent
            ]
        )

    return masses, kept


_COUNTED = [_counted("p", "upright"), _counted("q", "turned")]


def fewer_letters(
    n: int, p: Any, large: tuple[Any, Any], small: tuple[Any, Any], exp_epsilon: Any, **at: Any
) -> list[Relation]:
    """Letters of weights α, r, kept with probability s, are counted as those of weights sα, sr.

    So the divergence of their counts is no larger. ``at`` has a, b and keep, s.
    """
    a, b, keep = at["a"], at["b"], at["keep"]
    return [
        *(
            equal(kept(n, p, *large, keep, a, b), masses(n, p, *small, a, b))
            for masses, kept in _COUNTED
        ),
        at_most(letters_apart(n, p, *small, exp_epsilon), letters_apart(n, p, *large, exp_epsilon)),
    ]


def positive_laws(weight: int, outcomes: int = 3) -> list[tuple[Fraction, ...]]:
    """Return the positive laws with this denominator."""
    return [law for law in laws(outcomes, weight) if min(law) > 0]


def mixed_letters(rows: tuple[Any, Any, Any], S: Any, p: Any, alpha: Any, r: Any) -> list[Relation]:
    """Rows V, W and another user's U are mixtures of laws, at each event.

    The letters are the positive parts of V − W and W − V; the others are what is left of V and
    of U.
    """
    V, W, U = rows
    letters = part(V, W), part(W, V)
    laws = (*letters, left_over(p * alpha, alpha, V, *letters), left_over(r, r, U, *letters))
    one, two, rest, other = (probability(law, S) for law in laws)
    own, others = 1 - alpha - p * alpha, 1 - 2 * r
    return [
        *(at_least(chance, 0) for chance in (one, two, rest, other, own, others)),
        *(equal(total_mass(law), 1) for law in laws),
        equal(probability(V, S), p * alpha * one + alpha * two + own * rest),
        equal(probability(W, S), alpha * one + p * alpha * two + own * rest),
        equal(probability(U, S), r * one + r * two + others * other),
    ]


def within_factor(x: Any, *rows: Any) -> Any:
    """Draw a law of which the rows are at most x times, and the first one at least 1/x times."""
    laws_near = st.one_of(st.just(rows[0]), probability_vectors(size=3))
    return laws_near.filter(lambda law: is_below(x, rows, law))


def is_below(x: Any, rows: Any, law: Any) -> bool:
    """Return whether no row has more than x times a law's mass at any message."""
    return all(u <= x * m for row in rows for u, m in zip(row, law, strict=True))


NEAR = objects(
    "a law within a factor p of V",
    lambda p, V: within_factor(p, V).filter(lambda W: is_below(p, (W,), V)),
    condition=lambda p, V, W: is_below(p, (V,), W) and is_below(p, (W,), V),
    coq=("law A", "private_pair same p V {0}", SAME),
)


def lemma_4_4(p: Any, q: Any, V: Any, W: Any, U: Any, S: Any, more: int = 1) -> list[Relation]:
    """α = β/(p − 1), r = αp/q, β the total variation of V and W."""
    alpha = share_of(p, V, W)
    r = alpha * p / q if more == 1 else more * alpha * p / q
    return mixed_letters((V, W, U), S, p, alpha, r)


_ROWS = [
    tuple(tuple(Fraction(m, 6) for m in row) for row in rows)
    for rows in (
        [(2, 2, 2), (4, 1, 1), (2, 2, 2)],
        [(3, 2, 1), (1, 2, 3), (2, 2, 2)],
        [(1, 1, 4)] * 3,
    )
]

MIXTURES = for_all(
    cases(
        p=[Fraction(3), Fraction(5)],
        q=[Fraction(2), Fraction(3)],
        _rows=_ROWS,
        V=lambda _rows: _rows[:1],
        W=lambda _rows: _rows[1:2],
        U=lambda _rows: _rows[2:],
        S=((), (0,), (0, 2), (0, 1, 2)),
    ).within(
        p=reals(above=1),
        q=reals(1),
        V=LAW,
        W=NEAR,
        U=objects(
            "a law of which V and W are at most q times",
            lambda q, V, W: within_factor(q, V, W),
            condition=lambda q, V, W, U: is_below(q, (V, W), U),
            coq=("law A", "is_law {0} /\\ within same q V {0} /\\ within same q W {0}", SAME),
        ),
        S=EVENT,
    ),
    lemma_4_4,
    wrong=partial(lemma_4_4, more=2),
    proof=theorem("wang2023_lemma_4_4"),
)
"""Both rows and all others' are mixtures of two letters: a lemma of two papers."""
