"""The mean of a sum of losses above a threshold, D(c) = E max(0, 1 − e^(c − L)), by its routes.

L is the sum of independent privacy losses under P, over the finite ones:

* a closed form, where all are copies of one loss that has one, as Laplace noise has;
* ``powers``, laws above and below on one lattice, where some have densities: first where
  transforms do not fall, or what the others rest on is not given, and else at the end;
* ``counted``, count by count, where there are few of them, or the width is narrow;
* ``thetas``, along a line, where all losses are discrete Gaussian and lie on one lattice;
* ``atoms``, the law itself, where all losses lie on one lattice and there are few;
* ``contours``, in balls, where the transform falls: normal parts, or several densities;
* ``halves``, point against point, where few losses have many values;
* ``smoothed``, in doubles with proven errors, else.

References: A. Koskela, J. Jälkö and A. Honkela, Computing Tight Differential Privacy
Guarantees Using FFT, 2020; Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential
Privacy via Characteristic Function, 2022.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from exactdp.numbers import Enclosure, Number, precision
from exactdp.sums.choose import (
    DECADES,
    Route,
    Routed,
    answered,
    counts_worth_doubles,
    free,
    is_doubles_width,
)
from exactdp.sums.counting.counted import CountedSum
from exactdp.sums.counting.halves import mean_of_halves
from exactdp.sums.routes import BITS, Routes

__all__ = ["ROUTES", "LossesAbove", "mean_excess"]

_FEW_COUNTS = 500_000
"""Counts that are summed before other ways are tried, a few tenths of a second."""

_REACH_OF_DOUBLES, _REACH_OF_CONTOURS = Fraction(1, 10**9), Fraction(1, 10**50)
"""The widths that a refusal names, of sums with densities."""


@dataclass(frozen=True, eq=False)
class LossesAbove:
    """The mean of a sum of losses above a threshold, as a question.

    Attributes:
        losses: The finite losses.
        nats: The threshold c, in nats.
    """

    losses: Routes
    nats: Number
    _counted: dict[Fraction, CountedSum] = field(init=False, default_factory=dict)

    def counted(self, width: Fraction) -> CountedSum:
        """Return the sum count by count."""
        if width not in self._counted:
            self._counted[width] = CountedSum(self.losses.finite, self.nats.ball, 1, width)
        return self._counted[width]

    def few(self, width: Fraction) -> int:
        """Return how many counts come before other ways."""
        return min(_FEW_COUNTS, counts_worth_doubles(width))

    def others(self, width: Fraction) -> Fraction | None:
        """Return the width, unless others than powers would only take long to refuse it."""
        losses = self.losses
        return None if losses.is_alone(width) else width

    def by_formula(self, width: Fraction) -> Enclosure:
        """Return the mean of copies of one loss, from its closed form."""
        assert self.losses.closed_form is not None
        return self.losses.closed_form(self.losses.copies, self.nats, width)

    def by_powers(self, width: Fraction) -> Enclosure:
        """Return the mean between laws above and below on one lattice."""
        return self.losses.powers.mean_excess(self.nats, relative_width=width)

    def on_contours_reach(self, width: Fraction) -> Fraction | None:
        """Return the width, or a wider one, that contours reach; None where others are quicker."""
        if self.others(width) is None or self.losses.reach_of_contours(width) is None:
            return None
        return max(width, _REACH_OF_CONTOURS)

    def on_lattice(self, width: Fraction) -> Enclosure:
        """Return the mean from the law on the common lattice."""
        assert self.losses.together is not None
        return self.losses.together.mean_excess(self.nats, relative_width=width)

    def by_thetas(self, width: Fraction) -> Enclosure:
        """Return the mean of discrete Gaussian losses, from their transform."""
        assert self.losses.thetas is not None
        return self.losses.thetas.mean_excess(self.nats, relative_width=width)

    def by_halves(self, width: Fraction) -> Enclosure:
        """Return the mean from the points of two halves."""
        with precision(BITS):
            return mean_of_halves(self.losses.finite(BITS), self.nats.ball(BITS), width)

    def in_doubles_reach(self, width: Fraction) -> Fraction | None:
        """Return the width, or a wider one, that doubles reach."""
        losses, others = self.losses, self.others(width)
        if others is None or (losses.is_alone(width) and losses.inversion is not None):
            return None
        if is_doubles_width(width):
            return width
        return _REACH_OF_DOUBLES if losses.is_dense or losses.is_truncated else None


ROUTES: tuple[Route[LossesAbove], ...] = (
    Route(
        "a closed form of copies of one loss",
        can=lambda q: q.losses.closed_form is not None,
        reach=lambda _, width: width,
        cost=free,
        run=LossesAbove.by_formula,
    ),
    Route(
        "the counts of every loss",
        can=lambda q: q.losses.is_listed,
        reach=lambda q, width: q.counted(width).reach(),
        cost=lambda q, width: 1 if q.counted(width).size <= q.few(width) else 11,
        run=lambda q, width: q.counted(width).mean(),
    ),
    Route(
        "theta functions",
        can=lambda q: q.losses.thetas is not None,
        reach=lambda _, width: width,
        cost=lambda *_: 1.2,
        run=LossesAbove.by_thetas,
    ),
    Route(
        "laws above and below it on a lattice",
        can=lambda _: True,
        reach=lambda _, width: width if is_doubles_width(width) else None,
        cost=lambda q, width: q.losses.place_of_powers(width),
        run=LossesAbove.by_powers,
    ),
    Route(
        "a contour in balls",
        can=lambda q: q.losses.is_dense,
        reach=LossesAbove.on_contours_reach,
        cost=lambda q, width: 4 if q.losses.is_late(width) else 1.5,
        run=lambda q, width: q.losses.on_contour(q.nats, width),
    ),
    Route(
        "the law of a sum on a lattice",
        can=lambda q: q.losses.together is not None,
        reach=lambda _, width: width,
        cost=lambda *_: 8,
        run=LossesAbove.on_lattice,
    ),
    Route(
        "two halves of the losses",
        can=lambda q: q.losses.is_listed,
        reach=lambda _, width: width,
        cost=lambda *_: 9,
        run=LossesAbove.by_halves,
    ),
    Route(
        "its transform in doubles",
        can=lambda q: q.losses.is_transformed,
        reach=LossesAbove.in_doubles_reach,
        cost=lambda *_: 10,
        run=lambda q, width: q.losses.in_doubles(q.nats, width),
        tries=lambda q: () if q.losses.is_dense or q.losses.is_truncated else DECADES,
    ),
)
"""The ways to D(c); costs are places in an order that was measured on grids of deployments."""


def mean_excess(losses: Routes, nats: Number, width: Fraction) -> Routed:
    """Return an enclosure of D(c), c = ``nats``, of a relative width.

    Raises:
        TooLargeError: If no way takes few enough points.
        UndecidedError: If the width is not reached.
    """
    return answered(ROUTES, LossesAbove(losses, nats), width)
