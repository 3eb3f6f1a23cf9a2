"""Accounting: composition, exactly where that is feasible, else in certified enclosures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.numbers.doors import lazy_door as _lazy_door

if TYPE_CHECKING:
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
    from exactdp.accounting.conversions.best_guarantees import (
        renyi_curve,
        smallest_gdp,
        smallest_zcdp,
    )
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
    from exactdp.accounting.sampling.batches import poisson_subsampled, sampled
    from exactdp.accounting.sampling.poisson import PoissonSubsampled
    from exactdp.accounting.sampling.random_batches import (
        cut_poisson_sampled,
        sampled_with_replacement,
    )
    from exactdp.accounting.sampling.random_sensitivity import gaussian_mixture
    from exactdp.accounting.sampling.relations import (
        Batches,
        EpochBatches,
        NeighborRelation,
        Replaced,
    )
    from exactdp.accounting.sampling.substitution import FixedSizeSampled
    from exactdp.accounting.selection.best_of_runs import best_of_runs
    from exactdp.accounting.selection.runs import Runs
    from exactdp.accounting.selection.tuning import tuning_bound
    from exactdp.accounting.shifts import worst_shift
    from exactdp.accounting.training.dp_sgd import dp_sgd, dp_sgd_noise_multiplier
    from exactdp.mechanisms.loss_profile import LossProfile

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
    "Runs",
    "advanced_composition",
    "best_of_runs",
    "compose",
    "compose_certified",
    "compose_exactly",
    "composed_randomized_response",
    "cut_poisson_sampled",
    "dp_sgd",
    "dp_sgd_noise_multiplier",
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
    "tuning_bound",
    "worst_shift",
]

_lazy_door(
    globals(),
    {
        "accountants.privacy_loss_names": "CertifiedPLD",
        "composition.certified_composition": "CertifiedComposition compose_certified",
        "composition.compose_parts": "compose",
        "composition.composed_randomized_response": "ComposedRandomizedResponse "
        "composed_randomized_response",
        "composition.exact_composition": "compose_exactly",
        "conversions.best_guarantees": "renyi_curve smallest_gdp smallest_zcdp",
        "conversions.budgets": "read_budget",
        "conversions.guarantees": "advanced_composition from_gdp from_trade_off guarantee",
        "conversions.renyi_guarantee": "RenyiGuarantee from_renyi from_zcdp",
        "groups.group_curve": "GroupCurve",
        "groups.group_privacy": "group_privacy",
        "groups.group_profiles": "group_profile",
        "sampling.batches": "poisson_subsampled sampled",
        "sampling.poisson": "PoissonSubsampled",
        "sampling.random_batches": "cut_poisson_sampled sampled_with_replacement",
        "sampling.relations": "Batches EpochBatches NeighborRelation Replaced",
        "sampling.random_sensitivity": "gaussian_mixture",
        "sampling.substitution": "FixedSizeSampled",
        "selection.best_of_runs": "best_of_runs",
        "selection.runs": "Runs",
        "selection.tuning": "tuning_bound",
        "shifts": "worst_shift",
        "training.dp_sgd": "dp_sgd dp_sgd_noise_multiplier",
        "..mechanisms.loss_profile": "LossProfile",
    },
)
