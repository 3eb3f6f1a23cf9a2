"""Two laws on the line, as terms: the paper's quantities of them, for engine and kernel.

With g = e^{unit/θ} rational and all distances multiples of the unit, the density of Laplace
noise at a support point is a finite sum of masses times powers of g (times 1/(2θ), which
cancels in a ratio). Between neighboring support points the ratio of two such densities is
monotone and beyond them it is constant (exactdp.pufferfish.mixture_ratios), so that the largest
ratio is attained at one of them.

Definitions: :class:`LinePair`, :class:`Shifts`, :func:`moment`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from itertools import product

from exactdp.claims import Term, event, finite_pair, function, named, term, total, when
from exactdp.claims import mass as mass_of
from proofs_check.ding2025.law import Law, RationalText, sum_of, whole

Growth = Term | Fraction | int
"""e^{1/θ}, or e^{unit/θ}."""


class Shifts(Enum):
    """The Δ over which the minimum of (17) and (25) runs: the paper leaves it open."""

    INTEGERS = "positive integers"
    REALS = "positive reals, the infimum where no minimum exists"
    DIFFERENCES = "positive differences of the alphabet"


@dataclass(frozen=True, slots=True)
class LinePair:
    """Two laws on the same points of the line.

    Attributes:
        name: The name of the pair in a certificate.
        pair: The pair; the outcomes are the indices of the points.
        points: The points, ascending.
    """

    name: str
    pair: Term
    points: tuple[Fraction, ...]
    _events: dict[tuple[str, int], Term] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, p: Law, q: Law, *, name: str = "X", points: Sequence[RationalText] = ()
    ) -> LinePair:
        """Return the pair of two laws; ``points`` adds points without mass.

        Example:
            >>> from proofs_check.ding2025.law import point
            >>> LinePair.of(point(0), point(2)).pair.parts[1].json["q"]
            ['0x0', '0x1']
        """
        where = sorted({*p.points, *q.points, *(Fraction(x) for x in points)})
        first, second = dict(p.masses), dict(q.masses)
        laws = finite_pair([first.get(x, 0) for x in where], [second.get(x, 0) for x in where])
        return cls(name, named(name, laws), tuple(where))

    def beside(self, *laws: Law, name: str = "X") -> LinePair:
        """Return the pair after independent draws of these laws are added to both sides."""
        if not laws:
            return self
        law = sum_of(laws)

        def masses(side: str) -> list[Term]:
            parts: dict[Fraction, list[Term]] = {x: [] for x in points}
            for k, x in enumerate(self.points):
                for z, m in law.masses:
                    parts[x + z].append(mass_of(self.pair, side, k) * m)
            return [total(parts[x]) for x in points]

        points = sorted({x + z for x, z in product(self.points, law.points)})
        pair = finite_pair(masses("p"), masses("q"))
        return LinePair(name, named(name, pair), tuple(points))

    def mass(self, side: str, x: RationalText) -> Term:
        """Return the mass at a point; 0 elsewhere."""
        where = Fraction(x)
        if where not in self.points:
            return term(0)
        return mass_of(self.pair, side, self.points.index(where))

    def cumulative(self, side: str, x: RationalText) -> Term:
        """Return F(x), the probability of (-∞, x]."""
        return self._first(side, bisect_right(self.points, _fraction(x)))

    def before(self, side: str, x: RationalText) -> Term:
        """Return F(x−), the probability of (-∞, x)."""
        return self._first(side, bisect_left(self.points, _fraction(x)))

    def _first(self, side: str, count: int) -> Term:
        if count == 0:
            return term(0)
        if (side, count) not in self._events:
            chosen = event(self.pair, side, range(count))
            self._events[side, count] = named(f"{self.name}_{side}{count}", chosen)
        return self._events[side, count]

    def plan(self, x: RationalText, z: RationalText) -> Term:
        """Return π*(x, z) of (6): the mixed difference of min{F_p, F_q} at the atom."""
        here, left = self.cumulative("p", x), self.before("p", x)
        up, down = self.cumulative("q", z), self.before("q", z)
        a, b, c, d = (function("min", *two) for two in product((here, left), (up, down)))
        return a - c - b + d

    def farthest(self) -> Term:
        """Return the largest |x − x'| on the support of the plan (6)."""
        moved = [
            when(">", self.plan(x, z), 0, abs(x - z), 0)
            for x, z in product(self.points, repeat=2)
            if x != z
        ]
        return function("max", 0, *moved)

    def shift(self, x: Fraction, over: Shifts, alphabet: Sequence[Fraction] = ()) -> Term:
        """Return Δ*(x) of (25), which is that of (17) too.

        Formula:
            0 if F_p(x) = F_q(x); min {Δ > 0 : F_p(x) <= F_q(x + Δ)} if F_p(x) > F_q(x);
            min {Δ > 0 : F_p(x) >= F_q(x − Δ)} if F_p(x) < F_q(x).

        Over the reals the second minimum is only an infimum: F_q is continuous from the
        right, so x − Δ may come as close as one likes to the point where F_q exceeds F_p(x),
        but not reach it. There F_q(x − Δ −) stands for F_q(x − Δ).

        Example:
            From 2 to 0: at 0 all smaller points already have F_q = 0.

            >>> from exactdp.claims import value
            >>> from proofs_check.ding2025.law import point
            >>> pair = LinePair.of(point(2), point(0))
            >>> [str(value(pair.shift(Fraction(0), s, pair.points))) for s in Shifts]
            ['1', '0', '2']
        """
        here, there = self.cumulative("p", x), self.cumulative("q", x)
        right, left = self._candidates(x, over, alphabet)
        other = self.before if over is Shifts.REALS else self.cumulative
        up = _least(right, lambda d: ("<=", here, self.cumulative("q", x + d)))
        down = _least(left, lambda d: (">=", here, other("q", x - d)))
        return when("=", here, there, 0, when(">", here, there, up, down))

    def _candidates(
        self, x: Fraction, over: Shifts, alphabet: Sequence[Fraction]
    ) -> tuple[list[Fraction], list[Fraction]]:
        """Return the Δ that may be least, ascending, to the right and to the left.

        The last of them serves: F is 1 at the last point and 0 below the first.
        """
        match over:
            case Shifts.INTEGERS:
                reach = max(self.points[-1] - x, x - self.points[0]) + 1
                steps = [Fraction(d) for d in range(1, max(int(reach), 1) + 1)]
            case Shifts.DIFFERENCES:
                steps = sorted({a - b for a, b in product(alphabet, repeat=2) if a > b})
            case Shifts.REALS:
                right = [z - x for z in self.points if z > x]
                return right, [x - z for z in reversed(self.points) if z <= x]
        return steps, steps

    def largest_shift(self, alphabet: Sequence[Fraction], *, over: Shifts) -> Term:
        """Return sup over x in the alphabet of Δ*(x)."""
        return function("max", *(self.shift(x, over, alphabet) for x in alphabet))

    def symmetric_shift(self, alphabet: Sequence[Fraction], sides: Sequence[str] = "pq") -> Term:
        """Return max over x of min {Δ >= 0 : F_p(x) <= F_q(x + Δ)}, and p, q exchanged.

        Example:
            >>> from exactdp.claims import value
            >>> from proofs_check.ding2025.law import point
            >>> pair = LinePair.of(point(2), point(0))
            >>> value(pair.symmetric_shift(pair.points))
            Exact('2')
        """

        def needed(x: Fraction, side: str) -> Term:
            other = "q" if side == "p" else "p"
            here = self.cumulative(side, x)
            steps = [z - x for z in self.points if z >= x] or [Fraction(0)]
            return _least(steps, lambda d: ("<=", here, self.cumulative(other, x + d)))

        return function("max", 0, *(needed(x, side) for x in alphabet for side in sides))

    def density(self, side: str, y: RationalText, growth: Growth, unit: Fraction) -> Term:
        """Return 2θ times the output density at y, growth = e^{unit/θ}.

        Example:
            >>> from proofs_check.ding2025.law import point
            >>> LinePair.of(point(0), point(2)).density("p", 2, 3, Fraction(1)).json[1]
            ['mul', ['mass', {'ref': 'X'}, 'p', 0], ['pow', '0x3', '-0x2']]
        """
        steps = _whole(abs(Fraction(y) - x) / unit for x in self.points)
        g = term(growth)
        return self._density(side, [g**-n for n in steps])

    def _density(self, side: str, factors: Sequence[Term]) -> Term:
        masses = (mass_of(self.pair, side, k) for k in range(len(self.points)))
        return total([m * factor for m, factor in zip(masses, factors, strict=True)])

    def ratios(self, growth: Growth, unit: Fraction = Fraction(1)) -> tuple[list[Term], list[Term]]:
        """Return f_p/f_q at the points, and f_q/f_p, growth = e^{unit/θ}."""
        steps = _whole((x - self.points[0]) / unit for x in self.points)
        powers = {
            n: named(f"{self.name}_g{n}", term(growth) ** -n)
            for n in {abs(i - j) for i, j in product(steps, repeat=2)}
        }

        def density(side: str, k: int) -> Term:
            factors = [powers[abs(steps[k] - i)] for i in steps]
            return named(f"{self.name}_f{side}{k}", self._density(side, factors))

        pairs = [(density("p", k), density("q", k)) for k in range(len(steps))]
        return [a / b for a, b in pairs], [b / a for a, b in pairs]

    def worst_ratio(self, growth: Growth, unit: Fraction = Fraction(1)) -> Term:
        """Return the largest ratio of the two output densities, either way: the e^ε of (1).

        Example:
            >>> from exactdp.claims import value
            >>> from proofs_check.ding2025.law import point
            >>> value(LinePair.of(point(0), point(2)).worst_ratio(3))
            Exact('9')
        """
        first, second = self.ratios(growth, unit)
        return function("max", *first, *second)

    def one_sided_ratio(self, growth: Growth) -> Term:
        """Return sup over y of f_p(y) / f_q(y)."""
        return function("max", *self.ratios(growth)[0])


def moment(law: Law, growth: Growth, size: Callable[[Fraction], Fraction] = abs) -> Term:
    """Return E[e^{|D|/θ}], growth = e^{1/θ}, for a law on integers.

    Example:
        >>> from exactdp.claims import value
        >>> from proofs_check.ding2025.law import bernoulli
        >>> value(moment(bernoulli("1/4"), 5))
        Exact('2')
    """
    g = term(growth)
    return total([m * g ** whole(size(x)) for x, m in law.masses])


def _fraction(x: RationalText) -> Fraction:
    # Fraction(x) takes long to copy one, and the points are compared in inner loops.
    return x if isinstance(x, Fraction) else Fraction(x)


def _whole(steps: Iterable[Fraction]) -> list[int]:
    found = list(steps)
    assert all(n.denominator == 1 for n in found)  # else a power of growth is irrational
    return list(map(int, found))


def _least(steps: Sequence[Fraction], serves: Callable[[Fraction], tuple[str, Term, Term]]) -> Term:
    """Return the least step that serves; the last one does."""
    found = term(steps[-1]) if steps else term(0)
    for step in reversed(steps[:-1]):
        found = when(*serves(step), step, found)
    return found
