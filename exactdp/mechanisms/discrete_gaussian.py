"""The discrete Gaussian mechanism: integer noise with Pr[k] ∝ e^(−k²/(2σ²)).

References: C. Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for Differential
Privacy, NeurIPS 2020.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from math import isqrt

from flint import arb

from exactdp.divergences.description import (
    OF_QUERY,
    OTHER_SCALES,
    RATIONAL,
    WHOLE_SENSITIVITY,
    Parameter,
    checked,
    described,
)
from exactdp.errors import DomainError
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    fmpq_of,
    short,
    sqrt,
    working_bits,
)
from exactdp.numbers.balls import floor_of
from exactdp.numbers.limits import MAX_COUNT, MAX_MASSES
from exactdp.numbers.validated import validated
from exactdp.sums import AtomLattice, LossLaw

__all__ = ["DiscreteGaussianMechanism", "discrete_gaussian_mechanism"]

_WIDEST = MAX_MASSES**2 // 2
"""The variance, times the bits that are asked, beyond which masses are too many to be summed."""


@validated
@dataclass(frozen=True, slots=True)
class DiscreteGaussianMechanism(IntegerNoise):
    """Discrete Gaussian noise on an integer query of sensitivity Δ.

    Formula:
        The loss at k is (Δ² − 2Δk)/(2σ²), above ε exactly for k < m, the real number
        m = Δ/2 − εσ²/Δ. So δ(ε) = Pr[Y < m] − e^ε Pr[Y < m − Δ], Y the noise.

    Source:
        Canonne, Kamath & Steinke 2020, Theorem 7.

    Example:
        Almost no noise reveals all: 1 − 2e^(−50) or so at σ² = 1/100.

        >>> from exactdp.numbers import decimal
        >>> one = discrete_gaussian_mechanism(sigma_squared="1/100")
        >>> decimal(one.delta(Epsilon.rational(0)), digits=4)
        '1.000'

    Attributes:
        sigma_squared: σ², positive and rational (the variance is slightly less).
        sensitivity: Δ, an int; replacing a record may double that of adding one.
    """

    sigma_squared: Fraction
    sensitivity: int

    @property
    def sigma(self) -> Number:
        """The standard deviation σ of the continuous Gaussian of the same exponent."""
        return sqrt(Exact(self.sigma_squared))

    def __post_init__(self) -> None:
        IntegerNoise.__post_init__(self)
        if not 0 < self.sigma_squared < MAX_COUNT**2:
            raise DomainError(
                f"sigma_squared={short(self.sigma_squared)} must be above 0 and below 10^200. Pass "
                "one there."
            )

    has_laws_near = False
    has_loss_law = True

    @property
    def spread(self) -> Fraction:
        """About the variance, σ²."""
        return self.sigma_squared

    def masses(self, first: int, count: int) -> list[arb]:
        """Return f(first), ..."""
        norm, twice = self._theta(arb(0)), 2 * arb(fmpq_of(self.sigma_squared))
        return [(-(arb(k) ** 2) / twice).exp() / norm for k in range(first, first + count)]

    def _loss_law(self) -> LossLaw:
        """Return the losses Δ²/(2σ²) − k·Δ/σ², truncated where asked."""
        step = Exact(self.sensitivity) / Exact(self.sigma_squared)

        @lru_cache(maxsize=2)  # each cell of a plan asks for them again
        def masses(bits: int) -> tuple[list[tuple[int, arb]], arb]:
            first, found = self.window(bits)  # as likely at −k
            return list(enumerate(found, first)), arb(2) ** -bits

        origin, base = step * self.sensitivity / 2, Exact.exp(step.as_fraction())
        lattice = AtomLattice(
            origin,
            step,
            base,
            masses,
            is_truncated=True,
            moment=self.moment,
            variance=self.sigma_squared,
        )
        return LossLaw(lattice=lattice, is_symmetric=True)

    def moment(self, tilt: arb) -> arb:
        """Return E e^(λL), λ = tilt, at the current precision.

        Formula:
            e^(λ(λ + 1)Δ²/(2σ²)) Θ(λΔ)/Θ(0), Θ(c) = Σ over integers k of e^(−(k − c)²/(2σ²)).
        """
        size, twice = self.sensitivity, 2 * arb(fmpq_of(self.sigma_squared))
        growth = (tilt * (tilt + 1) * size**2 / twice).exp()
        return growth * self._theta(tilt * size) / self._theta(arb(0))

    def _theta(self, center: arb) -> arb:
        """Return Θ(c).

        Formula:
            Θ(c) = √(2πσ²)·(1 + 2 Σ over m >= 1 of e^(−2π²σ²m²) cos(2πmc)), by Poisson, a few terms
            from σ = 1 on. Below that, the sum itself.
        """
        c, twice = center - floor_of(center.mid()), 2 * arb(fmpq_of(self.sigma_squared))
        bits = working_bits()
        if self.sigma_squared >= 1:
            total, m, fall = arb(1), 0, arb.pi() ** 2 * twice
            while True:
                m += 1
                # Terms beyond fall by e^(−2π²σ²) or more each: all are twice the first at most.
                rest = 4 * (-fall * m**2).exp()
                if rest < arb(2) ** -bits:
                    return (arb.pi() * twice).sqrt() * (total + rest * arb(0, 1))
                total += rest / 2 * (2 * m * c).cos_pi()
        top = isqrt(2 * bits) + 3  # e^(−top²/2) is below 2^-bits
        total = sum(((-((k - c) ** 2) / twice).exp() for k in range(-top, top + 1)), arb(0))
        # Beyond, on both sides, (d + 1)² − d² > 2d: a geometric series from distance d on.
        d = top + 1 - c.abs_upper()
        rest = 2 * (-(d**2) / twice).exp() / (1 - (-2 * d / twice).exp())
        return total + arb(0).union(rest)

    @property
    def known_rho(self) -> Number:
        """The number ρ = Δ²/(2σ²): D_a <= a·ρ, with equality where (a − 1)Δ is an integer."""
        return self._renyi_at(Fraction(2)) / 2

    def _renyi_at(self, order: Fraction) -> Number:
        # a·Δ²/(2σ²) where Θ has its period. Canonne, Kamath & Steinke 2020, Proposition 5.
        if ((order - 1) * self.sensitivity).denominator == 1:
            return Exact(order * self.sensitivity**2 / (2 * self.sigma_squared))
        name = f"divergence of order {short(order)}"
        return Real(partial(self._renyi_ball, order), name)

    def _renyi_ball(self, order: Fraction) -> arb:
        tilt = arb(fmpq_of(order - 1))
        return self.moment(tilt).log() / tilt

    def _delta_ball(self, epsilon: Epsilon) -> arb:
        bits = working_bits()
        if self.sigma_squared * bits > _WIDEST:
            return self._by_thetas(epsilon, bits)
        return IntegerNoise._delta_ball(self, epsilon)  # super() does not know a class of slots

    def _by_thetas(self, epsilon: Epsilon, bits: int) -> arb:
        """Return δ(ε) from the transform of the loss, which is short however wide the noise is."""
        from exactdp.sums import LatticeSum, ThetaSum  # not loaded before it is needed

        lattice = self._loss_law().lattice
        assert lattice is not None
        one = ThetaSum.of(LatticeSum([(lattice, 1, 1)], lattice.unit))
        assert one is not None
        found = one.mean_excess(epsilon.nats, relative_width=Fraction(1, 1 << bits))
        return arb(fmpq_of(found.lower)).union(arb(fmpq_of(found.upper)))


@described(
    "discrete_gaussian",
    """Integer noise with mass proportional to e^(−x²/(2 sigma²)).

    ``noise_multiplier``, ``sigma_squared`` or ``rho`` may stand instead of ``sigma``.
    """,
    Parameter("sigma", "σ, as of Gaussian noise", RATIONAL, OF_QUERY),
    *(replace(one, range=RATIONAL) for one in OTHER_SCALES),
    WHOLE_SENSITIVITY,
    one_of=("sigma", "noise_multiplier", "sigma_squared", "rho"),
    goes_into=frozenset({"thresholds"}),
    drawn="sigma",
)
def discrete_gaussian_mechanism(
    *,
    sigma: RationalLike | None = None,
    noise_multiplier: RationalLike | None = None,
    sigma_squared: RationalLike | None = None,
    rho: RationalLike | None = None,
    sensitivity: int = 1,
) -> DiscreteGaussianMechanism:
    """Return the discrete Gaussian mechanism, by one of four ways to say its noise.

    Args:
        sigma: σ, positive and rational, as of Gaussian noise.
        noise_multiplier: σ/Δ.
        sigma_squared: σ², where σ is not rational.
        rho: Δ²/(2σ²), of zCDP, in nats.
        sensitivity: Δ, an int of at least 1.

    Raises:
        DomainError: If not one of the first four is given, or an argument is outside its range.

    Example:
        >>> ways = ({"sigma": 4}, {"noise_multiplier": 2}, {"sigma_squared": 16}, {"rho": "1/8"})
        >>> [str(discrete_gaussian_mechanism(sensitivity=2, **x).sigma_squared) for x in ways]
        ['16', '16', '16', '16']
    """
    given = checked(
        discrete_gaussian_mechanism,
        sigma=sigma,
        noise_multiplier=noise_multiplier,
        sigma_squared=sigma_squared,
        rho=rho,
        sensitivity=sensitivity,
    )
    size = given["sensitivity"]
    squared: dict[str, Callable[[Fraction], Fraction]] = {
        "sigma": lambda x: x**2,
        "noise_multiplier": lambda x: (x * size) ** 2,
        "sigma_squared": lambda x: x,
        "rho": lambda x: size**2 / (2 * x),
    }
    ((name, value),) = ((x, y) for x, y in given.items() if x in squared)
    return DiscreteGaussianMechanism(squared[name](value), size)
