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

from exactdp.divergences.renyi_rows import RenyiRow
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, Number, fmpq_of, is_below, precision
from exactdp.numbers.balls import endpoints, floor_of
from exactdp.numbers.effort import NO_ANSWER, first_answer
from exactdp.truth import Truth

__all__ = ["Bounded", "chernoff_bound", "chernoff_epsilon", "is_beyond_all"]

_OCTAVE = 64
"""Places of λ that an octave has. Any λ gives a bound: a finer search only lowers it."""

_COARSE, _FINE = 16, 1
"""The last step of a search for λ, in places: at first, and where that is nearly enough."""

_ROUGH, _NARROW = Fraction(1, 10**4), Fraction(1, 10**14)
"""The relative width of a divergence while λ is sought, and where it becomes the bound."""

_BITS = 128
"""Bits of the balls: they hold the rounding, and so few widen no bound that anybody prints."""

_GAIN = 1 / 16
"""The part of a bound's logarithm that a finer search may gain.

An order that is a quarter of an octave off loses less."""


class Bounded(Protocol):
    """Bounds of the Rényi divergences: of a profile, or of several together."""

    @property
    def has_renyi(self) -> bool:
        """Whether Rényi divergences are known beside δ."""
        ...

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss, or more."""
        ...

    def infinity_mass(self) -> Number:
        """Return the mass of infinite losses."""
        ...

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return an upper bound of D_a over the finite losses, a > 1; None if none is known."""
        ...


def chernoff_bound(
    profile: Bounded,
    epsilon: Epsilon,
    *,
    enough: Exact | None = None,
    is_near: bool = False,
) -> Fraction | None:
    """Return a certified upper bound of δ(ε); None where Rényi divergences are not known.

    Args:
        profile: The profile.
        epsilon: ε in nats.
        enough: The bound need not be lower than this; a bit above it, it is sought for longer.
        is_near: Whether it is sought for longer in any case.

    Example:
        A Gaussian of σ = 1 at ε = 30, where δ is 4.7e-193:

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> bound = chernoff_bound(gaussian_mechanism(sigma=1), Epsilon.rational(30))
        >>> Fraction(1, 10**192) < bound < Fraction(1, 10**189)
        True
    """
    if is_beyond_all(profile, epsilon).is_certain:
        return Fraction(0)

    nats, infinite = epsilon.nats.ball(_BITS), _infinite(profile)
    goal = enough.ball(_BITS).log() if enough is not None and enough > 0 else None
    orders = _Orders(profile, lambda row: row.log_delta(nats))
    best = Fraction(1)
    once = (_FINE,) if is_near else (_COARSE,)
    for step in once if goal is None else (_COARSE, _FINE):
        power = orders.lowest(step, goal)
        if power is None:
            return None
        row = orders.row(power, _NARROW)
        with precision(_BITS):
            best = min(best, endpoints(row.delta(nats) + infinite)[1])
        if enough is None or goal is None or best <= enough or not _is_nearly(best, goal):
            break
    return best


def chernoff_epsilon(
    profile: Bounded, delta: Exact, *, is_near: bool = False
) -> tuple[Fraction, Fraction] | None:
    """Return a certified upper bound of ε(δ), and the order of the divergence it comes from.

    None where Rényi divergences are not known, or δ is not above the mass of infinite losses.

    Args:
        profile: The profile.
        delta: δ, above 0.
        is_near: Whether the least of all orders is sought for longer.

    Example:
        A Gaussian of σ = 1 has δ = 1e-5 at ε = 4.38:

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> bound, order = chernoff_epsilon(gaussian_mechanism(sigma=1), Exact("1e-5"))
        >>> Fraction("4.7") < bound < Fraction("4.8"), 5 < order < 6
        (True, True)
    """
    left = delta
    if profile.infinity_mass() != Exact(0):
        with precision(_BITS):  # no longer than δ needs
            infinite = _infinite(profile).max(delta.ball(_BITS) / 2**_BITS)
        left = delta - Exact(endpoints(infinite)[1])
    if left <= 0:
        return None
    with precision(_BITS):
        log = left.ball(_BITS).log()
    orders = _Orders(profile, lambda row: row.nats(log))
    power = orders.lowest(_FINE if is_near else _COARSE)
    if power is None:
        return None
    row = orders.row(power, _NARROW)
    with precision(_BITS):
        return max(Fraction(0), endpoints(row.nats(log))[1]), 1 + power


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
    return arb(0) if mass == Exact(0) else mass.ball(_BITS)


def _is_nearly(bound: Fraction, goal: arb) -> bool:
    """Return whether narrower steps in the order may bring a bound below a goal, a logarithm."""
    with precision(_BITS):
        return bool(arb(fmpq_of(bound)).log() < goal * (1 - _GAIN) + _GAIN)


class _Orders:
    """A function of a bound at λ = a − 1 that falls and then rises in λ, on a ladder of λ."""

    def __init__(self, profile: Bounded, function: Callable[[RenyiRow], arb]) -> None:
        self.profile = profile
        self.function = function
        # A divergence that is computed from δ is dearer than δ; some worst pairs know δ alone.
        self.is_known = profile.has_renyi
        self._values: dict[Fraction, arb | None] = {}
        self._here = 2 * _OCTAVE

    def row(self, power: Fraction, width: Fraction) -> RenyiRow:
        """Return an upper bound of D_a over the finite losses; none is a DomainError."""
        found = self.profile.renyi_bound(1 + power, width=width)
        if found is None:
            raise DomainError("the divergence is infinite, or not known. Ask for another order.")
        return RenyiRow(power, found)

    def lowest(self, last_step: int, goal: arb | None = None) -> Fraction | None:
        """Return a λ whose value is below a goal, or is the least found; None if none is known.

        The search goes downhill, in steps that are halved down to the last one.
        """
        step = 2 * _OCTAVE
        while step >= last_step:
            here = self.value(_power(self._here))
            if here is not None and goal is not None and here < goal:
                break
            if self._is_lower(self._here + step, here):
                self._here += step
            elif self._is_lower(self._here - step, here):
                self._here -= step
            else:
                step //= 2
        power = _power(self._here)
        return None if self.value(power) is None else power

    def value(self, power: Fraction) -> arb | None:
        """Return the function at λ, roughly; None if D_a is infinite or not known."""
        if not self.is_known:
            return None
        if power not in self._values:
            row = first_answer(partial(self.row, power, _ROUGH), lambda: None, refusals=NO_ANSWER)
            with precision(_BITS):
                self._values[power] = None if row is None else self.function(row)
        return self._values[power]

    def _is_lower(self, place: int, here: arb | None) -> bool:
        """Return whether the value at a place is known and below ``here``."""
        there = self.value(_power(place))
        return there is not None and (here is None or bool(there < here))


def _power(place: int) -> Fraction:
    """Return the λ at a place: 2^(place/_OCTAVE) to a 4096th, kept between 2^−8 and 2^14."""
    place = min(max(-8 * _OCTAVE, place), 14 * _OCTAVE)
    with precision(_BITS):
        return Fraction(int(floor_of(4096 * arb(2) ** (arb(place) / _OCTAVE))), 4096)
