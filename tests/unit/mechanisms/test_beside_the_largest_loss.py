"""δ at an ε that is hardly told from the largest loss, or is below the least: no formula there."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.accounting import compose, sampled
from exactdp.errors import UndecidedError
from exactdp.mechanisms import (
    bounded_laplace_mechanism,
    exponential_mechanism,
    laplace_mechanism,
)
from exactdp.numbers import Enclosure, Epsilon, Exact, Real, log
from exactdp.sums.counting.laplaces import copies_of_laplace
from tests.routes.reals import fraction_of, mpf_of

NARROW = Fraction(1, 10**3)
NOTHING = Enclosure(Fraction(0), Fraction(0))


def beside(ratio, bits, side):
    """A rational number 2^−bits or so above or below a number, given by a function of mpmath."""
    with mpmath.workprec(bits + 64):
        return fraction_of(ratio()) + side * Fraction(1, 2**bits)


def assert_encloses(found, truth, digits):
    """An mpf, of so many digits."""
    low, high = (fraction_of(truth * (1 + s * mpmath.mpf(10) ** -digits)) for s in (-1, 1))
    assert low <= found.upper and found.lower <= high
    assert found.lower > 0 and found.upper - found.lower <= found.lower * NARROW


# --- drawn again: no cells where inputs have no room --------------------------------


@pytest.mark.parametrize("power", [1, 10, 22, 25, 40, 60])
@pytest.mark.parametrize("upper", ["1/2", "1"])
def test_drawn_again_just_below_the_largest_loss(upper, power):
    """The pair of both ends: δ = (1 − w)²/(1 − e^(−U)), w = e^((ε − U)/2)."""
    gap = Fraction(1, 10**power)
    noise = bounded_laplace_mechanism(upper=upper, scale=1, results="redrawn")
    found = noise.delta(Epsilon.rational(Fraction(upper) - gap), relative_width=NARROW)
    with mpmath.workdps(200):
        w = mpmath.exp(-mpf_of(gap) / 2)
        top = mpf_of(upper)
        assert_encloses(found, (1 - w) ** 2 / (1 - mpmath.exp(-top)), 100)


# --- copies of Laplace noise: the closed form's domain ------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("scale", ["1", "3"])
@pytest.mark.parametrize("beyond", ["0", "1/100", "1", "7"])
def test_copies_at_or_below_the_least_loss_have_all(n, scale, beyond):
    epsilon = -n / Fraction(scale) - Fraction(beyond)
    composed = compose([(laplace_mechanism(scale=scale), n)])
    found = composed.delta(Epsilon.rational(epsilon), relative_width="1e-12")
    truth = 1 - Exact.exp(epsilon)
    assert found.lower <= truth <= found.upper if isinstance(found, Enclosure) else found == truth


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("share", ["1/100", "1/3", "1/2", "99/100", "1"])
def test_copies_obey_the_reversal_identity(n, share):
    """δ(−ε) = 1 − e^(−ε) + e^(−ε) δ(ε): one side is the mirror image of the other."""
    epsilon, width = n * Fraction(share), Fraction(1, 10**12)
    minus = copies_of_laplace(Exact(1), n, Exact(-epsilon), relative_width=width)
    plus = copies_of_laplace(Exact(1), n, Exact(epsilon), relative_width=width)
    g = Exact.exp(-epsilon)
    assert minus.lower <= 1 - g + g * plus.upper
    assert 1 - g + g * plus.lower <= minus.upper


def test_copies_beside_both_ends_of_the_domain():
    width = Fraction(1, 10**12)
    for n in (1, 2, 4):
        for gap in (Fraction(1, 2**40), Fraction(1, 2**5000)):
            below = copies_of_laplace(Exact(1), n, Exact(-n - gap), relative_width=width)
            above = copies_of_laplace(Exact(1), n, Exact(-n + gap), relative_width=width)
            full = 1 - Exact.exp(-n)
            assert abs(below.lower - above.lower) < Fraction(1, 10**10)
            assert below.lower <= 1 - Exact.exp(-n - gap) <= below.upper
            assert above.upper >= full - gap
            assert copies_of_laplace(Exact(1), n, Exact(n + gap), relative_width=width) == NOTHING


def test_copies_of_a_real_loss_that_is_not_told_from_epsilon():
    a = 1 / (1 / log(3))
    found = copies_of_laplace(a, 2, -log(9), relative_width=Fraction(1, 10**6))
    assert found.lower <= Fraction(8, 9) <= found.upper


# --- comparisons that give up ---------------------------------------------------------


def exp_one():
    return mpmath.exp(1)


def odds_of_a_half():
    """(1 − q + q e)/(1 − q + q/e) for q = 1/2: of a sample, one record replaced."""
    return (1 + mpmath.exp(1)) / (1 + mpmath.exp(-1))


LAPLACE = laplace_mechanism(scale=1)
REPLACED = sampled(LAPLACE, sampling_probability="1/2", neighbors="substitution")
CASES = [
    (LAPLACE, exp_one),
    (sampled(LAPLACE, sampling_probability="1/2"), lambda: (1 + mpmath.exp(1)) / 2),
    (REPLACED, odds_of_a_half),
    (exponential_mechanism(scale=2), exp_one),
    (bounded_laplace_mechanism(upper=1, scale=1, results="folded"), lambda: mpmath.cosh(1)),
    (bounded_laplace_mechanism(upper=1, scale=1, results="redrawn"), exp_one),
]


@pytest.mark.parametrize(("profile", "ratio"), CASES)
@pytest.mark.parametrize("bits", [300, 5000, 20_000])
def test_a_hair_above_the_largest_loss_is_nothing(profile, ratio, bits):
    at = Epsilon.log(beside(ratio, bits, 1))
    assert profile.delta(at, relative_width=NARROW) == NOTHING


@pytest.mark.parametrize(("profile", "ratio"), CASES)
@pytest.mark.parametrize("bits", [300, 5000, 20_000])
def test_a_hair_below_it_is_something(profile, ratio, bits):
    at = Epsilon.log(beside(ratio, bits, -1))
    found = profile.delta(at, relative_width=NARROW)
    assert 0 < found.lower <= found.upper <= found.lower * (1 + NARROW)
    # At least as small as the square of what e^ε lacks, or as itself; never far larger.
    assert Fraction(1, 2 ** (2 * bits + 8)) < found.lower < Fraction(1, 2 ** (bits - 8))


@pytest.mark.parametrize("bits", [300, 20_000])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_hair_beside_the_least_loss_is_all(bits, side):
    gamma = beside(lambda: mpmath.exp(-1), bits, side)
    for profile in (LAPLACE, exponential_mechanism(scale=2)):
        found = profile.delta(Epsilon.log(gamma), relative_width="1e-30")
        assert found.lower <= 1 - gamma + Fraction(1, 2**250)
        assert 1 - gamma <= found.upper + Fraction(1, 2**250)


def test_a_largest_loss_that_is_a_real_may_equal_epsilon():
    """ln 3 by another rule: δ is a number that is not told from 0, and never below it."""
    noise = laplace_mechanism(scale=1 / log(3))
    found = noise.delta(Epsilon.log(3))
    for bits in (64, 4096):
        ball = found.ball(bits)
        assert ball.overlaps(Exact(0).ball(bits)) and not ball < 0
        assert ball.rad() < Exact(Fraction(1, 2 ** (bits - 8))).ball(64)
    replaced = sampled(noise, sampling_probability="1/2", neighbors="substitution")
    ball = replaced.delta(Epsilon.log(3)).ball(256)
    assert ball.overlaps(Exact(0).ball(64)) and not ball < 0
    with pytest.raises(UndecidedError):
        noise.delta(Epsilon.log(3), relative_width=NARROW)
    # ε below −ε0, by reals.
    low = laplace_mechanism(scale=1 / log(3)).delta(-Epsilon.log(3), relative_width="1e-12")
    assert low.contains(Fraction(2, 3))


def test_where_a_formula_ends_is_asked_for_before_it_is_used():
    """A largest loss that is a real: ε beside it at 2^−20000 is refused, not answered."""
    noise = bounded_laplace_mechanism(upper="1000/1001", scale="1/1000", results="folded")
    top = noise.max_divergence()
    assert isinstance(top, Real)
    with mpmath.workprec(30_000):
        u = mpmath.mpf(1000 * 1000) / 1001
        shift = u  # the sensitivity is 1, more than the range
        ratio = mpmath.exp(shift) * (1 + mpmath.exp(-2 * u)) / 2
        at = Epsilon.log(fraction_of(ratio) * (1 + Fraction(1, 2**20_000)))
    with pytest.raises(UndecidedError, match="epsilon cannot be told from the largest loss"):
        noise.delta(at, relative_width=NARROW)
    assert noise.delta(at + Epsilon.rational("1e-9"), relative_width=NARROW) == NOTHING
