"""A published bound: its formula, its hypotheses, and the bounded quantity.

A formula is written once over a number system (:mod:`exactdp.numbers.real_functions`): in balls it
is what the paper prints, in doubles it is what people run.

Definitions: :class:`PublishedBound`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any

from exactdp.bounds.answers import BoundAnswer
from exactdp.bounds.kept import Kept, kept
from exactdp.bounds.targets import BoundedNumber
from exactdp.claims.domains import Domain
from exactdp.claims.kinds import Numbers
from exactdp.claims.printing import SIGNS, shown, variable
from exactdp.claims.values import truth_of, value
from exactdp.errors import (
    BeyondRangeError,
    DomainError,
    ExactDPError,
    TooLargeError,
    UndecidedError,
    what_happened,
)
from exactdp.numbers import Enclosure, Exact, Number, Real, Rounding, enclosure
from exactdp.numbers.arguments import exact
from exactdp.numbers.real_functions import (
    Bound,
    evaluate,
    evaluate_exact,
    evaluate_float,
    lower_float,
    upper_float,
)
from exactdp.numbers.rounding import float_rounded
from exactdp.numbers.tracked import safe_double
from exactdp.shuffle import Bounds
from exactdp.side import Side
from exactdp.truth import Truth

__all__ = ["QUANTITIES", "PublishedBound"]

QUANTITIES = {
    "epsilon": "nats",
    "delta": "a probability",
    "renyi": "nats",
    "scale": "of the noise, in units of the query",
    "variance": "in units of the query, squared",
    "users": "users",
    "messages": "messages a user",
    "epsilon0": "nats",
    "probability": "a probability",
    "error": "a mean squared error",
    "deviation": "users, the largest error of a count",
    "total variation": "a probability",
    "blanket mass": "a probability",
}
"""What a bound may bound, with its unit."""

_UNITS = {
    "n": "users",
    "epsilon": "nats",
    "epsilon0": "nats",
    "delta": "a probability",
    "delta0": "a probability",
    "order": "of the Rényi divergence",
    "k": "values or steps",
    "q": "a probability or a ratio",
    "p": "a ratio or a probability",
}


_APART = Fraction(1, 1 << 60)
"""So much, relatively, a formula is taken apart from its ends before it is compared with the truth:
where the two are equal, no narrower truth tells more."""


@dataclass(frozen=True)
class PublishedBound:
    """A bound that a paper publishes.

    Attributes:
        claim: The id of the claim that it is; two bounds of one claim have ``id#name``.
        formula: The formula, over a number system.
        domain: Its arguments with what each may be, and the theorem's hypotheses.
        bounds: What is bounded: a key of :data:`QUANTITIES`.
        of: What it is a number of, in words: "n shuffled users of any ε0-private randomizer".
        truth: Returns what is bounded at the arguments, by their names.
        side: On which side of it the formula should be.
        stable: Another form of the formula where the printed one cancels in doubles; of a program
            it is for doubles that carry a bound on their error, alone.
        counts: Arguments that the formula takes as Python's integers.
        program: An algorithm in doubles that people run in place of a long formula, called as it.
        value: Returns the formula's value where there is a program, by the arguments' names.
        instead: What to use where the bound is refuted.

    Example:
        >>> from exactdp.bounds import one_number; from exactdp.claims.kinds import reals
        >>> bound = PublishedBound(
        ...     "a-paper/lemma-1",
        ...     lambda f, *, x: f.sqrt(x),
        ...     Domain({"x": reals(0)}),
        ...     bounds="variance",
        ...     of="nothing",
        ...     truth=lambda x: one_number("x", Exact(x) / 2),
        ... )
        >>> (found := bound(x=2)).double, found.safe_double, found.below_truth
        (1.4142135623730951, 1.4142135623730951, None)
        >>> bound(x=-1)
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: x=-1 is outside the bound's domain: x ≥ 0. Change it.
    """

    claim: str
    formula: Bound
    domain: Domain
    bounds: str
    of: str
    truth: Callable[..., BoundedNumber]
    side: Side = Side.UPPER
    stable: Bound | None = None
    counts: tuple[str, ...] = ()
    program: Bound | None = None
    value: Callable[..., Exact | Real] | None = None
    instead: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<PublishedBound {self.claim}: {self.side.value} bound of {self.bounds}, {self.of}>"

    def __post_init__(self) -> None:
        if self.bounds not in QUANTITIES:
            raise DomainError(f"bounds={self.bounds!r} is not known. Use {', '.join(QUANTITIES)}.")
        if not all(isinstance(kind, Numbers) for kind in self.domain.kinds.values()):
            raise DomainError(f"{self.claim}: an argument is not a number. Give reals or integers.")
        self.hypothesis_texts()  # refuses one that cannot be printed

    @property
    def unit(self) -> str:
        """The unit of the bounded number."""
        return QUANTITIES[self.bounds]

    def unit_of(self, name: str) -> str:
        """Return the unit of an argument."""
        return self.units.get(name) or _UNITS.get(name, "a number")

    @cached_property
    def _kept(self) -> Kept:
        return kept(self.claim.partition("#")[0])

    @cached_property
    def _value_at(self) -> Callable[[tuple[tuple[str, Any], ...]], Exact | Real]:
        """The value by the arguments' items: it is asked for several answers, and dear."""
        return lru_cache(maxsize=16)(lambda items: self.value(**dict(items)))  # type: ignore[misc]

    @property
    def verdict(self) -> str | None:
        """The kept verdict of the claim."""
        return self._kept.verdict

    @property
    def withdrawn(self) -> str | None:
        """The place where the authors took the claim back themselves, or None."""
        return self._kept.withdrawn

    def __call__(self, **arguments: Any) -> BoundAnswer:
        """Return the bound at arguments: formula, double, truth.

        Args:
            arguments: Rationals, or texts of them; a double is the number that it holds.

        Raises:
            DomainError: If an argument is missing, unknown, or outside its range, or the code of
                the paper fails.
        """
        at = self.checked(arguments)
        try:
            formula, double, safe, fault = self._values(at)
            target = self.target_at(at)
        except ExactDPError:
            raise
        except Exception as error:  # whatever the code of a paper raises
            raise DomainError(f"{self.claim} fails: {what_happened(error)}. Mend it.") from error
        truth = target.enclosed()
        told = Truth.UNKNOWN
        if formula is not None:
            told = self._beside(truth, self.enclosed(formula))
            told = self.stands(target, formula, at) if told.is_open else told
        below = None
        if not told.is_possible:
            below = "formula"
        elif double is not None and self._double_is_wrong(target, truth, double):
            below = "double"
        return BoundAnswer(
            self,
            at,
            formula,
            double,
            safe,
            fault,
            truth,
            below,
            is_told=not told.is_open,
        )

    def safe(self, **arguments: Any) -> float:
        """Return a double that is on the bound's side of the formula's value.

        Raises:
            DomainError: As a call; or if the formula has no value there.
        """
        return self.safe_at(self.checked(arguments))

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments as exact numbers, in the domain's order.

        Raises:
            DomainError: If one is missing, unknown, or outside its range.
        """
        kinds = self.domain.kinds
        unknown = [name for name in arguments if name not in kinds]
        if unknown:
            raise DomainError(
                f"{unknown[0]} is not an argument of {self.claim}. It takes: {', '.join(kinds)}."
            )
        missing = [name for name in kinds if name not in arguments]
        if missing:
            ranges = ", ".join(kinds[name].text(name) for name in missing)
            raise DomainError(f"{missing[0]} is missing: {self.claim} needs {ranges}. Give it.")
        found: dict[str, Any] = {}
        for name, kind in kinds.items():
            found[name] = _number(arguments[name], name)
            if not kind.admits(found[name], found):
                raise DomainError(
                    f"{name}={arguments[name]} is outside the bound's domain: {kind.text(name)}. "
                    "Change it."
                )
            if isinstance(kind, Numbers) and kind.whole:
                found[name] = int(found[name])
        return found

    def hypotheses(self, at: Mapping[str, Any]) -> list[tuple[str, Truth]]:
        """Return the theorem's hypotheses, with whether each holds at arguments."""
        relations = self.domain.relations(at)
        return list(zip(self.hypothesis_texts(), map(_holds, relations), strict=True))

    def hypothesis_texts(self) -> list[str]:
        """Return the theorem's hypotheses."""
        self.domain.refuse_computed()
        relations = self.domain.hypotheses()
        return [f"{shown(r.left)} {SIGNS[r.sign]} {shown(r.right)}" for r in relations]

    def target_at(self, at: Mapping[str, Any]) -> BoundedNumber:
        """Return the bounded number; one that is too large to be asked is unknown."""
        try:
            return self.truth(**at)
        except (BeyondRangeError, TooLargeError, UndecidedError):
            return BoundedNumber((), ())

    def formula_at(self, at: Mapping[str, Any]) -> Exact | Real:
        """Return the formula's value."""
        if self.value is not None:
            return self._value_at(tuple(at.items()))
        bound, rest = self._called(self.formula, at)
        exact = evaluate_exact(bound, **rest)
        return evaluate(bound, **rest) if exact is None else exact

    def double_at(self, at: Mapping[str, Any]) -> float:
        """Return the formula in doubles, as it is printed."""
        bound, rest = self._called(self.program or self.formula, at)
        return evaluate_float(bound, **rest)

    def safe_at(self, at: Mapping[str, Any]) -> float:
        """Return a double on the bound's side of the formula's value."""
        if self.value is not None:
            up = self.side is Side.UPPER
            return float_rounded(self.formula_at(at), Rounding.UP if up else Rounding.DOWN)
        bound, rest = self._called(self.formula, at)
        round_outward = upper_float if self.side is Side.UPPER else lower_float
        return round_outward(bound, **rest)

    def stable_at(self, at: Mapping[str, Any]) -> float | None:
        """Return a safe double of the stable form, by doubles alone; None where they have none.

        The stable form is computed in doubles that carry a bound on their error.
        """
        try:
            bound, rest = self._called(self.stable or self.formula, at)
            return safe_double(bound, {name: Exact(x) for name, x in rest.items()}, self.side)
        except ExactDPError:
            return None

    def enclosed(self, number: Number) -> Enclosure:
        """Return a formula's value between rational ends."""
        return enclosure(number)

    def _called(self, form: Bound, at: Mapping[str, Any]) -> tuple[Bound, dict[str, Any]]:
        whole = {name: at[name] for name in self.counts}
        rest = {name: x for name, x in at.items() if name not in whole}
        return (partial(form, **whole) if whole else form), rest

    def _values(
        self, at: Mapping[str, Any]
    ) -> tuple[Exact | Real | None, float | None, float | None, str | None]:
        formula, double, safe, fault = None, None, None, None
        try:
            formula = self.formula_at(at)
            safe = self.safe_at(at)
        except ExactDPError as error:
            fault = str(error)
        try:
            double = self.double_at(at)
        except ExactDPError as error:
            fault = fault or f"in doubles: {error}"
        return formula, double, safe, fault

    def stands(
        self,
        target: BoundedNumber,
        formula: Number,
        at: Mapping[str, Any],
        *,
        seconds: float = 10.0,
    ) -> Truth:
        """Return whether the formula's value is on its side of the truth.

        A proved claim is on its side where its hypotheses hold, also where it is the truth: two
        equal reals are not told apart.
        """
        if isinstance(formula, Exact):
            near = far = formula
        else:
            known = self.enclosed(formula)
            near = Exact(known.lower - abs(known.lower) * _APART)
            far = Exact(known.upper + abs(known.upper) * _APART)
        if self.side is Side.LOWER:
            near, far = far, near
        # The end that is nearer to the truth shows that it holds, the other that it fails.
        told = target.standing(near, self.side, seconds=seconds)
        if told.is_certain:
            return told
        other = told if near == far else target.standing(far, self.side, seconds=seconds)
        if not other.is_possible:
            return other
        is_proved = self.verdict == "proved" and self.domain.admits(at)
        return Truth.TRUE if is_proved else Truth.UNKNOWN

    def _beside(self, truth: Bounds | None, value: Enclosure) -> Truth:
        """Return whether a value is on its side of the truth's ends, open between them."""
        if truth is None:
            return Truth.UNKNOWN
        is_upper = self.side is Side.UPPER
        if value.lower >= truth.upper if is_upper else value.upper <= truth.lower:
            return Truth.TRUE
        is_wrong = value.upper < truth.lower if is_upper else value.lower > truth.upper
        return Truth.FALSE if is_wrong else Truth.UNKNOWN

    def _double_is_wrong(self, target: BoundedNumber, truth: Bounds | None, double: float) -> bool:
        if math.isnan(double):
            return False
        if math.isinf(double):
            return double != self.side.harmless_infinity
        value = Fraction(double)
        told = self._beside(truth, Enclosure(value, value))
        told = target.standing(Exact(value), self.side) if told.is_open else told
        return not told.is_possible

    def __str__(self) -> str:
        names = ", ".join(variable(name) for name in self.domain.kinds)
        return (
            f"{self.side.article} {self.side.value} bound on {self.bounds} of {self.of} ({names})"
        )


def _number(given: Any, name: str) -> Fraction:
    found = exact(given, name=name)
    if not found.is_rational:
        raise DomainError(
            f"{name}={given} is not rational. Here it must be; give a number near it."
        )
    return found.as_fraction()


def _holds(relation: Any) -> Truth:
    try:
        return truth_of(relation.sign, value(relation.left), value(relation.right))
    except DomainError:  # a side has no value there, such as the logarithm of 0
        return Truth.FALSE
