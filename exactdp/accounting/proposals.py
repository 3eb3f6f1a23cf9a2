"""First guesses of the noise, rate or steps of DP-SGD, in doubles: nothing rests on them.

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

from fractions import Fraction
from math import asinh, erfc, exp, expm1, log1p, sinh, sqrt

from exactdp.accounting.epochs import EpochBatches, is_of_epochs
from exactdp.accounting.random_batches import Replaced
from exactdp.accounting.sampling import Batches
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, Number, RationalLike
from exactdp.numbers.arguments import NumberLike, positive, probability, whole_number

__all__ = ["likely_rate", "likely_sigma", "likely_steps"]

_LARGEST, _SMALLEST = 500.0, 1e-150
"""The largest number of which an exponential is taken, and the smallest of which a square is.

Numbers beyond them are replaced by them, so that no double overflows or is 0."""

_HALVINGS, _MOST_STEPS = 60, 1e15
"""Halvings of the ratio between the ends of the search for μ, from 1e11 to the last bits of a
double; and the largest number of steps that is proposed."""


def likely_sigma(
    epsilon: Epsilon,
    delta: Exact,
    *,
    rate: Exact | RationalLike,
    steps: int,
    neighbors: Replaced | None,
    batches: Batches | EpochBatches,
) -> Fraction:
    """Return about the smallest σ.

    Example:
        For (2, 1e-5), at a rate of 0.01, 1,000 steps, the smallest is 0.96:

        >>> at, delta, rate = Epsilon.rational(2), Exact("1e-5"), Exact("0.01")
        >>> settings = {"neighbors": "add_or_remove", "batches": "poisson"}
        >>> likely_sigma(at, delta, rate=rate, steps=1000, **settings)
        Fraction(223, 250)
    """
    share = max(_double(probability(rate, name="rate")), _SMALLEST)
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
    sigma: NumberLike,
    steps: int,
    neighbors: Replaced | None,
    batches: Batches | EpochBatches,
) -> Fraction:
    """Return about the largest rate; it may be above 1.

    Raises:
        DomainError: For batches of epochs, whose rates are no interval.
    """
    if is_of_epochs(batches):
        raise DomainError(
            f'rate is not searched for with batches="{batches}", of which an epoch has a whole '
            "number. Pass rate, and leave out sigma."
        )
    variance = _variance(positive(sigma, name="sigma"), neighbors, batches)
    return _short(_mu(epsilon, delta) / sqrt(max(_count(steps), 1) * variance))


def likely_steps(
    epsilon: Epsilon,
    delta: Exact,
    *,
    sigma: NumberLike,
    rate: Exact | RationalLike,
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
    size = _mu(epsilon, delta) / max(_double(probability(rate, name="rate")), _SMALLEST)
    found = size / _variance(positive(sigma, name="sigma"), neighbors, batches) * size
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
