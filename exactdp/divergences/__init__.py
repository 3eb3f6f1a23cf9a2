"""Pairs of laws: hockey-stick divergence, privacy loss, and their relatives."""

from exactdp.divergences.curve import PrivacyCurve, UpperEnvelope, upper_envelope
from exactdp.divergences.hockey_stick import (
    hockey_stick_both_directions,
    hockey_stick_divergence,
    hockey_stick_event,
    total_variation,
)
from exactdp.divergences.likelihood import sufficient_pair
from exactdp.divergences.max_divergence import max_divergence, max_divergence_both_directions
from exactdp.divergences.pair import Pair, Weight
from exactdp.divergences.privacy_loss import PrivacyLossDistribution
from exactdp.divergences.renyi import kl_divergence, renyi_divergence, renyi_moment
from exactdp.divergences.trade_off import TradeOffFunction, trade_off_function

__all__ = [
    "Pair",
    "PrivacyCurve",
    "PrivacyLossDistribution",
    "TradeOffFunction",
    "UpperEnvelope",
    "Weight",
    "hockey_stick_both_directions",
    "hockey_stick_divergence",
    "hockey_stick_event",
    "kl_divergence",
    "max_divergence",
    "max_divergence_both_directions",
    "renyi_divergence",
    "renyi_moment",
    "sufficient_pair",
    "total_variation",
    "trade_off_function",
    "upper_envelope",
]
