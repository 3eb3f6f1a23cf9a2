"""Accounting: composition, exactly where that is feasible, else in certified enclosures."""

from exactdp.accounting.accountants.privacy_loss_names import CertifiedPLD
from exactdp.accounting.composition.certified_composition import (
    CertifiedComposition,
    compose_certified,
)
from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.composition.composed_randomized_response import (
    ComposedRandomizedResponse,
    composed_randomized_response,
)
from exactdp.accounting.composition.exact_composition import compose_exactly
from exactdp.accounting.conversions.best_guarantees import renyi_curve, smallest_gdp, smallest_zcdp
from exactdp.accounting.conversions.budgets import read_budget
from exactdp.accounting.conversions.guarantees import (
    advanced_composition,
    from_gdp,
    from_trade_off,
    guarantee,
)
from exactdp.accounting.conversions.renyi_guarantee import RenyiGuarantee, from_renyi, from_zcdp
from exactdp.accounting.groups.group_curve import GroupCurve
from exactdp.accounting.groups.group_privacy import group_privacy
from exactdp.accounting.groups.group_profiles import group_profile
from exactdp.accounting.sampling.batches import (
    Batches,
    EpochBatches,
    NeighborRelation,
    poisson_subsampled,
    sampled,
)
from exactdp.accounting.sampling.poisson import PoissonSubsampled
from exactdp.accounting.sampling.random_batches import (
    Replaced,
    cut_poisson_sampled,
    sampled_with_replacement,
)
from exactdp.accounting.sampling.random_sensitivity import gaussian_mixture
from exactdp.accounting.sampling.substitution import FixedSizeSampled
from exactdp.accounting.shifts import worst_shift
from exactdp.accounting.training.dp_sgd import dp_sgd, dp_sgd_sigma
from exactdp.mechanisms.loss_profile import LossProfile
from exactdp.numbers.validated import checked_door as _checked_door

__all__ = [
    "Batches",
    "CertifiedComposition",
    "CertifiedPLD",
    "ComposedRandomizedResponse",
    "EpochBatches",
    "FixedSizeSampled",
    "GroupCurve",
    "LossProfile",
    "NeighborRelation",
    "PoissonSubsampled",
    "RenyiGuarantee",
    "Replaced",
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
