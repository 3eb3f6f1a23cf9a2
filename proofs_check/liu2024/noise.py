"""Laplace and Gaussian randomizers on a clip range, and the paper's probabilities for them.

User i sends x_i plus noise of its own scale. Distribution functions, the sets S, U_0, U_1
(unions of intervals with closed-form ends) and p_1, p_i^0, p_i^1 are computable reals; nothing
is integrated numerically. T_δ is empty: for continuous laws Pr[R(x) = z] is 0.

Definitions: :class:`Noise`, :func:`laplace_noise`, :func:`gaussian_noise`,
:func:`less_dense`, :func:`victim_probability`, :func:`other_probabilities`,
:func:`least_probability`.

Source: Liu et al. 2024, Sections 3.2.1 and 3.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from flint import arb

from exactdp.errors import DomainError
from exactdp.numbers import (
    Exact,
    Number,
    RationalLike,
    Real,
    exp,
    fraction_of,
    log,
    normal_cdf,
    rational,
    sqrt,
    working_bits,
)
from exactdp.numbers.arguments import positive
from proofs_check.liu2024.intervals import Interval, intersection, is_less

__all__ = [
    "MAKE",
    "Noise",
    "Shape",
    "gaussian_noise",
    "laplace_noise",
    "least_probability",
    "less_dense",
    "other_probabilities",
    "victim_probability",
]


class Shape(Enum):
    """The family of the noise."""

    LAPLACE = "Laplace"
    GAUSSIAN = "Gaussian"


@dataclass(frozen=True, slots=True)
class Noise:
    """The law of one user's message: center plus noise.

    Attributes:
        shape: Laplace or Gaussian.
        center: The user's input, rational.
        scale: b of Laplace, σ of Gaussian; rational.
    """

    shape: Shape
    center: Fraction
    scale: Fraction

    def below(self, z: Number | None) -> Number:
        """Return Pr[message < z] (1 for None), accurate in the lower tail."""
        if z is None:
            return Exact(1)
        c, s = Exact(self.center), Exact(self.scale)
        if self.shape is Shape.GAUSSIAN:
            return normal_cdf((z - c) / s)
        if is_less(c, z):
            return 1 - _exp((c - z) / s) / 2
        return _exp((z - c) / s) / 2

    def mass(self, region: Iterable[Interval]) -> Number:
        """Return the probability of disjoint intervals.

        Example:
            >>> laplace_noise(0, 1).mass([(None, Exact(0))])
            Exact('1/2')
        """
        mirror = Noise(self.shape, -self.center, self.scale)
        total: Number = Exact(0)
        for low, high in region:
            if low is not None and not is_less(low, Exact(self.center)):
                # In the upper tail: reflected, so that small masses keep their accuracy.
                part = mirror.below(-low) - (Exact(0) if high is None else mirror.below(-high))
            else:
                part = self.below(high) - (Exact(0) if low is None else self.below(low))
            total = total + part
        return total


def laplace_noise(center: RationalLike, scale: RationalLike) -> Noise:
    """Return Laplace noise; scale (x_1^1 − x_1^0)/ε is ε-locally private on the clip range.

    Raises:
        DomainError: If scale is not positive.
    """
    return _noise(Shape.LAPLACE, center, scale)


def gaussian_noise(center: RationalLike, sigma: RationalLike) -> Noise:
    """Return Gaussian noise; a private sigma is ``smallest_sigma(ε, δ).upper``.

    Raises:
        DomainError: If sigma is not positive.
    """
    return _noise(Shape.GAUSSIAN, center, sigma)


def less_dense(first: Noise, second: Noise) -> tuple[Interval, ...]:
    """Return {z | first's density < second's}: at most two intervals.

    Formula:
        The log-ratio log(s_1/s_2) − h_2(z) + h_1(z), with h = |z − c|/b (Laplace) or
        (z − c)²/(2σ²) (Gaussian), is piecewise linear, or a quadratic polynomial.

    Example:
        Equal scales are split in the middle:

        >>> less_dense(laplace_noise(0, 1), laplace_noise(1, 1))
        ((Exact('1/2'), None),)
    """
    if first.shape is not second.shape:
        raise DomainError("noises of two shapes are not compared. Give users one family.")
    if first == second:
        return ()
    level: Number = Exact(0)
    if first.scale != second.scale:
        level = log(Exact(first.scale / second.scale))
    if first.shape is Shape.LAPLACE:
        return _positive_pieces(first, second, level)
    u, v = 1 / first.scale**2, 1 / second.scale**2
    a, b = (u - v) / 2, second.center * v - first.center * u
    c = level + Exact((first.center**2 * u - second.center**2 * v) / 2)
    if a == 0:
        root = -c / Exact(b)
        return ((root, None),) if b > 0 else ((None, root),)
    # The wider law is the denser one in both tails, the narrower one at its center.
    spread = sqrt(Exact(b * b) - c * Exact(4 * a))
    low, high = (Exact(-b) - spread) / Exact(2 * a), (Exact(-b) + spread) / Exact(2 * a)
    return ((high, low),) if a < 0 else ((None, low), (high, None))


def victim_probability(zero: Noise, one: Noise) -> Number:
    """Return p_1 = Pr[R(x_1^0) ∈ S], S = {z | R(x_1^0)(z) < R(x_1^1)(z)}.

    Example:
        Laplace noise of scale 1/ε on [0, 1], ε = 2: e^(−ε/2)/2.

        >>> victim_probability(laplace_noise(0, "1/2"), laplace_noise(1, "1/2"))
        Exact('1/(2*e)')
    """
    return zero.mass(less_dense(zero, one))


def other_probabilities(zero: Noise, one: Noise, other: Noise) -> tuple[Number, Number]:
    """Return p_i^0 = Pr[R(x_i) ∈ U_0] and p_i^1."""
    first, second = (
        other.mass(intersection(less_dense(other, near), less_dense(far, near)))
        for near, far in ((zero, one), (one, zero))
    )
    return first, second


MAKE: Mapping[Shape, Callable[[RationalLike, RationalLike], Noise]] = {
    Shape.LAPLACE: laplace_noise,
    Shape.GAUSSIAN: gaussian_noise,
}


def least_probability(
    shape: Shape, scale_1: Fraction, scale_i: Fraction, x_i: Fraction = Fraction(0)
) -> Real:
    """Return p_i = min(p_i^0, p_i^1) for noise on [0, 1] and the input x_i.

    Example:
        >>> from exactdp.numbers import decimal
        >>> decimal(least_probability(Shape.LAPLACE, Fraction(1), Fraction(2)), digits=5)
        '0.29743'
    """
    make = MAKE[shape]
    ends = other_probabilities(make(0, scale_1), make(1, scale_1), make(x_i, scale_i))

    def least() -> arb:
        first, second = (end.ball(working_bits()) for end in ends)
        return first.min(second)

    return Real(least, "p_i")


def _positive_pieces(first: Noise, second: Noise, level: Number) -> tuple[Interval, ...]:
    """Return where level + |z − c_1|/b_1 − |z − c_2|/b_2 > 0: piecewise linear in z."""
    left, right = sorted((first.center, second.center))
    u, v = 1 / first.scale, 1 / second.scale

    def height(z: Fraction) -> Number:
        return level + Exact(abs(z - first.center) * u - abs(z - second.center) * v)

    def outside(z: Fraction, direction: int) -> tuple[Interval, ...]:
        """The part beyond a center, where the slope outwards is u − v."""
        value, slope = height(z), Exact(u - v)
        is_positive = is_less(Exact(0), value)
        root = None if slope == 0 else Exact(z) - direction * value / slope
        near: Number | None
        far: Number | None
        match is_positive, slope.sign():
            case True, -1:
                near, far = Exact(z), root
            case True, _:
                near, far = Exact(z), None
            case False, 1:
                near, far = root, None
            case _:
                return ()
        return ((near, far),) if direction > 0 else ((far, near),)

    low, high = height(left), height(right)
    middle: tuple[Interval, ...] = ()
    if left < right:
        up, down = is_less(Exact(0), low), is_less(Exact(0), high)
        if up and down:
            middle = ((Exact(left), Exact(right)),)
        elif up or down:
            cross = Exact(left) + low * Exact(right - left) / (low - high)
            middle = ((Exact(left), cross),) if up else ((cross, Exact(right)),)
    return _joined((*outside(left, -1), *middle, *outside(right, 1)))


def _joined(pieces: Sequence[Interval]) -> tuple[Interval, ...]:
    """Join pieces, in order, that meet in an exact end."""
    joined: list[Interval] = []
    for low, high in pieces:
        last = joined[-1][1] if joined else None
        if isinstance(low, Exact) and isinstance(last, Exact) and low == last:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return tuple(joined)


def _noise(shape: Shape, center: RationalLike, scale: RationalLike) -> Noise:
    positive(scale, name="scale")
    return Noise(
        shape,
        fraction_of(rational(center, name="center")),
        fraction_of(rational(scale, name="scale")),
    )


def _exp(x: Number) -> Number:
    return Exact.exp(x.as_fraction()) if isinstance(x, Exact) and x.is_rational else exp(x)
