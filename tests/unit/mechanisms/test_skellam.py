"""Rényi divergences of Skellam noise: what sums leave out, and bounds where they are too long."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.mechanisms import skellam, skellam_mechanism
from tests.routes.reals import mpf_of


@pytest.mark.parametrize(
    ("variance", "size", "order"), [("1/3", 2, "5/2"), ("50", 3, "4"), ("50", 1, "1/3")]
)
def test_the_bound_of_what_a_renyi_sum_leaves_out(variance, size, order):
    """Above every later step of the terms, and not far above the first."""
    noise = skellam_mechanism(variance=variance, sensitivity=size)
    with mpmath.workdps(40):
        v, a = mpf_of(variance), mpf_of(order)
        terms = [
            mpmath.besseli(j, v) ** a * mpmath.besseli(j + size, v) ** (1 - a) for j in range(120)
        ]
        for j in range(5, 100):
            steps = [terms[i + 1] / terms[i] for i in range(j, 119)]
            bound = mpmath.mpf(
                str(noise._step_left(Fraction(order), j).mid().str(15, radius=False))
            )
            assert bound * (1 + mpmath.mpf(10) ** -12) >= max(steps)
            assert bound < 1.3 * steps[0]


@pytest.mark.parametrize("variance", [4, 100, 700])
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("order", [Fraction(3, 2), 8, 50])
def test_divergences_of_wide_skellam_noise_are_at_most_their_bound(
    variance, size, order, monkeypatch
):
    """The sum of Bessel functions in mpmath; what is lost is little where noise is wide."""
    monkeypatch.setattr(skellam, "_SUMMED", 0)
    found = skellam_mechanism(variance=variance, sensitivity=size).renyi_bound(
        Fraction(order), width=Fraction(1, 100)
    )
    with mpmath.workdps(60):
        far = 12 * int(variance**0.5) + order.__ceil__() * size
        f = {k: mpmath.besseli(k, variance) for k in range(far + size + 1)}
        terms = (
            f[abs(k)] * (f[abs(k)] / f[abs(k - size)]) ** mpf_of(Fraction(order) - 1)
            for k in range(-far, far + 1)
        )
        truth = mpmath.log(mpmath.fsum(terms) * mpmath.exp(-variance)) / mpf_of(Fraction(order) - 1)
        assert truth <= mpf_of(found)
        if variance == 700:
            assert mpf_of(found) <= truth + mpf_of(Fraction(size * 2, variance))
