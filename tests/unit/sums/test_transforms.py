"""Transforms against mpmath's quadrature of the definitions, and their bounds."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from flint import acb, arb
from mpmath import mp

from exactdp.accounting import poisson_subsampled, sampled
from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import precision
from exactdp.sums.laws import clouds
from exactdp.sums.laws.clouds import Cloud
from exactdp.sums.laws.paths import Path, PathQuadrature
from exactdp.sums.laws.transforms import LossTransform
from exactdp.sums.lines import envelopes
from exactdp.sums.lines.envelopes import Envelope

GAUSSIAN = gaussian_mechanism(sigma="4/5")
LAPLACE = laplace_mechanism(scale="3/2")
PARTS = [
    GAUSSIAN,
    LAPLACE,
    poisson_subsampled(GAUSSIAN, sampling_probability="1/50"),
    poisson_subsampled(GAUSSIAN, sampling_probability="1/50").reversed(),
    poisson_subsampled(LAPLACE, sampling_probability="1/50"),
    poisson_subsampled(LAPLACE, sampling_probability="1/50").reversed(),
]
NAMES = ["gaussian", "laplace", "sampled", "sampled-adding", "laplace-sampled", "laplace-adding"]
POINTS = [(0.5, 0.0), (2.25, 7.0), (9.0, 40.0)]


def by_quadrature(index: int, s: mpmath.mpc) -> mpmath.mpc:
    """Return E_P e^(sL) = ∫ P^(1+s) Q^(−s), from the densities of the noise."""
    sigma, b, q = mp.mpf(4) / 5, mp.mpf(3) / 2, mp.mpf(1) / 50

    def noise(x):
        if index in (0, 2, 3):
            return mp.npdf(x, 0, sigma)
        return mp.exp(-abs(x) / b) / (2 * b)

    def log_ratio(x):
        base = (2 * x - 1) / (2 * sigma**2) if index in (0, 2, 3) else (abs(x) - abs(x - 1)) / b
        return base if index < 2 else mp.log(1 - q + q * mp.exp(base))

    exponent = -s if index in (3, 5) else 1 + s
    ends = [-16, -4, -1, 0, 0.25, 0.5, 0.75, 1, 2, 4, 8, 12, 26]
    if index in (1, 4, 5):
        ends = [-60, -8, 0, 0.25, 0.5, 0.75, 1, 8, 60]
    return mp.quad(lambda x: noise(x) * mp.exp(exponent * log_ratio(x)), ends, maxdegree=8)


@pytest.mark.parametrize(("tilt", "omega"), POINTS)
@pytest.mark.parametrize("index", range(6), ids=NAMES)
def test_transforms_are_those_of_the_definition(index, tilt, omega):
    transform = LossTransform.of(loss_law(PARTS[index]))
    with mpmath.workdps(20):
        truth = by_quadrature(index, mp.mpc(tilt, omega))
    with precision(80):
        start = acb(tilt, omega)
        for found in (
            transform.along(start, arb(0), count=1)[0],
            transform.along(acb(tilt), arb(omega / 4), count=5)[4],
        ):
            assert float(found.rad()) < 1e-15 * float(abs(transform.real(arb(tilt))))
            off = abs(found - acb(str(truth.real), str(truth.imag)))
            assert float(off.upper()) < 1e-13 * float(abs(transform.real(arb(tilt))))


@pytest.mark.parametrize("index", range(6), ids=NAMES)
def test_doubles_are_within_their_bound_of_the_balls(index):
    transform = LossTransform.of(loss_law(PARTS[index]))
    with precision(64):
        start, step = acb(1.5, 3), arb(2.5)
        exact = transform.along(start, step, count=40)
        for ball, quick in zip(exact, transform.quickly(start, step, count=40), strict=True):
            assert quick.overlaps(ball)
            assert float(quick.rad()) < 1e-10 * float(transform.real(arb(1.5)))


@pytest.mark.parametrize("tilt", [0.5, 6.0])
@pytest.mark.parametrize("index", range(6), ids=NAMES)
def test_the_envelope_holds_everywhere_and_is_of_use(index, tilt):
    transform = LossTransform.of(loss_law(PARTS[index]))
    with precision(64):
        total = transform.real(arb(tilt))
        atoms, variation = transform.fall(arb(tilt))
        envelope = Envelope.of(transform, arb(tilt), copies=1000)
        omega, bounds = arb(1) / 64, []
        for _ in range(30):
            value = abs(transform.along(acb(tilt, omega), arb(0), count=1)[0]) / total
            bounds.append(envelope.at(omega))
            assert value <= bounds[-1] * (1 + arb(2) ** -40)
            assert value <= atoms + variation / omega
            omega *= arb("1.37").mid()
        assert all(not later > earlier for earlier, later in pairwise(bounds))
        assert bounds[-1] < 0.99


@pytest.mark.parametrize("copies", [10, 1000])
def test_coarse_steps_hold_too(monkeypatch, copies):
    """Few points, so that what |φ| may do between them counts."""
    monkeypatch.setattr(envelopes, "_POINTS", 2)
    monkeypatch.setattr(envelopes, "_FINE", 1)
    transform = LossTransform.of(loss_law(PARTS[2]))
    with precision(64):
        envelope = Envelope.of(transform, arb(6), copies=copies)
        first, step = arb(envelope.steps[0][0]) / 3, arb(envelope.steps[4][0]) / 60
        moduli = transform.moduli(acb(6, first), step, count=100)
        bounds = [float(envelope.at(first + m * step)) for m in range(100)]
        assert all(value <= bound * (1 + 1e-9) for value, bound in zip(moduli, bounds, strict=True))
        assert min(bounds) < 0.99


@pytest.mark.parametrize("index", [0, 2, 4, 5])
def test_moments_for_plans_are_about_right(index):
    transform = LossTransform.of(loss_law(PARTS[index]))
    with precision(64):
        for tilt in (0.01, 0.9, 3.0, 20.0):
            truth = float(transform.real(arb(tilt)).log())
            assert abs(transform.log_moment(tilt) - truth) < 1e-9 * (1 + abs(truth))


def test_far_along_a_line_balls_stay_small():
    transform = LossTransform.of(loss_law(PARTS[2]))
    with precision(64):
        for values in (
            transform.along(acb(2), arb(1) / 4, count=200),
            transform.quickly(acb(2), arb(1) / 4, count=200),
        ):
            alone = transform.along(acb(2, arb(199) / 4), arb(0), count=1)[0]
            assert values[-1].overlaps(alone)
            assert float(values[-1].rad()) < 1e-12


def test_the_share_that_an_envelope_does_not_look_at_stays():
    sampled = poisson_subsampled(gaussian_mechanism(sigma=1), sampling_probability="1/2000")
    transform = LossTransform.of(loss_law(sampled))
    with precision(64):
        envelope = Envelope.of(transform, arb(2), copies=1000)
        seen = transform.bulks()[0].real(arb(2)) / transform.real(arb(2))
        assert 0.5 < float(seen) < 1
        bulk, apart = transform.bulks()[0], envelope.steps[-1][0] / 40
        for k in range(1, 40):
            near = bulk.moduli(acb(2, k * apart), arb(0), count=1)[0] * float(seen)
            far = float(envelope.at(arb(k * apart)))
            # What is not looked at may turn as it likes, but where all of it was.
            assert far > near
            if k * apart > envelope.steps[-200][0]:
                assert far > near + 1 - float(seen)


@pytest.mark.parametrize(("index", "tilt"), [(2, 0.5), (2, 6.0), (3, 6.0)])
def test_the_variation_is_that_of_the_tilted_density(index, tilt):
    """Against differences of P^(1+λ)Q^(−λ)/|L'| at many points: never less, hardly more."""
    sigma, q = mp.mpf(4) / 5, mp.mpf(1) / 50

    def density(x):
        ratio = mp.exp((2 * x - 1) / (2 * sigma**2))
        mixed = 1 - q + q * ratio
        exponent = -tilt if index == 3 else 1 + tilt
        return mp.npdf(x, 0, sigma) * mixed**exponent * mixed * sigma**2 / (q * ratio)

    values = [density(mp.mpf(i) / 50) for i in range(-500, 800)]
    truth = sum(abs(b - a) for a, b in pairwise(values))
    with precision(64):
        found = LossTransform.of(loss_law(PARTS[index])).density.variation(arb(tilt))
        assert float(truth) <= float(found.upper()) < 1.2 * float(truth)


