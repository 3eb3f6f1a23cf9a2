"""Algorithms 1 and 2 of the paper: code that runs, and the exact law of what arrives.

Items are 0, ..., d - 1; levels are 0, ..., K - 1; all probabilities are rational, and
a coin of probability a/b compares an integer drawn below b with a, so that no double
comes in. (The paper compares r <= λ, r uniform on [0, 1): the same probability.)

Definitions: :class:`Parameters` (m and the λ_k), :class:`LevelAggregation` (step 1),
:func:`client`, :func:`shuffler`, :func:`server` (step 3 of Algorithm 2),
:func:`segmented_aggregation` (Algorithm 1), :func:`set_valued_aggregation` (Algorithm
2); the laws :func:`input_law`, :func:`blanket_slot` and :func:`protocol_view`, of
which procedure H of Section 5.1.2 is the case of two single items, and
:func:`random_blanket_view` (procedure F_rb of Section 5.1.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from random import Random
from typing import TypeVar

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact, RationalLike, fraction_of, rational
from exactdp.shuffle import (
    MultiMessageUsers,
    MultiMessageVictim,
    MultiMessageView,
    MultisetLaw,
    multi_message_view,
)

__all__ = [
    "LevelAggregation",
    "Parameters",
    "aggregate_levels",
    "blanket_slot",
    "client",
    "input_law",
    "protocol_view",
    "random_blanket_view",
    "segmented_aggregation",
    "server",
    "set_valued_aggregation",
    "shuffler",
]

Value = TypeVar("Value")
Message = TypeVar("Message")
Configuration = TypeVar("Configuration")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Parameters:
    """What the server sends to the users: m, and λ_k for each level.

    Attributes:
        m: Blanket messages a user in expectation, rational, at least 0.
        rates: The λ_k, rational, in [0, 1], one a level.

    Raises:
        DomainError: If m is negative, there is no rate, or one is outside [0, 1].

    Example:
        >>> parameters = Parameters(Fraction(5, 2), (Fraction(1, 3), Fraction(1)))
        >>> parameters.slots, parameters.slot_rate
        (3, Fraction(5, 6))
    """

    m: Fraction
    rates: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", fraction_of(rational(self.m, name="m")))
        rates = tuple(
            fraction_of(rational(r, name=f"rates[{k}]")) for k, r in enumerate(self.rates)
        )
        object.__setattr__(self, "rates", rates)
        if self.m < 0:
            raise DomainError(f"m={self.m} is negative. Pass the blanket messages a user, m >= 0.")
        if not rates or not all(0 <= rate <= 1 for rate in rates):
            raise DomainError(
                f"rates={list(map(str, rates))} must be probabilities, one a level, at least one."
            )

    @property
    def slots(self) -> int:
        """⌈m⌉, the most blanket messages a user sends."""
        return ceil(self.m)

    @property
    def slot_rate(self) -> Fraction:
        """m/⌈m⌉, the probability that a slot sends its message; 0 if there is no slot."""
        return self.m / self.slots if self.slots else Fraction(0)


# --- step 1: the levels -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LevelAggregation:
    """How levels are collected: each user sends one message about its level.

    Attributes:
        levels: The number K of levels.
        truth: The probability of sending the true level; otherwise one of the other
            levels is sent, uniformly. 1 only anonymizes.

    Raises:
        DomainError: If K < 1, or truth is not above 1/K and at most 1.
    """

    levels: int
    truth: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "truth", fraction_of(rational(self.truth, name="truth")))
        if self.levels < 1:
            raise DomainError(f"levels={self.levels} must be at least 1.")
        # One level needs no randomization, so its truth is 1.
        least = Fraction(1, self.levels) if self.levels > 1 else Fraction(0)
        if not least < self.truth <= 1 or (self.levels == 1 and self.truth < 1):
            raise DomainError(
                f"truth={self.truth} with {self.levels} levels: it must be above 1/levels and at "
                "most 1 (1 for one level), or the counts cannot be estimated."
            )

    @property
    def lie(self) -> Fraction:
        """The probability of sending one particular level that is not the user's."""
        return (1 - self.truth) / (self.levels - 1) if self.levels > 1 else Fraction(0)

    def message(self, level: int, random: Random) -> int:
        """Return what a user of this level sends (the paper's R_p)."""
        if not 0 <= level < self.levels:
            raise DomainError(f"level={level} is outside 0..{self.levels - 1}.")
        if coin(self.truth, random):
            return level
        other = random.randrange(self.levels - 1)
        return other + (other >= level)

    def estimates(self, received: Sequence[int]) -> tuple[Fraction, ...]:
        """Return the n̂_k, unbiased (the paper's A_p); exact counts if truth = 1.

        Formula:
            n̂_k = (c_k - n·lie) / (truth - lie), c_k the number of messages k.

        Example:
            >>> LevelAggregation(2, Fraction(3, 4)).estimates([0, 0, 1, 1])
            (Fraction(2, 1), Fraction(2, 1))
        """
        counts, n = Counter(received), len(received)
        gap = self.truth - self.lie
        return tuple((counts[k] - n * self.lie) / gap for k in range(self.levels))


