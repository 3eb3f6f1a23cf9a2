"""The densities of two Laplace mixtures at the points of their joint support.

For X of law Σ_j w_j δ_{z_j} and noise N of density e^{-|z|/θ} / (2θ), the density of X + N at z_i
is Σ_j w_j e^{-|z_i − z_j|/θ} / (2θ). A left and a right running sum give the values at all
n points with O(n) operations: in balls for any θ, and exactly where the field holds the decays
e^{-gap/θ} of the gaps between neighbors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb

from exactdp.distributions import FinitePmf
from exactdp.numbers import Exact, working_bits
from exactdp.numbers.compare import is_ratio_above
from exactdp.pufferfish.line import atoms, lattice_step
from exactdp.pufferfish.scales import LaplaceScale

__all__ = ["JointSupport", "running_sums", "values_at"]

_MAX_SIZE = 4_000_000
"""Exact densities with more coefficients times bits stay computable reals."""

_MAX_DEGREE = 20_000
"""Exact densities that are quotients of polynomials of higher degree stay computable reals."""


@dataclass(frozen=True, slots=True)
class JointSupport:
    """The points of two laws and their masses there, which do not depend on the scale.

    Attributes:
        points: The points of positive mass in one of the laws, ascending.
        p: The masses of the first law.
        q: The masses of the second.
        lengths: The different lengths of the gaps between neighbors.
        kinds: The index of the length of each gap.
    """

    points: Sequence[Fraction]
    p: Sequence[Exact]
    q: Sequence[Exact]
    lengths: Sequence[Fraction]
    kinds: Sequence[int]
    _balls: dict[int, tuple[list[arb], list[arb]]] = field(default_factory=dict)

    @classmethod
    def of(cls, p: FinitePmf[Any], q: FinitePmf[Any]) -> JointSupport:
        """Return the joint support of two laws on rational points."""
        first, second = atoms(p), atoms(q)
        points = sorted({*first, *second})
        index: dict[Fraction, int] = {}
        kinds = [index.setdefault(b - a, len(index)) for a, b in pairwise(points)]
        masses = [[law.get(x, Exact(0)) for x in points] for law in (first, second)]
        return cls(points, masses[0], masses[1], list(index), kinds)

    def needs_noise(self, gamma: Exact) -> bool:
        """Return whether a ratio of masses, in either direction, is above γ."""
        return any(
            is_ratio_above(p, q, gamma) or is_ratio_above(q, p, gamma)
            for p, q in zip(self.p, self.q, strict=True)
        )

    def mass_balls(self) -> tuple[list[arb], list[arb]]:
        """Return balls around the masses, at the working precision; kept for other scales."""
        bits = working_bits()
        if bits not in self._balls:
            self._balls[bits] = [m.ball(bits) for m in self.p], [m.ball(bits) for m in self.q]
        return self._balls[bits]

    def decay_balls(self, scale: LaplaceScale) -> list[arb]:
        """Return balls around e^{-gap/θ} for all gaps, at the working precision."""
        decays = [scale.decay_ball(length) for length in self.lengths]
        return [decays[kind] for kind in self.kinds]

    def exact_decays(self, scale: LaplaceScale) -> list[Exact] | None:
        """Return e^{-gap/θ} for all gaps, or None where the field does not hold them.

        Also None where a density would fill more than a few million bits.
        """
        if not self.kinds:
            return []
        step = lattice_step([Fraction(0), *self.lengths])
        decay = scale.decay(step)
        if decay is None:
            return None
        parts = decay.numerator, decay.denominator
        degree = max(int(part.degree()) for part in parts)
        height = sum(int(part.height_bits()) for part in parts)
        steps = int((self.points[-1] - self.points[0]) / step)
        if steps * max(degree, 1) * height > _MAX_SIZE or steps * degree > _MAX_DEGREE:
            return None
        decays = [decay ** int(length / step) for length in self.lengths]
        return [decays[kind] for kind in self.kinds]

    def ratios(self, scale: LaplaceScale) -> list[arb]:
        """Return balls around f_p/f_q at the points, at the working precision."""
        decays = self.decay_balls(scale)
        p, q = (values_at(weights, *running_sums(weights, decays)) for weights in self.mass_balls())
        return [a / b for a, b in zip(p, q, strict=True)]

    def exact_ratio(self, i: int, decays: Sequence[Exact]) -> Exact:
        """Return f_p/f_q at the point of index i."""
        p, q = (_exact_value(weights, decays, i) for weights in (self.p, self.q))
        return p / q


def running_sums(weights: Sequence[Any], decays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return Σ_{j <= i} w_j e^{-(z_i − z_j)/θ} and Σ_{j >= i} w_j e^{-(z_j − z_i)/θ} for all i.

    Example:
        >>> running_sums([Exact(1), Exact(3)], [Exact("1/2")])
        ([Exact('1'), Exact('7/2')], [Exact('5/2'), Exact('3')])
    """
    return _accumulated(weights, decays), _accumulated(weights[::-1], decays[::-1])[::-1]


def values_at(weights: Sequence[Any], left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    """Return Σ_j w_j e^{-|z_i − z_j|/θ} for all i, from both running sums."""
    return [a + b - w for a, b, w in zip(left, right, weights, strict=True)]


def _exact_value(weights: Sequence[Exact], decays: Sequence[Exact], i: int) -> Exact:
    # Not all running sums for the value at one point: exact numbers grow long.
    left: Exact = _accumulated(weights[: i + 1], decays[:i])[-1]
    right: Exact = _accumulated(weights[i:][::-1], decays[i:][::-1])[-1]
    return left + right - weights[i]


def _accumulated(weights: Sequence[Any], decays: Sequence[Any]) -> list[Any]:
    sums = [weights[0]]
    for weight, decay in zip(weights[1:], decays, strict=True):
        sums.append(sums[-1] * decay + weight)
    return sums
