"""The smallest scale: against bisection in mpmath, closed forms, and its own two ends."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, enclosure, log
from exactdp.pufferfish import (
    LaplaceMixturePair,
    LaplaceScale,
    MultiUserSystem,
    Others,
    Secret,
    User,
    line_law,
    smallest_scale,
    smallest_scale_over_systems,
    wasserstein_infinity,
)
from exactdp.testing import fractions
from tests.routes.laws import laws_on
from tests.routes.reals import mpf_of

EPSILONS = [Epsilon.rational("1/2"), Epsilon.rational(1), Epsilon.log(2), Epsilon.log(5)]
epsilons = st.sampled_from(EPSILONS)

TABLE_2 = [
    ["0.01", "0.04", "0.1", "0.2", "0.65"],
    ["0.7", "0.2", "0.05", "0.04", "0.01"],
    ["0.2", "0.2", "0.2", "0.2", "0.2"],
]
"""Ding et al. 2025: the reports 1, ..., 5 of users 1, 2 and 3."""


def row(masses):
    return line_law(dict(zip(range(1, 6), masses, strict=True)))


P4, Q4 = row(["0.4", "0.1", "0", "0.1", "0.4"]), row(["0", "0.05", "0.9", "0.05", "0"])


laws = laws_on(st.one_of(st.integers(-3, 4).map(Fraction), fractions(-2, 2, max_denominator=3)))


def loss_by_mpmath(p, q, theta):
    """Return the larger loss of the two directions, over all support points, in nats."""

    def density(law, y):
        return sum(mpf_of(m) * mpmath.exp(-abs(mpf_of(y - z)) / theta) for z, m in law.items())

    return max(abs(mpmath.log(density(p, y) / density(q, y))) for y in {*p, *q})


def plain(law):
    return {Fraction(x): m.as_fraction() for x, m in law.masses.items() if m}


@given(laws, laws, epsilons)
@settings(max_examples=30)
def test_the_two_ends_by_mpmath(p, q, epsilon):
    theta = smallest_scale([(FinitePmf(p), FinitePmf(q))], epsilon=epsilon, relative_width="1e-15")
    nats = enclosure(epsilon.nats, relative_bits=150)
    with mpmath.workdps(45):
        bound, slack = mpf_of(nats.lower), mpmath.mpf(10) ** -35
        if theta.upper == 0:
            # Every scale attains it: a very small one, too.
            assert loss_by_mpmath(p, q, mpmath.mpf(1) / 1000) <= bound + slack
            return
        assert theta.width * 10**15 <= theta.lower
        assert loss_by_mpmath(p, q, mpf_of(theta.upper)) <= bound + slack
        assert loss_by_mpmath(p, q, mpf_of(theta.lower)) > bound - slack
    worst = Exact(wasserstein_infinity(FinitePmf(p), FinitePmf(q)))
    # W_infinity / epsilon attains, so the smallest scale is not above it.
    assert theta.lower <= enclosure(worst / epsilon.nats).upper


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_binary_user_who_may_be_absent(epsilon):
    # p e^{1/θ} + (1 − p) = e^ε, which Ding et al. 2025, (15) solve for θ.
    p = Fraction(1, 3)
    closed_form = 1 / log((epsilon.exp - (1 - p)) / p)
    coin = FinitePmf({0: 1 - p, 1: p})
    theta = smallest_scale([(coin, FinitePmf.point(0))], epsilon=epsilon)
    expected = enclosure(closed_form, relative_bits=200)
    assert theta.lower <= expected.lower
    assert expected.upper <= theta.upper
    assert theta.width * 10**18 <= theta.upper


@pytest.mark.parametrize("others", Others)
def test_table_2(others):
    users = [User(row(masses), presence="9/10") for masses in TABLE_2]
    system = MultiUserSystem([*users, User(P4)], others)
    epsilon = Epsilon.rational(1)
    for first, second, far in [
        (Secret.value(5), Secret.value(3), 2),
        (Secret.value(5), Secret.absent(), 5),
        (Secret.follows(P4), Secret.absent(), 5),
        (Secret.follows(P4), Secret.follows(Q4), 2),
    ]:
        pair = system.pair(3, first, second)
        assert wasserstein_infinity(*pair) == far
        theta = smallest_scale([pair], epsilon=epsilon, relative_width="1e-13")
        alone = smallest_scale_over_systems(first, second, epsilon=epsilon, relative_width="1e-13")
        with mpmath.workdps(40):
            slack = mpmath.mpf(10) ** -30
            assert loss_by_mpmath(*map(plain, pair), mpf_of(theta.upper)) <= 1 + slack
            assert loss_by_mpmath(*map(plain, pair), mpf_of(theta.lower)) > 1 - slack
        assert theta.width * 10**12 < theta.upper
        assert theta.lower <= alone.upper


@given(laws, laws, laws, st.sampled_from(list(Others)), epsilons)
@settings(max_examples=25)
def test_no_system_needs_more_than_the_user_alone(p, q, other, others, epsilon):
    system = MultiUserSystem([User(FinitePmf(other), presence="2/3"), User(FinitePmf(p))], others)
    first, second = Secret.follows(FinitePmf(p)), Secret.follows(FinitePmf(q))
    alone = smallest_scale_over_systems(first, second, epsilon=epsilon, relative_width="1e-12")
    pair = system.pair(1, first, second)
    assert smallest_scale([pair], epsilon=epsilon, relative_width="1e-12").lower <= alone.upper
    # Certified: the scale for all systems attains epsilon in this one.
    if alone.upper > 0:
        mixtures = LaplaceMixturePair(*pair, LaplaceScale.rational(alone.upper))
        assert mixtures.both_directions().max_divergence() <= epsilon
    # Others who report a constant change nothing.
    constant = MultiUserSystem([User(FinitePmf.point(7)), User(FinitePmf(p))])
    with_constant = smallest_scale(
        [constant.pair(1, first, second)], epsilon=epsilon, relative_width="1e-12"
    )
    assert with_constant.lower <= alone.upper
    assert alone.lower <= with_constant.upper


def test_several_pairs_need_the_largest():
    near = FinitePmf.point(0), FinitePmf.point(1)
    far = FinitePmf.point(0), FinitePmf.point(-3)
    theta = smallest_scale([near, far], epsilon=Epsilon.rational(1))
    assert theta.contains(3)


def test_no_noise_is_needed():
    # At ε = ln 2 the finite laws already have ratios 2; at less than that they have not.
    p, q = FinitePmf({0: "1/3", 1: "2/3"}), FinitePmf({0: "2/3", 1: "1/3"})
    assert smallest_scale([(p, q)], epsilon=Epsilon.log(2)).upper == 0
    for gamma in (Fraction("1.999999"), 2 - Fraction(1, 10**40)):
        assert smallest_scale([(p, q)], epsilon=Epsilon.log(gamma)).lower > 0
    # Ratios 3/2 one way and 2 the other: both count, in either order.
    p, q = FinitePmf({0: "3/4", 1: "1/4"}), FinitePmf({0: "1/2", 1: "1/2"})
    for pair in ((p, q), (q, p)):
        assert smallest_scale([pair], epsilon=Epsilon.log("1.8")).lower > 0
        assert smallest_scale([pair], epsilon=Epsilon.log(2)).upper == 0


def test_laplace_noise_splits_into_less_noise_and_the_rest():
    # The identity of characteristic functions behind monotonicity, at random rationals.
    for a, b, s in [(1, 2, 3), (Fraction(1, 3), Fraction(7, 2), Fraction(5, 11)), (2, 9, 1)]:
        keep = Fraction(a * a) / (b * b)
        rest = keep + (1 - keep) / (1 + b * b * s * s)
        assert 1 / (1 + Fraction(a * a * s * s)) * rest == 1 / (1 + Fraction(b * b * s * s))


def test_a_scale_that_is_exactly_the_charge():
    # Two constants: θ* = W/ε, which attains ε by the triangle inequality, and nothing below.
    pair = FinitePmf.point(3), FinitePmf.point(0)
    assert smallest_scale([pair], epsilon=Epsilon.rational("1/10")).upper == 30


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: smallest_scale([], epsilon=Epsilon.log(2)), "pairs is empty"),
        (lambda: smallest_scale([], epsilon=Epsilon.log(1)), "epsilon=0 is not positive"),
        (lambda: smallest_scale([], epsilon=Epsilon.infinity()), "epsilon is infinite"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DomainError, match=words):
        make()
