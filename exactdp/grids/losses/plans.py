"""The law of a sum of losses, composed from both sides with the steps of a plan.

Parts are sorted into groups whose losses have a common lattice; parts with a density
and no atoms join the first group. A group has one unit, and its parts steps of the
form unit·2^c/n, so atoms stay on the grid while it is coarsened. Masses on no lattice
are composed exactly where they stay few, else put on the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

from flint import arb, fmpz, fmpz_poly

from exactdp.distributions import histogram_count
from exactdp.grids.laws import Frame, GridLaw, Side
from exactdp.grids.losses import proposals
from exactdp.grids.losses.laws import LossLaw
from exactdp.grids.losses.leaves import leaf_of, loose_atoms
from exactdp.grids.losses.proposals import Plan
from exactdp.grids.means import Points, TailSums
from exactdp.numbers import Epsilon, Exact, Number, precision
from exactdp.numbers.commensurable import common_base, floor_of_logarithm
from exactdp.numbers.limits import (
    MAX_POINTS_OFF_THE_GRID,
    MAX_STEPS_OF_A_LATTICE,
    count_text,
    refuse_above,
)

__all__ = ["Group", "SideLaws", "composed_laws", "grouped"]

_FEW_ATOMS = 60_000
_POINT_BITS = 96


@dataclass(frozen=True, slots=True)
class Group:
    """Parts whose atoms have a common lattice.

    Attributes:
        unit: Of the lattice; None if no part has one.
        base: e^unit where it is exact.
        members: The indices of the parts, each with its own unit over that of the group.
    """

    unit: Number | None
    base: Exact | None
    members: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SideLaws:
    """The composed finite losses from one side: X on a grid, Z on points, independent.

    Attributes:
        sums: Of X.
        points: Of Z.
    """

    sums: TailSums
    points: Points


def grouped(laws: Sequence[tuple[LossLaw, int]]) -> tuple[list[Group], list[int]]:
    """Return the groups, and the parts that are composed point by point instead.

    Example:
        >>> coin = LossLaw.of_atoms([(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))])
        >>> groups, _ = grouped([(coin, 5), (coin, 2)])
        >>> len(groups), groups[0].members
        (1, ((0, 1), (1, 1)))
    """
    groups: list[Group] = []
    free: list[tuple[int, int]] = []
    loose: list[int] = []
    cells = 1
    for index, (law, times) in enumerate(laws):
        if law.loose is not None:
            cells *= histogram_count(times, len(loose_atoms(law)))
            if cells <= _FEW_ATOMS:
                loose.append(index)
            else:
                free.append((index, 1))
        elif law.lattice is not None and law.lattice.unit is not None:
            _join(groups, index, law.lattice.unit, law.lattice.base)
        elif law.lattice is not None or law.density is not None:
            free.append((index, 1))
    if not groups:  # what is point by point, or free, needs a group all the same
        groups.append(Group(None, None, ()))
    if free:
        groups[0] = replace(groups[0], members=(*groups[0].members, *free))
    return groups, loose


def _join(groups: list[Group], index: int, unit: Number, base: Exact | None) -> None:
    for position, group in enumerate(groups):
        shared = common_base(group.base, base) if group.base and base else None
        if shared is None:
            continue
        old = floor_of_logarithm(group.base, shared) if group.base else 1
        new = floor_of_logarithm(base, shared) if base else 1
        if max(old, new) * max(f for _, f in group.members) > MAX_STEPS_OF_A_LATTICE:
            continue
        members = tuple((i, factor * old) for i, factor in group.members)
        groups[position] = Group(Epsilon(shared).nats, shared, (*members, (index, new)))
        return
    groups.append(Group(unit, base, ((index, 1),)))


def composed_laws(
    laws: Sequence[tuple[LossLaw, int]],
    groups: Sequence[Group],
    loose: Sequence[int],
    plan: Plan,
) -> tuple[SideLaws, SideLaws, arb]:
    """Return the composed laws from below and above, and the P-mass sent to infinity.

    Raises:
        TooLargeError: If a grid would have too many cells.
    """
    results: list[tuple[GridLaw, GridLaw]] = []
    infinity = arb(0)
    for group in groups:
        lower, upper, more = _group_laws(laws, group, plan)
        results.append((lower, upper))
        with precision(64):
            infinity += more
    results.sort(key=lambda pair: len(pair[0]))
    *others, (lower, upper) = results
    sides = []
    for position, law in enumerate((lower, upper)):
        points = _loose_points(laws, loose, law.frame)
        for other in others:
            more_points = Points.of_law(other[position])
            count = len(points.values) * len(more_points.values)
            refuse_above(
                MAX_POINTS_OFF_THE_GRID,
                count,
                f"the losses lie on {len(groups)} lattices without a common step, with "
                f"{count_text(count)} sums of all but one",
                advice="Compose fewer different kinds of pairs.",
            )
            with precision(law.frame.bits + _POINT_BITS):
                points = points.times(more_points)
        sides.append(SideLaws(TailSums(law), points))
    return sides[0], sides[1], infinity


def _loose_points(
    laws: Sequence[tuple[LossLaw, int]], loose: Sequence[int], frame: Frame
) -> Points:
    """Return the sums of losses on no lattice, one point for each way to count them."""
    bits = frame.bits + _POINT_BITS
    points = Points.at_zero()
    for i in loose:
        law, times = laws[i]
        atoms = [(e.nats.ball(bits), m.ball(bits)) for e, m in loose_atoms(law)]
        with precision(bits):
            more = Points.of_values(_counted(atoms, times), frame)
            points = points.times(more)
    return points


def _counted(atoms: Sequence[tuple[arb, arb]], times: int) -> list[tuple[arb, arb]]:
    """Return the multinomial law of the sum of ``times`` values."""
    partial = [(arb(0), arb(1), times)]
    for x, mass in atoms[:-1]:
        powers = [mass**count for count in range(times + 1)]
        partial = [
            (z + count * x, a * fmpz.bin_uiui(left, count) * powers[count], left - count)
            for z, a, left in partial
            for count in range(left + 1)
        ]
    x, mass = atoms[-1]
    return [(z + left * x, a * mass**left) for z, a, left in partial]


def _group_laws(
    laws: Sequence[tuple[LossLaw, int]], group: Group, plan: Plan
) -> tuple[GridLaw, GridLaw, arb]:
    """Return the composed laws of one group, and the P-mass that went to infinity."""
    moved = [i for i, _ in group.members if not laws[i][0].is_on_its_lattice]
    shares = len(moved) or 1
    wanted = {
        i: proposals.step_for(laws[i][0], plan, part=i, copies=laws[i][1], shares=shares)
        for i, _ in group.members
    }
    steps = [wanted[i] for i in moved]
    unit, divisor = group.unit, 1
    if unit is None:
        unit = proposals.free_unit(steps)
    else:
        most = max(laws[i][1] for i, _ in group.members)
        divisor = proposals.divisor_of(unit, steps, copies=most)
    frame = Frame(unit, plan.tilt, 1, plan.bits)
    lowers: list[GridLaw] = []
    uppers: list[GridLaw] = []
    infinity = arb(0)
    for i, factor in group.members:
        law, times = laws[i]
        doublings, multiple, finest = 0, Fraction(1), 1
        if law.is_on_its_lattice:
            doublings = proposals.doublings_of(unit, wanted[i])
        else:
            multiple, finest = proposals.multiple_of(unit, wanted[i], divisor), divisor
        leaf = leaf_of(
            law,
            frame,
            multiple=multiple,
            log_norm=proposals.log_norm_of(plan, i),
            sketch=plan.saddle.sketches[i],
            far_bits=plan.far_bits,
            index_factor=factor,
        )
        levels = proposals.levels_of(
            unit, wanted[i], multiple * 2**doublings, times=times, divisor=finest
        )
        for law_of_side, results in ((leaf.lower, lowers), (leaf.upper, uppers)):
            for _ in range(doublings):
                law_of_side = law_of_side.coarsened()
            results.append(law_of_side.power(times, coarsen_at=levels))
        with precision(64):
            infinity += times * leaf.infinity
    if not lowers:
        for side, results in ((Side.LOWER, lowers), (Side.UPPER, uppers)):
            results.append(_nothing(frame, side))
    multiples = [law.multiple for law in lowers]
    common = proposals.common_step(unit, multiples, plan, shares=shares, divisor=divisor)
    return _product(lowers, common), _product(uppers, common), infinity


def _nothing(frame: Frame, side: Side) -> GridLaw:
    """Return mass 1 at loss 0."""
    one = fmpz_poly([fmpz(1) << frame.bits])
    return GridLaw(frame, side, Fraction(1), Exact(0), Fraction(0), 0, one, fmpz(0))


def _product(laws: Sequence[GridLaw], common: Fraction) -> GridLaw:
    """Return the law of the sum, on the common step."""
    fitted = []
    for law in laws:
        while law.multiple < common and (common / law.multiple) % 2 == 0:
            law = law.coarsened()
        fitted.append(law)
    common = min(law.multiple for law in fitted)
    fitted = [law.refined(int(law.multiple / common)) for law in fitted]
    fitted.sort(key=len)
    return reduce(GridLaw.times, fitted)
