"""E max(0, S) of many sums at once, against all sequences in fractions and other routes."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from flint import arb

from exactdp.numbers import Exact, fmpq_of, precision
from exactdp.sums import mean_positive_sum, positive_means

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

LAWS = {
    "coins": ([[1, -1], [3, -1], [1, -4]], [HALF, HALF]),
    "three values": ([[2, 1, -3], [1, 1, -1], [5, -1, -2]], [Fraction(1, 6), THIRD, HALF]),
    "some of it nothing": ([[3, -2], [1, Fraction(-7, 2)]], [Fraction(1, 5), THIRD]),
    "one large value": ([[40, -1], [25, -2]], [Fraction(1, 50), Fraction(49, 50)]),
    "above its mean": ([[2, 1], [3, -1]], [THIRD, 2 * THIRD]),
}


def together(lists, masses, n, smooth):
    with precision(128):
        values = [[arb(fmpq_of(Fraction(v))) for v in one] for one in lists]
        return positive_means(values, [arb(fmpq_of(m)) for m in masses], n, smooth=smooth)


def by_sequences(values, masses, n):
    """Return the mean over all sequences, exactly."""
    outcomes = [*zip(values, masses, strict=True), (0, 1 - sum(masses))]
    return sum(
        max(0, sum(v for v, _ in chosen)) * prod((m for _, m in chosen), start=Fraction(1))
        for chosen in product(outcomes, repeat=n)
    )


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_means_of_few_copies_are_those_of_all_sequences(name, n):
    lists, masses = LAWS[name]
    for values, found in zip(lists, together(lists, masses, n, 0.01), strict=True):
        truth = by_sequences(values, masses, n)
        assert found.lower <= truth <= found.upper
        assert found.upper - found.lower < Fraction(1, 10) * max(truth, Fraction(1, 10))


@pytest.mark.parametrize("n", [60, 3_000, 10**9])
def test_the_means_of_many_copies_are_those_of_another_route(n):
    shift = Fraction(1, max(1, round(n**0.5)))
    lists = [[3 - k * shift, -1 - 3 * k * shift, -k * shift] for k in range(7)]
    masses = [Fraction(1, 8), Fraction(3, 8), HALF]
    for values, found in zip(lists, together(lists, masses, n, 0.01), strict=True):
        numbers = [Exact(x) for x in values], [Exact(m) for m in masses]
        other = mean_positive_sum(*numbers, n, relative_width=Fraction(1, 10**6))
        assert found.lower <= other.upper and other.lower <= found.upper
        assert found.upper - found.lower < other.upper / 100


def test_a_few_large_values_are_summed_along_a_line_of_their_own():
    # One in 10^8 copies has 40 times the deviation of a sum.
    lists = [[1, -1, 1_800], [Fraction(9, 10), -1, 1_800]]
    masses = [HALF, HALF - Fraction(1, 10**8), Fraction(1, 10**8)]
    for values, found in zip(lists, together(lists, masses, 2_000, 0.02), strict=True):
        numbers = [Exact(x) for x in values], [Exact(m) for m in masses]
        other = mean_positive_sum(*numbers, 2_000, relative_width=Fraction(1, 10**5))
        assert found.lower <= other.upper and other.lower <= found.upper
        assert found.upper - found.lower < other.upper / 50


def test_a_smaller_smoothing_tells_more():
    lists, masses = LAWS["three values"]
    wide, narrow = (together(lists, masses, 999, smooth) for smooth in (0.04, 0.01))
    for one, other in zip(wide, narrow, strict=True):
        assert one.lower < other.upper < one.upper
        assert other.width < one.width / 4


def test_what_is_never_above_0_has_the_mean_0():
    found = together([[-1, 0], [1, -1]], [HALF, HALF], 50, 0.02)
    assert found[0].upper == 0 < found[1].lower
