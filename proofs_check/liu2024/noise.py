"""Laplace and Gaussian randomizers on a clip range, and the paper's probabilities for them.

User i sends x_i plus noise of its own scale. Densities, distribution functions, the sets S,
U_0, U_1 (unions of intervals with closed-form ends) and p_1, p_i^0, p_i^1 are computable
reals; nothing is integrated numerically.

For continuous laws Pr[R(x) = z] is 0, so what T_δ means is open: :class:`Failure`.

Definitions: :class:`Noise`, :func:`laplace_noise`, :func:`gaussian_noise`,
:func:`less_dense`, :func:`victim_probability`, :func:`other_probabilities`,
:func:`leftover_density`, :func:`negative_leftover`, :func:`copy_weight`.

Source: Liu et al. 2024, Sections 3.2.1 and 3.2.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from flint import arb

from exactdp.errors import DomainError
from exactdp.mechanisms import GaussianMechanism, LaplaceMechanism
from exactdp.mechanisms.noise import positive_number
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    exp,
    fraction_of,
    log,
    normal_cdf,
    normal_pdf,
    rational,
    sqrt,
    working_bits,
)
from proofs_check.liu2024.intervals import Interval, difference, intersection, is_less

__all__ = [
    "Failure",
    "Noise",
    "Shape",
    "copy_weight",
    "failure_region",
    "gaussian_noise",
    "laplace_noise",
    "leftover_density",
    "less_dense",
    "negative_leftover",
    "other_probabilities",
    "victim_probability",
]


class Shape(Enum):
    """The family of the noise."""

    LAPLACE = "Laplace"
    GAUSSIAN = "Gaussian"


class Failure(Enum):
    """What T_δ = {z | Pr[R(x) = z] < −δ/2 or > 1 − δ/2} means for a density.

    MASSES: as printed; every mass is 0, so T is empty. DENSITY: the density in place of
    the mass. TAILS: the distribution function below δ/2 or above 1 − δ/2.
    """

    MASSES = "masses"
    DENSITY = "density"
    TAILS = "tails"


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

    def density(self, z: Number) -> Number:
        """Return the density at z; for Laplace at a rational z it is exact.

        Example:
            >>> laplace_noise(0, 1).density(Exact(0))
            Exact('1/2')
        """
        c, s = Exact(self.center), Exact(self.scale)
        if self.shape is Shape.GAUSSIAN:
            return normal_pdf((z - c) / s) / s
        away = z - c if is_less(c, z) else c - z
        return _exp(-away / s) / (2 * s)

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

    def delta(self, epsilon: Epsilon | RationalLike, *, other: Fraction) -> Number:
        """Return the exact least local δ at ε against the same noise around ``other``."""
        distance = Exact(abs(self.center - other))
        at = epsilon if isinstance(epsilon, Epsilon) else Epsilon.rational(epsilon)
        if self.shape is Shape.GAUSSIAN:
            return GaussianMechanism(Exact(self.scale), distance).delta(at)
        return LaplaceMechanism(Exact(self.scale), distance).delta(at)


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


def failure_region(noise: Noise, *, delta: Fraction, failure: Failure) -> tuple[Interval, ...]:
    """Return T_δ under one of its meanings; for TAILS of Gaussian noise it is refused.

    Raises:
        DomainError: If there is no closed form (TAILS, Gaussian): the quantile is no
            elementary number. Its mass is δ; subtract it.
    """
    if failure is Failure.MASSES or delta == 0:
        return ()
    center, scale = Exact(noise.center), Exact(noise.scale)
    if failure is Failure.TAILS:
        if noise.shape is Shape.GAUSSIAN:
            raise DomainError("the Gaussian quantile has no closed form. Subtract the mass delta.")
        reach = -scale * log(Exact(delta))
        return ((None, center - reach), (center + reach, None))
    peak = noise.density(center) / Exact(1 - delta / 2)
    if not is_less(Exact(1), peak):
        return ()
    half = scale * (log(peak) if noise.shape is Shape.LAPLACE else sqrt(2 * log(peak)))
    return ((center - half, center + half),)


def victim_probability(
    zero: Noise, one: Noise, *, delta: Fraction = Fraction(0), failure: Failure = Failure.MASSES
) -> Number:
    """Return p_1 = Pr[R(x_1^0) ∈ S∖T], S = {z | R(x_1^0)(z) < R(x_1^1)(z)}.

    Example:
        Laplace noise of scale 1/ε on [0, 1], ε = 2: e^(−ε/2)/2.

        >>> victim_probability(laplace_noise(0, "1/2"), laplace_noise(1, "1/2"))
        Exact('1/(2*e)')
    """
    region = difference(less_dense(zero, one), failure_region(zero, delta=delta, failure=failure))
    return zero.mass(region)


def other_probabilities(
    zero: Noise,
    one: Noise,
    other: Noise,
    *,
    delta: Fraction = Fraction(0),
    failure: Failure = Failure.MASSES,
) -> tuple[Number, Number]:
    """Return p_i^0 = Pr[R(x_i) ∈ U_0∖T] and p_i^1, with δ_i = delta."""
    failed = failure_region(other, delta=delta, failure=failure)
    found = []
    for near, far in ((zero, one), (one, zero)):
        region = intersection(less_dense(other, near), less_dense(far, near))
        found.append(other.mass(difference(region, failed)))
    return found[0], found[1]


def leftover_density(zero: Noise, one: Noise, other: Noise, z: Number, *, p: Number) -> Real:
    """Return R(x_i)(z) − p (R(x_1^0)(z) + R(x_1^1)(z)): (1 − 2p) times the leftover of (4)."""
    return _real(other.density(z)) - _real(p) * (_real(zero.density(z)) + _real(one.density(z)))


def negative_leftover(
    zero: Noise, one: Noise, other: Noise, *, p: Number, points: Sequence[Fraction] = ()
) -> Fraction | None:
    """Return a z where the leftover is certainly negative, or None if none was found.

    Looks at the centers, at the given points, and far out on both sides. None proves
    nothing for Gaussian noise; for Laplace noise see :func:`copy_weight`.

    Example:
        Laplace, ε_1 = ε_i = 2 and x_i = x_1^0: p = 1/(e^2 + 1) is the limit.

        >>> zero, one = laplace_noise(0, "1/2"), laplace_noise(1, "1/2")
        >>> negative_leftover(zero, one, zero, p=1 / (Exact.exp(2) + 1))
        >>> negative_leftover(zero, one, zero, p=Exact("0.12"))
        Fraction(1, 1)
    """
    centers = [zero.center, one.center, other.center]
    reach = max(zero.scale, one.scale, other.scale)
    far = [c + s * k * reach for c in centers for s in (-1, 1) for k in (1, 4, 16)]
    for z in [*centers, *points, *far]:
        if leftover_density(zero, one, other, Exact(z), p=p).ball(256) < 0:
            return z
    return None


def copy_weight(zero: Noise, one: Noise, other: Noise) -> Number:
    """Return an r with R(x_i) >= r (R(x_1^0) + R(x_1^1)) everywhere: proved.

    Formula:
        Laplace, b_i >= b_1: the least of R(x_i)/(R(x_1^0) + R(x_1^1)) over the three
        centers, the largest such r. Between the centers log-densities are linear, so the
        inverse ratio is a sum of exponentials of linear functions, which is convex;
        outside it does not grow.
        Gaussian, σ_i > σ_1: 1/(q_0 + q_1), q = (σ_i/σ_1) e^((x_1 − x_i)²/(2(σ_i² − σ_1²)))
        the supremum of each ratio. Not the largest r in general.
        0 if the victim's noise is wider (it is denser far out), and for Gaussian noise
        of equal σ unless all centers agree.

    Example:
        >>> zero, one = laplace_noise(0, "1/2"), laplace_noise(1, "1/2")
        >>> from exactdp.numbers import decimal
        >>> decimal(copy_weight(zero, one, zero), digits=6)  # 1/(e^2 + 1)
        '0.119203'
    """
    if not zero.scale == one.scale or not zero.shape is one.shape is other.shape:
        raise DomainError("the victim's two rows have one noise. Give them one scale and shape.")
    if other.scale < zero.scale:
        return Exact(0)
    if other.shape is Shape.LAPLACE:
        ratios = [
            _real(other.density(z)) / (_real(zero.density(z)) + _real(one.density(z)))
            for z in (Exact(noise.center) for noise in (zero, one, other))
        ]
        return Real(lambda: _least([r.ball(working_bits()) for r in ratios]), "copy weight")
    if other.scale == zero.scale:
        return Exact("1/2") if zero.center == one.center == other.center else Exact(0)
    ratio, room = other.scale / zero.scale, 2 * (other.scale**2 - zero.scale**2)
    gaps = [exp(Exact((n.center - other.center) ** 2 / room)) for n in (zero, one)]
    return 1 / (Exact(ratio) * (gaps[0] + gaps[1]))


def _least(balls: Sequence[arb]) -> arb:
    least = balls[0]
    for ball in balls[1:]:
        least = least.min(ball)
    return least


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
    positive_number(scale, name="scale")
    return Noise(
        shape,
        fraction_of(rational(center, name="center")),
        fraction_of(rational(scale, name="scale")),
    )


def _exp(x: Number) -> Number:
    return Exact.exp(x.as_fraction()) if isinstance(x, Exact) and x.is_rational else exp(x)


def _real(x: Number) -> Real:
    """Forget the exact form: sums over many rates have long exact forms."""
    return Real(lambda: x.ball(working_bits()), repr(x))
