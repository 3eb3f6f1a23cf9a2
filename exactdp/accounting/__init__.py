"""Accounting: composition, exactly where that is feasible, else in certified enclosures."""

from exactdp.accounting.best_guarantees import renyi_curve, smallest_gdp, smallest_zcdp
from exactdp.accounting.budgets import read_budget
from exactdp.accounting.certified import CertifiedComposition, compose_certified
from exactdp.accounting.composing import compose
from exactdp.accounting.composition import compose_exactly
from exactdp.accounting.dp_sgd import dp_sgd, dp_sgd_sigma
from exactdp.accounting.familiar import CertifiedPLD
from exactdp.accounting.gaussian_mixture import gaussian_mixture
from exactdp.accounting.group import group_privacy
from exactdp.accounting.group_curve import GroupCurve
from exactdp.accounting.groups import group_profile
from exactdp.accounting.guarantees import (
    advanced_composition,
    from_gdp,
    from_trade_off,
    guarantee,
)
from exactdp.accounting.integers import PoissonReplacedIntegers, PoissonSampledIntegers
from exactdp.accounting.loss_profile import LossProfile
from exactdp.accounting.poisson import PoissonSubsampled
from exactdp.accounting.random_batches import (
    Replaced,
    cut_poisson_sampled,
    sampled_with_replacement,
)
from exactdp.accounting.randomized_response import (
    ComposedRandomizedResponse,
    composed_randomized_response,
)
from exactdp.accounting.renyi_guarantee import RenyiGuarantee, from_renyi, from_zcdp
from exactdp.accounting.sampled_curve import FixedSizeCurve, SampledCurve
from exactdp.accounting.sampling import (
    Batches,
    EpochBatches,
    NeighborRelation,
    poisson_subsampled,
    sampled,
)
from exactdp.accounting.shifts import worst_shift
from exactdp.accounting.substitution import FixedSizeSampled, PoissonReplaced
from exactdp.numbers.validated import checked_door as _checked_door

__all__ = [
    "Batches",
    "CertifiedComposition",
    "CertifiedPLD",
    "ComposedRandomizedResponse",
    "EpochBatches",
    "FixedSizeCurve",
    "FixedSizeSampled",
    "GroupCurve",
    "LossProfile",
    "NeighborRelation",
    "PoissonReplaced",
    "PoissonReplacedIntegers",
    "PoissonSampledIntegers",
    "PoissonSubsampled",
    "RenyiGuarantee",
    "Replaced",
    "SampledCurve",
    "advanced_composition",
    "compose",
    "compose_certified",
    "compose_exactly",
    "composed_randomized_response",
    "cut_poisson_sampled",
    "dp_sgd",
    "dp_sgd_sigma",
    "from_gdp",
    "from_renyi",
    "from_trade_off",
    "from_zcdp",
    "gaussian_mixture",
    "group_privacy",
    "group_profile",
    "guarantee",
    "poisson_subsampled",
    "read_budget",
    "renyi_curve",
    "sampled",
    "sampled_with_replacement",
    "smallest_gdp",
    "smallest_zcdp",
    "worst_shift",
]

_checked_door(globals())
