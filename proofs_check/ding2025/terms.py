"""The paper's objects as terms for the kernel.

A certificate defines the two laws of the query answer as a pair, whose masses the kernel
adds up; from it come cumulative distributions, the plan (6) and output densities. With
g = e^{unit/θ} rational and all distances multiples of the unit, a density at a support point
is a finite sum of masses times powers of g (times 1/(2θ), which cancels in a ratio).

Definitions: :class:`LinePair`, :func:`shift_relations`, :func:`violation`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.certificates import (
    Certificate,
    Term,
    event,
    finite_pair,
    function,
    mass,
    ref,
    relation,
    term,
)
from exactdp.certificates.certificate import Relation
from exactdp.distributions import FinitePmf
from exactdp.numbers import Exact
from exactdp.pufferfish import sum_of_independent
from proofs_check.ding2025.cumulative import Cumulative, Shifts, shift
from proofs_check.ding2025.laws import RationalText, worst_ratio

__all__ = ["LinePair", "shift_relations", "violation"]

LawLike = FinitePmf[Any] | Mapping[Any, Any]


@dataclass(frozen=True, slots=True)
class LinePair:
    """Two laws on the same points of the line, written for the kernel.

    Attributes:
        name: The name of the pair in the certificate.
        points: The points, ascending; the outcomes are their indices.
        define: The certificate's definitions, the pair's last.
    """

    name: str
    points: tuple[Fraction, ...]
    define: tuple[tuple[str, Term], ...]

    @classmethod
    def of(
        cls,
        p: LawLike,
        q: LawLike,
        *,
        name: str = "X",
        points: Sequence[RationalText] = (),
    ) -> LinePair:
        """Return the pair of two laws; ``points`` adds points without mass.

        Example:
            >>> pair = LinePair.of({0: 1}, {2: 1})
            >>> pair.mass("q", 2).json
            ['mass', {'ref': 'X'}, 'q', 1]
            >>> pair.define[0][1].json["q"]
            ['0x0', '0x1']
        """
        first, second = _masses(p), _masses(q)
        where = tuple(sorted({*first, *second, *(Fraction(x) for x in points)}))
        pair = finite_pair(
            [first.get(x, Exact(0)) for x in where], [second.get(x, Exact(0)) for x in where]
        )
        return cls(name, where, ((name, pair),))

    def with_other(self, law: LawLike, *, name: str) -> LinePair:
        """Return the pair after one more user of this law, independent, is added.

        The masses are written as sums of products, which the kernel works out.
        """
        other = LinePair.of(law, law, name=f"{name}_other")
        points = tuple(sorted({x + z for x in self.points for z in other.points}))

        def total(side: str, x: Fraction) -> Term:
            parts = [
                self.mass(side, z) * other.mass("p", x - z)
                for z in self.points
                if x - z in other.points
            ]
            return _sum(parts)

        pair = finite_pair([total("p", x) for x in points], [total("q", x) for x in points])
        return LinePair(name, points, (*self.define, *other.define, (name, pair)))

    def mass(self, side: str, x: RationalText) -> Term:
        """Return the mass at a point; 0 elsewhere."""
        where = Fraction(x)
        if where not in self.points:
            return term(0)
        return mass(ref(self.name), side, self.points.index(where))

    def cumulative(self, side: str, x: RationalText) -> Term:
        """Return F(x), the probability of (-∞, x]."""
        below = [i for i, z in enumerate(self.points) if z <= Fraction(x)]
        return event(ref(self.name), side, below)

    def before(self, side: str, x: RationalText) -> Term:
        """Return F(x−), the probability of (-∞, x)."""
        below = [i for i, z in enumerate(self.points) if z < Fraction(x)]
        return event(ref(self.name), side, below)

    def plan(self, x: RationalText, z: RationalText) -> Term:
        """Return π*(x, z) of (6): the mixed difference of min{F_p, F_q} at the atom."""

        def least(first: Term, second: Term) -> Term:
            return function("min", first, second)

        here, left = self.cumulative("p", x), self.before("p", x)
        up, down = self.cumulative("q", z), self.before("q", z)
        return least(here, up) - least(left, up) - least(here, down) + least(left, down)

    def density(
        self, side: str, y: RationalText, *, growth: RationalText, unit: RationalText = 1
    ) -> Term:
        """Return 2θ times the output density at y, growth = e^{unit/θ}.

        Example:
            >>> LinePair.of({0: 1}, {2: 1}).density("p", 2, growth=3).json[1]
            ['mul', ['mass', {'ref': 'X'}, 'p', 0], ['pow', '0x3', '-0x2']]
        """
        g = term(Fraction(growth))
        steps = {x: _steps(Fraction(y) - x, unit) for x in self.points}
        return _sum(
            [self.mass(side, x) * g**-k if k else self.mass(side, x) for x, k in steps.items()]
        )

    def exceeds(
        self,
        side: str,
        y: RationalText,
        *,
        exp_epsilon: RationalText,
        growth: RationalText,
        unit: RationalText = 1,
    ) -> Relation:
        """Return the relation: the density of ``side`` at y is above e^ε times the other's."""
        other = "q" if side == "p" else "p"
        upper = self.density(side, y, growth=growth, unit=unit)
        lower = self.density(other, y, growth=growth, unit=unit)
        return relation(">", upper, Fraction(exp_epsilon) * lower)


