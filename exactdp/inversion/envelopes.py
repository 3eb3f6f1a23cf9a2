r"""How small |M(λ + iω)| is for all large ω: what the integral of a contour is cut by.

Let φ(ω) = M(λ + iω)/M(λ), the characteristic function of the tilted loss. Three facts,
each for all ω beyond a point, make one bound that never rises:

1. |φ(ω)| <= a + v/ω (atoms and the variation of the density, ``LossTransform.fall``).
2. |φ(ω + h)| <= |φ(ω)| + |h| σ̄ with σ̄² >= E(L − m)², tilted, for any m. Since
   y² <= 2 cosh(y) − 2, σ̄² = (M(λ+α)e^(−αm) + M(λ−α)e^(αm) − 2M(λ))/(α² M(λ)) will do.
3. 1 − |φ(2ω)|² <= 4(1 − |φ(ω)|²), as 1 − cos(2y) <= 4(1 − cos y): a bound ϱ beyond a
   point is one of sqrt(1 − (1 − ϱ²)/4^k) beyond the point divided by 2^k.

So |φ| is evaluated on an arithmetic progression, until the first fact is below ϱ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp

from flint import acb, arb

from exactdp.errors import UndecidedError
from exactdp.inversion.transforms import LossTransform
from exactdp.numbers import precision

__all__ = ["Envelope"]

_BITS = 40
_SPREAD_BITS = 160
_MANY = 200
_LARGEST_REST = 0.7
_MAX_POINTS = 50_000
_STARTS = 8
_REFINEMENTS = 4
_LEVELS = 0.6, 0.995


@dataclass(frozen=True, slots=True)
class Envelope:
    """A bound of |φ| that never rises.

    Attributes:
        rest: The share of the tilted mass that is not looked at: |φ| <= rest + (1 − rest)|φ'|.
        start: From here on |φ'| <= level.
        level: ϱ, at most 1.
        fall: The (a, v) of the first fact, for φ'.
        decay: |φ'| <= e^(−decay·ω²) as well: a normal law's, else 0.
    """

    rest: arb
    start: arb
    level: arb
    fall: tuple[arb, arb]
    decay: arb

    @classmethod
    def of(cls, transform: LossTransform, tilt: arb, *, copies: int, nats: float = 60) -> Envelope:
        """Return a bound for a transform at λ = tilt, as sharp as many copies need it.

        Args:
            transform: Of the loss.
            tilt: λ.
            copies: The power to which |φ| is taken.
            nats: About ϱ^copies = e^−nats is enough.

        Raises:
            TooLargeError: If a transform would take too many points.
            UndecidedError: If |φ| is not seen to stay below 1.
        """
        with precision(_BITS):
            bulk = transform.bulk() if copies >= _MANY else None
            if bulk is not None:
                rest = 1 - bulk.real(tilt) / transform.real(tilt)
                if rest < arb(_LARGEST_REST):
                    found = cls._of(bulk, tilt, nats / copies)
                    return replace(found, rest=arb(rest.upper()))
            return cls._of(transform, tilt, nats / copies)

    @classmethod
    def _of(cls, transform: LossTransform, tilt: arb, nats: float) -> Envelope:
        none = arb(0)
        if transform.density is None:
            return cls(none, arb(1), arb(1), (arb(1), none), none)
        fall = transform.fall(tilt)
        level = arb(min(max(exp(-nats), _LEVELS[0]), _LEVELS[1]))
        # Atoms alone come back to their mass again and again: little above it is enough.
        level = max(level, arb((fall[0] + (1 - fall[0]) / 8).upper()))
        end = arb((fall[1] / (level - fall[0])).upper())
        with precision(_SPREAD_BITS):
            spread = _spread(transform, tilt)
        if not spread > 0:
            raise UndecidedError("the variance of the loss is too small to be seen.")
        start = arb((1 / spread).mid())
        for _ in range(_STARTS):
            if start >= end or _stays_below(transform, tilt, (start, end), level, spread):
                return cls(none, start, level, fall, transform.decay())
            start *= 2
        raise UndecidedError("the characteristic function of the loss stays near 1.")

    def at(self, omega: arb) -> arb:
        """Return a bound of |φ| at and beyond ω > 0."""
        atoms, variation = self.fall
        level, halvings = self.level, 0
        while not omega * 2**halvings >= self.start:
            halvings += 1
        bounds = [
            (1 - (1 - level**2) / 4**halvings).sqrt(),
            atoms + variation / omega,
            (-self.decay * omega**2).exp(),
        ]
        least = min(arb(bound.upper()) for bound in bounds)
        return self.rest + (1 - self.rest) * least


def _spread(transform: LossTransform, tilt: arb) -> arb:
    """Return σ̄ of the second fact, with an α of about 1/σ̄."""
    alpha, total = arb(1), transform.real(tilt)
    spread = arb(1)
    for _ in range(6):
        above, below = transform.real(tilt + alpha), transform.real(tilt - alpha)
        shift = ((above / below).log() / 2).mid()
        second = (above * (-shift).exp() + below * shift.exp() - 2 * total) / total
        spread = arb((second.sqrt() / alpha).upper())
        if second < 2:
            break
        alpha = (1 / spread).mid()
    return spread


def _stays_below(
    transform: LossTransform, tilt: arb, ends: tuple[arb, arb], level: arb, spread: arb
) -> bool:
    """Return whether |φ| is seen to be at most ``level`` between the ends."""
    position, end = ends
    while position < end:
        highest = float(transform.moduli(acb(tilt, position), arb(0), count=1)[0])
        stop = min(4 * position, end)
        for _ in range(_REFINEMENTS):
            half = arb((float(level) - highest) / 2)
            count = int(float(((stop - position) * spread / (2 * half)).upper())) + 1
            if not half > 0 or count > _MAX_POINTS:
                return False
            step = 2 * half / spread
            found = transform.moduli(acb(tilt, position + step / 2), step, count=count)
            highest = max(highest, float(found.max()))
            if highest + float(half) * (1 + 2.0**-30) <= float(level):
                break
        else:
            return False
        position = stop
    return True
