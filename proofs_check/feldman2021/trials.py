"""The decompositions that make clones, the reduction to counts of them, and Theorem 3.1.

u, v, w are the masses of one message for x^0, x^1 and another input; x = e^{ε_0} = 1 + t.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from exactdp.audit.algebra import follows, identity
from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_least, at_most, equal, for_all
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.terms import Term, term, total
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon
from exactdp.shuffle import clone_pair
from proofs_check.feldman2021 import bounds
from proofs_check.lemmas.clones import (
    both_rows,
    closed_form,
    copies_fit,
    first_row,
    letter_counts,
    second_row,
    sequences,
)
from proofs_check.lemmas.drawn import drawn_sequences, private_rows
from proofs_check.lemmas.extremal import extremal_rows
from proofs_check.lemmas.trials.divergences import POST_PROCESSING, backwards

TRIALS: Trials = {}

Rows = Sequence[Sequence[Any]]


def extremal(exp_epsilon0: Fraction, _inputs: int) -> list[Rows]:
    """Return the extremal private randomizers; 4-ary randomized response stands for 4 inputs."""
    if _inputs == 4:
        return [randomized_response(4, Epsilon.log(exp_epsilon0)).rows]
    return list(extremal_rows(inputs=_inputs, exp_epsilon0=exp_epsilon0))


RANDOMIZERS = cases(
    _inputs=(2, 3, 4), exp_epsilon0=[Fraction(x) for x in ("1", "3/2", "2", "5")], rows=extremal
).drawn(lambda: private_rows(rows=3, columns=4))


def clones(weight: Callable[[Fraction], Fraction]) -> Callable[..., list[Relation]]:
    """R(x) minus a weight of R(x^0) + R(x^1), 1/(2 e^{ε_0}), is nonnegative."""

    def says(exp_epsilon0: Fraction, rows: Rows) -> list[Relation]:
        share = weight(exp_epsilon0)
        columns = list(zip(*rows, strict=True))
        return [at_least(w, share * (term(c[0]) + c[1])) for c in columns for w in c]

    return says


CLONES = proof(
    "all e^eps0 = x >= 1, inputs and finite randomizers",
    copies_fit("(1 - 1/x) LO = w - (u + v)/(2x) is at least 0, by u <= x w and v <= x w"),
    identity(
        "its mass is 1 - 1/x, as rows have mass 1",
        "t",
        lambda t: (1 - 2 / (2 * (1 + t)), t / (1 + t)),
    ),
)

TRIALS["feldman2021/clones"] = for_all(
    RANDOMIZERS, clones(lambda x: 1 / (2 * x)), wrong=clones(lambda x: 1 / (x + 1)), proof=CLONES
)


def letters(ratio: Callable[[Fraction], Fraction]) -> Callable[..., list[Relation]]:
    """Q^0 = (x u − v)/(x − 1), Q^1 = (x v − u)/(x − 1) are laws and make both rows."""

    def says(exp_epsilon0: Fraction, rows: Rows) -> list[Relation]:
        x = ratio(exp_epsilon0)
        pairs = [(term(u), term(v)) for u, v in zip(rows[0], rows[1], strict=True)]
        if x == 1:  # both letters are R(x^0) = R(x^1)
            return [equal(u, v) for u, v in pairs]
        one = [(x * u - v) / (x - 1) for u, v in pairs]
        two = [(x * v - u) / (x - 1) for u, v in pairs]
        claimed = [at_least(mass, 0) for mass in (*one, *two)]
        claimed += [equal(total(one), 1), equal(total(two), 1)]
        for (u, v), a, b in zip(pairs, one, two, strict=True):
            claimed += [equal(u, (x * a + b) / (x + 1)), equal(v, (a + x * b) / (x + 1))]
            claimed.append(equal(u + v, a + b))
        return claimed

    return says


TWO_LETTERS = proof(
    "all e^eps0 = x > 1, inputs and finite randomizers (x = 1: both letters are R(x0) = R(x1))",
    follows(
        "Q0 = (x u - v)/(x-1) is at least 0 by v <= x u; Q1 likewise",
        "u v t",
        lambda u, v, t: ((1 + t) * u - v) / t,
        lambda u, v, t: [(1 / t, (1 + t) * u - v)],
    ),
    identity(
        "(x Q0 + Q1)/(x+1) = R(x0), (Q0 + x Q1)/(x+1) = R(x1), Q0 + Q1 = R(x0) + R(x1)",
        "u v t",
        first_row,
        second_row,
        both_rows,
    ),
)

TRIALS["feldman2021/two-letters"] = for_all(
    RANDOMIZERS, letters(lambda x: x), wrong=letters(lambda x: (1 + x) / 2), proof=TWO_LETTERS
)

RATIOS = [Fraction(x) for x in ("1", "11/10", "3/2", "2", "5")]


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
    "all n, all adaptive eps0-DP randomizers with finite outputs, all neighboring datasets",
    lemma("feldman2021/clones", CLONES, "for each R^(i)(z; .), with weights free of i and z"),
    lemma("feldman2021/two-letters", TWO_LETTERS, "for each R^(i)(z; .), likewise"),
    words(
        "label the victim by Q0 or Q1 and every other user by Q0, Q1 or LO; given the counts "
        "(X, Y) the labels are in uniform order and the users labeled LO are a uniform subset of "
        "the others, whose inputs are known; A_s runs on labels, the same for X_0 and X_1"
    ),
    lemma("lemmas/post-processing", POST_PROCESSING, "A_s is a channel of the counts"),
)

TRIALS["feldman2021/reduction"] = for_all(
    cases(
        n__inputs=[(1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (5, 2)],
        exp_epsilon0=RATIOS,
        exp_epsilon=gammas,
    ).drawn(drawn_sequences),
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
    cases(c=range(8), exp_epsilon0=RATIOS, exp_epsilon=gammas).deep(c=range(40)),
    each_count,
    wrong=backwards(each_count),
    proof=proof(
        "all c, eps0, eps",
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
