"""Batches with replacement, samples that are cut: formulas by mpmath, real neighbors below."""

from fractions import Fraction
from math import comb

import mpmath
import pytest

from exactdp.accounting import (
    CertifiedPLD,
    cut_poisson_sampled,
    gaussian_mixture,
    sampled,
    sampled_with_replacement,
)
from exactdp.divergences.worst import Bounds
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon
from exactdp.testing import assert_never_above_truth, assert_never_below_truth
from tests.routes.reals import mpf_of

mp = mpmath.mp
RATIOS = ["1/3", "9/10", "1", "11/10", "3"]


def delta_of(profile, ratio):
    found = profile.delta(Epsilon.log(ratio), relative_width="1e-20")
    return mpf_of(found.lower), mpf_of(found.upper)


def normal(shift, sigma, gamma):
    """H_γ of N(shift, σ²) and N(0, σ²)."""
    mu = shift / sigma
    eps = mpmath.log(gamma)
    return mpmath.ncdf(mu / 2 - eps / mu) - gamma * mpmath.ncdf(-mu / 2 - eps / mu)


def laplace(shift, scale, gamma):
    """H_γ of two Laplace laws, γ > 0."""
    size, eps = shift / scale, mpmath.log(gamma)
    if eps >= size:
        return mpmath.mpf(0)
    if eps <= -size:
        return 1 - gamma
    return 1 - mpmath.exp((eps - size) / 2)


def of_part(stick, shift, scale, rate, gamma):
    """The profile of a batch of fixed size, both branches."""
    if gamma < 1:
        return 1 - gamma + gamma * of_part(stick, shift, scale, rate, 1 / gamma)
    return rate * stick(shift, scale, 1 + (gamma - 1) / rate)


def binomial(n, k, p):
    return comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize(("drawn", "records"), [(1, 7), (3, 4), (6, 5), (4, 1000)])
@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
def test_draws_with_replacement_are_the_formula(kind, drawn, records):
    noise = gaussian_mechanism(sigma=2) if kind == "gaussian" else laplace_mechanism(scale=2)
    stick = normal if kind == "gaussian" else laplace
    one = sampled_with_replacement(noise, drawn=drawn, records=records)
    with mp.workdps(50):
        p = mpmath.mpf(1) / records
        rate = 1 - (1 - p) ** drawn
        for ratio in RATIOS:
            low, high = delta_of(one, ratio)
            gamma = mpf_of(Fraction(ratio))
            truth = sum(
                binomial(drawn, k, p) / rate * of_part(stick, 2 * k, 2, rate, gamma)
                for k in range(1, drawn + 1)
            )
            assert truth <= high * (1 + mpmath.mpf(10) ** -18)
            assert low <= truth * (1 + mpmath.mpf(10) ** -17)  # η is rounded up, and tails lost


def test_draws_with_replacement_are_above_neighbors_however_often():
    """All others add −1, and x adds 1 or −1: so 2k with the binomial law of k, unseen."""
    m, n = 5, 20
    p = Fraction(1, n)
    shares = [binomial(m, k, p) for k in range(m + 1)]
    noise = gaussian_mechanism(sigma=3)
    real = gaussian_mixture(
        sigma=3, sensitivities=[2 * k for k in range(m + 1)], probabilities=shares
    )
    ours = sampled_with_replacement(noise, drawn=m, records=n)
    for times, epsilon in ((1, "1/10"), (1, "1/2"), (8, "1")):
        below, above = (
            CertifiedPLD.from_parts([(one, times)]).delta(
                Epsilon.rational(epsilon), relative_width="1e-2"
            )
            for one in (real, ours)
        )
        assert above.upper / 2 < below.lower < above.upper


def test_draws_that_tell_nothing_or_all():
    noise = laplace_mechanism(scale=5)
    nothing = sampled_with_replacement(noise, drawn=0, records=9)
    assert nothing.max_divergence() == Epsilon.rational(0)
    alone = sampled_with_replacement(noise, drawn=3, records=1)
    assert alone.max_divergence() == Epsilon.rational("6/5")
    often = sampled_with_replacement(gaussian_mechanism(sigma=1000), drawn=60, records=2)
    assert 0 < often.delta(Epsilon.log(1), relative_width="1e-9").lower < Fraction(1, 20)
    with pytest.raises(TooLargeError, match="Draw fewer"):
        sampled_with_replacement(noise, drawn=10**6, records=10)
    with pytest.raises(DomainError, match="records=0"):
        sampled_with_replacement(noise, drawn=1, records=0)


# --- samples that are cut ---------------------------------------------------------


def seen(sigma, rate, others, most, gamma, *, adds=False):
    """Removing a record, each number of others seen: the mixture that the bound groups."""
    total = mpmath.mpf(0)
    for r in range(others + 1):
        share, shift = (rate, 1) if r < most else (rate * most / mpmath.mpf(r + 1), 2)
        total += binomial(others, r, rate) * on_sample(shift, sigma, share, gamma, adds=adds)
    return total


