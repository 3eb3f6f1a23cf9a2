"""The value of the best adaptive analyst on finite laws, without our arithmetic.

A :class:`Versus` is one ordered pair of laws, cell by cell. In each part of a composition the
analyst picks one of several pairs, knowing what was seen before, so with gamma = e^epsilon

    V_0(g) = max(0, 1 - g),   V_k(g) = max over pairs (p, q) of the sum of p V_(k-1)(g q/p),

which is exact for fractions. A continuous law is given by doubles on cells in which the loss is
within ``spread`` v of that of the cell. Binning is post-processing, hence a lower end; above is the
pair with q/p, in each cell, e^v times and e^-v times what it is, the mean being the same: what is
convex in q/p is largest there.
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import pairwise, permutations, product
from math import exp, prod

import numpy as np

__all__ = [
    "Versus",
    "adaptive",
    "corners",
    "curve_of_groups",
    "distinct",
    "height",
    "in_advance",
    "mixed",
    "type_two",
    "value",
]

MOST_CHOICES = 100
"""Choices in advance that are all tried; of more, the same case in all parts."""

ROUNDING = 1e-9
"""What doubles and quadratures are off, at most, of what is at most 1."""


@dataclass(frozen=True, eq=False)
class Versus:
    """P against Q, cell by cell: fractions, or doubles with how much the loss varies in a cell."""

    p: tuple
    q: tuple
    spread: float = 0.0

    @cached_property
    def is_exact(self):
        return not isinstance(self.p, np.ndarray)

    @cached_property
    def swapped(self):
        return Versus(self.q, self.p, self.spread)

    @cached_property
    def spread_out(self):
        """The pair above all that have these masses on cells."""
        if not self.spread:
            return self
        factor = exp(self.spread)
        low = factor / (1 + factor)  # low/factor + (1 - low)*factor = 1
        p = np.concatenate([self.p * low, self.p * (1 - low)])
        return Versus(p, np.concatenate([self.q * low / factor, self.q * (1 - low) * factor]))

    @cached_property
    def cells(self):
        """(q/p, p, q) of the cells that P has, the most telling first; equal losses once."""
        if not self.is_exact:
            kept = self.p > 0
            p, q = self.p[kept], self.q[kept]
            order = np.argsort(q / p, kind="stable")
            return (q / p)[order], p[order], q[order]
        merged = {}
        for p, q in zip(self.p, self.q, strict=True):
            if p:
                old = merged.get(q / p, (0, 0))
                merged[q / p] = old[0] + p, old[1] + q
        found = [(t, *merged[t]) for t in sorted(merged)]
        return tuple(zip(*found, strict=True))

    @cached_property
    def sums(self):
        """Sums of p and q over the first cells, from none of them on."""
        _, p, q = self.cells
        if self.is_exact:
            return tuple(reduce(lambda s, x: [*s, s[-1] + x], m, [Fraction(0)]) for m in (p, q))
        return tuple(np.concatenate([[0.0], np.cumsum(m)]) for m in (p, q))

    def stick(self, gamma):
        """Return sup P(S) - gamma Q(S); of an array of gammas, which may be negative, an array."""
        t, p, q = self.cells[0], *self.sums
        if self.is_exact:
            i = bisect_left(t, 1 / gamma) if gamma else len(t)
            return p[i] - gamma * q[i]
        positive = gamma > 0
        i = np.searchsorted(t, 1 / np.where(positive, gamma, 1.0))
        return np.where(positive, p[i] - gamma * q[i], p[-1] - gamma * self.q.sum())

    def as_doubles(self):
        """Return the same in doubles."""
        if not self.is_exact:
            return self
        p, q = (np.array([float(x) for x in law]) for law in (self.p, self.q))
        return Versus(p, q)


def mixed(*weighted):
    """Return the mixture of laws on the same cells."""
    if any(isinstance(law, np.ndarray) for _, law in weighted):
        return sum(float(w) * law for w, law in weighted)
    return tuple(sum(w * x for w, x in cell) for cell in _cells_of(weighted))


def _cells_of(weighted):
    weights = [w for w, _ in weighted]
    for cell in zip(*(law for _, law in weighted), strict=True):
        yield list(zip(weights, cell, strict=True))


def game(stages, gamma):
    """Return V(gamma), the pairs of each stage being the analyst's choices: fractions."""

    @cache
    def best(k, gamma):
        if k == len(stages) - 1:
            return max(pair.stick(gamma) for pair in stages[k])
        return max(
            sum(p * best(k + 1, gamma * t) for t, p, _ in zip(*pair.cells, strict=True))
            for pair in stages[k]
        )

    return best(0, gamma)


def _game_in_doubles(stages, gammas):
    first, *rest = stages
    if not rest:
        return reduce(np.maximum, (pair.stick(gammas) for pair in first))
    found = []
    for pair in first:
        t, p, _ = pair.cells
        found.append((_game_in_doubles(rest, gammas[..., None] * t) * p).sum(-1))
    return reduce(np.maximum, found)


