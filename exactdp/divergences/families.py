"""Families: mechanisms that differ in one parameter, and the value that just meets (ε, δ).

A mechanism's description says in which parameters every δ(ε) is monotone; a function that has none
is marked with :func:`calibrates`. :func:`calibrated` finds the parameter that a call leaves out.
Problem files leave out a parameter in the same way, and ask the same :class:`Family`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from inspect import Parameter, signature, unwrap
from typing import Any, TypeVar

from exactdp.divergences.calibration import crossing_parameter, extreme_count
from exactdp.divergences.description import OF_QUERY, POSITIVE, Range
from exactdp.divergences.description import Parameter as Described
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import Bounds, at_target, enclosed
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, Rounding, short
from exactdp.numbers.arguments import (
    NumberLike,
    open_probability,
    positive,
    privacy_epsilon,
)
from exactdp.numbers.crossing import Slope
from exactdp.numbers.epsilon import EpsilonLike
from exactdp.numbers.renamed import current_names
from exactdp.numbers.validated import validated

__all__ = ["Family", "calibrated", "calibrates", "families_of", "family_of", "noise_scale"]
__all__ += ["pure_scale", "sensitivity_of"]

F = TypeVar("F", bound=Callable[..., Any])

_LESS_NOISE = 4
"""What the first scale tried of a whole is divided by: a search doubles it at little cost, and
halves one that is far too large at much."""


def _one(epsilon: Epsilon, delta: Exact, **arguments: Any) -> Fraction:
    """Return 1, a first value where nothing better is known."""
    return Fraction(1)


def sensitivity_of(
    epsilon: Epsilon, delta: Exact, *, sensitivity: NumberLike, **arguments: Any
) -> Fraction:
    """Return about the sensitivity, as a first scale of noise."""
    size = positive(sensitivity, name="sensitivity")
    return enclosed(size, "1e-3").lower


def pure_scale(
    epsilon: Epsilon, delta: Exact, *, sensitivity: NumberLike, **arguments: Any
) -> Number | None:
    """Return Δ/ε for δ = 0, the least scale b where the largest loss is Δ/b; else None.

    Raises:
        DomainError: If ε = δ = 0, which no noise meets.

    Example:
        >>> pure_scale(Epsilon.rational("1/2"), Exact(0), sensitivity=3)
        Exact('6')
    """
    if delta != 0:
        return None
    if epsilon.exp == 1:
        raise DomainError("epsilon=0 with delta=0 has no scale. Give one of them above 0.")
    return positive(sensitivity, name="sensitivity") / epsilon.nats


@validated
@dataclass(frozen=True, slots=True)
class Family:
    """Profiles that differ in one parameter, in which every δ(ε) is monotone.

    Example:
        Mass e^(−k) at infinity, and none left at any loss: δ <= 1/100 from ln 100 on.

        >>> from exactdp.divergences import Pair
        >>> def hidden(rate):
        ...     rest = 1 - 1 / Exact(1 + rate)
        ...     return Pair.from_masses([1 - rest, rest], [0, 1])
        >>> family = Family(hidden, "rate")
        >>> found = family.meeting(Epsilon.log(1), Exact("1/100"), "1e-6")
        >>> found.lower < 99 <= found.upper
        True

    Attributes:
        build: Returns the profile for keyword arguments, ``parameter`` among them.
        parameter: The name of the parameter that members differ in.
        slope: Whether δ falls in it, as in the scale of a noise, or grows.
        argument: Makes the argument of a number: ``Fraction``, ``Epsilon.rational``, or ``int``
            where the parameter is a whole number from 1 on.
        at_most: The largest value of the parameter; None if there is none.
        first: A first value that is tried, positive, from ε, δ and the other arguments.
        known: The value that is sought from the same, or bounds on it, where no search is needed,
            else None. It raises DomainError where no value meets the target.
        usual_width: The relative width of an answer where none is asked for.
    """

    build: Callable[..., PrivacyProfile]
    parameter: str
    slope: Slope = Slope.FALLING
    argument: Callable[[Fraction], Any] = Fraction
    at_most: Fraction | None = None
    first: Callable[..., Fraction] = _one
    known: Callable[..., Number | Enclosure | None] | None = None
    usual_width: RationalLike = "1e-9"

    @property
    def is_whole(self) -> bool:
        """True if the parameter is a whole number."""
        return self.argument is int

    @property
    def may_be_pure(self) -> bool:
        """True if δ = 0 is met by the least scale that :func:`pure_scale` knows."""
        known: Any = self.known
        while isinstance(known, partial):
            known = known.func
        return known is pure_scale

    @property
    def note(self) -> str | None:
        """The facts about the mechanism that a member leaves open, in words; None if none is."""
        return self.member(Fraction(1)).note

    def member(self, value: Fraction | int) -> PrivacyProfile:
        """Return the profile at a value of the parameter."""
        return self.build(**{self.parameter: self.argument(Fraction(value))})

    def given(self, arguments: Mapping[str, Any]) -> Family:
        """Return the family with all other arguments given, or left at their defaults.

        Raises:
            DomainError: If one is not an argument of ``build``, or one is missing.
        """
        takes = signature(self.build).parameters
        unknown = sorted(set(arguments) - set(takes))
        if unknown:
            raise DomainError(
                f"{_name_of(self.build)} has no argument {unknown[0]}. Its arguments are "
                f"{', '.join(takes)}."
            )
        defaults = {x: p.default for x, p in takes.items() if p.default is not Parameter.empty}
        others = {x: y for x, y in (defaults | dict(arguments)).items() if x != self.parameter}
        missing = [x for x in takes if x not in others and x != self.parameter]
        if missing:
            raise DomainError(f"{_name_of(self.build)} needs {missing[0]}. Pass it by its name.")
        beside = {x: y for x, y in others.items() if x not in ("epsilon", "delta")}  # the target's
        return replace(
            self,
            build=partial(self.build, **others),
            first=partial(self.first, **beside),
            known=None if self.known is None else partial(self.known, **beside),
        )

    def within(self, whole: Callable[[PrivacyProfile], PrivacyProfile]) -> Family:
        """Return the family made of each member, such as a composition of many copies."""
        divisor = _LESS_NOISE if self.slope is Slope.FALLING else 1
        return replace(
            self,
            build=lambda **arguments: whole(self.build(**arguments)),
            first=lambda *target, **others: Fraction(self.first(*target, **others)) / divisor,
            known=None,
        )

    def both_directions(self) -> Family:
        """Return the family of the larger of both directions, of which ``known`` is too."""
        return replace(self, build=lambda **arguments: self.build(**arguments).both_directions())

    def meeting(
        self, epsilon: EpsilonLike, delta: NumberLike, width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of the extreme value of the parameter that meets (ε, δ).

        Where δ falls in the parameter the upper end certainly meets (ε, δ), and the lower end
        certainly does not; where it grows, the other way round. Of a whole number, a point. Where
        δ is known between bounds only, so is the parameter: by the upper one it meets the target.

        Args:
            epsilon: ε in nats, finite, at least 0.
            delta: δ, above 0 and below 1; 0 for a family that is known to meet that.
            width: The width is at most this times the lower end.

        Raises:
            DomainError: If an argument is outside its range, or no value meets the target.
            TooLargeError, UndecidedError: If the width is not reached.
        """
        wanted = self.usual_width if width is None else width
        found: Enclosure = at_target(self._meeting, epsilon, delta, wanted)
        return found

    def _meeting(self, epsilon: Epsilon, target: Exact, wanted: RationalLike) -> Enclosure:
        at = privacy_epsilon(epsilon)
        found = None if self.known is None else self.known(at, target)
        if found is not None:
            return enclosed(found, wanted)
        open_probability(target, name="delta")
        first = Fraction(self.first(at, target))
        first = Fraction(max(2, int(first))) if self.is_whole else min(first, self.at_most or first)
        if self.member(first).reached != "bound":
            return self._crossing(at, target, wanted, None)
        high, low = (
            self._crossing(at, target, wanted, end) for end in (Rounding.UP, Rounding.DOWN)
        )
        words = "a lower bound on delta", "an upper bound on delta"
        if self.slope is Slope.GROWING:
            return Bounds(high.lower, low.upper, *words[::-1])
        return Bounds(low.lower, high.upper, *words)

    def _crossing(
        self, at: Epsilon, target: Exact, width: RationalLike, end: Rounding | None
    ) -> Enclosure:
        """Return where δ crosses a target, or one end of it where it is between bounds."""
        sought: dict[str, Any] = {"epsilon": at, "delta": target, "slope": self.slope, "end": end}
        first = self.first(at, target)
        if self.is_whole:
            start = max(1, int(first))  # the least that any count is
            point = Fraction(extreme_count(self.member, first=start, **sought))
            return Enclosure(point, point)
        return crossing_parameter(
            self.member, first=first, at_most=self.at_most, relative_width=width, **sought
        )


