"""Parts of a composition: profiles with their numbers of copies, as users give them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, TypeVar, cast

from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.nearby import NearLaws
from exactdp.errors import DomainError, number_of
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, power_of_kept
from exactdp.numbers.arguments import of_class, whole_number
from exactdp.sums import LossLaw
from exactdp.sums.compositions import is_soon_a_power

__all__ = ["composed_parts", "loss_law", "near_part", "pair_of", "parted"]
__all__ += ["added_numbers", "total_divergence", "total_infinity", "total_loss"]

_PAIRS = "Pass a list of (profile, number of copies), as [(one, 3), (other, 1)]."

Part = TypeVar("Part", bound=PrivacyProfile)


def near_part(part: PrivacyProfile, bits: int) -> NearLaws[Pair]:
    """Return short rational masses near those of noise on integers."""
    found: NearLaws[Pair] = cast("Any", part).near(bits)
    return found


def pair_of(part: PrivacyProfile) -> PrivacyProfile:
    """Return the exact pair of noise, where that is short; else the profile.

    Example:
        >>> from exactdp.mechanisms import binomial_mechanism
        >>> pair_of(binomial_mechanism(trials=1)).masses()
        [(Exact('1/2'), Exact('0')), (Exact('1/2'), Exact('1/2')), (Exact('0'), Exact('1/2'))]
    """
    found: PrivacyProfile = cast("Any", part).pair() if part.has_pair else part
    return found


def loss_law(part: PrivacyProfile) -> LossLaw:
    """Return the law of the privacy loss ln(P/Q) of a mechanism or a pair, under P.

    Raises:
        DomainError: If it is not known.

    Example:
        >>> from exactdp.divergences import Pair
        >>> loss_law(Pair.from_masses(["1/2", "1/2"], [1, 0])).infinity_mass
        Exact('1/2')
    """
    if part.has_loss_law:
        found: LossLaw = cast("Any", part).loss_law()
        return found
    if not part.has_losses:
        raise DomainError(
            f"{part!r} of type {type(part).__name__} has no privacy loss law here. Pass a noise "
            "mechanism or a finite pair, or compose it by ``compose``."
        )
    losses = cast("FiniteProfile", part).losses()
    return LossLaw.of_atoms(
        losses.atoms,
        infinity_mass=losses.infinity_mass(),
        minus_infinity_mass=losses.minus_infinity_mass(),
    )


def parted(
    parts: Iterable[tuple[PrivacyProfile, int]], *kinds: type[Part]
) -> tuple[list[tuple[Part, int]], list[tuple[PrivacyProfile, int]]]:
    """Return the parts that are of one of some classes, and the others, in their order.

    Example:
        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> parted([(coin, 2)], Pair) == ([(coin, 2)], [])
        True
    """
    found: list[tuple[Part, int]] = []
    others: list[tuple[PrivacyProfile, int]] = []
    for part, times in parts:
        if isinstance(part, kinds):
            found.append((part, times))
        else:
            others.append((part, times))
    return found, others


def total_loss(tops: Iterable[tuple[Epsilon | Number, int]]) -> Epsilon | Number:
    """Return the sum of losses, each a number of times; in nats where its exponential is long.

    Example:
        >>> total_loss([(Epsilon.log(2), 3), (Epsilon.log(3), 1)])
        Epsilon.log('24')
        >>> total_loss([(Epsilon.rational(2), 3), (Exact(1), 1)])
        Exact('7')
    """
    listed = list(tops)
    epsilons = [(top, times) for top, times in listed if isinstance(top, Epsilon)]
    if any(top.is_infinite for top, _ in epsilons):
        return Epsilon.infinity()
    if len(epsilons) == len(listed) and all(is_soon_a_power(x.exp, k) for x, k in epsilons):
        return sum((top * times for top, times in epsilons), Epsilon.log(1))
    nats = [(top.nats if isinstance(top, Epsilon) else top, times) for top, times in listed]
    return sum((times * top for top, times in nats), cast("Number", Exact(0)))


def total_infinity(parts: Iterable[tuple[PrivacyProfile, int]]) -> Number:
    """Return the mass of infinite losses of parts, each a number of times: 1 − Π(1 − m_i)^(n_i).

    Example:
        >>> from exactdp.divergences import Pair
        >>> total_infinity([(Pair.from_masses(["1/2", "1/2"], [1, 0]), 2)])
        Exact('3/4')
    """
    kept: Number = Exact(1)
    for part, times in parts:
        kept = kept * power_of_kept(1 - part.infinity_mass(), times)
    return 1 - kept


def added_numbers(parts: Iterable[tuple[PrivacyProfile, int]], order: Fraction) -> Number | None:
    """Return the sum of the Rényi divergences of parts; None if one is no number that is known.

    Example:
        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> added_numbers([(coin, 2)], Fraction(2))
        Real(1.6945957207744072: (2 * log(7/3)))
    """
    found: list[Number] = []
    for part, times in parts:
        one = part._renyi_at(order)
        if one is None or isinstance(one, Enclosure):
            return None
        found.append(times * one)
    return reduce(add, found)


def total_divergence(
    parts: Iterable[tuple[PrivacyProfile, int]], order: Fraction, width: Fraction
) -> Enclosure | Epsilon:
    """Return the sum of the Rényi divergences of parts, each to a relative width; or infinity.

    Example:
        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> print(f"{total_divergence([(coin, 2)], Fraction(2), Fraction(1, 10**6)):.4g}")
        [1.694, 1.695]
    """
    lower = upper = Fraction(0)
    for part, times in parts:
        one = part._renyi_within(order, width)
        if isinstance(one, Epsilon):
            return one
        lower, upper = lower + times * one.lower, upper + times * one.upper
    return Enclosure(lower, upper)


def composed_parts(
    parts: Iterable[tuple[Part, int]], kind: type = PrivacyProfile
) -> list[tuple[Part, int]]:
    """Return profiles of a class and their numbers of copies, at least 0.

    Raises:
        DomainError: If they are not a list of pairs, or not of the class, or a number is none.

    Example:
        >>> composed_parts([(3, 1)])
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: parts[0][0]=3 is of type int, not PrivacyProfile. \
Pass a list of (profile, number of copies), as [(one, 3), (other, 1)].
    """
    given = of_class(parts, Iterable, name="parts", advice=_PAIRS)
    return [_part(one, f"parts[{i}]", kind) for i, one in enumerate(given)]


def _part(one: tuple[Part, int], name: str, kind: type) -> tuple[Part, int]:
    if len(of_class(one, tuple, list, name=name, advice=_PAIRS)) != 2:
        raise DomainError(f"{name} has {number_of(len(one), 'entry')}, not two. {_PAIRS}")
    part, times = one
    of_class(part, kind, name=f"{name}[0]", advice=_PAIRS)
    return part, whole_number(times, name=f"the copies of {name}", at_least=0)
