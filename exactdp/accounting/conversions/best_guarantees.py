"""The best guarantee of a kind that a profile keeps: its ρ, its μ and its Rényi curve.

For ρ = sup of D_a/a over a > 1, let k(λ) = λD_(1 + λ), which is convex. Between two λ it is at
most its chord A + sλ, A <= 0; (A + sλ)/(λ(1 + λ)) rises up to λ* = (−A + √(A² − sA))/s, where it
is s/(1 + 2λ*), and falls from there on. Up to the least λ, D_a/a is at most D_(1 + λ); beyond the
largest, at most D_∞/(1 + λ).

References: M. Bun and T. Steinke, Concentrated Differential Privacy, 2016; J. Dong, A. Roth and
W. Su, Gaussian Differential Privacy, 2022; I. Mironov, Rényi Differential Privacy, 2017.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce

from flint import arb

from exactdp.divergences import FiniteProfile, PrivacyProfile, trade_off_function
from exactdp.divergences.values import BOUND_BITS, enclosed, largest
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import GaussianMechanism
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    fmpq_of,
    normal_score,
    precision,
    short,
)
from exactdp.numbers.arguments import of_class, renyi_order
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints
from exactdp.numbers.reals import larger_number

__all__ = ["divergence", "renyi_curve", "smallest_gdp", "smallest_zcdp"]

_NARROW, _WIDE = Fraction(1, 10**9), Fraction(1, 10**3)
"""The relative width of a divergence that has a formula, and of one that comes from δ."""

_ORDERS = 2_000
"""Orders at which a divergence is asked, at most."""

_PROFILE = "Pass a profile, such as laplace_mechanism(scale=2)."
"""The way out of what is not a profile."""


def smallest_zcdp(
    profile: PrivacyProfile, *, relative_width: RationalLike = "1e-6"
) -> Number | Enclosure:
    """Return the smallest ρ for which a profile is ρ-zCDP, in both directions.

    Formula:
        ρ = sup over a > 1 of D_a/a, of D_a(P ‖ Q) and of D_a(Q ‖ P).

    Args:
        profile: Gaussian noise, also on integers, or what has bounded losses.
        relative_width: The width of the enclosure, at most this times ρ.

    Returns:
        Δ²/(2σ²) as a number for Gaussian noise; ρ itself for ρ-zCDP. Else an enclosure: all orders
        are covered by intervals, between which λD_(1 + λ) is at most its chord.

    Raises:
        DomainError: If P or Q has mass where the other has none: there is no ρ.
        UndecidedError: If losses are unbounded, and not those of Gaussian noise, or the width is
            not reached.

    Source:
        Bun & Steinke 2016, Definition 1.1. ε-privacy is (ε²/2)-zCDP (Proposition 1.4); of
        randomized response ρ is D_1 = ε·tanh(ε/2).

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> smallest_zcdp(gaussian_mechanism(sigma=2))
        Exact('1/8')
        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> print(smallest_zcdp(coin))  # (ln 3)/2 = 0.5493061
        [0.549306121, 0.549306253]
    """
    width = checked_width(relative_width)
    sides = _sides(profile)
    known = [rho for rho in (side.known_rho for side in sides) if rho is not None]
    if len(known) == len(sides):
        return reduce(larger_number, known)
    return largest([_Cover(side, width / 4).enclosed() for side in sides])


def smallest_gdp(profile: PrivacyProfile) -> Number:
    """Return the smallest μ for which a profile is μ-GDP.

    Formula:
        μ = max over the vertices (α, β) of T(P, Q) of Φ⁻¹(1 − α) − Φ⁻¹(β): G_μ is convex, and so
        below T between two vertices if it is at both.

    Args:
        profile: Gaussian noise, a finite pair, or what has finitely many losses.

    Returns:
        A number: 0 if P = Q.

    Raises:
        DomainError: If it is another profile, or P or Q has mass where the other has none: then
            there is no μ.

    Source:
        Dong, Roth & Su 2022, Definition 2.6.

    Example:
        A coin of 3/4 or 1/4 has one vertex, (1/4, 1/4), and μ = 2Φ⁻¹(3/4):

        >>> from exactdp.divergences import Pair
        >>> from exactdp.numbers import decimal
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> decimal(smallest_gdp(coin), digits=6)
        '1.34898'
    """
    if profile.worst_of():
        return reduce(larger_number, [smallest_gdp(one) for one in profile.worst_of()])
    if isinstance(profile, GaussianMechanism):
        return profile.mu
    advice = "Pass a finite pair or Gaussian noise: of others no μ is certified."
    of_class(profile, FiniteProfile, name="profile", advice=advice)
    assert isinstance(profile, FiniteProfile)
    _refuse_failure(profile, "mu")
    inner = [(a, b) for a, b in trade_off_function(profile).vertices if 0 < a < 1]
    scores: list[Number] = [normal_score(a) + normal_score(b) for a, b in inner]
    return reduce(larger_number, scores) if scores else Exact(0)


def renyi_curve(
    profile: PrivacyProfile,
    orders: Iterable[RationalLike],
    *,
    relative_width: RationalLike | None = None,
) -> dict[Fraction, Enclosure]:
    """Return the Rényi divergences of a profile at some orders, the larger of both directions.

    Args:
        profile: A profile.
        orders: The orders, above 0 and not 1.
        relative_width: The width of each enclosure; 1e-9 if it has a formula, 1e-3 if not.

    Returns:
        Enclosures by their orders, which :func:`from_renyi` takes, by their upper ends.

    Raises:
        DomainError: If a divergence is infinite.
        UndecidedError: If a width is not reached.

    Source:
        Mironov 2017, Definition 4.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> renyi_curve(gaussian_mechanism(sigma=2), [2])[Fraction(2)].upper
        Fraction(1, 4)
    """
    of_class(profile, PrivacyProfile, name="profile", advice=_PROFILE)
    listed = of_class(orders, Iterable, name="orders", advice="Pass a list such as [2, 4].")
    width = None if relative_width is None else checked_width(relative_width)
    return {
        order: largest([divergence(side, order, width) for side in _sides(profile)])
        for order in map(renyi_order, listed)
    }


def _sides(profile: PrivacyProfile) -> list[PrivacyProfile]:
    """Return all directions of a profile, or of several."""
    of_class(profile, PrivacyProfile, name="profile", advice=_PROFILE)
    inner = profile.worst_of() if profile.has_all_pairs else (profile,)
    found: list[PrivacyProfile] = []
    for one in inner:
        other = one.reversed()
        found += [one] if other is one or other == one else [one, other]
    return found


def divergence(side: PrivacyProfile, order: Fraction, width: Fraction | None = None) -> Enclosure:
    """Return D_a of one direction; to 1e-9 if it has a formula and no width is given, else 1e-3.

    Raises:
        DomainError: If it is infinite.
    """
    asked = width or (_NARROW if side.has_renyi else _WIDE)
    found = side.renyi(order, relative_width=asked)
    if isinstance(found, Epsilon):
        raise DomainError(
            f"the divergence of order {short(order)} is infinite: P has mass that Q lacks. "
            "Leave the order out."
        )
    return enclosed(found, asked)


def _refuse_failure(side: PrivacyProfile, name: str) -> None:
    if side.infinity_mass() != Exact(0) or side.reversed().infinity_mass() != Exact(0):
        raise DomainError(
            f"there is no {name}: P or Q has mass where the other has none. "
            "Ask for the smallest epsilon of a delta."
        )


class _Cover:
    """The supremum of D_a/a over a > 1, of one direction, by intervals of λ = a − 1."""

    def __init__(self, side: PrivacyProfile, width: Fraction) -> None:
        _refuse_failure(side, "rho")
        top = side.loss_bound()
        if isinstance(top, Epsilon):
            if top.is_infinite:
                raise UndecidedError(
                    "no rho is certified, as losses are unbounded, and not those of Gaussian "
                    "noise. Ask for renyi_curve at the orders that matter."
                )
            top = top.nats
        self.side, self.width = side, width
        with precision(BOUND_BITS):
            self.top = endpoints(top.ball(BOUND_BITS))[1]
        self.known: dict[Fraction, Enclosure] = {}

    def enclosed(self) -> Enclosure:
        """Return the supremum to the width."""
        if self.top <= 0:
            return Enclosure(Fraction(0), Fraction(0))
        last = Fraction(1)
        left = [(self._most(Fraction(0), last), Fraction(0), last)]
        while True:
            low = max(one.lower / (1 + x) for x, one in self.known.items())
            high, start, end = max(left)
            if self.top / (1 + last) > max(high, low):
                left.append((self._most(last, 2 * last), last, 2 * last))
                last *= 2
                continue
            if high <= low * (1 + self.width):
                return Enclosure(low, max(high, low))
            if len(self.known) > _ORDERS:
                raise UndecidedError(
                    f"rho is not told to a relative width of {self.width} by {_ORDERS} orders. "
                    "Ask for a larger relative_width."
                )
            left.remove((high, start, end))
            middle = (start + end) / 2
            left += [
                (self._most(start, middle), start, middle),
                (self._most(middle, end), middle, end),
            ]

    def _at(self, power: Fraction) -> Enclosure:
        if power not in self.known:
            self.known[power] = divergence(self.side, 1 + power, self.width / 16)
        return self.known[power]

    def _most(self, start: Fraction, end: Fraction) -> Fraction:
        """Return a bound of D_a/a on an interval of λ."""
        right = self._at(end).upper
        if start == 0:
            return Fraction(right)
        with precision(BOUND_BITS):
            x, y = arb(fmpq_of(start)), arb(fmpq_of(end))
            low, high = x * arb(fmpq_of(self._at(start).upper)), y * arb(fmpq_of(right))
            slope = (high - low) / (y - x)
            level = low - slope * x
            if not (slope > 0 and level < 0):
                return endpoints(low.max(high) / (x * (1 + x)))[1]
            peak = (-level + (level * level - slope * level).sqrt()) / slope
            most = slope / (1 + 2 * peak)
            if peak < x or peak > y:
                most = (low / (x * (1 + x))).max(high / (y * (1 + y)))
            return endpoints(most)[1]
