"""A sum of losses of several scales, as sums of one each: by the size of the largest loss.

With sizes τ_1 > τ_2 > ... each sum has its largest loss above τ_1, or between τ_1 and τ_2, and so
on: the means of all these add up to D(c). Each has a line, a lattice and a width of its own. Sizes
are chosen by dividing a sum whose law is seldom where it is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Number, fmpq_of, precision
from exactdp.numbers.limits import effort_of_today
from exactdp.sums.lattices.fourier import MAX_POINTS, TooFineError
from exactdp.sums.lattices.plans import COARSE, Plan
from exactdp.sums.lattices.tilted import BITS, TiltedLaws

__all__ = ["LARGEST", "Laws", "Levels"]

_MOST = 12
"""Levels of one sum, at most: each has laws of its own, which take time and memory."""

_ROUNDS = 16
"""Renewals of single levels for one question, at most."""

_FINER = 3
"""How many times narrower a level is asked for at each try than at the try before."""

_MAIN = 0.5
"""The part of a width that the largest level, which is dearest, is asked for."""

_REST = 0.3
"""The part of a width that all other levels are asked for; a fifth is spared for what they miss."""

_LITTLE = 1 / 16
"""The part of a width that a level which is only bounded may take."""

_NEAR = 1.0
"""The distance of two thresholds, in 1/λ, up to which the laws of one guide those of the other."""

_NEARLY = 3
"""Multiples of the width within which a sum that was refused is taken to need only more cells."""

_SPARE = 4
"""How many times wider than what was reached the width is that an error names as a way out."""

_FEW_POINTS = 1 << 21
"""Points of a lattice for all losses at once, at most, where levels were refused: more is slow."""


LARGEST = Fraction(10**300)
"""A quotient that is larger counts as this: a width is multiplied with it in doubles."""


@dataclass(frozen=True, slots=True, eq=False)
class Laws:
    """The laws of all levels.

    Attributes:
        levels: One level or more, each with its laws; None for a level whose bound is enough.
        tilt: The mean of their λ, weighted by D: about −d ln D/dc.
    """

    levels: Sequence[tuple[Plan, TiltedLaws | None]]
    tilt: float

    def at(self, nats: Number | Fraction) -> Enclosure:
        """Return the enclosure of D(c) that these laws give."""
        found = [_value(plan, laws, nats) for plan, laws in self.levels]
        return Enclosure(
            sum((one.lower for one in found), Fraction(0)),
            min(Fraction(1), sum((one.upper for one in found), Fraction(0))),
        )

    def is_blunt(self, nats: Number | Fraction) -> bool:
        """Return whether D(c) is so small that the infinite mass above hides it."""
        found = [(plan, _value(plan, laws, nats)) for plan, laws in self.levels]
        plan, value = max(found, key=lambda one: one[1].width)
        return plan.is_blunt(value)


@dataclass(slots=True, eq=False)
class Levels:
    """A sum, divided where that helps.

    Attributes:
        plans: The plans of the levels, those of larger sizes first.
    """

    plans: list[Plan] = field(default_factory=list)
    _latest: tuple[float, float] | None = field(init=False, default=None)

    def laws(self, nats: Number | Fraction, c: float, width: float, *, enough: float = 0.0) -> Laws:
        """Return laws for thresholds about c, to about a relative width of D(c).

        Args:
            nats: The threshold c.
            c: The threshold as a double.
            width: The relative width that is wanted.
            enough: A number; laws that show that D(c) is at most that are as good as a width.

        Raises:
            TooLargeError: If a lattice would be too fine.
            UndecidedError: If there is no good line.
        """
        if len(self.plans) == 1:
            self._renew(
                0, c, min(width, COARSE), lambda plan: plan.is_nothing(nats, c, beside=enough)
            )
        values, tries = self._values(nats, c, width, enough), Counter[int]()
        for _ in range(_ROUNDS if len(values) > 1 or self.plans[0].is_hollow else 0):
            least = sum((one.lower for one in values), Fraction(0))
            most = sum((one.upper for one in values), Fraction(0))
            if most - least <= width * float(least) or most <= enough:
                break
            parts = _parts(values)
            i = max(range(len(values)), key=lambda j: float(values[j].width) / parts[j])
            if not (self.plans[i].is_hollow and self._divide(i)):
                share = width * float(min(most / values[i].upper, LARGEST)) * parts[i]
                tried = tries[id(self.plans[i])]
                if tried >= effort_of_today().tries or (
                    tried and self.plans[i].is_blunt(values[i])
                ):
                    break
                asked = min(COARSE, share) / _FINER**tried
                try:
                    self._renew(i, c, asked)
                except TooFineError as error:  # as much wider, and others may need that too
                    reached = _SPARE * error.reached * max(1.0, width / asked)
                    raise TooFineError.at(reached) from None
                tries[id(self.plans[i])] += 1
            values = self._values(nats, c, width, enough)
        known = [
            (one.upper, float(plan.tilt.mid()))
            for one, plan in zip(values, self.plans, strict=True)
            if plan.tilt is not None
        ]
        if not known:
            raise UndecidedError("no sum exceeds the threshold. Ask for a smaller one.")
        whole = sum(value for value, _ in known)  # −dD/dc is about λD of each level
        tilt = sum(float(value / whole) * one for value, one in known) if whole else known[0][1]
        self._latest = c, tilt
        return Laws([(plan, plan.laws) for plan in self.plans], tilt)

    @property
    def is_divided(self) -> bool:
        """Return whether the sum is divided."""
        return len(self.plans) > 1

    def is_near(self, c: float) -> bool:
        """Return whether the latest laws were made near a threshold, and so show its cells."""
        return self._latest is not None and abs(c - self._latest[0]) * self._latest[1] <= _NEAR

    def forget(self) -> None:
        """Begin anew, with coarse laws, but divided as before."""
        self._latest = None
        for plan in self.plans:
            plan.laws = plan.guide = plan.rest = None
            plan.is_last, plan.limit = False, MAX_POINTS

    def unite(self) -> None:
        """Begin anew, with all as one that is not divided for thresholds about this one."""
        self._latest = None
        self.plans = [Plan(self.plans[0].parts, is_last=True, limit=_FEW_POINTS)]

    def _values(
        self, nats: Number | Fraction, c: float, width: float, enough: float
    ) -> list[Enclosure]:
        """Return enclosures of D(c) by the latest laws of each level; if needed, by new ones."""
        i = 0
        found: list[Enclosure] = []
        while i < len(self.plans):
            plan = self.plans[i]
            value = _value(plan, plan.laws, nats)
            if value.lower <= 0 and value.upper > 0 and not plan.is_of(c):
                later = (_value(one, one.laws, nats).lower for one in self.plans[i + 1 :])
                known = sum((one.upper for one in found), sum(later, Fraction(enough)))
                others = float(known) * width * _LITTLE
                if not (value.upper <= others or plan.is_nothing(nats, c, beside=others)):
                    self._renew(i, c, COARSE)
            if self.plans[i] is plan:  # else it was divided
                found.append(_value(plan, plan.laws, nats))
                i += 1
        return found

    def _renew(
        self, i: int, c: float, width: float, is_done: Callable[[Plan], bool] | None = None
    ) -> None:
        """Renew the laws of a level; if they cannot be, divide it, unless it will do as it is."""
        plan = self.plans[i]
        try:
            plan.renew(c, width)
        except (TooLargeError, UndecidedError):
            if is_done is not None and is_done(plan):
                return
            if plan.is_last:
                raise
            if not _is_nearly(plan, c, width) and self._divide(i):
                return
            plan.is_last = True
            try:
                plan.renew(c, width)
            finally:
                plan.is_last = False

    def _divide(self, i: int) -> bool:
        """Divide a level, and return whether that could be done."""
        plan = self.plans[i]
        two = plan.divided() if len(self.plans) < _MOST and not plan.is_last else None
        if two is not None:
            self.plans[i : i + 1] = two
        return two is not None


def _parts(values: Sequence[Enclosure]) -> list[float]:
    """Return the parts of a width that levels may take: the largest takes most."""
    if len(values) == 1:
        return [1.0]
    largest = max(range(len(values)), key=lambda i: values[i].upper)
    return [_MAIN if i == largest else _REST / (len(values) - 1) for i in range(len(values))]


def _value(plan: Plan, laws: TiltedLaws | None, nats: Number | Fraction) -> Enclosure:
    """Return the enclosure of D(c) by the laws of a level and its bound."""
    if plan.is_below(_ball(nats)):
        return Enclosure(Fraction(0), Fraction(0))
    found = Enclosure(Fraction(0), Fraction(1)) if laws is None else laws.at(nats)
    if plan.rest is None or found.lower > 0:
        return found
    return Enclosure(Fraction(0), min(found.upper, plan.rest.at(nats).upper))


def _is_nearly(plan: Plan, c: float, width: float) -> bool:
    """Return whether the laws that are there have about a width: it is a sum of one scale."""
    if plan.laws is None or not plan.is_of(c):
        return False
    found = plan.laws.at(Fraction(c))
    return float(found.width) <= _NEARLY * width * float(found.lower)


def _ball(nats: Number | Fraction) -> arb:
    """Return a threshold as a ball."""
    with precision(BITS):
        return arb(fmpq_of(nats)) if isinstance(nats, Fraction) else nats.ball(BITS)
