"""DP-SGD: steps of the subsampled Gaussian; ``calibrated`` finds noise, rate or steps.

A larger σ and fewer steps are post-processing; so is a lower rate q' < q of a Poisson sample: keep
an output with probability q'/q, else draw one without the record. So δ(ε) is monotone in all three.
All take ``neighbors``, ``batches`` and other names as :func:`dp_sgd` does.

References: M. Abadi et al., Deep Learning with Differential Privacy, CCS 2016.
"""

from __future__ import annotations

from fractions import Fraction
from typing import cast, get_args

from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.sampling.batches import sampled
from exactdp.accounting.sampling.relations import (
    Batches,
    EpochBatches,
    NeighborRelation,
    Replaced,
    is_of_epochs,
    one_of,
)
from exactdp.accounting.training.epochs import in_epochs
from exactdp.accounting.training.proposals import likely_rate, likely_sigma, likely_steps
from exactdp.divergences.calibration import crossing_parameter
from exactdp.divergences.description import (
    PROBABILITY,
    WHOLE,
    Parameter,
    choice,
    described,
    growing,
)
from exactdp.divergences.families import calibrated, noise_scale
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import Bounds
from exactdp.divergences.worst import add_or_remove
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Rounding,
    certainly_not_below,
    log,
)
from exactdp.numbers.arguments import (
    NumberLike,
    open_probability,
    positive,
    probability,
    whole_number,
)
from exactdp.numbers.crossing import Slope
from exactdp.numbers.renamed import renamed
from exactdp.numbers.validated import validated

__all__ = ["dp_sgd", "dp_sgd_noise_multiplier"]

_USUAL_WIDTH = "1e-4"
"""The relative width of a calibrated σ or rate: each step of the search composes."""

_FEW_STEPS, _BITS = 64, 1 << 10
"""Steps up to which (1 − q)^steps is an exact power; bits of the logarithms of longer ones.

Where so many bits do not tell whether σ may be 0, it is searched for."""

_WIDTH_OF_BOUNDS = "1e-2"
"""The relative width of the search by a lower bound on δ, which itself is about so far off."""


def _is_hardly_sampled(rate: Exact, steps: int, delta: Exact) -> bool:
    """Return whether 1 − (1 − q)^steps <= δ; False where balls do not tell.

    The laws of the outputs are equal but for the batches with the record, so that bounds
    δ(0), the total variation distance, and every δ(ε), whatever σ is; as σ falls to 0 it is the
    limit of δ(ε).
    """
    if steps <= _FEW_STEPS or rate == 0:
        return (1 - rate) ** steps >= 1 - delta
    if rate == 1:
        return False
    kept, wanted = steps * log(1 - rate), log(1 - delta)
    return certainly_not_below(kept, wanted, max_bits=_BITS)


def _without_search(
    epsilon: Epsilon,
    delta: Exact,
    *,
    sampling_probability: Exact | RationalLike,
    steps: int,
    neighbors: Replaced | None,
    batches: Batches | EpochBatches,
) -> Number | Enclosure | None:
    """Return 0 where every σ > 0 meets the target; bounds on σ where δ is known between bounds."""
    target = open_probability(delta, name="delta")
    q = probability(sampling_probability, name="sampling_probability")
    n = whole_number(steps, name="steps", at_least=0)
    if not is_of_epochs(batches):
        return Exact(0) if _is_hardly_sampled(q, n, target) else None
    if n == 0:
        return Exact(0)

    def profile_of(sigma: Fraction) -> PrivacyProfile:
        return dp_sgd(sigma, q, n, neighbors=neighbors, batches=batches)

    if profile_of(Fraction(1)).reached != "bound":
        return None
    known = calibrated(
        dp_sgd,
        epsilon=epsilon,
        delta=target,
        sampling_probability=q,
        steps=n,
        neighbors=neighbors,
        batches="deterministic",
    )
    low = crossing_parameter(
        profile_of,
        epsilon=epsilon,
        delta=target,
        slope=Slope.FALLING,
        first=known.lower / 4,
        end=Rounding.DOWN,
        relative_width=_WIDTH_OF_BOUNDS,
    )
    return Bounds(low.lower, known.upper, "a lower bound on delta", "deterministic batches")


