"""The laws of problem files that are made from the descriptions of mechanisms.

A parameter in which the mechanism is monotone may be left out, and asked for; of several that say
one thing exactly one is given; the others have the defaults of the function's signature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial, reduce
from inspect import Parameter as Argument
from inspect import signature
from operator import or_
from typing import Any, Literal

from msgspec import UNSET, UnsetType, defstruct, field

from exactdp import mechanisms
from exactdp.divergences import description as known
from exactdp.divergences.description import (
    Description,
    Parameter,
    Range,
    described_in,
    description_of,
)
from exactdp.numbers.crossing import Slope
from exactdp.problems.integer_noise import IntegerNoiseLaw
from exactdp.problems.laws import MechanismLaw, SideNames
from exactdp.problems.sampling import SampledLaw
from exactdp.problems.values import (
    Copies,
    EpsilonValue,
    OpenProbability,
    PositiveRational,
    PositiveReal,
    Probability,
    Rational,
    Size,
    Steps,
)

__all__ = ["law_of", "noise_law", "noise_laws", "noise_of"]

_TYPES: Mapping[Range, Any] = {
    known.POSITIVE: PositiveReal,
    known.RATIONAL: PositiveRational,
    known.PROBABILITY: Probability,
    known.OPEN_PROBABILITY: OpenProbability,
    known.OPEN_RATIONAL: Probability,
    known.EPSILON: EpsilonValue,
    known.COUNT: Steps,
    known.SIZE: Size,
    known.USERS: Copies,
}
"""How a file writes the values of a range, unless these are a few words."""


@cache
def law_of(mechanism: Callable[..., Any], base: type | None = None) -> Any:
    """Return the law of a described mechanism: an object of a file, told apart by its kind.

    Args:
        mechanism: The function that makes it.
        base: What the law is, if it is no noise.

    Example:
        >>> law_of(mechanisms.laplace_mechanism).__struct_fields__
        ('sampling', 'scale', 'sensitivity')
    """
    about = description_of(mechanism)
    if base is None:
        base = IntegerNoiseLaw if about.is_of_integers else SampledLaw
    arguments = signature(mechanism).parameters
    own = getattr(base, "__struct_fields__", ())
    fields = [
        _field(one, about, arguments[one.name].default)
        for one in about.parameters
        if one.name not in own
    ]
    says: dict[str, Any] = {"__doc__": _text(about), "mechanism": staticmethod(mechanism)}
    if issubclass(base, MechanismLaw):
        says["side_names"] = SideNames.of(about.sides)
    name = "".join(word.capitalize() for word in about.kind.split("_"))
    field_of_kind = base.__struct_config__.tag_field  # type: ignore[attr-defined]
    return defstruct(
        name,
        fields,
        bases=(base,),
        tag_field=field_of_kind,
        tag=about.kind,
        frozen=True,
        kw_only=True,
        namespace=says,
    )


def _field(one: Parameter, about: Description, default: Any) -> tuple[str, Any, Any]:
    kind = Literal[one.range.choices] if one.range.choices else _TYPES[one.range]
    if one.slope is not None or one.name in about.one_of:
        return one.name, kind | UnsetType, UNSET
    if default is Argument.empty:
        return one.name, kind, field()
    if isinstance(kind, type) and issubclass(kind, Rational):
        return one.name, kind, field(default_factory=partial(kind.read, default))
    return one.name, kind, default


def _text(about: Description) -> str:
    """Return the text of a kind, with the questions about a parameter that it leaves out."""
    ends = {Slope.FALLING: "smallest", Slope.GROWING: "largest"}
    left = [
        f"Without ``{one.name}``, only the {ends[one.slope]} for a target can be asked."
        for one in about.parameters
        if one.slope is not None
    ]
    return " ".join([about.text.rstrip(), *left])


@cache
def noise_laws() -> tuple[Any, ...]:
    """Return the laws of all noise."""
    return tuple(law_of(one) for one in described_in(mechanisms) if description_of(one).is_sampled)


def noise_law(kind: str) -> Any | None:
    """Return the law of a kind of noise, and load no other; None if it is of another kind.

    Example:
        >>> noise_law("laplace").__struct_fields__, noise_law("composition")
        (('sampling', 'scale', 'sensitivity'), None)
    """
    name = f"{kind}_mechanism"
    if name not in mechanisms.__all__:
        return None
    law = law_of(getattr(mechanisms, name))
    return law if issubclass(law, SampledLaw) and law.__struct_config__.tag == kind else None


def noise_of(place: str) -> Any:
    """Return the union of all noise that goes into a law of a place, such as "thresholds"."""
    kinds = (law for law in noise_laws() if place in description_of(law.mechanism).goes_into)
    return reduce(or_, kinds)
