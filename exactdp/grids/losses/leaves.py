"""One loss law on a grid, from below and from above.

Who owns the errors: moving mass to the grid is in the direction of each side and needs
no account. Rounding, and what lies outside the window, is ``lost`` in the upper law; P-mass
beyond all cells (and what a truncated lattice leaves out) is returned as mass at plus
infinity; the lower law simply lacks both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.grids.entry import lower_law, upper_law
from exactdp.grids.laws import Frame, GridLaw
from exactdp.grids.losses.laws import LossLaw
from exactdp.grids.losses.proposals import Sketch, cell_above, cells_of, far_step
from exactdp.grids.losses.tails import LossTails
from exactdp.numbers import Epsilon, Exact, Number, Real, fmpq_of, precision, working_bits
from exactdp.numbers.balls import floor_of
from exactdp.numbers.limits import MAX_CELLS_OF_A_GRID, count_text, refuse_above

__all__ = ["Leaf", "leaf_of", "loose_atoms"]

_FAR_CELLS = 256
_WORK_BITS = 160
"""Balls have so many bits more than the weights: differences of tails, and steps of 2^-40."""

Cells = list[tuple[arb, arb]]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One law on a grid.

    Attributes:
        lower: Gives lower bounds.
        upper: Gives upper bounds, together with ``infinity``.
        infinity: Bounds the P-mass that the upper law has at plus infinity.
    """

    lower: GridLaw
    upper: GridLaw
    infinity: arb


@dataclass(frozen=True, slots=True)
class _Grid:
    """A grid with its tilt, as balls at the working precision."""

    frame: Frame
    multiple: Fraction
    log_norm: Fraction
    h: arb
    tilt: arb
    norm: arb

    def weight(self, x: arb) -> arb:
        """Return e^(λx − log_norm)."""
        return (self.tilt * x - self.norm).exp()


def leaf_of(
    law: LossLaw,
    frame: Frame,
    *,
    multiple: Fraction,
    log_norm: Fraction,
    sketch: Sketch,
    far_bits: int,
    index_factor: int = 1,
) -> Leaf:
    """Return a law on the grid of step multiple·unit.

    Args:
        law: Of the loss.
        frame: Of the grid.
        multiple: The step over the unit; ``index_factor`` is a multiple of it.
        log_norm: What the tilted masses are divided by, a logarithm.
        sketch: Where the law lies.
        far_bits: About 2^-far_bits of P may go to plus infinity.
        index_factor: The unit of the law's lattice over that of the frame.

    Raises:
        TooLargeError: If there would be more than 3,000,000 cells.
    """
    work = frame.bits + _WORK_BITS
    h = frame.step(multiple, precision_bits=work)
    with precision(work):
        grid = _Grid(frame, multiple, log_norm, h, arb(fmpq_of(frame.tilt)), arb(fmpq_of(log_norm)))
        if law.loose is not None:
            return _loose(loose_atoms(law), grid)
        atoms: list[tuple[int, arb]] = []
        missing = arb(0)
        origin: Number = Exact(0)
        if law.lattice is not None:
            origin = law.lattice.origin
            factor = Fraction(index_factor) / multiple
            assert factor.denominator == 1
            masses, missing = law.lattice.masses(max(work, far_bits))
            start = origin.ball(work)
            atoms = [
                (i * int(factor), m * grid.weight(start + i * int(factor) * h)) for i, m in masses
            ]
        if law.density is None:
            return _points(atoms, grid, origin, missing)
        return _dense(law.density, atoms, grid, origin, sketch, far_bits)


def _points(atoms: Sequence[tuple[int, arb]], grid: _Grid, origin: Number, missing: arb) -> Leaf:
    """Return masses that lie on the grid already."""
    first, last = min(i for i, _ in atoms), max(i for i, _ in atoms)
    empty: Cells = [(arb(0), arb(0))] * (last - first + 1)
    cells, on_grid = list(empty), list(atoms)
    for i, mass in on_grid:
        cells[i - first] = (mass, arb(0))
    return _both(grid, origin, first, cells, origin, empty, on_grid, arb(0), missing)


def _both(
    grid: _Grid,
    origin: Number,
    first: int,
    upper: Cells,
    lower_origin: Number,
    lower: Cells,
    on_grid: Sequence[tuple[int, arb]],
    beyond: arb,
    infinity: arb,
) -> Leaf:
    return Leaf(
        lower_law(
            grid.frame,
            multiple=grid.multiple,
            origin=lower_origin,
            log_norm=grid.log_norm,
            first=first,
            cells=lower,
            points=on_grid,
        ),
        upper_law(
            grid.frame,
            multiple=grid.multiple,
            origin=origin,
            log_norm=grid.log_norm,
            first=first,
            cells=upper,
            beyond=beyond,
        ),
        infinity,
    )