def noise_scale(name: str, meaning: str, values: Range = POSITIVE, **search: Any) -> Described:
    """Return the parameter of a noise in which every δ(ε) falls, sought from the sensitivity on."""
    sought = {"first": sensitivity_of} | search
    return Described(name, meaning, values, OF_QUERY, Slope.FALLING, sought)


def calibrates(parameter: str, **settings: Any) -> Callable[[F], F]:
    """Mark a function that returns a mechanism: every δ(ε) is monotone in a parameter of it.

    Args:
        parameter: The name of the argument.
        settings: The further attributes of its :class:`Family`.

    Example:
        >>> from exactdp.divergences import Pair
        >>> @calibrates("k", argument=int)
        ... def one_of(*, k):
        ...     return Pair.from_masses([1, 0], [1 - Fraction(1, k + 1), Fraction(1, k + 1)])
        >>> calibrated(one_of, epsilon=Epsilon.log(1), delta="1/10").upper
        Fraction(9, 1)
    """

    def marked(build: F) -> F:
        families = vars(build).setdefault("families", {})
        families[parameter] = Family(build, parameter, **settings)
        return build

    return marked


def families_of(mechanism: Callable[..., PrivacyProfile]) -> Mapping[str, Family]:
    """Return the families of a mechanism, by the parameter in which each is monotone.

    Example:
        >>> from exactdp.mechanisms import bounded_laplace_mechanism
        >>> list(families_of(bounded_laplace_mechanism))
        ['scale']
    """
    marks = getattr(mechanism, "__dict__", {})
    found: dict[str, Family] = dict(marks.get("families", {}))
    for one in marks["description"].parameters if "description" in marks else ():
        if one.slope is not None:
            found[one.name] = Family(mechanism, one.name, slope=one.slope, **one.search)
    return found


