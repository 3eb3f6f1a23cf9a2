"""Two Laplace mixtures: against the densities themselves, in Fractions and in mpmath.

With e^{1/θ} = b and integer points, e^{-|y − z|/θ} is the smaller of s/b^z and b^z/s for s =
e^{y/θ}: so on a grid of rational s the densities are rational, at points between the support
points and far outside.
"""

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms import laplace_mechanism
from exactdp.numbers import Enclosure, Epsilon, Exact, Real, decimal, enclosure, log
from exactdp.pufferfish import LaplaceMixturePair, LaplaceScale, sum_of_independent
from exactdp.testing import fractions
from tests.routes.laws import laws_on
from tests.routes.reals import mpf_of

INTEGERS = st.integers(-4, 6)
bases = st.sampled_from([Fraction(2), Fraction(3, 2), Fraction(5, 4), Fraction(9)])
thetas = fractions(Fraction(1, 4), 5, max_denominator=7)


laws = laws_on(INTEGERS, most=5)
fine_laws = laws_on(fractions(-3, 3, max_denominator=4), most=5)


def pair_of(p, q, scale):
    return LaplaceMixturePair(FinitePmf(p), FinitePmf(q), scale)


def by_log(b):
    return LaplaceScale(1, Epsilon.log(b))


def density_in_fractions(law, b, s):
    """Return 2θ times the density at y = θ ln s."""
    return sum(mass * min(s / b**z, b**z / s) for z, mass in law.items())


def density(law, theta, y):
    """Return 2θ times the density in mpmath."""
    return sum(mpf_of(m) * mpmath.exp(-abs(y - mpf_of(z)) / theta) for z, m in law.items())


@given(laws, laws, bases)
@settings(max_examples=120)
def test_nothing_on_a_grid_is_larger_and_the_points_attain_it(p, q, b):
    largest = pair_of(p, q, by_log(b)).largest_ratio()
    assert isinstance(largest.ratio, Exact)
    sup = largest.ratio.as_fraction()

    def ratio(s):
        return density_in_fractions(p, b, s) / density_in_fractions(q, b, s)

    for z in range(-8, 10):
        for part in (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(6, 7)):
            assert ratio(b**z * (1 + part * (b - 1))) <= sup
    support = {*p, *q}
    assert set(largest.points) == {z for z in support if ratio(b**z) == sup}
    assert largest.points


@given(fine_laws, fine_laws, thetas)
@settings(max_examples=60)
def test_rational_scale_against_mpmath(p, q, theta):
    largest = pair_of(p, q, LaplaceScale.rational(theta)).largest_ratio()
    assert isinstance(largest.ratio, Exact)
    with mpmath.workdps(50):
        scale = mpf_of(theta)
        at_points = max(
            density(p, scale, mpf_of(z)) / density(q, scale, mpf_of(z)) for z in {*p, *q}
        )
        assert abs(mpmath.mpf(decimal(largest.ratio, digits=45)) / at_points - 1) < 1e-40
        slack = at_points * mpmath.mpf(10) ** -40
        for k in range(-45, 46):
            y = mpmath.mpf(k) / 9
            # The errors of mpmath at 50 digits are far below the slack.
            assert density(p, scale, y) / density(q, scale, y) <= at_points + slack


@given(fine_laws, fine_laws)
@settings(max_examples=40)
def test_outside_the_field_it_is_an_enclosure_of_the_same(p, q):
    # e^{1/θ} = 3 has roots of no order in the field.
    pair = pair_of(p, q, by_log(3))
    largest = pair.largest_ratio()
    around = enclosure(largest.ratio, relative_bits=120)
    with mpmath.workdps(60):
        theta = 1 / mpmath.log(3)
        values = {z: density(p, theta, mpf_of(z)) / density(q, theta, mpf_of(z)) for z in {*p, *q}}
        sup = max(values.values())
        slack = mpmath.mpf(10) ** -50
        assert mpf_of(around.lower) <= sup * (1 + slack)
        assert sup * (1 - slack) <= mpf_of(around.upper)
        assert all(abs(values[z] / sup - 1) < 1e-50 for z in largest.points)
    assert around.width * 2**100 < around.upper


