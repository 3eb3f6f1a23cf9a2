"""Skellam noise: the difference of two independent Poisson variables of one mean.

References: N. Agarwal, P. Kairouz and Z. Liu, The Skellam Mechanism for Differentially
Private Federated Learning, NeurIPS 2021; D. Amos, Computation of Modified Bessel Functions
and Their Ratios, 1974.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import isqrt

from flint import arb

from exactdp.divergences.description import (
    OF_INTEGERS,
    RATIONAL,
    WHOLE_SENSITIVITY,
    checked,
    described,
    never,
)
from exactdp.divergences.families import noise_scale
from exactdp.divergences.profile import PrivacyProfile
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.numbers import (
    Number,
    RationalLike,
    Real,
    count_text,
    fmpq_of,
    precision,
    refuse_above,
    short,
    working_bits,
)
from exactdp.numbers.balls import endpoints, floor_of
from exactdp.numbers.effort import answers, spend
from exactdp.numbers.limits import MAX_MASSES

__all__ = ["SkellamMechanism", "skellam_mechanism"]

_LESS = "Ask for less noise, or hockey_stick instead."

_SUMMED = 10**7
"""The variance up to which divergences are summed, a tenth of a second each, and not bounded."""

_BOUND_BITS = 256
"""Bits of the balls of a bound of divergences: they hold its rounding."""


@dataclass(frozen=True, slots=True)
class SkellamMechanism(IntegerNoise):
    """Skellam noise of variance v, on an integer query of sensitivity Δ.

    Formula:
        f(k) = e^(−v) I_k(v), I_k the modified Bessel function: the difference of two Poisson
        variables of mean v/2 each. Both directions agree.

    Example:
        Almost no noise reveals all; much of it next to nothing.

        >>> from exactdp.numbers import Epsilon, decimal
        >>> some = [skellam_mechanism(variance=v) for v in ("1/10000", 10**6)]
        >>> [decimal(one.delta(Epsilon.rational(0)), digits=4) for one in some]
        ['0.9999', '0.0003989']

    Attributes:
        variance: v, positive and rational.
        sensitivity: Δ, an int; replacing a record may double that of adding one.
    """

    variance: Fraction
    sensitivity: int

    ranges = (("variance", RATIONAL),)

    @property
    def spread(self) -> Fraction:
        """The variance."""
        return self.variance

    def masses(self, first: int, count: int) -> list[arb]:
        """Return f(first), ...

        Formula:
            I_(k−1)(v) = I_(k+1)(v) + 2k/v·I_k(v), downwards: all terms are positive.
        """
        size = isqrt(int(self.variance))
        refuse_above(MAX_MASSES, size, f"deviation={count_text(size)} of the noise", advice=_LESS)
        last = first + count - 1
        top = max(abs(first), abs(last))
        low = 0 if first <= 0 <= last else min(abs(first), abs(last))
        v, bits = arb(fmpq_of(self.variance)), working_bits()
        with precision(bits + 2 * count.bit_length() + 16):
            found = [_scaled(self.variance, top + 1), _scaled(self.variance, top)]
            spend(2 * (top - low))
            for k in range(top, low, -1):
                found.append(found[-2] + 2 * k / v * found[-1])
        return [found[top + 1 - abs(k)] for k in range(first, last + 1)]

    def _renyi_at(self, order: Fraction) -> Number:
        return Real(partial(self._renyi_ball, order), f"divergence of order {short(order)}")

    def _renyi_ball(self, order: Fraction) -> arb:
        # E_Q (P/Q)^a = Σ over k of t(k), t(k) = f(k)·(f(k)/f(k − Δ))^(a − 1).
        bits, size, beyond = working_bits(), self.sensitivity, arb(fmpq_of(order - 1))
        top = 4 * isqrt(int(self.variance)) + 2 * size + 8
        while True:
            refuse_above(MAX_MASSES, top, f"{count_text(top)} masses or more", advice=_LESS)
            found = self.masses(-top - size, 2 * top + size + 1)
            terms = [p * (p / q) ** beyond for p, q in zip(found[size:], found, strict=False)]
            total, left = sum(terms, arb(0)), self._step_left(order, top)
            right = found[-1] / found[-2]
            if left < 1 and right < 1:
                # To the right, where f(k) <= f(k − Δ), t(k) <= f(k) + f(k − Δ).
                rest = terms[0] * left / (1 - left) + 2 * sum(found[~size:], arb(0)) / (1 - right)
                if rest < total * arb(2) ** -bits:
                    return (total + arb(0).union(rest)).log() / beyond
            top *= 2

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return an upper bound of D_a, a > 1: near it where its masses can be summed.

        Formula:
            With Δ = 1 the loss at k is −ln r(k − 1) for k <= 0 and ln r(k − 1) beyond, so by the
            bounds of :meth:`_step_left`, as x − x³/6 <= asinh x <= x, it is at most (1 − k)/v while
            k³ <= 3v². So with Δ it is at most (Δ(Δ + 1)/2 − Δk)/v up to such a k_0, and beyond, as
            it falls, at most 0 if 2k_0 > Δ. With λ = a − 1 and E e^(tX) = e^(v(cosh t − 1)),

            E e^(λL) <= e^(λΔ(Δ + 1)/(2v) + v(cosh(λΔ/v) − 1)) + Pr[X > k_0].

        Example:
            Δ²/(2v)·a would be 1e-12; what is lost is λΔ/(2v) at most.

            >>> wide = skellam_mechanism(variance=10**12)
            >>> found = wide.renyi_bound(Fraction(2), width=Fraction(1, 100))
            >>> Fraction(1, 10**12) < found < Fraction(16, 10**13)
            True
        """
        if self.variance <= _SUMMED:
            ask = partial(PrivacyProfile.renyi_bound, self, width=width)
            for _, found in answers(ask, [order]):
                return found
        with precision(_BOUND_BITS):
            v, size, beyond = arb(fmpq_of(self.variance)), self.sensitivity, arb(fmpq_of(order - 1))
            last = floor_of((3 * v**2).root(3))
            if 2 * last <= size:
                return None
            slope = beyond * size / v
            moment = (slope * arb(size + 1) / 2 + v * (slope.cosh() - 1)).exp()
            step = arb(last) / v
            moment += (v * (step.cosh() - 1) - step * arb(last)).exp()
            return endpoints(moment.log() / beyond)[1]

    def _step_left(self, order: Fraction, j: int) -> arb:
        """Return a bound of t(−i − 1)/t(−i) for all i >= j.

        Formula:
            r(j)·(r(j)/r(j + Δ))^(a − 1), r(j) = I_(j+1)(v)/I_j(v) falling in j, where
            asinh((j + 1/2)/v) <= −ln r(j) <= asinh((j + 1)/v). The difference of the logarithms
            falls too.

        Source:
            Amos 1974, (11) and (16).
        """
        v = arb(fmpq_of(self.variance))
        low = ((j + arb(1) / 2) / v).asinh()
        more = ((j + self.sensitivity + 1) / v).asinh() - low
        return (fmpq_of(max(order - 1, Fraction(0))) * more - low).exp()


