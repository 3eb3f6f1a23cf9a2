"""Lower bounds on δ of one or two steps on batches of fixed size, where a record is replaced.

The gradient of the record is 1, of the one in its place −1. A step is *up* where all other
gradients are −1, and *down* where they are 1: with noise of variance σ², and q = batch/samples,
the sums less a constant are

    up:   P = (1 − q) N(0) + q N(2),  Q = N(0);
    down: P = N(0),  Q = (1 − q) N(0) + q N(−2).

So up is Poisson sampling with sensitivity 2. The second step's gradients may depend on what the
first step published. Here the first is up, and the second is up where the first speaks for P by
less than ε, else down: after a loss above ε, down loses less of it.

Definitions: :func:`delta_of_fixed_batches`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from exactdp.claims import Term, TermLike, function, positive_part, sum_over, term

__all__ = ["delta_of_fixed_batches"]

_PIECES, _CELLS, _GRID = 4, 32, 64
"""The first output's range below the loss ε is cut in pieces, a piece in cells; doubles propose
where pieces end and what is told apart, in multiples of 1/64."""


def delta_of_fixed_batches(
    epsilon: Fraction, sigma: float, samples: int, batch: int, updates: int
) -> Term:
    """Return a lower bound on δ: P(S) − e^ε Q(S), of a set S of published outputs.

    Of one step S is what exceeds a number. Of two, the first output is in a cell, and the second
    exceeds a number that is a cubic polynomial of the cell's in each piece; no cell counts below
    0. Far up the first output alone tells, and all of the second.
    """
    steps = _Steps(Fraction(sigma), Fraction(batch, samples), epsilon)
    if updates == 1:
        return steps.excess(steps.rounded(steps.output(float(epsilon))))
    middle, deviation = steps.output(float(epsilon)), sigma
    low, high = min(0.0, middle) - 3.5 * deviation, middle + 3.5 * deviation
    ends = [low + i * (middle - low) / _PIECES for i in range(_PIECES + 1)]
    cut = list(map(steps.rounded, [*ends, high]))
    found = steps.excess(cut[-1])
    for i, (left, right) in enumerate(pairwise(cut)):
        found = found + steps.piece(left, right, is_up=i < _PIECES)
    return found


@dataclass(frozen=True)
class _Steps:
    sigma: Fraction
    q: Fraction
    epsilon: Fraction

    def rounded(self, y: float) -> Fraction:
        return Fraction(round(y * _GRID), _GRID)

    def loss(self, y: float) -> float:
        """Return the loss of a step up with this output."""
        return math.log1p(float(self.q) * math.expm1((2 * y - 2) / float(self.sigma) ** 2))

    def output(self, loss: float) -> float:
        """Return the output of a step up with this loss."""
        rest = max(math.expm1(loss) + float(self.q), 1e-300)
        return 1 + float(self.sigma) ** 2 / 2 * math.log(rest / float(self.q))

    def above(self, y: TermLike) -> Term:
        """Return P(N(0, σ²) > y)."""
        found: Term = function("normal_cdf", -(term(y) / self.sigma))
        return found

    def mixed(self, plain: Term, shifted: Term) -> Term:
        return (1 - self.q) * plain + self.q * shifted

    def excess(self, y: Fraction) -> Term:
        """Return P(y' > y) − e^ε Q(y' > y) of a step up."""
        absent = self.above(y)
        found: Term = self.mixed(absent, self.above(y - 2))
        return found - function("exp", self.epsilon) * absent

    def piece(self, low: Fraction, high: Fraction, *, is_up: bool) -> Term:
        """Return the sum over cells of max(0, P(cell) P(S) − e^ε Q(cell) Q(S))."""
        width = (high - low) / _CELLS
        told = self.cubic(low, width, is_up=is_up)

        def cell(i: Any) -> Term:
            def inside(mean: int) -> Term:
                left = low - mean + width * i
                return self.above(left) - self.above(left + width)

            absent = inside(0)
            cut = told(i)
            plain, shifted = self.above(cut), self.above(cut - 2 if is_up else cut + 2)
            seen, unseen = self.mixed(plain, shifted), plain
            if not is_up:
                seen, unseen = unseen, seen
            present = self.mixed(absent, inside(2))
            found: Term = positive_part(
                present * seen - function("exp", self.epsilon) * absent * unseen
            )
            return found

        total: Term = sum_over("i", 0, _CELLS - 1, cell)
        return total

    def cubic(self, low: Fraction, width: Fraction, *, is_up: bool) -> Any:
        """Return the polynomial through the best thresholds of four of the cells."""
        nodes = [round(_CELLS * part / 8) for part in (1, 3, 5, 7)]
        values = [self.best(float(low + width * (i + Fraction(1, 2))), is_up=is_up) for i in nodes]
        return partial(_interpolated, nodes, values)

    def best(self, y: float, *, is_up: bool) -> Fraction:
        """Return above which second output both losses together are above ε."""
        rest = float(self.epsilon) - self.loss(y)
        return self.rounded(self.output(rest) if is_up else -self.output(-rest))


def _interpolated(nodes: list[int], values: list[Fraction], i: Any) -> Any:
    """Return Newton's form of the polynomial with these values at these nodes."""
    column, found, product = list(values), term(values[0]), term(1)
    for order in range(1, len(nodes)):
        gaps = zip(pairwise(column), zip(nodes, nodes[order:], strict=False), strict=False)
        column = [(b - a) / (right - left) for (a, b), (left, right) in gaps]
        product = product * (i - nodes[order - 1])
        found = found + column[0] * product
    return found
