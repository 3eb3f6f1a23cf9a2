"""A bound of D of a sum that hardly matters beside others: Chernoff's, in balls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.numbers import Enclosure, Number, fmpq_of, precision
from exactdp.numbers.balls import endpoints
from exactdp.sums.lattices.guides import Piece
from exactdp.sums.lattices.tilted import BITS
from exactdp.sums.lines.saddle import Image, log_kappa_ball

__all__ = ["Remainder"]

_LEAST = 1 << 16
"""2^−_LEAST is added to a bound, so that its rational end has at most some thousand digits."""


@dataclass(frozen=True, slots=True, eq=False)
class Remainder:
    """A bound on D(c), for all c: κ(θ) M(θ) e^(−θc), plus the infinite mass.

    M is that of the laws above (``polygons``); that a sum needs a hit is left aside.

    Attributes:
        image: The bound κ(θ) M(θ) e^(−θc).
        infinite: A bound of the mass that is infinite in the laws above.
    """

    image: Image
    infinite: arb

    @classmethod
    def of(cls, pieces: Sequence[Piece], tilt: float) -> Remainder:
        """Return the bound with a θ > 0.

        Example:
            >>> from exactdp.sums.laws.loss_law import LossLaw
            >>> from exactdp.sums.lattices.plans import Plan
            >>> from exactdp.mechanisms import gaussian_mechanism
            >>> from exactdp.numbers import Exact
            >>> plan = Plan([(gaussian_mechanism(sigma=10).loss_law(), 100)])
            >>> found = plan.remainder(2.0, 0.01).at(Exact(2))  # D(2) is 0.021
            >>> float(found.lower), 0.021 < float(found.upper) < 0.1
            (0.0, True)
        """
        with precision(BITS):
            theta, infinite = arb(tilt), arb(0)
            log_factor = log_kappa_ball(theta, 1)
            for piece in pieces:
                moment = arb(0)
                for knots in piece.knots:
                    found = knots.polygons(theta)
                    for place, mass in found.above.items():
                        moment += mass * (theta * knots.loss(place)).exp()
                    infinite += piece.times * found.infinite
                log_factor += piece.times * moment.log()
            return cls(Image(theta, log_factor), infinite)

    def at(self, nats: Number | Fraction) -> Enclosure:
        """Return an enclosure of D(c) whose lower end is 0."""
        with precision(BITS):
            c = arb(fmpq_of(nats)) if isinstance(nats, Fraction) else nats.ball(BITS)
            bound = (self.image.log_factor - self.image.theta * c).exp() + self.infinite
            bound += arb(2) ** -_LEAST  # of so small a number more digits say nothing
            most = endpoints(bound)[1] if bound.is_finite() else Fraction(1)
            return Enclosure(Fraction(0), min(Fraction(1), most))