def family_of(mechanism: Callable[..., PrivacyProfile], **arguments: Any) -> Family:
    """Return the family of a mechanism in the one parameter that the arguments leave out.

    Args:
        mechanism: A function that :func:`calibrates` marked.
        arguments: All others of its arguments, by name; those with a default may be left out.

    Raises:
        DomainError: If it is not one parameter that is left out.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> family_of(laplace_mechanism, sensitivity=3).member(6).max_divergence()
        Epsilon.rational('1/2')
    """
    families = families_of(mechanism)
    if not families:
        raise DomainError(
            f"{short(_name_of(mechanism))} has no parameter in which delta is known to be "
            "monotone. Pass gaussian_mechanism or the like, or a Family."
        )
    given = current_names(unwrap(mechanism), arguments, stacklevel=6)  # of calibrated
    left = [family for name, family in families.items() if given.get(name) is None]
    if len(left) != 1:
        lacks = " and ".join(one.parameter for one in left) or "nothing"
        raise DomainError(
            f"{_name_of(mechanism)} lacks {lacks}. Leave out one of {', '.join(families)}, "
            "which is found, and pass the others."
        )
    (family,) = left
    return family.given(given)


@validated
def calibrated(
    mechanism: Callable[..., PrivacyProfile] | Family,
    *,
    epsilon: EpsilonLike,
    delta: NumberLike,
    within: Callable[[PrivacyProfile], PrivacyProfile] | None = None,
    relative_width: RationalLike | None = None,
    **arguments: Any,
) -> Enclosure:
    """Return an enclosure of the parameter left out with which a mechanism is (ε, δ)-private.

    Of noise that is the smallest scale, and the upper end certainly is (ε, δ)-private, the lower
    end certainly is not. Of what costs privacy (a sampling probability, a number of steps, a local
    ε0) it is the largest value, and the lower end certainly is. A whole number is a point. Both
    directions count. What the ``note`` of the profile leaves open, this leaves open too.

    Args:
        mechanism: The function of a mechanism, such as ``gaussian_mechanism`` or ``dp_sgd``; or
            a :class:`Family`.
        epsilon: ε in nats, finite, at least 0.
        delta: δ, above 0 and below 1; or 0, pure privacy, of Laplace noise, of discrete Laplace
            noise and of the exponential mechanism alone.
        within: What is made of the mechanism, such as a composition, is to meet the target.
        relative_width: The width is at most this times the lower end; 1e-9 if left out, for
            DP-SGD 1e-4.
        arguments: The arguments of ``mechanism``, all but one.

    Raises:
        DomainError: If an argument is outside its range, or no value meets the target.
        TooLargeError, UndecidedError: If the width is not reached.

    Example:
        σ for (1, 1e-5) and for a hundred releases, rounded up; coins whose end has the mass 2^−N:

        >>> from exactdp import compose, gaussian_mechanism, laplace_mechanism
        >>> from exactdp.mechanisms import binomial_mechanism
        >>> target = {"epsilon": Epsilon.rational(1), "delta": "1e-5"}
        >>> one = calibrated(gaussian_mechanism, **target)
        >>> many = calibrated(gaussian_mechanism, **target, within=lambda x: compose([(x, 100)]))
        >>> [f"{found.upper:.4f}" for found in (one, many)]
        ['3.7307', '37.3064']
        >>> calibrated(laplace_mechanism, epsilon=Epsilon.rational("1/10"), delta="0").upper
        Fraction(10, 1)
        >>> calibrated(binomial_mechanism, epsilon=Epsilon.rational(100), delta="1/1000").upper
        Fraction(10, 1)

    Source:
        Balle & Wang 2018, Section 3, for the Gaussian mechanism. Differs from it: certified.
    """
    if isinstance(mechanism, Family):
        family = mechanism.given(arguments) if arguments else mechanism
    else:
        family = family_of(mechanism, **arguments)
    if within is not None:
        family = family.within(within)
    return family.both_directions().meeting(epsilon, delta, relative_width)


def _name_of(function: Any) -> str:
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__name__", None) or repr(function)
