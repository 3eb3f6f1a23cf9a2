"""Chernoff's bound: δ from above by Rényi divergences, certified, however small δ is.

Max over t >= 0 of (1 − e^−t)e^(−λt) is λ^λ/(1 + λ)^(1 + λ), at e^−t = λ/(1 + λ), so

    E max(0, 1 − e^(ε − L)) <= e^(λ(D_(1 + λ) − ε)) λ^λ/(1 + λ)^(1 + λ), λ > 0,

over the finite losses, D_(1 + λ) = ln E[e^(λL); L < ∞]/λ; with the mass of L = ∞ that is δ(ε) or
more. So it is at most δ' from

    ε = D_a + (ln(1/δ') + (a − 1) ln(1 − 1/a) − ln a)/(a − 1)

on, a = 1 + λ: with this ε the exponent λ(D_a − ε) is ln δ' + a ln a − (a − 1) ln(a − 1).

References: C. Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for Differential
Privacy, NeurIPS 2020, Proposition 12 (the same, with an infimum over λ).

A bound of 1e-300 takes about twenty divergences, milliseconds each; δ itself may take minutes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Protocol, runtime_checkable

from flint import arb

from exactdp.divergences.profile import Largest, PrivacyProfile, enclosed
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import Epsilon, Exact, Number, fmpq_of, is_below, precision
from exactdp.numbers.balls import endpoints, floor_of
from exactdp.truth import Truth

__all__ = [
    "RenyiBounds",
    "chernoff_bound",
    "chernoff_epsilon",
    "is_beyond_all",
    "likely_epsilon",
    "renyi_bound",
    "renyi_within",
]

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

_LOWEST = -(2**20)
"""The logarithm of the lowest bound: lower ones are raised to it, as they have too many digits."""


class RenyiBounds(ABC):
    """What is known by bounds of its Rényi divergences, and no profile: δ is bounded alone."""

    @abstractmethod
    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss, or more."""

    @abstractmethod
    def infinity_mass(self) -> Number:
        """Return the mass of infinite losses."""

    @abstractmethod
    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return what :func:`renyi_bound` does."""


_Bounded = PrivacyProfile | RenyiBounds


def chernoff_bound(
    profile: _Bounded,
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
    if isinstance(profile, HasChernoffBound):
        return profile.chernoff_bound(epsilon)
    if is_beyond_all(profile, epsilon).is_certain:
        return Fraction(0)

    def log_bound(power: arb, top: arb) -> arb:
        return power * (top - epsilon.nats.ball(_BITS)) - _entropy(power)

    goal = enough.ball(_BITS).log() if enough is not None and enough > 0 else None
    orders = _Orders(profile, log_bound)
    best, infinite = Fraction(1), _infinite(profile)
    once = (_FINE,) if is_near else (_COARSE,)
    for step in once if goal is None else (_COARSE, _FINE):
        power = orders.lowest(step, goal)
        if power is None:
            return None
        with precision(_BITS):
            top = arb(fmpq_of(orders.divergence(power, _NARROW)))
            log = log_bound(arb(fmpq_of(power)), top).max(arb(_LOWEST))
            best = min(best, endpoints(log.exp() + infinite)[1])
        if enough is None or goal is None or best <= enough or not _is_nearly(best, goal):
            break
    return best


def chernoff_epsilon(
    profile: _Bounded, delta: Exact, *, is_near: bool = False
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

    def epsilon(power: arb, top: arb) -> arb:
        return top - (_entropy(power) + left.ball(_BITS).log()) / power

    orders = _Orders(profile, epsilon)
    power = orders.lowest(_FINE if is_near else _COARSE)
    if power is None:
        return None
    with precision(_BITS):
        top = arb(fmpq_of(orders.divergence(power, _NARROW)))
        return max(Fraction(0), endpoints(epsilon(arb(fmpq_of(power)), top))[1]), 1 + power


def is_beyond_all(profile: _Bounded, epsilon: Epsilon) -> Truth:
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


def likely_epsilon(profile: PrivacyProfile, delta: Exact) -> Fraction | None:
    """Return about the ε >= 0 at which δ(ε) is a number above 0: a proposal, no bound.

    Example:
        A Gaussian of σ = 1 has δ = 1e-5 at ε = 4.38; by the bound it would be 4.75.

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> round(likely_epsilon(gaussian_mechanism(sigma=1), Exact("1e-5")), 1)
        Fraction(47, 10)
    """
    if isinstance(profile, Largest):
        return likely_epsilon(profile.profiles[0], delta)

    def epsilon(power: arb, top: arb) -> arb:
        return top - (_entropy(power) + delta.ball(_BITS).log()) / power

    orders = _Orders(profile, epsilon)
    power = orders.lowest(_COARSE)
    found = None if power is None else orders.value(power)
    return None if found is None else max(Fraction(0), endpoints(found)[0])


@runtime_checkable
class HasChernoffBound(Protocol):
    """A profile whose δ has such a bound of its own, such as one by joint moments of two counts."""

    def chernoff_bound(self, epsilon: Epsilon) -> Fraction:
        """Return an upper bound of δ(ε)."""
        ...


@runtime_checkable
class HasRenyiBound(Protocol):
    """A profile whose Rényi divergences have bounds where they are too large to compute."""

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return what :func:`renyi_bound` does."""
        ...


