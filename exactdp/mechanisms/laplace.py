"""The Laplace mechanism: f(D) plus noise of density e^(−|x|/b) / (2b).

References: C. Dwork, F. McSherry, K. Nissim and A. Smith, Calibrating Noise to
Sensitivity in Private Data Analysis, TCC 2006; I. Mironov, Rényi Differential Privacy, 2017.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from exactdp.divergences.description import POSITIVE, SENSITIVITY, Event, checked, described
from exactdp.divergences.families import noise_scale, pure_scale
from exactdp.divergences.profile import Mixture, enclosed
from exactdp.mechanisms.losses.laplace_loss import LaplaceLoss, MixedLaplaceLoss
from exactdp.mechanisms.mixtures import replaced_rate
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    decided_below,
    exp,
    is_below,
    is_log_below,
    log,
)
from exactdp.numbers.arguments import NumberLike
from exactdp.numbers.balls import TOLD_BITS
from exactdp.numbers.reals import larger_number
from exactdp.sums import AtomLattice, LossLaw, exact_masses
from exactdp.sums.counting.laplaces import copies_of_laplace
from exactdp.truth import Truth

__all__ = ["LaplaceMechanism", "laplace_mechanism"]


_LARGE = 10_000
"""The largest loss, in nats, up to which ε is searched for from 0 on, else from near its end.

