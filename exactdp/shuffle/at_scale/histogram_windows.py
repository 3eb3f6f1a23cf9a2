r"""The histogram of few classes of messages at scale, where others send with several laws.

A histogram (c_0, ..., c_d) of a known number of messages is c_1, ..., c_d, and these are one score,
c_1 + M_1(c_2 + M_2(c_3 + ···)), as long as c_j is within M_j numbers in a row for all j < d. So
the window of a sum of scores (``score_sums``) is the law of the histogram, but for what the others'
counts are outside of these numbers: with v = Σ r(1 − r), r their probabilities of class j,
Bernstein's inequality bounds Pr[|c_j − E c_j| >= t] by 2e^(−t²/(2v + 2t/3)). Where histograms of a
probability of at most τ share a score with others, δ at γ is larger by (1 + γ)τ at most: of a set
of histograms its part outside adds P of that, and scores alone add γ·Q of what they cannot tell.

Reference: S. Bernstein's inequality, as in S. Boucheron, G. Lugosi and P. Massart, Concentration
Inequalities, 2013, Corollary 2.11.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ldexp, prod
from typing import Self

from flint import arb

from exactdp.distributions.count_windows import sum_window
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.values import enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, precision, short
from exactdp.numbers.balls import ceiling_of
from exactdp.numbers.effort import remembered
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.score_sums import Masses, ScoreSum
from exactdp.sums import Routed, Suffixes

__all__ = ["HistogramSum"]

_BITS = 64, 96, 192
"""The b of windows that are tried in turn; also τ is at most 2^−b."""

_MOST_CELLS = 1 << 21
"""Histograms in a window of the fewest bits, at most, and half of those in one of more: it limits
the time, to some seconds."""

_VARIANCE_BITS = 64
"""Bits of the balls of variances."""

_Row = Sequence[Exact]
_Others = tuple[tuple[Masses, int], ...]


@validated
@dataclass(frozen=True, slots=True)
class HistogramSum(ScoreSum):
    """The histogram of the classes of the victim's message and of those of others.

    Attributes:
        bounds: Returns what δ lies between where it is too small for doubles; None for a refusal.

    Example:
        Two others always send the last two of three messages: the victim's message is seen, and
        the laws of that differ by 1/4.

        >>> from exactdp.numbers import Epsilon
        >>> p, q = map(Exact, ["1/2", "1/4", "1/4"]), map(Exact, ["1/4", "1/2", "1/4"])
        >>> zero, one = Exact(0), Exact(1)
        >>> others = ((zero, one, zero), 1), ((zero, zero, one), 1)
        >>> found = HistogramSum(tuple(p), tuple(q), others).delta(Epsilon.rational(0))
        >>> found.contains(Exact("1/4"))
        True
    """

    bounds: Callable[[Masses, Masses, _Others], PrivacyProfile] | None = field(
        default=None, compare=False, repr=False
    )

    @classmethod
    def of(
        cls,
        p: _Row,
        q: _Row,
        groups: Sequence[tuple[_Row, int]],
        bounds: Callable[[Masses, Masses, _Others], PrivacyProfile] | None = None,
    ) -> Self | None:
        """Return the histogram of a view; None if there are too many of them in a window."""
        others = tuple((tuple(row), count) for row, count in groups)
        # The class with the largest spread is that which the others tell.
        first, *order = sorted(range(len(p)), key=lambda j: -_variance(others, j).mid())
        p, q, *rows = (
            tuple(row[j] for j in (first, *order)) for row in (p, q, *(row for row, _ in others))
        )
        counts = [count for _, count in others]
        found = cls(tuple(p), tuple(q), tuple(zip(rows, counts, strict=True)), bounds)
        return found if found._cells(_BITS[0]) <= _MOST_CELLS else None

    def _cells(self, bits: int) -> int:
        """Return about how many histograms there are in a window."""
        return prod(_reach(self.others, j, bits) for j in range(1, len(self.first)))

    def _delta_from_one(self, gamma: Exact, width: Fraction) -> Enclosure:
        if not Epsilon(gamma) < self.loss_bound():
            return Enclosure(Fraction(0), Fraction(0))
        few = [bits for bits in _BITS if self._cells(bits) <= 2 * _MOST_CELLS]
        for bits in few:
            found = self._histograms(bits).deltas([gamma])[0]
            if found.is_narrow(width):
                route = "a window of the histograms of the others' messages"
                return Routed(found.lower, found.upper, route)
        if self.bounds is not None:
            between = self.bounds(self.first, self.second, self.others)
            return enclosed(between.delta(Epsilon(gamma), relative_width=width), width)
        raise UndecidedError(
            f"relative_width={short(width)} is not reached, or delta is too small. Ask at a "
            "smaller epsilon."
        )

    def _histograms(self, bits: int) -> Suffixes:
        return _histograms(self.first, self.second, self.others, bits)

    def _suffixes(self) -> Suffixes:
        return self._histograms(_BITS[self._cells(_BITS[1]) <= 2 * _MOST_CELLS])

    def is_slow(self) -> bool:
        """Return False: it has few cells."""
        return False

    def trials(self) -> None:
        """Return None: histograms are no sums of trials."""

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        return self._renyi_from_delta(order, width)

    def reversed(self) -> Self:
        """Return the profile with the victim's inputs exchanged."""
        return replace(self, first=self.second, second=self.first)


@remembered(maxsize=8)
def _histograms(first: Masses, second: Masses, others: _Others, bits: int) -> Suffixes:
    """Return the sums of both laws from each histogram on, the most telling last."""
    reaches = [_reach(others, j, bits) for j in range(1, len(first) - 1)]
    scores = [0, *(prod(reaches[:j]) for j in range(len(first) - 1))]

    def packed(row: Masses) -> list[Exact]:
        """Return the masses of the scores of one message."""
        found = [Exact(0)] * (scores[-1] + 1)
        for score, mass in zip(scores, row, strict=True):
            found[score] = mass
        return found

    window = sum_window([(packed(row), count) for row, count in others], bits=bits)
    law = [ldexp(int(weight), -bits) for weight in window.weights]
    p, q = ([mass.ball(128) for mass in packed(row)] for row in (first, second))
    return Suffixes.of_scores(law, p, q, window.missing + Fraction(1, 1 << bits))


def _variance(others: _Others, j: int) -> arb:
    """Return the variance of how many others send class j."""
    with precision(_VARIANCE_BITS):
        chances = ((n, row[j].ball(_VARIANCE_BITS)) for row, n in others)
        return sum((n * r * (1 - r) for n, r in chances), arb(0))


def _reach(others: _Others, j: int, bits: int) -> int:
    """Return an M_j with which τ is at most 2^−bits for all j together."""
    with precision(_VARIANCE_BITS):
        size = bits * arb(2).log() + arb(2 * len(others[0][0])).log()
        half = size / 3 + (size**2 / 9 + 2 * _variance(others, j) * size).sqrt()
        most = 2 + sum(count for _, count in others)
        return min(2 * int(ceiling_of(half)) + 3, most)
