"""Laws at scale: what is known of them are enclosures of any width.

Definitions: :class:`CertifiedLaw`, :class:`Side`, :class:`Calibration`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from flint import fmpq

from exactdp.divergences import PrivacyProfile
from exactdp.numbers import Enclosure, Epsilon, Number

__all__ = ["USUAL_WIDTH", "Calibration", "CertifiedLaw", "Side"]

USUAL_WIDTH = fmpq(1, 10**9)


@dataclass(frozen=True, slots=True)
class Side:
    """One direction (P, Q) of a law.

    Attributes:
        delta: Returns an enclosure of D_{e^eps}(P || Q) of a relative width.
        epsilon: Returns an enclosure of the smallest epsilon >= 0 with
            D_{e^eps}(P || Q) <= delta.
        exact_delta: Returns D_{e^eps}(P || Q) as a number that can be asked for any
            number of digits, where there is one.
        max_divergence: Returns the least epsilon with D_{e^eps}(P || Q) = 0, in nats if
            it is a number; None if it is not worked out.
    """

    delta: Callable[[Epsilon, fmpq], Enclosure]
    epsilon: Callable[[fmpq, fmpq], Enclosure]
    exact_delta: Callable[[Epsilon], Number] | None = None
    max_divergence: Callable[[], Epsilon | Number] | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The parameter that a law may leave out, to be found for a target.

    Attributes:
        parameter: Its name in the file.
        solve: Returns an enclosure of its extreme value for which the law satisfies
            (epsilon, delta), of a relative width.
        needs_delta: Whether a target has a delta; it is 0 otherwise.
        smaller_is_safe: Whether smaller values satisfy the target too, or larger ones.
    """

    parameter: str
    solve: Callable[[Epsilon, fmpq, fmpq], Enclosure]
    smaller_is_safe: bool = False
    needs_delta: bool = True


@dataclass(frozen=True, slots=True)
class CertifiedLaw:
    """A law at scale.

    Attributes:
        sides: (P, Q), and (Q, P) where its divergences differ; none if the law leaves
            out its parameter.
        calibrations: What can be asked if the parameter is left out.
        usual_width: The relative width of answers where the file asks for none.
        part: What a composition takes as a part.
    """

    sides: tuple[Side, ...]
    calibrations: tuple[Calibration, ...] = ()
    usual_width: fmpq = USUAL_WIDTH
    part: PrivacyProfile | None = None

    def sides_of(self, direction: Literal["forward", "both"]) -> tuple[Side, ...]:
        """Return the directions that a question is about."""
        return self.sides if direction == "both" else self.sides[:1]