def aggregate_levels(
    levels: Sequence[int], aggregation: LevelAggregation, random: Random
) -> tuple[Fraction, ...]:
    """Return the (n̂_1, ..., n̂_K) of step 1: randomize, shuffle, estimate."""
    sent = [[aggregation.message(level, random)] for level in levels]
    return aggregation.estimates(shuffler(sent, random))


# --- Algorithm 1 ------------------------------------------------------------------------


def segmented_aggregation(
    data: Sequence[Value],
    levels: Sequence[int],
    *,
    aggregation: LevelAggregation,
    optimize: Callable[[tuple[Fraction, ...]], Configuration],
    user: Callable[[Value, int, Configuration], Sequence[Message]],
    analyze: Callable[[list[Message], tuple[Fraction, ...], Configuration], Result],
    random: Random,
) -> Result:
    """Return what Algorithm 1 outputs: levels, parameters, then data, each shuffled.

    Args:
        data: x_1, ..., x_n.
        levels: k_1, ..., k_n.
        aggregation: Step 1, (R_p, A_p).
        optimize: Step 2, from the n̂_k to a configuration.
        user: Step 3 of one user, R_{k_i}(x_i) ∪ R_blanket(m).
        analyze: What the server computes from the shuffled messages.
        random: The source of all coins.

    Raises:
        DomainError: If data and levels differ in length.
    """
    if len(data) != len(levels):
        raise DomainError(f"{len(data)} users and {len(levels)} levels. Give one level a user.")
    counts = aggregate_levels(levels, aggregation, random)
    configuration = optimize(counts)
    sent = [user(x, k, configuration) for x, k in zip(data, levels, strict=True)]
    return analyze(shuffler(sent, random), counts, configuration)


# --- Algorithm 2 ------------------------------------------------------------------------


def client(
    items: Iterable[int], level: int, parameters: Parameters, *, d: int, random: Random
) -> list[int]:
    """Return the messages M_i of one user: lines 8-17 of Algorithm 2.

    Raises:
        DomainError: If an item is outside the domain.
    """
    rate = parameters.rates[level]
    messages = [item for item in _checked(items, d) if coin(rate, random)]
    for _ in range(parameters.slots):
        if coin(parameters.slot_rate, random):
            messages.append(random.randrange(d))
    return messages


def shuffler(sent: Iterable[Sequence[Message]], random: Random) -> list[Message]:
    """Return all messages in uniformly random order: line 18."""
    messages = [message for one in sent for message in one]
    random.shuffle(messages)
    return messages


def server(
    messages: Iterable[int],
    *,
    n: int,
    d: int,
    parameters: Parameters,
    level_counts: Sequence[Fraction | int],
) -> tuple[Fraction, ...]:
    """Return the estimates Ŵ_1, ..., Ŵ_d: lines 19-22 of Algorithm 2.

    Formula:
        Ŵ_j = (C_j - n m/d) / Σ_k n̂_k λ_k.

    Raises:
        DomainError: If Σ_k n̂_k λ_k = 0.

    Example:
        >>> server([0, 0, 1], n=2, d=2, parameters=Parameters(Fraction(1), (Fraction(1),)),
        ...        level_counts=[2])
        (Fraction(1, 2), Fraction(0, 1))
    """
    signal = sum(
        (count * rate for count, rate in zip(level_counts, parameters.rates, strict=True)),
        Fraction(0),
    )
    if signal == 0:
        raise DomainError("sum of n_k lambda_k is 0: the estimate divides by it. Raise a rate.")
    counts = Counter(messages)
    return tuple((counts[j] - n * parameters.m / d) / signal for j in range(d))