def value(stages, gamma):
    """Return what V(gamma) lies between, in the order given; once more where laws are exact."""
    if all(pair.is_exact for stage in stages for pair in stage):
        found = game(stages, gamma)
        return found, found
    ends = []
    for form in (lambda pair: pair, lambda pair: pair.spread_out):
        doubles = [[form(pair.as_doubles()) for pair in stage] for stage in stages]
        ends.append(Fraction(float(_game_in_doubles(doubles, np.array(float(gamma))))))
    return max(ends[0] - Fraction(ROUNDING), Fraction(0)), ends[1] + Fraction(ROUNDING)


def in_advance(stages, gamma):
    """Return a lower end of the worst of choices that are made before anything is seen."""
    if prod(map(len, stages)) <= MOST_CHOICES:
        choices = product(*stages)
    else:  # the same case in all parts that have as many
        most = max(map(len, stages))
        choices = ([stage[i % len(stage)] for stage in stages] for i in range(most))
    return max(value([[pair] for pair in choice], gamma)[0] for choice in choices)


def adaptive(stages, gamma):
    """Return an upper end of what an analyst gets who chooses the order, too."""
    orders = {tuple(map(id, order)): order for order in permutations(stages)}
    return max(value(order, gamma)[1] for order in orders.values())


def distinct(pairs):
    """Return pairs whose losses have different laws: of equal ones, one."""
    found = {}
    for pair in pairs:
        t, p, _ = pair.cells
        key = (
            (t, p)
            if pair.is_exact
            else (len(t), *np.round([*t[:9], *p[:9], t @ p, (t * t) @ p], 10))
        )
        found.setdefault(key, pair)
    return list(found.values())


def corners(pairs):
    """Return the largest P(S) for each Q(S) over pairs, as the corners of its concave hull."""
    points = {(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))}
    for pair in pairs:
        p, q = pair.sums
        points |= set(zip(q, p, strict=True))
    hull = []
    for x, y in sorted(points, key=lambda point: (point[0], -point[1])):
        if hull and x == hull[-1][0]:
            continue
        while len(hull) > 1 and _turns_up(*hull[-2:], (x, y)):
            hull.pop()
        hull.append((x, y))
    return hull


def _turns_up(a, b, c):
    return (b[1] - a[1]) * (c[0] - a[0]) <= (c[1] - a[1]) * (b[0] - a[0])


def height(hull, x):
    """Return the height of a polyline at x."""
    for (x0, y0), (x1, y1) in pairwise(hull):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return hull[-1][1]


def _reaches(hull, y):
    """Return the least x at which a polyline has a height."""
    for (x0, y0), (x1, y1) in pairwise(hull):
        if y0 < y <= y1:
            return x0 + (x1 - x0) * (y - y0) / (y1 - y0)
    return Fraction(0)


def curve_of_groups(pairs, size):
    """Return gamma -> delta of groups, by powers composed: of all with these pairs' curve."""
    if not all(pair.is_exact for pair in pairs):
        return _groups_in_doubles(pairs, size)
    one = hull = corners(pairs)
    for _ in range(size - 1):
        # Corners of one(hull(x)): corners of hull, and what hull takes to corners of one.
        places = {x for x, _ in hull} | {_reaches(hull, x) for x, _ in one}
        hull = [(x, height(one, height(hull, x))) for x in sorted(places)]
    return lambda gamma: max(y - gamma * x for x, y in hull)


def _groups_in_doubles(pairs, size):
    """Return the same on a fine grid of Q(S), as chords."""
    sums = [pair.as_doubles().sums for pair in pairs]
    corners_of_few = np.concatenate([q for _, q in sums if len(q) < 10] or [[]])
    x = np.unique(np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 20_000), corners_of_few]))
    for _ in range(2):  # what is taken to a corner is one, too
        one = reduce(np.maximum, (np.interp(x, q, p) for p, q in sums))
        x = np.unique(np.concatenate([x, np.interp(corners_of_few, one, x)]))
    one = reduce(np.maximum, (np.interp(x, q, p) for p, q in sums))
    hull = x
    for _ in range(size):
        hull = np.interp(hull, x, one)
    return lambda gamma: Fraction(float((hull - float(gamma) * x).max())) + Fraction(ROUNDING)


def type_two(pair, level):
    """Return the least Q(not S) of randomized tests with P(S) <= level: Neyman and Pearson."""
    missed, left = Fraction(1), level
    _, p, q = Versus(pair.q, pair.p).cells  # outcomes with the least P/Q first; (p/q, q, p)
    for q_mass, p_mass in zip(p, q, strict=True):
        share = min(Fraction(1), left / p_mass) if p_mass else Fraction(1)
        missed, left = missed - share * q_mass, left - share * p_mass
    return missed


def product_of(*pairs):
    """Return independent pairs as one."""
    cells = [list(zip(pair.p, pair.q, strict=True)) for pair in pairs]
    joint = [tuple(map(prod, zip(*choice, strict=True))) for choice in product(*cells)]
    return Versus(*map(tuple, zip(*joint, strict=True)))
