"""Copies of one Laplace mechanism: the closed form against integrals and the transform."""

from fractions import Fraction
from functools import partial

import mpmath
import pytest

from exactdp.accounting import compose
from exactdp.errors import TooLargeError
from exactdp.mechanisms import laplace_mechanism
from exactdp.numbers import Epsilon, Exact, log
from exactdp.sums import LossSum
from exactdp.sums.counting.laplaces import copies_of_laplace
from exactdp.sums.laws.transforms import LossTransform
from exactdp.sums.lines.contours import Inversion
from tests.routes.noise import laplace_delta, with_laplace
from tests.routes.reals import mpf_of

NARROW = Fraction(1, 10**25)


@pytest.mark.parametrize("a", ["1/3", "1", "7/2"])
@pytest.mark.parametrize("share", ["-2/3", "0", "1/5", "9/10"])
def test_two_and_three_copies_from_the_definition(a, share):
    with mpmath.workdps(20):
        top = mpf_of(a)
        # Of one copy in closed form, so that integrals are of one variable.
        one = partial(laplace_delta, 1 / top)
        for n, truth in ((1, one), (2, with_laplace(one, 1 / top))):
            epsilon = Fraction(share) * n * Fraction(a)
            found = copies_of_laplace(Exact(a), n, Exact(epsilon), relative_width=NARROW)
            want = truth(mpf_of(epsilon))
            middle = (found.lower + found.upper) / 2
            assert mpmath.almosteq(mpf_of(middle), want, rel_eps=1e-15)


@pytest.mark.parametrize("n", [100, 300])
@pytest.mark.parametrize("share", ["0", "1/4", "1/2"])
def test_many_copies_against_the_transform(n, share):
    law = laplace_mechanism(scale=3).loss_law()
    epsilon = Fraction(share) * n / 3
    other = Inversion.of([(LossTransform.of(law), n)])
    want = other.mean_excess(Exact(epsilon), relative_width=Fraction(1, 10**6))
    found = copies_of_laplace(Exact("1/3"), n, Exact(epsilon), relative_width=NARROW)
    assert want.lower <= found.lower <= found.upper <= want.upper
    assert found.upper - found.lower <= NARROW * found.lower


def test_at_the_ends():
    """Just below the largest loss all depends on the last term; at an atom no term is missing."""
    tiny = Fraction(1, 10**40)
    found = copies_of_laplace(Exact(2), 3, Exact(6 - tiny), relative_width=NARROW)
    # P(L > 6 − t) is about P(L = 6) = 1/8, and δ its mean of 1 − e^(−t).
    assert Fraction(124, 1000) * tiny < found.lower < found.upper < Fraction(126, 1000) * tiny
    near = [
        copies_of_laplace(Exact(2), 3, Exact(2 + shift), relative_width=NARROW)
        for shift in (-tiny, Fraction(0), tiny)
    ]
    assert near[2].lower <= near[1].upper and near[1].lower <= near[0].upper
    assert near[0].upper - near[2].lower < 3 * NARROW


def test_irrational_parameters_directions_and_more_copies():
    one = laplace_mechanism(scale=log(2))
    losses = compose([(one, 10)])
    found = losses.delta(Epsilon.log(100), relative_width="1e-30")
    assert found == losses.reversed().delta(Epsilon.log(100), relative_width="1e-30")
    assert found.upper - found.lower <= found.lower / 10**30
    with pytest.raises(TooLargeError, match="301 copies"):
        copies_of_laplace(Exact(1), 301, Exact(5), relative_width=NARROW)
    many = LossSum(((laplace_mechanism(scale=1).loss_law(), 301),))
    assert many.delta(Epsilon.rational(60), relative_width=Fraction(1, 10**6)).lower > 0
