"""Above threshold (the sparse vector technique): the exact law of which answers are above.

Each answer q_i gets Laplace noise of scale b2, and is compared with one noisy threshold, T with
Laplace noise of scale b1. Whether each is above is reported, up to the cth that is. For rational
answers and scales all laws are exact: between two answers all factors are a + c·e^(±x/b).

Several algorithms that are printed in the literature are of this form with other scales, or
without an end, and not private as claimed; their laws are as exact. With a sensitivity Δ of each
answer, scales Δ/ε1 and 2cΔ/ε2 give (ε1 + ε2)-differential privacy; without an end nothing does
for all numbers of answers.

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
from math import comb, lcm

from flint import fmpz_poly

from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.numbers import (
    Exact,
    RationalLike,
    count_text,
    fraction_of,
    rational,
    refuse_above,
    short,
)
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.limits import MAX_DEGREE_OF_SCORES, MAX_OUTCOMES_OF_NOISE
from exactdp.numbers.powers import fraction_gcd
from exactdp.numbers.validated import validated

__all__ = ["AboveThreshold", "above_threshold"]

Report = tuple[bool, ...]
"""Whether each answer is above, up to where the algorithm ends."""

_MOST_ANSWERS = 60
"""The answers whose law is found: there are as many factors in its integrals."""


@validated
@dataclass(frozen=True, slots=True)
class AboveThreshold:
    """The report of which noisy answers are above a noisy threshold.

    Attributes:
        threshold_scale: b1, of the noise on the threshold, positive.
        query_scale: b2, of the noise on each answer, positive.
        most: c, the answers above after which nothing is reported any more; None for no end.
    """

    threshold_scale: Fraction
    query_scale: Fraction
    most: int | None

    def __post_init__(self) -> None:
        for name in ("threshold_scale", "query_scale"):
            value = getattr(self, name)
            if value <= 0:
                raise DomainError(f"{name}={short(value)} is not positive. Pass a positive number.")
        if self.most is not None:
            whole_number(self.most, name="most", at_least=1)

    def law(
        self, answers: Sequence[RationalLike], *, threshold: RationalLike = 0
    ) -> dict[Report, Exact]:
        """Return the probability of each report.

        Formula:
            ∫ f(x) Π_i Pr[q_i + noise is above, or below, T + x] dx, f the density of the noise
            on the threshold, the product over the answers that are reported.

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
        gaps = self._gaps(answers, threshold)
        reports = list(_reports(len(gaps), self.most))
        rate = self._rate(gaps)
        return {report: self._mass(gaps, report, rate) for report in reports}

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

    def _gaps(self, answers: Sequence[RationalLike], threshold: RationalLike) -> list[Fraction]:
        """Return how far answers are above the threshold."""
        if not answers:
            raise DomainError("there are no answers. Give at least one.")
        n = len(answers)
        refuse_above(_MOST_ANSWERS, n, f"there are {count_text(n)} answers", advice="Give fewer.")
        many = sum(comb(n, k) for k in range(min(n, n if self.most is None else self.most) + 1))
        refuse_above(
            MAX_OUTCOMES_OF_NOISE,
            many,
            f"{n} answers have up to {count_text(many)} reports",
            advice="Give fewer answers, or a smaller most.",
        )
        base = fraction_of(rational(threshold, name="threshold"))
        return [fraction_of(rational(x, name="answer")) - base for x in answers]

    def _rate(self, gaps: Sequence[Fraction]) -> Fraction:
        """Return a step of all exponents: each is that of a gap, over one of both scales."""
        both = [x / b for x in gaps for b in (self.threshold_scale, self.query_scale)]
        rate = reduce(fraction_gcd, map(abs, both), Fraction(0)) or Fraction(1)
        refuse_above(
            MAX_DEGREE_OF_SCORES,
            degree := int(sum(map(abs, both)) / rate),
            f"the answers make polynomials of degree {count_text(degree)} in e^({short(rate)})",
            advice="Round the answers and the scales.",
        )
        return rate

    def _mass(self, gaps: Sequence[Fraction], report: Report, rate: Fraction) -> Exact:
        """Return the probability of a report, piece by piece between answers and the threshold."""
        slow, fast = 1 / self.threshold_scale, 1 / self.query_scale
        masses: dict[int, Fraction] = {}  # by exponents, in steps

        def add(value: Fraction, exponent: Fraction) -> None:
            step = int(exponent / rate)
            masses[step] = masses.get(step, Fraction(0)) + value

        for start, end in pairwise([None, *sorted({Fraction(0), *gaps}), None]):
            sign = 1 if end is not None and end <= 0 else -1
            for (power, shift), value in self._product(gaps, report, start).items():
                slope, half = power * fast + sign * slow, value * slow / 2
                if slope == 0:
                    assert start is not None and end is not None
                    add(half * (end - start), shift)
                    continue
                if end is not None:
                    add(half / slope, shift + slope * end)
                if start is not None:
                    add(-half / slope, shift + slope * start)
        return _number(masses, rate)

    def _product(
        self, gaps: Sequence[Fraction], report: Report, start: Fraction | None
    ) -> dict[tuple[int, Fraction], Fraction]:
        """Return Π of the factors behind a point, by powers of e^(x/b2) and exponents beside."""
        found = {(0, Fraction(0)): Fraction(1)}
        for gap, is_above in zip(gaps, report, strict=False):
            # F(y) = e^y/2 below 0, and 1 − e^(−y)/2 above, y = (x − gap)/b2; above is 1 − F.
            sign = -1 if start is not None and start >= gap else 1
            is_small = is_above == (sign == -1)
            after: dict[tuple[int, Fraction], Fraction] = {} if is_small else dict(found)
            for (power, shift), value in found.items():
                key = power + sign, shift - sign * gap / self.query_scale
                part = value / 2 if is_small else -value / 2
                after[key] = after.get(key, Fraction(0)) + part
            found = after
        return found


@validated
def above_threshold(
    *, threshold_scale: RationalLike, query_scale: RationalLike, most: int | None = 1
) -> AboveThreshold:
    """Return the report of which noisy answers are above a noisy threshold.

    Args:
        threshold_scale: b1, of the Laplace noise on the threshold, positive and rational.
        query_scale: b2, of that on each answer.
        most: c, the answers above after which it ends; None for no end (which is not private
            for many answers: Lyu et al. 2017, Algorithm 6).

    Raises:
        DomainError: If an argument is outside its range.

    Source:
        Lyu, Su & Li 2017, Algorithm 1, with Δ/ε1 and 2cΔ/ε2 for the scales; Dwork & Roth 2014,
        Algorithm 1, with c = 1.
    """
    b1 = fraction_of(rational(threshold_scale, name="threshold_scale"))
    return AboveThreshold(b1, fraction_of(rational(query_scale, name="query_scale")), most)


def _reports(n: int, most: int | None) -> Iterator[Report]:
    """Yield all reports of n answers."""
    left: list[Report] = [()]
    while left:
        report = left.pop()
        if len(report) == n or (most is not None and sum(report) == most):
            yield report
        else:
            left += [(*report, False), (*report, True)]


def _number(masses: dict[int, Fraction], rate: Fraction) -> Exact:
    """Return a sum of rationals times powers of e^rate."""
    least, common = min(masses), lcm(*(x.denominator for x in masses.values()))
    top = [0] * (max(masses) - least + 1)
    for step, value in masses.items():
        top[step - least] = int(value * common)
    whole = fmpz_poly(top).left_shift(max(least, 0))
    below = fmpz_poly([common]).left_shift(max(-least, 0))
    return Exact.from_polynomial(whole, rate=rate, denominator=below)