def test_masses_in_powers_of_e():
    p = Exact.exp(1) / (1 + Exact.exp(1))
    first, second = FinitePmf({0: p, 2: 1 - p}), FinitePmf({0: 1 - p, 2: p})
    pair = LaplaceMixturePair(first, second, LaplaceScale.rational(2))
    t = Exact.exp(-1)
    largest = pair.largest_ratio()
    assert largest.ratio == (p + (1 - p) * t) / (1 - p + p * t)
    assert largest.points == (0,)
    assert pair.max_divergence() == Epsilon(largest.ratio)
    assert pair.delta(pair.max_divergence()) == 0


def test_a_base_that_is_a_polynomial_in_e():
    base = 1 + Exact.exp(1)
    pair = pair_of(
        {0: Fraction(1, 3), 1: Fraction(2, 3)}, {0: Fraction(1)}, LaplaceScale(1, Epsilon(base))
    )
    assert pair.largest_ratio().ratio == Fraction(1, 3) + Fraction(2, 3) * base


def test_ties():
    half = Fraction(1, 2)
    same = pair_of({0: half, 3: half}, {0: half, 3: half}, by_log(2))
    assert same.largest_ratio().ratio == 1
    assert same.largest_ratio().points == (0, 3)
    # Symmetric about 1: the outer points tie, exactly, in rationals and in powers of e.
    for scale in (by_log(2), LaplaceScale.rational("7/3")):
        sides = pair_of({0: half, 2: half}, {1: Fraction(1)}, scale)
        assert sides.largest_ratio().points == (0, 2)
        assert sides.reversed().largest_ratio().points == (1,)


def test_long_laws():
    p = {x: Fraction(2 * (300 - x), 300 * 301) for x in range(300)}
    q, b = {x: Fraction(1, 300) for x in range(5, 305)}, Fraction(6, 5)
    largest = pair_of(p, q, by_log(b)).largest_ratio()
    ratios = {
        z: density_in_fractions(p, b, b**z) / density_in_fractions(q, b, b**z)
        for z in range(0, 305, 8)
    }
    assert largest.ratio == ratios[0] == max(ratios.values())
    assert largest.points == (0,)


@given(fine_laws, fine_laws, thetas, thetas)
@settings(max_examples=60)
def test_more_noise_never_hurts(p, q, one, other):
    small, large = sorted([one, other])
    less, more = (pair_of(p, q, LaplaceScale.rational(t)).largest_ratio() for t in (large, small))
    assert less.ratio <= more.ratio


@given(laws, laws, laws, bases)
@settings(max_examples=60)
def test_other_users_never_hurt(p, q, others, b):
    alone = pair_of(p, q, by_log(b)).largest_ratio().ratio
    first, second = (sum_of_independent([FinitePmf(x), FinitePmf(others)]) for x in (p, q))
    assert LaplaceMixturePair(first, second, by_log(b)).largest_ratio().ratio <= alone


@given(laws, laws, bases)
@settings(max_examples=60)
def test_delta_vanishes_from_the_max_divergence_on_and_not_before(p, q, b):
    pair = pair_of(p, q, by_log(b))
    top = pair.max_divergence()
    assert pair.delta(top) == 0
    assert pair.delta(top + Epsilon.log(1 + Fraction(1, 10**60))) == 0
    if top.exp > 1:
        before = pair.delta(top - Epsilon.log(1 + Fraction(1, 10**60)), relative_width="1e-6")
        assert before.lower > 0 and before.upper < Fraction(1, 10**60)
        # Beyond the balls that search, by exact arithmetic.
        assert pair.delta(top - Epsilon.log(1 + Fraction(1, 10**400))) != 0
    # The other end: below minus the loss of the other direction, P never lies below e^eps Q.
    bottom = -pair.reversed().max_divergence()
    assert pair.delta(bottom) == 1 - bottom.exp
    both = pair.both_directions().max_divergence()
    assert both == max(top, pair.reversed().max_divergence())


