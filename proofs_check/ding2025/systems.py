"""Users whose reports are summed, who may be absent, and the cases that trials search.

A secret of user i fixes the law of what user i adds: a constant a (s_a), 0 (s_⊥), a draw of P
(s_P). Rational alphabets are integers in another unit of length, and θ in that unit: integers
are nearly all that the trials need, gaps between them included.

Definitions: :class:`Others`, :class:`System`, :data:`KINDS`, :func:`drawn_pairs`,
:func:`drawn_systems`, :func:`everywhere`, :func:`pairs`, :func:`pairs_of_laws`, :func:`systems`,
:func:`written_system`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.claims import Cases, Term, cases, function
from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.coq.values import coq_record
from exactdp.testing.later import st
from proofs_check.ding2025.couplings import couples
from proofs_check.ding2025.law import (
    Law,
    Rest,
    bernoulli,
    drawn_law,
    fractions,
    law,
    laws_on,
    point,
    sum_of,
)
from proofs_check.ding2025.line import Growth, LinePair

GROWTHS = tuple(fractions("2 3/2 10 11/10"))
"""Values of e^{1/θ}."""

OTHER_LAWS = (
    point(0),
    bernoulli("1/2"),
    law({-2: "1/3", 1: "2/3"}),
    law({0: "9/10", 3: "1/20", 4: "1/20"}),
)
"""Laws of the sum of all other users: none, and some who are random."""

SOME_OTHERS = (Rest(), *(Rest((rest,)) for rest in OTHER_LAWS[1:]))


class Others(Enum):
    """The part that the other users' presence has in the law given a secret of user i.

    ``ALL_PRESENT``: f(D_{-i}) is the sum of all D_j, j ≠ i, as (7)-(9) have it beside their
    factor Π ζ_j. ``PRESENT_AT_RANDOM``: conditioned on the secret alone, user j adds D_j with
    probability ζ_j and 0 otherwise.
    """

    ALL_PRESENT = "all present"
    PRESENT_AT_RANDOM = "at random"


@dataclass(frozen=True, slots=True)
class System:
    """Users who report independently, and how the others' presence enters.

    Attributes:
        laws: The law of each user's report.
        presence: The presence probability ζ of each user; none: all are always there.
        others: What a law given a secret conditions on.

    Example:
        >>> system = System((point(1), bernoulli("1/2")), (1, Fraction(1, 3)))
        >>> str(system), str(system.others_of(0))
        ('{1: 1}; {0: 1/2, 1: 1/2} with presence 1/3; others at random', '{0: 5/6, 1: 1/6}')
    """

    laws: tuple[Law, ...]
    presence: tuple[Fraction | int, ...] = ()
    others: Others = Others.PRESENT_AT_RANDOM

    def __post_init__(self) -> None:
        object.__setattr__(self, "presence", self.presence or (1,) * len(self.laws))

    def __str__(self) -> str:
        users = [
            str(law) + ("" if zeta == 1 else f" with presence {zeta}")
            for law, zeta in zip(self.laws, self.presence, strict=True)
        ]
        return "; ".join(users) + f"; others {self.others.value}"

    @property
    def is_defined(self) -> bool:
        """True if the ratio of (1) is not 0/0: (7)-(9) need that all others can be present."""
        return self.others is Others.PRESENT_AT_RANDOM or all(self.presence)

    def others_of(self, i: int) -> Law:
        """Return the law of the sum that the users other than i add."""
        certain = self.others is Others.ALL_PRESENT
        return sum_of(
            law if certain else _if_present(law, Fraction(zeta))
            for j, (law, zeta) in enumerate(zip(self.laws, self.presence, strict=True))
            if j != i
        )

    def pair(self, i: int, first: Law, second: Law, *, name: str = "X") -> LinePair:
        """Return the laws of the query answer given two secrets of user i."""
        own = LinePair.of(first, second, name=f"own_{name}")
        return own.beside(self.others_of(i), name=name)

    def worst_ratio(self, secrets: Iterable[tuple[Law, Law]], growth: Growth) -> Term:
        """Return the largest ratio of (1) over one pair of secrets for each user."""
        pairs = (self.pair(i, *two, name=f"X_{i + 1}") for i, two in enumerate(secrets))
        return function("max", *(pair.worst_ratio(growth) for pair in pairs))


def _if_present(report: Law, zeta: Fraction) -> Law:
    masses = {x: zeta * m for x, m in report.masses}
    return law({**masses, Fraction(0): zeta * report[0] + 1 - zeta})


def systems(laws: Sequence[Law]) -> Iterator[System]:
    """Yield systems of one and two users with reports of these laws."""
    for one in laws:
        yield System((one,))
    for first, second in product(laws, laws[:3]):
        for zeta, others in product(fractions("1 1/2 0"), Others):
            system = System((first, second), (Fraction(2, 3), zeta), others)
            if system.is_defined:
                yield system


@st.composite
def drawn_systems(draw: st.DrawFn, points: Sequence[int] = (-2, 0, 1, 3)) -> System:
    """Draw a system of up to three users."""
    count = draw(st.integers(1, 3))
    laws = tuple(draw(drawn_law(points, largest=3)) for _ in range(count))
    presence = tuple(draw(st.sampled_from(fractions("1 1/3 0"))) for _ in range(count))
    system = System(laws, presence, draw(st.sampled_from(list(Others))))
    return system if system.is_defined else System(laws, presence)


_LAW = ("law R", "is_law {0}", "")
LAW = objects("a law on finitely many reals", lambda: drawn_law((0, 1, -2, 3, 7)), coq=_LAW)
ANOTHER_LAW = objects("another law", LAW.drawn, condition=lambda P, Q: P != Q, coq=_LAW)
OTHER_LAW = objects("any law of their sum", lambda: st.sampled_from(OTHER_LAWS), coq=_LAW)
FACTOR = reals(above=1)
CHANCE = reals(0, 1)

KINDS: dict[str, Sort] = {
    "P": LAW,
    "Q": LAW,
    "G": LAW,
    "others": OTHER_LAW,
    "V": objects(
        "independent users who may be absent",
        drawn_systems,
        coq=("system", "is_system {0}", ""),
        written=lambda V: written_system(V),
    ),
    "coupling": objects(
        "a coupling of P and Q",
        condition=lambda P, Q, coupling: couples(coupling, P, Q),
        coq=("law (R * R)", "couples {0} P Q", ""),
    ),
    **dict.fromkeys(("growth", "half_growth", "base", "exp_epsilon", "e"), FACTOR),
    **dict.fromkeys("pqw", CHANCE),
    **dict.fromkeys("ab", integers()),
    **dict.fromkeys("xyz", reals()),
}
"""What a variable of the paper's claims may be: growth and base are e^{1/θ}, θ > 0."""


