"""Adaptive choices of mechanisms of bounded range, by two recursions on a lattice."""

from fractions import Fraction
from functools import cache
from itertools import pairwise

import mpmath
import pytest

from exactdp.numbers import Exact, log
from exactdp.sums.lattices.adaptive import AdaptiveLattice
from tests.routes.reals import mpf_of

BASE, PARTS = Fraction(6, 5), 4
RANGE = BASE**PARTS


def by_definition(x, left, choices):
    """The largest H_x of an analyst who chooses u of the next mechanism after each output."""

    @cache
    def best(x, left):
        if left == 0:
            return max(Fraction(0), 1 - x)
        return max(
            ((RANGE - u) * best(x / u, left - 1) + (u - 1) * best(x * RANGE / u, left - 1))
            / (RANGE - 1)
            for u in choices
        )

    return best(x, left)


ON_LATTICE = [BASE**j for j in range(PARTS + 1)]
MANY = sorted({*ON_LATTICE, *(1 + (RANGE - 1) * Fraction(j, 12) for j in range(13))})


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("power", [-5, -1, 0, 2, 7])
def test_the_lower_end_is_the_best_on_the_lattice_and_no_choice_is_above_the_upper(power, times):
    x = BASE**power
    found = AdaptiveLattice(log(Exact(BASE)), PARTS, times).delta(log(Exact(x)))
    least = by_definition(x, times, ON_LATTICE)
    assert 0 <= least - found.lower <= least / 10**12
    assert found.lower <= by_definition(x, times, MANY) <= found.upper
    assert found.upper <= 1


def test_the_upper_end_comes_down_to_the_best_choice():
    truth = by_definition(BASE, 2, [1 + (RANGE - 1) * Fraction(j, 60) for j in range(61)])
    step = log(Exact(BASE))
    ends = [AdaptiveLattice(step / k, k * PARTS, 2).delta(step) for k in (1, 2, 4, 8)]
    for coarse, fine in pairwise(ends):
        assert coarse.lower <= fine.lower <= truth * (1 + Fraction(1, 10**3))
        assert truth <= fine.upper < coarse.upper
        assert fine.width < coarse.width / 3  # four times as near, about


@pytest.mark.parametrize("times", [1, 3])
def test_the_curve_is_delta_at_each_point_of_the_lattice(times):
    lattice = AdaptiveLattice(log(Exact(BASE)), PARTS, times)
    curve = lattice.curve()
    assert len(curve) == 2 * PARTS * times + 1
    for i, value in enumerate(curve[:-1]):
        alone = lattice.delta(log(Exact(BASE ** (i - PARTS * times))))
        assert value.lower <= alone.upper and alone.lower <= value.upper
        assert abs(value.upper - alone.upper) <= alone.upper / 10**12
    assert curve[-1].upper == 0  # beyond the largest loss
    assert curve[0].contains(1 - 1 / RANGE**times)


@mpmath.workdps(30)
def test_one_mechanism_has_its_closed_form_deep_in_its_tail():
    size, nats = Fraction(3), Fraction(299, 100)
    found = AdaptiveLattice(Exact(size / 3000), 3000, 1).delta(Exact(nats))
    root = mpmath.exp((mpf_of(nats) - mpf_of(size)) / 2)
    truth = (1 - root) ** 2 / (1 - mpmath.exp(-mpf_of(size)))
    assert mpf_of(found.lower) <= truth <= mpf_of(found.upper)
    assert found.width <= found.lower / 10


def test_where_doubles_end_the_enclosure_still_holds():
    """Beside the top of 400 losses δ is below 1e-308: in doubles it is 0."""
    found = AdaptiveLattice(Exact("1/2"), 2, 400).delta(Exact("799/2"))
    assert found.lower == 0 < found.upper
