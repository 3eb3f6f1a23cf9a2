"""Surveys with i.i.d. data, and the moments of Algorithm 2's counts and estimates, as terms.

The count C_j is a sum of independent coins: a user of level k holds item j and sends it with
probability w_j λ_k, and each of the n⌈m⌉ slots with probability m/(⌈m⌉ d). So its law is
that of the heads among coins, which the kernel derives as it derives a view: no formula for
a mean or a variance comes in.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from typing import Any

from exactdp.claims import Term, mass, named, shuffle_pair, total
from exactdp.claims.quantities import Notion, quantity
from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Exact
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import Parameters, dot


@dataclass(frozen=True, slots=True)
class Survey:
    """All users and the parameters of Algorithm 2.

    There are n_k users of level k, each with a set of the domain drawn by the law ``data``.

    Raises:
        DomainError: If there is no user, a count is negative, there is not one rate a level,
            or some set is not a subset of the domain.
    """

    counts: tuple[int, ...]
    d: int
    parameters: Parameters
    data: FinitePmf[tuple[int, ...]]

    def __post_init__(self) -> None:
        if len(self.counts) != len(self.parameters.rates) or min(self.counts) < 0:
            raise DomainError(
                f"counts={list(self.counts)} for {len(self.parameters.rates)} rates: give one "
                "number of users a level, at least 0."
            )
        for items in self.data.masses:
            if len(set(items)) < len(items) or not all(0 <= j < self.d for j in items):
                raise DomainError(f"items={items} are not a subset of 0..{self.d - 1}.")
        if self.users < 1:
            raise DomainError("the survey has no user. Give at least one.")

    @property
    def users(self) -> int:
        """The number n of users."""
        return sum(self.counts)

    @property
    def blanket(self) -> Fraction:
        """The number n m/d that the server takes away from each count."""
        return self.users * self.parameters.m / self.d

    @property
    def signal(self) -> Fraction:
        """The number Σ_k n_k λ_k that the server divides by."""
        return dot(self.counts, self.parameters.rates)

    @property
    def frequencies(self) -> tuple[Exact, ...]:
        """The w_j: how likely a user holds item j.

        Example:
            >>> halves = FinitePmf({(0,): "1/2", (1,): "1/2"})
            >>> Survey((2,), 2, Parameters(Fraction(1), (Fraction(1),)), halves).frequencies
            (Exact('1/2'), Exact('1/2'))
        """
        sets = self.data.masses.items()
        return tuple(sum((p for x, p in sets if j in x), Exact(0)) for j in range(self.d))

    def __str__(self) -> str:
        counts, rates = (
            ", ".join(map(str, numbers)) for numbers in (self.counts, self.parameters.rates)
        )
        sets = ", ".join(f"{{{', '.join(map(str, x))}}}: {p}" for x, p in self.data.masses.items())
        return (
            f"[n_k = {counts}; λ_k = {rates}; m = {self.parameters.m}; d = {self.d}; "
            f"law of x_i: {sets}]"
        )


def expected(survey: Survey, j: int, value: Callable[[int], Any], name: str = "count") -> Term:
    """Return E[value(C_j)], C_j of line 20 of Algorithm 2.

    The certificate calls the law of C_j by the name.
    """
    parameters = survey.parameters
    heads: Counter[Exact] = Counter()
    for count, rate in zip(survey.counts, parameters.rates, strict=True):
        heads[survey.frequencies[j] * rate] += count
    heads[Exact(parameters.slot_rate / survey.d)] += survey.users * parameters.slots
    coins = [(p, count) for p, count in heads.items() if count]
    others = [(i, count - (i == 0)) for i, (_, count) in enumerate(coins)]
    law = named(
        f"{name}_{j}", shuffle_pair([[1 - p, p] for p, _ in coins], inputs=(0, 0), others=others)
    )
    tosses = sum(count for _, count in coins)
    return total([mass(law, "p", (tosses - c, c)) * value(c) for c in range(tosses + 1)])


@quantity("frequency {0} {1:nat}", name="w")
def frequency(survey: Survey, j: int) -> Exact:
    """Return w_j, the probability that a user holds item j."""
    return survey.frequencies[j]


@quantity("estimate_mean {0} {1:nat}")
def estimate_mean(survey: Survey, j: int) -> Term:
    """E[Ŵ_j], Ŵ_j = (C_j - n m/d)/Σ_k n_k λ_k."""
    return expected(survey, j, lambda c: (c - survey.blanket) / survey.signal)


@quantity("total_variance {0}")
def count_variance(survey: Survey) -> Term:
    """Return Σ_j Var[C_j]."""
    parts = []
    for j in range(survey.d):
        mean = named(f"mean_{j}", expected(survey, j, lambda c: c))
        parts.append(expected(survey, j, lambda c: c * c) - mean**2)
    return total(parts)


@quantity("squared_error {0}")
def squared_error(survey: Survey, name: str = "count") -> Term:
    """Return Σ_j E[(w_j - Ŵ_j)²]."""
    w, blanket, divisor = survey.frequencies, survey.blanket, survey.signal
    return total(
        [
            expected(survey, j, lambda c, j=j: ((c - blanket) / divisor - w[j]) ** 2, name)  # type: ignore[misc]
            for j in range(survey.d)
        ]
    )


@quantity("INR (size {0})", name="s")
def set_size(survey: Survey) -> int:
    """Return the number of items that every user holds.

    Raises:
        DomainError: If users hold different numbers of items.
    """
    sizes = {len(x) for x, p in survey.data.masses.items() if p}
    if len(sizes) != 1:
        raise DomainError(f"users hold {sorted(sizes)} items. Section 5.2 needs one number s.")
    return sizes.pop()


@quantity("signal_variance {0}")
def signal_variance(survey: Survey) -> Any:
    """Return Σ_k Σ_j n_k w_j λ_k (1 - w_j λ_k)."""
    return sum(
        n * bounds.user_signal_variance(None, w=w, rate=rate)
        for n, rate in zip(survey.counts, survey.parameters.rates, strict=True)
        for w in survey.frequencies
    )


NUMBERS = {
    "n": Notion("n", lambda survey: survey.users, "INR (users {0})"),
    "m": Notion("m", lambda survey: survey.parameters.m, "m {0}"),
    "slots": Notion("slots", lambda survey: survey.parameters.slots, "INR (slots {0})"),
    "d": Notion("d", lambda survey: survey.d, "INR (domain {0})"),
    "s": set_size,
    "signal": Notion("signal", lambda survey: survey.signal, "signal {0}"),
    "signal_variance": signal_variance,
    "variance": count_variance,
}
"""What the lines of Section 5.2 are made of."""


def line(bound: Callable[..., Any], survey: Any, **instead: Any) -> Any:
    """Return a line of Section 5.2 at a survey of sets of one size s.

    Args:
        bound: A formula of ``bounds``, of :data:`NUMBERS`.
        survey: Users and parameters.
        instead: Numbers in place of the survey's own.
    """
    names = [name for name in signature(bound).parameters if name in NUMBERS]
    return bound(None, **{name: instead.get(name, NUMBERS[name](survey)) for name in names})
