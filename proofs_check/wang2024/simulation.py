"""Algorithm 2 at the scale of the experiments, in numpy: estimates and their errors.

The shuffler's output enters the estimate through the counts C_j alone, so the counts
are drawn: the sampled items are counted, and the n⌈m⌉ slots are one multinomial draw.
These are doubles and pseudo-random numbers, for a look at the protocol; what is
asserted about it is computed in ``utility``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactdp.errors import DomainError
from exactdp.numbers import RationalLike
from proofs_check.wang2024.protocol import Parameters, signal

Sets = NDArray[np.int64]
"""One row a user: its s items, distinct."""

Reals = NDArray[np.float64]


def uniform_sets(n: int, *, d: int, s: int, generator: np.random.Generator) -> Sets:
    """Return n uniformly random sets of s of d items, the paper's synthetic dataset.

    Raises:
        DomainError: If s is not between 1 and d.

    Example:
        >>> sorted(uniform_sets(1, d=3, s=3, generator=np.random.default_rng(1))[0].tolist())
        [0, 1, 2]
    """
    if not 1 <= s <= d:
        raise DomainError(f"s={s} must be between 1 and d={d}.")
    # The places of the s smallest of d independent uniform numbers.
    keys = generator.random((n, d), dtype=np.float32)
    return np.argpartition(keys, s - 1, axis=1)[:, :s].astype(np.int64)


def simulated_counts(
    data: Sets,
    levels: NDArray[np.int64],
    *,
    d: int,
    parameters: Parameters,
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Return one draw of the counts C_1, ..., C_d, for the users' sets and levels (from 0 on).

    Raises:
        DomainError: If there is not one level a user.

    Example:
        Without a blanket, and λ = 1, these are the frequencies times n:

        >>> simulated_counts(
        ...     np.array([[0, 1], [0, 2]]), np.array([0, 0]), d=3,
        ...     parameters=Parameters(0, (1,)), generator=np.random.default_rng(1)).tolist()
        [2, 1, 1]
    """
    if data.shape[0] != levels.shape[0]:
        raise DomainError(f"{data.shape[0]} users and {levels.shape[0]} levels. Give one a user.")
    rates = np.array([float(rate) for rate in parameters.rates])[levels]
    sent = data[generator.random(data.shape) < rates[:, None]]
    slots = data.shape[0] * parameters.slots
    blanket = generator.multinomial(
        generator.binomial(slots, float(parameters.slot_rate)), np.full(d, 1 / d)
    )
    return np.bincount(sent, minlength=d) + blanket


def simulated_estimate(
    counts: NDArray[np.int64],
    *,
    n: int,
    parameters: Parameters,
    level_counts: Sequence[RationalLike],
) -> Reals:
    """Return the estimates Ŵ_1, ..., Ŵ_d from the counts: line 21 of Algorithm 2.

    Raises:
        DomainError: If Σ_k n̂_k λ_k = 0.
    """
    divisor = float(signal(level_counts, parameters.rates))
    return np.asarray((counts - n * float(parameters.m) / len(counts)) / divisor, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class SimulatedError:
    """The squared error Σ_j (ŵ_j - w_j)² of each run.

    It is taken against the law W that the data are drawn from (population), and against the
    frequencies in the data that were drawn (empirical).
    """

    population: Reals
    empirical: Reals


def simulated_error(
    *, segments: Sequence[int], d: int, s: int, parameters: Parameters, runs: int, seed: int
) -> SimulatedError:
    """Return the errors of independent runs on new uniformly random sets of s of d items.

    ``segments`` are n_1, ..., n_K, the numbers of users of each level.

    Raises:
        DomainError: If an argument is outside its range.
    """
    if len(segments) != len(parameters.rates) or runs < 1:
        raise DomainError(
            f"{len(segments)} segments for {len(parameters.rates)} rates, runs={runs}. "
            "Give one segment a rate, and at least one run."
        )
    generator = np.random.default_rng(seed)
    levels = np.repeat(np.arange(len(segments)), segments)
    n = len(levels)
    population, empirical = np.empty(runs), np.empty(runs)
    for run in range(runs):
        data = uniform_sets(n, d=d, s=s, generator=generator)
        counts = simulated_counts(data, levels, d=d, parameters=parameters, generator=generator)
        estimate = simulated_estimate(counts, n=n, parameters=parameters, level_counts=segments)
        population[run] = np.sum((estimate - s / d) ** 2)
        empirical[run] = np.sum((estimate - np.bincount(data.ravel(), minlength=d) / n) ** 2)
    return SimulatedError(population, empirical)
