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

``Rows`` of a noise mechanism that has the law of such a pair are that: see its ``mixed``.

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

Of any other mechanism the same holds with ω, the batch without the record, in place of Q0, and P0
against both ω and Q0: each differ in one record. So with δ the worst of all replacements, in both
orders, for γ >= 1

    H_γ((1 − q)ω + qP0 ‖ (1 − q)ω + qQ0) <= q·δ((γ − 1 + q)/q),

by advanced joint convexity; a mechanism that looks for one record alone attains it.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling, 2018,
Theorems 2 and 8 (advanced joint convexity); Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of
Differential Privacy via Characteristic Function, 2022, Proposition 30 (both branches) and
Theorem 10 (composition); C. Lebeda, M. Regehr, G. Kamath and T. Steinke, Avoiding Pitfalls
for Privacy Accounting of Subsampled Mechanisms under Composition, 2025 (why a worst pair of
one step need not be that of several).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import ClassVar

from exactdp.accounting.sampling.poisson import PoissonSubsampled
from exactdp.divergences.convex_bounds import bound_of_parts, mean_bound
from exactdp.divergences.derived import Reached
from exactdp.divergences.profile import Largest, Named, PrivacyProfile, Sample, enclosed
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike, log
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.effort import answers
from exactdp.numbers.validated import validated
from exactdp.sums import AtomLattice, LossLaw, exact_masses
from exactdp.sums.laws.log_moments import renyi_of_law

__all__ = ["FixedSizeSampled"]

_NARROW = Fraction(1, 10**9)
"""The relative width of each end of a Rényi divergence where none is asked for."""


