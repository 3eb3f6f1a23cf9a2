"""The memory of the largest lattice, from the growth of smaller ones a point."""

import tracemalloc

import pytest

from exactdp.sums.lattices import plans
from exactdp.sums.lattices.fourier import Fourier
from exactdp.sums.lattices.plans import COARSE, Plan
from exactdp.sums.lattices.tilted import most_points
from tests.routes.deployments import profile

MOST = 10**9
REST = 15 * 10**7
"""Bytes, for the interpreter with its libraries, and what a thousand cells take."""
KINDS = [("gaussian", str(sigma), "1e-3", 1000) for sigma in (1, 2, 3, 4)]
USUAL = Fourier.of_at_least


def peak(plan, points, monkeypatch):
    """Points of a lattice, and the bytes at most while a second one is made beside it."""
    monkeypatch.setattr(Fourier, "of_at_least", lambda least: USUAL(max(least, points)))
    tracemalloc.start()
    try:
        plan.renew(1.0, COARSE)
        plan.renew(1.0, 0.2)
        return plan.laws.plan.points, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("is_told_apart", [False, True])
def test_the_largest_lattice_stays_below_a_gigabyte(monkeypatch, is_told_apart):
    """Several kinds of steps, of all sums and of those with a hit."""
    plan = Plan(profile(KINDS, "add_or_remove").profiles[0].losses.parts)
    plan.renew(1.0, COARSE)
    if is_told_apart:
        plan, _ = plan.divided()
        plan.renew(1.0, COARSE)
    monkeypatch.setattr(plans, "_points", lambda least, most: least)
    (few, less), (many, more) = (peak(plan, n, monkeypatch) for n in (6 * 10**5, 12 * 10**5))
    assert many > 1.9 * few
    a_point = (more - less) / (many - few)
    assert 90 < a_point < (MOST - REST) / most_points(plan._cells.pieces)
