"""Algorithm 2 of the paper: its parameters, the collection of levels, and the law of the output.

Items are 0, ..., d - 1; levels are 0, ..., K - 1; all probabilities are rational. (The
paper compares r <= λ, r uniform on [0, 1): a coin of probability λ.) ``simulation`` runs
the protocol.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from exactdp.errors import DomainError
from exactdp.numbers import Exact, RationalLike
from exactdp.numbers.arguments import exact
from exactdp.shuffle import (
    MultiMessageUsers,
    MultiMessageVictim,
    MultiMessageView,
    MultisetLaw,
    multi_message_view,
)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters that the server sends: m >= 0, and a probability λ_k for each level.

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
        object.__setattr__(self, "m", exact(self.m, name="m").as_fraction())
        rates = tuple(exact(r, name=f"rates[{k}]").as_fraction() for k, r in enumerate(self.rates))
        object.__setattr__(self, "rates", rates)
        if self.m < 0:
            raise DomainError(f"m={self.m} is negative. Pass the blanket messages a user, m >= 0.")
        if not rates or not all(0 <= rate <= 1 for rate in rates):
            raise DomainError(
                f"rates={list(map(str, rates))} must be probabilities, one a level, at least one."
            )

    @property
    def slots(self) -> int:
        """The most blanket messages that a user sends, ⌈m⌉."""
        return ceil(self.m)

    @property
    def slot_rate(self) -> Fraction:
        """m/⌈m⌉, the probability that a slot sends its message; 0 if there is no slot."""
        return self.m / self.slots if self.slots else Fraction(0)


def dot(counts: Sequence[RationalLike], rates: Sequence[RationalLike]) -> Fraction:
    """Return Σ_k n_k λ_k.

    Raises:
        DomainError: If there is not one rate a count.
    """
    if len(rates) != len(counts):
        raise DomainError(f"{len(rates)} rates for {len(counts)} counts. Give one a level.")
    pairs = zip(counts, rates, strict=True)
    products = (exact(n, name="count") * exact(rate, name="rate") for n, rate in pairs)
    return sum(products, Exact(0)).as_fraction()


def signal(counts: Sequence[RationalLike], rates: Sequence[RationalLike]) -> Fraction:
    """Return Σ_k n_k λ_k, which an estimate divides by.

    Raises:
        DomainError: If it is 0, or there is not one rate a count.
    """
    found = dot(counts, rates)
    if found == 0:
        raise DomainError("sum of n_k lambda_k is 0: the estimate divides by it. Raise a rate.")
    return found


@dataclass(frozen=True, slots=True)
class LevelAggregation:
    """The collection of levels: each user sends one of K levels.

    It is the true one with probability ``truth``, else one of the others, uniformly.

    Raises:
        DomainError: If K < 1, or truth is not above 1/K and at most 1.
    """

    levels: int
    truth: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "truth", exact(self.truth, name="truth").as_fraction())
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


def blanket_slot(*, d: int, rate: Exact | RationalLike = 1) -> MultisetLaw:
    """Return the law of one blanket slot: a uniform item with probability rate, else nothing."""
    share = exact(rate, name="rate") / d
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

        >>> from exactdp.numbers import Epsilon
        >>> view = protocol_view([0], [1], d=3, rate="1/10", blankets=2)
        >>> view.delta(Epsilon.log("3/2"))
        Exact('1/20')
    """
    laws = [
        MultisetLaw.sampled([*items], letters=d, sampling_probability=rate)
        for items in (first, second)
    ]
    users = [
        MultiMessageUsers(MultisetLaw.sampled([*items], letters=d, sampling_probability=r))
        for items, r in others
    ]
    slots = MultiMessageUsers(blanket_slot(d=d, rate=slot_rate), blankets)
    return multi_message_view(MultiMessageVictim(*laws), [slots, *users])
