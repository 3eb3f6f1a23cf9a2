"""Lemmas 4.4 to 4.6: the mixtures, the reduction from mixtures to counts, smaller β.

The victim sends a letter Q_1^0, Q_1^1, or Q_1, with probabilities pα, α and the rest (or α,
pα and the rest), each other user with r, r and a rest of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import follows, identity
from exactdp.claims import (
    Falls,
    Relation,
    Said,
    Term,
    at_least,
    at_most,
    cases,
    equal,
    finite_pair,
    for_all,
    hockey_stick,
    lemma,
    mass,
    named,
    positive_part,
    proof,
    shuffle_pair,
    term,
    total,
    words,
)
from exactdp.testing import probability_vectors
from proofs_check.lemmas.trials.divergences import POST_PROCESSING, laws

__all__ = ["SHAPES", "TRIALS", "count_rows", "gammas", "mixture", "view_of", "with_letters"]

Rows = Sequence[Sequence[Any]]

SHAPES = [
    (p, part / (p + 1), share * part / (p + 1))
    for p in (Fraction(2), Fraction(3))
    for part, share in product((Fraction(1), Fraction(3, 4)), (Fraction(1), Fraction(1, 2)))
]
"""p, α and r, simplest first: a victim who always sends a letter, then others."""

AXES: dict[str, Any] = {
    "_shape": SHAPES,
    "p": lambda _shape: [_shape[0]],
    "alpha": lambda _shape: [_shape[1]],
    "r": lambda _shape: [_shape[2]],
}


def gammas(p: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to below p."""
    return [1 + (p - 1) * Fraction(i, 4) for i in range(4)]


def count_rows(p: Any, alpha: Any, r: Any) -> list[list[Any]]:
    """Return rows whose view is the pair: victim under P, under Q, another user."""
    a, b = p * alpha, alpha
    return [[a, b, 1 - a - b], [b, a, 1 - a - b], [r, r, 1 - r - r]]


def view_of(rows: Rows, n: int) -> Term:
    """Return the view of a victim with rows 0 and 1 and n − 1 others with row 2."""
    return shuffle_pair(rows, inputs=(0, 1), others=[(2, n - 1)])


def with_letters(counts: Rows, leftovers: Rows) -> list[list[Any]]:
    """Return the rows of users who send the first two messages as letters, else a leftover."""
    return [
        [a + rest * b for a, b in zip((one, two, *[0] * (len(left) - 2)), left, strict=True)]
        for (one, two, rest), left in zip(counts, leftovers, strict=True)
    ]


# --- Lemma 4.4 -----------------------------------------------------------------------------


def mixture(rows: Rows, p: Any, q: Any) -> list[Relation]:
    """With letters (R_1(x^0) − R_1(x^1))^±/(p−1) all that is left over is a measure."""
    pairs = [(term(u), term(v)) for u, v in zip(rows[0], rows[1], strict=True)]
    one, two = ([positive_part(d) / (p - 1) for d in side] for side in _differences(pairs))
    claimed = [equal(total(one), total(two))]
    for (u, v), a, b in zip(pairs, one, two, strict=True):
        claimed += [at_least(u - p * a - b, 0), equal(u - p * a - b, v - a - p * b)]
    for row in rows[2:]:
        letters = zip(row, one, two, strict=True)
        claimed += [at_least(m - term(p) / q * (a + b), 0) for m, a, b in letters]
    return claimed


def _differences(pairs: Sequence[tuple[Term, Term]]) -> tuple[list[Term], list[Term]]:
    return [u - v for u, v in pairs], [v - u for u, v in pairs]


def lemma_4_4(
    rows: Rows, more_p: Fraction, more_q: Fraction, q_factor: Fraction = Fraction(1)
) -> list[Relation]:
    """The smallest p and q of the rows, times factors."""
    p, q = (_ratio(rows[:2], rows[:2]), _ratio(rows[:2], rows[2:]))
    if more_q * q * q_factor < 1:
        return []
    return mixture(rows, p * more_p, q * more_q * q_factor)


def _ratio(above: Rows, below: Rows) -> Fraction:
    """Return the largest ratio of two rows' masses, at least 1."""
    ratios = [u / v for one in above for two in below for u, v in zip(one, two, strict=True)]
    return Fraction(max([1, *ratios]))


LEMMA_4_4 = proof(
    "all finite randomizers, p > 1 and q >= 1 with the two properties (β' = 0: α = r = 0)",
    follows(
        "where u = R_1(x^0)(y) >= v = R_1(x^1)(y) the letters leave (p v - u)/(p-1) >= 0 of both "
        "rows, and u < v is the same with the rows exchanged",
        "u v t",
        lambda u, v, t: v - (u - v) / t,
        lambda u, v, t: [(1 / t, (1 + t) * v - u)],
    ),
    identity(
        "they leave the same of both rows",
        "u v t",
        lambda u, v, t: (u - (1 + t) * (u - v) / t, v - (u - v) / t),
    ),
    follows(
        "of another's mass w they leave (w - u/q) + (p v - u)/((p-1) q) >= 0",
        "u v w t q",
        lambda u, v, w, t, q: w - (1 + t) * (u - v) / (t * q),
        lambda u, v, w, t, q: [(1 / q, q * w - u), (1 / (t * q), (1 + t) * v - u)],
    ),
)


