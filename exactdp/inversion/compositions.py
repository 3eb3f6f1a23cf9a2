"""The sum of independent privacy losses: certified δ of any number, of different kinds.

δ(ε) = Pr[L = ∞] + E max(0, 1 − e^(ε − L)) for the sum L of independent privacy losses under P.
The mean over the finite losses comes from the first of these that can give it:

* ``laplaces``, a closed form, where all are copies of one Laplace mechanism;
* ``powers``, laws above and below on one lattice, where some have densities: first where the width
  is usual, or what the others rest on is not given, and else at the end;
* ``counted``, count by count, where there are few of them, or the width is narrow;
* ``lattices``, the law itself, where all losses lie on one lattice and there are few;
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
from math import isfinite, prod

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.inversion.contours import Inversion
from exactdp.inversion.counted import CountedSum
from exactdp.inversion.factors import DenseLoss, Factor, FiniteVariable
from exactdp.inversion.grids import GridSum
from exactdp.inversion.halves import mean_of_halves
from exactdp.inversion.laplaces import copies_of_laplace
from exactdp.inversion.lattices import LatticeSum
from exactdp.inversion.lines import log_kappa, minimum
from exactdp.inversion.losses import LossLaw
from exactdp.inversion.placing import is_bounded, is_spread
from exactdp.inversion.powers import PowerSum
from exactdp.inversion.smoothed import SmoothedSum
from exactdp.inversion.tails import GaussianTails, LaplaceTails
from exactdp.inversion.transforms import LossTransform
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    certainly_not_below,
    enclosure,
    precision,
    short,
)
from exactdp.numbers.crossing import smallest_from_zero

__all__ = ["LossSum"]

_BITS, _FAR_BITS = 192, (192, 1024, 8192)
_PLAN_BITS = 64
_FEW, _SOME = 8, 64
_FINEST = Fraction(1, 10**6)
"""Of the widths for which some losses, more than few, are put on a grid."""
_SMALLEST, _DOUBLES = Fraction(1, 10**9), Fraction(1, 10**10)
"""Of a guess; and the relative width below which doubles reach none."""
_USUAL = Fraction(1, 10**4)
"""From here on two laws on a lattice are the quickest, and their ε takes one search."""
_QUICKEST = Fraction(1, 200)
"""From here on they are for all numbers of copies."""
_SHORT, _LONGER = 1024, 8192
"""Points of a contour that take no longer than laws on a lattice; and where those are narrow."""
_MANY = 10
"""From so many copies on transforms fall."""

_FEW_COUNTS = 500_000
"""Of counts that are summed before a lattice is tried."""

Route = Callable[[Number, Fraction], Enclosure]


class _NotNowError(Exception):
    """A route is tried at another place of the list."""


@dataclass(frozen=True, repr=False, eq=False)
class LossSum:
    """The sum of independent losses, each with a number of copies.

    Attributes:
        parts: The loss laws and their numbers of copies, at least 1 each.
    """

    parts: tuple[tuple[LossLaw, int], ...]
    _transforms: list[LossTransform | None] = field(init=False, default_factory=list)
    _routes: list[Route] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._transforms.extend(LossTransform.of(law) for law, _ in self.parts)
        self._routes.extend(self._possible())

    @property
    def copies(self) -> int:
        """The number of losses."""
        return sum(times for _, times in self.parts)

    def reversed(self) -> LossSum:
        """Return the sum of the losses of all pairs (Q, P): the other direction."""
        if all(law.is_symmetric for law, _ in self.parts):
            return self
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
                return certainly_not_below(epsilon.nats, top, max_bits=1 << 12)

    def delta(self, epsilon: Epsilon, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε) = Pr[L = ∞] + E max(0, 1 − e^(ε − L)).

        Returns:
            (upper − lower) <= relative_width·lower; a point if no finite loss exceeds ε.

        Raises:
            TooLargeError: If it would take too many points.
            UndecidedError: If the width is not reached.
        """
        return self._delta(epsilon, relative_width)

    def _delta(self, epsilon: Epsilon, width: Fraction, *, quickly: bool = False) -> Enclosure:
        value, nothing = self.infinity_mass(), Exact(0)
        bits = width.denominator.bit_length() - width.numerator.bit_length()
        infinite = Enclosure(Fraction(0), Fraction(0))
        if value != nothing:
            infinite = enclosure(value, relative_bits=bits + 2)
        if self.is_beyond_all(epsilon):
            return infinite
        found = (self._on_short_contour if quickly else self._mean_excess)(epsilon.nats, width)
        return Enclosure(
            found.lower + infinite.lower, min(Fraction(1), found.upper + infinite.upper)
        )

    def is_surely_below_at_zero(self, delta: Number) -> bool:
        """Return whether δ(0) is seen to be below a target: total variations add, at most."""
        with precision(_BITS):
            parts = (times * law.total_variation() for law, times in self.parts)
            return bool(sum(parts, arb(0)) < delta.ball(_BITS))

    def smallest(self, delta: Exact, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest ε >= 0 with δ(ε) <= δ, above the infinite mass.

        Raises:
            TooLargeError: If it would take too many points.
            UndecidedError: If the width is not reached.
        """
        if self.is_surely_below_at_zero(delta):
            return Enclosure(Fraction(0), Fraction(0))
        powers, found = self._powers, delta - self.infinity_mass()
        if powers is None:
            return self._searched(delta, relative_width)
        ways: list[Callable[[], Enclosure]] = [
            partial(powers.crossing, found, relative_width=relative_width)
        ]
        if not self._is_alone(relative_width):
            ways.append(partial(self._searched, delta, relative_width))
        if self._is_late(relative_width):
            if self._is_dense:
                ways.insert(0, partial(self._searched, delta, relative_width, quickly=True))
            else:
                ways.reverse()
        failures: list[Exception] = []
        for way in ways:
            try:
                return way()
            except (TooLargeError, UndecidedError) as error:
                failures.append(error)
        raise failures[-2 if len(failures) > 2 else 0]

    def _searched(self, delta: Exact, width: Fraction, *, quickly: bool = False) -> Enclosure:
        # One route for all that is asked.
        most = _QUICKEST / 2 if self._is_late(width) else width + 1
        return smallest_from_zero(
            lambda x, asked: self._delta(Epsilon.rational(x), min(asked, most), quickly=quickly),
            delta,
            first=self.guess(delta - self.infinity_mass()),
            relative_width=width,
        )

    @cached_property
    def _powers(self) -> PowerSum | None:
        """The sum between two on a lattice; None where some atoms are left out."""
        if any(law.lattice and law.lattice.is_truncated for law, _ in self.parts):
            return None
        return PowerSum(self.parts)

    @cached_property
    def _is_spread(self) -> bool:
        return is_spread([law for law, _ in self.parts if law.density is not None])

    def guess(self, delta: Number) -> Fraction:
        """Return about the ε > 0 at which δ(ε), without the infinite mass, is a target.

        The Rényi conversion at its best order, a bit above; nothing rests on it.
        """
        if self._powers is not None and not self._is_spread:
            with precision(_PLAN_BITS):
                return self._powers.guess(float(delta.ball(_PLAN_BITS).log().mid()))
        if any(law.density is None and not law.points(_PLAN_BITS) for law, _ in self.parts):
            return Fraction(1)  # no finite loss is seen at so few bits
        with precision(_PLAN_BITS):
            log_delta = float(delta.ball(_PLAN_BITS).log().mid())
            value = minimum(lambda s: (self._log_moment(s) + log_kappa(s, 1) - log_delta) / s)[1]
        return max(Fraction(value), _SMALLEST) if isfinite(value) else Fraction(1)

    def _log_moment(self, tilt: float) -> float:
        """Return about ln E e^(λL), L finite."""
        with precision(_PLAN_BITS):
            return sum(part.about_log_moment(tilt) for part in self._factors(_PLAN_BITS))

    def _mean_excess(self, nats: Number, width: Fraction) -> Enclosure:
        failure: Exception | None = None
        for route in self._routes:
            try:
                return route(nats, width)
            except _NotNowError:
                continue
            except (TooLargeError, UndecidedError) as error:
                failure = error
                if self._is_alone(width):
                    break
        raise failure or TooLargeError(
            "the transform of a loss is not known. Take a mechanism of this library."
        )

    def _possible(self) -> Iterator[Route]:
        """Yield the ways to the mean over finite losses."""
        densities = {law.density for law, _ in self.parts}
        if len(densities) == 1 and isinstance(one := densities.pop(), LaplaceTails):
            yield lambda nats, width: copies_of_laplace(
                one.top, self.copies, nats, relative_width=width
            )
        lattices = [law.lattice for law, _ in self.parts if law.lattice]
        truncated = [lattice for lattice in lattices if lattice.is_truncated]
        if any(lattice.moment is None for lattice in truncated):
            return  # nothing bounds what is left out
        if not truncated and not self._is_dense:
            yield self._one_by_one
        dense = [law.density for law, _ in self.parts if law.density]
        is_normal = any(isinstance(density, GaussianTails) for density in dense)
        powers = self._powers
        if self._is_dense and powers is not None:
            yield partial(self._by_powers, powers, lambda width: not self._is_late(width))
        grid = GridSum(self.parts, self._log_moment)
        is_smooth = dense and not is_normal and not truncated
        if is_smooth and self.copies <= _FEW:
            yield lambda nats, width: grid.mean_excess(nats, relative_width=width)
        inversion = self._inversion
        if self._is_dense and powers is not None and self._is_late(_USUAL):
            yield self._on_short_contour
            yield partial(self._by_powers, powers, lambda width: self._is_late(width))
        if inversion is not None:
            yield lambda nats, width: inversion.mean_excess(nats, relative_width=width)
        if is_smooth and _FEW < self.copies <= _SOME:
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
        if powers is not None and not (self._is_dense and self._is_late(_USUAL)):
            yield partial(self._by_powers, powers, lambda width: width < _USUAL)

    @cached_property
    def _is_dense(self) -> bool:
        return any(law.density is not None for law, _ in self.parts)

    def _is_alone(self, width: Fraction) -> bool:
        """Return whether others than powers would only take long to refuse: of few copies."""
        is_few = self.copies <= _SOME and width >= _USUAL
        return self._is_dense and is_few and not self._is_spread

    def _is_late(self, width: Fraction) -> bool:
        """Return whether others come before powers of transforms."""
        if not self._is_dense:
            return True
        is_quick = is_bounded([law for law, _ in self.parts]) and width >= _USUAL
        return self._is_spread and width < _QUICKEST and self.copies >= _MANY and not is_quick

    def _by_powers(
        self, powers: PowerSum, is_now: Callable[[Fraction], bool], nats: Number, width: Fraction
    ) -> Enclosure:
        if width < _DOUBLES or not (is_now(width) or not self._is_dense):
            raise _NotNowError
        try:
            return powers.mean_excess(nats, relative_width=width)
        except (TooLargeError, UndecidedError):
            # Of atoms alone this was the last resort: others say what could be asked.
            if self._is_dense:
                raise
            raise _NotNowError from None

    @cached_property
    def _inversion(self) -> Inversion | None:
        pairs = zip(self._transforms, self.parts, strict=True)
        return Inversion.of([(one, times) for one, (_, times) in pairs])

    def _on_short_contour(self, nats: Number, width: Fraction) -> Enclosure:
        if self._inversion is None:
            raise TooLargeError("no contour is short enough. Ask for another width.")
        most = _SHORT if width >= _USUAL else _LONGER
        return self._inversion.mean_excess(nats, relative_width=width, most=most)

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

    def __repr__(self) -> str:
        return f"<LossSum of {self.copies:,} losses>"
