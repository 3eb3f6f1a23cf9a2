"""Counts that are released above a threshold only: partition selection, with its truth.

A group of users is shown in a release if its noisy count is above a threshold; one that nobody
is in never is. Who is alone in a group reveals it: a δ that the noise alone does not have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from exactdp.divergences import PrivacyProfile
from exactdp.divergences.questions import Question, question
from exactdp.errors import DomainError
from exactdp.mechanisms import thresholded
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, float_above
from exactdp.testing import mechanisms
from exactdp.testing.cases import drawn_delta, drawn_mechanism
from exactdp.testing.later import st
from exactdp.testing.mechanisms import Mechanism

__all__ = ["ThresholdCase", "thresholded_counts"]

KINDS = sorted(
    (name for name, kind in mechanisms.KINDS.items() if "thresholds" in kind.goes_into),
    key=lambda name: mechanisms.KINDS[name].parameter,
)
"""The noise of counts; first that of a scale, which is the quickest."""


@dataclass(frozen=True)
class ThresholdCase:
    """A noisy count that is released only above a threshold, where each user is counted once.

    Attributes:
        mechanism: The noise, continuous or on integers, not sampled, once.
        threshold: T, a double; for noise on integers its floor.
        epsilon: ε in nats, at least 0: where to ask for δ.
        delta: δ, above 0 and below 1: for which to ask for the smallest threshold.

    Example:
        A lone user is released with probability e^(−4)/2, and at ε = 1 that is all:

        >>> case = ThresholdCase(Mechanism("laplace", 1.0), 5.0, epsilon=1.0, delta=1e-5)
        >>> case.profile.delta(Epsilon.rational(1))
        <Exact: 0.0091578194443670901 (exactly 1/(2*e^4))>
        >>> from exactdp.numbers import decimal
        >>> decimal(case.true_threshold, digits=6)
        '11.8198'
    """

    mechanism: Mechanism
    threshold: float
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        one = self.mechanism
        if one.kind not in KINDS or one.sampling_probability != 1 or one.times != 1:
            raise DomainError(
                f"mechanism={one} is not one noise mechanism without sampling. "
                f"Pass one of {', '.join(KINDS)}."
            )

    @property
    def profile(self) -> PrivacyProfile:
        """The profile of :func:`exactdp.mechanisms.thresholded`, of one user's count of 1."""
        return thresholded(self._noise, threshold=Fraction(self.threshold))

    @property
    def truth(self) -> Question:
        """The true δ at ``epsilon``."""
        return question(self.profile, epsilon=self.epsilon)

    @property
    def true_threshold(self) -> Number:
        """The smallest T with Pr[1 + noise > T] <= ``delta``; whole for noise on integers."""
        return 1 + self._noise.exceeded(Exact(Fraction(self.delta)))

    @property
    def _noise(self) -> AdditiveNoise:
        noise = self.mechanism.profile
        assert isinstance(noise, AdditiveNoise)
        return noise

    def profile_with(self, threshold: float) -> PrivacyProfile:
        """Return the profile with another threshold: one that a function returned."""
        return replace(self, threshold=threshold).profile


@st.composite
def thresholded_counts(draw: st.DrawFn, *kinds: str) -> ThresholdCase:
    """Draw thresholded counts with the truth for the doubles drawn.

    δ between 0.5 and 1e-300; ε such that the noise alone has at most this δ, so that the whole
    has it exactly if the threshold is at least ``true_threshold``; a threshold about there.
    Shrinks to Laplace noise of scale 1 at δ = 1e-5.

    Args:
        draw: Supplied by hypothesis.
        kinds: Some of :data:`KINDS`, as "laplace"; by default all.
    """
    mechanism = drawn_mechanism(draw, kinds or tuple(KINDS))
    delta = drawn_delta(draw, to=300)
    enough: Epsilon | Number | Enclosure = mechanism.profile.max_divergence()
    if isinstance(enough, Epsilon) and enough.is_infinite:
        enough = mechanism.profile.epsilon(Fraction(delta), relative_width="1/4")
    case = ThresholdCase(mechanism, 0.0, float_above(enough), delta)
    nearby = draw(st.sampled_from([1.0, 1.125, 0.875, 2.0]))
    return replace(case, threshold=float_above(case.true_threshold) * nearby)
