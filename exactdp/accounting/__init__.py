"""Accounting: composition, exactly where that is feasible, else in certified enclosures."""

from exactdp.accounting.certified import CertifiedComposition, compose_certified
from exactdp.accounting.composing import compose
from exactdp.accounting.composition import compose_exactly
from exactdp.accounting.dp_sgd import dp_sgd, dp_sgd_sigma
from exactdp.accounting.familiar import CertifiedPLD
from exactdp.accounting.gaussian_mixture import gaussian_mixture
from exactdp.accounting.group import group_privacy
from exactdp.accounting.integers import PoissonReplacedIntegers, PoissonSampledIntegers
from exactdp.accounting.loss_profile import LossProfile
from exactdp.accounting.poisson import PoissonSubsampled
from exactdp.accounting.random_batches import cut_poisson_sampled, sampled_with_replacement
from exactdp.accounting.randomized_response import (
    ComposedRandomizedResponse,
    composed_randomized_response,
)
from exactdp.accounting.sampling import Batches, NeighborRelation, poisson_subsampled, sampled
from exactdp.accounting.shifts import worst_shift
from exactdp.accounting.substitution import FixedSizeSampled, PoissonReplaced

__all__ = [
    "Batches",
    "CertifiedComposition",
    "CertifiedPLD",
    "ComposedRandomizedResponse",
    "FixedSizeSampled",
    "LossProfile",
    "NeighborRelation",
    "PoissonReplaced",
    "PoissonReplacedIntegers",
    "PoissonSampledIntegers",
    "PoissonSubsampled",
    "compose",
    "compose_certified",
    "compose_exactly",
    "composed_randomized_response",
    "cut_poisson_sampled",
    "dp_sgd",
    "dp_sgd_sigma",
    "gaussian_mixture",
    "group_privacy",
    "poisson_subsampled",
    "sampled",
    "sampled_with_replacement",
    "worst_shift",
]
