"""Section V-A, (10): the community level guarantee from the primary inputs of one dataset."""

from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

from exactdp.claims import Falls, Relation, Said, Term, at_most, cases, equal, for_all, hockey_stick
from exactdp.claims.cases import Cases
from exactdp.claims.forms import Trials
from exactdp.claims.kinds import integers
from exactdp.claims.quantities import quantity
from proofs_check.biswas2023.protocol import (
    ABOVE_0,
    Others,
    exp_epsilon0_term,
    histogram_pair,
    largest,
    multisets,
    private,
    ratios,
)
from proofs_check.biswas2023.trials.section_4 import ALL_DATASETS
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

At = tuple[tuple[int, int], Others]
"""The victim's two inputs, and the others' values."""


def _largest(x: Term, k: int, exp_epsilon: Fraction, points: list[At]) -> Term:
    pairs = (histogram_pair(x, k, others, inputs=inputs) for inputs, others in points)
    return largest([hockey_stick(pair, exp_epsilon) for pair in pairs])


def highest_of_data(
    data: tuple[int, ...], k: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Said:
    """Delta-hat over the primary inputs in D_X, with the others' values of D_X, is enough."""
    x, n = exp_epsilon0_term(exp_epsilon0), len(data)
    local = set()
    for i, primary in enumerate(data):
        rest = data[:i] + data[i + 1 :]
        others = tuple((v, rest.count(v)) for v in sorted(set(rest)))
        local |= {((primary, second), others) for second in range(k) if second != primary}
    every = list(product(permutations(range(k), 2), multisets(n - 1, k)))
    return at_most(
        _largest(x, k, exp_epsilon, every), _largest(x, k, exp_epsilon, sorted(local))
    ).given(lambda: private(x, k))


def one_primary_input(
    n: int, k: int, primary: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Relation:
    """The worst over x_1 for one primary input, over all datasets, is the worst over all."""
    x = exp_epsilon0_term(exp_epsilon0)
    return equal(from_one_input(n, k, x, primary, exp_epsilon), from_all(n, k, x, exp_epsilon))


@quantity("(worst_from {0:nat} {1:nat} {2} {3:nat} {4})", name="worst_from")
def from_one_input(n: int, k: int, x: Term, primary: int, exp_epsilon: Fraction) -> Term:
    """Return the largest delta for a victim with the primary input or another, over all data."""
    pairs = [(primary, y) for y in range(k) if y != primary]
    return _largest(x, k, exp_epsilon, list(product(pairs, multisets(n - 1, k))))


@quantity("(worst {0:nat} {1:nat} {2} {3})", name="worst")
def from_all(n: int, k: int, x: Term, exp_epsilon: Fraction) -> Term:
    """Return the largest delta over all inputs of the victim, and all data."""
    pairs = permutations(range(k), 2)
    return _largest(x, k, exp_epsilon, list(product(pairs, multisets(n - 1, k))))


OF_DATA = cases(
    _n=range(1, 4),
    _k=(2, 3),
    data=lambda _n, _k: combinations_with_replacement(range(_k), _n),
    k=lambda _k: [_k],
    _ratios=ratios(),
    exp_epsilon0=lambda _ratios: _ratios[:1],
    exp_epsilon=lambda _ratios: _ratios[1:],
).deep(_n=range(1, 5))

PRIMARY = Cases({**ALL_DATASETS.axes, "primary": lambda k: range(k)}).within(
    n=integers(1, draws=2),
    k=integers(2, draws=1),
    primary=integers(0, lambda k: k - 1),
    **ABOVE_0,
)

TRIALS["biswas2023/equation-10"] = {
    "a": for_all(
        PRIMARY,
        one_primary_input,
        wrong=for_all(OF_DATA, highest_of_data),
        proof=theorem("biswas2023_equation_10"),
    ),
    "b": for_all(OF_DATA, highest_of_data, falls=Falls.RESULT),
}
