"""The decompositions that make clones, the reduction to counts of them, and Theorem 3.1."""

from fractions import Fraction

from exactdp.claims.cases import cases
<<<<<<< HEAD
from exactdp.claims.domains import integers, objects, reals
from exactdp.claims.forms import Relation, Trials, at_least, at_most, equal, for_all
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.terms import term
=======
from exactdp.claims.domains import integers, reals
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.terms import Term
>>>>>>> convA
from exactdp.shuffle import clone_pair
from exactdp.testing import probability_vectors
from proofs_check.feldman2021 import bounds
<<<<<<< HEAD
from proofs_check.lemmas.clones import clones_apart, closed_form, sequences
from proofs_check.lemmas.drawn import ADAPTIVE, is_private
from proofs_check.lemmas.quantities import EVENT, LAW, SAME, letter, probability, total_mass
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import backwards, laws
=======
from proofs_check.lemmas.clones import CLONES, TWO_LETTERS, closed_form, letter_counts, sequences
from proofs_check.lemmas.drawn import ADAPTIVE
from proofs_check.lemmas.trials.divergences import POST_PROCESSING, backwards
>>>>>>> convA

TRIALS: Trials = {}

RATIOS = [Fraction(x) for x in ("1", "11/10", "3/2", "2", "5")]

TRIALS["feldman2021/clones"] = CLONES

<<<<<<< HEAD

def letters(exp_epsilon0: Any, P: Any, Q: Any, S: Any, total: Any = None) -> list[Relation]:
    """Letters (x P − Q)/(x − 1), (x Q − P)/(x − 1) are laws and make both rows, at each event."""
    x, pair = exp_epsilon0, [letter(exp_epsilon0, P, Q), letter(exp_epsilon0, Q, P)]
    one, two = (probability(law, S) for law in pair)
    return [
        *(at_least(chance, 0) for chance in (one, two)),
        *(equal(total_mass(law), 1) for law in pair),
        equal(probability(P, S), (x * one + two) / (x + 1 if total is None else total)),
        equal(probability(Q, S), (one + x * two) / (x + 1)),
        equal(probability(P, S) + probability(Q, S), one + two),
    ]


OTHER_ROW = objects(
    "a law within a factor e^ε0 of P",
    lambda exp_epsilon0, P: probability_vectors(size=3).filter(
        lambda Q: is_private((P, Q), exp_epsilon0)
    ),
    condition=lambda exp_epsilon0, P, Q: is_private((P, Q), exp_epsilon0),
    coq=("law A", "private_pair same exp_epsilon0 P {0}", SAME),
)

TRIALS["feldman2021/two-letters"] = TWO_LETTERS = for_all(
    cases(
        exp_epsilon0=RATIOS,
        P=laws(3, 4),
        Q=laws(3, 4),
        S=((), (0,), (1,), (0, 2), (0, 1, 2)),
    )
    .where(lambda exp_epsilon0, P, Q: is_private((P, Q), exp_epsilon0))
    .within(exp_epsilon0=reals(1), P=LAW, Q=OTHER_ROW, S=EVENT),
    letters,
    wrong=partial(letters, total=2),
    proof=theorem("feldman2021_two_letters"),
)
=======
TRIALS["feldman2021/two-letters"] = TWO_LETTERS
>>>>>>> convA


def gammas(exp_epsilon0: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to e^ε0."""
    return sorted({1 + (exp_epsilon0 - 1) * Fraction(i, 4) for i in range(5)})


def shuffled_outputs(n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Relation:
    """False: outputs shuffled in place of data, each user with messages of their own."""
    x, g = exp_epsilon0, exp_epsilon
    a, b = x / (x + 1), 1 / (x + 1)
    rows = {"own": [[a, b, 0, 0], [b, a, 0, 0]], "foreign": [[0, 0, a, b], [0, 0, b, a]]}
    view = shuffle_pair(rows, victim="own", inputs=(0, 1), others=[("foreign", 0, n - 1)])
    return at_most(hockey_stick(view, g), clones_apart(n, x, 1 / x, g))


TRIALS["feldman2021/reduction"] = for_all(
    cases(
        n__randomizers=[(1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (5, 2)],
        exp_epsilon0=RATIOS,
        exp_epsilon=gammas,
    ).within(
        n=integers(1, draws=3), exp_epsilon0=reals(1), exp_epsilon=reals(1), randomizers=ADAPTIVE
    ),
    sequences(lambda exp_epsilon0: 1 / exp_epsilon0),
    proof=theorem("feldman2021_reduction"),
    wrong=for_all(
        cases(
            n=(2, 3),
            exp_epsilon0=RATIOS[1:],
            exp_epsilon=lambda exp_epsilon0: gammas(exp_epsilon0)[:-1],
        ),
        shuffled_outputs,
    ),
)


def each_count(c: int, exp_epsilon0: Any, exp_epsilon: Any) -> Relation:
    """Given C = c the counts are those of c + 1 users who always send a letter."""
    first, second = (clones_apart(c + i, exp_epsilon0, 1, exp_epsilon) for i in (1, 2))
    return at_most(second, first)


TRIALS["feldman2021/reduction/each-count"] = for_all(
    cases(c=range(8), exp_epsilon0=RATIOS, exp_epsilon=gammas)
    .deep(c=range(40))
    .within(c=integers(0), exp_epsilon0=reals(1), exp_epsilon=reals(1)),
    each_count,
    wrong=backwards(each_count),
    proof=theorem("feldman2021_each_count"),
)

TRIALS["feldman2021/theorem-3.1"] = closed_form(
    bounds, clone_pair, users=(12, 24, 60, 150, 1000, 10**6)
)
