"""Rows of randomizers written as mixtures, checked component by component.

Privacy amplification by shuffling rests on writing the rows of a local randomizer as
mixtures of common components. A :class:`Mixture` keeps one row with its components and
weights. It may be wrong: ``check`` then returns the first :class:`DecompositionFault`, a
value that says what fails, at which component and message, and by how much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from exactdp.numbers import Exact
from exactdp.numbers.validated import validated

__all__ = [
    "Component",
    "DecompositionFault",
    "FaultKind",
    "Mixture",
    "first_fault",
    "with_leftover",
]


class FaultKind(Enum):
    """Faults of a mixture."""

    NEGATIVE_WEIGHT = "negative weight"
    WEIGHTS = "weights do not sum to 1"
    NEGATIVE_MASS = "negative mass"
    LAW = "masses do not sum to 1"
    ROW = "the mixture is not the row"


@validated
@dataclass(frozen=True, slots=True)
class DecompositionFault:
    """The reason why a mixture is not a decomposition of its row.

    Attributes:
        kind: What is wrong.
        who: Whose row it is.
        component: The component's name; "" if it concerns them all.
        message: The message (column) where it shows; None if it concerns them all.
        value: What was found: the negative number, the sum, or mixture minus row.
    """

    kind: FaultKind
    who: str
    component: str
    message: int | None
    value: Exact

    def __str__(self) -> str:
        component = f", {self.component}" if self.component else ""
        message = "" if self.message is None else f" at message {self.message}"
        return f"{self.who}{component}: {self.kind.value}{message} ({self.value})"


@validated
@dataclass(frozen=True, slots=True)
class Component:
    """A component of mixtures: masses that should be a law on the messages, unchecked."""

    name: str
    law: tuple[Exact, ...]


@validated
@dataclass(frozen=True, slots=True)
class Mixture:
    """One row as a mixture: row = Σ weight · law, unchecked until asked.

    Attributes:
        who: Whose row it is, such as "victim 0" or "other 2".
        row: The masses of the messages.
        parts: Weights and components. A component of weight 0 may be left out.

    Example:
        >>> half = Exact("1/2")
        >>> coins = Component("coin", (half, half)), Component("heads", (Exact(1), Exact(0)))
        >>> row = (Exact("3/4"), Exact("1/4"))
        >>> Mixture("other", row, ((half, coins[0]), (half, coins[1]))).check()
        >>> print(Mixture("other", row, ((Exact(1), coins[0]),)).check())
        other: the mixture is not the row at message 0 (-1/4)
    """

    who: str
    row: tuple[Exact, ...]
    parts: tuple[tuple[Exact, Component], ...]

    def component(self, name: str) -> Component | None:
        """Return the component of this name, or None if the mixture has none."""
        return next((part for _, part in self.parts if part.name == name), None)

    def check(self) -> DecompositionFault | None:
        """Return the first fault, or None: weights and laws are laws, and their mixture the row.

        Nonnegativity comes first, so that a leftover that does not exist is reported as
        the message where it would be negative.
        """
        found = next(self._faults(), None)
        if found is None:
            return None
        kind, component, message, value = found
        return DecompositionFault(kind, self.who, component, message, value)

    def _faults(self) -> Iterator[tuple[FaultKind, str, int | None, Exact]]:
        for weight, part in self.parts:
            if weight.sign() < 0:
                yield FaultKind.NEGATIVE_WEIGHT, part.name, None, weight
            for y, mass in enumerate(part.law):
                if mass.sign() < 0:
                    yield FaultKind.NEGATIVE_MASS, part.name, y, mass
            if (total := sum(part.law, Exact(0))) != 1:
                yield FaultKind.LAW, part.name, None, total
        if (total := sum((weight for weight, _ in self.parts), Exact(0))) != 1:
            yield FaultKind.WEIGHTS, "", None, total
        for y, mass in enumerate(self.row):
            error = sum((weight * part.law[y] for weight, part in self.parts), -mass)
            if error != 0:
                yield FaultKind.ROW, "", y, error


def with_leftover(
    who: str,
    row: Sequence[Exact],
    parts: Sequence[tuple[Exact, Component]],
    *,
    name: str = "leftover",
) -> Mixture:
    """Return the mixture of the given parts and of the rest of the row.

    Formula:
        leftover = (row − Σ weight · law) / (1 − Σ weight); it is left out if the
        weights sum to 1, and has negative masses where the parts exceed the row.

    Example:
        >>> heads = Component("heads", (Exact(1), Exact(0)))
        >>> row = (Exact("3/4"), Exact("1/4"))
        >>> with_leftover("other", row, [(Exact("1/2"), heads)]).component("leftover").law
        (Exact('1/2'), Exact('1/2'))
        >>> print(with_leftover("other", row, [(Exact("4/5"), heads)]).check())
        other, leftover: negative mass at message 0 (-1/4)
    """
    present = [(weight, part) for weight, part in parts if weight != 0]
    rest = 1 - sum((weight for weight, _ in present), Exact(0))
    if rest != 0:
        law = tuple(
            sum((-weight * part.law[y] for weight, part in present), mass) / rest
            for y, mass in enumerate(row)
        )
        present.append((rest, Component(name, law)))
    return Mixture(who, tuple(row), tuple(present))


@validated
def first_fault(mixtures: Iterable[Mixture]) -> DecompositionFault | None:
    """Return the first fault of some mixtures, or None."""
    return next((fault for m in mixtures if (fault := m.check()) is not None), None)
