"""Rényi divergences of mechanisms used together, from above, however many there are.

Divergences of independent parts add, as do those of adaptive ones with dominating pairs; of a part
of which none is known it is at most the largest finite loss, as E[e^(λL); L < ∞] <= e^(λ max L).

References: I. Mironov, Rényi Differential Privacy, 2017, Proposition 1; M. Bun and T. Steinke,
Concentrated Differential Privacy, 2016, Definition 8.1 (ξ + ρa at all orders a).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from flint import arb

from exactdp.accounting.composition.parts import total_infinity, total_loss
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.chernoff import Curve
from exactdp.divergences.fallbacks import upper_end
from exactdp.divergences.profile import enclosed
from exactdp.divergences.renyi_rows import sum_of_bounds
from exactdp.divergences.values import BOUND_BITS, largest
from exactdp.numbers import Epsilon, Number, fmpq_of, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import NO_ANSWER, first_answer
from exactdp.numbers.validated import validated

__all__ = ["MomentBounds"]

_WIDTH = Fraction(1, 10**6)
"""The relative width of a largest loss that stands for a divergence. Any gives a bound."""

_ABOVE_ONE = [1 + Fraction(2**k, 1024) for k in (0, 8, 9, 10, 11, 12, 13, 14)]
"""Orders of divergences: each is at least the one of order 1."""

_Side = tuple[tuple[PrivacyProfile, int], ...]


@validated
@dataclass(frozen=True, slots=True)
class MomentBounds:
    """Profiles used together, of which upper bounds alone are asked: the largest of directions.

    Attributes:
        sides: The profiles with their numbers of uses, once for each direction.
        is_convex: Whether mixtures are bounded by their parts, which takes no time.
        curves: What only bounds of Rényi divergences are known of, with numbers of uses.

    Example:
        A Gaussian of σ = 1 has ρ = 1/2; two of them have D_2 = 2.

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> both = MomentBounds((((gaussian_mechanism(sigma=1), 2),),))
        >>> both.renyi_bound(Fraction(2), width=Fraction(1, 100))
        Fraction(2, 1)
    """

    sides: tuple[_Side, ...]
    is_convex: bool = False
    curves: tuple[tuple[Curve, int], ...] = ()

    has_renyi = True

    @classmethod
    def both_ways(cls, parts: _Side, curves: tuple[tuple[Curve, int], ...] = ()) -> MomentBounds:
        """Return the bounds of parts in their direction, and in the other one where it differs."""
        other = tuple((part.reversed(), times) for part, times in parts)
        is_symmetric = all(a is b for (a, _), (b, _) in zip(other, parts, strict=True))
        return cls((parts,) if is_symmetric else (parts, other), curves=curves)

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss that is known: the sum of those of the parts."""
        tops = [total_loss((part.max_divergence(), k) for part, k in side) for side in self.sides]
        return total_loss(((largest(tops), 1), *((x.max_divergence(), k) for x, k in self.curves)))

    def infinity_mass(self) -> Number:
        """Return the larger 1 − Π(1 − m_i), m_i the masses of infinite losses."""
        above = [  # of parts between bounds, what dominates them has a mass that is known
            [(x.dominating()[-1].profile if x.is_between else x, k) for x, k in side]
            for side in self.sides
        ]
        return largest([total_infinity(side) for side in above])

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return a bound of D_a over the finite losses; None if none is known."""
        known = ((one.renyi_bound(order, width=width), times) for one, times in self.curves)
        beside, tops = sum_of_bounds(known), list[Fraction]()
        if beside is None:
            return None
        for side in self.sides:
            top = sum_of_bounds((self._bound(part, order, width), times) for part, times in side)
            if top is None:
                return None
            tops.append(top)
        return max(tops) + beside

    def _bound(self, part: PrivacyProfile, order: Fraction, width: Fraction) -> Fraction | None:
        """Return a bound of D_a of a part, or the largest of its finite losses."""
        ask = partial(part.renyi_bound, order, width=width)
        if self.is_convex:
            ask = partial(part.convex_bound, order)
        found = first_answer(ask, lambda: None, refusals=NO_ANSWER)
        if found is None:
            top = upper_end(part.largest_finite_loss(), _WIDTH)
            found = None if top is None else max(Fraction(0), top)
        return found

    def total_variation(self) -> Fraction | None:
        """Return a bound of δ(0), which no δ(ε) exceeds; None if none is known.

        Formula:
            1 − Π(1 − v_i), v_i the total variation distances of the parts: outputs of two data sets
            are the same with probability 1 − v_i, independently. With parts of which bounds are
            all that is known, √(1 − e^−D), D a divergence of all.

        Source:
            J. Bretagnolle and C. Huber, Estimation des densités, 1979 (the bound by divergences).

        Example:
            Two samples of rate 1/10 of what shows all that it sees:

            >>> from exactdp.accounting.sampling.batches import poisson_subsampled
            >>> from exactdp.divergences import Pair
            >>> all_seen = Pair.from_masses([1, 0], [0, 1])
            >>> one = poisson_subsampled(all_seen, sampling_probability="1/10")
            >>> both = MomentBounds((((one, 2),),))
            >>> round(float(both.total_variation()), 9)
            0.19
        """
        if self.curves:
            tops = [self.renyi_bound(order, width=_WIDTH) for order in _ABOVE_ONE]
            known = [top for top in tops if top is not None]
            with precision(BOUND_BITS):
                least = arb(fmpq_of(min(known, default=Fraction(1))))
                return endpoints((-(-least).expm1()).sqrt())[1] if known else None
        with precision(BOUND_BITS):
            kept = arb(0)
            for part, times in self.sides[0]:
                found = enclosed(part.delta(Epsilon.log(1), relative_width=_WIDTH), _WIDTH).upper
                kept += times * (-arb(fmpq_of(min(found, Fraction(1))))).log1p()
            return (
                min(Fraction(1), endpoints(-kept.expm1())[1]) if kept.is_finite() else Fraction(1)
            )
