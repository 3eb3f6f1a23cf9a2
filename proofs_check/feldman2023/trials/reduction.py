"""The decomposition into two letters, Lemma 3.5, and its parameter p.

With letters Q^0, Q^1 the victim sends Q^0, Q^1 or a common component with probabilities
x p, p and the rest (or p, x p), the others p, p and the rest; x = e^{ε_0}.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Said, Trials, at_least, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import (
    finite_pair,
    hockey_stick,
    ldp_ratio,
    mass,
    shuffle_pair,
)
from exactdp.claims.terms import Term, named, term
from exactdp.claims.verdicts import Falls
from proofs_check.lemmas.clones import OTHER_ROW, counted, letter_counts
from proofs_check.lemmas.drawn import private_rows
from proofs_check.lemmas.extremal import extremal_rows
from proofs_check.lemmas.mixtures import fewer_letters, is_below, mixed_letters, within_factor
from proofs_check.lemmas.quantities import EVENT, LAW, SAME, share_of
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

Rows = Sequence[Sequence[Any]]


def largest_p(exp_epsilon0: Fraction, rows: Rows) -> Said:
    """With p = 1/(x+1) the letters of the others, (R(x^0) + R(x^1))/(x+1), fit into R(x)."""
    share = [(term(u) + v) / (exp_epsilon0 + 1) for u, v in zip(rows[0], rows[1], strict=True)]
    fits = [at_least(m, s) for row in rows for m, s in zip(row, share, strict=True)]
    return Said(fits, [at_most(ldp_ratio(rows), exp_epsilon0)])


RANDOMIZERS = (
    cases(
        _inputs=(2, 3),
        exp_epsilon0=[Fraction(3, 2), Fraction(2), Fraction(5)],
        rows=lambda _inputs, exp_epsilon0: extremal_rows(inputs=_inputs, exp_epsilon0=exp_epsilon0),
    )
    .deep(_inputs=(2, 3, 4))
    .within(exp_epsilon0=reals(1), rows=private_rows(rows=4, columns=4))
)


def positive_parts(
    exp_epsilon0: Any, P: Any, Q: Any, other: Any, S: Any, more: int = 1
) -> list[Relation]:
    """With this p, which is at most 1/(x + 1), all rows are mixtures (of ``more`` letters)."""
    share = share_of(exp_epsilon0, P, Q)
    r = share if more == 1 else more * share
    mixtures = mixed_letters((P, Q, other), S, exp_epsilon0, share, r)
    return [at_most(share, 1 / (exp_epsilon0 + 1)), *mixtures]


TRIALS["feldman2023/decomposition"] = {
    "a": for_all(RANDOMIZERS, largest_p, falls=Falls.STEP),
    "b": for_all(
        cases(
            exp_epsilon0=[Fraction(3, 2), Fraction(3)],
            _rows=lambda exp_epsilon0: extremal_rows(inputs=3, exp_epsilon0=exp_epsilon0),
            P=lambda _rows: [tuple(_rows[0])],
            Q=lambda _rows: [tuple(_rows[1])],
            other=lambda _rows: [tuple(_rows[2])],
            S=((), (0,)),
        ).within(
            exp_epsilon0=reals(1),
            P=LAW,
            Q=OTHER_ROW,
            other=objects(
                "a law of which P and Q are at most e^ε0 times",
                lambda exp_epsilon0, P, Q: within_factor(exp_epsilon0, P, Q),
                condition=lambda exp_epsilon0, P, Q, other: is_below(exp_epsilon0, (P, Q), other),
                coq=(
                    "law A",
                    "is_law {0} /\\ within same exp_epsilon0 P {0} "
                    "/\\ within same exp_epsilon0 Q {0}",
                    SAME,
                ),
            ),
            S=EVENT,
        ),
        positive_parts,
        wrong=partial(positive_parts, more=2),
        proof=theorem("feldman2023_decomposition"),
    ),
}

RATIOS = [Fraction(2), Fraction(3), Fraction(3, 2), Fraction(8)]


def gammas(exp_epsilon0: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to below e^ε0."""
    return [1 + (exp_epsilon0 - 1) * Fraction(i, 4) for i in range(4)]


def two_counts(n: int, x: Fraction, p: Fraction) -> Term:
    """Return the two counts of Lemma 3.5 and the number who sent neither letter, as a view."""
    return letter_counts(n, term(x) * p, p, p)


def reduction(
    rows: Rows, others: Sequence[int], *, x: Fraction, p: Fraction, exp_epsilon: Fraction
) -> Said:
    """Compare the view with the two counts; messages 0 and 1 are the letters."""
    view = shuffle_pair(rows, inputs=(0, 1), others=counted(others))
    return at_most(
        hockey_stick(named("view", view), exp_epsilon),
        hockey_stick(named("counts", two_counts(len(others) + 1, x, p)), exp_epsilon),
    ).given(lambda: list(_decomposition(rows, others, x, p)))


