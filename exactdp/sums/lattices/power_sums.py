"""Sums of many losses, each between two laws on one lattice: certified means, for any widths.

This serves whatever has losses, with and without densities, a few copies or a million: cells
are fine where it matters for the threshold (``polygons``), the law of the sum is a power of a
transform (``fourier``, ``tilted``). What is chosen here, in doubles, is the line and the cells;
nothing rests on the choice but the width. A coarse law comes first, and tells what matters for a
finer one.

Of a lattice some losses may be left out. Where P has at most t of the sum there, what is left has a
D' with D'(c) <= D(c) <= D'(c) + t, since 0 <= max(0, 1 − e^(c − L)) <= 1.

References: S. Meiser and E. Mohammadi, Tight on Budget?, CCS 2018 (privacy buckets from above
and below); A. Koskela, J. Jälkö and A. Honkela, Computing Tight Differential Privacy Guarantees
Using FFT, 2020; V. Doroshenko et al., Connect the Dots: Tighter Discrete Approximations of Privacy
Loss Distributions, 2022 (the chords).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from math import isfinite

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Number, fmpq_of, precision
from exactdp.numbers import short as shown
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import answers
from exactdp.sums.doubles import width_in_doubles
from exactdp.sums.lattices.crossings import Search, rounded_near
from exactdp.sums.lattices.fourier import TooFineError
from exactdp.sums.lattices.levels import LARGEST, Laws, Levels
from exactdp.sums.lattices.plans import COARSE, Plan
from exactdp.sums.lattices.tilted import BITS
from exactdp.sums.laws.loss_law import LossLaw

__all__ = ["PowerSum"]

_ATTEMPTS = 8
"""Laws of ever narrower widths for one value, at most."""

_TRIES = 24
"""Steps of a search for a crossing, at most."""

_STRAIGHT = 3
"""Steps after which a search halves instead of following slopes, which may be too steep."""

_KEPT = 2
"""Laws that are kept for later thresholds: each has arrays of up to 63 MB, two a level."""

_ANSWERS = 1 << 12
"""Answers that are kept, at most: some megabytes."""

_SURE = 0.63
"""The part of a width that was just missed to which laws are asked next, at most.

A plan takes up to half as much again as it is asked."""

_NARROW = 1e-4
"""The relative width below which laws that were refused are not tried anew: that takes long."""

_NEAR = 64
"""Multiples of a target up to which a sum of total variations may be bounded by it otherwise."""

_LITTLE = 1 / 2
"""The part of a target below which a value of D tells no more than that it is below."""

_HAIR = Fraction(1, 1 << 50)
"""What a number is lowered by, over itself, before it becomes a double: more than a double errs.

