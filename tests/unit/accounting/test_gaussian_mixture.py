"""Gaussian noise with a random sensitivity: mpmath, moments as sums, and the lattice alone."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from exactdp.accounting import (
    CertifiedPLD,
    LossProfile,
    PoissonSubsampled,
    compose,
    gaussian_mixture,
)
from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Epsilon
from exactdp.sums import LossDensity, LossLaw
from tests.routes.reals import mpf_of

mp = mpmath.mp

CASES = {
    "three": ("1", ["0", "1", "2"], ["7/10", "2/10", "1/10"]),
    "never none": ("2", ["1/3", "5"], ["1/2", "1/2"]),
    "rare": ("1/2", ["0", "1/100", "3"], ["1/10", "899999/1000000", "1/1000000"]),
    "many": ("3", [str(k) for k in range(9)], ["1/9"] * 9),
}


def made(case):
    sigma, shifts, shares = CASES[case]
    one = gaussian_mixture(sigma=sigma, sensitivities=shifts, probabilities=shares)
    with mp.workdps(60):
        sizes, weights = ([mpf_of(Fraction(x)) for x in given] for given in (shifts, shares))
        return one, mpf_of(Fraction(sigma)), list(zip(sizes, weights, strict=True))


def delta(sigma, pairs, gamma):
    """P[L > ln γ] − γQ[L > ln γ], the output where the loss is ln γ by bisection."""

    def loss(x):
        terms = [p * mpmath.exp(c * (2 * x - c) / (2 * sigma**2)) for c, p in pairs]
        return mpmath.log(mpmath.fsum(terms))

    least = mpmath.fsum(p for c, p in pairs if c == 0)
    if gamma <= least:
        return 1 - gamma
    low, high = mpmath.mpf(-4000), mpmath.mpf(4000)
    for _ in range(int(mp.prec) + 15):
        middle = (low + high) / 2
        low, high = (middle, high) if loss(middle) < mpmath.log(gamma) else (low, middle)
    tails = mpmath.fsum(p * mpmath.ncdf((c - low) / sigma) for c, p in pairs)
    return tails - gamma * mpmath.ncdf(-low / sigma)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("ratio", ["1/20", "999/1000", "1", "3", "1e6"])
def test_delta_is_that_of_the_outputs_above_a_threshold(case, ratio):
    one, sigma, pairs = made(case)
    with mp.workdps(60):
        gamma = mpf_of(Fraction(ratio))
        for profile, truth in (
            (one, delta(sigma, pairs, gamma)),
            (one.reversed(), 1 - gamma + gamma * delta(sigma, pairs, 1 / gamma)),
        ):
            found = profile.delta(Epsilon.log(ratio), relative_width="1e-20")
            slack = mpmath.mpf(10) ** -40
            assert mpf_of(found.lower) - slack <= truth <= mpf_of(found.upper) + slack


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("order", [2, 3])
def test_moments_of_integer_orders_are_sums(case, order):
    one, sigma, pairs = made(case)
    found = one.renyi(order, relative_width="1e-15")
    with mp.workdps(60):
        total = mpmath.mpf(0)
        for chosen in product(pairs, repeat=order):
            sizes = [c for c, _ in chosen]
            cross = (sum(sizes) ** 2 - sum(c**2 for c in sizes)) / 2
            total += mpmath.fprod(p for _, p in chosen) * mpmath.exp(cross / sigma**2)
        truth = mpmath.log(total) / (order - 1)
        assert mpf_of(found.lower) <= truth <= mpf_of(found.upper)


@dataclass(frozen=True)
class TailsAlone(LossDensity):
    """A density that says its tails and no transform."""

    inner: LossDensity

    def above(self, t):
        return self.inner.above(t)

    def below(self, t):
        return self.inner.below(t)

    def ends(self):
        return self.inner.ends()


@pytest.mark.parametrize("case", ["three", "many"])
def test_composed_by_its_transform_and_by_its_tails_alone(case):
    one, _, _ = made(case)
    other = LossProfile(LossLaw(density=TailsAlone(one.loss_law().density)))
    for times, epsilon in ((3, "1"), (40, "5")):
        at = Epsilon.rational(epsilon)
        first, second = (
            compose([(profile, times)]).delta(at, relative_width="1e-3") for profile in (one, other)
        )
        assert first.lower <= second.upper and second.lower <= first.upper


def test_two_steps_are_an_integral_of_one():
    """δ of two is E_P δ(ε − L), by quadrature."""
    one, sigma, pairs = made("three")
    found = compose([(one, 2)]).delta(Epsilon.rational(1), relative_width="1e-6")

    def inner(x):
        density = mpmath.fsum(p * mpmath.npdf(x, c, sigma) for c, p in pairs)
        ratio = density / mpmath.npdf(x, 0, sigma)
        return density * delta(sigma, pairs, mpmath.e / ratio)

    with mp.workdps(15):
        truth = mpmath.quad(inner, [-7, -2, 0, 1, 2, 4, 9], maxdegree=4)
        assert found.lower * Fraction("0.999999") <= Fraction(float(truth))
        assert Fraction(float(truth)) <= found.upper * Fraction("1.000001")


def test_mixtures_that_are_something_else():
    noise = gaussian_mixture(sigma=2, sensitivities=["3"], probabilities=[1])
    assert noise == gaussian_mechanism(sigma=2, sensitivity=3)
    onesample = gaussian_mixture(
        sigma=2, sensitivities=[0, 3, 3], probabilities=["1/2", "1/4", "1/4"]
    )
    assert isinstance(onesample, PoissonSubsampled)
    nothing = gaussian_mixture(sigma=1, sensitivities=[0, 9], probabilities=[1, 0])
    assert CertifiedPLD.from_parts([(nothing, 5)]).max_divergence() == Epsilon.rational(0)
    for shifts, shares, said in (
        ([1, 2], [1], "2 sensitivities and 1 probabilities"),
        ([1, -2], ["1/2", "1/2"], "negative"),
        ([1, 2], ["1/2", "1/3"], "probabilities sum to 5/6, not 1"),
        ([], [], "0 sensitivities"),
    ):
        with pytest.raises(DomainError, match=said):
            gaussian_mixture(sigma=1, sensitivities=shifts, probabilities=shares)
