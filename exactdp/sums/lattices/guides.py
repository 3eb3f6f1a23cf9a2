"""Guides: cells of a fine law of a sum are chosen by a coarse one; nothing rests on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, log1p

from exactdp.numbers.later import np
from exactdp.sums.doubles import SMALLEST, Doubles
from exactdp.sums.lattices.polygons import Knots, Weigh

__all__ = ["Guide", "Piece"]

_UNSURE = 5.0
"""Nats by which the logarithm of a value may be off that a coarse law says."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A loss with its copies, told apart by size; its knots share place 0 and the unit.

    Attributes:
        rest: The knots of losses that are not hits; None if all are hits.
        hits: The knots of losses that are hits; None if none is.
        times: The number of copies, at least 1.
    """

    rest: Knots | None
    hits: Knots | None
    times: int

    @property
    def knots(self) -> Sequence[Knots]:
        """The knots of losses that are not hits, and of hits, where there are any."""
        return [one for one in (self.rest, self.hits) if one is not None]

    def log_moments(self, tilt: float) -> tuple[float, float]:
        """Return about ln E e^(λL), and ln of the share of that moment that is of no hits."""
        if self.rest is None or self.hits is None:
            return self.knots[0].log_moment(tilt), 0.0 if self.hits is None else -inf
        rest, hits = self.rest.log_moment(tilt), self.hits.log_moment(tilt)
        whole = float(np.logaddexp(rest, hits))
        share = exp(hits - whole)
        return whole, log1p(-share) if share < 1 else rest - whole


@dataclass(frozen=True, slots=True, eq=False)
class Guide:
    """A coarse law of a sum, from which its cells are chosen; no bound rests on it.

    A curve that is e too low at a cell makes D(c) too low by e·Pr[c − S' in the cell], S' the
    other losses: here with the tilted law of a coarser S, and with one that is flat about c.

    Attributes:
        distances: Distances c − S from the threshold c down to a sum, ascending.
        others: Tilted probabilities that c − S is at most each distance, for S with a hit, and for
            any S, in units of that of all S with a hit: about what they are for S'.
        log_moments: About ln E e^(λL), for each piece.
        tilt: λ.
        log_value: About ln(e^(λc) D(c)/M(λ)).
        log_mean: About ln D(c).
        step: The step of the coarser lattice, in nats.
    """

    distances: Doubles
    others: tuple[Doubles, Doubles]
    log_moments: Sequence[float]
    tilt: float
    log_value: float
    log_mean: float
    step: float

    @classmethod
    def flat(cls, pieces: int) -> Guide:
        """Return the guide where nothing is known of the sum of some pieces."""
        nothing = np.zeros(2)
        return cls(np.array([0.0, 1.0]), (nothing, nothing), [0.0] * pieces, 0.0, 0.0, -inf, 1.0)

    def weigh(self, i: int, times: int, log_moment: float, tilt: float, *, is_hit: bool) -> Weigh:
        """Return the weights of the cells of piece i, as a function of losses and widths.

        A sum with a hit in this piece needs none among the others.

        Args:
            i: The index of the piece.
            times: The number of its copies.
            log_moment: ln E e^(λL) on the line that is planned.
            tilt: λ of the line that is planned.
            is_hit: Whether the cells are those of hits.
        """
        tilted = self.others[int(is_hit)]
        known = log(times) - self.log_moments[i] - self.log_value
        flat = log(times) - log_moment
        all_of_it = log(times) - self.log_mean + _UNSURE  # as c − S' is somewhere

        def weigh(x: Doubles, width: Doubles) -> tuple[Doubles, float]:
            low, high = (np.interp(y, self.distances, tilted) for y in (x, x + width))
            shares = np.log(np.maximum(high - low, SMALLEST)) + self.tilt * (x + width) + known
            evenly = np.log(width * tilt) + log1p(tilt) + tilt * (x + width) + flat
            under = log(max(float(low[0]), SMALLEST)) + self.tilt * x[0] + known
            anyhow = log1p(tilt) + tilt * x[0] + flat
            inside = np.minimum(np.logaddexp(shares, evenly), all_of_it)
            return inside, float(np.logaddexp(under, anyhow))

        return weigh
