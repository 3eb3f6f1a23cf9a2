"""Shared parts of the drop-in accountants: doubles in, a double rounded to the safe side out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from math import inf
from typing import Any, TypeVar

from exactdp.accounting.accountants.privacy_loss_names import CertifiedPLD
from exactdp.accounting.composition.like_steps import grouped
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.chernoff import Curve
from exactdp.divergences.fallbacks import (
    COARSER,
    first_reached,
    least_bound,
    looser_delta,
    looser_epsilon,
    upper_end,
)
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    certainly_below,
    float_above,
    short,
)
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.effort import NO_ANSWER, answers
from exactdp.numbers.text import fraction_of, rational

__all__ = [
    "USUAL_WIDTH",
    "WORK_OF_A_BOUND",
    "WORK_OF_WIDTHS",
    "Spent",
    "at_least_0",
    "exactly",
    "optional",
]

T = TypeVar("T")

_Bound = tuple[Fraction, str]
"""A bound, and its name."""

USUAL_WIDTH = Fraction(1, 10**4)
"""The relative width that is promised where none is asked for: four digits of ε or δ."""

WORK_OF_WIDTHS = 24_000_000
"""The operations in which an answer to a width is sought; a training loop waits for it."""

WORK_OF_A_BOUND = 1_000_000
"""The operations in which each bound is sought, where no width is reached."""


def optional(module: str) -> Any:
    """Return a module, or None if it, or the package around it, is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        return None


def exactly(value: float, *, name: str) -> Fraction:
    """Return the number that a double is, exactly.

    Raises:
        DomainError: If it is infinite, or no number.

    Example:
        >>> exactly(0.5, name="rate"), exactly(0.1, name="rate") == Fraction("0.1")
        (Fraction(1, 2), False)
    """
    if isinstance(value, str):
        raise DomainError(f"{name}={value!r} is not a number. Pass a finite number.")
    return fraction_of(rational(value, name=name))


def at_least_0(value: Any, name: str) -> Fraction:
    """Return the number that a double is, exactly; a negative one is refused."""
    found = exactly(value, name=name)
    if found < 0:
        raise DomainError(f"{name}={value} is negative. Pass 0 or more.")
    return found