def on_sample(shift, sigma, rate, gamma, *, adds):
    """(1 − q)N(0) + qN(shift) against N(0), or the reverse, in closed form."""
    if adds:
        left = 1 - gamma * (1 - rate)
        return left * normal(shift, sigma, gamma * rate / left) if left > 0 else mpmath.mpf(0)
    kept = gamma - 1 + rate
    return rate * normal(shift, sigma, kept / rate) if kept > 0 else 1 - gamma


@pytest.mark.parametrize("most", [2, 5, 9, 11])
@pytest.mark.parametrize("adds", [False, True])
def test_samples_that_are_cut_are_above_each_size_seen_and_near(most, adds):
    one = cut_poisson_sampled(
        gaussian_mechanism(sigma="3/2"), sampling_probability="1/4", records=12, at_most=most
    )
    one = one.reversed() if adds else one
    with mp.workdps(50):
        for ratio in RATIOS:
            _, high = delta_of(one, ratio)
            gamma = mpf_of(Fraction(ratio))
            truth = seen(mpmath.mpf(3) / 2, mpmath.mpf(1) / 4, 11, most, gamma, adds=adds)
            assert truth <= high * (1 + mpmath.mpf(10) ** -18)
            assert high <= truth * (2 if most < 5 else mpmath.mpf("1.1"))


def test_samples_that_are_cut_are_above_neighbors():
    """All others add −1, so that a sum shows how many there are only through noise."""
    sigma, rate, others, most = 1.0, 0.5, 5, 2
    one = cut_poisson_sampled(
        gaussian_mechanism(sigma=1), sampling_probability="1/2", records=6, at_most=most
    )

    def density(x, *, with_record):
        found = mpmath.mpf(0)
        for r in range(others + 1):
            share = binomial(others, r, rate)
            kept = rate * min(1, most / (r + 1)) if with_record else 0
            found += share * (1 - kept) * mpmath.npdf(x, -min(r, most), sigma)
            found += share * kept * mpmath.npdf(x, 1 - (min(r + 1, most) - 1), sigma)
        return found

    for ratio in ("3/2", "3"):
        gamma = mpf_of(Fraction(ratio))
        excess = lambda x, g=gamma: max(  # noqa: E731
            mpmath.mpf(0), density(x, with_record=True) - g * density(x, with_record=False)
        )
        truth = mpmath.quad(excess, [x / 2 for x in range(-20, 21)], maxdegree=4)
        low, high = delta_of(one, ratio)
        assert low < truth < high < 5 * truth


def test_what_is_between_the_ends_is_left_undecided():
    """Of two records, one is in the batch where both are sampled: the size of a sample is hidden.

    The largest δ of P = (2M(0) + 3M(x) + 3M(z))/8 and Q = (M(0) + M(z))/2 is 0.086663.
    """
    cut = {"sampling_probability": "1/2", "records": 2, "at_most": 1}
    one = cut_poisson_sampled(gaussian_mechanism(sigma=1), **cut)
    two = sampled_with_replacement(gaussian_mechanism(sigma=1), drawn=2, records=2)
    for profile in (one, two):
        ends = profile.delta(Epsilon.rational("1/2"), relative_width="1e-6")
        assert isinstance(ends, Bounds)
        middle = (ends.lower + ends.upper) / 2
        for claim in (assert_never_below_truth, assert_never_above_truth):
            with pytest.raises(UndecidedError, match="cannot be told apart"):
                claim(middle, profile, epsilon="1/2")
        assert_never_below_truth(ends.upper * Fraction(1001, 1000), profile, epsilon="1/2")
        with pytest.raises(AssertionError, match="below the truth"):
            assert_never_below_truth(ends.lower * Fraction(999, 1000), profile, epsilon="1/2")
    ends = one.delta(Epsilon.rational("1/2"))
    assert ends.lower < Fraction("0.086663") < ends.upper
    assert one.renyi(2).upper < 2  # no mass is at infinity


def test_samples_that_are_cut_for_other_neighbors_and_at_the_ends():
    noise = gaussian_mechanism(sigma=1)
    cut = {"sampling_probability": "1/3", "records": 40, "at_most": 18}
    at = Epsilon.rational("1/2")
    found = {
        kind: cut_poisson_sampled(noise, **cut, neighbors=kind).delta(at, relative_width="1e-9")
        for kind in ("add_or_remove", "substitution", "zero_out")
    }
    assert found["add_or_remove"].upper <= found["zero_out"].upper * (1 + Fraction(1, 10**8))
    assert found["zero_out"].upper < found["substitution"].upper
    whole = sampled(noise, sampling_probability="1/3", neighbors="substitution")
    uncut = whole.delta(at, relative_width="1e-9")
    assert found["substitution"].lower < uncut.lower < uncut.upper < found["substitution"].upper
    never = cut_poisson_sampled(
        noise, sampling_probability="1/3", records=40, at_most=40, neighbors="substitution"
    )
    assert never == whole
    with pytest.raises(DomainError, match="neighbors="):
        cut_poisson_sampled(noise, **cut, neighbors="another")