def _decomposition(
    rows: Rows, others: Sequence[int], x: Fraction, p: Fraction
) -> Iterator[Relation]:
    """The rows are private, and mixtures of the letters and laws that the kernel sees."""
    yield at_most(ldp_ratio(rows), x)
    inputs = dict.fromkeys([0, 1, *others])
    weights = {0: [(x * p, p)], 1: [(p, x * p)]}
    for i in inputs:
        for a, b in [*weights.get(i, []), *([(p, p)] if i in others else [])]:
            shares = [a, b] + [Fraction(0)] * (len(rows[i]) - 2)
            rest = [(m - s) / (1 - a - b) for m, s in zip(rows[i], shares, strict=True)]
            law = named(f"rest_{i}_{'other' if a == b else 'victim'}", finite_pair(rest, rest))
            for y, (m, s) in enumerate(zip(rows[i], shares, strict=True)):
                yield equal(m, s + (1 - a - b) * mass(law, "p", y))


def lemma_3_5(
    exp_epsilon0: Fraction, p: Fraction, others: Sequence[int], exp_epsilon: Fraction
) -> Said:
    """Two inputs and three messages: each user sends a letter, or the third message."""
    x, rest = exp_epsilon0, 1 - (exp_epsilon0 + 1) * p
    rows = [[x * p, p, rest], [p, x * p, rest]]
    return reduction(rows, others, x=x, p=p, exp_epsilon=exp_epsilon)


TRIALS["feldman2023/lemma-3.5"] = for_all(
    cases(
        _n=range(1, 5),
        exp_epsilon0=RATIOS,
        p=lambda exp_epsilon0: [1 / (exp_epsilon0 + i) for i in (1, 2, 5)],
        _ones=lambda _n: range(_n),
        others=lambda _n, _ones: [(0,) * (_n - 1 - _ones) + (1,) * _ones],
        exp_epsilon=gammas,
    ).within(
        exp_epsilon0=reals(above=1),
        p=reals(0, lambda exp_epsilon0: 1 / (exp_epsilon0 + 1)),
        others=objects("the others' inputs, 0 or 1"),
        exp_epsilon=reals(1),
    ),
    lemma_3_5,
    falls=Falls.RESULT,
)


def thinned(
    n: int, exp_epsilon0: Any, p: Any, keep: Any, exp_epsilon: Any, power: int = 1, **at: int
) -> list[Relation]:
    """The counts for p, each letter kept with probability keep^power, are those for p·keep."""
    kept, small = keep if power == 1 else keep**power, keep * p
    return fewer_letters(n, exp_epsilon0, (p, p), (small, small), exp_epsilon, keep=kept, **at)


TRIALS["feldman2023/monotone-in-p"] = for_all(
    cases(
        n=range(1, 5),
        exp_epsilon0=RATIOS[:3],
        p=lambda exp_epsilon0: [1 / (exp_epsilon0 + 1), 1 / (2 * (exp_epsilon0 + 1))],
        keep=(Fraction(1, 2), Fraction(2, 3)),
        a=lambda n: range(n + 1),
        b=lambda n, a: range(n + 1 - a),
        exp_epsilon=[Fraction(3, 2)],
    ).within(
        n=integers(1, draws=3),
        exp_epsilon0=reals(1),
        p=reals(0, lambda exp_epsilon0: 1 / (exp_epsilon0 + 1)),
        keep=reals(0, 1),
        a=integers(0),
        b=integers(0),
        exp_epsilon=reals(0),
    ),
    thinned,
    wrong=partial(thinned, power=2),
    proof=theorem("feldman2023_monotone_in_p"),
)


def rows_of_k_rr(k: int, x: Fraction) -> list[list[Fraction]]:
    """Return the rows of k-randomized response with e^ε0 = x."""
    return [[(x if y == i else Fraction(1)) / (x + k - 1) for y in range(k)] for i in range(k)]


def k_rr(k: int, exp_epsilon0: Fraction, others: Sequence[int], exp_epsilon: Fraction) -> Said:
    """Compare k-randomized response with the counts for p = 1/(x + k − 1)."""
    x = exp_epsilon0
    p = 1 / (x + k - 1)
    return reduction(rows_of_k_rr(k, x), others, x=x, p=p, exp_epsilon=exp_epsilon)


K_RR = for_all(
    cases(
        k=(2, 3, 4),
        _n=(1, 2, 3),
        exp_epsilon0=RATIOS,
        others=lambda k, _n: combinations_with_replacement(range(k), _n - 1),
        exp_epsilon=gammas,
    ).within(
        k=integers(2),
        exp_epsilon0=reals(above=1),
        others=objects("the others' inputs, below k"),
        exp_epsilon=reals(1),
    ),
    k_rr,
    falls=Falls.RESULT,
)

TRIALS["feldman2023/k-rr"] = K_RR
