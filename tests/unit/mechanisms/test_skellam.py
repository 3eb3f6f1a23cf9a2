"""Rényi divergences of Skellam noise: what sums leave out, and bounds where they are too long."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.accounting import compose, compose_certified
from exactdp.divergences import Pair
from exactdp.mechanisms import modular_noise, skellam, skellam_mechanism
from exactdp.numbers import Epsilon
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


def folded(variance, modulus):
    """The masses of residues by the characteristic function e^(v(cos t − 1)), at t = 2πj/m."""
    turns = [2 * mpmath.pi * j / modulus for j in range(modulus)]
    sizes = [mpmath.exp(variance * (mpmath.cos(t) - 1)) for t in turns]
    return [
        mpmath.fsum(x * mpmath.cos(t * r) for x, t in zip(sizes, turns, strict=True)) / modulus
        for r in range(modulus)
    ]


@pytest.mark.parametrize(("variance", "modulus"), [(100, 64), (3, 8)])
def test_a_million_moduli_against_masses_of_a_transform_and_a_normal_law(variance, modulus):
    """ε is thousands of nats, and e^ε times any mass that were left out would be too much."""
    noise = modular_noise(skellam_mechanism(variance=variance), modulus=modulus)
    found = compose([(noise, 10**6)]).epsilon("1e-6", relative_width="1e-3")
    with mpmath.workdps(80):
        law = folded(variance, modulus)
        near = [Fraction(str(mpmath.nstr(mass, 70, strip_zeros=False))) for mass in law]
        moved = [law[-1], *law[:-1]]
        losses = [mpmath.log(p / q) for p, q in zip(law, moved, strict=True)]
        mean = mpmath.fsum(p * x for p, x in zip(law, losses, strict=True))
        square = mpmath.fsum(p * (x - mean) ** 2 for p, x in zip(law, losses, strict=True))
        normal = 10**6 * mean + 4.75 * 1000 * mpmath.sqrt(square)  # P is below with 1 − 1e-6
    near[0] += 1 - sum(near)
    pair = Pair.from_masses(near, [near[-1], *near[:-1]])
    same = compose_certified([(pair, 10**6)]).epsilon("1e-6", relative_width="1e-3")
    assert found.lower <= same.upper and same.lower <= found.upper
    assert abs(mpf_of(same.lower) / normal - 1) < mpmath.mpf("2e-3")
    assert found.upper - found.lower <= found.lower / 1000


def test_no_residue_is_apart_where_all_have_mass():
    """The laws nearby are as near at the largest loss as at any: event by event, by a factor."""
    noise = modular_noise(skellam_mechanism(variance=10), modulus=11)
    near = noise.near(60)
    assert near.inside == 0
    with mpmath.workdps(40):
        law = folded(10, 11)
        for (p, q), r in zip(near.laws.masses(), range(11), strict=True):
            for found, truth in ((p, law[r]), (q, law[r - 1])):
                share = mpf_of(found.as_fraction()) / truth
                assert abs(share - 1) <= 2 * mpf_of(near.apart) < mpmath.mpf(2) ** -58
    # Where a residue has less than is told, what is left out may be there.
    far = modular_noise(skellam_mechanism(variance="1/100"), modulus=1001)
    assert far.near(40).inside > 0
    assert far.delta(Epsilon.rational(3), relative_width="1e-3").lower > 0


def test_next_to_no_noise_modulo_2_has_the_epsilon_of_two_masses():
    """P(odd) is (1 − e^(−2v))/2 = v, nearly: of two coordinates e^ε v² = 1/2 at δ = 1/2."""
    noise = modular_noise(skellam_mechanism(variance=Fraction(1, 2**1074)), modulus=2)
    found = compose([(noise, 2)]).epsilon("1/2", relative_width="1e-3")
    with mpmath.workdps(40):
        assert mpf_of(found.lower) <= 2147 * mpmath.log(2) <= mpf_of(found.upper)
    assert found.width <= found.lower / 1000
