"""Profiles known by ever narrower enclosures, as between finite pairs with more outputs.

Where no width is asked, and the usual one is not reached, a wider one is told, or the best bounds
there are: those of the last enclosure, or by Rényi divergences.

References: V. Doroshenko et al., Connect the Dots: Tighter Discrete Approximations of Privacy
Loss Distributions, PoPETs 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import ceil
from typing import ClassVar

from exactdp.divergences.chernoff import Bounded, is_beyond_all
from exactdp.divergences.fallbacks import (
    WORK,
    first_reached,
    looser_delta,
    looser_epsilon,
)
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.proposals.knots import likely_growth
from exactdp.divergences.values import Bounds, enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike, short
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import first_answer

__all__ = ["BetweenPairs", "nats_of", "short_power", "to_width"]

_FIRST_REST = Fraction(1, 10**6)
"""The δ up to whose ε the first polygons reach, over all copies: what is beyond is infinite."""

_LEAST_REST = Fraction(1, 10**30)
"""The least that is tried: δ far below it is not told by polygons."""

_BLIND_GROWTH = Fraction(4)
"""How many times as many points come next where the last ones told nothing."""

_SHARE = 16
"""The part of a width, one over this, that the sums of two pairs may lack: points cost more."""

_FIRST_WIDTH = Fraction(1, 1000)
"""The relative width of what is asked of the first pairs: they are farther apart, mostly."""

_HELPED = Fraction(3, 4)
"""The part of a gap that is left, at most, where points that were placed were worth it."""

_Told = Number | Enclosure | Epsilon
_Steps = Callable[[Fraction], Iterator[Enclosure | Epsilon]]
"""Enclosures of a number by ever more points, for a relative width."""


class BetweenPairs(PrivacyProfile):
    """A profile known by ever narrower enclosures, as between finite pairs."""

    __slots__ = ()

    @property
    def usual_width(self) -> Fraction:
        """The usual width, a hundredth."""
        return Fraction(1, 100)

    sizes: ClassVar[tuple[int, int]] = (80, 2400)
    """The first number of points of polygons, and the last before a width is given up."""

    told_by: ClassVar[tuple[str, str]] = (
        "finite pairs below all",
        "finite pairs that dominate all",
    )
    """Words for the two ends of an enclosure."""

    @property
    def bounds(self) -> Bounded | None:
        """Rényi divergences that bound it where no width is asked; None if none is known."""
        return None

    def _ends(
        self, size: int, rest: Fraction, near: Fraction | None = None
    ) -> tuple[PrivacyProfile, PrivacyProfile]:
        """Return profiles below and above, by polygons as good as so many points to the ε of a δ.

        Args:
            size: So many equally spaced points would be as good.
            rest: The δ at whose ε the polygons end.
            near: The ε, in nats, for which points are placed; None if they are equally spaced.
        """
        found = self.pairs_near(size, rest)
        assert found is not None
        return found

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of δ(ε): to ``usual_width`` if no width is given.

        Where that is not reached, and no width is given, the nearest that is told, or a bound by
        Rényi divergences; its name is ``upper_by``.

        Raises:
            TooLargeError, UndecidedError: If the width is not reached.
        """
        at = any_epsilon(epsilon)
        steps = partial(self._deltas, at)
        found = (
            self._usual("δ", steps, partial(looser_delta, epsilon=at))
            if relative_width is None
            else to_width("δ", steps, checked_width(relative_width))
        )
        assert not isinstance(found, Epsilon)
        return found

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return ε(δ) as :meth:`delta` does where no width is given."""
        looser = partial(looser_epsilon, delta=delta)
        return self._usual("epsilon", partial(self._epsilons, delta), looser)

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        return to_width("epsilon", partial(self._epsilons, delta), width)

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        known = first_answer(partial(self._error_at, level), lambda: None)
        if known is not None:
            return enclosed(known, width)

        def ask(end: PrivacyProfile, asked: Fraction) -> Number | Enclosure:
            return end.trade_off(level, relative_width=asked)

        steps = partial(self._nearer, ask, nats=Fraction(0))  # no ε is asked
        found = to_width("the error", steps, width)
        assert isinstance(found, Enclosure)
        return found

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε): to a width, told from a target, or the best there is."""
        found = Enclosure(Fraction(0), Fraction(1))
        for found in self._deltas(epsilon, width, target):
            if found.is_narrow(width) or found.is_above(target) is not None:
                break
        return found

    def _usual(
        self, what: str, steps: _Steps, looser: Callable[[Bounded], tuple[Fraction, str] | None]
    ) -> Enclosure | Epsilon:
        """Return a number to a usual width; else the nearest, or a bound above if that is less.

        Raises:
            UndecidedError: If nothing is told.
        """
        told: list[Enclosure | Epsilon] = []
        ask = partial(to_width, what, steps, told=told)
        reached = first_reached(ask, self.usual_width, work=WORK)
        if reached is not None:
            return reached[0]
        bound = None if self.bounds is None else looser(self.bounds)
        tops = [] if bound is None else [(bound[0], f"looser: {bound[1]}")]
        low, low_by = Fraction(0), "nothing"
        if told:
            assert isinstance(told[-1], Enclosure)
            low, low_by = told[-1].lower, self.told_by[0]
            tops.append((told[-1].upper, f"looser: {self.told_by[1]}"))
        if not tops:
            return ask(self.usual_width)  # whose error is told
        upper, words = min(tops)
        return Bounds(min(low, upper), upper, low_by, words)

    def _deltas(
        self, epsilon: Epsilon, width: Fraction, target: Exact | None = None
    ) -> Iterator[Enclosure]:
        """Yield ever nearer enclosures of δ(ε), until they are narrow or told from a target."""
        # If it is not known, it is found between the pairs.
        is_beyond = first_answer(
            lambda: is_beyond_all(self, epsilon).is_certain,
            lambda: False,
            refusals=(UndecidedError,),
        )
        if is_beyond:
            yield Enclosure(Fraction(0), Fraction(0))
            return

        def ask(end: PrivacyProfile, asked: Fraction) -> Number | Enclosure:
            return end.delta(epsilon, relative_width=asked)

        nats = enclosed(epsilon.nats, _FIRST_WIDTH).upper
        rest = _FIRST_REST if target is None else _rest(target, width)
        for found in self._nearer(ask, width, rest=rest, nats=nats):
            assert isinstance(found, Enclosure)
            yield found

    def _epsilons(self, delta: Exact, width: Fraction) -> Iterator[Enclosure | Epsilon]:
        """Yield ever nearer enclosures of ε(δ), or infinity."""

        def ask(end: PrivacyProfile, asked: Fraction) -> Epsilon | Enclosure:
            return end.epsilon(delta, relative_width=asked)

        return self._nearer(ask, width, rest=_rest(delta, width), is_little=True)

    def _nearer(
        self,
        ask: Callable[[PrivacyProfile, Fraction], _Told],
        width: Fraction,
        *,
        rest: Fraction = _FIRST_REST,
        nats: Fraction | None = None,
        is_little: bool = False,
    ) -> Iterator[Enclosure | Epsilon]:
        """Yield enclosures of a number by ever more points.

        Args:
            ask: Asks a profile for the number, to a relative width.
            width: The relative width that is wanted in the end.
            rest: The δ to whose ε polygons reach at first.
            nats: The ε for which points are placed, none if it is 0; by default the number.
            is_little: Whether the rest is known to be little beside the number.
        """
        size, near, asked = self.sizes[0], None, max(width / _SHARE, _FIRST_WIDTH)
        before: Fraction | None = None
        while size:
            ends = [ask(end, asked) for end in self._ends(size, rest, near)]
            infinite = [x for x in ends if isinstance(x, Epsilon) and x.is_infinite]
            if len(infinite) == 2:
                yield infinite[0]
                return
            growth = _BLIND_GROWTH
            if not infinite:
                low, high = (nats_of(x, width) for x in ends)
                found = Enclosure(min(low.lower, high.lower), max(low.upper, high.upper))
                yield found
                # What is beyond the polygons counts as infinite: it is to be little.
                likely = max(found.lower, found.upper - rest)
                if not is_little and rest > max(width * likely / 8, _LEAST_REST):
                    less = rest / 2**20 if likely <= rest else short_power(width * likely / 16)
                    rest = max(min(rest / 2, less), _LEAST_REST)
                    continue
                # Where placed points told little, as between corners, they are spread out again.
                helped = near is None or before is None or found.width < _HELPED * before
                at = found.upper if nats is None else nats
                near, before = at if helped and at > 0 else None, found.width
                if found.lower > 0:
                    gap = found.width / found.lower
                    growth = likely_growth(gap, width)
                    likely_gap = gap / growth**2 / _SHARE
                    asked = max(width / _SHARE, min(likely_gap, _FIRST_WIDTH))
            size = min(ceil(size * growth), self.sizes[1]) if size < self.sizes[1] else 0


def to_width(
    what: str, steps: _Steps, width: Fraction, *, told: list[Enclosure | Epsilon] | None = None
) -> Enclosure | Epsilon:
    """Return the first number that is told to a width, or as bounds; all told before is kept."""
    kept = [] if told is None else told
    for found in steps(width):
        kept.append(found)
        if isinstance(found, Epsilon | Bounds) or found.is_narrow(width):
            return found
    between = f"in {kept[-1]:.3g}" if kept else "not bounded"
    raise UndecidedError(
        f"relative_width={short(width)} is not reached: {what} is {between}. "
        "Ask for a wider enclosure."
    )


def _rest(target: Exact, width: Fraction) -> Fraction:
    """Return a δ that is little beside a target, where that is asked to a width."""
    return max(short_power(enclosed(target, "1/2").lower * width / 16), _LEAST_REST)


def nats_of(found: Epsilon | Number | Enclosure, width: Fraction) -> Enclosure:
    """Return a number, or nats, as an enclosure, of a quarter of a width."""
    return enclosed(found.nats if isinstance(found, Epsilon) else found, width / 4)


def short_power(value: Fraction) -> Fraction:
    """Return a power of two at most a positive number."""
    return Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length() - 1)
