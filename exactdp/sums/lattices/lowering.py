"""The best lowering of a polygon below a privacy curve, in doubles; nothing rests on it.

``polygons`` says what each cell needs; here it is chosen at which of its ends, with what weight,
and which cells are to blame for how much. All numbers are logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, expm1, log

from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.sums.doubles import NOTHING, Doubles

__all__ = ["MIDDLE", "Lowering", "Needs"]

_SPARED = 1 / 16
"""The part of a polygon's height that one cell may take at its second knot."""

_LARGE = 300.0
"""The largest logarithm that is taken to a power here; e^709 is the largest double."""

_LITTLE = 30.0
"""Nats below what a chord needs at which a tangent beside an atom costs nothing."""

_EVEN = 0.1
"""Nats by which a knot may be lower than what its neighbors allow, and still count as even."""

MIDDLE = -1.0
"""What stands for a share where a cell is below a tangent within it."""


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """The distance by which lines must be below δ in each cell, as logarithms, one a cell.

    Attributes:
        low: The l of each cell.
        high: The m of each cell.
        left: How far a tangent within the cell is below δ at the first knot.
        right: How far it is below δ at the second knot.
        delta: δ at the first knot.
    """

    low: Doubles
    high: Doubles
    left: Doubles
    right: Doubles
    delta: Doubles

    @property
    def second(self) -> Doubles:
        """The number δ at the second knot; 0 at the last."""
        return np.append(self.delta[1:], NOTHING)

    def ends(self, shares: Doubles) -> tuple[Doubles, Doubles]:
        """Return how far a line must be below δ at both knots of each cell."""
        with np.errstate(divide="ignore", invalid="ignore"):
            left = np.where(shares == MIDDLE, self.left, np.log(shares) + self.low)
            right = np.where(shares == MIDDLE, self.right, np.log1p(-shares) + self.high)
        return np.maximum(left, NOTHING), np.maximum(right, NOTHING)


@dataclass(frozen=True, slots=True, eq=False)
class Lowering:
    """One choice for all cells.

    Attributes:
        shares: The part of each cell's need that is met at its first knot, or MIDDLE.
        blame: How much of D(c), over D(c), is lost because of each cell.
    """

    shares: Doubles
    blame: Doubles

    @classmethod
    def best(cls, needs: Needs, inside: Doubles, under: float) -> Lowering:
        """Return the choice by which least is lost.

        Args:
            needs: The needs of each cell.
            inside: The logarithm of what a curve that is 1 too low in a cell loses, for each.
            under: The logarithm of what it loses below the first knot.
        """
        shares = np.array(list(_shares(needs)))
        blame = _blame(shares, needs, inside, under)
        best = int(blame.sum(axis=1).argmin())
        return cls(shares[best], blame[best])


def _shares(needs: Needs) -> Iterator[Doubles]:
    """Yield shares by which knots are lowered for one cell no more than for the other, if possible.

    Where it is not, mass is taken from farther cells, and beyond the least loss there is none.
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
            if shares is not balanced:
                yield np.where(chosen, MIDDLE, shares)
        if not is_free.any():
            break


def _dragged(down: Doubles, cause: Doubles, high: Doubles) -> None:
    """Add the mass that the hull moves before a lowered knot: e less the m of cells between."""
    sums = np.cumsum(np.exp(np.minimum(high, _LARGE)))
    between, e = np.append(0, sums[:-1]), np.exp(down)
    rest = e - between
    reach = np.maximum.accumulate(rest[:, ::-1], axis=1)[:, ::-1]
    dragged = reach + between
    more = dragged > np.maximum(2 * e, 1e-12 * between[-1])
    for row in np.flatnonzero(more.any(axis=1)).tolist():
        places, is_more = np.arange(len(high)), more[row]
        ends = np.where(rest[row] == reach[row], places, len(high))
        source = np.minimum.accumulate(ends[::-1])[::-1]
        down[row, is_more] = np.log(dragged[row, is_more])
        cause[row, is_more] = cause[row, source[is_more]]


def _pushed(down: Doubles, cause: Doubles, low: Doubles) -> None:
    """Add the mass that the hull moves after a lowered knot: e less the l of cells between."""
    is_start = down[:, :-1] > np.logaddexp(low[:-1], down[:, 1:]) + _EVEN
    for row, start in zip(*(places.tolist() for places in np.nonzero(is_start)), strict=True):
        left = float(down[row, start])
        for j in range(start, len(low) - 1):
            if left <= low[j]:
                break
            spend(1)
            left += log(-expm1(low[j] - left))
            if left <= down[row, j + 1]:
                break
            down[row, j + 1], cause[row, j + 1] = left, cause[row, start]


def _ended(down: Doubles, cause: Doubles, needs: Needs, right: Doubles, last: int) -> None:
    """End a polygon at the last knot that allows it, where all beyond is lost."""
    low, high, second = needs.low, needs.high, needs.second
    while last > 0:
        j = last - 1
        left_over = 1 - exp(min(0.0, second[j] - high[j]))
        need = low[j] + log(left_over) if left_over > 0 else NOTHING
        down[j], cause[j] = need, j
        if j > 0 and right[j - 1] > need:
            down[j], cause[j] = right[j - 1], j - 1
        if j == 0 or second[j - 1] >= down[j]:
            break
        last = j
    down[last:], cause[last:] = needs.delta[last:], cause[last : last + 1]


def _blame(shares: Doubles, needs: Needs, inside: Doubles, under: float) -> Doubles:
    """Return the loss of e at the knots, for the cell that needs it; e is from ``hulls.lowered``.

    Args:
        shares: The shares, with a row for each choice; so is what is returned.
        needs: The needs of each cell.
        inside: What a curve that is too low loses in each cell, as in :meth:`Lowering.best`.
        under: What it loses below the first knot.
    """
    (left, right), (rows, count) = needs.ends(shares), shares.shape
    down, cause = left.copy(), np.tile(np.arange(count), (rows, 1))
    is_right = right[:, :-1] > left[:, 1:]
    down[:, 1:] = np.where(is_right, right[:, :-1], left[:, 1:])
    cause[:, 1:] -= is_right
    is_end = np.append(needs.second[:-1] < down[:, 1:], np.ones((rows, 1), dtype=bool), axis=1)
    ends = is_end.argmax(axis=1) + 1
    for row in range(rows):
        _ended(down[row], cause[row], needs, right[row], int(ends[row]))
    _dragged(down, cause, needs.high)
    _pushed(down, cause, needs.low)
    weights = np.logaddexp(np.roll(inside, 1), inside) - log(2)
    weights[0] = np.logaddexp(inside[0] - log(2), under)
    matter = np.exp(np.minimum(weights + down, _LARGE))
    of_rows = (cause + count * np.arange(rows)[:, None]).ravel()
    found = np.bincount(of_rows, weights=matter.ravel(), minlength=rows * count)
    return found.reshape(rows, count)
