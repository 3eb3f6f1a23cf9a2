"""Laplace and Gaussian randomizers on a clip range, and the paper's probabilities for them.

User i sends x_i plus noise of its own scale. Distribution functions, the sets S, U_0, U_1
(unions of intervals with closed-form ends) and p_1, p_i^0, p_i^1 are computable reals; nothing
is integrated numerically. T_δ is empty: for continuous laws Pr[R(x) = z] is 0. Endpoints have
no mass, so open and closed intervals are not told apart.

Definitions: :class:`Noise`, :func:`noise`, :func:`laplace_noise`, :func:`gaussian_noise`,
:func:`less_dense`, :func:`victim_probability`, :func:`other_probabilities`,
:func:`least_probability`.

Source: Liu et al. 2024, Sections 3.2.1 and 3.2.2.
"""

from collections.abc import Iterable, Sequence
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
    decided_below,
    exp,
    fraction_of,
    log,
    normal_cdf,
    rational,
    sqrt,
    working_bits,
)
from exactdp.numbers.arguments import positive

Interval = tuple[Number | None, Number | None]
"""Lower and upper end; None is minus infinity below and plus infinity above."""

_COMPARISON_BITS = 1 << 12


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
        if _is_less(c, z):
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
            if low is not None and not _is_less(low, Exact(self.center)):
                # In the upper tail: reflected, so that small masses keep their accuracy.
                part = mirror.below(-low) - (Exact(0) if high is None else mirror.below(-high))
            else:
                part = self.below(high) - (Exact(0) if low is None else self.below(low))
            total = total + part
        return total


def noise(shape: Shape, center: RationalLike, scale: RationalLike) -> Noise:
    """Return noise of a family.

    On a clip range Laplace noise of scale (x_1^1 − x_1^0)/ε is ε-locally private; a private σ
    is ``smallest_sigma(ε, δ).upper``.

    Raises:
        DomainError: If scale is not positive.
    """
    positive(scale, name="scale")
    middle, width = rational(center, name="center"), rational(scale, name="scale")
    return Noise(shape, fraction_of(middle), fraction_of(width))


def laplace_noise(center: RationalLike, scale: RationalLike) -> Noise:
    """Return Laplace noise."""
    return noise(Shape.LAPLACE, center, scale)


def gaussian_noise(center: RationalLike, sigma: RationalLike) -> Noise:
    """Return Gaussian noise."""
    return noise(Shape.GAUSSIAN, center, sigma)


def intersection(first: Sequence[Interval], second: Sequence[Interval]) -> tuple[Interval, ...]:
    """Return the intersection of two unions of disjoint intervals.

    Raises:
        UndecidedError: If 4,096 bits do not tell two ends apart.

    Example:
        >>> intersection([(None, Exact(2))], [(Exact(1), None)])
        ((Exact('1'), Exact('2')),)
    """
    found = []
    for a, b in first:
        for c, d in second:
            low = c if a is None else a if c is None or _is_less(c, a) else c
            high = d if b is None else b if d is None or _is_less(b, d) else d
            if low is None or high is None or _is_less(low, high):
                found.append((low, high))
    return tuple(found)


def less_dense(first: Noise, second: Noise) -> tuple[Interval, ...]:
    """Return {z | first's density < second's}, as disjoint intervals.

    Formula:
        The log-ratio log(s_1/s_2) − h_2(z) + h_1(z), with h = |z − c|/b (Laplace) or
        (z − c)²/(2σ²) (Gaussian), is piecewise linear, or a quadratic polynomial.

    Example:
        Equal scales are split in the middle:

        >>> less_dense(gaussian_noise(0, 1), gaussian_noise(1, 1))
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
        return _less_dense_laplace(first, second, level)
    u, v = 1 / first.scale**2, 1 / second.scale**2
    a, b = (u - v) / 2, second.center * v - first.center * u
    c = level + Exact((first.center**2 * u - second.center**2 * v) / 2)
    if a == 0:
        return _positive_part(c, b)
    # The wider law is the denser one in both tails, the narrower one at its center.
    spread = sqrt(Exact(b * b) - c * Exact(4 * a))
    low, high = (Exact(-b) - spread) / Exact(2 * a), (Exact(-b) + spread) / Exact(2 * a)
    return ((high, low),) if a < 0 else ((None, low), (high, None))


def _less_dense_laplace(first: Noise, second: Noise, level: Number) -> tuple[Interval, ...]:
    """Return where level + |z − c_1|/b_1 − |z − c_2|/b_2 > 0: linear between the centers."""
    u, v = 1 / first.scale, 1 / second.scale
    left, right = sorted((first.center, second.center))
    inside = u + v if first.center < second.center else -u - v
    found: list[Interval] = []
    for at, slope, low, high in (
        (left, v - u, None, Exact(left)),
        (left, inside, Exact(left), Exact(right)),
        (right, u - v, Exact(right), None),
    ):
        height = level + Exact(abs(at - first.center) * u - abs(at - second.center) * v)
        if low is None or high is None or low < high:
            half_line = _positive_part(height - Exact(slope * at), slope)
            found += intersection([(low, high)], half_line)
    return tuple(found)


def _positive_part(constant: Number, slope: Fraction) -> tuple[Interval, ...]:
    """Return where constant + slope·z > 0."""
    if slope == 0:
        return ((None, None),) if _is_less(Exact(0), constant) else ()
    root = -constant / Exact(slope)
    return ((root, None),) if slope > 0 else ((None, root),)


def victim_probability(zero: Noise, one: Noise) -> Number:
    """Return p_1 = Pr[R(x_1^0) ∈ S], S = {z | R(x_1^0)(z) < R(x_1^1)(z)}.

    Example:
        Laplace noise of scale 1/ε on [0, 1], ε = 2: e^(−ε/2)/2.

        >>> victim_probability(laplace_noise(0, "1/2"), laplace_noise(1, "1/2"))
        <Exact: 0.18393972058572116 (exactly 1/(2*e))>
    """
    return zero.mass(less_dense(zero, one))


def other_probabilities(zero: Noise, one: Noise, other: Noise) -> tuple[Number, Number]:
    """Return p_i^0 = Pr[R(x_i) ∈ U_0] and p_i^1."""
    first, second = (
        other.mass(intersection(less_dense(other, near), less_dense(far, near)))
        for near, far in ((zero, one), (one, zero))
    )
    return first, second


def least_probability(
    shape: Shape, scale_1: Fraction, scale_i: Fraction, x_i: Fraction = Fraction(0)
) -> Real:
    """Return p_i = min(p_i^0, p_i^1) for noise on [0, 1] and the input x_i.

    Example:
        >>> from exactdp.numbers import decimal
        >>> decimal(least_probability(Shape.LAPLACE, Fraction(1), Fraction(2)), digits=5)
        '0.29743'
    """
    zero, one = (noise(shape, x, scale_1) for x in (0, 1))
    ends = other_probabilities(zero, one, noise(shape, x_i, scale_i))

    def least() -> arb:
        first, second = (end.ball(working_bits()) for end in ends)
        return first.min(second)

    return Real(least, "p_i")


def _is_less(a: Number, b: Number) -> bool:
    advice = f"{a!r} and {b!r} cannot be told apart with {_COMPARISON_BITS} bits."
    return decided_below(a, b, max_bits=_COMPARISON_BITS, advice=advice)


def _exp(x: Number) -> Number:
    return Exact.exp(x.as_fraction()) if isinstance(x, Exact) and x.is_rational else exp(x)
