"""What the views of a shuffled protocol share: two finite laws, and every question exact."""

from __future__ import annotations

from abc import abstractmethod

from exactdp.divergences import Pair, PrivacyLossDistribution
from exactdp.divergences.losses import FiniteProfile
from exactdp.numbers import Epsilon

__all__ = ["ExactView"]


class ExactView(FiniteProfile):
    """The two laws of what an analyzer receives, P and Q, as a privacy profile."""

    is_lower_bound: bool
    """Whether messages were merged with loss on request."""

    @property
    @abstractmethod
    def pair(self) -> Pair:
        """The pair (P, Q)."""

    @property
    def note(self) -> str | None:
        """That it is a lower bound, where messages were merged with loss."""
        if self.is_lower_bound:
            return "Messages were merged on request: a lower bound on the whole view's delta."
        return None

    def losses(self) -> PrivacyLossDistribution:
        """Return the law of the privacy loss, for many questions.

        Raises:
            TooLargeError: If the view is too large.
        """
        return self.pair.losses()

    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q), exactly."""
        return self.pair.max_divergence()
