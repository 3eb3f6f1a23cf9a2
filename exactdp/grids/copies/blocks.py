"""The sum of a block of copies on a grid: what goes into each cell, in balls.

A block is a histogram of values; its mass is a multinomial probability. Doubles choose the
cells, and which histograms are too light to matter; masses and means are balls, so a bad
choice only makes a law worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpz, fmpz_poly

from exactdp.grids.copies.proposals import Integers, heavy, histograms, nearest_cells
from exactdp.grids.entry import upper_law
from exactdp.grids.laws import Frame, GridLaw, Side
from exactdp.numbers import Exact, fmpq_of, precision
from exactdp.numbers.balls import floor_of
from exactdp.numbers.limits import MAX_CELLS_OF_A_BLOCK, count_text, refuse_above

__all__ = ["Copies", "lower_block", "positive_part", "upper_copy"]

_MORE_BITS = 96
_REACH = 6


@dataclass(frozen=True, slots=True)
class Copies:
    """The law of one copy, as balls.

    Attributes:
        values: The values.
        masses: Their probabilities.
    """

    values: Sequence[arb]
    masses: Sequence[arb]

    def total(self, copies: int, *, tilt: Fraction, log_norm: Fraction) -> arb:
        """Return E e^(λS − log_norm) for the sum S of some copies."""
        rate = arb(fmpq_of(tilt))
        one = sum((m * (rate * v).exp() for v, m in _pairs(self)), arb(0))
        return one**copies * (-arb(fmpq_of(log_norm))).exp()

    def merged(self, groups: Sequence[Sequence[int]]) -> Copies:
        """Return the law whose groups of values are merged into their means."""
        masses = [sum((self.masses[i] for i in group), arb(0)) for group in groups]
        sums = [sum((self.masses[i] * self.values[i] for i in g), arb(0)) for g in groups]
        means = [
            self.values[group[0]] if len(group) == 1 else s / m
            for group, s, m in zip(groups, sums, masses, strict=True)
        ]
        return Copies(means, masses)


def lower_block(
    law: Copies,
    frame: Frame,
    *,
    copies: int,
    origin: Fraction,
    log_norm: Fraction,
    lightest: float,
) -> GridLaw:
    """Return the sum of some copies on a grid, from below.

    Args:
        law: Of one copy.
        frame: Of the grid; its unit is the step.
        copies: How many, at least 1.
        origin: Of the grid, for each copy.
        log_norm: Of the law that is returned.
        lightest: Histograms lighter by this, in nats, than the heaviest are left out.
    """
    work = frame.bits + _MORE_BITS
    h = frame.step(Fraction(1), precision_bits=work)
    tilt = fmpq_of(frame.tilt)
    with precision(work):
        start = copies * arb(fmpq_of(origin))
        counts = heavy(copies, [(arb(tilt) * v).exp() * m for v, m in _pairs(law)], lightest)
        cells = nearest_cells(counts, [(v - arb(fmpq_of(origin))) / h for v in law.values])
        found: dict[int, tuple[arb, arb]] = {}
        for cell, x, mass in _sums(law, copies, counts, cells, start, h):
            # A mass that is not above the point before may not lie in this cell: left out.
            if x > -h:
                a, s = found.get(cell, (arb(0), arb(0)))
                found[cell] = (a + mass, s + mass * x)
        scale = arb(2) ** frame.bits
        weights = {}
        for cell, mass in _contracted(found, h).items():
            tilted = (arb(tilt) * (start + cell * h) - arb(fmpq_of(log_norm))).exp() * mass
            weights[cell] = max(fmpz(0), floor_of(tilted * scale))
    first = min(weights)
    row = [fmpz(0)] * (max(weights) - first + 1)
    for cell, weight in weights.items():
        row[cell - first] = weight
    zero, origin_of_block = fmpz(0), Exact(copies * origin)
    return GridLaw(
        frame, Side.LOWER, Fraction(1), origin_of_block, log_norm, first, fmpz_poly(row), zero
    ).trimmed()


def _contracted(found: dict[int, tuple[arb, arb]], h: arb) -> dict[int, arb]:
    """Return masses at the points of cells, such that means of convex functions fall.

    A cell (a, s) has mass a and mean x_j + s/a, all of it above x_(j−1). Where s < 0, shares
    of the next cells that are not empty are merged with it, so that the mean becomes x_j;
    where these few do not suffice, the cell moves down to x_(j−1). Then a cell with s > 0 is
    merged with a share of the one before, so that the mean stays at least x_j. A share keeps
    the mean of its cell, so each step is a merger or a move down, whatever was done before.
    """
    order = sorted(found)
    a = [found[cell][0] for cell in order]
    s = [found[cell][1] for cell in order]
    fallen: dict[int, arb] = {}
    zero = arb(0)
    for j, cell in enumerate(order):
        if s[j] >= 0:
            continue
        taken = _repair(order, a, s, j, h)
        if taken is None:
            fallen[cell - 1] = fallen.get(cell - 1, zero) + a[j]
            a[j], s[j] = zero, zero
        for i, share in taken or ():
            a[j] += share * a[i]
            a[i], s[i] = (1 - share) * a[i], (1 - share) * s[i]
        s[j] = zero
    half = arb(1) / 2
    for j in range(len(order) - 1, 0, -1):
        cost = a[j - 1] * (order[j] - order[j - 1]) * h - s[j - 1]
        if s[j] > 0 and cost > 0:
            share = (s[j] / cost).lower()
            share = share if share < half else half
            if share > 0:
                a[j] += share * a[j - 1]
                a[j - 1], s[j - 1] = (1 - share) * a[j - 1], (1 - share) * s[j - 1]
    for cell, mass in zip(order, a, strict=True):
        fallen[cell] = fallen.get(cell, zero) + mass
    return fallen


def _repair(
    order: Sequence[int], a: Sequence[arb], s: Sequence[arb], j: int, h: arb
) -> list[tuple[int, arb]] | None:
    """Return the shares of the next cells that bring the mean of cell j up to its point."""
    missing, taken = -s[j], []
    for i in range(j + 1, min(j + 1 + _REACH, len(order))):
        gain = s[i] + a[i] * (order[i] - order[j]) * h
        if not gain > 0:
            continue
        share = (missing / gain).upper()
        if share <= 1:
            # Balls that cannot be told from zero may leave less than nothing to repair.
            taken.append((i, share if share > 0 else arb(0)))
            return taken
        taken.append((i, arb(1)))
        missing -= gain
    return None


def upper_copy(law: Copies, frame: Frame, *, log_norm: Fraction) -> GridLaw:
    """Return one copy on the grid of a frame, from above."""
    work = frame.bits + _MORE_BITS
    h = frame.step(Fraction(1), precision_bits=work)
    with precision(work):
        found: dict[int, tuple[arb, arb]] = {}
        for value, mass in _pairs(law):
            cell = int(floor_of(value / h))
            surplus = value - cell * h
            if not (surplus >= 0 and surplus <= h):  # near a point: up to the next
                while not surplus <= 0:
                    cell += 1
                    surplus = value - cell * h
                surplus = arb(0)
            a, s = found.get(cell, (arb(0), arb(0)))
            found[cell] = (a + mass, s + mass * surplus)
        first = min(found)
        refuse_above(
            MAX_CELLS_OF_A_BLOCK,
            max(found) - first,
            f"one copy has {count_text(max(found) - first)} cells on a grid that is fine enough",
            advice="Ask for a wider enclosure.",
        )
        tilt, norm = arb(fmpq_of(frame.tilt)), arb(fmpq_of(log_norm))
        empty = (arb(0), arb(0))
        rows = []
        for cell in range(first, max(found) + 1):
            a, s = found.get(cell, empty)
            factor = (tilt * cell * h - norm).exp() if cell in found else arb(0)
            rows.append((a * factor, s * factor))
    return upper_law(
        frame,
        multiple=Fraction(1),
        origin=Exact(0),
        log_norm=log_norm,
        first=first,
        cells=rows,
        beyond=arb(0),
    )


def positive_part(law: Copies, copies: int) -> arb:
    """Return a ball around E max(0, S) for the sum S of few copies, histogram by histogram."""
    counts = histograms(copies, [(0, copies)] * (len(law.values) - 1))
    total = arb(0)
    cells = nearest_cells(counts, [arb(0)] * len(law.values))
    for _, x, mass in _sums(law, copies, counts, cells, arb(0), arb(1)):
        if x > 0:
            total += x * mass
        elif not x <= 0:
            total += x.nonnegative_part() * mass
    return total


def _pairs(law: Copies) -> Iterator[tuple[arb, arb]]:
    return zip(law.values, law.masses, strict=True)


def _sums(
    law: Copies, copies: int, counts: Integers, cells: Integers, start: arb, h: arb
) -> Iterator[tuple[int, arb, arb]]:
    """Yield (cell, sum − start − cell·h, mass) of the histograms."""
    powers, multiples = [], []
    for i, (value, mass) in enumerate(_pairs(law)):
        seen = sorted(set(counts[:, i].tolist()))
        powers.append({k: mass**k / arb(k + 1).gamma() for k in seen})
        multiples.append({k: k * value for k in seen})
    # The factorial of all copies goes into one letter's table.
    factorial = arb(copies + 1).gamma()
    powers[-1] = {k: factorial * p for k, p in powers[-1].items()}
    points = {c: -start - c * h for c in set(cells.tolist())}
    for histogram, cell in zip(counts.tolist(), cells.tolist(), strict=True):
        x, mass = points[cell], arb(1)
        for k, sums, weights in zip(histogram, multiples, powers, strict=True):
            if k:
                x += sums[k]
            mass *= weights[k]
        yield cell, x, mass
