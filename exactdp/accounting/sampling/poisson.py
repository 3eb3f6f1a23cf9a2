"""Poisson samples of any profile: a mixture against its base, by a function of the curve.

Each record is seen with probability q, independently. With the record the law of the output is
(1 − q)·Q0 + q·P0, without it Q0, (P0, Q0) the mechanism's own pair. With γ = e^ε,

    H_γ((1 − q)Q0 + qP0 ‖ Q0) = q·H_γ'(P0 ‖ Q0), γ' = (γ − 1 + q)/q,
    H_γ(Q0 ‖ (1 − q)Q0 + qP0) = c·H_γ''(Q0 ‖ P0), c = 1 − γ(1 − q), γ'' = γq/c,

as an event's P(S) − γQ(S) is the same on both sides; where γ' is not positive the first is
1 − γ, where c is not the second is 0. Both are increasing in the mechanism's δ: what lies between
two curves does so when it is sampled, and the worst of several is the worst of their samples.

Where the law of the mechanism's loss is known, so is that of the sample's; noise of integers, whose
losses then lie on no lattice, has short masses nearby.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling, 2018,
Theorem 2; Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022 (the dominating pairs compose).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Self, cast

from exactdp.accounting.composition.parts import loss_law, near_part, pair_of
from exactdp.distributions import binomial
from exactdp.divergences import Pair
from exactdp.divergences.convex_bounds import bound_on_sample, mean_bound
from exactdp.divergences.nearby import NearLaws
from exactdp.divergences.profile import PrivacyProfile, Sample, enclosed
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms.mixed_integers import if_rational
from exactdp.mechanisms.mixed_noise import mixed
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    exp,
    log,
)
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import first_answer
from exactdp.numbers.renamed import renamed
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw
from exactdp.sums.laws.log_moments import renyi_of_law

__all__ = ["PoissonSubsampled"]

_NARROWER = tuple(Fraction(1, 4**k) for k in range(1, 9))
"""Parts of a width of ε that are tried for the mechanism's own: ε of a sample moves faster."""


