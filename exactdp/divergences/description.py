"""A mechanism, described once: its name, its parameters, and facts about each.

The signature of a mechanism's function stands in its file, with its defaults. Beside it a
:class:`Description` says of each parameter what it means, in which unit, which values it takes, and
whether every δ(ε) falls or grows in it. From that come the checks of arguments, the search for a
parameter that is left out (:func:`exactdp.divergences.calibrated`), the kind of problem files with
its schema, the events of other accountants, the deployments that tests draw, and the table of the
reference pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import ModuleType
from typing import Any, TypeVar

from exactdp.errors import DomainError
from exactdp.numbers.arguments import (
    exact,
    open_probability,
    positive,
    privacy_epsilon,
    probability,
    whole_number,
)
from exactdp.numbers.crossing import Slope

__all__ = [
    "OTHER_SCALES",
    "SENSITIVITY",
    "Description",
    "Event",
    "Parameter",
    "Range",
    "checked",
    "choice",
    "described",
]
__all__ += ["described_in", "description_of"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Range:
    """The values that a parameter takes.

    Attributes:
        words: The values in words, for readers.
        check: Returns a value in the form in which the library computes; a DomainError names the
            value, the rule and the way out. It takes the value and the parameter's ``name``.
        choices: The values, where they are a few words.
    """

    words: str
    check: Callable[..., Any] = field(repr=False)
    choices: tuple[str, ...] = ()


def _positive_rational(value: Any, *, name: str) -> Fraction:
    found = exact(value, name=name)
    if found.sign() <= 0:
        raise DomainError(f"{name}={found.text(most=40)} is not positive. Pass a positive number.")
    if not found.is_rational:
        raise DomainError(f"{name}={found.text(most=40)} is not rational. Pass a rational near it.")
    return found.as_fraction()


def _open_rational(value: Any, *, name: str) -> Fraction:
    found = probability(value, name=name)
    if not found.is_rational or found in (0, 1):
        raise DomainError(
            f'{name}={found} must be rational, above 0 and below 1. Pass one, as "1/3".'
        )
    return found.as_fraction()


def same(value: Any, *, name: str) -> Any:
    """Return a value that the mechanism itself checks."""
    return value


def _from(least: int) -> Callable[..., int]:
    return lambda value, *, name: whole_number(value, name=name, at_least=least)


POSITIVE = Range("above 0, with roots and logarithms", positive)
RATIONAL = Range("rational, above 0", _positive_rational)
PROBABILITY = Range("from 0 to 1", probability)
OPEN_PROBABILITY = Range("above 0, below 1", open_probability)
OPEN_RATIONAL = Range("rational, above 0, below 1", _open_rational)
EPSILON = Range("at least 0", privacy_epsilon)
COUNT = Range("an integer from 1 on", _from(1))
WHOLE = Range("an integer from 0 on", _from(0))
SIZE = Range("an integer from 2 on", _from(2))
USERS = Range("a number of users, the victim's included, from 1 on", _from(1))


def choice(*words: str) -> Range:
    """Return the range of some words.

    Example:
        >>> choice("each", "together").check("none", name="ends")
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: ends='none' is not known. Pass "each" or "together".
    """

    def check(value: Any, *, name: str) -> str:
        if value not in words:
            *first, last = (f'"{word}"' for word in words)
            raise DomainError(f"{name}={value!r} is not known. Pass {', '.join(first)} or {last}.")
        return str(value)

    return Range(" or ".join(words), check, words)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a mechanism.

    Attributes:
        name: Its name in the function, the problem file and messages.
        meaning: What it is, in words.
        range: Its values.
        unit: What it is counted in; "" for a pure number.
        slope: Whether every δ(ε) falls or grows in it; None if neither is known.
        search: Further attributes of the :class:`Family` that finds it, where a slope is known.
    """

    name: str
    meaning: str
    range: Range
    unit: str = ""
    slope: Slope | None = None
    search: Mapping[str, Any] = field(default_factory=dict)


def growing(name: str, meaning: str, values: Range, unit: str = "", **search: Any) -> Parameter:
    """Return a parameter in which every δ(ε) grows, with the further attributes of its family."""
    return Parameter(name, meaning, values, unit, Slope.GROWING, search)


OF_QUERY = "units of the query"
SENSITIVITY = Parameter(
    "sensitivity", "Δ, by how much the query changes between neighbors", POSITIVE, OF_QUERY
)
WHOLE_SENSITIVITY = Parameter("sensitivity", SENSITIVITY.meaning, COUNT, OF_QUERY)


OTHER_SCALES = (
    Parameter("noise_multiplier", "σ over the sensitivity", POSITIVE),
    Parameter("sigma_squared", "σ², where that alone is rational", POSITIVE),
    Parameter("rho", "ρ of zCDP, Δ²/(2σ²)", POSITIVE, "nats"),
)
"""Three more ways to say the noise of a Gaussian, beside σ."""


