r"""Laws on a grid, tilted and in integers: bounds for means of convex functions of sums.

Wanted is E[f(X_1 + ... + X_n)] for independent X_i and

    f(x) = max(0, 1 − e^(c − x))   (rate 1: convex and falling in y = e^(−x)), or
    f(x) = max(0, x − c)           (rate 0: convex in x, so falling and convex in y = −x).

Given the others, f is convex and falling in the y of each X_i. So the mean does not
fall when a law is spread with its mean of y kept, or moved up; it does not rise when
parts of a law are merged into their mean of y, or moved down, or left out. A
:class:`GridLaw` of side UPPER stands for a law that was only moved in the first way,
of side LOWER in the second.

Tilting. Far tails need relative accuracy. With λ >= 0 a law keeps not its masses m_j
at x_j = origin + j·step, but T_j = 2^bits · m_j · e^(λ x_j − log_norm), as integers
rounded down. What an UPPER law loses by rounding and by cutting its ends is kept as
one number: ``lost`` bounds 2^bits ∫ e^(λx − log_norm) dμ(x) for the part μ that is not
in T. Since f(x) <= κ e^(λ(x − c)), κ = sup over t >= 0 of e^(−λt) f(c + t), it adds at
most κ e^(log_norm − λc) lost / 2^bits to the mean, and products only multiply it by
the totals of the other factors. No direction of rounding matters otherwise.

Coarsening doubles the step: of the odd points, an UPPER law sends the two shares that
keep the mean of y to the even neighbors; a LOWER law merges a share of each odd
neighbor into an even point such that the mean of y is at most that of the point.

References: V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar and P. Manurangsi, Connect the
Dots: Tighter Discrete Approximations of Privacy Loss Distributions, 2022 (the upper
side); A. Koskela, J. Jälkö and A. Honkela, 2020 (convolution of losses on a grid).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from flint import arb, fmpz, fmpz_poly

from exactdp.errors import DomainError
from exactdp.numbers import Number, fmpq_of, precision
from exactdp.numbers.balls import ceiling_of, floor_of

__all__ = ["Frame", "GridLaw", "Side"]

GUARD_BITS = 40
"""Constants are rounded to so many bits more than the weights."""


class Side(Enum):
    """Which way a law was moved: the mean it gives is a lower or an upper bound."""

    LOWER = "lower"
    UPPER = "upper"


@dataclass(frozen=True, slots=True)
class Frame:
    """What the laws that are multiplied have in common.

    Attributes:
        unit: The positive number whose rational multiples are the steps.
        tilt: λ, at least 0.
        rate: 1 if f is convex in e^(−x), 0 if it is convex in x.
        bits: The weights are integers over 2^bits.
    """

    unit: Number
    tilt: Fraction
    rate: int
    bits: int

    def __post_init__(self) -> None:
        if self.rate not in (0, 1):
            raise DomainError(f"rate={self.rate} is neither 0 nor 1.")
        if self.tilt < 0:
            raise DomainError(f"tilt={self.tilt} is negative. Use 0 below the mean.")

    def step(self, multiple: Fraction, *, precision_bits: int) -> arb:
        """Return multiple·unit as a ball."""
        ball = self.unit.ball(precision_bits)
        with precision(precision_bits):
            return ball * arb(fmpq_of(multiple))


@dataclass(frozen=True, slots=True, repr=False)
class GridLaw:
    """A measure on origin + (first + i)·step with weights T_i; see the module header.

    Attributes:
        frame: Unit, tilt, rate and bits.
        side: Whether it bounds means from below or above.
        multiple: The step over the unit, positive.
        origin: Where index 0 is.
        log_norm: The logarithm of what e^(λx)-weighted masses were divided by.
        first: The index of the first weight.
        weights: The T_i, nonnegative.
        lost: Bounds the tilted mass that is not in the weights (UPPER only).
    """

    frame: Frame
    side: Side
    multiple: Fraction
    origin: Number
    log_norm: Fraction
    first: int
    weights: fmpz_poly
    lost: fmpz

    @property
    def total(self) -> fmpz:
        """The sum of the weights: 2^bits times the tilted mass."""
        return self.weights(fmpz(1))

    def __len__(self) -> int:
        return len(self.weights)

    def __repr__(self) -> str:
        return f"<GridLaw: {self.side.value}, {len(self)} points>"

    def times(self, other: GridLaw) -> GridLaw:
        """Return the law of the sum of two independent variables: one product of polynomials.

        Errors: the product is exact; its rounding to ``bits`` bits and the cut of the
        ends are in ``lost`` (UPPER) or only take mass away (LOWER).

        Raises:
            DomainError: If frame, side or step differ.
        """
        if (self.frame, self.side, self.multiple) != (other.frame, other.side, other.multiple):
            raise DomainError("the laws have different frames, sides or steps. Coarsen one first.")
        scale = fmpz(1) << self.frame.bits
        mine, theirs = self.total, other.total
        product = replace(
            self,
            origin=self.origin + other.origin,
            log_norm=self.log_norm + other.log_norm,
            first=self.first + other.first,
            weights=self.weights * other.weights // scale,
            lost=fmpz(0),
        )
        all_of_it = (mine + self.lost) * (theirs + other.lost)
        return product._with_losses(all_of_it, scale)

    def power(self, times: int, *, coarsen_at: frozenset[int] = frozenset()) -> GridLaw:
        """Return the law of the sum of ``times`` independent copies, by repeated squaring.

        Args:
            times: At least 1.
            coarsen_at: The numbers l such that the step is doubled before 2^l copies
                are squared to 2^(l + 1).
        """
        if times < 1:
            raise DomainError(f"times={times} must be at least 1.")
        result: GridLaw | None = None
        square = self
        for level in range(times.bit_length()):
            if times >> level & 1:
                result = square if result is None else result.times(square)
            if times >> (level + 1) and level in coarsen_at:
                square = square.coarsened()
                result = None if result is None else result.coarsened()
            if times >> (level + 1):
                square = square.times(square)
        assert result is not None  # times >= 1 has a highest bit
        return result

    def refined(self, factor: int) -> GridLaw:
        """Return the same law on a grid with a step ``factor`` times finer."""
        if factor == 1 or len(self) == 0:
            return replace(self, multiple=self.multiple / factor, first=self.first * factor)
        spread = [fmpz(0)] * ((len(self) - 1) * factor + 1)
        spread[::factor] = self.weights.coeffs()
        return replace(
            self,
            multiple=self.multiple / factor,
            first=self.first * factor,
            weights=fmpz_poly(spread),
        )

    def coarsened(self) -> GridLaw:
        """Return the law on a grid of twice the step, moved in the direction of its side.

        Errors: of second order in the step where the weights are smooth; a LOWER law
        moves an isolated mass at an odd index down a whole step. The mean of f takes
        them; they are never accounted, since the direction is right.
        """
        weights, first = self.weights.coeffs(), self.first
        if first % 2:
            weights, first = [fmpz(0), *weights], first - 1
        if len(weights) % 2:
            weights.append(fmpz(0))
        coarse = replace(self, multiple=self.multiple * 2, first=first // 2)
        even, odd = fmpz_poly(weights[::2]), weights[1::2]
        if self.side is Side.UPPER:
            return coarse._spread(even, fmpz_poly(odd))
        return coarse._merged(even, odd)

    def _spread(self, even: fmpz_poly, odd: fmpz_poly) -> GridLaw:
        """Return the UPPER law whose odd points go to both neighbors (self has the new step).

        A point x between x − h and x + h keeps mass and mean of y with the share
        θ = (1 − e^(−ρh)) / (1 − e^(−2ρh)) = 1 / (1 + e^(−ρh)) going up; 1/2 if ρ = 0.
        """
        guard = self.frame.bits + GUARD_BITS
        h, up, down = self._moves(guard)
        with precision(guard + 64):
            theta = 1 / (1 + (-self.frame.rate * h).exp())
            shares = fmpz_poly([_ceiling((1 - theta) * down, guard), _ceiling(theta * up, guard)])
        scale = fmpz(1) << guard
        spread = even * scale + odd * shares
        result = replace(self, weights=spread // scale, lost=fmpz(0))
        return result._with_losses(spread(fmpz(1)) + (self.lost << guard), scale)

    def _merged(self, even: fmpz_poly, odd: list[fmpz]) -> GridLaw:
        """Return the LOWER law whose even points absorb the odd ones (self has the new step).

        Even point k takes a_k from the odd point above it and b_(k−1) from the one
        below. In tilted weights the mean of y stays at most that of the point exactly
        if a_k >= e^g b_(k−1), g = (ρ + 2λ)h. With equality, and all of each odd point
        used, b_(k+1) + e^g b_k = o_(k+1), so b = o / (1 + e^(g − w)) with w the logarithm
        of the shift; the expansion to w^2 proposes b, and the inequality is enforced:
        lowering b_k raises only a_k, which helps its neighbor.
        """
        guard = self.frame.bits + GUARD_BITS
        h, up, down = self._moves(guard)
        with precision(guard + 64):
            e_minus_g = (-(self.frame.rate * h) - 2 * arb(fmpq_of(self.frame.tilt)) * h).exp()
            s = e_minus_g / (1 + e_minus_g)
            first, second = s * (1 - s) / 2, s * (1 - s) * (1 - 2 * s) / 2
            proposal = [
                _floor(value, guard) for value in (second + first, s - 2 * second, second - first)
            ]
            admitted, up_floor, down_floor = (
                _floor(value, guard) for value in (e_minus_g, up, down)
            )
        scale = fmpz(1) << guard
        # Coefficient k + 1 of the product belongs to odd point k.
        proposed = (fmpz_poly(odd) * fmpz_poly(proposal) // scale).coeffs()[1 : len(odd) + 1]
        zero = fmpz(0)
        proposed += [zero] * (len(odd) - len(proposed))
        b = [max(zero, min(share, o)) for share, o in zip(proposed, odd, strict=True)]
        above = [o - share for o, share in zip(odd, b, strict=True)]
        above.append(zero)
        b = [min(share, a * admitted >> guard) for share, a in zip(b, above[1:], strict=True)]
        a = fmpz_poly([o - share for o, share in zip(odd, b, strict=True)])
        moved = even * scale + a * down_floor + fmpz_poly([zero, *b]) * up_floor
        return replace(self, weights=moved // scale, lost=zero).trimmed()

    def _moves(self, guard: int) -> tuple[arb, arb, arb]:
        """Return half the (new) step h, e^(λh) and e^(−λh)."""
        h = self.frame.step(self.multiple / 2, precision_bits=guard + 64)
        with precision(guard + 64):
            up = (arb(fmpq_of(self.frame.tilt)) * h).exp()
            return h, up, 1 / up

    def _with_losses(self, everything: fmpz, scale: fmpz) -> GridLaw:
        """Return the law, trimmed, with all of everything / scale that it lacks as lost."""
        law = self.trimmed()
        if self.side is Side.LOWER:
            return law
        missing = everything - law.total * scale
        return replace(law, lost=-((-missing) // scale))

    def trimmed(self) -> GridLaw:
        """Return the law without the ends that weigh less than all roundings of one product.

        Errors: what an UPPER law is cut of is added to what it lost.
        """
        weights = self.weights.coeffs()
        budget = fmpz(len(weights))
        start, end = 0, len(weights)
        below, above = fmpz(0), fmpz(0)
        while start < end and below + weights[start] <= budget:
            below += weights[start]
            start += 1
        while end > start and above + weights[end - 1] <= budget:
            above += weights[end - 1]
            end -= 1
        if start == 0 and end == len(weights):
            return self
        lost = self.lost + below + above if self.side is Side.UPPER else self.lost
        kept = fmpz_poly(weights[start:end])
        return replace(self, first=self.first + start, weights=kept, lost=lost)


def _floor(value: arb, bits: int) -> fmpz:
    """Return an integer at most value·2^bits, and hardly less."""
    return floor_of(value * arb(2) ** bits)


def _ceiling(value: arb, bits: int) -> fmpz:
    """Return an integer at least value·2^bits, and hardly more."""
    return ceiling_of(value * arb(2) ** bits)
