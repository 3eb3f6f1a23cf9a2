"""Compositions in a problem file."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from exactdp.accounting import compose
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.problems.laws import Law, located
from exactdp.problems.noise import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from exactdp.problems.pairs import ClonePair, FinitePair, StrongerClonePair, VariationRatioPair
from exactdp.problems.shuffled import BlanketPair, Shuffle
from exactdp.problems.values import Strict

__all__ = ["Composition", "Part", "PartLaw"]

PartLaw = (
    Shuffle
    | FinitePair
    | ClonePair
    | StrongerClonePair
    | VariationRatioPair
    | BlanketPair
    | Gaussian
    | Laplace
    | DiscreteLaplace
    | DiscreteGaussian
)


class Part(Strict, frozen=True, kw_only=True):
    """One law of a composition, and how many independent copies of it."""

    problem: PartLaw
    times: Annotated[
        int, Meta(ge=1, le=10**18, description="Give a number of copies, from 1 to 10^18.")
    ] = 1


class Composition(Law, frozen=True, kw_only=True, tag="composition"):
    """Independent parts, fixed in advance: their losses add."""

    parts: Annotated[list[Part], Meta(min_length=1, description="Give at least one part.")]

    def profile(self, path: str) -> PrivacyProfile:
        """Return the profile of all parts, by the best route."""
        parts = []
        for index, part in enumerate(self.parts):
            place = f"{path}.parts[{index}].problem"
            profile = part.problem.part(place)
            if profile is None:
                raise ParseError(
                    f"{place} cannot be composed. Give a mechanism all its parameters, or ask "
                    "about the pair alone."
                )
            parts.append((profile, part.times))
        with located(path):
            return compose(parts)

    def note(self) -> str | None:
        """Return the first note of a part."""
        return next((note for part in self.parts if (note := part.problem.note())), None)

    def is_lower_bound(self) -> bool:
        """Return whether a part is a lower bound."""
        return any(part.problem.is_lower_bound() for part in self.parts)
