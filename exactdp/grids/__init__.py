"""Laws on lattices, and certified means over sums of independent variables.

``laws`` is a law on a grid, ``entry`` puts one there, ``means`` asks it for a mean;
``copies`` adds many copies of one finite variable, ``losses`` privacy losses of any kinds.
What is certified is integers and balls; files named ``proposals`` choose in doubles.
"""

from exactdp.grids.copies.sums import mean_positive_sum
from exactdp.grids.losses.laws import AtomLattice, LossLaw, exact_masses
from exactdp.grids.losses.sums import LossSum
from exactdp.grids.losses.tails import (
    GaussianTails,
    LaplaceTails,
    LossTails,
    ReversedTails,
    SubsampledTails,
)

__all__ = [
    "AtomLattice",
    "GaussianTails",
    "LaplaceTails",
    "LossLaw",
    "LossSum",
    "LossTails",
    "ReversedTails",
    "SubsampledTails",
    "exact_masses",
    "mean_positive_sum",
]
