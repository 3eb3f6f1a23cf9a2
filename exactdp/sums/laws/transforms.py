"""The Laplace transform M(s) = E e^(sL) of one privacy loss, as balls, for complex s.

All here is finite for every s: atoms, and densities that fall like a normal law or end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, exp, log
from typing import TYPE_CHECKING, Any

from flint import acb, arb

from exactdp.numbers import precision, working_bits
from exactdp.numbers.later import np
from exactdp.sums.doubles import PLAN_BITS, about_log_mean
from exactdp.sums.laws.clouds import Cloud, Transform
from exactdp.sums.laws.loss_law import LossLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LossTransform"]

_MAX_ATOMS = 2_000
"""Atoms up to which a law has a transform here: each adds a term to each point of a line."""

_OF_A_RULE = 60_000
"""Operations of a few hundred points of a transform by quadrature; closed forms take an eighth."""

_NODES = 150
"""Nodes of a rule of quadrature that take as long as a closed form."""

_ANCHORS = 4
"""Tilts in a factor of e for which points are kept, to propose ln M between them."""


@dataclass(frozen=True, slots=True, eq=False)
class LossTransform:
    """The transform of the finite losses of a law, under P; masses at infinity are left out.

    Attributes:
        law: The law of the loss.
        density: The transform of the part of the law without atoms, if any.
    """

    law: LossLaw
    density: Transform | None
    _points: dict[int, NDArray[Any] | None] = field(init=False, default_factory=dict)
    _falls: dict[tuple[float, float], tuple[arb, arb]] = field(init=False, default_factory=dict)

    @classmethod
    def of(cls, law: LossLaw) -> LossTransform | None:
        """Return the transform of a law; None if it has no finite loss, or too many atoms.

        Example:
            >>> from exactdp.numbers import Exact
            >>> coin = LossLaw.of_atoms([(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))])
            >>> found = LossTransform.of(coin)
            >>> found.real(arb(1)).contains(arb(7) / 3)  # 1/4·1/3 + 3/4·3
            True
        """
        if law.has_no_finite_loss or (law.lattice is not None and law.lattice.is_truncated):
            return None
        density = law.density.transform if law.density is not None else None
        if law.density is not None and density is None:
            return None
        atoms = len(law.loose or ()) + (len(law.lattice.masses(64)[0]) if law.lattice else 0)
        return cls(law, density) if atoms <= _MAX_ATOMS else None

    @property
    def work(self) -> int:
        """About how many operations the points of a line take, with those that propose ln M."""
        if self.density is None:
            return 0
        return _OF_A_RULE // (8 if self._proposed(1.0) is None else 1)

    def bulks(self) -> list[LossTransform]:
        """Return the transforms of parts of the law that are easy far out."""
        parts = self.density.bulks() if self.density is not None else ()
        return [LossTransform(self.law, part) for part in parts]

    def real(self, tilt: arb) -> arb:
        """Return M(λ) for real λ, at the working precision."""
        return self.along(acb(tilt), arb(0), count=1)[0].real

    def log_moment(self, tilt: float) -> float:
        """Return ln M(λ), λ > 0, in doubles, from points for a slightly larger λ.

        It only proposes: no bound uses it.
        """
        points = self._proposed(tilt)
        if points is None:
            return float(self.real(arb(tilt)).log().mid())
        return about_log_mean(tilt * points[0], points[1])

    def nodes(self, tilt: float, omega: float) -> int:
        """Return about how many nodes quadrature has up to λ + iω: more, as phases turn more."""
        points = self._proposed(tilt)
        return _NODES if points is None else len(points[0]) + int(omega * float(np.ptp(points[0])))

    def _proposed(self, tilt: float) -> NDArray[Any] | None:
        """Return losses and the logarithms of their masses; None where there is a formula."""
        level = ceil(_ANCHORS * log(tilt))
        if level not in self._points:
            self._points[level] = self._about(arb(exp(level / _ANCHORS)))
        return self._points[level]

    def _about(self, above: arb) -> NDArray[Any] | None:
        with precision(PLAN_BITS):
            cloud = None
            if self.density is not None:
                cloud = self.density.cloud(above, arb(0), accuracy_bits=PLAN_BITS)
            if cloud is None:
                return None
            for atoms in self._atoms(above):
                cloud = cloud.beside(atoms)
            pairs = zip(cloud.masses, cloud.losses, strict=True)
            return np.array(
                [(float(x.mid()), float((mass.log() - above * x).mid())) for mass, x in pairs]
            ).T

    def along(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return M at start + i·m·step, m = 0, ..., count − 1."""
        values = [acb(0)] * count
        for part in self._parts(start.real):
            found = part.along(start, step, count=count)
            values = [a + b for a, b in zip(values, found, strict=True)]
        return values

    def moduli(self, start: acb, step: arb, *, count: int) -> NDArray[Any]:
        """Return upper bounds of |M(λ + iω)|/M(λ) there, in doubles."""
        values, error = self.roughly(start, step, count, self.real(start.real))
        return np.asarray(np.abs(values) * (1 + 2.0**-40) + error)

    def quickly(self, start: acb, step: arb, *, count: int) -> list[acb]:
        """Return the same as :meth:`along`, in wider balls that come from doubles."""
        scale = self.real(start.real)
        values, error = self.roughly(start, step, count, scale)
        around = acb(arb(0, error), arb(0, error))
        return [(acb(value) + around) * scale for value in values.tolist()]

    def roughly(self, start: acb, step: arb, count: int, scale: arb) -> tuple[NDArray[Any], float]:
        """Return M there over ``scale``, in doubles, and a bound of their errors."""
        values, error = np.zeros(count, dtype=np.complex128), 0.0
        for part in self._parts(start.real):
            more, off = part.roughly(start, step, count=count, scale=scale)
            values, error = values + more, error + off
        return values, error + 2.0**-50

    def fall(self, tilt: arb) -> tuple[arb, arb]:
        """Return (a, v) with |M(λ + iω)| <= (a + v/|ω|) M(λ) for all real ω, at 64 bits."""
        place = float(tilt.mid()), float(tilt.rad())
        if place not in self._falls:
            with precision(PLAN_BITS):
                total = self.real(tilt)
                atoms = sum((sum(part.masses, arb(0)) for part in self._atoms(tilt)), arb(0))
                smooth = self.density.variation(tilt) if self.density is not None else arb(0)
                found = atoms / total, smooth / total
                # A variation that is not known says nothing: |M(λ + iω)| is at most M(λ).
                is_known = found[0].is_finite() and found[1].is_finite()
                self._falls[place] = found if is_known else (arb(1), arb(0))
        return self._falls[place]

    def falls(self, tilt: arb) -> list[tuple[float, float]]:
        """Return about some (a, v) with |M(λ + iω)| <= (a + v/|ω|) M(λ), for plans.

        The first is of all of the law, the others of the bulks, to which the rest is added.
        """
        found = [self.fall(tilt)]
        for bulk in self.bulks():
            share, (atoms, variation) = bulk.real(tilt) / self.real(tilt), bulk.fall(tilt)
            found.append((1 - share + share * atoms, share * variation))
        return [(float(atoms.mid()), float(variation.mid())) for atoms, variation in found]

    def decay(self) -> arb:
        """Return a d with |M(λ + iω)| <= e^(−dω²) M(λ)."""
        return self.density.decay() if self.density and not self._atoms(arb(0)) else arb(0)

    def _parts(self, tilt: arb) -> list[Transform | Cloud]:
        return [*([self.density] if self.density is not None else []), *self._atoms(tilt)]

    def _atoms(self, tilt: arb) -> list[Cloud]:
        """Return the tilted atoms as a cloud, if there are any."""
        points = self.law.points(working_bits())
        if not points:
            return []
        losses = [loss for loss, _ in points]
        masses = [mass * (tilt * loss).exp() for loss, mass in points]
        return [Cloud(losses, masses, lambda _: arb(0))]
