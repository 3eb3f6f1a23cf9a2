"""The privacy loss distribution of a pair: exact atoms, exact composition.

The loss of an outcome y is ln(P(y) / Q(y)), in nats. Its law under P, with the
mass at plus infinity (Q = 0 < P), determines the hockey-stick divergence at every
γ; the law for two independent pairs is that of the sum of the two losses.
Losses are kept as e^loss, which is exact, so equal losses are merged exactly.

Definitions: :class:`PrivacyLossDistribution`.

References: D. Sommer, S. Meiser and E. Mohammadi, Privacy Loss Classes: The
Central Limit Theorem in Differential Privacy, 2019.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpz

from exactdp.divergences.hockey_stick import hockey_stick_divergence
from exactdp.divergences.likelihood import finite_ratios, product_pair, sufficient_pair
from exactdp.divergences.pair import Pair, exact, ratio
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Exact, RationalLike, count_text

__all__ = ["MAX_WEIGHT_BITS", "MAX_WORK", "PrivacyLossDistribution"]

MAX_WORK = 30_000_000
"""Compositions of more products of short weights are refused: they take minutes."""

MAX_WEIGHT_BITS = 10_000_000_000
"""Compositions whose weights fill more bits are refused: they are gigabytes."""

_SHORT_BITS = 4_000
_TRANSCENDENTAL = 500


@dataclass(frozen=True, slots=True, repr=False)
class PrivacyLossDistribution:
    """The exact law of the privacy loss of a pair (P, Q).

    Two of them are equal exactly if the pairs have the same hockey-stick
    divergence at every γ >= 0.

    Attributes:
        pair: The pair in canonical form: one outcome for each loss, ascending.

    Example:
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> PrivacyLossDistribution.from_pair(coin).atoms
        ((Exact('1/3'), Exact('1/4')), (Exact('3'), Exact('3/4')))
    """

    pair: Pair

    def __post_init__(self) -> None:
        object.__setattr__(self, "pair", sufficient_pair(self.pair))

    @classmethod
    def from_pair(cls, pair: Pair) -> PrivacyLossDistribution:
        """Return the law of ln(P(Y) / Q(Y)) for Y drawn from P."""
        return cls(pair)

    @property
    def atoms(self) -> tuple[tuple[Exact, Exact], ...]:
        """The finite losses as (e^loss, mass under P), ascending, masses positive.

        The mass under Q of such a loss is mass / e^loss.
        """
        ratios = finite_ratios(self.pair)
        weights = self.pair.p[: len(ratios)]
        return tuple(
            (r if isinstance(r, Exact) else Exact(r), ratio(a, self.pair.p_total))
            for r, a in zip(ratios, weights, strict=True)
            if a != 0
        )

    @property
    def infinity_mass(self) -> Exact:
        """The mass under P of the loss plus infinity: P(Q = 0).

        Example:
            >>> pair = Pair.from_masses(["1/2", "1/2", 0], ["1/4", 0, "3/4"])
            >>> law = PrivacyLossDistribution.from_pair(pair)
            >>> law.infinity_mass, law.minus_infinity_mass
            (Exact('1/2'), Exact('3/4'))
        """
        last = len(self.pair) - 1
        if self.pair.q[last] != 0:
            return Exact(0)
        return ratio(self.pair.p[last], self.pair.p_total)

    @property
    def minus_infinity_mass(self) -> Exact:
        """The mass under Q of the loss minus infinity: Q(P = 0)."""
        return ratio(self.pair.q[0], self.pair.q_total) if self.pair.p[0] == 0 else Exact(0)

    def delta(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return H_γ(P ‖ Q) for γ = exp_epsilon.

        Formula:
            δ(γ) = P(loss = ∞) + Σ over finite losses ℓ of mass(ℓ)·max(0, 1 − γ·e^(−ℓ)).

        Args:
            exp_epsilon: γ = e^ε, at least 0.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.

        Example:
            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> PrivacyLossDistribution.from_pair(coin).delta(exp_epsilon=2)
            Exact('1/4')
        """
        return hockey_stick_divergence(self.pair, exp_epsilon=exp_epsilon)

    def compose(self, other: PrivacyLossDistribution) -> PrivacyLossDistribution:
        """Return the law for the product of two independent pairs: losses add.

        The pairs are fixed in advance (no adaptivity is modeled). For n and m
        atoms, O(n m) operations.

        Raises:
            TooLargeError: If that would take more than minutes or gigabytes.

        Example:
            Two coins with loss ±ln 3: the sum is 2 ln 3, 0 or −2 ln 3.

            >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
            >>> law = PrivacyLossDistribution.from_pair(coin)
            >>> law.compose(law).atoms[1:]
            ((Exact('1'), Exact('3/8')), (Exact('9'), Exact('9/16')))
        """
        return PrivacyLossDistribution(_product(self.pair, other.pair))

    def self_compose(self, *, times: int) -> PrivacyLossDistribution:
        """Return the law for ``times`` independent copies of the pair.

        Args:
            times: At least 0; 0 copies reveal nothing, so the loss is 0.

        Returns:
            The composition, by repeated squaring.

        Raises:
            DomainError: If times is negative.
            TooLargeError: If that would take more than minutes or gigabytes.

        Example:
            >>> coin = Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"])
            >>> law = PrivacyLossDistribution.from_pair(coin).self_compose(times=10)
            >>> len(law.atoms), law.atoms[-1] == (Exact(2**10), Exact("1024/59049"))
            (11, True)
        """
        if times < 0:
            raise DomainError(f"times={times} is negative. Compose 0 or more copies.")
        _refuse_large_power(self.pair, times)
        one = [fmpz(1)]
        result = Pair(one, one, fmpz(1), fmpz(1))
        square = self.pair
        while times:
            if times % 2:
                result = _product(result, square)
            times //= 2
            if times:
                square = _product(square, square)
        return PrivacyLossDistribution(result)

    def __repr__(self) -> str:
        return f"<PrivacyLossDistribution with {len(self.pair)} losses>"


