"""The placing of knots of losses: one unit for all, and a starting point for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log2, sqrt

from flint import arb

from exactdp.numbers import fmpq_of, precision
from exactdp.sums.doubles import PLAN_BITS
from exactdp.sums.lattices.guides import Piece
from exactdp.sums.lattices.polygons import ASIDE, Knots
from exactdp.sums.lattices.tilted import BITS
from exactdp.sums.laws.loss_law import LossLaw
from exactdp.sums.laws.portions import Portion

__all__ = ["TYPICAL", "is_bounded", "is_spread", "placed", "reach"]

TYPICAL = 0.25
"""The mass of P that lies farther from 0 than the typical size of a loss does."""

_ROUGH = 1e-4
"""The mass of P that may lie farther from 0 than a loss is said to reach."""

_OCTAVES = -200, 60
"""The least and the largest exponent of 2 that a reach may have."""

_CLOUD = 64.0
"""How many times farther out one loss in 1,000 may lie than one in four, for contours.

Where it lies farther, most of a loss is nearly one atom, and its transform hardly falls."""

_LITTLE = 1e-4
"""The least typical size of a loss, in nats, for contours: less takes long lines."""

_SLIGHT = 2.0**-14
"""The part of the reach of all sums below which a narrower loss may have cells by that reach."""

_PART = 1 / 16
"""The part of a unit below which the spread of a sum of copies needs no knots of its own.

