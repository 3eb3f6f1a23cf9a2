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
* ``atoms``, the law itself, where all variables lie on one lattice and there are few;
* ``halves``, point against point, where few losses have many values;
* ``smoothed``, in doubles with proven errors.

References: A. Koskela, J. Jälkö and A. Honkela, Computing Tight Differential Privacy
Guarantees Using FFT, 2020; Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential
Privacy via Characteristic Function, 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import inf

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Number, precision
from exactdp.numbers.effort import first_answer
from exactdp.sums.choose import Route, Routed, Way, answered
from exactdp.sums.counting.counted import CountedSum
from exactdp.sums.counting.halves import mean_of_halves
from exactdp.sums.counting.letters import LetterSum
from exactdp.sums.lattices.atoms import LatticeSum
from exactdp.sums.lattices.power_sums import PowerSum
from exactdp.sums.lines.factors import Factor, FiniteVariable
from exactdp.sums.lines.smoothed import SmoothedSum
from exactdp.sums.routes import Routes

__all__ = ["LAWS", "ROUTES", "Mean", "mean_excess"]

_BITS, _FAR_BITS = 192, (192, 1024, 8192)
"""Bits of balls around values and masses; the later ones where a lattice leaves little out.

With fewer an enclosure is wider, not wrong."""

_DOUBLES, _USUAL_DOUBLES = Fraction(1, 10**10), Fraction(1, 10**7)
"""The widths that doubles reach, and down to which they are quick."""

_WORK, _NARROW_WORK = 10_000, 500_000
"""Operations that doubles take at usual and at narrow widths, as measured."""

_OF_A_DENSITY = 100
"""Times that doubles take as long where some variables have densities."""

_WORK_OF_A_LINE, _WORK_OF_LAWS = 30_000, 100_000
"""Operations that a line in balls takes, and laws above and below on a lattice, as measured."""

_NARROWEST_LINE = Fraction(1, 10**50)
"""The narrowest width of a line in balls."""


