"""optimizeParameter: the server's choice of m and of the λ_k (Section 5.2), certified.

The constraint (7) on λ_k is D_{e^(E_k/s)}(P‖Q) <= δ/(s e^(E_k)) for the pair P, Q of
Theorem 3, which with p = ∞, β = λ and q = dλ/γ is: C ~ Binom(n' - 1, 2γ/d) letters of a
blanket, each one of two with probability 1/2, and the victim's letter with probability
λ. For events S the difference P(S) - e^ε Q(S) is affine in λ and at most 0 at λ = 0; so
the divergence, their supremum, is convex in λ and 0 at λ = 0. Hence it does not
decrease, the admissible λ are an interval [0, λ_k], and bisection is sound: its lower
end is admissible and its upper end is not, both by certified divergences.

Theorem 3 prints n' = n⌈m⌉ and Proposition 1 n' = n⌈m⌉ + 1 (:class:`PairSize`).

The pair of the paper hides whether the victim's message was sent; the analyzer, who
receives all messages, sees how many there are. :class:`Condition` REVEALED is the
constraint λ·D(P‖Q at λ = 1) <= δ/(s e^(E_k)), n' = n⌈m⌉ + 1, in which the victim's coin
is told: it bounds the view of any protocol of this kind by joint convexity, and is that
view's divergence where γ = 1, s = 1 and no other user's message has chance in it.

Definitions: :class:`PairSize`, :class:`Condition`, :class:`Setting`,
:func:`reduction_pair`, :func:`reduction_divergence`, :func:`target_delta`,
:func:`is_admissible`, :func:`largest_rate`, :func:`least_messages`,
:func:`objective`, :func:`optimize_parameters`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil

from exactdp.divergences.validation import probability
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms.parameters import whole_number
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike, fraction_of, rational
from exactdp.numbers.real_functions import evaluate_exact
from exactdp.shuffle import CountPair
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import Parameters

__all__ = [
    "Condition",
    "Optimum",
    "PairSize",
    "Setting",
    "Trial",
    "is_admissible",
    "is_below_enclosed",
    "largest_rate",
    "least_messages",
    "objective",
    "optimize_parameters",
    "reduction_divergence",
    "reduction_pair",
    "target_delta",
]

_WIDTHS = ("1e-4", "1e-9", "1e-15", "1e-24", "1e-40", "1e-80")
"""Relative widths that a comparison asks for, one after the other."""

_MOST_MESSAGES = Fraction(2**20)
"""More blanket messages a user are not tried."""

_SEARCH_DIGITS = 4
"""To how many digits the λ_k are computed while m is searched."""


class PairSize(Enum):
    """The size n' of the pair of laws, for n users with ⌈m⌉ slots each."""

    THEOREM_3 = 0
    """n' = n⌈m⌉, so that C has n⌈m⌉ - 1 trials."""

    PROPOSITION_1 = 1
    """n' = n⌈m⌉ + 1, so that C has as many trials as there are slots."""


class Condition(Enum):
    """What is to be at most δ/(s e^(E_k))."""

    PRINTED = "the divergence of the paper's pair, (7)"
    REVEALED = "the divergence when the victim's coin is told"


@dataclass(frozen=True, slots=True)
class Setting:
    """What is given when parameters are chosen, but for the levels.

    Attributes:
        n: Users, at least 1.
        d: Items in the domain, at least 2.
        s: Items a user, at least 1.
        delta: δ, above 0 and below 1.
        size: Which n' to take.
        condition: Which constraint to meet.

    Raises:
        DomainError: If an argument is outside its range.
    """

    n: int
    d: int
    s: int
    delta: Fraction
    size: PairSize = PairSize.THEOREM_3
    condition: Condition = Condition.PRINTED

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", fraction_of(rational(self.delta, name="delta")))
        if not 0 < self.delta < 1:
            raise DomainError(f"delta={self.delta} must be above 0 and below 1.")
        for name, value, least in (("n", self.n, 1), ("d", self.d, 2), ("s", self.s, 1)):
            whole_number(value, name=name, at_least=least)


def reduction_pair(
    setting: Setting, *, m: RationalLike, rate: RationalLike, size: PairSize | None = None
) -> CountPair:
    """Return the pair P^{q/γ,n'}_{p,β}, Q^{q/γ,n'}_{p,β}, p = ∞, β = λ, q = dλ.

    Args:
        setting: n, d and n'.
        m: Blanket messages a user, above 0.
        rate: λ, in [0, 1].
        size: Which n' to take, if not the setting's.

    Raises:
        DomainError: If m or rate is outside its range.

    Example:
        >>> setting = Setting(n=10, d=4, s=1, delta=Fraction(1, 100))
        >>> reduction_pair(setting, m="3/2", rate="1/3")
        CountPair(n=20, first=Exact('1/3'), second=Exact('0'), other=Exact('3/16'))
    """
    messages = _messages(m)
    slots = ceil(messages)
    return CountPair(
        setting.n * slots + (size or setting.size).value,
        probability(rate, name="rate"),
        Exact(0),
        Exact(messages / (slots * setting.d)),
    )


