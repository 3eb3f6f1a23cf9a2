"""Section V-A, (10): the community level guarantee from the primary inputs of one dataset."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import Any

from exactdp.claims import (
    Falls,
    Open,
    Relation,
    Said,
    Statement,
    Term,
    at_most,
    cases,
    equal,
    for_all,
    hockey_stick,
)
from proofs_check.biswas2023.protocol import (
    Others,
    exp_epsilon0_term,
    histogram_pair,
    largest,
    multisets,
    private,
    ratios,
)
from proofs_check.biswas2023.trials.section_4 import ALL_DATASETS, SWAP

__all__ = ["TRIALS"]


def highest_of_data(
    data: tuple[int, ...], k: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Said:
    """Delta-hat over the primary inputs in D_X, with the others' values of D_X, is enough."""
    x = exp_epsilon0_term(exp_epsilon0)
    n = len(data)

    def delta(inputs: tuple[int, int], others: Others) -> Term:
        return hockey_stick(histogram_pair(x, k, others, inputs=inputs), exp_epsilon)

    local = {
        ((primary, second), _counted(data[:i] + data[i + 1 :]))
        for i, primary in enumerate(data)
        for second in range(k)
        if second != primary
    }
    every = product(permutations(range(k), 2), multisets(n - 1, k))
    return at_most(
        largest([delta(*at) for at in every]), largest([delta(*at) for at in sorted(local)])
    ).given(lambda: private(x, k))


def _counted(data: Any) -> Others:
    return tuple((v, data.count(v)) for v in sorted(set(data)))


def one_primary_input(n: int, k: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Relation:
    """The worst over x_1 for one primary input, over all datasets, is the worst over all."""
    x = exp_epsilon0_term(exp_epsilon0)

    def worst(pairs: Iterable[tuple[int, int]]) -> Term:
        return largest(
            [
                hockey_stick(histogram_pair(x, k, others, inputs=inputs), exp_epsilon)
                for inputs, others in product(pairs, multisets(n - 1, k))
            ]
        )

    return equal(worst((0, y) for y in range(1, k)), worst(permutations(range(k), 2)))


OF_DATA = cases(
    _n=range(1, 4),
    _k=(2, 3),
    data=lambda _n, _k: combinations_with_replacement(range(_k), _n),
    k=lambda _k: [_k],
    _ratios=ratios(),
    exp_epsilon0=lambda _ratios: _ratios[:1],
    exp_epsilon=lambda _ratios: _ratios[1:],
).deep(_n=range(1, 5))

TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/equation-10": {
        "a": for_all(
            ALL_DATASETS,
            one_primary_input,
            wrong=for_all(OF_DATA, highest_of_data),
            proof=SWAP,
        ),
        "b": for_all(OF_DATA, highest_of_data, falls=Falls.RESULT),
    },
}
