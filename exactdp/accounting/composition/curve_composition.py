"""Composition of profiles of which δ is known, and no law of the loss.

δ as a function of γ = e^ε is a convex curve. A polygon through points on it is the curve of a
finite pair that is above it in the order of Blackwell, and one below its tangents that of a pair
below (``divergences.dots``). That order survives composition: with each part between two finite
pairs, the composition lies between theirs. Twice as many points bring the ends four times as near.

References: D. Blackwell, Equivalent Comparisons of Experiments, 1953; V. Doroshenko et al., Connect
the Dots: Tighter Discrete Approximations of Privacy Loss Distributions, PoPETs 2022; Y. Zhu, J.
Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via Characteristic Function, 2022
(pairs that dominate compose).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from exactdp.accounting.composition.between_pairs import (
    BetweenPairs,
    nats_of,
    placings,
    short_power,
)
from exactdp.accounting.composition.certified_composition import (
    CertifiedComposition,
    compose_certified,
)
from exactdp.accounting.composition.parts import (
    added_numbers,
    total_divergence,
    total_infinity,
    total_loss,
)
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.accounting.groups.powers_of_tests import joined
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.dots import pairs_between
from exactdp.divergences.fallbacks import upper_end
from exactdp.divergences.profile import Parts, notes_of
from exactdp.divergences.proposals.knots import Placing, placed_ratios
from exactdp.divergences.values import enclosed
from exactdp.numbers import Enclosure, Epsilon, Exact, Number
from exactdp.numbers.effort import answers, first_answer
from exactdp.numbers.validated import validated

__all__ = ["ComposedCurves", "pairs_around_part"]

_Ends = tuple[CertifiedComposition, CertifiedComposition]
"""Compositions below and above."""

_BESIDE = 2
"""Times that end, up to which the largest finite loss is the end: there may be an atom."""

_LEAST_END = Fraction(1, 16)
"""An ε below which no polygon ends: it has points on both sides of 0."""

_FEW_LOSSES = 100
"""Losses of finite pairs in all up to which the largest of them is one finite pair."""

_HALF = Fraction(1, 2)
"""The δ for whose ε polygons are asked at most: more is not a small rest."""

_NARROW = Fraction(1, 10**15)
"""The relative width of a loss that is to be near a point."""

_NARROWEST = Fraction(1, 10**3)
"""The relative width of an answer where none is asked for, at least."""

_WIDE = Fraction(1, 8)
"""The relative width of the ε at which a polygon ends: any end is right."""


@validated
@dataclass(frozen=True, repr=False, eq=False)
class ComposedCurves(BetweenPairs):
    """The composition of ordered pairs, some of which are known by their δ alone.

    Attributes:
        parts: The profiles and their numbers of copies, at least 1 each.

    Example:
        Laplace noise once, known by its δ: a tenth of a percent from the exact answer.

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> noise = laplace_mechanism(scale=1)
        >>> one, at = ComposedCurves(((Largest((noise,)), 1),)), Epsilon.rational("1/2")
        >>> found = one.delta(at, relative_width="1e-2")
        >>> found.contains(noise.delta(at)), found.width < found.lower / 100
        (True, True)
    """

    parts: tuple[tuple[PrivacyProfile, int], ...]
    _found: dict[Any, _Ends] = field(init=False, default_factory=dict)

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    @property
    def usual_width(self) -> Fraction:
        """As narrow as the parts that are known by their δ alone, from 1e-3 to 1e-2."""
        parts = (part.usual_width for part, _ in self.parts if not part.has_loss_laws)
        return min(max(parts, default=_NARROWEST), Fraction(1, 100))

    @property
    def note(self) -> str | None:
        """Each note of a part, once: facts about its mechanism that the numbers do not show."""
        return " ".join(notes_of(self.parts)) or None

    def _bounds(self) -> MomentBounds:
        return MomentBounds((self.parts,))

    def max_divergence(self) -> Epsilon | Number:
        """Return the sum of those of the parts."""
        if self.infinity_mass() != Exact(0):
            return Epsilon.infinity()
        return self.largest_finite_loss()

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the sum of the largest finite losses of the parts."""
        return total_loss((part.largest_finite_loss(), times) for part, times in self.parts)

    def infinity_mass(self) -> Number:
        """Return 1 − Π(1 − Pr[L_i = ∞]) under P."""
        return total_infinity(self.parts)

    def _renyi_at(self, order: Fraction) -> Number | None:
        return added_numbers(self.parts, order)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure | Epsilon:
        return total_divergence(self.parts, order, width)

    def reversed(self) -> ComposedCurves:
        """Return the composition of all pairs (Q, P): the other direction."""
        return ComposedCurves(tuple((part.reversed(), times) for part, times in self.parts))

    def _ends(self, size: int, rest: Fraction, near: Fraction | None = None) -> _Ends:
        """Return compositions below and above, of polygons as good as so many points."""
        knots: list[Placing | None] = [None] * len(self.parts)
        if near is not None:
            knots = placings(self._ends(self.sizes[0], rest)[1], near)
        key = size, rest, tuple(knots)
        if key not in self._found:
            curves = sum(times for part, times in self.parts if not part.has_loss_laws)
            each = short_power(rest / max(1, curves))
            both = [
                (_around(part, size, each, placing), times)
                for (part, times), placing in zip(self.parts, knots, strict=True)
            ]
            low, high = (
                compose_certified([(ends[side], times) for ends, times in both]) for side in (0, 1)
            )
            self._found[key] = low, high
        return self._found[key]

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return pairs around the compositions below and above: δ would take polygons at each ε."""
        below, above = (pairs_around_part(one, size, rest, knots) for one in self._ends(size, rest))
        return below[0], above[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return ComposedCurves, (self.parts,)

    def __repr__(self) -> str:
        return f"<ComposedCurves of {sum(times for _, times in self.parts):,} profiles>"


def _around(
    part: PrivacyProfile, size: int, rest: Fraction, knots: Placing | None
) -> tuple[PrivacyProfile, PrivacyProfile]:
    """Return profiles with laws below and above one."""
    if part.has_loss_laws and part.loss_count <= 2 * size:  # else polygons are composed sooner
        return part, part
    return pairs_around_part(part, size, rest, knots)


def pairs_around_part(
    part: PrivacyProfile, size: int, rest: Fraction, knots: Placing | None = None
) -> tuple[Pair, Pair]:
    """Return pairs below and above a profile, as good as of so many outputs, to the ε of a rest."""
    near = _near(part, size, rest, knots)
    if near is not None:
        return near
    every = part.worst_of()
    found = [_near(one, size, rest, knots) for one in every]
    if any(found):
        pairs = [
            x or pairs_around_part(one, size, rest, knots)
            for one, x in zip(every, found, strict=True)
        ]
        return joined(low for low, _ in pairs), joined(high for _, high in pairs)
    finite = [one.as_finite() for one in every]
    known = [pair for pair in finite if isinstance(pair, FiniteProfile)]
    is_known = known and len(known) == len(finite)
    if is_known and sum(x.loss_count for x in known) <= _FEW_LOSSES:
        pair = joined(known)
        return pair, pair
    sides = [(one, _end_of(one, rest)) for one in (part.reversed(), part)]
    (_, bottom), (_, top) = sides
    low, high = (_largest_within(*side) for side in sides)
    ratios = placed_ratios(knots, bottom, top, size=size, corners=(low, high))
    # Twice the bits of a step: what is rounded matters less than what is between two points.
    unit = 1 << (8 + 2 * size.bit_length() + rest.denominator.bit_length())
    width = None if part.has_closed_form else Fraction(1, 16 * size**2)
    return pairs_between(part, ratios, unit=unit, width=width)


def _near(
    part: PrivacyProfile, size: int, rest: Fraction, knots: Placing | None
) -> tuple[Pair, Pair] | None:
    """Return pairs that a part has other than from its δ, point by point; None if it has none."""
    ways = answers(lambda x: x.pairs_near(size, rest, knots), [part])
    return next((found for _, found in ways), None)


def _end_of(part: PrivacyProfile, rest: Fraction) -> Fraction:
    """Return where a polygon ends: where δ is little more than the infinite mass."""
    every = part.worst_of()
    if every:
        return max(_end_of(one, rest) for one in every)
    infinite = enclosed(part.infinity_mass(), _WIDE).upper
    found = part.epsilon(Exact(min(infinite + rest, _HALF)), relative_width=_WIDE)
    if isinstance(found, Epsilon) and found.is_infinite:
        return _LEAST_END
    end = max(_LEAST_END, nats_of(found, _WIDE).upper)
    last = _top(part, _WIDE)  # if it is not known, any end is right
    return max(last, _LEAST_END) if last is not None and last <= _BESIDE * end else end


def _largest_within(part: PrivacyProfile, end: Fraction) -> Fraction | None:
    """Return the largest finite loss, where it is before an end: δ may have a corner there."""
    found = _top(part, _NARROW)
    return found if found and 0 < found <= end * (1 + _WIDE) else None


def _top(part: PrivacyProfile, width: Fraction) -> Fraction | None:
    """Return the largest finite loss, from above; None if there is none, or it is not known."""
    return first_answer(lambda: upper_end(part.largest_finite_loss(), width), lambda: None)
