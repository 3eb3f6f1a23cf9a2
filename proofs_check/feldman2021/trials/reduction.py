"""The reduction of shuffled data to counts of clones, and Theorem 3.1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import (
    Outcome,
    Relation,
    Term,
    at_least,
    at_most,
    cases,
    decided,
    exact_value,
    for_all,
    hockey_stick,
    lemma,
    proof,
    shuffle_pair,
    words,
)
from exactdp.numbers import Epsilon, Exact, decimal, enclosure, is_below, log
from exactdp.numbers.real_functions import evaluate
from exactdp.testing import neighboring_datasets
from exactdp.truth import Truth
from proofs_check.feldman2021 import bounds
from proofs_check.feldman2021.trials.decomposition import CLONES, TWO_LETTERS
from proofs_check.lemmas.adaptive import SHUFFLED, pair_of
from proofs_check.lemmas.drawn import adaptive_randomizers
from proofs_check.lemmas.extremal import worst_divergence
from proofs_check.lemmas.trials.divergences import POST_PROCESSING

__all__ = ["TRIALS"]

RATIOS = [Fraction(x) for x in ("1", "11/10", "3/2", "2", "5")]


def gammas(exp_epsilon0: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to e^ε0."""
    return sorted({1 + (exp_epsilon0 - 1) * Fraction(i, 4) for i in range(5)})


def counts(n: int, x: Fraction, other: Fraction) -> Term:
    """Return the pair of counts: the victim sends a letter, the others each with ``other``."""
    a, b = x / (x + 1), 1 / (x + 1)
    rows: list[list[Fraction]] = [[a, b, a - a], [b, a, a - a], [other, other, 1 - 2 * other]]
    return shuffle_pair(rows, inputs=(0, 1), others=[(2, n - 1)])


# --- the reduction --------------------------------------------------------------------------


@st.composite
def drawn_sequences(draw: st.DrawFn) -> dict[str, Any]:
    """Draw adaptive randomizers with neighboring data."""
    n, x = draw(st.integers(2, 4)), draw(st.fractions(1, 5, max_denominator=3))
    data, neighbor = draw(neighboring_datasets(inputs=3, min_users=n, max_users=n))
    return {
        "n": n,
        "exp_epsilon0": x,
        "exp_epsilon": draw(st.fractions(1, 5, max_denominator=4)),
        "steps": draw(adaptive_randomizers(steps=n, rows=3, columns=2, max_ratio=x)),
        "data": data,
        "neighbor": neighbor,
    }


def reduction(
    n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction, inputs: int = 0, **drawn: Any
) -> Relation:
    """The worst sequence over n users and so many inputs, or a drawn one, against the counts."""
    x, g = exp_epsilon0, exp_epsilon
    if inputs:
        true = worst_divergence(inputs=inputs, users=n, exp_epsilon0=x, exp_epsilon=g)
    else:
        laws = pair_of(SHUFFLED, drawn["steps"], drawn["data"], drawn["neighbor"])
        true = laws.delta(Epsilon.log(g))
    return at_most(true, hockey_stick(counts(n, x, 1 / (2 * x)), g))


def shuffled_outputs(n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Relation:
    """False: outputs shuffled in place of data, each user with messages of their own."""
    x, g = exp_epsilon0, exp_epsilon
    a, b = x / (x + 1), 1 / (x + 1)
    rows = {"own": [[a, b, 0, 0], [b, a, 0, 0]], "foreign": [[0, 0, a, b], [0, 0, b, a]]}
    view = shuffle_pair(rows, victim="own", inputs=(0, 1), others=[("foreign", 0, n - 1)])
    return at_most(hockey_stick(view, g), hockey_stick(counts(n, x, 1 / (2 * x)), g))


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


def each_count(more: int) -> Callable[..., Relation]:
    """Given C = c the counts are those of c + 1 users who always send a letter."""

    def says(c: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Relation:
        first, second = (
            hockey_stick(counts(n, exp_epsilon0, Fraction(1, 2)), exp_epsilon)
            for n in (c + 1, c + 2)
        )
        return at_most(second, first) if more else at_least(second, first)

    return says


# --- Theorem 3.1 ----------------------------------------------------------------------------


def is_small(n: int, exp_epsilon0: Fraction, delta: Fraction) -> bool:
    """The hypothesis e^ε0 <= n/(16 ln(2/δ))."""
    most = evaluate(bounds.largest_exp_epsilon0, n=n, delta=delta)
    return is_below(Exact(exp_epsilon0), most) is Truth.TRUE


def theorem_3_1(divide: int = 1) -> Callable[..., Outcome]:
    """The closed form is at most what shuffled randomized response and the counts need."""

    def says(n: int, exp_epsilon0: Fraction, delta: Fraction) -> Outcome:
        x = exp_epsilon0
        claimed = evaluate(bounds.exp_amplified, n=n, epsilon0=log(Exact(x)), delta=delta)
        bracket = enclosure(1 + (claimed - 1) / divide, relative_bits=60)
        if bracket.lower >= x:
            return decided(holds=True, found="the bound exceeds eps0: nothing is left")
        true = _randomized_response(n, x, bracket.upper)
        slack = delta / true.as_fraction() if true > 0 else None
        found = f"randomized response has delta {decimal(true, digits=6)}"
        if true > delta:
            return decided(holds=False, found=found, slack=slack)
        # The counts bound all randomizers (feldman2021/reduction).
        bound = exact_value(hockey_stick(counts(n, x, 1 / (2 * x)), bracket.lower))
        fine = Truth.TRUE if bound <= delta else Truth.UNKNOWN
        return decided(fine, f"{found}, the counts {decimal(bound, digits=6)}", slack=slack)

    return says


def _randomized_response(n: int, x: Fraction, gamma: Fraction) -> Exact:
    """Return the largest divergence of binary randomized response, over some other users."""
    rows: Sequence[Sequence[Fraction]] = [[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]]
    return max(
        exact_value(
            hockey_stick(
                shuffle_pair(rows, inputs=inputs, others=[(0, ones), (1, n - 1 - ones)]), gamma
            )
        )
        for inputs in ((0, 1), (1, 0))
        for ones in (0, n // 2, n - 1)
    )


TRIALS = {
    "feldman2021/reduction": {
        "": for_all(
            cases(
                _sizes=[(1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (5, 2)],
                exp_epsilon0=RATIOS,
                n=lambda _sizes: [_sizes[0]],
                inputs=lambda _sizes: [_sizes[1]],
                exp_epsilon=gammas,
            ).drawn(drawn_sequences),
            reduction,
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
    },
    "feldman2021/reduction/each-count": {
        "": for_all(
            cases(c=range(8), exp_epsilon0=RATIOS, exp_epsilon=gammas).deep(c=range(40)),
            each_count(1),
            wrong=each_count(0),
            proof=proof(
                "all c, eps0, eps",
                lemma(
                    "lemmas/post-processing",
                    POST_PROCESSING,
                    "the counts for c + 1 are those for c and one more fair letter, a channel",
                ),
            ),
        )
    },
    "feldman2021/theorem-3.1": {
        "": for_all(
            cases(
                n=(12, 24, 60, 150),
                exp_epsilon0=[Fraction(x) for x in ("101/100", "3/2", "9/4", "4", "12")],
                delta=[Fraction(d) for d in ("1", "1/2", "1/10", "1/100", "1e-6")],
            )
            .deep(n=(12, 24, 60, 150, 400, 1000))
            .where(is_small),
            theorem_3_1(),
            wrong=theorem_3_1(divide=100),
        )
    },
}
