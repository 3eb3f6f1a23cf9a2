"""Integer noise with a log-concave law, added to an integer query of sensitivity Δ.

With f(k) = Pr[noise = k] and F its sums from below, P is the noise and Q the noise plus Δ.
Log-concave means f(k)² >= f(k − 1)·f(k + 1) on an interval of integers, so f(k)/f(k − Δ)
falls in k: the best event for P is {k <= m}, and

    δ(ε) = max over m of F(m) − e^ε F(m − Δ), at the last m with f(m) > e^ε f(m − Δ).

F grows, so a smaller shift has a smaller δ: Δ is the worst of the shifts 1, ..., Δ. For
negative shifts the noise is mirrored. A sum of independent log-concave noises is one.

Below a k whose ratio r = f(k − 1)/f(k) is under 1 there is mass f(k)·r/(1 − r) at most, since
that ratio falls further: the tails of every such law are certified by its own masses.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import isqrt
from typing import Any

from flint import arb

from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.description import COUNT
from exactdp.divergences.nearby import NearLaws, rounded_pair
from exactdp.divergences.profile import enclosed
from exactdp.errors import BeyondRangeError, DomainError
from exactdp.mechanisms.noise import AdditiveNoise, whole_part
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    Real,
    count_text,
    decided_below,
    precision,
    refuse_above,
    working_bits,
)
from exactdp.numbers.balls import TOLD_BITS, nonnegative_ball
from exactdp.numbers.effort import answers, remembered
from exactdp.numbers.limits import MAX_COUNT, MAX_MASSES
from exactdp.sums import LossLaw

__all__ = ["IntegerNoise", "if_short", "rows_near"]

_FEW_OUTCOMES = 8
"""Outcomes up to which integer noise is composed exactly, if that is feasible."""

_LESS = "Ask for less noise; Gaussian noise has no such limit."
_FIRST_BLOCK = 64
"""Masses of a tail that are added before its rest is bounded; each block is twice the last."""

_TIES = 4
"""Integers, from the last sure one on, at which the sign of f(k) − γ·f(k − Δ) is looked at.