That an answer of ``at_most`` is not above the number rests on it."""

_ROUGH = 2 * COARSE
"""The relative width of all levels together where only a place is sought."""

_FAR = 1e-6
"""The part of a target down to which D should be known at the upper end of a crossing."""

_MORE = 16
"""Steps towards such an upper end, at most."""


@dataclass(frozen=True, eq=False)
class PowerSum:
    """A sum of independent losses.

    Attributes:
        parts: The laws, each with finite losses, and their numbers of copies.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.numbers import Exact
        >>> one = gaussian_mechanism(sigma=10).loss_law()
        >>> found = PowerSum([(one, 100)]).mean_excess(Exact(1), relative_width=Fraction(1, 100))
        >>> found.contains(Exact("0.12693673750664")), found.width < Fraction(13, 10**4)
        (True, True)
    """

    parts: Sequence[tuple[LossLaw, int]]
    _levels: Levels = field(init=False)
    _kept: list[Laws] = field(init=False, default_factory=list)
    _answers: dict[tuple[Number, Fraction], Enclosure] = field(init=False, default_factory=dict)
    _crossings: dict[tuple[Number, Fraction], Enclosure] = field(init=False, default_factory=dict)
    _closing: list[tuple[Laws, Fraction]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_levels", Levels([Plan(self.parts)]))

    @cached_property
    def left(self) -> Fraction:
        """A bound of the probability that some loss is one that was left out of its lattice."""
        lattices = [(law.lattice, n) for law, n in self.parts if law.lattice is not None]
        if not any(lattice.is_truncated for lattice, _ in lattices):
            return Fraction(0)
        with precision(BITS):
            rest = sum((n * lattice.masses(BITS)[1] for lattice, n in lattices), arb(0))
            return endpoints(rest)[1]

    def _whole(self, found: Enclosure) -> Enclosure:
        """Return the enclosure of D(c), from one without the omitted atoms."""
        return Enclosure(found.lower, min(Fraction(1), found.upper + self.left))

    def mean_excess(self, nats: Number, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of D(c), c = ``nats``, of a relative width.

        Raises:
            TooLargeError: If the lattice would be too fine.
            UndecidedError: If the width is not reached.
        """
        key = nats, relative_width
        if key not in self._answers:  # else other laws might give another one
            if len(self._answers) == _ANSWERS:
                self._answers.clear()
            self._answers[key] = self._mean_excess(nats, relative_width)
        return self._answers[key]

    def _mean_excess(self, nats: Number, relative_width: Fraction) -> Enclosure:
        for laws in self._kept:
            found = self._whole(laws.at(nats))
            if found.lower > 0 and found.is_narrow(relative_width):
                return found
        width, c = width_in_doubles(relative_width), float(nats.ball(64).mid())
        asked, is_near, is_united = width, self._levels.is_near(c), False
        if not is_near:
            asked = self._anew(width)
        for attempt in range(_ATTEMPTS):
            try:
                laws = self._levels.laws(nats, c, asked)
            except (TooLargeError, UndecidedError):
                if self._levels.is_divided and not is_united:
                    # The levels of a sum may be harder than all of it at once.
                    self._levels.unite()
                    is_united, asked = True, max(width, COARSE)
                elif is_near and (width > _NARROW or not is_united):
                    is_near, asked = False, self._anew(width)
                else:
                    raise
                continue
            self._keep(laws)
            found = self._whole(laws.at(nats))
            if found.lower > 0 and found.is_narrow(relative_width):
                return found
            if attempt and laws.is_blunt(nats):
                raise UndecidedError(
                    f"the value is at most {1.1 * float(found.upper):.1e}, and is not told from 0. "
                    "Ask at a smaller epsilon."
                )
            reached = 1.0
            if found.lower > 0:
                reached = float(min(found.width / found.lower, LARGEST))
            less = max(0.1, min(_SURE, 0.8 * width / reached))
            asked = width if asked > width else asked * less
        raise UndecidedError(
            f"relative_width={shown(relative_width)} is not reached. Ask for a wider enclosure."
        )

    def at_most(self, most: Number, nats: Number) -> Enclosure:
        """Return an enclosure of D(c), c = ``nats``, that may be wide but is not above a number.

        Raises:
            TooLargeError: If the lattice would be too fine.
            UndecidedError: If coarse laws do not show that D(c) is at most the number.
        """
        with precision(BITS):
            enough = (endpoints(most.ball(BITS))[0] - self.left) * (1 - _HAIR)
        if enough <= 0:
            raise UndecidedError("no number above 0 is so small. Ask for an enclosure.")
        for laws in self._kept:
            found = laws.at(nats)
            if found.upper <= enough:
                return self._whole(found)
        c, plans = float(nats.ball(64).mid()), self._levels.plans
        whole = plans[0] if len(plans) == 1 else Plan(self.parts)
        if whole.is_nothing(nats, c, beside=float(enough)) and whole.rest is not None:
            return self._whole(whole.rest.at(nats))
        if not self._levels.is_near(c):
            self._levels.forget()
        self._keep(self._levels.laws(nats, c, COARSE, enough=float(enough)))
        found = self._kept[0].at(nats)
        if found.upper > enough:
            raise UndecidedError("the value is not seen to be so small. Ask for an enclosure.")
        return self._whole(found)

    def crossing(self, target: Number, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of the smallest c >= 0 with D(c) at most a target above 0.

        D is above the target at its lower end, and at most the target at its upper one; the
        point 0 if D(0) is at most the target.

        Raises:
            TooLargeError: If the lattice would be too fine.
            UndecidedError: If the width is not reached.
        """
        key = target, relative_width
        if key not in self._crossings:
            self._crossings[key] = self._crossing(target, relative_width)
        return self._crossings[key]

    def _crossing(self, target: Number, relative_width: Fraction) -> Enclosure:
        with precision(BITS):
            least, most_of_target = endpoints(target.ball(BITS))
            search = Search(least - self.left, most_of_target, relative_width)
            # Total variations add, at most; if they are little above, another bound may do.
            most = sum((n * law.total_variation() for law, n in self.parts), arb(0))
            if most < arb(fmpq_of(search.least)) or (
                most < arb(fmpq_of(search.least)) * _NEAR
                and Plan(self.parts).is_nothing(Fraction(0), 0.0, beside=0.99 * float(search.least))
            ):
                return Enclosure(Fraction(0), Fraction(0))
            search.high = self._top()
        if search.least <= 0:
            raise UndecidedError("the target cannot be told from 0. Ask for a larger one.")
        for laws, x in self._closing:  # those that closed the last search may serve again
            search.along(laws, x)
            if search.is_closed and search.is_seen:
                return search.found
        x, asked = self.guess(search.log_target), _ROUGH
        enough = float(search.least) * _LITTLE
        if search.high is not None and x >= search.high * Fraction(7, 8):
            x = search.high * Fraction(7, 8)
            # The largest loss may be near enough.
            near = search.high * (1 - min(relative_width, Fraction(1, 8)) * Fraction(9, 10))
            ask = partial(self._levels.laws, near, float(near), enough=enough)
            for _, laws in answers(ask, [asked]):
                x, _ = search.along(laws, near)
                if search.is_closed:
                    return search.found
        is_united = False
        for i in range(_TRIES):
            try:
                laws = self._levels.laws(x, float(x), asked, enough=enough)
            except TooFineError as error:
                if self._levels.is_divided and not is_united:
                    self._levels.unite()
                    is_united = True
                    continue
                # The width of D that was reached says how much wider ε must be asked for.
                raise TooFineError.at(error.reached / asked * float(relative_width)) from None
            x, is_near = search.along(laws, x)
            if search.is_closed:
                self._closing[:] = [(laws, x)]
                return self._nearer(search) if search.found.lower else search.found
            if is_near:
                asked = min(asked / 4, search.needed(x))
            elif i >= _STRAIGHT:
                x = search.middle(x)
        raise UndecidedError(
            f"relative_width={shown(relative_width)} is not reached. Ask for a wider enclosure."
        )

    def _nearer(self, search: Search) -> Enclosure:
        """Return the found bracket, with an upper end at which D is known if one is soon found.

        Just beyond the largest sum of losses that end, D may be next to nothing.
        """
        asked = COARSE
        for _ in range(_MORE):
            if search.is_seen:
                break
            before = search.found
            x = before.lower + before.width / 2
            enough = float(search.least) * _FAR
            ask = partial(self._levels.laws, x, float(x), enough=enough)
            for _, laws in answers(ask, [asked]):
                search.along(laws, x)
            if search.found == before:
                asked /= 8
        return search.found

    def _keep(self, laws: Laws) -> None:
        """Keep the latest laws for later thresholds."""
        self._kept.insert(0, laws)
        del self._kept[_KEPT:]

    def _anew(self, width: float) -> float:
        """Forget all laws but keep the levels, and return the relative width to ask for first."""
        self._levels.forget()
        return max(width, COARSE)

    def guess(self, log_target: float) -> Fraction:
        """Return about the c at which D(c) is a target, as a proposal: rather too large a c."""
        plans = self._levels.plans
        found = (plans[0] if len(plans) == 1 else Plan(self.parts)).guess(log_target)
        return rounded_near(found) if isfinite(found) else Fraction(1)

    def _top(self) -> Fraction | None:
        """Return a bound of the sum; None if it is unbounded."""
        total = arb(0)
        for law, n in self.parts:
            top = law.highest()
            if top is None:
                return None
            total += n * top.ball(BITS)
        return max(Fraction(0), endpoints(total)[1])