@validated
@dataclass(frozen=True, slots=True)
class FixedSizeSampled(Largest):
    """A mechanism on m of N records, drawn without replacement, one of which is replaced.

    Formula:
        For γ >= 1, q·δ((γ − 1 + q)/q), q = m/N, δ the larger of both orders of replacing a record;
        below 1 its mirror image. For noise, the δ of ((1 − q) M(0) + q M(2Δ), M(0)).

    Attributes:
        profiles: Samples of the mechanism in both orders, against it and it against them.
        removing: The sample of noise, of a pair of neighbors: its law is that of all. None for any
            other mechanism.

    Example:
        A tenth of a coin's total variation, 1/2:

        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> batch = coin.subsampled("1/10")
        >>> FixedSizeSampled((batch, batch.reversed())).delta(Epsilon.log(1))
        Exact('1/20')
    """

    has_all_pairs: ClassVar[bool] = False

    removing: PoissonSubsampled | None = field(default=None, kw_only=True, repr=False)

    @classmethod
    def of_noise(cls, noise: PrivacyProfile, rate: Exact) -> FixedSizeSampled:
        """Return that of noise whose law is known, on one that is moved by 2Δ.

        Example:
            At ε = 0 it is q times the total variation distance of M(2Δ) and M(0):

            >>> from exactdp.mechanisms import laplace_mechanism
            >>> one = FixedSizeSampled.of_noise(laplace_mechanism(scale=1), Exact("1/10"))
            >>> one.delta(Epsilon.log(1)) == (1 - Exact.exp(-1)) / 10
            True
        """
        whole = noise.moved(2)
        assert whole is not None
        return cls._of(whole, rate)

    @classmethod
    def _of(cls, whole: PrivacyProfile, rate: Exact) -> FixedSizeSampled:
        removing = PoissonSubsampled(whole, rate)
        return cls((removing, removing.reversed()), removing=removing)

    def as_sample(self) -> Sample | None:
        """Return noise that is moved by 2Δ, and the rate."""
        if (one := self.removing) is None:
            return None
        return Sample("fixed size", one.mechanism, one.rate, FixedSizeSampled._of)

    @property
    def reached(self) -> Reached:
        """At each ε, for noise, by the pair that removes or adds a record."""
        return "each epsilon" if self.removing else Largest(self.profiles).reached

    def worst_of(self) -> tuple[PrivacyProfile, ...]:
        """Return the samples; none for noise, which has the law of one pair."""
        return () if self.removing else self.profiles

    def cases(self) -> tuple[Named, ...]:
        """Return pairs that somebody has; none of a worst case.

        Of noise neighbors of whom all others are −Δ, and the record Δ or −Δ, in both orders.
        """
        if self.removing is not None:
            words = "a record unlike all others, and one like them in its place"
            return (
                Named(words, self.removing, alone=False),
                Named(f"{words}, in the other order", self.removing.reversed(), alone=False),
            )
        if any(one.reached != "pair" for one in self.profiles):
            return ()
        words = "a mechanism that looks for one record alone"
        return tuple(Named(words, one) for one in self.profiles)

    @property
    def note(self) -> str:
        """The relation of the numbers to the truth, in words."""
        more = Largest(self.profiles).note
        found = (
            "batches of fixed size: exact for one step, an upper bound for several (Zhu, Dong, "
            "Wang 2022, Proposition 30)"
            if self.removing
            else "batches of fixed size: an upper bound, which a mechanism with this delta attains "
            "(Balle, Barthe, Gaboardi 2018, Theorem 9)"
        )
        return f"{found}. {more}" if more else found

    @property
    def has_closed_form(self) -> bool:
        """Whether δ is a number that costs little: of noise it is that of the noise."""
        return self.removing is not None or self.is_exact

    @property
    def has_loss_law(self) -> bool:
        """Whether it is that of noise."""
        return self.removing is not None

    def loss_law(self) -> LossLaw:
        """Return the positive losses of ``removing``, their mirror image, and the rest at 0."""
        assert self.removing is not None
        law, kept = self.removing.loss_law(), 1 - self.removing.rate
        density, shared = law.density, self.removing.mechanism.delta(Epsilon.log(1))
        assert density is not None and not isinstance(shared, Enclosure)
        indices, unit, masses = [0], None, [kept * shared]
        if law.loose is not None:  # at both ends
            ratio, mass = law.loose[-1]
            indices, unit = [-1, 0, 1], log(ratio)
            masses = [mass / ratio, *masses, mass]
        return LossLaw(
            AtomLattice(Exact(0), unit, None, exact_masses(indices, masses)),
            density=density.positive().mirrored(),
            is_symmetric=True,
        )

    def reversed(self) -> FixedSizeSampled:
        """Return the profile itself: records may change places."""
        return self

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return the largest δ(ε): for ε >= 0 that of what is sampled against it."""
        at = any_epsilon(epsilon)
        found = self.profiles[0 if at.exp >= 1 else 1 :: 2]
        return Largest(found).delta(at, relative_width=relative_width)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        return Largest(self.profiles[::2])._epsilon_at(delta)

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        return Largest(self.profiles[::2])._epsilon_within(delta, width)

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return a bound of D_a; of noise by D, that of M(2Δ) and M(0).

        With X = P/Q = 1 − q + q e^ℓ, g and f of the header, and a = 1 + λ,

            E_P e^(λL) <= ∫ over ℓ > 0 of X^a dM(0) + 1 − (1 − q)g − qf,

        and X^a <= 1 − q + q e^(aℓ), of which the integral is at most (1 − q)g + q e^(λD); f is at
        least 1/2.
        """
        if self.removing is None:
            return Largest.convex_bound(self, order)
        rate = self.removing.rate
        return bound_of_parts([(rate, self.removing.mechanism)], order, more=rate / 2)

    def _renyi_at(self, order: Fraction) -> Enclosure | None:
        return self._renyi_within(order, _NARROW) if self.removing else None

    def _renyi_from_delta(self, order: Fraction, width: Fraction) -> Enclosure:
        whole = renyi_of_law(self.loss_law, order=order) if self.removing else None
        if whole is not None:
            ends = self._beside_cases(order, width, enclosed(whole, width))
            return replace(ends, upper_by="the pair that dominates")
        ask = partial(Largest._renyi_from_delta, self, order)
        if order < 1:
            return ask(width)
        for _, narrow in answers(ask, [width]):
            return narrow  # else losses are unbounded
        # E_Q (P/Q)^a − 1 is an integral of δ of both orders, and δ is at most the sum of those of
        # the samples, among which is each in both orders.
        found = [one.renyi(order, relative_width=width) for one in self.profiles]
        known = [enclosed(x, width).upper for x in found if not isinstance(x, Epsilon)]
        high = mean_bound([(Exact(1), x) for x in known], order)
        return self._beside_cases(order, width, Enclosure(Fraction(0), high))

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        one = PrivacyProfile if self.removing else Largest
        return one._trade_off_within(self, level, width)
