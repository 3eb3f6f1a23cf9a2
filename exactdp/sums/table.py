"""Means of sums, E f(S − c), and the table of the ways to them.

S adds independent variables; f(x) is max(0, x), of rate 0, or max(0, 1 − e^(−x)), of rate 1, as of
privacy losses: D(c) = E max(0, 1 − e^(c − S)) is δ(c) without the mass at infinity. A row is one
algorithm with one proof of its errors:

* a closed form, of copies of one loss that has one, as Laplace noise has (``laplaces``), and of
  two values v and w of masses p and 1 − p, where s·Bin(n, p)(s) = n·p·G(s − 1) gives

      E max(0, S) = n·Σ_s max(0, (1 − p)·w·G(s) + p·v·G(s − 1)),

  G the binomial law of n − 1 trials (``trials``);
* ``letters``, three values by the totals of two of them;
* ``counted``, count by count, where there are few counts, or the width is narrow;
* a line in balls, where the transform falls (``contours``: normal parts, or several densities),
  or is a few theta functions (``thetas``: discrete Gaussian noise);
* ``powers``, laws above and below on one lattice, whatever the losses are;
* ``atoms``, the law itself, where all variables lie on one lattice;
* ``smoothed``, in doubles with proven errors.

*Costs* are operations, as ``exactdp.numbers.effort`` counts them. A closed form takes some hundred.
Letters take a step for each total in a window, counts one for each entry of a table, doubles a term
for each point of a line and value of a variable. A line in balls takes as many points as it has up
to where the transforms are seen to have fallen. The law of a sum has as many cells as the period of
a line has steps of the lattice. Laws above and below have cells of a width h where h² is as the
relative width w, so their number goes with w^(−1/2): of densities it is about the same for any
number of copies, as only those near the threshold are so narrow; without densities, and of few
copies that end, all cells are, and h² goes with 1/n.

References: A. Koskela, J. Jälkö and A. Honkela, Computing Tight Differential Privacy
Guarantees Using FFT, 2020; Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential
Privacy via Characteristic Function, 2022.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import inf, log, sqrt
from typing import Protocol

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Number
from exactdp.numbers.effort import first_answer
from exactdp.sums.choose import Route, Routed, Way, answered
from exactdp.sums.counting.counted import CountedSum
from exactdp.sums.counting.letters import LetterSum
from exactdp.sums.doubles import BALL_BITS
from exactdp.sums.lattices.atoms import LatticeSum
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.lines.saddle import A_PLAN
from exactdp.sums.lines.smoothed import Points, SmoothedSum
from exactdp.sums.routes import Routes

__all__ = ["LAWS", "ROUTES", "Mean", "mean_excess"]

_BITS = BALL_BITS, 1024, 8192
"""Bits of balls around values and masses; the later ones where a lattice leaves little out."""

_DOUBLES = Fraction(1, 10**10)
"""The width that doubles reach."""

_CELLS_OF_A_DENSITY, _CELLS_OF_A_LOSS = 6_000, 600
"""Operations of laws above and below at the width 1: of an endless density, and of another loss.

