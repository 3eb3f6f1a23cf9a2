"""Lemmas 4.4 to 4.6: the mixtures, the reduction from mixtures to counts, smaller β.

The letters are Q_1^0 and Q_1^1, with weights pα and α (or α and pα) in the victim's rows and
r, r in each other user's; the victim's leftover is Q_1.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Said, Trials, at_most, equal, for_all
from exactdp.claims.kinds import Numbers, integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick, mass, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, named, term
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_record
from exactdp.testing import probability_vectors
from exactdp.testing.later import st
from proofs_check.lemmas.mixtures import (
    MIXTURES,
    Row,
    among,
    fewer_letters,
    letter_rows,
    letters_apart,
)
from proofs_check.lemmas.quantities import a_law, mixed
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

TRIALS["wang2023/lemma-4.4"] = MIXTURES

SHAPES = [
    (p, part / (p + 1), share * part / (p + 1))
    for p in (Fraction(2), Fraction(3))
    for part, share in product((Fraction(1), Fraction(3, 4)), (Fraction(1), Fraction(1, 2)))
]
"""p, α and r, simplest first: a victim who always sends a letter, then others."""

AXES: dict[str, Any] = {"p alpha r": SHAPES}

SHAPE: dict[str, Numbers] = {
    "p": reals(above=1),
    "alpha": reals(0, lambda p: 1 / (p + 1)),
    "r": reals(0, lambda p, alpha: p * alpha),
}
"""r = αp/q with q >= 1; both letters of a user have at most all of the mass."""


def others_fit(r: Any) -> Relation:
    """2r <= 1."""
    return at_most(2 * r, 1)


ZERO, ONE, HALF, THIRD = Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 3)


def gammas(p: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to below p."""
    return [1 + (p - 1) * Fraction(i, 4) for i in range(4)]


def with_letters(counts: Sequence[Row], leftovers: Sequence[Row]) -> list[Row]:
    """Return the rows of users who send the first two messages as letters, else a leftover."""
    return [
        [a + rest * b for a, b in zip((one, two, *[0] * (len(left) - 2)), left, strict=True)]
        for (one, two, rest), left in zip(counts, leftovers, strict=True)
    ]


def lemma_4_5(
    n: int, p: Fraction, alpha: Fraction, r: Fraction, leftover: Row, exp_epsilon: Fraction
) -> Said:
    """Messages 0, 1, 2 are Q_1^0, Q_1^1, Q_1; all others have one law of leftovers."""
    counts = letter_rows(p * alpha, alpha, r)
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
        hockey_stick(named("view", among(rows, n - 1)), exp_epsilon),
        hockey_stick(named("counts", among(counts, n - 1)), exp_epsilon),
    ).given(hypotheses)


def has_q_ratio(p: Fraction, alpha: Fraction, r: Fraction, leftover: Row) -> bool:
    """Return whether the victim's Q_1 is at most q = αp/r times as likely as others' messages."""
    return bool(1 - alpha - p * alpha <= alpha * p / r * (1 - 2 * r) * leftover[2])


TRIALS["wang2023/lemma-4.5"] = for_all(
    cases(
        n=(1, 2, 3),
        **AXES,
        leftover=[(ZERO, ZERO, ONE), (HALF, ZERO, HALF), (THIRD,) * 3],
        exp_epsilon=gammas,
    )
    .where(has_q_ratio)
    .within(n=integers(1), **SHAPE, leftover=a_law(3), exp_epsilon=reals(1)),
    lemma_4_5,
    falls=Falls.RESULT,
)


@quantity("(mixtures_apart k {0} {1} {2} {3} {4})", name="shuffled")
def mixtures_apart(
    p: Fraction, alpha: Fraction, r: Fraction, laws: Sequence[Row], exp_epsilon: Fraction
) -> Term:
    """D of the messages, made of the laws of two letters, the victim's leftover, others'."""
    others, weights = len(laws) - 3, letter_rows(p * alpha, alpha, r)
    users = zip([*weights[:2], *weights[2:] * others], [laws[2], *laws[2:]], strict=True)
    rows = [mixed(shares, (*laws[:2], rest)) for shares, rest in users]
    sent = [(2 + i, 1) for i in range(others)]
    return hockey_stick(shuffle_pair(rows, inputs=(0, 1), others=sent), exp_epsilon)


def common_leftover(n: int, p: Any, alpha: Any, r: Any, laws: Any, exp_epsilon: Any) -> Relation:
    """Compare the messages with the counts."""
    shuffled = mixtures_apart(p, alpha, r, laws, exp_epsilon)
    return at_most(shuffled, letters_apart(n, p, alpha, r, exp_epsilon))


