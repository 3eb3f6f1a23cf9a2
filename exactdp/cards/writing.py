"""Cards are written: a grid is chosen, and the number that it shows is found."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from math import ceil, floor, log2, log10
from typing import Any, Literal

from exactdp.accounting.groups.group_profiles import group_profile
from exactdp.cards.card import Card
from exactdp.cards.deployed import Part, parts_of
from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Epsilon, Exact, RationalLike, Rounding, float_above, float_below
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.validated import validated
from proofs_check.kernel import cards
from proofs_check.kernel.results import STEPS, RefusedError

__all__ = ["certify", "refute"]

Neighbors = Literal["add_or_remove", "replace"]

_NEAR = Fraction(1, 200)
"""The relative distance from the truth up to which a grid is kept."""

_WIDTH = Fraction(1, 1000)
"""The relative width to which the truth is asked for."""

_FIRST_POINTS, _MORE = 1500, Fraction(3, 2)
"""Points of the coarsest grid, and by how much more points a finer one has."""

_GRIDS = 7
"""Grids that are tried, each twice as fine as the one before."""

_PLACES = 40
"""The places of a decimal, at most."""

_FEW_PLACES = 3
"""The places up to which a small number is written without an exponent."""

_SPARE_BITS = 8
"""Bits of masses beyond those that products need."""

_LEAST = Fraction(1, 10**30)
"""The smallest δ by which a window is chosen."""

_SECONDS = 20
"""The work of a kernel that a card may ask for."""


@validated
def certify(
    profile: PrivacyProfile,
    *,
    epsilon: RationalLike | None = None,
    delta: RationalLike,
    neighbors: Neighbors | None = None,
    group: int = 1,
    relative_width: RationalLike = _NEAR,
    label: str = "",
) -> Card:
    """Return a card that a deployment is (ε, δ)-private.

    Args:
        profile: What is deployed: noise, Poisson samples, finite pairs, guarantees, compositions.
        epsilon: ε in nats; by default the smallest one of four digits that a grid shows.
        delta: δ.
        neighbors: What differs between neighbors; by default "replace" where a part is a batch of
            a fixed size or a shuffle, else "add_or_remove".
        group: How many records differ.
        relative_width: How far from the truth ε may be, by default 1/200. A finer grid is larger,
            and takes longer to check.
        label: A text that is printed as it is, and means nothing.

    Raises:
        DomainError: If a card cannot say what is deployed, or the claim is false.
        TooLargeError: If no grid shows the claim that a kernel checks in some 20 seconds.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> card = certify(gaussian_mechanism(sigma=1), delta="1e-5")
        >>> card.content["epsilon"]  # the truth is 4.37718
        '4.378'
    """
    more = (neighbors, whole_number(group, name="group", at_least=1), label)
    return _written(profile, delta, epsilon, more, relative_width, above=True)


@validated
def refute(
    profile: PrivacyProfile,
    *,
    epsilon: RationalLike | None = None,
    delta: RationalLike,
    neighbors: Neighbors | None = None,
    group: int = 1,
    relative_width: RationalLike = _NEAR,
    label: str = "",
) -> Card:
    """Return a card that a deployment is not (ε, δ)-private: some neighbors have a larger δ.

    Args:
        profile: What is deployed; no guarantee.
        epsilon: ε in nats; by default the largest one of four digits that a grid refutes.
        delta: δ.
        neighbors: What differs between neighbors; by default "replace" where a part is a batch of
            a fixed size or a shuffle, else "add_or_remove".
        group: How many records differ.
        relative_width: How far from the truth ε may be, by default 1/200. A finer grid is larger,
            and takes longer to check.
        label: A text that is printed as it is, and means nothing.

    Raises:
        DomainError: If a card cannot say what is deployed, or the claim is true.
        TooLargeError: If no grid refutes the claim that a kernel checks in some 20 seconds.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> card = refute(gaussian_mechanism(sigma=1), delta="1e-5")
        >>> card.content["epsilon"]  # the truth is 4.37718
        '4.377'
    """
    more = (neighbors, whole_number(group, name="group", at_least=1), label)
    return _written(profile, delta, epsilon, more, relative_width, above=False)


def _written(
    profile: PrivacyProfile,
    delta: RationalLike,
    epsilon: RationalLike | None,
    said: tuple[Neighbors | None, int, str],
    relative_width: RationalLike,
    *,
    above: bool,
) -> Card:
    most, near = _fraction(delta, "delta"), _fraction(relative_width, "relative_width")
    parts = list(parts_of(profile, Rounding.DOWN if above else Rounding.UP))
    if not 0 <= most < 1:
        raise DomainError(f"delta={delta} is not from 0 to 1, and below 1. Give a probability.")
    if near <= 0:
        raise DomainError(f"relative_width={relative_width} is not above 0. Give one such as 1e-3.")
    replaced = any(part.is_of_replaced for part in parts)
    if replaced and said[0] == "add_or_remove":
        raise DomainError(
            "neighbors='add_or_remove' is not said of batches of a fixed size and of shuffles, "
            "where a record is replaced. Pass neighbors='replace'."
        )
    keys: dict[str, Any] = {"neighbors": said[0] or ("replace" if replaced else "add_or_remove")}
    keys |= {"label": said[2]} if said[2] else {}
    content_of = partial(_content, parts, most, above=above, group=said[1], more=keys)
    sought = None if epsilon is None else _fraction(epsilon, "epsilon")
    truth = _truth(group_profile(profile, said[1]), most, min(near / 4, _WIDTH), above=above)
    if sought is not None and (
        sought < truth * (1 - _WIDTH) if above else sought > truth * (1 + _WIDTH)
    ):
        what = "false" if above else "true"
        raise DomainError(
            f"epsilon={epsilon} at delta={delta} is {what}: the epsilon is about "
            f"{float(truth):.6g}. Ask for {'refute' if above else 'certify'} instead."
        )
    best: Card | None = None
    for fineness in range(_GRIDS):
        content = content_of(sought, fineness)
        try:
            found = _card(content, sought)
        except RefusedError as error:
            if best is not None or "seconds" in str(error):
                break
            continue
        if found is None:
            continue
        best, at = found
        is_near = at <= truth * (1 + near) if above else at >= truth * (1 - near)
        if sought is not None or is_near:
            return best
    if best is not None:
        return best
    side = "certifies" if above else "refutes"
    raise TooLargeError(
        f"no grid of {_SECONDS} seconds {side} this; the truth is about {float(truth):.6g}. "
        f"Take a {'larger' if above else 'smaller'} epsilon."
    )


def _truth(profile: PrivacyProfile, delta: Fraction, width: Fraction, *, above: bool) -> Fraction:
    """Return about the ε that is to be shown."""
    if not delta and above:
        most = profile.max_divergence()
        if isinstance(most, Epsilon) and most.is_infinite:
            raise DomainError("delta=0 is false: losses have no largest one. Give a delta above 0.")
        return Fraction(float_above(most.nats if isinstance(most, Epsilon) else most))
    found = profile.epsilon(Exact(delta), relative_width=width)
    return Fraction(float_above(found) if above else float_below(found))


def _fraction(x: RationalLike, name: str) -> Fraction:
    number = Exact(x)
    if not number.is_rational:
        raise DomainError(f"{name} is not rational. A card takes decimals and fractions.")
    return number.as_fraction()


def _content(
    parts: list[Part],
    delta: Fraction,
    epsilon: Fraction | None,
    fineness: int,
    *,
    group: int,
    more: dict[str, Any],
    above: bool,
) -> dict[str, Any]:
    total = sum(part.times for part in parts)
    tail = float(max(delta, _LEAST) / total / 4096)
    windows = [part.losses(parts, tail, group) for part in parts]
    widest = max(high - low for low, high in windows) or 1.0
    octave = ceil(log2(_FIRST_POINTS / widest)) + fineness
    step = Fraction(1, 2**octave) if octave >= 0 else Fraction(2**-octave)
    points = int(_FIRST_POINTS * _MORE**fineness)
    written = []
    for part, (low, high) in zip(parts, windows, strict=True):
        to = ceil(high / step) + 1
        from_ = -to if part.is_two_sided else floor(low / step) - 1
        written.append({**part.keys, "times": part.times, "from": from_, "to": to})
    # So many masses of so many products are rounded, in units far below delta.
    bits = max(32, ceil(-log2(tail)) + total.bit_length() + points.bit_length() + _SPARE_BITS)
    content: dict[str, Any] = {"format": cards.FORMAT}
    content |= {"says": "private" if above else "not private"} | more
    content |= {"epsilon": "0" if epsilon is None else _decimal(epsilon), "delta": _decimal(delta)}
    content |= {"group": group} if group > 1 else {}
    content |= {"parts": written, "grid": {"step": str(step), "bits": bits, "points": points}}
    return content if above else content | {"order": "removed"}


def _card(content: dict[str, Any], sought: Fraction | None) -> tuple[Card, Fraction] | None:
    """Return the card with the ε that it shows; None if it shows none, or not the one sought."""
    found: tuple[Card, Fraction] | None = None
    for order in cards.ORDERS if "order" in content else [None]:
        written = content if order is None else content | {"order": order}
        card = cards.Card(written, _Spent())
        is_pure = card.above and not card.delta
        laws = {} if is_pure else card.laws()
        least = _rounded(card.largest(), up=True) if is_pure else _shown(card, laws)
        at = least if sought is None else sought
        if at is None or not (card.largest() <= at if is_pure else _holds(card, laws, at)):
            continue
        written |= {"epsilon": _decimal(at)}
        if found is None or at > found[1]:
            said = cards.check(written, _Spent()).statement
            found = Card(written, said), at
    return found


def _holds(card: cards.Card, laws: Mapping[str, Any], epsilon: Fraction) -> bool:
    """Return whether the claim of a card holds at an ε, as its laws say."""
    found = [card.divergence(law, epsilon) for law in laws.values()]
    return all(x <= card.delta for x in found) if card.above else found[0] > card.delta


class _Spent:
    """Counts steps, and refuses more than a kernel takes."""

    def __init__(self) -> None:
        self.left = _SECONDS * STEPS

    def __call__(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise RefusedError(f"more than {_SECONDS} seconds")


def _shown(card: cards.Card, laws: Mapping[str, Any]) -> Fraction | None:
    """Return the smallest ε of four digits that is certified, or the largest that is refuted."""

    def is_beyond(x: Fraction) -> bool:
        """Return whether the δ at an ε is at most the one of the card."""
        return all(card.divergence(law, x) <= card.delta for law in laws.values())

    high = Fraction(1)
    while not is_beyond(high):
        high *= 2
        if high > 4000:
            return None
    low = Fraction(0)
    if is_beyond(low):
        return low if card.above else None
    while high - low > high / 100_000:
        middle = (low + high) / 2
        low, high = (low, middle) if is_beyond(middle) else (middle, high)
    return _rounded(high if card.above else low, up=card.above)


def _rounded(x: Fraction, *, up: bool) -> Fraction:
    """Return a number of four digits."""
    if not x:
        return x
    unit = Fraction(10) ** (floor(_log10(x)) - 3)
    return ceil(x / unit) * unit if up else floor(x / unit) * unit


def _log10(x: Fraction) -> float:
    return log10(x.numerator) - log10(x.denominator)


def _decimal(x: Fraction) -> str:
    """Return a number as a decimal if it is a short one, else as a fraction.

    Example:
        >>> [_decimal(Fraction(x)) for x in ("0.5", "1e-5", "12", "1/3")]
        ['0.5', '1e-5', '12', '1/3']
    """
    power = 0
    while (x * 10**power).denominator != 1:
        power += 1
        if power > _PLACES:
            return str(x)
    digits = str((x * 10**power).numerator)
    if power > _FEW_PLACES and len(digits) < power:
        return f"{digits}e-{power}"
    digits = digits.rjust(power + 1, "0")
    return f"{digits[:-power]}.{digits[-power:]}" if power else digits
