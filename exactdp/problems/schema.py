"""The questions of problem files, and the schemas of files."""

from __future__ import annotations

from functools import cache
from inspect import cleandoc
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType, field

from exactdp.errors import DomainError, ParseError
from exactdp.problems.values import (
    HERE,
    HEXADECIMAL,
    Count,
    Double,
    EpsilonValue,
    Level,
    OpenLevel,
    Order,
    Rational,
    RationalOrInfinity,
    RealNumber,
    Strict,
    Width,
)

__all__ = ["HOW_IT_IS_ASKED", "Ask", "Target", "json_schema", "with_ask"]


HOW_IT_IS_ASKED = frozenset({"direction", "relative_width"})
"""The fields of :class:`Ask` that are no questions."""


class Target(Strict, frozen=True, kw_only=True):
    """The (epsilon, delta) that a mechanism must satisfy; without delta, pure privacy."""

    epsilon: EpsilonValue
    delta: OpenLevel | UnsetType = UNSET


class Ask(Strict, frozen=True, kw_only=True):
    """The questions of a problem. P is the law with the first input (or ``p``), Q with the second.

    Attributes:
        delta: Epsilons; the answer is D_{e^eps}(P || Q), the least delta for each.
        hockey_stick: Epsilons, as of delta, by the name of the divergence.
        epsilon: Deltas; the smallest epsilon >= 0 with D_{e^eps}(P || Q) <= delta.
        renyi: Orders above 0, not 1; the Renyi divergence of P from Q, in nats (to a relative
            width of 1e-3 if it comes from D_{e^eps} alone and none is given).
        max_divergence: The least epsilon of pure differential privacy.
        total_variation: The total variation distance.
        trade_off: Levels alpha; the least type II error of a test of P against Q.
        sigma: Targets; the smallest sigma of Gaussian noise, rounded up.
        noise_multiplier: Targets; the smallest one of dp_sgd, rounded up (in files of earlier
            versions: sigma).
        scale: Targets; the smallest scale of Laplace noise, rounded up.
        scale_over_systems: Targets; for pufferfish, the same whatever the other users do.
        transport_scale: Targets; for pufferfish, the scale W/epsilon, W the Wasserstein
            distance of order infinity of the laws of the answer.
        epsilon0: Targets; the largest epsilon0 of a clone pair, rounded down.
        sampling_probability: Targets; the largest one of Poisson sampling, rounded down
            (sampling then says "poisson", or what neighbors are; or of dp_sgd).
        rate: Targets, as of sampling_probability, in files of earlier versions.
        threshold: Targets; the smallest threshold of a thresholded count, rounded up.
        kept: Numbers of users; the probability that a group of so many is shown.
        times: Targets; the largest number of copies of the one part of a composition that
            leaves out its times.
        trials: Targets; the fewest coins of binomial noise.
        variance: Targets; the smallest variance of Skellam noise, rounded up.
        rho: Targets; the largest rho of zCDP, rounded down.
        radius: Targets; a radius of truncated noise that meets it where one less does not.
        direction: "forward" as above, or "both": the worse of (P, Q) and (Q, P), which
            is the larger answer, and for trade_off the smaller.
        relative_width: How close lower and upper must be, relative to the answer. If
            left out: 1e-15 for exact laws, 1e-9 for laws at scale, 1e-6 for compositions
            on a grid, 1e-3 for shuffled users at scale (each end, where ends differ).
    """

    delta: list[EpsilonValue] = field(default_factory=list)
    hockey_stick: list[EpsilonValue] = field(default_factory=list)
    epsilon: list[Level] = field(default_factory=list)
    renyi: list[Order] = field(default_factory=list)
    max_divergence: bool = False
    total_variation: bool = False
    trade_off: list[Level] = field(default_factory=list)
    sigma: list[Target] = field(default_factory=list)
    noise_multiplier: list[Target] = field(default_factory=list)
    scale: list[Target] = field(default_factory=list)
    scale_over_systems: list[Target] = field(default_factory=list)
    transport_scale: list[Target] = field(default_factory=list)
    epsilon0: list[Target] = field(default_factory=list)
    sampling_probability: list[Target] = field(default_factory=list)
    rate: list[Target] = field(default_factory=list)
    threshold: list[Target] = field(default_factory=list)
    kept: list[Count] = field(default_factory=list)
    times: list[Target] = field(default_factory=list)
    trials: list[Target] = field(default_factory=list)
    variance: list[Target] = field(default_factory=list)
    rho: list[Target] = field(default_factory=list)
    radius: list[Target] = field(default_factory=list)
    direction: Literal["forward", "both"] = "forward"
    relative_width: Width | None = None

    def __post_init__(self) -> None:
        asked = set(self.__struct_fields__) - HOW_IT_IS_ASKED
        if not any(getattr(self, name) for name in asked):
            raise ParseError(
                f"{HERE} asks nothing. Give delta, epsilon, renyi or trade_off a value, "
                "or set max_divergence or total_variation to true."
            )