def _dense(
    tails: LossTails,
    atoms: Sequence[tuple[int, arb]],
    grid: _Grid,
    origin: Number,
    sketch: Sketch,
    far_bits: int,
) -> Leaf:
    """Return a density, with atoms on the grid.

    Upper cells lie between grid points. Lower cells lie around them if there are atoms;
    otherwise they are the same cells, and the lower grid is half a step higher.
    """
    frame, h = grid.frame, grid.h
    zero = origin.ball(working_bits())
    first, last = cells_of(sketch, frame, zero=zero, h=h)
    _refuse_many(last - first)
    start = zero + first * h
    masses = _cell_masses(tails, grid, start, last - first, sketch)
    upper = [(p, p - q) for p, q in masses]
    half_up, half = (grid.tilt * h / 2).exp(), (h / 2).exp()
    lower_origin = origin
    if atoms:
        around = _cell_masses(tails, grid, start - h / 2, last - first + 1, sketch)
    else:
        around = masses
        lower_origin = origin + Real(
            lambda: frame.step(grid.multiple / 2, precision_bits=working_bits()), "half a step"
        )
    lower = [(half_up * p, half_up * (p - q * half)) for p, q in around]
    beyond = tails.below(start)[0] * grid.weight(start)
    for i, mass in atoms:
        if first <= i < last:
            p, s = upper[i - first]
            upper[i - first] = (p + mass, s)
        elif i == last:
            upper.append((mass, arb(0)))
        else:
            beyond += mass
    on_grid = [(i, mass) for i, mass in atoms if first <= i < first + len(lower)]
    more, infinity = _far(tails, grid, start + (last - first) * h, far_bits)
    return _both(grid, origin, first, upper, lower_origin, lower, on_grid, beyond + more, infinity)


def _cell_masses(tails: LossTails, grid: _Grid, start: arb, count: int, sketch: Sketch) -> Cells:
    """Return e^(λx − log_norm)·(P, e^x Q) of the cells [x, x + h] from ``start`` on.

    Differences are taken of the smaller tails: for P above its mean, for Q (whose tail
    above x is at most e^(−x)) above 0. So an error of 2^-b in a tail stays about 2^-b.
    """
    h = grid.h
    switch_p, switch_q = (cell_above(law, start=start, h=h, count=count) for law in (sketch, None))
    first, last = min(switch_p, switch_q), max(switch_p, switch_q)
    below = [tails.below(start + j * h) if j <= last else None for j in range(count + 1)]
    above = [tails.above(start + j * h) if j >= first else None for j in range(count + 1)]

    def masses(j: int, law: int, switch: int) -> arb:
        if j < switch:
            return _of(below[j + 1])[law] - _of(below[j])[law]
        return _of(above[j])[law] - _of(above[j + 1])[law]

    weight, up = grid.weight(start), (grid.tilt * h).exp()
    ratio, grow = start.exp(), h.exp()
    cells: Cells = []
    for j in range(count):
        p, q = masses(j, 0, switch_p), masses(j, 1, switch_q)
        cells.append((p * weight, q * ratio * weight))
        weight *= up
        ratio *= grow
    return cells


def _of(tail: tuple[arb, arb] | None) -> tuple[arb, arb]:
    assert tail is not None
    return tail


def _far(tails: LossTails, grid: _Grid, end: arb, far_bits: int) -> tuple[arb, arb]:
    """Return bounds of the tilted mass just above the cells, and of the P-mass beyond that.

    The tilted mass of a coarse cell is at most its P-mass times the weight at its upper end.
    """
    mass = tails.above(end)[0]
    if mass <= 0:
        return arb(0), arb(0)
    width = far_step(tails, end=end, far_bits=far_bits, count=_FAR_CELLS)
    if width <= 0:
        return arb(0), mass
    tilted = arb(0)
    for j in range(1, _FAR_CELLS + 1):
        x = end + j * width
        rest = tails.above(x)[0]
        tilted += (mass - rest).union(arb(0)) * grid.weight(x)
        mass = rest
    return tilted, mass


def _loose(atoms: Sequence[tuple[Epsilon, Exact]], grid: _Grid) -> Leaf:
    """Return masses off the grid: split above, merged or moved down below.

    A mass that may lie on a grid point as far as balls see is moved up to the next one
    in the upper law.
    """
    work, h = working_bits(), grid.h
    places = [(e.nats.ball(work), m.ball(work)) for e, m in atoms]
    first = int(floor_of(places[0][0] / h)) - 1
    last = int(floor_of((places[-1][0] / h).upper())) + 3
    _refuse_many(last - first)
    upper: Cells = [(arb(0), arb(0))] * (last - first)
    lower = list(upper)
    for x, mass in places:
        position = x / h
        index, above = int(floor_of(position)), int(floor_of(position.upper())) + 1
        if index + 1 == above:
            _add(upper, index - first, *_cell(mass, x, index, grid))
        else:
            _add(upper, above - first, mass * grid.weight(above * h), arb(0))
        around = int(floor_of((position.mid() + arb(1) / 2).mid()))
        _add(lower, around - first, *_cell(mass, x, around, grid))
    return _both(grid, Exact(0), first, upper, Exact(0), lower, (), arb(0), arb(0))


def _cell(mass: arb, x: arb, index: int, grid: _Grid) -> tuple[arb, arb]:
    point = index * grid.h
    a = mass * grid.weight(point)
    return a, -a * (point - x).expm1()


def _add(cells: Cells, index: int, a: arb, s: arb) -> None:
    mass, surplus = cells[index]
    cells[index] = (mass + a, surplus + s)


def _refuse_many(cells: int) -> None:
    refuse_above(
        MAX_CELLS_OF_A_GRID,
        cells,
        f"the grid needs {count_text(cells)} cells for one law",
        advice="Ask for a wider enclosure.",
    )


def loose_atoms(law: LossLaw) -> list[tuple[Epsilon, Exact]]:
    """Return the losses of a loose pair with their masses, ascending."""
    assert law.loose is not None
    return [(Epsilon(r), m) for r, m in law.loose]