@pytest.mark.parametrize("index", [2, 4])
def test_a_coarse_rule_says_how_coarse_it_is(monkeypatch, index):
    density = LossTransform.of(loss_law(PARTS[index])).density
    with precision(80):
        step, start = arb(3), acb(2, 1)
        exact = density.along(start, step, count=4)
        monkeypatch.setattr(clouds, "_SIZES", 1)
        for bits in (1, 3, 6, 10) if index == 2 else (-16, -12, -8, 1, 6):
            coarse = density.cloud(arb(2), arb(13), accuracy_bits=bits)
            for ball, truth in zip(coarse.along(start, step, count=4), exact, strict=True):
                assert ball.overlaps(truth)
                assert float(ball.rad()) < 2.0**-bits * 64


def test_the_error_of_a_cloud_is_in_the_bound_of_its_doubles():
    with precision(64):
        cloud = Cloud([arb(0), arb(1)], [arb(1), arb(2)], lambda omega: omega / 100)
        _, error = cloud.roughly(acb(0, 1), arb(1), count=4, scale=arb(3))
        assert 0.05 / 3 <= error < 0.06 / 3


def test_atoms_have_no_envelope_and_no_density():
    coin = LossTransform.of(loss_law(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])))
    with precision(64):
        assert coin.real(arb(1)).contains(arb(7) / 3)
        assert Envelope.of(coin, arb(1), copies=5).at(arb(10)) == 1