@cache
def with_ask(law: Any) -> Any:
    """Return the law's object with the further key ``ask``."""
    return msgspec.defstruct(
        f"{law.__name__.removesuffix('Law')}Problem",
        [("ask", Ask)],
        bases=(law,),
        tag_field="kind",
        tag=law.__struct_config__.tag,
        frozen=True,
        kw_only=True,
        namespace={"__doc__": law.__doc__},
    )


def json_schema(kind: Any, *, name: str) -> dict[str, Any]:
    """Return the JSON Schema of a type, under a name.

    Descriptions are docstrings without their indentation, whatever version of msgspec reads them.
    """
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:exactdp:{name}"}
    found = head | msgspec.json.schema(kind, schema_hook=_schema_of)
    _finish(found)
    found["$defs"] |= {name: _number(name) for name in ("Number", "NumberOrInfinity", "RealNumber")}
    if "EpsilonValue" in found["$defs"]:
        whole = found["$defs"]["EpsilonValue"]
        found["$defs"]["EpsilonValue"] = {"anyOf": [{"$ref": "#/$defs/RealNumber"}, whole]}
    return found


def _finish(node: Any) -> None:
    """Take the common indentation off descriptions, and let integers be texts, in place."""
    if isinstance(node, dict):
        if isinstance(text := node.get("description"), str):
            node["description"] = cleandoc(text)
        if node.get("type") == "integer":
            said = {key: node.pop(key) for key in ("description", "default") if key in node}
            whole, text_of_it = dict(node), {"type": "string", "pattern": "^[-+0-9./eE]+$"}
            node.clear()
            node.update(anyOf=[whole, text_of_it], **said)
            return
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            _finish(inner)


def _schema_of(kind: type) -> dict[str, Any]:
    if not issubclass(kind, Rational | RationalOrInfinity):
        raise DomainError(f"{kind.__name__} has no JSON Schema. Derive it from Rational.")
    if kind is Double:
        return {"type": "string", "pattern": HEXADECIMAL.pattern}
    if kind is RationalOrInfinity:
        return {"$ref": "#/$defs/NumberOrInfinity"}
    return {"$ref": f"#/$defs/{'RealNumber' if issubclass(kind, RealNumber) else 'Number'}"}


def _number(name: str) -> dict[str, Any]:
    """Return the schema of a number's text."""
    more = {"NumberOrInfinity": "|^infinity$", "RealNumber": "|^([-+0-9./eE^*() ]|sqrt|log|ln)+$"}
    said = {"NumberOrInfinity": ", or infinity", "RealNumber": ', "sqrt(10)" or "log(3)"'}
    return {
        "type": ["string", "number", "object"],
        "pattern": f"^[-+0-9./eE^*() ]+${more.get(name, '')}",
        "properties": {"at_float": _schema_of(Double)},
        "required": ["at_float"],
        "additionalProperties": False,
        "description": 'A number: "4/7", 0.49 (exactly 49/100), "1e-10", 3 or "e^-2"'
        f"{said.get(name, '')}; or the number that a double holds, "
        '{"at_float": "0x1.8p-4"}.',
    }
