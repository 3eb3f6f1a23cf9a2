"""The finite losses of a sum, in the form that each route to their mean above a threshold takes.

``table`` has the ways.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from exactdp.errors import TooLargeError
from exactdp.numbers import Enclosure, Number, precision
from exactdp.sums.doubles import PLAN_BITS
from exactdp.sums.lattices.atoms import LatticeSum
from exactdp.sums.lattices.power_sums import PowerSum
from exactdp.sums.laws.loss_law import ClosedForm, LossLaw
from exactdp.sums.laws.transforms import LossTransform
from exactdp.sums.lines.contours import Inversion
from exactdp.sums.lines.factors import DenseLoss, Factor, FiniteVariable
from exactdp.sums.lines.thetas import ThetaSum

__all__ = ["Routes"]


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

    def at_most(self, most: Number, nats: Number) -> Enclosure:
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
        """True if atoms are left out of some losses."""
        return any(law.lattice and law.lattice.is_truncated for law, _ in self.parts)

    @cached_property
    def is_known(self) -> bool:
        """True if every truncated lattice has a bound on its omitted mass."""
        lattices = [law.lattice for law, _ in self.parts if law.lattice]
        return all(lattice.moment is not None for lattice in lattices if lattice.is_truncated)

    @cached_property
    def is_listed(self) -> bool:
        """True if all losses have finitely many values, none of them left out."""
        return self.is_known and not self.is_truncated and not self.is_dense

    @cached_property
    def is_transformed(self) -> bool:
        """True if the transforms of all densities are known."""
        pairs = zip(self._transforms, self.parts, strict=True)
        return self.is_known and all(law.density is None or one for one, (law, _) in pairs)

    @cached_property
    def is_dense(self) -> bool:
        """True if some losses have densities."""
        return any(law.density is not None for law, _ in self.parts)

    @cached_property
    def powers(self) -> PowerSum:
        """The sum between two on a lattice."""
        return PowerSum(self.parts)

    @cached_property
    def line(self) -> ThetaSum | Inversion | None:
        """The sum along a line in balls, where its transform falls or is one of theta functions."""
        pairs = zip(self._transforms, self.parts, strict=True)
        return self.thetas or Inversion.of([(one, times) for one, (_, times) in pairs])

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
