"""First guesses of the noise, rate or steps of DP-SGD, in doubles: nothing rests on them.

And into which cells numbers made of an epoch's outputs are cut (``epoch_outputs``): all are right,
some tell more.

By the central limit theorem n steps are about one Gaussian mechanism of μ = q √(n v), where q² v
is the variance of the likelihood ratio of a step:

    δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ),   v = e^(1/σ²) − 1,

and v = 4 sinh(1/σ²) where a record of a Poisson sample is replaced, e^(4/σ²) − 1 in a batch of
fixed size. Deterministic batches are known, μ = √(q n)/σ, or twice that; balls and bins are about
Poisson samples.

References: Z. Bu, J. Dong, Q. Long and W. Su, Deep Learning with Gaussian Differential Privacy,
Harvard Data Science Review 2020, Corollary 5.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import asinh, erfc, exp, expm1, log, log1p, sinh, sqrt
from statistics import NormalDist

from flint import arb

from exactdp.accounting.sampling.relations import Batches, EpochBatches, Replaced, is_of_epochs
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, Number, RationalLike
from exactdp.numbers.arguments import NumberLike, positive, probability, whole_number

__all__ = [
    "are_worth_scores",
    "cells_of_largest",
    "cells_of_losses",
    "likely_rate",
    "likely_sigma",
    "likely_steps",
    "scored_cells",
]

_LARGEST, _SMALLEST = 500.0, 1e-150
"""The largest number of which an exponential is taken, and the smallest of which a square is.

Numbers beyond them are replaced by them, so that no double overflows or is 0."""

_HALVINGS, _MOST_STEPS = 60, 1e15
"""Halvings of the ratio between the ends of the search for μ, from 1e11 to the last bits of a
double; and the largest number of steps that is proposed."""

_CELLS = 64
"""Cells that a number is cut into: with twice as many ε grows by less than a hundredth."""

_FAR, _RARE = 9.0, 1e-12
"""Deviations from a mean, and a probability, beyond which outputs are not told apart."""

_POINTS = 512
"""Cells of an output whose scores are told apart."""

_DEGREE, _FEWEST, _MOST = 40_000, 32, 300
"""About the largest sum of scores, and the least and largest cap of one of them.