def _product(first: Pair, second: Pair) -> Pair:
    _refuse_large(
        len(first),
        len(second),
        _weight_bits(first) + _weight_bits(second),
        f"the product of {len(first):,} and {len(second):,} losses",
    )
    return product_pair(first, second)


def _refuse_large_power(pair: Pair, times: int) -> None:
    # Sums of t of m different numbers take at least t (m - 1) + 1 values. The last
    # product is of two halves, or larger.
    finite = sum(1 for a, b in pair if a != 0 and b != 0)
    half = times // 2 * max(0, finite - 1) + 1
    bits = times * _weight_bits(pair) if len(pair) > 1 else 1
    _refuse_large(
        half, half, bits, f"times={count_text(times)}: the composition of {finite} losses"
    )


def _refuse_large(first: int, second: int, bits: int, what: str) -> None:
    work = first * second * (1 + bits // _SHORT_BITS)
    memory = (first + second) * bits
    if work > MAX_WORK or memory > MAX_WEIGHT_BITS:
        raise TooLargeError(
            f"{what} needs at least {count_text(first * second)} exact products with weights of "
            f"about {count_text(bits)} bits, more than is sensible. Compose fewer copies, or "
            "losses that coincide more often."
        )


def _weight_bits(pair: Pair) -> int:
    """Return about how many bits a weight has (and a transcendental one is worth)."""
    totals = (pair.p_total, pair.q_total)
    if all(isinstance(total, fmpz) for total in totals):
        return max(int(exact(total).numerator.height_bits()) for total in totals)
    return max(
        _TRANSCENDENTAL * (1 + int(e.numerator.degree()) + int(e.denominator.degree()))
        for e in map(exact, (*pair.p, *pair.q))
    )
