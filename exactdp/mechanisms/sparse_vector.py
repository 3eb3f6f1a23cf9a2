"""Above threshold (the sparse vector technique): the exact law of which answers are above.

Each answer q_i gets Laplace noise of scale b2, and is compared with one noisy threshold, T with
Laplace noise of scale b1. Whether each is above is reported, up to the cth that is. For rational
answers and scales all laws are exact: between two answers all factors are a + c·e^(±x/b).

Several algorithms that are printed in the literature are of this form with other scales, without
noise on the answers, with new noise on the threshold after each answer above, with the noisy
answers told, or without an end. Most are not private as claimed; their laws are as exact. With a
sensitivity Δ of each answer, scales Δ/ε1 and 2cΔ/ε2 give (ε1 + ε2)-differential privacy; without
an end nothing does for all numbers of answers.

References: C. Dwork and A. Roth, The Algorithmic Foundations of Differential Privacy, 2014,
Section 3.6; M. Lyu, D. Su and N. Li, Understanding the Sparse Vector Technique for Differential
Privacy, VLDB 2017.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import comb
from operator import mul

from flint import fmpq_poly, fmpz_poly

from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.numbers import (
    Exact,
    RationalLike,
    count_text,
    fmpq_of,
    fraction_of,
    rational,
    refuse_above,
    short,
)
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.limits import MAX_ANSWERS, MAX_DEGREE_OF_SCORES, MAX_OUTCOMES_OF_NOISE
from exactdp.numbers.powers import fraction_gcd
from exactdp.numbers.validated import validated

__all__ = ["AboveThreshold", "above_threshold"]

Report = tuple[int, ...]
"""Whether each answer is above, up to where the algorithm ends; where cells are told, 0 or the
number of its cell, from 1 on."""

_Factor = dict[tuple[int, Fraction], Fraction]
"""A function of the threshold's noise x: value·e^(power·x/b2 + exponent), by both."""

_ONE: _Factor = {(0, Fraction(0)): Fraction(1)}
"""The function that is 1."""


