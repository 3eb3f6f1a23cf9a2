"""How a polygon is best lowered below a privacy curve, in doubles: nothing rests on it.

``polygons`` says what each cell needs; here it is chosen at which of its ends, with what weight,
and which cells are to blame for how much. All numbers are logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import expm1, log

import numpy as np

from exactdp.inversion.doubles import Doubles

__all__ = ["MIDDLE", "NOTHING", "Lowering", "Needs"]

NOTHING = -1e9
"""The logarithm of 0."""

_SPARED = 1 / 16
"""Of the height of a polygon, what one cell takes of it at its second knot."""
_LARGE = 300.0
_LITTLE, _EVEN = 30.0, 0.1


MIDDLE = -1.0
"""In place of a share: a tangent within the cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """What lines lie below δ in each cell; all are logarithms.

    Attributes:
        low: l.
        high: m.
        left: What a tangent within the cell is below δ at the first knot.
        right: The same at the second knot.
        delta: δ at the first knot.
    """

    low: Doubles
    high: Doubles
    left: Doubles
    right: Doubles
    delta: Doubles

    @property
    def second(self) -> Doubles:
        """δ at the second knot; 0 at the last."""
        return np.append(self.delta[1:], NOTHING)

    def ends(self, shares: Doubles) -> tuple[Doubles, Doubles]:
        """Return what cells need at both knots."""
        with np.errstate(divide="ignore", invalid="ignore"):
            left = np.where(shares == MIDDLE, self.left, np.log(shares) + self.low)
            right = np.where(shares == MIDDLE, self.right, np.log1p(-shares) + self.high)
        return np.maximum(left, NOTHING), np.maximum(right, NOTHING)


@dataclass(frozen=True, slots=True, eq=False)
class Lowering:
    """One choice for all cells.

    Attributes:
        shares: What part of each cell's need is met at its first knot, or MIDDLE.
        blame: What matters of all that is lost, by cells.
    """

    shares: Doubles
    blame: Doubles

    @classmethod
    def best(cls, needs: Needs, inside: Doubles, under: float) -> Lowering:
        """Return the choice that matters least.

        Args:
            needs: Of each cell.
            inside: The logarithm of what 1 matters in each cell.
            under: The same, below the first knot.
        """
        found = [cls(shares, _blame(shares, needs, inside, under)) for shares in _shares(needs)]
        return min(found, key=lambda one: float(one.blame.sum()))


def _shares(needs: Needs) -> Iterator[Doubles]:
    """Yield shares: knots are lowered for one cell no more than for the other, where that can be.

    Else mass is taken from farther, and beyond the least loss there is none.
    """
    low, high, second = needs.low, needs.high, needs.second
    before, after = np.roll(high, 1) - low, np.roll(low, -1) - high
    before[0], after[-1] = NOTHING, -NOTHING
    before, after = (np.exp(np.clip(odds, -200, 200)) for odds in (before, after))
    balanced = shares = before / np.maximum(1, before + after)
    yield shares
    # But where a knot is lowered to 0 the polygon ends, and all beyond is lost; and where it is
    # lowered below a tangent from beyond, what follows must be as low.
    for most in (_SPARED * np.exp(np.minimum(second - high, 100)), np.minimum(after, 1e9) / 2):
        if (1 - most[:-1] > shares[:-1]).any():
            shares = np.append(np.maximum(shares, 1 - most)[:-1], shares[-1])
            yield shares
    # The tangent in the middle is nearer where losses are spread over a cell; but not where knots
    # would be lowered more than the cells beside allow: the hull would cut off what is beyond.
    is_near = needs.right < np.minimum(second - log(2), np.append(low[1:], NOTHING)) + _EVEN
    is_near &= needs.left < np.append(low[0] - _LITTLE, high[:-1]) + _EVEN
    # A tangent that touches beside an atom may cost one of the knots nothing.
    is_free = (needs.left < low - _LITTLE) ^ (needs.right < high - _LITTLE)
    for chosen in (is_near, is_near | is_free):
        if chosen.any():
            yield np.where(chosen, MIDDLE, balanced)
            yield np.where(chosen, MIDDLE, shares)
        if not is_free.any():
            break


def _dragged(down: Doubles, cause: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
    """Return what the hull takes before a knot that is lowered: e less the m of cells between."""
    e, sums = np.exp(down), np.cumsum(np.exp(np.minimum(high, _LARGE)))
    between = np.append(0, sums[:-1])
    reach = np.maximum.accumulate((e - between)[::-1])[::-1]
    dragged = reach + between
    more = dragged > np.maximum(2 * e, 1e-12 * between[-1])
    if not more.any():
        return down, cause
    places = np.arange(len(down))
    source = np.minimum.accumulate(np.where(e - between == reach, places, len(down))[::-1])[::-1]
    down, cause = down.copy(), cause.copy()
    down[more], cause[more] = np.log(dragged[more]), cause[source[more]]
    return down, cause


def _pushed(down: Doubles, cause: Doubles, low: Doubles) -> tuple[Doubles, Doubles]:
    """Return what the hull takes after a knot that is lowered: e less the l of cells between."""
    starts = np.flatnonzero(down[:-1] > np.logaddexp(low[:-1], down[1:]) + _EVEN)
    if not len(starts):
        return down, cause
    down, cause = down.copy(), cause.copy()
    for start in starts.tolist():
        left = float(down[start])
        for j in range(start, len(down) - 1):
            if left <= low[j]:
                break
            left += log(-expm1(low[j] - left))
            if left <= down[j + 1]:
                break
            down[j + 1], cause[j + 1] = left, cause[start]
    return down, cause


def _blame(shares: Doubles, needs: Needs, inside: Doubles, under: float) -> Doubles:
    """Return what matters of e at the knots, at the cell that needs it: as ``hulls.lowered``."""
    low, high, delta, second = needs.low, needs.high, needs.delta, needs.second
    count, (left, right) = len(low), needs.ends(shares)
    down, cause = left.copy(), np.arange(count)
    is_right = right[:-1] > left[1:]
    down[1:][is_right], cause[1:][is_right] = right[:-1][is_right], cause[:-1][is_right]
    ended = np.flatnonzero(second[:-1] < down[1:])
    last = int(ended[0]) + 1 if len(ended) else count
    while last > 0:
        j = last - 1
        left_over = 1 - float(np.exp(min(0.0, second[j] - high[j])))
        need = low[j] + np.log(left_over) if left_over > 0 else NOTHING
        down[j], cause[j] = need, j
        if j > 0 and right[j - 1] > need:
            down[j], cause[j] = right[j - 1], j - 1
        if j == 0 or second[j - 1] >= down[j]:
            break
        last = j
    down[last:], cause[last:] = delta[last:], min(last, count - 1)
    down, cause = _pushed(*_dragged(down, cause, high), low)
    # The hull falls.
    with np.errstate(divide="ignore"):
        value = np.maximum(delta + np.log1p(-np.exp(np.minimum(down - delta, 0))), NOTHING)
        least = np.minimum.accumulate(value)
        place = np.maximum.accumulate(np.where(value == least, np.arange(count), 0))
        lost = delta + np.log1p(-np.exp(np.minimum(least - delta, 0)))
    down, cause = np.where(value > least, lost, down), np.where(value > least, cause[place], cause)
    weights = np.logaddexp(np.roll(inside, 1), inside) - np.log(2)
    weights[0] = np.logaddexp(inside[0] - np.log(2), under)
    matter = np.exp(np.minimum(weights + down, _LARGE))
    return np.bincount(cause, weights=matter, minlength=count)