def shift_relations(
    pair: LinePair,
    p: LawLike,
    q: LawLike,
    x: RationalText,
    *,
    shifts: Shifts,
    alphabet: Sequence[RationalText] = (),
) -> tuple[Fraction, list[Relation]]:
    """Return Δ*(x) of (25) or (17), and relations that say so.

    They state the case, that Δ* serves (or, for an infimum, all larger Δ do), and that the
    next smaller Δ of the class does not (or none below the infimum).

    Args:
        pair: The pair that the certificate defines for p and q.
        p: The first law.
        q: The second law.
        x: The point.
        shifts: The Δ over which the minimum runs.
        alphabet: The alphabet, if these are its differences.

    Example:
        >>> p, q = {2: 1}, {0: 1}
        >>> step, relations = shift_relations(
        ...     LinePair.of(p, q), p, q, 0, shifts=Shifts.INTEGERS
        ... )
        >>> str(step), [sign for sign, _, _ in relations]
        ('1', ['<', '>=', '<'])
    """
    first, second = (Cumulative.of(FinitePmf(_masses(law))) for law in (p, q))
    y, points = Fraction(x), [Fraction(z) for z in alphabet]
    step = shift(first, second, y, shifts=shifts, alphabet=points)
    assert step is not None  # the class has a Δ that serves
    here, there = pair.cumulative("p", y), pair.cumulative("q", y)
    if first(y) == second(y):
        return step, [relation("=", here, there)]
    match shifts:
        case Shifts.INTEGERS:
            less = step - 1
        case Shifts.DIFFERENCES:
            less = max((a - b for a in points for b in points if a - b < step), default=step)
        case Shifts.REALS:
            less = step
    if first(y) > second(y):
        lower = (
            pair.before("q", y + step) if shifts is Shifts.REALS else pair.cumulative("q", y + less)
        )
        serves = relation("<=", here, pair.cumulative("q", y + step))
        return step, [relation(">", here, there), serves, relation(">", here, lower)]
    upper = pair.before("q", y - step) if shifts is Shifts.REALS else pair.cumulative("q", y - step)
    fails = relation("<", here, pair.cumulative("q", y - less))
    return step, [relation("<", here, there), relation(">=", here, upper), fails]


def violation(
    p: LawLike,
    q: LawLike,
    *,
    exp_epsilon: RationalText,
    growth: RationalText,
    unit: RationalText = 1,
    others: Sequence[LawLike] = (),
    points: Sequence[RationalText] = (),
    hypotheses: Sequence[Relation] = (),
) -> Certificate:
    """Return the certificate that the noise with e^{unit/θ} = growth does not attain ε.

    Args:
        p: The user's own law under the first secret.
        q: The user's own law under the second.
        exp_epsilon: e^ε.
        growth: e^{unit/θ}.
        unit: A rational of which all distances are multiples.
        others: The laws of the other users.
        points: Further points of the user's own alphabet.
        hypotheses: Further relations, such as how growth comes from ε; they may use the
            user's own pair, "own" (or "X" if there are no other users).

    Raises:
        AssertionError: If it does attain ε.
    """
    pair = LinePair.of(p, q, name="X" if not others else "own", points=points)
    for k, law in enumerate(others, start=1):
        pair = pair.with_other(law, name="X" if k == len(others) else f"X{k}")
    first, second = (
        sum_of_independent([FinitePmf(_masses(own)), *(FinitePmf(_masses(g)) for g in others)])
        for own in (p, q)
    )
    ratio, side, y = worst_ratio(first, second, growth=Fraction(growth), unit=Fraction(unit))
    assert ratio > Fraction(exp_epsilon)
    return Certificate(
        define=pair.define,
        hypotheses=[relation(">", Fraction(exp_epsilon), 1), *hypotheses],
        conclusion=[pair.exceeds(side, y, exp_epsilon=exp_epsilon, growth=growth, unit=unit)],
    )


def _masses(law: LawLike) -> dict[Fraction, Exact]:
    masses = law.masses if isinstance(law, FinitePmf) else law
    return {
        Fraction(x): m if isinstance(m, Exact) else Exact(Fraction(m)) for x, m in masses.items()
    }


def _steps(distance: Fraction, unit: RationalText) -> int:
    steps = abs(distance) / Fraction(unit)
    assert steps.denominator == 1  # else the power of growth would be irrational
    return steps.numerator


def _sum(parts: Sequence[Term]) -> Term:
    total, *rest = parts or [term(0)]
    for part in rest:
        total = total + part
    return total
