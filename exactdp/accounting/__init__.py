"""Accounting: composition, exactly where that is feasible, else certified on a grid."""

from exactdp.accounting.composing import compose
from exactdp.accounting.composition import compose_exactly
from exactdp.accounting.dp_sgd import dp_sgd, dp_sgd_rate, dp_sgd_sigma, dp_sgd_steps
from exactdp.accounting.familiar import CertifiedPLD
from exactdp.accounting.group import group_privacy
from exactdp.accounting.on_grids import GridComposition, compose_on_grid
from exactdp.accounting.poisson import PoissonSubsampled, poisson_subsampled
from exactdp.accounting.randomized_response import (
    ComposedRandomizedResponse,
    composed_randomized_response,
)
from exactdp.accounting.sampling import Batches, Neighbors, sampled
from exactdp.accounting.shifts import worst_shift
from exactdp.accounting.substitution import FixedSizeSampled, PoissonReplaced

__all__ = [
    "Batches",
    "CertifiedPLD",
    "ComposedRandomizedResponse",
    "FixedSizeSampled",
    "GridComposition",
    "Neighbors",
    "PoissonReplaced",
    "PoissonSubsampled",
    "compose",
    "compose_exactly",
    "compose_on_grid",
    "composed_randomized_response",
    "dp_sgd",
    "dp_sgd_rate",
    "dp_sgd_sigma",
    "dp_sgd_steps",
    "group_privacy",
    "poisson_subsampled",
    "sampled",
    "worst_shift",
]
