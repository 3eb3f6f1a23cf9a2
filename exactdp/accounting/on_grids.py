"""Certified composition: δ and ε of millions of mechanisms, of different kinds.

Here mechanisms and pairs become laws of their losses, and the sum of the losses a profile.
Its δ comes from the transforms of the laws (``exactdp.inversion``) where they are known and
fall fast enough, else from the laws on grids (``exactdp.grids.losses``).

References: Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022 (pairs that dominate compose).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from exactdp.accounting.poisson import PoissonSubsampled
from exactdp.divergences import FiniteProfile, PrivacyProfile
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.grids import LossLaw, LossSum
from exactdp.inversion import Inversion, renyi_of_sum
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, is_below
from exactdp.numbers.arguments import any_epsilon, open_probability, whole_number
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.numbers.limits import MAX_COPIES_ON_A_GRID, count_text, refuse_above
from exactdp.truth import Truth

__all__ = ["GridComposition", "compose_on_grid", "loss_law"]

_FEW = 1_000
"""Below so many copies the grids are quick where the transforms fail."""


@dataclass(frozen=True, repr=False, eq=False)
class GridComposition(PrivacyProfile):
    """The composition of the loss laws of ordered pairs, each with a number of copies.

    Attributes:
        losses: Their sum.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> composed = compose_on_grid([(laplace_mechanism(scale=10), 100)])
        >>> found = composed.delta(Epsilon.rational(2), relative_width="1e-3")
        >>> 0 < found.lower < found.upper < found.lower * Fraction("1.001")
        True
    """

    usual_width: ClassVar[Fraction] = Fraction(1, 10**6)

    losses: LossSum
    _inversion: Inversion | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_inversion", Inversion.of(self.losses.parts))

    def delta(self, epsilon: Epsilon, *, relative_width: RationalLike | None = None) -> Enclosure:
        """Return an enclosure of δ(ε), in the direction of the parts.

        (upper − lower) <= relative_width·lower, 1e-6 if none is given; a point where no
        finite loss exceeds ε.

        Raises:
            TooLargeError: If the grid would be too fine.
            UndecidedError: If the width is not reached after several refinements.
        """
        width = self.usual_width if relative_width is None else checked_width(relative_width)
        found = self._inverted(any_epsilon(epsilon), width)
        return found or self.losses.delta(epsilon, relative_width=width)

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return an enclosure of the smallest ε >= 0 with δ(ε) <= δ.

        For 0 < δ < 1; the width as for ``delta``.

        Returns:
            lower certainly has δ(lower) > δ, upper certainly δ(upper) <= δ; the point 0
            if already δ(0) <= δ. Epsilon.infinity() if the mass at plus infinity is above δ.

        Raises:
            UndecidedError: If a comparison is not decided after several refinements.
        """
        target = open_probability(delta, name="delta")
        width = self.usual_width if relative_width is None else checked_width(relative_width)
        match is_below(self.infinity_mass(), target, max_bits=1 << 12):
            case Truth.FALSE:
                return Epsilon.infinity()
            case Truth.UNKNOWN:
                raise UndecidedError(
                    f"delta={target} cannot be told from the mass of the loss plus infinity. "
                    "Ask for another delta."
                )

        def value_at(x: Fraction, asked: Fraction) -> Enclosure:
            found = self._inverted(Epsilon.rational(x), asked)
            return found or self.losses.delta_beside(x, target, relative_width=width)

        first = self.losses.guess if self._inversion is None else self._inversion.guess
        return smallest_from_zero(
            value_at, target, first=first(target - self.infinity_mass()), relative_width=width
        )

    def _inverted(self, epsilon: Epsilon, width: Fraction) -> Enclosure | None:
        """Return an enclosure of δ(ε) from the transforms; None if the grids have to do it."""
        if self._inversion is None or self.losses.is_beyond_all(epsilon):
            return None
        try:
            finite = self._inversion.mean_excess(epsilon.nats, relative_width=width)
        except (TooLargeError, UndecidedError) as error:
            if self.losses.copies < _FEW:
                object.__setattr__(self, "_inversion", None)  # what fails once, fails again
            if self.losses.copies <= MAX_COPIES_ON_A_GRID:
                return None
            copies = count_text(self.losses.copies)
            raise type(error)(f"δ of {copies} losses: {error}") from None
        infinite = self.infinity_mass()
        if infinite == Exact(0):
            return finite
        more = enclosed(infinite, width)
        return Enclosure(finite.lower + more.lower, min(Fraction(1), finite.upper + more.upper))

    @property
    def has_transform(self) -> bool:
        """Whether δ comes from transforms; then the number of copies hardly matters."""
        return self._inversion is not None

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss."""
        top = self.losses.highest()
        if top is None or self.infinity_mass() != Exact(0):
            return Epsilon.infinity()
        return top

    def infinity_mass(self) -> Number:
        """Return Pr[L = ∞] = 1 − Π(1 − Pr[L_i = ∞]) under P."""
        return self.losses.infinity_mass()

    def _renyi_at(self, order: Fraction) -> Number:
        found = renyi_of_sum(self.losses.parts, order=order)
        return super()._renyi_at(order) if found is None else found

    def reversed(self) -> GridComposition:
        """Return the composition of all pairs (Q, P): the other direction."""
        return GridComposition(self.losses.reversed())

    def __repr__(self) -> str:
        return f"<GridComposition of {self.losses.copies:,} loss laws>"


def compose_on_grid(parts: Iterable[tuple[PrivacyProfile, int]]) -> GridComposition:
    """Return the composition of independent mechanisms or pairs, for certified δ and ε.

    The pairs are fixed in advance, or dominate what an adaptive analyst may choose.

    Args:
        parts: (profile, times): a noise mechanism, what is subsampled from one, a finite
            pair or its losses, a composition, with its number of copies, at least 0.

    Raises:
        DomainError: If a part has no loss law.
        TooLargeError: If there are more than a million copies of what has no transform.

    Source:
        Zhu, Dong & Wang 2022, Theorem 10 (composition of dominating pairs).

    Example:
        Randomized response with ε0 = ln 3, twice: δ at ln 2 is 7/16.

        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> found = compose_on_grid([(coin, 2)]).delta(Epsilon.log(2))
        >>> found.contains(Exact("7/16")), found.width < Fraction(1, 10**6)
        (True, True)
    """
    kept: list[tuple[LossLaw, int]] = []
    for index, (part, times) in enumerate(parts):
        whole_number(times, name=f"parts[{index}]: times", at_least=0)
        if not times:
            continue
        if isinstance(part, GridComposition):
            kept += [(law, count * times) for law, count in part.losses.parts]
        else:
            kept.append((loss_law(part), times))
    found = GridComposition(LossSum(tuple(kept)))
    if not found.has_transform:
        refuse_above(
            MAX_COPIES_ON_A_GRID,
            found.losses.copies,
            f"there are {count_text(found.losses.copies)} compositions",
            advice="Compose fewer copies.",
        )
    return found


def loss_law(part: PrivacyProfile) -> LossLaw:
    """Return the law of the privacy loss ln(P/Q) of a mechanism or a pair, under P.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> loss_law(laplace_mechanism(scale=2)).lattice.base
        Exact('e^(1/2)')
    """
    match part:
        case AdditiveNoise() | PoissonSubsampled():
            return part.loss_law()
        case FiniteProfile():
            losses = part.losses()
            return LossLaw.of_atoms(
                losses.atoms,
                infinity_mass=losses.infinity_mass(),
                minus_infinity_mass=losses.minus_infinity_mass(),
            )
    raise DomainError(
        f"{part!r} of type {type(part).__name__} has no privacy loss law here. Pass a noise "
        "mechanism or a finite pair."
    )
