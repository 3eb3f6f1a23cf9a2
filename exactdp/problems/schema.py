"""What a problem file may say: a law, and what is asked about it.

Definitions: :class:`Ask`, :class:`Target`, :data:`ProblemFile`, :func:`problem_schema`.
"""

from __future__ import annotations

from typing import Any, Literal, Union, get_args

import msgspec
from flint import fmpq
from msgspec import UNSET, UnsetType, field

from exactdp.errors import ParseError
from exactdp.problems.law_schema import LawFile
from exactdp.problems.values import (
    HERE,
    EpsilonValue,
    Rational,
    RationalOrInfinity,
    Strict,
    short,
)

__all__ = ["CALIBRATIONS", "Ask", "ProblemFile", "Target", "problem_schema"]

CALIBRATIONS = ("sigma", "scale", "scale_over_systems", "transport_scale", "epsilon0")
"""The parameters of a mechanism that can be asked for, given what it must satisfy."""


class Target(Strict, frozen=True, kw_only=True):
    """The (epsilon, delta) that a mechanism must satisfy; without delta, pure privacy."""

    epsilon: EpsilonValue
    delta: Rational | UnsetType = UNSET

    def __post_init__(self) -> None:
        if isinstance(self.delta, Rational) and not 0 < self.delta.value < 1:
            raise ParseError(
                f"{HERE}.delta={short(self.delta)} must be above 0 and below 1. "
                "Give the delta that the mechanism must satisfy."
            )

    def written(self) -> dict[str, Any]:
        """Return the object as the file writes it."""
        at: dict[str, Any] = {"epsilon": self.epsilon.written()}
        return at if self.delta is UNSET else {**at, "delta": self.delta.written}


class Ask(Strict, frozen=True, kw_only=True):
    """What is asked. P is the law with the first input (or ``p``), Q with the second.

    Attributes:
        hockey_stick: Epsilons; the answer is D_{e^eps}(P || Q).
        epsilon: Deltas; the smallest epsilon >= 0 with D_{e^eps}(P || Q) <= delta.
        renyi: Orders above 1; the Renyi divergence of P from Q, in nats.
        max_divergence: The least epsilon of pure differential privacy.
        total_variation: The total variation distance.
        trade_off: Levels alpha; the least type II error of a test of P against Q.
        sigma: Targets; the smallest sigma of Gaussian noise, rounded up.
        scale: Targets; the smallest scale of Laplace noise, rounded up.
        scale_over_systems: Targets; for pufferfish, the same whatever the other users do.
        transport_scale: Targets; for pufferfish, the scale W/epsilon, W the Wasserstein
            distance of order infinity of the laws of the answer.
        epsilon0: Targets; the largest epsilon0 of a clone pair, rounded down.
        direction: "forward" as above, or "both": the worse of (P, Q) and (Q, P), which
            is the larger answer, and for trade_off the smaller.
        relative_width: How close lower and upper must be, relative to the answer. If
            left out: 1e-15 for exact laws, 1e-9 for laws at scale, 1e-6 for compositions
            on a grid.
    """

    hockey_stick: list[EpsilonValue] = field(default_factory=list)
    epsilon: list[Rational] = field(default_factory=list)
    renyi: list[Rational] = field(default_factory=list)
    max_divergence: bool = False
    total_variation: bool = False
    trade_off: list[Rational] = field(default_factory=list)
    sigma: list[Target] = field(default_factory=list)
    scale: list[Target] = field(default_factory=list)
    scale_over_systems: list[Target] = field(default_factory=list)
    transport_scale: list[Target] = field(default_factory=list)
    epsilon0: list[Target] = field(default_factory=list)
    direction: Literal["forward", "both"] = "forward"
    relative_width: Rational | None = None

    def __post_init__(self) -> None:
        lists = ("hockey_stick", "epsilon", "renyi", "trade_off", *CALIBRATIONS)
        flags = self.max_divergence or self.total_variation
        if not flags and not any(getattr(self, name) for name in lists):
            raise ParseError(
                f"{HERE} asks nothing. Give hockey_stick, epsilon, renyi or trade_off a value, "
                "or set max_divergence or total_variation to true."
            )
        for name, levels in (("epsilon", self.epsilon), ("trade_off", self.trade_off)):
            for index, level in enumerate(levels):
                if not 0 <= level.value <= 1:
                    raise ParseError(
                        f"{HERE}.{name}[{index}]={short(level)} is not a probability. "
                        "Give a number from 0 to 1."
                    )
        for index, order in enumerate(self.renyi):
            if order.value <= 1:
                raise ParseError(
                    f"{HERE}.renyi[{index}]={short(order)} must be above 1. "
                    "Ask for max_divergence for order infinity."
                )
        width = self.relative_width
        if width is not None and not fmpq(1, 10**10_000) <= width.value < 1:
            raise ParseError(
                f"{HERE}.relative_width={short(width)} must be at least 1e-10000 and below 1. "
                "Leave it out for the usual width."
            )


def _with_ask(law: Any) -> Any:
    """Return the law's object with the further key ``ask``."""
    return msgspec.defstruct(
        f"{law.__name__}Problem",
        [("ask", Ask)],
        bases=(law,),
        tag_field="kind",
        tag=law.__struct_config__.tag,
        frozen=True,
        kw_only=True,
        namespace={"__doc__": law.__doc__},
    )


ProblemFile: Any = Union[tuple(_with_ask(law) for law in get_args(LawFile))]  # noqa: UP007
"""A law together with its questions: one object for each law, told apart by its kind."""


def problem_schema() -> dict[str, Any]:
    """Return the JSON Schema of problem files.

    Example:
        >>> sorted(problem_schema()["discriminator"]["mapping"])[:3]
        ['blanket_pair', 'clone_pair', 'composition']
    """
    return msgspec.json.schema(ProblemFile, schema_hook=_schema_of)


def _schema_of(kind: type) -> dict[str, Any]:
    if kind not in (Rational, RationalOrInfinity):
        raise NotImplementedError(kind)
    infinity = ', or "infinity"' if kind is RationalOrInfinity else ""
    return {
        "type": ["string", "integer"],
        "description": 'A rational number: "4/7", "0.49" (exactly 49/100), "1e-10" or 3'
        f"{infinity}.",
    }