Where it is open at all others, more precision is asked for."""

_NORMAL = Fraction(3, 2)
"""Above 2 ln 2: a normal law has less than 2^−b beyond √(2 ln 2·b) deviations."""


class IntegerNoise(AdditiveNoise):
    """A log-concave law of integers, and its shift by Δ.

    A subclass says its spread and its masses, as balls; and, if it ends, its support, and exact
    masses if they are few.

    Attributes:
        sensitivity: Δ, an int; replacing a record may double that of adding one.
    """

    __slots__ = ()

    sensitivity: int

    @property
    def support(self) -> tuple[int | None, int | None]:
        """The least and the largest value; None where there is none."""
        return None, None

    @property
    @abstractmethod
    def spread(self) -> Fraction:
        """The variance, or about that: where the search for an ε begins."""

    @abstractmethod
    def masses(self, first: int, count: int) -> list[arb]:
        """Return balls for f(first), f(first + 1), ... at the working precision, in the support."""

    def weights(self) -> tuple[list[Any], Any]:
        """Return the f(k) of the whole support over a common total, and that: exact ones.

        Raises:
            DomainError: If they are infinitely many, or not in powers of e.
        """
        raise DomainError(f"{self!r} has no exact masses. Ask for enclosures.")

    has_laws_near = True
    has_loss_law = False
    is_on_integers = True
    sizes = COUNT

    @property
    def loss_size(self) -> Number:
        """About the step of the losses."""
        return Exact(self.sensitivity) / Exact(self.spread)

    def _loss_law(self) -> LossLaw:
        raise DomainError(
            f"{self!r} has a loss of infinitely many values on no lattice. Compose it by "
            "``compose``, which takes laws nearby."
        )

    @property
    def center(self) -> int:
        """A likely value."""
        return 0

    @property
    def is_even(self) -> bool:
        """True if the noise is as likely as its negative."""
        return True

    def pair(self) -> Pair:
        """Return the exact pair, where :attr:`is_exact`."""
        weights, total = self.weights()
        gap = [total * 0] * min(self.sensitivity, len(weights))
        return Pair([*weights, *gap], [*gap, *weights], total, total)

    @property
    def has_pair(self) -> bool:
        """True if all masses are exact."""
        return self.is_exact

    def as_finite(self) -> PrivacyProfile:
        """Return the exact pair, if it has few outcomes."""
        return if_short(self, _pair_of(self)) if self.is_exact else self

    def near(self, bits: int) -> NearLaws[Pair]:
        """Return a pair of short rational masses near P and Q, about 2^-bits off."""
        with precision(bits + 32):
            (p, q), rest = self.rows((0, 1), bits)
            return rows_near(p, q, rest, bits=bits)

    def exact_rows(self, shifts: Sequence[int]) -> list[list[Exact]]:
        """Return the exact masses around shifts, in units of Δ, on common outcomes."""
        weights, total = self.weights()
        masses = [Exact(w) / Exact(total) for w in weights]
        low, high = min(shifts), max(shifts)
        gaps = ([[Exact(0)] * (self.sensitivity * k) for k in (s - low, high - s)] for s in shifts)
        return [[*before, *masses, *after] for before, after in gaps]

    def rows(self, shifts: Sequence[int], bits: int) -> tuple[list[list[arb]], arb]:
        """Return balls for the masses around shifts on common outcomes: all but about 2^-bits.

        And a bound of what each row lacks: 0 if it is nothing. A row has 0 where it lacks.
        """
        first, found = self.window(bits)
        low, high = min(shifts), max(shifts)
        count = len(found) + self.sensitivity * (high - low)
        refuse_above(MAX_MASSES, count, _likely(count), advice=_LESS)
        gaps = ([[arb(0)] * (self.sensitivity * k) for k in (s - low, high - s)] for s in shifts)
        rows = [[*before, *found, *after] for before, after in gaps]
        is_all = self.support == (first, first + len(found) - 1)
        return rows, arb(0) if is_all else arb((1 - sum(found, arb(0))).abs_upper())

    def window(self, bits: int) -> tuple[int, list[arb]]:
        """Return a value, and the masses from there on: all but about 2^-bits, or all there are."""
        first, found = self.wide_window(bits + 1)
        if (first, first + len(found) - 1) == self.support:
            return first, found
        least = arb(2) ** -(bits + 2)
        left, right = _light(found, least), _light(found[::-1], least)
        return first + left, found[left : len(found) - right]

    def wide_window(self, bits: int) -> tuple[int, list[arb]]:
        """Return a value, and the masses from there on, with some that are even less likely."""
        first, last = self.support
        reach = isqrt(int(self.spread * bits * _NORMAL)) + bits
        while True:
            low, high = self.center - reach, self.center + reach
            low = low if first is None else max(first, low)
            high = high if last is None else min(last, high)
            refuse_above(MAX_MASSES, high - low, _likely(high - low), advice=_LESS)
            with precision(bits + 32):
                found = self.masses(low, high - low + 1)
                missing = (1 - sum(found, arb(0))).abs_upper()
            if missing < arb(2) ** -bits or (low, high) == (first, last):
                return low, found
            reach *= 2

    def max_divergence(self) -> Epsilon:
        """Return infinity: the noise ends somewhere, or its losses are unbounded."""
        return Epsilon.infinity()

    def infinity_mass(self) -> Number:
        """Return Pr[noise < its least value + Δ], the mass of values that Q never takes."""
        if self.is_exact:
            return _pair_of(self).infinity_mass()
        first, _ = self.support
        if first is None:
            return Exact(0)
        rule = partial(self.below, first + self.sensitivity - 1)
        return Real(rule, "mass at the end of the noise")

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return ln(f(k)/f(k − Δ)), k the least value plus Δ; infinity if there is no least."""
        if self.is_exact:
            return _pair_of(self).largest_finite_loss()
        first, last = self.support
        if first is None:
            return self.max_divergence()
        if last is not None and last - first < self.sensitivity:
            return Epsilon.log(1)  # there is no finite loss
        return Real(partial(self._loss_at, first + self.sensitivity), "largest finite loss")

    def _loss_at(self, k: int) -> arb:
        return (self.mass_ball(k) / self.mass_ball(k - self.sensitivity)).log()

    def _epsilon_at(self, delta: Exact) -> Epsilon | None:
        """Return the smallest ε exactly, where :attr:`is_exact`."""
        return _pair_of(self)._epsilon_at(delta) if self.is_exact else None

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        if self.is_exact:
            return _pair_of(self)._epsilon_within(delta, width)
        return super()._epsilon_within(delta, width)

    def first_guess(self, delta: Exact) -> Fraction:
        """Return six times Δ over the deviation: Gaussian noise has about that for δ = 1e-8."""
        return Fraction(6 * self.sensitivity, isqrt(int(self.spread)) + 1)

    def mass_ball(self, k: int) -> arb:
        """Return a ball for f(k), at the working precision."""
        first, last = self.support
        is_outside = (first is not None and k < first) or (last is not None and k > last)
        return arb(0) if is_outside else self.masses(k, 1)[0]

    def below(self, m: int) -> arb:
        """Return a ball for F(m), at the working precision, of about that relative accuracy."""
        if self.is_even and m >= 0:
            return 1 - self.below(-m - 1)
        first, last = self.support
        top, total, size, summed = m if last is None else min(m, last), arb(0), _FIRST_BLOCK, 0
        bits = working_bits()
        while first is None or top >= first:
            start = top - size + 1 if first is None else max(first, top - size + 1)
            found = self.masses(start, top - start + 1)
            total += sum(found, arb(0))
            if start == first:
                break
            next_one = self.mass_ball(start - 1)
            r = next_one / found[0]
            if r < 1:
                rest = next_one / (1 - r)
                if rest < total * arb(2) ** -bits:
                    return total + nonnegative_ball(rest)
            top, size, summed = start - 1, 2 * size, summed + len(found)
            refuse_above(MAX_MASSES, summed, _likely(summed), advice=_LESS)
        return total

    def above(self, x: Number) -> Number:
        """Return Pr[noise > x]."""
        m, (first, last) = whole_part(x), self.support
        if last is not None and m >= last:
            return Exact(0)
        if first is not None and m < first:
            return Exact(1)
        if self.is_even:
            return Real(partial(self.below, -m - 1), "mass above")
        return 1 - Real(partial(self.below, m), "mass below")

    def exceeded(self, level: Exact) -> Exact:
        """Return the smallest integer m with Pr[noise > m] <= level."""

        def is_over(m: int) -> bool:
            advice = f"Pr[noise > {m}] cannot be told from {level}. Take another."
            return decided_below(level, self.above(Exact(m)), max_bits=TOLD_BITS, advice=advice)

        return Exact(_last(is_over, 0) + 1)

    def between(self, first: int, last: int) -> arb:
        """Return a ball for Pr[first <= noise <= last]; 0 where last < first."""
        return self.below(last) - self.below(first - 1) if first <= last else arb(0)

    def _delta_at(self, gamma: Exact) -> Number:
        if self.is_exact:
            for _, found in answers(_pair_of(self)._delta_at, [gamma]):
                return found  # else γ and the masses have no short common rate
        if gamma < 1:
            return (1 - gamma) + self.reversed()._delta_at(1 / gamma) * gamma
        return Real(partial(self._delta_ball, Epsilon(gamma)), "delta of integer noise")

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        if self.is_exact:
            return _pair_of(self)._delta_within(gamma, width)
        return enclosed(self._delta_at(gamma), width)

    def _renyi_at(self, order: Fraction) -> Number | None:
        return _pair_of(self)._renyi_at(order) if self.is_exact else None

    def _trade_off_at(self, level: Exact) -> Number | None:
        return _pair_of(self)._trade_off_at(level) if self.has_pair else None

    def _delta_ball(self, epsilon: Epsilon) -> arb:
        size, gamma = self.sensitivity, epsilon.exp.ball(working_bits())
        m = self._last_above(gamma)
        total = self.below(m) - gamma * self.below(m - size)
        # Where the sign cannot be told (at a tie) the positive part is meant.
        for k in range(m + 1, m + _TIES):
            term = self.mass_ball(k) - gamma * self.mass_ball(k - size)
            if term <= 0:
                return total
            total += arb(0).union(term)
        return arb.nan()  # more precision tells more

    def _last_above(self, gamma: arb) -> int:
        """Return an m with f(m) > γ·f(m − Δ) for sure, γ >= 1, and that not for sure at m + 1."""
        size, (first, last) = self.sensitivity, self.support

        def is_above(k: int) -> bool:
            return bool(self.mass_ball(k) - gamma * self.mass_ball(k - size) > 0)

        if first is None:
            return _last(is_above, 0, step=size)
        low = first + size - 1  # up to there the shifted noise has no mass
        return last if last is not None and low >= last else _last(is_above, low)


