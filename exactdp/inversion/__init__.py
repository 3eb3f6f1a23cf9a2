"""δ of a sum of independent variables, by inverting the Laplace transform of its law.

``losses`` has the law of one privacy loss, ``transforms`` M(s) = E e^(sL) in balls, for complex
s, from its ``densities`` and ``clouds`` of points; ``lines`` chooses the vertical line through
the saddle point on which M^n is summed. ``contours`` sums in balls, where ``envelopes`` see
that M falls; ``smoothed`` sums in ``doubles`` over the recurrences of ``factors``; ``lattices``
multiplies laws, ``counted`` adds over counts and ``halves`` over pairs of points instead.
Where a transform does not fall, or few copies are asked, losses lie between two on one lattice:
``portions`` of a law are cut into cells by ``placing`` and ``polygons``, with ``lowering`` and
``hulls`` for the law below; ``fourier``, ``products`` and ``tilted`` have the powers; ``guides``,
``cells`` and ``plans`` choose lines and cells, ``levels`` divide a sum of several scales,
``crossings`` look for an ε, ``powers`` has all of that. ``routes`` take what serves best, for the
privacy losses of ``compositions``; ``sums`` has positive parts, ``trials`` those of counts;
``moments`` needs M at one real point, for a Rényi divergence.
"""

from exactdp.inversion.compositions import LossSum
from exactdp.inversion.contours import Inversion
from exactdp.inversion.lattices import LatticeSum
from exactdp.inversion.losses import AtomLattice, LossLaw, exact_masses
from exactdp.inversion.moments import renyi_of_sum
from exactdp.inversion.sums import mean_positive_sum
from exactdp.inversion.tails import (
    GaussianTails,
    LaplaceTails,
    LossTails,
    MirroredTails,
    ReplacedGaussianTails,
    ReversedTails,
    ScaledTails,
    ShiftedTails,
    SubsampledTails,
)
from exactdp.inversion.transforms import LossTransform
from exactdp.inversion.trials import sum_of_positive_parts

__all__ = [
    "AtomLattice",
    "GaussianTails",
    "Inversion",
    "LaplaceTails",
    "LatticeSum",
    "LossLaw",
    "LossSum",
    "LossTails",
    "LossTransform",
    "MirroredTails",
    "ReplacedGaussianTails",
    "ReversedTails",
    "ScaledTails",
    "ShiftedTails",
    "SubsampledTails",
    "exact_masses",
    "mean_positive_sum",
    "renyi_of_sum",
    "sum_of_positive_parts",
]