def set_valued_aggregation(
    data: Sequence[Sequence[int]],
    levels: Sequence[int],
    *,
    d: int,
    aggregation: LevelAggregation,
    optimize: Callable[[tuple[Fraction, ...]], Parameters],
    random: Random,
) -> tuple[Fraction, ...]:
    """Return the estimates of Algorithm 2, run from its first line to its last.

    Args:
        data: The sets x_1, ..., x_n of items.
        levels: k_1, ..., k_n, from 0 on.
        d: The size of the domain.
        aggregation: How levels are collected.
        optimize: From the n̂_k to m and the λ_k
            (``proofs_check.wang2024.parameters.optimize_parameters``).
        random: The source of all coins.

    Example:
        Without a blanket and with λ = 1 the estimate is the frequency:

        >>> set_valued_aggregation(
        ...     [[0, 1], [0, 2]], [0, 0], d=3, aggregation=LevelAggregation(1),
        ...     optimize=lambda counts: Parameters(Fraction(0), (Fraction(1),)), random=Random(1))
        (Fraction(1, 1), Fraction(1, 2), Fraction(1, 2))
    """
    return segmented_aggregation(
        data,
        levels,
        aggregation=aggregation,
        optimize=optimize,
        user=lambda x, k, parameters: client(x, k, parameters, d=d, random=random),
        analyze=lambda messages, counts, parameters: server(
            messages, n=len(data), d=d, parameters=parameters, level_counts=counts
        ),
        random=random,
    )


# --- laws -------------------------------------------------------------------------------


def input_law(items: Iterable[int], *, d: int, rate: Exact | RationalLike) -> MultisetLaw:
    """Return the law of a user's input-dependent messages (lines 9-12)."""
    return MultisetLaw.sampled(_checked(items, d), letters=d, rate=rate)


def blanket_slot(*, d: int, rate: Exact | RationalLike = 1) -> MultisetLaw:
    """Return the law of one blanket slot: a uniform item with probability rate, else nothing."""
    share = (rate if isinstance(rate, Exact) else Exact(rational(rate, name="rate"))) / d
    return MultisetLaw.one_of([share] * d)


def protocol_view(
    first: Iterable[int],
    second: Iterable[int],
    *,
    d: int,
    rate: Exact | RationalLike,
    blankets: int,
    slot_rate: Exact | RationalLike = 1,
    others: Sequence[tuple[Sequence[int], Exact | RationalLike]] = (),
) -> MultiMessageView:
    """Return the view of Algorithm 2: all messages of line 18, for two sets of one user.

    Args:
        first: The items of the victim under P.
        second: Its items under Q.
        d: The size of the domain.
        rate: The victim's λ_k.
        blankets: The number of blanket slots, n·⌈m⌉ in Algorithm 2.
        slot_rate: m/⌈m⌉.
        others: The (items, λ) of the other users; none leaves the right side of Lemma 2.

    Example:
        Two blanket messages of three items: procedure H of Section 5.1.2 at γ = 1.

        >>> view = protocol_view([0], [1], d=3, rate="1/10", blankets=2)
        >>> view.hockey_stick_divergence(exp_epsilon="3/2")
        Exact('1/20')
    """
    laws = [input_law(items, d=d, rate=rate) for items in (first, second)]
    users = [MultiMessageUsers(input_law(items, d=d, rate=r)) for items, r in others]
    slots = MultiMessageUsers(blanket_slot(d=d, rate=slot_rate), blankets)
    return multi_message_view(MultiMessageVictim(*laws), [slots, *users])


def random_blanket_view(
    randomizer: Randomizer,
    inputs: tuple[int, int],
    blanket: Sequence[Exact | RationalLike],
    *,
    blankets: int,
    gamma: Exact | RationalLike,
) -> MultiMessageView:
    """Return the view of F_rb: one randomized message among N ~ Binomial(blankets, gamma).

    Args:
        randomizer: R_k.
        inputs: x_1^0 and x_1^1.
        blanket: The law of a blanket message, on the messages of R_k.
        blankets: The number of slots, the paper's n.
        gamma: The probability with which a slot sends.
    """
    sent = rational(gamma, name="gamma") if not isinstance(gamma, Exact) else gamma
    slot = MultisetLaw.one_of(
        [(p if isinstance(p, Exact) else Exact(rational(p))) * sent for p in blanket]
    )
    laws = [MultisetLaw.one_of(randomizer.row(x)) for x in inputs]
    return multi_message_view(MultiMessageVictim(*laws), [MultiMessageUsers(slot, blankets)])


def coin(probability: Fraction, random: Random) -> bool:
    """Return heads with exactly this rational probability."""
    return random.randrange(probability.denominator) < probability.numerator


def _checked(items: Iterable[int], d: int) -> list[int]:
    checked = list(items)
    if len(set(checked)) < len(checked) or not all(0 <= item < d for item in checked):
        raise DomainError(f"items={checked} are no subset of the domain 0..{d - 1}.")
    return checked