def if_short(profile: PrivacyProfile, pair: Pair) -> PrivacyProfile:
    """Return the pair that a profile is, if it has few outcomes; else the profile."""
    return profile if len(pair) > _FEW_OUTCOMES else pair


def rows_near(p: list[arb], q: list[arb], rest: arb, *, bits: int) -> NearLaws[Pair]:
    """Return a pair of short rational masses near two rows, each of which lacks at most a rest."""
    near = rounded_pair(p, q, bits=bits)
    # Beside an end, what is left out may be anywhere.
    return near if rest == 0 else replace(near, inside=near.inside + near.apart)


def _light(masses: Sequence[arb], least: arb) -> int:
    """Return how many masses at the beginning have less than a number in all."""
    totals = accumulate(masses)
    return next((i for i, total in enumerate(totals) if not total < least), 0)


def _last(holds: Callable[[int], bool], start: int, *, step: int = 1) -> int:
    """Return the last integer at which something holds, as it does at all before."""
    sign = 1 if holds(start) else -1
    while holds(start + sign * step) == (sign > 0):
        if step > MAX_COUNT:  # the rest of the noise is beyond e^-MAX_COUNT or so
            raise BeyondRangeError(
                "delta is too small to be a number here. Ask for a smaller epsilon."
            )
        start, step = start + sign * step, 2 * step
    low, high = sorted((start, start + sign * step))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _likely(count: int) -> str:
    return f"the noise has {count_text(count)} likely values or more"


@remembered(maxsize=8)
def _pair_of(noise: IntegerNoise) -> Pair:
    return noise.pair()
