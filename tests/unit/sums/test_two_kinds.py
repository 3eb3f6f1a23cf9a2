"""Sums of two kinds of losses: where their cells start, where they are divided, where they end."""

from fractions import Fraction

import pytest

from exactdp.accounting import sampled
from exactdp.accounting.composition.parts import loss_law
from exactdp.errors import TooLargeError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact
from exactdp.sums import LossSum
from exactdp.sums.lattices.plans import Plan
from exactdp.sums.lattices.power_sums import PowerSum

WIDTH = Fraction(1, 100)


def parts_of(*kinds):
    """Losses of (noise, scale, rate, copies)."""
    found = []
    for noise, scale, rate, copies in kinds:
        whole = gaussian_mechanism(sigma=scale) if noise == "g" else laplace_mechanism(scale=scale)
        law = loss_law(whole if rate == 1 else sampled(whole, sampling_probability=rate))
        found.append((law, copies))
    return found


@pytest.mark.parametrize(
    ("few", "many", "target"),
    [
        (("g", 4, "1e-4", 2), ("l", 1000, "1e-5", 10**4), "1e-5"),  # was refused
        (("l", 1, 1, 3), ("l", 1000, "1/10", 10**4), "1e-3"),  # took 5.6 million points
    ],
)
def test_atoms_of_many_little_losses_become_knots_where_cells_were_narrow(
    few, many, target, lattices
):
    """What a knot is off such an atom is lost at every copy."""
    one = PowerSum(parts_of(few, many))
    found = one.crossing(Exact(target), relative_width=WIDTH)
    value = one.mean_excess(Exact(found.upper), relative_width=WIDTH)
    assert max(lattices.points) < 1 << 18
    assert 0 < value.lower <= Fraction(target)
    other = PowerSum(parts_of(few, many)).mean_excess(Exact(found.lower), relative_width=WIDTH)
    assert other.upper > Fraction(target)


def test_atoms_of_little_losses_are_no_knots_where_wide_cells_serve(lattices):
    """Five losses of 5e-5 beside 10^5 that are a thousand times as large took 15 s with knots."""
    one = PowerSum(parts_of(("g", 30, 1, 10**5), ("l", 4, "1e-5", 5)))
    one.crossing(Exact("1e-5"), relative_width=WIDTH)
    assert max(lattices.points) < 1 << 16


@pytest.mark.parametrize(
    "kinds",
    [
        (("g", 8, "1e-3", 3), ("l", "0.3", "1/2", 2)),
        (("g", 100, "1e-5", 8), ("l", "0.7", 1, 1)),  # coarse laws do not show where it is
    ],
)
def test_the_upper_end_of_a_crossing_is_no_place_of_next_to_nothing(kinds):
    """Just beyond the largest losses D falls by 65 digits; there was the upper end."""
    one = PowerSum(parts_of(*kinds))
    found = one.crossing(Exact("1e-8"), relative_width=WIDTH)
    value = one.mean_excess(Exact(found.upper), relative_width=WIDTH)
    assert Fraction(1, 10**17) < value.lower < value.upper <= Fraction(1, 10**8)


def test_contours_serve_large_targets_too(lattices):
    """2,000 times the target was above 1, where no threshold has it: lattices took 5 s."""
    one = LossSum(tuple(parts_of(("g", "0.7", 1, 10**6), ("g", "0.3", "1/2", 10**6))))
    found = one.smallest(Exact("1e-3"), relative_width=WIDTH)
    assert found.width <= found.lower * WIDTH
    assert not lattices.counts
    ends = [
        one.delta(Epsilon.rational(x), relative_width=WIDTH) for x in (found.lower, found.upper)
    ]
    assert ends[0].upper > Fraction(1, 1000) >= ends[1].lower


def test_a_contour_of_many_points_gives_way_to_a_lattice(lattices):
    """One of 1,000 points took 5 s, the lattice 0.04 s."""
    one = LossSum(tuple(parts_of(("g", 100, "1e-4", 10**5), ("l", 1, "1e-4", 10**5))))
    one.smallest(Exact("1e-8"), relative_width=WIDTH)
    (points,) = lattices.points
    assert points < 1 << 16


def test_where_a_divided_sum_is_refused_it_is_tried_as_one(monkeypatch, lattices):
    """As just above three largest losses, where parts of a sum took more points than all of it."""
    parts = parts_of(("g", 8, "1e-2", 10), ("g", 1, "1e-5", 2))
    truth = PowerSum(parts).mean_excess(Exact("1/100"), relative_width=WIDTH)
    one, refused, renew = PowerSum(parts), [], Plan.renew
    one.mean_excess(Exact("1/10"), relative_width=WIDTH)
    assert len(lattices.levels) > 1

    def only_as_one(plan, c, width):
        if plan.is_divided:
            refused.append(plan)
            raise TooLargeError("too many points")
        return renew(plan, c, width)

    with monkeypatch.context() as patch:
        patch.setattr(Plan, "renew", only_as_one)
        found = one.mean_excess(Exact("1/100"), relative_width=WIDTH)
    assert refused
    assert found.width <= found.lower * WIDTH
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    assert len(lattices.levels) == 1
    one.mean_excess(Exact("1/5"), relative_width=WIDTH)  # there it is divided again
    assert len(lattices.levels) > 1


def test_where_a_part_refuses_a_crossing_all_is_tried_as_one(lattices):
    """A part of a fiftieth was not told well enough; a search along thresholds took 7 s."""
    one = PowerSum(parts_of(("g", 2, "1e-3", 5), ("l", 8, "1e-5", 10**4)))
    found = one.crossing(Exact("1e-12"), relative_width=WIDTH)
    assert found.width <= found.lower * WIDTH
    (points,) = lattices.points
    assert points < 1 << 20
    value = one.mean_excess(Exact(found.upper), relative_width=WIDTH)
    assert 0 < value.lower <= Fraction(1, 10**12)
