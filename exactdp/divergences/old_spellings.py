"""Spellings with γ = e^ε as a bare number, which the papers still use."""

# Old spelling, until the papers are converted.

from __future__ import annotations

from typing import Any

from exactdp.divergences.losses import PrivacyLossDistribution
from exactdp.divergences.pair import Pair
from exactdp.divergences.profile import ExactProfile
from exactdp.divergences.validation import nonnegative_exp_epsilon
from exactdp.numbers import Epsilon, Exact

__all__ = ["PrivacyCurve", "delta_at", "hockey_stick_both_directions"]


def delta_at(profile: ExactProfile, exp_epsilon: Any) -> Exact:
    """Return H_γ(P ‖ Q), γ = exp_epsilon."""
    gamma = nonnegative_exp_epsilon(exp_epsilon)
    return profile.delta(Epsilon(gamma)) if gamma else Exact(1)


def hockey_stick_both_directions(pair: Pair, *, exp_epsilon: Any) -> Exact:
    """Return the larger H_γ of both directions."""
    return max(delta_at(side, exp_epsilon) for side in (pair, pair.reversed()))


class PrivacyCurve:
    """The privacy loss distribution, asked with γ."""

    def __init__(self, losses: PrivacyLossDistribution) -> None:
        self._losses = losses
        self.vertices = losses.vertices
        self.breakpoints = losses.breakpoints

    @classmethod
    def from_pair(cls, pair: Pair) -> PrivacyCurve:
        """Return that of a pair."""
        return cls(pair.losses())

    def delta(self, *, exp_epsilon: Any) -> Exact:
        """Return H_γ(P ‖ Q), γ = exp_epsilon."""
        return delta_at(self._losses, exp_epsilon)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PrivacyCurve) and self._losses == other._losses

    def __hash__(self) -> int:
        return hash(self._losses)
