"""The ways to the mean of a sum of losses above a threshold: the first that can give it does.

For the sum L of independent privacy losses under P, D(c) = E max(0, 1 − e^(c − L)) over the finite
losses comes from the first of these:

* ``laplaces``, a closed form, where all are copies of one Laplace mechanism;
* ``contours`` of few points, where few losses have densities alone and the width is narrow;
* ``powers``, laws above and below on one lattice, where some have densities: first where
  transforms do not fall, or what the others rest on is not given, and else at the end;
* ``counted``, count by count, where there are few of them, or the width is narrow;
* ``atoms``, the law itself, where all losses lie on one lattice and there are few;
* ``grids``, on which the losses are spread, where some have densities and they are few;
* ``contours``, in balls, where the transform falls: normal parts, or several densities (where
  it falls too slowly for some tens of them, the grids again);
* ``halves``, point against point, where few losses have many values;
* ``smoothed``, in doubles with proven errors, else.

References: A. Koskela, J. Jälkö and A. Honkela, Computing Tight Differential Privacy
Guarantees Using FFT, 2020; Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential
Privacy via Characteristic Function, 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Number,
    precision,
    short,
)
from exactdp.sums.counting.counted import CountedSum
from exactdp.sums.counting.halves import mean_of_halves
from exactdp.sums.lattices.atoms import LatticeSum
from exactdp.sums.lattices.fourier import TooFineError
from exactdp.sums.lattices.grids import GridSum
from exactdp.sums.lattices.placing import is_bounded, is_spread
from exactdp.sums.lattices.powers import PowerSum
from exactdp.sums.laws.losses import LossLaw
from exactdp.sums.laws.transforms import LossTransform
from exactdp.sums.lines.contours import Inversion
from exactdp.sums.lines.factors import DenseLoss, Factor, FiniteVariable
from exactdp.sums.lines.smoothed import SmoothedSum

__all__ = ["PLAN_BITS", "USUAL", "Route", "Routes"]

_BITS, _FAR_BITS = 192, (192, 1024, 8192)
PLAN_BITS = 64
_FEW, _SOME = 8, 64
_FINEST = Fraction(1, 10**6)
"""Of the widths for which some losses, more than few, are put on a grid."""
_DOUBLES = Fraction(1, 10**10)
"""The relative width below which doubles reach none."""
USUAL = Fraction(1, 10**4)
"""From here on two laws on a lattice are quick, and their ε takes one search."""
_SHORT, _LONGER = 256, 8192
"""Points of a contour that take no longer than laws on a lattice; and where those are narrow."""
_MANY = 10
"""From so many copies on transforms fall."""

_VERY_MANY, _WIDE_CLOUD = 10_000, 4096.0
"""From so many copies on the transform falls though the largest losses are so much farther out."""
_KEPT = 1 << 12
"""Questions that are known to be refused, at most."""
_FEW_COUNTS = 500_000
"""Of counts that are summed before a lattice is tried."""

Route = Callable[[Number, Fraction], Enclosure]


class _NotNowError(Exception):
    """A route is tried at another place of the list."""


@dataclass(frozen=True, repr=False, eq=False)
class Routes:
    """The ways to D(c) of a sum of independent losses.

    Attributes:
        parts: The loss laws and their numbers of copies, at least 1 each.

    What no short contour answered is kept, as ε is sought by asking the same again.
    """

    parts: tuple[tuple[LossLaw, int], ...]
    _transforms: list[LossTransform | None] = field(init=False, default_factory=list)
    _routes: list[Route] = field(init=False, default_factory=list)
    _refused: set[tuple[Number, Fraction]] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self._transforms.extend(LossTransform.of(law) for law, _ in self.parts)
        self._routes.extend(self._possible())

    @property
    def _copies(self) -> int:
        return sum(times for _, times in self.parts)

    def mean_excess(self, nats: Number, width: Fraction) -> Enclosure:
        """Return an enclosure of D(c), c = ``nats``, of a relative width.

        Raises:
            TooLargeError: If no way takes few enough points.
            UndecidedError: If the width is not reached.
        """
        failure: Exception | None = None
        for route in self._routes:
            try:
                return route(nats, width)
            except _NotNowError:
                continue
            except (TooLargeError, UndecidedError) as error:
                if not isinstance(failure, TooFineError):  # that names a width
                    failure = error
                if self.is_alone(width):
                    break
        raise failure or TooLargeError(
            "the transform of a loss is not known. Take a mechanism of this library."
        )

    def at_most(self, most: Number, nats: Number, width: Fraction) -> Enclosure:
        """Return an enclosure of D(c) that is wide, but not above a number.

        Raises:
            TooLargeError: If it would take too many points, or more than other bounds.
            UndecidedError: If coarse laws do not show that.
        """
        if self.powers is None or not self.is_dense or self.is_late(width):
            raise TooLargeError("no coarse law is at hand. Ask for an enclosure.")
        return self.powers.at_most(most, nats)

    def _possible(self) -> Iterator[Route]:
        """Yield the ways to the mean over finite losses."""
        formulas = [law.copies for law, _ in self.parts]
        if None not in formulas and len({law.density for law, _ in self.parts}) == 1:
            copies = formulas[0]
            assert copies is not None
            yield partial(copies, self._copies)
        lattices = [law.lattice for law, _ in self.parts if law.lattice]
        truncated = [lattice for lattice in lattices if lattice.is_truncated]
        if any(lattice.moment is None for lattice in truncated):
            return  # nothing bounds what is left out
        if not truncated and not self.is_dense:
            yield self._one_by_one
        dense = [law.density for law, _ in self.parts if law.density]
        is_normal = any(law.falls_like_normal for law, _ in self.parts)
        powers = self.powers
        if self.is_smooth:
            yield self._on_narrow_contour
        if self.is_dense and powers is not None:
            yield partial(self._by_powers, powers, lambda width: not self.is_late(width))
        grid = GridSum(self.parts, self.log_moment)
        is_smooth = dense and not is_normal and not truncated
        if is_smooth and self._copies <= _FEW:
            yield lambda nats, width: grid.mean_excess(nats, relative_width=width)
        inversion = self._inversion
        if self.is_dense and powers is not None and self.is_late(USUAL):
            yield self.on_short_contour
            yield partial(self._by_powers, powers, lambda width: self.is_late(width))
        if inversion is not None:
            yield lambda nats, width: inversion.mean_excess(nats, relative_width=width)
        if is_smooth and _FEW < self._copies <= _SOME:
            yield partial(self._on_narrow_grid, grid)
        if all(law.lattice is not None and law.density is None for law, _ in self.parts):
            together = LatticeSum.of([(law.lattice, n) for law, n in self.parts if law.lattice])
            if together is not None:
                yield lambda nats, width: together.mean_excess(nats, relative_width=width)
        if not truncated and not dense:
            yield self._by_halves
        pairs = zip(self._transforms, self.parts, strict=True)
        if all(law.density is None or transform for transform, (law, _) in pairs):
            yield self._smoothed
        if powers is not None and not (self.is_dense and self.is_late(USUAL)):
            yield partial(self._by_powers, powers, lambda width: width < USUAL)

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
    def is_smooth(self) -> bool:
        """Whether there are few losses, spread, of densities without an end above.

        Then contours of some thousand points often serve narrow widths.
        """
        if self._copies >= _MANY or None in self._transforms:
            return False
        is_whole = all(law.density and not law.points(PLAN_BITS) for law, _ in self.parts)
        return is_whole and self.is_spread and all(law.highest() is None for law, _ in self.parts)

    def is_alone(self, width: Fraction) -> bool:
        """Return whether others than powers would only take long to refuse: of few copies."""
        is_few = self._copies <= _SOME and width >= USUAL
        return self.is_dense and is_few and not self.is_spread

    def is_late(self, width: Fraction) -> bool:
        """Return whether others come before laws on a lattice, as a sum's transform falls."""
        if not self.is_dense:
            return True
        is_quick = is_bounded([law for law, _ in self.parts]) and width >= USUAL
        return self.is_spread and self._copies >= _MANY and not is_quick

    @cached_property
    def powers(self) -> PowerSum | None:
        """The sum between two on a lattice; None where some atoms are left out."""
        if any(law.lattice and law.lattice.is_truncated for law, _ in self.parts):
            return None
        return PowerSum(self.parts)

    @cached_property
    def _inversion(self) -> Inversion | None:
        pairs = zip(self._transforms, self.parts, strict=True)
        return Inversion.of([(one, times) for one, (_, times) in pairs])

    @cached_property
    def _contours(self) -> Inversion | None:
        """The same, of few smooth losses too, whose transform falls fast enough or is refused."""
        if not self.is_smooth:
            return self._inversion
        pairs = zip(self._transforms, self.parts, strict=True)
        return Inversion(tuple((one, times) for one, (_, times) in pairs if one is not None))

    def log_moment(self, tilt: float) -> float:
        """Return about ln E e^(λL), L finite."""
        with precision(PLAN_BITS):
            return sum(part.about_log_moment(tilt) for part in self._factors(PLAN_BITS))

    def _by_powers(
        self, powers: PowerSum, is_now: Callable[[Fraction], bool], nats: Number, width: Fraction
    ) -> Enclosure:
        if width < _DOUBLES or not (is_now(width) or not self.is_dense):
            raise _NotNowError
        try:
            return powers.mean_excess(nats, relative_width=width)
        except (TooLargeError, UndecidedError):
            # Of atoms alone this was the last resort: others say what could be asked.
            if self.is_dense:
                raise
            raise _NotNowError from None

    def on_short_contour(
        self, nats: Number, width: Fraction, *, sought: Fraction | None = None
    ) -> Enclosure:
        """Return what ``mean_excess`` does, of a contour of few points; else it is refused.

        Args:
            nats: ε, in nats.
            width: The relative width.
            sought: That of the ε which the question is a step to; None if it is no step.

        Raises:
            TooLargeError: If there is none.
            UndecidedError: If the width is not reached.
        """
        if self._contours is None or (nats, width) in self._refused:
            raise TooLargeError("no contour is short enough. Ask for another width.")
        most = _SHORT if (sought or width) >= USUAL else _LONGER
        try:
            return self._contours.mean_excess(nats, relative_width=width, most=most)
        except (TooLargeError, UndecidedError):
            if len(self._refused) == _KEPT:
                self._refused.clear()
            self._refused.add((nats, width))
            raise

    def _on_narrow_contour(self, nats: Number, width: Fraction) -> Enclosure:
        if width >= USUAL:
            raise _NotNowError
        return self.on_short_contour(nats, width)

    def _on_narrow_grid(self, grid: GridSum, nats: Number, width: Fraction) -> Enclosure:
        if width < _FINEST:
            raise TooLargeError(
                f"relative_width={short(width)} needs too fine a grid. Ask for a wider one."
            )
        return grid.mean_excess(nats, relative_width=width)

    def _one_by_one(self, nats: Number, width: Fraction) -> Enclosure:
        return CountedSum(self._finite, nats.ball, 1, width).mean(most=_FEW_COUNTS)

    def _by_halves(self, nats: Number, width: Fraction) -> Enclosure:
        with precision(_BITS):
            return mean_of_halves(self._finite(_BITS), nats.ball(_BITS), width)

    def _smoothed(self, nats: Number, width: Fraction) -> Enclosure:
        is_truncated = any(law.lattice and law.lattice.is_truncated for law, _ in self.parts)
        if width < _DOUBLES and not (is_truncated or any(law.density for law, _ in self.parts)):
            return CountedSum(self._finite, nats.ball, 1, width).mean()
        if width < _DOUBLES:
            reach = "1e-50" if self._inversion else "1e-9"
            raise TooLargeError(
                f"relative_width={short(width)} is below what is reached. Ask for {reach} or wider."
            )
        for bits in _FAR_BITS:
            try:
                return SmoothedSum(self._factors(bits), 1).mean_above(nats.ball(_BITS), width)
            except UndecidedError:
                # Far out, what is left out of a lattice may matter.
                if not is_truncated or bits == _FAR_BITS[-1]:
                    raise
        raise AssertionError

    def _factors(self, bits: int) -> list[Factor]:
        dense = [
            DenseLoss(transform, times)
            for transform, (law, times) in zip(self._transforms, self.parts, strict=True)
            if law.density is not None and transform is not None
        ]
        return [*dense, *self._finite(bits)]

    def _finite(self, bits: int) -> list[FiniteVariable]:
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
