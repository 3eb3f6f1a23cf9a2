r"""Batches that are the parts of an epoch: every record in one of its T batches, in each epoch.

The adaptive batch linear queries of Chua et al.: a step publishes the sum of ψ(x) over the records
x of its batch, with Gaussian noise; ψ, of norm at most Δ, may depend on what was published.

- "deterministic": batches are known. The record's step of an epoch is known, so an epoch is one
  Gaussian mechanism, and E epochs are one of μ² = E(Δ/σ)², exactly.
- "shuffled": each epoch a uniform permutation, cut into T batches of one size.
- "balls_and_bins": each record in a batch of the epoch of its own, drawn uniformly.

Neighbors have as many records: "zero_out", one is replaced with what adds nothing, or
"substitution", with any other. Where a record's batch does not depend on others, one that adds
nothing is one that is not there, and "add_or_remove" is the same. Where batches are shuffled, or
filled in order, a record less is other batches for all, and "add_or_remove" is refused.

Above. Let R be all that is drawn for batches; its law is the same for both data sets. Given R,
batches are known, and the laws differ in one step of each epoch, by at most Δ or 2Δ: there is a
Gaussian mechanism above, whatever R is. P and Q are its mixtures over R, and H_γ is jointly convex:

    H_γ(P ‖ Q) <= E_R H_γ(P_R ‖ Q_R) <= that of deterministic batches.

A step not reached is post-processing, so epochs are counted as begun.

Balls and bins, zero-out: given the others' batches R the record's is uniform, and the outputs are
a randomized function of those of ``random_allocation`` (to N(0, σ²), or N(Δ, σ²), add independent
noise after scaling, which makes N(0, σ²I), or N(ψ(x), σ²I), then the others' sum; step by step, as
ψ is known by then). With queries of one constant they are as bad. So this is exact.

Below, each an explicit pair of data sets and of queries, constant in each epoch:

- shuffled: all other records add −Δ. The record adds Δ, and in its place nothing, or −Δ
  (substitution). Relative to a batch of others its batch is moved by 2Δ, and by Δ or 0.
- balls and bins, substitution: the others add nothing, the record Δ, and then −Δ.

In both cases the pair of ``epoch_outputs`` is what is published; the sum of an epoch's outputs is
one Gaussian mechanism of T times the variance (in the last, partial epoch it tells less, and is
left out). With others that add nothing, shuffled batches publish what balls and bins do: what
"balls_and_bins" says of zero-out is another lower bound, mostly a smaller one.

References: L. Chua, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi, A. Sinha and C. Zhang, How
Private are DP-SGD Implementations?, ICML 2024 (deterministic and shuffled batches, one epoch); L.
Chua, B. Ghazi, C. Harrison, E. Leeman, P. Kamath, R. Kumar, P. Manurangsi, A. Sinha and C. Zhang,
Balls-and-Bins Sampling for DP-SGD, AISTATS 2025; V. Feldman and M. Shenfeld, Privacy Amplification
by Random Allocation, 2025.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.sampling.batches import poisson_subsampled
from exactdp.accounting.sampling.relations import EpochBatches, Replaced, one_of
from exactdp.accounting.training.epoch_outputs import EpochOutputs, Told, told_by
from exactdp.divergences import Pair, PrivacyProfile, add_or_remove
from exactdp.divergences.worst import Named, Sandwich
from exactdp.errors import DomainError
from exactdp.mechanisms.gaussian import GaussianMechanism
from exactdp.numbers import Exact, RationalLike, sqrt
from exactdp.numbers.arguments import probability, whole_number
from exactdp.numbers.validated import validated
from exactdp.shuffle.allocation import random_allocation

__all__ = ["in_epochs"]

_MADE: dict[Told, str] = {
    "scores": "scores of an epoch's outputs, added up",
    "largest": "the largest output of an epoch",
}
"""What the lower bounds look at, in words."""


@validated
def in_epochs(
    noise: GaussianMechanism,
    *,
    sampling_probability: Exact | RationalLike,
    steps: int,
    batches: EpochBatches,
    neighbors: Replaced = "zero_out",
) -> PrivacyProfile:
    """Return noise on the batches of epochs, in both directions.

    Meaning:
        "deterministic" is exact, and "balls_and_bins" for all neighbors but "substitution". Else a
        ``Sandwich``: above deterministic batches, below explicit data sets.

    Args:
        noise: Gaussian, calibrated to one record that is there, or adds nothing.
        sampling_probability: 1/T, of T batches in an epoch.
        steps: At least 0; the last epoch may be a part of one.
        batches: How a record's batch is chosen in each epoch.
        neighbors: "zero_out" or "substitution"; "add_or_remove" where batches stay as they are.

    Raises:
        DomainError: If an argument is outside its range.

    Example:
        Two epochs in order are two uses of σ = 1, 2Φ(√2/2) − 1 at ε = 0; a shuffle of two batches
        lies below that:

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.numbers import Epsilon, decimal
        >>> noise, nothing = gaussian_mechanism(sigma=1), Epsilon.log(1)
        >>> known = in_epochs(noise, sampling_probability="1/2", steps=4, batches="deterministic")
        >>> decimal(known.delta(nothing), digits=5)
        '0.52050'
        >>> shuffled = in_epochs(noise, sampling_probability="1/2", steps=4, batches="shuffled")
        >>> found = shuffled.delta(nothing)
        >>> Fraction("0.4") < found.lower < found.upper < Fraction("0.521")
        True
    """
    whole, n = (
        _batches_in(sampling_probability, batches),
        whole_number(steps, name="steps", at_least=0),
    )
    relation = _relation(neighbors, batches)
    if n == 0:
        return Pair.from_masses([1], [1])
    moved = 1 if relation == "zero_out" else 2
    known = replace(noise, sensitivity=moved * noise.sensitivity).composed(-(-n // whole))
    if batches == "deterministic" or whole == 1:
        return known
    if batches == "balls_and_bins" and relation == "zero_out":
        return add_or_remove(_allocated(noise, whole, n))
    above = Named("deterministic batches: one Gaussian mechanism an epoch", known)
    shifts = (2, 2 - moved) if batches == "shuffled" else (1, -1)
    return Sandwich(tuple(_below(noise, whole, n, shifts)), (above,), is_symmetric=True)


def _batches_in(rate: Exact | RationalLike, batches: EpochBatches) -> int:
    """Return T."""
    q = probability(rate, name="sampling_probability")
    share = q.as_fraction() if q.is_rational else Fraction(0)
    if share.numerator != 1:
        raise DomainError(
            f'sampling_probability={q} is not 1/T, and with batches="{batches}" an epoch has T '
            'batches. Pass 1 over their number, as "1/100".'
        )
    return share.denominator


def _relation(neighbors: Replaced, batches: EpochBatches) -> Literal["zero_out", "substitution"]:
    one_of(neighbors, Replaced, name="neighbors")
    if neighbors == "substitution":
        return neighbors
    if neighbors == "add_or_remove" and batches != "balls_and_bins":
        raise DomainError(
            f'neighbors="add_or_remove" moves other records to other batches of "{batches}" ones. '
            'Pass "zero_out", where a record adds nothing in its place, or "substitution".'
        )
    return "zero_out"


def _allocated(noise: GaussianMechanism, whole: int, steps: int) -> PrivacyProfile:
    """Return balls and bins, removing a record: of a partial epoch it may be in no batch."""
    full, rest = divmod(steps, whole)
    parts: list[tuple[PrivacyProfile, int]] = []
    if full:
        parts.append((random_allocation(noise, steps=whole), full))
    if rest:
        part = random_allocation(noise, steps=rest)
        parts.append(
            (poisson_subsampled(part, sampling_probability=Exact(Fraction(rest, whole))), 1)
        )
    return compose(parts)


def _below(
    noise: GaussianMechanism, whole: int, steps: int, shifts: tuple[int, int]
) -> list[Named]:
    """Return lower bounds, cheap ones first."""
    full, rest = divmod(steps, whole)
    a, b = shifts
    others, other = _adds(1 - a), _adds(1 - a + b)
    said = f"others add {others}, the record 1 or {other}: "
    sigma, share = noise.sigma / noise.sensitivity, Exact(Fraction(rest, whole))
    if full:
        summed = GaussianMechanism(sigma * sqrt(whole), Exact(a - b)).composed(full)
        found = [Named(f"{said}the sum of an epoch's outputs", summed, alone=False)]
    else:
        part = poisson_subsampled(
            GaussianMechanism(sigma * sqrt(rest), Exact(1)), sampling_probability=share
        )
        words = "others add nothing, the record 1 or nothing: the sum of all outputs"
        found = [Named(words, part.both_directions())]
    epochs = [(EpochOutputs(sigma, whole, Exact(1), shifts), full)] if full else []
    epochs += [(EpochOutputs(sigma, rest, share, shifts), 1)] if rest else []
    for told, words in _MADE.items():
        if all(outputs.has(told) for outputs, _ in epochs):
            outputs = told_by(epochs, told).both_directions()
            found.append(Named(said + words, outputs, alone=False))
    return found


def _adds(size: int) -> str:
    return str(size) if size else "nothing"
