r"""Integer noise on a Poisson sample: masses at integers, all but a known share of them.

With f the masses of the noise and Δ the sensitivity, P0(k) = f(k) and Q0(k) = f(k − Δ). On a
sample the ratio of (1 − q)·Q0 + q·P0 to Q0 is B = 1 − q + q P0/Q0, and the moments of its loss are
Σ Q0 B^b: b = a for the order a of removing a record, b = 1 − a of adding one. Of the integers that
are not summed, with the masses p and r under P0 and Q0, they have at most

    (1 − q)^b r for b <= 0,   2r + p for b <= 1,   r + q (m − m') for b > 1,

with m = Σ P0^b Q0^(1 − b) of all integers, known from the noise alone, and m' that of those which
are summed: B >= 1 − q, B^b <= 1 + B <= 2 + P0/Q0, and B^b is convex in P0/Q0.

A replaced record: P = (1 − q) f(k) + q f(k − Δ) and Q = (1 − q) f(k) + q f(k + Δ) dominate all
neighbors if the noise is symmetric, as in ``substitution``: what is said there of half-lines needs
only that f(k − x)/f(k) rises in k for 0 < x <= Δ, which log-concave masses give, and holds with the
value at their end taken in part, as P(S) − γQ(S) is linear in that part. (Of noise that is not
symmetric, moved up and moved down are not mirror images, and no one pair is the worst.)
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from flint import arb

from exactdp.accounting.composition.parts import loss_law
from exactdp.accounting.sampling.convex_bounds import bound_on_sample, mean_bound
from exactdp.accounting.sampling.poisson import PoissonSubsampled
from exactdp.divergences import NumberProfile, Pair
from exactdp.divergences.nearby import NearLaws, rounded_pair
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import DomainError
from exactdp.mechanisms import DiscreteGaussianMechanism, DiscreteLaplaceMechanism
from exactdp.mechanisms.integer_noise import FEW_OUTCOMES, IntegerNoise, LikelyMasses
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    Real,
    fmpq_of,
    precision,
    short,
    working_bits,
)
from exactdp.numbers.balls import nonnegative_ball
from exactdp.numbers.effort import first_answer, spend
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw

__all__ = ["IntegerMechanism", "PoissonReplacedIntegers", "PoissonSampledIntegers"]

IntegerMechanism = IntegerNoise | DiscreteGaussianMechanism | DiscreteLaplaceMechanism
"""Log-concave noise of integers."""

_MORE_BITS = 32
"""Guard bits of masses: with fewer a ball is wider, and is asked for again at more bits."""


class _OnIntegers(PrivacyProfile):
    """A sample of integer noise."""

    __slots__ = ()

    has_laws_near = True

    mechanism: IntegerMechanism

    @abstractmethod
    def pair(self) -> Pair:
        """Return the exact pair, where the noise has one."""

    @property
    def is_finite(self) -> bool:
        """Whether P and Q have exact masses that are short."""
        return self.mechanism.has_pair

    def as_finite(self) -> PrivacyProfile:
        """Return the exact pair, if it is short."""
        infinite = self.infinity_mass()
        is_short = isinstance(infinite, Exact) and infinite.is_rational and self.is_finite
        pair = self.pair() if is_short else None
        return self if pair is None or len(pair) > FEW_OUTCOMES else pair


@validated
@dataclass(frozen=True, slots=True)
class PoissonSampledIntegers(_OnIntegers, PoissonSubsampled):
    """Integer noise that sees each record with probability ``rate``, independently.

    Its loss lies on no lattice: it is composed by laws nearby whose masses are short rationals.
    """

    mechanism: IntegerMechanism

    def pair(self) -> Pair:
        """Return the exact pair, where the noise has one.

        Example:
            Losses ±ln 2 with probabilities 2/3 and 1/3, seen half the time:

            >>> from exactdp.mechanisms import discrete_laplace_mechanism
            >>> bits = discrete_laplace_mechanism(rate=Epsilon.log(2))
            >>> PoissonSampledIntegers(bits, Exact("1/2")).pair().masses()
            [(Exact('1/2'), Exact('1/3')), (Exact('1/2'), Exact('2/3'))]
        """
        if isinstance(self.mechanism, DiscreteGaussianMechanism):
            raise DomainError(f"{self.mechanism!r} has no exact masses. Ask for enclosures.")
        whole = self.mechanism.pair().subsampled(self.rate)
        return whole.reversed() if self.adds_record else whole

    @property
    def has_loss_law(self) -> bool:
        """Whether the loss has finitely many values."""
        return self.is_finite

    def loss_law(self) -> LossLaw:
        """Return the law of the loss of the exact pair, where the noise has a short one.

        Raises:
            DomainError: If it has none.
        """
        if not self.is_finite:
            raise DomainError(
                f"{self!r} has a loss of infinitely many values on no lattice. Compose it by "
                "``compose``, which takes laws nearby."
            )
        return loss_law(self.pair())

    def near(self, bits: int) -> NearLaws[Pair]:
        """Return short rational masses near P and Q: a mixture is no farther than its parts."""
        found = self.mechanism.near(bits)
        whole = found.laws.subsampled(self.rate)
        return replace(found, laws=whole.reversed() if self.adds_record else whole)

    def _renyi_at(self, order: Fraction) -> Number | None:
        power = 1 - order if self.adds_record else order
        whole = self.mechanism._renyi_at(power) if power > 1 else None
        if power > 1 and whole is None:
            return None
        rule = partial(self._renyi_ball, power, whole)
        return Real(rule, f"Rényi divergence of order {short(order)}")

    def _renyi_ball(self, power: Fraction, whole: Number | None) -> arb:
        bits, size = working_bits(), self.mechanism.sensitivity
        b, q = arb(fmpq_of(power)), self.rate.ball(bits)
        order = 1 - b if self.adds_record else b
        with precision(bits + _MORE_BITS):
            window = LikelyMasses.of(self.mechanism, bits)
            spend(4 * len(window.masses) * (1 + bits // 64))
            total, p_rest, q_rest, moment = arb(0), arb(1), arb(1), arb(0)
            for k in window.around(size):
                p, r = window.at(k), window.at(k - size)
                if r == 0 or (p == 0 and not window.is_all):
                    continue
                total += r * (1 - q + q * p / r) ** b
                moment += r * (p / r) ** b if whole is not None and p != 0 else 0
                p_rest, q_rest = p_rest - p, q_rest - r
            p_rest, q_rest = arb(p_rest.abs_upper()), arb(q_rest.abs_upper())
            if power <= 0:
                rest = (1 - q) ** b * q_rest
            elif whole is None:
                rest = 2 * q_rest + p_rest
            else:
                left = ((b - 1) * whole.ball(bits + _MORE_BITS)).exp() - moment
                rest = q_rest + q * arb(left.abs_upper())
            if window.is_all:
                rest = arb(0)
            return (total + nonnegative_ball(arb(rest.upper()))).log() / (order - 1)

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return an upper bound of D_a, a > 1: near it where the masses can be listed."""
        bound = partial(bound_on_sample, adds_record=self.adds_record)
        return first_answer(
            partial(PrivacyProfile.renyi_bound, self, order, width=width),
            partial(bound, self.mechanism, self.rate, order, width=width),
        )


