"""Groups that are shown only if enough users are in them: partition selection.

A group of n users is in a release if its noisy count is above a threshold, or with a probability
π(n); one that nobody is in never is. Who is alone in a group and is shown reveals it: a δ that
the noise alone does not have.

References: D. Desfontaines, J. Voss, B. Gipson and C. Mandayam, Differentially Private
Partition Selection, PoPETs 2022 (``selections`` has their optimum).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from exactdp.divergences import AddOrRemove, Pair, PrivacyProfile, Worst
from exactdp.divergences.profile import Named
from exactdp.errors import DomainError
from exactdp.mechanisms.loss_profile import LossProfile
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
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
from exactdp.numbers.balls import TOLD_BITS
from exactdp.numbers.reals import larger_number
from exactdp.numbers.validated import validated
from exactdp.sums import AtomLattice, LossLaw, exact_masses

__all__ = [
    "lone_user",
    "smallest_threshold",
    "thresholded",
]


def lone_user(probability: Number) -> PrivacyProfile:
    """Return the profile of a user who is shown so often, and whose absence shows nothing.

    Formula:
        P = (p, 1 − p), the first being what is shown, and Q = (0, 1): δ(ε) is max(p, 1 − e^ε).

    Args:
        probability: p, from 0 to 1.

    Example:
        >>> from exactdp.numbers import Epsilon
        >>> lone_user(Exact("1/4")).delta(Epsilon.log(2))
        Exact('1/4')
    """
    kept = 1 - probability
    if isinstance(probability, Exact):
        return Pair.from_masses([probability, kept], [0, 1])
    lattice = AtomLattice(log(kept), None, None, exact_masses([0], [kept]))
    return LossProfile(LossLaw(lattice, infinity_mass=probability), ("a lone user", probability))


def _counts(noise: AdditiveNoise, threshold: Number, *, removed: bool = True) -> Worst:
    """Return a user with others in a group, and alone in one: both in one direction."""
    lone = lone_user(noise.above(threshold - _size(noise)))
    # Q of noise has the larger answer: it is that of a user who is added.
    both = (noise.reversed(), lone) if removed else (noise, lone.reversed())
    crowd, alone = "a user among many of a group", "a user alone in a group"
    return Worst(
        (Named(crowd, both[0], alone=False), Named(alone, both[1])),
        apart=partial(_apart, noise, threshold, removed=removed),
    )


def _apart(
    noise: AdditiveNoise, threshold: Number, size: int, *, removed: bool
) -> tuple[Named, ...]:
    """Return so many users who differ together, and are all in one group."""
    together = _counts(noise.moved(size), threshold, removed=removed)
    return tuple(replace(x, words=f"{size} users: {x.words}") for x in together.below)


@validated
def thresholded(noise: AdditiveNoise, *, threshold: NumberLike) -> Worst:
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
        >>> from exactdp.numbers import Epsilon
        >>> thresholded(laplace_mechanism(scale=1), threshold=5).delta(Epsilon.rational(1))
        <Exact: 0.0091578194443670901 (exactly 1/(2*e^4))>
    """
    limit = number(threshold, name="threshold")
    removed, added = (_counts(noise, limit, removed=way) for way in (True, False))
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
        >>> from exactdp.numbers import Epsilon
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
    if decided_below(target, alone, max_bits=TOLD_BITS, advice=advice):
        raise DomainError(
            f"the noise alone has a delta above {target} there, whatever the threshold. Take more "
            "noise, or ask for another epsilon or delta."
        )
    return _size(noise) + noise.exceeded(target)


def _size(noise: AdditiveNoise) -> Number:
    """Return Δ of a noise mechanism."""
    size: Number | int = noise.sensitivity
    return Exact(size) if isinstance(size, int) else size
