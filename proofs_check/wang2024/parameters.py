"""The server's choice of the λ_k and of m (Section 5.2, optimizeParameter), certified.

The constraint (7) on λ_k is D_{e^(E_k/s)}(P‖Q) <= δ/(s e^(E_k)) for the pair P, Q of
Theorem 3, n' = n⌈m⌉, which with p = ∞, β = λ and q = dλ/γ is: C ~ Binom(n' - 1, 2γ/d)
letters of a blanket, each one of two with probability 1/2, and the victim's letter with
probability λ. D grows with λ (the claim wang2024/section-5.2/divergence-grows), so the
admissible λ are an interval [0, λ_k].

The pair of the paper hides whether the victim's message was sent; the analyzer, who
receives all messages, sees how many there are. :class:`Condition` REVEALED is the
constraint λ·D(P‖Q at λ = 1) <= δ/(s e^(E_k)), n' = n⌈m⌉ + 1, in which the victim's coin
is told: it bounds the view of any protocol of this kind by joint convexity, and is that
view's divergence where γ = 1, s = 1 and no other user's message has chance in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike
from exactdp.numbers.arguments import exact, open_probability, probability, whole_number
from exactdp.numbers.crossing import Slope, crossing
from exactdp.shuffle import CountPair
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import signal

_WIDTHS = ("1e-4", "1e-9", "1e-15", "1e-24", "1e-40", "1e-80")
"""Relative widths that a comparison asks for, one after the other."""

_MOST_MESSAGES = Fraction(2**20)
"""More blanket messages a user are not tried."""


class Condition(Enum):
    """The divergence that is to be at most δ/(s e^(E_k))."""

    PRINTED = "the divergence of the paper's pair, (7)"
    REVEALED = "the divergence when the victim's coin is told"


@dataclass(frozen=True, slots=True)
class Setting:
    """The given numbers but for the levels: n >= 1 users with s >= 1 of d >= 2 items, δ in (0, 1).

    Raises:
        DomainError: If an argument is outside its range.
    """

    n: int
    d: int
    s: int
    delta: Fraction
    condition: Condition = Condition.PRINTED

    def __post_init__(self) -> None:
        delta = open_probability(self.delta, name="delta").as_fraction()
        object.__setattr__(self, "delta", delta)
        for name, value, least in (("n", self.n, 1), ("d", self.d, 2), ("s", self.s, 1)):
            whole_number(value, name=name, at_least=least)


def constraint(setting: Setting, *, m: RationalLike, rate: RationalLike) -> tuple[Exact, CountPair]:
    """Return the factor and the pair of the constraint: factor·D(P‖Q) <= δ/(s e^(E_k)).

    Raises:
        DomainError: If m or rate is outside its range.

    Example:
        >>> setting = Setting(n=10, d=4, s=1, delta=Fraction(1, 100))
        >>> constraint(setting, m="3/2", rate="1/3")[1]
        CountPair(n=20, first=Exact('1/3'), second=Exact('0'), other=Exact('3/16'))
    """
    messages, share = exact(m, name="m").as_fraction(), probability(rate, name="rate")
    if messages <= 0:
        raise DomainError(
            f"m={messages} must be above 0: with no blanket slot gamma = m/⌈m⌉ has no value."
        )
    slots = ceil(messages)
    other = Exact(messages / (slots * setting.d))
    if setting.condition is Condition.PRINTED:
        return Exact(1), CountPair(setting.n * slots, share, Exact(0), other)
    return share, CountPair(setting.n * slots + 1, Exact(1), Exact(0), other)


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
    factor, pair = constraint(setting, m=m, rate=rate)
    if factor == 0:
        return True
    bound = target_delta(setting, epsilon) / factor
    for width in _WIDTHS:
        value = pair.delta(epsilon.divided(setting.s), relative_width=width)
        if value.upper <= bound:
            return True
        if value.lower > bound:
            return False
    raise UndecidedError(f"the divergence agrees with its bound {bound} to 80 digits.")


def largest_rate(
    setting: Setting, *, m: RationalLike, epsilon: Epsilon, digits: int = 12
) -> Enclosure:
    """Return λ_k of problem (6), (7): lower end certified admissible, upper end not.

    The one exception is λ_k = 1, returned as a point, which is admissible. The relative width
    is at most 10^-digits.

    Raises:
        DomainError: If an argument is outside its range.
    """
    whole_number(digits, name="digits", at_least=1)
    if is_admissible(setting, m=m, rate=1, epsilon=epsilon):
        return Enclosure(Fraction(1), Fraction(1))
    part, target = epsilon.divided(setting.s), target_delta(setting, epsilon)

    def divergence(inverse: Fraction, width: Fraction) -> Enclosure:
        # In 1/λ, of which its logarithm is nearly a parabola. Below 1, where it is above the
        # target, it goes on as it is at 1.
        factor, pair = constraint(setting, m=m, rate=min(1 / inverse, Fraction(1)))
        value, share = pair.delta(part, relative_width=width), factor.as_fraction()
        return Enclosure(share * value.lower, share * value.upper)

    width = Fraction(1, 10**digits)
    found = crossing(
        divergence, target, slope=Slope.FALLING, first=Fraction(2), relative_width=width
    )
    return Enclosure(1 / found.upper, min(1 / found.lower, Fraction(1)))


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
    """Return (n m + s Σ n̂_k λ_k)/(Σ n̂_k λ_k)², which the server minimizes.

    Raises:
        DomainError: If Σ n̂_k λ_k = 0, or there is not one count a rate.

    Example:
        >>> objective(n=10, s=2, m=1, rates=[Fraction(1, 2)], counts=[10])
        Fraction(4, 5)
    """
    total = signal(counts, rates)
    blanket = exact(m, name="m").as_fraction()
    return Fraction(bounds.error_line_3(None, n=n, m=blanket, s=s, signal=total))
