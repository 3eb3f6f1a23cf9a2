"""Rényi and Kullback-Leibler divergences."""

from fractions import Fraction

import pytest

from exactdp.divergences import Pair, kl_divergence, renyi_divergence, renyi_moment
from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Epsilon, Exact, Real, enclosure, log, sqrt
from exactdp.numbers.arguments import number

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
SAME = Pair.from_masses(["1/3", "2/3", 0], ["1/3", "2/3", 0])
E = Exact.exp(1)
E_COIN = Pair.from_masses([E / (1 + E), 1 / (1 + E)], [1 / (1 + E), E / (1 + E)])


def test_moments():
    assert renyi_moment(COIN, order=3) == Exact("61/9")  # 27/4 + 1/36
    assert renyi_moment(SAME, order=7) == 1
    assert renyi_moment(Pair.from_masses([1, 0], ["1/4", "3/4"]), order=3) == 16
    assert renyi_moment(E_COIN, order=2) == (E**2 + 1 / E) / (1 + E)


def test_divergence_is_exact_where_its_moment_is_a_power_of_e():
    assert renyi_divergence(SAME, order=5) == 0
    assert renyi_divergence(SAME, order="5/2") == 0
    # P is a point with Q-mass e^-3, so every order gives 3 nats.
    point = Pair.from_masses([1, 0], [Exact.exp(-3), 1 - Exact.exp(-3)])
    assert renyi_divergence(point, order=2) == 3
    assert renyi_divergence(point, order=4) == 3
    assert kl_divergence(point) == 3


def test_fractional_order_of_a_point_mass_encloses_the_exact_answer():
    point = Pair.from_masses([1, 0], [Exact.exp(-3), 1 - Exact.exp(-3)])
    divergence = renyi_divergence(point, order=Fraction(7, 3))
    assert isinstance(divergence, Real)
    assert enclosure(divergence, relative_bits=200).contains(3)


def test_an_order_written_as_a_fraction_that_is_whole():
    assert (
        repr(renyi_divergence(COIN, order=Fraction(4, 2))) == "Real(0.84729786038720361: log(7/3))"
    )


def test_kl_is_exact_for_powers_of_e():
    assert kl_divergence(SAME) == 0
    assert kl_divergence(E_COIN) == (E - 1) / (E + 1)


@pytest.mark.parametrize(
    "divergence",
    [
        kl_divergence,
        lambda pair: renyi_moment(pair, order=2),
        lambda pair: renyi_divergence(pair, order=2),
        lambda pair: renyi_divergence(pair, order="3/2"),
    ],
)
def test_infinite_divergences_are_refused(divergence):
    pair = Pair.from_masses(["1/10", "9/10"], [0, 1])
    with pytest.raises(DomainError, match="is infinite: P has mass 1/10 where Q has none"):
        divergence(pair)
    divergence(pair.reversed())


@pytest.mark.parametrize("order", [1, 0, -2, True, Fraction(5, 2)])
def test_bad_order_of_a_moment(order):
    with pytest.raises(DomainError, match="is not an integer that is at least 2"):
        renyi_moment(COIN, order=order)


@pytest.mark.parametrize("order", [1, 0, -3])
def test_bad_order_of_a_divergence(order):
    with pytest.raises(DomainError, match="must be above 0 and not 1"):
        renyi_divergence(COIN, order=order)


def test_float_order():
    with pytest.raises(DomainError, match="is not finite"):
        renyi_divergence(COIN, order=float("nan"))


@pytest.mark.parametrize("order", ["sqrt(2)", sqrt(2), log(5), "e", Exact.exp("1/3")])
def test_an_order_that_is_not_rational_has_an_enclosure(order):
    """For Gaussian noise it is half the order; of a pair that of a rational order beside it."""
    nats = gaussian_mechanism(sigma=1).renyi(order)
    value = number(order, name="order")
    assert nats.width < Fraction(1, 10**12)
    assert abs(float(value) / 2 - float(nats.lower)) < 1e-12
    near = COIN.renyi(Fraction(float(value)))
    assert abs(float(near) - float(COIN.renyi(order).lower)) < 1e-12
    half = COIN.renyi(order, relative_width="1/10")
    assert half.lower <= COIN.renyi(order).upper and COIN.renyi(order).lower <= half.upper


def test_an_order_out_of_range_is_named():
    with pytest.raises(DomainError, match=r"^order=sqrt\(2\) - 3 must be above 0 and not 1"):
        COIN.renyi("sqrt(2) - 3")
    assert Pair.from_masses(["1/2", "1/2"], [1, 0]).renyi("sqrt(2)") == Epsilon.infinity()
