"""Small pairs of laws and small systems of users for the trials, and strategies beyond them.

Rational alphabets are integers in another unit of length, and θ in that unit: integers are
all that the trials need, gaps between them included.

Definitions: :class:`System`, :func:`drawn_systems`, :func:`pair_strategy`, :func:`pairs`,
:func:`systems`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.claims import Effort
from exactdp.pufferfish import MultiUserSystem, Others, Secret, User, line_law
from proofs_check.ding2025.laws import Law, bernoulli, law_strategy, laws_on, point, text

__all__ = [
    "GROWTHS",
    "OTHER_LAWS",
    "System",
    "drawn_systems",
    "pair_strategy",
    "pairs",
    "systems",
]

GROWTHS = tuple(Fraction(v) for v in ("2", "3/2", "10", "11/10"))
"""Values of e^{1/θ}."""

OTHER_LAWS = (
    point(0),
    bernoulli("1/2"),
    line_law({-2: "1/3", 1: "2/3"}),
    line_law({0: "9/10", 3: "1/20", 4: "1/20"}),
)
"""Laws of the sum of all other users: none, and some who are random."""

_ALPHABETS = (((0, 1), (2, 3)), ((0, 2), (2,)), ((0, 1, 2), (2, 3)), ((0, 1, 3), (2,)))


def pairs(effort: Effort) -> Iterator[tuple[Law, Law]]:
    """Yield all pairs of laws on small alphabets with small denominators."""
    for alphabet, denominators in _ALPHABETS:
        extra = (4, 5) if effort is Effort.DEEP else ()
        for denominator in (*denominators, *extra):
            yield from product(laws_on(alphabet, denominator), repeat=2)


def pair_strategy() -> Any:
    """Return a strategy for two laws on up to five integers, gaps allowed."""
    from hypothesis import strategies as st

    points = st.lists(st.integers(-4, 6), min_size=1, max_size=5, unique=True).map(sorted)
    return points.flatmap(lambda xs: st.tuples(law_strategy(xs), law_strategy(xs)))


@dataclass(frozen=True, slots=True)
class System:
    """Users who report independently, and how the others' presence enters; it prints short.

    Attributes:
        laws: The law of each user's report.
        presence: The presence probability ζ of each user.
        others: Whether a law given a secret conditions on all others being present.

    Example:
        >>> system = System((point(1), bernoulli("1/2")), (1, Fraction(1, 3)))
        >>> str(system)
        '{1: 1}; {0: 1/2, 1: 1/2} with presence 1/3; others at random'
        >>> text(system.others_of(0))
        '{0: 5/6, 1: 1/6}'
    """

    laws: tuple[Law, ...]
    presence: tuple[Fraction | int, ...]
    others: Others = Others.PRESENT_AT_RANDOM

    def __str__(self) -> str:
        users = [
            text(law) + ("" if zeta == 1 else f" with presence {zeta}")
            for law, zeta in zip(self.laws, self.presence, strict=True)
        ]
        present = "at random" if self.others is Others.PRESENT_AT_RANDOM else "all present"
        return "; ".join(users) + f"; others {present}"

    @property
    def model(self) -> MultiUserSystem:
        """The system of the engine."""
        users = [User(law, zeta) for law, zeta in zip(self.laws, self.presence, strict=True)]
        return MultiUserSystem(users, self.others)

    @property
    def is_defined(self) -> bool:
        """Whether the ratio of (1) is not 0/0: (7)-(9) need that all others can be present."""
        return self.others is Others.PRESENT_AT_RANDOM or all(z != 0 for z in self.presence)

    def others_of(self, i: int) -> Law:
        """Return the law of what the others of user i add."""
        return self.model.law_of_others(i)

    def pair(self, i: int, first: Secret, second: Secret) -> tuple[Law, Law]:
        """Return the two laws of the query answer given two secrets of user i."""
        return self.model.pair(i, first, second)


def systems(effort: Effort, *, laws: Sequence[Law]) -> Iterator[System]:
    """Yield systems of one and two users with reports of these laws."""
    for law in laws:
        yield System((law,), (1,))
    zetas = (Fraction(1), Fraction(1, 2), Fraction(0))
    more = laws if effort is Effort.DEEP else laws[:3]
    for first, second in product(laws, more):
        for zeta, others in product(zetas, Others):
            system = System((first, second), (Fraction(2, 3), zeta), others)
            if system.is_defined:
                yield system


def drawn_systems(draw: Callable[[Any], Any], *, points: Sequence[int]) -> System:
    """Draw a system of up to three users, inside a composite strategy."""
    from hypothesis import strategies as st

    count = draw(st.integers(1, 3))
    laws = tuple(draw(law_strategy(points, largest=3)) for _ in range(count))
    presence = tuple(draw(st.sampled_from([1, Fraction(1, 3), Fraction(0)])) for _ in range(count))
    system = System(laws, presence, draw(st.sampled_from(list(Others))))
    return system if system.is_defined else System(laws, presence)
