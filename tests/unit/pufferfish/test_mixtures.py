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
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, decimal, enclosure
from exactdp.pufferfish import LaplaceMixturePair, LaplaceScale, sum_of_independent
from exactdp.truth import Truth

INTEGERS = st.integers(-4, 6)
bases = st.sampled_from([Fraction(2), Fraction(3, 2), Fraction(5, 4), Fraction(9)])
thetas = st.fractions("1/4", 5, max_denominator=7)


@st.composite
def laws(draw, points=INTEGERS):
    support = draw(st.lists(points, min_size=1, max_size=5, unique=True))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(support), max_size=len(support)))
    return {x: Fraction(w, sum(weights)) for x, w in zip(support, weights, strict=True)}


fine_laws = laws(st.fractions(-3, 3, max_denominator=4))


def pair_of(p, q, scale):
    return LaplaceMixturePair(FinitePmf(p), FinitePmf(q), scale)


def by_log(b):
    return LaplaceScale(1, Epsilon.log(b))


def density_in_fractions(law, b, s):
    """Return 2θ times the density at y = θ ln s."""
    return sum(mass * min(s / b**z, b**z / s) for z, mass in law.items())


def density(law, theta, y):
    """Return 2θ times the density in mpmath."""
    return sum(number(m) * mpmath.exp(-abs(y - number(z)) / theta) for z, m in law.items())


def number(x):
    return mpmath.mpf(x.numerator) / x.denominator


