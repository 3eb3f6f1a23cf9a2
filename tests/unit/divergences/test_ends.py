"""Ends of questions where another branch is taken: each answer by hand."""

from fractions import Fraction

import pytest

from exactdp.accounting import compose, composed_randomized_response, guarantee
from exactdp.divergences import Pair
from exactdp.divergences.dots import pairs_through
from exactdp.divergences.worst import Named
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.mechanisms import (
    Randomizer,
    discrete_laplace_mechanism,
    laplace_mechanism,
    modular_noise,
    skellam_mechanism,
    thresholded,
)
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.shuffle import Sandwich, Users, Victim, shuffle_view

DISJOINT = Pair.from_masses([0, 1], [1, 0])
ZERO = Epsilon.rational(0)


@pytest.mark.parametrize("threshold", [0, 3, 14])
def test_beside_a_pair_that_has_nothing_in_common(threshold):
    part = thresholded(laplace_mechanism(scale=4), threshold=threshold)
    for at in (ZERO, Epsilon.log(2), Epsilon.rational(9)):
        found = compose([(part, 1), (DISJOINT, 1)]).delta(at)
        assert found.lower <= 1 <= found.upper
        assert found.lower > Fraction(999, 1000)


def test_dots_of_laws_that_have_nothing_in_common():
    one = Enclosure(Fraction(1), Fraction(1))
    ends = (Fraction(1), Fraction(1))
    for found in pairs_through([Fraction(1, 2), Fraction(2)], [one, one], ends, unit=2**40):
        assert found.delta(Epsilon.log(7)) == 1


@pytest.mark.parametrize("delta", ["999/1000", "9999/10000", "99999/100000"])
@pytest.mark.parametrize("width", [None, "1e-2", "1/3"])
def test_a_delta_near_1_of_laws_nearby(delta, width):
    noise = modular_noise(discrete_laplace_mechanism(scale=4, sensitivity=3), modulus=9)
    found = noise.epsilon(delta, relative_width=width)
    assert (found.lower, found.upper) == (0, 0)


@pytest.mark.parametrize("width", [None, "1e-3", "1e-12"])
def test_a_delta_that_is_the_total_variation(width):
    """(3/4)^5 ... of five coins: 203/256 is δ(0), and a hair less is not."""
    five = compose([(guarantee(Epsilon.log(3), 0), 5)])
    whole = five.delta(ZERO)
    assert whole == Exact("203/256") == composed_randomized_response(Epsilon.log(3), 5).delta(ZERO)
    for profile in (
        five,
        five.reversed(),
        Pair.from_masses(["453/512", "59/512"], ["47/512", "465/512"]),
    ):
        found = profile.epsilon(profile.delta(ZERO), relative_width=width)
        assert (found.nats if isinstance(found, Epsilon) else found.upper) == 0
    less = five.epsilon(whole - Exact("1e-9"), relative_width=width)
    assert less > ZERO if isinstance(less, Epsilon) else less.lower > 0


def test_advice_is_what_was_tried():
    rows = [["1/8"] * x + ["1/2"] + ["1/8"] * (4 - x) for x in range(3)]
    rows.append(["3/16", "1/16", "1/4", "1/4", "1/4"])
    noise = Randomizer.from_matrix(rows)
    view = shuffle_view(Victim(noise), [Users(noise, x, 300) for x in (0, 2, 3)])
    with pytest.raises(TooLargeError, match=r"All that a relative_width gives is \[") as caught:
        view.delta(Epsilon.rational("1/2"))
    assert "pass relative_width" not in str(caught.value)
    found = view.delta(Epsilon.rational("1/2"), relative_width="1e-9")
    assert found.upper > 10 * found.lower


def test_noise_too_large_to_be_summed_is_refused_at_once():
    with pytest.raises(TooLargeError, match="deviation=10,000,000,000 of the noise"):
        skellam_mechanism(variance=10**20).delta(Epsilon.log(2), relative_width="1/4")


def test_the_largest_loss_between_two_profiles_in_nats():
    """Two that agree have it; where a real does not tell, it is undecided."""
    coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    same = Sandwich((Named("a", coin),), (Named("b", coin),))
    assert same.max_divergence() == Epsilon.log(3)
    many = composed_randomized_response(Epsilon.log(3), 10**7)
    with pytest.raises(UndecidedError, match="the largest ratio lies between"):
        Sandwich((Named("a", many),), (Named("b", many),)).max_divergence()