@dataclass(frozen=True, slots=True)
class Event:
    """The event of another library that describes a mechanism.

    Attributes:
        name: The class of the event in dp_accounting.
        fields: The event's field for each parameter that it gives; the first is the noise.
    """

    name: str
    fields: Mapping[str, str]


Sides = tuple[str, str, str]
"""What P is, what Q is, and which neighbors these stand for, in words."""

OF_NOISE: Sides = (
    "the noise around 0",
    "the noise around the sensitivity",
    "any for which the query changes by at most the sensitivity; both directions agree",
)


OF_INTEGERS: Sides = (*OF_NOISE[:2], "any for which the query changes by at most the sensitivity")
OF_INPUTS: Sides = (
    "the result of an input",
    "the result of another",
    "any for which the query changes by at most the sensitivity; both agree",
)


def always(arguments: Mapping[str, Any]) -> bool:
    """Return True for all arguments."""
    return True


def never(arguments: Mapping[str, Any]) -> bool:
    """Return False for all arguments."""
    return False


@dataclass(frozen=True, slots=True)
class Description:
    """A mechanism as data.

    Attributes:
        kind: Its name in problem files, tables and messages.
        text: What it is: a sentence, and more of it.
        parameters: Its parameters, in the order in which they are read.
        one_of: Parameters of which exactly one is given.
        sides: P, Q and the neighbors.
        is_sampled: Whether it may run on a random batch of the records.
        is_of_integers: Whether its query may be of several integers, and modulo a number.
        goes_into: What it may be a part of: "thresholds", "allocations", "shuffles".
        is_pair: Whether a short sensitivity makes it one finite pair, exactly.
        is_composed_open: Whether its open parameter can be found for a composition, or on a batch,
            given the other arguments.
        event: How events of other libraries say it.
        drawn: The parameter that tests of accountants draw, for sensitivity 1; "" for none.
        is_drawn_sampled: Whether these know samples of it.
    """

    kind: str
    text: str
    parameters: tuple[Parameter, ...]
    one_of: tuple[str, ...] = ()
    sides: Sides = OF_NOISE
    is_sampled: bool = True
    is_of_integers: bool = False
    goes_into: frozenset[str] = frozenset()
    is_pair: bool = False
    is_composed_open: Callable[[Mapping[str, Any]], bool] = always
    event: Event | None = None
    drawn: str = ""
    is_drawn_sampled: bool = False


def described(kind: str, text: str, *parameters: Parameter, **facts: Any) -> Callable[[F], F]:
    """Mark the function that makes a mechanism with its description.

    Args:
        kind: Its name in problem files, tables and messages.
        text: Its first sentence, and more.
        parameters: Its parameters, in the order in which they are read.
        facts: Further attributes of the :class:`Description`.

    Example:
        >>> @described("coin", "One bit.", Parameter("bias", "p", PROBABILITY))
        ... def coin(*, bias):
        ...     return checked(coin, bias=bias)
        >>> coin(bias="1/3")
        {'bias': Exact('1/3')}
    """

    def marked(build: F) -> F:
        vars(build)["description"] = Description(kind, text, parameters, **facts)
        return build

    return marked


def checked(mechanism: Callable[..., Any], **arguments: Any) -> dict[str, Any]:
    """Return the arguments that are given, each in the form in which the library computes.

    Raises:
        DomainError: If one is outside of its range, or not one of ``one_of`` is given.
    """
    about = description_of(mechanism)
    ranges = {one.name: one.range for one in about.parameters}
    given = {
        name: ranges[name].check(value, name=name)
        for name, value in arguments.items()
        if value is not None
    }
    said = [f"{name}={arguments[name]}" for name in about.one_of if name in given]
    if about.one_of and len(said) != 1:
        which = f"{' and '.join(said)} are" if said else "no noise is"
        raise DomainError(f"{which} given. Pass one of {', '.join(about.one_of)}.")
    return given


def description_of(mechanism: Callable[..., Any]) -> Description:
    """Return the description of a mechanism's function.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> [one.name for one in description_of(laplace_mechanism).parameters]
        ['scale', 'sensitivity']
    """
    found: Description = vars(mechanism)["description"]
    return found


def described_in(room: ModuleType) -> tuple[Callable[..., Any], ...]:
    """Return the functions of a package that have a description.

    Example:
        >>> from exactdp import mechanisms
        >>> [one.__name__ for one in described_in(mechanisms)][:2]
        ['binomial_mechanism', 'bounded_discrete_laplace_mechanism']
    """
    public = (getattr(room, name) for name in room.__all__)
    return tuple(one for one in public if "description" in getattr(one, "__dict__", ()))
