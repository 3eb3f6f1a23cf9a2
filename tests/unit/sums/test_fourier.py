"""The transform in doubles against its definition in balls: the bound holds, and says something."""

from itertools import product
from math import prod

import numpy as np
import pytest
from flint import acb, arb

from exactdp.numbers import precision
from exactdp.sums.lattices.fourier import MAX_POINTS, Fourier

SHAPES = [(1, 1), (5, 4), (3, 2), (2, 3, 4), (4, 1, 3), (3, 2, 2, 5), (2, 3, 2, 2, 3), (13, 11)]


def frequencies(plan):
    """The k of the header at each place of the transform, from left to right."""
    found = []
    for ks in product(*map(range, plan.kept)):
        k = 0
        for k_i, r in zip(reversed(ks), reversed(plan.shape), strict=True):
            k = k_i + r * k
        found.append(k)
    return found


def definition(x, sign):
    """Σ_n x_n e^(±2πikn/N) for each k, with 100 bits."""
    n = len(x)
    with precision(100):
        roots = [acb(arb(sign * 2 * j) / n).exp_pi_i() for j in range(n)]
        values = [acb(value.real, value.imag) for value in np.asarray(x, dtype=complex).tolist()]
        return [sum((v * roots[i * k % n] for i, v in enumerate(values)), acb(0)) for k in range(n)]


def farthest(found, wanted):
    """How far doubles are from balls, at most."""
    with precision(100):
        return max(
            float(abs(acb(f.real, f.imag) - w).upper())
            for f, w in zip(found.tolist(), wanted, strict=True)
        )


def inputs(points):
    """Of one sign, of both, and of very different sizes, whose sums cancel or not."""
    random = np.random.default_rng(points)
    yield random.random(points)
    yield random.standard_normal(points)
    yield 10.0 ** random.uniform(-40, 0, points)
    yield np.ones(points)


def conjugates(plan, order, y):
    """All N numbers, of which what is kept tells the others."""
    found = np.zeros(plan.points, dtype=complex)
    for k, value in zip(order, y.tolist(), strict=True):
        found[k], found[-k % plan.points] = value, value.conjugate()
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_there_the_error_is_below_the_bound(shape):
    plan = Fourier(shape)
    order = frequencies(plan)
    assert {*order, *(-k % plan.points for k in order)} == set(range(plan.points))
    assert len(order) == plan.frequencies
    for x in inputs(plan.points):
        wanted = definition(x, -1)
        off = farthest(plan.forward(x).reshape(-1), [wanted[k] for k in order])
        assert off <= plan.error * float(np.abs(x).sum())


@pytest.mark.parametrize("shape", SHAPES)
def test_back_the_error_is_below_the_bound(shape):
    plan = Fourier(shape)
    for y in spectra(plan):
        spectrum = conjugates(plan, frequencies(plan), y)
        with precision(100):
            wanted = [acb(value.real) for value in definition(spectrum, 1)]
        off = farthest(plan.backward(y.reshape(plan.kept)), wanted)
        assert off <= plan.error * float(np.abs(spectrum).sum())


def spectra(plan):
    """What is kept of transforms of real numbers, exactly so: at k and N − k conjugates."""
    order = frequencies(plan)
    for x in inputs(plan.frequencies):
        y = x * np.exp(1j * np.arange(plan.frequencies) ** 2)
        full = conjugates(plan, order, y)
        yield np.array([full[k].real if 2 * k % plan.points == 0 else full[k] for k in order])


@pytest.mark.parametrize("shape", SHAPES)
def test_totals_count_what_is_not_kept(shape):
    plan = Fourier(shape)
    order = frequencies(plan)
    random = np.random.default_rng(1).random(plan.points)
    both = random + random[-np.arange(plan.points)]
    assert plan.total(both[order]) == pytest.approx(float(both.sum()), rel=1e-12)


def test_the_bound_is_near_what_is_lost():
    """One number at the last place takes all turns: its error is within a hundredth of ε."""
    for shape in ((13, 11), (3, 2, 2, 5)):
        plan = Fourier(shape)
        x = np.zeros(plan.points)
        x[-1] = 1
        wanted = definition(x, -1)
        off = farthest(plan.forward(x).reshape(-1), [wanted[k] for k in frequencies(plan)])
        assert plan.error / 100 < off <= plan.error < 1e-13


def test_long_transforms_come_back():
    plan = Fourier.of_at_least(100_000)
    assert plan.points < 105_000 and len(plan.shape) == 4
    x = np.random.default_rng(1).random(plan.points)
    there = plan.forward(x)
    # Twice the bound of the way there, at each of N places, and that of the way back.
    most = 2 * plan.error * plan.points * float(x.sum())
    assert np.abs(plan.backward(there) - plan.points * x).max() <= most


def test_no_length_is_far_beyond_what_is_asked_and_the_longest_is_exact_enough():
    for asked in (1, 2, 27, 1000, 1025, 32_769, MAX_POINTS):
        plan = Fourier.of_at_least(asked)
        assert asked <= plan.points == prod(plan.shape) <= max(4, asked * 1.3)
        assert max(plan.shape) <= 32
        assert plan.error < 1e-12


@pytest.mark.parametrize("shape", SHAPES)
def test_turned_sums_err_by_less_than_tilted_laws_count(shape):
    """Of numbers whose sum may cancel: (64 + 3 Σr)u of the sum of their moduli."""
    plan = Fourier(shape)
    n, order = plan.points, frequencies(plan)
    for y, r in product(spectra(plan), (1, 2, n - 1, 7 * n + 3)):
        spectrum = conjugates(plan, order, y)
        with precision(100):
            turns = [acb(arb(2 * (k * r % n)) / n).exp_pi_i() for k in range(n)]
            pairs = zip(spectrum.tolist(), turns, strict=True)
            wanted = sum((acb(v.real, v.imag) * turn for v, turn in pairs), acb(0)).real
            off = abs(arb(plan.turned_sum(y, plan.columns(r))) - wanted)
            assert off <= (64 + 3 * sum(shape)) * 2.0**-53 * float(np.abs(spectrum).sum())
            assert abs(wanted) > 1e3 * off  # the wrong turns would be seen
