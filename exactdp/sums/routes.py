"""The finite losses of a sum, in the form that each route to their mean above a threshold takes.

``table`` has the ways.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf

from exactdp.errors import TooLargeError
from exactdp.numbers import Enclosure, Number, precision
from exactdp.sums.lattices.atoms import LatticeSum
from exactdp.sums.lattices.placing import is_bounded, is_spread
from exactdp.sums.lattices.power_sums import PowerSum
from exactdp.sums.laws.loss_law import ClosedForm, LossLaw
from exactdp.sums.laws.transforms import LossTransform
from exactdp.sums.lines.contours import Inversion
from exactdp.sums.lines.factors import DenseLoss, Factor, FiniteVariable
from exactdp.sums.lines.thetas import ThetaSum

__all__ = ["PLAN_BITS", "USUAL", "Routes"]

PLAN_BITS = 64
"""Bits of balls from which only proposals are made."""

_SOME = 64
"""Copies up to which transforms of densities may fall too slowly for a contour."""

USUAL = Fraction(1, 10**4)
"""The relative width from which on two laws on a lattice are quick, and ε takes one search."""

_WIDE = Fraction(1, 10**3)
"""The relative width above which two laws on a lattice are as quick as a contour of few points."""

_SHORT, _LONGER, _MORE_FOR_WIDTH = 256, 8192, 3 / 8
"""Points of a contour that is tried before laws on a lattice, as long as it is quicker than they.

