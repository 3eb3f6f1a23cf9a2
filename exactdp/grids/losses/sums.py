"""The sum of independent privacy losses: certified δ of thousands, of different kinds.

δ(ε) = Pr[L = ∞] + E max(0, 1 − e^(ε − L)) for the sum L of independent privacy losses
under P. Each loss is put on a grid twice, so that the mean can only fall, or only rise;
the sums are worked out in integers, tilted towards ε so that the width of the answer is
relative to δ, however small. See ``grids.laws`` for the bounds and ``proposals`` for the
choice of steps; if an enclosure is too wide, it is narrowed by the ratio that was seen,
and tried again.

References: A. Koskela, J. Jälkö and A. Honkela, Computing Tight Differential Privacy
Guarantees Using FFT, 2020; V. Doroshenko et al., Connect the Dots, 2022.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.grids.losses import proposals
from exactdp.grids.losses.laws import LossLaw
from exactdp.grids.losses.plans import Group, SideLaws, composed_laws, grouped
from exactdp.grids.losses.proposals import Plan, saddle_at, saddle_of_delta
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, enclosure, is_below, precision
from exactdp.numbers.balls import endpoints
from exactdp.truth import Truth

__all__ = ["LossSum"]

_ATTEMPTS = 7
_KEPT = 2
_SUM_BITS = 64
_COARSE = Fraction(1, 100)


@dataclass(frozen=True, slots=True)
class _Laws:
    """The two composed laws of one plan."""

    plan: Plan
    lower: SideLaws
    upper: SideLaws
    infinity: arb


@dataclass(frozen=True, repr=False, eq=False)
class LossSum:
    """The sum of independent losses, each with a number of copies.

    Attributes:
        parts: The loss laws and their numbers of copies, at least 1 each.
    """

    parts: tuple[tuple[LossLaw, int], ...]
    _groups: tuple[list[Group], list[int]] = field(init=False)
    _kept: list[_Laws] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_groups", grouped(self.parts))
        object.__setattr__(self, "_kept", [])

    @property
    def copies(self) -> int:
        """The number of losses."""
        return sum(times for _, times in self.parts)

    def reversed(self) -> LossSum:
        """Return the sum of the losses of all pairs (Q, P): the other direction."""
        return LossSum(tuple((law.reversed(), times) for law, times in self.parts))

    def infinity_mass(self) -> Number:
        """Return Pr[L = ∞] = 1 − Π(1 − Pr[L_i = ∞]) under P."""
        kept: Number = Exact(1)
        for law, times in self.parts:
            if law.infinity_mass != Exact(0):
                kept = kept * (1 - law.infinity_mass) ** times
        return 1 - kept

    def highest(self) -> Epsilon | Number | None:
        """Return the largest finite loss; None if they are unbounded, or there are none."""
        ends = [law.ratio_ends for law, _ in self.parts]
        if all(end is not None for end in ends):
            pairs = zip(ends, self.parts, strict=True)
            return Epsilon(prod((e[1] ** times for e, (_, times) in pairs if e), start=Exact(1)))
        top: Number = Exact(0)
        for law, times in self.parts:
            highest = law.highest()
            if highest is None:
                return None
            top = top + highest * times
        return top

    def delta(self, epsilon: Epsilon, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε) = Pr[L = ∞] + E max(0, 1 − e^(ε − L)).

        Returns:
            (upper − lower) <= relative_width·lower; a point if no finite loss exceeds ε.

        Raises:
            TooLargeError: If the grid would be too fine.
            UndecidedError: If the width is not reached after several refinements.
        """
        if self.is_beyond_all(epsilon):
            return self._at_infinity(relative_width)
        infinite, nats = self.infinity_mass(), epsilon.nats
        for laws in self._kept:
            found = _evaluated(laws, nats, infinite)
            if _is_narrow(found, relative_width):
                return found
        copies, more_bits = self.copies, 0
        plan = proposals.first_plan(saddle_at(self.parts, nats), relative_width, copies=copies)
        for _ in range(_ATTEMPTS):
            found = _evaluated(self._laws_of(plan), nats, infinite)
            if _is_narrow(found, relative_width):
                return found
            plan, more_bits = proposals.finer_plan(
                plan, found, relative_width, copies=copies, more_bits=more_bits
            )
        raise UndecidedError(
            f"relative_width={relative_width} is not reached after {_ATTEMPTS} refinements. "
            "Ask for a wider enclosure."
        )

    def delta_beside(
        self, epsilon: Fraction, target: Exact, *, relative_width: Fraction
    ) -> Enclosure:
        """Return an enclosure of δ(ε), as narrow as it takes to tell it from a target.

        Laws that are at hand are taken where they decide: in a search most comparisons
        are of an ε near the last one.

        Args:
            epsilon: ε in nats.
            target: What δ(ε) is compared with.
            relative_width: Of ε; what δ does within it need not be told.
        """
        infinite, nats = self.infinity_mass(), Exact(epsilon)
        at_hand = [_evaluated(laws, nats, infinite) for laws in self._kept]
        for found in at_hand:
            if _decides(found, target):
                return found
        if self.is_beyond_all(Epsilon.rational(epsilon)):
            return self._at_infinity(_COARSE)
        saddle = saddle_at(self.parts, nats)
        finest = proposals.finest_width(saddle, epsilon, relative_width)
        for found in at_hand:
            if _is_narrow(found, finest):
                return found  # a tie, as far as it matters
        width, found = _COARSE, Enclosure(Fraction(0), Fraction(1))
        while True:
            try:
                laws = self._laws_of(proposals.first_plan(saddle, width, copies=self.copies))
            except TooLargeError:
                return found
            found = _evaluated(laws, nats, infinite)
            if _decides(found, target) or width <= finest:
                return found
            width = max(width / 100, finest)

    def guess(self, delta: Number) -> Fraction:
        """Return about the ε at which δ(ε), without the infinite mass, is a target."""
        saddle = saddle_of_delta(self.parts, delta)
        return max(Fraction(saddle.mean), Fraction(1, 10**9))

    def is_beyond_all(self, epsilon: Epsilon) -> bool:
        """Return whether certainly no finite loss exceeds ε; then δ(ε) is the infinite mass."""
        if any(law.has_no_finite_loss for law, _ in self.parts):
            return True
        match self.highest():
            case None:
                return False
            case Epsilon() as top:
                return top <= epsilon
            case top:
                return is_below(epsilon.nats, top, max_bits=1 << 12) is Truth.FALSE

    def _at_infinity(self, width: Fraction) -> Enclosure:
        value = self.infinity_mass()
        if value == Exact(0):
            return Enclosure(Fraction(0), Fraction(0))
        bits = width.denominator.bit_length() - width.numerator.bit_length() + 2
        return enclosure(value, relative_bits=bits)

    def _laws_of(self, plan: Plan) -> _Laws:
        """Return the composed laws of a plan; the last ones are kept for other ε nearby."""
        laws = _Laws(plan, *composed_laws(self.parts, *self._groups, plan))
        self._kept.insert(0, laws)
        del self._kept[_KEPT:]
        return laws

    def __repr__(self) -> str:
        return f"<LossSum of {self.copies:,} losses>"


def _evaluated(laws: _Laws, nats: Number, infinite: Number) -> Enclosure:
    """Return the enclosure of δ that two composed laws give at any ε."""
    bits = laws.plan.bits + _SUM_BITS
    threshold, at_infinity = nats.ball(bits), infinite.ball(bits)
    lower = laws.lower.sums.mean(laws.lower.points, above=threshold)
    upper = laws.upper.sums.mean(laws.upper.points, above=threshold)
    with precision(bits):
        low = endpoints(lower + at_infinity)[0]
        high = endpoints(upper + at_infinity + laws.infinity)[1]
    low = max(low, Fraction(0))
    return Enclosure(low, max(low, min(high, Fraction(1))))


def _is_narrow(found: Enclosure, width: Fraction) -> bool:
    return found.lower > 0 and found.upper - found.lower <= width * found.lower


def _decides(found: Enclosure, target: Exact) -> bool:
    return bool(target < found.lower) or bool(found.upper <= target)
