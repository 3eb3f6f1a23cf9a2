"""The theorem for sequences of adaptive local randomizers, its closed form, and a repair."""

from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from math import isqrt
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.domains import integers, objects, reals
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.laws import finite_pair, hockey_stick, matrix, shuffle_pair
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.terms import Term, named
from exactdp.divergences.profile import enclosed
from exactdp.numbers import Enclosure, Epsilon
from exactdp.shuffle import stronger_clone_pair
from exactdp.testing import local_randomizers
from proofs_check.feldman2023 import bounds
from proofs_check.feldman2023.trials.reduction import K_RR, Rows, gammas, rows_of_k_rr
from proofs_check.lemmas.clones import (
    TWO_LETTERS,
    closed_form,
    counted,
    letter_counts,
    sequences,
)
from proofs_check.lemmas.drawn import ADAPTIVE, is_private
from proofs_check.lemmas.extremal import extremal_rows
from proofs_check.lemmas.many_users import all_data

TRIALS: Trials = {}

RATIOS = [Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(8)]


def clones(n: int, x: Fraction, more: Fraction = Fraction(1)) -> Term:
    """Return the pair of stronger clones; the others' letters by a factor likelier."""
    return letter_counts(n, x / (x + 1), 1 / (x + 1), min(more / (x + 1), Fraction(1, 2)))


def has_two_letters(rows: Rows, exp_epsilon0: Fraction) -> bool:
    """Return whether R is ε_0-DP with every row at least (R(x^0) + R(x^1))/(x + 1)."""
    share = [(u + v) / (exp_epsilon0 + 1) for u, v in zip(rows[0], rows[1], strict=True)]
    fits = all(m >= s for row in rows for m, s in zip(row, share, strict=True))
    return fits and is_private(rows, exp_epsilon0)


HAVING_TWO_LETTERS = objects(
    "the rows of an e^ε0-DP randomizer, all at least (R(x^0) + R(x^1))/(e^ε0 + 1)",
    lambda exp_epsilon0: local_randomizers(rows=3, columns=3, max_ratio=exp_epsilon0).filter(
        lambda rows: has_two_letters(rows, exp_epsilon0)
    ),
    condition=has_two_letters,
)


def two_letter_rows(exp_epsilon0: Fraction) -> list[Rows]:
    """Return k-randomized response and the extremal randomizers that have two letters."""
    extremal = extremal_rows(inputs=3, exp_epsilon0=exp_epsilon0)
    return [
        *(rows_of_k_rr(k, exp_epsilon0) for k in (2, 3, 4)),
        *(rows for rows in extremal if has_two_letters(rows, exp_epsilon0)),
    ]


def two_letters(
    n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction, rows: Rows
) -> list[Relation]:
    """All inputs of the others, both directions, against the clones."""
    bound = named("clones", hockey_stick(clones(n, exp_epsilon0), exp_epsilon))
    matrix_of_rows = named("R", matrix(rows))
    views = [
        shuffle_pair(matrix_of_rows, inputs=victim, others=counted(others))
        for victim in ((0, 1), (1, 0))
        for others in combinations_with_replacement(range(len(rows)), n - 1)
    ]
    return [at_most(hockey_stick(view, exp_epsilon), bound) for view in views]


TWO_LETTERS_EVERYWHERE = proof(
    lemma(
        "feldman2021/two-letters",
        TWO_LETTERS.proof,
        "the victim's rows are mixtures of letters with Q0 + Q1 = R(x0) + R(x1)",
    ),
    words(
        "label the victim by Q0 or Q1 and every other user by Q0, Q1 or LO, with probabilities "
        "that do not depend on step or history; the victim always has a letter, so given the "
        "counts the users labeled LO are a uniform subset of the others, whose inputs are known"
    ),
    words("A_s runs on labels in uniform order, the same for X_0 and X_1"),
    words(
        "k-RR has masses x or 1 times 1/(x+k-1), and the letters' share is (x+1)/(x+1) or 2/(x+1)"
    ),
)

TRIALS["feldman2023/repair/reduction-two-letters"] = for_all(
    cases(n=(1, 2, 3, 4), exp_epsilon0=RATIOS, rows=two_letter_rows, exp_epsilon=gammas).within(
        n=integers(1, draws=3),
        exp_epsilon0=reals(1),
        rows=HAVING_TWO_LETTERS,
        exp_epsilon=reals(1),
    ),
    two_letters,
    wrong=K_RR,
    proof=TWO_LETTERS_EVERYWHERE,
)


def near_one(n: int, exp_epsilon0: Fraction) -> list[Fraction]:
    """Return e^ε with ε of order 1/√n, where the bound says something."""
    deviation = (exp_epsilon0 - 1) / isqrt(int(n * (exp_epsilon0 + 1)))
    return [1 + j * deviation for j in (1, 4)]


