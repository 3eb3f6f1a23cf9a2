"""Exact values of two Laplace mixtures at their support points.

Definitions: :class:`ExactDensities`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpz, fmpz_poly

from exactdp.numbers import Exact
from exactdp.pufferfish.line import common_denominator, lattice_step
from exactdp.pufferfish.scales import LaplaceScale

__all__ = ["ExactDensities"]

_MAX_SIZE = 4_000_000
"""Exact values with more coefficients times bits stay computable reals."""

_MAX_DEGREE = 20_000
"""Exact values that are quotients of polynomials of higher degree stay computable reals."""


@dataclass(frozen=True, slots=True)
class ExactDensities:
    """Both densities at a point, as polynomials (or Exact numbers) over one denominator.

    With e^{-h/θ} = N/D and all points at multiples of h, the density of weights w at z_i is
    Σ_j w_j N^{k_j} D^{top − k_j} / D^top, k_j = |z_i − z_j| / h. The common factors of p and q
    cancel in the ratio.
    """

    places: Sequence[int]
    p: Sequence[Any]
    q: Sequence[Any]
    scales: tuple[Any, Any]
    numerator: Any
    denominator: Any
    rate: Fraction

    @classmethod
    def of(
        cls,
        points: Sequence[Fraction],
        p: Sequence[Exact],
        q: Sequence[Exact],
        scale: LaplaceScale,
    ) -> ExactDensities | None:
        """Return the exact densities, or None where the field does not hold them.

        Also None where a value would fill more than a few million bits.
        """
        step = lattice_step(points)
        decay = scale.decay(step)
        if decay is None:
            return None
        places = [int((x - points[0]) / step) for x in points]
        num: Any = decay.numerator
        den: Any = decay.denominator
        degree = max(num.degree(), den.degree())
        height = int(num.height_bits()) + int(den.height_bits())
        if places[-1] * max(degree, 1) * height > _MAX_SIZE or places[-1] * degree > _MAX_DEGREE:
            return None
        if not all(mass.is_rational for mass in (*p, *q)):
            one = Exact(1)
            return cls(places, p, q, (one, one), decay, one, Fraction(0))
        p_weights, p_total = _integers(p)
        q_weights, q_total = _integers(q)
        if decay.is_rational:
            num, den = num[0], den[0]
        return cls(places, p_weights, q_weights, (q_total, p_total), num, den, decay.rate)

    def densities(self, i: int) -> tuple[Any, Any]:
        """Return multiples of f_p and f_q at point i by the same positive factor."""
        top, bottom = self._density(self.p, i), self._density(self.q, i)
        return top * self.scales[0], bottom * self.scales[1]

    def _density(self, weights: Sequence[Any], i: int) -> Any:
        here = self.places[i]
        left = self._side([(here - k, w) for k, w in zip(self.places[:i], weights, strict=False)])
        right = self._side(
            [(k - here, w) for k, w in zip(self.places[:i:-1], list(weights)[:i:-1], strict=True)]
        )
        before, after = here, self.places[-1] - here
        shift = self.denominator ** abs(before - after)
        if before < after:
            left = left * shift
        else:
            right = right * shift
        return left + right + weights[i] * self.denominator ** max(before, after)

    def _side(self, terms: Sequence[tuple[int, Any]]) -> Any:
        """Return Σ w N^k D^{far − k} over (k, w), given by falling k from k = far (0 if empty).

        Horner's rule towards k = 0; the far end is the first or last point of all.
        """
        total = self.numerator * 0
        if not terms:
            return total
        previous, power = terms[0][0], self.numerator**0
        for k, weight in terms:
            total = total * self.numerator ** (previous - k)
            power = power * self.denominator ** (previous - k)
            if weight:
                total = total + power * weight
            previous = k
        return total * self.numerator**previous

    def sign(self, value: Any) -> int:
        """Return the sign of a multiple."""
        if isinstance(value, Exact):
            return value.sign()
        if isinstance(value, fmpz):
            return (value > 0) - (value < 0)
        return Exact.from_polynomial(value, rate=self.rate).sign()

    def quotient(self, top: Any, bottom: Any) -> Exact:
        """Return top / bottom as a number of the field."""
        if isinstance(top, fmpz_poly):
            return Exact.from_polynomial(top, rate=self.rate, denominator=bottom)
        return Exact(top) / Exact(bottom) if isinstance(top, fmpz) else top / bottom


def _integers(masses: Sequence[Exact]) -> tuple[list[fmpz], fmpz]:
    common = common_denominator(masses)
    values = [mass.as_fmpq() for mass in masses]
    return [value.p * (common // value.q) for value in values], common