@pytest.mark.parametrize("bits", [8, 40])
def test_panels_far_above_their_frequency_say_so(bits):
    """∫ e^(sx)/2 over [−1, 1] is sinh(s)/s: the nodes suffice for ω <= 1, the error for all ω."""
    with precision(128):
        tilt = arb(0.5)
        path = Path(arb(-1), arb(1), lambda x: (x, acb(0.5).log(), acb(0)), lambda x: x)
        cloud = PathQuadrature(lambda: path).cloud(tilt, arb(1), accuracy_bits=bits)
        worst, pairs = 0.0, list(zip(cloud.losses, cloud.masses, strict=True))
        for omega in range(1, 240, 7):
            [found] = cloud.along(acb(tilt, omega), arb(0), count=1)
            s = acb(tilt, omega)
            assert found.overlaps(s.sinh() / s), omega
            nodes = sum(m * acb(0, omega * x).exp() for x, m in pairs)
            worst = max(worst, float(abs(nodes - s.sinh() / s).mid()))
        assert worst > 0.1  # far out the sum itself is wrong


@pytest.mark.parametrize(("rate", "tilt"), [("1/2", 0.001), ("1/10", 0.001), ("1/2", 0.5)])
def test_a_part_with_a_steep_density_does_not_hide_that_the_rest_turns(rate, tilt):
    """Most losses lie just above ln(1 − q); those of hits make the transform of many fall soon."""
    transform = LossTransform.of(
        loss_law(sampled(gaussian_mechanism(sigma="3/10"), sampling_probability=rate))
    )
    # The trapezoid rule on the outputs, as each of these is analytic.
    q, x = float(Fraction(rate)), np.linspace(-3, 5, 40_001)
    loss = np.log(1 - q + q * np.exp((2 * x - 1) / (2 * 0.3**2)))
    masses = np.exp((1 + tilt) * loss - x**2 / (2 * 0.3**2))
    with precision(64):
        envelope = Envelope.of(transform, arb(tilt), copies=10**6, farthest=0.25)
        for omega in (0.02, 0.1, 0.3, 1.0, 4.0):
            bound = float(envelope.at(arb(omega)))
            seen = abs((masses * np.exp(1j * omega * loss)).sum()) / masses.sum()
            assert bound >= seen * (1 - 1e-12)
            assert bound ** (10**6) < 1e-20
