"""The truths of the twins themselves, by hand."""

from fractions import Fraction

from tests.routes.noise import gaussian_delta, laplace_delta, mpf_of
from tests.twins import definitions as d
from tests.twins import shown
from tests.twins.cells import CELLS, COIN_CELLS
from tests.twins.games import (
    Versus,
    adaptive,
    curve_of_groups,
    distinct,
    in_advance,
    type_two,
    value,
)

F = Fraction
ONE = F(1)
LEAKY = Versus((F(1, 2), F(1, 2)), (F(1), F(0)))


def test_a_coin_once_and_twice():
    assert value([[COIN_CELLS]], ONE) == (F(1, 2), F(1, 2))
    assert value([[COIN_CELLS], [COIN_CELLS]], F(2))[0] == F(9, 16) - 2 * F(1, 16)


def test_a_count_that_is_shown_beside_a_coin():
    # Who is alone is shown with probability 1/3: 1/3 + 2/3·(3/4 − 3/2·1/4) = 7/12.
    assert CELLS["thresholded: with a coin"].truth(ONE) == (F(7, 12), F(7, 12))


def test_below_0_it_is_what_gamma_lacks_to_1():
    assert value([[COIN_CELLS]], F(1, 4))[0] == F(3, 4)
    assert value([[LEAKY]], F(0))[0] == 1


def test_an_analyst_who_sees_the_coin_first_does_better():
    # At gamma = 2 either pair alone has 1/3 beside the coin. After heads (3/4, gamma is 2/3)
    # noise has 4/9, after tails (1/4, gamma is 6) it has 0, and who is alone 1/3.
    noise = Versus((F(2, 3), F(1, 3)), (F(1, 3), F(2, 3)))
    alone = Versus((F(1, 3), F(2, 3)), (F(0), F(1)))
    parts = [[noise, alone], [COIN_CELLS]]
    assert in_advance(parts, F(2)) == F(1, 3)
    assert adaptive(parts, F(2)) == F(3, 4) * F(4, 9) + F(1, 4) * F(1, 3)


def test_what_comes_from_doubles_is_on_both_sides_of_the_closed_form():
    for pair, delta in (
        (d.laplace().versus(1, 0), laplace_delta(1, mpf_of("1/2"))),
        (d.gaussian().versus(1, 0), gaussian_delta(1, mpf_of("1/2"))),
    ):
        gamma = F("1.6487212707001281468")
        low, high = value([[pair]], gamma)
        assert float(low) - 1e-9 <= delta <= float(high) + 1e-9
        assert high - low < F(1, 10**5)


def test_groups_of_two_of_a_coin():
    # (ln 3)-privacy twice: F(F(a)) has the slopes 9, 1, 1/9, and delta(ln 3) is 3/4 − 3/12.
    assert curve_of_groups([COIN_CELLS], 2)(F(3)) == F(1, 2)


def test_the_least_error_of_a_coin():
    assert type_two(COIN_CELLS, F(1, 8)) == F(5, 8)


def test_pairs_with_one_law_of_losses_are_one():
    assert len(distinct([COIN_CELLS, COIN_CELLS.swapped, LEAKY, LEAKY.swapped])) == 3


def test_a_poisson_sample_of_a_count_is_a_binomial_count():
    law = d.poisson(lambda data: tuple(F(int(len(data) == n)) for n in range(3)), F(1, 3))
    assert law((1, 1)) == (F(4, 9), F(4, 9), F(1, 9))
    halves = d.fixed_size(lambda data: (F(sum(data)),), 1)
    assert halves((0, 1)) == (F(1, 2),)


def test_discrete_laplace_has_masses_in_proportion_to_powers():
    law = d.geometric(F(1, 2), reach=2).law(0)
    assert law == (F(1, 6), F(1, 6), F(1, 3), F(1, 6), F(1, 12), F(1, 12))
    assert sum(shown.circle(F(1, 2), 5).values()) == 1
