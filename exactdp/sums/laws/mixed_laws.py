"""Densities of losses of one of several pairs, drawn at random and known to whoever sees it.

With weights w_i, P = Σ w_i P_i and Q = Σ w_i Q_i on disjoint outputs: the loss is that of the pair
that was drawn, so that its law, δ and transform are mixtures as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from flint import arb

from exactdp.numbers import working_bits
from exactdp.numbers.reals import larger_number
from exactdp.sums.laws.clouds import Transform
from exactdp.sums.laws.density import Ends, LossDensity
from exactdp.sums.laws.moved import Joined

__all__ = ["MixedDensity"]


@dataclass(frozen=True, slots=True)
class MixedDensity(LossDensity):
    """Several parts together, each with its weight in it already.

    Attributes:
        parts: At least one.
    """

    parts: tuple[LossDensity, ...]

    def total(self) -> tuple[arb, arb]:
        """Return the masses of P and Q in all parts."""
        return _added([part.total() for part in self.parts])

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return the tails of all parts."""
        return _added([_above(part, t) for part in self.parts])

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return the tails of all parts."""
        return _added([_below(part, t) for part in self.parts])

    def ends(self) -> Ends:
        """Return the outermost ends."""
        lows, highs = zip(*(part.ends() for part in self.parts), strict=True)
        return (
            None if None in lows else -reduce(larger_number, [-low for low in lows]),
            None if None in highs else reduce(larger_number, highs),
        )

    @property
    def transform(self) -> Transform | None:
        """The sum of the transforms, if all are by clouds."""
        return Joined.of([part.transform for part in self.parts])

    def reversed(self) -> MixedDensity:
        """Return the parts reversed."""
        return MixedDensity(tuple(part.reversed() for part in self.parts))


def _above(part: LossDensity, t: arb) -> tuple[arb, arb]:
    """Return the tails of a part; at one of its ends, which lie among the losses, between two."""
    found = part.above(t)
    if all(mass.is_finite() for mass in found):
        return found
    return _between(part.above(t.lower() - _near()), part.above(t.upper() + _near()), part)


def _below(part: LossDensity, t: arb) -> tuple[arb, arb]:
    found = part.below(t)
    if all(mass.is_finite() for mass in found):
        return found
    return _between(part.below(t.upper() + _near()), part.below(t.lower() - _near()), part)


def _between(more: tuple[arb, arb], less: tuple[arb, arb], part: LossDensity) -> tuple[arb, arb]:
    """Return balls for the mass between two tails, from 0 to all if one is not known."""
    p, q = (
        (high if high.is_finite() else total).union(low if low.is_finite() else arb(0))
        for high, low, total in zip(more, less, part.total(), strict=True)
    )
    return p, q


def _near() -> arb:
    """Return a distance from an end at which a loss is told from it."""
    return arb(2) ** -(working_bits() // 2)


def _added(masses: Sequence[tuple[arb, arb]]) -> tuple[arb, arb]:
    return sum((p for p, _ in masses), arb(0)), sum((q for _, q in masses), arb(0))