@given(laws(), laws(), bases)
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
        scale = number(theta)
        at_points = max(
            density(p, scale, number(z)) / density(q, scale, number(z)) for z in {*p, *q}
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
        values = {z: density(p, theta, number(z)) / density(q, theta, number(z)) for z in {*p, *q}}
        sup = max(values.values())
        slack = mpmath.mpf(10) ** -50
        assert number(around.lower) <= sup * (1 + slack)
        assert sup * (1 - slack) <= number(around.upper)
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
    assert pair.is_within(exp_epsilon=largest.ratio) is Truth.TRUE


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


def test_another_scale_for_the_same_laws():
    p, q = {0: Fraction(1, 3), 2: Fraction(2, 3)}, {1: Fraction(1)}
    pair = pair_of(p, q, by_log(2))
    pair.largest_ratio()
    other = pair.with_scale(by_log(7))
    assert other == pair_of(p, q, by_log(7))
    assert other.largest_ratio() == pair_of(p, q, by_log(7)).largest_ratio()


def test_long_laws():
    p = {x: Fraction(2 * (300 - x), 300 * 301) for x in range(300)}
    q = {x: Fraction(1, 300) for x in range(5, 305)}
    b = Fraction(6, 5)
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


@given(laws(), laws(), laws(), bases)
@settings(max_examples=60)
def test_other_users_never_hurt(p, q, others, b):
    alone = pair_of(p, q, by_log(b)).largest_ratio().ratio
    first, second = (sum_of_independent([FinitePmf(x), FinitePmf(others)]) for x in (p, q))
    assert LaplaceMixturePair(first, second, by_log(b)).largest_ratio().ratio <= alone


@given(laws(), laws(), bases)
@settings(max_examples=60)
def test_within_is_decided_at_the_worst_ratio_itself(p, q, b):
    pair = pair_of(p, q, by_log(b))
    worst = max(pair.largest_ratio().ratio, pair.reversed().largest_ratio().ratio)
    assert pair.is_within(exp_epsilon=worst) is Truth.TRUE
    assert pair.is_within(exp_epsilon=worst * (1 - Fraction(1, 10**60))) is Truth.FALSE
    assert pair.is_within(exp_epsilon=worst * (1 + Fraction(1, 10**60))) is Truth.TRUE
    # Beyond the balls' precision, by exact arithmetic.
    assert pair.is_within(exp_epsilon=worst * (1 - Fraction(1, 10**400))) is Truth.FALSE


def test_within_outside_the_field():
    # With e^{1/θ} = √3 and gaps of 1 the ratios are outside the field.
    scale, coin = LaplaceScale(2, Epsilon.log(3)), FinitePmf({0: "1/2", 1: "1/2"})
    shifted = pair_of(
        {0: Fraction(1, 2), 1: Fraction(1, 2)}, {2: Fraction(1, 2), 3: Fraction(1, 2)}, scale
    )
    # The loss of a shift by 2 is exactly 2/θ = ln 3.
    assert shifted.is_within(exp_epsilon=3) is Truth.TRUE
    assert shifted.is_within(exp_epsilon="2.999999") is Truth.FALSE
    # The worst ratio is 9/10 + 3/10 = 6/5, in the tail; that stays open, and nothing beside it.
    first = sum_of_independent([FinitePmf({2: "9/10", 0: "1/10"}), coin])
    second = sum_of_independent([FinitePmf.point(2), coin])
    pair = LaplaceMixturePair(first, second, scale)
    assert pair.is_within(exp_epsilon="6/5") is Truth.UNKNOWN
    assert pair.is_within(exp_epsilon="1.1999999") is Truth.FALSE
    assert pair.is_within(exp_epsilon="1.2000001") is Truth.TRUE


# --- hockey-stick ----------------------------------------------------------------------


def hockey_stick_by_quadrature(p, q, theta, gamma):
    """Integrate the positive part: zeros by bisection, smooth pieces by mpmath's quadrature."""

    def g(y):
        return (density(p, theta, y) - gamma * density(q, theta, y)) / (2 * theta)

    points = sorted({number(z) for z in {*p, *q}})
    total = theta * sum(max(g(z), mpmath.mpf(0)) for z in (points[0], points[-1]))
    for a, b in pairwise(points):
        low, high = a, b
        if g(a) * g(b) < 0:
            for _ in range(130):
                middle = (low + high) / 2
                low, high = (middle, high) if g(middle) * g(a) > 0 else (low, middle)
            pieces = [(a, low), (low, b)]
        else:
            pieces = [(a, b)]
        total += sum(mpmath.quad(g, piece) for piece in pieces if g((piece[0] + piece[1]) / 2) > 0)
    return total


@given(laws(), laws(), bases, st.sampled_from(["1/2", "1", "5/4", "2", "3"]))
@settings(max_examples=40)
def test_hockey_stick_against_quadrature(p, q, b, gamma):
    delta = pair_of(p, q, by_log(b)).hockey_stick_divergence(exp_epsilon=gamma)
    with mpmath.workdps(35):
        theta = 1 / mpmath.log(number(b))
        expected = hockey_stick_by_quadrature(p, q, theta, number(Fraction(gamma)))
        if isinstance(delta, Exact):
            assert abs(number(delta.as_fraction()) - expected) < 1e-25
        else:
            around = enclosure(delta, relative_bits=70)
            assert number(around.lower) - 1e-25 < expected < number(around.upper) + 1e-25


def test_hockey_stick_where_the_difference_vanishes_at_a_point():
    # At γ = f_p/f_q at the middle point no precision tells the sign of the difference there.
    p = {0: Fraction(1, 2), 2: Fraction(1, 4), 5: Fraction(1, 4)}
    q = {0: Fraction(1, 4), 2: Fraction(1, 4), 5: Fraction(1, 2)}
    b = Fraction(2)
    gamma = density_in_fractions(p, b, b**2) / density_in_fractions(q, b, b**2)
    for first, second, factor in ((p, q, gamma), (q, p, 1 / gamma)):
        delta = pair_of(first, second, by_log(b)).hockey_stick_divergence(exp_epsilon=factor)
        around = enclosure(delta, relative_bits=80)
        with mpmath.workdps(35):
            theta = 1 / mpmath.log(2)
            expected = hockey_stick_by_quadrature(first, second, theta, number(factor))
            assert number(around.lower) - 1e-25 < expected < number(around.upper) + 1e-25


def test_hockey_stick_at_its_ends():
    pair = pair_of({0: Fraction(1)}, {1: Fraction(1)}, by_log(4))
    assert pair.hockey_stick_divergence(exp_epsilon=4) == 0
    assert pair.hockey_stick_divergence(exp_epsilon=9) == 0
    assert pair.hockey_stick_divergence(exp_epsilon="1/4") == Fraction(3, 4)
    assert pair.hockey_stick_divergence(exp_epsilon=0) == 1
    assert (
        decimal(pair.hockey_stick_divergence(exp_epsilon=1), digits=20) == "0.50000000000000000000"
    )


def test_refusals():
    pair = pair_of({0: Fraction(1)}, {1: Fraction(1)}, by_log(4))
    with pytest.raises(DomainError, match="is an Epsilon"):
        pair.is_within(exp_epsilon=Epsilon.log(2))
    with pytest.raises(DomainError, match="is negative"):
        pair.hockey_stick_divergence(exp_epsilon=-1)
