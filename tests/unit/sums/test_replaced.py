"""Transforms of replaced records against mpmath's quadrature of the definitions."""

from functools import cache
from itertools import pairwise

import mpmath
import pytest
from flint import acb, arb
from mpmath import fp, mp

from exactdp.accounting.composition.parts import loss_law
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Exact, precision
from exactdp.sums.laws.transforms import LossTransform
from exactdp.sums.lines.envelopes import Envelope
from tests.routes.samples import fixed_size, replaced

KINDS = [
    (kind, noise)
    for noise in (gaussian_mechanism(sigma="4/5"), laplace_mechanism(scale="3/2"))
    for kind in (replaced, fixed_size)
]
EACH = pytest.mark.parametrize(("kind", "noise"), KINDS)
POINTS = [(0.5, 0.0), (2.25, 7.0), (-3.5, 2.0), (-0.25, 30.0)]


def transform_of(kind, noise):
    return LossTransform.of(loss_law(kind(noise, Exact("1/50"))))


def pair_of(kind, noise, context=mp):
    """Return the two densities of an output, and from where on the loss is positive."""
    q = context.mpf(1) / 50

    def law(x):
        if noise is KINDS[0][1]:
            return context.npdf(x, 0, context.mpf(4) / 5)
        return context.exp(-2 * abs(x) / 3) / 3

    if kind is replaced:
        return (
            lambda x: (1 - q) * law(x) + q * law(x - 1),
            lambda x: (1 - q) * law(x) + q * law(x + 1),
            0,
        )
    return lambda x: (1 - q) * law(x) + q * law(x - 2), law, 1


def integral(f, start):
    ends = [start, start + 0.5, start + 1, 3, 5, 9, 14, 30, 80]
    return mp.quad(f, ends, maxdegree=7, method="gauss-legendre")


@cache
def mass_above(kind, noise):
    p, q, start = pair_of(kind, noise)
    return integral(lambda x: p(x) + q(x), start)


@pytest.mark.parametrize(("tilt", "omega"), POINTS)
@EACH
def test_transforms_are_those_of_the_definition(kind, noise, tilt, omega):
    with mpmath.workdps(20):
        p, q, start = pair_of(kind, noise)
        s = mp.mpc(tilt, omega)

        def both(x):
            a, b = mp.log(p(x)), mp.log(q(x))
            return mp.exp(a + s * (a - b)) + mp.exp(b + s * (b - a))

        truth = integral(both, start) + 1 - mass_above(kind, noise)
    transform = transform_of(kind, noise)
    with precision(80):
        total = transform.real(arb(tilt))
        for found in (
            transform.along(acb(tilt, omega), arb(0), count=1)[0],
            transform.quickly(acb(tilt), arb(omega / 4), count=5)[4],
        ):
            assert float(found.rad()) < 1e-9 * float(abs(total))
            off = abs(found - acb(str(truth.real), str(truth.imag)))
            assert float(off.lower()) < 1e-12 * float(abs(total))


@pytest.mark.parametrize("tilt", [0.5, 6.0])
@EACH
def test_the_envelope_holds_everywhere_and_is_of_use(kind, noise, tilt):
    transform = transform_of(kind, noise)
    with precision(64):
        total = transform.real(arb(tilt))
        atoms, variation = transform.fall(arb(tilt))
        envelope = Envelope.of(transform, arb(tilt), copies=1000)
        omega = arb(1) / 16
        for _ in range(12):
            value = abs(transform.along(acb(tilt, omega), arb(0), count=1)[0]) / total
            assert value <= envelope.at(omega) * (1 + arb(2) ** -40)
            assert value <= atoms + variation / omega
            omega *= arb("1.7").mid()
        assert envelope.at(omega) < 0.99


@pytest.mark.parametrize("tilt", [0.5, 6.0, -2.5])
@pytest.mark.parametrize("kind", [replaced, fixed_size])
def test_the_variation_is_that_of_the_tilted_density(kind, tilt):
    """Against differences at many outputs, with jumps at the ends: never less, at most twice."""
    noise = KINDS[0][1]
    p, q, start = pair_of(kind, noise, fp)
    step = 1 / 50

    def loss(x):
        return fp.log(p(x) / q(x))

    def density(x, sign):
        slope = (loss(x + step / 50) - loss(x - step / 50)) / (step / 25)
        return fp.exp((fp.log(p(x)) if sign > 0 else fp.log(q(x))) + sign * tilt * loss(x)) / slope

    truth = 0.0
    for sign in (1, -1):
        values = [density(start + i * step, sign) for i in range(int(14 / step))]
        truth += sum(abs(b - a) for a, b in pairwise(values))
        truth += values[0] if kind is fixed_size else 0
    with precision(64):
        found = transform_of(kind, noise).density.variation(arb(tilt))
        assert float(truth) * (1 - 1e-3) <= float(found.upper()) < 2 * float(truth)
