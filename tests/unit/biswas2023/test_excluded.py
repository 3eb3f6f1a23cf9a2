"""Bounds on (6) for many parameters at once, against its value, and their parts against sums."""

from fractions import Fraction
from math import comb, exp, sqrt

import pytest

from exactdp.claims.values import value
from exactdp.numbers import enclosure
from proofs_check.biswas2023.bounds import Counts, kappa1, kappa2
from proofs_check.biswas2023.evaluation import printed_delta
from proofs_check.biswas2023.excluded import Part, largest_terms, least, most
from proofs_check.biswas2023.trials.table_ii import ABOVE, BELOW, EXACTLY_BELOW

EPSILON0, N = Fraction(1), 9
EPSILONS = (Fraction(1, 10), Fraction(1, 2), Fraction(4, 5))


def printed(k, n_x0, epsilon):
    return enclosure(printed_delta(EPSILON0, Counts(k, N, n_x0), epsilon))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(
    "part", [Part(2, 2, 0, 3), Part(2, 2, 4, 8), Part(3, 3, 8, 8), Part(4, None, 0, 8)]
)
def test_what_6_is_at_most(part, epsilon):
    ends = [enclosure(value(bound)).upper for bound in most(EPSILON0, N, part, epsilon)]
    for k in (part.k, part.k if part.to else part.k + 3):
        for n_x0 in range(part.first, part.last + 1):
            assert printed(k, n_x0, epsilon).upper <= max(ends)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("k", "n_x0"), [(2, 0), (2, 5), (3, 8), (5, 2)])
def test_what_6_is_at_least(k, n_x0, epsilon):
    c = Counts(k, N, n_x0)
    whole = printed(k, n_x0, epsilon)
    bounds = [least(EPSILON0, c, epsilon, terms=terms) for terms in (1, 3, N + 1)]
    assert bounds == sorted(bounds)
    assert 0 < bounds[-1] <= whole.upper
    assert whole.upper - bounds[-1] <= whole.upper / 10**9
    assert len(largest_terms(EPSILON0, c, epsilon, 3)) == 3


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n_x0", [0, 1, 4, 8])
def test_a_count_with_such_a_square_is_not_below_the_least_one(k, n_x0):
    """By all splits of s: E[y^2 | s] > f^2 only where s is at least s_0."""
    x, m = exp(float(EPSILON0)), N - n_x0
    first, second, seen = kappa1(x, k), kappa2(x, k), 0
    for epsilon in map(float, EPSILONS):
        square = (exp(epsilon) - second) / (x - second)
        v = max(square, sqrt(max(square - 1 / (4 * m), 0)))
        least_s = v * (m + first * n_x0 / (1 + (first - 1) * v))
        for s in range(N + 1):
            weights = {
                j: comb(m, j) * comb(n_x0, s - j) * first ** (s - j)
                for j in range(max(0, s - n_x0), min(m, s) + 1)
            }
            mean = sum(j * j * w for j, w in weights.items()) / sum(weights.values()) / m**2
            if mean > square:
                seen += 1
                assert s >= least_s - 1e-9
    assert seen


def test_the_parts_are_all_parameters():
    parts = [part for part, _ in (*BELOW, *EXACTLY_BELOW, *ABOVE)]
    assert sorted({part.k for part in parts}) == [2, 3, 4, 5]
    for k in (2, 3, 4, 5):
        held = [n_x0 for part in parts if part.k == k for n_x0 in range(part.first, part.last + 1)]
        assert sorted(held) == list(range(1000))
    assert [part.to for part in parts if part.k == 5] == [None]