@validated
@dataclass(frozen=True, slots=True)
class PoissonReplacedIntegers(_OnIntegers, NumberProfile[Number]):
    """Symmetric integer noise on a Poisson sample, one record of which is replaced: exact.

    Formula:
        P = (1 − q) f(k) + q f(k − Δ) and Q = (1 − q) f(k) + q f(k + Δ); see the header.

    Attributes:
        mechanism: Symmetric, calibrated to adding or removing one record.
        rate: q, strictly between 0 and 1.

    Example:
        At ε = 0 it is q times the total variation distance of the noise moved by Δ and by −Δ:

        >>> from exactdp.mechanisms import discrete_laplace_mechanism
        >>> from exactdp.numbers import decimal
        >>> bits = discrete_laplace_mechanism(rate=Epsilon.log(2))
        >>> one = PoissonReplacedIntegers(bits, Exact("1/2"))
        >>> decimal(one.delta(Epsilon.log(1)), digits=6)  # half of (1 + 1/2)/3
        '0.250000'
    """

    mechanism: IntegerMechanism
    rate: Exact

    def __post_init__(self) -> None:
        if self.mechanism.reversed() != self.mechanism:
            raise DomainError(
                f"{self.mechanism!r} is not symmetric, so no one pair is the worst of all "
                'replacements. Pass neighbors="add_or_remove".'
            )

    has_closed_form = True

    def reversed(self) -> PoissonReplacedIntegers:
        """Return the profile itself: the other direction is the mirror image."""
        return self

    def infinity_mass(self) -> Number:
        """Return q times the mass at one end of the noise."""
        return self.rate * self.mechanism.infinity_mass()

    def max_divergence(self) -> Epsilon:
        """Return ln((1 − q + q e^ε0)/(1 − q + q e^(−ε0))), ε0 that of the noise."""
        top = self.mechanism.max_divergence()
        if top.is_infinite:
            return top
        q = self.rate
        return Epsilon((1 - q + q * top.exp) / (1 - q + q / top.exp))

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return ln(1 + q f(r − Δ)/((1 − q) f(r))) for noise that ends at r."""
        if self.infinity_mass() == Exact(0):
            return self.max_divergence()
        return Real(self._largest_at_end, "largest finite loss")

    def _largest_at_end(self) -> arb:
        assert isinstance(self.mechanism, IntegerNoise)
        end, q = self.mechanism.support[1], self.rate.ball(working_bits())
        assert end is not None
        ratio = self.mechanism.mass(end - self.mechanism.sensitivity) / self.mechanism.mass(end)
        return (q / (1 - q) * ratio).log1p()

    def near(self, bits: int) -> NearLaws[Pair]:
        """Return a pair of short rational masses near P and Q, about 2^-bits off."""
        with precision(bits + _MORE_BITS):
            p, q, rest = self._laws(bits)
            near = rounded_pair(p, q, bits=bits)
            more = 0 if rest == 0 else near.apart  # beside an end, anywhere
            return replace(near, inside=near.inside + more)

    def pair(self) -> Pair:
        """Return the exact pair, where the noise has exact masses.

        Example:
            >>> from exactdp.mechanisms import binomial_mechanism
            >>> one = PoissonReplacedIntegers(binomial_mechanism(trials=1), Exact("1/2"))
            >>> one.pair().masses()  # at −1, 0, 1, 2
            [(Exact('0'), Exact('1/4')), (Exact('1/4'), Exact('1/2')), \
(Exact('1/2'), Exact('1/4')), (Exact('1/4'), Exact('0'))]
        """
        noise, size, q = self.mechanism, self.mechanism.sensitivity, self.rate
        if isinstance(noise, DiscreteLaplaceMechanism):
            laws = [self._merged(shift) for shift in (0, size, -size)]
        elif isinstance(noise, IntegerNoise):
            weights, total = noise.weights()
            masses = [Exact(w) / Exact(total) for w in weights]
            gap = [Exact(0)] * size
            laws = [[*gap, *masses, *gap], [*gap, *gap, *masses], [*masses, *gap, *gap]]
        else:
            raise DomainError(f"{noise!r} has no exact masses. Ask for enclosures.")
        p, r = (
            [(1 - q) * f + q * moved for f, moved in zip(laws[0], law, strict=True)]
            for law in laws[1:]
        )
        return Pair.from_masses(p, r)

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return a bound of D_a, that of a mixture with the noise moved by 2Δ."""
        found = self.mechanism.moved(2).convex_bound(order)
        return None if found is None else mean_bound([(self.rate, found)], order)

    def _merged(self, shift: int) -> list[Exact]:
        """Return discrete Laplace noise moved by a shift: k <= −Δ, each up to Δ − 1, k >= Δ."""
        noise, size = self.mechanism, self.mechanism.sensitivity
        assert isinstance(noise, DiscreteLaplaceMechanism)
        first, last = (noise.above(Exact(k - shift)) for k in (-size, size - 1))
        inner = [noise.mass(k - shift) for k in range(1 - size, size)]
        return [1 - first, *inner, last]

    def _laws(self, bits: int) -> tuple[list[arb], list[arb], arb]:
        """Return P and Q, and a bound of the mass that each lacks."""
        size, q = self.mechanism.sensitivity, self.rate.ball(working_bits())
        if isinstance(self.mechanism, DiscreteLaplaceMechanism) and self.is_finite:
            both = [(p.ball(bits), r.ball(bits)) for p, r in self.pair().masses()]
            return [p for p, _ in both], [r for _, r in both], arb(0)
        window = LikelyMasses.of(self.mechanism, bits)
        points = window.around(size)
        p, r = (
            [(1 - q) * window.at(k) + q * window.at(k - shift) for k in points]
            for shift in (size, -size)
        )
        return p, r, window.rest

    def _delta_at(self, gamma: Exact) -> Number:
        return Real(partial(self._delta_ball, gamma), "delta of integer noise on a sample")

    def _delta_ball(self, gamma: Exact) -> arb:
        bits = working_bits()
        with precision(bits + _MORE_BITS):
            p, q, rest = self._laws(bits)
            at = gamma.ball(bits + _MORE_BITS)
            terms = (a - at * b for a, b in zip(p, q, strict=True))
            # Where the sign cannot be told the positive part is meant.
            total = sum((x if x > 0 else x.nonnegative_part() for x in terms), arb(0))
            return total + (1 + at) * rest * arb(0, 1)

    def _renyi_at(self, order: Fraction) -> Number | None:
        whole = self.mechanism.moved(2)._renyi_at(order) if order > 1 else None
        if order > 1 and whole is None:
            return None
        rule = partial(self._renyi_ball, order, whole)
        return Real(rule, f"Rényi divergence of order {short(order)}")

    def _renyi_ball(self, order: Fraction, whole: Number | None) -> arb:
        # P^a Q^(1 − a) is jointly convex for a > 1, so what is left out has at most (1 − q) f and
        # q f(k − Δ)^a f(k + Δ)^(1 − a) there, noise moved by 2Δ; for a < 1 it is at most
        # aP + (1 − a)Q of all that is left out, the ends of the moved noise too.
        bits, a = working_bits(), arb(fmpq_of(order))
        size, q = self.mechanism.sensitivity, self.rate.ball(bits)
        with precision(bits + _MORE_BITS):
            window = LikelyMasses.of(self.mechanism, bits)
            total, f_rest, p_rest, q_rest, moment = arb(0), arb(1), arb(1), arb(1), arb(0)
            for k in window.around(size):
                spend(10)
                f, high, low = (window.at(k - shift) for shift in (0, size, -size))
                if not window.is_all and 0 in (f, high, low):
                    continue
                p, r = (1 - q) * f + q * high, (1 - q) * f + q * low
                total += r * (p / r) ** a if r != 0 else 0
                f_rest, p_rest, q_rest = f_rest - f, p_rest - p, q_rest - r
                moment += low * (high / low) ** a if whole is not None else 0
            rest = a * p_rest.abs_upper() + (1 - a) * q_rest.abs_upper()
            if whole is not None:
                left = ((a - 1) * whole.ball(bits + _MORE_BITS)).exp() - moment
                rest = f_rest.abs_upper() + q * left.abs_upper()
            if window.is_all:
                rest = arb(0)
            return (total + nonnegative_ball(arb(rest.upper()))).log() / (a - 1)
