"""The mean of the positive part of a sum of copies, E max(0, X_1 + ... + X_n), by its routes.

With two values v and w, of masses p and 1 − p, it is

    E max(0, S) = n·Σ_s max(0, (1 − p)·w·G(s) + p·v·G(s − 1)),

G the binomial law of n − 1 trials (``trials``), since s·Bin(n, p)(s) = n·p·G(s − 1). Three values
are letters (``letters``); more are counted, if there are few counts (``counted``), or are added on
a lattice (``atoms``), if they lie on one; else they come from the transform (``smoothed``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from flint import arb

from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Exact, Number, precision
from exactdp.numbers.balls import floor_of
from exactdp.numbers.limits import MAX_USERS, count_text, refuse_above
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
from exactdp.sums.counting.letters import LetterSum, seen_sign
from exactdp.sums.counting.trials import sum_of_positive_parts
from exactdp.sums.lattices.atoms import LatticeSum
from exactdp.sums.laws.losses import AtomLattice
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.lines.smoothed import SmoothedSum

__all__ = ["ROUTES", "PositiveSum", "mean_positive_on_lattice", "mean_positive_sum"]

_BITS = 192
"""Bits of the balls of values and masses whose sum is transformed in doubles, which hold 53."""

_COUNT = 1e-6
"""The seconds that a count takes."""


@dataclass(frozen=True, eq=False)
class PositiveSum:
    """A sum of copies, of whose positive part the mean is asked.

    Attributes:
        values: The values of one copy.
        masses: Their probabilities, positive, in the same order.
        n: The number of copies.
        lattice: The law of a copy on a lattice, if the values lie on one; then it stands for them.
    """

    values: Sequence[Number]
    masses: Sequence[Exact]
    n: int
    lattice: AtomLattice | None = None
    _counted: dict[Fraction, CountedSum] = field(init=False, default_factory=dict)

    @cached_property
    def letters(self) -> LetterSum | None:
        """The sum as one of letters, if it is."""
        return LetterSum.of(self.values, self.masses, self.n)

    @property
    def known_letters(self) -> LetterSum:
        """The sum as one of letters, which it is."""
        assert self.letters is not None
        return self.letters

    def counted(self, width: Fraction) -> CountedSum:
        """Return the sum count by count, of values near 1."""
        if width not in self._counted:
            self._counted[width] = CountedSum(self._scaled, lambda _: arb(0), 0, width)
        return self._counted[width]

    def by_trials(self, width: Fraction) -> Enclosure:
        """Return the mean from the law of trials, of two values."""
        c = [m * v for v, m in zip(self.values, self.masses, strict=True)]
        trials = [(self.masses[1], self.n - 1)]
        return _times(sum_of_positive_parts(trials, c, relative_width=width), Fraction(self.n))

    def by_letters(self, width: Fraction) -> Enclosure:
        """Return the mean by the totals of two of three values."""
        return self.known_letters.mean(relative_width=width)

    def by_counts(self, width: Fraction) -> Enclosure:
        """Return the mean count by count."""
        return _times(self.counted(width).mean(), Fraction(2) ** self._shift)

    def on_lattice(self, width: Fraction) -> Enclosure:
        """Return the mean from the law on the lattice."""
        assert self.lattice is not None
        total = LatticeSum([(self.lattice, 1, self.n)], self.lattice.unit, rate=0)
        return total.mean_excess(Exact(0), relative_width=width)

    def in_doubles(self, width: Fraction) -> Enclosure:
        """Return the mean from the transform, in doubles."""
        with precision(_BITS):
            one = self._parts(_BITS)[0]
            square = sum((m * v**2 for v, m in zip(one.values, one.masses, strict=True)), arb(0))
            usual = float((1 / (self.n * square).sqrt()).mid())
            return SmoothedSum([one], 0).mean_above(arb(0), width, start=usual)

    def _parts(self, bits: int) -> list[FiniteVariable]:
        values, masses = ([x.ball(bits) for x in column] for column in (self.values, self.masses))
        return [FiniteVariable(values, masses, self.n)]

    @cached_property
    def _shift(self) -> int:
        """About log2 of the largest value."""
        with precision(_BITS):
            size = max(abs(value.ball(_BITS)).upper() for value in self.values)
            return int(floor_of(size.log() / arb.const_log2()))

    def _scaled(self, bits: int) -> list[FiniteVariable]:
        factor = arb(2) ** -self._shift
        return [replace(x, values=[v * factor for v in x.values]) for x in self._parts(bits)]


ROUTES: tuple[Route[PositiveSum], ...] = (
    Route(
        "the law of a number of trials",
        can=lambda total: len(total.values) == 2,
        reach=lambda _, width: width,
        cost=free,
        run=PositiveSum.by_trials,
    ),
    Route(
        "the totals of two letters",
        can=lambda total: len(total.values) == 3 and total.letters is not None,
        reach=lambda total, width: total.known_letters.reach(width),
        cost=lambda total, width: total.known_letters.cost(width),
        run=PositiveSum.by_letters,
    ),
    Route(
        "the counts of every value",
        can=lambda total: len(total.values) > 1,
        reach=lambda total, width: total.counted(width).reach(),
        cost=lambda total, width: min(total.counted(width).size, 10**99) * _COUNT,
        run=PositiveSum.by_counts,
    ),
    Route(
        "the law of a sum on a lattice",
        can=lambda total: total.lattice is not None,
        reach=lambda _, width: width,
        cost=lambda *_: 0.1,
        run=PositiveSum.on_lattice,
    ),
    Route(
        "its transform in doubles",
        can=lambda total: len(total.values) > 1,
        reach=lambda _, width: width if is_doubles_width(width) else None,
        cost=lambda _, width: counts_worth_doubles(width) * _COUNT,
        run=PositiveSum.in_doubles,
        tries=lambda _: DECADES,
    ),
)
"""The ways to E max(0, S), the cheapest first that reaches the width; costs are in seconds."""


def mean_positive_sum(
    values: Sequence[Number], masses: Sequence[Exact], n: int, *, relative_width: Fraction
) -> Routed:
    """Return an enclosure of E[max(0, X_1 + ... + X_n)].

    Args:
        values: The values of one X, not all at most 0.
        masses: Their probabilities, positive, in the same order.
        n: The number of independent copies, at least 1.
        relative_width: (upper − lower) <= relative_width·lower.

    Raises:
        DomainError: If no value is certainly positive.
        TooLargeError: If n is above 10^13, or no route is short enough.
        UndecidedError: If the width is not reached.

    Example:
        Two fair steps of ±1: the sum is 2 with probability 1/4.

        >>> half = Exact("1/2")
        >>> found = mean_positive_sum([Exact(1), Exact(-1)], [half, half], 2,
        ...     relative_width=Fraction(1, 10**9))
        >>> found.contains(half), found.width < Fraction(1, 10**9), found.route
        (True, True, 'the law of a number of trials')
    """
    if not any(seen_sign(value) == 1 for value in values):
        raise DomainError("no value is certainly positive. Then the mean of max(0, sum) is 0.")
    refuse_above(MAX_USERS, n, f"n={count_text(n)}", advice="Lower n.")
    return answered(ROUTES, PositiveSum(*_merged(values, masses), n), relative_width)


def mean_positive_on_lattice(lattice: AtomLattice, n: int, *, relative_width: Fraction) -> Routed:
    """Return an enclosure of E[max(0, X_1 + ... + X_n)] for values on a lattice.

    Args:
        lattice: The law of one X, some value of which is positive.
        n: The number of independent copies, at least 1.
        relative_width: (upper − lower) <= relative_width·lower.

    Raises:
        TooLargeError: If the law of the sum has too many cells.
        UndecidedError: If the width is not reached.
    """
    return answered(ROUTES, PositiveSum((), (), n, lattice), relative_width)


def _merged(
    values: Sequence[Number], masses: Sequence[Exact]
) -> tuple[Sequence[Number], Sequence[Exact]]:
    """Return values and masses, equal values together where that is seen."""
    if not all(isinstance(value, Exact) for value in values):
        return values, masses
    law: dict[Number, Exact] = {}
    for value, mass in zip(values, masses, strict=True):
        law[value] = law.get(value, Exact(0)) + mass
    return list(law), list(law.values())


def _times(found: Enclosure, factor: Fraction) -> Enclosure:
    return Enclosure(found.lower * factor, found.upper * factor)
