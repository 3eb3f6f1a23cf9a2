"""Groups that are shown only if enough users are in them: partition selection.

A group of n users is in a release if its noisy count is above a threshold, or with a probability
π(n); one that nobody is in never is. Who is alone in a group and is shown reveals it: a δ that
the noise alone does not have.

References: D. Desfontaines, J. Voss, B. Gipson and C. Mandayam, Differentially Private
Partition Selection, PoPETs 2022 (``selections`` has their optimum).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from exactdp.divergences import AddOrRemove, NumberProfile, Pair, PrivacyProfile
from exactdp.divergences.profile import Largest, Named
from exactdp.divergences.values import one_difference
from exactdp.errors import DomainError
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    certainly_below,
    decided_below,
    log,
)
from exactdp.numbers.arguments import (
    NumberLike,
    number,
    of_class,
    open_probability,
    privacy_epsilon,
)
from exactdp.numbers.reals import larger_number
from exactdp.numbers.validated import validated
from exactdp.sums import AtomLattice, LossLaw, exact_masses

__all__ = [
    "LoneUser",
    "smallest_threshold",
    "thresholded",
]


_BITS = 1 << 10
"""The precision at which a δ that is no number below 0 is left as the larger of two."""


@dataclass(frozen=True, slots=True)
class LoneUser(NumberProfile[Number]):
    """A user who is shown with a probability, and whose absence shows nothing.

    Formula:
        P = (p, 1 − p), the first being what is shown, and Q = (0, 1); the reverse where the user is
        added. δ(ε) is max(p, 1 − e^ε), and max(0, 1 − e^ε(1 − p)) for adding.

    Attributes:
        probability: p, below 1.
        adds_user: False for P with the user, True for the reverse.
    """

    probability: Number
    adds_user: bool = False

    has_closed_form = True

    def as_finite(self) -> PrivacyProfile:
        """Return the pair of the two outcomes, where the probability is an exact number."""
        if not isinstance(self.probability, Exact):
            return self
        pair = Pair.from_masses([self.probability, 1 - self.probability], [0, 1])
        return pair.reversed() if self.adds_user else pair

    def max_divergence(self) -> Epsilon | Number:
        """Return infinity: who is shown is revealed. For adding, −ln(1 − p)."""
        return self.largest_finite_loss() if self.adds_user else Epsilon.infinity()

    def infinity_mass(self) -> Number:
        """Return p; 0 for adding."""
        return Exact(0) if self.adds_user else self.probability

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return ln(1 − p), from where on δ is p; −ln(1 − p) for adding."""
        kept, sign = 1 - self.probability, -1 if self.adds_user else 1
        return Epsilon(kept) * sign if isinstance(kept, Exact) else log(kept) * sign

    def reversed(self) -> LoneUser:
        """Return the other direction."""
        return replace(self, adds_user=not self.adds_user)

    def loss_law(self) -> LossLaw:
        """Return the law of the loss: one finite one."""
        kept = 1 - self.probability
        mass: Number = kept
        infinities: tuple[Number, Number] = (self.probability, Exact(0))
        origin: Number = log(kept)
        if self.adds_user:
            mass, origin, infinities = Exact(1), -origin, infinities[::-1]
        lattice = AtomLattice(origin, None, None, exact_masses([0], [mass]))
        ratio = kept if not self.adds_user else 1 / kept
        ends = (ratio, ratio) if isinstance(ratio, Exact) else None
        return LossLaw(lattice, None, None, *infinities, ends)

    def _delta_at(self, gamma: Exact) -> Number:
        shown, kept = self.probability, 1 - self.probability
        if gamma == 1:
            return shown
        if not self.adds_user:
            return shown if gamma > 1 else larger_number(shown, 1 - gamma)
        found = (
            one_difference(Exact(1), kept, gamma) if isinstance(kept, Exact) else 1 - gamma * kept
        )
        return (
            Exact(0)
            if certainly_below(found, Exact(0), max_bits=_BITS)
            else larger_number(Exact(0), found)
        )

    def _renyi_at(self, order: Fraction) -> Number:
        # Over the finite loss; of orders above 1 the other direction alone is finite.
        factor = Exact(1) if self.adds_user else Exact(order / (1 - order))
        return -factor * log(1 - self.probability)

    def _trade_off_at(self, level: Exact) -> Number:
        left = 1 - self.probability
        if self.adds_user:
            return left * (1 - level)
        return larger_number(Exact(0), 1 - level / left)