@dataclass(frozen=True, eq=False)
class Mean:
    """E f(S − c), as a question: what there is to answer it from.

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
        sought: The width of the ε that the question is a step to; None if it is not a step.
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
    sought: Fraction | None = None
    shift: int = 0
    start: float = 1.0
    _counted: dict[Fraction, CountedSum] = field(init=False, default_factory=dict)

    @classmethod
    def of_losses(cls, losses: Routes, nats: Number, sought: Fraction | None = None) -> Mean:
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
            sought=sought,
        )

    def counted(self, width: Fraction) -> CountedSum:
        """Return the sum count by count."""
        if width not in self._counted:
            self._counted[width] = CountedSum(self.finite, self.threshold.ball, self.rate, width)
        return self._counted[width]

    def by_counts(self, width: Fraction) -> Enclosure:
        """Return the mean count by count."""
        return self._scaled(self.counted(width).mean())

    def by_halves(self, width: Fraction) -> Enclosure:
        """Return the mean from the points of two halves."""
        with precision(_BITS):
            return mean_of_halves(self.finite(_BITS), self.threshold.ball(_BITS), width)

    def along_line(self, width: Fraction) -> Enclosure:
        """Return the mean of losses from values on a line in balls."""
        assert self.losses is not None
        return self.losses.on_line(self.threshold, width, sought=self.sought)

    def in_doubles(self, width: Fraction) -> Enclosure:
        """Return the mean from the transform, in doubles with proven errors."""
        factors: Callable[[int], Sequence[Factor]] = self.finite
        if self.losses is not None:
            factors = self.losses.factors

        def at(bits: int) -> Enclosure:
            total = SmoothedSum(factors(bits), self.rate)
            found = total.mean_above(self.threshold.ball(_BITS), width, start=self.start)
            return self._scaled(found)

        # Far out, what is left out of a lattice may matter.
        is_truncated = self.losses is not None and self.losses.is_truncated
        tries = _FAR_BITS if is_truncated else _FAR_BITS[:1]
        return first_answer(*(partial(at, bits) for bits in tries), refusals=(UndecidedError,))

    def _scaled(self, found: Enclosure) -> Enclosure:
        factor = Fraction(2) ** self.shift
        return Enclosure(found.lower * factor, found.upper * factor)

    @property
    def powers(self) -> PowerSum | None:
        """The losses between two laws on a lattice."""
        return self.losses.powers if self.losses else None

    def is_alone(self, width: Fraction) -> bool:
        """Return whether others than laws on a lattice would only take long to refuse."""
        return self.losses is not None and self.losses.is_alone(width)

    def reach_of_line(self, width: Fraction) -> Fraction | None:
        """Return the width, or the narrowest one of a line; None where others are quicker."""
        is_early = self.losses is not None and self.losses.is_early(width, self.sought)
        return max(width, _NARROWEST_LINE) if is_early and not self.is_alone(width) else None

    def is_crowded(self, width: Fraction) -> bool:
        """Return whether values are so many that laws on a lattice come first."""
        return self.losses is not None and self.losses.is_crowded(width)

    def work_of_counts(self, width: Fraction) -> int:
        """Return about how many operations counts take; of many values they are not looked at."""
        return 2 * _WORK if self.is_crowded(width) else min(self.counted(width).size, 10**99)

    def work_of_line(self, _: Fraction) -> int:
        """Return about how many operations a line in balls takes: theta functions are few terms."""
        return _WORK_OF_A_LINE if self.lattice is None else _WORK_OF_A_LINE // 10

    def work_of_laws(self, width: Fraction) -> int:
        """Return about how many operations laws above and below on a lattice take."""
        if self.is_crowded(width):
            return _WORK
        is_dense = self.losses is not None and self.losses.is_dense
        return _WORK_OF_LAWS if is_dense else 10 * _WORK_OF_LAWS

    def work_of_doubles(self, width: Fraction) -> int:
        """Return about how many operations doubles take."""
        is_dense = self.losses is not None and self.losses.is_dense
        usual = _WORK if width >= _USUAL_DOUBLES else _NARROW_WORK
        return usual * (_OF_A_DENSITY if is_dense else 1)

    def work_of_halves(self, width: Fraction) -> int:
        """Return about how many operations two halves take, as measured."""
        is_few = self.losses is not None and self.losses.is_few_with_many_values
        return (_WORK if is_few else _NARROW_WORK) - 1

    def work_of_atoms(self, width: Fraction) -> int:
        """Return about how many operations the law on a lattice takes: no more than doubles."""
        return _WORK if width >= _USUAL_DOUBLES else _NARROW_WORK


def _above(engine: PowerSum | LatticeSum | None, mean: Mean) -> Way | None:
    """Return the mean above a threshold of a sum that may be known."""
    if engine is None:
        return None
    return lambda width: engine.mean_excess(mean.threshold, relative_width=width)


LAWS: Route[Mean] = Route(
    "laws above and below it on a lattice",
    way=lambda mean: _above(mean.powers, mean),
    reach=lambda _, width: width if width >= _DOUBLES else None,
    cost=Mean.work_of_laws,
)
"""The route that has a search of its own for the c of a mean."""

ROUTES: tuple[Route[Mean], ...] = (
    Route(
        "a closed form",
        way=lambda mean: mean.formula,
        reach=lambda _, width: width,
        cost=lambda *_: 0,
    ),
    Route(
        "the totals of two letters",
        way=lambda mean: mean.letters.mean if mean.letters else None,
        reach=lambda mean, width: mean.letters.reach(width) if mean.letters else None,
        cost=lambda mean, width: mean.letters.cost(width) if mean.letters else inf,
    ),
    Route(
        "the counts of every value",
        way=lambda mean: mean.by_counts if mean.is_listed else None,
        reach=lambda mean, width: mean.counted(width).reach(),
        cost=Mean.work_of_counts,
    ),
    Route(
        "its transform along a line in balls",
        way=lambda mean: mean.along_line if mean.losses and mean.losses.line else None,
        reach=Mean.reach_of_line,
        cost=Mean.work_of_line,
    ),
    LAWS,
    Route(
        "the law of a sum on a lattice",
        way=lambda mean: _above(mean.lattice, mean),
        reach=lambda _, width: width,
        cost=Mean.work_of_atoms,
    ),
    Route(
        "two halves of the losses",
        way=lambda mean: mean.by_halves if mean.losses and mean.is_listed else None,
        reach=lambda _, width: width,
        cost=Mean.work_of_halves,
    ),
    Route(
        "its transform in doubles",
        way=lambda mean: mean.in_doubles if mean.has_transform else None,
        reach=lambda mean, width: None if mean.is_alone(width) else max(width, _DOUBLES),
        cost=Mean.work_of_doubles,
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
