"""Where the knots of losses lie: one unit for all, and a place for each to start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flint import arb

from exactdp.inversion.losses import LossLaw
from exactdp.inversion.polygons import Knots
from exactdp.inversion.portions import Portion
from exactdp.inversion.tilted import BITS
from exactdp.numbers import precision

__all__ = ["divided", "is_bounded", "is_spread", "placed", "reach"]

_ASIDE = 160
_ROUGH = 1e-4
_TYPICAL = 0.25
_ROUGH_BITS = 64
_OCTAVES = -200, 60
_CLOUD, _LITTLE = 64.0, 1e-4


def placed(laws: Sequence[LossLaw], grain: float | None, stretch: float = 1.0) -> list[Knots]:
    """Return the laws with their first knots, in one unit, that may be stretched."""
    spans = [_Span.of(law) for law in laws]
    unit = max((span.reach for span in spans), key=lambda ball: float(ball.mid())) * arb(stretch)
    exact = [span.whole for span in spans if span.whole is not None]
    if exact:
        unit = exact[0]
    return [Knots(Portion(span.law), span.anchor(unit, grain), unit, span.side) for span in spans]


def divided(
    laws: Sequence[LossLaw], low: int | None, high: int | None, grain: float | None
) -> list[tuple[Knots | None, Knots | None]]:
    """Return the losses up to 2^high, those up to 2^low and those above, with their first knots."""
    exponent = low if low is not None else high
    assert exponent is not None
    unit = arb(2) ** exponent
    ends = [None if k is None else arb(2) ** k for k in (low, high)]
    found: list[tuple[Knots | None, Knots | None]] = []
    for law in laws:
        span, top = _Span.of(law), law.highest()
        if top is None or not top.ball(BITS) < unit:  # its end is not that of what is cut off
            span = replace(span, end=None, side=0)
        start = span.anchor(unit, grain, most=unit)
        hits = Knots(Portion(law, *ends), start, unit, 0 if low is None else 1)
        if low is None:
            found.append((None, replace(hits, side=span.side)))
            continue
        rest = Knots(Portion(law, None, ends[0]), start, unit, span.side)
        has_none = top is not None and top.ball(BITS) < unit
        found.append((rest, None if has_none else hits))
    return found


@dataclass(frozen=True, slots=True)
class _Span:
    """Where a loss is.

    Attributes:
        law: Of the loss.
        reach: How far most of it lies from 0.
        whole: The distance of both ends, if both are near.
        end: The end that becomes a knot; None for none.
        side: 1 if the first cell lies above place 0, −1 if below, 0 for both.
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

    def anchor(self, unit: arb, grain: float | None, most: arb | None = None) -> arb:
        """Return the loss of place 0, but for little, so that atoms lie beside it.

        It is an end, or else that of the outcomes about 0 if they were one, so that one knot can
        stand for them.
        """
        place = self.end
        if place is None:
            half = arb(max(float(self.reach), grain or 0))
            if most is not None:
                half = most.min(arb(max(reach(self.law, _TYPICAL), grain or 0)))
            (p, q), (p_above, q_above) = (_above(self.law, x) for x in (-half, half))
            p, q = p - p_above, q - q_above
            place = (p / q).log().mid() if p > 0 and q > 0 else arb(0)
        found: arb = place - unit / 2**_ASIDE
        return found


def _above(law: LossLaw, x: arb) -> tuple[arb, arb]:
    """Return what P and Q have above a loss, at finite ones."""
    p, q = arb(0), arb(0)
    for loss, mass in law.points(BITS):
        if loss > x:
            p, q = p + mass, q + mass * (-loss).exp()
    if law.density is not None:
        more = law.density.above(x)
        p, q = p + more[0], q + more[1]
    return p, q


def reach(law: LossLaw, share: float) -> float:
    """Return about the distance from 0 beyond which P has a share of a loss, as a power of 2.

    Example:
        >>> from exactdp.inversion.tails import GaussianTails
        >>> from exactdp.numbers import Exact
        >>> one = LossLaw(density=GaussianTails(Exact("1/8")))
        >>> reach(one, 0.5), reach(one, 1e-3)
        (0.0078125, 0.5)
    """
    return max(_reach(law, 1, share), _reach(law, -1, share))


def is_spread(laws: Sequence[LossLaw]) -> bool:
    """Return whether transforms of densities fall as far as contours and grids are quick.

    Not so where most of a loss is nearly one atom, one in a thousand being so many times farther
    out than one in four is; or where losses are so small that the points of a contour are many.
    """
    sizes = [(reach(law, _TYPICAL), reach(law, 1e-3)) for law in laws]
    return all(size > _LITTLE and far <= _CLOUD * size for size, far in sizes)


def is_bounded(laws: Sequence[LossLaw]) -> bool:
    """Return whether all losses end, as those of Laplace noise: their transforms fall slowly."""
    return all(law.density is None or None not in law.density.ends() for law in laws)


def _reach(law: LossLaw, sign: int, share: float) -> float:
    points = [
        (abs(float(x.mid())), float(m.mid())) for x, m in law.points(_ROUGH_BITS) if sign * x > 0
    ]
    least, most = _OCTAVES
    while least < most:
        k = (least + most) // 2
        left = sum(m for x, m in points if x > 2.0**k)
        if law.density is not None:
            tail = law.density.above if sign > 0 else law.density.below
            with precision(_ROUGH_BITS):
                left += float(tail(arb(sign * 2.0**k))[0].upper())
        least, most = (k + 1, most) if left > share else (least, k)
    return 2.0**least
