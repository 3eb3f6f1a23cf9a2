"""The reduction and its tightness for randomized response; the table of parameters; a repair."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement, permutations, product
from math import isqrt
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import (
    Falls,
    Outcome,
    Relation,
    Said,
    at_least,
    at_most,
    cases,
    decided,
    equal,
    exact_value,
    finite_pair,
    for_all,
    hockey_stick,
    ldp_ratio,
    lemma,
    matrix,
    named,
    proof,
    shuffle_pair,
    term,
    total_variation_of,
    words,
)
from exactdp.mechanisms import (
    Randomizer,
    hadamard_response,
    local_hashing,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
)
from exactdp.numbers import Epsilon
from exactdp.shuffle import variation_ratio, variation_ratio_decomposition
from exactdp.testing import probability_vectors
from proofs_check.lemmas.trials.divergences import POST_PROCESSING
from proofs_check.wang2023 import parameters
from proofs_check.wang2023.trials.mixtures import (
    LEMMA_4_4,
    count_rows,
    gammas,
    positive_laws,
    view_of,
)

__all__ = ["TRIALS"]

RATIOS = [Fraction(2), Fraction(3), Fraction(3, 2), Fraction(8)]


def rr_gammas(exp_epsilon0: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to below e^ε0."""
    return gammas(exp_epsilon0)


def rr(d: int, exp_epsilon0: Fraction, others: Sequence[int], exp_epsilon: Fraction) -> Said:
    """General RR for all users against the pair: p = q = e^{ε_0}, β = (e^{ε_0}−1)/(e^{ε_0}+d−1)."""
    x = exp_epsilon0
    rows = [[(x if y == i else 1) / (x + d - 1) for y in range(d)] for i in range(d)]
    r = named("R", matrix(rows))
    groups = [(y, others.count(y)) for y in sorted(set(others))]
    alpha = parameters.general_rr(x, d) / (x - 1)

    def hypotheses() -> list[Relation]:
        beta = (term(x) - 1) / (term(x) + d - 1)
        pairs = permutations(rows, 2)
        return [
            at_most(ldp_ratio(r), x),
            *(at_most(total_variation_of(finite_pair(u, v)), beta) for u, v in pairs),
            equal(alpha, beta / (term(x) - 1)),
        ]

    view = named("view", shuffle_pair(r, inputs=(0, 1), others=groups))
    counts = named("counts", view_of(count_rows(x, alpha, alpha), len(others) + 1))
    return at_most(hockey_stick(view, exp_epsilon), hockey_stick(counts, exp_epsilon)).given(
        hypotheses
    )


# --- tightness -----------------------------------------------------------------------------

RR_SIZES = cases(d=(3, 4, 5), n=(1, 2, 3, 4), exp_epsilon0=RATIOS, exp_epsilon=rr_gammas)


def attained(
    d: int, n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction, third: int = 2
) -> Relation:
    """All others with the third input: the view has at least the divergence of the pair."""
    (relation,) = rr(d, exp_epsilon0, (third,) * (n - 1), exp_epsilon).relations
    return at_least(relation.left, relation.right)


