"""The reduction and its tightness for randomized response; a repair."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, permutations, product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Said, Trials, at_least, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import (
    finite_pair,
    hockey_stick,
    ldp_ratio,
    matrix,
    shuffle_pair,
    total_variation_of,
)
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, named, term
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_record
from exactdp.testing import local_randomizers
from proofs_check.lemmas.clones import clones_apart
from proofs_check.lemmas.drawn import is_private
from proofs_check.lemmas.mixtures import (
    Row,
    among,
    letter_rows,
    letters_apart,
    positive_laws,
    ratio,
    variation,
)
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2023.trials.mixtures import gammas

TRIALS: Trials = {}

RATIOS = [Fraction(2), Fraction(3), Fraction(3, 2), Fraction(8)]


def rr_gammas(exp_epsilon0: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to below e^ε0."""
    return gammas(exp_epsilon0)


def rr_rows(d: int, x: Fraction) -> list[Row]:
    """Return the rows of general RR on d options."""
    return [tuple((x if y == i else Fraction(1)) / (x + d - 1) for y in range(d)) for i in range(d)]


def rr(d: int, exp_epsilon0: Fraction, others: Sequence[int], exp_epsilon: Fraction) -> Said:
    """General RR for all users against the pair: p = q = e^{ε_0}, β = (e^{ε_0}−1)/(e^{ε_0}+d−1)."""
    x = exp_epsilon0
    rows = rr_rows(d, x)
    r = named("R", matrix(rows))
    groups = [(y, others.count(y)) for y in sorted(set(others))]
    alpha = 1 / (x + d - 1)

    def hypotheses() -> list[Relation]:
        beta = (term(x) - 1) / (term(x) + d - 1)
        pairs = permutations(rows, 2)
        return [
            at_most(ldp_ratio(r), x),
            *(at_most(total_variation_of(finite_pair(u, v)), beta) for u, v in pairs),
            equal(alpha, beta / (term(x) - 1)),
        ]

    view = named("view", shuffle_pair(r, inputs=(0, 1), others=groups))
    counts = named("counts", among(letter_rows(x * alpha, alpha, alpha), len(others)))
    return at_most(hockey_stick(view, exp_epsilon), hockey_stick(counts, exp_epsilon)).given(
        hypotheses
    )


TRIALS["wang2023/variation-ratio"] = for_all(
    cases(
        d=(2, 3, 4),
        _n=(1, 2, 3),
        exp_epsilon0=RATIOS,
        others=lambda d, _n: combinations_with_replacement(range(d), _n - 1),
        exp_epsilon=rr_gammas,
    ).within(
        d=integers(2),
        exp_epsilon0=reals(above=1),
        others=objects("the others' inputs, below d"),
        exp_epsilon=reals(1),
    ),
    rr,
    falls=Falls.RESULT,
)


def small_rows(weight: int) -> list[tuple[Any, ...]]:
    """Return the victim's two rows and the others' row."""
    found = []
    for x, d in product((Fraction(3, 2), Fraction(3)), (2, 3, 4)):
        rows = rr_rows(d, x)
        found += [(rows[0], rows[1], row) for row in rows[:3]]
    return [*found, *product(positive_laws(weight), repeat=3)]


@quantity("(rows_apart k {0} {1})", name="shuffled")
def rows_apart(rows: Sequence[Row], exp_epsilon: Fraction) -> Term:
    """D of the messages of the victim, with either row, and of the others with theirs."""
    users = [(i, 1) for i in range(2, len(rows))]
    return hockey_stick(shuffle_pair(rows, inputs=(0, 1), others=users), exp_epsilon)


@quantity("(beta {0})", name="beta")
def beta(rows: Sequence[Row]) -> Fraction:
    """Return β, the total variation of the victim's two rows."""
    return variation(*rows[:2])


