"""Putting a law on a grid: from what cells hold to a :class:`GridLaw` of either side.

A cell is described by two balls, whatever lies in it (densities, masses at points):

    a = ∫ e^(λx − log_norm) · e^(λ(x_j − x)) dμ   its mass, tilted as if it lay at x_j,
    s = ∫ (surplus) of the same                   how far its mean lies above x_j,

where the surplus of a mass at x is 1 − e^(−(x − x_j)) for rate 1 and x − x_j for rate
0: (y_j − y)/y_j for y = e^(−x), and y_j − y for y = −x. A mass that is wholly at x_j
has s = 0. In an UPPER law the cell j lies in [x_j, x_(j+1)] and is split between its
ends; in a LOWER law it lies around x_j, above x_(j−1), and s has either sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpz, fmpz_poly

from exactdp.grids.laws import GUARD_BITS, Frame, GridLaw, Side
from exactdp.numbers import Number, fmpq_of, precision
from exactdp.numbers.balls import ceiling_of, floor_of

__all__ = ["lower_law", "upper_law"]

_ZERO = fmpz(0)


def upper_law(
    frame: Frame,
    *,
    multiple: Fraction,
    origin: Number,
    log_norm: Fraction,
    first: int,
    cells: Sequence[tuple[arb, arb]],
    beyond: arb,
) -> GridLaw:
    """Return the UPPER law of masses in the cells [x_j, x_(j+1)], j = first, first + 1, ...

    Formula:
        A cell sends u = s/d, d = 1 − e^(−h) (rate 1) or h (rate 0), to x_(j+1), tilted
        e^(λh) u there, and a − u to x_j: mass and mean of y are kept.

    Args:
        frame: Of the law.
        multiple: The step over the frame's unit.
        origin: Where index 0 is.
        log_norm: As in the header of ``laws``.
        first: The index of the first cell.
        cells: The (a, s) of the header, with 0 <= s <= a·d in truth.
        beyond: Bounds the tilted mass in no cell; it becomes lost.

    Errors: of second order in the step, upwards. What balls and rounding leave open is
    lost.

    Example:
        Mass 1 in the middle of a cell, rate 0: half to each end.

        >>> from exactdp.numbers import Exact
        >>> frame = Frame(Exact(1), Fraction(0), 0, 20)
        >>> law = upper_law(
        ...     frame, multiple=Fraction(1), origin=Exact(0), log_norm=Fraction(0), first=5,
        ...     cells=[(arb(1), arb("0.5"))], beyond=arb(0),
        ... )
        >>> law.first, [int(w) / 2**20 for w in law.weights], law.lost
        (5, [0.5, 0.5], 0)
    """
    work = frame.bits + 2 * GUARD_BITS
    h = frame.step(multiple, precision_bits=work)
    scale = arb(2) ** frame.bits
    with precision(work):
        share = scale / _surplus_of_step(frame, h)
        tilt = (arb(fmpq_of(frame.tilt)) * h).exp()
        total = beyond * scale
        arriving = arb(0)
        weights: list[fmpz] = []
        for a, s in cells:
            up = s * share
            point = a * scale - up + arriving
            total += point
            weights.append(floor_of(point))
            arriving = up * tilt
        total += arriving
        weights.append(floor_of(arriving))
        lost = max(_ZERO, ceiling_of(total) - sum(weights, _ZERO))
    law = GridLaw(frame, Side.UPPER, multiple, origin, log_norm, first, fmpz_poly(weights), lost)
    return law.trimmed()


def lower_law(
    frame: Frame,
    *,
    multiple: Fraction,
    origin: Number,
    log_norm: Fraction,
    first: int,
    cells: Sequence[tuple[arb, arb]],
    points: Sequence[tuple[int, arb]] = (),
) -> GridLaw:
    """Return the LOWER law of masses around the points x_j, j = first, first + 1, ...

    Formula:
        A cell is merged into its mean of y. Where the mean loss is below x_j (s < 0), the
        share of the cell above that repairs it is merged in as well; where it is above,
        the share of the cell below that it can carry. If a cell cannot be repaired, all
        of it moves down to x_(j−1). Integers decide that the surplus is not negative.

    Args:
        frame: Of the law.
        multiple: The step over the frame's unit.
        origin: Where index 0 is.
        log_norm: As in the header of ``laws``.
        first: The index of the first cell.
        cells: The (a, s) of the header; each cell lies above x_(j−1).
        points: Tilted masses that lie at x_j for an index j from first to that of the
            last cell. They need no repair, so no cell may make them need one.

    Errors: of second order in the step, downwards, where masses are dense; of first
    order for an isolated mass between the points.

    Example:
        Mass 1 at a point, and mass 1 slightly below the next, which is repaired by
        nothing and moves down to the first:

        >>> from exactdp.numbers import Exact
        >>> frame = Frame(Exact(1), Fraction(0), 0, 20)
        >>> law = lower_law(
        ...     frame, multiple=Fraction(1), origin=Exact(0), log_norm=Fraction(0), first=5,
        ...     cells=[(arb(1), arb(0)), (arb(1), arb("-0.25"))],
        ... )
        >>> law.first, [int(w) / 2**20 for w in law.weights]
        (5, [2.0])
    """
    moves = _Moves.of(frame, multiple)
    rows = [_Row.of(a, s, moves.work, frame.bits + GUARD_BITS) for a, s in cells]
    weights = _merged(rows, moves)
    for index, mass in points:
        weights[index - first + 1] += _Row.of(mass, mass, moves.work, frame.bits + GUARD_BITS).low
    law = GridLaw(
        frame,
        Side.LOWER,
        multiple,
        origin,
        log_norm,
        first - 1,
        fmpz_poly(weights) // moves.one,
        _ZERO,
    )
    return law.trimmed()


def _merged(rows: Sequence[_Row], moves: _Moves) -> list[fmpz]:
    """Return the weights at x_(first−1), x_first, ... with GUARD_BITS more bits.

    ``pulled[j]`` is the share of cell j + 1 that group j takes, ``lifted[j]`` that of
    cell j − 1. At most half of a cell goes either way. Giving away a share of a cell
    with a positive surplus lowers what its group can carry, so that is taken off first
    (``given`` is never too small).
    """
    count = len(rows)
    one, half = moves.one, moves.one // 2
    pulled, lifted = [_ZERO] * count, [_ZERO] * count
    failed = [False] * count
    for j, row in enumerate(rows):
        if row.surplus < 0:
            gain = moves.gain(rows[j + 1]) if j + 1 < count else _ZERO
            if gain > 0 and -row.surplus * one <= half * gain:
                pulled[j] = -(row.surplus * one // gain)
            else:
                failed[j] = True
        elif row.surplus > 0 and j > 0 and rows[j - 1].low > 0:
            lifted[j] = min(half, row.surplus * one // moves.cost(rows[j - 1]))
    for j, row in enumerate(rows):
        if lifted[j] > 0:
            given = (pulled[j - 1] if j else _ZERO) + (lifted[j + 1] if j + 1 < count else _ZERO)
            carried = row.surplus * (one - given) // moves.cost(rows[j - 1])
            lifted[j] = min(lifted[j], carried)
    weights = [_ZERO] * (count + 1)
    for j, row in enumerate(rows):
        kept = one - (pulled[j - 1] if j else _ZERO) - (lifted[j + 1] if j + 1 < count else _ZERO)
        mass = kept * row.low
        if pulled[j]:
            mass += pulled[j] * (rows[j + 1].low * moves.down // one)
        if lifted[j]:
            mass += lifted[j] * (rows[j - 1].low * moves.up // one)
        if failed[j]:
            weights[j] += mass * moves.down // (one * one)
        else:
            weights[j + 1] += mass // one
    return weights


@dataclass(frozen=True, slots=True)
class _Row:
    """A cell in integers: bounds of its mass and a lower bound of its surplus."""

    low: fmpz
    high: fmpz
    surplus: fmpz

    @classmethod
    def of(cls, a: arb, s: arb, work: int, bits: int) -> _Row:
        with precision(work):
            scale = arb(2) ** bits
            mass = a * scale
            return cls(max(_ZERO, floor_of(mass)), ceiling_of(mass), floor_of(s * scale))


@dataclass(frozen=True, slots=True)
class _Moves:
    """What moving a mass by one step does, as integers over ``one``, rounded to safety.

    Attributes:
        work: Working precision.
        one: 2^GUARD_BITS.
        down: e^(−λh), rounded down.
        up: e^(λh), rounded down.
        up_above: e^(λh), rounded up.
        shrink: e^(−ρh), rounded down and up.
        gained: The surplus of a unit mass a step above: 1 − e^(−ρh) or h, rounded down.
        grow: e^(ρh), rounded down and up.
        owed: What a unit mass a step below lacks: e^(ρh) − 1 or h, rounded up.
    """

    work: int
    one: fmpz
    down: fmpz
    up: fmpz
    up_above: fmpz
    shrink: tuple[fmpz, fmpz]
    gained: fmpz
    grow: tuple[fmpz, fmpz]
    owed: fmpz

    @classmethod
    def of(cls, frame: Frame, multiple: Fraction) -> _Moves:
        work = frame.bits + 2 * GUARD_BITS
        h = frame.step(multiple, precision_bits=work)
        with precision(work):
            one = arb(2) ** GUARD_BITS
            tilt, grow = (arb(fmpq_of(frame.tilt)) * h).exp(), (frame.rate * h).exp()
            owed = grow - 1 if frame.rate else h
            return cls(
                work,
                fmpz(1) << GUARD_BITS,
                floor_of(one / tilt),
                floor_of(one * tilt),
                ceiling_of(one * tilt),
                (floor_of(one / grow), ceiling_of(one / grow)),
                floor_of(one * _surplus_of_step(frame, h)),
                (floor_of(one * grow), ceiling_of(one * grow)),
                ceiling_of(one * owed),
            )

    def gain(self, row: _Row) -> fmpz:
        """Return at most the surplus of a cell seen from the point a step below its own."""
        shrink = self.shrink[1] if row.surplus < 0 else self.shrink[0]
        return (row.low * self.gained + row.surplus * shrink) * self.down // (self.one * self.one)

    def cost(self, row: _Row) -> fmpz:
        """Return at least what a cell lacks seen from the point a step above its own."""
        grow = self.grow[1] if row.surplus < 0 else self.grow[0]
        lacking = row.high * self.owed - row.surplus * grow
        return max(fmpz(1), lacking * self.up_above // (self.one * self.one) + 1)


def _surplus_of_step(frame: Frame, h: arb) -> arb:
    return -(-h).expm1() if frame.rate else h
