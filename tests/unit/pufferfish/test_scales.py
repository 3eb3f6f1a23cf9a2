"""The scale of the noise: exact decays where the field holds them, balls elsewhere."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, decimal, precision
from exactdp.numbers.balls import endpoints
from exactdp.pufferfish import LaplaceScale
from tests.routes.reals import mpf_of

SUM = 1 + Exact.exp(1)


@pytest.mark.parametrize(
    ("scale", "gap", "expected"),
    [
        (LaplaceScale(2, Epsilon.log(3)), Fraction(2), Exact("1/3")),
        (LaplaceScale(2, Epsilon.log(3)), Fraction(1), None),
        (LaplaceScale(3, Epsilon.log("27/8")), Fraction(1), Exact("2/3")),
        (LaplaceScale(3, Epsilon.log("27/8")), Fraction(5, 7), None),
        (LaplaceScale(1, Epsilon(SUM * SUM)), Fraction(1, 2), 1 / SUM),
        (LaplaceScale(1, Epsilon.log(2)), Fraction(0), Exact(1)),
        (LaplaceScale(1, Epsilon.log(2)), Fraction(10**9), None),
        (LaplaceScale(1, Epsilon.log(2)), Fraction(1, 10**9), None),
        (LaplaceScale(3, Epsilon.rational("1/2")), Fraction(2), Exact.exp("-1/3")),
        (LaplaceScale.rational("1e-9"), Fraction(1, 7), Exact.exp(Fraction(-(10**9), 7))),
        (LaplaceScale.rational(Fraction(3, 2**70)), Fraction(1), Exact.exp(Fraction(-(2**70), 3))),
    ],
)
def test_decay(scale, gap, expected):
    assert scale.decay(gap) == expected
    with precision(128):
        ball = scale.decay_ball(gap)
    if expected is not None and gap < 5 and scale.distance > Fraction(1, 100):
        # Two routes to one number: e^{-gap/θ} by logarithms, and by roots and powers.
        lower, upper = endpoints(ball)
        assert lower <= expected <= upper


def test_theta_and_the_decay_by_mpmath():
    scale = LaplaceScale("5/2", Epsilon.log(3))
    with mpmath.workdps(40):
        theta = mpmath.mpf(5) / 2 / mpmath.log(3)
        assert decimal(scale.theta, digits=20) == mpmath.nstr(theta, 20, strip_zeros=False)
        with precision(100):
            lower, upper = endpoints(scale.decay_ball(Fraction(7, 3)))
        value = mpmath.exp(-mpmath.mpf(7) / 3 / theta)
        low, high = (mpf_of(e) for e in (lower, upper))
        assert low - mpmath.mpf(10) ** -35 < value < high + mpmath.mpf(10) ** -35
        assert high - low < mpmath.mpf(10) ** -27


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LaplaceScale(0, Epsilon.log(2)), "distance=0 is not positive"),
        (lambda: LaplaceScale(1, Epsilon.log(1)), "epsilon=0 is not positive"),
        (lambda: LaplaceScale(1, Epsilon.infinity()), "epsilon is infinite"),
        (lambda: LaplaceScale.rational(-1), "theta=-1 is not positive"),
        (lambda: LaplaceScale.rational(float("nan")), "theta=nan is not finite"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DomainError, match=words):
        make()
