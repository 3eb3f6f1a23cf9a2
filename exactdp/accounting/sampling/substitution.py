r"""Sampling where a record is replaced: Poisson samples exactly, fixed sizes from above.

One record adds a vector of norm at most Δ to a sum, the mechanism's sensitivity, and noise
follows. Neighbors have x or x' in one place; M(z) is the law of the output at a sum z.

Poisson. Given the sample of the others, with sum s, P = (1 − q) M(s) + q M(s + x) and
Q = (1 − q) M(s) + q M(s + x'). Let H be an event with M(s)(H) = h. By Neyman and Pearson no
event of that size has more of M(s + x), or less of M(s + x'), than the half-line {y > c} of
size h has of M(Δ), or of M(−Δ), on the line (the likelihood ratios of normal and Laplace laws
on the line rise; for Laplace vectors go from 0 to x one coordinate at a time). So

    P(H) − γ Q(H) <= (1 − q)(1 − γ) h + q M(Δ)(y > c) − γ q M(−Δ)(y > c),   every γ >= 0,

and the pair (1 − q) M(0) + q M(Δ), (1 − q) M(0) + q M(−Δ) dominates all neighbors; mixing
over the sample of the others only lowers the left side (joint convexity). These are
neighbors themselves, the others being 0: δ is exact, for many steps too.

Fixed size. A batch is a uniform choice of m among N records, q = m/N. Couple a batch
T ∪ {x} with T ∪ {z}, z a record that it lacks: the mixtures of M(t + z) and M(t + x), or
M(t + x'), all of whose parts are pairwise within 2Δ. With γ >= 1, α = 1 + (γ − 1)/q and
b = γ/α, (1 − q) M(t + z) is in both, so (advanced joint convexity)

    H_γ(P ‖ Q) = q H_α(M(t + x) ‖ (1 − b) M(t + z) + b M(t + x')) <= q H_α(M(2Δ) ‖ M(0)),

that is the δ of A = ((1 − q) M(0) + q M(2Δ), M(0)); reached where all but x are −Δ, x = Δ. For
γ < 1 exchange P and Q: H_γ(P ‖ Q) = 1 − γ + γ H_{1/γ}(Q ‖ P). The two branches are one
profile, of the losses of A above 0, their mirror images, and the rest of the mass at 0. With
f = M(2Δ)(ℓ > 0), g = M(0)(ℓ > 0), ℓ the loss of M(2Δ) against M(0), the masses of P are
(1 − q) g + q f above, f' = M(2Δ)(ℓ < 0) below (masses at ℓ = 0 apart) and at 0 the rest, which
is (1 − q)(f − g) >= 0 and M(2Δ)(ℓ = 0); those of Q are the mirror image, and sum to 1 as
well. So a real pair has this profile: it dominates one step and hence, composed, all steps.
For one step δ is exact at every ε. For several it is an upper bound: the pair is not one of
neighbors, and no data are known that reach it.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling, 2018,
Theorem 2 (advanced joint convexity); Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of
Differential Privacy via Characteristic Function, 2022, Proposition 30 (both branches) and
Theorem 10 (composition); C. Lebeda, M. Regehr, G. Kamath and T. Steinke, Avoiding Pitfalls
for Privacy Accounting of Subsampled Mechanisms under Composition, 2025 (why a worst pair of
one step need not be that of several).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction

from exactdp.accounting.sampling.convex_bounds import mean_bound
from exactdp.accounting.sampling.poisson import PoissonSubsampled
from exactdp.divergences import NumberProfile
from exactdp.divergences.profile import Named, enclosed
from exactdp.divergences.sandwich import Bounds
from exactdp.mechanisms.gaussian import GaussianMechanism
from exactdp.mechanisms.laplace import LaplaceMechanism
from exactdp.mechanisms.losses.gaussian_replaced_loss import ReplacedGaussianLoss
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    Real,
    exp,
    is_log_below,
    log,
    normal_cdf,
    sqrt,
)
from exactdp.numbers.reals import larger_number
from exactdp.numbers.validated import validated
from exactdp.sums import (
    AtomLattice,
    LossLaw,
    exact_masses,
)
from exactdp.sums.laws.log_moments import renyi_of_law

__all__ = ["FixedSizeSampled", "NoiseMechanism", "PoissonReplaced"]

_NARROW = Fraction(1, 10**9)
"""The relative width of each end of a Rényi divergence where none is asked for."""

NoiseMechanism = GaussianMechanism | LaplaceMechanism
"""What has a law of its loss where records are replaced."""


class _Replaced(NumberProfile[Number]):
    """A profile that is the same in both directions; see the header."""

    __slots__ = ()

    mechanism: NoiseMechanism
    rate: Exact

    has_closed_form = True

    def reversed(self) -> _Replaced:
        """Return the profile itself: x and x' may change places."""
        return self

    @abstractmethod
    def loss_law(self) -> LossLaw:
        """Return the law of the loss."""

    def _delta_at(self, gamma: Exact) -> Number:
        return self._above(gamma) if gamma >= 1 else 1 - gamma + gamma * self._above(1 / gamma)

    @abstractmethod
    def _above(self, gamma: Exact) -> Number:
        """Return δ for γ >= 1."""

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return a bound of D_a by D, that of the mechanism moved by 2Δ."""
        whole = replace(self.mechanism, sensitivity=2 * self.mechanism.sensitivity)
        found = whole.convex_bound(order)
        return None if found is None else mean_bound([(self.rate, found)], order, more=self._more)

    @property
    def _more(self) -> Number | None:
        """A bound of the mean beyond that of a mixture."""
        return None

    def _renyi_at(self, order: Fraction) -> Number | Enclosure | None:
        return renyi_of_law(self.loss_law, order=order)


@validated
@dataclass(frozen=True, slots=True)
class PoissonReplaced(_Replaced):
    """A mechanism on a Poisson sample, one record of which is replaced: exact.

    Formula:
        P = (1 − q) M(0) + q M(Δ) and Q = (1 − q) M(0) + q M(−Δ). For Laplace noise and
        γ >= 1, δ = q(1 − sqrt(αe^(−ε0))), α = (γ(1 − q + q e^(−ε0)) − 1 + q)/q, or 0.

    Attributes:
        mechanism: Calibrated to adding or removing one record.
        rate: q, strictly between 0 and 1.

    Example:
        At ε = 0 it is q times the total variation distance of M(Δ) and M(−Δ), 1 − e^(−ε0):

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> from exactdp.numbers import decimal
        >>> one = PoissonReplaced(laplace_mechanism(scale=1), Exact("1/10"))
        >>> decimal(one.delta(Epsilon.log(1)), digits=6)  # (1 − 1/e)/10
        '0.0632121'
    """

    mechanism: NoiseMechanism
    rate: Exact

    @property
    def note(self) -> str | None:
        """The facts about the mechanism that the numbers leave open."""
        return self.mechanism.note

    def max_divergence(self) -> Epsilon | Number:
        """Return ln((1 − q + q e^ε0)/(1 − q + q e^(−ε0)))."""
        if isinstance(self.mechanism, GaussianMechanism):
            return Epsilon.infinity()
        top = self.mechanism.max_divergence()
        if not isinstance(top, Epsilon):
            high, low = self._ends(self.mechanism)
            return log(high / low)
        rate = self.rate
        return Epsilon((1 - rate + rate * top.exp) / (1 - rate + rate / top.exp))

    def loss_law(self) -> LossLaw:
        """Return the law of the loss; for Laplace noise with masses at both ends."""
        noise, q = self.mechanism, self.rate
        if isinstance(noise, GaussianMechanism):
            return LossLaw(density=ReplacedGaussianLoss(noise.mu, q), is_symmetric=True)
        high, low = self._ends(noise)
        inner = noise.loss_law().density
        assert inner is not None
        least = exp(-noise.epsilon0) / 2
        masses = [low * least, (1 - q) * least + q / 2]
        return LossLaw(
            AtomLattice(Exact(0), log(high / low), None, exact_masses([-1, 1], masses)),
            density=inner.subsampled(q).shifted(low).mirrored(),  # whose losses are positive
            is_symmetric=True,
        )

    def _ends(self, noise: LaplaceMechanism) -> tuple[Real, Real]:
        """Return 1 − q + q e^ε0 and 1 − q + q e^(−ε0)."""
        ratio = exp(noise.epsilon0)
        return 1 - self.rate + self.rate * ratio, 1 - self.rate + self.rate / ratio

    def _above(self, gamma: Exact) -> Number:
        noise, q = self.mechanism, self.rate
        if isinstance(noise, LaplaceMechanism):
            is_inside = is_log_below(gamma, self.max_divergence())
            if not is_inside.is_possible:
                return Exact(0)
            _, low = self._ends(noise)
            found = q * (1 - sqrt((gamma * low - 1 + q) / q * exp(-noise.epsilon0)))
            return found if is_inside.is_certain else larger_number(Exact(0), found)
        mu, half = noise.mu, Epsilon(gamma).nats / 2
        rise = (1 - q) / (2 * q) * (exp(half) - exp(-half)) * exp(mu**2 / 2)
        y = (half + log(rise + sqrt(rise**2 + 1))) / mu
        none, plus, minus = (normal_cdf(-z) for z in (y, y - mu, y + mu))
        return (1 - q) * (1 - gamma) * none + q * (plus - gamma * minus)


@validated
@dataclass(frozen=True, slots=True)
class FixedSizeSampled(_Replaced):
    """A mechanism on m of N records, drawn without replacement, one of which is replaced.

    Formula:
        For γ >= 1 the δ of ((1 − q) M(0) + q M(2Δ), M(0)), q = m/N; below 1 its mirror image.

    Attributes:
        mechanism: Calibrated to adding or removing one record.
        rate: q, strictly between 0 and 1.

    Example:
        At ε = 0 it is q times the total variation distance of M(2Δ) and M(0):

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> one = FixedSizeSampled(laplace_mechanism(scale=1), Exact("1/10"))
        >>> one.delta(Epsilon.log(1)) == (1 - Exact.exp(-1)) / 10
        True
    """

    mechanism: NoiseMechanism
    rate: Exact

    reached = "each epsilon"  # by the pair that removes or adds a record

    def cases(self) -> tuple[Named, ...]:
        """Return neighbors of whom all others are −Δ, and the record Δ or −Δ, in both orders."""
        words = "a record unlike all others, and one like them in its place"
        removing = self.removing
        return (
            Named(words, removing, alone=False),
            Named(f"{words}, in the other order", removing.reversed(), alone=False),
        )

    @property
    def note(self) -> str:
        """The relation of the numbers to the truth, in words."""
        found = (
            "batches of fixed size: exact for one step, an upper bound for several "
            "(Zhu, Dong, Wang 2022, Proposition 30)"
        )
        return f"{found}. {self.mechanism.note}" if self.mechanism.note else found

    @property
    def _more(self) -> Number:
        """Return q/2.

        With X = P/Q = 1 − q + q e^ℓ, g and f of the header, and a = 1 + λ,

            E_P e^(λL) <= ∫ over ℓ > 0 of X^a dM(0) + 1 − (1 − q)g − qf,

        and X^a <= 1 − q + q e^(aℓ), of which the integral is at most (1 − q)g + q e^(λD); f is at
        least 1/2.
        """
        return self.rate / 2

    @property
    def removing(self) -> PoissonSubsampled:
        """((1 − q) M(0) + q M(2Δ), M(0)), a pair of neighbors: composed, a lower bound."""
        whole = replace(self.mechanism, sensitivity=2 * self.mechanism.sensitivity)
        return PoissonSubsampled(whole, self.rate)

    def _renyi_at(self, order: Fraction) -> Bounds:
        """Return a lower bound by both orders of ``removing``, and an upper one by δ at every ε."""
        return self._renyi_within(order, _NARROW)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Bounds:
        sides = [case.profile._renyi_within(order, width) for case in self.cases()]
        whole = renyi_of_law(self.loss_law, order=order)
        assert whole is not None  # losses of noise have all moments
        low = max(one.lower for one in sides if isinstance(one, Enclosure))
        high = enclosed(whole, width).upper
        return Bounds(low, high, self.cases()[0].words, "the pair that dominates")

    def max_divergence(self) -> Epsilon | Number:
        """Return ln(1 − q + q e^(2ε0))."""
        return self.removing.max_divergence()

    def loss_law(self) -> LossLaw:
        """Return the positive losses of ``removing``, their mirror image, and the rest at 0."""
        removing = self.removing
        density = removing.loss_law().density
        assert density is not None
        indices, unit = [0], None
        masses = [(1 - self.rate) * removing.mechanism.delta(Epsilon.log(1))]
        if isinstance(removing.mechanism, LaplaceMechanism):
            top = removing.mechanism.epsilon0
            least, unit = exp(-top) / 2, log(1 - self.rate + self.rate * exp(top))
            indices += [-1, 1]
            masses += [least, (1 - self.rate) * least + self.rate / 2]
        return LossLaw(
            AtomLattice(Exact(0), unit, None, exact_masses(indices, masses)),
            density=density.positive().mirrored(),
            is_symmetric=True,
        )

    def _above(self, gamma: Exact) -> Number:
        found = self.removing.delta(Epsilon(gamma))
        assert not isinstance(found, Enclosure)
        return found
