"""Which steps to compose with: a plan in doubles, and the laws that come of it, certified.

Parts are sorted into groups whose losses have a common lattice; parts with a density
and no atoms join the first group. A group has one unit, and its parts steps of the
form unit·2^c/n, so atoms stay on the grid while it is coarsened. Masses on no lattice
are composed exactly where they stay few, else put on the grid.

The error model (nothing rests on it): moving mass by a spread of variance v in all
changes δ relatively by about λ(λ + 1)/2·v; a part composed k times with first step h,
doubled at every second squaring, adds about 1.5·k·h² to both sides together.

Definitions: :class:`Plan`, :class:`SideLaws`, :func:`allowed_variance`,
:func:`composed_laws`, :func:`grouped`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil, floor, log2, sqrt

from flint import arb, fmpz, fmpz_poly

from exactdp.accounting.commensurable import MAX_STEPS, common_base, floor_of_logarithm
from exactdp.accounting.grid_leaves import leaf_of, loose_atoms
from exactdp.accounting.grid_sketch import Saddle
from exactdp.accounting.loss_laws import LossLaw
from exactdp.distributions import Frame, GridLaw, Points, Side, TailSums, histogram_count
from exactdp.errors import TooLargeError
from exactdp.numbers import Epsilon, Exact, Number, precision

__all__ = ["Group", "Plan", "SideLaws", "allowed_variance", "composed_laws", "grouped"]

_SPREAD = 1.5
_FEW_ATOMS = 60_000
_MAX_POINTS = 400_000
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
class Plan:
    """What an attempt is made with.

    Attributes:
        saddle: The tilt, and where the losses lie.
        variance: The variance that all moving of mass may add.
        bits: Of the weights.
        far_bits: About 2^-far_bits of P may go to plus infinity.
    """

    saddle: Saddle
    variance: float
    bits: int
    far_bits: int

    @property
    def tilt(self) -> Fraction:
        """λ, as it is used."""
        return Fraction(self.saddle.tilt).limit_denominator(1 << 20)


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
        >>> from exactdp.divergences import Pair
        >>> coin = LossLaw.from_pair(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
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
        if max(old, new) * max(f for _, f in group.members) > MAX_STEPS:
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
            if len(points.values) * len(more_points.values) > _MAX_POINTS:
                raise TooLargeError(
                    f"the losses lie on {len(groups)} lattices without a common step, with "
                    f"{len(points.values) * len(more_points.values):,} sums of all but one. "
                    "Compose fewer different kinds of pairs."
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
    shares = sum(1 for i, _ in group.members if not _is_exact_on(laws[i][0])) or 1
    wanted = {i: sqrt(plan.variance / (_SPREAD * shares * laws[i][1])) for i, _ in group.members}
    for i, _ in group.members:  # a step is never coarse against the law itself
        if not _is_exact_on(laws[i][0]):
            deviation = sqrt(plan.saddle.sketches[i].cumulant(plan.saddle.tilt)[2])
            wanted[i] = min(wanted[i], max(deviation, 1e-300) / 4)
    frame, divisor = _frame(laws, group, plan, wanted)
    unit = float(frame.unit.ball(64).mid())
    lowers: list[GridLaw] = []
    uppers: list[GridLaw] = []
    infinity = arb(0)
    for i, factor in group.members:
        law, times = laws[i]
        exact = _is_exact_on(law)
        multiple = Fraction(1)
        if not exact:
            multiple = _multiple(wanted[i] / unit, divisor)
        tilted = plan.saddle.sketches[i].cumulant(float(plan.tilt))[0]
        leaf = leaf_of(
            law,
            frame,
            multiple=multiple,
            log_norm=Fraction(floor(tilted * 2**20), 2**20),
            sketch=plan.saddle.sketches[i],
            far_bits=plan.far_bits,
            index_factor=factor,
        )
        doublings = 0
        while exact and 2 * unit * float(multiple) <= wanted[i]:
            multiple, doublings = 2 * multiple, doublings + 1
        levels = _levels(multiple, wanted[i] / unit, times, 1 if exact else divisor)
        for law_of_side, results in ((leaf.lower, lowers), (leaf.upper, uppers)):
            for _ in range(doublings):
                law_of_side = law_of_side.coarsened()
            results.append(law_of_side.power(times, coarsen_at=levels))
        with precision(64):
            infinity += times * leaf.infinity
    if not lowers:
        for side, results in ((Side.LOWER, lowers), (Side.UPPER, uppers)):
            results.append(_nothing(frame, side))
    target = sqrt(plan.variance / (_SPREAD * shares)) / unit
    common = max(min(law.multiple for law in lowers), _multiple(target, divisor))
    common = min(common, max(law.multiple for law in lowers))
    return _product(lowers, common), _product(uppers, common), infinity


def _nothing(frame: Frame, side: Side) -> GridLaw:
    """Return mass 1 at loss 0."""
    one = fmpz_poly([fmpz(1) << frame.bits])
    return GridLaw(frame, side, Fraction(1), Exact(0), Fraction(0), 0, one, fmpz(0))


def _is_exact_on(law: LossLaw) -> bool:
    """Return whether the law lies on its lattice without being moved."""
    return law.density is None and law.loose is None


def _frame(
    laws: Sequence[tuple[LossLaw, int]], group: Group, plan: Plan, wanted: dict[int, float]
) -> tuple[Frame, int]:
    """Return the frame, and the n such that steps are unit·2^c/n."""
    moved = [wanted[i] for i, _ in group.members if not _is_exact_on(laws[i][0])]
    if group.unit is None:
        unit = Exact(1)
        if moved:  # 16 significant bits of the smallest step, exactly
            exponent = floor(log2(min(moved))) - 16
            unit = Exact(Fraction(floor(min(moved) * 2.0**-exponent)) * Fraction(2) ** exponent)
        return Frame(unit, plan.tilt, 1, plan.bits), 1
    frame = Frame(group.unit, plan.tilt, 1, plan.bits)
    ratio = float(group.unit.ball(64).mid()) / min(moved) if moved else 0.0
    if ratio <= 1:  # nothing to align: steps are powers of two times the unit
        return frame, 1
    doublings = 1 + max(laws[i][1] for i, _ in group.members).bit_length() // 2
    return frame, max(1, ceil(ratio / 2**doublings)) << doublings


def _largest_multiple(divisor: int) -> Fraction | None:
    """Return the largest 2^c/n on which the lattice still lies; None if n = 1 (no limit)."""
    return None if divisor == 1 else Fraction(divisor & -divisor, divisor)


def _multiple(wanted: float, divisor: int) -> Fraction:
    """Return the largest 2^c/n, c >= 0, that is at most what is wanted and allowed."""
    multiple, largest = Fraction(1, divisor), _largest_multiple(divisor)
    while 2 * multiple <= wanted and (largest is None or 2 * multiple <= largest):
        multiple *= 2
    return multiple


def _levels(multiple: Fraction, wanted: float, times: int, divisor: int) -> frozenset[int]:
    """Return the levels at which the step is doubled, to stay within wanted·2^(level/2)."""
    levels, largest = set(), _largest_multiple(divisor)
    for level in range(1, times.bit_length()):
        allowed = largest is None or 2 * multiple <= largest
        if allowed and 2 * multiple <= wanted * 2 ** (level / 2):
            levels.add(level)
            multiple *= 2
    return frozenset(levels)


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


def allowed_variance(saddle: Saddle, width: float) -> float:
    """Return the variance that may be added for a relative width of δ, about."""
    tilt, spread = saddle.tilt, saddle.deviation
    return width / (tilt * (tilt + 1) / 2 + (tilt + 1) / (2 * spread) + 1e-3)