As measured, of some hundred questions: they are within 4 times of it."""


_OF_AN_ENDLESS_DENSITY = 1_000_000
"""Operations that doubles take where a density is endless, at least: others come first."""

_OF_A_CELL = 6
"""Operations that a cell of the law of a sum takes, while its powers are multiplied."""


class _Engine(Protocol):
    """A sum of which means are found."""

    def mean_excess(self, nats: Number, *, relative_width: Fraction) -> Enclosure:
        """Return D(c), c = ``nats``."""


@dataclass(frozen=True, eq=False)
class Mean:
    """E f(S − c), as a question, with the data to answer it from.

    Attributes:
        rate: 0 for f(x) = max(0, x), 1 for f(x) = max(0, 1 − e^(−x)).
        threshold: c.
        finite: Returns the variables without a density, at a number of bits.
        is_listed: Whether these are all, with all their values.
        has_transform: Whether the transforms of all variables are known.
        formula: The closed form, if there is one.
        letters: The sum as one of letters, if it is.
        lattice: The variables on their common lattice, if they have one.
        losses: The privacy losses; None if the rate is 0.
        shift: The mean is 2^shift times that of ``finite``.
        start: A λ from which a saddle point is looked for.
    """

    rate: int
    threshold: Number
    finite: Callable[[int], list[FiniteVariable]]
    is_listed: bool = True
    has_transform: bool = True
    formula: Way | None = None
    letters: LetterSum | None = None
    lattice: LatticeSum | None = None
    losses: Routes | None = None
    shift: int = 0
    start: float = 1.0
    _counted: dict[Fraction, CountedSum] = field(init=False, default_factory=dict)
    _points: dict[tuple[Fraction, int], Points] = field(init=False, default_factory=dict)

    @classmethod
    def of_losses(cls, losses: Routes, nats: Number) -> Mean:
        """Return the mean of a sum of losses above a threshold, D(c)."""
        formula = losses.closed_form
        return cls(
            1,
            nats,
            losses.finite,
            is_listed=losses.is_listed,
            has_transform=losses.is_transformed,
            formula=formula and partial(formula, losses.copies, nats),
            lattice=losses.together,
            losses=losses,
        )

    def counted(self, width: Fraction) -> CountedSum:
        """Return the sum count by count."""
        if width not in self._counted:
            self._counted[width] = CountedSum(self.finite, self.threshold.ball, self.rate, width)
        return self._counted[width]

    def points(self, width: Fraction, bits: int = _BITS[0]) -> Points:
        """Return the points of a line in doubles, from variables that are known to so many bits."""
        if (width, bits) not in self._points:
            losses = self.losses
            total = SmoothedSum(losses.factors(bits) if losses else self.finite(bits), self.rate)
            c = self.threshold.ball(_BITS[0])
            self._points[width, bits] = total.points(c, width, start=self.start)
        return self._points[width, bits]

    def by_counts(self, width: Fraction) -> Enclosure:
        """Return the mean count by count."""
        return self._scaled(self.counted(width).mean())

    def in_doubles(self, width: Fraction) -> Enclosure:
        """Return the mean from the transform, in doubles with proven errors."""
        # Far out, what is left out of a lattice may matter.
        is_truncated = self.losses is not None and self.losses.is_truncated
        tries = _BITS if is_truncated else _BITS[:1]
        ways = (partial(lambda bits: self.points(width, bits).mean(), bits) for bits in tries)
        return self._scaled(first_answer(*ways, refusals=(UndecidedError,)))

    def _scaled(self, found: Enclosure) -> Enclosure:
        factor = Fraction(2) ** self.shift
        return Enclosure(found.lower * factor, found.upper * factor)

    def work_of_laws(self, width: Fraction) -> float:
        """Return about how many operations laws above and below on a lattice take."""
        if self.losses is None or width < _DOUBLES:
            return inf
        square = 0.0
        for law, times in self.losses.parts:
            cells = _CELLS_OF_A_LOSS**2 * times
            if law.density is not None:
                is_endless = None in law.density.ends()
                cells = _CELLS_OF_A_DENSITY**2 if is_endless else min(cells, _CELLS_OF_A_DENSITY**2)
            square += cells
        return A_PLAN + sqrt(square / width)

    def work_of_atoms(self, width: Fraction) -> float:
        """Return about how many operations the law on a lattice takes."""
        unit = self.lattice.unit if self.lattice and self.has_transform else None
        if unit is None:
            return A_PLAN
        period = self.points(max(width, _DOUBLES)).line.period
        return A_PLAN + _OF_A_CELL * period / float(unit.ball(64).mid())

    def work_of_doubles(self, width: Fraction) -> float:
        """Return about how many operations doubles take; of an endless density only at least."""
        if width < _DOUBLES or self.is_endless:
            return _OF_AN_ENDLESS_DENSITY if width >= _DOUBLES else inf
        return self.points(width).work

    @property
    def is_endless(self) -> bool:
        """True if some loss has a density without ends."""
        densities = (law.density for law, _ in self.losses.parts) if self.losses else ()
        return any(one is not None and None in one.ends() for one in densities)

    def work_of_line(self, width: Fraction) -> float:
        """Return about how many operations a line in balls takes."""
        line = self.losses and self.losses.line
        return line.work(self.threshold, width) if line else inf

    def least_of_line(self, _: Fraction) -> float:
        """Return how many operations a line in balls takes at least."""
        line = self.losses and self.losses.line
        return line.least if line else inf

    def above(self, engine: _Engine | None) -> Way | None:
        """Return the way to the mean by an engine that may be there."""
        if engine is None:
            return None
        return lambda width: engine.mean_excess(self.threshold, relative_width=width)


LAWS: Route[Mean] = Route(
    "laws above and below it on a lattice",
    way=lambda mean: mean.above(mean.losses.powers if mean.losses else None),
    cost=Mean.work_of_laws,
    least=Mean.work_of_laws,
    steps=1,
)
"""The route that has a search of its own for the c of a mean."""

ROUTES: tuple[Route[Mean], ...] = (
    Route(
        "a closed form",
        way=lambda mean: mean.formula,
        cost=lambda _, width: A_PLAN + 100 * (log(width.denominator) - log(width.numerator)),
    ),
    Route(
        "the totals of two letters",
        way=lambda mean: mean.letters.mean if mean.letters else None,
        cost=lambda mean, width: mean.letters.work(width) if mean.letters else inf,
    ),
    Route(
        "the counts of every value",
        way=lambda mean: mean.by_counts if mean.is_listed else None,
        cost=lambda mean, width: mean.counted(width).work,
        least=lambda *_: A_PLAN,
    ),
    Route(
        "the law of a sum on a lattice",
        way=lambda mean: mean.above(mean.lattice),
        cost=Mean.work_of_atoms,
        least=lambda *_: A_PLAN,
    ),
    Route(
        "its transform along a line in balls",
        way=lambda mean: mean.above(mean.losses.line if mean.losses else None),
        cost=Mean.work_of_line,
        least=Mean.least_of_line,
        steps=2,
    ),
    LAWS,
    Route(
        "its transform in doubles",
        way=lambda mean: mean.in_doubles if mean.has_transform else None,
        cost=Mean.work_of_doubles,
        least=lambda mean, _: _OF_AN_ENDLESS_DENSITY if mean.is_endless else 5 * A_PLAN,
    ),
)
"""The ways to a mean; of equal costs the earlier is taken."""


def mean_excess(losses: Routes, nats: Number, width: Fraction) -> Routed:
    """Return an enclosure of D(c), c = ``nats``, of a relative width.

    Raises:
        TooLargeError: If no way takes few enough points.
        UndecidedError: If the width is not reached.
    """
    return answered(ROUTES, Mean.of_losses(losses, nats), width)
