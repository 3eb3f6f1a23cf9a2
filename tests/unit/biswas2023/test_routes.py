"""The paper's formulas and laws by routes that share no code with the trials."""

import math
from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import pytest

from exactdp.claims import exact_value, hockey_stick, term
from exactdp.numbers import Exact, enclosure
from proofs_check.biswas2023 import bounds, evaluation
from proofs_check.biswas2023.bounds import Counts
from proofs_check.biswas2023.protocol import count_masses, count_pair, histogram_pair, tight_delta
from proofs_check.biswas2023.tables import TABLE_IV, Cell
from tests.routes import laws
from tests.routes.reals import mpf_of


def c_(a, b):
    return comb(a, b) if 0 <= b <= a else 0


def printed_delta_mpmath(x, e, k, n, a):
    """(6) with the printed v_s, term by term, in mpmath numbers."""
    k1, k2 = x * (x + k - 2) / (k - 1), mpmath.mpf(k - 1) / (x + k - 2)
    total = mpmath.mpf(0)
    for s in range(n + 1):
        k3 = mpmath.mpf(k - 1) ** a * (x + k - 2) ** (n - a - s) / (x + k - 1) ** n
        top = mpmath.fsum(
            (s - r) * c_(a, r) * c_(n - 1 - a, s - 1 - r) * k1**r for r in range(s + 1)
        )
        low = mpmath.fsum(c_(a, r) * c_(n - a, s - r) * k1**r for r in range(s + 1))
        v = mpmath.log(k2 + (x - k2) / (n - a) * top / low)
        if v > mpmath.log(e):
            weight = mpmath.fsum(
                c_(a, r) * c_(n - a, s - r) * k1**r * (k2 * (n - a) + (x - k2) * (s - r))
                for r in range(s + 1)
            )
            total += (1 - e / mpmath.exp(v)) * k3 / (n - a) * weight
    return total


@pytest.mark.parametrize(
    ("place", "epsilon"), [("a/eps0=2", "0.1"), ("a/eps0=3", "0.1"), ("c/k=15", "1.5")]
)
def test_printed_formula_at_table_iv_against_mpmath(place, epsilon):
    row = TABLE_IV[f"biswas2023/table-IV/{place}"]
    c = Counts(row.k, row.n, row.n_x0)
    value = evaluation.printed_delta(row.epsilon0, c, Fraction(epsilon))
    found = enclosure(value, relative_bits=100)
    with mpmath.workdps(60):
        x = mpmath.exp(mpf_of(row.epsilon0))
        other = printed_delta_mpmath(x, mpmath.exp(mpmath.mpf(epsilon)), row.k, row.n, row.n_x0)
        low, high = (mpf_of(v) for v in (found.lower, found.upper))
        assert low * (1 - mpmath.mpf(10) ** -25) < other < high * (1 + mpmath.mpf(10) ** -25)
        assert (high - low) / low < mpmath.mpf(10) ** -29


def test_balls_agree_with_the_formula_in_the_exact_field():
    for c in (Counts(3, 5, 2), Counts(10, 9, 4), Counts(2, 1, 0)):
        x = Exact.exp(2)
        for e in ("0.1", "1", "1.9", "2", "3"):
            exact = bounds.delta_hat(x, c, Exact.exp(Fraction(e)))
            value = evaluation.printed_delta(Fraction(2), c, Fraction(e))
            if exact == 0:
                assert value == 0
            else:
                assert enclosure(value, relative_bits=80).contains(exact)


def test_estimates_are_near_the_certified_values():
    c = Counts(10, 100, 80)
    (estimate,) = evaluation.printed_delta_estimates(math.exp(2), c, [math.exp(1)])
    value = enclosure(evaluation.printed_delta(Fraction(2), c, Fraction(1)))
    assert abs(estimate - math.log10(value.lower)) < 1e-6