def reduction_divergence(
    setting: Setting,
    *,
    m: RationalLike,
    rate: RationalLike,
    exp_epsilon: Exact | RationalLike,
    relative_width: str = "1e-9",
) -> Enclosure:
    """Return an enclosure of the left side of (7), D_{exp_epsilon}(P‖Q).

    With ``Condition.REVEALED`` it is λ·D(P‖Q) at λ = 1 and n' = n⌈m⌉ + 1.
    """
    if setting.condition is Condition.PRINTED:
        pair = reduction_pair(setting, m=m, rate=rate)
        return pair.delta_enclosure(exp_epsilon=exp_epsilon, relative_width=relative_width)
    told = reduction_pair(setting, m=m, rate=1, size=PairSize.PROPOSITION_1)
    value = told.delta_enclosure(exp_epsilon=exp_epsilon, relative_width=relative_width)
    share = probability(rate, name="rate").as_fraction()
    return Enclosure(share * value.lower, share * value.upper)


def target_delta(setting: Setting, epsilon: Epsilon) -> Exact:
    """Return δ/(s e^(E_k)), the right side of (7).

    Example:
        >>> target_delta(Setting(n=9, d=4, s=2, delta=Fraction(1, 100)), Epsilon.log(4))
        Exact('1/800')
    """
    return Exact(setting.delta) / (setting.s * epsilon.exp)


def is_admissible(
    setting: Setting, *, m: RationalLike, rate: RationalLike, epsilon: Epsilon
) -> bool:
    """Return whether λ = rate meets the constraint for the level E_k = epsilon, certified.

    Raises:
        DomainError: If m or rate is outside its range, or e^(E_k/s) is not exact.
        UndecidedError: If the two sides agree to 80 digits.
    """
    gamma, target = epsilon.divided(setting.s).exp, target_delta(setting, epsilon)
    if setting.condition is Condition.PRINTED:
        pair = reduction_pair(setting, m=m, rate=rate)
        return is_below_enclosed(pair, exp_epsilon=gamma, bound=target)
    share = probability(rate, name="rate")
    told = reduction_pair(setting, m=m, rate=1, size=PairSize.PROPOSITION_1)
    return share == 0 or is_below_enclosed(told, exp_epsilon=gamma, bound=target / share)


def is_below_enclosed(pair: CountPair, *, exp_epsilon: Exact, bound: Exact) -> bool:
    """Return whether D_{exp_epsilon}(P‖Q) <= bound, decided by narrower and narrower enclosures.

    Raises:
        UndecidedError: If the two sides agree to 80 digits.
    """
    for width in _WIDTHS:
        value = pair.delta_enclosure(exp_epsilon=exp_epsilon, relative_width=width)
        if value.upper <= bound:
            return True
        if value.lower > bound:
            return False
    raise UndecidedError(f"the divergence agrees with its bound {bound} to 80 digits.")


def largest_rate(
    setting: Setting, *, m: RationalLike, epsilon: Epsilon, digits: int = 12
) -> Enclosure:
    """Return λ_k of problem (6), (7): lower end certified admissible, upper end not.

    The one exception is λ_k = 1, returned as a point, which is admissible.

    Args:
        setting: Users, domain, δ.
        m: Blanket messages a user, above 0.
        epsilon: E_k; e^(E_k/s) must be exact (a rational number of nats always is).
        digits: The relative width is at most 10^-digits.

    Raises:
        DomainError: If an argument is outside its range.
    """
    whole_number(digits, name="digits", at_least=1)
    upper = Fraction(1)
    if is_admissible(setting, m=m, rate=upper, epsilon=epsilon):
        return Enclosure(upper, upper)
    # The divergence is at most the total variation λ: a λ that is below its bound will do.
    lower, target = upper, target_delta(setting, epsilon)
    while lower > target:
        lower /= 2
    while (upper - lower) * 10**digits > lower:
        middle = (lower + upper) / 2
        if is_admissible(setting, m=m, rate=middle, epsilon=epsilon):
            lower = middle
        else:
            upper = middle
    return Enclosure(lower, upper)


def least_messages(setting: Setting, *, epsilon: Epsilon, digits: int = 3) -> Enclosure:
    """Return where λ_k = 1 becomes admissible: not at the lower end, but at the upper one.

    It is the m_k of Section 5.2 if an admissible m stays admissible when it grows; in
    general it is one place where this changes.

    Raises:
        DomainError: If an argument is outside its range, or no m up to 2^20 will do.
    """
    whole_number(digits, name="digits", at_least=1)

    def admits(m: Fraction) -> bool:
        return is_admissible(setting, m=m, rate=1, epsilon=epsilon)

    upper = Fraction(1)
    while not admits(upper):
        upper *= 2
        if upper > _MOST_MESSAGES:
            raise DomainError(f"no m up to {_MOST_MESSAGES} admits rate 1. Raise epsilon or delta.")
    lower = upper / 2
    # It ends: as m goes to 0 the divergence goes to 1, and δ is below 1.
    while admits(lower):
        lower, upper = lower / 2, lower
    while (upper - lower) * 10**digits > lower:
        middle = (lower + upper) / 2
        lower, upper = (lower, middle) if admits(middle) else (middle, upper)
    return Enclosure(lower, upper)


