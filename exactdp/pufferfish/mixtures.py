"""Two finite laws on the line with the same Laplace noise: the exact worst ratio.

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

At a support point f_p is a sum of e^{-d/θ} over rational distances d, exact where the
field holds e^{-h/θ}, h the lattice step of the points. A left and a right running sum give
all n values with O(n) operations; balls find the worst point, which is then computed exactly.

The hockey-stick divergence integrates the positive part of g = f_p − γ f_q, which has on an
interval the form a e^{-y/θ} + b e^{y/θ}: at most one zero, where its sign changes. With L the
left sum of p − γq at z_i, R the right sum at z_{i+1} and D = e^{-(z_{i+1} − z_i)/θ}, twice
the integral of g over the interval is (L + R)(1 − D), and twice that of its positive part,
where the sign changes from L > 0 > R, is (√L − √(−R D))²; mirrored for R > 0 > L.

Definitions: :class:`LaplaceMixturePair`, :class:`LargestRatio`.

References: N. Ding et al., Multi-user Pufferfish Privacy, 2025, (1)-(3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb

from exactdp.distributions import FinitePmf
from exactdp.divergences.validation import nonnegative_exp_epsilon
from exactdp.numbers import (
    Exact,
    Number,
    RationalLike,
    Real,
    is_below,
    precision,
    working_bits,
)
from exactdp.numbers.balls import nonnegative_ball
from exactdp.pufferfish.exact_densities import ExactDensities
from exactdp.pufferfish.line import atoms
from exactdp.pufferfish.scales import LaplaceScale
from exactdp.pufferfish.transport import wasserstein_infinity
from exactdp.truth import Truth

__all__ = ["LaplaceMixturePair", "LargestRatio"]

_SEARCH_BITS = (64, 256, 1024)
"""At these precisions balls narrow down where the ratio is largest."""

_MAX_POWER = 1000
"""Equality of e^{W/θ} and γ is looked for up to powers of this order."""


@dataclass(frozen=True, slots=True)
class LargestRatio:
    """The largest ratio of two output densities, and where it is attained.

    Attributes:
        ratio: sup over y of f_p(y) / f_q(y), which is e^{D_∞} of this direction.
        points: The support points that attain it. Where ``ratio`` is no :class:`Exact`,
            those that 1024 bits do not exclude.
    """

    ratio: Number
    points: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class _Support:
    """The joint support of two laws: what does not depend on the scale.

    The gaps between neighbors are kept as the different lengths and, for each gap, which
    one it has. Balls around the masses are kept for each precision that was asked for.
    """

    points: Sequence[Fraction]
    p: Sequence[Exact]
    q: Sequence[Exact]
    lengths: Sequence[Fraction]
    gaps: Sequence[int]
    balls: dict[int, tuple[list[arb], list[arb]]]

    @classmethod
    def of(cls, p: FinitePmf[Any], q: FinitePmf[Any]) -> _Support:
        first, second = dict(zip(*atoms(p), strict=True)), dict(zip(*atoms(q), strict=True))
        points = sorted({*first, *second})
        zero = Exact(0)
        index: dict[Fraction, int] = {}
        gaps = [index.setdefault(b - a, len(index)) for a, b in pairwise(points)]
        masses = [[law.get(x, zero) for x in points] for law in (first, second)]
        return cls(points, masses[0], masses[1], list(index), gaps, {})

    def mass_balls(self, bits: int) -> tuple[list[arb], list[arb]]:
        """Return balls around the masses of p and q, computed with ``bits`` bits."""
        if bits not in self.balls:
            self.balls[bits] = ([m.ball(bits) for m in self.p], [m.ball(bits) for m in self.q])
        return self.balls[bits]


@dataclass(frozen=True, slots=True)
class LaplaceMixturePair:
    """The laws of X_p + N and X_q + N, N Laplace noise of one scale.

    Attributes:
        p: The law of X_p, on rational points.
        q: The law of X_q.
        scale: The scale θ of the noise.

    Raises:
        DomainError: If an outcome is no rational number.

    Example:
        One point each: the Laplace mechanism, whose loss is distance/θ.

        >>> from exactdp.numbers import Epsilon
        >>> scale = LaplaceScale(Fraction(1), Epsilon.log(3))
        >>> pair = LaplaceMixturePair(FinitePmf.point(5), FinitePmf.point(3), scale)
        >>> pair.largest_ratio()
        LargestRatio(ratio=Exact('9'), points=(Fraction(5, 1),))

        Half on 0 and half on 1, against 0: (1/2 + 1/6) / 1 at 0, and (1/6 + 1/2) / (1/3) at 1.

        >>> coin = FinitePmf({0: "1/2", 1: "1/2"})
        >>> LaplaceMixturePair(coin, FinitePmf.point(0), scale).largest_ratio().ratio
        Exact('2')
    """

    p: FinitePmf[Any]
    q: FinitePmf[Any]
    scale: LaplaceScale
    _support: _Support = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_support", _Support.of(self.p, self.q))

    def with_scale(self, scale: LaplaceScale) -> LaplaceMixturePair:
        """Return the same two laws with another scale; cheaper than building them anew."""
        other = object.__new__(LaplaceMixturePair)
        for name, value in zip(
            ("p", "q", "scale", "_support"), (self.p, self.q, scale, self._support), strict=True
        ):
            object.__setattr__(other, name, value)
        return other

    def reversed(self) -> LaplaceMixturePair:
        """Return the pair (q, p): the other direction."""
        return LaplaceMixturePair(self.q, self.p, self.scale)

    def largest_ratio(self) -> LargestRatio:
        """Return sup over all real y of f_p(y) / f_q(y), of this direction.

        Returns:
            An Exact number if the field holds e^{-h/θ}, h the lattice step of the
            support (always for a rational θ), and the exact value is not too long; a
            computable real otherwise. Its logarithm is the loss in nats; it is finite, at
            most e^{W/θ}, W the ∞-Wasserstein distance of p and q.

        Source:
            Ding et al. 2025, (1), read as the smallest ε of the upper inequality.
        """
        support = self._support
        if support.p == support.q:
            return LargestRatio(Exact(1), tuple(support.points))
        candidates = range(len(support.points))
        for bits in _SEARCH_BITS:
            candidates = self._largest_at(candidates, bits)
            if len(candidates) == 1:
                break
        exact = ExactDensities.of(support.points, support.p, support.q, self.scale)
        if exact is None:
            points = tuple(support.points[i] for i in candidates)
            return LargestRatio(self._real_maximum(candidates), points)
        best: tuple[Any, Any] | None = None
        attaining: list[Fraction] = []
        for i in candidates:
            top, bottom = exact.densities(i)
            if best is not None:
                # Equal fractions are the common tie; a difference decides the rest.
                difference = top * best[1] - best[0] * bottom
                order = exact.sign(difference)
                if order < 0:
                    continue
                if order == 0:
                    attaining.append(support.points[i])
                    continue
            best, attaining = (top, bottom), [support.points[i]]
        assert best is not None  # there is always a candidate
        return LargestRatio(exact.quotient(*best), tuple(attaining))

    def is_within(self, *, exp_epsilon: Exact | RationalLike) -> Truth:
        """Return whether 1/γ <= f_p(y) / f_q(y) <= γ for all y, γ = exp_epsilon.

        Args:
            exp_epsilon: γ = e^ε, at least 0.

        Returns:
            TRUE or FALSE; UNKNOWN only where the field does not hold the ratio, balls
            cannot tell it from γ, and e^{W/θ} > γ, W the ∞-Wasserstein distance.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.

        Source:
            Ding et al. 2025, (1).

        Example:
            >>> scale = LaplaceScale.rational(2)
            >>> pair = LaplaceMixturePair(FinitePmf.point(1), FinitePmf.point(0), scale)
            >>> pair.is_within(exp_epsilon=Exact.exp("1/2"))
            <Truth.TRUE: 'true'>
            >>> pair.is_within(exp_epsilon=Exact.exp("0.499999"))
            <Truth.FALSE: 'false'>
        """
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        for bits in _SEARCH_BITS:
            with precision(bits):
                bound = gamma.ball(bits)
                all_within = True
                for p, q in zip(*self._densities(), strict=True):
                    if p > bound * q or q > bound * p:
                        return Truth.FALSE
                    all_within = all_within and bool(p <= bound * q) and bool(q <= bound * p)
                if all_within:
                    return Truth.TRUE
        if self._is_within_by_transport(gamma):
            return Truth.TRUE
        verdict = Truth.TRUE
        for pair in (self, self.reversed()):
            is_above = is_below(gamma, pair.largest_ratio().ratio, max_bits=4096)
            if is_above is Truth.TRUE:
                return Truth.FALSE
            if is_above is Truth.UNKNOWN:
                verdict = Truth.UNKNOWN
        return verdict

    def hockey_stick_divergence(self, *, exp_epsilon: Exact | RationalLike) -> Number:
        """Return the integral of max(0, f_p − γ f_q), γ = exp_epsilon, of this direction.

        Returns:
            δ: exactly 0 from the largest ratio on; 1 − γ up to the smallest; a
            computable real in between (square roots occur).

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.

        Source:
            Dwork & Roth 2014, Definition 2.4, for one ordered pair of densities.

        Example:
            The Laplace mechanism at distance 1 and e^{1/θ} = 4: 1 − √(γ/4).

            >>> from exactdp.numbers import Epsilon, decimal
            >>> scale = LaplaceScale(Fraction(1), Epsilon.log(4))
            >>> pair = LaplaceMixturePair(FinitePmf.point(1), FinitePmf.point(0), scale)
            >>> decimal(pair.hockey_stick_divergence(exp_epsilon="9/4"), digits=10)
            '0.2500000000'
            >>> pair.hockey_stick_divergence(exp_epsilon=4)
            Exact('0')
        """
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        if is_below(gamma, self.largest_ratio().ratio, max_bits=4096) is Truth.FALSE:
            return Exact(0)
        inverse = self.reversed().largest_ratio().ratio
        if gamma == 0 or is_below(1 / gamma, inverse, max_bits=4096) is Truth.FALSE:
            return 1 - gamma
        return Real(lambda: self._positive_part(gamma), f"delta at exp_epsilon={gamma}")

    def _is_within_by_transport(self, gamma: Exact) -> bool:
        """Return whether e^{W/θ} <= γ, which suffices; undecided long powers count as no."""
        exponent = wasserstein_infinity(self.p, self.q) / self.scale.distance
        if exponent == 0 or max(exponent.numerator, exponent.denominator) > _MAX_POWER:
            return False
        return bool(self.scale.epsilon.exp**exponent.numerator <= gamma**exponent.denominator)

    # --- balls ------------------------------------------------------------------

    def _decays(self) -> list[arb]:
        decays = [self.scale.decay_ball(length) for length in self._support.lengths]
        return [decays[kind] for kind in self._support.gaps]

    def _densities(self) -> tuple[list[arb], list[arb]]:
        """Return balls around 2θ f_p and 2θ f_q at the points, at the working precision."""
        decays = self._decays()
        both = []
        for weights in self._support.mass_balls(working_bits()):
            left, right = _running_sums(weights, decays)
            both.append([a + b - w for a, b, w in zip(left, right, weights, strict=True)])
        return both[0], both[1]

    def _largest_at(self, candidates: Sequence[int], bits: int) -> Any:
        """Return the candidates that balls do not exclude from being largest."""
        with precision(bits):
            p, q = self._densities()
            ratios = {i: p[i] / q[i] for i in candidates}
            floor = max((r.lower() for r in ratios.values()), key=_Order)
            return [i for i, r in ratios.items() if not r < floor]

    def _real_maximum(self, candidates: Sequence[int]) -> Real:
        def rule() -> arb:
            p, q = self._densities()
            largest = p[candidates[0]] / q[candidates[0]]
            for i in candidates[1:]:
                largest = largest.max(p[i] / q[i])
            return largest

        return Real(rule, f"largest ratio at theta={self.scale.theta!r}")

    def _positive_part(self, gamma: Exact) -> arb:
        """Return a ball around δ at the working precision, which shrinks with it."""
        bits = working_bits()
        weights = [
            (p - gamma * q).ball(bits)
            for p, q in zip(self._support.p, self._support.q, strict=True)
        ]
        decays = self._decays()
        left, right = _running_sums(weights, decays)
        values = [a + b - w for a, b, w in zip(left, right, weights, strict=True)]
        total = _positive(values[0]) + _positive(values[-1])
        for i, decay in enumerate(decays):
            total += _positive_integral(left[i], right[i + 1], decay, values[i], values[i + 1])
        return total / 2


class _Order:
    """A key that orders exact balls (lower ends), which compare decidedly."""

    __slots__ = ("value",)

    def __init__(self, value: arb) -> None:
        self.value = value

    def __lt__(self, other: _Order) -> bool:
        return bool(self.value < other.value)


def _running_sums(weights: Sequence[arb], decays: Sequence[arb]) -> tuple[list[arb], list[arb]]:
    """Return Σ_{j <= i} w_j e^{-(z_i − z_j)/θ} and Σ_{j >= i} w_j e^{-(z_j − z_i)/θ} for all i."""
    left = [weights[0]]
    for weight, decay in zip(weights[1:], decays, strict=True):
        left.append(left[-1] * decay + weight)
    right = [weights[-1]]
    for weight, decay in zip(weights[-2::-1], decays[::-1], strict=True):
        right.append(right[-1] * decay + weight)
    return left, right[::-1]


def _positive(value: arb) -> arb:
    if value >= 0:
        return value
    return arb(0) if value <= 0 else nonnegative_ball(value.upper())


def _positive_integral(left: arb, right: arb, decay: arb, start: arb, end: arb) -> arb:
    """Return the integral of the positive part between two points, in units of θ.

    ``start`` and ``end`` are the values at the two points. Where one of them cannot be
    told from 0, the positive part is convex, hence at most the larger end value, and a
    negative part beside a positive end at most the undecided value, times the length.
    """
    if start <= 0 and end <= 0:
        return arb(0)
    whole = (left + right) * (1 - decay)
    if start >= 0 and end >= 0:
        return whole
    if start > 0 and end < 0:
        return (left.sqrt() - (-right * decay).sqrt()) ** 2
    if start < 0 and end > 0:
        return (right.sqrt() - (-left * decay).sqrt()) ** 2
    length = -decay.log()
    if start > 0 or end > 0:
        return whole + _positive(-end if start > 0 else -start) * length
    return nonnegative_ball((_positive(start).max(_positive(end)) * length).upper())
