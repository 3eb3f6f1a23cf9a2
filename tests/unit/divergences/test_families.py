"""Families of mechanisms: which parameter is left out, and what is made of each member."""

from fractions import Fraction
from functools import partial

import pytest

from exactdp.accounting import compose, dp_sgd
from exactdp.divergences import Family, Pair, calibrated
from exactdp.divergences.families import family_of
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    binomial_mechanism,
    bounded_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.numbers import Epsilon, Exact, sqrt
from exactdp.numbers.crossing import Slope

BUDGET = {"epsilon": Epsilon.rational(1), "delta": "1e-5"}


def composed(times, one):
    return compose([(one, times)])


def test_the_whole_meets_the_target():
    """Four uses of N(0, σ²) are one of σ/2, and two coins shown are one pair of coins."""
    one = calibrated(gaussian_mechanism, **BUDGET)
    four = calibrated(gaussian_mechanism, **BUDGET, within=partial(composed, 4))
    assert four.lower <= 2 * one.upper and 2 * one.lower <= four.upper
    found = calibrated(binomial_mechanism, **BUDGET, within=partial(composed, 2))
    assert found.lower == found.upper
    for count, meets in ((found.upper, True), (found.upper - 1, False)):
        twice = compose([(binomial_mechanism(trials=int(count)), 2)]).both_directions()
        assert (twice.delta(BUDGET["epsilon"], relative_width="1e-6").upper <= 1e-5) is meets


def test_both_directions_count():
    """P alone has an outcome, of mass 1/k; from Q, 1 − 2(1 − 1/k) is left at e^ε = 2."""

    def one_sided(k):
        return Pair.from_masses([1 / Exact(k), 1 - 1 / Exact(k)], [0, 1])

    def turned(k):
        return one_sided(k).reversed()

    at = Epsilon.log(2)
    for build, forward in ((one_sided, 7), (turned, 2)):
        family = Family(build, "k", argument=int)
        assert family.meeting(at, "1/7").upper == forward
        assert calibrated(family, epsilon=at, delta="1/7").upper == 7


def test_a_sensitivity_may_be_any_number():
    found = calibrated(laplace_mechanism, **BUDGET, sensitivity=sqrt(2))
    one = calibrated(laplace_mechanism, **BUDGET)
    assert Exact(found.lower) ** 2 <= 2 * Exact(one.upper) ** 2
    assert 2 * Exact(one.lower) ** 2 <= Exact(found.upper) ** 2


def test_a_growing_family_is_met_from_below():
    """δ(0) of randomized response is (e^ε0 − 1)/(e^ε0 + 1)."""

    def response(epsilon0):
        truth, lie = (1 / (1 + Exact.exp(sign * epsilon0)) for sign in (-1, 1))
        return Pair.from_masses([truth, lie], [lie, truth])

    family = Family(response, "epsilon0", slope=Slope.GROWING, at_most=Fraction(10))
    found = calibrated(family, epsilon=Epsilon.log(1), delta="1/2")  # e^ε0 = 3
    assert Exact.exp(found.lower) < 3 < Exact.exp(found.upper)
    few = family.within(partial(composed, 2))
    assert few.first(None, None) == 1  # a growing parameter is not begun lower


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: calibrated(dp_sgd, **BUDGET, noise_multiplier=1),
            "dp_sgd lacks sampling_probability and steps. Leave out",
        ),
        (
            lambda: calibrated(
                dp_sgd, **BUDGET, noise_multiplier=1, sampling_probability=1, steps=2
            ),
            "dp_sgd lacks nothing",
        ),
        (lambda: calibrated(print, **BUDGET), "print has no parameter in which delta"),
        (lambda: calibrated(laplace_mechanism, **BUDGET, size=1), "has no argument size"),
        (lambda: calibrated(bounded_laplace_mechanism, **BUDGET, upper=1), "needs results"),
        (lambda: calibrated(laplace_mechanism, epsilon=None, delta="1/2"), "of type NoneType"),
        (lambda: calibrated(gaussian_mechanism, epsilon=Epsilon.log(2), delta=0), "delta=0 must"),
        (
            lambda: calibrated(laplace_mechanism, epsilon=Epsilon.log(2), delta=1.5),
            "delta=3/2 must",
        ),
        (lambda: family_of(gaussian_mechanism, sigma=2), "lacks nothing"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(DomainError, match=words):
        call()


def test_what_is_known_of_a_member_is_not_known_of_the_whole():
    family = Family(
        lambda sigma: gaussian_mechanism(sigma=sigma),
        "sigma",
        known=lambda epsilon, delta: Exact(5),
    )
    assert calibrated(family, **BUDGET).upper == 5
    found = calibrated(family, **BUDGET, within=lambda one: one, relative_width="1e-3")
    assert Fraction("3.72") < found.lower < found.upper < Fraction("3.74")
