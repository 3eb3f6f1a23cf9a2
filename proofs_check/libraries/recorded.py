"""The other form of a library's promise: several numbers that it exports, and their condition.

Probabilities with which a group of users is kept, one user more or less; an amount of noise with
the threshold that goes with it: each number alone promises nothing. Of two outcomes there is more
to say: whatever else a library promises of the probabilities of an event under neighboring
inputs, they are two laws on two outcomes, and neither order may have a δ above the one asked for.

Definitions: :class:`Recorded`, :func:`recorded`, :func:`two_outcomes`, :func:`told`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.claims import (
    Cases,
    Instance,
    Outcome,
    Relation,
    Said,
    Statement,
    Term,
    at_least,
    at_most,
    decided,
    function,
    named,
    positive_part,
    sum_over,
    term,
)
from exactdp.claims.calls import called
from exactdp.truth import Truth
from proofs_check.libraries.promises import Promise

__all__ = ["Recorded", "recorded", "told", "two_outcomes"]

_BITS = 256


def told(epsilon: Fraction, first: Fraction, second: Fraction, times: int = 1) -> Term:
    """Return δ at ε of laws (p, 1 − p) against (q, 1 − q), so many times independently.

    Formula:
        Σ C(n, i) max(0, p^i (1 − p)^(n−i) − e^ε q^i (1 − q)^(n−i)) over i = 0, ..., n; of p
        against q = 0 alone it is 1 − (1 − p)^n plus what the outcome of nobody adds.

    Args:
        epsilon: ε in nats.
        first: p.
        second: q.
        times: n.

    Example:
        At ε = 0 it is the distance of the two laws:

        >>> from exactdp.claims import exact_value
        >>> exact_value(told(Fraction(0), Fraction(3, 4), Fraction(1, 4)))
        Exact('1/2')
    """
    g = named("g", function("exp", epsilon))
    if times == 1:
        one: Term = positive_part(first - g * second) + positive_part(1 - first - g * (1 - second))
        return one
    if 1 in (first, second):
        first, second = 1 - first, 1 - second
    if 0 in (first, second):
        # All outcomes but one have mass under one law alone; so long a power is not exact.
        none, other = (
            function("exp", times * function("log", 1 - x)) if x < 1 else term(0)
            for x in (first, second)
        )
        found: Term = positive_part(none - g * other) + (1 - none if second == 0 else 0)
        return found
    p, q = named("p", term(first)), named("q", term(second))

    def part(i: Term) -> Term:
        masses = (x**i * (1 - x) ** (times - i) for x in (p, q))
        excess: Term = positive_part(next(masses) - g * next(masses))
        return function("binomial", times, i) * excess

    return sum_over("i", 0, times, part)


@dataclass(frozen=True, eq=False)
class Recorded(Promise):
    """Relations between the numbers of an answer hold.

    Attributes:
        says: The fields of an instance, its ``answer`` (the numbers, exactly) and ``room`` to the
            relations: room is the factor on what is claimed that rounding is allowed.
    """

    says: Callable[..., list[Relation]] = list

    def decided(self, at: Instance, *, hair: Fraction, factor: Fraction = Fraction(1)) -> Outcome:
        """Decide the promise at an instance."""
        values: Mapping[str, Any] = at.mapping()
        answer = values["answer"]
        if isinstance(answer, str):
            truth = Truth.TRUE if answer.startswith("(raised ") else Truth.UNKNOWN
            return decided(truth, f"no number {answer}")
        if not all(map(math.isfinite, answer)):
            return decided(Truth.FALSE, f"{answer!r} are not numbers")
        room = factor * self.side.room(hair)
        answer = tuple(map(Fraction, answer))
        relations = called(self.says, {**values, "answer": answer, "room": room})
        return Said(relations, precision_bits=_BITS).outcome()

    def _asked(self, at: Instance) -> Any:
        return at.mapping()


def two_outcomes(
    epsilon: float,
    delta: float,
    answer: tuple[Fraction, ...],
    room: Fraction,
    partitions: int = 1,
) -> list[Relation]:
    """Return that the last two numbers are an event's probabilities under neighboring inputs.

    Args:
        epsilon: ε in nats.
        delta: δ.
        answer: The numbers.
        room: What rounding allows: a factor on δ, or on ε where δ is 0.
        partitions: How many independent events of this kind a user changes.
    """
    p, q = answer[-2:]
    at, most = Fraction(epsilon), Fraction(delta)
    at, most = (at, most * room) if most else (at * room, most)
    relations = [at_most(x, 1) for x in (p, q)] + [at_least(x, 0) for x in (p, q)]
    if 0 <= min(p, q) <= max(p, q) <= 1:
        relations = [at_most(told(at, *order, partitions), most) for order in ((p, q), (q, p))]
    return relations


def recorded(
    library: str, imports: str, call: Callable[..., str], over: Cases, **more: Any
) -> dict[str, Statement]:
    """Return the readings of a promise in several numbers."""
    return Recorded(
        library, imports, call, asks="delta", law=None, delta=lambda: None, over=over, **more
    ).readings()