@renamed
@described(
    "dp_sgd",
    """Steps of DP-SGD, the larger of both directions; the noise in units of the clipping norm.

    A record is in a batch with ``sampling_probability``; of batches that are the parts of an epoch
    ("shuffled", "balls_and_bins", "deterministic") that is one over their number. Shuffled batches
    lie between bounds of different origin, ``lower_by`` and ``upper_by``.
    """,
    noise_scale(
        "noise_multiplier",
        "σ over the clipping norm",
        first=likely_sigma,
        known=_without_search,
        usual_width=_USUAL_WIDTH,
    ),
    growing(
        "sampling_probability",
        "q, with which a record is in a batch",
        PROBABILITY,
        first=likely_rate,
        at_most=Fraction(1),
        usual_width=_USUAL_WIDTH,
    ),
    growing("steps", "T, the number of batches", WHOLE, "steps", argument=int, first=likely_steps),
    Parameter("neighbors", "the neighboring relation", choice(*get_args(Replaced))),
    Parameter(
        "batches",
        "how they are drawn",
        choice(*get_args(Batches), *get_args(EpochBatches)),
    ),
    is_sampled=False,
)
@validated
def dp_sgd(
    noise_multiplier: NumberLike,
    sampling_probability: Exact | RationalLike,
    steps: int,
    *,
    neighbors: Replaced | None = None,
    batches: Batches | EpochBatches = "poisson",
) -> PrivacyProfile:
    """Return the profile of DP-SGD: the larger of both directions.

    Args:
        noise_multiplier: σ, in units of the clipping norm, for all neighbors.
        sampling_probability: q; each record is in a batch with probability q; "100/60000" for
            batches of 100 of 60,000. For batches of epochs one of them over T, the batches in an
            epoch.
        steps: At least 0.
        neighbors: "add_or_remove" of a record; "zero_out", a record is there or adds nothing in
            its place; or "substitution" (replace-one) of one by another. If left out,
            "add_or_remove", and of "deterministic" and "shuffled" batches, which have places,
            "zero_out".
        batches: "poisson", drawn independently, or "fixed_size", without replacement: an upper
            bound under "substitution", as the ``note`` of the profile says. Or of epochs, in each
            of which every record is in one batch: "shuffled", each epoch anew, with all batches
            of one size; "balls_and_bins", a batch drawn for each record; "deterministic".

    Returns:
        For "shuffled", and "balls_and_bins" under "substitution", a ``Sandwich``, whose ends are
        named: above stand deterministic batches, below explicit data sets.

    Raises:
        DomainError: If an argument is outside its range.

    Example:
        >>> found = dp_sgd(1, "0.01", 1000).epsilon("1e-5", relative_width="1e-3")
        >>> Fraction("1.827") < found.lower < found.upper < Fraction("1.830")
        True
        >>> replaced = dp_sgd(1, "0.01", 1000, neighbors="substitution")
        >>> found = replaced.epsilon("1e-5", relative_width="1e-3")
        >>> Fraction("2.842") < found.lower < found.upper < Fraction("2.846")
        True

        A loader that shuffles has more than that, an order that is known more yet:

        >>> shuffled = dp_sgd(1, "0.01", 100, batches="shuffled").epsilon("1e-5")
        >>> poisson = dp_sgd(1, "0.01", 100).epsilon("1e-5", relative_width="1e-2")
        >>> bool(poisson.upper < 1 < 4 < shuffled.lower), shuffled.upper_by[:21]
        (True, 'deterministic batches')
    """
    steps = whole_number(steps, name="steps", at_least=0)
    noise = gaussian_mechanism(sigma=positive(noise_multiplier, name="noise_multiplier"))
    if is_of_epochs(batches):
        usual: Replaced = "add_or_remove" if batches == "balls_and_bins" else "zero_out"
        relation = usual if neighbors is None else neighbors
        return in_epochs(
            noise,
            sampling_probability=sampling_probability,
            steps=steps,
            batches=batches,
            neighbors=relation,
        )
    kind, known = _of_samples(neighbors, batches)
    step = sampled(noise, sampling_probability=sampling_probability, neighbors=known, batches=kind)
    whole = compose([(step, steps)])
    # All replacements are neighbors in both orders: a worst case has no other direction.
    return add_or_remove(whole) if known == "add_or_remove" else whole.both_directions()


def _of_samples(
    neighbors: Replaced | None, batches: Batches | EpochBatches
) -> tuple[Batches, NeighborRelation]:
    """Return samples and neighbors; in a Poisson sample a null record is an absent one."""
    one_of(batches, Batches, EpochBatches, name="batches")
    if neighbors is None or (neighbors == "zero_out" and batches == "poisson"):
        neighbors = "add_or_remove"
    return cast(Batches, batches), cast(NeighborRelation, neighbors)  # else refused as unknown


@renamed
@validated
def dp_sgd_noise_multiplier(
    epsilon: EpsilonLike,
    delta: Exact | RationalLike,
    *,
    sampling_probability: Exact | RationalLike,
    steps: int,
    neighbors: Replaced | None = None,
    batches: Batches | EpochBatches = "poisson",
    relative_width: RationalLike = "1e-4",
) -> Enclosure:
    """Return an enclosure of the smallest noise multiplier with which DP-SGD is (ε, δ)-private.

    Its upper end certainly is, its lower end certainly is not; the point 0 if every σ > 0 is: a
    record that is in any batch with a probability of at most δ, 1 − (1 − q)^steps, needs no noise.
    :func:`calibrated` finds the sampling probability, or the number of steps, in the same way.
    Where δ is known between bounds only, as of shuffled batches, the ends are those of the bounds.

    Raises:
        DomainError: If an argument is outside its range.
        TooLargeError, UndecidedError: If the width is not reached.

    Example:
        Of 100 batches a record is in one with a probability of at most 1e-3, which is δ:

        >>> dp_sgd_noise_multiplier(1, "1e-3", sampling_probability="1e-5", steps=100).upper
        Fraction(0, 1)
    """
    return calibrated(
        dp_sgd,
        epsilon=epsilon,
        delta=delta,
        sampling_probability=sampling_probability,
        steps=steps,
        neighbors=neighbors,
        batches=batches,
        relative_width=relative_width,
    )