@dataclass(frozen=True, slots=True)
class _Counts(Largest):
    """A user with others in a group, and alone in one: both in one direction.

    Attributes:
        noise: On each count.
        threshold: T.
        removed: Whether a user is removed.
    """

    noise: AdditiveNoise
    threshold: Number
    removed: bool = True

    @classmethod
    def of(cls, noise: AdditiveNoise, threshold: Number, *, removed: bool) -> _Counts:
        """Return the two pairs of a noise and a threshold."""
        shown = noise.above(threshold - _size(noise))
        lone: PrivacyProfile = LoneUser(shown)
        if isinstance(shown, Exact) and shown in (0, 1):  # noise that ends before the threshold
            lone = Pair.from_masses([shown, 1 - shown], [0, 1])
        # Q of noise has the larger answer: it is that of a user who is added.
        both = (noise.reversed(), lone) if removed else (noise, lone.reversed())
        return cls(both, noise, threshold, removed)

    def cases(self) -> tuple[Named, ...]:
        """Return the two; others who are counted may not be in a sample."""
        crowd, alone = self.profiles
        return (
            Named("a user among many of a group", crowd, alone=False),
            Named("a user alone in a group", alone),
        )

    def cases_apart(self, size: int) -> tuple[Named, ...]:
        """Return the two of so many users who differ together, and are all in one group."""
        both = _Counts.of(self.noise.moved(size), self.threshold, removed=self.removed)
        return tuple(replace(x, words=f"{size} users: {x.words}") for x in both.cases())

    def reversed(self) -> _Counts:
        """Return the two in the other direction."""
        return _Counts.of(self.noise, self.threshold, removed=not self.removed)


@validated
def thresholded(noise: AdditiveNoise, *, threshold: NumberLike) -> AddOrRemove:
    """Return noisy counts that are shown only above a threshold, where somebody is counted.

    Formula:
        max(δ(ε) of the noise, Pr[Δ + noise > T]), T = threshold, for ε >= 0: groups of at least
        one other user are post-processed noise, and no threshold matters where they are large.

    Meaning:
        The larger of both directions, a user removed or added. In each it is the worst of two
        pairs, so that what is composed lies between bounds: a product of these pairs, named by
        ``lower_by``, and that of pairs which dominate both. A sample
        (:func:`~exactdp.accounting.poisson_subsampled`) is in the direction of removing.

    Args:
        noise: On each count. Its sensitivity Δ is how much a user adds to one group at most.
        threshold: T, of any sign; for noise on integers their floor.

    A user is in one group. In several of them it is the product of as many such pairs, each
    either of the two.

    Example:
        Who is alone is shown with probability e^(−4)/2, and at ε = 1 that is all:

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> thresholded(laplace_mechanism(scale=1), threshold=5).delta(Epsilon.rational(1))
        Exact('1/(2*e^4)')
    """
    limit = number(threshold, name="threshold")
    removed, added = (_Counts.of(noise, limit, removed=way) for way in (True, False))
    return AddOrRemove((removed, added), has_sides=True)


def smallest_threshold(
    noise: AdditiveNoise, epsilon: EpsilonLike, delta: Exact | RationalLike
) -> Number:
    """Return the smallest T at which :func:`thresholded` gives (ε, δ)-differential privacy.

    Formula:
        Δ + the smallest x with Pr[noise > x] <= δ; an integer for noise on integers.

    Args:
        noise: On each count; it must give (ε, δ) itself.
        epsilon: ε, at least 0.
        delta: δ, strictly between 0 and 1.

    Raises:
        DomainError: If the noise alone does not give (ε, δ): no threshold does then.

    Example:
        >>> from exactdp.mechanisms import discrete_laplace_mechanism
        >>> one = discrete_laplace_mechanism(rate=Epsilon.log(2))
        >>> smallest_threshold(one, Epsilon.log(2), "1/3"), one.above(Exact(0))
        (Exact('1'), Exact('1/3'))
    """
    of_class(noise, AdditiveNoise, name="noise", advice="Pass noise.")
    target, at = open_probability(delta, name="delta"), privacy_epsilon(epsilon)
    alone, other = noise.delta(at), noise.reversed()
    if other != noise:  # coins that are not fair
        alone = larger_number(alone, other.delta(at))
    advice = f"delta={target} cannot be told from that of the noise alone. Ask for another."
    if decided_below(target, alone, max_bits=1 << 12, advice=advice):
        raise DomainError(
            f"the noise alone has a delta above {target} there, whatever the threshold. Take more "
            "noise, or ask for another epsilon or delta."
        )
    return _size(noise) + noise.exceeded(target)


def _size(noise: AdditiveNoise) -> Number:
    """Return Δ of a noise mechanism."""
    size: Number | int = noise.sensitivity
    return Exact(size) if isinstance(size, int) else size