def brute_force(x, k, others, inputs, *, count_only):
    """Both laws, of all histograms or of how many messages are 0, in Fractions."""
    rows = [
        laws.one_message([(x if i == j else 1) / (x + k - 1) for j in range(k)]) for i in range(k)
    ]
    both = [laws.added(rows[i] for i in (first, *others)) for first in inputs]
    if not count_only:
        return both
    return [{zeros: mass for (zeros,), mass in laws.merged(law, [[0]]).items()} for law in both]


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("others", [(), (1,), (0, 1), (0, 1, 1)])
def test_views_against_message_sequences(k, others):
    x, e = Fraction(5, 2), Fraction(6, 5)
    n = len(others) + 1
    c = Counts(k, n, others.count(0))
    counts = brute_force(x, k, others, (0, 1), count_only=True)
    assert exact_value(hockey_stick(count_pair(term(x), c.k, c.plainest), e)) == laws.hockey_stick(
        *counts, e
    )
    for side, law in zip(count_masses(term(x), c.k, c.plainest), counts, strict=True):
        assert list(map(exact_value, side)) == [law[s] for s in range(n + 1)]
    grouped = [(v, others.count(v)) for v in set(others)]
    whole = brute_force(x, k, others, (0, 1), count_only=False)
    histogram = histogram_pair(term(x), k, grouped)
    assert exact_value(hockey_stick(histogram, e)) == laws.hockey_stick(*whole, e)


@pytest.mark.parametrize("inputs", [(0, 1), (1, 0)])
def test_the_tight_delta_against_all_datasets(inputs):
    """The largest over all values of the others, and over those with n_x0 = 1."""
    x, e, k = Fraction(3), Fraction(6, 5), 4
    found = {
        others: laws.hockey_stick(*brute_force(x, k, others, inputs, count_only=False), e)
        for others in product(range(k), repeat=2)
    }
    c = Counts(k, 3, 1)
    every = tight_delta(term(x), c, e, inputs=inputs, held=range(3))
    assert exact_value(every) == max(found.values())
    some = tight_delta(term(x), c, e, inputs=inputs)
    assert exact_value(some) == max(d for others, d in found.items() if others.count(0) == 1)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("k", [2, 5])
def test_balls_of_the_count_against_the_view(k, reverse):
    epsilon0, epsilon = Fraction("0.49"), Fraction("0.1")
    inputs = (1, 0) if reverse else (0, 1)
    for held in range(4):
        c = Counts(k, 4, held)
        pair = count_pair(term(Exact.exp(epsilon0)), c.k, c.plainest, inputs=inputs)
        exact = exact_value(hockey_stick(pair, Exact.exp(epsilon)))
        value = evaluation.count_delta(epsilon0, c, epsilon, reverse=reverse)
        assert enclosure(value, relative_bits=80).contains(exact)


def test_the_smallest_witness_by_hand():
    """n = 2, k = 2, n_x0 = 0, e^eps0 = 4, e^eps = 2: printed 2/25, exact 3/25.

    The other user holds x_1. With c = 1/5: P(count = 2) = 4/25, 1: 17/25, 0: 4/25;
    Q: 1/25, 8/25, 16/25. So delta = (4 - 2)/25 + (17 - 16)/25 = 3/25.
    """
    c = Counts(2, 2, 0)
    first, second = (
        list(map(exact_value, side)) for side in count_masses(term(4), c.k, c.plainest)
    )
    assert first == [Exact("4/25"), Exact("17/25"), Exact("4/25")]
    assert second == [Exact("16/25"), Exact("8/25"), Exact("1/25")]
    assert exact_value(hockey_stick(count_pair(term(4), c.k, c.plainest), 2)) == Exact("3/25")
    assert bounds.delta_hat(Exact(4), c, Exact(2)) == Exact("2/25")
    assert exact_value(bounds.delta_hat(term(4), c, term(2))) == Exact("2/25")


def test_a_cell_is_read_to_one_unit_of_its_last_digit():
    cell = Cell("2.49E-15")
    assert evaluation.agrees(cell, Exact("2.4837e-15"))
    assert not evaluation.agrees(cell, Exact("2.48e-15"))
    assert not evaluation.agrees(cell, Exact("2.5e-15"))
    assert evaluation.agrees(Cell("0"), Exact(0))
    assert not evaluation.agrees(Cell("0"), Exact("1e-300"))
    assert not evaluation.agrees(cell, Exact(0))
