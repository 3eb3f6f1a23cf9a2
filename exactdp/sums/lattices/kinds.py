"""Like laws of a sum: one of each kind is planned, and the others take its cells.

A plan takes longer than all that rests on it. Of hundreds of laws that differ little, as those of
steps whose noise falls from one to the next, it is made as if all of a kind were the same. Then
each law has its own masses in cells of the same widths about a place of its own: nothing rests on
what is alike but the width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf

from flint import arb

from exactdp.numbers import precision, working_bits
from exactdp.sums.doubles import about_log
from exactdp.sums.lattices.guides import Piece
from exactdp.sums.lattices.polygons import Knots
from exactdp.sums.laws.loss_law import LossLaw
from exactdp.sums.laws.portions import Portion

__all__ = ["Kind", "all_pieces", "kinds_of"]

_MOST = 12
"""Kinds of endless densities that are planned, at most."""

_FINEST = 1 / 64
"""The difference of logarithms of δ(0) within a kind, at first; then twice that."""

_TAIL = 8
"""How many times more the logarithms of tails may differ."""

_BITS = 64
"""Bits of the balls by which laws are told to be alike; nothing rests on them."""

_RARE = 1e-4
"""The tail of the first law at the loss where tails are compared, about."""

_CELLS = 64
"""Cells by which one law may reach farther than another of its kind, at most."""

_Parts = Sequence[tuple[LossLaw, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """Laws of one kind.

    Attributes:
        members: The laws with their numbers of copies; the first is planned.
    """

    members: _Parts

    @property
    def planned(self) -> tuple[LossLaw, int]:
        """The law that is planned, and the number of copies of all."""
        return self.members[0][0], sum(times for _, times in self.members)

    @property
    def top(self) -> arb | None:
        """The largest loss of all, at the working precision; None if one has none."""
        found = arb("-inf")
        for law, _ in self.members:
            top = law.highest()
            if top is None:
                return None
            found = found.max(top.ball(working_bits()))
        return found


def all_pieces(kinds: Sequence[Kind], planned: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of all laws, with the cells of those that are planned, which come first."""
    pairs = list(zip(kinds, planned, strict=True))
    return [
        *(Piece(piece.rest, piece.hits, kind.members[0][1]) for kind, piece in pairs),
        *(_like(piece, law, times) for kind, piece in pairs for law, times in kind.members[1:]),
    ]


def kinds_of(parts: _Parts) -> list[Kind]:
    """Return laws by kind, as they are where they are few: alike are only endless densities."""
    like = [
        (law, times)
        for law, times in parts
        if law.density is not None
        and None in law.density.ends()
        and law.lattice is None
        and law.loose is None
    ]
    if len(like) <= _MOST:
        return [Kind([part]) for part in parts]
    with precision(_BITS):
        far = _far(like[len(like) // 2][0])
        marked = [(_Mark.of(law, far), (law, times)) for law, times in like]
    size, groups = _FINEST, dict[object, list[tuple[LossLaw, int]]]()
    # What is planned reaches farthest: its cells hold the others.
    marked.sort(key=lambda one: (-one[0].top, -one[0].log_tail))
    while not groups or (len(groups) > _MOST and size < 1 / _FINEST):
        groups.clear()
        for mark, part in marked:
            groups.setdefault(mark.cell(size), []).append(part)
        size *= 2
    alike = {id(law) for law, _ in like}
    rest = [Kind([part]) for part in parts if id(part[0]) not in alike]
    return [*rest, *map(Kind, groups.values())]


@dataclass(frozen=True, slots=True)
class _Mark:
    """A key that tells laws apart: the density, its top, ln δ(0), and the logarithm of a tail."""

    density: type
    top: float
    log_total: float
    log_tail: float

    @classmethod
    def of(cls, law: LossLaw, far: arb) -> _Mark:
        top, total = law.highest(), about_log(law.total_variation())
        high = inf if top is None else float(top.ball(_BITS).mid())
        return cls(type(law.density), high, total, about_log(_tail(law, far)))

    def cell(self, size: float) -> object:
        """Return the same for laws that are alike, up to a size."""
        places = floor(self.log_total / size), floor(self.log_tail / (_TAIL * size))
        return self.density, self.top == inf, places


def _far(law: LossLaw) -> arb:
    """Return about the loss above which a law has little, a power of 2."""
    found = (arb(2) ** k for k in range(10, -41, -1))
    return next((far for far in found if not _tail(law, far) < _RARE), arb(0))


def _tail(law: LossLaw, far: arb) -> arb:
    """Return the mass of P above a loss."""
    assert law.density is not None
    return law.density.above(far)[0]


def _like(planned: Piece, law: LossLaw, times: int) -> Piece:
    rest, hits = (
        None if one is None else _knots_like(one, law) for one in (planned.rest, planned.hits)
    )
    found = Piece(rest, hits, times)
    first = found.knots[0]
    center = first.center()[0] if first.side == 0 else first.start
    for knots, model in zip(found.knots, planned.knots, strict=True):
        knots.move(center)
        _extend(knots, model)
    return found


def _knots_like(model: Knots, law: LossLaw) -> Knots:
    """Return knots of another law, which have no cells of their own yet."""
    found = Knots(Portion(law, model.law.low, model.law.high), model.start, model.unit, model.side)
    found.cells, found._weigh = list(model.cells), model._weigh
    return found


def _extend(knots: Knots, model: Knots) -> None:
    """Add cells at the ends while more is beyond them than of the law that is planned."""
    beyond, under = model.beyond[0], model.below(model.ends[0])
    (first, last), (left, right) = knots.ends, (knots.cells[i].width for i in (0, -1))
    for _ in range(_CELLS):
        if knots.beyond[0] <= 2 * beyond:
            break
        knots.cells.append(knots.chord(last, right))
        last, right = last + right, 2 * right
    for _ in range(_CELLS):
        if knots.below(first) <= 2 * under:
            break
        first, left = first - left, 2 * left
        knots.cells.insert(0, knots.chord(first, left // 2))