@validated
@dataclass(frozen=True, slots=True)
class AboveThreshold:
    """The report of which noisy answers are above a noisy threshold.

    Attributes:
        threshold_scale: b1, of the noise on the threshold, positive.
        query_scale: b2, of the noise on each answer; 0 for no noise.
        most: c, the answers above after which nothing is reported any more; None for no end.
        renewed: Whether the threshold has new noise after each answer above.
        cells: Ends x_1 < x_2 < ... of cells, each of which includes its end: of an answer above
            the cell is told in which its noisy value lies, the one that was compared.
    """

    threshold_scale: Fraction
    query_scale: Fraction
    most: int | None
    renewed: bool = False
    cells: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        if self.threshold_scale <= 0:
            b1 = short(self.threshold_scale)
            raise DomainError(f"threshold_scale={b1} is not positive. Pass a positive number.")
        if self.query_scale < 0:
            b2 = short(self.query_scale)
            raise DomainError(f"query_scale={b2} is below 0. Pass 0 for no noise, or more.")
        if self.most is not None:
            whole_number(self.most, name="most", at_least=1)
        if any(x >= y for x, y in pairwise(self.cells)):
            ends = ", ".join(map(short, self.cells))
            raise DomainError(f"the ends {ends} of cells do not rise. Sort them, each once.")

    def probability(
        self,
        answers: Sequence[RationalLike],
        report: Sequence[int],
        *,
        threshold: RationalLike = 0,
    ) -> Exact:
        """Return the probability of one report, also where all are too many for a law.

        Args:
            answers: q_1, q_2, ... in their order.
            report: Whether each is above, up to where the algorithm ends: 0 or 1, or the cell.
            threshold: T.

        Raises:
            DomainError: If these answers cannot have this report.
            TooLargeError: If there are too many answers.

        Example:
            Three answers below, then one above whose noisy value is told to be at most 0, the
            threshold: ∫_0^1 (u/2)^3 (1 − u)/4 du = 1/640, with u for e^(x/2), x below 0. All three
            moved by 1 divide it by e^(3/2), so this is not 1-DP (Lyu et al., Algorithm 3):

            >>> one = above_threshold(threshold_scale=2, query_scale=2, cells=[0])
            >>> one.probability([0, 0, 0, 0], [0, 0, 0, 1])
            Exact('1/640')
            >>> one.probability([1, 1, 1, 0], [0, 0, 0, 1]) * Exact.exp("3/2")
            Exact('1/640')
        """
        gaps, ends = self._gaps(answers, threshold)
        return self._mass(gaps, self._checked(report, len(gaps)), ends, self._rate(gaps, ends))

    def law(
        self, answers: Sequence[RationalLike], *, threshold: RationalLike = 0
    ) -> dict[Report, Exact]:
        """Return the probability of each report.

        Formula:
            ∫ f(x) Π_i Pr[q_i + noise is above, or below, T + x] dx, f the density of the noise
            on the threshold, the product over the answers that are reported; where the noise is
            renewed, such an integral for each answer above and for what follows the last.

        Args:
            answers: q_1, q_2, ... in their order.
            threshold: T.

        Raises:
            TooLargeError: If there are too many answers, or reports.

        Example:
            An answer at the threshold is above it half of the time:

            >>> one = above_threshold(threshold_scale=1, query_scale=1, most=None)
            >>> one.law([0])[True,]
            Exact('1/2')
        """
        gaps, ends = self._gaps(answers, threshold)
        n, kinds = len(gaps), len(ends) + 1
        most = n if self.most is None else min(n, self.most)
        many = sum(comb(n, k) * kinds**k for k in range(most + 1))
        refuse_above(
            MAX_OUTCOMES_OF_NOISE,
            many,
            f"{n} answers have up to {count_text(many)} reports",
            advice="Give fewer answers, or a smaller most; or ask for one by probability.",
        )
        rate = self._rate(gaps, ends)
        letters: Sequence[int] = range(kinds + 1) if ends else (False, True)
        return {
            report: self._mass(gaps, report, ends, rate)
            for report in _reports(n, self.most, letters)
        }

    def pair(
        self,
        answers: Sequence[RationalLike],
        neighbor: Sequence[RationalLike],
        *,
        threshold: RationalLike = 0,
    ) -> Pair:
        """Return the laws of the report for two lists of answers.

        Raises:
            DomainError: If they are not equally long.
            TooLargeError: If there are too many answers, or reports.

        Example:
            Scales 2 and 4 for answers that change by 1: ε1 = ε2 = 1/2, at most 1 together.

            >>> from exactdp.numbers import Epsilon
            >>> one = above_threshold(threshold_scale=2, query_scale=4)
            >>> pair = one.pair([0, 0, 1], [1, 1, 0])
            >>> pair.both_directions().max_divergence() < Epsilon.rational(1)
            True
        """
        if len(answers) != len(neighbor):
            raise DomainError(
                f"{len(answers)} answers, and {len(neighbor)} of its neighbor. Give as many."
            )
        p, q = (self.law(x, threshold=threshold) for x in (answers, neighbor))
        pair = Pair.from_masses(p.values(), q.values())
        return Pair(*pair.weights, outcomes=list(p))

    def _gaps(
        self, answers: Sequence[RationalLike], threshold: RationalLike
    ) -> tuple[list[Fraction], list[Fraction]]:
        """Return how far answers, and the ends of cells, are above the threshold."""
        if not answers:
            raise DomainError("there are no answers. Give at least one.")
        n = len(answers)
        refuse_above(MAX_ANSWERS, n, f"there are {count_text(n)} answers", advice="Give fewer.")
        base = fraction_of(rational(threshold, name="threshold"))
        gaps = [fraction_of(rational(x, name="answer")) - base for x in answers]
        return gaps, [x - base for x in self.cells]

    def _checked(self, report: Sequence[int], n: int) -> Report:
        """Return a report that n answers can have."""
        found = tuple(
            int(x) if isinstance(x, bool) else whole_number(x, name="report", at_least=0)
            for x in report
        )
        above = sum(map(bool, found))
        is_ended = above == self.most and bool(found[-1])
        if not (
            all(x <= len(self.cells) + 1 for x in found)
            and (len(found) == n or (is_ended and len(found) < n))
            and (self.most is None or above < self.most or is_ended)
        ):
            raise DomainError(
                f"report=({', '.join(map(str, found[:9]))}) is none of {count_text(n)} answers. "
                f"Give {'the cell' if self.cells else '1'} for each above and 0 for each below, "
                "up to the last that is reported."
            )
        return found

    def _rate(self, gaps: Sequence[Fraction], ends: Sequence[Fraction]) -> Fraction:
        """Return a step of all exponents: each is that of a gap, over one of both scales."""
        scales = [b for b in (self.threshold_scale, self.query_scale) if b]
        both = [abs(x) / b for x in gaps for b in scales]
        told = [abs(x) / b for x in ends for b in scales]
        rate = reduce(fraction_gcd, [*both, *told], Fraction(0)) or Fraction(1)
        longest = sum(both) + (len(gaps) + 1) * max(told, default=Fraction(0))
        refuse_above(
            MAX_DEGREE_OF_SCORES,
            degree := int(longest / rate),
            f"the answers make polynomials of degree {count_text(degree)} in e^({short(rate)})",
            advice="Round the answers and the scales.",
        )
        return rate

    def _mass(
        self, gaps: Sequence[Fraction], report: Report, ends: Sequence[Fraction], rate: Fraction
    ) -> Exact:
        """Return the probability of a report: of all of it, or up to each answer above."""
        stops = [i + 1 for i, letter in enumerate(report) if letter and self.renewed]
        stops = sorted({0, *stops, len(report)})
        parts = (self.integral(gaps[i:j], report[i:j], ends, rate) for i, j in pairwise(stops))
        return reduce(mul, parts, Exact(1))

    def integral(
        self, gaps: Sequence[Fraction], report: Report, ends: Sequence[Fraction], rate: Fraction
    ) -> Exact:
        """Return the probability of a report under one noise on the threshold, piece by piece.

        Args:
            gaps: How far the answers are above the threshold.
            report: Whether each is above.
            ends: How far the ends of cells are above the threshold.
            rate: A step of all of these over both scales.
        """
        slow, fast = 1 / self.threshold_scale, 1 / self.query_scale if self.query_scale else 0
        masses: list[tuple[int, fmpq_poly]] = []
        for start, end in pairwise([None, *sorted({Fraction(0), *gaps, *ends}), None]):
            sign = 1 if end is not None and end <= 0 else -1
            powers, first = self._product(gaps, report, start, ends, rate)
            for power, value in powers.items():
                slope, half = power * fast + sign * slow, value * fmpq_of(slow / 2)
                if slope == 0:
                    assert start is not None and end is not None
                    masses.append((first, half * fmpq_of(end - start)))
                    continue
                for x, way in ((end, 1), (start, -1)):
                    if x is not None:
                        masses.append((first + int(slope * x / rate), half * fmpq_of(way / slope)))
        return _number(masses, rate)

    def _product(
        self,
        gaps: Sequence[Fraction],
        report: Report,
        start: Fraction | None,
        ends: Sequence[Fraction],
        rate: Fraction,
    ) -> tuple[dict[int, fmpq_poly], int]:
        """Return Π of the factors behind a point.

        Of each power of e^(x/b2) it is a polynomial in e^rate, times a power of that for all.
        """
        found, first, lift, times = {0: fmpq_poly([1])}, 0, 0, Fraction(1)
        for gap, letter in zip(gaps, report, strict=False):
            factor = self._factor(gap, letter, start, ends)
            least = min((int(shift / rate) for _, shift in factor), default=0)
            first += least
            if len(factor) == 1:  # nothing is added
                (((power, _), value),) = factor.items()
                lift, times = lift + power, times * value
                continue
            after: dict[int, fmpq_poly] = {}
            for (power, shift), value in factor.items():
                by, scale = int(shift / rate) - least, fmpq_of(value)
                for own, part in found.items():
                    term = part.left_shift(by) * scale
                    after[power + own] = after.get(power + own, 0) + term
            found = after
        whole = fmpq_of(times)
        return {power + lift: part * whole for power, part in found.items()}, first

    def _factor(
        self, gap: Fraction, letter: int, start: Fraction | None, ends: Sequence[Fraction]
    ) -> _Factor:
        """Return the probability that one answer is below x, or above it and in its cell."""
        below = self._below(gap, None, start)
        if not letter:
            return below
        low = ends[letter - 2] if letter > 1 else None
        high = ends[letter - 1] if letter <= len(ends) else None
        if high is not None and start is not None and start >= high:
            return {}
        if low is not None and (start is None or start < low):
            below = self._below(gap, low, low)
        top = _ONE if high is None else self._below(gap, high, high)
        return _sum(top, {key: -value for key, value in below.items()})

    def _below(self, gap: Fraction, at: Fraction | None, start: Fraction | None) -> _Factor:
        """Return the probability that a noisy answer is below ``at``, or below x behind a point."""
        is_behind = start is not None and start >= gap
        if not self.query_scale:
            return _ONE if is_behind else {}
        # F(y) = e^y/2 below 0, and 1 − e^(−y)/2 above, y = (x − gap)/b2.
        sign = -1 if is_behind else 1
        power, shift = (sign, -gap) if at is None else (0, at - gap)
        tail = {(power, sign * shift / self.query_scale): Fraction(sign, 2)}
        return _sum(_ONE, tail) if is_behind else tail


