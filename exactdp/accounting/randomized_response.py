"""Randomized response composed many times, which is the worst case of pure privacy.

Binary randomized response has losses ±ε0. Of k copies, j tell the truth: the loss
is (2j − k)·ε0, j is binomial with success probability b/(1 + b) under P and
1/(1 + b) under Q, b = e^ε0, and

    δ(γ) = Σ_{j >= m} C(k, j) b^j / (1 + b)^k · (1 − γ·b^(k − 2j)),

m the least j with b^(2j − k) > γ. Every term is positive. So one δ is two tails of
binomial sums: exact integers by binary splitting, or balls on a window around the
largest term with geometric bounds for what lies beyond it.

Definitions: :class:`ComposedRandomizedResponse`, :func:`composed_randomized_response`.

References: P. Kairouz, S. Oh and P. Viswanath, The Composition Theorem for
Differential Privacy, ICML 2015.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpz

from exactdp.accounting.commensurable import floor_of_logarithm
from exactdp.accounting.composition import compose
from exactdp.accounting.losses import ComposedLosses
from exactdp.divergences import Pair
from exactdp.divergences.validation import nonnegative_exp_epsilon, probability
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    RationalLike,
    Real,
    count_text,
    enclosure,
    precision,
    working_bits,
)

__all__ = ["MAX_TIMES", "ComposedRandomizedResponse", "composed_randomized_response"]

MAX_EXACT_BITS = 20_000_000
"""Exact values with longer numerators are refused: they take many seconds."""

MAX_TIMES = 10**10
"""More copies are refused: the window has a width of about √times terms."""


@dataclass(frozen=True, slots=True)
class ComposedRandomizedResponse:
    """``times`` copies of binary randomized response, each failing with probability delta0.

    Attributes:
        epsilon0: The ε0 of one copy, finite, at least 0.
        times: The number k of copies, at least 0.
        delta0: The probability with which one copy reveals its input outright.
    """

    epsilon0: Epsilon
    times: int
    delta0: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta0", probability(self.delta0, name="delta0"))
        if self.epsilon0.is_infinite or self.epsilon0.exp < 1:
            raise DomainError(f"epsilon0={self.epsilon0!r} must be finite and at least 0.")
        if not isinstance(self.times, int) or isinstance(self.times, bool) or self.times < 0:
            raise DomainError(f"times={self.times!r} is not an int of at least 0.")
        if self.times > MAX_TIMES:
            raise TooLargeError(
                f"times={count_text(self.times)} is more than {MAX_TIMES:,}. Compose fewer copies."
            )

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

    def losses(self) -> ComposedLosses:
        """Return the exact law of all losses.

        Raises:
            TooLargeError: If its weights would fill gigabytes: from tens of
                thousands of copies on.
        """
        return compose([(self.pair, self.times)])

    def delta(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return the exact H_γ(P ‖ Q), γ = exp_epsilon; the reverse direction is the same.

        For rational e^ε0 without building the other losses.

        Args:
            exp_epsilon: γ = e^ε, at least 0.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.
            TooLargeError: If the exact number is too long. Ask for an enclosure.

        Example:
            (9/16)(1 − 2/9) + (6/16)(1 − 2)⁺ = 7/16:

            >>> composed_randomized_response(Epsilon.log(3), 2).delta(exp_epsilon=2)
            Exact('7/16')
        """
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        b, k = self.epsilon0.exp, self.times
        if not (b.is_rational and self.delta0.is_rational):
            return self.losses().delta(exp_epsilon=gamma)
        u, v = b.as_fmpq().p, b.as_fmpq().q
        failure_bits = int(self.delta0.denominator[0].bit_length())
        bits = k * (int((u + v).bit_length()) + k.bit_length() + failure_bits)
        if bits > MAX_EXACT_BITS:
            raise TooLargeError(
                f"times={k:,}: the exact value needs integers of {count_text(bits)} bits; the "
                f"limit is {MAX_EXACT_BITS:,}. Use delta_enclosure."
            )
        first = self._first_index(gamma)
        if first > k:
            return self._with_failures(Exact(0))
        p, q = _binomial_sum(first, k, u, v), _binomial_sum(first, k, v, u)
        return self._with_failures((Exact(p) - gamma * Exact(q)) / Exact((u + v) ** k))

    def delta_enclosure(
        self, *, exp_epsilon: Exact | RationalLike, relative_bits: int = 64
    ) -> Enclosure:
        """Return an enclosure of H_γ(P ‖ Q), γ = exp_epsilon; the reverse direction is the same.

        Args:
            exp_epsilon: γ = e^ε, at least 0.
            relative_bits: The relative width is at most 2^-relative_bits.

        Returns:
            Two rationals around δ; a point where δ is zero. About √times terms.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.

        Example:
            >>> many = composed_randomized_response(Epsilon.log(3), 2)
            >>> many.delta_enclosure(exp_epsilon=2).contains(Exact("7/16"))
            True
        """
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        first = self._first_index(gamma)
        if first > self.times and self.delta0 == 0:
            return enclosure(Exact(0))
        value = Real(lambda: self._ball(gamma, first), f"delta of {self.times} copies")
        return enclosure(value, relative_bits=relative_bits)

    def _first_index(self, gamma: Exact) -> int:
        """Return the least j in 0..k with b^(2j − k) > γ, or k + 1."""
        k = self.times
        if gamma == 0:
            return 0
        if self.epsilon0.exp == 1:
            return 0 if gamma < 1 else k + 1
        # b^n <= γ exactly for n <= floor.
        floor = floor_of_logarithm(gamma, self.epsilon0.exp)
        return min(k + 1, max(0, (k + floor) // 2 + 1))

    def _with_failures(self, delta: Exact) -> Exact:
        return 1 - (1 - self.delta0) ** self.times * (1 - delta) if self.delta0 else delta

    def _ball(self, gamma: Exact, first: int) -> arb:
        # Products along the window, and logarithms of factorials, lose some bits.
        bits = working_bits() + 2 * self.times.bit_length() + 16
        with precision(bits):
            b, factor = self.epsilon0.exp.ball(bits), gamma.ball(bits)
            delta = arb(0)
            if first <= self.times:
                delta = _positive_terms(self.times, first, b, factor, cut_bits=bits)
            if self.delta0 == 0:
                return delta
            if self.delta0 == 1:
                return arb(1) if self.times else delta
            log_kept = self.times * (-self.delta0.ball(bits)).log1p()
            return delta * log_kept.exp() - log_kept.expm1()


def composed_randomized_response(
    epsilon0: Epsilon, times: int, *, delta0: Exact | RationalLike = 0
) -> ComposedRandomizedResponse:
    """Return binary randomized response composed ``times`` times.

    Formula:
        P = (b, 1)/(1 + b) and Q = (1, b)/(1 + b), b = e^ε0, each ``times`` times;
        with δ0 > 0 scaled by 1 − δ0, with mass δ0 on an outcome that only P has
        and one that only Q has.

    Meaning:
        The least δ of the ``times``-fold composition of arbitrary (ε0, δ0)-private
        mechanisms, chosen adaptively: the pair is the worst one.

    Args:
        epsilon0: ε0, finite, at least 0.
        times: The number of copies, from 0 to 10^10.
        delta0: δ0, from 0 to 1.

    Raises:
        DomainError: If an argument is outside its range.
        TooLargeError: If times is above 10^10.

    Source:
        Kairouz, Oh & Viswanath 2015, Theorem 3.3. Differs from the source: any γ,
        not only the multiples of ε0.

    Example:
        >>> many = composed_randomized_response(Epsilon.rational("1/2"), 2)
        >>> many.delta(exp_epsilon=1)
        Exact('(e^(1/2) - 1)/(e^(1/2) + 1)')
    """
    return ComposedRandomizedResponse(epsilon0, times, probability(delta0, name="delta0"))


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


def _positive_terms(k: int, first: int, b: arb, gamma: arb, *, cut_bits: int) -> arb:
    """Return a ball for Σ_{j >= first} C(k, j) b^j / (1 + b)^k · (1 − γ·b^(k − 2j)).

    The sum starts near the mode and goes both ways. Going up, the ratio of binomial
    weights is r_j = (k − j)b/(j + 1), which falls; so all weights from j + 1 on sum to
    at most w_{j+1} / (1 − r_j). Going down it is j/((k − j + 1)b), which falls too.
    The factors in brackets are between 0 and 1. What lies beyond is cut off once it is
    2^-cut_bits of the sum, and its bound becomes part of the ball.
    """
    # Any start is correct; near the mode the fewest terms are needed.
    mode = ((k + 1) * b / (1 + b)).mid().floor().unique_fmpz()
    start = min(k, max(first, k if mode is None else int(mode)))
    weight = _binomial_weight(k, start, b)
    discount = gamma * b ** (k - 2 * start)
    square = b * b
    small = arb(2) ** -cut_bits
    total = weight * (1 - discount)
    for step, end, change in ((1, k, 1 / square), (-1, first, square)):
        w, d, j = weight, discount, start
        while j != end:
            r = b * (k - j) / (j + 1) if step > 0 else j / (b * (k - j + 1))
            w, d, j = w * r, d * change, j + step
            # The second condition ends the loop where the total is not yet certainly
            # positive; the enclosure is then asked for at more bits.
            if r < 1 and (w < total * small * (1 - r) or w < weight * small * small * (1 - r)):
                total += arb(0).union(w / (1 - r))
                break
            total += w * (1 - d)
    return total


def _binomial_weight(k: int, j: int, b: arb) -> arb:
    log_choose = arb(k + 1).lgamma() - arb(j + 1).lgamma() - arb(k - j + 1).lgamma()
    return (log_choose + j * b.log() - k * (1 + b).log()).exp()
