"""The laws of a problem file: what can be asked about.

Every object refuses unknown keys, and is told apart by its ``kind``.

Definitions: :data:`LawFile` and its members.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType, field

from exactdp.errors import ParseError
from exactdp.problems.pufferfish_schema import LaplaceMixture, Pufferfish
from exactdp.problems.randomizer_schema import Mechanism
from exactdp.problems.strict_json import path_of_key
from exactdp.problems.values import (
    HERE,
    Count,
    EpsilonValue,
    Input,
    Rational,
    RationalOrInfinity,
    Strict,
    check_law,
    check_matrix,
    check_positive,
)

__all__ = [
    "BlanketPair",
    "ClonePair",
    "Composition",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "FinitePair",
    "Gaussian",
    "Laplace",
    "LawFile",
    "OtherUsers",
    "Part",
    "PartLaw",
    "Shuffle",
    "StrongerClonePair",
    "VariationRatioPair",
    "VictimUser",
]


class VictimUser(Strict, frozen=True, kw_only=True):
    """The user whose input differs: P is the law with the first input, Q with the second."""

    randomizer: str
    inputs: Annotated[
        tuple[Input, Input], Meta(description="Give both inputs of the victim, such as [0, 1].")
    ]


class OtherUsers(Strict, frozen=True, kw_only=True):
    """Some of the other users: ``count`` of them with one randomizer and one input."""

    randomizer: str
    input: Input
    count: Count = 1


class Shuffle(Strict, frozen=True, kw_only=True, tag_field="kind", tag="shuffle"):
    """The multiset of all messages of explicit users, one of whom has either of two inputs.

    With ``merge``, a partition of the messages, only the number of messages in each
    part is seen; answers are then bounds for the whole view.
    """

    randomizers: dict[str, list[list[Rational]] | Mechanism]
    victim: VictimUser
    others: list[OtherUsers] = field(default_factory=list)
    merge: list[list[Input]] | None = None

    def __post_init__(self) -> None:
        for name, rows in self.randomizers.items():
            if isinstance(rows, list):
                check_matrix(rows, path_of_key(f"{HERE}.randomizers", name))


class FinitePair(Strict, frozen=True, kw_only=True, tag_field="kind", tag="finite_pair"):
    """Two laws on the same outcomes, as lists of masses."""

    p: list[Rational]
    q: list[Rational]

    def __post_init__(self) -> None:
        if len(self.p) != len(self.q):
            raise ParseError(
                f"{HERE}: p has {len(self.p)} masses and q has {len(self.q)}. "
                "Give both laws on the same outcomes, with 0 where there is no mass."
            )
        check_law(self.p, f"{HERE}.p")
        check_law(self.q, f"{HERE}.q")


Copies = Annotated[
    int, Meta(ge=1, le=10**18, description="Give a number of users, the victim's included, from 1.")
]
Steps = Annotated[int, Meta(ge=1, le=10**18, description="Give an integer of at least 1.")]


class ClonePair(Strict, frozen=True, kw_only=True, tag_field="kind", tag="clone_pair"):
    """The pair of counts that dominates n shuffled ε0-private users: C ~ Bin(n − 1, e^−ε0).

    Without ``epsilon0``, only the largest epsilon0 for a target can be asked.
    """

    n: Copies
    epsilon0: EpsilonValue | UnsetType = UNSET


class StrongerClonePair(
    Strict, frozen=True, kw_only=True, tag_field="kind", tag="stronger_clone_pair"
):
    """The pair of counts with C ~ Bin(n − 1, 2/(e^ε0 + 1)); ``epsilon0`` as for clone_pair."""

    n: Copies
    epsilon0: EpsilonValue | UnsetType = UNSET


class VariationRatioPair(
    Strict, frozen=True, kw_only=True, tag_field="kind", tag="variation_ratio_pair"
):
    """The pair of counts of a randomizer with ratio p, total variation beta and blanket ratio q."""

    n: Copies
    p: RationalOrInfinity
    beta: Rational
    q: Rational


class BlanketPair(Strict, frozen=True, kw_only=True, tag_field="kind", tag="blanket_pair"):
    """The victim's message among those of the others that do not depend on their inputs.

    Without ``inputs``, the worst pair of inputs of the randomizer at each epsilon.
    """

    n: Copies
    randomizer: list[list[Rational]] | Mechanism
    inputs: Annotated[
        tuple[Input, Input] | None,
        Meta(description="Give both inputs of the victim, such as [0, 1]."),
    ] = None

    def __post_init__(self) -> None:
        if isinstance(self.randomizer, list):
            check_matrix(self.randomizer, f"{HERE}.randomizer")


class Gaussian(Strict, frozen=True, kw_only=True, tag_field="kind", tag="gaussian"):
    """Normal noise. Without ``sigma``, only the smallest sigma for a target can be asked."""

    sigma: Rational | UnsetType = UNSET
    sensitivity: Rational = field(default_factory=lambda: Rational.read(1))

    def __post_init__(self) -> None:
        check_positive(self, "sigma", "sensitivity")


class Laplace(Strict, frozen=True, kw_only=True, tag_field="kind", tag="laplace"):
    """Laplace noise. Without ``scale``, only the smallest scale for a target can be asked."""

    scale: Rational | UnsetType = UNSET
    sensitivity: Rational = field(default_factory=lambda: Rational.read(1))

    def __post_init__(self) -> None:
        check_positive(self, "scale", "sensitivity")


class DiscreteLaplace(Strict, frozen=True, kw_only=True, tag_field="kind", tag="discrete_laplace"):
    """Integer noise with mass proportional to e^(−|x|/scale); ``scale`` as for laplace."""

    scale: Rational | UnsetType = UNSET
    sensitivity: Steps = 1

    def __post_init__(self) -> None:
        check_positive(self, "scale")


class DiscreteGaussian(
    Strict, frozen=True, kw_only=True, tag_field="kind", tag="discrete_gaussian"
):
    """Integer noise with mass proportional to e^(−x²/(2 sigma²))."""

    sigma: Rational
    sensitivity: Steps = 1

    def __post_init__(self) -> None:
        check_positive(self, "sigma")


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


class Composition(Strict, frozen=True, kw_only=True, tag_field="kind", tag="composition"):
    """Independent parts, fixed in advance: their losses add."""

    parts: Annotated[list[Part], Meta(min_length=1, description="Give at least one part.")]


LawFile = PartLaw | LaplaceMixture | Pufferfish | Composition