def positive_laws(weight: int) -> list[tuple[Fraction, ...]]:
    """Return the positive laws on three messages with this common denominator."""
    return [law for law in laws(3, weight) if min(law) > 0]


def drawn_rows() -> st.SearchStrategy[dict[str, Any]]:
    """Draw rows on four messages, with factors of p and q."""
    law = probability_vectors(size=4).filter(lambda masses: min(masses) > 0)
    factor = st.fractions(1, 3, max_denominator=3)
    return st.fixed_dictionaries(
        {
            "rows": st.tuples(law, law, law, law).filter(lambda rows: rows[0] != rows[1]),
            "more_p": factor,
            "more_q": factor,
        }
    )


# --- Lemma 4.5 and its proof ------------------------------------------------------------------


def lemma_4_5(
    n: int,
    p: Fraction,
    alpha: Fraction,
    r: Fraction,
    leftover: Sequence[Fraction],
    exp_epsilon: Fraction,
) -> Said:
    """Messages 0, 1, 2 are Q_1^0, Q_1^1, Q_1; all others have one law of leftovers."""
    counts = count_rows(p, alpha, r)
    rows = with_letters(counts, [(0, 0, 1), (0, 0, 1), leftover])

    def hypotheses() -> list[Relation]:
        """The other's row is the mixture, with a law; the q-ratio property, q = αp/r."""
        law = named("leftover", finite_pair(leftover, leftover))
        parts = [term(r), term(r), term(0)]
        mixed = [a + (1 - 2 * term(r)) * mass(law, "p", y) for y, a in enumerate(parts)]
        q = term(alpha) * p / r
        return [
            *(equal(a, b) for a, b in zip(rows[2], mixed, strict=True)),
            *(at_most(m, q * b) for row in rows[:2] for m, b in zip(row, rows[2], strict=True)),
        ]

    return at_most(
        hockey_stick(named("view", view_of(rows, n)), exp_epsilon),
        hockey_stick(named("counts", view_of(counts, n)), exp_epsilon),
    ).given(hypotheses)


def has_q_ratio(p: Fraction, alpha: Fraction, r: Fraction, leftover: Sequence[Fraction]) -> bool:
    """The victim's Q_1 is at most q = αp/r times as likely as the others' messages."""
    return 1 - alpha - p * alpha <= alpha * p / r * (1 - 2 * r) * leftover[2]


def post_processing(n: int, p: Fraction, alpha: Fraction, r: Fraction, a: int, b: int) -> Relation:
    """P(a zeros, b ones, the victim's 2) is that of the counts times the printed weight w."""
    first, second, other = count_rows(*map(term, (p, alpha, r)))
    # The victim's leftover, message 2, apart from others', 3.
    apart = [[*first, 0], [*second, 0], [*other[:2], 0, other[2]]]
    counts = named("counts", view_of([first, second, other], n))
    victim = (n - a - b) * first[2] * 2 * r
    weight = victim / (victim + (a + b) * (1 - first[2]) * (1 - 2 * r))
    return equal(
        mass(named("apart", view_of(apart, n)), "p", [a, b, 1, n - a - b - 1]),
        mass(counts, "p", [a, b, n - a - b]) * weight,
    )


def common_leftover(
    n: int,
    p: Fraction,
    alpha: Fraction,
    r: Fraction,
    law: Sequence[Fraction],
    exp_epsilon: Fraction,
    others: Sequence[Fraction] | None = None,
) -> Relation:
    """Four messages: the two letters, and a common law on all of them."""
    counts = count_rows(p, alpha, r)
    view = view_of(with_letters(counts, [law, law, others or law]), n)
    return at_most(hockey_stick(view, exp_epsilon), hockey_stick(view_of(counts, n), exp_epsilon))


_THIRD, _QUARTER = Fraction(1, 3), Fraction(1, 4)
_ZERO, _ONE = Fraction(0), Fraction(1)


def drawn_leftovers() -> st.SearchStrategy[dict[str, Any]]:
    """Draw a common law of leftovers."""
    return st.tuples(st.sampled_from(SHAPES), st.fractions(0, 1, max_denominator=8)).flatmap(
        lambda drawn: st.fixed_dictionaries(
            {
                "n": st.integers(1, 4),
                "p": st.just(drawn[0][0]),
                "alpha": st.just(drawn[0][1]),
                "r": st.just(drawn[0][2]),
                "law": probability_vectors(size=4),
                "exp_epsilon": st.just(1 + (drawn[0][0] - 1) * drawn[1]),
            }
        )
    )


# --- Lemma 4.6 -----------------------------------------------------------------------------


