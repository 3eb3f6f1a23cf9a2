"""Chernoff's bound: δ from above by Rényi divergences, certified, however small δ is.

Over the finite losses a divergence of any order bounds δ and ε (``renyi_rows``); with the mass of
L = ∞ that is a bound of all. Which order says the most is sought.

References: C. Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for Differential
Privacy, NeurIPS 2020, Proposition 12 (the same, with an infimum over λ).

A bound of 1e-300 takes about twenty divergences, milliseconds each; δ itself may take minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Protocol

from flint import arb

from exactdp.divergences.proposals.searches import lowest_place
from exactdp.divergences.renyi_rows import RenyiRow
from exactdp.divergences.values import BOUND_BITS
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, Number, is_below, precision
from exactdp.numbers.balls import endpoints, floor_of
from exactdp.numbers.effort import NO_ANSWER, first_answer
from exactdp.truth import Truth

__all__ = ["Bounded", "Curve", "best_row", "chernoff_bound", "chernoff_epsilon", "is_beyond_all"]

_OCTAVE = 64
"""Places of λ that an octave has. Any λ gives a bound: a finer search only lowers it."""

_ROUGH, _NARROW = Fraction(1, 10**4), Fraction(1, 10**14)
"""The relative width of a divergence while λ is sought, and where it becomes the bound."""


class Curve(Protocol):
    """Bounds of the Rényi divergences of a pair of neighbors."""

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss, or more."""
        ...

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return an upper bound of D_a over the finite losses, a > 1; None if none is known."""
        ...


class Bounded(Curve, Protocol):
    """A curve of one profile or of several together, which may have infinite losses."""

    @property
    def has_renyi(self) -> bool:
        """True if Rényi divergences are known beside δ."""
        ...

    def infinity_mass(self) -> Number:
        """Return the mass of infinite losses."""
        ...


def chernoff_bound(
    profile: Bounded,
    epsilon: Epsilon,
    *,
    enough: Exact | None = None,
) -> Fraction | None:
    """Return a certified upper bound of δ(ε); None where Rényi divergences are not known.

    Args:
        profile: The profile.
        epsilon: ε in nats.
        enough: The bound need not be lower than this.

    Example:
        A Gaussian of σ = 1 at ε = 30, where δ is 4.7e-193:

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> bound = chernoff_bound(gaussian_mechanism(sigma=1), Epsilon.rational(30))
        >>> Fraction(1, 10**192) < bound < Fraction(1, 10**189)
        True
    """
    if is_beyond_all(profile, epsilon).is_certain:
        return Fraction(0)
    if not profile.has_renyi:  # one that is computed from δ is dearer than δ
        return None

    nats, infinite = epsilon.nats.ball(BOUND_BITS), _infinite(profile)
    goal = enough.ball(BOUND_BITS).log() if enough is not None and enough > 0 else None
    row = best_row(profile, lambda row: row.log_delta(nats), goal)
    if row is None:
        return None
    with precision(BOUND_BITS):
        return min(Fraction(1), endpoints(row.delta(nats) + infinite)[1])


def chernoff_epsilon(profile: Bounded, delta: Exact) -> tuple[Fraction, Fraction] | None:
    """Return a certified upper bound of ε(δ), and the order of the divergence it comes from.

    None where Rényi divergences are not known, or δ is not above the mass of infinite losses.

    Args:
        profile: The profile.
        delta: δ, above 0.

    Example:
        A Gaussian of σ = 1 has δ = 1e-5 at ε = 4.38:

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> bound, order = chernoff_epsilon(gaussian_mechanism(sigma=1), Exact("1e-5"))
        >>> Fraction("4.7") < bound < Fraction("4.8"), 5 < order < 6
        (True, True)
    """
    left = delta
    if profile.infinity_mass() != Exact(0):
        with precision(BOUND_BITS):  # no longer than δ needs
            infinite = _infinite(profile).max(delta.ball(BOUND_BITS) / 2**BOUND_BITS)
        left = delta - Exact(endpoints(infinite)[1])
    if left <= 0 or not profile.has_renyi:
        return None
    with precision(BOUND_BITS):
        log = left.ball(BOUND_BITS).log()
    row = best_row(profile, lambda row: row.nats(log))
    if row is None:
        return None
    with precision(BOUND_BITS):
        return max(Fraction(0), endpoints(row.nats(log))[1]), 1 + row.power


def is_beyond_all(profile: Bounded, epsilon: Epsilon) -> Truth:
    """Return whether no loss exceeds ε, so that δ(ε) = 0.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> is_beyond_all(laplace_mechanism(scale=1), Epsilon.rational(1))
        <Truth.TRUE: 'true'>
    """
    top = profile.max_divergence()
    if isinstance(top, Epsilon):
        return Truth.of(top <= epsilon)
    return ~is_below(epsilon.nats, top, max_bits=1 << 10)


def _infinite(profile: Bounded) -> arb:
    """Return the mass of L = ∞; its ends may be long fractions."""
    mass = profile.infinity_mass()
    return arb(0) if mass == Exact(0) else mass.ball(BOUND_BITS)


def best_row(
    profile: Bounded, function: Callable[[RenyiRow], arb], goal: arb | None = None
) -> RenyiRow | None:
    """Return a bound of D_(1 + λ) of which a function is about the least, or below a goal.

    The function falls and then rises in λ. None where no divergence is known.
    """

    def value(place: int) -> arb | None:
        row = first_answer(partial(_row, profile, place, _ROUGH), lambda: None, refusals=NO_ANSWER)
        with precision(BOUND_BITS):
            return None if row is None else function(row)

    found = lowest_place(value, 2 * _OCTAVE, goal)
    width = _NARROW if profile.has_renyi else _ROUGH
    return None if found is None else _row(profile, found, width)


def _row(profile: Bounded, place: int, width: Fraction) -> RenyiRow:
    """Return an upper bound of D_a over the finite losses; none is a DomainError."""
    power = _power(place)
    found = profile.renyi_bound(1 + power, width=width)
    if found is None:
        raise DomainError("the divergence is infinite, or not known. Ask for another order.")
    return RenyiRow(power, found)


def _power(place: int) -> Fraction:
    """Return the λ at a place: 2^(place/_OCTAVE) to a 4096th, kept between 2^−8 and 2^14."""
    place = min(max(-8 * _OCTAVE, place), 14 * _OCTAVE)
    with precision(BOUND_BITS):
        return Fraction(int(floor_of(4096 * arb(2) ** (arb(place) / _OCTAVE))), 4096)
