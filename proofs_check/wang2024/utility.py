"""The exact law of the estimate Ŵ_j, its mean, variance and error, and the paper's chain.

The counts C_j of Algorithm 2 are sums of independent coins: user i sends item j with
probability λ_k · Pr[j in x_i], each of the n⌈m⌉ slots with probability m/(⌈m⌉ d). So
the law of C_j is a product of linear forms, by enumeration, without a formula for its
mean or variance; :func:`variance_chain` and :func:`error_chain` set beside it the
lines of Section 5.2.

Definitions: :class:`Segment`, :class:`Survey`, :func:`count_law`,
:func:`estimate_law`, :func:`frequencies`, :func:`mean_squared_error`,
:class:`Chain`, :func:`variance_chain`, :func:`error_chain`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.distributions import FinitePmf, poisson_binomial
from exactdp.errors import DomainError
from exactdp.numbers import Exact
from exactdp.numbers.real_functions import Bound, evaluate_exact
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import Parameters

__all__ = [
    "Chain",
    "Segment",
    "Survey",
    "count_law",
    "count_variance",
    "error_chain",
    "estimate_law",
    "frequencies",
    "mean_of",
    "mean_squared_error",
    "signal",
    "variance_chain",
    "variance_of",
]

ItemSet = tuple[int, ...]
"""A user's data: its items, in increasing order."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The users of one level: how many, and the law of each one's set.

    A fixed dataset is many segments of one level, each with one certain set.

    Attributes:
        count: The number of users, at least 0.
        level: Their level, from 0 on.
        data: The law of each one's set; the sets are drawn independently.
    """

    count: int
    level: int
    data: FinitePmf[ItemSet]


@dataclass(frozen=True, slots=True)
class Survey:
    """All users and the parameters of Algorithm 2.

    Attributes:
        segments: The users, by level and law of their data.
        d: The size of the domain.
        parameters: m and the λ_k.

    Raises:
        DomainError: If there is no user, a count is negative, a level has no rate, or
            some set is no subset of the domain.
    """

    segments: tuple[Segment, ...]
    d: int
    parameters: Parameters

    def __post_init__(self) -> None:
        for part in self.segments:
            if part.count < 0 or not 0 <= part.level < len(self.parameters.rates):
                raise DomainError(
                    f"segment of {part.count} users at level {part.level}: the count must be at "
                    f"least 0, the level below {len(self.parameters.rates)}."
                )
            for items in part.data.masses:
                if len(set(items)) < len(items) or not all(0 <= j < self.d for j in items):
                    raise DomainError(f"items={items} are no subset of 0..{self.d - 1}.")
        if self.users < 1:
            raise DomainError("the survey has no user. Give at least one.")

    @property
    def users(self) -> int:
        """The number n of users."""
        return sum(part.count for part in self.segments)

    @property
    def level_counts(self) -> tuple[int, ...]:
        """The n_k."""
        levels = range(len(self.parameters.rates))
        return tuple(sum(p.count for p in self.segments if p.level == k) for k in levels)


def frequencies(survey: Survey) -> tuple[Exact, ...]:
    """Return the w_j: the mean over users of Pr[j in x_i].

    With data i.i.d. from one law this is its W; for certain sets, the frequencies in
    the dataset.

    Example:
        >>> half = Segment(2, 0, FinitePmf({(0,): "1/2", (1,): "1/2"}))
        >>> frequencies(Survey((half,), 2, Parameters(Fraction(1), (Fraction(1),))))
        (Exact('1/2'), Exact('1/2'))
    """
    return tuple(
        sum((part.count * _inclusion(part, j) for part in survey.segments), Exact(0)) / survey.users
        for j in range(survey.d)
    )


def count_law(survey: Survey, j: int) -> FinitePmf[int]:
    """Return the exact law of C_j, line 20 of Algorithm 2.

    Example:
        One user who sends its item with probability 1/2, one blanket message of two:

        >>> sure = Segment(1, 0, FinitePmf.point((0,)))
        >>> count_law(Survey((sure,), 2, Parameters(Fraction(1), (Fraction(1, 2),))), 0)
        FinitePmf({0: 1/4, 1: 1/2, 2: 1/4})
    """
    parameters = survey.parameters
    coins: list[Exact] = []
    for part in survey.segments:
        coins += [_inclusion(part, j) * parameters.rates[part.level]] * part.count
    slots = survey.users * parameters.slots
    return poisson_binomial([*coins, *[Exact(parameters.slot_rate / survey.d)] * slots])


def estimate_law(
    survey: Survey,
    j: int,
    *,
    observed: FinitePmf[tuple[Fraction, ...]] | None = None,
) -> FinitePmf[Exact]:
    """Return the exact law of Ŵ_j.

    Args:
        survey: Users and parameters.
        j: The item.
        observed: The law of the (n̂_1, ..., n̂_K), independent of the data; by default
            the exact n_k.

    Raises:
        DomainError: If Σ n̂_k λ_k = 0 with positive probability: Ŵ_j has no value then.
    """
    parameters = survey.parameters
    if observed is None:
        observed = FinitePmf.point(tuple(map(Fraction, survey.level_counts)))
    blanket = survey.users * parameters.m / survey.d
    masses: dict[Exact, Exact] = {}
    counts = count_law(survey, j)
    for estimates, weight in observed.masses.items():
        divisor = sum(
            (n * rate for n, rate in zip(estimates, parameters.rates, strict=True)), Fraction(0)
        )
        if divisor == 0:
            raise DomainError(
                f"level counts {list(map(str, estimates))} have sum n_k lambda_k = 0: "
                "the estimate divides by it. Raise a rate, or observe the counts exactly."
            )
        for c, mass in counts.masses.items():
            value = Exact((c - blanket) / divisor)
            masses[value] = masses.get(value, Exact(0)) + weight * mass
    return FinitePmf(masses)


def mean_of(law: FinitePmf[Exact] | FinitePmf[int]) -> Exact:
    """Return the mean of a law on numbers."""
    return sum((value * mass for value, mass in law.masses.items()), Exact(0))


def variance_of(law: FinitePmf[Exact] | FinitePmf[int], *, around: Exact | None = None) -> Exact:
    """Return the mean of (V - around)^2; around the mean if no point is given."""
    center = mean_of(law) if around is None else around
    return sum(((value - center) ** 2 * mass for value, mass in law.masses.items()), Exact(0))


def mean_squared_error(
    survey: Survey,
    *,
    truth: Sequence[Exact] | None = None,
    observed: FinitePmf[tuple[Fraction, ...]] | None = None,
) -> Exact:
    """Return Σ_j E[(w_j - Ŵ_j)^2], exactly, by enumeration.

    Args:
        survey: Users and parameters.
        truth: The w_j; by default ``frequencies(survey)``.
        observed: The law of the n̂_k; by default the exact n_k.
    """
    target = frequencies(survey) if truth is None else truth
    if len(target) != survey.d:
        raise DomainError(f"truth has {len(target)} entries for d={survey.d} items.")
    return sum(
        (
            variance_of(estimate_law(survey, j, observed=observed), around=target[j])
            for j in range(survey.d)
        ),
        Exact(0),
    )


def count_variance(survey: Survey) -> Exact:
    """Return Σ_j Var[C_j], exactly, by enumeration."""
    return sum((variance_of(count_law(survey, j)) for j in range(survey.d)), Exact(0))


def signal(survey: Survey) -> Exact:
    """Return Σ_k n_k λ_k."""
    counts, rates = survey.level_counts, survey.parameters.rates
    return Exact(sum((n * rate for n, rate in zip(counts, rates, strict=True)), Fraction(0)))


def signal_variance(survey: Survey) -> Exact:
    """Return Σ_k Σ_j n_k w_j λ_k (1 - w_j λ_k), w_j the frequencies of the survey."""
    rates = survey.parameters.rates
    return sum(
        (
            n * _exactly(bounds.user_signal_variance, w=w, rate=rate)
            for n, rate in zip(survey.level_counts, rates, strict=True)
            for w in frequencies(survey)
        ),
        Exact(0),
    )


@dataclass(frozen=True, slots=True)
class Chain:
    """A quantity and the lines that the paper puts above it, each in its readings."""

    value: Exact
    lines: tuple[tuple[str, Exact], ...]


def variance_chain(survey: Survey) -> Chain:
    """Return Σ_j Var[C_j] and the lines of its display, the blanket inside and outside.

    Raises:
        DomainError: If users hold different numbers of items (line 3 needs s), or m = 0
            (line 1 divides by ⌈m⌉).
    """
    common = {"n": Exact(survey.users), "m": Exact(survey.parameters.m)}
    noise = signal_variance(survey)
    first = {
        **common,
        "slots": Exact(survey.parameters.slots),
        "d": Exact(survey.d),
        "signal_variance": noise,
    }
    return Chain(
        count_variance(survey),
        (
            ("line-1 inside", _exactly(bounds.variance_line_1_inside, **first)),
            ("line-1 outside", _exactly(bounds.variance_line_1_outside, **first)),
            ("line-2", _exactly(bounds.variance_line_2, **common, signal_variance=noise)),
            (
                "line-3",
                _exactly(
                    bounds.variance_line_3,
                    **common,
                    s=Exact(_set_size(survey)),
                    signal=signal(survey),
                ),
            ),
        ),
    )


def error_chain(survey: Survey) -> Chain:
    """Return Σ_j E[(w_j - Ŵ_j)^2] and the lines of its display.

    Line 1 is there in two readings of its denominator: Σ_k n_k λ_k ("levels"), and the
    sum over users of n_{k_i} λ_{k_i} ("users"), which is Σ_k n_k^2 λ_k.
    """
    total, s = signal(survey), Exact(_set_size(survey))
    common = {"n": Exact(survey.users), "m": Exact(survey.parameters.m), "signal": total}
    variance = count_variance(survey)
    by_users = sum(
        (
            n * n * Exact(rate)
            for n, rate in zip(survey.level_counts, survey.parameters.rates, strict=True)
        ),
        Exact(0),
    )
    return Chain(
        mean_squared_error(survey),
        (
            ("line-1 users", _exactly(bounds.error_line_1, variance=variance, signal=by_users)),
            ("line-1 levels", _exactly(bounds.error_line_1, variance=variance, signal=total)),
            (
                "line-2",
                _exactly(bounds.error_line_2, **common, signal_variance=signal_variance(survey)),
            ),
            ("line-3", _exactly(bounds.error_line_3, **common, s=s)),
        ),
    )


def _exactly(bound: Bound, **arguments: Exact | Fraction) -> Exact:
    value = evaluate_exact(bound, **arguments)
    if value is None:
        raise AssertionError("the lines of Section 5.2 are rational functions")
    return value


def _inclusion(part: Segment, j: int) -> Exact:
    return sum((mass for items, mass in part.data.masses.items() if j in items), Exact(0))


def _set_size(survey: Survey) -> int:
    sizes = {len(x) for part in survey.segments for x, mass in part.data.masses.items() if mass}
    if len(sizes) != 1:
        raise DomainError(f"users hold {sorted(sizes)} items. Section 5.2 needs one number s.")
    return sizes.pop()
