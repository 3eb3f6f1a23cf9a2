"""Randomized response composed many times, which is the worst case of pure privacy.

Binary randomized response has losses ±ε0. Of k copies, j tell the truth: the loss
is (2j − k)·ε0, j is binomial with success probability b/(1 + b) under P and
1/(1 + b) under Q, b = e^ε0, and

    δ(γ) = Σ_{j >= m} C(k, j) b^j / (1 + b)^k · (1 − γ·b^(k − 2j)),

m the least j with b^(2j − k) > γ. So one δ is the difference of two binomial tails: exact
integers by binary splitting, or balls of the hypergeometric series that a tail is.

References: P. Kairouz, S. Oh and P. Viswanath, The Composition Theorem for
Differential Privacy, ICML 2015.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from flint import arb, fmpz

from exactdp.accounting.composition.exact_composition import compose_exactly
from exactdp.divergences import FiniteProfile, Pair, PrivacyLossDistribution, PrivacyProfile
from exactdp.divergences.profile import Parts, enclosed
from exactdp.errors import number_of
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Real,
    certainly_not_below,
    count_text,
    decided_below,
    precision,
    refuse_above,
    working_bits,
)
from exactdp.numbers.arguments import any_epsilon, privacy_epsilon, probability, whole_number
from exactdp.numbers.balls import endpoints
from exactdp.numbers.commensurable import floor_of_logarithm
from exactdp.numbers.effort import answers, first_answer
from exactdp.numbers.limits import MAX_BITS_OF_A_NUMBER, MAX_COPIES
from exactdp.numbers.validated import validated
from exactdp.sums.counting.tails import upper_tail

__all__ = [
    "ComposedRandomizedResponse",
    "as_randomized_response",
    "composed_randomized_response",
]

_FEW = 1_000
"""Copies up to which the exact law of all losses is used: it takes less than a second."""

_BITS = 1 << 12
"""Bits to which a sum of total variations is compared with δ."""

_DEVIATIONS = 8
"""Deviations below the mean loss at which the search for an ε starts; it only saves steps.