def test_outside_the_field_the_ends_are_reals():
    # With e^{1/θ} = √3 and gaps of 1 the ratios are outside the field.
    scale, coin = LaplaceScale(2, Epsilon.log(3)), FinitePmf({0: "1/2", 1: "1/2"})
    # The worst ratio is 9/10 + 3/10 = 6/5, in the tail; nothing beside it stays open.
    first = sum_of_independent([FinitePmf({2: "9/10", 0: "1/10"}), coin])
    second = sum_of_independent([FinitePmf.point(2), coin])
    pair = LaplaceMixturePair(first, second, scale).reversed()
    assert isinstance(pair.max_divergence(), Real)
    around = enclosure(pair.max_divergence(), relative_bits=60)
    expected = enclosure(log(pair.largest_ratio().ratio), relative_bits=200)
    assert around.lower <= expected.lower <= expected.upper <= around.upper
    for gamma, has_some in (("1.1999999", True), ("1.2000001", False)):
        value = pair.both_directions().delta(Epsilon.log(gamma), relative_width="1e-3")
        assert (value.lower > 0) is has_some
        assert (value.upper > 0) is has_some


# --- hockey-stick ----------------------------------------------------------------------


def hockey_stick_by_quadrature(p, q, theta, gamma):
    """Integrate the positive part: zeros by bisection, smooth pieces by mpmath's quadrature."""

    def g(y):
        return (density(p, theta, y) - gamma * density(q, theta, y)) / (2 * theta)

    points = sorted({mpf_of(z) for z in {*p, *q}})
    total = theta * sum(max(g(z), mpmath.mpf(0)) for z in (points[0], points[-1]))
    for a, b in pairwise(points):
        low, high = a, b
        if g(a) * g(b) < 0:
            for _ in range(50):  # what is between both is as small as its square
                middle = (low + high) / 2
                low, high = (middle, high) if g(middle) * g(a) > 0 else (low, middle)
            pieces = [(a, low), (low, b)]
        else:
            pieces = [(a, b)]
        total += sum(mpmath.quad(g, piece) for piece in pieces if g((piece[0] + piece[1]) / 2) > 0)
    return total


@given(laws, laws, bases, st.sampled_from(["1/2", "1", "5/4", "2", "3"]))
@settings(max_examples=40)
def test_delta_against_quadrature(p, q, b, gamma):
    pair, epsilon = pair_of(p, q, by_log(b)), Epsilon.log(gamma)
    with mpmath.workdps(35):
        theta = 1 / mpmath.log(mpf_of(b))
        expected = hockey_stick_by_quadrature(p, q, theta, mpf_of(gamma))
        for around in (
            enclosed(pair.delta(epsilon), "1e-20"),
            pair.delta(epsilon, relative_width="1e-20"),
        ):
            assert around.width * 10**20 <= around.lower or around.width == 0
            assert mpf_of(around.lower) - 1e-25 < expected < mpf_of(around.upper) + 1e-25


def test_delta_where_the_difference_vanishes_at_a_point():
    # At γ = f_p/f_q at the middle point no precision tells the sign of the difference there.
    p = {0: Fraction(1, 2), 2: Fraction(1, 4), 5: Fraction(1, 4)}
    q = {0: Fraction(1, 4), 2: Fraction(1, 4), 5: Fraction(1, 2)}
    b = Fraction(2)
    gamma = density_in_fractions(p, b, b**2) / density_in_fractions(q, b, b**2)
    for first, second, factor in ((p, q, gamma), (q, p, 1 / gamma)):
        pair = pair_of(first, second, by_log(b))
        # In balls, and in the field: the difference has no zero inside an interval.
        around = pair.delta(Epsilon.log(factor), relative_width="1e-24")
        exact = pair.delta(Epsilon.log(factor))
        assert isinstance(exact, Exact) and around.contains(exact)
        with mpmath.workdps(35):
            theta = 1 / mpmath.log(2)
            expected = hockey_stick_by_quadrature(first, second, theta, mpf_of(factor))
            assert abs(mpf_of(exact.as_fraction()) - expected) < 1e-25