def lemma_4_6(
    n: int, p: Fraction, beta: Fraction, q: Fraction, keep: Fraction, exp_epsilon: Fraction
) -> list[Relation]:
    """One user's letters kept with β'/β are those for β'; the divergence does not grow."""
    (large, small) = (_rows(p, part * beta, q) for part in (1, keep))
    kept = [[keep * a, keep * b, rest + (1 - keep) * (a + b)] for a, b, rest in large]
    above, below = (hockey_stick(view_of(rows, n), exp_epsilon) for rows in (large, small))
    same = [
        equal(x, y)
        for one, two in zip(kept, small, strict=True)
        for x, y in zip(one, two, strict=True)
    ]
    return [*same, at_most(below, above)]


def lemma_4_6_reversed(
    n: int, p: Fraction, beta: Fraction, q: Fraction, keep: Fraction, exp_epsilon: Fraction
) -> Relation:
    """False: the divergence for β' is at least that for β."""
    above, below = (
        hockey_stick(view_of(_rows(p, part * beta, q), n), exp_epsilon) for part in (1, keep)
    )
    return at_least(below, above)


def _rows(p: Fraction, beta: Fraction, q: Fraction) -> list[list[Any]]:
    alpha = beta / (p - 1)
    return count_rows(p, alpha, alpha * p / q)


BETAS = cases(
    n=range(1, 6),
    _shape=[(2, 1), (2, 2), (4, 3)],
    p=lambda _shape: [Fraction(_shape[0])],
    _q=lambda _shape: [Fraction(_shape[1])],
    keep=(_THIRD, Fraction(3, 4)),
    beta=lambda p: [part * (p - 1) / (p + 1) for part in (Fraction(1, 2), _ONE)],
    q=lambda _q: [_q],
    exp_epsilon=lambda p: [_ONE, (1 + p) / 2, (1 + 3 * p) / 4],
).where(lambda p, beta, q: 2 * beta * p <= (p - 1) * q)


TRIALS = {
    "wang2023/lemma-4.4": {
        "": for_all(
            cases(
                rows=lambda: [
                    rows for rows in product(positive_laws(5), repeat=3) if rows[0] != rows[1]
                ],
                more_p=(_ONE, Fraction(3, 2)),
                more_q=(_ONE, Fraction(3, 2)),
            )
            .deep(rows=lambda: product(positive_laws(7), repeat=3))
            .where(lambda rows: rows[0] != rows[1])
            .drawn(drawn_rows),
            lemma_4_4,
            wrong=partial(lemma_4_4, q_factor=Fraction(3, 4)),
            proof=LEMMA_4_4,
        )
    },
    "wang2023/lemma-4.5": {
        "": for_all(
            cases(
                n=(1, 2, 3),
                **AXES,
                leftover=[(_ZERO, _ZERO, _ONE), (_ONE / 2, _ZERO, _ONE / 2), (_THIRD,) * 3],
                exp_epsilon=gammas,
            ).where(has_q_ratio),
            lemma_4_5,
            falls=Falls.RESULT,
        )
    },
    "wang2023/appendix-C/post-processing": {
        "": for_all(
            cases(
                n=(1, 2, 3),
                **AXES,
                a=lambda n: range(n + 1),
                b=lambda n, a: range(n - a),
            ).where(lambda p, alpha, r: 2 * r < 1 and (p + 1) * alpha < 1),
            post_processing,
            falls=Falls.STEP,
        )
    },
    "wang2023/repair/common-leftover": {
        "": for_all(
            cases(
                n=(1, 2, 3, 4),
                **AXES,
                law=[
                    (_ZERO, _ZERO, _ONE, _ZERO),
                    (_ZERO, _ZERO, _ONE / 2, _ONE / 2),
                    (_QUARTER,) * 4,
                    (_ONE, _ZERO, _ZERO, _ZERO),
                ],
                exp_epsilon=gammas,
            ).drawn(drawn_leftovers),
            common_leftover,
            wrong=partial(common_leftover, others=(_ONE, _ZERO, _ZERO, _ZERO)),
            proof=proof(
                "all n, finite randomizers and leftovers of one law, or a + b = 1",
                words(
                    "given the counts (X, Y) the messages that are no letters are n - X - Y "
                    "independent draws of the one law, whoever sends them and whichever the "
                    "dataset (if the victim always sends a letter, those of a uniform subset of "
                    "the others)"
                ),
                lemma("lemmas/post-processing", POST_PROCESSING, "the view is a channel of them"),
            ),
        )
    },
    "wang2023/lemma-4.6": {
        "": for_all(
            BETAS,
            lemma_4_6,
            wrong=lemma_4_6_reversed,
            proof=proof(
                "all n, p, q, β' <= β",
                identity(
                    "one user: keeping a letter with probability s = β'/β multiplies α, pα, r "
                    "by s, and what is not kept joins what is no letter",
                    "a p r s",
                    lambda a, p, r, s: (
                        1 - (p + 1) * a + (1 - s) * (p * a + a),
                        1 - (p + 1) * a * s,
                    ),
                    lambda a, p, r, s: (1 - 2 * r + (1 - s) * 2 * r, 1 - 2 * (r * s)),
                ),
                words("the counts are sums over independent users"),
                lemma("lemmas/post-processing", POST_PROCESSING, "keeping letters is a channel"),
            ),
        )
    },
}