From 0 it takes the more steps the larger ε is; either start is right."""


@dataclass(frozen=True, slots=True)
class LaplaceMechanism(AdditiveNoise):
    """Laplace noise of scale b on a query of sensitivity Δ (sum of absolute changes).

    Formula:
        δ(ε) = 1 − e^x, x the least of (ε − ε0)/2, ε and 0, for ε0 = Δ/b. For a loss t
        between −ε0 and ε0, P[L > t] = 1 − e^((t − ε0)/2)/2 and Q[L > t] = e^(−(t + ε0)/2)/2.
        It is exact where ε and ε0 are rational.

    Example:
        >>> one = laplace_mechanism(scale=1)
        >>> one.delta(Epsilon.rational("1/2")), one.delta(Epsilon.rational(1))
        (<Exact: 0.22119921692859513 (exactly (e^(1/4) - 1)/(e^(1/4)))>, Exact('0'))
        >>> one.max_divergence()
        Epsilon.rational('1')

    Attributes:
        scale: b, the mean of |noise|.
        sensitivity: Δ; replacing a record may double that of adding one.
    """

    scale: Number
    sensitivity: Number

    ranges = (("scale", POSITIVE),)

    @property
    def epsilon0(self) -> Number:
        """The parameter of pure differential privacy, ε0 = Δ/b."""
        return self.sensitivity / self.scale

    @property
    def loss_size(self) -> Number:
        """The largest loss, ε0."""
        return self.epsilon0

    def max_divergence(self) -> Epsilon | Number:
        """Return ε0; as nats where e^ε0 is not exact."""
        top = self.epsilon0
        if isinstance(top, Exact) and top.is_rational:
            return Epsilon.rational(top.as_fraction())
        return top

    def _loss_law(self) -> LossLaw:
        """Return mass 1/2 at ε0, e^(−ε0)/2 at −ε0, and a density between them."""
        top, highest = self.epsilon0, self.max_divergence()
        base = highest.exp if isinstance(highest, Epsilon) else None
        masses = exact_masses([-1, 1], [exp(-top) / 2, Exact("1/2")])
        return LossLaw(
            lattice=AtomLattice(Exact(0), top, base, masses),
            density=LaplaceLoss(top),
            ratio_ends=(1 / base, base) if base is not None else None,
            copies=partial(_copies, top),
        )

    def law_between(self, first: Mixture, second: Mixture) -> LossLaw | None:
        """Return that of a replaced record on a Poisson sample, or of any shifts against none.

        Both have two atoms.

        Formula:
            For γ >= 1, δ = q(1 − sqrt(αe^(−ε0))), α = (γ(1 − q + q e^(−ε0)) − 1 + q)/q, or 0.
        """
        if tuple(second) == ((0, Exact(1)),):
            return self._law_of_shifts(tuple(sorted(first)))
        q = replaced_rate(first, second)
        if q is None:
            return None
        top, highest = self.epsilon0, self.max_divergence()
        ratio = highest.exp if isinstance(highest, Epsilon) else exp(top)
        high, low = 1 - q + q * ratio, 1 - q + q / ratio
        ends = None
        if isinstance(high, Exact) and isinstance(low, Exact):
            ends = low / high, high / low
        least = exp(-top) / 2
        masses = [low * least, (1 - q) * least + q / 2]
        return LossLaw(
            AtomLattice(Exact(0), log(high / low), None, exact_masses([-1, 1], masses)),
            density=LaplaceLoss(top).subsampled(q).shifted(low).mirrored(),  # positive losses
            is_symmetric=True,
            ratio_ends=ends,
        )

    def _law_of_shifts(self, shifts: Mixture) -> LossLaw:
        density = MixedLaplaceLoss(self.epsilon0, shifts)
        low, high = density.ratio(-1), density.ratio(1)
        last = exp(-shifts[-1][0] * self.epsilon0) / 2
        atoms = exact_masses([0, 1], [low / 2, high * last])
        ends = (low, high) if isinstance(low, Exact) and isinstance(high, Exact) else None
        lattice = AtomLattice(log(low), log(high / low), None, atoms)
        return LossLaw(lattice, density=density, ratio_ends=ends)

    def above(self, x: Number) -> Number:
        """Return e^(−x/b)/2 for x >= 0, and 1 − e^(x/b)/2 below."""
        advice = f"{x} cannot be told from 0. Take another threshold."
        if decided_below(x, Exact(0), max_bits=TOLD_BITS, advice=advice):
            return 1 - _exp(x / self.scale) / 2
        return _exp(-x / self.scale) / 2

    def exceeded(self, level: Exact) -> Number:
        """Return −b ln(2·level), and b ln(2(1 − level)) above 1/2."""
        if 2 * level > 1:
            return self.scale * log(2 * (1 - level))
        return -self.scale * log(2 * level)

    def search_start(self, delta: Exact) -> Fraction:
        """Return ε(δ) less 1, ε0 + 2 ln(1 − δ) − 1, where it is large."""
        top = enclosed(self.epsilon0, "1e-19").lower
        if top < _LARGE:
            return Fraction(0)
        return max(Fraction(0), top + 2 * enclosed(log(1 - delta), "1e-9").lower - 1)

    def _renyi_at(self, order: Fraction) -> Number:
        return self._renyi(order, _exp)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        # In balls: exactly, powers of different rates make long polynomials.
        return enclosed(self._renyi(order, exp), width)

    def _renyi(self, order: Fraction, power: Callable[[Number], Number]) -> Number:
        # ln(E e^((a − 1)L))/(a − 1). Mironov 2017, Proposition 6, and its limit at a = 1/2.
        top, a = self.epsilon0, Exact(order)
        rise, fall = (power(top * x) for x in (a - 1, -a))
        mean = rise * (1 + top / 2) if 2 * a == 1 else (a * rise + (a - 1) * fall) / (2 * a - 1)
        found = Epsilon(mean).nats if isinstance(mean, Exact) else log(mean)
        return found if a == 2 else found / (a - 1)

    def _trade_off_at(self, level: Exact) -> Number | None:
        # Reject below a point: 1 − α e^ε0, then e^(−ε0)/(4α), then e^(−ε0)(1 − α).
        least = _exp(-self.epsilon0)
        if 2 * level >= 1:
            return least * (1 - level)
        match is_below(level, least / 2, max_bits=TOLD_BITS):
            case Truth.TRUE:
                return 1 - level / least
            case Truth.FALSE:
                return least / (4 * level)
            case Truth.UNKNOWN:
                return None

    def _delta_at(self, gamma: Exact) -> Number:
        beyond = 1 - gamma if gamma < 1 else Exact(0)  # where |ε| >= ε0
        is_inside = is_log_below(1 / gamma if beyond else gamma, self.max_divergence())
        if not is_inside.is_possible:
            return beyond
        between = 1 - _exp((Epsilon(gamma).nats - self.epsilon0) / 2)
        return between if is_inside.is_certain else larger_number(beyond, between)


def _copies(top: Number, times: int, nats: Number, width: Fraction) -> Enclosure:
    return copies_of_laplace(top, times, nats, relative_width=width)


def _exp(x: Number) -> Number:
    return Exact.exp(x.as_fraction()) if isinstance(x, Exact) and x.is_rational else exp(x)


@described(
    "laplace",
    "Laplace noise.",
    noise_scale("scale", "b, the mean of |noise|", known=pure_scale),
    SENSITIVITY,
    goes_into=frozenset({"thresholds", "allocations", "shuffles"}),
    event=Event("LaplaceDpEvent", {"scale": "noise_multiplier"}),
    drawn="scale",
    is_drawn_sampled=True,
)
def laplace_mechanism(*, scale: NumberLike, sensitivity: NumberLike = 1) -> LaplaceMechanism:
    """Return the Laplace mechanism.

    Raises:
        DomainError: If b or Δ (in the units of b) is not positive.
    """
    return LaplaceMechanism(**checked(laplace_mechanism, scale=scale, sensitivity=sensitivity))
