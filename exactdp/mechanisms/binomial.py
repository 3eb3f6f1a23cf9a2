"""Binomial noise: the sum of N coins, added to an integer query.

References: N. Agarwal, A. T. Suresh, F. Yu, S. Kumar and H. B. McMahan, cpSGD:
Communication-efficient and differentially-private distributed SGD, NeurIPS 2018; B. Case and
M. Thomson, Simple and Efficient Binomial Protocols for Differential Privacy in MPC,
draft-case-ppm-binomial-dp.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpz

from exactdp.divergences.description import (
    COUNT,
    OF_INTEGERS,
    OPEN_RATIONAL,
    WHOLE_SENSITIVITY,
    Parameter,
    checked,
    described,
    never,
)
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.numbers import Exact, RationalLike, fmpq_of, precision, working_bits
from exactdp.numbers.crossing import Slope
from exactdp.numbers.limits import MAX_BITS_OF_NOISE
from exactdp.numbers.validated import validated

__all__ = ["BinomialMechanism", "binomial_mechanism"]


@validated
@dataclass(frozen=True, slots=True)
class BinomialMechanism(IntegerNoise):
    """The number of successes of N coins, on an integer query of sensitivity Δ.

    Formula:
        f(k) = C(N, k) p^k (1 − p)^(N − k), k = 0, ..., N.

    Example:
        Two fair coins: the laws 1/4, 1/2, 1/4 on 0, 1, 2 and on 1, 2, 3 differ by 1/2.

        >>> from exactdp.numbers import Epsilon
        >>> coins = binomial_mechanism(trials=2)
        >>> coins.delta(Epsilon.rational(0)), coins.delta(Epsilon.log(2)), coins.epsilon("3/8")
        (Exact('1/2'), Exact('1/4'), Epsilon.log('3/2'))

    Attributes:
        trials: N, an int of at least 1.
        success: p, rational, strictly between 0 and 1.
        sensitivity: Δ, an int; replacing a record may double that of adding one.
    """

    trials: int
    success: Fraction
    sensitivity: int

    ranges = ("trials", COUNT), ("success", OPEN_RATIONAL)

    @property
    def is_exact(self) -> bool:
        """True if the masses are short enough in all."""
        bits = self.trials * self.success.denominator.bit_length()
        return (self.trials + self.sensitivity) * bits <= MAX_BITS_OF_NOISE

    @property
    def support(self) -> tuple[int, int]:
        """The least and the largest value, 0 and N."""
        return 0, self.trials

    @property
    def spread(self) -> Fraction:
        """The variance, N·p(1 − p)."""
        return self.trials * self.success * (1 - self.success)

    @property
    def note(self) -> str | None:
        """The note that this is one order of neighbors, if the coins are not fair."""
        if 2 * self.success == 1:
            return None
        return (
            "One order: the answer of P is the smaller one. Of neighbors in both orders take "
            "both_directions()."
        )

    def reversed(self) -> BinomialMechanism:
        """Return the other direction: the number of failures, moved by Δ."""
        if 2 * self.success == 1:
            return self
        return BinomialMechanism(self.trials, 1 - self.success, self.sensitivity)

    @property
    def is_even(self) -> bool:
        """False, as all values are at least 0."""
        return False

    def masses(self, first: int, count: int) -> list[arb]:
        """Return f(first), ..., from one mass and f(k + 1)/f(k) = (N − k)/(k + 1)·p/(1 − p)."""
        n, bits = self.trials, working_bits()
        with precision(bits + 2 * n.bit_length() + 32):
            p = arb(fmpq_of(self.success))
            odds = p / (1 - p)
            log_mass = arb(n + 1).lgamma() - arb(first + 1).lgamma() - arb(n - first + 1).lgamma()
            mass = (log_mass + first * odds.log() + n * (1 - p).log()).exp()
            found = [mass]
            for k in range(first, first + count - 1):
                mass = mass * (n - k) * odds / (k + 1)
                found.append(mass)
        return found

    @property
    def center(self) -> int:
        """The mean, rounded down."""
        return int(self.trials * self.success)

    def weights(self) -> tuple[list[fmpz], fmpz]:
        """Return the f(k)·d^N, d the denominator of p, and d^N.

        Example:
            >>> binomial_mechanism(trials=2, success="1/3").weights()
            ([4, 4, 1], 9)
        """
        n, success, total = self.trials, *(fmpz(x) for x in self.success.as_integer_ratio())
        odds = [success**k * (total - success) ** (n - k) for k in range(n + 1)]
        return [fmpz.bin_uiui(n, k) * odd for k, odd in enumerate(odds)], total**n


@described(
    "binomial",
    "The number of successes of ``trials`` coins.",
    Parameter("trials", "N, the number of coins", COUNT, "coins", Slope.FALLING, {"argument": int}),
    Parameter("success", "p, the probability of a success", OPEN_RATIONAL),
    WHOLE_SENSITIVITY,
    sides=OF_INTEGERS,
    is_of_integers=True,
    is_composed_open=never,
)
def binomial_mechanism(
    *, trials: int, success: RationalLike | Exact = "1/2", sensitivity: int = 1
) -> BinomialMechanism:
    """Return binomial noise, f(D) + Bin(N, p); subtracting its mean N·p reveals nothing more.

    A further coin is added alike to both laws, so δ falls in N. Coins that are not fair tell the
    two orders of neighbors apart: this is one of them, P with the smaller answer, which the
    ``note`` says.

    Args:
        trials: N, an int of at least 1.
        success: p, rational, strictly between 0 and 1; a fair coin if left out.
        sensitivity: Δ, an int of at least 1: in units of the noise, the quantization scale.

    Raises:
        DomainError: If an argument is outside its range.
    """
    given = checked(binomial_mechanism, trials=trials, success=success, sensitivity=sensitivity)
    return BinomialMechanism(**given)