def renyi_bound(profile: _Bounded, order: Fraction, *, width: Fraction) -> Fraction | None:
    """Return an upper bound of D_a over the finite losses, a = order > 1; None if none is known.

    It is within a relative width where D_a is not too large to compute.

    Raises:
        TooLargeError: If it is, and has no other bound.
        UndecidedError: If the width is not reached.
    """
    if isinstance(profile, HasRenyiBound | RenyiBounds):
        return profile.renyi_bound(order, width=width)
    if isinstance(profile, Largest) and profile.has_all_pairs:
        bounds = [renyi_bound(one, order, width=width) for one in profile.profiles]
        known = [bound for bound in bounds if bound is not None]
        return max(known) if len(known) == len(bounds) else None
    return renyi_within(profile, order, width=width)


def renyi_within(profile: PrivacyProfile, order: Fraction, *, width: Fraction) -> Fraction | None:
    """Return an upper bound of D_a over the finite losses, within a relative width.

    None if no divergence is known.
    """
    if profile.infinity_mass() == Exact(0):
        found = profile.renyi(order, relative_width=width)
        return None if isinstance(found, Epsilon) else enclosed(found, width).upper
    number = profile._renyi_at(order)  # a sum over the finite losses, wherever there is one
    return None if number is None else enclosed(number, width).upper


def _infinite(profile: _Bounded) -> arb:
    """Return the mass of L = ∞; its ends may be long fractions."""
    mass = profile.infinity_mass()
    return arb(0) if mass == Exact(0) else mass.ball(_BITS)


def _is_nearly(bound: Fraction, goal: arb) -> bool:
    """Return whether narrower steps in the order may bring a bound below a goal, a logarithm."""
    with precision(_BITS):
        return bool(arb(fmpq_of(bound)).log() < goal * (1 - _GAIN) + _GAIN)


def _entropy(x: arb) -> arb:
    """Return (1 + x)·ln(1 + x) − x·ln x."""
    return (1 + x) * (1 + x).log() - x * x.log()


class _Orders:
    """A function of λ = a − 1 and D_a that falls and then rises in λ, on a ladder of λ."""

    def __init__(self, profile: _Bounded, function: Callable[[arb, arb], arb]) -> None:
        self.profile = profile
        self.function = function
        # A divergence that is computed from δ is dearer than δ; some worst pairs know δ alone.
        self.is_known = True
        if not isinstance(profile, Largest | RenyiBounds):
            self.is_known = False
            with suppress(DomainError):
                self.is_known = profile._renyi_at(Fraction(5, 2)) is not None
        self._values: dict[Fraction, arb | None] = {}
        self._here = 2 * _OCTAVE

    def divergence(self, power: Fraction, width: Fraction) -> Fraction:
        """Return an upper bound of D_a over the finite losses; none is a DomainError."""
        found = renyi_bound(self.profile, 1 + power, width=width)
        if found is None:
            raise DomainError("the divergence is infinite, or not known. Ask for another order.")
        return found

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
            try:
                top = self.divergence(power, _ROUGH)
            except (DomainError, TooLargeError, UndecidedError):
                self._values[power] = None
                return None
            with precision(_BITS):
                self._values[power] = self.function(arb(fmpq_of(power)), arb(fmpq_of(top)))
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