def equality(d: int, n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Said:
    """The worst dataset's view has the divergence of the pair."""
    said = [
        rr(d, exp_epsilon0, others, exp_epsilon)
        for others in combinations_with_replacement(range(d), n - 1)
    ]
    worst = max(said, key=lambda one: exact_value(one.relations[0].left))
    relation = worst.relations[0]
    return equal(relation.left, relation.right).given(worst.hypotheses)


ATTAINED = proof(
    "all n, d >= 3, eps0 > 0 and eps",
    words(
        "the victim sends the messages x^0, x^1 with pα and α, or α and pα, where α = β/(p-1) = "
        "1/(x+d-1), and a user with a third input sends each with r = αp/q = α"
    ),
    words("count the messages x^0 and x^1 only: these counts have the laws P and Q"),
    lemma("lemmas/post-processing", POST_PROCESSING, "counting is a channel of the view"),
)


# --- the table of parameters ---------------------------------------------------------------


@cache
def table() -> tuple[tuple[str, Fraction, Randomizer, Fraction], ...]:
    """Return the name, e^ε, the randomizer and β of the table's rows."""
    found: list[tuple[str, Fraction, Randomizer, Fraction]] = []
    for x in (Fraction(9, 4), Fraction(4), Fraction(16)):
        e, root = Epsilon.log(x), Fraction(isqrt(x.numerator), isqrt(x.denominator))
        for d in (2, 3, 4):
            unary, hadamard = symmetric_unary_encoding(d, e), hadamard_response(d, e)
            order = hadamard.messages
            found += [
                (f"general RR, d={d}", x, randomized_response(d, e), parameters.general_rr(x, d)),
                (f"RAPPOR, d={d}", x, unary, parameters.rappor(root)),
                (
                    f"Hadamard response, K={order}, d={d}",
                    x,
                    hadamard,
                    parameters.hadamard(x, order, order // 2),
                ),
            ]
            for length in (2, 3):
                hashing, beta = local_hashing(d, length, e), parameters.local_hash(x, length)
                found.append((f"local hash, d={d}, l={length}", x, hashing, beta))
            for k in range(1, d):
                beta = parameters.subset(x, d, k)
                found.append((f"subset, d={d}, k={k}", x, subset_selection(d, k, e), beta))
    return tuple(found)


def printed_parameters(row: int, factor: Fraction = Fraction(1)) -> Outcome:
    """The total variation is at most β, that of any ε-LDP randomizer; p and q at most e^ε."""
    _, x, r, beta = table()[row]
    pairs = [variation_ratio(r, inputs=pair) for pair in permutations(range(r.inputs), 2)]
    variation = max(pair.beta for pair in pairs)
    claimed = min(beta * factor, parameters.any_randomizer(x) * factor)
    fine = variation <= claimed and all(max(pair.p, pair.q) <= Epsilon.log(x) for pair in pairs)
    slack = Fraction(claimed) / variation.as_fraction()
    return decided(fine, f"total variation {variation}, β {claimed}", slack=slack)


# --- what holds given that the victim sends a letter -----------------------------------------


def small_rows(weight: int) -> list[tuple[Any, ...]]:
    """Return the victim's two rows and the others' row."""
    found = []
    for x, d in product((Fraction(3, 2), Fraction(3)), (2, 3, 4)):
        rows = randomized_response(d, Epsilon.log(x)).rows
        found += [(rows[0], rows[1], row) for row in rows[:3]]
    return [*found, *product(positive_laws(weight), repeat=3)]


def drawn_rows() -> st.SearchStrategy[dict[str, Any]]:
    """Draw the victim's two rows and the others' row."""
    law = probability_vectors(size=3).filter(lambda masses: min(masses) > 0)
    return st.fixed_dictionaries(
        {
            "n": st.integers(1, 4),
            "rows": st.tuples(law, law, law).filter(lambda rows: rows[0] != rows[1]),
            "part": st.fractions(0, 1, max_denominator=8),
        }
    )


def given_a_letter(n: int, rows: Sequence[Any], part: Fraction, labeled: int = 1) -> list[Relation]:
    """The view against (α+pα) times the pair of a victim who always sends a letter."""
    r = Randomizer.from_matrix(rows)
    parts = variation_ratio_decomposition(r, others=r.rows[2:])
    g = 1 + (variation_ratio(r, others=r.rows[2:]).p.exp - 1) * part
    a, b, other = parts.first, parts.second, parts.other
    weight = a + b if labeled else a + b + (1 - a - b)
    first, second = (a / (a + b), b / (a + b)) if labeled else (a, b)
    rest = 1 - first - second
    pair = [[first, second, rest], [second, first, rest], [other, other, 1 - 2 * other]]
    bound = weight * hockey_stick(view_of(pair, n), g)
    fault = parts.check()
    return [equal(int(fault is None), 1), at_most(hockey_stick(view_of(rows, n), g), bound)]


TRIALS = {
    "wang2023/variation-ratio": {
        "": for_all(
            cases(
                d=(2, 3, 4),
                _n=(1, 2, 3),
                exp_epsilon0=RATIOS,
                others=lambda d, _n: combinations_with_replacement(range(d), _n - 1),
                exp_epsilon=rr_gammas,
            ),
            rr,
            falls=Falls.RESULT,
        )
    },
    "wang2023/parameters": {
        "": for_all(
            cases(
                _row=lambda: range(len(table())),
                randomizer=lambda _row: [table()[_row][0]],
                exp_epsilon=lambda _row: [table()[_row][1]],
                row=lambda _row: [_row],
            ),
            printed_parameters,
            wrong=partial(printed_parameters, factor=Fraction(99, 100)),
        )
    },
    "wang2023/tight": {
        "a": for_all(RR_SIZES, attained, wrong=partial(attained, third=0), proof=ATTAINED),
        "b": for_all(RR_SIZES, equality, falls=Falls.RESULT),
    },
    "wang2023/repair/given-a-letter": {
        "": for_all(
            cases(
                n=(1, 2, 3, 4),
                rows=lambda: small_rows(4),
                part=[Fraction(i, 4) for i in range(4)],
            )
            .deep(rows=lambda: small_rows(6))
            .where(lambda rows: rows[0] != rows[1])
            .drawn(drawn_rows),
            given_a_letter,
            wrong=partial(given_a_letter, labeled=0),
            proof=proof(
                "all n, ε >= 0, finite randomizers with the two properties",
                lemma("wang2023/lemma-4.4", LEMMA_4_4, "the mixtures exist"),
                words(
                    "tell the observer whether the victim sends a letter, which does not depend on "
                    "the dataset; if so, the counts suffice, as the leftovers are those of a "
                    "uniform subset of the others; if not, the two laws are equal"
                ),
                lemma("lemmas/post-processing", POST_PROCESSING, "the view forgets the label"),
                words("D_{e^ε} of the labeled laws is the mean over the label"),
            ),
        )
    },
}
