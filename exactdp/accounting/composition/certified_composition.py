"""Certified composition: δ and ε of millions of mechanisms, of different kinds.

Here mechanisms and pairs become laws of their losses, and the sum of the losses a profile.
Its δ comes from their transforms (``exactdp.sums``). A part that is known by its δ alone lies
between finite pairs (``curve_composition``), and the composition between theirs: their order
survives composition.

References: Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022 (pairs that dominate compose).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, cast

from exactdp.accounting.composition.curve_composition import laws_around, pairs_around_part
from exactdp.accounting.composition.parts import (
    added_numbers,
    composed_parts,
    loss_law,
    total_divergence,
    total_infinity,
    total_loss,
)
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.between_pairs import BetweenPairs, short_power
from exactdp.divergences.chernoff import chernoff_bound
from exactdp.divergences.profile import Parts, notes_of
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import enclosed, told
from exactdp.errors import TooLargeError, UndecidedError, number_of
from exactdp.numbers import Enclosure, Epsilon, Exact, Number
from exactdp.numbers.effort import NO_ANSWER, first_answer
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw, LossSum, renyi_of_sum

__all__ = ["CertifiedComposition", "compose_certified", "placings"]


@validated
@dataclass(frozen=True, repr=False, eq=False)
class CertifiedComposition(BetweenPairs):
    """The composition of ordered pairs, each with a number of copies.

    Attributes:
        parts: The profiles and their numbers of copies, at least 1 each.
        losses: The sum of their losses.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> composed = compose_certified([(laplace_mechanism(scale=10), 100)])
        >>> found = composed.delta(Epsilon.rational(2), relative_width="1e-3")
        >>> 0 < found.lower < found.upper < found.lower * Fraction("1.001")
        True

        Laplace noise once, known by its δ alone: a tenth of a percent from the exact answer.

        >>> from exactdp.divergences import Largest
        >>> noise = laplace_mechanism(scale=1)
        >>> one, at = CertifiedComposition(((Largest((noise,)), 1),)), Epsilon.rational("1/2")
        >>> found = one.delta(at, relative_width="1e-2")
        >>> found.contains(noise.delta(at)), found.width < found.lower / 100
        (True, True)
    """

    parts: tuple[tuple[PrivacyProfile, int], ...]
    _found: dict[Any, Any] = field(init=False, default_factory=dict)

    @cached_property
    def losses(self) -> LossSum:
        """The sum of their losses."""
        laws: list[tuple[LossLaw, int]] = []
        for part, times in self.parts:
            is_one = part.has_loss_law or not part.has_loss_laws or part.has_losses
            inner = [(loss_law(part), 1)] if is_one else cast("Any", part)._loss_laws()
            laws += [(law, count * times) for law, count in inner]
        return LossSum(tuple(laws))

    @property
    def has_loss_laws(self) -> bool:
        """True if the losses of all parts have laws that are known."""
        return all(part.has_loss_laws for part, _ in self.parts)

    def _loss_laws(self) -> Sequence[tuple[LossLaw, int]]:
        return self.losses.parts

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    @property
    def has_one_law(self) -> bool:
        """True if finite pairs answer, one law for all ε."""
        return not self.has_loss_laws

    @property
    def has_quick_epsilon(self) -> bool:
        """True if some losses have densities, and no atoms are left out."""
        laws = [law for law, _ in self.losses.parts] if self.has_loss_laws else []
        is_whole = not any(law.lattice and law.lattice.is_truncated for law in laws)
        return is_whole and any(law.density is not None for law in laws)

    @property
    def usual_width(self) -> Fraction:
        """The usual width: 1e-6, or the widest of the parts known by δ alone, at most 1e-2."""
        curves = [part.usual_width for part, _ in self.parts if not part.has_loss_laws]
        return min(max(curves), Fraction(1, 100)) if curves else Fraction(1, 10**6)

    @property
    def note(self) -> str | None:
        """Each note of a part, once: facts about its mechanism that the numbers do not show."""
        return " ".join(notes_of(self.parts)) or None

    @property
    def bounds(self) -> MomentBounds:
        """The Rényi divergences of the parts."""
        return MomentBounds((self.parts,))

    def _deltas(
        self, epsilon: Epsilon, width: Fraction, target: Exact | None = None
    ) -> Iterator[Enclosure]:
        if not self.has_loss_laws:
            return super()._deltas(epsilon, width, target)
        return iter([self.losses.delta(epsilon, relative_width=width)])

    def _epsilons(self, delta: Exact, width: Fraction) -> Iterator[Enclosure | Epsilon]:
        if not self.has_loss_laws:
            return super()._epsilons(delta, width)
        return iter([PrivacyProfile._epsilon_within(self, delta, width)])

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        return self.losses.smallest(target, relative_width=width)

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        kind = PrivacyProfile if self.has_loss_laws else BetweenPairs
        return kind._trade_off_within(self, level, width)

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε), a wide one where it is far from the target.

        Far below it Chernoff's bound takes milliseconds, where δ may take minutes; where a coarse
        law is not seen to be below it, nor is that.
        """
        if not self.has_loss_laws:
            return super().delta_beside(epsilon, target, width)

        def far_below() -> Enclosure:
            bound = chernoff_bound(self, epsilon, enough=target)
            if bound is None or not bound <= target:
                raise UndecidedError("Chernoff's bound is above the target. Ask for an enclosure.")
            return Enclosure(Fraction(0), bound)

        def at_most() -> Enclosure:
            ask = partial(self.losses.delta_at_most, epsilon, target)
            return first_answer(ask, far_below, refusals=(TooLargeError,))

        narrower = partial(told, partial(self._delta_or_less, epsilon), target, width)
        return first_answer(at_most, narrower, refusals=NO_ANSWER)

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return a bound of D_a; it is kept, as bounds at other ε ask for the same orders."""
        if (order, width) not in self._found:
            self._found[order, width] = PrivacyProfile.renyi_bound(self, order, width=width)
        found: Fraction | None = self._found[order, width]
        return found

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss."""
        has_no_infinite_loss = self.infinity_mass() == Exact(0)
        return self.largest_finite_loss() if has_no_infinite_loss else Epsilon.infinity()

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the largest finite loss, the sum of those of the parts."""
        return total_loss((part.largest_finite_loss(), times) for part, times in self.parts)

    def infinity_mass(self) -> Number:
        """Return Pr[L = ∞] = 1 − Π(1 − Pr[L_i = ∞]) under P."""
        return total_infinity(self.parts)

    def first_guess(self, delta: Exact) -> Fraction:
        """Return about the ε of a δ, by the Rényi conversion at its best order."""
        return self.losses.guess(delta - self.infinity_mass())

    def _renyi_at(self, order: Fraction) -> Number | None:
        if not self.has_loss_laws:
            return added_numbers(self.parts, order)
        return renyi_of_sum(self._loss_laws, order=order)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure | Epsilon:
        found = self._renyi_at(order)
        if found is not None:
            return enclosed(found, width)
        # Of independent parts they add up; one whose transform is not known has it from its δ.
        return total_divergence(self.parts, order, width)

    def reversed(self) -> CertifiedComposition:
        """Return the composition of all pairs (Q, P): the other direction."""
        turned = tuple((part.reversed(), times) for part, times in self.parts)
        is_same = all(a is b for (a, _), (b, _) in zip(turned, self.parts, strict=True))
        return self if is_same else CertifiedComposition(turned)

    def _ends(
        self, size: int, rest: Fraction, near: Fraction | None = None
    ) -> tuple[CertifiedComposition, CertifiedComposition]:
        """Return compositions below and above, of polygons as good as so many points."""
        knots: list[Placing | None] = [None] * len(self.parts)
        if near is not None:
            knots = placings(self._ends(self.sizes[0], rest)[1], near)
        key = size, rest, tuple(knots)
        if key not in self._found:
            curves = sum(times for part, times in self.parts if not part.has_loss_laws)
            each = short_power(rest / max(1, curves))
            both = [
                (laws_around(part, size, each, placing), times)
                for (part, times), placing in zip(self.parts, knots, strict=True)
            ]
            self._found[key] = tuple(
                compose_certified([(ends[side], times) for ends, times in both]) for side in (0, 1)
            )
        below, above = self._found[key]
        return below, above

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair] | None:
        """Return pairs around the compositions below and above: δ would take polygons at each ε."""
        if self.has_loss_laws:
            return None
        below, above = (pairs_around_part(one, size, rest, knots) for one in self._ends(size, rest))
        return below[0], above[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return CertifiedComposition, (self.parts,)

    def __repr__(self) -> str:
        times = sum(times for _, times in self.parts)
        return f"<CertifiedComposition of {number_of(times, 'profile')}>"


def compose_certified(parts: Iterable[tuple[PrivacyProfile, int]]) -> CertifiedComposition:
    """Return the composition of independent mechanisms or pairs, for certified δ and ε.

    The pairs are fixed in advance, or dominate what an adaptive analyst may choose.

    Args:
        parts: (profile, times): a noise mechanism, what is subsampled from one, a finite
            pair or its losses, a composition, with its number of copies, at least 0.

    Raises:
        DomainError: If a part has no loss law.

    Source:
        Zhu, Dong & Wang 2022, Theorem 10 (composition of dominating pairs).

    Example:
        Randomized response with ε0 = ln 3, twice: δ at ln 2 is 7/16.

        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> found = compose_certified([(coin, 2)]).delta(Epsilon.log(2))
        >>> found.contains(Exact("7/16")), found.width < Fraction(1, 10**6)
        (True, True)
    """
    found = CertifiedComposition(tuple(x for x in composed_parts(parts) if x[1]))
    found._loss_laws()  # of each part: else it is refused
    return found


def placings(coarse: CertifiedComposition, near: Fraction) -> list[Placing | None]:
    """Return where points of curves are placed for an ε of their sum, from coarse pairs above."""
    tilt = coarse.losses.likely_tilt(near)
    return [Placing.of(x, tilt) if isinstance(x, Pair) else None for x, _ in coarse.parts]
