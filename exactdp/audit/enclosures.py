"""A formula at points and on boxes: certified signs, and balls of values and derivatives.

Definitions: :class:`Enclosures`, and the types of intervals, boxes, points and formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from flint import arb

from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Exact, fmpq_of, precision, rational_text, working_bits
from exactdp.numbers.balls import ball_of_interval, endpoints
from exactdp.numbers.number_systems import (
    Ball,
    BallFunctions,
    ExactFunctions,
    ExactValue,
    LeavesFieldError,
)
from exactdp.numbers.taylor import SeriesFunctions

__all__ = ["Box", "Enclosures", "Inequality", "Interval", "Point", "box_text"]

Interval = tuple[Fraction, Fraction]
"""The closed interval between two rationals, lower end first."""

Box = dict[str, Interval]
"""An interval for each argument."""

Point = dict[str, Fraction]
"""A rational for each argument."""

Inequality = Callable[..., Any]
"""Called as ``inequality(f, **numbers)``; the difference that must be at least 0."""

_POINT_BITS = (64, 256, 1024)
"""The precisions at which the sign at a point is asked of balls."""


class Enclosures:
    """A formula, with its enclosures at points and on boxes.

    Balls are at the working precision of the caller.

    Args:
        inequality: The formula.
    """

    def __init__(self, inequality: Inequality) -> None:
        self._inequality = inequality
        self._balls = BallFunctions()
        self._signs: dict[tuple[Fraction, ...], tuple[int | None, Fraction]] = {}

    def on(self, box: Box) -> arb:
        """Return a ball of the values on a box."""
        try:
            value = self._inequality(self._balls, **{name: _ball(i) for name, i in box.items()})
        except DomainError as error:
            where = box_text(box)
            raise DomainError(f"the formula has no value at {where}: {error}.") from None
        ball: Ball = self._lifted(value, self._balls)
        return ball.value

    def sign_at(self, point: Point) -> tuple[int | None, Fraction]:
        """Return the sign at a point (None: it may be 0) and an upper bound of the value.

        Raises:
            DomainError: If the formula has no value there; it names the point.
        """
        key = tuple(point.values())
        if key not in self._signs:
            self._signs[key] = self._sign(point)
        return self._signs[key]

    def slope(self, box: Box, name: str) -> arb:
        """Return a ball of one partial derivative on a box (NaN if it may be unbounded)."""
        return self.coefficients_on(box, {name: Fraction(1)}, order=1)[1]

    def coefficients_on(
        self, box: Box, direction: Mapping[str, Fraction], *, order: int
    ) -> list[arb]:
        """Return balls of the Taylor coefficients along a direction, at all points of a box."""
        within = all(box[name][0] < box[name][1] for name in direction)
        f = SeriesFunctions(self._balls, order=order, within=within)
        try:
            value = self._series(f, {name: _ball(i) for name, i in box.items()}, direction)
        except DomainError:  # a derivative that does not exist, such as that of sqrt at 0
            return [arb.nan() for _ in range(order + 1)]
        return [c.value for c in value]

    def coefficients_at(
        self, point: Point, direction: Mapping[str, Fraction], *, order: int
    ) -> list[arb]:
        """Return the Taylor coefficients at a point; 0 is exactly 0 where the field knows it."""
        f = SeriesFunctions(ExactFunctions(), order=order)
        exact = {name: ExactValue(Exact(x)) for name, x in point.items()}
        try:
            value = self._series(f, exact, direction)
        except (LeavesFieldError, TooLargeError, DomainError):
            box = {name: (x, x) for name, x in point.items()}
            return self.coefficients_on(box, direction, order=order)
        return [c.value.ball(working_bits()) for c in value]

    def vanishing_on(self, face: Box, direction: Mapping[str, Fraction], *, order: int) -> set[int]:
        """Return the orders up to ``order`` whose Taylor coefficient is 0 on the whole face.

        A ball cannot tell q - q from a small number. But a coefficient is 0 everywhere if
        it is at the middle, and its slopes along the face are.
        """
        middle = {name: (a + b) / 2 for name, (a, b) in face.items()}
        values = self.coefficients_at(middle, direction, order=order)
        zero = {j for j, c in enumerate(values) if c == 0}
        inner = SeriesFunctions(self._balls, order=1, within=True)
        f = SeriesFunctions(inner, order=order)
        for along in (name for name, (a, b) in face.items() if a < b):
            balls = {
                name: inner.variable(_ball(i), slope=int(name == along)) for name, i in face.items()
            }
            try:
                value = self._series(f, balls, direction)
            except (LeavesFieldError, DomainError):
                return set()
            zero = {j for j in zero if value[j].value[1].value == 0}
        return zero

    def _sign(self, point: Point) -> tuple[int | None, Fraction]:
        box = {name: (x, x) for name, x in point.items()}
        upper = Fraction(0)
        for bits in _POINT_BITS:
            with precision(bits):
                ball = self.on(box)
                if not ball.is_finite():
                    continue
                upper = endpoints(ball)[1]
                if ball == 0:
                    return 0, upper
                if ball > 0 or ball < 0:
                    return (1 if ball > 0 else -1), upper
            exact = self._exact(point)
            if exact is not None and exact == 0:
                return 0, Fraction(0)
        return None, upper

    def _exact(self, point: Point) -> Exact | None:
        f = ExactFunctions()
        numbers = {name: ExactValue(Exact(x)) for name, x in point.items()}
        try:
            value: ExactValue = self._lifted(self._inequality(f, **numbers), f)
        except (LeavesFieldError, TooLargeError):
            return None
        return value.value

    def _series(self, f: Any, at: Mapping[str, Any], direction: Mapping[str, Fraction]) -> Any:
        """Return the Taylor coefficients along a direction."""
        arguments = {
            name: f.variable(x, slope=direction.get(name, Fraction(0))) for name, x in at.items()
        }
        return self._lifted(self._inequality(f, **arguments), f).value

    @staticmethod
    def _lifted(value: Any, f: Any) -> Any:
        """Return a formula's value; one that uses no argument may come as a plain number."""
        return f.constant(value) if isinstance(value, int | Fraction) else value


def _ball(interval: Interval) -> Ball:
    return Ball(ball_of_interval(fmpq_of(interval[0]), fmpq_of(interval[1])))


def box_text(box: Box) -> str:
    """Return a box in words.

    Example:
        >>> box_text({"n": (Fraction(3), Fraction(3)), "x": (Fraction(0), Fraction(1, 2))})
        'n=3, x in [0, 1/2]'
    """
    return ", ".join(
        f"{name}={rational_text(a)}"
        if a == b
        else f"{name} in [{rational_text(a)}, {rational_text(b)}]"
        for name, (a, b) in box.items()
    )
