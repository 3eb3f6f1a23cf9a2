"""Like laws of a sum: one of each kind is planned, and the others take its cells.

A plan takes longer than all that rests on it. Of hundreds of laws that differ little, as those of
steps whose noise falls from one to the next, it is made as if all of a kind were the same. Then
each law has its own masses in cells of the same widths about a place of its own: nothing rests on
what is alike but the width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from flint import arb

from exactdp.numbers import precision
from exactdp.sums.doubles import about_log
from exactdp.sums.lattices.guides import Piece
from exactdp.sums.lattices.polygons import Knots
from exactdp.sums.laws.loss_law import LossLaw
from exactdp.sums.laws.portions import Portion

__all__ = ["Kind", "kinds_of"]

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

    def pieces(self, planned: Piece) -> list[Piece]:
        """Return the pieces of all members, with the cells of the one that is planned."""
        (_, times), *others = self.members
        return [
            planned if not others else Piece(planned.rest, planned.hits, times),
            *(_piece_like(planned, law, count) for law, count in others),
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
        marks = [(about_log(law.total_variation()), _log_tail(law, far)) for law, _ in like]
    size, groups = _FINEST, dict[tuple[object, ...], list[tuple[LossLaw, int]]]()
    while not groups or len(groups) > _MOST:
        groups.clear()
        for (law, times), (near, tail) in zip(like, marks, strict=True):
            place = type(law.density), floor(near / size), floor(tail / (_TAIL * size))
            groups.setdefault(place, []).append((law, times))
        size *= 2
    alike = {id(law) for law, _ in like}
    rest = [Kind([part]) for part in parts if id(part[0]) not in alike]
    # What is planned reaches farthest: its cells hold the others.
    tails = {id(law): tail for (law, _), (_, tail) in zip(like, marks, strict=True)}
    ordered = (
        sorted(group, key=lambda one: -tails[id(one[0])]) for group in groups.values()
    )
    return [*rest, *map(Kind, ordered)]


def _far(law: LossLaw) -> arb:
    """Return about the loss above which a law has little, a power of 2."""
    far = arb(2) ** 10
    while far > arb(2) ** -40 and law.density is not None and law.density.above(far)[0] < _RARE:
        far /= 2
    return far


def _log_tail(law: LossLaw, far: arb) -> float:
    """Return about the logarithm of the mass of P above a loss."""
    assert law.density is not None
    return about_log(law.density.above(far)[0])


def _piece_like(planned: Piece, law: LossLaw, times: int) -> Piece:
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
