"""Powers of transforms, with and without need of a hit: never off by more than they say."""

import numpy as np
import pytest
from flint import acb, arb

from exactdp.numbers import precision
from exactdp.sums.lattices.fourier import Fourier
from exactdp.sums.lattices.products import PowerRow, Product

BITS = 400


def law(points, seed, size):
    """Some masses that add up to a size, exactly as doubles."""
    random = np.random.default_rng(seed)
    masses = np.zeros(points)
    chosen = random.choice(points, 9, replace=False)
    masses[chosen] = random.random(9) ** 6
    return masses * (size / masses.sum())


def row(masses, error=0.0):
    """A row of all the masses that there are."""
    (places,) = np.nonzero(masses)
    return PowerRow(list(places), masses[places], error)


def exact(rest, hits, times, points):
    """Π (b + h)^n − Π b^n at all k, from the definition of the transform, in balls."""
    wholes, rests = [acb(1)] * points, [acb(1)] * points
    for b, h, n in zip(rest, hits, times, strict=True):
        for k in range(points):
            turns = [acb(arb(-2 * (j * k % points)) / points).exp_pi_i() for j in range(points)]
            low, high = (
                sum((arb(float(m)) * t for m, t in zip(one, turns, strict=True) if m), acb(0))
                for one in (b, h)
            )
            wholes[k] *= (low + high) ** n
            rests[k] *= low**n
    return [whole - rest for whole, rest in zip(wholes, rests, strict=True)]


CASES = [
    ([0.999], [1e-3], [7]),
    ([1.0], [1e-13], [1000]),
    ([0.5], [0.5], [40]),
    ([1.0, 1.0], [1e-9, 0.0], [100, 3]),
    ([0.9, 1.0, 0.7], [0.1, 1e-6, 0.3], [2, 1000, 1]),
    ([1e-9], [1.0], [300]),
]


@pytest.mark.parametrize(("rests", "hits", "times"), CASES)
def test_sums_with_a_hit_are_known_as_well_as_is_said(rests, hits, times):
    plan = Fourier.of_at_least(27)
    points = plan.points
    low = [law(points, i, size) for i, size in enumerate(rests)]
    high = [law(points, 10 + i, size) for i, size in enumerate(hits)]
    rows = [
        (row(b), row(h) if h.any() else None, n) for b, h, n in zip(low, high, times, strict=True)
    ]
    found = Product.of_hits(rows, plan)
    with precision(BITS):
        truth = exact(low, high, times, points)
        order = plan_order(plan)
        for k, value, error in zip(order, found.values, found.error, strict=True):
            assert abs(truth[k] - acb(complex(value))) <= error
    # And it says something, rare as hits may be.
    scale = min(1.0, sum(n * h for n, h in zip(times, hits, strict=True)))
    assert found.error.max() < 1e-9 * scale


def plan_order(plan):
    """The k of each index of a transform."""
    (k,) = np.nonzero(np.eye(plan.points)[1])
    impulse = np.zeros(plan.points)
    impulse[k] = 1.0
    turns = plan.forward(impulse).reshape(-1)
    return [round(-np.angle(t) * plan.points / (2 * np.pi)) % plan.points for t in turns]


def test_errors_of_the_masses_are_carried():
    plan = Fourier.of_at_least(27)
    rest, hits = law(plan.points, 1, 0.99), law(plan.points, 2, 0.01)
    exactly = Product.of_hits([(row(rest), row(hits), 50)], plan)
    moved = hits.copy()
    moved[np.argmax(moved)] *= 1 + 1e-6
    off = float(np.abs(moved - hits).sum())
    other = Product.of_hits([(row(rest), row(moved, off), 50)], plan)
    assert (np.abs(other.values - exactly.values) <= other.error + exactly.error).all()
    assert (np.abs(other.values - exactly.values) > exactly.error).any()
    further = rest.copy()
    further[np.argmax(further)] *= 1 + 1e-6
    off = float(np.abs(further - rest).sum())
    third = Product.of_hits([(row(further, off), row(hits), 50)], plan)
    assert (np.abs(third.values - exactly.values) <= third.error + exactly.error).all()
    assert (np.abs(third.values - exactly.values) > exactly.error).any()


def test_where_all_are_hits_both_forms_agree():
    plan = Fourier.of_at_least(27)
    rows = [(law(plan.points, i, 1.0), n) for i, n in enumerate((3, 60))]
    one = Product.of_all([(row(m), n) for m, n in rows], plan)
    nothing = np.zeros(plan.points)
    other = Product.of_hits([(row(nothing), row(m), n) for m, n in rows], plan)
    assert (np.abs(one.values - other.values) <= one.error + other.error).all()
    assert np.abs(one.whole - other.whole).max() < 1e-9


@pytest.mark.parametrize("sizes", [(1e-9, 1e-10), (1e-9, 0.5), (0.5, 1e-9), (0.5, 0.05)])
@pytest.mark.parametrize("place", range(4))
def test_errors_of_each_of_two_laws_are_carried(place, sizes):
    """Steps are alike but for one whose rest or hits are off: the product is off by no more."""
    plan = Fourier.of_at_least(27)
    sized = [mass for size in sizes for mass in (1 - size, size)]
    given = [law(plan.points, i, m) for i, m in enumerate(sized)]
    moved = [one.copy() for one in given]
    moved[place][np.argmax(moved[place])] *= 1 + 1e-6
    off = [float(np.abs(one - other).sum()) for one, other in zip(moved, given, strict=True)]
    exactly, other = (
        Product.of_hits(
            [(row(masses[i], errors[i]), row(masses[i + 1], errors[i + 1]), n)
             for i, n in ((0, 2), (2, 3))],
            plan,
        )
        for masses, errors in ((given, [0.0] * 4), (moved, off))
    )  # fmt: skip
    away = np.abs(other.values - exactly.values)
    assert (away <= other.error + exactly.error).all()
    assert other.error.max() < 1e3 * away.max()
