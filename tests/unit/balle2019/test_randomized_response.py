"""The numbers of L and of the blanket in k, against the rows of k-ary randomized response."""

from fractions import Fraction

import pytest

from exactdp.claims import value
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact
from proofs_check.balle2019.randomizers import blanket_of, loss, moments
from proofs_check.balle2019.trials.amplification import of_k_rr
from proofs_check.balle2019.trials.blanket import blanket_of_k_rr


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("x", [Fraction(3), Fraction(3, 2)])
def test_l_of_all_messages_has_the_moments_that_are_claimed_in_k(k, x):
    rows = randomized_response(k, Epsilon.log(x)).rows
    for e in (Exact(1), Exact.exp("1/2")):
        found = moments(loss(rows, (0, 1), e))
        claimed = [value(relation.left) for relation in of_k_rr(k, x, e)]
        assert claimed == [found[name] for name in ("maximum", "width", "second_moment")]


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [Epsilon.log(3), Epsilon.rational(1), Epsilon.log(1)])
def test_the_least_masses_are_one_number_k_times(k, epsilon):
    gamma, omega = blanket_of(randomized_response(k, epsilon).rows)
    _, claimed = blanket_of_k_rr(k, epsilon.exp)
    assert value(claimed.left) == gamma
    assert set(omega) == {Exact(1) / k}