def given_a_letter(
    n: int, p: Any, q: Any, rows: Any, exp_epsilon: Any, only_first: int = 0
) -> Relation:
    """Compare the messages with (α + pα) times the pair of a victim who always sends a letter."""
    alpha = beta(rows) / (p - 1)
    weight = p * alpha if only_first else alpha + p * alpha
    counts = clones_apart(n, p, 2 * (alpha * p / q), exp_epsilon)
    return at_most(rows_apart(rows, exp_epsilon), weight * counts)


def has_factors(p: Fraction, q: Fraction, rows: Sequence[Row]) -> bool:
    """Return whether the victim's rows are within a factor p, and at most q times others'."""
    return is_private(rows[:2], p) and all(
        u <= q * w for v in rows[:2] for row in rows[2:] for u, w in zip(v, row, strict=True)
    )


TRIALS["wang2023/repair/given-a-letter"] = for_all(
    cases(
        n=(1, 2, 3, 4),
        _rows=lambda: small_rows(4),
        p=lambda _rows: [ratio(_rows[:2], _rows[:2])],
        q=lambda _rows: [max(ratio(_rows[:2], _rows[2:]), Fraction(1))],
        rows=lambda n, _rows: [(*_rows[:2], *_rows[2:] * (n - 1))],
        exp_epsilon=gammas,
    )
    .deep(_rows=lambda: small_rows(6))
    .where(lambda p: p > 1)
    .within(
        n=integers(1, draws=3),
        p=reals(above=1),
        q=reals(1),
        rows=objects(
            "the victim's rows, within a factor p, and others', of which they are at most q times",
            lambda n, p, q: local_randomizers(rows=n + 1, columns=3, max_ratio=min(p, q)),
            condition=has_factors,
            coq=("victim_and_others", "has_factors n p q {0}", "{k : nat}"),
            written=lambda rows: coq_record(
                "victim_and_others",
                *(("law nat", row) for row in rows[:2]),
                ("list (law nat)", rows[2:]),
            ),
        ),
        exp_epsilon=reals(1),
    ),
    given_a_letter,
    wrong=partial(given_a_letter, only_first=1),
    proof=theorem("wang2023_given_a_letter"),
)


RR_SIZES = cases(d=(3, 4, 5), n=(1, 2, 3, 4), exp_epsilon0=RATIOS, exp_epsilon=rr_gammas).within(
    d=integers(3, draws=2),
    n=integers(1, draws=3),
    exp_epsilon0=reals(above=1),
    exp_epsilon=reals(1),
)


@quantity("(thirds_apart {0:nat} {1:nat} {2} {3})", name="view")
def thirds_apart(
    d: int, n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction, third: int = 2
) -> Term:
    """D of the view where the victim holds 0 or 1, and all others the third input."""
    view = shuffle_pair(rr_rows(d, exp_epsilon0), inputs=(0, 1), others=[(third, n - 1)])
    return hockey_stick(view, exp_epsilon)


def attained(view: Any, d: int, n: int, exp_epsilon0: Any, exp_epsilon: Any) -> Relation:
    """All others with the third input: the view has at least the divergence of the pair."""
    alpha = 1 / (term(exp_epsilon0) + d - 1)
    counts = letters_apart(n, exp_epsilon0, alpha, alpha, exp_epsilon)
    return at_least(view(d, n, exp_epsilon0, exp_epsilon), counts)


def equality(d: int, n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Said:
    """The worst dataset's view has the divergence of the pair."""
    said = [
        rr(d, exp_epsilon0, others, exp_epsilon)
        for others in combinations_with_replacement(range(d), n - 1)
    ]
    worst = max(said, key=lambda one: exact_value(one.relations[0].left))
    relation = worst.relations[0]
    return equal(relation.left, relation.right).given(worst.hypotheses)


TRIALS["wang2023/tight"] = {
    "a": for_all(
        RR_SIZES,
        partial(attained, thirds_apart),
        wrong=partial(attained, partial(thirds_apart.compute, third=0)),
        proof=theorem("wang2023_tight"),
    ),
    "b": for_all(RR_SIZES, equality, falls=Falls.RESULT),
}
