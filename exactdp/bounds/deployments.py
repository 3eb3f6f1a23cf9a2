"""Arguments of a bound as deployments have them: all of its domain, ends first, in doubles.

Users from 1 to 10^12, ε from 1e-16 to 700, δ from 1e-300 to 1, and what a bound's domain says of
other arguments, ends and numbers close to them first. Every number is one that a double holds, so
that the formula and its double are asked at the same place.

Definitions: :func:`drawn_arguments`, :func:`drawn_alike`, :func:`simplest`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from random import Random
from typing import Any

from exactdp.bounds.bound import PublishedBound
from exactdp.claims.kinds import Numbers, range_ends
from exactdp.errors import ExactDPError

__all__ = ["drawn_alike", "drawn_arguments", "simplest"]

_MOST = 10**12
"""The largest number of users, steps or messages that is drawn."""

"""Integers are drawn without a limit of their own, if theirs is this; another one says it."""

_POWERS = (3, 6, 8, 12, 16)
"""Numbers are tried 10^-k above a lower end 0, and so much relatively near another end."""

_TAILS = (*_POWERS, 30, 100, 300)
"""So small a δ is tried: 10^-k."""

_MOST_TRIES = 40
"""How often arguments are drawn for one that meets the hypotheses."""

_FAR = (1, Fraction(1, 2), 2, 5, 10, 50, 100, 700)
"""Distances from an end that has none on the other side."""


def drawn_arguments(bound: PublishedBound) -> Any:
    """Return the hypothesis strategy of a bound's arguments, its hypotheses met.

    Example:
        >>> from exactdp.bounds import published
        >>> from hypothesis import find
        >>> bound = published("feldman2021/theorem-3.1")
        >>> at = find(drawn_arguments(bound), lambda at: at["n"] > 1000)
        >>> list(at), bound.domain.admits(at)
        (['n', 'epsilon0', 'delta'], True)
    """
    from hypothesis import strategies as st

    @st.composite
    def arguments(draw: Any) -> dict[str, Any]:
        at: dict[str, Any] = {}
        for name, kind in bound.domain.kinds.items():
            assert isinstance(kind, Numbers)
            at[name] = draw(_values(name, kind, at))
        return at

    return arguments().filter(lambda at: _admitted(bound, at))


def drawn_alike(bound: PublishedBound, count: int) -> list[dict[str, Any]]:
    """Return at most so many arguments of a bound, the same at each run and on each machine.

    Not by hypothesis, whose draws change with its version and with the constants of the code that
    is imported: what is kept of a bound must be found again where the code is installed elsewhere.
    The first third has ends and plain numbers alone.
    """
    dice = Random(bound.claim)
    found: list[dict[str, Any]] = []
    for _ in range(_MOST_TRIES * count):
        if len(found) == count:
            break
        at: dict[str, Any] = {}
        for name, kind in bound.domain.kinds.items():
            assert isinstance(kind, Numbers)
            plain, span = _plain(name, kind, at), _span(name, kind, at)
            is_plain = plain and (3 * len(found) < count or dice.random() < 1 / 2)
            at[name] = dice.choice(plain) if is_plain else span.at(dice.random())
            if not kind.admits(at[name], at):
                break
        else:
            if _admitted(bound, at):
                found.append(at)
    return found


def simplest(
    bound: PublishedBound,
    at: Mapping[str, Any],
    fails: Callable[[Mapping[str, Any]], bool],
    *,
    most: int = 60,
) -> Mapping[str, Any]:
    """Return arguments that fail still, each an end or another plain number where one does.

    Args:
        bound: The bound.
        at: Arguments that fail.
        fails: Whether arguments do.
        most: How many are asked.
    """
    asked = 0
    for name, kind in bound.domain.kinds.items():
        assert isinstance(kind, Numbers)
        for plain in _plain(name, kind, at):
            if plain == at[name] or asked >= most:
                break
            other = {**at, name: plain}
            if _admitted(bound, other):
                asked += 1
                if fails(other):
                    at = other
                    break
    return at


def _admitted(bound: PublishedBound, at: Mapping[str, Any]) -> bool:
    try:
        return bound.domain.admits(at)
    except ExactDPError:  # too large to be seen
        return False


def _values(name: str, kind: Numbers, earlier: Mapping[str, Any]) -> Any:
    from hypothesis import strategies as st

    found = _plain(name, kind, earlier)
    if kind.whole:
        return st.one_of(st.sampled_from(found), st.integers(found[0], found[-1]))
    drawn = st.floats(0, 1).map(_span(name, kind, earlier).at)
    doubles = drawn.filter(lambda x: kind.admits(x, earlier))
    return st.one_of(st.sampled_from(found), doubles) if found else doubles


@dataclass(frozen=True)
class _Span:
    """The numbers of a range, by shares between 0 and 1: a power of ten that is added to an end.

    Attributes:
        number: Returns the number of a share.
    """

    number: Callable[[float], Any]

    def at(self, share: float) -> Any:
        """Return the number of a share, as a double has it."""
        found = self.number(share)
        return found if isinstance(found, int) else Fraction(float(found))


def _span(name: str, kind: Numbers, earlier: Mapping[str, Any]) -> _Span:
    low, high = range_ends(kind, earlier)
    if kind.whole:
        least, *_, most = [*_plain(name, kind, earlier)] * 2
        return _Span(lambda share: least + floor((most - least) * Fraction(share)))
    if name.startswith("delta") and low == 0:
        return _Span(lambda share: 10.0 ** (-300 * (1 - share)))
    if low is not None and high is not None:
        return _Span(lambda share: low + (high - low) * Fraction(share))
    start, sign = (low or 0, 1) if high is None else (high, -1)
    return _Span(lambda share: start + sign * Fraction(10.0 ** (-16 + 18.8 * share)))


def _plain(name: str, kind: Numbers, earlier: Mapping[str, Any]) -> list[Any]:
    """Return the ends of a range, and plain numbers near and far from them."""
    low, high = range_ends(kind, earlier)
    if kind.whole:
        least = 0 if low is None else ceil(low)
        most = _MOST if high is None else min(_MOST, floor(high))
        if kind.draws is not None:
            most = min(most, least + kind.draws)
        edges = [least, least + 1, least + 2, *(10**k for k in (1, 2, 3, 4, 6, 9, 12)), most]
        return sorted({x for x in edges if least <= x <= most}) or [least]
    near = _near(low, high, _TAILS if name.startswith("delta") else _POWERS)
    return [x for x in dict.fromkeys(near) if kind.admits(x, earlier)]


def _near(low: Fraction | None, high: Fraction | None, powers: tuple[int, ...]) -> list[Fraction]:
    """Return the ends, numbers near and far from them, each a double."""
    found: list[Fraction] = []
    if low is not None:
        found += [low, *(low + Fraction(x) for x in _FAR)] if high is None else [low]
    if high is not None:
        found += [high, *(high - Fraction(x) for x in _FAR)] if low is None else [high]
    if low is not None and high is not None:
        found += [low + (high - low) * Fraction(x) for x in ("1/2", "1/10", "9/10")]
    for k in powers:
        small = Fraction(1, 10**k)
        if low is not None:
            found.append(low + small * (1 if low == 0 else abs(low)))
        if high is not None:
            found.append(high - small * (1 if high == 0 else abs(high)))
    return [Fraction(float(x)) for x in found]
