"""Proofs of inequalities on boxes, by subdivision with balls.

The inequality is a formula over :class:`exactdp.numbers.real_functions.RealFunctions`
that must be at least 0 at every point of a box of closed rational intervals. A box is
settled by one of these, else it is split:

1. its ball: the formula in wide balls is at least 0;
2. its slopes: f(x) = f(c) + sum_i d_i (x_i - c_i), with c the middle and d_i balls that
   hold the partial derivatives on the whole box (mean value theorem);
3. a face: if d_i does not change sign, the least value lies on one face of direction i,
   and only that face is left to prove;
4. a zero at a face or corner, where the terms of Taylor's theorem decide: see ``zeros``.

Every point tried is a rational point, decided in the exact field where the formula
stays in it, else by balls: a counterexample is certified, not suspected.

What does not end: a zero that no face and no corner meets, such as one at an irrational
point or along a curve. Divide such a factor out, or change variables so that it lies on
a face (t = 1/n turns n >= 1000 into t in [0, 1/1000]). Splits fall on the simplest
dyadic number near the middle, so zeros at 0, 1 or 1/2 become corners by themselves.

Definitions: :func:`decide_on_box`, :class:`HoldsOnBox`, :class:`FailsAt`,
:class:`OpenOnBox`, :data:`BoxAnswer`.

References: Moore, Kearfott, Cloud, Introduction to Interval Analysis (2009), Chapters 6, 9.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil

from flint import arb

from exactdp.audit.enclosures import (
    Box,
    Enclosures,
    Inequality,
    Interval,
    Point,
    box_text,
)
from exactdp.audit.zeros import holds_near_zero
from exactdp.errors import DomainError
from exactdp.numbers import RationalLike, fmpq_of, fraction_of, precision, rational, rational_text
from exactdp.numbers.balls import ball_of_interval

__all__ = ["BoxAnswer", "FailsAt", "HoldsOnBox", "OpenOnBox", "decide_on_box"]

_BITS = 64
"""The working precision of the balls."""

_MAX_CORNERS = 64
"""A box of more corners has only its middle tried."""

_MAX_DEPTH = 64
"""After so many splits for each direction a part is given up: there may be a zero in it."""


@dataclass(frozen=True, slots=True)
class HoldsOnBox:
    """The inequality holds at every point of the box; ``boxes`` were looked at."""

    boxes: int


@dataclass(frozen=True, slots=True)
class FailsAt:
    """A rational point of the box where the inequality certainly fails.

    Attributes:
        point: The values, by name.
        value: An upper bound of the formula there, below 0.
        boxes: How many boxes were looked at.
    """

    point: tuple[tuple[str, Fraction], ...]
    value: Fraction
    boxes: int

    def __str__(self) -> str:
        return box_text({name: (x, x) for name, x in self.point})


@dataclass(frozen=True, slots=True)
class OpenOnBox:
    """Neither a proof nor a counterexample; ``reason`` says where it stopped."""

    reason: str
    boxes: int


BoxAnswer = HoldsOnBox | FailsAt | OpenOnBox


def decide_on_box(
    inequality: Inequality,
    box: Mapping[str, tuple[RationalLike, RationalLike]],
    /,
    *,
    max_boxes: int = 10_000,
) -> BoxAnswer:
    """Return whether a formula is at least 0 on a whole box, with proof or counterexample.

    Args:
        inequality: Called as ``inequality(f, **numbers)``; returns the difference that
            must be >= 0.
        box: The closed interval of each argument; its ends may be equal.
        max_boxes: How many boxes may be looked at.

    Raises:
        DomainError: If an interval is empty, or the formula has no value at a point
            of the box that was tried.

    Example:
        >>> def tangent(f, *, x):
        ...     return f.exp(x) - 1 - x
        >>> decide_on_box(tangent, {"x": (-2, 2)})  # touches at 0
        HoldsOnBox(boxes=3)
        >>> print(decide_on_box(lambda f, *, x: 1 + 2 * x - f.exp(x), {"x": (0, 2)}))
        x=2
    """
    if max_boxes < 1:
        raise DomainError(f"max_boxes={max_boxes} must be at least 1. Allow one box or more.")
    return _Search(Enclosures(inequality), _checked(box)).run(max_boxes)


@dataclass(frozen=True, slots=True)
class _Search:
    formula: Enclosures
    box: Box

    def run(self, max_boxes: int) -> BoxAnswer:
        parts = deque([(self.box, 0)])
        boxes = 0
        reason: str | None = None
        with precision(_BITS):
            while parts:
                box, depth = parts.popleft()
                if boxes == max_boxes:
                    reason = reason or f"max_boxes={max_boxes} did not settle {box_text(box)}"
                    return OpenOnBox(reason, boxes)
                boxes += 1
                failure = self._failure(box)
                if failure is not None:
                    value = self.formula.sign_at(failure)[1]
                    return FailsAt(tuple(failure.items()), value, boxes)
                left = self._left_to_prove(box, depth)
                if left is None:
                    # Nothing settles this part, but another may still hold a failure.
                    reason = reason or f"the formula may be 0 at {box_text(box)}"
                else:
                    parts.extend(left)
        return HoldsOnBox(boxes) if reason is None else OpenOnBox(reason, boxes)

    def _failure(self, box: Box) -> Point | None:
        """Return a corner, or the middle, where the inequality certainly fails."""
        points = [{name: _middle(interval) for name, interval in box.items()}]
        if 2 ** len(_wide(box)) <= _MAX_CORNERS:
            corners = product(*(sorted(set(interval)) for interval in box.values()))
            points = [dict(zip(box, corner, strict=True)) for corner in corners] + points
        return next((point for point in points if self.formula.sign_at(point)[0] == -1), None)

    def _left_to_prove(self, box: Box, depth: int) -> list[tuple[Box, int]] | None:
        """Return the boxes that remain: nothing, a face, two halves; None if it is given up."""
        wide = _wide(box)
        if not wide:
            sign = self.formula.sign_at({name: a for name, (a, _) in box.items()})[0]
            return None if sign is None else []
        if self.formula.on(box) >= 0:
            return []
        slopes = {name: self.formula.slope(box, name) for name in wide}
        if self._by_slopes(box, slopes) >= 0:
            return []
        face = dict(box)
        for name, slope in slopes.items():
            end = 0 if slope >= 0 else 1 if slope <= 0 else None
            if end is not None:
                face[name] = (box[name][end], box[name][end])
        if depth >= _MAX_DEPTH * len(wide):
            return None
        if face != box:
            return [(face, depth)]
        if holds_near_zero(self.formula, box):
            return []
        name = self._widest(box)
        a, b = box[name]
        middle = _middle(box[name])
        return [({**box, name: half}, depth + 1) for half in ((a, middle), (middle, b))]

    def _by_slopes(self, box: Box, slopes: Mapping[str, arb]) -> arb:
        """Return the mean value form: f(c) plus the slopes times the distances from c."""
        middle = {name: _middle(interval) for name, interval in box.items()}
        value = self.formula.on({name: (x, x) for name, x in middle.items()})
        for name, slope in slopes.items():
            a, b = box[name]
            value += slope * ball_of_interval(fmpq_of(a - middle[name]), fmpq_of(b - middle[name]))
        return value

    def _widest(self, box: Box) -> str:
        """Return the direction that was cut least."""
        # Not the steepest: beside a face of zeros the other directions must be cut as well.
        whole = self.box
        return max(_wide(box), key=lambda n: (box[n][1] - box[n][0]) / (whole[n][1] - whole[n][0]))


def _wide(box: Box) -> list[str]:
    """Return the directions in which a box is more than a point."""
    return [name for name, (a, b) in box.items() if a < b]


def _checked(box: Mapping[str, tuple[RationalLike, RationalLike]]) -> Box:
    intervals: Box = {}
    for name, (lower, upper) in box.items():
        a, b = (fraction_of(rational(end, name=name)) for end in (lower, upper))
        if a > b:
            raise DomainError(
                f"{name} in [{rational_text(a)}, {rational_text(b)}] is empty. Lower end first."
            )
        intervals[name] = (a, b)
    return intervals


def _middle(interval: Interval) -> Fraction:
    """Return the simplest dyadic number in the middle half of an interval.

    Zeros of formulas lie at simple numbers; a split there makes them corners.
    """
    a, b = interval
    quarter = (b - a) / 4
    a, b = a + quarter, b - quarter
    if a == b or a <= 0 <= b:
        return a if a == b else Fraction(0)
    step = Fraction(1)
    while ceil(a / step) * step > b:
        step /= 2
    while ceil(a / (2 * step)) * 2 * step <= b:
        step *= 2
    return ceil(a / step) * step
