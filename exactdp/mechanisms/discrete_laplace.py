"""The discrete Laplace (geometric) mechanism: integer noise with Pr[k] ∝ e^(−|k|/b).

References: A. Ghosh, T. Roughgarden and M. Sundararajan, Universally Utility-Maximizing
Privacy Mechanisms, STOC 2009.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from exactdp.divergences import Pair
from exactdp.divergences.calibration import calibrated
from exactdp.divergences.profile import enclosed
from exactdp.grids import LossLaw
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, exp
from exactdp.numbers.arguments import privacy_epsilon, probability, whole_number
from exactdp.numbers.crossing import Slope

__all__ = [
    "DiscreteLaplaceMechanism",
    "discrete_laplace_mechanism",
    "smallest_discrete_laplace_scale",
]


@dataclass(frozen=True, slots=True)
class DiscreteLaplaceMechanism(AdditiveNoise):
    """Discrete Laplace noise of rate 1/b on an integer query of sensitivity Δ.

    Formula:
        The loss at k is (|k − Δ| − |k|)/b. Of those at 0, 1, ..., Δ let c exceed ε. Then
        δ(ε) = 1 − (a^c + e^ε a^(Δ + 1 − c)) / (1 + a), a = e^(−1/b), exactly; 0 for c = 0
        and 1 − e^ε for c = Δ + 1.

    Example:
        Randomized response: at ε = 0 the two laws of rate ln 2 differ by 1/3.

        >>> discrete_laplace_mechanism(rate=Epsilon.log(2)).delta(Epsilon.rational(0))
        Exact('1/3')

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

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return the smallest ε >= 0 with δ(ε) <= δ, exactly; an enclosure if a width is given.

        Example:
            >>> discrete_laplace_mechanism(rate=Epsilon.log(2)).epsilon("1/6")
            Epsilon.log('3/2')
        """
        target, size, step = probability(delta, name="delta"), self.sensitivity, self.rate.exp
        # δ falls in ε; of the losses, find those at which it is above the target.
        count = bisect_left(
            range(size // 2 + 1),
            x=True,
            key=lambda k: self._delta(Epsilon(step ** (size - 2 * k))) > target,
        )
        a = 1 / step
        exp_epsilon = ((1 - target) * (1 + a) - a**count) / a ** (size + 1 - count)
        found = Epsilon(max(Exact(1), exp_epsilon)) if count else self.max_divergence()
        return found if relative_width is None else enclosed(found.nats, relative_width)

    def max_divergence(self) -> Epsilon:
        """Return Δ/b."""
        return self.rate * self.sensitivity

    def loss_law(self) -> LossLaw:
        """Return the law of the losses (Δ − 2k)/b."""
        masses = self.pair().masses()
        return LossLaw.of_atoms(sorted((p / q, p) for p, q in masses))

    def _delta(self, epsilon: Epsilon) -> Exact:
        gamma, a, size = epsilon.exp, 1 / self.rate.exp, self.sensitivity
        match self._losses_above(epsilon):
            case 0:
                return Exact(0)
            case count if count > size:
                return 1 - gamma
            case count:
                return 1 - (a**count + gamma * a ** (size - count + 1)) / (1 + a)

    def _refined_delta(self, epsilon: Epsilon) -> Number:
        # Exactly, a rate such as 2^20/1000003 makes polynomials in e of as high a degree.
        size, count = self.sensitivity, self._losses_above(epsilon)
        if count == 0 or count > size:
            return self._delta(epsilon)
        rate, nats = self.rate.nats, epsilon.nats
        terms = exp(-count * rate) + exp(nats - (size - count + 1) * rate)
        return 1 - terms / (1 + exp(-rate))

    def _losses_above(self, epsilon: Epsilon) -> int:
        """Return how many of the losses (Δ − 2k)/b at k = 0, 1, ..., Δ exceed ε."""
        size, rate, nats = self.sensitivity, self.rate.nats, epsilon.nats
        if isinstance(rate, Exact) and isinstance(nats, Exact):
            half = (size - nats.as_fraction() / rate.as_fraction()) / 2
            return min(max(0, ceil(half)), size + 1)
        return bisect_left(
            range(size + 1), x=True, key=lambda k: self.rate.exp ** (size - 2 * k) <= epsilon.exp
        )


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
    privacy_epsilon(rate, name="rate")
    return DiscreteLaplaceMechanism(rate, whole_number(sensitivity, name="sensitivity", at_least=1))


def smallest_discrete_laplace_scale(
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    *,
    sensitivity: int = 1,
    relative_width: RationalLike = "1e-9",
) -> Enclosure:
    """Return an enclosure of the smallest scale b that gives (ε, δ)-differential privacy.

    Args:
        epsilon: ε, at least 0.
        delta: δ, strictly between 0 and 1.
        sensitivity: Δ, an int of at least 1.
        relative_width: Of the enclosure.

    Returns:
        upper certainly gives (ε, δ), lower certainly does not; both evaluated exactly.

    Raises:
        DomainError: If an argument is outside its range.

    Example:
        >>> found = smallest_discrete_laplace_scale(
        ...     Epsilon.rational(1), "1e-9", relative_width="1e-3"
        ... )
        >>> Fraction(99, 100) < found.lower < 1 <= found.upper
        True
    """
    whole_number(sensitivity, name="sensitivity", at_least=1)
    return calibrated(
        lambda scale: DiscreteLaplaceMechanism(Epsilon.rational(1 / scale), sensitivity),
        epsilon=epsilon,
        delta=delta,
        slope=Slope.FALLING,
        first=Fraction(sensitivity),
        relative_width=relative_width,
    )