def _scaled(variance: Fraction, order: int) -> arb:
    """Return e^(−v) I_k(v), to the working precision, relatively."""
    bits = more = working_bits()
    while True:
        spend(400 + more)
        with precision(more):
            found = arb(fmpq_of(variance)).bessel_i(arb(order), scaled=True)
        if found.rel_accuracy_bits() >= bits - 8:
            return found
        more *= 2


@described(
    "skellam",
    "The difference of two Poisson variables of mean variance/2 each.",
    replace(noise_scale("variance", "v, of the noise", RATIONAL), unit="units², of the query"),
    WHOLE_SENSITIVITY,
    sides=OF_INTEGERS,
    is_of_integers=True,
    is_composed_open=never,
    goes_into=frozenset({"thresholds"}),
)
def skellam_mechanism(*, variance: RationalLike, sensitivity: int = 1) -> SkellamMechanism:
    """Return Skellam noise of a variance: Poisson minus Poisson, of half of it in the mean each.

    More variance is more noise added alike to both laws, so δ falls in it.

    Args:
        variance: v, positive and rational.
        sensitivity: Δ, an int of at least 1.

    Raises:
        DomainError: If an argument is outside its range.
    """
    return SkellamMechanism(
        **checked(skellam_mechanism, variance=variance, sensitivity=sensitivity)
    )
