"""The discrete Laplace (geometric) mechanism: integer noise with Pr[k] ∝ e^(−|k|/b).

Definitions: :class:`DiscreteLaplaceMechanism`, :func:`discrete_laplace_mechanism`,
:func:`smallest_discrete_laplace_scale`.

References: A. Ghosh, T. Roughgarden and M. Sundararajan, Universally Utility-Maximizing
Privacy Mechanisms, STOC 2009.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from exactdp.divergences import Pair
from exactdp.mechanisms.noise import nonnegative_epsilon, smallest_scale, target_delta
from exactdp.mechanisms.parameters import exp_of_epsilon, whole_number
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike

__all__ = [
    "DiscreteLaplaceMechanism",
    "discrete_laplace_mechanism",
    "smallest_discrete_laplace_scale",
]


@dataclass(frozen=True, slots=True)
class DiscreteLaplaceMechanism:
    """Discrete Laplace noise of rate 1/b on an integer query of sensitivity Δ.

    Attributes:
        rate: 1/b as an Epsilon (nats a unit of change), so that e^(1/b) is exact.
        sensitivity: Δ, an int; replacing a record may double that of adding one.
    """

    rate: Epsilon
    sensitivity: int

    def mass(self, k: int) -> Exact:
        """Return Pr[noise = k] = (1 − a)/(1 + a) · a^|k|, a = e^(−1/b).

        Example:
            >>> discrete_laplace_mechanism(rate=Epsilon.log(2)).mass(-1)
            Exact('1/6')
        """
        a = 1 / self.rate.exp
        return (1 - a) / (1 + a) * a ** abs(k)

    def pair(self) -> Pair:
        """Return the exact pair on the outcomes k <= 0, 1, ..., Δ − 1, k >= Δ.

        All outcomes up to 0 have one likelihood ratio, and all from Δ on, so nothing is
        lost by merging them.

        Example:
            >>> discrete_laplace_mechanism(rate=Epsilon.log(2)).pair().masses()
            [(Exact('2/3'), Exact('1/3')), (Exact('1/3'), Exact('2/3'))]
        """
        size, a = self.sensitivity, 1 / self.rate.exp
        p = [1 / (1 + a), *(self.mass(k) for k in range(1, size)), a**size / (1 + a)]
        return Pair.from_masses(p, p[::-1])

    def delta(self, epsilon: Epsilon | RationalLike) -> Exact:
        """Return the least δ at ε, exactly; the same in both directions.

        Formula:
            The loss at k is (|k − Δ| − |k|)/b; it exceeds ε exactly for k <= K, the
            largest integer with (Δ − 2K)/b > ε, K >= 0 for ε < Δ/b. So
            δ(ε) = 1 − (a^(K + 1) + e^ε a^(Δ − K)) / (1 + a), and 0 for ε >= Δ/b.

        Args:
            epsilon: ε >= 0, finite; a rational number is read as nats.

        Raises:
            DomainError: If epsilon is a float, infinite or negative.

        Example:
            Randomized response: at ε = 0 the two laws of rate ln 2 differ by 1/3.

            >>> discrete_laplace_mechanism(rate=Epsilon.log(2)).delta(0)
            Exact('1/3')
        """
        gamma, step = nonnegative_epsilon(epsilon).exp, self.rate.exp
        # The losses (Δ − 2k)/b fall with k; count those above ε.
        count = bisect_left(
            range(self.sensitivity // 2 + 1),
            x=True,
            key=lambda k: step ** (self.sensitivity - 2 * k) <= gamma,
        )
        if count == 0:
            return Exact(0)
        a = 1 / step
        return 1 - (a**count + gamma * a ** (self.sensitivity - count + 1)) / (1 + a)


def discrete_laplace_mechanism(*, rate: Epsilon, sensitivity: int = 1) -> DiscreteLaplaceMechanism:
    """Return the discrete Laplace mechanism.

    Args:
        rate: 1/b, positive: Epsilon.rational("1/5") for b = 5, Epsilon.log(2) for halving.
        sensitivity: Δ, an int of at least 1.

    Raises:
        DomainError: If rate is no positive Epsilon, or sensitivity no int of at least 1.

    Example:
        >>> discrete_laplace_mechanism(rate=Epsilon.rational("1/5")).sensitivity
        1
    """
    exp_of_epsilon(rate)
    return DiscreteLaplaceMechanism(rate, whole_number(sensitivity, name="sensitivity", at_least=1))


def smallest_discrete_laplace_scale(
    epsilon: Epsilon | RationalLike,
    delta: Exact | RationalLike,
    *,
    sensitivity: int = 1,
    relative_width: RationalLike = "1e-9",
) -> Enclosure:
    """Return an enclosure of the smallest scale b that gives (ε, δ)-differential privacy.

    Args:
        epsilon: ε >= 0.
        delta: δ, strictly between 0 and 1.
        sensitivity: Δ, an int of at least 1.
        relative_width: Of the enclosure.

    Returns:
        upper certainly gives (ε, δ), lower certainly does not; both evaluated exactly.

    Raises:
        DomainError: If an argument is outside its range.

    Example:
        >>> found = smallest_discrete_laplace_scale(1, "1e-9", relative_width="1e-3")
        >>> Fraction(99, 100) < found.lower < 1 <= found.upper
        True
    """
    value, bound = nonnegative_epsilon(epsilon), target_delta(delta)
    whole_number(sensitivity, name="sensitivity", at_least=1)
    return smallest_scale(
        lambda scale: DiscreteLaplaceMechanism(Epsilon.rational(1 / scale), sensitivity).delta(
            value
        ),
        delta=bound,
        start=Fraction(sensitivity),
        relative_width=relative_width,
    )