Cells of a unit widen such a sum by a four-hundredth."""


def placed(
    parts: Sequence[tuple[LossLaw, int]],
    grain: float | None,
    *,
    stretch: Fraction | None = None,
    is_loose: bool = True,
    low: int | None = None,
    high: int | None = None,
    cut: Mapping[int, arb | None] | None = None,
) -> list[Piece]:
    """Return the losses of a sum with their first knots, in one unit.

    Args:
        parts: The laws, with their numbers of copies.
        grain: The step of a coarser lattice, if it is known.
        stretch: The factor by which the unit is stretched; None for none.
        is_loose: Whether a law that is little beside others may have ends that are not knots.
        low: The exponent k of the loss 2^k above which a loss is a hit; None if all are hits.
        high: The exponent k of the largest loss 2^k that counts; None if all count.
        cut: The indices of those that are cut, each with its largest loss, or that of others which
            take its cells, None for none: at 2^high, and at 2^low, above which are hits. There
            are none among the others.
    """
    ends = [None if k is None else arb(2) ** k for k in (low, high)]
    size = ends[0] if ends[0] is not None else ends[1]
    spans = [_Span.of(law) for law, _ in parts]
    unit = max((span.reach for span in spans), key=lambda ball: float(ball.mid()))
    unit = unit if size is None else size
    if is_loose:
        spans = _without_little(spans, parts, unit)
    exact = _whole(spans, parts)
    if exact is not None:  # both ends become knots
        octaves = 0 if size is None else ceil(log2(float(unit.mid()) / float(exact.mid())))
        unit = exact * arb(2) ** octaves
    if stretch is not None and size is None:
        unit = unit * fmpq_of(stretch)
    found = []
    for i, (span, (law, times)) in enumerate(zip(spans, parts, strict=True)):
        (first, last), most, is_beyond = ends, size, cut is not None and i in cut
        if cut is not None and is_beyond and size is not None:
            top = cut[i]
            is_beyond = top is None or not top < size
            if is_beyond:  # the end of what is cut off is no end of what is left
                span = replace(span, end=None, side=0)
        else:
            first = last = most = None
        start = span.anchor(unit, grain, most)
        whole = Knots(Portion(law, None, last if low is None else first), start, unit, span.side)
        hits = (
            Knots(Portion(law, first, last), start, unit, 1)
            if low is not None and is_beyond
            else None
        )
        found.append(Piece(None, whole, times) if low is None else Piece(whole, hits, times))
    return found


@dataclass(frozen=True, slots=True)
class _Span:
    """The place of a loss.

    Attributes:
        law: The law of the loss.
        reach: How far most of its mass lies from 0, in nats.
        whole: The distance of both ends, if both are near; else None.
        end: The end that becomes a knot; None if none does.
        side: 1 if the first cell lies above place 0, −1 if below, 0 for one on each side.
    """

    law: LossLaw
    reach: arb
    whole: arb | None
    end: arb | None
    side: int

    @classmethod
    def of(cls, law: LossLaw) -> _Span:
        """Return the span of a law."""
        ends = []
        mirrored = law.reversed()
        for one, sign in ((law, 1), (mirrored, -1)):
            top = one.highest()
            ends.append(None if top is None else sign * top.ball(BITS))
        far = arb(reach(law, _ROUGH))
        high, low = ends
        if high is not None and low is not None and high > low and high - low < 4 * far:
            return cls(law, far, high - low, high, -1)
        if high is not None and low is not None and not high > low:
            return cls(law, far, None, high, 1)
        return cls(law, far, None, None, 0)

    def is_little(self, unit: arb, scale: float, copies: int) -> bool:
        """Return whether the sum of copies is spread over a small part of a unit.

        Or over a small part of all sums, which reach about a ``scale``, where one copy is so
        narrow that cells of its own width would be too many.
        """
        if self.whole is None:
            return False
        whole = float(self.whole.mid())
        wide = max(float(unit.mid()), scale if whole < _SLIGHT * scale else 0.0)
        return whole * sqrt(copies) < _PART * wide

    def anchor(self, unit: arb, grain: float | None, most: arb | None = None) -> arb:
        """Return the loss of place 0, but for little, so that atoms lie beside it.

        It is an end, if one becomes a knot. If none does, it is the loss of all outcomes about 0
        if they were one, so that one knot can stand for them.
        """
        place = self.end
        if place is None:
            half = arb(max(float(self.reach), grain or 0))
            if most is not None:
                half = most.min(arb(max(reach(self.law, TYPICAL), grain or 0)))
            (p, q), (p_above, q_above) = (_above(self.law, x) for x in (-half, half))
            p, q = p - p_above, q - q_above
            place = (p / q).log().mid() if p > 0 and q > 0 else arb(0)
        found: arb = place - unit / 2**ASIDE
        return found


def _whole(spans: Sequence[_Span], parts: Sequence[tuple[LossLaw, int]]) -> arb | None:
    """Return the distance of both ends, of the law with most copies; None if none has both near.

    The distance of an end from the next knot is lost at every copy.
    """
    pairs = [(span.whole, n) for span, (_, n) in zip(spans, parts, strict=True)]
    found = [(whole, n) for whole, n in pairs if whole is not None]
    return max(found, key=lambda one: one[1])[0] if found else None


def _without_little(
    spans: list[_Span], parts: Sequence[tuple[LossLaw, int]], unit: arb
) -> list[_Span]:
    """Return the spans; where a sum of copies is small beside others, wide cells serve it."""
    if all(span.whole is None for span in spans):
        return spans
    scale = sqrt(sum(n * reach(law, TYPICAL) ** 2 for law, n in parts))
    return [
        replace(span, whole=None, end=None, side=0) if span.is_little(unit, scale, n) else span
        for span, (_, n) in zip(spans, parts, strict=True)
    ]


def _above(law: LossLaw, x: arb) -> tuple[arb, arb]:
    """Return the masses of P and Q above a loss, at finite losses."""
    p, q = arb(0), arb(0)
    for loss, mass in law.points(BITS):
        if loss > x:
            p, q = p + mass, q + mass * (-loss).exp()
    if law.density is not None:
        more = law.density.above(x)
        p, q = p + more[0], q + more[1]
    return p, q


def reach(law: LossLaw, share: float) -> float:
    """Return about the distance from 0, a power of 2, beyond which P has a share of its mass.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> one = gaussian_mechanism(sigma=8).loss_law()
        >>> reach(one, 0.5), reach(one, 1e-3)
        (0.0078125, 0.5)
    """
    return max(_reach(law, 1, share), _reach(law, -1, share))


def is_spread(laws: Sequence[LossLaw], cloud: float = _CLOUD) -> bool:
    """Return whether the transforms of all losses fall so far that contours are quick.

    They do not where most of a loss is nearly one atom: where one loss in a thousand lies more
    than ``cloud`` times as far out as one in four. Nor do they where losses are so small that a
    contour takes many points.
    """
    sizes = [(reach(law, TYPICAL), reach(law, 1e-3)) for law in laws]
    return all(size > _LITTLE and far <= cloud * size for size, far in sizes)


def is_bounded(laws: Sequence[LossLaw]) -> bool:
    """Return whether all losses end, as those of Laplace noise: their transforms fall slowly."""
    return all(law.density is None or None not in law.density.ends() for law in laws)


def _reach(law: LossLaw, sign: int, share: float) -> float:
    """Return the ``reach`` of the losses of one sign."""
    points = [
        (abs(float(x.mid())), float(m.mid())) for x, m in law.points(PLAN_BITS) if sign * x > 0
    ]
    least, most = _OCTAVES
    while least < most:
        k = (least + most) // 2
        left = sum(m for x, m in points if x > 2.0**k)
        if law.density is not None:
            tail = law.density.above if sign > 0 else law.density.below
            with precision(PLAN_BITS):
                left += float(tail(arb(sign * 2.0**k))[0].upper())
        least, most = (k + 1, most) if left > share else (least, k)
    return 2.0**least