def counts_of_many(n: int, x: Fraction, exp_epsilon: Fraction) -> Enclosure:
    """Return δ of the pair of stronger clones."""
    pair = stronger_clone_pair(n, Epsilon.log(x))
    return enclosed(pair.delta(Epsilon.log(exp_epsilon), relative_width="1e-6"), "1e-6")


def without_two_letters(x: Fraction) -> Rows:
    """Return three inputs whose last has 1/x of both others' mass on the third message.

    So its row is not at least (R(x^0) + R(x^1))/(x + 1): the proof for two letters fails.
    """
    both = 1 / (4 * (x + 2))
    own = (1 - x * both - (1 - both) / x) / (x + 1 - 2 / x)
    rest = 1 - 2 * own - both
    return [
        [x * own, own, x * both, rest / x],
        [own, x * own, x * both, rest / x],
        [own, own, both, rest],
    ]


def stronger(
    n: int,
    exp_epsilon0: Fraction,
    exp_epsilon: Fraction,
    randomizers: Any,
    more: Fraction = Fraction(1),
) -> Relation | Outcome:
    """All adaptive sequences of few users; of many, all data of one randomizer."""
    if isinstance(randomizers, list):
        bound = counts_of_many(n, exp_epsilon0, exp_epsilon)
        return all_data(n, [randomizers], exp_epsilon, bound)
    return sequences(partial(clones, more=more))(n, exp_epsilon0, exp_epsilon, randomizers)


# n + 1 inputs are all that n users have.
SEQUENCES = (
    cases(
        n__randomizers=[(1, 2), (2, 3), (3, 3), (4, 2), (5, 2)],
        exp_epsilon0=RATIOS,
        exp_epsilon=gammas,
    )
    .within(
        n=integers(1, draws=3), exp_epsilon0=reals(1), exp_epsilon=reals(1), randomizers=ADAPTIVE
    )
    .then(
        cases(
            n__randomizers=[(3, 4), (4, 3)], exp_epsilon0=[Fraction(3, 2)], exp_epsilon=gammas
        ).deep(exp_epsilon0=RATIOS)
    )
    .then(
        cases(
            n=(1000, 10**6),
            exp_epsilon0=[Fraction(4)],
            randomizers=lambda exp_epsilon0: [without_two_letters(exp_epsilon0)],
            exp_epsilon=near_one,
        )
    )
)

TRIALS["feldman2023/stronger-clones"] = for_all(
    SEQUENCES, stronger, wrong=partial(stronger, more=Fraction(21, 20))
)

TRIALS["feldman2023/closed-form"] = closed_form(
    bounds, stronger_clone_pair, users=(6, 12, 24, 60, 150, 1000, 10**6)
)

FEW = 4


def approximate(
    k: int, n: int, exp_epsilon0: Fraction, delta0: Fraction, exp_epsilon: Fraction, terms: int = 1
) -> list[Relation] | Outcome:
    """Randomized response that reveals its input with probability δ_0."""
    x, g = exp_epsilon0, exp_epsilon
    rows = [
        [*((1 - delta0) * m for m in row), *(delta0 * int(y == i) for y in range(k))]
        for i, row in enumerate(rows_of_k_rr(k, x))
    ]
    extra = terms * (g + 1) * (1 + 1 / (2 * x)) * n * delta0
    if n > FEW:
        counts = counts_of_many(n, x, g)
        return all_data(n, [rows], g, Enclosure(counts.lower + extra, counts.upper + extra))
    bound = hockey_stick(clones(n, x), g) + extra
    views = [
        shuffle_pair(rows, inputs=(0, 1), others=counted(others))
        for others in combinations_with_replacement(range(k), n - 1)
    ]
    is_private = equal(hockey_stick(finite_pair(*rows[:2]), x), delta0)
    return [is_private, *(at_most(hockey_stick(view, g), bound) for view in views)]


TRIALS["feldman2023/approximate"] = for_all(
    cases(
        k=(2, 3),
        n=range(1, FEW + 1),
        exp_epsilon0=[Fraction(x) for x in ("3/2", "9/4", "4", "12")],
        delta0=[Fraction(1, d) for d in (100, 10, 3)],
        exp_epsilon=gammas,
    )
    .within(
        k=integers(2, draws=2),
        n=integers(1, draws=2),
        exp_epsilon0=reals(1),
        delta0=reals(0, 1),
        exp_epsilon=reals(1),
    )
    .then(
        cases(
            k=(3,),
            n=(1000, 10**6),
            exp_epsilon0=[Fraction(3, 2), Fraction(4)],
            delta0=lambda n: [Fraction(1, 10**6 * n)],
            exp_epsilon=near_one,
        )
    ),
    approximate,
    wrong=partial(approximate, terms=0),
)
