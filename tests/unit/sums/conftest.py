"""The lattices behind the latest laws of a sum, and their cells."""

import pytest

from exactdp.sums.lattices.cells import Cells
from exactdp.sums.lattices.levels import Levels
from exactdp.sums.lattices.tilted import TiltedLaws


class Lattices:
    """The laws from which the latest question to a sum was answered.

    Attributes:
        levels: Each level's plan, with its laws; None where a bound is enough.
    """

    def __init__(self):
        self.levels, self.counts = [], {}

    @property
    def points(self):
        """The points of each lattice."""
        return [laws.plan.points for _, laws in self.levels if laws is not None]

    @property
    def cells(self):
        """The cells of all lattices."""
        return sum(self.counts[laws] for _, laws in self.levels if laws is not None)


@pytest.fixture
def lattices(monkeypatch):
    """The lattices of sums that are asked in this test."""
    seen, laws_of, lattice_of = Lattices(), Levels.laws, TiltedLaws.of

    def laws(*arguments, **options):
        found = laws_of(*arguments, **options)
        seen.levels = list(found.levels)
        return found

    def lattice(pieces, line):
        found = lattice_of(pieces, line)
        seen.counts[found] = Cells(pieces).count
        return found

    monkeypatch.setattr(Levels, "laws", laws)
    monkeypatch.setattr(TiltedLaws, "of", lattice)
    return seen
