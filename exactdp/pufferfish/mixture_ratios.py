"""Two finite laws on the line with the same Laplace noise, as a privacy profile.

Y = X + N with N of density e^{-|z|/θ} / (2θ). For X of law Σ_j p_j δ_{z_j} the output has
the density f_p(y) = (1/2θ) Σ_j p_j e^{-|y − z_j|/θ}, and the loss of a pair is the supremum
over all real y of f_p(y) / f_q(y). It is attained at a point of the joint support:

- Let z_1 < ... < z_n be the points with p_j + q_j > 0. For z_i <= y <= z_{i+1} split the
  sum into the points left and right of y: 2θ f_p(y) = a e^{-y/θ} + b e^{y/θ} with a, b >= 0,
  and 2θ f_q(y) = c e^{-y/θ} + d e^{y/θ} with c, d >= 0, not both 0. So f_p/f_q = (a + b s) /
  (c + d s) with s = e^{2y/θ}, a Moebius function whose derivative has the sign of bc − ad
  for all s: monotone (or constant) on the interval, largest at one of its ends.
- For y <= z_1 all points are right of y, both densities are multiples of e^{y/θ}, and the
  ratio is constant: its limit at −∞ is its value at z_1. Likewise at +∞ and z_n.

Balls find the worst point, at which the ratio is then computed exactly.

The hockey-stick divergence integrates the positive part of g = f_p − γ f_q, which has on an
interval the form a e^{-y/θ} + b e^{y/θ}: at most one zero, where its sign changes. With L the
left sum of p − γq at z_i, R the right sum at z_{i+1} and D = e^{-(z_{i+1} − z_i)/θ}, twice
the integral of g over the interval is (L + R)(1 − D), and twice that of its positive part,
where the sign changes from L > 0 > R, is L − RD − 2√(−LRD), the square of √L − √(−RD);
mirrored for R > 0 > L. Left of z_1 and right of z_n it is the positive part of the value there.

References: N. Ding et al., Multi-user Pufferfish Privacy, 2025, (1)-(3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from typing import Any

from flint import arb

from exactdp.distributions import FinitePmf
from exactdp.divergences.number_profile import NumberProfile
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    Real,
    certainly_not_below,
    log,
    precision,
    working_bits,
)
from exactdp.numbers.balls import TOLD_BITS, nonnegative_ball
from exactdp.numbers.validated import validated
from exactdp.pufferfish.densities import JointSupport, running_sums, values_at
from exactdp.pufferfish.line import lattice_step
from exactdp.pufferfish.scales import LaplaceScale

__all__ = ["LaplaceMixturePair", "LargestRatio"]

_SEARCH_BITS = (64, 256, 1024)
"""The bits of the balls that narrow down where the ratio is largest, one after another."""

_MAX_EXACT_POINTS = 16
"""The points of two laws up to which δ between the ends is exact; with more it is a real."""

_MAX_EXACT_DEGREE = 256
"""The degree of its numbers up to which δ between the ends is exact; beyond, it is a real."""


@validated
@dataclass(frozen=True, slots=True)
class LargestRatio:
    """The largest ratio of two output densities, and where it is attained.

    Attributes:
        ratio: sup over y of f_p(y) / f_q(y), which is e^{D_∞} of this direction.
        points: The support points that attain it. Where ``ratio`` is not an :class:`Exact`,
            those that 1024 bits do not exclude.
    """

    ratio: Number
    points: tuple[Fraction, ...]


@validated
@dataclass(frozen=True, slots=True)
class LaplaceMixturePair(NumberProfile[Number]):
    """The laws of X_p + N and X_q + N, N Laplace noise of one scale.

    δ is exactly 0 from the maximal divergence on, and 1 − e^ε up to the least loss; between them
    a computable real (square roots occur), or exact where the laws are short and the field
    holds the roots. Where the ratio is outside the field and equal to e^ε, a width may not be
    reached.

    Attributes:
        p: The law of X_p, on rational points.
        q: The law of X_q.
        scale: The scale θ of the noise.

    Raises:
        DomainError: If an outcome is not a rational number.

    Example:
        One point each: the Laplace mechanism, whose loss is distance/θ.

        >>> scale = LaplaceScale(Fraction(1), Epsilon.log(3))
        >>> LaplaceMixturePair(FinitePmf.point(5), FinitePmf.point(3), scale).max_divergence()
        Epsilon.log('9')

        Half on 0 and half on 1, against 0: (1/2 + 1/6) / 1 at 0, and (1/6 + 1/2) / (1/3) at 1.

        >>> coin = FinitePmf({0: "1/2", 1: "1/2"})
        >>> LaplaceMixturePair(coin, FinitePmf.point(0), scale).largest_ratio()
        LargestRatio(ratio=Exact('2'), points=(Fraction(1, 1),))

        The Laplace mechanism at distance 1 and e^{1/θ} = 4: δ = 1 − √(e^ε/4).

        >>> one, zero = FinitePmf.point(1), FinitePmf.point(0)
        >>> pair = LaplaceMixturePair(one, zero, LaplaceScale(Fraction(1), Epsilon.log(4)))
        >>> pair.delta(Epsilon.log("9/4"))
        Exact('1/4')
    """

    p: FinitePmf[Any]
    q: FinitePmf[Any]
    scale: LaplaceScale
    _support: JointSupport = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_support", JointSupport.of(self.p, self.q))

    has_closed_form = True

    def reversed(self) -> LaplaceMixturePair:
        """Return the pair (q, p): the other direction."""
        return LaplaceMixturePair(self.q, self.p, self.scale)

    def largest_ratio(self) -> LargestRatio:
        """Return sup over all real y of f_p(y) / f_q(y), of this direction.

        Returns:
            An Exact number if the field holds e^{-h/θ}, h the lattice step of the
            support (always for a rational θ), and the exact value is not too long; a
            computable real otherwise. It is at most e^{W/θ}, W the ∞-Wasserstein
            distance of p and q.

        Source:
            Ding et al. 2025, (1), read as the smallest ε of the upper inequality.
        """
        support = self._support
        if support.p == support.q:
            return LargestRatio(Exact(1), tuple(support.points))
        candidates: Sequence[int] = range(len(support.points))
        for bits in _SEARCH_BITS:
            candidates = self._largest_at(candidates, bits)
            if len(candidates) == 1:
                break
        decays = support.exact_decays(self.scale)
        if decays is None:
            points = tuple(support.points[i] for i in candidates)
            name = f"largest ratio at theta={self.scale.theta!r}"
            return LargestRatio(Real(partial(self._largest_of, candidates), name), points)
        ratios = {i: support.exact_ratio(i, decays) for i in candidates}
        largest = max(ratios.values())
        attaining = (support.points[i] for i, ratio in ratios.items() if ratio == largest)
        return LargestRatio(largest, tuple(attaining))

    def max_divergence(self) -> Epsilon | Number:
        """Return D_∞ of this direction, the logarithm of the largest ratio of densities.

        Returns:
            An Epsilon where the field holds the ratio, else a computable real, in nats.
        """
        ratio = self.largest_ratio().ratio
        return Epsilon(ratio) if isinstance(ratio, Exact) else log(ratio)

    def _delta_at(self, gamma: Exact) -> Number:
        value = self._constant_delta(gamma)
        if value is None:
            value = self._exact_delta(gamma)
        return self._real_delta(gamma) if value is None else value

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        value = self._constant_delta(gamma)
        return enclosed(self._real_delta(gamma) if value is None else value, width)

    def _real_delta(self, gamma: Exact) -> Real:
        return Real(partial(self._delta_ball, gamma), f"delta at exp_epsilon={gamma}")

    def _delta_ball(self, gamma: Exact) -> arb:
        decays = self._support.decay_balls(self.scale)
        ball: arb = _positive_part(self._weight_balls(gamma), decays, arb.sqrt)
        return ball

    def _constant_delta(self, gamma: Exact) -> Exact | None:
        """Return δ where f_p − γ f_q has one sign; None if it has two, as far as can be seen."""
        with precision(_SEARCH_BITS[0]):
            weights = self._weight_balls(gamma)
            sums = running_sums(weights, self._support.decay_balls(self.scale))
            values = values_at(weights, *sums)
            if any(v > 0 for v in values) and any(v < 0 for v in values):
                return None
            if all(v <= 0 for v in values):
                return Exact(0)
            if all(v >= 0 for v in values):
                return 1 - gamma
        # If a sign is not told, the ball below is right for either.
        if certainly_not_below(gamma, self.largest_ratio().ratio, max_bits=TOLD_BITS):
            return Exact(0)
        inverse = self.reversed().largest_ratio().ratio
        is_full = certainly_not_below(1 / gamma, inverse, max_bits=TOLD_BITS)
        return 1 - gamma if is_full else None

    def _exact_delta(self, gamma: Exact) -> Exact | None:
        """Return δ if the field holds it and it is short."""
        support = self._support
        decays = support.exact_decays(self.scale)
        if decays is None or len(support.points) > _MAX_EXACT_POINTS:
            return None
        if _common_degree([gamma, *support.p, *support.q, *decays]) > _MAX_EXACT_DEGREE:
            return None
        weights = [p - gamma * q for p, q in zip(support.p, support.q, strict=True)]
        try:
            found: Exact = _positive_part(weights, decays, lambda x: Epsilon(x).divided(2).exp)
        except DomainError:
            return None  # a root is outside the field
        return found

    def _weight_balls(self, gamma: Exact) -> list[arb]:
        factor = gamma.ball(working_bits())
        return [p - factor * q for p, q in zip(*self._support.mass_balls(), strict=True)]

    def _largest_at(self, candidates: Sequence[int], bits: int) -> list[int]:
        """Return the candidates that balls do not exclude from being largest."""
        with precision(bits):
            ratios = self._support.ratios(self.scale)
            # The lower end of the largest ball excludes all that lie below it.
            floor = reduce(arb.max, (ratios[i] for i in candidates)).lower()
            return [i for i in candidates if not ratios[i] < floor]

    def _largest_of(self, candidates: Sequence[int]) -> arb:
        ratios = self._support.ratios(self.scale)
        return reduce(arb.max, (ratios[i] for i in candidates))


def _common_degree(values: Sequence[Exact]) -> Fraction:
    """Return the highest degree that the numbers have over one rate."""
    rate = lattice_step([Fraction(0), *(value.rate for value in values)]) or Fraction(1)
    return max(
        max(value.numerator.degree(), value.denominator.degree()) * value.rate / rate
        for value in values
    )


def _positive_part(
    weights: Sequence[Any], decays: Sequence[Any], root: Callable[[Any], Any]
) -> Any:
    """Return δ from the masses of p − γq: of Exact numbers exactly, of balls as a ball."""
    left, right = running_sums(weights, decays)
    values = values_at(weights, left, right)
    total = _positive(values[0]) + _positive(values[-1])
    for i, decay in enumerate(decays):
        total += _positive_integral(left[i], right[i + 1], decay, values[i], values[i + 1], root)
    return total / 2


def _positive(value: Any) -> Any:
    if value >= 0:
        return value
    return value * 0 if value <= 0 else nonnegative_ball(value.upper())


def _positive_integral(
    left: Any, right: Any, decay: Any, start: Any, end: Any, root: Callable[[Any], Any]
) -> Any:
    """Return twice the integral of the positive part between two points.

    ``start`` and ``end`` are the values at the two points. Where the ball of one of them
    cannot be told from 0, the positive part is convex, hence at most the larger end value,
    and a negative part beside a positive end at most the undecided value, times the length.
    """
    if start <= 0 and end <= 0:
        return decay * 0
    whole = (left + right) * (1 - decay)
    if start >= 0 and end >= 0:
        return whole
    if start > 0 and end < 0:
        return left - right * decay - 2 * root(-left * right * decay)
    if start < 0 and end > 0:
        return right - left * decay - 2 * root(-left * right * decay)
    length = -decay.log()
    if start > 0 or end > 0:
        return whole + _positive(-end if start > 0 else -start) * length
    return nonnegative_ball((_positive(start).max(_positive(end)) * length).upper())
