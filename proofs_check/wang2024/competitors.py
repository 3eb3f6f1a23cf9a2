"""The competitors of the paper (Section 6), with exact mean squared errors.

 - MM, shuffle: one privacy level for all. Every user sends its items for sure (λ = 1)
   in a blanket of m messages a user; m is the least with the privacy asked for.
 - SepMM, shuffle: the same in each segment apart, the estimates averaged.
 - Weighted SepMM, shuffle: averaged with weights 1/√(d s² log(1/δ)/(n ε)² + s/n).
 - Subexp, local and shuffle: the subset exponential mechanism, one message a user.

The paper takes MM from Luo, Wang and Yi (balls-into-bins), whose own analysis sets
their m. Here m is the m_k of Section 5.2, from constraint (7) with λ = 1: the mechanism
is the same, its m that of the paper's own accounting.

All errors are Σ_j E[(ŵ_j - w_j)²] for data i.i.d. with inclusion probabilities w.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import comb
from operator import add

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, RationalLike, Real
from exactdp.numbers.arguments import exact, whole_number
from exactdp.numbers.real_functions import evaluate
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.parameters import Setting, least_messages
from proofs_check.wang2024.protocol import Parameters, signal


def blanket_error(
    *,
    counts: Sequence[int],
    rates: Sequence[RationalLike],
    m: RationalLike,
    w: Sequence[RationalLike],
) -> Fraction:
    """Return Σ_j E[(Ŵ_j - w_j)²] of Algorithm 2 in closed form, for data i.i.d.

    Formula:
        Σ_j (Σ_k n_k λ_k w_j (1 - λ_k w_j) + n⌈m⌉ v) / (Σ_k n_k λ_k)², v the variance of
        a slot, (m/(d⌈m⌉))(1 - m/(d⌈m⌉)). Any n, without enumeration.

    Raises:
        DomainError: If Σ_k n_k λ_k = 0, m < 0, or there is not one rate a count.

    Example:
        Ten users who tell the truth without a blanket: the sampling error alone.

        >>> blanket_error(counts=[10], rates=[1], m=0, w=["1/2", "1/2"])
        Fraction(1, 20)
    """
    sampled = tuple(exact(rate, name="rate").as_fraction() for rate in rates)
    parameters, total = Parameters(exact(m, name="m").as_fraction(), sampled), signal(counts, rates)
    items = [exact(value, name="w").as_fraction() for value in w]
    share = parameters.slot_rate / len(items)
    variance = len(items) * sum(counts) * parameters.slots * share * (1 - share)
    for n, rate in zip(counts, sampled, strict=True):
        variance += sum(n * rate * q * (1 - rate * q) for q in items)
    return variance / total**2


def uniform_multi_message(
    setting: Setting, epsilon: Epsilon, *, w: Sequence[RationalLike], digits: int = 3
) -> tuple[Fraction, Fraction]:
    """Return (m, error) of MM, shuffle: every user at one level, λ = 1, the least m."""
    m = least_messages(setting, epsilon=epsilon, digits=digits).upper
    return m, blanket_error(counts=[setting.n], rates=[1], m=m, w=w)


@dataclass(frozen=True, slots=True)
class Separate:
    """SepMM and Weighted SepMM: m and error of each segment, and the errors of the averages."""

    m: tuple[Fraction, ...]
    errors: tuple[Fraction, ...]
    averaged: Fraction
    weighted: Real


def separate_multi_message(
    setting: Setting,
    segments: Sequence[tuple[int, Epsilon]],
    *,
    w: Sequence[RationalLike],
    digits: int = 3,
) -> Separate:
    """Return SepMM and Weighted SepMM on segments (n_k, E_k), each with the setting's δ.

    The estimates are independent and unbiased, so the error of Σ_k a_k Ŵ^(k) with
    Σ_k a_k = 1 is Σ_k a_k² of theirs.
    """
    runs = [
        uniform_multi_message(replace(setting, n=n), epsilon, w=w, digits=digits)
        for n, epsilon in segments
    ]
    errors = tuple(error for _, error in runs)
    weights = separate_weights(setting, segments)
    parts = (weight**2 * error for weight, error in zip(weights, errors, strict=True))
    averaged = sum(errors, Fraction(0)) / len(errors) ** 2
    return Separate(tuple(m for m, _ in runs), errors, averaged, reduce(add, parts))


def separate_weights(setting: Setting, segments: Sequence[tuple[int, Epsilon]]) -> tuple[Real, ...]:
    """Return the weights of Weighted SepMM, scaled to sum to 1.

    Raises:
        DomainError: If there is no segment, or a level is not above 0.
    """
    if not segments or not all(n >= 1 and epsilon.exp > 1 for n, epsilon in segments):
        raise DomainError("segments must be at least one pair of n >= 1 users and epsilon > 0.")
    shared: dict[str, RationalLike] = {"d": setting.d, "s": setting.s, "delta": setting.delta}
    raw = [evaluate(bounds.separate_weight, n=n, epsilon=e.nats, **shared) for n, e in segments]
    total = reduce(add, raw)
    return tuple(weight / total for weight in raw)


@dataclass(frozen=True, slots=True)
class SubsetMechanism:
    """PrivSet: a set z of ``size`` items, with probability e^ε0/Z if it meets x, else 1/Z.

    Each of d items is in a set x of s; sets of more than d - s items would meet every x.

    Raises:
        DomainError: If an argument is outside its range.

    Source:
        Wang et al., PrivSet: set-valued data analyses with local differential privacy,
        INFOCOM 2018; cited in the paper as [20].

    Example:
        One item a user and a message: randomized response on three items.

        >>> SubsetMechanism(3, 1, 1, Exact(4)).rates
        (Exact('2/3'), Exact('1/6'))
    """

    d: int
    s: int
    size: int
    exp_epsilon0: Exact

    def __post_init__(self) -> None:
        for name, value in (("d", self.d), ("s", self.s), ("size", self.size)):
            whole_number(value, name=name, at_least=1)
        if self.size + self.s > self.d:
            raise DomainError(
                f"size={self.size} and s={self.s} exceed d={self.d} together: every message would "
                "meet every set. Take a smaller size."
            )
        if self.exp_epsilon0 <= 1:
            raise DomainError(f"exp_epsilon0={self.exp_epsilon0} must be above 1.")

    @property
    def rates(self) -> tuple[Exact, Exact]:
        """The probability that a message holds item j: if j is in x, and if it is not.

        Z = e^ε0 (C(d, size) - C(d - s, size)) + C(d - s, size).
        """
        e, missed = self.exp_epsilon0, comb(self.d - self.s, self.size)
        z = e * (comb(self.d, self.size) - missed) + missed
        with_j = comb(self.d - 1, self.size - 1)
        missing = comb(self.d - self.s - 1, self.size - 1)
        return e * with_j / z, (e * (with_j - missing) + missing) / z

    def error(self, *, n: int, w: Sequence[RationalLike]) -> Exact:
        """Return Σ_j E[(ŵ_j - w_j)²], ŵ_j = (c_j/n - f)/(t - f), (t, f) the rates."""
        true, false = self.rates
        gap, total = true - false, Exact(0)
        for value in w:
            seen = false + gap * exact(value, name="w").as_fraction()
            total += seen * (1 - seen)
        return total / (n * gap**2)


def best_subset_size(
    *, d: int, s: int, exp_epsilon0: Exact, w: Sequence[RationalLike]
) -> SubsetMechanism:
    """Return the mechanism whose size has the least error, smallest size first."""
    candidates = [SubsetMechanism(d, s, size, exp_epsilon0) for size in range(1, d - s + 1)]
    if not candidates:
        raise DomainError(f"d={d} must be above s={s}.")
    return min(candidates, key=lambda c: (c.error(n=1, w=w), c.size))
