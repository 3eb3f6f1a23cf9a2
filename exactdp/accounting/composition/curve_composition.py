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

from fractions import Fraction

from exactdp.accounting.groups.powers_of_tests import joined
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.divergences.between_pairs import nats_of
from exactdp.divergences.dots import pairs_between
from exactdp.divergences.fallbacks import upper_end
from exactdp.divergences.proposals.knots import Placing, placed_ratios
from exactdp.divergences.values import WIDE, enclosed
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.effort import answers, first_answer

__all__ = ["laws_around", "pairs_around_part"]

_LEAST_END = Fraction(1, 16)
"""An ε below which no polygon ends: it has points on both sides of 0."""

_FEW_LOSSES = 100
"""Losses of finite pairs in all up to which the largest of them is one finite pair."""

_NARROW = Fraction(1, 10**15)
"""The relative width of a loss that is to be near a point."""


def laws_around(
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
    infinite = enclosed(part.infinity_mass(), WIDE).upper
    found = part.epsilon(Exact(min(infinite + rest, Fraction(1, 2))), relative_width=WIDE)
    if isinstance(found, Epsilon) and found.is_infinite:
        return _LEAST_END
    end = max(_LEAST_END, nats_of(found, WIDE).upper)
    last = _top(part, WIDE)  # if it is not known, any end is right
    # A largest loss that is not far beyond is the end: there may be an atom.
    return max(last, _LEAST_END) if last is not None and last <= 2 * end else end


def _largest_within(part: PrivacyProfile, end: Fraction) -> Fraction | None:
    """Return the largest finite loss, where it is before an end: δ may have a corner there."""
    found = _top(part, _NARROW)
    return found if found and 0 < found <= end * (1 + WIDE) else None


def _top(part: PrivacyProfile, width: Fraction) -> Fraction | None:
    """Return the largest finite loss, from above; None if there is none, or it is not known."""
    return first_answer(lambda: upper_end(part.largest_finite_loss(), width), lambda: None)
