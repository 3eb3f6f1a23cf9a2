"""Laws on grids: both sides hold against sums in mpmath, whatever is rounded, cut or coarsened."""

import random
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from flint import arb, fmpz, fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError
from exactdp.grids.entry import lower_law, upper_law
from exactdp.grids.laws import Frame, GridLaw, Side
from exactdp.grids.means import Points, TailSums
from exactdp.numbers import Exact, precision
from exactdp.numbers.balls import endpoints

STEP = Fraction(1, 8)


def mp(value):
    return mpmath.mpf(value.numerator) / value.denominator


def cells_of(atoms, frame, *, first, count, around):
    """The (a, s) of atoms in cells: [x_j, x_j + h], or around x_j."""
    cells = [(arb(0), arb(0))] * count
    with precision(200):
        for x, mass in atoms:
            index = (x / STEP + (Fraction(1, 2) if around else 0)).__floor__()
            distance = arb((x - index * STEP).numerator) / (x - index * STEP).denominator
            point = index * arb(STEP.numerator) / STEP.denominator
            tilt = arb(frame.tilt.numerator) / frame.tilt.denominator
            a = arb(mass.numerator) / mass.denominator * (tilt * point).exp()
            s = a * (1 - (-distance).exp() if frame.rate else distance)
            old = cells[index - first]
            cells[index - first] = old[0] + a, old[1] + s
    return cells


def both_laws(atoms, frame):
    first = min(x for x, _ in atoms) / STEP
    last = max(x for x, _ in atoms) / STEP
    first, count = first.__floor__() - 1, last.__floor__() - first.__floor__() + 4
    shared = {"multiple": STEP, "origin": Exact(0), "log_norm": Fraction(0), "first": first}
    lower = cells_of(atoms, frame, first=first, count=count, around=True)
    upper = cells_of(atoms, frame, first=first, count=count, around=False)
    return (
        lower_law(frame, **shared, cells=lower),
        upper_law(frame, **shared, cells=upper, beyond=arb(0)),
    )


def mean_of(law, threshold):
    with precision(200):
        above = arb(threshold.numerator) / threshold.denominator
    return endpoints(TailSums(law).mean(Points.at_zero(), above=above))


def true_mean(atoms, times, threshold, rate):
    """E f of a sum of independent copies, outcome by outcome, with 50 digits."""
    total = mpmath.mpf(0)
    for outcome in product(atoms, repeat=times):
        x = sum((x for x, _ in outcome), Fraction(0))
        mass = mpmath.fprod(mp(m) for _, m in outcome)
        if x > threshold:
            excess = mp(x - threshold)
            total += mass * (-mpmath.expm1(-excess) if rate else excess)
    return total


dense = st.builds(
    lambda seed, count: [
        (Fraction(random.Random(seed).randrange(-40, 40) + i, 16 * 3), Fraction(1 + i % 3, 9))
        for i in range(count)
    ],
    st.integers(0, 10**6),
    st.integers(1, 9),
)
atoms_anywhere = st.one_of(
    dense,
    st.lists(
        st.tuples(st.fractions(-2, 2, max_denominator=16), st.fractions(0, 1, max_denominator=7)),
        min_size=1,
        max_size=5,
    ).filter(lambda atoms: any(m for _, m in atoms)),
)


@given(
    atoms_anywhere,
    st.integers(1, 3),
    st.fractions(-1, 4, max_denominator=16),
    st.sampled_from([Fraction(1, 3), Fraction(2), Fraction(9)]),
    st.sampled_from([0, 1]),
    st.sampled_from([12, 60]),
    st.sampled_from([frozenset(), frozenset({0}), frozenset({0, 1})]),
)
@settings(max_examples=250)
def test_both_sides_hold(atoms, times, threshold, tilt, rate, bits, coarsen_at):
    # 12 bits lose much: it must all be in ``lost``.
    frame = Frame(Exact(1), tilt, rate, bits)
    lower, upper = (law.power(times, coarsen_at=coarsen_at) for law in both_laws(atoms, frame))
    with mpmath.workdps(50):
        truth = true_mean(atoms, times, threshold, rate)
        slack = mpmath.mpf(10) ** -40  # of the sum in mpmath
        assert mp(mean_of(lower, threshold)[0]) <= truth + slack
        assert truth - slack <= mp(mean_of(upper, threshold)[1])


