"""Shared parts of the mechanisms that add noise: one profile, the same both ways.

Sensitivity is Δ = max |f(D) − f(D')| over neighbors. Under add/remove neighbors a count
has Δ = 1; a sum of values in [0, B] has Δ = B under either relation, of values in
[−B, B] it has Δ = B under add/remove and 2B under replace. A mechanism here is told Δ
and knows nothing of the relation: it stands for the pair f = 0 against f = Δ.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from math import floor
from typing import ClassVar, Self

from exactdp.divergences import NumberProfile
from exactdp.divergences.description import POSITIVE, Range
from exactdp.divergences.profile import Mixture
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import (
    Exact,
    Number,
    certainly_below,
    decimal,
    short,
)
from exactdp.numbers.balls import TOLD_BITS, precisions
from exactdp.sums import LossLaw

__all__ = [
    "MOST_POWERS",
    "AdditiveNoise",
    "whole_part",
]

MOST_POWERS = 1_000
"""Polynomials of a higher degree in a power of e are not shorter than balls."""

_LEAST, _MOST = Exact("1e-140"), Exact("1e30")
"""The least and the largest loss, in nats, with which sums plan in doubles; others are refused."""


class AdditiveNoise(NumberProfile[Number]):
    """Noise that is as likely as its negative, on a query of sensitivity Δ.

    So (P, Q) is the mirror image of (Q, P), and both have the same δ at every ε.
    """

    __slots__ = ()

    sensitivity: Number | int
    """Δ."""

    ranges: ClassVar[tuple[tuple[str, Range], ...]] = ()
    """The values of the other fields, kept in the form in which the library computes."""

    sizes: ClassVar[Range] = POSITIVE
    """The values of Δ."""

    def __post_init__(self) -> None:
        for name, values in (*self.ranges, ("sensitivity", self.sizes)):
            object.__setattr__(self, name, values.check(getattr(self, name), name=name))

    has_closed_form = True
    is_noise = True

    def reversed(self) -> Self:
        """Return the mechanism itself: the other direction is the mirror image."""
        return self

    def moved(self, times: int) -> Self:
        """Return the same noise on a query of so many times the sensitivity."""
        size = times * self.sensitivity
        return replace(self, sensitivity=size)  # type: ignore[type-var] # families are dataclasses

    def law_between(self, first: Mixture, second: Mixture) -> LossLaw | None:
        """Return the law of the loss of a mixture of rows against another; None if not known."""
        return None

    def loss_law(self) -> LossLaw:
        """Return the law of the privacy loss ln(P/Q) under P, for compositions.

        Raises:
            TooLargeError: If losses are below 1e-140, or above 1e30 nats: those, and what is
                exponential in them, cannot be planned in doubles.
        """
        size = self.loss_size
        if not (certainly_below(_LEAST, size) and certainly_below(size, _MOST)):
            raise TooLargeError(
                f"losses of about {short(decimal(size, digits=3))} nats are out of the range of "
                "sums, 1e-140 to 1e30. Ask for this mechanism alone, or take a less extreme one."
            )
        return self._loss_law()

    @property
    @abstractmethod
    def loss_size(self) -> Number:
        """The size of the loss, or of its deviation, to plan the work by."""

    @abstractmethod
    def _loss_law(self) -> LossLaw:
        """Return the law of the loss, which is not extreme."""

    @abstractmethod
    def above(self, x: Number) -> Number:
        """Return Pr[noise > x]."""

    @abstractmethod
    def exceeded(self, level: Exact) -> Number:
        """Return the smallest x with Pr[noise > x] <= level; an integer for noise on integers.

        Args:
            level: Strictly between 0 and 1.
        """


def whole_part(x: Number) -> int:
    """Return the largest integer that is at most x."""
    if isinstance(x, Exact) and x.is_rational:
        return floor(x.as_fraction())
    for bits in precisions(max_bits=TOLD_BITS):
        found = x.ball(bits).floor().unique_fmpz()
        if found is not None:
            return int(found)
    raise UndecidedError(f"{x} cannot be told from an integer. Take another threshold.")