class Spent:
    """The privacy spent by mechanisms used so far, one after another.

    What is too large to compute to the relative width is computed to a thousandth or a hundredth,
    and else bounded by Rényi divergences, or not at all: an accountant in a training loop has an
    answer, and says what it is.

    Attributes:
        relative_width: How near to the truth an answer is that has no note; 1e-4 if not given.

    Example:
        One Gaussian of σ = 1, ε at δ = 0.126936737507 (that of ε = 1, rounded up):

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> spent = Spent([(gaussian_mechanism(sigma=1), 1)])
        >>> 0.99999 < spent.epsilon(0.126936737507) < 1.0001, spent.note
        (True, None)
        >>> from exactdp.accounting.accountants.renyi_curves import Budget
        >>> known = Budget(Fraction(0), Fraction(1, 2))  # what that Gaussian is by zCDP alone
        >>> spent = Spent([], curves=[(known, 1)])
        >>> 1 < spent.epsilon(0.126936737507) < 1.6, spent.note.endswith("nothing else is known")
        (True, True)
    """

    def __init__(
        self,
        parts: Iterable[tuple[PrivacyProfile, int]],
        *,
        curves: Iterable[tuple[Curve, int]] = (),
        relative_width: RationalLike = USUAL_WIDTH,
    ) -> None:
        """Take (profile, times) in the direction of removing, and curves of bounds of others."""
        given = [(part, times) for part, times in parts if times]
        used = grouped(given)
        self._bounds = MomentBounds.both_ways(tuple(used), tuple(curves))
        self._usual_note = None
        if used is not given:
            self._usual_note = (
                f"looser: {len(given):,} kinds of steps are {len(used)} here, each the worst of "
                "its group"
            )
        self._losses: CertifiedPLD | None = None
        self.relative_width = checked_width(relative_width)
        self._note: str | None = None

    @property
    def note(self) -> str | None:
        """The kind of the last answer if it is not as near to the truth as promised, else None."""
        return "; ".join(note for note in (self._usual_note, self._note) if note) or None

    def epsilon(self, delta: float) -> float:
        """Return a double that is at least ε(δ), as near as promised or as ``note`` says.

        Infinity where no bound is known.

        Raises:
            DomainError: If δ is negative or no number.
        """
        self._note = None
        target = exactly(delta, name="delta")
        if target < 0:
            raise DomainError(f"delta={delta} is negative. Pass a number from 0 to 1.")
        if target >= 1:
            return 0
        if certainly_below(Exact(target), self._bounds.infinity_mass(), max_bits=1 << 12):
            return inf
        if target == 0:
            found = self._attempted(
                lambda: upper_end(self._bounds.max_divergence(), self.relative_width)
            )
        else:
            found = self._nearest(
                lambda width: self._exact().epsilon(target, relative_width=width),
                lambda bounds: looser_epsilon(bounds, Exact(target)),
                lambda distance: Fraction(0) if distance <= target else None,
            )
        if found == 0:  # nothing is nearer
            self._note = None
        return inf if found is None else max(0, float_above(Exact(found)))

    def delta(self, epsilon: float) -> float:
        """Return a double that is at least δ(ε), as near as promised or as ``note`` says.

        1 where no bound is known.

        Raises:
            DomainError: If ε is not a number.
        """
        if epsilon == inf:
            self._note = None
            return min(1, float_above(self._bounds.infinity_mass()))
        found = self.bound_of_delta(Epsilon.from_float_exactly(epsilon))
        return 1 if found is None else min(1, float_above(Exact(found)))

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss that is known, perhaps infinity."""
        return self._bounds.max_divergence()

    def bound_of_delta(self, at: Epsilon) -> Fraction | None:
        """Return an upper bound of δ(ε), as near as promised or as ``note`` says; None if unknown.

        Example:
            >>> from exactdp.mechanisms import laplace_mechanism
            >>> spent = Spent([(laplace_mechanism(scale=1), 1)])
            >>> round(float(spent.bound_of_delta(Epsilon.log(1))), 4)  # 1 − e^(−1/2)
            0.3935
        """
        self._note = None
        # δ <= 1 − g(1 − v), v the total variation distance and g = min(e^ε, 1).
        least = Fraction(1) if at >= Epsilon.log(1) else enclosed(at.exp, USUAL_WIDTH).lower
        return self._nearest(
            lambda width: self._exact().delta(at, relative_width=width),
            lambda bounds: looser_delta(bounds, at),
            lambda distance: 1 - least * (1 - distance),
        )

    def _exact(self) -> CertifiedPLD:
        """Return the privacy losses of all parts, which may be too large to compose."""
        if self._losses is None:
            try:
                self._losses = CertifiedPLD.from_parts(self._bounds.sides[0])
            except DomainError as error:  # a part that has no law of its loss is not summed
                raise TooLargeError(str(error)) from error
        return self._losses

    def _nearest(
        self,
        at_width: Callable[[Fraction], Number | Epsilon | Enclosure],
        by_moments: Callable[[MomentBounds], _Bound | None],
        by_distance: Callable[[Fraction], Fraction | None],
    ) -> Fraction | None:
        """Return the upper end at the first width that is reached, else a bound, else None."""
        bound = by_moments, by_distance
        why = "of the best of runs, of a sample or of a zCDP budget nothing else is known"
        if not self._bounds.curves:
            reached = first_reached(at_width, self.relative_width, work=WORK_OF_WIDTHS)
            if reached is not None:
                found, width = reached
                if isinstance(found, Enclosure) and not found.is_narrow(width):
                    return self._least(found, self._bound(*bound))
                if width != self.relative_width:
                    self._note = (
                        f"wider: the relative width {short(width)} was reached, "
                        f"not {short(self.relative_width)}"
                    )
                return upper_end(found, width)
            widest = max(self.relative_width, *COARSER)
            why = f"the relative width {short(widest)} was not reached"
        proved = self._bound(*bound)
        if proved is None:
            self._note = f"no bound: it is too large to compute, and no bound is known; {why}"
            return None
        self._note = f"looser: {proved[1]}; {why}"
        return proved[0]

    def _least(self, found: Enclosure, other: _Bound | None) -> Fraction:
        """Return the less of the upper end of bounds that are far apart, and of another bound."""
        best = found.upper, found.upper_by or "what dominates all"
        if other is not None:
            best = min(best, other)
        self._note = f"looser: {best[1]}; it is at least {Exact(found.lower):.4g}"
        return best[0]

    def _bound(
        self,
        by_moments: Callable[[MomentBounds], _Bound | None],
        by_distance: Callable[[Fraction], Fraction | None],
    ) -> _Bound | None:
        """Return the least bound that is found, and its name; None if there is none."""

        def distances() -> _Bound | None:
            distance = self._bounds.total_variation()
            most = None if distance is None else by_distance(distance)
            words = "the distances of the parts, added up"
            if self._bounds.curves:
                words = "a bound of the total variation distance by Rényi divergences"
            return None if most is None else (most, words)

        plain, convex = (
            partial(by_moments, replace(self._bounds, is_convex=kind)) for kind in (False, True)
        )
        # Where bounds are all that is known, no width is sought before.
        work = WORK_OF_WIDTHS if self._bounds.curves else WORK_OF_A_BOUND
        found = least_bound(plain, work=work)
        ways = (distances,) if found else (convex, distances)
        return least_bound(lambda: found, *ways, work=work)

    def _attempted(self, question: Callable[[], T]) -> T | None:
        """Return an answer, or None with a note if it is too large."""
        for _, found in answers(
            lambda ask: ask(), [question], refusals=NO_ANSWER, work=WORK_OF_WIDTHS
        ):
            return found
        self._note = "no bound: it is too large to compute, and no bound is known"
        return None
