"""Profiles that lie between finite pairs, with as many outputs as the width that is asked takes.

References: V. Doroshenko et al., Connect the Dots: Tighter Discrete Approximations of Privacy
Loss Distributions, PoPETs 2022.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial, reduce
from math import ceil
from typing import ClassVar

from exactdp.accounting.composition.fallbacks import (
    COARSER,
    WORK,
    first_reached,
    looser_delta,
    looser_epsilon,
)
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.chernoff import Bounded, is_beyond_all
from exactdp.divergences.proposals.knots import likely_growth
from exactdp.divergences.sandwich import Bounds
from exactdp.divergences.values import enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike, short
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import TOO_MUCH, first_answer, within_work

__all__ = ["SIZES", "BetweenPairs", "nats_of", "not_reached", "short_power"]

_Gaps = Sequence[tuple[int, Fraction]]
"""Numbers of points of polygons, with the relative widths that they told."""

SIZES = (80, 2400)
"""Points of a polygon: the first number that is tried, and the last before a width is given up."""

_FIRST_REST = Fraction(1, 10**6)
"""The δ up to whose ε the first polygons reach, over all copies: what is beyond is infinite."""

_LEAST_GROWTH, _MOST_GROWTH = 5 / 4, 8
"""How many times as many points come next, at least and at most."""

_BLIND_GROWTH = 4
"""How many times as many points come next where the last ones told nothing."""

_SURE = 10 / 9
"""What the number of points that likely suffices is multiplied by."""

_SHARE = 8
"""The part of a width, one over this, that the sums of two pairs may lack: points cost more."""

_FIRST_WIDTH = Fraction(1, 1000)
"""The relative width of ε between the first polygons: they are farther apart, mostly."""

_HELPED = Fraction(3, 4)
"""The part of a gap that is left, at most, where points that were placed were worth it."""

WORK_OF_PAIRS = 4_000_000
"""The operations in which pairs are asked once more where no width is reached by them."""

_LEAST_REST = Fraction(1, 10**30)
"""The least that is tried: δ far below it is not told by polygons."""


class BetweenPairs(PrivacyProfile):
    """A profile between two others of finite pairs, which come as near as is asked."""

    __slots__ = ()

    @property
    def usual_width(self) -> Fraction:
        """A hundredth."""
        return Fraction(1, 100)

    has_one_law: ClassVar[bool] = True

    sizes: ClassVar[tuple[int, int]] = SIZES
    """The first and the last number of points of polygons."""

    @abstractmethod
    def _ends(
        self, size: int, rest: Fraction, rung: int | None = None
    ) -> tuple[PrivacyProfile, PrivacyProfile]:
        """Return profiles below and above, by polygons as good as so many points to the ε of a δ.

        Args:
            size: So many equally spaced points would be as good.
            rest: The δ at whose ε the polygons end.
            rung: What :meth:`_rung` returned for the ε that is asked; None before that.
        """

    @property
    def is_redrawn(self) -> bool:
        """Whether pairs of another size are around another profile, which is no less either."""
        return False

    def _rung(self, rest: Fraction, nats: Fraction) -> int | None:
        """Return a number that says where the polygons for an ε are to be fine, after the first."""
        return None

    def _least(self, width: Fraction) -> Fraction:
        """Return a lower bound of δ at every ε."""
        return first_answer(lambda: enclosed(self.infinity_mass(), width).lower, Fraction)

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of δ(ε): to ``usual_width`` if no width is given.

        Where that is not reached, and no width is given, the nearest that finite pairs tell is, or
        a bound by Rényi divergences; its name is ``upper_by``.

        Raises:
            UndecidedError: If the width is not reached.
        """
        at = any_epsilon(epsilon)
        if relative_width is not None:
            return self._delta_to(at, checked_width(relative_width))
        reached = first_reached(partial(self._delta_to, at), self.usual_width, work=WORK)
        if reached is not None:
            return reached[0]
        bounds = self._bounds()
        found = self._told(
            self._nearer(at, COARSER[-1]), None if bounds is None else looser_delta(bounds, at)
        )
        assert not isinstance(found, Epsilon)
        return self._delta_to(at, self.usual_width) if found is None else found

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure | None:
        """Return ε(δ) as :meth:`delta` does where no width is given."""
        ask = partial(self._epsilon_within, delta)
        reached = first_reached(ask, self.usual_width, work=WORK)
        if reached is not None:
            return reached[0]
        bounds = self._bounds()
        return self._told(
            self._nearer_epsilon(delta, COARSER[-1]),
            None if bounds is None else looser_epsilon(bounds, delta),
        )

    def _told(
        self, steps: Iterator[Enclosure | Epsilon], bound: tuple[Fraction, str] | None
    ) -> Bounds | Epsilon | None:
        """Return the nearest that pairs tell, or a bound above if that is less, and both.

        None if neither tells anything.
        """
        found: Enclosure | Epsilon | None = None
        with suppress(*TOO_MUCH), within_work(WORK_OF_PAIRS):
            for step in steps:
                found = step
        if isinstance(found, Epsilon):
            return found
        tops = [(bound[0], f"looser: {bound[1]}")] if bound is not None else []
        if found is not None:
            tops.append((found.upper, "looser: finite pairs that dominate all"))
        if not tops:
            return None
        low, low_by = (found.lower, "finite pairs below all") if found else (Fraction(0), "nothing")
        upper, words = min(tops)
        return Bounds(min(low, upper), upper, low_by, words)

    def _bounds(self) -> Bounded | None:
        """Return bounds from the Rényi divergences; None if none is known."""
        return None

    def _delta_to(self, epsilon: Epsilon, width: Fraction) -> Enclosure:
        found: Enclosure | None = None
        for found in self._nearer(epsilon, width):
            if found.is_narrow(width):
                return found
        raise not_reached("δ", width, found)

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε): to a width, told from a target, or the best there is."""
        found = Enclosure(Fraction(0), Fraction(1))
        for found in self._nearer(epsilon, width, _rest(target, width)):
            if found.is_narrow(width) or found.is_above(target) is not None:
                break
        return found

    def _nearer(
        self, epsilon: Epsilon, width: Fraction, rest: Fraction = _FIRST_REST
    ) -> Iterator[Enclosure]:
        """Yield enclosures of δ(ε), by ever more points; the first reach to the ε of a rest."""
        found = Enclosure(Fraction(0), Fraction(1))
        size, part, rung = self.sizes[0], width / _SHARE, None
        # If it is not known, it is found between the pairs.
        is_beyond = first_answer(
            lambda: is_beyond_all(self, epsilon).is_certain,
            lambda: False,
            refusals=(UndecidedError,),
        )
        if is_beyond:
            yield Enclosure(Fraction(0), Fraction(0))
            return
        least = self._least(part)
        while size:
            before = found
            while True:
                low, high = (
                    enclosed(end.delta(epsilon, relative_width=part), part)
                    for end in self._ends(size, rest, rung)
                )
                here = Enclosure(max(low.lower, least), high.upper)
                found = here if self.is_redrawn else within(found, here)
                yield found
                # What is beyond the polygons counts as infinite: it is to be little.
                likely = max(found.lower, found.upper - rest)
                if rest * 8 <= width * likely or rest <= _LEAST_REST:
                    break
                less = rest / 2**20 if likely <= rest else short_power(width * likely / 16)
                rest = max(min(rest / 2, less), _LEAST_REST)
            gaps = [(size, found.width / found.lower)] if found.lower > 0 else []
            size = self._next(size, gaps, width)
            # Where points placed for ε told little, as between corners, they are spread out again.
            helped = rung is None or found.width < _HELPED * before.width
            rung = self._rung(rest, enclosed(epsilon.nats, part).upper) if helped else None

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        found: Epsilon | Enclosure | None = None
        for found in self._nearer_epsilon(delta, width):
            if isinstance(found, Epsilon) or found.is_narrow(width):
                return found
        assert not isinstance(found, Epsilon)
        raise not_reached("epsilon", width, found)

    def _nearer_epsilon(self, delta: Exact, width: Fraction) -> Iterator[Epsilon | Enclosure]:
        """Yield enclosures of ε(δ), by ever more points, or infinity."""
        rest = _rest(delta, width)
        found: list[Enclosure] = []
        gaps: list[tuple[int, Fraction]] = []
        size, rung = self.sizes[0], None
        asked = max(width / _SHARE, _FIRST_WIDTH)
        while size:
            low, high = (
                part.epsilon(delta, relative_width=asked) for part in self._ends(size, rest, rung)
            )
            if isinstance(low, Epsilon) and low.is_infinite:
                yield low
                return
            if not (isinstance(high, Epsilon) and high.is_infinite):
                found.append(Enclosure(nats_of(low, width).lower, nats_of(high, width).upper))
                ends = found[-1] if self.is_redrawn else reduce(within, found)
                helped = rung is None or not gaps or found[-1].width < _HELPED * found[-2].width
                rung = self._rung(rest, ends.upper) if helped else None
                if found[-1].lower > 0:
                    gaps.append((size, found[-1].width / found[-1].lower))
                if ends.is_narrow(width):
                    self._keep_gaps(delta, width, gaps)
                yield ends
            last, size = size, self._next(size, gaps, width, self._gaps_before(delta, width))
            if gaps and size:
                likely = gaps[-1][1] * Fraction(last, size) ** 2 / _SHARE
                asked = max(width / _SHARE, min(likely, _FIRST_WIDTH))

    def _gaps_before(self, delta: Exact, width: Fraction) -> _Gaps:
        """Return the gaps kept for a profile like this one at the same question; perhaps none."""
        return ()

    def _keep_gaps(self, delta: Exact, width: Fraction, gaps: _Gaps) -> None:
        """Keep the gaps found, for profiles like this one."""
        return

    def _next(self, size: int, gaps: _Gaps, width: Fraction, before: _Gaps = ()) -> int:
        """Return how many points are likely enough; 0 if there are to be no more.

        Args:
            size: The last number of points.
            gaps: Numbers of points with the relative widths there; none if nothing was told.
            width: The relative width that is asked.
            before: What was told so of a profile like this one.
        """
        if size == self.sizes[1]:
            return 0
        growth: float = _BLIND_GROWTH
        if gaps:
            enough = likely_growth(gaps, width, before=before) * _SURE
            growth = min(max(enough, _LEAST_GROWTH), _MOST_GROWTH)
        return min(ceil(size * growth), self.sizes[1])


def _rest(target: Exact, width: Fraction) -> Fraction:
    """Return a δ that is little beside a target, where that is asked to a width."""
    return max(short_power(enclosed(target, "1/2").lower * width / 16), _LEAST_REST)


def nats_of(found: Epsilon | Number | Enclosure, width: Fraction) -> Enclosure:
    """Return nats as an enclosure, of a quarter of a width."""
    return enclosed(found.nats if isinstance(found, Epsilon) else found, width / 4)


def short_power(value: Fraction) -> Fraction:
    """Return a power of two at most a positive number."""
    return Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length() - 1)


def within(one: Enclosure, other: Enclosure) -> Enclosure:
    """Return the intersection of two enclosures of one number."""
    return Enclosure(max(one.lower, other.lower), min(one.upper, other.upper))


def not_reached(what: str, width: Fraction, known: Enclosure | None) -> UndecidedError:
    """Return the error of a width that is not reached, with the bounds that are known."""
    between = "not bounded" if known is None else f"in {known:.3g}"
    return UndecidedError(
        f"relative_width={short(width)} is not reached: {what} is {between}. "
        "Ask for a wider enclosure."
    )
