"""Pairs of laws in a problem file: two lists of masses, or the counts that dominate a protocol."""

from __future__ import annotations

from typing import Any

from exactdp.divergences import PrivacyProfile, pair_of_reals
from exactdp.divergences.description import description_of
from exactdp.errors import ParseError, number_of
from exactdp.problems.described import law_of
from exactdp.problems.laws import Law, MechanismLaw, SideNames, located
from exactdp.problems.values import (
    HERE,
    Copies,
    Rational,
    RationalOrInfinity,
    RealMass,
    check_sum,
)
from exactdp.shuffle import (
    CountPair,
    clone_pair,
    stronger_clone_pair,
    variation_ratio_pair,
)

__all__ = ["ClonePair", "FinitePair", "StrongerClonePair", "VariationRatioPair"]

MAX_USERS_IN_A_COMPOSITION = 100
"""Pairs of counts of more users have too many losses to compose."""


class FinitePair(Law, frozen=True, kw_only=True, tag="finite_pair"):
    """Two laws on the same outcomes, as lists of masses."""

    p: list[RealMass]
    q: list[RealMass]

    def __post_init__(self) -> None:
        if len(self.p) != len(self.q):
            raise ParseError(
                f"{HERE}: p has {number_of(len(self.p), 'mass')} and q has {len(self.q)}. "
                "Give both laws on the same outcomes, with 0 where there is no mass."
            )
        check_sum(self.p, f"{HERE}.p")
        check_sum(self.q, f"{HERE}.q")

    def profile(self, path: str) -> PrivacyProfile:
        """Return the pair; by pairs nearby if masses have roots or logarithms."""
        with located(path):
            return pair_of_reals([m.number for m in self.p], [m.number for m in self.q])

    def sides(self) -> SideNames:
        """Return the two laws."""
        return SideNames(p="p", q="q", neighbors="whatever p and q are the laws of")


class _Counts(MechanismLaw, frozen=True, kw_only=True):
    n: Copies

    def part(self, path: str) -> PrivacyProfile | None:
        """Return the pair of all counts, where its losses are few; else the profile."""
        counts = self.profile(path)
        if isinstance(counts, CountPair) and self.n <= MAX_USERS_IN_A_COMPOSITION:
            return counts.pair()
        return counts


ClonePair: Any = law_of(clone_pair, _Counts)
StrongerClonePair: Any = law_of(stronger_clone_pair, _Counts)


class VariationRatioPair(_Counts, frozen=True, kw_only=True, tag="variation_ratio_pair"):
    """The pair of counts of a randomizer with ratio p, total variation beta and blanket ratio q."""

    p: RationalOrInfinity
    beta: Rational
    q: Rational

    mechanism = staticmethod(variation_ratio_pair)
    side_names = SideNames.of(description_of(clone_pair).sides)
