"""Pairs of laws in a problem file: two lists of masses, or the counts that dominate a protocol."""

from __future__ import annotations

from typing import ClassVar

from msgspec import UNSET, UnsetType

from exactdp.divergences import Pair, PrivacyProfile
from exactdp.errors import ParseError
from exactdp.problems.laws import Law, MechanismLaw, SideNames
from exactdp.problems.values import (
    HERE,
    Copies,
    EpsilonValue,
    Mass,
    Rational,
    RationalOrInfinity,
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

    p: list[Mass]
    q: list[Mass]

    def __post_init__(self) -> None:
        if len(self.p) != len(self.q):
            raise ParseError(
                f"{HERE}: p has {len(self.p)} masses and q has {len(self.q)}. "
                "Give both laws on the same outcomes, with 0 where there is no mass."
            )
        check_sum(self.p, f"{HERE}.p")
        check_sum(self.q, f"{HERE}.q")

    def profile(self, path: str) -> Pair:
        """Return the pair."""
        return Pair.from_masses([m.number for m in self.p], [m.number for m in self.q])

    def sides(self) -> SideNames:
        """Return the two laws."""
        return SideNames(p="p", q="q", neighbors="whatever p and q are the laws of")


class _Counts(MechanismLaw, frozen=True, kw_only=True):
    n: Copies

    side_names: ClassVar[SideNames] = SideNames(
        p="the two counts, with the victim's first input",
        q="the two counts, with the victim's second input",
        neighbors="one user's input is replaced, the other users are the same",
    )

    def part(self, path: str) -> PrivacyProfile | None:
        """Return the pair of all counts, where its losses are few; else the profile."""
        counts = self.profile(path)
        if isinstance(counts, CountPair) and self.n <= MAX_USERS_IN_A_COMPOSITION:
            return counts.pair()
        return counts


class ClonePair(_Counts, frozen=True, kw_only=True, tag="clone_pair"):
    """The pair of counts that dominates n shuffled ε0-private users: C ~ Bin(n − 1, e^−ε0).

    Without ``epsilon0``, only the largest epsilon0 for a target can be asked.
    """

    epsilon0: EpsilonValue | UnsetType = UNSET

    mechanism = staticmethod(clone_pair)


class StrongerClonePair(_Counts, frozen=True, kw_only=True, tag="stronger_clone_pair"):
    """The pair of counts with C ~ Bin(n − 1, 2/(e^ε0 + 1)); ``epsilon0`` as for clone_pair."""

    epsilon0: EpsilonValue | UnsetType = UNSET

    mechanism = staticmethod(stronger_clone_pair)


class VariationRatioPair(_Counts, frozen=True, kw_only=True, tag="variation_ratio_pair"):
    """The pair of counts of a randomizer with ratio p, total variation beta and blanket ratio q."""

    p: RationalOrInfinity
    beta: Rational
    q: Rational

    mechanism = staticmethod(variation_ratio_pair)
