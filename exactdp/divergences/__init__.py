"""Pairs of laws: hockey-stick divergence, privacy loss, and their relatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.numbers.doors import lazy_door as _lazy_door

if TYPE_CHECKING:
    from exactdp.divergences.families import Family, calibrated, calibrates
    from exactdp.divergences.hockey_stick import hockey_stick_divergence, total_variation
    from exactdp.divergences.number_profile import NumberProfile
    from exactdp.divergences.pair import Pair, Weight
    from exactdp.divergences.privacy_loss_distribution import (
        ExactProfile,
        FiniteProfile,
        PrivacyLossDistribution,
    )
    from exactdp.divergences.profile import PrivacyProfile
    from exactdp.divergences.real_pair import pair_of_reals
    from exactdp.divergences.renyi import kl_divergence, renyi_divergence, renyi_moment
    from exactdp.divergences.trade_off import TradeOffFunction, trade_off_function
    from exactdp.divergences.worst import AddOrRemove, Largest, Worst, add_or_remove

__all__ = [
    "AddOrRemove",
    "ExactProfile",
    "Family",
    "FiniteProfile",
    "Largest",
    "NumberProfile",
    "Pair",
    "PrivacyLossDistribution",
    "PrivacyProfile",
    "TradeOffFunction",
    "Weight",
    "Worst",
    "add_or_remove",
    "calibrated",
    "calibrates",
    "hockey_stick_divergence",
    "kl_divergence",
    "pair_of_reals",
    "renyi_divergence",
    "renyi_moment",
    "total_variation",
    "trade_off_function",
]

_lazy_door(
    globals(),
    {
        "families": "Family calibrated calibrates",
        "hockey_stick": "hockey_stick_divergence total_variation",
        "number_profile": "NumberProfile",
        "pair": "Pair Weight",
        "privacy_loss_distribution": "ExactProfile FiniteProfile PrivacyLossDistribution",
        "profile": "PrivacyProfile",
        "real_pair": "pair_of_reals",
        "renyi": "kl_divergence renyi_divergence renyi_moment",
        "trade_off": "TradeOffFunction trade_off_function",
        "worst": "AddOrRemove Largest Worst add_or_remove",
    },
)