A polynomial of this degree is raised to a power in about a second."""

_DEVIATIONS = 48.0
"""The cap of a score in its deviations under the noise: with less, or far more, ε is smaller."""

_FEW_STEPS, _LOUD = 1_500, 8.0
"""Steps up to which there are scores, and a²/σ² up to which the largest output tells less."""


def likely_sigma(
    epsilon: Epsilon,
    delta: Exact,
    *,
    sampling_probability: Exact | RationalLike,
    steps: int,
    neighbors: Replaced | None,
    batches: Batches | EpochBatches,
) -> Fraction:
    """Return about the smallest σ.

    Example:
        For (2, 1e-5), at a rate of 0.01, 1,000 steps, the smallest is 0.96:

        >>> at, delta, q = Epsilon.rational(2), Exact("1e-5"), Exact("0.01")
        >>> settings = {"neighbors": "add_or_remove", "batches": "poisson"}
        >>> likely_sigma(at, delta, sampling_probability=q, steps=1000, **settings)
        Fraction(223, 250)
    """
    share = max(_double(probability(sampling_probability, name="sampling_probability")), _SMALLEST)
    if batches == "deterministic":
        moved = 2 if neighbors == "substitution" else 1
        return _short(moved * sqrt(max(1.0, share * _count(steps))) / _mu(epsilon, delta))
    size = _mu(epsilon, delta) / share
    variance = max(size * size / max(_count(steps), 1), _SMALLEST)
    if neighbors != "substitution":
        precise = log1p(variance)
    else:
        precise = asinh(variance / 4) if batches == "poisson" else log1p(variance) / 4
    return _short(1 / sqrt(precise))


def likely_rate(
    epsilon: Epsilon,
    delta: Exact,
    *,
    noise_multiplier: NumberLike,
    steps: int,
    neighbors: Replaced | None,
    batches: Batches | EpochBatches,
) -> Fraction:
    """Return about the largest rate; it may be above 1.

    Raises:
        DomainError: For batches of epochs, whose rates are not an interval.
    """
    if is_of_epochs(batches):
        raise DomainError(
            f'sampling_probability is not searched for with batches="{batches}", of which an epoch '
            "has a whole number. Pass it, and leave out noise_multiplier."
        )
    variance = _variance(positive(noise_multiplier, name="noise_multiplier"), neighbors, batches)
    return _short(_mu(epsilon, delta) / sqrt(max(_count(steps), 1) * variance))


def likely_steps(
    epsilon: Epsilon,
    delta: Exact,
    *,
    noise_multiplier: NumberLike,
    sampling_probability: Exact | RationalLike,
    neighbors: Replaced | None,
    batches: Batches | EpochBatches,
) -> int:
    """Return about the largest number of steps, from 1 to 10^15.

    Raises:
        DomainError: For shuffled batches, whose δ lies between bounds that are far apart.
    """
    if is_of_epochs(batches):
        if batches == "shuffled":
            raise DomainError(
                'steps are not searched for with batches="shuffled", whose delta lies between '
                'bounds. Pass batches="deterministic" for steps that certainly meet the target.'
            )
        return 1
    size = _mu(epsilon, delta) / max(
        _double(probability(sampling_probability, name="sampling_probability")), _SMALLEST
    )
    found = (
        size
        / _variance(positive(noise_multiplier, name="noise_multiplier"), neighbors, batches)
        * size
    )
    return int(min(max(1.0, found), _MOST_STEPS))


def _count(steps: int) -> int:
    return whole_number(steps, name="steps", at_least=0)


def _variance(sigma: Number, neighbors: Replaced | None, batches: Batches | EpochBatches) -> float:
    """Return v."""
    precise = min(max(_double(1 / sigma), _SMALLEST), _LARGEST) ** 2
    if neighbors != "substitution":
        return expm1(min(precise, _LARGEST))
    if batches == "poisson":
        return 4 * sinh(min(precise, _LARGEST))
    return expm1(min(4 * precise, _LARGEST))


def _mu(epsilon: Epsilon, delta: Exact) -> float:
    """Return about the largest μ with which a Gaussian mechanism is (ε, δ)-private."""
    top, goal = min(_double(epsilon.nats), _LARGEST), _double(delta)
    low, high = 1e-9, 100.0
    for _ in range(_HALVINGS):
        mu = sqrt(low * high)
        above = _upper(top / mu - mu / 2) - exp(top) * _upper(top / mu + mu / 2)
        low, high = (low, mu) if above > goal else (mu, high)
    return low


def _upper(x: float) -> float:
    """Return Φ(−x)."""
    return erfc(x / sqrt(2)) / 2


def _double(value: Number) -> float:
    return float(value.ball(64).mid())


def _short(value: float) -> Fraction:
    return Fraction(f"{value:.3g}")


def are_worth_scores(sigma: Number, steps: int, shifts: tuple[int, int]) -> bool:
    """Return whether scores of so many outputs may tell more than the largest, in short time."""
    size = max(map(abs, shifts)) * _double(1 / sigma)
    return steps <= _FEW_STEPS and size * size <= _LOUD


def cells_of_largest(sigma: Number, steps: int, shifts: tuple[int, int]) -> list[Fraction]:
    """Return where the largest of several outputs is cut, in deviations σ of the noise.

    Example:
        >>> points = cells_of_largest(Exact(1), 10, (2, 1))
        >>> points == sorted(points), 50 < len(points) < 100, points[-1] > 10
        (True, True, True)
    """
    normal, each, mu = NormalDist(), _CELLS // 2, _double(1 / sigma)
    lowest = normal.inv_cdf(min(_RARE ** (1 / steps), 1 - 1e-15))
    highest = max(lowest + 1, -normal.inv_cdf(max(_RARE / steps, 1e-300)))
    ends = [(lowest, highest)]
    ends += [(s * mu - _FAR, s * mu + _FAR) for s in shifts if s > 0]
    places = {max(lowest, low + (high - low) * i / each) for low, high in ends for i in range(each)}
    return sorted({_dyadic(y) for y in places})


def scored_cells(
    sigma: Number, steps: int, shifts: tuple[int, int]
) -> tuple[list[int], list[Fraction]]:
    """Return the whole scores, from 0 on, of the cells of an output, and where they are cut.

    The score of x is about W_a(x) − W_b(x), W_c(x) = e^((cx − c²/2)/σ²), up to a cap.

    Example:
        >>> scores, points = scored_cells(Exact(1), 10, (2, 1))
        >>> len(scores) == len(points) + 1, min(scores), max(scores)
        (True, 0, 300)
    """
    (a, b), mu = shifts, _double(1 / sigma)
    low, high = min(0, b) * mu - _FAR, max(0, a) * mu + _FAR
    points = [_dyadic(low + (high - low) * i / _POINTS) for i in range(_POINTS + 1)]

    def weight(y: float, shift: int) -> float:
        return exp(min(shift * mu * y - (shift * mu) ** 2 / 2, _LARGEST / 2))

    middles = [low, *((float(x) + float(y)) / 2 for x, y in pairwise(points)), high]
    worth = [weight(y, a) - weight(y, b) for y in middles]
    least = min(worth)
    deviation = sqrt(exp((a * mu) ** 2) - 2 * exp(a * b * mu**2) + exp((b * mu) ** 2))
    most = min(max(_DEGREE // steps, _FEWEST), _MOST)
    unit = min(_DEVIATIONS * deviation, max(worth) - least) / most
    return [min(most, round((x - least) / unit)) for x in worth], points


def cells_of_losses(p: Sequence[arb], q: Sequence[arb]) -> list[int]:
    """Return a cell for each value of two laws: values of one cell have about the same ratio.

    Example:
        >>> cells_of_losses([arb("0.7"), arb("0.3")], [arb("0.3"), arb("0.7")])
        [63, 0]
    """
    doubles = [(float(a.mid()), float(b.mid())) for a, b in zip(p, q, strict=True)]
    losses = [log(a / b) if min(a, b) > _RARE**2 else None for a, b in doubles]
    likely = [
        x for x, (a, b) in zip(losses, doubles, strict=True) if x is not None and a + b > _RARE
    ]
    low = min(likely)
    unit = (max(likely) - low) / _CELLS or 1.0
    found, last = [], 0
    for x in losses:
        if x is not None:  # else that of the value before
            last = min(_CELLS - 1, max(0, int((x - low) / unit)))
        found.append(last)
    return found


def _dyadic(value: float) -> Fraction:
    return Fraction(round(value * 2**20), 2**20)
