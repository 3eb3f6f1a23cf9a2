"""The names that profiles of this room had before they were profiles."""

from __future__ import annotations

from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.divergences.validation import nonnegative_exp_epsilon
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike

__all__ = ["OldSpelling"]


# Old spelling, until the papers are converted.
class OldSpelling(PrivacyProfile):
    """A profile that also answers to e^ε."""

    __slots__ = ()

    def hockey_stick_divergence(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return δ, exact, at e^ε >= 0."""
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        if gamma == 0:
            return Exact(1)
        value = self.delta(Epsilon(gamma))
        assert isinstance(value, Exact)
        return value

    def delta_enclosure(
        self, *, exp_epsilon: Exact | RationalLike, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of δ at e^ε >= 0."""
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        width = self.usual_width if relative_width is None else relative_width
        if gamma == 0:
            return enclosed(Exact(1), width)
        return enclosed(self.delta(Epsilon(gamma), relative_width=width), width)