Where doubles do not reach, as many as it can have. Of one δ to a width w that is _SHORT·w^(−3/8),
and no more than _LONGER, which it is at 1e-4; of a step to an ε it is
one or the other, at usual and at narrower widths."""

_LEAST_OF_SHORT = Fraction(1, 10**10)
"""The width down to which there are other ways than a contour, and it must be short."""

_MANY = 10
"""Copies from which on the transform of losses of about one size falls."""

_VERY_MANY, _WIDE_CLOUD = 10_000, 4096.0
"""Copies from which on it falls though the largest losses are that many times a usual one."""

_FEW, _POINTS_OF_A_HALF = 4, 1 << 13
"""Copies below which losses are added up by halves, if a half has few points."""

_MANY_VALUES, _LEAST_OF_MANY = 16, Fraction(1, 10**7)
"""Values from which on losses without densities are summed between laws on a lattice, as others
are, and the narrowest relative width for which: these laws take no longer for many values."""


@dataclass(frozen=True, repr=False, eq=False)
class Routes:
    """The finite losses of a sum, in the form that each route to D(c) takes.

    Attributes:
        parts: The loss laws and their numbers of copies, at least 1 each.
    """

    parts: tuple[tuple[LossLaw, int], ...]
    _transforms: list[LossTransform | None] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._transforms.extend(LossTransform.of(law) for law, _ in self.parts)

    @cached_property
    def copies(self) -> int:
        """The number of losses."""
        return sum(times for _, times in self.parts)

    def at_most(self, most: Number, nats: Number, _: Fraction) -> Enclosure:
        """Return an enclosure of D(c) that may be of any width, but not above a number.

        Raises:
            TooLargeError: If no loss has a density, or it would take too many points.
            UndecidedError: If coarse laws do not show that.
        """
        if not self.is_dense:
            raise TooLargeError("no coarse law is at hand. Ask for an enclosure.")
        return self.powers.at_most(most, nats)

    @cached_property
    def closed_form(self) -> ClosedForm | None:
        """The closed form of copies of one loss, if all are copies of one that has it."""
        formulas = [law.copies for law, _ in self.parts]
        is_one = None not in formulas and len({law.density for law, _ in self.parts}) == 1
        return formulas[0] if is_one else None

    @cached_property
    def is_truncated(self) -> bool:
        """Whether atoms are left out of some losses."""
        return any(law.lattice and law.lattice.is_truncated for law, _ in self.parts)

    @cached_property
    def is_known(self) -> bool:
        """True if every truncated lattice has a bound on its omitted mass."""
        lattices = [law.lattice for law, _ in self.parts if law.lattice]
        return all(lattice.moment is not None for lattice in lattices if lattice.is_truncated)

    @cached_property
    def is_listed(self) -> bool:
        """Whether all losses have finitely many values, none of them left out."""
        return self.is_known and not self.is_truncated and not self.is_dense

    @cached_property
    def is_transformed(self) -> bool:
        """Whether the transforms of all densities are known."""
        pairs = zip(self._transforms, self.parts, strict=True)
        return self.is_known and all(law.density is None or one for one, (law, _) in pairs)

    @cached_property
    def is_dense(self) -> bool:
        """Whether some losses have densities."""
        return any(law.density is not None for law, _ in self.parts)

    @cached_property
    def is_spread(self) -> bool:
        """Whether the transform falls soon: of all densities, of many copies, or of a normal."""
        dense = [(law, n) for law, n in self.parts if law.density is not None]
        return is_spread([law for law, _ in dense]) or any(
            is_spread([law], cloud=_WIDE_CLOUD)
            for law, n in dense
            if n >= _VERY_MANY or law.falls_like_normal
        )

    @cached_property
    def is_bounded(self) -> bool:
        """Whether all losses have a largest one; near it transforms take many points."""
        return is_bounded([law for law, _ in self.parts])

    def is_alone(self, width: Fraction) -> bool:
        """Return whether others than powers would only take long to refuse: of few copies."""
        is_few = self.copies <= _SOME and width >= USUAL
        return self.is_dense and is_few and not self.is_spread

    def is_late(self, width: Fraction) -> bool:
        """Return whether others come before laws on a lattice, as a sum's transform falls."""
        if not self.is_dense:
            return True
        is_quick = self.is_bounded and width >= USUAL
        return self.is_spread and self.copies >= _MANY and not is_quick

    @cached_property
    def values(self) -> int:
        """The number of values of all losses without a density."""
        return sum(len(law.points(PLAN_BITS)) for law, _ in self.parts if law.density is None)

    @cached_property
    def is_few_with_many_values(self) -> bool:
        """Whether two halves of the losses have few points."""
        half = self.values ** ((self.copies + 1) // 2) if 1 < self.copies < _FEW else inf
        return self.is_listed and half < _POINTS_OF_A_HALF

    def is_crowded(self, width: Fraction) -> bool:
        """Return whether atoms are so many that laws on a lattice are quicker than sums of all."""
        if self.is_dense or self.copies < 2 or width < _LEAST_OF_MANY or self.thetas is not None:
            return False
        return self.values >= _MANY_VALUES and not self.is_few_with_many_values

    def is_early(self, width: Fraction, sought: Fraction | None = None) -> bool:
        """Return whether a line in balls comes before laws on a lattice.

        A contour of few points takes a tenth of a second, and so does to see that it is too long;
        laws on a lattice take longer, the more so the narrower the width; to a wide one they are
        quicker where losses have densities, and are not very many.

        Args:
            width: The relative width of D(c).
            sought: The width of the ε that the question is a step to; None if it is not a step.
        """
        if self.thetas is not None:
            return True
        is_wide = (width if sought is None else sought) > _WIDE
        if is_wide and self.is_dense and self.copies < _VERY_MANY:
            return False
        if sought is not None:
            return sought < USUAL or self.is_late(sought)
        return width <= _WIDE or self.is_late(USUAL)

    @cached_property
    def powers(self) -> PowerSum:
        """The sum between two on a lattice."""
        return PowerSum(self.parts)

    @cached_property
    def inversion(self) -> Inversion | None:
        """The sum along contours, if the transforms of all losses are known."""
        if not self.is_known:
            return None
        pairs = zip(self._transforms, self.parts, strict=True)
        return Inversion.of([(one, times) for one, (_, times) in pairs])

    @cached_property
    def line(self) -> ThetaSum | Inversion | None:
        """The sum along a line in balls, where its transform falls or is one of theta functions."""
        return self.thetas or self.contours

    @cached_property
    def contours(self) -> Inversion | None:
        """The same, of few losses too whose densities have no end above.

        Their transform often falls soon enough for a narrow width, or is soon seen not to.
        """
        if self.inversion is not None or self.copies >= _MANY or None in self._transforms:
            return self.inversion
        is_whole = all(law.density and not law.points(PLAN_BITS) for law, _ in self.parts)
        has_end = any(law.highest() is not None for law, _ in self.parts)
        if not (is_whole and self.is_spread) or has_end:
            return None
        pairs = zip(self._transforms, self.parts, strict=True)
        return Inversion(tuple((one, times) for one, (_, times) in pairs if one is not None))

    @cached_property
    def together(self) -> LatticeSum | None:
        """The law itself, of losses that lie on one lattice."""
        if not self.is_known or not all(law.lattice and not law.density for law, _ in self.parts):
            return None
        return LatticeSum.of([(law.lattice, n) for law, n in self.parts if law.lattice])

    @cached_property
    def thetas(self) -> ThetaSum | None:
        """The sum by theta functions, if all losses are discrete Gaussian, on one lattice."""
        return None if self.together is None else ThetaSum.of(self.together)

    def log_moment(self, tilt: float) -> float:
        """Return about ln E e^(λL), L finite."""
        if self.thetas is not None:
            return self.thetas.about_log_moment(tilt)
        with precision(PLAN_BITS):
            return sum(part.about_log_moment(tilt) for part in self.factors(PLAN_BITS))

    def on_line(self, nats: Number, width: Fraction, *, sought: Fraction | None) -> Enclosure:
        """Return D(c) along a line; a contour of many points is refused where others are quicker.

        Args:
            nats: c, in nats.
            width: The relative width.
            sought: The width of the ε that the question is a step to; None if it is not a step.

        Raises:
            TooLargeError: If there is none.
            UndecidedError: If the width is not reached.
        """
        if self.thetas is not None:
            return self.thetas.mean_excess(nats, relative_width=width)
        if self.contours is None:
            raise TooLargeError("no contour is short enough. Ask for another width.")
        most: int | None = None
        if sought is not None:
            most = _SHORT if sought >= USUAL else _LONGER
        elif width >= _LEAST_OF_SHORT:
            most = min(_LONGER, int(_SHORT * float(width) ** -_MORE_FOR_WIDTH))
        return self.contours.mean_excess(nats, relative_width=width, most=most)

    def factors(self, bits: int) -> list[Factor]:
        """Return all losses: those with densities at the working precision, others at such bits."""
        dense = [
            DenseLoss(transform, times)
            for transform, (law, times) in zip(self._transforms, self.parts, strict=True)
            if law.density is not None and transform is not None
        ]
        return [*dense, *self.finite(bits)]

    def finite(self, bits: int) -> list[FiniteVariable]:
        """Return the losses without a density."""
        found = []
        for law, times in self.parts:
            if law.density is None:
                points = law.points(bits)
                moment = law.lattice.moment if law.lattice and law.lattice.is_truncated else None
                found.append(
                    FiniteVariable([x for x, _ in points], [m for _, m in points], times, moment)
                )
        return found
