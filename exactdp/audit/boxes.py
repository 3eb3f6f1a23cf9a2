"""Proofs of inequalities on boxes, by subdivision with balls.

The inequality is a formula over :class:`exactdp.numbers.real_functions.RealFunctions`
that must be at least 0 (or, strictly, above 0) at every point of a box of closed
rational intervals. A box is settled by one of these, else it is split:

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
    point_text,
)
from exactdp.audit.zeros import holds_near_zero
from exactdp.errors import DomainError
from exactdp.numbers import RationalLike, fmpq_of, fraction_of, precision, rational, rational_text
from exactdp.numbers.balls import ball_of_interval

__all__ = ["BoxAnswer", "FailsAt", "HoldsOnBox", "OpenOnBox", "decide_on_box"]

_MAX_CORNERS = 64
"""A box of more corners has only its middle tried."""

_MAX_DEPTH = 64
"""After so many splits for each direction a part is given up: there may be a zero in it."""


@dataclass(frozen=True, slots=True)
class HoldsOnBox:
    """The inequality holds at every point of the box.

    Attributes:
        box: The intervals, by name.
        is_strict: Whether > 0 was proved, or >= 0.
        boxes: How many boxes were looked at.
        depth: The most splits between the box and one of them.
        precision_bits: The working precision of the balls.
    """

    box: tuple[tuple[str, Interval], ...]
    is_strict: bool
    boxes: int
    depth: int
    precision_bits: int

    @property
    def domain(self) -> str:
        """The box in words, for a verdict.

        Example:
            >>> HoldsOnBox((("x", (Fraction(0), Fraction(1, 2))),), False, 1, 0, 64).domain
            'x in [0, 1/2]'
        """
        return box_text(dict(self.box))

    @property
    def by(self) -> str:
        """How it was proved, for a verdict."""
        return (
            f"balls of {self.precision_bits} bits on {self.boxes} boxes, "
            f"split at most {self.depth} times"
        )


@dataclass(frozen=True, slots=True)
class FailsAt:
    """A rational point of the box where the inequality certainly fails.

    Attributes:
        point: The values, by name.
        value: An upper bound of the formula there; 0 for a strict inequality that is
            an equality.
        boxes: How many boxes were looked at.
    """

    point: tuple[tuple[str, Fraction], ...]
    value: Fraction
    boxes: int

    def __str__(self) -> str:
        return point_text(dict(self.point))


@dataclass(frozen=True, slots=True)
class OpenOnBox:
    """Neither a proof nor a counterexample; ``reason`` says where it stopped."""

    reason: str
    boxes: int


BoxAnswer = HoldsOnBox | FailsAt | OpenOnBox


@dataclass(frozen=True, slots=True)
class _Part:
    box: Box
    depth: int


def decide_on_box(
    inequality: Inequality,
    box: Mapping[str, tuple[RationalLike, RationalLike]],
    /,
    *,
    strict: bool = False,
    max_boxes: int = 10_000,
    precision_bits: int = 64,
) -> BoxAnswer:
    """Return whether a formula is at least 0 on a whole box, with proof or counterexample.

    Args:
        inequality: Called as ``inequality(f, **numbers)``; returns the difference that
            must be >= 0.
        box: For each argument its closed interval; the ends may be equal.
        strict: Whether the difference must be above 0.
        max_boxes: How many boxes may be looked at.
        precision_bits: The working precision.

    Returns:
        HoldsOnBox, FailsAt a rational point, or OpenOnBox with the reason.

    Raises:
        DomainError: If an interval is empty, or the formula has no value at a point
            of the box that was tried.

    Example:
        >>> def tangent(f, *, x):
        ...     return f.exp(x) - 1 - x
        >>> answer = decide_on_box(tangent, {"x": (-2, 2)})  # touches at 0
        >>> answer.domain
        'x in [-2, 2]'
        >>> print(decide_on_box(tangent, {"x": (-2, 2)}, strict=True))
        x=0
        >>> print(decide_on_box(lambda f, *, x: 1 + 2 * x - f.exp(x), {"x": (0, 2)}))
        x=2
    """
    if max_boxes < 1:
        raise DomainError(f"max_boxes={max_boxes} must be at least 1. Allow one box or more.")
    search = _Search(inequality, _checked(box), strict=strict, precision_bits=precision_bits)
    return search.run(max_boxes)


class _Search:
    def __init__(
        self, inequality: Inequality, box: Box, *, strict: bool, precision_bits: int
    ) -> None:
        self._formula = Enclosures(inequality)
        self._box = box
        self._strict = strict
        self._precision_bits = precision_bits

    def run(self, max_boxes: int) -> BoxAnswer:
        parts = deque([_Part(self._box, 0)])
        boxes = depth = 0
        reason: str | None = None
        with precision(self._precision_bits):
            while parts:
                part = parts.popleft()
                if boxes == max_boxes:
                    reason = reason or f"max_boxes={max_boxes} did not settle {box_text(part.box)}"
                    return OpenOnBox(reason, boxes)
                boxes += 1
                depth = max(depth, part.depth)
                failure = self._failure(part.box)
                if failure is not None:
                    value = self._formula.sign_at(failure)[1]
                    return FailsAt(tuple(failure.items()), value, boxes)
                left = self._left_to_prove(part)
                if left is None:
                    # Nothing settles this part, but another may still hold a failure.
                    reason = reason or f"the formula may be 0 at {box_text(part.box)}"
                else:
                    parts.extend(left)
        if reason is not None:
            return OpenOnBox(reason, boxes)
        return HoldsOnBox(
            tuple(self._box.items()), self._strict, boxes, depth, self._precision_bits
        )

    def _failure(self, box: Box) -> Point | None:
        """Return a corner, or the middle, where the inequality certainly fails."""
        points = [{name: _middle(interval) for name, interval in box.items()}]
        wide = [name for name, (a, b) in box.items() if a < b]
        if 2 ** len(wide) <= _MAX_CORNERS:
            corners = product(*(sorted(set(interval)) for interval in box.values()))
            points = [dict(zip(box, corner, strict=True)) for corner in corners] + points
        for point in points:
            sign = self._formula.sign_at(point)[0]
            if sign == -1 or (sign == 0 and self._strict):
                return point
        return None

    def _left_to_prove(self, part: _Part) -> list[_Part] | None:
        """Return what remains: nothing, a face, or two halves; None if it is given up."""
        box = part.box
        wide = [name for name, (a, b) in box.items() if a < b]
        if not wide:
            sign = self._formula.sign_at({name: a for name, (a, _) in box.items()})[0]
            return None if sign is None else []
        if self._holds(self._formula.on(box)):
            return []
        slopes = {name: self._formula.slope(box, name) for name in wide}
        if self._holds(self._by_slopes(box, slopes)):
            return []
        face = dict(box)
        for name, slope in slopes.items():
            end = 0 if slope >= 0 else 1 if slope <= 0 else None
            if end is not None:
                face[name] = (box[name][end], box[name][end])
        if part.depth >= _MAX_DEPTH * len(wide):
            return None
        if face != box:
            return [_Part(face, part.depth)]
        if not self._strict and holds_near_zero(self._formula, box):
            return []
        name = self._widest(box)
        middle = _middle(box[name])
        halves = ((box[name][0], middle), (middle, box[name][1]))
        return [_Part({**box, name: half}, part.depth + 1) for half in halves]

    def _holds(self, values: arb) -> bool:
        return bool(values > 0 if self._strict else values >= 0)

    def _by_slopes(self, box: Box, slopes: Mapping[str, arb]) -> arb:
        """Return the mean value form: f(c) plus the slopes times the distances from c."""
        middle = {name: _middle(interval) for name, interval in box.items()}
        value = self._formula.on({name: (x, x) for name, x in middle.items()})
        for name, slope in slopes.items():
            a, b = box[name]
            value += slope * ball_of_interval(fmpq_of(a - middle[name]), fmpq_of(b - middle[name]))
        return value

    def _widest(self, box: Box) -> str:
        """Return the direction that was cut least."""
        # Not the steepest: beside a face of zeros the other directions must be cut as well.
        wide = [name for name, (a, b) in box.items() if a < b]
        whole = self._box
        return max(wide, key=lambda n: (box[n][1] - box[n][0]) / (whole[n][1] - whole[n][0]))


def _checked(box: Mapping[str, tuple[RationalLike, RationalLike]]) -> Box:
    intervals: Box = {}
    for name, (lower, upper) in box.items():
        a, b = (fraction_of(rational(end, name=name)) for end in (lower, upper))
        if a > b:
            raise DomainError(
                f"{name} in [{rational_text(a)}, {rational_text(b)}] is empty. Swap the ends."
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
