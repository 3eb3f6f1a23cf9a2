"""Rounded, clamped and censored integer noise, and noise by its tail, beside sums of masses."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb

from exactdp.accounting import compose, group_profile, poisson_subsampled
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    clamped_noise,
    clamped_results,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    integer_noise,
    laplace_mechanism,
    log_concave_mechanism,
    rounded_noise,
    truncated_laplace_mechanism,
)
from exactdp.numbers import Epsilon
from tests.routes.laws import log_logistic
from tests.routes.reals import fraction_of

F = Fraction
NARROW = F(1, 10**10)
REACH = 60
GAMMAS = (F(1, 2), F(1), F(3, 2), F(9))

CASES = {
    "gaussian": (lambda: gaussian_mechanism(sigma="5/2"), lambda x: mpmath.ncdf(x, 0, 2.5)),
    "laplace": (
        lambda: laplace_mechanism(scale=2, sensitivity=7),
        lambda x: mpmath.exp(x / 2) / 2 if x < 0 else 1 - mpmath.exp(-x / 2) / 2,
    ),
    "logistic": (
        lambda: log_concave_mechanism(log_logistic, steepest=1),
        lambda x: 1 / (1 + mpmath.exp(-x)),
    ),
}


def masses(cdf):
    """Of the integers nearest to noise, mirrored, so that no tail cancels."""
    half = mpmath.mpf(1) / 2
    return {k: cdf(half - abs(k)) - cdf(-half - abs(k)) for k in range(-REACH, REACH + 1)}


def delta_of(p, q, gamma):
    with mpmath.workdps(40):
        at = mpmath.mpf(gamma.numerator) / gamma.denominator
        keys = p.keys() | q.keys()
        return fraction_of(mpmath.fsum(max(p.get(k, 0) - at * q.get(k, 0), 0) for k in keys))


def shifted(law, size):
    return {k + size: mass for k, mass in law.items()}


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("name", CASES)
def test_rounded_noise_is_the_sum_over_the_integers(name, size):
    make, cdf = CASES[name]
    one = rounded_noise(make(), sensitivity=size)
    with mpmath.workdps(40):
        law = masses(cdf)
        rest = F(1, 10**8)  # the tails of Laplace and logistic noise beyond the reach
        for gamma in GAMMAS:
            found = enclosed(one.delta(Epsilon.log(gamma)), NARROW)
            truth = delta_of(law, shifted(law, size), gamma)
            assert found.lower - rest <= truth <= found.upper + rest


def test_rounded_gaussian_noise_to_many_digits_and_composed():
    one = rounded_noise(gaussian_mechanism(sigma="5/2"))
    with mpmath.workdps(40):
        law = masses(CASES["gaussian"][1])
        found = one.delta(Epsilon.log(F(3, 2)), relative_width="1e-25")
        truth = delta_of(law, shifted(law, 1), F(3, 2))
        assert found.lower - F(1, 10**30) <= truth <= found.upper + F(1, 10**30)
        twice = compose([(one, 2)]).delta(Epsilon.log(2), relative_width="1e-5")
        at, pairs = 2, [(law[k], law.get(k - 1, 0)) for k in law]
        total = fraction_of(
            mpmath.fsum(max(a * c - at * b * d, 0) for a, b in pairs for c, d in pairs)
        )
        assert twice.lower <= total <= twice.upper


def test_it_goes_where_integer_noise_goes():
    one = rounded_noise(laplace_mechanism(scale=2))
    assert one.max_divergence() == Epsilon.rational("1/2")
    assert group_profile(one, 3).max_divergence() == Epsilon.rational("3/2")
    sample = poisson_subsampled(one, sampling_probability="1/4")
    at = Epsilon.rational(0)
    whole, part = (enclosed(x.delta(at), NARROW) for x in (one, sample))
    assert abs(part.lower - whole.lower / 4) < F(1, 10**9)
    user = group_profile(sample, 2)
    assert enclosed(user.delta(at), NARROW).lower > part.upper


def test_a_tail_of_geometric_noise_is_geometric_noise():
    mine = integer_noise(lambda k: arb(2) ** -k / 3, steepest=Epsilon.log(2), sensitivity=2)
    known = discrete_laplace_mechanism(rate=Epsilon.log(2), sensitivity=2)
    for gamma in (F(1), F(3, 2), F(3), F(4), F(5)):
        found = enclosed(mine.delta(Epsilon.log(gamma)), NARROW)
        assert found.lower <= known.delta(Epsilon.log(gamma)) <= found.upper
    assert mine.max_divergence() == known.max_divergence()


def geometric(k):
    return F(1, 3) * F(1, 2) ** abs(k)


def clamped_by_hand(x, upper):
    """Geometric noise on an input, moved into [0, U]; its tails beyond are 2/3 of the next mass."""
    law = {y: geometric(y - x) for y in range(1, upper)}
    law[0] = F(2, 3) * F(1, 2) ** x
    law[upper] = F(2, 3) * F(1, 2) ** (upper - x)
    assert sum(law.values()) == 1
    return law


@pytest.mark.parametrize(("upper", "size"), [(1, 1), (4, 1), (4, 2), (3, 5)])
@pytest.mark.parametrize("gamma", [F(1), F(3, 2), F(5, 2), F(7)])
def test_clamped_results_are_the_worst_of_all_inputs(upper, size, gamma):
    noise = discrete_laplace_mechanism(rate=Epsilon.log(2), sensitivity=size)
    found = clamped_results(noise, upper=upper).delta(Epsilon.log(gamma), relative_width="1e-9")
    laws = [clamped_by_hand(x, upper) for x in range(upper + 1)]
    truth = max(
        sum(max(p[y] - gamma * q[y], 0) for y in p)
        for x, p in enumerate(laws)
        for z, q in enumerate(laws)
        if abs(x - z) <= size
    )
    assert found.lower <= truth <= found.upper


@pytest.mark.parametrize(("radius", "size"), [(1, 1), (3, 1), (3, 2), (2, 5)])
@pytest.mark.parametrize("gamma", [F(1), F(3, 2), F(5, 2), F(8)])
def test_clamped_noise_is_the_worst_of_all_shifts(radius, size, gamma):
    noise = discrete_laplace_mechanism(rate=Epsilon.log(2), sensitivity=size)
    one = clamped_noise(noise, radius=radius)
    found = one.delta(Epsilon.log(gamma), relative_width="1e-9")
    law = {k: geometric(k) for k in range(1 - radius, radius)}
    law |= dict.fromkeys((-radius, radius), F(2, 3) * F(1, 2) ** radius)
    assert sum(law.values()) == 1
    truth = max(
        sum(max(law.get(k, 0) - gamma * law.get(k - s, 0), 0) for k in range(-20, 21))
        for s in range(-size, size + 1)
    )
    assert found.lower <= truth <= found.upper


def test_what_is_no_such_noise_is_refused():
    def broken(k):
        return arb(1) / (3 * (k + 1) ** 2)

    for call, said in (
        (lambda: integer_noise(broken).delta(Epsilon.rational("1/100")), "not log-concave"),
        (lambda: integer_noise(lambda k: arb(1) / 2).delta(1), "not below 1/6"),
        (lambda: rounded_noise(discrete_gaussian_mechanism(sigma=2)), "not continuous"),
        (lambda: rounded_noise(laplace_mechanism(scale="sqrt(2)")), "rational"),
        (lambda: rounded_noise(3), "noise=3 is of type int"),
        (lambda: rounded_noise(gaussian_mechanism(sigma=1), sensitivity=0), "sensitivity=0"),
        (lambda: clamped_results(gaussian_mechanism(sigma=1), upper=3), "IntegerNoise"),
        (lambda: clamped_noise(discrete_gaussian_mechanism(sigma=1), radius=0), "radius=0"),
    ):
        with pytest.raises(DomainError, match=said) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_noise_with_two_peaks_or_an_end_is_refused():
    """Of two peaks no half-line is the worst event; at an end there is an infinite loss."""

    def two_peaks(k):  # .1 at 0, .3 at 1 and −1
        return arb("0.45") if k == 0 else arb("0.15") * arb(3) ** -(k - 1)

    with pytest.raises(DomainError, match="are not log-concave"):
        integer_noise(two_peaks, steepest=Epsilon.log(3))
    with pytest.raises(DomainError, match=r"tail\(64\) is 0, so the noise has an end"):
        integer_noise(lambda k: arb("0.4") - arb("0.1") * k if k < 4 else arb(0))
    with pytest.raises(DomainError, match="has ends, and an infinite loss"):
        rounded_noise(truncated_laplace_mechanism(scale=1, radius=3))
    far = integer_noise(lambda k: arb(100 - k) / 201 if k < 100 else arb(0))
    with pytest.raises(DomainError, match="is 0, so the noise has an end"):
        far.delta(1, relative_width="1e-3")
