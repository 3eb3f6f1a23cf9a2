"""The theorem for sequences of adaptive local randomizers, its closed form, and a repair."""

from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from math import isqrt
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import Relation, Trials, at_least, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick, matrix, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import named, term
from exactdp.claims.values import exact_value
from exactdp.divergences.profile import enclosed
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.shuffle import stronger_clone_pair
from exactdp.testing import local_randomizers
from proofs_check.feldman2023 import bounds
from proofs_check.feldman2023.trials.reduction import K_RR, Rows, gammas, rows_of_k_rr
from proofs_check.lemmas.adaptive import SHUFFLED, AdaptiveRandomizers, pair_of
from proofs_check.lemmas.clones import clones_apart, closed_form, counted, sequences
from proofs_check.lemmas.drawn import ADAPTIVE, is_private
from proofs_check.lemmas.extremal import extremal_rows
from proofs_check.lemmas.many_users import all_data
from proofs_check.lemmas.quantities import SAME
from proofs_check.lemmas.sequences import two_users, written_protocol
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

RATIOS = [Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(8)]


def has_two_letters(rows: Rows, exp_epsilon0: Fraction) -> bool:
    """Return whether R is ε_0-DP with every row at least (R(x^0) + R(x^1))/(x + 1)."""
    share = [(u + v) / (exp_epsilon0 + 1) for u, v in zip(rows[0], rows[1], strict=True)]
    fits = all(m >= s for row in rows for m, s in zip(row, share, strict=True))
    return fits and is_private(rows, exp_epsilon0)


def matrices(rows: Any) -> list[Rows]:
    """Return the rows, or those of each step of a sequence with data, behind the victim's two."""
    if not isinstance(rows[0], AdaptiveRandomizers):
        return [rows]
    steps, data, neighbor = rows
    victim = next(both for both in zip(data, neighbor, strict=True) if both[0] != both[1])
    every = (h for length in range(len(steps)) for h in steps.histories(length))
    return [[*(m[x] for x in victim), *m] for m in (steps.at(h).rows for h in every)]


HAVING_TWO_LETTERS = objects(
    "the rows of an e^ε0-DP randomizer, all at least (R(x^0) + R(x^1))/(e^ε0 + 1) (or a sequence "
    "of such randomizers with neighboring data)",
    lambda exp_epsilon0: local_randomizers(rows=3, columns=3, max_ratio=exp_epsilon0).filter(
        lambda rows: has_two_letters(rows, exp_epsilon0)
    ),
    condition=lambda rows, exp_epsilon0: all(
        has_two_letters(each, exp_epsilon0) for each in matrices(rows)
    ),
    coq=(
        "protocol X A",
        "users {0} = n /\\ Forall (private_after same (ln exp_epsilon0)) (steps {0}) "
        "/\\ Forall (has_two_letters same exp_epsilon0 (first {0}) (second {0})) (steps {0})",
        f"{SAME} {{X : Type}}",
    ),
    written=lambda rows: written_protocol(rows),
)


def two_letter_rows(exp_epsilon0: Fraction) -> list[Rows]:
    """Return k-randomized response and the extremal randomizers that have two letters."""
    extremal = extremal_rows(inputs=3, exp_epsilon0=exp_epsilon0)
    return [
        *(rows_of_k_rr(k, exp_epsilon0) for k in (2, 3, 4)),
        *(rows for rows in extremal if has_two_letters(rows, exp_epsilon0)),
    ]


@quantity("(messages_apart same {0} {2})", name="shuffled")
def rows_apart(rows: Any, n: int, exp_epsilon: Fraction) -> Exact:
    """Return the largest D of the view of n users with these rows, over data and directions."""
    if isinstance(rows[0], AdaptiveRandomizers):
        return pair_of(SHUFFLED, *rows).delta(Epsilon.log(exp_epsilon))
    matrix_of_rows = named("R", matrix(rows))
    views = [
        shuffle_pair(matrix_of_rows, inputs=victim, others=counted(others))
        for victim in ((0, 1), (1, 0))
        for others in combinations_with_replacement(range(len(rows)), n - 1)
    ]
    return max(exact_value(hockey_stick(view, exp_epsilon)) for view in views)


def two_letters(n: int, exp_epsilon0: Any, exp_epsilon: Any, rows: Any) -> Relation:
    """Compare the worst data of n users with the clones."""
    clones = clones_apart(n, exp_epsilon0, 2 / (exp_epsilon0 + 1), exp_epsilon)
    return at_most(rows_apart(rows, n, exp_epsilon), clones)


TRIALS["feldman2023/repair/reduction-two-letters"] = for_all(
    cases(n=(1, 2, 3, 4), exp_epsilon0=RATIOS, rows=two_letter_rows, exp_epsilon=gammas)
    .then(
        cases(
            n=(2,),
            exp_epsilon0=[Fraction(3, 2)],
            rows=lambda exp_epsilon0: [two_users(exp_epsilon0)],
            exp_epsilon=[Fraction(9, 8)],
        )
    )
    .within(
        n=integers(1, draws=3),
        exp_epsilon0=reals(1),
        exp_epsilon=reals(1),
        rows=HAVING_TWO_LETTERS,
    ),
    two_letters,
    wrong=K_RR,
    proof=theorem("feldman2023_reduction_two_letters"),
)


def k_rr_has_two_letters(exp_epsilon0: Any, k: Any, share: Any = 1) -> list[Relation]:
    """Return relations at a message that is x^0, x^1, another user's input, or none of these."""
    x, total = term(exp_epsilon0), term(exp_epsilon0) + k - 1
    masses: list[tuple[Any, Any, Any]]
    masses = [(x, 1, 1), (1, x, 1), (1, 1, x), (x, 1, x), (1, x, x), (1, 1, 1)]
    return [at_least(w / total, share * (term(u) + v) / (x + 1) / total) for u, v, w in masses]


TRIALS["feldman2023/repair/k-rr-two-letters"] = for_all(
    cases(exp_epsilon0=RATIOS, k=(2, 3, 10)).within(exp_epsilon0=reals(1), k=integers(2)),
    k_rr_has_two_letters,
    wrong=partial(k_rr_has_two_letters, share=2),
    proof=in_numbers(),
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
    """Decide all adaptive sequences of few users; of many, all data of one randomizer."""
    if isinstance(randomizers, list):
        bound = counts_of_many(n, exp_epsilon0, exp_epsilon)
        return all_data(n, [randomizers], exp_epsilon, bound)
    clones = sequences(lambda x: min(2 * more / (x + 1), Fraction(1)))
    return clones(n, exp_epsilon0, exp_epsilon, randomizers)


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
    bound = clones_apart(n, x, 2 / (x + 1), g) + extra
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
