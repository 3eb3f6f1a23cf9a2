"""The decompositions that make clones, the reduction to counts of them, and Theorem 3.1."""

from fractions import Fraction

from exactdp.claims.cases import cases
from exactdp.claims.domains import integers, reals
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.terms import Term
from exactdp.shuffle import clone_pair
from proofs_check.feldman2021 import bounds
from proofs_check.lemmas.clones import CLONES, TWO_LETTERS, closed_form, letter_counts, sequences
from proofs_check.lemmas.drawn import ADAPTIVE
from proofs_check.lemmas.trials.divergences import POST_PROCESSING, backwards

TRIALS: Trials = {}

RATIOS = [Fraction(x) for x in ("1", "11/10", "3/2", "2", "5")]

TRIALS["feldman2021/clones"] = CLONES

TRIALS["feldman2021/two-letters"] = TWO_LETTERS


def gammas(exp_epsilon0: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to e^ε0."""
    return sorted({1 + (exp_epsilon0 - 1) * Fraction(i, 4) for i in range(5)})


def counts(n: int, x: Fraction, r: Fraction | None = None) -> Term:
    """Return the pair of counts: a clone of either row has probability r, 1/(2x)."""
    return letter_counts(n, x / (x + 1), 1 / (x + 1), 1 / (2 * x) if r is None else r)


def shuffled_outputs(n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Relation:
    """False: outputs shuffled in place of data, each user with messages of their own."""
    x, g = exp_epsilon0, exp_epsilon
    a, b = x / (x + 1), 1 / (x + 1)
    rows = {"own": [[a, b, 0, 0], [b, a, 0, 0]], "foreign": [[0, 0, a, b], [0, 0, b, a]]}
    view = shuffle_pair(rows, victim="own", inputs=(0, 1), others=[("foreign", 0, n - 1)])
    return at_most(hockey_stick(view, g), hockey_stick(counts(n, x), g))


REDUCTION = proof(
    lemma("feldman2021/clones", CLONES.proof, "for each R^(i)(z; .), with weights free of i and z"),
    lemma("feldman2021/two-letters", TWO_LETTERS.proof, "for each R^(i)(z; .), likewise"),
    words(
        "label the victim by Q0 or Q1 and every other user by Q0, Q1 or LO; given the counts "
        "(X, Y) the labels are in uniform order and the users labeled LO are a uniform subset of "
        "the others, whose inputs are known; A_s runs on labels, the same for X_0 and X_1"
    ),
    lemma("lemmas/post-processing", POST_PROCESSING, "A_s is a channel of the counts"),
)

TRIALS["feldman2021/reduction"] = for_all(
    cases(
        n__randomizers=[(1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (5, 2)],
        exp_epsilon0=RATIOS,
        exp_epsilon=gammas,
    ).within(
        n=integers(1, draws=3), exp_epsilon0=reals(1), exp_epsilon=reals(1), randomizers=ADAPTIVE
    ),
    sequences(counts),
    proof=REDUCTION,
    wrong=for_all(
        cases(
            n=(2, 3),
            exp_epsilon0=RATIOS[1:],
            exp_epsilon=lambda exp_epsilon0: gammas(exp_epsilon0)[:-1],
        ),
        shuffled_outputs,
    ),
)


def each_count(c: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Relation:
    """Given C = c the counts are those of c + 1 users who always send a letter."""
    first, second = (
        hockey_stick(counts(n, exp_epsilon0, Fraction(1, 2)), exp_epsilon) for n in (c + 1, c + 2)
    )
    return at_most(second, first)


TRIALS["feldman2021/reduction/each-count"] = for_all(
    cases(c=range(8), exp_epsilon0=RATIOS, exp_epsilon=gammas)
    .deep(c=range(40))
    .within(c=integers(0), exp_epsilon0=reals(1), exp_epsilon=reals(1)),
    each_count,
    wrong=backwards(each_count),
    proof=proof(
        lemma(
            "lemmas/post-processing",
            POST_PROCESSING,
            "the counts for c + 1 are those for c and one more fair letter, a channel",
        ),
    ),
)

TRIALS["feldman2021/theorem-3.1"] = closed_form(
    bounds, clone_pair, users=(12, 24, 60, 150, 1000, 10**6)
)