@renamed
@validated
@dataclass(frozen=True, slots=True)
class PoissonSubsampled(PrivacyProfile):
    """A mechanism on a Poisson sample: each record with a probability q; its δ is enough.

    Formula:
        For removing the record, δ'(ε) = q·δ(ln((γ − 1 + q)/q)), γ = e^ε, and 1 − γ if
        γ <= 1 − q. For adding it, δ'(ε) = c·δ(ln(γq/c)), c = 1 − γ(1 − q), and 0 if c <= 0.

    Attributes:
        mechanism: P is the law with the record, Q that without it.
        sampling_probability: q, above 0 and at most 1.
        adds_record: False for P with the record and Q without, True for the reverse.

    Source:
        Balle, Barthe & Gaboardi 2018, advanced joint convexity.

    Example:
        Half of the time a coin with P/Q = 3 or 1/3: half of δ at ln(2·4/3 − 1) = ln(5/3), which
        is 3/4 − (5/3)/4.

        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> PoissonSubsampled(coin, Exact("1/2")).delta(Epsilon.log("4/3"))
        Exact('1/6')
    """

    mechanism: PrivacyProfile
    sampling_probability: Exact
    adds_record: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.sampling_probability <= 1:
            q = self.sampling_probability
            raise DomainError(f"sampling_probability={q} must be above 0, at most 1. Pass one.")

    def moved(self, times: int) -> PrivacyProfile | None:
        """Return the pair of so many records on one sample, each drawn by itself, of even noise.

        Formula:
            Σ_j binom(k, j) q^j (1 − q)^(k − j) f(y − jΔ) against f. It is the worst: of j records
            that are seen the answer moves by at most jΔ, either way. f is even and log-concave, so
            for every j no test has more power than the half-line of its level, moved by jΔ.
        """
        noise = self.mechanism
        if not noise.is_noise or noise.reversed() != noise:
            return None
        chances = binomial(times, self.sampling_probability)
        found = mixed(noise, tuple(chances.masses.items()), ((0, Exact(1)),))
        return found if found is None or not self.adds_record else found.reversed()

    def seen(self) -> tuple[PrivacyProfile, Exact]:
        """Return the mechanism and the rate."""
        return (self, Exact(1)) if self.adds_record else (self.mechanism, self.sampling_probability)

    @property
    def usual_width(self) -> Fraction:
        """The usual width of the mechanism."""
        return self.mechanism.usual_width

    @property
    def has_closed_form(self) -> bool:
        """True if the mechanism has a closed form."""
        return self.mechanism.has_closed_form

    @property
    def note(self) -> str | None:
        """The facts about the mechanism that the numbers leave open."""
        return self.mechanism.note

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε) in the direction of the profile: a number where the mechanism has one."""
        gamma, q = any_epsilon(epsilon).exp, self.sampling_probability
        if self.adds_record:
            factor, place = 1 - gamma * (1 - q), gamma * q
            if factor.sign() <= 0:
                return _known(Exact(0), relative_width)
            place = place / factor
        else:
            factor, place = q, (gamma - (1 - q)) / q
            if place.sign() <= 0:
                return _known(1 - gamma, relative_width)
        return _scaled(self._base(), Epsilon(place), factor, relative_width)

    def max_divergence(self) -> Epsilon | Number:
        """Return ln(1 − q + q e^ε0), or −ln(1 − q + q e^(−ε0)) for adding a record."""
        return self._image(self._base().max_divergence())

    def infinity_mass(self) -> Number:
        """Return q times the mass that only P has; 0 for adding a record."""
        return (
            Exact(0)
            if self.adds_record
            else self.sampling_probability * self.mechanism.infinity_mass()
        )

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the image of the mechanism's; −ln(1 − q) for adding where P lacks mass."""
        if self.adds_record:
            return self.max_divergence()
        return self._image(self.mechanism.largest_finite_loss())

    def reversed(self) -> Self:
        """Return the other direction: adding for removing."""
        return replace(self, adds_record=not self.adds_record)

    @property
    def has_laws_near(self) -> bool:
        """True if the noise is on integers, as losses on a sample then lie on no lattice."""
        return self.mechanism.is_on_integers

    @property
    def has_loss_law(self) -> bool:
        """True if the mechanism's loss law is known, or the mechanism is an exact pair."""
        return self.mechanism.has_pair if self.has_laws_near else self.mechanism.has_loss_law

    def loss_law(self) -> LossLaw:
        """Return the law of the loss: ln(1 − q + q e^ℓ) for removing, which rises with ℓ.

        Raises:
            DomainError: If that of the mechanism is not known.
        """
        found = loss_law(pair_of(self.mechanism)).subsampled(self.sampling_probability)
        return found.reversed() if self.adds_record else found

    def as_sample(self) -> Sample:
        """Return the mechanism, which need be no noise."""
        again = partial(replace, self)
        kind = "added" if self.adds_record else "removed"
        return Sample(
            kind,
            self.mechanism,
            self.sampling_probability,
            lambda x, q: again(mechanism=x, sampling_probability=q),
        )

    def as_finite(self) -> PrivacyProfile:
        """Return the exact pair, if it is short."""
        is_known = self.has_laws_near and self.mechanism.has_pair
        return if_rational(self, self._pair) if is_known else self

    def _pair(self) -> Pair:
        return self._sample_of(cast("Pair", pair_of(self.mechanism)))

    def _sample_of(self, pair: Pair) -> Pair:
        found = pair.subsampled(self.sampling_probability)
        return found.reversed() if self.adds_record else found

    def pairs_near(self, size: int, rest: Fraction, knots: Any = None) -> tuple[Pair, Pair] | None:
        """Return samples of pairs around the mechanism, which are around its sample at every ε."""
        found = self.mechanism.pairs_near(size, rest)
        return None if found is None else (self._sample_of(found[0]), self._sample_of(found[1]))

    def near(self, bits: int) -> NearLaws[Pair]:
        """Return short rational masses near P and Q: a mixture is no farther than its parts."""
        found = near_part(self.mechanism, bits)
        return replace(found, laws=self._sample_of(found.laws))

    def _renyi_at(self, order: Fraction) -> Number | Enclosure | None:
        if self.has_laws_near:
            return self._rows()._renyi_at(order)
        return renyi_of_law(self.loss_law, order=order) if self.has_loss_law else None

    def _rows(self) -> PrivacyProfile:
        """Return the mixture of rows of the noise that this is."""
        one, q = Exact(1), self.sampling_probability
        found = mixed(self.mechanism.reversed(), ((0, 1 - q), (1, q)), ((0, one),))
        assert found is not None
        return found.reversed() if self.adds_record else found

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return a bound of D_a; where it is too large to compute, that of a convex mixture.

        Formula:
            e^((a − 1)D_a(P ‖ Q)) is jointly convex in P and Q. Here the pair is a mixture of
            (Q0, Q0) and (P0, Q0), or of (Q0, Q0) and (Q0, P0), with weights 1 − q and q; so
            D_a <= ln(1 + q(e^((a − 1)D) − 1))/(a − 1), D that of the mechanism.

        Raises:
            UndecidedError: If P0 lacks what Q0 has: that has the finite loss −ln(1 − q) for
                adding a record, and D leaves it out.
        """
        own = partial(PrivacyProfile.renyi_bound, self, order, width=width)
        other = partial(self._bound_of_mixture, order, width)
        if self.has_laws_near and not self.adds_record:
            other = partial(
                bound_on_sample, self.mechanism, self.sampling_probability, order, width=width
            )
        if not (self.has_laws_near or self.has_loss_law):
            return other()
        return own() if self._lacks_loss() else first_answer(own, other)

    def _bound_of_mixture(self, order: Fraction, width: Fraction) -> Fraction | None:
        return self._mixed(self._finite_base().renyi_bound(order, width=width), order)

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return the same of a bound of the mechanism that takes no time."""
        return self._mixed(self._finite_base().convex_bound(order), order)

    def _finite_base(self) -> PrivacyProfile:
        if self._lacks_loss():
            raise UndecidedError(
                "the mechanism has mass at infinity for adding a record, which a bound of its "
                "Rényi divergence leaves out. Ask for delta."
            )
        return self._base()

    def _lacks_loss(self) -> bool:
        return self.adds_record and self._base().infinity_mass() != Exact(0)

    def _mixed(self, whole: Fraction | None, order: Fraction) -> Fraction | None:
        return None if whole is None else mean_bound([(self.sampling_probability, whole)], order)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure | None:
        if self.adds_record or not 0 < delta < self.sampling_probability:
            return None
        if not self.mechanism.has_exact_epsilon:
            return None
        found = self.mechanism.epsilon(delta / self.sampling_probability)
        image = self._image(found) if isinstance(found, Epsilon) else None
        return image if isinstance(image, Epsilon) else None

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        """Return an enclosure of ε(δ): for removing, the image of the mechanism's at δ/q."""
        is_one = self.has_closed_form and self.mechanism.reached == "pair"  # some end before
        if self.adds_record or is_one or not 0 < delta < self.sampling_probability:
            return PrivacyProfile._epsilon_within(self, delta, width)
        for part in _NARROWER:
            found = self.mechanism.epsilon(
                delta / self.sampling_probability, relative_width=width * part
            )
            if isinstance(found, Epsilon):
                image = self._image(found)
                if isinstance(image, Epsilon) and image.is_infinite:
                    return image
                return enclosed(image.nats if isinstance(image, Epsilon) else image, width)
            ends = self._between(found, width)
            if ends.is_narrow(width) or found.width > width * part * found.lower:
                break  # narrow enough, or two bounds that get no nearer
        return ends

    def _between(self, found: Enclosure, width: Fraction) -> Enclosure:
        """Return the images of the ends of an ε of the mechanism."""
        low, high = (self._image(Exact(end)) for end in (found.lower, found.upper))
        assert not isinstance(low, Epsilon) and not isinstance(high, Epsilon)
        lower = enclosed(low, width / 8).lower if found.lower else Fraction(0)
        upper = enclosed(high, width / 8).upper if found.upper else Fraction(0)
        return replace(found, lower=lower, upper=upper)

    def _base(self) -> PrivacyProfile:
        """Return the direction of the mechanism that is like this one."""
        return self.mechanism.reversed() if self.adds_record else self.mechanism

    def _image(self, top: Epsilon | Number) -> Epsilon | Number:
        """Return ln(1 − q + q e^ℓ) of a largest loss ℓ, or −ln(1 − q + q e^(−ℓ))."""
        if isinstance(top, Epsilon):
            if top.is_infinite:
                return Epsilon(1 / (1 - self.sampling_probability)) if self.adds_record else top
            ratio = 1 / top.exp if self.adds_record else top.exp
            found = Epsilon(1 - self.sampling_probability + self.sampling_probability * ratio)
            return -found if self.adds_record else found
        sign = -1 if self.adds_record else 1
        return sign * log(
            1 - self.sampling_probability + self.sampling_probability * exp(sign * top)
        )


def _known(value: Exact, relative_width: RationalLike | None) -> Number | Enclosure:
    return value if relative_width is None else enclosed(value, checked_width(relative_width))


def _scaled(
    profile: PrivacyProfile, at: Epsilon, factor: Exact, relative_width: RationalLike | None
) -> Number | Enclosure:
    """Return a positive factor, at most 1, times δ, to a width if one is given."""
    if relative_width is None:
        found = profile.delta(at)
        if not isinstance(found, Enclosure):
            return factor * found
        return _product(factor, found, Fraction(1, 10**15))
    width = min(checked_width(relative_width), Fraction(1))
    # (1 + 3w/4)(1 + w/8) <= 1 + w.
    found = enclosed(profile.delta(at, relative_width=3 * width / 4), 3 * width / 4)
    return _product(factor, found, width / 8)


def _product(factor: Exact, found: Enclosure, width: Fraction) -> Enclosure:
    """Return the product of a positive number, to a width, and an enclosure; its words stay."""
    around = enclosed(factor, width)
    return replace(found, lower=around.lower * found.lower, upper=around.upper * found.upper)