def with_leftovers(n: int, others: Row | None = None) -> list[Any]:
    """Return two letters among four messages, and leftovers of all users."""
    letters = [(ONE, ZERO, ZERO, ZERO), (ZERO, ONE, ZERO, ZERO)]
    own = [(ZERO, ZERO, ONE, ZERO), (ZERO, ZERO, HALF, HALF), (Fraction(1, 4),) * 4, letters[0]]
    return [(*letters, law, *[others or law] * (n - 1)) for law in own]


def is_common(p: Fraction, alpha: Fraction, laws: Sequence[Row]) -> bool:
    """Return whether all others have the victim's leftover, or the victim has none."""
    return alpha + p * alpha == 1 or all(rest == laws[2] for rest in laws[3:])


LEFT = (ONE, ZERO, ZERO, ZERO)

TRIALS["wang2023/repair/common-leftover"] = for_all(
    cases(n=(1, 2, 3, 4), **AXES, laws=with_leftovers, exp_epsilon=gammas).within(
        others_fit,
        n=integers(1, draws=3),
        **SHAPE,
        laws=objects(
            "laws of two letters and of all leftovers, one law unless the victim has none",
            lambda n: st.tuples(*[probability_vectors(size=4)] * 3).map(
                lambda laws: (*laws, *laws[2:] * (n - 1))
            ),
            condition=is_common,
            coq=("letters", "is_common n p alpha {0}", "{k : nat}"),
            written=lambda laws: coq_record(
                "letters", *(("law nat", law) for law in laws[:3]), ("list (law nat)", laws[3:])
            ),
        ),
        exp_epsilon=reals(0),
    ),
    common_leftover,
    wrong=for_all(
        cases(
            n=(2, 3),
            **AXES,
            laws=partial(with_leftovers, others=(ONE, ZERO, ZERO, ZERO)),
            exp_epsilon=gammas,
        ),
        common_leftover,
    ),
    proof=theorem("wang2023_common_leftover"),
)


def post_processing(n: int, p: Fraction, alpha: Fraction, r: Fraction, a: int, b: int) -> Relation:
    """P(a zeros, b ones, the victim's 2) is that of the counts times the printed weight w."""
    first, second, other = letter_rows(term(p) * alpha, term(alpha), term(r))
    # The victim's leftover, message 2, apart from others', 3.
    apart = [[*first, 0], [*second, 0], [*other[:2], 0, other[2]]]
    counts = named("counts", among([first, second, other], n - 1))
    victim = (n - a - b) * first[2] * 2 * r
    weight = victim / (victim + (a + b) * (1 - first[2]) * (1 - 2 * r))
    return equal(
        mass(named("apart", among(apart, n - 1)), "p", [a, b, 1, n - a - b - 1]),
        mass(counts, "p", [a, b, n - a - b]) * weight,
    )


TRIALS["wang2023/appendix-C/post-processing"] = for_all(
    cases(n=(1, 2, 3), **AXES, a=lambda n: range(n + 1), b=lambda n, a: range(n - a))
    .where(lambda p, alpha, r: 2 * r < 1 and (p + 1) * alpha < 1)
    .within(
        others_fit,
        n=integers(1),
        **SHAPE,
        a=integers(0, lambda n: n),
        b=integers(0, lambda n, a: n - a),
    ),
    post_processing,
    falls=Falls.STEP,
)


def lemma_4_6(
    n: int, p: Any, q: Any, beta: Any, keep: Any, exp_epsilon: Any, power: int = 1, **at: int
) -> list[Relation]:
    """Letters kept with β'/β (to a power) are those for β'; the divergence does not grow."""
    kept = keep if power == 1 else keep**power
    large, small = ((x / (p - 1), x / (p - 1) * p / q) for x in (beta, keep * beta))
    return fewer_letters(n, p, large, small, exp_epsilon, keep=kept, **at)


TRIALS["wang2023/lemma-4.6"] = for_all(
    cases(
        n=range(1, 5),
        **{"p _q": [(Fraction(2), ONE), (Fraction(2), 2 * ONE), (Fraction(4), 3 * ONE)]},
        keep=(THIRD, Fraction(3, 4)),
        beta=lambda p: [part * (p - 1) / (p + 1) for part in (HALF, ONE)],
        q=lambda _q: [_q],
        a=lambda n: range(n),
        b=lambda n, a: range(n - a),
        exp_epsilon=lambda p: [(1 + p) / 2],
    )
    .where(lambda p, beta, q: 2 * beta * p <= (p - 1) * q)
    .within(
        lambda p, q, beta: at_most(2 * beta * p, (p - 1) * q),
        n=integers(1),
        p=reals(above=1),
        q=reals(1),
        beta=reals(0, lambda p: (p - 1) / (p + 1)),
        keep=reals(0, 1),
        a=integers(0),
        b=integers(0),
        exp_epsilon=reals(0),
    ),
    lemma_4_6,
    wrong=partial(lemma_4_6, power=2),
    proof=theorem("wang2023_lemma_4_6"),
)
