r"""Upper bounds on the privacy of the best of several runs: hyperparameter tuning, any scores.

Let δ be that of one run, in the worse direction, and K the number of runs. Outcomes are in an order
of scores, with ties broken by chance; F and F' are the probabilities up to a point under P and Q.
The best run has the law G'(F)dF under P, and G'(F')dF' under Q. Where G'(F) <= e^s G'(F') at every
point,

    δ_best(ε) = ∫ max(0, G'(F)dF − e^ε G'(F')dF') <= ∫ G'(F) max(0, dF − e^(ε − s)dF')
              <= E K·δ(ε − s),

as G' grows up to G'(1) = E K; the s of each law is :meth:`Runs.growth`. Where one run is
ε0-private, t = ε0 meets the condition there: so geometric runs are 3ε0-private, and negative
binomial ones are (2 + η)ε0-private. Whoever is shown all runs sees the best one, so at most m runs
tell at most what a composition of m does.

As a function of γ = e^ε the bound h(γ) need not be the δ of a pair, which is convex and 1 at γ = 0.
A line from there up to a corner γ_0 = e^c, and h beyond, is above all, and it is convex if the
slope of the line, (h(γ_0) − 1)/γ_0, is at most that of h there, (h(γ_0) − E K·Pr[L > c − s])/γ_0,
L the loss of one run: if E K·Pr[L > c − s] <= 1. For that E K·2δ(c − s − ln 2) <= 1 suffices, or
that no loss of one run is above c − s.

References: J. Liu and K. Talwar, Private Selection from Private Candidates, STOC 2019 (pure
privacy, geometric runs); N. Papernot and T. Steinke, Hyperparameter Tuning with Rényi Differential
Privacy, ICLR 2022, Theorems 2 and 6; A. Koskela, R. Redberg and Y.-X. Wang, Privacy Profiles for
Private Selection, ICML 2024 (E K·δ(ε − s), with another s).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.conversions.guarantees import guarantee
from exactdp.accounting.conversions.renyi_guarantee import from_renyi
from exactdp.accounting.selection.best_curve import BestOfRuns
from exactdp.accounting.selection.runs import Runs
from exactdp.divergences import PrivacyProfile, Worst
from exactdp.divergences.fallbacks import upper_end
from exactdp.divergences.profile import Named, enclosed
from exactdp.divergences.values import BOUND_BITS, WIDE
from exactdp.divergences.worst import NOTHING
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    enclosure,
    short,
)
from exactdp.numbers.arguments import any_epsilon, renyi_order
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import NO_ANSWER, answers
from exactdp.numbers.validated import validated

__all__ = ["TUNING_ORDERS", "ScaledProfile", "tuning_bound"]

TUNING_ORDERS = tuple(
    Fraction(1 + Fraction(k, 8)) for k in (1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48)
) + tuple(map(Fraction, (8, 9, 10, 11, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 64, 96, 128, 256)))
"""The orders of Rényi divergences that are used where none are named."""

_WIDTH = Fraction(1, 10**4)
"""The relative width of the divergences of one run: any gives a bound."""

_PARTS = 1 << 10
"""The parts of a nat to which an ε is rounded up: e to longer fractions is a long number."""

_LN_2 = Fraction(7, 10)
"""The logarithm of 2, rounded up."""

_MOST_SHOWN = 10_000
"""Runs up to which what all of them show is a bound that is asked for."""


@validated
def tuning_bound(
    one: PrivacyProfile, runs: Runs, *, orders: Iterable[RationalLike] = TUNING_ORDERS
) -> Worst:
    """Return upper bounds on the profile of the best of several runs, by published theorems.

    Meaning:
        Each run is a mechanism with this profile, whose outcome has a score (a model and its
        accuracy on a public set, say); the best one is told, and neither the others nor their
        number are. The hyperparameters of a run may be drawn at random: take the profile of the
        worst ones. Whatever the scores are, δ is at most this: ``upper_by`` says by which theorem.
        Nothing is known below: an ``order`` and finite laws are asked of :func:`best_of_runs`.

    Args:
        one: The profile of one run; both directions are taken.
        runs: The law of the number of runs.
        orders: Orders above 1 at which Rényi divergences are asked for.

    Returns:
        A :class:`Worst` with lower end 0. It composes.

    Raises:
        DomainError: If no bound is known, or an order is not above 1.

    Source:
        Liu & Talwar 2019; Papernot & Steinke 2022, Theorems 2 and 6; Koskela, Redberg & Wang 2024,
        with the least s that its proof allows.

    Example:
        Randomized response with ε0 = ln 3, repeated with probability 3/4: (3 ln 3)-privacy is
        proved, and less is true of any scores.

        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> best = tuning_bound(coin, Runs.geometric(stop="1/4"))
        >>> found = best.epsilon("1e-9")
        >>> 2 < float(found.upper) < 3.2959, found.upper_by[:13]
        (True, 'Koskela, Redb')
    """
    worst = one.both_directions()
    asked = sorted({renyi_order(order) for order in orders})
    if asked and asked[0] <= 1:
        raise DomainError(f"order={asked[0]} must be above 1. Leave it out.")
    ways: list[Callable[[PrivacyProfile, Runs], Named | None]]
    ways = [_moved, partial(_by_divergences, orders=asked), _pure, _all_shown]
    found = answers(lambda way: way(worst, runs), ways, refusals=NO_ANSWER)
    above = tuple(named for _, named in found if named is not None)
    if not above:
        raise DomainError(
            f"no bound is known of {runs!r} of {one!r}. Give a law of runs that ends, or a "
            "profile whose delta can be computed."
        )
    about = _BestOf(one, runs)
    return Worst((NOTHING,), above, about=about, left_open=_OPEN, is_symmetric=True)


@dataclass(frozen=True)
class _BestOf:
    one: PrivacyProfile
    runs: Runs

    def __repr__(self) -> str:
        return f"<the best of {self.runs!r} of {self.one!r}>"


_OPEN = (
    "upper bound of the best of several runs, whatever their scores are; nothing is known below."
)


def _moved(one: PrivacyProfile, runs: Runs) -> Named | None:
    """Return E K·δ(ε − s); None if no s is known."""
    shift = runs.growth(partial(_delta_above, one))
    if shift is None:
        return None
    words = "Koskela, Redberg and Wang 2024: the delta of one run, times the mean number of runs"
    most = enclosure(runs.mean, relative_bits=BOUND_BITS).upper
    return Named(words, ScaledProfile(one, most, _up(Exact(shift))))


def _by_divergences(one: PrivacyProfile, runs: Runs, orders: list[Fraction]) -> Named | None:
    """Return the guarantee by Rényi divergences of a theorem; None if there is none."""
    if not runs.theorem or one.infinity_mass() != Exact(0):
        return None
    best = BestOfRuns(one, runs, partial(_delta_above, one))
    asked = answers(lambda order: best.renyi_bound(order, width=_WIDTH), orders, refusals=NO_ANSWER)
    known: dict[RationalLike, Any] = {order: bound for order, bound in asked if bound}
    return Named(runs.theorem, from_renyi(known)) if known else None


def _delta_above(one: PrivacyProfile, at: Epsilon, width: Fraction) -> Fraction:
    return enclosed(one.delta(at, relative_width=width), width).upper


def _pure(one: PrivacyProfile, runs: Runs) -> Named | None:
    """Return the privacy of runs that are pure; None if they are not."""
    factor, top = runs.pure, one.max_divergence()
    if factor is None or (isinstance(top, Epsilon) and top.is_infinite):
        return None
    if isinstance(top, Epsilon) and factor.denominator == 1:
        found = factor.numerator * top
    else:
        nats = factor * _up(top.nats if isinstance(top, Epsilon) else top)
        found = Epsilon.rational(Fraction(ceil(nats * _PARTS), _PARTS))
    words = "Liu and Talwar 2019" if factor == 3 else "Papernot and Steinke 2022, Theorem 2"
    return Named(f"{words}: {factor} times the epsilon of one run", guarantee(found))


def _all_shown(one: PrivacyProfile, runs: Runs) -> Named | None:
    """Return the composition of all runs, if they are not too many."""
    if runs.most is None or runs.most > _MOST_SHOWN:
        return None
    return Named("what all runs show", compose([(one, max(runs.most, 1))]).both_directions())


def _up(value: Number) -> Fraction:
    return enclosure(value, relative_bits=BOUND_BITS).upper


@dataclass(frozen=True, slots=True, repr=False)
class ScaledProfile(PrivacyProfile):
    """An upper bound m·δ(ε − s) for ε >= 0, at most 1.

    Attributes:
        one: The profile with δ, in both directions.
        times: m, positive.
        shift: s, at least 0, in nats.
        corner: Where it is dominated by one pair: the ε up to which that has a line; else None.
    """

    one: PrivacyProfile
    times: Fraction
    shift: Fraction
    corner: Fraction | None = None

    reached = "bound"

    def dominating(self) -> tuple[Named, ...]:
        """Return the convex hull of the header, as its other attributes say it."""
        return (Named("", self if self.corner is not None else self._convex()),)

    def _convex(self) -> ScaledProfile:
        level = Exact(min(1 / (2 * self.times), Fraction(1, 2)))
        ends = [self.one.epsilon(level, relative_width=WIDE), self.one.max_divergence()]
        tops = [upper_end(end, WIDE) for end in ends]
        known = [
            top + more
            for top, more in zip(tops, (_LN_2, Fraction(0)), strict=True)
            if top is not None
        ]
        if not known:
            raise UndecidedError(
                "more than half of a run has an infinite loss: no pair dominates the best of "
                "several. Compose a profile that has less."
            )
        return replace(self, corner=self.shift + min(known))

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of the bound at an ε of any sign."""
        at = any_epsilon(epsilon)
        width = self.usual_width if relative_width is None else checked_width(relative_width)
        if self.corner is not None and at < (corner := Epsilon.rational(self.corner)):
            edge = self._beyond(corner, width)
            share = enclosed((at - corner).exp, width / 8)  # 1 − γ/γ_0·(1 − h)
        elif at.exp < 1:  # 1 − γ + γ·δ(−ε) of the other direction, which has the same bound
            edge, share = self._beyond(-at, width), enclosed(at.exp, width / 8)
        else:
            return self._beyond(at, width)
        return Enclosure(1 - share.upper * (1 - edge.lower), 1 - share.lower * (1 - edge.upper))

    def _beyond(self, at: Epsilon, width: Fraction) -> Enclosure:
        moved = at - Epsilon.rational(self.shift)
        found = enclosed(self.one.delta(moved, relative_width=width), width)
        ends = (min(self.times * end, Fraction(1)) for end in (found.lower, found.upper))
        return Enclosure(*ends)

    @property
    def usual_width(self) -> Fraction:
        """The usual width of one run."""
        return max(self.one.usual_width, Fraction(1, 10**6))

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        level = delta / Exact(self.times)
        if level < 1:
            found = self.one.epsilon(level, relative_width=width)
            if isinstance(found, Epsilon) and found.is_infinite:
                return found
            ends = enclosed(found.nats if isinstance(found, Epsilon) else found, width)
            if ends.lower > 0 and self.shift + ends.lower >= (self.corner or 0):
                return Enclosure(self.shift + ends.lower, self.shift + ends.upper)
        return PrivacyProfile._epsilon_within(self, delta, width)

    def max_divergence(self) -> Epsilon | Number:
        """Return s more than that of one run."""
        return _more(self.one.max_divergence(), self.shift)

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return s more than that of one run."""
        return _more(self.one.largest_finite_loss(), self.shift)

    def infinity_mass(self) -> Number:
        """Return m times that of one run, at most 1."""
        found = self.times * self.one.infinity_mass()
        return min(found, Exact(1)) if isinstance(found, Exact) else found

    def reversed(self) -> ScaledProfile:
        """Return itself: it bounds both directions."""
        return self

    def __repr__(self) -> str:
        return f"<{short(self.times)} times the delta of {self.one!r}>"


def _more(top: Epsilon | Number, shift: Fraction) -> Epsilon | Number:
    if isinstance(top, Epsilon):
        return top if top.is_infinite else top + Epsilon.rational(shift)
    return top + Exact(shift)
