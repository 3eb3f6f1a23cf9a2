"""Integer noise around one of several answers, against that around one of several others.

The masses are known at integers, all but a known share of them; their sums are finite ones, and
what is left out has a bound. P(S) − γQ(S) is largest for the outcomes with p > γq. Of Rényi
divergences, what is not summed has P^a Q^(1 − a) in all at most

    κ^(a − 1) P for a > 1, if P <= κQ, as where each row of P is in Q;
    Σ c (M − M') for a > 1 over a coupling of rows, M the moment of a pair of rows, known from the
    noise alone, and M' that of the integers that are summed (joint convexity);
    aP + (1 − a)Q for a < 1.

Half-lines, as in ``mixtures``, hold with the value at their end taken in part, as P(S) − γQ(S) is
linear in that part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeVar, cast

from flint import arb

from exactdp.divergences import NumberProfile, Pair, PrivacyProfile
from exactdp.divergences.convex_bounds import bound_of_parts
from exactdp.divergences.nearby import NearLaws
from exactdp.divergences.profile import Mixture
from exactdp.mechanisms.integer_noise import IntegerNoise, if_short, rows_near
from exactdp.mechanisms.mixtures import checked, coupled, differing, mirrored
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    Real,
    fmpq_of,
    precision,
    short,
    working_bits,
)
from exactdp.numbers.balls import GUARD_BITS, nonnegative_ball
from exactdp.numbers.effort import spend

__all__ = ["MixedIntegers", "if_rational"]

N = TypeVar("N", Exact, arb)


def if_rational(profile: PrivacyProfile, pair: Callable[[], Pair]) -> PrivacyProfile:
    """Return the pair that a profile is, if its numbers are short; else the profile."""
    infinite = profile.infinity_mass()
    is_short = isinstance(infinite, Exact) and infinite.is_rational
    return if_short(profile, pair()) if is_short else profile


@dataclass(frozen=True, slots=True)
class MixedIntegers(NumberProfile[Number]):
    """Integer noise around one of several answers, against that around one of several others.

    Attributes:
        noise: The noise.
        first: The shifts of P, in units of Δ, and their weights; none is negative.
        second: The shifts of Q and their weights; none is positive.

    Example:
        A record that is replaced on a Poisson sample. At ε = 0 it is q times the total variation
        distance of the noise moved by Δ and by −Δ:

        >>> from exactdp.mechanisms import discrete_laplace_mechanism
        >>> from exactdp.numbers import decimal
        >>> out, seen = (0, Exact("1/2")), Exact("1/2")
        >>> bits = discrete_laplace_mechanism(rate=Epsilon.log(2))
        >>> one = MixedIntegers(bits, (out, (1, seen)), (out, (-1, seen)))
        >>> decimal(one.delta(Epsilon.log(1)), digits=6)  # half of (1 + 1/2)/3
        '0.250000'
    """

    noise: IntegerNoise
    first: Mixture
    second: Mixture

    has_closed_form = True
    has_laws_near = True

    def __post_init__(self) -> None:
        checked(self.first, self.second)

    @property
    def _shifts(self) -> list[int]:
        return sorted({s for s, _ in (*self.first, *self.second)})

    @property
    def _parts(self) -> Sequence[tuple[Exact, PrivacyProfile]]:
        return differing(self.noise, self.first, self.second)

    def _mixed(self, rows: Sequence[Sequence[N]], of: Callable[[Exact], N]) -> list[list[N]]:
        """Return P and Q from rows, with the weights as numbers of their kind."""
        row_of = dict(zip(self._shifts, rows, strict=True))
        return [
            [sum(terms[1:], terms[0]) for terms in zip(*scaled, strict=True)]
            for scaled in (
                [[of(weight) * mass for mass in row_of[s]] for s, weight in side]
                for side in (self.first, self.second)
            )
        ]

    def reversed(self) -> MixedIntegers:
        """Return (Q, P) in the mirror; the profile itself, if that is the same."""
        other = MixedIntegers(self.noise.reversed(), *mirrored(self.first, self.second))
        return self if other == self else other

    def infinity_mass(self) -> Number:
        """Return the mass of P beyond the end of all of Q."""
        most = max(r for r, _ in self.second)
        far, total = self.noise.reversed(), cast("Number", Exact(0))
        for s, weight in self.first:
            if s > most:
                total = total + weight * far.moved(s - most).infinity_mass()
        return total

    def max_divergence(self) -> Epsilon:
        """Return the loss far out, e^(sL) of a shift s there, if L is that of one shift."""
        top = self.noise.max_divergence()
        (s, w), (r, v) = (max(side, key=lambda x: x[0]) for side in (self.first, self.second))
        if top.is_infinite:
            return Epsilon(w / v) if s == r else top
        p, q = (
            sum((w * top.exp**s for s, w in side), Exact(0)) for side in (self.first, self.second)
        )
        return Epsilon(p / q)

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the loss at the last value that Q has, for noise that ends."""
        if self.infinity_mass() == Exact(0):
            return self.max_divergence()
        return Real(self._loss_at_end, "largest finite loss")

    def _loss_at_end(self) -> arb:
        bits, size, end = working_bits(), self.noise.sensitivity, self.noise.support[1]
        assert end is not None
        most, weight = max(self.second)
        shared = dict(self.first).get(most, Exact(0)) / weight
        further = sum(
            (
                (w / weight).ball(bits) * self.noise.mass_ball(end - (s - most) * size)
                for s, w in self.first
                if s > most
            ),
            arb(0),
        )
        return ((shared - 1).ball(bits) + further / self.noise.mass_ball(end)).log1p()

    def near(self, bits: int) -> NearLaws[Pair]:
        """Return a pair of short rational masses near P and Q, about 2^-bits off."""
        with precision(bits + GUARD_BITS):
            return rows_near(*self._laws(bits), bits=bits)

    def pair(self) -> Pair:
        """Return the exact pair, where the noise has exact masses.

        Example:
            >>> from exactdp.mechanisms import binomial_mechanism
            >>> out, seen = (0, Exact("1/2")), Exact("1/2")
            >>> coin = binomial_mechanism(trials=1)
            >>> one = MixedIntegers(coin, (out, (1, seen)), (out, (-1, seen)))
            >>> one.pair().masses()  # at −1, 0, 1, 2
            [(Exact('0'), Exact('1/4')), (Exact('1/4'), Exact('1/2')), \
(Exact('1/2'), Exact('1/4')), (Exact('1/4'), Exact('0'))]
        """
        return Pair.from_masses(*self._mixed(self.noise.exact_rows(self._shifts), lambda w: w))

    def as_finite(self) -> PrivacyProfile:
        """Return the exact pair, if it is short."""
        return if_rational(self, self.pair) if self.noise.has_pair else self

    def convex_bound(self, order: Fraction) -> Fraction | None:
        """Return a bound of D_a, that of the mixture of its pairs of rows."""
        return bound_of_parts(self._parts, order)

    def _laws(self, bits: int) -> tuple[list[arb], list[arb], arb]:
        """Return P and Q, and a bound of the mass that each lacks."""
        rows, rest = self.noise.rows(self._shifts, bits)
        p, q = self._mixed(rows, lambda weight: weight.ball(bits))
        return p, q, rest

    def _delta_at(self, gamma: Exact) -> Number:
        top, back = self.max_divergence(), self.reversed().max_divergence()
        if not top.is_infinite and gamma >= top.exp:
            return Exact(0)
        if not back.is_infinite and gamma * back.exp <= 1:
            return 1 - gamma
        return Real(partial(self._delta_ball, gamma), "delta of mixed integer noise")

    def _delta_ball(self, gamma: Exact) -> arb:
        bits = working_bits()
        with precision(bits + GUARD_BITS):
            p, q, rest = self._laws(bits)
            at = gamma.ball(bits + GUARD_BITS)
            terms = (a - at * b for a, b in zip(p, q, strict=True))
            # Where the sign cannot be told the positive part is meant.
            total = sum((x if x > 0 else x.nonnegative_part() for x in terms), arb(0))
            return total + (1 + at) * rest * arb(0, 1)

    def _renyi_at(self, order: Fraction) -> Number | None:
        q = dict(self.second)
        ratios = [weight / q[s] for s, weight in self.first if s in q]
        most = max(ratios) if len(ratios) == len(self.first) else None  # κ of the header
        wholes: list[Number] = []
        for _, part in self._parts if order > 1 and most is None else ():
            whole = part._renyi_at(order)
            if whole is None or isinstance(whole, Enclosure):
                return None
            wholes.append(whole)
        rule = partial(self._renyi_ball, order, most, wholes)
        return Real(rule, f"Rényi divergence of order {short(order)}")

    def _renyi_ball(self, order: Fraction, most: Exact | None, wholes: Sequence[Number]) -> arb:
        bits, a = working_bits(), arb(fmpq_of(order))
        with precision(bits + GUARD_BITS):
            rows, rest = self.noise.rows(self._shifts, bits)
            columns = list(zip(*rows, strict=True))
            if rest != 0:  # what is beyond a window for one row alone is left out
                columns = [one for one in columns if all(mass != 0 for mass in one)]
            rows = [[one[i] for one in columns] for i in range(len(rows))]
            spend(4 * len(columns) * (1 + bits // 64))
            p, q = self._mixed(rows, lambda weight: weight.ball(bits))
            total = _moment(p, q, a)
            if rest != 0:
                if order < 1:
                    rest = a * _left(p) + (1 - a) * _left(q)
                elif most is not None:
                    rest = most.ball(bits) ** (a - 1) * _left(p)
                else:
                    rest = self._left_of_rows(rows, a, wholes)
            return (total + nonnegative_ball(arb(rest.upper()))).log() / (a - 1)

    def _left_of_rows(self, rows: list[list[arb]], a: arb, wholes: Sequence[Number]) -> arb:
        """Return a bound of the moments of the pairs of rows that are coupled, beyond the rows."""
        bits, row_of, left = working_bits(), dict(zip(self._shifts, rows, strict=True)), arb(0)
        known = iter(wholes)
        for weight, s, r in coupled(self.first, self.second):
            high, low = row_of[s], row_of[int(r)]
            if s == r:
                left += weight.ball(bits) * _left(high)
            else:
                whole = ((a - 1) * next(known).ball(bits)).exp()
                left += weight.ball(bits) * (whole - _moment(high, low, a)).abs_upper()
        return left


def _moment(p: Sequence[arb], q: Sequence[arb], a: arb) -> arb:
    """Return the sum of p^a q^(1 − a) where q has mass."""
    return sum((y * (x / y) ** a for x, y in zip(p, q, strict=True) if y != 0), arb(0))


def _left(masses: Sequence[arb]) -> arb:
    """Bound the mass that is missing from 1."""
    return arb((1 - sum(masses, arb(0))).abs_upper())