Where δ holds at the start already, which takes a δ near 1, the search begins again at 0."""


@validated
@dataclass(frozen=True)
class ComposedRandomizedResponse(PrivacyProfile):
    """``times`` copies of binary randomized response, each failing with probability delta0.

    Its two directions are the same.

    Attributes:
        epsilon0: The ε0 of one copy, finite, at least 0 (else DomainError).
        times: The number k of copies, from 0 to 10^10 (TooLargeError above).
        delta0: The probability with which one copy reveals its input outright.
    """

    epsilon0: Epsilon
    times: int
    delta0: Exact

    def __post_init__(self) -> None:
        privacy_epsilon(self.epsilon0, name="epsilon0")
        object.__setattr__(self, "times", whole_number(self.times, name="times", at_least=0))
        object.__setattr__(self, "delta0", probability(self.delta0, name="delta0"))
        shown = count_text(self.times)
        refuse_above(MAX_COPIES, self.times, f"times={shown}", advice="Compose fewer copies.")

    @property
    def pair(self) -> Pair:
        """The pair of one copy: the worst pair of an (ε0, δ0)-private mechanism.

        Example:
            >>> composed_randomized_response(Epsilon.log(3), 1, delta0="1/5").pair.masses()[:2]
            [(Exact('1/5'), Exact('0')), (Exact('3/5'), Exact('1/5'))]
        """
        b, keep = self.epsilon0.exp, 1 - self.delta0
        truth, lie = keep * b / (1 + b), keep / (1 + b)
        return Pair.from_masses([self.delta0, truth, lie, 0], [0, lie, truth, self.delta0])

    def composed_of(self) -> Parts:
        """Return one copy, and how many there are."""
        return (self.copies(),)

    def copies(self) -> tuple[Pair, int]:
        """Return one copy, and how many there are."""
        return self.pair, self.times

    def losses(self) -> PrivacyLossDistribution:
        """Return the exact law of all losses (TooLargeError from tens of thousands of copies)."""
        return self._losses

    @cached_property
    def _losses(self) -> PrivacyLossDistribution:
        return compose_exactly([(self.pair, self.times)])

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε) for a finite ε of any sign; the reverse direction is the same.

        Returns:
            Without a width: the exact number for up to 1,000 copies (if ε and ε0 are rational
            nats, of short denominators), and while e^ε0 is
            rational and it has at most 20 million bits; beyond, a computable real. With a
            width: an enclosure, of about √times terms.

        Example:
            (9/16)(1 − 2/9) + (6/16)(1 − 2)⁺ = 7/16:

            >>> composed_randomized_response(Epsilon.log(3), 2).delta(Epsilon.log(2))
            Exact('7/16')
        """
        at = any_epsilon(epsilon)
        gamma = at.exp
        first = self._first_index(gamma)
        if first > self.times and self.delta0 == 0:
            value: Number = Exact(0)
        elif relative_width is None and self._has_short_numbers:
            value = self._exact(first, gamma)
        else:
            value = self._real(first, gamma)
            if relative_width is None and self.is_exact:  # else, as of doubles, the number refines
                for _, exact in answers(lambda x: self._losses.delta(x), [at]):
                    value = exact
        return value if relative_width is None else enclosed(value, relative_width)

    def _epsilon_at(self, delta: Exact) -> Epsilon | None:
        """Return the smallest ε of up to 1,000 copies.

        Example:
            Between ε = 0 and 2 ln 3, δ is (9 − e^ε)/16:

            >>> composed_randomized_response(Epsilon.log(3), 2).epsilon("7/16")
            Epsilon.log('2')
        """
        if not self.is_exact:
            return None
        # One line of δ is shorter than all of them.
        return first_answer(
            lambda: self._losses._epsilon_at(delta), lambda: self._on_one_line(delta)
        )

    def _on_one_line(self, delta: Exact) -> Epsilon:
        """Return the smallest ε: between its breaks, δ is a line in e^ε."""
        k, b = self.times, self.epsilon0.exp

        def is_met(first: int, gamma: Exact) -> bool:
            at = self.infinity_mass() if first > k else self._real(first, gamma)
            return not decided_below(delta, at, advice="Ask for an enclosure.")

        if is_met(self._first_index(Exact(1)), Exact(1)):
            return Epsilon.log(1)
        most = range(k // 2 + 1, k + 1)  # truths at the breaks above γ = 1
        j = most.start + bisect_left(most, x=True, key=lambda i: is_met(i + 1, b ** (2 * i - k)))
        if j > k:
            return Epsilon.infinity()
        rest = 1 - (1 - delta) / (1 - self.delta0) ** k  # of the copies when none fails
        p = q = Exact(0)
        for i in range(k, j - 1, -1):
            p = p * b + math.comb(k, i)
            q = q + math.comb(k, i) * b ** (k - i)
        return Epsilon((p * b**j - rest * (1 + b) ** k) / q)

    def max_divergence(self) -> Epsilon | Number:
        """Return times·ε0, or infinity if a copy may fail."""
        if self.times and self.delta0 != 0:
            return Epsilon.infinity()
        return self.largest_finite_loss()

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return times·ε0; in nats if e^(times·ε0) is long."""
        exponent = self.epsilon0.exp.monomial_exponent()
        if exponent is not None:
            return Epsilon.rational(self.times * exponent)
        if self.is_exact or self._has_short_numbers:
            return self.times * self.epsilon0
        return self.times * self.epsilon0.nats

    def infinity_mass(self) -> Number:
        """Return 1 − (1 − δ0)^times."""
        failure_bits = int(self.delta0.denominator[0].bit_length())
        is_short = self.delta0.is_rational and self.times * failure_bits <= MAX_BITS_OF_A_NUMBER
        if self.delta0 == 0 or is_short:
            return 1 - (1 - self.delta0) ** self.times
        return Real(self._ball_of_failure, f"failure of {number_of(self.times, 'copy')}")

    def _renyi_at(self, order: Fraction) -> Number:
        return self.times * self.pair._renyi_at(order) if self.times else Exact(0)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        one = self.pair._renyi_within(order, width)
        return Enclosure(self.times * one.lower, self.times * one.upper)

    def _trade_off_at(self, level: Exact) -> Number | None:
        return self._losses._trade_off_at(level) if self.is_exact else None

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        """Return the start where total variations, which add up at most, are at most δ."""
        b = self.epsilon0.exp
        most = self.times * (self.delta0 + (1 - self.delta0) * (b - 1) / (b + 1))
        if certainly_not_below(target, most, max_bits=_BITS):
            return Enclosure(start, start)
        return super()._smallest_from(start, target, width)

    def search_start(self, delta: Exact) -> Fraction:
        """Return a few deviations less than the mean of the loss under P."""
        mean, deviation = self._mean_and_deviation()
        return max(Fraction(0), mean - _DEVIATIONS * deviation)

    def first_guess(self, delta: Exact) -> Fraction:
        """Return the distance that a normal loss exceeds with about this probability."""
        _, deviation = self._mean_and_deviation()
        with precision(64):
            score = endpoints((2 * delta.ball(64).log()).abs_upper().sqrt())[1]
        return (_DEVIATIONS + score) * max(Fraction(1), deviation)

    def _mean_and_deviation(self) -> tuple[Fraction, Fraction]:
        """Return those of the loss under P, rounded down to integers."""
        with precision(64):
            b, nats = self.epsilon0.exp.ball(64), self.epsilon0.nats.ball(64)
            mean = self.times * nats * (b - 1) / (b + 1)
            deviation = 2 * nats * (self.times * b).sqrt() / (1 + b)
        return Fraction(int(endpoints(mean)[0])), Fraction(int(endpoints(deviation)[0]))

    def reversed(self) -> ComposedRandomizedResponse:
        """Return this profile: both directions have the same δ."""
        return self

    @property
    def is_exact(self) -> bool:
        """True if there are at most 1,000 copies."""
        return self.times <= _FEW

    @property
    def has_closed_form(self) -> bool:
        """True if δ is an exact number, as it is for up to thousands of copies."""
        return self.is_exact or self._has_short_numbers

    @property
    def _has_short_numbers(self) -> bool:
        b, k = self.epsilon0.exp, self.times
        if not (b.is_rational and self.delta0.is_rational):
            return False
        u, v = b.as_fmpq().p, b.as_fmpq().q
        failure_bits = int(self.delta0.denominator[0].bit_length())
        bits = k * (int((u + v).bit_length()) + k.bit_length() + failure_bits)
        return bits <= MAX_BITS_OF_A_NUMBER

    def _exact(self, first: int, gamma: Exact) -> Exact:
        """Return P(S) − γ·Q(S), S = {j >= first} and all failures, for a rational e^ε0."""
        k, delta = self.times, Exact(0)
        if first <= k:
            u, v = self.epsilon0.exp.as_fmpq().p, self.epsilon0.exp.as_fmpq().q
            p, q = _binomial_sum(first, k, u, v), _binomial_sum(first, k, v, u)
            delta = (Exact(p) - gamma * Exact(q)) / Exact((u + v) ** k)
        return 1 - (1 - self.delta0) ** k * (1 - delta) if self.delta0 else delta

    def _first_index(self, gamma: Exact) -> int:
        """Return the least j in 0..k with b^(2j − k) > γ, or k + 1."""
        k = self.times
        if self.epsilon0.exp == 1:
            return 0 if gamma < 1 else k + 1
        # b^n <= γ exactly for n <= floor.
        floor = floor_of_logarithm(gamma, self.epsilon0.exp)
        return min(k + 1, max(0, (k + floor) // 2 + 1))

    def _real(self, first: int, gamma: Exact) -> Real:
        """Return the same as a number that refines."""
        return Real(partial(self._ball, gamma, first), f"delta of {number_of(self.times, 'copy')}")

    def _ball(self, gamma: Exact, first: int) -> arb:
        # Logarithms of factorials lose some bits.
        bits = working_bits() + 2 * self.times.bit_length() + 16
        with precision(bits):
            b, factor = self.epsilon0.exp.ball(bits), gamma.ball(bits)
            delta = upper_tail(self.times, first, b)
            delta -= factor * upper_tail(self.times, first, 1 / b)
            if self.delta0 == 0:
                return delta
            failure = self._ball_of_failure()
            return delta * (1 - failure) + failure

    def _ball_of_failure(self) -> arb:
        if self.delta0 == 1:
            return arb(1) if self.times else arb(0)
        return -(self.times * (-self.delta0.ball(working_bits())).log1p()).expm1()


def composed_randomized_response(
    epsilon0: EpsilonLike, times: int, *, delta0: Exact | RationalLike = 0
) -> ComposedRandomizedResponse:
    """Return binary randomized response composed ``times`` times.

    Formula:
        P = (b, 1)/(1 + b) and Q = (1, b)/(1 + b), b = e^ε0, each ``times`` times;
        with δ0 > 0 scaled by 1 − δ0, with mass δ0 on an outcome that only P has
        and one that only Q has.

    Meaning:
        The least δ of the ``times``-fold composition of arbitrary (ε0, δ0)-private
        mechanisms, chosen adaptively: the pair is the worst one.

    Arguments and errors as for :class:`ComposedRandomizedResponse`.

    Source:
        Kairouz, Oh & Viswanath 2015, Theorem 3.3. Differs from the source: any γ,
        not only the multiples of ε0.

    Example:
        >>> many = composed_randomized_response(Epsilon.log(3), 10**9)
        >>> found = many.delta(Epsilon.rational(55 * 10**7), relative_width="1e-6")
        >>> 0 < found.lower < found.upper < 1
        True
        >>> composed_randomized_response(0.5, 2).epsilon0
        Epsilon.rational('1/2')
    """
    at, failure = privacy_epsilon(epsilon0, name="epsilon0"), probability(delta0, name="delta0")
    return ComposedRandomizedResponse(at, times, failure)


def as_randomized_response(profile: FiniteProfile, times: int) -> ComposedRandomizedResponse | None:
    """Return copies of a profile as randomized response, if it has those losses; else None.

    Losses ±ε0 and equal masses at plus and minus infinity fix all masses.

    Example:
        >>> coin = Pair.from_masses(["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"])
        >>> as_randomized_response(coin, 7) is None
        True
        >>> coin = Pair.from_masses(["3/8", "3/8", "1/4"], ["1/8", "1/8", "3/4"])
        >>> as_randomized_response(coin, 7)
        ComposedRandomizedResponse(epsilon0=Epsilon.log('3'), times=7, delta0=Exact('0'))
    """
    losses = profile.losses()
    ratios = [r for r, _ in losses.atoms]
    failure = losses.infinity_mass()
    is_symmetric = ratios in ([], [1]) or (len(ratios) == 2 and ratios[0] * ratios[1] == 1)
    if not is_symmetric or losses.minus_infinity_mass() != failure:
        return None
    return ComposedRandomizedResponse(Epsilon(max(ratios, default=Exact(1))), times, failure)


def _binomial_sum(first: int, k: int, u: fmpz, v: fmpz) -> fmpz:
    """Return Σ_{j = first}^{k} C(k, j) u^j v^(k − j), by binary splitting."""
    term = fmpz.bin_uiui(k, first) * u**first * v ** (k - first)
    _, below, total = _split(first, k + 1, k, u, v)
    return term * total // below


def _split(low: int, high: int, k: int, u: fmpz, v: fmpz) -> tuple[fmpz, fmpz, fmpz]:
    """Return (A, B, S) for the term ratios r_i = (k − i)u / ((i + 1)v).

    A / B is the product of the r_i for low <= i < high, S / B the sum over
    low <= j < high of the products of the r_i with low <= i < j.
    """
    if high - low == 1:
        below = (low + 1) * v
        return (k - low) * u, below, below
    middle = (low + high) // 2
    a1, b1, s1 = _split(low, middle, k, u, v)
    a2, b2, s2 = _split(middle, high, k, u, v)
    return a1 * a2, b1 * b2, s1 * b2 + a1 * s2