@pytest.mark.parametrize("rate", [0, 1])
def test_smooth_laws_lose_little_when_coarsened(rate):
    # A bell of 400 points: coarsening must be of second order in the step on both sides.
    frame = Frame(Exact(1), Fraction(1), rate, 80)
    weights = [fmpz(int(2**60 * mpmath.exp(-((i - 200) ** 2) / mpmath.mpf(3200))))
               for i in range(401)]  # fmt: skip
    for side in Side:
        law = GridLaw(frame, side, Fraction(1, 160), Exact(0), Fraction(0), -200,
                      fmpz_poly(weights), fmpz(0))  # fmt: skip
        fine = mean_of(law, Fraction(0))[0]
        once = mean_of(law.coarsened(), Fraction(0))[0]
        twice = mean_of(law.coarsened().coarsened(), Fraction(0))[0]
        first, second = abs(once - fine) / fine, abs(twice - fine) / fine
        assert (once >= fine) == (side is Side.UPPER)
        assert first < Fraction(1, 1000)
        assert second < 8 * first


def test_a_refined_law_has_the_same_mean():
    frame = Frame(Exact(1), Fraction(1), 1, 40)
    _, law = both_laws([(Fraction(1), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 2))], frame)
    assert law.refined(3).multiple == law.multiple / 3
    wide = mean_of(law.refined(3), Fraction(1, 4))
    assert wide[0] <= mean_of(law, Fraction(1, 4))[1] and mean_of(law, Fraction(1, 4))[0] <= wide[1]


def test_points_and_grid_give_the_mean_of_the_sum():
    frame = Frame(Exact(1), Fraction(1), 1, 60)
    atoms = [(Fraction(1, 8), Fraction(1, 2)), (Fraction(3, 4), Fraction(1, 2))]
    lower, upper = both_laws(atoms, frame)
    with mpmath.workdps(50):
        truth = true_mean(atoms, 2, Fraction(1, 3), 1)
        for law in (lower, upper):
            with precision(200):
                third = arb(1) / 3
            low, high = endpoints(TailSums(law).mean(Points.of_law(law), above=third))
            error = mpmath.mpf(2) ** -40
            assert abs(mp(low) - truth) < error and abs(mp(high) - truth) < error


def test_laws_that_do_not_fit_are_refused():
    frame = Frame(Exact(1), Fraction(1), 1, 40)
    lower, upper = both_laws([(Fraction(1), Fraction(1))], frame)
    with pytest.raises(DomainError, match="Coarsen one first"):
        lower.times(upper)
    with pytest.raises(DomainError, match="Coarsen one first"):
        lower.times(lower.coarsened())
    with pytest.raises(DomainError, match="at least 1"):
        lower.power(0)
    with pytest.raises(DomainError, match="positive tilt"):
        TailSums(both_laws([(Fraction(1), Fraction(1))], Frame(Exact(1), Fraction(0), 0, 40))[0])
    with pytest.raises(DomainError, match="neither 0 nor 1"):
        Frame(Exact(1), Fraction(0), 2, 40)
    with pytest.raises(DomainError, match="negative"):
        Frame(Exact(1), Fraction(-1), 1, 40)


def test_what_is_cut_off_the_ends_is_lost_not_forgotten():
    # Cells of mass 2^-20 at 20 bits: a unit each, so the ends are cut.
    frame = Frame(Exact(1), Fraction(1, 2), 1, 20)
    atoms = [(Fraction(i, 8), Fraction(1, 2**20)) for i in range(24)]
    atoms.append((Fraction(1), Fraction(1, 2)))
    lower, upper = both_laws(atoms, frame)
    assert len(upper) < 24
    with mpmath.workdps(50):
        truth = true_mean(atoms, 1, Fraction(3, 2), 1)
        assert (
            mp(mean_of(lower, Fraction(3, 2))[0]) <= truth <= mp(mean_of(upper, Fraction(3, 2))[1])
        )


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any),
    st.integers(-3, 3),
    st.sampled_from([Fraction(1, 3), Fraction(4)]),
    st.sampled_from([0, 1]),
)
@settings(max_examples=100)
def test_coarsening_rough_weights_moves_every_mean_the_right_way(weights, first, tilt, rate):
    frame = Frame(Exact(1), tilt, rate, 80)
    poly = fmpz_poly([fmpz(w) << 70 for w in weights])
    for side in Side:
        law = GridLaw(frame, side, STEP, Exact(0), Fraction(0), first, poly, fmpz(0))
        coarse = law.coarsened()
        for half_steps in range(2 * first - 6, 2 * (first + len(weights)) + 6):
            before, after = (mean_of(each, half_steps * STEP / 2) for each in (law, coarse))
            if side is Side.LOWER:
                assert after[0] <= before[1]
            else:
                assert after[1] >= before[0]
