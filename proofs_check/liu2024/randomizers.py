"""The paper's sets and probabilities for finite randomizers, as terms over their rows.

Rows 0 and 1 are the victim's, R(x_1^0) and R(x_1^1); row 2 and later ones are R(x_i), whose
randomizer may be another one. Strict inequalities stay strict: ties are in no set. δ_i = 0,
so T_δ removes nothing.

Definitions: :class:`Rows`, :func:`p_1`, :func:`p_1_of_one`, :func:`p_i`, :func:`p_i_of`; small
randomizers to try: :func:`binary`, :func:`small`, :func:`few_rows`, :func:`private_rows`.

Source: Liu et al. 2024, Sections 3.2.1 and 3.2.2.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from exactdp.claims.forms import Relation, at_least
from exactdp.claims.kinds import Objects, objects
from exactdp.claims.laws import ldp_ratio, matrix
from exactdp.claims.terms import Term, function, named, term, total, when
from exactdp.testing import local_randomizers
from exactdp.testing.later import st
from proofs_check.lemmas.trials.divergences import laws

Matrix = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Rows:
    """Rows of randomizers, which a certificate writes once, under a name.

    Example:
        >>> Rows(((Fraction(1, 2), Fraction(1, 2)),)).at(0, 1).json
        ['entry', {'ref': 'R'}, '0x0', '0x1']
    """

    masses: Matrix
    name: str = "R"

    @cached_property
    def term(self) -> Term:
        """The matrix."""
        return named(self.name, matrix(self.masses))

    @property
    def ratio(self) -> Term:
        """The e^ε of the least ε for which the rows are ε-locally private."""
        return ldp_ratio(self.term)

    def at(self, x: int, z: int) -> Term:
        """Return the mass of message z in row x."""
        return Term("entry", self.term, term(x), term(z))

    def columns(self, *rows: int) -> list[tuple[Term, ...]]:
        """Return the masses of these rows, message by message."""
        return [tuple(self.at(x, z) for x in rows) for z in range(len(self.masses[0]))]

    def letters(self, x: Term, y: Term | int) -> list[Relation]:
        """x R(x_1^0) − y R(x_1^1) and x R(x_1^1) − y R(x_1^0) are nowhere negative."""
        return [at_least(x * u - y * v, 0) for b in (0, 1) for u, v in self.columns(b, 1 - b)]

    def leftovers(self, p: Term) -> list[Relation]:
        """(1 − 2p) LO_i = R(x_i) − p (R(x_1^0) + R(x_1^1)) is nowhere negative."""
        return [at_least(w - p * (u + v), 0) for u, v, w in self.columns(0, 1, 2)]


def p_1(rows: Rows) -> Term:
    """Return Pr[R(x_1^0) ∈ S], S = {R(x_1^0) < R(x_1^1)}.

    Example:
        Randomized response with e^ε = 3: the rare letter.

        >>> from exactdp.claims import value
        >>> value(p_1(Rows((binary(3), binary(3, 1)))))
        Exact('1/4')
    """
    return total([when("<", u, v, u, 0) for u, v in rows.columns(0, 1)])


def p_1_of_one(rows: Rows) -> Term:
    """Return Pr[R(x_1^1) ∈ S̄], which the display before (3) equates with p_1."""
    return total([when("<", u, v, 0, v) for u, v in rows.columns(0, 1)])


def p_i_of(rows: Rows, near: int, other: int = 2) -> Term:
    """Return p_i^near = Pr[R(x_i) ∈ U_near], U_near = {R(x_i), R_far < R_near}."""
    columns = rows.columns(near, 1 - near, other)
    return total([when("<", w, u, when("<", v, u, w, 0), 0) for u, v, w in columns])


def p_i(rows: Rows, other: int = 2) -> Term:
    """Return min(p_i^0, p_i^1).

    Example:
        >>> from exactdp.claims import value
        >>> value(p_i(Rows((binary(3), binary(3, 1), binary(2)))))
        Exact('1/3')
    """
    return function("min", p_i_of(rows, 0, other), p_i_of(rows, 1, other))


def binary(ratio: int | Fraction, x: int = 0) -> tuple[Fraction, ...]:
    """Return a row of binary randomized response with e^ε = ratio."""
    likely, rare = Fraction(ratio) / (ratio + 1), 1 / (Fraction(ratio) + 1)
    return (likely, rare) if x == 0 else (rare, likely)


def few_rows(rows: int, letters: Iterable[int], largest: int) -> Iterator[Matrix]:
    """Yield all tuples of positive laws over one denominator, up to a largest, smallest first.

    Example:
        >>> len(list(few_rows(2, [2], 3)))
        5
    """
    for denominator in range(2, largest + 1):
        for size in letters:
            positive = [law for law in laws(size, denominator) if all(law)]
            yield from product(positive, repeat=rows)


def small(count: int, largest: int = 6) -> Iterator[Matrix]:
    """Yield :func:`few_rows` on two letters, then on three."""
    yield from few_rows(count, [2], largest)
    yield from few_rows(count, [3], largest - 1)


def private_rows(count: int) -> Objects:
    """Return the rows of local randomizers with ``count`` inputs, as a kind: private ones drawn."""

    def drawn() -> st.SearchStrategy[Matrix]:
        sizes = st.integers(2, 4).flatmap(
            lambda size: local_randomizers(rows=count, columns=size, max_ratio=Fraction(8))
        )
        return sizes.map(lambda rows: tuple(tuple(row) for row in rows))

    return objects(f"{count} rows of a local randomizer", drawn)