def objective(
    *, n: int, s: int, m: RationalLike, rates: Sequence[Fraction], counts: Sequence[RationalLike]
) -> Fraction:
    """Return (n m + s Σ n̂_k λ_k)/(Σ n̂_k λ_k)², what the server minimizes.

    Raises:
        DomainError: If Σ n̂_k λ_k = 0, or there is not one count a rate.

    Example:
        >>> objective(n=10, s=2, m=1, rates=[Fraction(1, 2)], counts=[10])
        Fraction(4, 5)
    """
    if len(rates) != len(counts):
        raise DomainError(f"{len(rates)} rates for {len(counts)} counts. Give one a level.")
    total = sum(
        (fraction_of(rational(c, name="count")) * r for c, r in zip(counts, rates, strict=True)),
        Fraction(0),
    )
    value = evaluate_exact(bounds.error_line_3, n=n, m=m, s=s, signal=total)
    if value is None:
        raise AssertionError("the objective is a rational function")
    return value.as_fraction()


@dataclass(frozen=True, slots=True)
class Trial:
    """One m of the search, the λ_k it allows (rounded down), and the objective there."""

    m: Fraction
    rates: tuple[Fraction, ...]
    objective: Fraction


@dataclass(frozen=True, slots=True)
class Optimum:
    """What the search chose, and all it tried, by m."""

    parameters: Parameters
    objective: Fraction
    trials: tuple[Trial, ...]


def optimize_parameters(
    setting: Setting,
    epsilons: Sequence[Epsilon],
    counts: Sequence[RationalLike],
    *,
    candidates: Sequence[RationalLike] | None = None,
    digits: int = 12,
) -> Optimum:
    """Return m and the λ_k of step 2 of Algorithm 2: a grid search over m, (6) for each.

    Args:
        setting: Users, domain, δ.
        epsilons: E_1, ..., E_K.
        counts: The n̂_k, one a level.
        candidates: The m to try; by default ten between the m_k of the largest and of
            the smallest level, and four more about the best of them.
        digits: To how many digits the chosen λ_k are computed.

    Returns:
        The best of what was tried. Its λ_k are certified to be admissible.

    Raises:
        DomainError: If an argument is outside its range, or there is no candidate.
    """
    if not epsilons or len(epsilons) != len(counts):
        raise DomainError(
            f"{len(epsilons)} levels and {len(counts)} counts. Give one a level, at least one."
        )

    def trial(m: Fraction, places: int) -> Trial:
        rates = tuple(largest_rate(setting, m=m, epsilon=e, digits=places).lower for e in epsilons)
        value = objective(n=setting.n, s=setting.s, m=m, rates=rates, counts=counts)
        return Trial(m, rates, value)

    def best_of(trials: Sequence[Trial]) -> Trial:
        return min(trials, key=lambda t: (t.objective, t.m))

    if candidates is None:
        first, last = (
            least_messages(setting, epsilon=e, digits=2).upper
            for e in (max(epsilons), min(epsilons))
        )
        step = (last - first) / 9
        tried = [trial(m, _SEARCH_DIGITS) for m in _distinct(first + step * i for i in range(10))]
        best = best_of(tried).m
        near = _distinct(best + step * Fraction(i, 4) for i in (-2, -1, 1, 2))
        tried += [trial(m, _SEARCH_DIGITS) for m in near if m not in {t.m for t in tried}]
    else:
        tried = [trial(m, _SEARCH_DIGITS) for m in dict.fromkeys(map(_messages, candidates))]
    if not tried:
        raise DomainError("there is no candidate m. Give at least one.")
    chosen = trial(best_of(tried).m, digits)
    others = [t for t in tried if t.m != chosen.m]
    return Optimum(
        Parameters(chosen.m, chosen.rates),
        chosen.objective,
        tuple(sorted([*others, chosen], key=lambda t: t.m)),
    )


def _messages(m: RationalLike) -> Fraction:
    value = fraction_of(rational(m, name="m"))
    if value <= 0:
        raise DomainError(
            f"m={value} must be above 0: with no blanket slot gamma = m/⌈m⌉ has no value."
        )
    return value


def _distinct(values: Iterable[Fraction]) -> list[Fraction]:
    """Round up to three digits or so, numbers that can be told to users, each once."""
    rounded: dict[Fraction, None] = {}
    for m in values:
        if m > 0:
            unit = Fraction(1, 100)
            while m < 100 * unit:
                unit /= 10
            rounded[ceil(m / unit) * unit] = None
    return list(rounded)
