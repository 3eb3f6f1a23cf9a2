"""Certified composition: δ and ε of millions of mechanisms, of different kinds.

Here mechanisms and pairs become laws of their losses, and the sum of the losses a profile.
Its δ comes from their transforms (``exactdp.sums``).

References: Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022 (pairs that dominate compose).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.accounting.composition.parts import composed_parts, loss_law, total_divergence
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.chernoff import chernoff_bound
from exactdp.divergences.fallbacks import looser_delta, looser_epsilon, reached_or_bounds
from exactdp.divergences.profile import Parts, notes_of
from exactdp.divergences.values import delta_or_less, enclosed, told
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import NO_ANSWER, first_answer
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw, LossSum, renyi_of_sum

__all__ = ["CertifiedComposition", "compose_certified"]


@validated
@dataclass(frozen=True, repr=False, eq=False)
class CertifiedComposition(PrivacyProfile):
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
    """

    usual_width = Fraction(1, 10**6)

    parts: tuple[tuple[PrivacyProfile, int], ...]
    losses: LossSum = field(init=False)
    _tops: dict[tuple[Fraction, Fraction], Fraction | None] = field(
        init=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        laws: list[tuple[LossLaw, int]] = []
        for part, times in self.parts:
            if isinstance(part, CertifiedComposition):
                laws += [(law, count * times) for law, count in part.losses.parts]
            else:
                laws.append((loss_law(part), times))
        object.__setattr__(self, "losses", LossSum(tuple(laws)))

    has_loss_laws = True

    def _loss_laws(self) -> Sequence[tuple[LossLaw, int]]:
        return self.losses.parts

    def composed_of(self) -> Parts:
        """Return the parts."""
        return self.parts

    @property
    def has_quick_epsilon(self) -> bool:
        """Whether some losses have densities, and no atoms are left out."""
        laws = [law for law, _ in self.losses.parts]
        is_whole = not any(law.lattice and law.lattice.is_truncated for law in laws)
        return is_whole and any(law.density is not None for law in laws)

    @property
    def note(self) -> str | None:
        """Each note of a part, once: facts about its mechanism that the numbers do not show."""
        return " ".join(notes_of(self.parts)) or None

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of δ(ε), in the direction of the parts.

        (upper − lower) <= relative_width·lower; a point where no finite loss exceeds ε. If no
        width is given, it is 1e-6, or what is reached of 1e-3 and 1e-2; where nothing is, a bound
        by Rényi divergences, whose name is ``upper_by``.

        Raises:
            TooLargeError: If no route takes few enough points.
            UndecidedError: If the width is not reached after several refinements.
        """
        at = any_epsilon(epsilon)
        if relative_width is None:
            looser = partial(looser_delta, MomentBounds((self.parts,)), at)
            return reached_or_bounds(partial(self._delta_to, at), self.usual_width, looser)
        return self._delta_to(at, checked_width(relative_width))

    def _delta_to(self, epsilon: Epsilon, width: Fraction) -> Enclosure:
        return self.losses.delta(epsilon, relative_width=width)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return ε(δ) as :meth:`delta` does where no width is given."""
        ask = partial(self._epsilon_within, delta)
        looser = partial(looser_epsilon, MomentBounds((self.parts,)), delta)
        return reached_or_bounds(ask, self.usual_width, looser)

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε), a wide one where it is far from the target.

        Far below it Chernoff's bound takes milliseconds, where δ may take minutes; where a coarse
        law is not seen to be below it, nor is that.
        """

        def far_below() -> Enclosure:
            bound = chernoff_bound(self, epsilon, enough=target)
            if bound is None or not bound <= target:
                raise UndecidedError("Chernoff's bound is above the target. Ask for an enclosure.")
            return Enclosure(Fraction(0), bound)

        def at_most() -> Enclosure:
            ask = partial(self.losses.delta_at_most, epsilon, target)
            return first_answer(ask, far_below, refusals=(TooLargeError,))

        narrower = partial(told, partial(delta_or_less, self, epsilon), target, width)
        return first_answer(at_most, narrower, refusals=NO_ANSWER)

    def renyi_bound(self, order: Fraction, *, width: Fraction) -> Fraction | None:
        """Return a bound of D_a; it is kept, as bounds at other ε ask for the same orders."""
        if (order, width) not in self._tops:
            self._tops[order, width] = PrivacyProfile.renyi_bound(self, order, width=width)
        return self._tops[order, width]

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        return self.losses.smallest(target, relative_width=width)

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss."""
        has_no_infinite_loss = self.infinity_mass() == Exact(0)
        return self.largest_finite_loss() if has_no_infinite_loss else Epsilon.infinity()

    def largest_finite_loss(self) -> Epsilon | Number:
        """Return the largest finite loss, the sum of those of the parts."""
        top = self.losses.highest()
        return Epsilon.infinity() if top is None else top

    def infinity_mass(self) -> Number:
        """Return Pr[L = ∞] = 1 − Π(1 − Pr[L_i = ∞]) under P."""
        return self.losses.infinity_mass()

    def first_guess(self, delta: Exact) -> Fraction:
        """Return about the ε of a δ, by the Rényi conversion at its best order."""
        return self.losses.guess(delta - self.infinity_mass())

    def _renyi_at(self, order: Fraction) -> Number | None:
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

    def __reduce__(self) -> tuple[Any, ...]:
        return CertifiedComposition, (self.parts,)

    def __repr__(self) -> str:
        return f"<CertifiedComposition of {self.losses.copies:,} loss laws>"


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
    return CertifiedComposition(
        tuple((part, times) for part, times in composed_parts(parts) if times)
    )