def written_system(V: System) -> str:
    """Return a system as a record of Coq.

    Example:
        >>> written_system(System((point(1),)))
        '(Build_system ([([(1, 1)], 1)]) (false))'
    """
    users = tuple(zip(V.laws, V.presence, strict=True))
    said = ("bool", V.others is Others.ALL_PRESENT)
    return coq_record("system", ("list (law R * R)", users), said)


def everywhere(over: Cases, **other: Sort) -> Cases:
    """Return cases as instances of the whole domain: of :data:`KINDS`, or of others."""
    return over.within(**{x: other[x] if x in other else KINDS[x] for x in over.variables})


_ALPHABETS = (((0, 1), (2, 3)), ((0, 2), (2,)), ((0, 1, 2), (2, 3)), ((0, 1, 3), (2,)))


def pairs(*, deep: bool = False) -> Iterator[tuple[Law, Law]]:
    """Yield all pairs of laws on small alphabets with small denominators."""
    for alphabet, denominators in _ALPHABETS:
        for denominator in (*denominators, *((4, 5) if deep else ())):
            yield from product(laws_on(alphabet, denominator), repeat=2)


def pairs_of_laws(**more: Any) -> Cases:
    """Return all these pairs as P and Q, with more variables."""
    every = {"P Q": lambda: pairs(deep=True)}
    return everywhere(cases(**{"P Q": lambda: pairs()}, **more).deep(**every))


def drawn_pairs(**more: Any) -> Callable[[], Any]:
    """Return a strategy for two laws on up to five integers, gaps allowed, and for more."""

    def build() -> Any:
        points = st.lists(st.integers(-4, 6), min_size=1, max_size=5, unique=True).map(sorted)
        two = points.flatmap(lambda xs: st.fixed_dictionaries(dict.fromkeys("PQ", drawn_law(xs))))
        others = {name: st.sampled_from(list(values)) for name, values in more.items()}
        return st.builds(lambda a, b: {**a, **b}, two, st.fixed_dictionaries(others))

    return build