@pytest.mark.parametrize("nats", ["0", "1/7", "1", "5/4", "4/3", "2"])
def test_two_point_masses_are_the_laplace_mechanism(nats):
    pair = pair_of({5: Fraction(1)}, {3: Fraction(1)}, LaplaceScale.rational("3/2"))
    mechanism = laplace_mechanism(scale="3/2", sensitivity=2)
    epsilon = Epsilon.rational(nats)
    for direction in (pair, pair.reversed(), pair.both_directions()):
        assert direction.delta(epsilon) == mechanism.delta(epsilon)
    assert pair.max_divergence() == Epsilon.rational(mechanism.epsilon0.as_fraction())


def test_delta_by_hand():
    pair = pair_of({0: Fraction(1)}, {1: Fraction(1)}, by_log(4))
    assert isinstance(pair, PrivacyProfile)
    # 1 − √(γ/4): exact where the root is, a real elsewhere.
    assert pair.delta(Epsilon.log(1)) == Fraction(1, 2)
    assert pair.delta(Epsilon.log("9/4")) == Fraction(1, 4)
    assert decimal(pair.delta(Epsilon.log(2)), digits=12) == "0.292893218813"
    assert pair.delta(Epsilon.log("1/4")) == Fraction(3, 4)
    assert pair.delta(Epsilon.log(9), relative_width="1e-9") == Enclosure(Fraction(0), Fraction(0))
    # Half of P lies far from Q, and half is Q: at γ = 1 half of a Laplace mechanism's 3/4.
    half = {0: Fraction(1, 2), 4: Fraction(1, 2)}
    assert pair_of(half, {0: Fraction(1)}, by_log(2)).delta(Epsilon.log(1)) == Fraction(3, 8)


@given(laws, laws, bases)
@settings(max_examples=20)
def test_epsilon_of_delta_is_its_inverse(p, q, b):
    pair, delta = pair_of(p, q, by_log(b)), Exact("1/50")
    found = pair.epsilon(delta, relative_width="1e-6")
    assert isinstance(found, Enclosure)
    assert pair.delta(Epsilon.rational(found.upper), relative_width="1e-12").upper <= delta
    if found.upper > 0:
        assert pair.delta(Epsilon.rational(found.lower), relative_width="1e-12").lower > delta
        assert found.width * 10**6 <= found.lower
    else:
        assert pair.delta(Epsilon.log(1), relative_width="1e-12").upper <= delta


def test_epsilon_of_delta_of_the_laplace_mechanism():
    # 1 − e^{(ε − 2)/2} = 1/4: ε = 2 + 2 ln(3/4).
    pair = pair_of({0: Fraction(1)}, {2: Fraction(1)}, LaplaceScale.rational(1))
    found = pair.epsilon("1/4", relative_width="1e-12")
    expected = enclosure(2 + 2 * log(Fraction(3, 4)), relative_bits=100)
    assert found.lower <= expected.lower <= expected.upper <= found.upper


def test_refusals():
    pair = pair_of({0: Fraction(1)}, {1: Fraction(1)}, by_log(4))
    with pytest.raises(DomainError, match="of type list"):
        pair.delta([2])
    with pytest.raises(DomainError, match="epsilon is infinite"):
        pair.delta(Epsilon.infinity())
    with pytest.raises(DomainError, match="relative_width=2"):
        pair.delta(Epsilon.log(2), relative_width=2)