@validated
def above_threshold(
    *,
    threshold_scale: RationalLike,
    query_scale: RationalLike,
    most: int | None = 1,
    renewed: bool = False,
    cells: Sequence[RationalLike] = (),
) -> AboveThreshold:
    """Return the report of which noisy answers are above a noisy threshold.

    Args:
        threshold_scale: b1, of the Laplace noise on the threshold, positive and rational.
        query_scale: b2, of that on each answer; 0 for none (which is never private: Lyu et al.
            2017, Algorithm 5).
        most: c, the answers above after which it ends; None for no end (which is not private
            for many answers: Lyu et al. 2017, Algorithm 6).
        renewed: Whether the threshold has new noise after each answer above (Algorithm 2).
        cells: Ends of cells, in rising order. Where there are some, the report has for an answer
            above the cell, from 1 on, in which the noisy value lies that was compared: what tells
            these values (Algorithm 3) is at most as private as what tells their cells.

    Raises:
        DomainError: If an argument is outside its range.

    Source:
        Lyu, Su & Li 2017, Algorithm 1, with Δ/ε1 and 2cΔ/ε2 for the scales; Dwork & Roth 2014,
        Algorithm 1, with c = 1.
    """
    b1, b2 = (
        fraction_of(rational(b, name=name))
        for b, name in ((threshold_scale, "threshold_scale"), (query_scale, "query_scale"))
    )
    ends = tuple(fraction_of(rational(x, name="cell")) for x in cells)
    return AboveThreshold(b1, b2, most, renewed, ends)


def _sum(first: _Factor, second: _Factor) -> _Factor:
    """Return the sum of two functions, without terms that are 0."""
    both = {key: first.get(key, 0) + second.get(key, 0) for key in first | second}
    return {key: Fraction(value) for key, value in both.items() if value}


def _reports(n: int, most: int | None, letters: Sequence[int]) -> Iterator[Report]:
    """Yield all reports of n answers."""
    left: list[Report] = [()]
    while left:
        report = left.pop()
        if len(report) == n or (most is not None and sum(map(bool, report)) == most):
            yield report
        else:
            left += [(*report, letter) for letter in letters]


def _number(masses: Sequence[tuple[int, fmpq_poly]], rate: Fraction) -> Exact:
    """Return a sum of polynomials in e^rate, each times a power of that."""
    least = min((first for first, _ in masses), default=0)
    total = sum((part.left_shift(first - least) for first, part in masses), fmpq_poly([0]))
    whole = total.numer().left_shift(max(least, 0))
    below = fmpz_poly([total.denom()]).left_shift(max(-least, 0))
    return Exact.from_polynomial(whole, rate=rate, denominator=below)
